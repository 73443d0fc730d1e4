"""Each difference of a table and the ledger is found with its repair; a repair leaves none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import pytest

from contracts.errors import ServiceUnavailable, StaleWrite
from functions import keys
from functions.doctor.compare import differences
from functions.doctor.compare_tables import counted
from functions.doctor.difference import Difference
from functions.drop import Transition
from functions.operations.override import reject
from functions.operations.replay import again, replay
from functions.ports import Ports
from functions.ports.store import CopyTag
from functions.records.record import record
from tests.builders import ZONES, World, a_plan, a_world, all_good, one_bad
from tests.fakes import MemoryStore
from tests.faults import Crash, Stalled, Watched, crash, every_call
from tests.unit.functions.flow.test_crashes import SIDES

AT = f"{ZONES.promoted}orders.v1/"
GOOD, NEWER = b"id,note\n1,a\n", b"id,note\n2,b\n"


def healthy() -> tuple[World, str, str]:
    """A world with a table in which nothing differs; a drop of it, and one whose place a newer one has taken."""
    world = a_world([a_plan(promote="table")])
    former, good = world.upload("orders/1.csv", GOOD), world.upload("orders/2.csv", GOOD)
    world.finish()
    world.upload("orders/1.csv", NEWER)
    world.finish()
    world.upload("orders/bad.csv", GOOD)
    world.finish(lambda plan, drop: (one_bad if "bad" in drop.name else all_good)(plan, drop))
    for batch in world.ledger._batches.values():
        folder = keys.evidence_folder(ZONES, batch.contract, batch.claimed_at, batch.id)
        world.store.put(f"{folder}part-0.parquet", b"", "")
    world.store.put(f"{AT}_delta_log/0.json", b"{}", "")
    world.clock.pass_seconds(3600)
    assert all_differences(world) == []
    return world, good, former


def all_differences(world: World) -> list[Difference]:
    return found_by(world.ports)


def found_by(ports: Ports) -> list[Difference]:
    return list(differences(ports, ("orders.v1", None), ["2026-01"]))


def repair(world: World) -> None:
    for one in all_differences(world):
        if one.repair:
            one.repair()


Breach = Callable[[World, str, str], None]


def without_the_table(world: World, *_: str) -> None:
    for each in (world.tables.rows, world.tables.columns, world.tables.commits):
        each.clear()
    world.store.clear(AT)
    world.store.put(f"{AT}_delta_log/0.json", b"{}", "")  # as its repair writes, which is in memory no object


def of_a_rejected(world: World, *_: str) -> None:
    bad = next(drop.id for drop in world.drops().values() if drop.state == "rejected")
    world.tables.rows[AT][bad] = 1, 2


def of_a_former(world: World, _: str, former: str) -> None:
    world.tables.rows[AT][former] = 1, 3


def of_a_withdrawn(world: World, good: str, _: str) -> None:
    reject(world.ports, world.drop(good), "anna", "sent by mistake")
    world.tables.rows[AT][good] = 1, 3
    world.clock.pass_seconds(3600)


def of_one_that_vanished_before_it_took_them_back(world: World, good: str, _: str) -> None:
    begun = again(world.ports, world.drop(good), retract=True)
    assert isinstance(begun, Transition)
    world.ledger.write((begun,))
    assert record(world.ports, begun.drop, "gone").retracts
    world.clock.pass_seconds(3600)


def of_a_former_whose_place_was_freed(world: World, _: str, former: str) -> None:
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/1.csv", "orders.v1"))
    reject(world.ports, world.drop(key.promoted or ""), "anna", "sent by mistake")
    world.tables.rows[AT][former] = 1, 3  # as where the table is restored
    world.clock.pass_seconds(3600)


def rows_deleted(world: World, good: str, _: str) -> None:
    del world.tables.rows[AT][good]


def rows_too_few(world: World, good: str, _: str) -> None:
    world.tables.rows[AT][good] = 1, 2


def without_the_table_and_its_rows(world: World, good: str, _: str) -> None:
    to = world.drop(good).promoted
    assert to
    assert to.rows
    del world.tables.rows[AT][good]
    world.tables.commits = [one for one in world.tables.commits if one[1] != good]
    del world.store.objects[to.rows.uri]


def of_nobody(world: World, *_: str) -> None:
    world.tables.rows[AT][""] = 1, 3


def of_no_record(world: World, *_: str) -> None:
    world.tables.rows[AT]["n" * 32] = 1, 3


SAFE: list[tuple[Breach, str, int]] = [
    (without_the_table, "rows-missing", 2),
    (of_a_rejected, "rows-left", 1),
    (of_a_former, "rows-left", 1),
    (of_a_withdrawn, "rows-left", 1),
    (of_one_that_vanished_before_it_took_them_back, "rows-left", 1),
    (of_a_former_whose_place_was_freed, "rows-left", 1),
]
FOR_PEOPLE: list[tuple[Breach, str, int]] = [
    (rows_deleted, "rows-missing", 1),
    (rows_too_few, "rows-missing", 1),
    (without_the_table_and_its_rows, "rows-missing", 1),
    (of_nobody, "rows-without-record", 1),
    (of_no_record, "rows-without-record", 1),
]


def name(one: object) -> str:
    return getattr(one, "__name__", str(one))


@pytest.mark.parametrize(("breach", "kind", "many"), [*SAFE, *FOR_PEOPLE], ids=name)
def test_difference_is_found(breach: Breach, kind: str, many: int) -> None:
    world, good, former = healthy()
    breach(world, good, former)
    each = all_differences(world)

    assert [(one.kind, one.repair is not None) for one in each] == [(kind, (breach, kind, many) in SAFE)] * many
    assert all(one.where and one.finding and one.do for one in each)


@pytest.mark.parametrize("breach", [breach for breach, _, _ in SAFE], ids=name)
@SIDES
def test_repair_broken_off_anywhere_is_done_by_the_next(breach: Breach, after: bool) -> None:
    for fuse in every_call(after):
        world, good, former = healthy()
        breach(world, good, former)
        plain = world.ports
        world.with_ports(lambda port, fuse=fuse: Watched(port, fuse))  # type: ignore[misc]
        try:
            repair(world)
        except Crash:
            world.ports = plain
            repair(world)
        world.ports = plain
        repair(world)
        world.finish()
        world.clock.pass_seconds(3600)
        assert [one.kind for one in all_differences(world)] == [], fuse.at
        assert world.drops().keys() > world.tables.rows[AT].keys()


def test_repair_leaves_the_key_to_whoever_holds_it() -> None:
    world, good, former = healthy()
    without_the_table(world, good, former)
    missing = next(one for one in all_differences(world) if good in one.where)
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/2.csv", "orders.v1"))
    world.ledger.write((), replace(key, promoting="n" * 32))
    assert missing.repair

    with pytest.raises(ServiceUnavailable, match="another upload of its key"):
        missing.repair()
    assert world.tables.rows == {}


def overtaken(world: World, good: str) -> None:
    world.upload(world.drop(good).key, NEWER)
    world.finish()


def withdrawn(world: World, good: str) -> None:
    reject(world.ports, world.drop(good), "anna", "sent by mistake")


def judged_again(world: World, good: str) -> None:
    replay(world.ports, good, retract=True)


@pytest.mark.parametrize(
    ("act", "same_key"),
    [(overtaken, "supersede"), (withdrawn, "supersede"), (judged_again, "supersede"), (withdrawn, "version")],
    ids=name,
)
def test_rows_of_a_drop_that_has_changed_since_are_not_put_back(
    act: Callable[[World, str], None], same_key: Literal["supersede", "version"]
) -> None:
    world = a_world([a_plan(promote="table", same_key=same_key)])
    good = world.upload("orders/2.csv", GOOD)
    world.finish()
    world.clock.pass_seconds(3600)
    without_the_table(world)
    missing = next(one for one in all_differences(world) if one.kind == "rows-missing")
    act(world, good)
    before = {table: dict(rows) for table, rows in world.tables.rows.items()}
    assert missing.repair

    with pytest.raises(StaleWrite):
        missing.repair()
    assert world.tables.rows == before
    assert world.ledger.lineage(keys.lineage_hash("landing", "orders/2.csv", "orders.v1")).promoting is None


@pytest.mark.parametrize("method", ["ready", "append"])
def test_rows_of_a_drop_that_is_rejected_meanwhile_do_not_stay(method: str) -> None:
    world = a_world([a_plan(promote="table")])
    good = world.upload("orders/2.csv", GOOD)
    world.finish()
    world.clock.pass_seconds(3600)
    without_the_table(world)
    plain = world.ports

    def others() -> None:
        reject(plain, world.drop(good), "ann", "recalled")

    world.ports = replace(plain, tables=Stalled(plain.tables, method, others))
    missing = next(one for one in all_differences(world) if one.kind == "rows-missing")
    assert missing.repair
    with pytest.raises(StaleWrite):
        missing.repair()

    assert (world.drop(good).state, world.tables.rows[AT]) == ("rejected", {})


@pytest.mark.parametrize("newer", [True, False], ids=["with a newer upload", "and nobody else comes"])
def test_rows_put_back_while_their_key_was_freed_stay_unless_others_came(newer: bool) -> None:
    world, good, former = healthy()
    without_the_table(world, good, former)
    plain = world.ports

    def others() -> None:
        free = next(one for one in all_differences(world) if one.kind == "key-held")
        assert free.repair
        free.repair()
        if not newer:
            return
        world.upload("orders/2.csv", NEWER)
        world.deliver_events()
        world.deliver_windows()
        world.end_jobs()
        dies = Stalled(plain.ledger, "write", crash, lambda moves, *_: [one.event for one in moves] == ["promoted"])
        world.ports = replace(plain, ledger=dies)
        with pytest.raises(Crash):
            world.deliver_jobs()  # its rows are in the table, and the ledger does not know
        world.ports = plain

    slow = replace(plain, tables=Stalled(plain.tables, "append", others))
    each = differences(slow, ("orders.v1",), ["2026-01"])
    missing = next(one for one in each if one.kind == "rows-missing" and good in one.where)
    assert missing.repair
    if newer:
        with pytest.raises(StaleWrite, match="replaced it"):
            missing.repair()
    else:
        missing.repair()
    world.finish()

    assert (good in world.tables.rows[AT]) != newer
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/2.csv", "orders.v1"))
    assert (key.promoting, key.promoted in world.tables.rows[AT]) == (None, True)


@pytest.mark.parametrize(("days", "safe"), [(79, True), (81, False)])
def test_rows_are_put_back_only_while_the_log_would_name_them(days: int, safe: bool) -> None:
    world, good, _ = healthy()
    rows_deleted(world, good, "")
    world.tables.commits.clear()  # as the log forgets after 90 days, whoever took the rows out
    world.clock.pass_seconds(days * 86400)
    missing = next(one for one in all_differences(world) if one.kind == "rows-missing")

    assert (missing.repair is not None) == safe


def test_rows_that_came_back_are_taken_out_again() -> None:
    world, good, former = healthy()
    of_a_withdrawn(world, good, former)
    repair(world)
    world.tables.rows[AT][good] = 1, 3  # as where the table is restored
    repair(world)

    assert good not in world.tables.rows[AT]
    assert all_differences(world) == []


def test_rows_stay_where_the_record_is_a_former_one() -> None:
    world, *_ = healthy()
    former = next(drop for drop in world.drops().values() if drop.state == "rejected")
    replay(world.ports, former.id)
    world.finish()
    world.ledger._drops[former.id] = former
    world.clock.pass_seconds(3600)
    repair(world)

    assert former.id in world.tables.rows[AT]
    assert {one.kind for one in all_differences(world)} >= {"rows-left", "stale-record"}


def test_rows_of_a_record_that_cannot_be_read_are_not_nobodys() -> None:
    world, good, _ = healthy()
    world.ledger.unreadable.add(good)

    kinds = [(one.where, one.kind) for one in differences(world.ports, ("orders.v1",), []) if good in one.where]
    assert kinds == [(f"drop {good}", "record-unreadable")]


def test_rows_whose_drop_is_judged_again_meanwhile_stay() -> None:
    world, good, former = healthy()
    of_a_withdrawn(world, good, former)
    (left,) = all_differences(world)
    replay(world.ports, good)
    assert left.repair

    with pytest.raises(StaleWrite, match="has changed since it was read"):
        left.repair()
    assert good in world.tables.rows[AT]


def test_rows_that_went_with_those_of_a_former_attempt_are_told() -> None:
    world, good, former = healthy()
    of_a_withdrawn(world, good, former)
    plain = world.ports

    def others() -> None:
        repair(world)
        replay(plain, good)
        world.finish()
        assert world.drop(good).state == "accepted"

    (left,) = found_by(replace(plain, tables=Stalled(plain.tables, "take_out", others)))
    assert left.repair
    with pytest.raises(StaleWrite, match=f"`dropgate replay {good[:10]} --retract`"):
        left.repair()


def test_rows_whose_place_is_their_own_again_stay() -> None:
    world, good, former = healthy()
    of_a_former(world, good, former)
    (left,) = all_differences(world)
    key = world.ledger.lineage(keys.lineage_hash("landing", "orders/1.csv", "orders.v1"))
    world.ledger.write((), replace(key, promoted=former))
    assert left.repair

    with pytest.raises(StaleWrite, match="belongs in the table now"):
        left.repair()
    assert former in world.tables.rows[AT]


def test_drops_with_rows_in_a_table_are_told_whenever_they_came() -> None:
    world, *_ = healthy()
    drop_ids: list[str] = []
    assert list(differences(world.ports, ("orders.v1",), [], drop_ids.append)) == []

    assert world.tables.rows[AT].keys() <= set(drop_ids)


def test_table_that_cannot_be_read_hides_no_other() -> None:
    plans = [a_plan("broken.v1", ("broken/*.csv",), promote="table"), a_plan(promote="table")]
    world = a_world(plans)
    world.upload("broken/1.csv", GOOD)
    good = world.upload("orders/1.csv", GOOD)
    world.finish()
    world.clock.pass_seconds(3600)
    rows_deleted(world, good, "")
    world.tables.broken.add(f"{ZONES.promoted}broken.v1/")
    each = differences(world.ports, ("broken.v1", "orders.v1"), ["2026-01"])
    of_tables = {one.kind: (one.where, one.finding, one.repair) for one in each if "table" in one.kind + one.finding}

    assert list(of_tables) == ["table-unreadable", "rows-missing"]
    assert of_tables["table-unreadable"] == (f"{ZONES.promoted}broken.v1/", "could not be read: a file is gone", None)


def test_objects_beside_a_table_are_looked_at() -> None:
    world, good, _ = healthy()
    bad = next(drop for drop in world.drops().values() if drop.state == "rejected")
    staged, own = world.drop(good).source, keys.data_file(bad.id, 1, "0.parquet")
    for name in ("orders/bad.csv", "_delta_log/1.json", own):
        world.store.copy(staged, f"{AT}{name}", CopyTag(bad.id, 1))
    world.store.put(f"{AT}orders/stranger.csv", GOOD, "")
    world.clock.pass_seconds(3600)

    assert [(one.kind, one.where, one.repair is not None) for one in all_differences(world)] == [
        ("promoted-without-record", f"{AT}orders/bad.csv", True),
        ("promoted-without-record", f"{AT}orders/stranger.csv", False),
    ]


def test_store_that_does_not_answer_is_no_broken_table() -> None:
    world, *_ = healthy()
    world.tables.broken.add(AT)

    with pytest.raises(ServiceUnavailable, match="nobody answers"):
        counted(replace(world.ports, store=Silent()), "orders.v1")


class Silent(MemoryStore):
    """A store that is not well."""

    def listed(self, folder: str, most: int) -> dict[str, str]:
        raise ServiceUnavailable(f"nobody answers for {folder} ({most})")


def test_what_has_just_changed_is_left_alone() -> None:
    world = a_world([a_plan(promote="table")])
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    world.clock.pass_seconds(-600)
    assert world.tables.made(AT, CopyTag(drop, 1))
    world.tables.rows[AT].clear()

    assert [one.kind for one in all_differences(world) if one.kind.startswith("rows")] == []
