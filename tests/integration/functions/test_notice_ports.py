"""The ports of notices, held by memory and by AWS alike; mail by SES, and secrets in Parameter Store."""

from __future__ import annotations

import email
from collections.abc import Iterator
from dataclasses import replace
from email.policy import default
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError
from botocore.stub import Stubber
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.ses.models import ses_backends

from contracts.errors import ServiceUnavailable, StaleWrite
from functions.aws.notice_book import DynamoNotices
from functions.aws.parameters import Parameters
from functions.aws.ses import SesMailer
from functions.notices import lines, trail
from functions.ports.notices import Attempt, Line, Mail, Message, Notice, NoticeBook, Unread
from tests.fakes import TestClock
from tests.hearing import MAIL, SLACK, MemoryNotices, a_hearing, a_route, an_event

REGION = "us-east-1"
AT, SOON, LATER = (f"2026-01-31T12:{minute}:00.000000Z" for minute in ("00", "10", "20"))
LINE = lines.new("orders.v1", MAIL)


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        yield


def a_table(client: Any) -> str:
    """A table as the template has it."""
    client.create_table(
        TableName="notices",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "due", "due_at")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_due",
                "KeySchema": [
                    {"AttributeName": "due", "KeyType": "HASH"},
                    {"AttributeName": "due_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    return "notices"


@pytest.fixture(params=["memory", "aws"])
def book(request: pytest.FixtureRequest) -> NoticeBook:
    if request.param == "memory":
        return MemoryNotices()
    request.getfixturevalue("aws")
    client = boto3.client("dynamodb", region_name=REGION)
    return DynamoNotices(client, a_table(client))


def a_notice(number: int, subject: str = "d1", **changes: Any) -> Notice:
    """A notice on the line."""
    sequence = f"0001-{number:04}"
    fresh = Notice(LINE.id, number, subject, sequence, "rejected", "orders/1.csv", AT, '{"id": "e"}', ("producer",))
    return replace(fresh, **changes)


def with_notices(book: NoticeBook, number: int) -> Line:
    """Put notices on the line; the line as it is then."""
    for n in range(1, number + 1):
        before = book.line(LINE.id) or LINE
        book.put(replace(before, last=n, due_at=AT), a_notice(n, f"d{n}"), None)
    line = book.line(LINE.id)
    assert line
    return line


def test_a_line_that_nobody_wrote_is_none(book: NoticeBook) -> None:
    assert (book.line(LINE.id), book.newest(LINE.id, "d1"), book.in_trouble(LINE.id, "k")) == (None, None, None)
    assert (tuple(book.waiting(LINE.id, 0, 9)), tuple(book.of_subject("d1")), tuple(book.due(LATER, 9))) == ((), (), ())


def test_a_line_is_read_as_it_was_written(book: NoticeBook) -> None:
    attempt = Attempt(3, AT, SOON, tries=2, under_way=False, may_repeat=True)
    line = replace(LINE, last=4, settled=1, free_at=AT, due_at=SOON, attempt=attempt, troubles=2, incidents=("a", "b"))
    book.write(line)

    assert book.line(LINE.id) == replace(line, version=1)


def test_notices_are_read_in_their_order(book: NoticeBook) -> None:
    with_notices(book, 12)

    assert [notice.number for notice in book.waiting(LINE.id, 2, 11)] == list(range(3, 12))
    assert book.waiting(LINE.id, 2, 3)[0] == a_notice(3, "d3")


@pytest.mark.usefixtures("aws")
def test_an_item_that_cannot_be_read_is_one_notice_less() -> None:
    client: Any = boto3.client("dynamodb", region_name=REGION)
    book = DynamoNotices(client, a_table(client))
    with_notices(book, 3)
    key = {"pk": {"S": f"L#{LINE.id}"}, "sk": {"S": "W#000000000002"}}
    item = client.get_item(TableName="notices", Key=key)["Item"]
    client.put_item(TableName="notices", Item={**item, "occasion": {"S": "of a newer version"}})
    first, second, third = book.waiting(LINE.id, 0, 3)

    assert (first.number, type(second), second.number, third.number) == (1, Unread, 2, 3)


def test_a_notice_is_put_only_on_the_line_that_was_read(book: NoticeBook) -> None:
    line = with_notices(book, 1)
    book.write(replace(line, settled=1))
    with pytest.raises(StaleWrite):
        book.put(replace(line, last=2), a_notice(2), "begins")

    assert (len(book.waiting(LINE.id, 0, 9)), book.in_trouble(LINE.id, "orders/1.csv")) == (1, None)


def test_a_new_line_is_made_once(book: NoticeBook) -> None:
    book.put(replace(LINE, last=1), a_notice(1), None)
    with pytest.raises(StaleWrite):
        book.put(replace(LINE, last=1), a_notice(1, "d2"), None)


def test_the_newest_sequence_is_that_of_the_subject(book: NoticeBook) -> None:
    line = with_notices(book, 3)
    book.put(replace(line, last=4), a_notice(4, "d1"), None)

    assert (book.newest(LINE.id, "d1"), book.newest(LINE.id, "d2")) == ("0001-0004", "0001-0002")
    assert book.newest("other", "d1") is None


def test_a_state_that_passed_by_is_the_newest_and_no_notice(book: NoticeBook) -> None:
    book.pass_by(LINE, "d1", "0002-0005")
    with pytest.raises(StaleWrite):
        book.pass_by(LINE, "d1", "0003-0005")
    line = book.line(LINE.id)
    assert line

    assert (line.last, line.due_at) == (0, None)
    assert book.newest(LINE.id, "d1") == "0002-0005"
    assert trail.of_subject(book, "d1") == []


def test_a_trouble_lasts_until_it_ends(book: NoticeBook) -> None:
    book.put(replace(LINE, last=1), a_notice(1), "begins", "2026-01-31T12:00:00")
    assert book.in_trouble(LINE.id, "orders/1.csv") == "2026-01-31T12:00:00"
    assert book.in_trouble(LINE.id, "orders/2.csv") is None
    line = book.line(LINE.id)
    assert line
    book.put(replace(line, last=2), a_notice(2), "ends")

    assert book.in_trouble(LINE.id, "orders/1.csv") is None


def test_no_trouble_begins_with_an_upload_before_one_that_was_good(book: NoticeBook) -> None:
    first, second, third = (f"2026-01-31T12:00:0{n}" for n in range(3))
    book.note_good(LINE.id, "orders/1.csv", second)
    book.note_good(LINE.id, "orders/1.csv", first)
    assert (book.newest_good(LINE.id, "orders/1.csv"), book.newest_good(LINE.id, "orders/2.csv")) == (second, "")
    with pytest.raises(StaleWrite):
        book.put(replace(LINE, last=1), a_notice(1), "begins", first)
    assert book.line(LINE.id) is None
    for number, upload in enumerate((second, third), 1):
        book.put(replace(book.line(LINE.id) or LINE, last=number), a_notice(number, f"d{number}"), "begins", upload)

    assert book.in_trouble(LINE.id, "orders/1.csv") == third


def test_lines_that_are_due_are_found_the_oldest_first(book: NoticeBook) -> None:
    for scope, due in {"a": SOON, "b": AT, "c": LATER, "d": None}.items():
        book.write(replace(lines.new(scope, MAIL), due_at=due))
    in_order = [lines.line_id(scope, MAIL) for scope in ("b", "a")]

    assert list(book.due(SOON, 9)) == in_order
    assert list(book.due(SOON, 1)) == in_order[:1]
    line = book.line(in_order[0])
    assert line
    book.write(replace(line, due_at=None))
    assert list(book.due(SOON, 9)) == in_order[1:]


def test_the_notices_of_a_drop_have_their_messages(book: NoticeBook) -> None:
    line = with_notices(book, 3)
    message = Message(LINE.id, 0, 2, SOON, "sent", "200", tries=2, may_repeat=True)
    book.write(replace(line, settled=2), message)
    shown = {drop: next(iter(book.of_subject(drop))) for drop in ("d1", "d2", "d3")}

    assert {drop: trace.message for drop, trace in shown.items()} == {"d1": message, "d2": message, "d3": None}
    assert (shown["d1"].line.channel, shown["d1"].occasion, shown["d1"].at) == (MAIL, "rejected", AT)


def test_a_mail_that_came_back_is_shown_with_its_notices(book: NoticeBook) -> None:
    line = with_notices(book, 3)
    first, second = Message(LINE.id, 0, 2, SOON, "sent", "SES took it"), Message(LINE.id, 2, 3, SOON, "sent", "it too")
    book.note_returned(first.id, "bounced: no such user (Permanent)")  # before the message is written
    book.write(replace(line, settled=2), first)
    book.write(replace(line, settled=3, version=line.version + 1), second)
    shown = {drop: next(iter(book.of_subject(drop))).returned for drop in ("d1", "d2", "d3")}

    bounced = "bounced: no such user (Permanent)"
    assert shown == {"d1": bounced, "d2": bounced, "d3": None}


def test_the_whole_way_over_the_table(aws: None) -> None:  # noqa: ARG001
    client = boto3.client("dynamodb", region_name=REGION)
    book = DynamoNotices(client, a_table(client))
    world = a_hearing(a_route(), a_route(SLACK))
    world.ports = replace(world.ports, book=book)
    world.hear(an_event(), an_event(), *(an_event(drop=f"d{n}", key=f"orders/{n}.csv") for n in range(2, 14)))
    world.minutes(12)
    world.hear(an_event("accepted", "e1", "orders/1.csv"))
    world.minutes(12)

    assert [mail.subject for mail in world.mailer.sent] == [
        "[rejected] orders/1.csv: 20 of 410 rows, amount is below the minimum of 0",
        "[rejected] orders.v1: 12 files",
        "[recovered] orders/1.csv: accepted",
    ]
    assert [trace.message and trace.message.result for trace in trail.of_subject(book, "d1")] == ["sent", "sent"]
    assert all("expires" in item for item in client.scan(TableName="notices")["Items"])


# --- secrets


def test_a_secret_is_kept_for_minutes(aws: None) -> None:  # noqa: ARG001
    client, clock = boto3.client("ssm", region_name=REGION), TestClock()
    client.put_parameter(Name="/dropgate/notify/a", Value="first", Type="SecureString")
    secrets = Parameters(client, "/dropgate/notify/", clock)
    assert secrets.secret("a") == "first"
    client.put_parameter(Name="/dropgate/notify/a", Value="second", Type="SecureString", Overwrite=True)
    assert secrets.secret("a") == "first"
    clock.pass_seconds(301)

    assert secrets.secret("a") == "second"


def test_a_secret_that_is_not_there_is_none_until_it_is(aws: None) -> None:  # noqa: ARG001
    client = boto3.client("ssm", region_name=REGION)
    secrets = Parameters(client, "/dropgate/notify/", TestClock())
    assert secrets.secret("a") is None
    client.put_parameter(Name="/dropgate/notify/a", Value="now", Type="SecureString")

    assert secrets.secret("a") == "now"


def test_parameter_store_that_refuses_is_asked_again() -> None:
    client = boto3.client("ssm", region_name=REGION, aws_access_key_id="none", aws_secret_access_key="none")
    with Stubber(client) as stub:
        stub.add_client_error("get_parameter", "ThrottlingException", http_status_code=400)
        with pytest.raises(ServiceUnavailable):
            Parameters(client, "/dropgate/notify/", TestClock()).secret("a")


# --- SES


LETTER = Mail("shop@example.com", "[rejected] \u00e9.csv: wrong", "text\n", "<p>html</p>\n", "msg_1")


def test_ses_sends_a_mail_from_an_identity_that_is_verified(aws: None) -> None:  # noqa: ARG001
    boto3.client("ses", region_name=REGION).verify_email_identity(EmailAddress="dropgate@example.com")
    client = boto3.client("sesv2", region_name=REGION)
    answer = SesMailer(client, "dropgate@example.com", "", TestClock()).send(LETTER)

    (sent,) = ses_backends[DEFAULT_ACCOUNT_ID][REGION].sent_messages
    raw: Any = sent
    mail: Any = email.message_from_string(raw.raw_data, policy=default)
    assert answer.result == "sent"
    assert (mail["Subject"], mail["To"], set(raw.destinations)) == (LETTER.subject, LETTER.to, {LETTER.to})


def test_ses_refuses_an_identity_that_is_not_verified(aws: None) -> None:  # noqa: ARG001
    client = boto3.client("sesv2", region_name=REGION)
    answer = SesMailer(client, "dropgate@example.com", "", TestClock()).send(LETTER)

    assert (answer.result, answer.unsure) == ("refused", False)
    assert "MessageRejected" in answer.text


def test_a_mail_has_its_message_in_a_tag() -> None:
    asked: list[dict[str, Any]] = []

    def take(**of: Any) -> dict[str, str]:
        asked.append(of)
        return {"MessageId": "0100-1"}

    answer = SesMailer(_client(take), "dropgate@example.com", "set", TestClock()).send(LETTER)

    assert answer.text == "SES took it as 0100-1"
    assert asked[0]["EmailTags"] == [{"Name": "message", "Value": "msg_1"}]


def test_without_a_sender_no_mail_is_sent() -> None:
    answer = SesMailer(None, "", "", TestClock()).send(LETTER)

    assert (answer.result, answer.text) == ("refused", "no mail is set up: the parameter MailFrom is empty")


# Amazon SES API v2, SendEmail, "Errors"; common errors of AWS for 5xx and throttling.
@pytest.mark.parametrize(
    ("code", "status", "result", "unsure"),
    [
        ("TooManyRequestsException", 429, "later", False),
        ("LimitExceededException", 400, "later", False),
        ("SendingPausedException", 400, "later", False),
        ("InternalFailure", 500, "later", True),
        ("ServiceUnavailable", 503, "later", True),
        ("AccountSuspendedException", 400, "refused", False),
        ("MailFromDomainNotVerifiedException", 400, "refused", False),
        ("MessageRejected", 400, "refused", False),
        ("BadRequestException", 400, "refused", False),
        ("NotFoundException", 404, "refused", False),
        ("AccessDeniedException", 403, "refused", False),
    ],
)
def test_each_refusal_of_ses_means_what_its_page_says(code: str, status: int, result: str, unsure: bool) -> None:
    def refuse(**_: Any) -> None:
        answer: Any = {"Error": {"Code": code, "Message": "why"}, "ResponseMetadata": {"HTTPStatusCode": status}}
        raise ClientError(answer, "SendEmail")

    got = SesMailer(_client(refuse), "dropgate@example.com", "set", TestClock()).send(LETTER)

    assert (got.result, got.unsure) == (result, unsure)
    assert code in got.text


@pytest.mark.parametrize(
    ("error", "unsure"),
    [(ReadTimeoutError(endpoint_url="u"), True), (EndpointConnectionError(endpoint_url="u"), False)],
    ids=["no answer", "nobody there"],
)
def test_ses_that_does_not_answer_is_asked_again(error: Exception, unsure: bool) -> None:
    def fail(**_: Any) -> None:
        raise error

    got = SesMailer(_client(fail), "dropgate@example.com", "", TestClock()).send(LETTER)

    assert (got.result, got.unsure) == ("later", unsure)


def _client(send: Any) -> Any:
    class Client:
        send_email = staticmethod(send)

    return Client()
