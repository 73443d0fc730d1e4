"""Checks against history: figures of accepted drops are what later ones are held against, and a drop keeps its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from contracts import rules
from contracts.job import DropResult, JobDrop
from contracts.plan import Check, Plan, Threshold
from contracts.terms.history import Figure, Relative
from functions.drop import Drop
from functions.operations.override import Overruled, accept, reject
from functions.operations.replay import Replayed, replay
from tests.builders import World, a_plan, a_relative_plan, a_world, all_good

DAY = 86_400
NEAR = Threshold("mustBeBetween", (Decimal(-50), Decimal(50)), relative=Relative("median", 2, 2))


def of(rows: int) -> Callable[[Plan, JobDrop], DropResult]:
    """Return a judge that finds so many records."""

    def judge(plan: Plan, drop: JobDrop) -> DropResult:
        facts = all_good(plan, drop)
        counts = tuple(replace(count, evaluated=rows) for count in facts.counts)
        return replace(facts, read=rows, valid=rows, counts=counts)

    return judge


def sent(world: World, name: str, rows: int) -> Drop:
    """A file of so many records, sent a day after the one before it, and judged."""
    world.clock.pass_seconds(DAY)
    drop_id = world.upload(name, b"id,note\n" + b"1,2\n" * rows)
    judged(world, rows)
    return world.drop(drop_id)


def judged(world: World, rows: int) -> None:
    world.deliver_events()
    world.clock.pass_seconds(120)
    world.deliver_windows()
    world.deliver_jobs(world.end_jobs(of(rows)))


def a_world_after(*rows: int, **changes: Any) -> World:
    """A world in which files of so many records were sent, a day after another."""
    world = a_world(contracts=[a_relative_plan(**changes)])
    for n, count in enumerate(rows):
        sent(world, f"orders/{n}.csv", count)
    return world


def held(drop: Drop) -> list[int]:
    """The figures that a drop was held against."""
    return [int(figure.value) for figure in drop.history["volume"].figures]


def test_files_are_not_held_against_too_few() -> None:
    world = a_world_after(10, 1000)
    drop = sent(world, "orders/x.csv", 10)

    assert (drop.state, held(drop)) == ("accepted", [1000, 10])
    volume = json.loads(world.store.get(str(drop.receipt)))["checks"][-1]
    assert (volume["result"], volume["lacks"]) == ("not_evaluated", "2 of 3 accepted files so far")


def test_file_unlike_those_before_is_rejected() -> None:
    world = a_world_after(10, 11, 12)
    drop = sent(world, "orders/x.csv", 5)

    assert (drop.state, held(drop)) == ("rejected", [12, 11, 10])
    (problem,) = drop.problems
    limits = "the contract asks for more than 5.5 and less than 16.5, as the median of the last 3 files is 11"
    assert problem.message == f"The file has 5 records; {limits}."
    assert drop.figures == {"volume": Figure(Decimal(5))}


def test_only_the_last_accepted_files_count() -> None:
    world = a_world_after(10, 11, 12, 500, 13)

    assert held(sent(world, "orders/x.csv", 12)) == [13, 12, 11]


def test_weekday_is_held_against_its_own() -> None:
    world = a_world_after(*(100 if n % 7 == 0 else 10 for n in range(14)), last=2, weekday=True)
    drop = sent(world, "orders/x.csv", 10)

    assert (drop.state, held(drop)) == ("rejected", [100, 100])
    day = drop.history["volume"].day
    assert day is not None
    assert sent(world, "orders/y.csv", 10).state == "accepted"


def test_uploads_of_one_key_on_one_day_count_once() -> None:
    world = a_world_after(10, last=1)
    for rows in (11, 12):
        world.upload("orders/again.csv", b"id,note\n" + b"1,2\n" * rows)
        judged(world, rows)

    assert held(sent(world, "orders/x.csv", 12)) == [12]
    assert held(sent(world, "orders/again.csv", 12)) == [12]


def test_correction_is_not_held_against_its_own_file() -> None:
    world = a_world_after(10, last=1)
    ids = []
    for rows in (11, 12):
        ids.append(world.upload("orders/again.csv", b"id,note\n" + b"1,2\n" * rows))
        judged(world, rows)

    assert [held(world.drop(drop_id)) for drop_id in ids] == [[10], [10]]


def test_withdrawn_file_is_no_history() -> None:
    world = a_world_after(10, 11, last=2)
    bad = sent(world, "orders/bad.csv", 12)
    assert isinstance(reject(world.ports, bad, "ana", "a copy"), Overruled)

    assert held(sent(world, "orders/x.csv", 11)) == [11, 10]


def test_file_that_a_person_accepts_is_history() -> None:
    world = a_world_after(10, 11, last=2)
    sale = sent(world, "orders/sale.csv", 90)
    assert (sale.state, isinstance(accept(world.ports, sale, "ana", "a sale"), Overruled)) == ("rejected", True)

    assert held(sent(world, "orders/x.csv", 50)) == [90, 11]


def test_replay_says_the_same() -> None:
    world = a_world_after(10, 11, 12)
    drop = sent(world, "orders/x.csv", 5)
    for n in range(3):
        later = sent(world, f"orders/later{n}.csv", 7)
        assert later.state == "accepted"
    first = world.drop(next(iter(world.drops())))
    assert isinstance(reject(world.ports, first, "ana", "wrong"), Overruled)
    assert isinstance(replay(world.ports, drop.id), Replayed)
    world.clock.pass_seconds(120)
    judged(world, 5)

    again = world.drop(drop.id)
    assert (again.attempt, again.state, again.history) == (2, "rejected", drop.history)


def test_share_is_not_held_against_numbers() -> None:
    """A check of the same id in another unit begins a new history, for a replay too."""
    nulls = Check("volume", rules.NullValues(), "set", "error", "completeness", "as before", "note", NEAR)
    of_rows = a_plan()
    of_rows = replace(of_rows, checks=(*of_rows.checks, nulls))
    in_percent = replace(nulls, threshold=replace(NEAR, unit="percent"))
    shares = replace(of_rows, version="1.1.0", checks=(*of_rows.checks[:-1], in_percent))
    world = a_world([of_rows])
    drop = [sent(world, f"orders/{n}.csv", 10) for n in range(3)][-1]
    world.publish([shares])
    later = sent(world, "orders/x.csv", 10)
    assert isinstance(reject(world.ports, drop, "ana", "again"), Overruled)
    assert isinstance(replay(world.ports, drop.id), Replayed)
    world.clock.pass_seconds(120)
    judged(world, 10)

    assert (drop.figures["volume"].of, held(drop)) == (None, [0, 0])
    assert (later.figures["volume"].of, held(later)) == (10, [])
    assert held(world.drop(drop.id)) == []


def test_contract_without_such_checks_reads_no_history() -> None:
    world = a_world(contracts=[a_plan()])
    drop = sent(world, "orders/x.csv", 5)

    assert (drop.state, dict(drop.history), dict(drop.figures)) == ("accepted", {}, {})
