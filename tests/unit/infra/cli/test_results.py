"""`dropgate results`: the stored lines of each attempt, and a line without result for a drop that has none."""

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
from infra.local.state.export_folder import save
from tests.builders import ZONES, World, a_relative_plan, a_world

BODY = b"id,note\n1,2\n3,4\n5,6\n"


def printed(world: World, drop: Drop, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the lines that the command prints of a saved stack."""
    monkeypatch.chdir(folder)
    home = len(ZONES.results)
    kept = {f"results/{uri[home:]}": world.store.get(uri) for uri in world.store.listed(ZONES.results, 99)}
    zones = {"promoted": ZONES.promoted, "results": ZONES.results}
    save(DEMO, world.ledger, [drop.id], kept, zones, "2026-01-31T12:00:00Z")
    shown = CliRunner(mix_stderr=False).invoke(main, ["results", "--month", drop.received_at[:7]])
    assert shown.exit_code == 0
    return [json.loads(line) for line in shown.stdout.splitlines()]


def test_stored_lines_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop_id = world.upload("orders/1.csv", BODY)
    table = printed(world, world.finish()[drop_id], tmp_path, monkeypatch)

    assert [row["check_id"] for row in table] == [check.id for check in a_relative_plan().checks]
    assert {(row["drop_id"], row["state"]) for row in table} == {(drop_id, "accepted")}


def test_every_attempt_has_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop_id = world.upload("orders/1.csv", b"other,note\n1,2\n")
    assert world.finish()[drop_id].state == "rejected"
    assert isinstance(replay(world.ports, drop_id), Replayed)
    table = printed(world, world.finish()[drop_id], tmp_path, monkeypatch)

    assert {(row["attempt"], row["state"]) for row in table} == {(1, "rejected"), (2, "rejected")}


def test_drop_that_is_not_decided_is_a_line_without_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop_id = world.upload("orders/1.csv", BODY)
    (row,) = printed(world, world.deliver_events()[drop_id], tmp_path, monkeypatch)

    assert (row["state"], row["check_id"], row["result"]) == ("staged", None, None)
