"""One call to AWS that goes wrong: a scenario and a point in, how its drops ended and what was asked on the way out.

Handlers, adapters and boto3 with its retries are real, by botocore's own hooks: `before-call` counts the calls of each
function and says for which method of a port, `before-send` lets one of them go wrong. Each run begins in an empty
stack. A scenario is a few lines of what producers and people do, in SCENARIOS of `test_sweep.py`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from botocore.exceptions import ReadTimeoutError
from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import s3_backends

import functions.aws
from contracts.errors import DropgateError
from contracts.job import JobRequest
from functions import keys
from functions.aws import items
from functions.aws.clients import Clients, ports_from
from functions.ports import Ports
from functions.reconcile import Trouble, reconcile
from functions.replay import replay
from functions.submission import Drop, Location
from infra.local.emr_run import ENDED as OVER
from infra.local.events import ACCOUNT
from infra.local.invocation import acting_as
from infra.local.outages import FAILURES
from tests.builders import ZONES
from tests.integration.functions.by_hand import CLOCK, CREATED, DUE, ENDED, GOOD, Killed, Site
from tests.invariants import GOOD as ACCEPTED
from tests.invariants import Seen, Watch, observing

Side = Literal["before", "after", "lost", "throttled", "timed out"]
SIDES: tuple[Side, ...] = get_args(Side)
"""The function dies before the call, or after it; its reply is lost, and boto3 asks again; it is refused as often as
boto3 tries; it takes effect each time boto3 tries, and no reply comes."""

PERSON = "Person"
"""Who replays: not a function, but a process that can die like one."""
ATTEMPTS = 4
"""How often boto3 tries a call (CONFIG in functions/aws/clients.py)."""
STRIKES = 12
AHEAD = timedelta(minutes=20)
"""How far the schedule's clock moves on each time that it strikes; more than anything waits for by itself."""
AWS = str(Path(functions.aws.__file__).parent)


@dataclass(frozen=True)
class Call:
    """The nth call of a function: the operation, and the method of a port that asks for it."""

    function: str
    nth: int
    operation: str
    method: str


@dataclass(frozen=True)
class Point:
    """One way in which one call goes wrong."""

    call: Call
    side: Side

    def __str__(self) -> str:
        return f"{self.call.function} call {self.call.nth}, {self.call.method} {self.call.operation}: {self.side}"


class Wire:
    """What lies between the functions and AWS: every call of a run, of which some go wrong."""

    def __init__(self, site: Site, worlds: dict[str, Ports]) -> None:
        self.calls: list[Call] = []
        self.wrong: list[Point] = []
        self.first: list[tuple[str, str, Side]] = []
        self._site = site
        self._nth: Counter[str] = Counter()
        self._now: Side | None = None
        self._sent = 0
        for name, world in worlds.items():
            ports: Any = world
            for client in (ports.store._s3, ports.ledger._db, ports.jobs._emr, ports.delays._sqs):
                client.meta.events.register("before-call", partial(self._begin, name))
                client.meta.events.register("before-send", partial(self._send, client))

    def begin(self, *wrong: Point) -> None:
        """Begin a run in which these points are met."""
        self.calls, self.wrong, self.first = [], [*wrong], []
        self._nth.clear()
        self._now = None

    def _begin(self, function: str, model: Any, **_: Any) -> None:
        self._nth[function] += 1
        operation = f"{model.service_model.service_name}:{model.name}"
        call = Call(function, self._nth[function], operation, _method())
        self.calls.append(call)
        self._now, self._sent = self._side(call), 0
        if self._now == "throttled":
            service = operation.partition(":")[0]
            double = self._site.emr if service == "emr-serverless" else self._site.cloud
            kinds = FAILURES[service]
            double.outages.begin(operation, kinds[call.nth % len(kinds)], ATTEMPTS)

    def _side(self, call: Call) -> Side | None:
        """How this call goes wrong: by a scenario's own fault, once, or by the point of the run."""
        for fault in self.first:
            if fault[:2] == (call.function, call.method):
                self.first.remove(fault)
                return fault[2]
        at = (call.function, call.nth)
        return next((p.side for p in self.wrong if (p.call.function, p.call.nth) == at), None)

    def _send(self, client: Any, request: Any, **_: Any) -> None:
        side, self._sent = self._now, self._sent + 1
        if side == "before":
            raise Killed(side)
        if side in ("after", "timed out") or (side == "lost" and self._sent == 1):
            _ = client._endpoint.http_session.send(request).content
            if side == "after":
                raise Killed(side)
            raise ReadTimeoutError(endpoint_url=request.url)


