"""High marks: a batch pins them, and only an accepted drop moves them, only forward."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from contracts.plan import Filter
from contracts.watermarks import HighMark, further, marked
from functions.operations.replay import Replayed, replay
from functions.ports.jobs import RunStatus
from tests.builders import World, a_marked_plan, a_world, all_good, reaching


def a_marked_world() -> World:
    return a_world(contracts=[a_marked_plan()])


def uploaded(world: World, *names: str) -> list[str]:
    """Drops in a batch whose job is at work."""
    ids = [world.upload(name, b"id,n\n1,2\n") for name in names]
    world.deliver_events()
    world.clock.pass_seconds(120)
    world.deliver_windows()
    return ids


def settled(world: World, *names: str) -> list[str]:
    ids = uploaded(world, *names)
    world.deliver_jobs(world.end_jobs(reaching))
    return ids


def asked(world: World) -> list[int]:
    """The marks that the newest job was given."""
    return [int(mark.value) for mark in world.request().marks]


def reached(world: World) -> list[int]:
    return [int(mark.value) for mark in world.ledger.watermarks("orders.v1").marks]


def test_next_batch_gets_the_mark_of_what_was_accepted() -> None:
    world = a_marked_world()
    settled(world, "orders/5.csv")
    assert (asked(world), reached(world)) == ([], [5])

    settled(world, "orders/7.csv")
    assert (asked(world), reached(world)) == ([5], [7])


def test_drops_of_one_batch_see_the_mark_of_before() -> None:
    world = a_marked_world()
    settled(world, "orders/5.csv", "orders/9.csv", "orders/7.csv")

    assert (asked(world), reached(world)) == ([], [9])


def test_rejected_drop_moves_no_mark() -> None:
    world = a_marked_world()
    (drop_id,) = settled(world, "orders/bad-9.csv")

    assert (world.drop(drop_id).state, reached(world)) == ("rejected", [])


def test_drop_that_came_late_moves_no_mark_back() -> None:
    world = a_marked_world()
    settled(world, "orders/7.csv")
    settled(world, "orders/5.csv")

    assert reached(world) == [7]
    assert world.ledger.watermarks("orders.v1").version == 1


def test_repeated_events_move_no_mark() -> None:
    world = a_marked_world()
    settled(world, "orders/5.csv")
    settled(world, "orders/7.csv")
    world.deliver_events(again=True)
    world.deliver_jobs()
    world.reconcile()

    assert (reached(world), world.ledger.watermarks("orders.v1").version) == ([7], 2)


def test_every_try_of_a_batch_has_the_marks_of_the_first() -> None:
    world = a_marked_world()
    settled(world, "orders/5.csv")
    uploaded(world, "orders/6.csv")
    (crashed,) = world.jobs.working()
    uploaded(world, "orders/9.csv")
    (other,) = set(world.jobs.working()) - {crashed}
    world.end_jobs(reaching)
    world.deliver_jobs([other])
    world.jobs.ended[crashed] = RunStatus("failed", "out of memory")
    world.deliver_jobs([crashed])

    assert world.request().try_ == 2
    assert (asked(world), reached(world)) == ([5], [9])


def test_replay_has_the_marks_of_its_own_batch() -> None:
    world = a_marked_world()
    (drop_id,) = settled(world, "orders/bad-6.csv")
    settled(world, "orders/7.csv")
    assert isinstance(replay(world.ports, drop_id), Replayed)
    world.clock.pass_seconds(120)
    world.deliver_windows()

    assert [d.id for d in world.request().drops] == [drop_id]
    assert asked(world) == [7]


@dataclass
class Listening:
    """A port, and the names of what it was asked."""

    inner: Any
    asked: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self.inner, name)


def test_nobody_looks_for_marks_that_no_check_asks_for() -> None:
    world = a_world()
    ledger = Listening(world.ledger)
    world.with_ports(lambda port: ledger if port is world.ledger else port)
    world.upload("orders/5.csv", b"id,note\n1,a\n")
    world.finish(all_good)

    assert "write" in ledger.asked
    assert "watermarks" not in ledger.asked


def test_marks_are_looked_for_once_a_batch_and_once_an_accepted_drop() -> None:
    world = a_marked_world()
    ledger = Listening(world.ledger)
    world.with_ports(lambda port: ledger if port is world.ledger else port)
    settled(world, "orders/5.csv", "orders/6.csv", "orders/bad-7.csv")

    assert ledger.asked.count("watermarks") == 1 + 2


def test_mark_of_another_type_says_nothing() -> None:
    plan = a_marked_plan()
    day = HighMark("n", "date", Decimal(20_000))

    assert marked(plan, [day]) is plan
    assert further([day], [HighMark("n", "integer", Decimal(5))]) == (HighMark("n", "integer", Decimal(5)),)


def test_plan_with_marks_keeps_its_name() -> None:
    plan = a_marked_plan()
    with_marks = marked(plan, [HighMark("n", "integer", Decimal(-5)), HighMark("gone", "integer", Decimal(1))])

    assert with_marks.sha == plan.sha
    assert with_marks.checks[-1].filter == Filter("(v1 > -5BD and true)", "", (), "n")
