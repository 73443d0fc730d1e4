"""The job against the oracle: contracts and files by chance, of all kinds, and the two must say the same of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from contracts import rules
from contracts.plan import Plan
from contracts.watermarks import HighMark
from tests.builders import kinds_of
from tests.oracle import cases, running
from tests.oracle.contracts import Document
from tests.oracle.judging import judge
from tests.oracle.records import content
from tests.oracle.rules import FAILS

FILES = 38
SEED = 1
TORTURE = os.environ.get("ORACLE_SEED") or str(Random().randrange(10**6))
ROUNDS = 19
SURVEYED = range(22, 38)
"""Seeds of the contracts of each form that the survey looks at."""


@pytest.mark.parametrize("form", cases.FORMS)
def test_job_and_oracle_say_the_same(spark: SparkSession, tmp_path: Path, form: str) -> None:
    _hold(spark, tmp_path, cases.FORMS[form], SEED)


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.MORE_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_say_the_same_of_thousands(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold(spark, tmp_path, cases.MORE_FORMS[form], seed)


@pytest.mark.parametrize("form", [*cases.SIFTED_FORMS[:3], "fixed, bytes"])
def test_they_say_the_same_of_records_that_are_sifted(spark: SparkSession, tmp_path: Path, form: str) -> None:
    _hold_sifted(spark, tmp_path, cases.MORE_FORMS[form], SEED)


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.SIFTED_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_say_the_same_of_thousands_of_those(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold_sifted(spark, tmp_path, cases.MORE_FORMS[form], seed)


@pytest.mark.parametrize("form", cases.NESTED_FORMS)
def test_they_say_the_same_of_values_within_values(spark: SparkSession, tmp_path: Path, form: str) -> None:
    _hold_nested(spark, tmp_path, cases.NESTED_FORMS[form], SEED)


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.NESTED_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_say_the_same_of_thousands_of_these(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold_nested(spark, tmp_path, cases.NESTED_FORMS[form], seed)


def _hold_sifted(spark: SparkSession, folder: Path, form: Document, seed: object) -> None:
    made = cases.sifted(spark, folder, form, seed, FILES)
    compared = running.compare(spark, folder, made.contract.plan, made.files, made.contents, sift_from=0)
    assert not compared.differences, "\n" + cases.described(spark, folder / "again", made, compared)


def _hold_nested(spark: SparkSession, folder: Path, form: Document, seed: object) -> None:
    made = cases.nested(spark, folder, form, seed, FILES)
    compared = running.compare(spark, folder, made.contract.plan, made.files, made.contents)
    assert not compared.differences, "\n" + cases.described(spark, folder / "again", made, compared)


def _hold(spark: SparkSession, folder: Path, form: Document, seed: object) -> None:
    made = cases.made(spark, folder, form, seed, FILES)
    compared = running.compare(spark, folder, made.contract.plan, made.files, made.contents, made.contract.marks)
    assert not compared.differences, "\n" + cases.described(spark, folder / "again", made, compared)


def test_cases_are_of_every_kind() -> None:
    """Every check, every way to be no record, every verdict occurs among the cases, and fails and holds in some."""
    counts: Counter[str] = Counter()
    for form in (form for form in cases.MORE_FORMS.values() if form["format"] != "parquet"):
        for seed in SURVEYED:
            made = cases.without_spark(form, seed, 8)
            for body in made.files.values():
                counts.update(_kinds_of(made.contract.plan, body, made.contract.marks))
    assert sorted(KINDS - set(counts)) == []


def _kinds_of(plan: Plan, body: bytes, marks: tuple[HighMark, ...]) -> Iterator[str]:
    """The verdict of a file, the refusals of the door, and of each kind of check that it failed or held."""
    admission = running.look(plan, body)
    yield from ("refused" for _ in admission.problems if admission.refused)
    if admission.refused:
        return
    decision = judge(plan, content(plan, admission.header, body), admission.notes, marks).decision
    yield str(decision.verdict)
    yield from (f"{o.kind} {o.result}" for o in decision.checks)
    yield from ("watermark" for c in plan.checks if c.watermark in {m.property for m in marks})
    yield from (f"because {o.reason}" for o in decision.checks if o.reason)


ROWS = (
    *("required", "nullValues", "missingValues", "logicalType", "unique", "primaryKey", "duplicateValues"),
    *("rowCount", "expression"),
)
KINDS = {
    *(
        f"{kind} {result}"
        for kind in (*FAILS, *ROWS, *kinds_of(rules.Aggregate))
        for result in ("passed", "warning", "failed")
    ),
    *(
        f"{kind} {result}"
        for kind in ("lineLength", "wholeCharacters", "recordType")
        for result in ("passed", "failed")
    ),
    *(f"{kind} {result}" for kind in ("fields", "quotes", "text", "object", "keys") for result in ("passed", "failed")),
    *(f"{kind} {result}" for kind in kinds_of(rules.Query) for result in ("passed", "failed")),
    *("accepted", "accepted_with_warnings", "rejected", "refused", "watermark"),
    *(f"because {reason}" for reason in ("no-rows", "allowed-missing", "no-values", "too-few-values")),
}
"""What must occur among the cases."""
