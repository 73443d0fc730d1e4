"""Readers in processes of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contracts.files import apart
from contracts.plan import Plan
from contracts.problem import Problem
from tests.builders import a_plan

HERE = "tests.unit.contracts.files.test_apart"
AMPLE = apart.Bounds(memory=1 << 30, seconds=20)


def read(plan: Plan, arguments: list[str]) -> Problem | None:
    """End as the first argument says."""
    match arguments:
        case ["sound", path]:
            Path(path).write_text(plan.contract)
        case ["at fault", path]:
            return Problem("odd", f"{plan.contract} {path}", "Mend it.")
        case ["crashes", *_]:
            os.abort()
        case ["grows", *_]:
            bytes(2 << 30)
        case ["loops", *_]:
            while True:
                pass
        case _:
            raise ValueError("what it is asked for")
    return None


def test_program_has_the_plan_and_its_arguments(tmp_path: Path) -> None:
    assert apart.run(HERE, ["sound", str(tmp_path / "out")], a_plan(), AMPLE) is None
    assert (tmp_path / "out").read_text() == "orders.v1"


@pytest.mark.parametrize(
    ("end", "seconds", "code"),
    [
        ("at fault", 20, "odd"),
        ("crashes", 20, "reading-fails"),
        ("grows", 20, "reading-too-large"),
        ("loops", 1, "reading-too-long"),
    ],
)
def test_file_that_ends_its_reader_is_at_fault(end: str, seconds: int, code: str) -> None:
    problem = apart.run(HERE, [end, "x"], a_plan(), apart.Bounds(AMPLE.memory, seconds))

    assert problem is not None
    assert problem.code == code


def test_fault_of_the_reader_is_none_of_the_file() -> None:
    with pytest.raises(OSError, match=r"ended with the code 1: ValueError$"):
        apart.run(HERE, ["?"], a_plan(), AMPLE)


if __name__ == "__main__":
    apart.main(read)
