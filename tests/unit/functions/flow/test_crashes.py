"""A crash, or somebody faster, at any call to the world: then everything is delivered again, and the end is the same.

Each way is walked once undisturbed, to count the calls; then once for each call and each side of it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from contracts.errors import DropgateError
from contracts.job import DropResult, JobDrop
from contracts.plan import Columns, Limit, Plan
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from functions import keys
from functions.drop import Drop
from functions.operations.override import accept, reject
from functions.operations.replay import replay
from functions.ports import Ports
from tests.builders import World, a_marked_plan, a_plan, a_world, all_good, one_bad, valid_rows
from tests.builders import reaching as as_far
from tests.faults import NEVER, Crash, Fuse, Watched
from tests.invariants import Watch

SIDES = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])


def judge(plan: Plan, drop: JobDrop) -> DropResult | None:
    """Good for the most; a `bad` one has a bad row, a `later` one when judged again, a `silent` one nothing."""
    if plan.watermarks:
        return as_far(plan, drop)
    if "silent" in drop.name:
        return None
    bad = "bad" in drop.name or ("later" in drop.name and drop.attempt > 1)
    return (one_bad if bad else all_good)(plan, drop)


Way = Callable[[World], Iterator[Callable[[], Any]]]


def every_kind(world: World) -> Iterator[Callable[[], Any]]:
    """One drop of each ending."""
    world.upload("orders/good.csv", b"id,note\n1,a\n")
    world.upload("orders/bad.csv", b"id,note\n,a\n")
    world.upload("orders/silent.csv", b"id,note\n1,a\n")
    world.upload("orders/header.csv", b"ID,note\n1,a\n")
    world.upload("order/typo.csv", b"id,note\n1,a\n")
    yield from once(world)


def replaced(world: World) -> Iterator[Callable[[], Any]]:
    """A file that is replaced once it is promoted, and another that is replaced while it waits."""
    world.upload("orders/a.csv", b"id,note\n1,a\n")
    yield from once(world)
    world.upload("orders/a.csv", b"id,note\n2,a\n")
    world.upload("orders/b.csv", b"id,note\n1,b\n")
    world.upload("orders/b.csv", b"id,note\n2,b\n")
    yield from once(world)


def crashing_job(world: World) -> Iterator[Callable[[], Any]]:
    """A job that crashes, then one that does not."""
    world.upload("orders/a.csv", b"id,note\n1,a\n")
    yield from (world.deliver_events, world.deliver_windows, world.crash_jobs, world.deliver_jobs)
    yield from (lambda: world.end_jobs(judge), world.deliver_jobs)


def poisoned(world: World) -> Iterator[Callable[[], Any]]:
    """Five drops that share a job, which one of them kills whenever it is in."""
    world.kills = lambda drop: "poison" in drop.name
    for name in ("1", "2", "bad", "poison", "5"):
        world.upload(f"orders/{name}.csv", b"id,note\n1,a\n")
    yield from once(world)
    for _ in range(8):
        yield from (lambda: world.end_jobs(judge), world.deliver_jobs)


def large(world: World) -> Iterator[Callable[[], Any]]:
    """A drop that is moved and promoted in parts, and its successor."""
    for body in (b"id,note\n1,aaaaaa\n", b"id,note\n2,bbbbbb\n"):
        world.upload("orders/large.csv", body)
        yield world.deliver_events
        yield from [world.reconcile] * 3
        yield from (world.deliver_windows, lambda: world.end_jobs(judge), world.deliver_jobs)
        yield from [world.reconcile] * 3


def replayed(world: World) -> Iterator[Callable[[], Any]]:
    """A drop that is rejected at the door, and judged again under a milder contract."""
    drop = world.upload("orders/a.csv", b"id\n1\n")
    yield world.deliver_events
    milder = replace(world.plans[0].columns, missing="ignore")
    world.publish([replace(world.plans[0], columns=milder)])
    yield lambda: replay(world.ports, drop)
    yield from (world.deliver_windows, lambda: world.end_jobs(judge), world.deliver_jobs)


def accepted_by_a_person(world: World) -> Iterator[Callable[[], Any]]:
    """Drops that are rejected, by the job and at the door, and that a person accepts."""
    bad = world.upload("orders/bad.csv", b"id,note\n,a\n")
    header = world.upload("orders/header.csv", b"ID,note\n1,a\n")
    yield from once(world)
    yield lambda: accept(world.ports, world.drop(bad), "ann", "checked by hand")
    yield lambda: accept(world.ports, world.drop(header), "ann", "checked by hand")


def rejected_by_a_person(world: World) -> Iterator[Callable[[], Any]]:
    """A drop that is promoted, one that replaced another, and one that could not be judged: a person rejects them."""
    first = world.upload("orders/a.csv", b"id,note\n1,a\n")
    world.upload("orders/b.csv", b"id,note\n1,a\n")
    yield from once(world)
    second = world.upload("orders/b.csv", b"id,note\n2,a\n")
    silent = world.upload("orders/silent.csv", b"id,note\n1,a\n")
    yield from once(world)
    for drop in (first, second, silent):
        yield partial(lambda drop: reject(world.ports, world.drop(drop), "ann", "recalled"), drop)
    yield lambda: accept(world.ports, world.drop(first), "ben", "a mistake")


def retracted(world: World) -> Iterator[Callable[[], Any]]:
    """Promoted drops judged again under a sterner contract: refused at the door, rejected, accepted again."""
    names = ("orders/a.csv", "orders/b-later.csv", "orders/c.csv")
    drops = [world.upload(name, b"id,note\n1,a\n") for name in names]
    yield from once(world)
    stern = a_plan(names=("id", "note", "more"), files=("orders/a*.csv",), contract="orders.v2", columns=Columns())
    world.publish([stern, a_plan(files=("orders/b*.csv", "orders/c*.csv"), version="1.0.1")])
    for drop in drops:
        yield partial(lambda drop: world.drop(drop).attempt == 1 and replay(world.ports, drop, retract=True), drop)
    yield from once(world)


def observing(world: World) -> Iterator[Callable[[], Any]]:
    """Drops of a contract that only observes: good, bad, refused at the door, replaced, and one that is not judged."""
    world.publish([replace(world.plans[0], mode="observe")])
    world.upload("orders/good.csv", b"id,note\n1,a\n")
    world.upload("orders/bad.csv", b"id,note\n,a\n")
    world.upload("orders/silent.csv", b"id,note\n1,a\n")
    world.upload("orders/header.csv", b"ID,note\n1,a\n")
    yield from once(world)
    world.upload("orders/header.csv", b"ID,note\n2,a\n")
    yield from once(world)


def reaching(world: World) -> Iterator[Callable[[], Any]]:
    """Drops of a contract that checks only newer records: one reaches further, one as far, one is bad."""
    world.publish([a_marked_plan()])
    world.upload("orders/5.csv", b"id,n\n1,5\n")
    yield from once(world)
    world.upload("orders/bad-9.csv", b"id,n\n,9\n")
    world.upload("orders/7.csv", b"id,n\n1,7\n")
    world.upload("orders/6.csv", b"id,n\n1,6\n")
    yield from once(world)


def rows(world: World) -> Iterator[Callable[[], Any]]:
    """Drops of a contract for valid rows: one has bad rows, one has none, one is replaced by a worse one."""
    world.publish([a_plan(promote="rows", tolerance=Limit(Decimal(1), "rows"))])
    world.upload("orders/bad.csv", b"id,note\n,a\n")
    world.upload("orders/good.csv", b"id,note\n1,a\n")
    world.upload("orders/bad-good.csv", b"id,note\n1,a\n")
    yield from once(world)
    world.upload("orders/bad-good.csv", b"id,note\n2,b\n")
    yield from once(world)


def tables(world: World) -> Iterator[Callable[[], Any]]:
    """Drops whose rows go into a table: with bad rows, without, rejected, replaced once it is in, withdrawn."""
    world.publish([a_plan(promote="table", tolerance=Limit(Decimal(1), "rows"))])
    bad = world.upload("orders/bad.csv", b"id,note\n,a\n")
    world.upload("orders/good.csv", b"id,note\n1,a\n")
    world.upload("orders/header.csv", b"ID,note\n1,a\n")
    yield from once(world)
    world.upload("orders/good.csv", b"id,note\n2,b\n")
    yield from once(world)
    yield lambda: reject(world.ports, world.drop(bad), "ann", "recalled")
    yield lambda: accept(world.ports, world.drop(bad), "ben", "a table takes none as it came")


def windows(world: World) -> Iterator[Callable[[], Any]]:
    """Windows of files end: one contract's file has come, another's comes too late, a third's never."""
    each = {name: a_plan(f"{name}.v1", (f"{name}/*.csv",), arrival=Arrival("13:00")) for name in ("orders", *ABSENT)}
    world.publish(each.values())
    world.upload("orders/a.csv", b"id,note\n1,a\n")
    yield world.reconcile
    yield from once(world)
    yield partial(hours, world, 2)
    world.upload("late/a.csv", b"id,note\n1,a\n")
    yield from once(world)
    yield world.reconcile
    yield partial(hours, world, 12)


