"""A drop by its key: the newest of it is shown, with how many there are; what is not there is told its nearest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from functions.drop import Drop
from infra.cli.main import main
from infra.cli.options.drop_argument import NEAREST, last_months, the_drop
from infra.cli.options.target import DEMO, Target
from infra.local.state.export_folder import save
from tests.builders import ZONES, a_drop
from tests.fakes import MemoryLedger

NOW = datetime.now(UTC)
LONG_AGO = (NOW - timedelta(days=150)).strftime("%Y-%m")


@pytest.fixture(autouse=True)
def _archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo's drops: two of a key, one of them under no contract, and one of long ago."""
    monkeypatch.chdir(tmp_path)
    drop, now = a_drop(state="rejected"), NOW.strftime("%Y-%m")
    drops = [
        replace(drop, id="a" * 32, received_at=f"{now}-01T00:00:00.000000Z"),
        replace(drop, id="b" * 32, received_at=f"{now}-01T00:00:02.000000Z", contract=None, state="unmatched"),
        replace(drop, id="c" * 32, received_at=f"{now}-01T00:00:01.000000Z"),
        replace(drop, id="d" * 32, received_at=f"{LONG_AGO}-01T00:00:00.000000Z", key="old.csv", name="old.csv"),
    ]
    ledger = MemoryLedger()
    for one in drops:
        ledger.open(one)
    save(DEMO, ledger, [d.id for d in drops], {}, {"promoted": ZONES.promoted}, "2026-01-31T12:00:00Z")


def show(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["show", *words])


@pytest.mark.parametrize("word", ["orders/1.csv", "s3://landing/orders/1.csv"])
def test_key_shows_its_newest_drop_and_tells_of_the_others(word: str) -> None:
    shown = show(word)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.startswith("∅ unmatched  orders/1.csv")
    text = " ".join(shown.stdout.split())
    assert f"3 of this key in {NOW:%Y-%m}, newest first: {'b' * 10}, {'c' * 10}, {'a' * 10}" in text


def test_key_gives_machines_all_ids() -> None:
    body = json.loads(show("orders/1.csv", "--format", "json").stdout)
    assert (body["drop"]["id"][0], [one[0] for one in body["uploads"]]) == ("b", ["b", "c", "a"])


def test_id_is_one_drop_alone() -> None:
    assert json.loads(show("cccc", "--format", "json").stdout)["uploads"] is None
    assert "of this key" not in show("cccc").stdout


def test_older_months_are_looked_at_when_they_are_named() -> None:
    assert show("old.csv").exit_code == 2
    assert json.loads(show("old.csv", "--month", LONG_AGO, "--format", "json").stdout)["drop"]["id"] == "d" * 32


@dataclass
class Asked:
    """A ledger that notes what it is asked for; each contract has more drops than a look for the nearest key reads."""

    calls: list[tuple[str | None, str, int, bool]] = field(default_factory=list)

    def of_month(
        self, contract: str | None, month: str, most: int = 1000, only: Mapping[str, str] | None = None
    ) -> tuple[Drop, ...]:
        self.calls.append((contract, month, most, only is not None))
        return () if only else tuple(a_drop(name=f"{contract}/{n}.csv") for n in range(most))


def test_key_that_is_nowhere_does_not_cost_whole_months_of_all_contracts() -> None:
    ledger: Any = Asked()
    contracts = ("orders.v1", "shops.v1")
    target = Target("here", ledger, lambda: contracts, "s3://l/", "s3://p/", str, lambda _: ("orders.v1",))
    months = last_months(3)

    with pytest.raises(click.UsageError) as raised:
        the_drop(target, "orders/none.csv")
    looks = [(contract, month) for contract, month, _, keyed in ledger.calls if keyed]
    assert looks == [*((c, m) for m in months for c in ("orders.v1", None)), ("shops.v1", months[0])]
    assert [call[1:3] for call in ledger.calls if not call[3]] == [(months[0], NEAREST)] * 3
    searched = (
        f"Searched: orders.v1 and no contract in {', '.join(months)}, 1 other contract in {months[0]} (see --month)."
    )
    assert searched in raised.value.message


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("orders/l.csv", "(see --month). Did you mean orders/1.csv?"),
        ("orders/l.csv", f"Searched: orders.v1 and no contract in {NOW:%Y-%m}, "),
        ("zzz/zzz.parquet", "(see --month). `dropgate drops` lists all drops."),
        (
            "s3://elsewhere/orders/1.csv",
            "s3://elsewhere/orders/1.csv is not an object of landing; write s3://landing/KEY.",
        ),
        ("s3://landing/", "s3://landing/ is not an object of landing"),
        ("abc", "Give at least 4 characters of the drop's id."),
        ("eeee", "No drop begins with eeee"),
        ("README", "For a key, write s3://landing/README."),
    ],
)
def test_what_is_not_there_is_told_its_nearest(word: str, message: str) -> None:
    shown = show(word)
    assert (shown.exit_code, message in " ".join(shown.stderr.split())) == (2, True), shown.stderr
