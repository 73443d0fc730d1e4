"""The promises of docs/explanation/guarantees.md by name, checked after every step; AssertionError if one breaks.

Each invariant is a function of what a look sees and of what the look before saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from contracts.errors import DocumentInvalid
from contracts.job import JobRequest, JobResult
from functions import keys
from functions.drop import OPEN, PROMOTED, TRIAL_TRANSITIONS, Drop, is_later
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.drops import Step
from functions.ports.promises import PromisePeriod, PromiseStep, Standing
from tests.builders import ZONES, World
from tests.fakes import MemoryLedger

GOOD = ("accepted", "accepted_with_warnings")
Judged = tuple[str, str, int]
"""A batch whose result says something of a drop and its attempt."""
LOST = ("vanished",)
"""Drops whose bytes were gone before anybody looked; a person may have had those of others erased."""


@dataclass(frozen=True)
class SeenPromises:
    """How promises over time stand, by contract; their history, and the results of their periods, in any order."""

    standings: Mapping[str, Standing] = field(default_factory=dict)
    steps: frozenset[PromiseStep] = frozenset()
    results: frozenset[PromisePeriod] = frozenset()
    events: int | None = None
    """The events of promises; None where nobody sees them."""


@dataclass(frozen=True)
class Seen:
    """The content of a world at one moment: drops, histories, objects with their tags, rows of tables, runs at work."""

    drops: dict[str, Drop]
    histories: dict[str, tuple[Step, ...]]
    promoted: dict[str, tuple[str | None, int | None]]
    tables: dict[str, dict[str, tuple[int, int]]]
    live: list[JobRequest]
    kept: frozenset[str]
    """The drops whose own bytes lie somewhere."""
    observing: frozenset[str]
    """The plans of contracts that only observe."""
    judged: frozenset[Judged]
    """What results of jobs say something of."""

    zone: str = ZONES.promoted
    promises: SeenPromises = SeenPromises()

    def withdrawn(self, drop: Drop) -> bool:
        """Return True if an upload that replaced a drop, and is not surely older, has been withdrawn."""
        others = [d for d in self.drops.values() if d.key == drop.key and d.id != drop.id and not is_later(drop, d)]
        return any(d.attempt > 1 and {s.state for s in self.histories[d.id]} & PROMOTED for d in others)

    def was_withdrawn(self, drop_id: str | None, attempt: int | None) -> bool:
        """Return True if an attempt was promoted, and a later one is not."""
        drop = self.drops[drop_id or ""]
        return drop.attempt > (attempt or 0) and any(
            step.attempt == attempt and step.state in PROMOTED for step in self.histories[drop.id]
        )

    def heirs(self, drop_id: str) -> set[str]:
        """The drops whose rows took the place of a drop's in a table, and those that took theirs."""
        linked: set[str] = set()
        new = {drop_id}
        while new:
            linked |= new
            new = {d.id for d in self.drops.values() if d.promoted and new & set(d.promoted.instead)} - linked
        return linked - {drop_id}

    def evident(self, drop: Drop, attempt: int) -> bool:
        """Return True if the record of a promoted attempt names its plan, and the batch if a job judged it.

        Of an attempt that is to be taken back only its history still names the batch.
        """
        steps = [step for step in self.histories[drop.id] if step.attempt == attempt]
        if drop.attempt != attempt:
            named = drop.retracts is not None and bool(drop.retracts.plan)
            return named and all(step.batch for step in steps if step.event == "claimed")
        judged_or_erased = drop.forgotten or (drop.batch or "", drop.id, attempt) in self.judged
        return bool(drop.plan) and bool(judged_or_erased or all(step.state != "validating" for step in steps))

    def observes(self, drop: Drop) -> bool:
        """Return True if the contract that a drop was judged by only observes."""
        return drop.plan in self.observing


def promoted_once(seen: Seen, _: Seen | None) -> None:
    """At most one object of a drop and attempt; of an accepted drop its own, or one of the drop that took its place.

    The same of rows in a table.
    """
    owners = Counter(tag for uri, tag in seen.promoted.items() if not _table_of(seen, uri))
    assert all(n == 1 for n in owners.values()), owners
    for drop in seen.drops.values():
        if drop.state in PROMOTED:
            assert drop.promoted
            if keys.is_table(drop.promoted.key):
                rows = seen.tables[f"{seen.zone}{drop.promoted.key}"]
                replaced = not seen.heirs(drop.id).isdisjoint(rows) or seen.withdrawn(drop)
                assert rows.get(drop.id, (0,))[0] == drop.attempt or replaced, drop
                continue
            there = seen.promoted.get(f"{seen.zone}{drop.promoted.key}")
            successor = seen.drops.get((there or ("", 0))[0] or "")
            replaced = bool(successor and successor.key == drop.key) or (there is None and seen.withdrawn(drop))
            assert there == (drop.id, drop.attempt) or replaced, drop


