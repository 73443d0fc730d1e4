"""Relationships by chance: the job and the oracle must say the same of contracts that look in a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.oracle import cases, referring, running
from tests.oracle.test_oracle import TORTURE

FILES = 12
ROUNDS = 6
SAID: Counter[str] = Counter()


@pytest.mark.parametrize("form", ["csv", "csv, other signs", "csv, over lines, packed", "jsonl", "parquet"])
def test_job_and_oracle_find_the_same_partners(spark: SparkSession, tmp_path: Path, form: str) -> None:
    said = _hold(spark, tmp_path, form, 1)
    assert {"f0", "pair"} <= said


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.MORE_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_find_the_same_of_thousands(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold(spark, tmp_path, form, seed)


def _hold(spark: SparkSession, folder: Path, form: str, seed: object) -> set[str]:
    """Hold the two together; the checks that found records without a partner, and some with one."""
    made = cases.made(spark, folder, cases.MORE_FORMS[form], seed, FILES)
    contract, references = referring.related(Random(f"{form} {seed}"), made.contract)
    compared = running.compare(spark, folder, contract.plan, made.files, made.known, references)
    assert not compared.differences, compared.differences[:9]
    outcomes = [o for opinion in compared.opinions.values() for o in opinion.decision.checks if o.failed and o.success]
    return {o.id for o in outcomes}
