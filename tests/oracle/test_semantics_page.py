"""docs/reference/semantics.md: each of its lines says what holds it, and that is there; each meaning has its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.integration.spark_jobs.formats import test_registry
from tests.oracle import faults, test_nested
from tests.oracle.judging import judge
from tests.oracle.meanings import CASES
from tests.oracle.records import content
from tests.unit.contracts import test_verdict

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reference" / "semantics.md").read_text(encoding="utf-8")
HELD = [
    line.removesuffix(" |").rsplit(" | ", 1)[1]
    for table in re.findall(r"(?m)^\|.* held by \|\n\|[-|]+\|\n((?:\|.*\n)+)", TEXT)
    for line in table.splitlines()
]
NAMED: dict[str, Mapping[str, object]] = {
    "meaning": CASES,
    "verdict": test_verdict.CASES,
    "fault": faults.CSV,
    "nested": test_nested.LINES,
    "json": test_registry.LINES,
}
"""By their word on the page: the cases that may hold a line."""


def test_every_meaning_has_its_line() -> None:
    held = (several.removeprefix("meaning: ") for several in HELD if several.startswith("meaning: "))
    assert {name for several in held for name in several.split(", meaning: ")} == set(CASES)


def test_what_holds_a_line_is_there() -> None:
    assert len(HELD) == len(re.findall(r"(?m)^\|(?!-).*\|$", TEXT)) - len(re.findall(r"(?m)^\|-", TEXT)) - UNHELD
    assert [held for held in HELD if not _is_there(held)] == []


UNHELD = 8 + 5
"""Lines of the first table, which names words, and of the last, which names others."""


def _is_there(held: str) -> bool:
    kind, _, name = held.partition(": ")
    if kind in NAMED:
        return all(each in NAMED[kind] for each in name.split(f", {kind}: "))
    return all((ROOT / path).is_file() for path in held.split(", "))


@pytest.mark.parametrize("name", test_registry.LINES)
def test_oracle_says_the_same_of_lines_of_json(name: str) -> None:
    """The job's answers are held by tests/integration/spark_jobs/formats/test_registry.py."""
    line, expected = test_registry.LINES[name]
    plan = test_registry.plan_of("jsonl")
    opinion = judge(plan, content(plan, (), f"{line}\n".encode()))
    assert {i for _, ids in opinion.rows.values() for i in ids} == {*expected}
