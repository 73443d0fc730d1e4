"""`dropgate show`: where to look, and nothing that is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from functions.submission import Drop, Forgotten
from infra.cli.main import main
from infra.cli.target import DEMO
from infra.local.archive import save
from tests.builders import ZONES, a_drop
from tests.fakes import MemoryLedger


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def shown(drop: Drop, *words: str, objects: dict[str, bytes] | None = None) -> str:
    """What is said of the only drop of a demo."""
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
