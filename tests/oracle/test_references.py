"""Relationships by chance: the job and the oracle must say the same of contracts that look in a file."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.oracle import cases, referring, running
from tests.oracle.test_oracle import TORTURE

FILES = 12
ROUNDS = 6
SEEDS = {"csv": 2, "csv, other signs": 1, "csv, over lines, packed": 6, "jsonl": 1, "parquet": 1}
"""Of each form one that has all of these."""
EVERY = {(name, said) for name in ("f0", "pair") for said in ("failed", "success")}


@pytest.mark.parametrize(("form", "seed"), SEEDS.items())
def test_job_and_oracle_find_the_same_partners(spark: SparkSession, tmp_path: Path, form: str, seed: int) -> None:
    assert _hold(spark, tmp_path, form, seed) == EVERY


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.MORE_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_find_the_same_of_thousands(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold(spark, tmp_path, form, seed)


def _hold(spark: SparkSession, folder: Path, form: str, seed: object) -> set[tuple[str, str]]:
    """Hold the two together; whether any record of any file has a partner for one property and for two, or has none."""
    made = cases.made(spark, folder, cases.MORE_FORMS[form], seed, FILES)
    contract, references = referring.related(Random(f"{form} {seed}"), made.contract)
    compared = running.compare(spark, folder, contract.plan, made.files, made.known, references=references)
    assert not compared.differences, compared.differences[:9]
    outcomes = [o for opinion in compared.opinions.values() for o in opinion.decision.checks if o.id in ("f0", "pair")]
    return {(o.id, said) for o in outcomes for said in ("failed", "success") if getattr(o, said)}
