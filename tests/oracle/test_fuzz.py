"""Random bytes in and around good files: never an exception, always an outcome with a name, the one of the oracle."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from contracts.job import DropResult
from contracts.plan import Plan
from functions.admission.admit import Admission
from tests.oracle import cases, damage, running
from tests.oracle.contracts import Contract
from tests.oracle.test_oracle import TORTURE
from tests.packing import packed, unpacked

AT_THE_DOOR = 1_500
IN_THE_JOB = 50
DAMAGED_TABLES = 6
"""Files of Parquet for one job: of those that cannot be read it finds each by halving, which takes a while."""
ROUNDS = 10


@pytest.mark.parametrize("target", damage.TARGETS)
def test_good_file_is_accepted_before_it_is_damaged(target: str) -> None:
    plan, body = damage.TARGETS[target]
    assert running.look(plan, body).problems == ()


@pytest.mark.parametrize("target", damage.TARGETS)
def test_door_has_an_answer_to_any_bytes(target: str) -> None:
    chance = Random(f"door {target}")
    plan, body = damage.TARGETS[target]
    admissions = [running.look(plan, damage.damaged(chance, body)) for _ in range(AT_THE_DOOR)]
    assert all(_has_a_name(one) for one in admissions)
    assert {one.refused for one in admissions} == {True, False}


def _has_a_name(admission: Admission) -> bool:
    complete = all(p.code and p.message and p.fix for p in admission.problems)
    return complete and (admission.refused or bool(admission.header))


@pytest.mark.parametrize("target", damage.TARGETS)
def test_job_has_the_oracles_answer_to_any_bytes(spark: SparkSession, tmp_path: Path, target: str) -> None:
    _hold(spark, tmp_path, target, 1)


@pytest.mark.torture
@pytest.mark.parametrize("target", damage.TARGETS)
@pytest.mark.parametrize("seed", [f"{TORTURE}-{n}" for n in range(ROUNDS)])
def test_job_has_an_answer_to_thousands(spark: SparkSession, tmp_path: Path, target: str, seed: str) -> None:
    _hold(spark, tmp_path, target, seed)


def _hold(spark: SparkSession, folder: Path, target: str, seed: object) -> None:
    chance = Random(f"{seed} {target}")
    plan, body = damage.TARGETS[target]
    files: dict[str, bytes] = {}
    while len(files) < (DAMAGED_TABLES if plan.file_format == "parquet" else IN_THE_JOB):
        one = _damaged(chance, body, plan=plan)
        if not running.look(plan, one).refused:
            files[f"f{len(files)}{plan.suffix}"] = one
    if plan.file_format == "parquet" or plan.csv.multi_line:
        _hold_figures(spark, folder, target, files)
        return
    compared = running.compare(spark, folder, plan, files, sift_from=0)
    made = cases.Cases(Contract({}, plan, {}), files)
    assert not compared.differences, "\n" + cases.described(spark, folder / "again", made, compared)
    assert all(o.decision.verdict for o in compared.opinions.values())


def _damaged(chance: Random, body: bytes, *, plan: Plan) -> bytes:
    """Damage that a packed file came with before it was packed: that of the packing itself stays outside the door."""
    return packed(plan, damage.damaged(chance, unpacked(plan, body)))


def _hold_figures(spark: SparkSession, folder: Path, target: str, files: dict[str, bytes]) -> None:
    """Hold that the figures add up for files that the oracle does not read: broken tables, stray quotes over lines."""
    plan, _ = damage.TARGETS[target]
    admitted = {name: running.look(plan, one) for name, one in files.items()}
    judged, _rows = running.judged_by_job(spark, folder, plan, files, admitted)
    if target == "parquet, sifted":
        sifted, _rows = running.judged_by_job(spark, folder / "sifted", plan, files, admitted, sift_from=0)
        assert [_figures(sifted.drop(name)) for name in files] == [_figures(judged.drop(name)) for name in files]
    for name, one in files.items():
        drop, decision = judged.drop(name), judged.decision(name)
        assert decision.verdict, (decision.failure, one)
        assert drop.refusal or drop.read == drop.valid + drop.rejected, one


def _figures(drop: DropResult) -> tuple[object, ...]:
    return drop.refusal and drop.refusal.code, drop.failure, drop.read, drop.valid, drop.rejected, drop.counts
