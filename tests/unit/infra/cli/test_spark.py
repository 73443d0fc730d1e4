"""The JVM's compilation for local files: fast for small files, and for larger files that are prefiltered."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from contracts import rules
from contracts.job import SMALL, SMALL_PREFILTERED, is_brief
from contracts.plan import Plan
from infra.cli.options.spark import are_brief
from tests.unit.contracts.authoring.documents import a_document, a_plan

PLAIN = a_plan(a_document())
GOOD, BAD = b"id\n" + b"1\n" * 9, b"id\n" + b"one\n" * 9


@pytest.fixture
def sized(tmp_path: Path) -> Path:
    return tmp_path / "orders.csv"


def brief(plan: Plan, file: Path, start: bytes, size: int) -> bool:
    """Return True if a file that starts so counts as brief; the rest of the file takes no disk space."""
    file.write_bytes(start)
    os.truncate(file, size)
    return are_brief(plan, [file])


@pytest.mark.parametrize(
    ("plan", "start"),
    [
        (PLAIN, GOOD),
        (PLAIN, BAD),
        (replace(PLAIN, compression="gzip"), GOOD),
        (replace(PLAIN, file_format="jsonl"), GOOD),
    ],
)
def test_small_files_are(plan: Plan, start: bytes, sized: Path) -> None:
    assert brief(plan, sized, start, SMALL - 1)


@pytest.mark.parametrize("size", [SMALL, SMALL_PREFILTERED - 1])
def test_larger_ones_are_where_most_lines_pass(size: int, sized: Path) -> None:
    assert brief(PLAIN, sized, GOOD, size)
    assert not brief(PLAIN, sized, BAD, size)


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAIN, compression="gzip"),
        replace(PLAIN, file_format="jsonl"),
        replace(PLAIN, csv=replace(PLAIN.csv, multi_line=True)),
        replace(
            PLAIN, checks=(*PLAIN.checks, replace(PLAIN.checks[0], id="q", rule=rules.Sql("", "", (), ()), scope="set"))
        ),
    ],
    ids=["packed", "objects", "records of several lines", "a query over all records"],
)
def test_larger_ones_are_not_where_the_jvm_reads_all_lines(plan: Plan, sized: Path) -> None:
    assert not brief(plan, sized, GOOD, SMALL)


def test_large_ones_are_not(sized: Path) -> None:
    assert not brief(PLAIN, sized, GOOD, SMALL_PREFILTERED)


def test_the_size_is_of_all_files(sized: Path, tmp_path: Path) -> None:
    other = tmp_path / "more.csv"
    for file in (sized, other):
        file.write_bytes(BAD)
        os.truncate(file, SMALL // 2)
    assert not are_brief(PLAIN, [sized, other])


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAIN, compression="gzip"),
        replace(PLAIN, file_format="jsonl"),
        replace(PLAIN, csv=replace(PLAIN.csv, multi_line=True)),
        replace(PLAIN, promote="rows"),
        replace(PLAIN, promote="table"),
        replace(
            PLAIN, checks=(*PLAIN.checks, replace(PLAIN.checks[0], id="q", rule=rules.Sql("", "", (), ()), scope="set"))
        ),
    ],
    ids=["packed", "objects", "records of several lines", "valid rows", "a table", "a query over all records"],
)
def test_runs_are_as_their_plan_and_size_say(plan: Plan) -> None:
    assert is_brief(PLAIN, SMALL)
    assert is_brief(plan, SMALL - 1)
    assert not is_brief(plan, SMALL)
