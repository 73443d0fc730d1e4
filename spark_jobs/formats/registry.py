"""The formats of files: a plan in, the module that reads its files out. All these modules have the same functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pyspark.sql import Column, DataFrame, SparkSession

from contracts.job import JobDrop
from contracts.plan import Plan, RecordFormat
from contracts.problem import Problem
from spark_jobs.formats import csv_lines, csv_multiline, fixed_lines, json_lines, parquet
from spark_jobs.rules.row_checks import RecordTests


class Format(Protocol):
    """The operations of a format. `c<n>` is the cell of property n, `v<n>` its value, null if it has none.

    A cell is a text wherever its text is needed: for checks in `row_checks.OF_TEXTS`, for evidence and samples.
    """

    def load(self, spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
        """Read files with the same header and types, as they are."""

    def is_trailer(self, raw: Column, plan: Plan) -> Column:
        """Return a column that is true if a raw text begins like the plan's trailer; used only if it has one."""

    def without_header(self, source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
        """Leave out the header lines and trailers of files with one header, and all records that look like them."""

    def refusals(self, spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> dict[str, Problem]:
        """Return the faults of whole files that the scan would miss, by drop."""

    def fault(self, spark: SparkSession, plan: Plan, drop: JobDrop) -> Problem | None:
        """Return why a file whose scan failed cannot be read, if the file is at fault."""

    def first_pass(
        self, source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]
    ) -> tuple[DataFrame, Column]:
        """Read the records of files with one header: file, block, id, c<n>, v<n>, odd; return also their raw text.

        An `odd` record needs the second pass; the id of an empty line is null.
        """

    def may_be_plain(self, plan: Plan, header: tuple[str, ...]) -> bool:
        """Return False if all records of files with a header are odd: `first_pass` reads no cells of them then."""

    def second_pass(self, singles: DataFrame, plan: Plan, header: tuple[str, ...]) -> tuple[DataFrame, RecordTests]:
        """Parse odd records (column `raw`): add c<n> and v<n>; return the tests of the record checks, by rule."""

    def records(
        self,
        source: DataFrame,
        plan: Plan,
        header: tuple[str, ...],
        wanted: Sequence[str],
        aside: Sequence[int],
        malformed: bool,
    ) -> DataFrame:
        """Read the records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties.

        `aside` are the ids of header lines and trailers; `malformed` means that there are malformed records to leave
        out.
        """

    def as_written(self, source: DataFrame, plan: Plan, header: tuple[str, ...]) -> DataFrame:
        """Return records and header lines as they were written: file, block, id, and `value`, a line or a struct."""

    def record_lines(self, source: DataFrame, plan: Plan) -> DataFrame:
        """Return the places of records of text files: file, block, `at` (their id), `line` (the first, from 1)."""

    def with_cells(self, rows: DataFrame, plan: Plan, header: tuple[str, ...], malformed: Column) -> DataFrame:
        """Add `cells`, the texts by name, to records (column `raw`); malformed ones have none."""


def of(plan: Plan) -> Format:
    """Return the format of a plan's files."""
    by_line: dict[RecordFormat, Format] = {
        "csv": csv_lines,
        "jsonl": json_lines,
        "parquet": parquet,
        "fixed": fixed_lines,
    }
    return csv_multiline if plan.file_format == "csv" and plan.csv.multi_line else by_line[plan.read_as]
