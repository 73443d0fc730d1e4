"""One call to AWS that goes wrong: a scenario and a point in, how its drops ended and what was asked on the way out.

Handlers, adapters, boto3 and deltalake with their retries are real; what goes wrong does so on the `wire` to AWS. Each
run begins in an empty stack. A scenario is a few lines of what producers and people do, in SCENARIOS of
`test_sweep.py`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from moto.dynamodb.models import dynamodb_backends

from contracts.errors import DropgateError
from contracts.plan import Plan
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.ports import Ports
from functions.schedule.reconcile import Trouble, reconcile
from infra.local.emr.run import ENDED as OVER
from infra.local.events.invocation import acting_as
from infra.local.loopback import ACCOUNT
from infra.local.moto_patches import indexes
from tests.builders import ZONES, publish
from tests.integration.functions.by_hand import CLOCK, FLOW, GOOD, Killed, Site
from tests.integration.functions.memory import clear, promised, seen_by, under_way
from tests.integration.functions.wire import SIDES, Call, Point, Side, Wire, clients_of, straight
from tests.invariants import GOOD as ACCEPTED
from tests.invariants import Seen, Watch

PERSON = "Person"
"""A person who decides, replays, compares: not a function, but a process that can die like one."""
OF_RUN = re.compile(r"stage/[^ )]+|\b[a-z2-7]{32}\b")
"""Where a staged file lies, which names drop and minute, and a drop: they are others in each run."""
FRUITLESS = 3
"""The times that messages come again in vain before the schedule does: minutes are between them, and it comes each."""
STRIKES = 12
LOOKS = 3
"""Strikes in which the promises of a contract are judged, even if one look goes wrong."""
AHEAD = timedelta(minutes=20)
"""The time by which the schedule's clock moves on at each strike; more than anything waits for by itself."""


class NotMet(AssertionError):
    """A call was not made that was to go wrong: of parts that are copied side by side, one that fails ends others."""


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
    put_in_force: Callable[[Sequence[Plan]], None]
    ids: list[str] = field(default_factory=list)
    ahead: timedelta = timedelta()
    troubles: tuple[Trouble, ...] = ()

    def __post_init__(self) -> None:
        self.watch = Watch(self, seen_on_aws)

    def upload(self, name: str, body: bytes = GOOD) -> str:
        """Upload as a producer does; the drop's id."""
        self.ids.append(self.site.upload(name, body))
        return self.ids[-1]

    def put(self, uri: str, body: bytes) -> None:
        """Write what nobody of ours would write."""
        bucket, key = keys.split(uri)
        self.site.s3.put_object(Bucket=bucket, Key=key, Body=body)

    def deliver(self, *functions: str) -> bool:
        """Deliver to functions what waits for them, and let jobs end; return True if anything waited."""
        any_waited = False
        for name in functions or FLOW:
            if self.site.queues[name].poll():
                any_waited = True
                self.site.idle()
                self.watch.look()
        return any_waited

    def lose(self, *functions: str) -> None:
        """Lose what waits for functions."""
        self.site.forget(*functions)

    def befall(self, function: str, method: str, side: Side) -> None:
        """Let the next call of a function for a method of a port fail: what follows is part of the sweep."""
        self.wire.first.append((function, method, side))

    def strike(self) -> None:
        """Let time pass, and the schedule come."""
        self.ahead += AHEAD
        world = replace(self.site.worlds[CLOCK], clock=Later(self.ahead))
        with suppress(Killed, DropgateError), self.wire.process(CLOCK):
            self.troubles = reconcile(world, caught=Exception)
        self.site.idle()
        self.watch.look()

    def strike_for_promises(self) -> None:
        """Let time pass, and the schedule come, until promises have been judged."""
        for _ in range(LOOKS):
            self.strike()

    def ask(self, act: Callable[[Ports], object]) -> None:
        """Let a person do something, and type it again where the machine has died over it."""
        for _ in range(2):
            with suppress(Killed, DropgateError), self.wire.process(PERSON):
                act(self.person)
        self.watch.look()

    def drop(self, drop_id: str) -> Drop:
        """Return a drop that has a record."""
        drop = self.site.drop(drop_id)
        assert drop
        return drop

    def settle(self) -> None:
        """Deliver all that waits and let the schedule strike, until nothing is left to do."""
        for _ in range(STRIKES):
            fruitless = 0
            while fruitless < FRUITLESS:
                before = self.site.handled
                if not self.deliver():
                    break
                fruitless = fruitless + 1 if self.site.handled == before else 0
            if self._rests() and not self.troubles:
                break
            self.strike()

    def finish(self) -> None:
        """The same to the end, when all is as it should be."""
        self.settle()
        if promised(self.site.ports.ledger):
            self.strike_for_promises()
        assert list(self.left()) == []
        assert self.troubles == ()
        self.watch.look_at_the_end()

    def _rests(self) -> bool:
        drops = self.site.ports.ledger.drops(self.ids)
        return len(drops) == len(self.ids) and not any(d.in_flight for d in drops) and not any(self.left())

    def left(self) -> Iterator[object]:
        """Yield items of work under way, dead letters, and denied calls."""
        yield from under_way(self.site.ports.ledger)
        yield from (name for name in self.site.stack.names if name.endswith("Dlq") and self.site._letters(name))
        yield from self.site.cloud.guard.denied

    def ending(self) -> dict[str, Any]:
        """Return what people see of each drop: states, verdict, problems, receipt, and what consumers have read.

        And the states that each promise has gone through.
        """
        seen = self.watch.before
        assert seen
        drops = sorted(seen.drops.values(), key=lambda d: d.sequencer)
        ends = {f"{d.key} {n}": self._end(d, drops[n + 1 :], seen) for n, d in enumerate(drops)}
        return ends | promised(self.site.ports.ledger)

    def _end(self, drop: Drop, later: list[Drop], seen: Seen) -> Any:
        if any(d.key == drop.key and d.state in ACCEPTED for d in later):
            return "a newer one has taken its place"  # before or after it was accepted itself
        receipt = self.site.receipt(drop.id) if drop.receipt else {}
        problems = [one | {"message": OF_RUN.sub("", one["message"])} for one in receipt.get("problems", ())]
        return (
            [step.state for step in self.site.ports.ledger.history(drop.id) if step.event != "announced"],
            [(problem.code, OF_RUN.sub("", problem.message)) for problem in drop.problems],
            {name: receipt[name] for name in ("verdict", "rows") if receipt},
            problems,
            self._read(drop, drop.promoted.key, seen) if drop.promoted and drop.state in ACCEPTED else None,
            keys.split(drop.source.uri)[1].partition("/")[0],
            {name: [figure.value for figure in past.figures] for name, past in drop.history.items()},
        )

    def _read(self, drop: Drop, key: str, seen: Seen) -> Any:
        """Return what consumers read of a drop: its rows in a table by attempt, or its length and beginning."""
        if key.endswith("/"):
            return seen.tables[f"{ZONES.promoted}{key}"].get(drop.id)
        body = self.site.ports.store.get(f"{self.site.ports.zones.promoted}{key}")
        return len(body), body[:40]


