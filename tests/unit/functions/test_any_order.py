"""Whatever comes in whatever order: in the end every drop is settled, and consumers see what they may see, no more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.errors import DropgateError
from contracts.job import DropResult, JobDrop
from contracts.plan import Plan
from contracts.sets import SetRule
from functions.replay import replay
from functions.submission import PROMOTED
from tests.builders import ZONES, World, a_plan, a_world, all_good, one_bad
from tests.invariants import Watch

BODIES = {
    "good": b"id,note\n%d,a\n",
    "bad": b"id,note\n%d,bad\n",
    "poison": b"id,note\n%d,poison\n",
    "header": b"ID,note\n%d,a\n",
}


def judge(plan: Plan, drop: JobDrop) -> DropResult | None:
    """By what the file says."""
    return (one_bad if drop.size == len(b"id,note\n100,bad\n") else all_good)(plan, drop)


def kills(drop: JobDrop) -> bool:
    """By what the file says, too."""
    return drop.size == len(b"id,note\n100,poison\n")


def upload(world: World, key: str, kind: str) -> None:
    """A file whose bytes are its own."""
    world.upload(f"orders/{key}.csv", BODIES[kind] % (100 + world.versions))


def backwards(world: World) -> None:
    """The newest event first."""
    world.events.reverse()
    world.deliver_events()


STEPS: dict[str, Callable[[World], object]] = {
    "good a": lambda w: upload(w, "a", "good"),
    "good b": lambda w: upload(w, "b", "good"),
    "bad a": lambda w: upload(w, "a", "bad"),
    "poison a": lambda w: upload(w, "a", "poison"),
    "poison b": lambda w: upload(w, "b", "poison"),
    "refused a": lambda w: upload(w, "a", "header"),
    "events": lambda w: w.deliver_events(),
    "events again": lambda w: w.deliver_events(again=True),
    "events backwards": backwards,
    "windows": lambda w: w.deliver_windows(),
    "windows lost": lambda w: w.delays.sent.clear(),
    "jobs end": lambda w: w.end_jobs(judge),
    "jobs crash": lambda w: w.crash_jobs(),
    "job events": lambda w: w.deliver_jobs(),
    "schedule": lambda w: w.reconcile(),
    "replays": lambda w: [replay(w.ports, d) for d in w.drops()],
}


def walked(steps: list[str]) -> World:
    """A world in which these steps have been taken, and all that was due has come."""
    world = a_world()
    watch = Watch(world)
    world.kills = kills
    for step in steps:
        with suppress(DropgateError):
            STEPS[step](world)
        watch.look()
    world.finish(judge, rounds=16)
    watch.look_at_the_end()
    return world


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=25))
def test_any_order_ends_well(steps: list[str]) -> None:
    world = walked(steps)
    drops = sorted(world.drops().values(), key=lambda d: d.sequencer)
    promoted = world.store.listing(ZONES.promoted)
    newest = {f"orders.v1/{d.name}": d for d in drops if d.state.startswith("accepted")}

    assert len(drops) == world.versions
    assert world.store.listing(ZONES.landing) == {}
    assert promoted == {key: world.store.get(d.source.uri) for key, d in newest.items()}
    assert all(d.receipt for d in drops if d.state in ("accepted", "rejected", "failed"))
    assert not world.ledger._windows
    assert all(b.state == "ended" for b in world.ledger._batches.values())
    assert all(lineage.promoting is None for lineage in world.ledger._lineages.values())


RULES = {
    "marker": SetRule(("day",), 3600, marker="orders/{day}/_OK"),
    "manifest": SetRule(("day",), 3600, manifest="orders/{day}/_OK"),
    "parts": SetRule(("day",), 3600, parts=2),
}
LISTED = b'{"files": [{"name": "a.csv"}, {"name": "b.csv"}]}'
OF_SETS: dict[str, Callable[[World], object]] = {
    **{name: STEPS[name] for name in ("events", "events again", "events backwards", "windows", "schedule", "replays")},
    **{f"{kind} {key}": partial(upload, key=f"1/{key}", kind=kind) for key in "ab" for kind in ("good", "bad")},
    "refused a": partial(upload, key="1/a", kind="header"),
    "signal": lambda w: w.upload("orders/1/_OK", LISTED),
    "hours": lambda w: w.clock.pass_seconds(4000),
    "jobs": lambda w: w.deliver_jobs(w.end_jobs(judge)),
}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(RULES)), st.lists(st.sampled_from(sorted(OF_SETS)), max_size=20))
def test_any_order_of_a_set_ends_well(rule: str, steps: list[str]) -> None:
    world = a_world([a_plan(files=("orders/{day}/*.csv",), set=RULES[rule])])
    watch = Watch(world)
    for step in steps:
        with suppress(DropgateError):
            OF_SETS[step](world)
        watch.look()
    for _ in range(3):
        world.clock.pass_seconds(8000)
        world.finish(judge)
    watch.look_at_the_end()

    assert {s.look_at for s in world.ledger._sets.values()} <= {None}
    assert not world.ledger._windows
    for drop in world.drops().values():
        whole = {s.state for s in world.ledger._sets.values() if s.id == drop.file_set}
        assert drop.state not in PROMOTED or "complete" in whole


def test_settled_bytes_are_still_there() -> None:
    world = walked(["good a", "bad a", "refused a", "events", "windows", "jobs end", "job events"])

    assert all(world.store.head(d.source) for d in world.drops().values())
