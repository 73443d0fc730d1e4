"""Files of a public survey, each with a contract drafted of it: a checkout in, what became of each file out.

    python -m tests.oracle.survey CHECKOUT           print a line for each file, and the figures
    python -m tests.oracle.survey CHECKOUT --draft   only draft and lint, without Spark

The checkout is that of HPI-Information-Systems/Pollock; its folder `survey_sample` has the files as they were
published (`csv`) and as its authors cleaned them by hand (`clean`). A contract is drafted of each file, must lint, and
must accept its own file; then all cells of its properties must be those of the clean file. The files are not among
ours; docs/explanation/reproductions.md has the outcome.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.authoring.draft.profile import SampleRefused
from contracts.plan import Plan
from infra.sampling import profile
from infra.sampling.self_check import checked
from tests.integration.spark_jobs.formats.test_parquet_forms import ALL
from tests.integration.spark_jobs.world import judge

FOLDER = "survey_sample"


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of a file: why no contract was drafted, else the verdict, and how its cells compare."""

    name: str
    refused: str = ""
    verdict: str = ""
    cells: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.refused or f'drafted, {self.verdict}, cells {self.cells}'}"


def drafted(path: Path) -> Plan | str:
    """Return the plan of a contract that is drafted of a file, or why there is none."""
    try:
        made = checked(draft(profile([path], _no_spark), "survey", None), [path])
    except SampleRefused as error:
        return str(error).removeprefix(path.name).lstrip(": ")
    compiled = compile_text(made.text.encode(), f"{made.name}.yaml")
    assert compiled.plan is not None, "a checked draft compiles"
    return compiled.plan


def _no_spark() -> SparkSession:
    raise AssertionError("only Parquet is read by Spark here")


def entry(path: Path, clean: Path, spark: SparkSession | None) -> Entry:
    """Return what becomes of a file; without Spark it is not judged."""
    plan = drafted(path)
    if isinstance(plan, str):
        return Entry(path.name, plan)
    if spark is None:
        return Entry(path.name, verdict="not judged", cells="not compared")
    with tempfile.TemporaryDirectory() as folder:
        outcome = judge(spark, Path(folder), plan, {"a": path.read_bytes()})
        drop = outcome.drop("a")
        if drop.failure or drop.refusal:
            return Entry(path.name, verdict=f"refused: {drop.failure or drop.refusal}", cells="not read")
        verdict = outcome.decision("a").verdict or "failed"
    every = replace(plan, checks=(*plan.checks, ALL), tolerance=None)
    with tempfile.TemporaryDirectory() as folder:
        rows = judge(spark, Path(folder), every, {"a": path.read_bytes()}).evidence(spark, "a")
        read = [[(row.cells or {}).get(p.name) for p in plan.properties] for row in rows]  # a malformed record has none
    return Entry(path.name, verdict=verdict, cells=difference(read, clean_rows(clean), {"", *plan.csv.null_values}))


def clean_rows(path: Path) -> list[list[str]]:
    """Return the records of a cleaned file, with its header."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.reader(file) if row]


def difference(read: Sequence[Sequence[str | None]], clean: Sequence[Sequence[str]], words: Collection[str]) -> str:
    """Return `equal` if some columns of a cleaned file, in their order, hold the cells that were read; else why not.

    A cell that was read is None if it is one of the `words` for null. A cleaned file has one header line, or none, and
    all columns, also those that no property is for.
    """
    for headed in (1, 0):
        body = clean[headed:]
        columns = iter(zip(*body, strict=False))
        if len(body) == len(read) and all(
            any(_alike(texts, column, words) for column in columns) for texts in zip(*read, strict=True)
        ):
            return "equal"
    return f"differ ({len(read):,} records; the cleaned file has {len(clean):,} lines)"


def _alike(texts: Sequence[str | None], column: Sequence[str], words: Collection[str]) -> bool:
    return all(text == cell or (text is None and cell in words) for text, cell in zip(texts, column, strict=True))


def entries(checkout: Path, spark: SparkSession | None) -> Iterator[Entry]:
    """Yield what becomes of each file of a checkout."""
    for path in sorted((checkout / FOLDER / "csv").iterdir()):
        yield entry(path, checkout / FOLDER / "clean" / path.name, spark)


def main(arguments: Sequence[str]) -> int:
    """Print what becomes of each file, and the figures."""
    from infra.setup.spark.session import local_session  # noqa: PLC0415 (Spark starts for the command alone)

    spark = None if "--draft" in arguments else local_session("survey", memory="1500m", brief=True)
    seen = []
    for one in entries(Path(arguments[0]), spark):
        seen.append(one)
        sys.stdout.write(f"{one}\n")
        sys.stdout.flush()
    made = [one for one in seen if not one.refused]
    accepted = sum(one.verdict.startswith("accepted") for one in made)
    equal = sum(one.cells == "equal" for one in made)
    sys.stdout.write(f"{len(seen)} files: {len(made)} drafted, {accepted} accepted, {equal} with equal cells\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
