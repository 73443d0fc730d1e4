"""The end of a test run: one plain line that a machine can read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from infra.packaging.bundles import ROOT

TESTS = """\
import pytest

@pytest.fixture
def broken():
    raise OSError

def test_good(): pass
def test_fine(): pass
def test_bad(): assert 0
def test_error(broken): pass
"""


def ending(folder: Path, *arguments: str) -> str:
    """The last line of a run of these tests."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    command += ["-c", str(folder / "pytest.ini"), *arguments, str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()[-1]


def test_run_ends_with_what_passed_and_failed(tmp_path: Path) -> None:
    assert ending(tmp_path) == "2 passed, 2 failed"


def test_all_that_pass_leave_none_failed(tmp_path: Path) -> None:
    assert ending(tmp_path, "-k", "good or fine") == "2 passed, 0 failed"
