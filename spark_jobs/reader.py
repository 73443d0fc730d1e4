"""Text files in, lines with their places and cells out. Nothing is judged here; nothing of a line is lost here.

Lines are numbered within their split of a file by `monotonically_increasing_id`, taken after empty lines are dropped and
before anything else is: record numbers are worked out from it later, without a second read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from contracts.plan import Csv
from spark_jobs.storage import plain

MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""A byte order mark, in UTF-8 and read as ISO-8859-1: Hadoop's line reader drops its bytes at the start of a file."""

NEVER = "\x00"
"""A text that no cell of a good record can be (NUL makes a record malformed)."""


@dataclass(frozen=True, slots=True)
class Bare:
    """What a bare scan finds in a file: its lines, and how many of them are empty."""

    lines: int = 0
    blank: int = 0


def load(spark: SparkSession, uris: Sequence[str]) -> DataFrame:
    """The raw lines of files, one column `value`; names are taken as they are, never as patterns."""
    return spark.read.option("globPaths", "false").text([plain(uri) for uri in uris])


def bare(text: DataFrame) -> dict[str, Bare]:
    """Count the lines of each file and nothing else, so that `read` depends on no check; keys are plain URIs."""
    counted = text.groupBy(F.col("_metadata.file_path").alias("file")).agg(
        F.count(F.lit(1)).alias("lines"), F.count_if(F.col("value") == "").alias("blank")
    )
    return {plain(row["file"]): Bare(row["lines"], row["blank"]) for row in counted.collect()}


def lines(text: DataFrame, csv: Csv) -> DataFrame:
    """The lines that are not empty: file, block (offset of the split), id (ascending within it), raw bytes, decoded line."""
    return text.where(F.col("value") != "").select(
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("id"),
        decoded(F.col("value"), csv).alias("line"),
    )


def decoded(value: Column, csv: Csv) -> Column:
    """A raw line as text; invalid UTF-8 stays as it is and is found by the record check `text`."""
    if csv.encoding.lower() in ("utf-8", "utf8"):
        return value
    return F.decode(value.cast("binary"), csv.encoding.upper())


def header_texts(header_line: str) -> tuple[str, ...]:
    """What the header line may look like when Spark has read it: as it is, or without its byte order mark."""
    marks = [mark for mark in MARKS if header_line.startswith(mark)]
    return (header_line, *(header_line.removeprefix(mark) for mark in marks))


def parsed(line: Column, csv: Csv, width: int) -> Column:
    """A line that has quotes in it as a struct c0, c1, ... and `bad`; null for any other line, which `split` cuts faster."""
    schema = ", ".join(f"c{n} string" for n in range(width)) + ", bad string"
    options = {
        "sep": csv.delimiter,
        "quote": csv.quote,
        "escape": csv.escape,
        "nullValue": NEVER,
        "emptyValue": "",
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": "bad",
    }
    return F.when(F.contains(line, F.lit(csv.quote)), F.from_csv(line, schema, options))


def split(line: Column, csv: Csv) -> Column:
    """A line without quotes as an array of its cells; null for any other line."""
    delimiter = csv.delimiter if csv.delimiter.isalnum() or csv.delimiter in ",;\t" else "\\" + csv.delimiter
    return F.when(~F.contains(line, F.lit(csv.quote)), F.split(line, delimiter, -1))


def cell(n: int) -> Column:
    """The text of cell `n` from the columns `parsed` and `split`; empty text where nothing stands between delimiters."""
    return F.when(F.col("parsed").isNull(), F.get("split", F.lit(n))).otherwise(
        F.coalesce(F.col("parsed")[f"c{n}"], F.lit(""))
    )


def as_wide_as(width: int) -> Column:
    """Whether the line has exactly `width` cells, from the columns `parsed` and `split`."""
    return F.when(F.col("parsed").isNull(), F.size("split") == width).otherwise(F.col("parsed.bad").isNull())


def null_or(text: Column, csv: Csv) -> Column:
    """A cell's text, null where it equals one of the dialect's null values, quoted or not."""
    if len(csv.null_values) == 1:
        return F.nullif(text, F.lit(csv.null_values[0]))
    return F.when(~text.isin(*csv.null_values), text) if csv.null_values else text
