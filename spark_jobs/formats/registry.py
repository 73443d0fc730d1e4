"""The formats of files: a plan in, the module that reads its files out. All of them have the same functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pyspark.sql import Column, DataFrame, SparkSession

from contracts.job import JobDrop
from contracts.plan import FileFormat, Plan
from contracts.problem import Problem
from contracts.terms.trailer import Last
from spark_jobs.formats import csv_lines, csv_multiline, json_lines, parquet


class Format(Protocol):
    """The operations of a format. `c<n>` is the cell of property n, `v<n>` its value, null if it has none.

    A cell is a text wherever a text of it is needed: for checks in `rules.OF_TEXTS`, for evidence and samples.
    """

    def is_headed(self, plan: Plan) -> bool:
        """Return True if the first line of a file names its columns."""

    def load(self, spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
        """Files with the same header and types, as they are."""

    def header_texts(self, drop: JobDrop) -> tuple[str, ...]:
        """Return the possible raw texts of a file's first line, if it names the columns."""

    def ends(self, raw: Column, plan: Plan) -> Column:
        """Return a column that is true if a raw text begins like the plan's trailer; used only if it has one."""

    def last_cells(self, raw: bytes, plan: Plan) -> Last:
        """The cells of the raw text of a trailer in UTF-8, or why nobody can read them."""

    def bare(self, source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
        """Files with the same header without it and their trailers, and what is like them, wherever it stands."""

    def refused(self, spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> dict[str, Problem]:
        """Return the faults of whole files that the scan would miss, by drop."""

    def fault(self, spark: SparkSession, plan: Plan, drop: JobDrop) -> Problem | None:
        """Return why a file whose scan failed cannot be read, if the file is at fault."""

    def first_pass(
        self, source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]
    ) -> tuple[DataFrame, Column]:
        """The records of files with one header at first sight: file, block, id, c<n>, v<n>, odd; and their raw text.

        `odd` are those that need a closer look; the id of an empty line is null.
        """

    def second_pass(
        self, singles: DataFrame, plan: Plan, header: tuple[str, ...]
    ) -> tuple[DataFrame, dict[str, Column]]:
        """Odd records (column `raw`) with c<n> and v<n>, and by kind what fails the checks of records as such."""

    def records(
        self,
        source: DataFrame,
        plan: Plan,
        header: tuple[str, ...],
        wanted: Sequence[str],
        aside: Sequence[int],
        malformed: bool,
    ) -> DataFrame:
        """The records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties.

        `aside` are the ids of header lines and trailers; `malformed` says whether there are malformed records to leave
        out.
        """

    def whole(self, source: DataFrame, plan: Plan, header: tuple[str, ...]) -> DataFrame:
        """The records with the header's as they came: file, block, id, and `value`, a line, or a struct of columns."""

    def placed_lines(self, source: DataFrame, plan: Plan) -> DataFrame:
        """Return the places of records of text files: file, block, `at` (their id), `line` (the first, from 1)."""

    def with_cells(self, rows: DataFrame, plan: Plan, header: tuple[str, ...], malformed: Column) -> DataFrame:
        """Records (column `raw`) and `cells`, their texts by name; malformed ones have none."""


def of(plan: Plan) -> Format:
    """The format of a plan's files."""
    by_line: dict[FileFormat, Format] = {"csv": csv_lines, "jsonl": json_lines, "parquet": parquet}
    return csv_multiline if plan.file_format == "csv" and plan.csv.multi_line else by_line[plan.file_format]
