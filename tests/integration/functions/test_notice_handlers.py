"""The functions of notices as Lambda calls them: a batch of SQS, and the clock; mail goes to a real server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from contracts import catalog, codec
from functions.aws.notice_book import DynamoNotices
from functions.handlers import notice_event, notices_due
from functions.notices import trail
from infra.cli.notices import in_words
from tests.hearing import HOOK, a_route, an_event, some_routes
from tests.integration.functions.test_notice_ports import REGION, a_table
from tests.receivers import Inbox, mail_server

CONTEXT: Any = SimpleNamespace(
    function_name="notices",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:notices",
    aws_request_id="1",
    get_remaining_time_in_millis=lambda: 90_000,
)


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inbox]:
    inbox = Inbox()
    named = {
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": REGION,
        "DROPGATE_CATALOG": "s3://internal/catalog/",
        "DROPGATE_SECRETS": "/dropgate/notify/",
        "DROPGATE_MAIL_FROM": "dropgate@example.com",
    }
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws(), mail_server(inbox) as server:
        monkeypatch.setenv("DROPGATE_SMTP", server)
        monkeypatch.setenv("DROPGATE_NOTICES_TABLE", a_table(boto3.client("dynamodb")))
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="internal")
        index, routes = catalog.Index(), some_routes(a_route(), a_route(HOOK))
        pointer = catalog.Pointer(codec.sha256(index), "2026-01-31T12:00:00Z", routes=codec.sha256(routes))
        documents = {f"index/{pointer.index}": index, f"routes/{pointer.routes}": routes, "current": pointer}
        for name, document in documents.items():
            s3.put_object(Bucket="internal", Key=f"catalog/{name}.json", Body=codec.canonical(document).encode())
        yield inbox


def batch(*bodies: str) -> dict[str, Any]:
    """A batch of messages."""
    common = {"eventSource": "aws:sqs", "receiptHandle": "r", "attributes": {}, "messageAttributes": {}}
    return {"Records": [{"messageId": str(n), "body": body, **common} for n, body in enumerate(bodies)]}


def on_the_bus(**of: Any) -> str:
    """A message with an event as the bus gives it to a queue."""
    return json.dumps({"detail-type": "Drop Rejected", "source": "dropgate", "detail": codec.encode(an_event(**of))})


def test_events_become_mails_and_messages_that_cannot_be_read_come_again(
    inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    answer = notice_event.handler(batch(on_the_bus(), "{", on_the_bus(), '{"detail": {"id": 1}}'), CONTEXT)

    assert [each["itemIdentifier"] for each in answer["batchItemFailures"]] == ["1", "3"]
    assert [mail["Subject"].partition(":")[0] for mail in inbox.mails] == ["[rejected] orders/1.csv"]
    log = str([record.__dict__ for record in caplog.records])
    assert "there is no parameter /dropgate/notify/lake" in log
    assert "orders/1.csv" not in log
    assert "shop@example.com" not in log


def test_the_clock_sends_what_is_due(inbox: Inbox) -> None:
    inbox.answers = ["451 try again"]
    notice_event.handler(batch(on_the_bus()), CONTEXT)
    assert inbox.mails == []
    client = boto3.client("dynamodb")
    every: Any = client.scan(TableName="notices")["Items"]
    for item in every:
        if "due" in item:
            past = "2020-01-01T00:00:00.000000Z"
            item["due_at"] = {"S": past}
            item["attempt"]["M"]["until"] = {"S": past}
            client.put_item(TableName="notices", Item=item)
    notices_due.handler({}, CONTEXT)

    assert len(inbox.mails) == 1


# Amazon SES developer guide, "Examples of event data that Amazon SES publishes": `mail` with its tags, and `bounce`.
def test_a_bounce_is_shown_with_the_notices_of_its_drop(inbox: Inbox) -> None:
    notice_event.handler(batch(on_the_bus()), CONTEXT)
    book = DynamoNotices(boto3.client("dynamodb"), "notices")
    (before,) = (trace for trace in trail.of_subject(book, "d1") if trace.line.channel.service == "email")
    assert before.message
    tags = {"ses:configuration-set": ["dropgate-mails"], "message": [before.message.id]}
    recipient = {"emailAddress": "shop@example.com", "diagnosticCode": "smtp; 550 5.1.1 user unknown"}
    bounce = {"bounceType": "Permanent", "bounceSubType": "General", "bouncedRecipients": [recipient]}
    detail = {"eventType": "Bounce", "mail": {"messageId": "0100-1", "tags": tags}, "bounce": bounce}
    answer = notice_event.handler(batch(json.dumps({"source": "aws.ses", "detail": detail})), CONTEXT)
    (after,) = (trace for trace in trail.of_subject(book, "d1") if trace.line.channel.service == "email")

    assert answer == {"batchItemFailures": []}
    assert (before.returned, after.returned) == (None, "bounced: smtp; 550 5.1.1 user unknown (Permanent)")
    assert in_words(after).endswith("; bounced: smtp; 550 5.1.1 user unknown (Permanent)")
    assert len(inbox.mails) == 1


def test_a_function_starts_without_what_only_some_messages_need() -> None:
    late = "('smtplib', 'jinja2')"
    code = f"import sys, functions.handlers.notice_event as _; print([n for n in {late} if n in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert shown.strip() == "[]"