Scenario = Callable[[Attack], None]


@dataclass
class Sweep:
    """A stack, and the wire that its functions' calls go over."""

    site: Site
    wire: Wire
    plans: Sequence[Plan]
    """The plans in force when a scenario begins."""
    in_force: Sequence[Plan] = ()

    def __post_init__(self) -> None:
        with acting_as(PERSON):
            self.person: Any = ports_from(self.site.stack.functions[CLOCK].environment, Clients())
        self.site.worlds[PERSON] = self.person
        for name, world in self.site.worlds.items():
            self.wire.listen(self.site, name, world)
        self.site.cloud.outages.callers = self.site.emr.outages.callers = frozenset(self.site.worlds)
        for client in (*clients_of(self.site.ports), self.site.s3, self.site.sqs):
            client.meta.events.register("before-send", partial(straight, self.site))
        invoke = self.site.invoke

        def watched(function: str, event: Mapping[str, Any]) -> Any:
            with self.wire.process(function):
                return invoke(function, event)

        self.site.invoke = watched

    def put_in_force(self, plans: Sequence[Plan]) -> None:
        """Publish contracts, unless it is they that are in force."""
        if plans is not self.in_force:
            publish(self.site.ports.store, self.site.ports.zones.catalog, plans)
        self.in_force = plans

    def run(self, scenario: Scenario, *wrong: Point) -> tuple[dict[str, Any], list[Call]]:
        """Run a scenario in an empty stack, with what goes wrong; how it ended, and the calls that were made."""
        empty(self.site)
        self.put_in_force(self.plans)
        random.seed(0)  # the places that batches ask for are drawn
        self.wire.begin(*wrong)
        attack = Attack(self.site, self.wire, self.person, self.put_in_force)
        scenario(attack)
        calls, met = self.wire.calls, self.wire.met
        self.wire.begin()
        self.site.cloud.outages.end()
        self.site.emr.outages.end()
        attack.finish()
        if met != [*wrong]:
            raise NotMet
        return attack.ending(), calls

    def points(self, scenario: Scenario) -> list[Point]:
        """Each side of each call of a scenario."""
        return [Point(call, side) for call in self.run(scenario)[1] for side in SIDES]


def empty(site: Site) -> None:
    """Let the stack be as it was deployed, contracts and all, and its functions start cold."""
    keep = keys.split(site.ports.zones.catalog)[1]
    zones = site.ports.zones
    for zone in (zones.landing, zones.stage, zones.promoted):
        clear(keys.split(zone)[0], but=keep)
    ledger: Any = site.ports.ledger
    table = dynamodb_backends[ACCOUNT]["us-east-1"].get_table(ledger._table)
    table.items.clear()
    indexes.forget(table)
    if table.stream_shard:
        table.stream_shard.items.clear()
    site.forget(*FLOW)
    site.forget_letters()
    site.start_cold()
    site.cloud.guard.denied.clear()
    site.log.text = ""


def seen_on_aws(attack: Attack) -> Seen:
    """Return what is in the whole stack."""
    runs = [run for run in attack.site.emr._runs.newest_first() if run.state not in OVER]
    return seen_by(attack.site.ports, attack.ids, [run.spec.arguments[1] for run in runs])