def marked(world: World) -> Iterator[Callable[[], Any]]:
    """Files that wait for a marker, one of a set whose marker never comes, and one that comes after it."""
    rule = SetRule(("day",), 3600, marker="orders/{day}/_SUCCESS")
    world.publish([a_plan(files=("orders/{day}/*.csv",), set=rule)])
    for name in ("1/a.csv", "1/bad.csv", "2/a.csv"):
        world.upload(f"orders/{name}", b"id,note\n1,a\n")
    yield world.deliver_events
    world.upload("orders/1/_SUCCESS", b"")
    yield from once(world)
    world.upload("orders/1/late.csv", b"id,note\n1,a\n")
    yield from once(world)
    yield partial(hours, world, 2)


def listed(world: World) -> Iterator[Callable[[], Any]]:
    """Files that a manifest names, one of them of another size, and a file that it does not name."""
    rule = SetRule(("day",), 3600, manifest="orders/{day}/all.json")
    world.publish([a_plan(files=("orders/{day}/*.csv",), set=rule)])
    for name in ("a", "b", "c"):
        world.upload(f"orders/1/{name}.csv", b"id,note\n1,a\n")
    files = [{"name": "a.csv", "bytes": 12}, {"name": "b.csv", "bytes": 13}, {"name": "d.csv"}]
    world.upload("orders/1/all.json", json.dumps({"files": files}).encode())
    yield world.deliver_events
    world.upload("orders/1/d.csv", b"id,note\n1,a\n")
    yield from once(world)
    yield world.reconcile


