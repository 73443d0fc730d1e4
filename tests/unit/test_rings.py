"""Every test has a ring, and no pattern of a ring is left without a test."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest

from infra.packaging.bundles import ROOT
from tests import rings

PATTERNS = [
    p
    for patterns in (rings.QUICK, rings.SLOW, rings.SPARK, rings.FLOW, rings.LONG, *rings.PROOFS.values())
    for p in patterns
]


@pytest.mark.parametrize(
    ("test", "part"),
    [
        ("tests/oracle/test_meanings.py::test_job[csv]", "oracle"),
        ("tests/oracle/test_meanings.py::test_oracle[csv]", None),
        ("tests/oracle/test_meanings.py::test_job[jsonl]", "oracle"),
        ("tests/oracle/test_oracle.py::test_job_and_oracle_say_the_same[csv]", None),
        ("tests/unit/functions/flow/test_crashes.py::test_way[a-before]", "attacks"),
        ("tests/unit/test_new.py::test_anything", None),
    ],
)
def test_part_follows_the_first_pattern_that_fits(test: str, part: str | None) -> None:
    assert rings.part_of(test) == part


def test_no_proof_is_quick() -> None:
    assert rings.is_quick("tests/unit/contracts/test_codec.py::test_decode")
    assert not rings.is_quick("tests/unit/functions/flow/test_crashes.py::test_way")
    assert not rings.is_quick("tests/unit/infra/setup/test_setup.py::test_java")


def test_flow_and_other_spark_have_a_worker_each_in_the_test_command() -> None:
    tests = (
        "tests/e2e/test_a.py::test_b",
        "tests/e2e/test_b.py::test_b",
        "tests/integration/spark_jobs/test_c.py::test_d[x@y]",
        "tests/unit/test_a.py::t",
    )
    assert [rings.scope_of(test, proofs=False) for test in tests] == ["flow", "flow", "spark", "tests/unit/test_a.py"]
    assert [rings.scope_of(test, proofs=True) for test in tests] == [test.partition("::")[0] for test in tests]


def test_longest_come_first() -> None:
    tests = (
        "tests/unit/test_a.py::t",
        "tests/integration/infra/test_a.py::t",
        "tests/integration/spark_jobs/test_c.py::t",
        "tests/integration/functions/test_a.py::t",
        "tests/e2e/test_a.py::t",
    )
    areas = [rings.area_of(test) for test in sorted(tests, key=rings.turn_of)]
    assert areas == ["e2e", "integration/spark_jobs", "integration/functions", "integration/infra", "unit"]


def test_every_pattern_names_tests() -> None:
    modules = {str(path.relative_to(ROOT)): path for path in (ROOT / "tests").rglob("test_*.py")}
    for pattern in PATTERNS:
        stem, _, name = pattern.partition("::")
        texts = [
            path.read_text(encoding="utf-8") for module, path in modules.items() if rings._matches(module, (stem,))
        ]
        names = [each for text in texts for each in re.findall(r"^def (test_\w+)", text, re.MULTILINE)]
        assert any(fnmatchcase(each, name.partition("[")[0] or "*") for each in names), pattern


def test_ci_runs_each_part_in_turn() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^parts=\((.*)\)$", text, re.MULTILINE) == [" ".join(rings.PROOFS)]


def test_markers_are_those_of_the_parts() -> None:
    command = [sys.executable, "-m", "pytest", "--markers"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert {f"proofs_{part}" for part in rings.PROOFS} <= set(re.findall(r"@pytest.mark.(\w+)", shown.stdout))
