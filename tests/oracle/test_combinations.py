"""Every check kind with every type, option and place: lint refuses it, or the job judges files as the oracle does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.oracle import combinations, running, tables
from tests.oracle.combinations import FORMATS, Combination

SMALL = {"csv": 40, "jsonl": 170, "parquet": 300}
"""The small sweep takes one of so many combinations."""
TOGETHER = 60
"""Combinations in one contract."""
PARTS = 12
"""Parts of the whole sweep of a format."""
FILES = 2


@pytest.mark.parametrize("form", FORMATS)
def test_combinations_are_refused_or_judged(spark: SparkSession, tmp_path: Path, form: str) -> None:
    every = list(combinations.every(form))
    accepted = combinations.accepted(form, every[:: SMALL[form]])
    assert len(accepted) > 10
    hold(spark, tmp_path, form, accepted)


@pytest.mark.torture
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_combination_is_refused_or_judged(spark: SparkSession, tmp_path: Path, form: str, part: int) -> None:
    accepted = combinations.accepted(form, list(combinations.every(form))[part::PARTS])
    for n in range(0, len(accepted), TOGETHER):
        hold(spark, tmp_path / str(n), form, accepted[n : n + TOGETHER])


def hold(spark: SparkSession, folder: Path, form: str, accepted: Sequence[Combination]) -> None:
    """Hold the job against the oracle; of what differs or crashes, name the combinations."""
    if wrong := _wrong(spark, folder, form, accepted):
        pytest.fail("\n".join(wrong))


def _wrong(spark: SparkSession, folder: Path, form: str, accepted: Sequence[Combination]) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    nested = combinations.compiled(form, accepted)
    if nested is None:
        return [f"lint refuses together what it lets pass alone: {[one.name for one in accepted]}"]
    plan, chance = nested.contract.plan, Random(1)
    names = [f"f{n}.{form}" for n in range(FILES)]
    if form == "csv":
        made, contents = {name: combinations.flat(chance, nested) for name in names}, None
    else:
        texts = {name: combinations.lines(chance, nested, typed=form == "parquet") for name in names}
        made = {name: "".join(f"{line}\n" for line in some).encode() for name, some in texts.items()}
        contents = None
        if form == "parquet":
            made, contents = tables.of_objects(spark, folder, plan, texts)
    compared = running.compare(spark, folder, plan, made, contents)
    called = {one.node.written["name"]: one.name for one in accepted}
    differences = [f"{d.about}: oracle {d.oracle}, job {d.job}" for d in compared.differences]
    differences += [f"the door: {p.message}" for a in compared.admitted.values() if a.refused for p in a.problems]
    named = (f"{name}: {called[name]}" for name in called if any(name in text for text in differences))
    return [*differences[:20], *named]