def counted(world: World) -> Iterator[Callable[[], Any]]:
    """Three files that are a set, of which one comes twice; another set lacks one."""
    rule = SetRule(("day",), 3600, parts=3)
    world.publish([a_plan(files=("orders/{day}/*.csv",), set=rule)])
    for name in ("1/a", "1/b", "1/b", "2/a", "2/b", "1/c"):
        world.upload(f"orders/{name}.csv", b"id,note\n1,%d\n" % world.versions)
    yield from once(world)
    yield partial(hours, world, 2)


OF_SETS = [marked, listed, counted]
ABSENT = ("late", "never")


def hours(world: World, number: int) -> None:
    """Let time pass, and the schedule come."""
    world.clock.pass_seconds(number * 3600)
    world.reconcile()


def once(world: World) -> Iterator[Callable[[], Any]]:
    """Each event delivered once."""
    yield from (world.deliver_events, world.deliver_windows, lambda: world.end_jobs(judge), world.deliver_jobs)


def tried(world: World) -> Iterator[Callable[[], Any]]:
    """Trials of each ending, of keys that are sent as well."""
    for folder in ("", keys.TRIAL):
        world.upload(f"{folder}orders/good.csv", b"id,note\n1,a\n")
        world.upload(f"{folder}orders/bad.csv", b"id,note\n,a\n")
    world.upload(f"{keys.TRIAL}orders/silent.csv", b"id,note\n1,a\n")
    world.upload(f"{keys.TRIAL}orders/header.csv", b"ID,note\n1,a\n")
    world.upload(f"{keys.TRIAL}order/typo.csv", b"id,note\n1,a\n")
    yield from once(world)


OF_PEOPLE = [accepted_by_a_person, rejected_by_a_person, retracted]
WAYS = pytest.mark.parametrize(
    "way",
    [
        every_kind,
        replaced,
        crashing_job,
        poisoned,
        large,
        replayed,
        observing,
        reaching,
        rows,
        tables,
        windows,
        tried,
        *OF_SETS,
        *OF_PEOPLE,
    ],
    ids=lambda w: w.__name__,
)


def small_world() -> World:
    """A world in which one copy moves 15 bytes, and the files of most ways have fewer."""
    world = a_world()
    world.ports = replace(world.ports, largest_copy=15)
    return world


def walk(way: Way, fuse: Fuse, world: World | None = None) -> World:
    """Go one way under a fuse, then deliver all of it again, as queues and schedule do."""
    world = world or small_world()
    plain, watch = world.ports, Watch(world)
    world.with_ports(lambda port: Watched(port, fuse))
    for step in way(world):
        try:
            step()
        except (Crash, DropgateError):
            watch.look()
            again(world)
            step()
        watch.look()
    fuse.at, world.ports = NEVER, plain
    world.deliver_events(again=True)
    world.finish(judge)
    watch.look_at_the_end()
    return world


def again(world: World) -> None:
    """Deliver as queues and schedule do after a crash; jobs end when they end."""
    world.deliver_events(again=True)
    world.reconcile()
    world.deliver_windows()


