"""Each call of a notice's way to AWS fails, in four ways; then all of it comes again, and everybody has heard once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.ses.models import ses_backends

from contracts.errors import DropgateError
from functions.aws.notice_book import DynamoNotices
from functions.aws.parameters import Parameters
from functions.aws.ses import SesMailer
from functions.notices.due import send_due
from functions.notices.messages import wording
from tests.faults import Crash
from tests.hearing import HOOK, SECRETS, Hearing, a_hearing, a_route, an_event
from tests.integration.functions.test_notice_ports import REGION, a_table

Side = Literal["before", "after", "throttled", "timed out"]
"""The function dies before the call, or after it; it is refused; it takes effect, and no reply comes."""


@dataclass
class Wire:
    """The calls to AWS, in their order, one of which goes wrong."""

    at: int = 0
    side: Side = "before"
    calls: int = 0
    dead: bool = False

    def call(self, method: Callable[..., Any], operation: str, **asked: Any) -> Any:
        """Make a call; once the process is dead, none reaches AWS."""
        if self.dead:
            raise Crash
        self.calls += 1
        side = self.side if self.calls == self.at else None
        if side == "before":
            self._die()
        if side == "throttled":
            answer: Any = {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 400}}
            raise ClientError(answer, operation)
        answer = method(**asked)
        if side == "after":
            self._die()
        if side == "timed out":
            raise ReadTimeoutError(endpoint_url=operation)
        return answer

    def _die(self) -> None:
        self.dead = True
        raise Crash


class Client:
    """A client of boto3 whose calls go over the wire."""

    def __init__(self, client: Any, wire: Wire) -> None:
        self._client = client
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        return partial(self._wire.call, getattr(self._client, name), name)


def way(world: Hearing) -> Iterator[Callable[[], Any]]:
    """A file is rejected, another one too; the first is sent again, and accepted."""
    yield partial(world.hear, an_event(drop="d1"))
    yield partial(world.hear, an_event(drop="d2", key="orders/2.csv"))
    yield partial(later, world)
    yield partial(world.hear, an_event("accepted", "d3", "orders/1.csv"))
    yield partial(later, world)


def later(world: Hearing) -> None:
    """Let time pass, and the schedule come once."""
    world.clock.pass_seconds(660)
    list(send_due(world.ports))


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        made: Any = boto3.client
        every: dict[str, Any] = {name: made(name, region_name=REGION) for name in ("dynamodb", "ssm", "sesv2", "ses")}
        every["ses"].verify_email_identity(EmailAddress="dropgate@example.com")
        every["ssm"].put_parameter(Name="/dropgate/notify/lake", Value=SECRETS["lake"], Type="SecureString")
        yield every


def walk(clients: dict[str, Any], wire: Wire) -> Hearing:
    """Go the way over a wire; what failed is delivered again, by a process that is new."""
    table = a_table(clients["dynamodb"])
    ses_backends[DEFAULT_ACCOUNT_ID][REGION].sent_messages.clear()
    world = a_hearing(a_route(on=("rejected", "recovered")), a_route(HOOK, on=("rejected", "recovered")))

    def begin(wire: Wire) -> None:
        on_wire = {name: Client(client, wire) for name, client in clients.items()}
        dynamodb: Any = on_wire["dynamodb"]
        book = DynamoNotices(dynamodb, table)
        secrets = Parameters(on_wire["ssm"], "/dropgate/notify/", world.clock)
        mailer = SesMailer(on_wire["sesv2"], "dropgate@example.com", "", world.clock)
        world.ports = replace(world.ports, book=book, secrets=secrets, mailer=mailer)

    begin(wire)
    for step in way(world):
        try:
            step()
        except (Crash, DropgateError):
            begin(Wire())
            step()
    begin(Wire())
    for _ in range(3):
        later(world)
    lines = clients["dynamodb"].scan(TableName=table)["Items"]
    assert not [item for item in lines if "due" in item or "attempt" in item]
    clients["dynamodb"].delete_table(TableName=table)
    return world


def mails() -> list[str]:
    sent: list[Any] = ses_backends[DEFAULT_ACCOUNT_ID][REGION].sent_messages
    return [str(each.raw_data) for each in sent]


def hold(world: Hearing, side: Side) -> None:
    """Hold that everybody has heard of all, and that what came twice says so."""
    texts = mails()
    for words in ("[rejected] orders/1.csv", "orders/2.csv", "[recovered] orders/1.csv"):
        assert any(words in text for text in texts)
        assert any(words in str(body) or words[1:9] in str(body) for body in world.web.bodies)
    ids = Counter(text.partition("Message-ID: ")[2].partition(">")[0] for text in texts)
    hooks = Counter(post.headers["webhook-id"] for post in world.web.sent)
    twice = sum(ids.values()) - len(ids) + sum(hooks.values()) - len(hooks)
    marked = sum(wording.REPEAT[:40] in text for text in texts)
    marked += sum("mayrepeat" in body for body in world.web.bodies)
    assert twice <= min(1, marked)
    assert not (side == "throttled" and twice)


def test_undisturbed_each_channel_hears_three_times(clients: dict[str, Any]) -> None:
    wire = Wire()
    world = walk(clients, wire)

    assert (len(mails()), len(world.web.sent)) == (3, 3)
    assert wire.calls > 50


@pytest.mark.parametrize("side", get_args(Side))
def test_a_call_that_goes_wrong_loses_nothing(clients: dict[str, Any], side: Side) -> None:
    whole = Wire()
    walk(clients, whole)
    for at in range(1, whole.calls + 1):
        hold(walk(clients, Wire(at, side)), side)