def _method() -> str:
    """The method of a port that the call under way is made for."""
    found, frame = "", sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        if frame.f_code.co_filename.startswith(AWS):
            found = frame.f_code.co_qualname
    return found


@dataclass(frozen=True)
class Later:
    """A clock that is ahead."""

    ahead: timedelta

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Attack:
    """One run of a scenario; after each of its steps every invariant is held."""

    site: Site
    wire: Wire
    person: Ports
    ids: list[str] = field(default_factory=list)
    ahead: timedelta = timedelta()
    troubles: tuple[Trouble, ...] = ()

    def __post_init__(self) -> None:
        self.watch = Watch(self, seen_on_aws)

    def upload(self, name: str, body: bytes = GOOD) -> str:
        """Upload as a producer does; the drop's id."""
        self.ids.append(self.site.upload(name, body))
        return self.ids[-1]

    def deliver(self, *functions: str) -> bool:
        """Let functions have what waits for them, and jobs end; whether anything waited."""
        found = False
        for name in functions or (CREATED, DUE, ENDED):
            if self.site.queues[name].poll():
                found = True
                self.site.idle()
                self.watch.look()
        return found

    def lose(self, *functions: str) -> None:
        """Lose what waits for functions."""
        self.site.forget(*functions)

    def befall(self, function: str, method: str, side: Side) -> None:
        """Let the next call of a function for a method of a port go wrong: what follows on that is swept, too."""
        self.wire.first.append((function, method, side))

    def strike(self) -> None:
        """Let time pass, and the schedule come."""
        self.ahead += AHEAD
        world = replace(self.site.worlds[CLOCK], clock=Later(self.ahead))
        with suppress(Killed):
            self.troubles = reconcile(world, caught=Exception)
        self.site.idle()
        self.watch.look()

    def replay(self, drop_id: str) -> None:
        """Let a person ask for another attempt, and type it again where the machine has died over it."""
        for _ in range(2):
            with suppress(Killed, DropgateError):
                replay(self.person, drop_id)
        self.watch.look()

    def finish(self) -> None:
        """Deliver all that waits and let the schedule strike, until nothing is left to do."""
        for _ in range(STRIKES):
            while self.deliver():
                pass
            if self._rests() and not self.troubles:
                break
            self.strike()
        assert list(self.left()) == []
        assert self.troubles == ()
        self.watch.look_at_the_end()

    def _rests(self) -> bool:
        found = self.site.ports.ledger.drops(self.ids)
        return len(found) == len(self.ids) and not any(d.in_flight for d in found) and not any(self.left())

    def left(self) -> Iterator[object]:
        """What is only there while something is under way, what nobody takes on any more, and what was forbidden."""
        ledger: Any = self.site.ports.ledger
        for item in map(items.loads, ledger._db.scan(TableName=ledger._table)["Items"]):
            open_batch = items.kind(item) == "BATCH" and item["state"] != "ended"
            held = items.kind(item) == "KEY" and item.get("promoting")
            if items.kind(item) in ("PENDING", "WINDOW", "SLOTS") or open_batch or held:
                yield item
        yield from (name for name in self.site.stack.names if name.endswith("Dlq") and self.site._letters(name))
        yield from self.site.cloud.guard.denied

    def ending(self) -> dict[str, Any]:
        """What people see of each drop: its way, verdict, problems, receipt, and what consumers have read."""
        drops = sorted(self.watch.seen().drops.values(), key=lambda d: d.sequencer)
        return {f"{d.key} {n}": self._end(d, drops[n + 1 :]) for n, d in enumerate(drops)}

    def _end(self, drop: Drop, later: list[Drop]) -> Any:
        if any(d.key == drop.key and d.state in ACCEPTED for d in later):
            return "a newer one has taken its place"  # before or after it was accepted itself
        store, zones = self.site.ports.store, self.site.ports.zones
        receipt = self.site.receipt(drop.id) if drop.receipt else {}
        return (
            [step.state for step in self.site.ports.ledger.history(drop.id) if step.event != "announced"],
            [(problem.code, problem.message) for problem in drop.problems],
            {name: receipt[name] for name in ("verdict", "rows", "problems") if receipt},
            store.get(f"{zones.promoted}{drop.promoted.key}") if drop.promoted else None,
            keys.split(drop.source.uri)[1].partition("/")[0],
        )