def somebody_else(world: World, plain: Ports) -> None:
    """Another process that is given all that there is to do, and does it."""
    mine, world.ports = world.ports, plain
    world.deliver_events(again=True)
    world.finish(judge, rounds=1)
    world.ports = mine


OF_TIME = frozenset({"batch", "begun_at", "decided_at", "message", "received_at", "uploaded_at"})
"""The fields of results that have times, in words too, and the batch, whose id is made of its drops and the time."""
MINUTE = re.compile(r"/\d{8}T\d{4}/")
"""Of a staged drop: when it was received, which what happens before its record is written delays."""


@dataclass
class End:
    """The end as people see it."""

    drops: dict[str, list[Any]] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    receipts: list[str] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    tables: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    absences: list[tuple[str, str, str, int]] = field(default_factory=list)


def ending(world: World) -> End:
    """Return the end of a world: drops with their states, promoted, held, staged and left objects, receipts, marks."""
    objects = world.store.listing("s3://")
    work = ("internal/jobs/", "internal/reports/")
    drops = sorted(world.drops().values(), key=lambda d: d.sequencer)
    return End(
        drops={
            f"{d.name} {d.version_id}": [d.attempt, d.verdict, [p.code for p in d.problems], *way_of(world, d)]
            for d in drops
        },
        objects={MINUTE.sub("/", uri): lasting(uri, body) for uri, body in objects.items() if not uri.startswith(work)},
        receipts=[uri for uri in objects if uri.startswith("internal/reports/")],
        tables=world.tables.rows,
        marks=[int(mark.value) for mark in world.ledger.watermarks("orders.v1").marks],
        absences=[
            (a.contract, a.day, a.state, a.version)
            for name in ABSENT
            for a in world.ledger.absences(f"{name}.v1", "2026-01")
        ],
    )


def lasting(uri: str, body: bytes) -> bytes:
    """Return the bytes of an object; of results its lines without times and batches, which a crash changes."""
    if not uri.startswith("internal/results/"):
        return body
    lines = map(json.loads, gzip.decompress(body).splitlines())
    return json.dumps([{k: value for k, value in line.items() if k not in OF_TIME} for line in lines]).encode()


def way_of(world: World, drop: Drop) -> list[str]:
    """The states of a drop; one that a newer upload overtakes may or may not have been in a batch by then."""
    states = world.states(drop.id)
    return [s for s in states if s != "validating"] if drop.state == "superseded" else states


def test_undisturbed_every_drop_ends_as_it_should() -> None:
    ends = {name: end[-1] for name, end in ending(walk(every_kind, Fuse())).drops.items()}

    assert ends == {
        "orders/good.csv v1": "accepted",
        "orders/bad.csv v2": "rejected",
        "orders/silent.csv v3": "failed",
        "orders/header.csv v4": "rejected",
        "order/typo.csv v5": "unmatched",
    }


def test_undisturbed_trials_end_tried_and_drops_as_without_them() -> None:
    ends = {name: (end[1], end[-1]) for name, end in ending(walk(tried, Fuse())).drops.items()}

    assert ends == {
        "orders/good.csv v1": ("accepted", "accepted"),
        "orders/bad.csv v2": ("rejected", "rejected"),
        "orders/good.csv v3": ("accepted", "tried"),
        "orders/bad.csv v4": ("rejected", "tried"),
        "orders/silent.csv v5": (None, "failed"),
        "orders/header.csv v6": ("rejected", "tried"),
        "order/typo.csv v7": (None, "tried"),
    }


def test_undisturbed_the_newest_upload_is_promoted() -> None:
    end = ending(walk(replaced, Fuse()))

    assert [d[-1] for d in end.drops.values()] == ["accepted"] * 4
    assert end.objects["promoted/orders.v1/orders/a.csv"] == b"id,note\n2,a\n"
    assert end.objects["promoted/orders.v1/orders/b.csv"] == b"id,note\n2,b\n"


def test_undisturbed_other_ways_end_in_acceptance() -> None:
    assert [d[-1] for d in ending(walk(crashing_job, Fuse())).drops.values()] == ["accepted"]
    assert [d[-1] for d in ending(walk(replayed, Fuse())).drops.values()] == ["accepted"]


def test_undisturbed_the_one_that_kills_its_job_fails_alone() -> None:
    end = ending(walk(poisoned, Fuse()))

    assert [d[-1] for d in end.drops.values()] == ["accepted", "accepted", "rejected", "failed", "accepted"]
    assert end.drops["orders/poison.csv v4"][2] == ["job-killed"]
    assert not [uri for uri in end.objects if uri.startswith("internal/evidence/")]