def promoted_is_recorded(seen: Seen, _: Seen | None) -> None:
    """Promoted data has a drop that names its key, attempt, plan and evidence, and was let through or observed.

    Of a table that is any object in its folder, for who may read the table may read that; but what was withdrawn may
    lie there until the table is maintained.
    """
    rows = [(table, drop, attempt) for table, by_drop in seen.tables.items() for drop, (attempt, _) in by_drop.items()]
    objects = [
        (_table_of(seen, uri) or uri, owner, attempt)
        for uri, (owner, attempt) in seen.promoted.items()
        if not (_table_of(seen, uri) and seen.was_withdrawn(owner, attempt))
    ]
    for uri, owner, attempt in (*rows, *objects):
        drop = seen.drops[owner or ""]
        places = [(f"{seen.zone}{one.key}", one.attempt) for one in (drop.retracts, drop.promoted) if one]
        assert (uri, attempt) in places, drop
        assert seen.evident(drop, attempt or 0), drop
        if drop.retracts and drop.retracts.attempt == attempt:
            assert drop.in_flight or drop.state == "failed", drop
            continue
        assert drop.state in (*GOOD, "observed", "promoting"), drop
        assert drop.verdict in GOOD or seen.observes(drop), drop


def bytes_are_kept(seen: Seen, _: Seen | None) -> None:
    """The bytes of every drop are where its record says, where they came from, or where its next step moves them."""
    for drop in seen.drops.values():
        if drop.state not in LOST and not drop.forgotten:
            assert drop.id in seen.kept, drop


def rows_add_up(seen: Seen, _: Seen | None) -> None:
    """Rows read are valid or rejected, and those of a table are the valid ones.

    How many rows an attempt had that is to be taken back no record says any more.
    """
    for drop in seen.drops.values():
        if drop.rows:
            assert drop.rows.read == drop.rows.valid + drop.rows.rejected, drop
    for by_drop in seen.tables.values():
        for drop_id, (attempt, many) in by_drop.items():
            rows, former = seen.drops[drop_id].rows, seen.drops[drop_id].retracts
            if former and former.attempt == attempt:
                continue
            assert rows, drop_id
            assert rows.valid == many, drop_id


def settled_stays(seen: Seen, before: Seen | None) -> None:
    """A settled drop changes only by a higher attempt, which a person asks for, and history only grows."""
    for drop_id, was in (before.drops if before else {}).items():
        now = seen.drops[drop_id]
        steps = before.histories[drop_id] if before else ()
        assert seen.histories[drop_id][: len(steps)] == steps, drop_id
        if was.state not in OPEN and not was.in_flight:
            assert now == was or now.attempt > was.attempt or now.forgotten != was.forgotten, (was, now)


def history_tells_all(seen: Seen, _: Seen | None) -> None:
    """The last item of a drop's history has its state, and each version of it has one."""
    for drop_id, drop in seen.drops.items():
        steps = seen.histories[drop_id]
        assert (steps[-1].state, steps[-1].attempt, steps[-1].step) == (drop.state, drop.attempt, drop.step)
        assert len(steps) == drop.version, drop


def one_job_each(seen: Seen, _: Seen | None) -> None:
    """At most one job of a batch and try is at work, and no drop belongs to two batches that are."""
    assert all(n == 1 for n in Counter((r.batch, r.try_) for r in seen.live).values())
    for drop in seen.drops.values():
        mine = {r.batch for r in seen.live for d in r.drops if d.id == drop.id and d.attempt == drop.attempt}
        assert len(mine) <= 1, (drop, mine)


def results_stay(seen: Seen, before: Seen | None) -> None:
    """A result of a period never changes, and each period of a promise has one."""
    results = seen.promises.results
    assert not before or before.promises.results <= results, before.promises.results - results
    assert len({(one.contract, one.promise, one.begin, one.end) for one in results}) == len(results)


def each_change_has_a_step(seen: Seen, before: Seen | None) -> None:
    """Each change of a promise's state is one item of history, and one event; a new promise begins without."""
    steps = sorted(seen.promises.steps, key=lambda step: step.step)
    assert not before or before.promises.steps <= seen.promises.steps
    assert len({(step.contract, step.promise, step.step) for step in steps}) == len(steps)
    assert seen.promises.events in (None, len(steps))
    for contract, standing in seen.promises.standings.items():
        for held in standing.promises:
            own = [step for step in steps if (step.contract, step.promise) == (contract, held.name)]
            own = [step for step in own if step.at >= held.since]
            last = own[-1] if own else None
            if held.changed_at != held.since or last:
                assert last
                assert (last.state, last.at) == (held.state, held.changed_at), held
            assert all(a.state == b.was for a, b in pairwise(own)), own
            assert all(step.state != step.was for step in own), own


