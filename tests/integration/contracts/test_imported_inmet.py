"""The published case of the data contract format 0.1.3: its contract, imported and run, gives its published figures.

Hourly weather in the shape of INMET, with 6 % of rows wrong in two columns. Nine rules are 45 validations, one for
each rule and column: with -9999 for what is missing 33 succeed; with nothing in its place 41, and 2 are warnings.
Without the errors the file is accepted with warnings.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import Files, import_source
from contracts.decision import Decision
from contracts.plan import Plan
from infra.offline.judge import judge
from infra.packaging.bundles import ROOT

CONTRACT = ROOT / "tests/unit/contracts/authoring/imports/specifications/inmet-0.1.3.yaml"
WORST = ("passed", "warning", "failed")
RECORDS = 3000
MISSING = 0.03
MORE = {"radiation_kj_m2": 0.5, "gust_max_m_s": 0.12, "dewpoint_max_c": 0.12, "wind_speed_m_s": 0}
"""The share of readings that are missing: two columns lie between warning and failure, one lacks none."""
ERRORS = {"wind_direct_grad": 400, "humidity_perc": 150}
FORMATS = ("date.logicalType", "hour.logicalType")
"""The two rules on how dates and hours are written, which are the format of their columns."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    files = Files(("inmet/*.csv",), "inmet", "csv")
    (contract,) = import_source("data-contract-0.1.3", CONTRACT.read_bytes(), str(CONTRACT), files, "active").contracts
    plan = compile_text(contract.text.encode(), f"{contract.name}.yaml").plan
    assert plan
    return plan


def weather(path: Path, names: list[str], missing: Any, errors: dict[str, Any]) -> Path:
    """Return a file of records with some missing readings, and errors in 6 % of the records."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows(names, missing, errors)])
    return path


def rows(names: list[str], missing: Any, errors: dict[str, Any]) -> Iterator[list[Any]]:
    """Return the records of a file."""
    drawn = random.Random(7)
    for n in range(RECORDS):
        readings = {name: round(drawn.uniform(1, 99), 1) for name in names[3:20]}
        wrong = errors if drawn.random() < 0.06 else {}
        for name, value in readings.items():
            is_missing = drawn.random() < MORE.get(name, MISSING)
            readings[name] = wrong.get(name, missing if is_missing else value)
        place = ["SE", ("SP", "RJ", "MG", "ES")[n % 4], "A", "A600", -20.5, -40.1, 100]
        yield [n, f"2019-01-{1 + n // 24 % 28:02d}", f"{n % 24:02d}:00", *readings.values(), *place]


def validations(decision: Decision) -> dict[str, int]:
    """Return the results of the validations, one for each rule and column; the rule on the key is the tenth."""
    worst: dict[str, str] = {}
    for check in decision.checks:
        is_rule = "_rule-" in check.id and not check.id.startswith("unique_")
        if is_rule or check.id in FORMATS:
            name = check.id.removesuffix("-warning")
            worst[name] = max(worst.get(name, "passed"), check.result, key=WORST.index)
    return dict(Counter(worst.values()))


@pytest.mark.parametrize(
    ("missing", "errors", "verdict", "expected"),
    [
        (-9999, ERRORS, "rejected", {"passed": 33, "failed": 12}),
        ("", ERRORS, "rejected", {"passed": 41, "warning": 2, "failed": 2}),
        ("", {}, "accepted_with_warnings", {"passed": 43, "warning": 2}),
    ],
    ids=["as it came", "corrected", "without errors"],
)
def test_published_figures_come_out(
    spark: SparkSession, plan: Plan, tmp_path: Path, missing: Any, errors: Any, verdict: str, expected: dict[str, int]
) -> None:
    names = [prop.name for prop in plan.properties]
    path = weather(tmp_path / "weather.csv", names, missing, errors)
    decision = judge(path, plan, "inmet/weather.csv", lambda: spark).decision
    assert (decision.verdict, validations(decision)) == (verdict, expected)
