"""Text files in, lines with their places and cells out. Nothing is judged here; nothing of a line is lost here.

Lines are numbered within their split of a file by `monotonically_increasing_id`, taken after empty lines are dropped
and before anything else is: record numbers are worked out from it later, without a second read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as sf

from contracts.job import JobDrop
from contracts.plan import Csv
from spark_jobs import storage

MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""A byte order mark, in UTF-8 and read as ISO-8859-1: Hadoop's line reader drops its bytes at the start of a file."""


MOST_CELLS = 20_000
"""Spark's parser gives up the whole run at 20,480 cells in one line; a line with as many delimiters is no record."""


@dataclass(frozen=True, slots=True)
class Bare:
    """What is known of a file without any check: its lines, and how many of them are empty."""

    lines: int = 0
    blank: int = 0


def load(spark: SparkSession, uris: Sequence[str]) -> DataFrame:
    """The raw lines of files, one column `value`; names are taken as they are, never as patterns."""
    return spark.read.text([re.sub(r"([\[\]{}*?\\])", r"\\\1", storage.plain(uri)) for uri in uris])


def by_header(drops: Iterable[JobDrop]) -> dict[tuple[str, ...], list[JobDrop]]:
    """Drops by header: Spark binds columns by position, so that only files with the same header are one read."""
    found: dict[tuple[str, ...], list[JobDrop]] = {}
    for drop in drops:
        found.setdefault(drop.header, []).append(drop)
    return found


def bare(text: DataFrame) -> dict[str, Bare]:
    """Count the lines of each file and nothing else; keys are plain URIs."""
    file = sf.col("_metadata.file_path").alias("file")
    blank = sf.count_if(sf.col("value") == "").alias("blank")
    counted = text.groupBy(file).agg(sf.count(sf.lit(1)).alias("lines"), blank)
    return {storage.plain(row["file"]): Bare(row["lines"], row["blank"]) for row in counted.collect()}


def lines(text: DataFrame, csv: Csv, seen: Observation | None = None) -> DataFrame:
    """The lines that are not empty: file, block (offset of the split), id (ascending within it), line.

    `seen` is told how many lines there were in all, the empty ones too.
    """
    places = {"file": "_metadata.file_path", "block": "_metadata.file_block_start"}
    every = text.select(*(sf.col(path).alias(name) for name, path in places.items()), "value")
    if seen is not None:
        every = every.observe(seen, sf.count(sf.lit(1)).alias("lines"))
    return every.where(sf.col("value") != "").select(
        *("file", "block"), sf.monotonically_increasing_id().alias("id"), _decoded(sf.col("value"), csv).alias("line")
    )


def header_texts(header_line: str) -> tuple[str, ...]:
    """What the header line may look like when Spark has read it: as it is, or without its byte order mark."""
    marks = [mark for mark in MARKS if header_line.startswith(mark)]
    return (header_line, *(header_line.removeprefix(mark) for mark in marks))


def parsed(line: Column, csv: Csv, width: int) -> Column:
    """A line as a struct of the texts c0, c1, ... and `bad`; see `fits` for whether it has exactly `width` cells."""
    schema = ", ".join(f"c{n} string" for n in range(width)) + ", bad string"
    return sf.from_csv(bounded(line, csv), schema, dialect(csv) | {"nullValue": "", "emptyValue": ""})


def split(line: Column, csv: Csv, most: int = -1) -> Column:
    """The texts between the delimiters of a line without quotes, as an array; the last of `most` is all the rest."""
    return sf.split(line, re.escape(csv.delimiter), most)


def known(text: Column, csv: Csv) -> Column:
    """A text as a cell: null where it equals one of the dialect's null values."""
    others = [text != word for word in sorted(csv.null_values)]
    return sf.when(reduce(Column.__and__, others), text) if others else text


def fits(parsed_line: Column) -> Column:
    """Whether a parsed line has as many cells as were asked for."""
    return parsed_line.isNotNull() & parsed_line["bad"].isNull()


def swallows(line: Column, csv: Csv, width: int) -> Column:
    """Whether a quote is open at the end of a line of `width` cells: one more cell put there is not found again."""
    longer = parsed(sf.concat(line, sf.lit(f"{csv.delimiter}x")), csv, width + 1)
    return sf.contains(line, sf.lit(csv.quote)) & longer[f"c{width}"].isNull()


def bounded(line: Column, csv: Csv) -> Column:
    """A line that may be parsed: null where it has too many delimiters."""
    rest = sf.replace(line, sf.lit(csv.delimiter), sf.lit(""))
    few = sf.char_length(line) - sf.char_length(rest) < MOST_CELLS
    return sf.when((sf.octet_length(line) < MOST_CELLS) | few, line)


def dialect(csv: Csv) -> dict[str, str]:
    """Spark's options for a dialect, but for its null values."""
    names = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "bad"}
    return {"sep": csv.delimiter, "quote": csv.quote, "escape": csv.escape} | names


def with_texts(rows: DataFrame, raw: Column, csv: Csv, width: int, places: Sequence[int]) -> DataFrame:
    """Rows and the array `texts`: what stands at some places of lines that are records.

    Only lines with quotes are parsed, which takes three times as long as to split them. All places are one expression,
    as every call into the JVM takes time.
    """
    quoted = sf.contains(raw, sf.lit(csv.quote))
    fields, pieces = parsed(sf.when(quoted, raw), csv, width), split(sf.when(~quoted, raw), csv)
    apart = rows.select("*", fields.alias("fields"), pieces.alias("pieces"))
    of_fields = ", ".join(f"coalesce(fields.c{n}, '')" for n in places)
    of_pieces = ", ".join(f"get(pieces, {n})" for n in places)
    texts = sf.expr(f"if(pieces is null, array({of_fields}), array({of_pieces}))")
    return apart.select("*", texts.alias("texts")).drop("fields", "pieces")


def cell(parsed_cell: Column, csv: Csv) -> Column:
    """A cell of a parsed line, as `known` has it; the parser gives null for an empty text."""
    return known(sf.coalesce(parsed_cell, sf.lit("")), csv)


def _decoded(value: Column, csv: Csv) -> Column:
    """A raw line as text; invalid UTF-8 stays as it is and is found by the record check `text`."""
    return value if csv.encoding == "utf-8" else sf.decode(value.cast("binary"), csv.encoding.upper())
