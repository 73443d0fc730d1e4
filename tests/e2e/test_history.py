"""Files that are held against those before, through the whole flow: with too few, like them, unlike them, and again."""

from __future__ import annotations

import json
from typing import Any

from functions.drop import Drop
from tests.e2e.conftest import World
from tests.e2e.test_flow import cli


def sent(world: World, name: str, *amounts: int) -> Drop:
    body = "amount\n" + "".join(f"{amount}\n" for amount in amounts)
    return world.settled(world.upload(f"volumes/{name}.csv", body.encode()))


def checks_of(world: World, drop: Drop) -> dict[str, Any]:
    """Return the checks of a drop's receipt, by id."""
    receipt = json.loads(world.ports.store.get(drop.receipt or ""))
    return {check["id"]: check for check in receipt["checks"]}


def test_file_is_held_against_those_before(world: World) -> None:
    first, second = sent(world, "1", 1, 2, 3, 2), sent(world, "2", 2, 2, 2, 2, 2, 2)
    assert [first.state, second.state] == ["accepted", "accepted"]
    assert checks_of(world, second)["rowCount"]["lacks"].startswith("1 of 2 files accepted on a ")

    cut = sent(world, "3", 2)
    assert cut.state == "rejected"
    history = checks_of(world, cut)["rowCount"]["history"]
    assert (history["middle"], history["limits"]) == ("5", ["2.5", "7.5"])

    other_unit = sent(world, "4", 200, 200, 200, 200, 200)
    assert other_unit.state == "accepted_with_warnings"
    (problem,) = other_unit.problems
    limits = "the contract asks for more than 1 and less than 3, as the mean of the last 2 files is 2"
    assert problem.message == f"The mean of `amount` is `200`; {limits}."

    assert cli(world, "replay", cut.id[:10]).exit_code == 0
    again = world.until(cut.id, lambda drop: drop.attempt == 2 and not drop.in_flight)
    assert (again.state, again.history) == ("rejected", cut.history)
    assert checks_of(world, again)["rowCount"]["history"] == history
