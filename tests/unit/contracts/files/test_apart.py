"""Readers in processes of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contracts.files import apart
from contracts.plan import Plan
from contracts.problem import Problem
from tests.builders import a_plan

HERE = "tests.unit.contracts.files.test_apart"
AMPLE = apart.Bounds(memory=1 << 30, seconds=20)


def _sound(plan: Plan, path: str) -> None:
    Path(path).write_text(plan.contract)


def _process(_: Plan, path: str) -> None:
    Path(path).write_text(str(os.getpid()))


def _at_fault(plan: Plan, path: str) -> Problem:
    return Problem("odd", f"{plan.contract} {path}", "Mend it.")


def _crashes(_: Plan, __: str) -> None:
    os.abort()


def _grows(_: Plan, __: str) -> None:
    bytes(2 << 30)


def _works(_: Plan, seconds: str) -> None:
    end = time.process_time() + float(seconds)
    while time.process_time() < end:
        pass


ENDS: dict[str, Callable[[Plan, str], Problem | None]] = {
    "sound": _sound,
    "process": _process,
    "at fault": _at_fault,
    "crashes": _crashes,
    "grows": _grows,
    "works": _works,
}


def read(plan: Plan, arguments: list[str]) -> Problem | None:
    """End as the first argument says; what ends `later` ends so in a process that the second one names."""
    end, more = arguments
    if end.endswith(" later") and more != str(os.getpid()):
        return None
    return ENDS[end.removesuffix(" later")](plan, more)


def test_program_has_the_plan_and_its_arguments(tmp_path: Path) -> None:
    assert apart.run(HERE, ["sound", str(tmp_path / "out")], a_plan(), AMPLE) is None
    assert (tmp_path / "out").read_text() == "orders.v1"


@pytest.mark.parametrize(
    ("end", "seconds", "code"),
    [
        ("at fault", 20, "odd"),
        ("crashes", 20, "reading-fails"),
        ("grows", 20, "reading-too-large"),
        ("works", 1, "reading-too-long"),
    ],
)
def test_file_that_ends_its_reader_is_at_fault(end: str, seconds: int, code: str) -> None:
    problem = apart.run(HERE, [end, "60"], a_plan(), apart.Bounds(AMPLE.memory, seconds))

    assert problem is not None
    assert problem.code == code


def test_fault_of_the_reader_is_none_of_the_file() -> None:
    with pytest.raises(OSError, match=r"ended with the code 1: KeyError$"):
        apart.run(HERE, ["?", "x"], a_plan(), AMPLE)


def process_of(readers: apart.Readers, path: Path) -> str:
    """Read a sound file; return the process that did."""
    assert readers.read(["process", str(path)]) is None
    return path.read_text()


def test_one_process_reads_files_one_after_another(tmp_path: Path) -> None:
    with apart.Readers(HERE, a_plan(), AMPLE) as readers:
        processes = {process_of(readers, tmp_path / "out") for _ in range(5)}
        fault = readers.read(["at fault", "é\n"])
        processes.add(process_of(readers, tmp_path / "out"))

    assert (len(processes), fault) == (1, Problem("odd", "orders.v1 é\n", "Mend it."))


@pytest.mark.parametrize(("end", "code"), [("crashes", "reading-fails"), ("grows", "reading-too-large")])
def test_file_that_ends_its_reader_ends_no_other(end: str, code: str, tmp_path: Path) -> None:
    with apart.Readers(HERE, a_plan(), AMPLE) as readers:
        first = process_of(readers, tmp_path / "out")
        problem = readers.read([end, "x"])
        second = process_of(readers, tmp_path / "out")

    assert (problem and problem.code, first != second) == (code, True)


@pytest.mark.parametrize("end", ["crashes later", "grows later", "?"])
def test_file_is_at_fault_only_if_a_fresh_reader_says_so(end: str, tmp_path: Path) -> None:
    """It fails each time in a process that has read another file."""
    with apart.Readers(HERE, a_plan(), AMPLE) as readers:
        first = process_of(readers, tmp_path / "out")
        if end == "?":
            with pytest.raises(OSError, match=r"ended with the code 1: KeyError$"):
                readers.read([end, "x"])
        else:
            assert readers.read([end, first]) is None
        assert process_of(readers, tmp_path / "out") != first


def test_seconds_are_those_of_each_file() -> None:
    with apart.Readers(HERE, a_plan(), apart.Bounds(AMPLE.memory, 2)) as readers:
        assert [readers.read(["works", "0.7"]) for _ in range(5)] == [None] * 5


def test_many_threads_have_processes_of_their_own(tmp_path: Path) -> None:
    with apart.Readers(HERE, a_plan(), AMPLE) as readers, ThreadPoolExecutor(4) as pool:
        processes = list(pool.map(lambda n: process_of(readers, tmp_path / str(n)), range(20)))

    assert len(set(processes)) <= 4


if __name__ == "__main__":
    apart.main(read)