def test_undisturbed_what_people_decide_is_done() -> None:
    accepted, rejected, back = (ending(walk(way, Fuse())) for way in OF_PEOPLE)

    assert [d[-1] for d in accepted.drops.values()] == ["accepted_with_warnings"] * 2
    assert set(promoted(accepted)) == {f"promoted/orders.v1/orders/{name}.csv" for name in ("bad", "header")}
    assert [d[-1] for d in rejected.drops.values()] == ["accepted_with_warnings", "accepted", "rejected", "rejected"]
    assert set(promoted(rejected)) == {"promoted/orders.v1/orders/a.csv"}
    assert [d[-1] for d in back.drops.values()] == ["rejected", "rejected", "accepted"]
    assert set(promoted(back)) == {"promoted/orders.v1/orders/c.csv"}


def test_undisturbed_the_large_file_is_whole() -> None:
    end = ending(walk(large, Fuse()))

    assert [d[-1] for d in end.drops.values()] == ["accepted", "accepted"]
    assert end.objects["promoted/orders.v1/orders/large.csv"] == b"id,note\n2,bbbbbb\n"


def test_undisturbed_the_mark_goes_as_far_as_what_is_accepted() -> None:
    end = ending(walk(reaching, Fuse()))

    assert [d[-1] for d in end.drops.values()] == ["accepted", "rejected", "accepted", "accepted"]
    assert end.marks == [7]


def test_undisturbed_sets_go_on_whole_or_not_at_all() -> None:
    ends = [{key: way[-1] for key, way in ending(walk(way, Fuse())).drops.items()} for way in OF_SETS]
    good = "accepted"

    assert list(ends[0].values()) == [good, "rejected", "rejected", "noted", good]
    assert list(ends[1].values()) == [good, "rejected", "rejected", "noted", good]
    assert list(ends[2].values()) == [good, good, good, "rejected", "rejected", good]


def test_undisturbed_what_is_missing_is_told_once() -> None:
    end = ending(walk(windows, Fuse()))

    assert [d[-1] for d in end.drops.values()] == ["accepted", "accepted_with_warnings"]
    assert end.absences == [("late.v1", "2026-01-31", "arrived", 2), ("never.v1", "2026-01-31", "missing", 1)]


def test_undisturbed_rows_are_promoted_without_the_rejected() -> None:
    end = ending(walk(rows, Fuse()))

    assert [d[-1] for d in end.drops.values()] == [
        "accepted_with_warnings",
        "accepted",
        *["accepted_with_warnings"] * 2,
    ]
    newest = keys.drop_id("landing", "orders/bad-good.csv", "v4")
    assert promoted(end)["promoted/orders.v1/orders/bad-good.csv"] == valid_rows(newest)
    assert promoted(end)["promoted/orders.v1/orders/good.csv"] == b"id,note\n1,a\n"


def test_undisturbed_valid_rows_are_in_the_table() -> None:
    end = ending(walk(tables, Fuse()))

    assert [d[-1] for d in end.drops.values()] == ["rejected", "accepted", "rejected", "accepted"]
    assert end.tables == {
        "s3://promoted/orders.v1/": {keys.drop_id("landing", "orders/good.csv", "v4"): (1, 3)},
    }


@WAYS
@SIDES
def test_a_crash_anywhere_changes_nothing(way: Way, after: bool) -> None:
    whole = Fuse()
    end = ending(walk(way, whole))
    for at in range(1, whole.calls + 1):
        assert ending(walk(way, Fuse(at, after))) == end, f"call {at}"


@pytest.mark.parametrize(
    "way",
    [every_kind, poisoned, large, replayed, observing, reaching, rows, tables, windows, tried, *OF_SETS, *OF_PEOPLE],
    ids=lambda w: w.__name__,
)
@SIDES
def test_somebody_faster_changes_nothing(way: Way, after: bool) -> None:
    whole = Fuse()
    end = ending(walk(way, whole))
    for at in range(1, whole.calls + 1):
        world = small_world()
        fuse = Fuse(at, after, partial(somebody_else, world, world.ports))
        assert ending(walk(way, fuse, world)) == end, f"call {at}"


def test_somebody_faster_never_promotes_the_older() -> None:
    whole = Fuse()
    end = ending(walk(replaced, whole))
    for at in range(1, whole.calls + 1):
        world = small_world()
        fuse = Fuse(at, False, partial(somebody_else, world, world.ports))
        now = ending(walk(replaced, fuse, world))
        assert promoted(now) == promoted(end), f"call {at}"


def promoted(end: End) -> dict[str, bytes]:
    return {uri: body for uri, body in end.objects.items() if uri.startswith("promoted/")}
