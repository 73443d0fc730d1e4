"""`dropgate replay`: what has been done is told, whatever becomes of the next; a dry run says what would be."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from contracts.errors import ServiceUnavailable
from functions.drop import Drop, State
from functions.operations.erase import forget
from functions.operations.override import accept, reject
from infra.cli.options.target import of_ports
from infra.cli.replay import Done, _meant, _Search, judge_again
from tests.builders import World, a_drop, a_world, one_bad


def rejected(many: int = 3) -> tuple[World, list[Drop]]:
    """Drops that were rejected."""
    world = a_world()
    ids = [world.upload(f"orders/{n}.csv", b"id,note\n1,a\n") for n in range(many)]
    world.finish(one_bad)
    return world, [world.drop(one) for one in ids]


def meant(world: World, state: str, most: int = 100) -> tuple[Drop, ...]:
    """The drops of a state that a replay would judge again."""
    return _meant(of_ports(world.ports), None, _Search(state, "orders.v1", datetime(2026, 1, 31, tzinfo=UTC), most))


class NotOf:
    """A ledger that does not answer for one drop."""

    def __init__(self, ledger: Any, drop_id: str) -> None:
        self._ledger = ledger
        self._drop_id = drop_id

    def drop(self, drop_id: str) -> Any:
        if drop_id == self._drop_id:
            raise ServiceUnavailable("no answer")
        return self._ledger.drop(drop_id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


@pytest.mark.parametrize("wait", [0, 1])
def test_what_was_begun_is_told_when_the_next_fails(wait: int) -> None:
    world, drops = rejected()
    ledger: Any = NotOf(world.ledger, drops[1].id)
    done: list[Done] = []
    with pytest.raises(ServiceUnavailable):
        judge_again(replace(world.ports, ledger=ledger), drops, done.append, wait=wait)

    assert [(one.drop.id, one.drop.attempt) for one in done] == [(drops[0].id, 2)]


class Slow:
    """A ledger that takes a second to begin each drop, by a clock that only it and a sleep move on."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self._world = world
        self.seconds = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.seconds)
        monkeypatch.setattr(time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self._world.finish()

    def drop(self, drop_id: str) -> Any:
        self.seconds += 1
        return self._world.ledger.drop(drop_id)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world.ledger, name)


def test_verdicts_are_waited_for_once_all_are_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    world, drops = rejected()
    ledger: Any = Slow(world, monkeypatch)
    done: list[Done] = []
    judge_again(replace(world.ports, ledger=ledger), drops, done.append, wait=2)

    assert [one.drop.state for one in done] == ["accepted"] * 3


def test_what_was_begun_is_told_when_waiting_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    world, drops = rejected()

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", stop)
    done: list[Done] = []
    with pytest.raises(KeyboardInterrupt):
        judge_again(world.ports, drops, done.append, wait=9)

    assert [(one.drop.id, one.drop.attempt) for one in done] == [(drop.id, 2) for drop in drops]


def test_each_is_told_before_the_next_is_begun() -> None:
    world, drops = rejected()
    begun: list[int] = []
    judge_again(world.ports, drops, lambda _: begun.append(sum(d.attempt == 2 for d in world.drops().values())))

    assert begun == [1, 2, 3]


def test_dry_run_says_whose_bytes_are_gone() -> None:
    world, (drop,) = rejected(1)
    world.store.delete(drop.source)
    done: list[Done] = []
    judge_again(world.ports, [drop], done.append, dry_run=True)

    assert [one.why for one in done] == ["its bytes are no longer kept; the file must be uploaded again"]
    assert world.drop(drop.id) == drop


def test_what_people_decided_is_judged_again_by_id_alone(capsys: pytest.CaptureFixture[str]) -> None:
    world, drops = rejected(4)
    accept(world.ports, drops[1], "ann", "ticket 512")
    reject(world.ports, world.drop(drops[1].id), "ann", "recalled")
    accept(world.ports, drops[3], "bob", "ticket 513")

    assert [d.id for d in meant(world, "rejected", 2)] == [drops[0].id, drops[2].id]
    note = "1 drop that a person has decided is skipped, to be judged again only by id (`dropgate replay DROP`): "
    assert capsys.readouterr().err == f"{note}{drops[1].id[:10]}\n"
    assert meant(world, "accepted_with_warnings") == ()
    assert "No other accepted_with_warnings drop of 2026-01 can be judged again." in capsys.readouterr().err


def test_dry_run_says_who_decided_a_drop_and_why() -> None:
    world, (drop,) = rejected(1)
    accept(world.ports, drop, "ann", "ticket 512")
    reject(world.ports, world.drop(drop.id), "ann", "recalled")
    world.finish()
    outcomes: list[Done] = []
    judge_again(world.ports, [world.drop(drop.id)], outcomes.append, dry_run=True)

    assert outcomes[0].line(dry_run=True).endswith("rejected, orders/0.csv; ann has rejected it: recalled")
    assert outcomes[0].row()["override"]["because"] == "recalled"


@pytest.mark.parametrize(
    ("state", "code"),
    [("accepted", 0), ("superseded", 0), ("rejected", 1), ("unmatched", 1), ("failed", 3), ("vanished", 3)],
)
def test_waiting_ends_with_what_became_of_a_drop(state: State, code: int) -> None:
    done = Done(a_drop(state=state))

    assert (done.code(waited=True), done.code(waited=False)) == (code, 0)


def test_wait_that_is_over_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    world, drops = rejected(1)
    seconds = iter(range(9))
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    outcomes: list[Done] = []
    judge_again(world.ports, drops, outcomes.append, wait=3)

    assert outcomes[0].drop.in_flight
    assert outcomes[0].code(waited=True) == 3
    assert ", attempt 2: staged, and the wait for its verdict is over." in outcomes[0].line(dry_run=False)
    assert outcomes[0].row()["wait_over"] is True


def test_what_is_forgotten_is_left_out_of_many(capsys: pytest.CaptureFixture[str]) -> None:
    world, drops = rejected()
    forget(world.ports, drops[1], "ann", "request 77", lambda *_: None)

    assert meant(world, "rejected") == (drops[0], drops[2])
    assert capsys.readouterr().err == ""
