"""The promises of docs/guarantees.md by name: a world looked at after every step; an AssertionError where one breaks.

Each invariant is a function of what a look sees and of what the look before saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from contracts.job import JobRequest
from functions.ports import Step
from functions.submission import OPEN, Drop
from tests.builders import ZONES, World

GOOD = ("accepted", "accepted_with_warnings")
LOST = ("vanished",)
"""Drops whose bytes were gone before anybody looked, or whom a person has erased."""


@dataclass(frozen=True)
class Seen:
    """What one look at a world found: drops, histories, objects with their marks, runs at work."""

    world: World
    drops: dict[str, Drop]
    histories: dict[str, tuple[Step, ...]]
    promoted: dict[str, tuple[str | None, int | None]]
    live: list[JobRequest]
    zone: str = ZONES.promoted


def promoted_once(seen: Seen, _: Seen | None) -> None:
    """At most one object of a drop and attempt; of an accepted drop its own, or one of the drop that took its place."""
    owners = Counter(seen.promoted.values())
    assert all(n == 1 for n in owners.values()), owners
    for drop in seen.drops.values():
        if drop.state in GOOD:
            assert drop.promoted
            there = seen.promoted.get(f"{seen.zone}{drop.promoted.key}")
            successor = seen.drops.get((there or ("", 0))[0] or "")
            assert there == (drop.id, drop.attempt) or (successor and successor.key == drop.key), drop


def promoted_is_recorded(seen: Seen, _: Seen | None) -> None:
    """A promoted object has a drop that names its key and its attempt, and whose verdict let it through."""
    for uri, (owner, attempt) in seen.promoted.items():
        drop = seen.drops[owner or ""]
        assert drop.promoted, drop
        assert (f"{seen.zone}{drop.promoted.key}", drop.promoted.attempt) == (uri, attempt)
        assert drop.state in (*GOOD, "promoting"), drop
        assert drop.verdict in GOOD, drop


def bytes_are_kept(seen: Seen, _: Seen | None) -> None:
    """The bytes of every drop lie where its record says, where they came from, or where its next step moves them."""
    for drop in seen.drops.values():
        if drop.state not in LOST:
            assert any(_has(seen.world, uri, drop) for uri in seen.world.store.objects), drop


def rows_add_up(seen: Seen, _: Seen | None) -> None:
    """Rows read are valid or rejected."""
    for drop in seen.drops.values():
        if drop.rows:
            assert drop.rows.read == drop.rows.valid + drop.rows.rejected, drop


def settled_stays(seen: Seen, before: Seen | None) -> None:
    """A settled drop changes by a replay with a higher attempt alone, and history only grows."""
    for drop_id, was in (before.drops if before else {}).items():
        now = seen.drops[drop_id]
        told = before.histories[drop_id] if before else ()
        assert seen.histories[drop_id][: len(told)] == told, drop_id
        if was.state not in OPEN and not was.in_flight:
            assert now == was or now.attempt > was.attempt, (was, now)


def history_tells_all(seen: Seen, _: Seen | None) -> None:
    """The last item of a drop's history says where it stands, and each version of it has one."""
    for drop_id, drop in seen.drops.items():
        told = seen.histories[drop_id]
        assert (told[-1].state, told[-1].attempt, told[-1].step) == (drop.state, drop.attempt, drop.step)
        assert len(told) == drop.version, drop


def one_job_each(seen: Seen, _: Seen | None) -> None:
    """At most one job of a batch and try is at work, and no drop belongs to two batches that are."""
    assert all(n == 1 for n in Counter((r.batch, r.try_) for r in seen.live).values())
    for drop in seen.drops.values():
        mine = {r.batch for r in seen.live for d in r.drops if d.id == drop.id and d.attempt == drop.attempt}
        assert len(mine) <= 1, (drop, mine)


INVARIANTS: tuple[Callable[[Seen, Seen | None], None], ...] = (
    promoted_once,
    promoted_is_recorded,
    bytes_are_kept,
    rows_add_up,
    settled_stays,
    history_tells_all,
    one_job_each,
)


@dataclass
class Watch:
    """One that looks at a world after every step."""

    world: World
    before: Seen | None = None
    looks: int = field(default=0)

    def look(self) -> None:
        """Hold every invariant."""
        now = self.seen()
        for invariant in INVARIANTS:
            invariant(now, self.before)
        self.before, self.looks = now, self.looks + 1

    def seen(self) -> Seen:
        """The world as it stands."""
        return _seen(self.world)

    def look_at_the_end(self) -> None:
        """The same once faults have stopped and all has come: then nothing is open."""
        self.look()
        assert [d for d in self.world.drops().values() if d.state in OPEN or d.in_flight] == []


def _seen(world: World) -> Seen:
    drops = world.drops()
    marks = {
        uri: next(reversed(versions.values())).stat
        for uri, versions in world.store.objects.items()
        if uri.startswith(ZONES.promoted)
    }
    requests = [JobRequest.loads(world.store.get(world.jobs.requests[run])) for run in world.jobs.working()]
    return Seen(
        world,
        drops,
        {drop_id: world.ledger.history(drop_id) for drop_id in drops},
        {uri: (stat.drop, stat.attempt) for uri, stat in marks.items()},
        requests,
    )


def _has(world: World, uri: str, drop: Drop) -> bool:
    """Whether an object holds a drop's own bytes: the pinned version in landing, or a move's copy of it."""
    versions = world.store.objects[uri]
    if uri == f"s3://{drop.bucket}/{drop.key}":
        return drop.version_id in versions
    return any(held.stat.drop == drop.id for held in versions.values())