def trials_reach_nobody(seen: Seen, _: Seen | None) -> None:
    """No trial is promoted, has a state of drops that are, or shares a job with a drop."""
    trials = {drop.id for drop in seen.drops.values() if drop.trial}
    assert trials.isdisjoint(owner for owner, _ in seen.promoted.values())
    assert all(trials.isdisjoint(by_drop) for by_drop in seen.tables.values())
    for drop_id in trials:
        assert {step.state for step in seen.histories[drop_id]} <= TRIAL_TRANSITIONS.keys(), drop_id
    for request in seen.live:
        assert len({one.id in trials for one in request.drops}) <= 1, request


INVARIANTS: tuple[Callable[[Seen, Seen | None], None], ...] = (
    promoted_once,
    promoted_is_recorded,
    bytes_are_kept,
    rows_add_up,
    settled_stays,
    history_tells_all,
    one_job_each,
    results_stay,
    each_change_has_a_step,
    trials_reach_nobody,
)


def seen_in(world: World) -> Seen:
    """Return what is in a world in memory."""
    drops = world.drops()
    marks = {
        uri: next(reversed(versions.values())).tag
        for uri, versions in world.store.objects.items()
        if uri.startswith(ZONES.promoted)
    }
    requests = [JobRequest.loads(world.store.get(world.jobs.requests[run])) for run in world.jobs.working()]
    return Seen(
        drops,
        {drop_id: world.ledger.history(drop_id) for drop_id in drops},
        {uri: (mark.drop, mark.attempt) if mark else (None, None) for uri, mark in marks.items()},
        {table: dict(rows) for table, rows in world.tables.rows.items()},
        requests,
        frozenset(_kept(world, drops)),
        observing(drops, world.ports),
        judged(drops, lambda uri: world.store.get(uri) if uri in world.store.objects else None, ZONES),
        promises=_promises(world),
    )


def _promises(world: World) -> SeenPromises:
    ledger: Any = world.ledger
    if not isinstance(ledger, MemoryLedger):
        return SeenPromises()  # a test that has another one sees to it
    promises = ledger._promises
    events = sum(event.data.promise is not None for event in ledger.events)
    results = frozenset(promises.periods.values())
    return SeenPromises(dict(promises.standings), frozenset(promises.steps), results, events)


def judged(drops: Mapping[str, Drop], result: Callable[[str], bytes | None], zones: Zones) -> frozenset[Judged]:
    """Return the drops and attempts in the results of the tries that judged some drops; `result` reads a URI."""
    tries = {(d.batch, d.try_) for d in drops.values() if d.batch and d.try_}
    results = ((batch, result(keys.result_uri(zones, batch, nth))) for batch, nth in tries)
    return frozenset((batch, drop, attempt) for batch, body in results if body for drop, attempt in _attempts(body))


@lru_cache(maxsize=1000)
def _attempts(result: bytes) -> tuple[tuple[str, int], ...]:
    try:
        return tuple((one.drop, one.attempt) for one in JobResult.loads(result).drops)
    except DocumentInvalid:  # cut short
        return ()


def observing(drops: Mapping[str, Drop], ports: Ports) -> frozenset[str]:
    """The plans of some drops whose contracts only observe."""
    return frozenset(
        sha for sha in {d.plan for d in drops.values()} if sha and ports.catalog.plan(sha).mode == "observe"
    )


@dataclass
class Watch:
    """A watch that holds the invariants after every step; `see` reads `world`."""

    world: Any
    see: Callable[[Any], Seen] = seen_in
    before: Seen | None = None
    looks: int = 0

    def look(self) -> None:
        """Hold every invariant."""
        now = self.seen()
        for invariant in INVARIANTS:
            invariant(now, self.before)
        self.before, self.looks = now, self.looks + 1

    def seen(self) -> Seen:
        """Return the world as it is now."""
        return self.see(self.world)

    def look_at_the_end(self) -> None:
        """The same once faults have stopped and all has come: then nothing is open."""
        self.look()
        assert self.before
        assert [d for d in self.before.drops.values() if d.state in OPEN or d.in_flight] == []


def _kept(world: World, drops: Mapping[str, Drop]) -> set[str]:
    """The drops whose own bytes an object holds: the pinned version in landing, or a move's copy of it."""
    every = world.store.objects
    moved = {held.tag.drop for versions in every.values() for held in versions.values() if held.tag}
    return moved | {d.id for d in drops.values() if d.version_id in every.get(f"s3://{d.bucket}/{d.key}", {})}


def _table_of(seen: Seen, uri: str) -> str | None:
    """Return the table in whose folder an object is."""
    return next((table for table in seen.tables if uri.startswith(table)), None)
