"""Each difference of buckets, ledger and catalog is found with its repair; a repair leaves none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from contracts import codec
from contracts.catalog import Pointer
from contracts.errors import (
    DestinationTaken,
    DocumentInvalid,
    ObjectGone,
    ObjectReplaced,
    ServiceUnavailable,
    StaleWrite,
)
from contracts.plan import Limit
from functions import keys
from functions.catalog import Published
from functions.doctor.compare import differences, of_record
from functions.doctor.difference import Difference
from functions.drop import Drop, Event, Location, Transition
from functions.operations.erase import forget
from functions.operations.override import accept, reject
from functions.operations.replay import again, replay
from functions.ports import Ports
from functions.ports.store import CopyTag
from functions.records.record import record
from functions.schedule.stuck import HELD, stuck
from tests.builders import ZONES, World, a_plan, a_world, one_bad, publish, valid_rows
from tests.faults import Crash, Passing, Stalled, Watched, crash, every_call, into
from tests.unit.functions.flow.test_crashes import SIDES

GOOD, NEWER = b"id,note\n1,a\n", b"id,note\n2,a\n"
TARGET = f"{ZONES.promoted}orders.v1/orders/1.csv"


def healthy(*uploads: bytes) -> tuple[World, str]:
    """A world at rest in which nothing differs; the last drop of `orders/1.csv`."""
    world, drop_id = a_world(), ""
    for body in uploads or (GOOD,):
        drop_id = world.upload("orders/1.csv", body)
        world.finish()
    world.upload("orders/refused.csv", b"ID\n1\n")
    world.upload("elsewhere/1.csv", GOOD)
    world.finish()
    world.clock.pass_seconds(3600)
    assert all_differences(world) == []
    return world, drop_id


def all_differences(world: World) -> list[Difference]:
    return list(looked_at(world))


def looked_at(world: World) -> Iterator[Difference]:
    return differences(world.ports, ("orders.v1", None), ["2026-01"])


Breach = Callable[[World, str], None]


def unknown(world: World, _: str) -> None:
    world.upload("orders/2.csv", GOOD)
    world.events.clear()
    world.clock.pass_seconds(3600)


def left_in_landing(world: World, drop_id: str) -> None:
    drop = world.drop(drop_id)
    world.store.upload(Location(f"{ZONES.landing}{drop.key}", drop.version_id), GOOD, "2026")


def staged_without_drop(world: World, _: str) -> None:
    world.store.put(f"{ZONES.stage}orders.v1/20260101T0000/{'x' * 32}/1.csv", GOOD, "")


def of_a_stranger(world: World, _: str) -> None:
    world.store.put(f"{ZONES.promoted}orders.v1/other.csv", GOOD, "")


def of_no_record(world: World, _: str) -> None:
    world.store.copy(Location(TARGET), f"{ZONES.promoted}orders.v1/other.csv", CopyTag("n" * 32, 1))


def of_a_rejected(world: World, _: str) -> None:
    rejected = next(d for d in world.drops().values() if d.state == "rejected")
    world.store.copy(Location(TARGET), f"{ZONES.promoted}orders.v1/bad.csv", CopyTag(rejected.id, 1))


def removed(world: World, _: str) -> None:
    del world.store.objects[TARGET]


def removed_everywhere(world: World, drop_id: str) -> None:
    del world.store.objects[TARGET]
    del world.store.objects[world.drop(drop_id).source.uri]


def overwritten(world: World, _: str) -> None:
    world.store.put(TARGET, NEWER, "")


def with_another_etag(world: World, drop_id: str) -> None:
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/1.csv", "orders.v1"))
    world.ledger.write((), replace(key, etag="of former days"))
    assert key.promoted == drop_id


def held(world: World, _: str) -> None:
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/1.csv", "orders.v1"))
    world.ledger.write((), replace(key, promoting="n" * 32))


def without_receipt(world: World, drop_id: str) -> None:
    del world.store.objects[world.drop(drop_id).receipt or ""]


def without_evidence(world: World, _: str) -> None:
    world.upload("orders/bad.csv", GOOD)
    world.finish(one_bad)  # the double writes no rows


def without_plan(world: World, _: str) -> None:
    world.publish([a_plan(version="1.0.1")])
    del world.store.objects[f"{ZONES.catalog}plans/{a_plan(version='1.0.1').sha}.json"]


def pointer_set_back(world: World, _: str) -> None:
    publish(world.store, ZONES.catalog, world.plans, "2025-12-31T12:00:00+00:00")


SAFE: list[tuple[Breach, str]] = [
    (unknown, "unknown-upload"),
    (left_in_landing, "left-in-landing"),
    (of_a_rejected, "promoted-without-record"),
    (removed, "promoted-missing"),
    (with_another_etag, "key-etag"),
    (held, "key-held"),
    (without_receipt, "receipt-missing"),
]
FOR_PEOPLE: list[tuple[Breach, str]] = [
    (staged_without_drop, "staged-without-drop"),
    (of_a_stranger, "promoted-without-record"),
    (of_no_record, "promoted-without-record"),
    (removed_everywhere, "promoted-missing"),
    (without_evidence, "evidence-missing"),
    (without_plan, "catalog"),
    (pointer_set_back, "catalog"),
]


def test_promoted_file_that_was_overwritten_is_found_from_both_ends() -> None:
    world, drop_id = healthy()
    overwritten(world, drop_id)

    assert [(one.kind, one.repair) for one in all_differences(world)] == [
        ("promoted-without-record", None),
        ("promoted-taken", None),
    ]


@pytest.mark.parametrize("end", ["gone", "matched_nothing", "noted"])
def test_file_whose_drop_settled_before_it_took_it_back_is_withdrawn(end: Event) -> None:
    world, drop_id = healthy()
    begun = again(world.ports, world.drop(drop_id), retract=True)
    assert isinstance(begun, Transition)
    world.ledger.write((begun,))
    assert record(world.ports, begun.drop, end).retracts
    world.clock.pass_seconds(3600)
    (one,) = all_differences(world)
    assert (one.kind, one.where, one.repair is not None) == ("promoted-without-record", TARGET, True)

    repair(world)
    assert (all_differences(world), TARGET in world.store.objects) == ([], False)
    newer = world.upload("orders/1.csv", NEWER)
    world.finish()
    assert (world.drop(newer).state, world.store.get(TARGET)) == ("accepted", NEWER)


def test_upload_whose_record_cannot_be_read_is_not_called_unknown() -> None:
    world, drop_id = healthy()
    left_in_landing(world, drop_id)
    world.ledger.unreadable.add(drop_id)

    assert {one.kind for one in differences(world.ports, (), ())} == {"record-unreadable"}


@pytest.mark.parametrize("lies", [True, False], ids=["after it lay there", "before"])
def test_key_that_a_repair_held_when_it_died_stops_no_newer_upload(lies: bool) -> None:
    world, drop_id = healthy()
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/1.csv", "orders.v1"))
    world.ledger.write((), replace(key, promoting=drop_id))
    if not lies:
        removed(world, drop_id)
    newer = world.upload("orders/1.csv", NEWER)
    world.finish()
    waits = {one.id: one.do for one in stuck(world.ports, timedelta())}
    assert (world.drop(newer).state, waits[newer]) == ("validating", HELD)

    world.clock.pass_seconds(3600)
    world.finish()
    assert (world.drop(newer).state, world.store.get(TARGET)) == ("accepted", NEWER)


def test_file_beside_a_table_is_withdrawn_by_nobody() -> None:
    world, drop_id = healthy()
    world.publish([a_plan(promote="table")])
    newer = world.upload("orders/1.csv", NEWER)
    world.finish()
    world.store.put(f"{ZONES.promoted}orders.v1/_delta_log/00000000000000000000.json", b"{}", "")
    reject(world.ports, world.drop(newer), "ann", "recalled")
    world.finish()
    world.clock.pass_seconds(3600)

    assert [(one.kind, one.repair) for one in all_differences(world) if drop_id in one.where] == [
        ("promoted-left", None)
    ]


def test_record_that_cannot_be_read_hides_no_other() -> None:
    world, unread = healthy()
    other = world.upload("orders/2.csv", GOOD)
    world.finish()
    without_receipt(world, other)
    world.clock.pass_seconds(3600)
    world.ledger.unreadable.add(unread)
    kinds = {(one.where, one.kind, one.repair is not None) for one in all_differences(world)}

    assert (f"drop {other}", "receipt-missing", True) in kinds
    assert (f"item D#{unread}", "record-unreadable", False) in kinds


class Unread(Passing):
    """A ledger of which the history of one drop cannot be read."""

    def __init__(self, ledger: Any, drop: str) -> None:
        super().__init__(ledger)
        self._drop = drop

    def history(self, drop_id: str) -> Any:
        if drop_id == self._drop:
            raise DocumentInvalid(f"ledger item D#{drop_id}: what is this?")
        return self._port.history(drop_id)


def test_receipt_of_an_unmatched_upload_is_written_again() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.txt", GOOD)
    world.finish()
    receipt = world.drop(drop_id).receipt or ""
    before = world.store.get(receipt)
    without_receipt(world, drop_id)
    world.clock.pass_seconds(3600)
    (difference,) = all_differences(world)
    assert (difference.kind, difference.repair is not None) == ("receipt-missing", True)
    assert difference.repair
    difference.repair()

    assert world.store.get(receipt) == before
    assert all_differences(world) == []


def test_routes_that_cannot_be_read_are_a_difference() -> None:
    world, _ = healthy()
    at = f"{ZONES.catalog}current.json"
    pointer = replace(codec.loads(Pointer, world.store.get(at), at), routes="0" * 64)
    world.store.put(at, codec.canonical(pointer).encode(), "application/json")
    assert [(one.kind, one.where) for one in all_differences(world)] == [("catalog", at)]


def test_history_that_cannot_be_read_hides_no_other_drop() -> None:
    world, unread = healthy()
    other = world.upload("orders/2.csv", GOOD)
    world.finish()
    without_receipt(world, other)
    world.clock.pass_seconds(3600)
    world.ports = replace(world.ports, ledger=Unread(world.ledger, unread))

    kinds = {(one.where, one.kind) for one in all_differences(world)}

    assert (f"drop {other}", "receipt-missing") in kinds
    assert [kind for where, kind in kinds if unread in where] == ["record-unreadable"]


def name(one: object) -> str:
    return getattr(one, "__name__", str(one))


@pytest.mark.parametrize(("breach", "kind"), [*SAFE, *FOR_PEOPLE], ids=name)
def test_difference_is_found(breach: Breach, kind: str) -> None:
    world, drop_id = healthy()
    breach(world, drop_id)
    (one,) = all_differences(world)

    assert (one.kind, one.repair is not None) == (kind, (breach, kind) in SAFE)
    assert one.where
    assert one.finding
    assert one.do


@pytest.mark.parametrize("breach", [breach for breach, _ in SAFE], ids=name)
@SIDES
def test_repair_broken_off_anywhere_is_done_by_the_next(breach: Breach, after: bool) -> None:
    for fuse in every_call(after):
        world, drop_id = healthy(NEWER, GOOD)
        before = world.store.listing(ZONES.promoted)
        breach(world, drop_id)
        plain = world.ports
        world.with_ports(lambda port, fuse=fuse: Watched(port, fuse))  # type: ignore[misc]
        try:
            repair(world)
        except Crash:
            world.ports = plain
            repair(world)
        world.ports = plain
        world.finish()
        world.clock.pass_seconds(3600)
        assert all_differences(world) == [], fuse.at
        assert world.store.listing(ZONES.promoted).items() >= before.items()


def repair(world: World) -> None:
    for one in looked_at(world):  # each before the next is looked for, as the command does
        if one.repair:
            one.repair()


def test_what_is_under_way_is_left_alone() -> None:
    world = a_world()
    world.upload("orders/1.csv", GOOD)
    assert all_differences(world) == []
    world.deliver_events()
    world.deliver_windows()

    assert all_differences(world) == []


def test_batch_whose_run_is_over_is_left_to_the_schedule() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()
    world.clock.pass_seconds(3600)
    (one,) = all_differences(world)
    assert (one.kind, one.repair) == ("batch-without-run", None)

    world.reconcile()
    assert world.drop(drop_id).state == "accepted"
    assert "batch-without-run" not in {one.kind for one in all_differences(world)}


def test_batch_that_was_never_started_is_started_by_the_schedule_alone() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    plain, world.jobs.start = world.jobs.start, lambda *_: (_ for _ in ()).throw(Crash())  # type: ignore[method-assign]
    with pytest.raises(Crash):
        world.deliver_windows()
    world.jobs.start = plain  # type: ignore[method-assign]
    world.clock.pass_seconds(3600)
    assert [(one.kind, one.repair) for one in all_differences(world)] == [("batch-without-run", None)]

    world.reconcile()
    assert (world.drop(drop_id).state, world.jobs.working()) == ("validating", ["run-1"])


def test_staged_bytes_that_are_gone_are_told() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    del world.store.objects[world.drop(drop_id).source.uri]
    world.clock.pass_seconds(3600)

    assert [(one.kind, one.repair) for one in all_differences(world)] == [("bytes-missing", None)]


def taken_back(world: World) -> Drop:
    former = next(d for d in world.drops().values() if d.state == "accepted")
    reject(world.ports, former, "anna", "sent by mistake")
    return former


def let_in(world: World) -> Drop:
    former = next(d for d in world.drops().values() if d.state == "rejected")
    accept(world.ports, former, "anna", "the header is known")
    return former


@pytest.mark.parametrize("after", [taken_back, let_in], ids=name)
def test_former_record_is_named_and_nothing_rests_on_it(after: Callable[[World], Drop]) -> None:
    world, _ = healthy()
    former = after(world)
    newest, seen = world.drop(former.id), world.store.listing(ZONES.promoted)
    world.ledger._drops[former.id] = former
    world.clock.pass_seconds(3600)
    repair(world)

    assert world.store.listing(ZONES.promoted) == seen
    (one,) = (one for one in all_differences(world) if one.kind == "stale-record")
    assert (one.where, one.repair) == (f"drop {former.id}", None)
    assert f"ends with {newest.state} at attempt 2" in one.finding
    world.ledger._drops[former.id] = newest
    assert all_differences(world) == []


def promoted_rows() -> tuple[World, str]:
    """A drop whose valid rows consumers had, until somebody deleted them."""
    world = a_world([a_plan(promote="rows", tolerance=Limit(Decimal(1), "rows"))])
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish(one_bad)
    assert world.store.get(TARGET) == valid_rows(drop_id)
    removed(world, drop_id)
    world.clock.pass_seconds(3600)
    return world, drop_id


@pytest.mark.parametrize("largest", [8, 1000], ids=["in parts", "at once"])
def test_valid_rows_alone_are_put_back(largest: int) -> None:
    world, drop_id = promoted_rows()
    world.ports = replace(world.ports, largest_copy=largest)
    world.store.largest_copy = largest
    repair(world)

    assert world.store.get(TARGET) == valid_rows(drop_id)
    assert [one.kind for one in all_differences(world)] == ["evidence-missing"]


def test_valid_rows_that_are_gone_are_not_put_back() -> None:
    world, drop_id = promoted_rows()
    rows = world.drop(drop_id).promoted
    assert rows
    assert rows.rows
    del world.store.objects[rows.rows.uri]
    one = next(one for one in all_differences(world) if one.kind == "promoted-missing")

    assert one.repair is None
    assert "replay" in one.do


def taken_meanwhile(world: World, _: str) -> None:
    overwritten(world, "")


def gone_meanwhile(world: World, uri: str) -> None:
    del world.store.objects[uri]


def replaced_meanwhile(world: World, uri: str) -> None:
    world.store.put(uri, NEWER, "")


def staged_only() -> tuple[World, str]:
    world, drop_id = healthy()
    removed(world, drop_id)
    return world, drop_id


@pytest.mark.parametrize(
    ("lacking", "meanwhile", "error", "do"),
    [
        (staged_only, taken_meanwhile, DestinationTaken, "find out who put it there"),
        (staged_only, gone_meanwhile, ObjectGone, "restore an earlier version, or have the file sent again"),
        (promoted_rows, gone_meanwhile, ObjectGone, "`dropgate replay [a-z0-9]+ --retract`"),
        (staged_only, replaced_meanwhile, ObjectReplaced, "restore an earlier version, or have the file sent again"),
        (promoted_rows, replaced_meanwhile, ObjectReplaced, "`dropgate replay [a-z0-9]+ --retract`"),
    ],
    ids=name,
)
def test_repair_that_comes_too_late_says_what_to_do(
    lacking: Callable[[], tuple[World, str]], meanwhile: Breach, error: type[Exception], do: str
) -> None:
    world, drop_id = lacking()
    one = next(one for one in all_differences(world) if one.kind == "promoted-missing")
    drop = world.drop(drop_id)
    lies = (drop.promoted and drop.promoted.rows) or drop.source
    meanwhile(world, lies.uri)
    assert one.repair
    with pytest.raises(error, match=f"s3://.*: {do}$"):
        one.repair()


def promoted(world: World) -> None:
    world.finish()


def observing(world: World) -> None:
    world.publish([a_plan(mode="observe")])
    world.finish(one_bad)


def rejected(world: World) -> None:
    world.finish(one_bad)


def given_up(world: World) -> None:
    world.kills = lambda _: True
    world.finish(rounds=12)


def withdrawn(world: World) -> None:
    world.finish()
    (drop,) = world.drops().values()
    reject(world.ports, drop, "ann", "recalled")


def rejected_after_a_failed_retraction(world: World) -> None:
    world.finish()
    (drop_id,) = world.drops()
    replay(world.ports, drop_id, retract=True)
    world.finish(lambda *_: None)
    replay(world.ports, drop_id)
    world.finish(one_bad)


def rejected_twice(world: World) -> None:
    withdrawn(world)
    (drop_id,) = world.drops()
    replay(world.ports, drop_id)
    world.finish(one_bad)


@pytest.mark.parametrize(
    "end",
    [promoted, observing, rejected, given_up, withdrawn, rejected_after_a_failed_retraction, rejected_twice],
    ids=name,
)
def test_receipt_written_again_says_the_same(end: Callable[[World], None]) -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    end(world)
    world.clock.pass_seconds(3600)
    uri = world.drop(drop_id).receipt or ""
    before = json.loads(world.store.get(uri))
    del world.store.objects[uri]
    repair(world)
    again = json.loads(world.store.get(uri))

    assert {key for key in before if before[key] != again[key]} <= {"checks"}


def test_file_withdrawn_during_its_repair_stays_withdrawn() -> None:
    world, drop_id = healthy()
    removed(world, drop_id)
    plain = world.ports

    def others() -> None:
        world.ports = plain
        reject(world.ports, world.drop(drop_id), "ann", "recalled")

    world.ports = replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted)))
    with pytest.raises(StaleWrite):
        repair(world)

    assert world.store.listing(ZONES.promoted) == {}


def about_to_be_replaced() -> tuple[World, str]:
    """A drop that is not there, whose ETag will be another than before, and a newer one, judged; the newer one."""
    world, drop_id = healthy()
    removed(world, drop_id)
    with_another_etag(world, drop_id)
    newer = world.upload("orders/1.csv", NEWER)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()
    return world, newer


def stops_before_its_copy(world: World, plain: Ports) -> None:
    """Let a worker take the key for what was judged, and die."""
    world.ports = replace(plain, store=Stalled(plain.store, "copy", crash, into(ZONES.promoted)))
    with suppress(Crash):
        world.deliver_jobs()
    world.ports = plain


def missing(ports: Ports, *, looks: str = "promoted-missing") -> Difference:
    return next(one for one in differences(ports, ("orders.v1",), ["2026-01"]) if one.kind == looks)


def test_file_that_is_being_replaced_is_not_put_back() -> None:
    world, newer = about_to_be_replaced()
    stops_before_its_copy(world, world.ports)
    assert world.drop(newer).state == "promoting"
    repair(world)
    world.finish()

    assert (world.drop(newer).state, world.store.get(TARGET)) == ("accepted", NEWER)


def test_newer_upload_waits_while_a_file_is_put_back() -> None:
    world, newer = about_to_be_replaced()
    plain = world.ports
    slow = Stalled(plain.store, "copy", lambda: stops_before_its_copy(world, plain), into(ZONES.promoted))
    one = missing(replace(plain, store=slow))
    assert one.repair
    one.repair()
    assert (world.drop(newer).state, world.store.get(TARGET)) == ("validating", GOOD)

    world.finish()
    assert (world.drop(newer).state, world.store.get(TARGET)) == ("accepted", NEWER)


def test_file_put_back_while_its_key_was_freed_makes_way_for_a_newer_one() -> None:
    world, newer = about_to_be_replaced()
    plain = world.ports

    def others() -> None:
        free = missing(plain, looks="key-held").repair
        assert free
        free()
        stops_before_its_copy(world, plain)

    one = missing(replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted))))
    assert one.repair
    with pytest.raises(StaleWrite, match="replaced it"):
        one.repair()
    assert world.drop(newer).state == "promoting"

    world.finish()
    assert (world.drop(newer).state, world.store.get(TARGET)) == ("accepted", NEWER)


def test_file_put_back_while_its_drop_moves_elsewhere_is_taken_away() -> None:
    world, drop_id = healthy()
    removed(world, drop_id)
    plain = world.ports

    def others() -> None:
        world.ports = plain
        world.publish([a_plan(same_key="version")])
        replay(plain, drop_id, retract=True)
        world.reconcile()
        world.deliver_windows()
        runs = world.end_jobs()
        slow = Stalled(plain.ledger, "write", crash, lambda moves, *beside: not moves and beside[0].promoted is None)
        world.ports = replace(plain, ledger=slow)
        with pytest.raises(Crash):
            world.deliver_jobs(runs)
        world.ports = plain

    one = missing(replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted))))
    assert one.repair
    with pytest.raises(StaleWrite):
        one.repair()
    assert "orders.v1/orders/1.csv" not in world.store.listing(ZONES.promoted)

    world.finish()
    assert (world.drop(drop_id).state, list(world.store.listing(ZONES.promoted).values())) == ("accepted", [GOOD])


def test_file_put_back_by_two_at_once_is_noted() -> None:
    world, drop_id = healthy()
    removed(world, drop_id)
    with_another_etag(world, drop_id)
    plain = world.ports

    def others() -> None:
        free = missing(plain, looks="key-held").repair
        assert free
        free()

    one = missing(replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted))))
    assert one.repair
    one.repair()

    assert all_differences(world) == []


def back_again() -> tuple[World, str]:
    """A file that a late worker copies after a newer one, which had replaced it, was withdrawn; its drop."""
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs()
    plain = world.ports

    def others() -> None:
        world.ports = plain
        world.finish()
        newer = world.upload("orders/1.csv", NEWER)
        world.finish()
        reject(plain, world.drop(newer), "ann", "recalled")
        assert world.store.listing(ZONES.promoted) == {}

    world.ports = replace(plain, store=Stalled(plain.store, "copy", others, into(ZONES.promoted), Crash()))
    with pytest.raises(Crash):
        world.deliver_jobs()
    world.ports = plain
    world.clock.pass_seconds(3600)
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}
    return world, drop_id


@SIDES
def test_file_that_came_back_after_a_withdrawal_is_withdrawn(after: bool) -> None:
    for fuse in every_call(after):
        world, drop_id = back_again()
        (left,) = all_differences(world)
        assert (left.kind, drop_id in left.where) == ("promoted-left", True)
        plain = world.ports
        world.with_ports(lambda port, fuse=fuse: Watched(port, fuse))  # type: ignore[misc]
        with suppress(Crash):
            repair(world)
        world.ports = plain
        repair(world)

        assert world.store.listing(ZONES.promoted) == {}, fuse.at
        assert all_differences(world) == []


def test_file_that_came_back_and_is_accepted_again_stays() -> None:
    world, drop_id = back_again()
    left = missing(world.ports, looks="promoted-left")
    repair(world)
    replay(world.ports, drop_id, retract=True)
    world.finish()
    assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("accepted", 2)
    assert left.repair
    left.repair()

    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}


def half_accepted() -> tuple[World, Drop, Callable[[], object]]:
    """A rejected drop as it was read, and what lets a person accept it, while its copy does not come to its end."""
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish(one_bad)
    world.clock.pass_seconds(3600)
    read, plain = world.drop(drop_id), world.ports
    busy = Stalled(plain.store, "copy", lambda: None, into(ZONES.promoted), ServiceUnavailable("503 Slow Down"))
    return world, read, lambda: accept(replace(plain, store=busy), read, "ann", "good enough")


def test_key_of_a_drop_that_is_promoted_meanwhile_stays_its_own() -> None:
    world, read, accepted = half_accepted()
    accepted()
    assert world.drop(read.id).state == "promoting"

    assert [one.kind for one in of_record(world.ports, read)] == []


def test_key_that_was_read_before_its_drop_went_on_is_not_freed() -> None:
    world, read, accepted = half_accepted()
    slow = replace(world.ports, ledger=Stalled(world.ledger, "lineage", accepted))

    assert "key-held" not in [one.kind for one in of_record(slow, read)]
    assert world.drop(read.id).state == "promoting"


@pytest.mark.parametrize("begun", [False, True])
def test_receipt_that_was_forgotten_meanwhile_is_not_written_again(begun: bool) -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish(one_bad)
    world.clock.pass_seconds(3600)
    read, plain = world.drop(drop_id), world.ports
    world.store.clear(ZONES.reports)

    def others() -> None:
        forget(plain, read, "ann", "asked for it", lambda *_: None)

    late = replace(plain, store=Stalled(plain.store, "put", others)) if begun else plain
    (missing,) = (one for one in of_record(late, read) if one.kind == "receipt-missing")
    assert missing.repair
    if not begun:
        others()

    with pytest.raises(StaleWrite):
        missing.repair()
    assert world.store.listing(ZONES.reports) == {}


def test_plan_that_is_gone_hides_no_other_drop() -> None:
    world, former = healthy()
    world.publish([a_plan(version="1.0.1")])
    other = world.upload("orders/2.csv", GOOD)
    world.finish()
    without_receipt(world, former)
    without_receipt(world, other)
    where = f"{ZONES.catalog}plans/{world.drop(former).plan}.json"
    del world.store.objects[where]
    world.ports = replace(world.ports, catalog=Published(world.store, ZONES.catalog))
    world.clock.pass_seconds(3600)
    by_kind = {(one.where, one.kind): one for one in all_differences(world)}

    assert (f"drop {other}", "receipt-missing") in by_kind
    of_former = [one for (drop, _), one in by_kind.items() if drop == f"drop {former}"]
    assert [(one.kind, one.repair) for one in of_former] == [("catalog", None)]
    assert of_former[0].finding.startswith(f"has a plan that cannot be read: {where} is named and not there.")
