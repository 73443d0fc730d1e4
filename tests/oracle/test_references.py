"""Relationships by chance: the job and the oracle must say the same of contracts that look in a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.oracle import cases, records, referring, running
from tests.oracle.judging import judge
from tests.oracle.test_oracle import TORTURE

FILES = 12
ROUNDS = 6
SURVEYED = 8
"""Seeds of each form that the survey looks at."""


@pytest.mark.parametrize("form", ["csv", "csv, other signs", "csv, over lines, packed", "jsonl", "parquet"])
def test_job_and_oracle_find_the_same_partners(spark: SparkSession, tmp_path: Path, form: str) -> None:
    _hold(spark, tmp_path, form, 1)


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.MORE_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_find_the_same_of_thousands(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold(spark, tmp_path, form, seed)


def _hold(spark: SparkSession, folder: Path, form: str, seed: object) -> None:
    made = cases.made(spark, folder, cases.MORE_FORMS[form], seed, FILES)
    contract, references = referring.related(Random(f"{form} {seed}"), made.contract)
    compared = running.compare(spark, folder, contract.plan, made.files, made.contents, references=references)
    assert not compared.differences, compared.differences[:9]


def test_cases_have_partners_and_have_none() -> None:
    seen: set[tuple[str, str]] = set()
    for form, seed in ((form, seed) for form in ("csv", "jsonl") for seed in range(SURVEYED)):
        made = cases.without_spark(cases.MORE_FORMS[form], seed, FILES)
        contract, references = referring.related(Random(f"{form} {seed}"), made.contract)
        keys = referring.keys(contract.plan, references)
        for body in made.files.values():
            if not (admission := running.look(contract.plan, body)).refused:
                content = replace(records.content(contract.plan, admission.header, body), keys=keys)
                checks = judge(contract.plan, content, admission.notes).decision.checks
                seen |= {(o.id, way) for o in checks for way in ("failed", "success", "null") if getattr(o, way)}
    assert {(name, way) for name in ("f0", "pair") for way in ("failed", "success", "null")} <= seen
