"""The ports of notices in memory, events as they come from the bus, and a world in which people hear of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from contracts import catalog, codec
from contracts.errors import StaleWrite
from contracts.problem import Problem
from contracts.terms.notices import (
    DEFAULTS,
    Audience,
    Channel,
    Contact,
    ContractRoutes,
    Occasion,
    Route,
    Routes,
    Service,
)
from functions.catalog import Published
from functions.drop import RowCounts
from functions.events.drop_event import (
    DropEvent,
    EventContract,
    EventData,
    EventMissing,
    EventObject,
    EventProblem,
    EventPromise,
)
from functions.events.shape import WORDS
from functions.notices.due import Unsent, send_due
from functions.notices.send import Sent, send
from functions.notices.take import take
from functions.ports import NoticePorts
from functions.ports.notices import Answer, Line, Mail, Message, Notice, Post, Trace, Trouble, Unread
from tests.builders import ZONES
from tests.fakes import MemoryStore, TestClock

MAIL = Channel("email", "shop@example.com")
SLACK = Channel("slack", "data-team")
TEAMS = Channel("teams", "data-room")
PAGER = Channel("pagerduty", "on-call")
HOOK = Channel("webhook", "lake")
SIGNING = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
"""The signing secret of an example of Standard Webhooks."""
SECRETS = {
    "data-team": "https://hooks.slack.com/services/T0/B0/x",
    "data-room": "https://prod-00.westeurope.logic.azure.com:443/workflows/a/triggers/manual/paths/invoke?sig=x",
    "on-call": "0123456789abcdef0123456789abcdef",
    "lake": f"https://lake.example.com/hooks {SIGNING}",
}
TOOK = Answer("sent", "200 ok")


class MemoryNotices:
    """Lines and notices by their ids."""

    def __init__(self) -> None:
        self.lines: dict[str, Line] = {}
        self.notices: dict[str, list[Notice]] = {}
        self.unread: dict[int, Unread] = {}
        self.messages: dict[str, list[Message]] = {}
        self.sequences: dict[tuple[str, str], str] = {}
        self.troubles: dict[tuple[str, str], str] = {}
        self.returned: dict[str, str] = {}
        self.good: dict[tuple[str, str], str] = {}

    def line(self, line_id: str) -> Line | None:
        return self.lines.get(line_id)

    def newest(self, line_id: str, subject: str) -> str | None:
        return self.sequences.get((line_id, subject))

    def in_trouble(self, line_id: str, topic: str) -> str | None:
        return self.troubles.get((line_id, topic))

    def newest_good(self, line_id: str, topic: str) -> str:
        return self.good.get((line_id, topic), "")

    def note_good(self, line_id: str, topic: str, upload: str) -> None:
        self.good[line_id, topic] = max(upload, self.newest_good(line_id, topic))

    def put(self, line: Line, notice: Notice, trouble: Trouble | None, upload: str = "") -> None:
        place = line.id, notice.topic
        if trouble == "begins" and upload and self.good.get(place, "") > upload:
            raise StaleWrite(line.id)
        self._lay(line)
        self.notices.setdefault(line.id, []).append(notice)
        self.sequences[line.id, notice.subject] = notice.sequence
        if trouble == "begins":
            self.troubles[place] = upload
        elif trouble == "ends":
            self.troubles.pop(place, None)

    def pass_by(self, line: Line, subject: str, sequence: str) -> None:
        self._lay(line)
        self.sequences[line.id, subject] = sequence

    def waiting(self, line_id: str, after: int, through: int) -> Sequence[Notice | Unread]:
        return tuple(self.unread.get(each.number, each) for each in self.notices.get(line_id, ())[after:through])

    def write(self, line: Line, message: Message | None = None) -> None:
        self._lay(line)
        if message:
            self.messages.setdefault(line.id, []).append(message)

    def note_returned(self, message: str, reason: str) -> None:
        self.returned[message] = reason

    def due(self, now: str, most: int) -> Sequence[str]:
        waiting = [line for line in self.lines.values() if line.due_at and line.due_at <= now]
        return tuple(line.id for line in sorted(waiting, key=lambda line: line.due_at or "")[:most])

    def of_subject(self, subject: str) -> Sequence[Trace]:
        return tuple(
            self._trace(self.lines[line], each)
            for line, notices in self.notices.items()
            for each in notices
            if each.subject == subject
        )

    def _trace(self, line: Line, notice: Notice) -> Trace:
        message = self._covering(line.id, notice.number)
        returned = self.returned.get(message.id) if message and line.channel.service == "email" else None
        return Trace(line, notice.number, notice.sequence, notice.occasion, notice.at, message, returned)

    def _covering(self, line: str, number: int) -> Message | None:
        return next((m for m in self.messages.get(line, ()) if m.after < number <= m.through), None)

    def _lay(self, line: Line) -> None:
        before = self.lines.get(line.id)
        if (before.version if before else 0) != line.version:
            raise StaleWrite(line.id)
        self.lines[line.id] = replace(line, version=line.version + 1)


T = TypeVar("T")


@dataclass
class Outbox(Generic[T]):
    """What was sent; `answers` are given first, then each thing is taken."""

    sent: list[T] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def take(self, thing: T) -> Answer:
        answer = self.answers.pop(0) if self.answers else TOOK
        if answer.result == "sent" or answer.unsure:
            self.sent.append(thing)
        return answer


class MemoryMailer(Outbox[Mail]):
    """Mail that was sent."""

    def send(self, mail: Mail) -> Answer:
        return self.take(mail)


class MemoryWeb(Outbox[Post]):
    """Requests that were made."""

    def post(self, post: Post) -> Answer:
        return self.take(post)

    @property
    def bodies(self) -> list[Any]:
        """What was sent, read."""
        return [json.loads(post.body) for post in self.sent]


@dataclass
class MemorySecrets:
    """Secrets by their names."""

    secrets: dict[str, str] = field(default_factory=lambda: dict(SECRETS))

    def secret(self, name: str) -> str | None:
        return self.secrets.get(name)


def a_route(channel: Channel = MAIL, audience: Audience = "producer", on: Iterable[Occasion] = ()) -> Route:
    """A route with the occasions of its audience, if none are named."""
    return Route(audience, channel, tuple(on) or DEFAULTS[audience])


def some_routes(*routes: Route, operators: Iterable[Route] = (), contract: str = "orders.v1") -> Routes:
    """The routes of one contract."""
    own = ContractRoutes(contract, "shop", routes, Contact("Data team", "mailto:data@example.com"))
    return Routes((own,), tuple(operators))


def an_event(state: Any = "rejected", drop: str = "d1", key: str = "orders/1.csv", **changes: Any) -> DropEvent:
    """An event of a drop of orders.v1: 20 of 410 records are below the minimum."""
    step, attempt = changes.pop("step", 5), changes.pop("attempt", 1)
    problem = EventProblem(
        "minimum",
        "error",
        "`amount` is below the minimum of `0` in 20 of 410 records (4.8 %).",
        "Correct `amount` in these records.",
        "amount",
    )
    defaults: dict[str, Any] = {
        "state": state,
        "event": state,
        "drop": drop,
        "attempt": attempt,
        "step": step,
        "contract": EventContract("orders.v1", "orders", "1.0.0"),
        "producer": "shop",
        "key": key,
        "verdict": "accepted" if state == "accepted" else "rejected",
        "rows": RowCounts(410, 390, 20) if state == "rejected" else None,
        "problems": (problem,) if state == "rejected" else (),
        "receipt": EventObject("internal", f"reports/shop/{drop}/1/receipt.json"),
        "uploaded_at": "2026-01-31T11:59:58Z",
        "received_at": "2026-01-31T12:00:00.000000Z",
    }
    data = EventData(**(defaults | changes))
    return DropEvent(
        id=f"{drop}-{attempt:04}-{step:04}",
        source="/dropgate/dropgate",
        type=f"dropgate.drop.{WORDS[data.state].lower()}.v1",
        subject=drop,
        time="2026-01-31T12:00:05.000000Z",
        sequence=f"{attempt:04}-{step:04}",
        data=data,
    )


def an_absence(state: Any = "missing", version: int = 1) -> DropEvent:
    """An event of missing files of orders.v1: one of two has come."""
    data = EventData(
        state=state,
        contract=EventContract("orders.v1"),
        producer="shop",
        missing=EventMissing("2026-01-31", 2, 1 if state == "missing" else 2, "2026-01-31T13:00:00.000000Z"),
    )
    return DropEvent(
        id=f"absence-{version:04}",
        source="/dropgate/dropgate",
        type=f"dropgate.files.{state}.v1",
        subject="orders.v1/2026-01-31",
        time="2026-01-31T13:00:05.000000Z",
        sequence=f"{version:04}",
        data=data,
    )


def a_promise(state: Any = "missed", step: int = 1) -> DropEvent:
    """An event of the promise that data are at most 26 hours old."""
    promised, figure = "the newest accepted file is at most 26 h old", "the newest file is of 2026-01-29T05:12:09Z"
    was: Any = "met" if state == "missed" else "missed"
    promise = EventPromise("loadDate", was, promised, figure, "2026-01-30", "2026-01-31")
    data = EventData(state=state, contract=EventContract("orders.v1"), producer="shop", promise=promise)
    return DropEvent(
        id=f"promise-{step:08}",
        source="/dropgate/dropgate",
        type=f"dropgate.promise.{state}.v1",
        subject="orders.v1/loadDate",
        time="2026-01-31T13:00:05.000000Z",
        sequence=f"{step:08}",
        data=data,
    )


@dataclass
class Hearing:
    """A world in which people hear of events."""

    routes: Routes
    store: MemoryStore = field(default_factory=MemoryStore)
    book: MemoryNotices = field(default_factory=MemoryNotices)
    mailer: MemoryMailer = field(default_factory=MemoryMailer)
    web: MemoryWeb = field(default_factory=MemoryWeb)
    secrets: MemorySecrets = field(default_factory=MemorySecrets)
    clock: TestClock = field(default_factory=TestClock)

    def __post_init__(self) -> None:
        self.publish(self.routes)
        self.ports = NoticePorts(
            stack="dropgate",
            book=self.book,
            catalog=Published(self.store, ZONES.catalog),
            documents=self.store,
            mailer=self.mailer,
            web=self.web,
            secrets=self.secrets,
            clock=self.clock,
            secrets_folder="/dropgate/notify/",
        )

    def publish(self, routes: Routes, index: catalog.Index | None = None) -> None:
        """Put routes in force, and the patterns of contracts."""
        index = index or catalog.Index()
        pointer = catalog.Pointer(codec.sha256(index), self.clock.stamp(), routes=codec.sha256(routes))
        for name, document in (
            (f"index/{pointer.index}", index),
            (f"routes/{pointer.routes}", routes),
            ("current", pointer),
        ):
            self.store.put(f"{ZONES.catalog}{name}.json", codec.canonical(document).encode(), "application/json")

    def hear(self, *events: DropEvent) -> list[Sent]:
        """Do what the function does with events: put each on its lines, and send what may leave at once."""
        taken = (line for event in events for line in take(self.ports, codec.encode(event)))
        return [sent for line in taken if (sent := send(self.ports, line))]

    def minutes(self, number: int, each: Callable[[], object] = lambda: None) -> list[Sent]:
        """Let minutes pass, with the schedule in each."""
        every: list[Sent] = []
        for _ in range(number):
            self.clock.pass_seconds(60)
            each()
            every += (sent for sent in send_due(self.ports) if not isinstance(sent, Unsent))
        return every

    def file(self, receipt: EventObject | None, *problems: Problem) -> None:
        """Lay down a receipt with problems."""
        assert receipt
        body = json.dumps({"problems": codec.encode(problems)}).encode()
        self.store.put(f"s3://{receipt.bucket}/{receipt.key}", body, "application/json")


def a_hearing(*routes: Route, operators: Iterable[Route] = ()) -> Hearing:
    """A world with routes; without any, the producer of orders.v1 gets mail."""
    return Hearing(some_routes(*(routes or (a_route(),)), operators=operators))


def channels(service: Service) -> Channel:
    """The channel of a service."""
    return {"email": MAIL, "slack": SLACK, "teams": TEAMS, "pagerduty": PAGER, "webhook": HOOK}[service]
