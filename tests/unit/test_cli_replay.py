"""`dropgate replay`: what has been done is told, whatever becomes of the next; a dry run says what would be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contracts.errors import ServiceUnavailable
from functions.submission import Drop
from infra.cli.replay import Done, judge_again
from tests.builders import World, a_world, one_bad


def rejected(many: int = 3) -> tuple[World, list[Drop]]:
    """Drops that were rejected."""
    world = a_world()
    ids = [world.upload(f"orders/{n}.csv", b"id,note\n1,a\n") for n in range(many)]
    world.finish(one_bad)
    return world, [world.drop(one) for one in ids]


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
    told: list[Done] = []
    with pytest.raises(ServiceUnavailable):
        judge_again(replace(world.ports, ledger=ledger), drops, told.append, wait=wait)

    assert [(one.drop.id, one.drop.attempt) for one in told] == [(drops[0].id, 2)]


def test_each_is_told_before_the_next_is_begun() -> None:
    world, drops = rejected()
    begun: list[int] = []
    judge_again(world.ports, drops, lambda _: begun.append(sum(d.attempt == 2 for d in world.drops().values())))

    assert begun == [1, 2, 3]


def test_dry_run_says_whose_bytes_are_gone() -> None:
    world, (drop,) = rejected(1)
    world.store.delete(drop.source)
    told: list[Done] = []
    judge_again(world.ports, [drop], told.append, dry_run=True)

    assert [one.why for one in told] == ["its bytes are no longer kept; the file must be uploaded again"]
    assert world.drop(drop.id) == drop