Scenario = Callable[[Attack], None]


@dataclass
class Sweep:
    """A stack, and the wire that its functions' calls go over."""

    site: Site

    def __post_init__(self) -> None:
        with acting_as(PERSON):
            self.person = ports_from(self.site.stack.functions[CLOCK].environment, Clients())
        self.wire = Wire(self.site, {**self.site.worlds, PERSON: self.person})
        self.site.cloud.outages.callers = self.site.emr.outages.callers = frozenset({*self.site.worlds, PERSON})

    def run(self, scenario: Scenario, *wrong: Point) -> tuple[dict[str, Any], list[Call]]:
        """Run a scenario in an empty stack, with what goes wrong; how it ended, and the calls that were made."""
        empty(self.site)
        self.wire.begin(*wrong)
        attack = Attack(self.site, self.wire, self.person)
        scenario(attack)
        calls = self.wire.calls
        self.wire.begin()
        self.site.cloud.outages.end()
        self.site.emr.outages.end()
        attack.finish()
        return attack.ending(), calls

    def points(self, scenario: Scenario) -> list[Point]:
        """Each side of each call of a scenario."""
        return [Point(call, side) for call in self.run(scenario)[1] for side in SIDES]


def empty(site: Site) -> None:
    """Let the stack be as it was deployed, contracts and all, and its functions start cold."""
    keep = keys.split(site.ports.zones.catalog)[1]
    for zone in (site.ports.zones.landing, site.ports.zones.stage, site.ports.zones.promoted):
        stored = s3_backends[ACCOUNT]["aws"].buckets[keys.split(zone)[0]].keys
        for key in [key for key in stored if not key.startswith(keep)]:
            stored.pop(key)
    ledger: Any = site.ports.ledger
    table = dynamodb_backends[ACCOUNT]["us-east-1"].get_table(ledger._table)
    table.items.clear()
    if table.stream_shard:
        table.stream_shard.items.clear()
    site.forget(CREATED, DUE, ENDED)
    site.forget_all_known()
    site.cloud.guard.denied.clear()


def seen_on_aws(attack: Attack) -> Seen:
    """A look at the stack, through the ports of somebody who may see everything."""
    store, ledger, zones = attack.site.ports.store, attack.site.ports.ledger, attack.site.ports.zones
    drops = {d.id: d for d in ledger.drops(attack.ids)}
    marks = {uri: store.head(Location(uri)) for uri in store.listed(zones.promoted, 1000)}
    bucket, _ = keys.split(zones.landing)
    kept = {keys.drop_id(bucket, one.key, one.version) for one in store.lying(zones.landing, None, 1000).found}
    kept |= {part for zone in (zones.stage, zones.held) for uri in store.listed(zone, 1000) for part in uri.split("/")}
    kept |= {stat.drop for stat in marks.values() if stat and stat.drop}
    runs = [run for run in attack.site.emr._runs.newest_first() if run.state not in OVER]
    return Seen(
        drops,
        {drop_id: ledger.history(drop_id) for drop_id in drops},
        {
            f"{ZONES.promoted}{uri.removeprefix(zones.promoted)}": (stat.drop, stat.attempt)
            for uri, stat in marks.items()
            if stat
        },
        {},
        [JobRequest.loads(store.get(run.spec.arguments[1])) for run in runs],
        frozenset(kept & drops.keys()),
        observing(drops, attack.site.ports),
    )
