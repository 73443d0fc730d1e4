"""SQL, relationships, expectations, places within places and overrides: lint refuses them, or the job judges a file.

None of a contract that lints clean crashes, or is an error of ours in a file that was made for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from infra.setup.expectations import bring
from tests.oracle import combinations, entries, referring, running, tables
from tests.oracle.combinations import DEEP, FORMATS, Combination
from tests.oracle.contracts import Document
from tests.oracle.test_combinations import hold

SMALL = {"sql": 211, "relationships": 23, "expectations": 307}
"""The small sweep takes one of so many combinations."""
DEEP_SMALL, OVERRIDDEN_SMALL = 1_201, {"csv": 97, "jsonl": 601, "parquet": 601}
TOGETHER = {"sql": 60, "relationships": 60, "expectations": 20}
PARTS = {"sql": 12, "relationships": 1, "expectations": 12}
DEEP_PARTS = 12


@pytest.fixture(scope="module")
def library(spark: SparkSession) -> Iterator[SparkSession]:
    """Give a Spark that finds Great Expectations."""
    bring(spark, lambda _: None)
    yield spark
    spark.sparkContext.environment.pop("PYTHONPATH", None)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("sort", entries.RULES)
def test_entries_are_refused_or_judged(library: SparkSession, tmp_path: Path, form: str, sort: str) -> None:
    step = SMALL[sort] // (1 if form != "csv" else 5)
    _judge(library, tmp_path, form, sort, list(entries.every(form, sort))[::step])


@pytest.mark.torture
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("sort", "part"), [(sort, n) for sort, parts in PARTS.items() for n in range(parts)])
def test_every_entry_is_refused_or_judged(
    library: SparkSession, tmp_path: Path, form: str, sort: str, part: int
) -> None:
    _judge(library, tmp_path, form, sort, list(entries.every(form, sort))[part :: PARTS[sort]])


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_combinations_in_places_within_places_are_refused_or_judged(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    hold(spark, tmp_path, form, combinations.accepted(form, _deep(form)[::DEEP_SMALL]))


@pytest.mark.torture
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("part", range(DEEP_PARTS))
def test_every_combination_in_places_within_places(spark: SparkSession, tmp_path: Path, form: str, part: int) -> None:
    accepted = combinations.accepted(form, _deep(form)[part::DEEP_PARTS])
    for n in range(0, len(accepted), 60):
        hold(spark, tmp_path / str(n), form, accepted[n : n + 60])


@pytest.mark.parametrize("form", FORMATS)
def test_overrides_of_checks_are_refused_or_judged(spark: SparkSession, tmp_path: Path, form: str) -> None:
    _override(spark, tmp_path, form, list(combinations.every(form))[:: OVERRIDDEN_SMALL[form]])


@pytest.mark.torture
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("part", range(12))
def test_every_override_is_refused_or_judged(spark: SparkSession, tmp_path: Path, form: str, part: int) -> None:
    _override(spark, tmp_path, form, list(combinations.every(form))[part::12])


def _deep(form: str) -> list[Combination]:
    return list(combinations.every(form, tuple(DEEP)))


def _override(spark: SparkSession, folder: Path, form: str, every: Sequence[Combination]) -> None:
    accepted = combinations.accepted(form, every)
    overridden = combinations.overridden(form, accepted, entries.OVERRIDES)
    assert sum(bool(one.checks) for one in overridden) > len(accepted) / 2
    for n in range(0, len(overridden), 60):
        hold(spark, folder / str(n), form, overridden[n : n + 60])


def _judge(spark: SparkSession, folder: Path, form: str, sort: str, every: Sequence[Combination]) -> None:
    references = entries.REFERENCES if sort == "relationships" else None
    accepted = combinations.accepted(form, every, references)
    assert accepted
    most = TOGETHER[sort]
    wrong = [
        name
        for n in range(0, len(accepted), most)
        for name in _wrong(spark, folder / str(n), form, references, accepted[n : n + most])
    ]
    assert not wrong, f"{len(wrong)}: " + "\n".join(wrong[:30])


def _wrong(
    spark: SparkSession, folder: Path, form: str, references: Document | None, some: Sequence[Combination]
) -> list[str]:
    """Return what crashes, or is an error, among combinations of one contract; halves tell which."""
    nested = combinations.compiled(form, some, references)
    if nested is None:
        return [f"lint refuses together what it lets pass alone: {[one.name for one in some]}"]
    plan, chance = nested.contract.plan, Random(1)
    if form == "csv":
        made = {"a.csv": combinations.flat(chance, nested)}
    else:
        lines = combinations.lines(chance, nested, typed=form == "parquet")
        made = {f"a.{form}": "".join(f"{line}\n" for line in lines).encode()}
        if form == "parquet":
            made, _ = tables.of_objects(spark, folder, plan, {"a.parquet": lines})
    admitted = {name: running.look(plan, body) for name, body in made.items()}
    if refused := [p.message for one in admitted.values() for p in one.problems if one.refused]:
        return [f"the door: {refused} of {[one.name for one in some]}"]
    pinned = referring.pinned(folder, {"known": entries.reference(some)} if references else {})
    try:
        judged, _ = running.judged_by_job(spark, folder, plan, made, admitted, references=pinned)
    except Exception as error:  # noqa: BLE001 (whatever it is, the combination that brings it is named)
        if len(some) == 1:
            return [f"{some[0].name}: {type(error).__name__} {str(error)[:300]}"]
        middle = len(some) // 2
        return [
            name
            for side, half in enumerate((some[:middle], some[middle:]))
            for name in _wrong(spark, folder / str(side), form, references, half)
        ]
    called = {one.node.written["name"]: one.name for one in some}
    counts = zip(judged.result.header.checks, judged.result.drops[0].counts, strict=True)
    failure = judged.result.drops[0].failure
    errors = [(check, count.reason) for check, count in counts if count.state == "error"]
    roots = {check: check.replace("-", ".").partition(".")[0] for check, _ in errors}
    return [
        *([f"the drop: {failure}"] if failure else []),
        *(f"{called.get(roots[check], check)}: {reason}" for check, reason in errors),
    ]
