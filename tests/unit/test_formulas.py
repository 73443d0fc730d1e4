"""Cells that a spreadsheet would run: the pattern that Java is given, in Python, which reads it the same."""

from __future__ import annotations

import re

import pytest

from spark_jobs.corrections import FORMULA

PATTERN = re.compile(FORMULA % r"\Z")


@pytest.mark.parametrize(
    "cell", ["=1+1", "@SUM(A1)", "+x", "-1+2", "\t=1", "\r=1", "\ufeff=1", "\uff1d1", "\uff20a", "\uff0bx", "\uff0dx"]
)
def test_cell_that_would_run_is_found(cell: str) -> None:
    assert PATTERN.match(cell)


@pytest.mark.parametrize("cell", ["-5", "+5.5", "-1e9", "a=1", "", " =1", "5-3"])
def test_number_or_text_is_left_alone(cell: str) -> None:
    assert not PATTERN.match(cell)
