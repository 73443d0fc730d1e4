"""Rejected rows as lines of a file that its producer may mend and send again: evidence in, lines out.

They come in the file's own format, with what is wrong added at the end, which is ignored when they come back.
"""

from __future__ import annotations

import csv as text_csv
import io
import re

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.columns import OURS, positions
from contracts.job import JobDrop
from contracts.plan import Csv, Plan
from spark_jobs import reader

FORMULA = r"(?:[=@\t\r]|[+-](?!(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%s))"
"""What a spreadsheet would run: a cell beginning with = @ tab CR, or with + or - that is no number; %s is its end."""


def title(drop: JobDrop, plan: Plan) -> str | None:
    """The first line of a drop's file; None where the format has none."""
    return _csv_header(drop, plan) if plan.file_format == "csv" else None


def lines(rows: DataFrame, header: tuple[str, ...], plan: Plan) -> DataFrame:
    """Rejected rows (`broken`: no record) of files with one header: number, record, line."""
    return _csv_lines(rows, header, plan) if plan.file_format == "csv" else _json_lines(rows)


def _json_lines(rows: DataFrame) -> DataFrame:
    """The objects as they came, with two keys more; a line that is no object becomes the value of a key."""
    raw = sf.col("raw")
    ours = sf.to_json(sf.struct(sf.col("record").alias(OURS[0]), _reasons().alias(OURS[1])))
    added = sf.concat(sf.rtrim(sf.regexp_replace(raw, r"\s*\}\s*\z", "")), sf.lit(","), sf.substring(ours, 2, 1 << 30))
    alone = sf.regexp_replace(added, r"^\s*\{\s*,", "{")  # the object was empty
    whole = sf.to_json(sf.struct(raw.alias("line"), sf.col("record").alias(OURS[0]), _reasons().alias(OURS[1])))
    return rows.select("number", "record", sf.when(sf.col("broken"), whole).otherwise(alone).alias("line"))


def _reasons() -> Column:
    return sf.array_join("checks", "; ")


def _csv_lines(rows: DataFrame, header: tuple[str, ...], plan: Plan) -> DataFrame:
    """As lines of CSV.

    A raw line is taken as it is where nothing has to change, which is cheap; only the others are parsed.
    """
    csv, raw, places = plan.csv, sf.col("raw"), list(positions(header).values())
    delimiter = re.escape(csv.delimiter)
    begins = sf.concat(sf.lit(csv.delimiter), raw).rlike(f"{delimiter}{FORMULA % f'(?:{delimiter}|$)'}")
    changes = sf.col("broken") | sf.contains(raw, sf.lit(csv.quote)) | begins | sf.lit(len(places) < len(header))
    odd = rows.select("*", sf.when(changes, raw).alias("odd"))
    split = reader.with_texts(odd, sf.col("odd"), csv, len(header), places)
    whole = sf.concat(sf.array(raw), sf.array_repeat(sf.lit(""), len(places) - 1))  # a broken line is one cell
    cells = sf.when(sf.col("broken"), whole).otherwise(sf.col("texts"))
    harmless = sf.transform(
        cells, lambda c: sf.when(c.rlike(f"^{FORMULA % '$'}"), sf.concat(sf.lit("'"), c)).otherwise(c)
    )
    safe = sf.array_join(sf.transform(harmless, lambda c: _quoted(c, csv)), csv.delimiter)
    line = sf.when(sf.col("odd").isNull(), raw).otherwise(safe)
    reasons = _quoted(_reasons(), csv)
    return split.select("number", "record", sf.concat_ws(csv.delimiter, line, "record", reasons).alias("line"))


def _quoted(cell: Column, csv: Csv) -> Column:
    special = "[" + "".join(re.escape(c) for c in dict.fromkeys((csv.delimiter, csv.quote, "\r", "\n"))) + "]"
    text = cell
    for character in dict.fromkeys((csv.escape, csv.quote)):
        text = sf.replace(text, sf.lit(character), sf.lit(csv.escape + character))
    return sf.when(cell.rlike(special), sf.concat(sf.lit(csv.quote), text, sf.lit(csv.quote))).otherwise(cell)


def _csv_header(drop: JobDrop, plan: Plan) -> str:
    """The first line; a name that the contract does not know is as harmless as a cell."""
    line, csv, known = io.StringIO(), plan.csv, {p.name for p in plan.properties}
    names = [n if n in known or not re.match(FORMULA % "$", n) else f"'{n}" for n in positions(drop.header)]
    doubled = csv.escape == csv.quote
    text_csv.writer(
        line,
        delimiter=csv.delimiter,
        quotechar=csv.quote,
        doublequote=doubled,
        escapechar=None if doubled else csv.escape,
        lineterminator="",
    ).writerow([*names, *OURS])
    return line.getvalue()


def encoded(column: str, csv: Csv) -> Column:
    """A column of text that Spark writes in the dialect's encoding."""
    if csv.encoding == "utf-8":
        return sf.col(column)
    return sf.encode(column, csv.encoding.upper()).cast("string").alias(column)
