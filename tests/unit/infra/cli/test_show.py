"""`dropgate show`: what is wrong, where to look for the rest, and nothing that is gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from contracts.problem import Problem
from functions.drop import MOST_PROBLEMS, Drop, Forgotten, RowCounts
from infra.cli.main import main
from infra.cli.options.target import DEMO
from infra.local.state.export_folder import save
from tests.builders import ZONES, a_drop
from tests.fakes import MemoryLedger


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def shown(drop: Drop, *words: str, objects: dict[str, bytes] | None = None) -> str:
    """Return the output of `dropgate show` for the only drop of a demo."""
    ledger = MemoryLedger()
    ledger.open(drop)
    zones: dict[str, Any] = {"promoted": ZONES.promoted, "reports": ZONES.reports}
    save(DEMO, ledger, [drop.id], objects or {}, zones, "2026-01-31T12:00:00Z")
    done = CliRunner(mix_stderr=False).invoke(main, ["show", drop.id, *words])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_nothing_is_offered_of_a_forgotten_drop() -> None:
    assert "judge again  dropgate replay" in shown(a_drop(state="rejected"))
    text = shown(a_drop(state="rejected", forgotten=Forgotten("ann", "request 77", "2026-01-31T12:00:00Z", done=True)))

    assert "Where to look" not in text
    assert "forgotten  by ann: request 77" in text


@pytest.mark.parametrize("many", [MOST_PROBLEMS - 1, MOST_PROBLEMS])
def test_as_many_problems_as_a_record_holds_lead_to_the_receipt(many: int) -> None:
    problem = Problem("wrong", "It is wrong.", "Mend it.")
    drop = a_drop(state="rejected", problems=(problem,) * many)
    full = many == MOST_PROBLEMS

    assert ("The record holds only the first 5" in " ".join(shown(drop).split())) is full
    assert (json.loads(shown(drop, "--format", "json"))["more_problems"] is not None) is full


@pytest.mark.parametrize("name", ["rejected.csv", "rejected.jsonl", None])
def test_rejected_rows_are_named_where_the_receipt_names_them(name: str | None) -> None:
    folder = "reports/shop/d/1/"
    drop = a_drop(state="rejected", rows=RowCounts(9, 7, 2), receipt=f"s3://internal/{folder}receipt.json")
    receipt = json.dumps({"rejected_rows": name}).encode()
    text = shown(drop, objects={f"{folder}receipt.json": receipt} | ({f"{folder}{name}": b"1"} if name else {}))

    assert ("rejected rows" in text) is (name is not None)
    assert name is None or f"{DEMO / folder}/{name}" in text


@pytest.mark.parametrize(
    "receipt", [b'{"rejected_rows": "rej', b"[1]", b"\xff"], ids=["cut short", "a list", "no text"]
)
def test_receipt_that_is_none_names_no_rejected_rows(receipt: bytes) -> None:
    folder = "reports/shop/d/1/"
    drop = a_drop(state="rejected", rows=RowCounts(9, 7, 2), receipt=f"s3://internal/{folder}receipt.json")

    assert "rejected rows" not in shown(drop, objects={f"{folder}receipt.json": receipt})
