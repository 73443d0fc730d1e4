"""`dropgate drops`: what is asked for is found behind newer drops, and what is left out is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from functions.ports.expected_files import Absence
from infra.cli.main import main
from infra.cli.options.target import DEMO
from infra.local.state.export_folder import save
from tests.builders import ZONES, a_drop
from tests.fakes import MemoryLedger


@pytest.fixture(autouse=True)
def _archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo's drops: three that failed, 120 newer ones that were accepted, and one under no contract."""
    monkeypatch.chdir(tmp_path)
    ledger, drop = MemoryLedger(), a_drop(state="accepted")
    drops = [
        replace(drop, id=f"{n:032}", state="failed" if n < 3 else "accepted", received_at=at(n)) for n in range(123)
    ]
    drops.append(replace(drop, id="u" * 32, contract=None, state="unmatched", received_at=at(0)))
    for one in drops:
        ledger.open(one)
    ledger.write((), Absence("orders.v1", "2026-01-02", 2, 1, at(0), at(9), at(1)))
    ended = Absence("orders.v1", "2026-01-03", 1, 1, at(2), at(9), at(3), "arrived")
    ledger.write((), ended)
    save(DEMO, ledger, [d.id for d in drops], {}, {"promoted": ZONES.promoted}, "2026-01-31T12:00:00Z")


def at(n: int) -> str:
    return f"2026-01-01T00:{n // 60:02}:{n % 60:02}.000000Z"


def drops(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["drops", "--month", "2026-01", *words])


def rows(*words: str) -> Any:
    return json.loads(drops(*words, "--format", "json").stdout)


def test_failed_drops_are_found_behind_newer_ones() -> None:
    failed = rows("--state", "failed")
    assert [int(row["id"]) for row in failed] == [2, 1, 0]
    assert "more" not in drops("--state", "failed").stderr


def test_more_than_shown_is_told() -> None:
    assert len(rows()) == 100
    assert "There are more than these 100 drops in 2026-01: raise --most to list more." in drops().stderr
    assert "There are more than these 2 failed drops" in drops("--state", "failed", "--most", "2").stderr
    assert "more" not in drops("--most", "124").stderr


def test_contract_without_a_drop_in_that_state_is_no_error() -> None:
    shown = drops("--state", "rejected", "--contract", "orders.v1")
    assert (shown.exit_code, shown.stdout) == (0, "No drops.\n")
    assert drops("--state", "rejected", "--contract", "oders.v1").exit_code == 2


def test_what_did_not_come_is_listed_by_day() -> None:
    shown = drops("--missing").stdout.splitlines()

    assert [line.split()[:2] for line in shown[1:]] == [["orders.v1", "2026-01-03"], ["orders.v1", "2026-01-02"]]
    assert shown[2].endswith("1 of 2  ✕ missing")
    assert "all came by 2026-01-01 00:00:03" in shown[1]
    assert [row["state"] for row in rows("--missing", "--contract", "orders.v1")] == ["arrived", "missing"]
    assert drops("--missing", "--month", "2026-02").stdout == "Nothing is missing.\n"


def test_what_did_not_come_has_no_state_and_a_contract_that_is_known() -> None:
    assert drops("--missing", "--state", "failed").exit_code == 2
    assert "Did you mean orders.v1?" in drops("--missing", "--contract", "oders.v1").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--stuck", "--missing"), "leave `--missing` out"),
        (("--stuck", "--most", "5", "--state", "failed"), "leave `--state`, `--most` out"),
        (("--minutes", "60"), "add --stuck"),
        (("--missing", "--minutes", "60"), "add --stuck"),
    ],
)
def test_options_that_would_do_nothing_are_refused(words: tuple[str, ...], message: str) -> None:
    done = CliRunner(mix_stderr=False).invoke(main, ["drops", *words])

    assert (done.exit_code, message in " ".join(done.stderr.split())) == (2, True), done.stderr
