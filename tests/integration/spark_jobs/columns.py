"""Cells of many columns and what each fails, judged in one run: once in plain lines, once in lines with quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.plan import Check, Csv, Property
from tests.integration.spark_jobs.world import Judged, a_plan, judge


@dataclass(frozen=True)
class Column:
    """A property, its checks, and cells with the kinds of checks that each fails, in words between blanks."""

    property: Property
    checks: Sequence[Check]
    cells: Mapping[str, str]


def judged_both_ways(spark: SparkSession, folder: Path, columns: Sequence[Column], csv: Csv | None = None) -> Judged:
    """Judge `plain.csv` and `quoted.csv`, in which each row has one of the cells; all its others are empty."""
    properties = [Property("row", "string"), *(c.property for c in columns)]
    plan = a_plan(properties, [check for c in columns for check in c.checks], csv)
    header = ",".join(p.name for p in properties)
    plain, quoted = [header], [header]
    for place, column in enumerate(columns):
        for cell in column.cells:
            cells = ["x", *("" for _ in columns)]
            cells[place + 1] = cell
            plain.append(",".join(cells))
            quoted.append(",".join(f'"{text}"' for text in cells))
    files = {name: "\n".join([*lines, ""]) for name, lines in {"plain.csv": plain, "quoted.csv": quoted}.items()}
    return judge(spark, folder, plan, files)


def failing(spark: SparkSession, judged: Judged) -> dict[str, dict[str, dict[str, str]]]:
    """By file and property, the cells that fail checks and the kinds of those, as a column's `cells` have them."""
    by_file: dict[str, dict[str, dict[str, str]]] = {"plain.csv": {}, "quoted.csv": {}}
    for row in judged.evidence(spark):
        name = row.checks[0].partition(".")[0]
        kinds = " ".join(check.partition(".")[2] for check in row.checks)
        by_file[row.file].setdefault(name, {})[row.cells[name]] = kinds
    return by_file


def expected(columns: Sequence[Column]) -> dict[str, dict[str, dict[str, str]]]:
    """Return what `failing` must return."""
    bad = {c.property.name: {cell: kinds for cell, kinds in c.cells.items() if kinds} for c in columns}
    bad = {name: cells for name, cells in bad.items() if cells}
    return {"plain.csv": bad, "quoted.csv": bad}
