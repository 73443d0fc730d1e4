"""`dropgate results`: each check of each attempt is a line, and so is each problem of a refusal at the door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from functions.drop import Drop
from functions.operations.replay import Replayed, replay
from infra.cli.main import main
from infra.cli.options.target import DEMO
from infra.cli.output.result_rows import rows
from infra.local.state.export_folder import save
from tests.builders import ZONES, World, a_plan, a_relative_plan, a_world, all_good, one_bad

BODY = b"id,note\n1,2\n3,4\n5,6\n"


def judged(world: World, name: str = "orders/1.csv", body: bytes = BODY, judge: Any = all_good) -> Drop:
    drop_id = world.upload(name, body)
    return world.finish(judge)[drop_id]


def of(world: World, drop: Drop) -> list[dict[str, Any]]:
    folder = f"{ZONES.reports}shop/{drop.id}"
    uris = {n: f"{folder}/{n}/receipt.json" for n in range(1, drop.attempt + 1)}
    return list(rows(drop, {n: world.store.get(uri) for n, uri in uris.items()}))


def test_each_check_is_a_row() -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop = judged(world)
    table = of(world, drop)

    assert [row["check"] for row in table] == [check.id for check in a_relative_plan().checks]
    last = table[-1]
    assert {row["state"] for row in table} == {"accepted"}
    assert (last["contract"], last["version"], last["attempt"], last["evaluated"]) == ("orders.v1", "1.0.0", 1, 3)
    assert (last["result"], last["lacks"]) == ("not_evaluated", "0 of 3 accepted files so far")
    assert last["expected"] == "as many as before"
    assert all(list(row) == list(last) for row in table)


def test_problem_of_a_check_is_in_its_row() -> None:
    world = a_world(contracts=[a_plan()])
    table = of(world, judged(world, judge=one_bad))

    assert [(row["check"], row["result"]) for row in table if row["problem"]] == [("id.required", "failed")]
    (failed,) = [row for row in table if row["problem"]]
    assert (failed["failed"], failed["message"]) == (1, "`id` has no value in 1 of 3 records (33.3 %).")


def test_refusal_at_the_door_is_a_row() -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop = judged(world, body=b"other,note\n1,2\n")
    table = of(world, drop)

    assert drop.state == "rejected"
    assert {(row["check"], row["result"]) for row in table} == {(None, "failed")}
    assert [row["problem"] for row in table] == [problem.code for problem in drop.problems]
    assert all(row["message"] and row["version"] == "1.0.0" for row in table)


def test_every_attempt_has_its_rows() -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop = judged(world, body=b"other,note\n1,2\n")
    assert isinstance(replay(world.ports, drop.id), Replayed)
    again = world.finish()[drop.id]

    assert {(row["attempt"], row["state"]) for row in of(world, again)} == {(1, "rejected"), (2, "rejected")}


def test_drop_without_a_receipt_is_a_row_without_result() -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop_id = world.upload("orders/1.csv", BODY)
    drop = world.deliver_events()[drop_id]

    (row,) = rows(drop, {})
    assert (row["state"], row["check"], row["result"]) == ("staged", None, None)
    assert list(rows(drop, {1: b"{"})) == [row]


def test_lines_are_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    world = a_world(contracts=[a_relative_plan()])
    drop = judged(world)
    save(DEMO, world.ledger, [drop.id], {}, {"promoted": ZONES.promoted}, "2026-01-31T12:00:00Z")
    shown = CliRunner(mix_stderr=False).invoke(main, ["results", "--month", drop.received_at[:7]])

    assert shown.exit_code == 0
    assert {json.loads(line)["drop"] for line in shown.stdout.splitlines()} == {drop.id}
