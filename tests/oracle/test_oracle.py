"""The job against the oracle: contracts and files by chance, of all kinds, and the two must say the same of each."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.oracle import cases, running
from tests.oracle.contracts import Document

FILES = 34
SEED = 1
TORTURE = os.environ.get("ORACLE_SEED") or str(Random().randrange(10**6))
ROUNDS = 13


@pytest.mark.parametrize("form", cases.FORMS)
def test_job_and_oracle_say_the_same(spark: SparkSession, tmp_path: Path, form: str) -> None:
    _hold(spark, tmp_path, cases.FORMS[form], SEED)


@pytest.mark.torture
@pytest.mark.parametrize("form", cases.MORE_FORMS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_they_say_the_same_of_thousands(spark: SparkSession, tmp_path: Path, form: str, seed: str) -> None:
    _hold(spark, tmp_path, cases.MORE_FORMS[form], seed)


def _hold(spark: SparkSession, folder: Path, form: Document, seed: object) -> None:
    made = cases.made(spark, folder, form, seed, FILES)
    compared = running.compare(spark, folder, made.contract.plan, made.files, made.known)
    assert not compared.differences, "\n" + cases.told(spark, folder / "again", made, compared)
