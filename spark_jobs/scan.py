"""The one look at every line: lines in, scratch out, in which lines that pass collapse and all others stay as they are.

Most lines of most files are plain and pass. They are read straight into values by Spark's parser, which is fast and not
strict; a pattern over the whole line makes sure beforehand that it cannot be misled. Whatever is not plain, does not
parse or fails a check is kept single, with its id and its raw text, for `judging` to look at closely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.plan import Check, Csv, Plan, Property
from spark_jobs import reader, rules
from spark_jobs.schema import GREATEST_DOUBLE, typed

PARSED = {"integer": "bigint", "number": "double"}
"""Logical types that Spark's parser makes values of; the others are read as text."""


def scan(text: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> DataFrame:
    """Group the lines of files with one header: file, block, `at` and `raw` of single lines, n, first id, sums."""
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    line = sf.col("line")
    fast = sf.from_csv(line, _schema(plan, header), reader.dialect(plan.csv) | _nulls(plan.csv))
    lines = reader.lines(text, plan.csv).select(
        "*", line.rlike(plain(plan, header)).alias("plain"), fast.alias("parsed")
    )
    cells = [_cell(sf.col("parsed")[f"c{at[p.name]}"], p, plan.csv).alias(f"c{n}") for n, p in here]
    split = lines.select("*", *cells)
    values = split.select("*", *(_value(sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here))
    kept = ~sf.col("plain") | sf.col("parsed.bad").isNotNull() | line.isin(*header_texts)
    failing = [test for check in plan.row_checks() if (test := _failing(plan, check, at)) is not None]
    infinite = [sf.abs(sf.col(f"v{n}")) > GREATEST_DOUBLE for n, p in here if p.type == "number"]
    single = values.withColumn("single", sf.coalesce(reduce(Column.__or__, [*infinite, *failing], kept), sf.lit(False)))
    return single.groupBy(
        *("file", "block"),
        sf.when(sf.col("single"), sf.col("id")).alias("at"),
        sf.when(sf.col("single"), line).alias("raw"),
    ).agg(sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"), *rules.sums(plan, at))


def plain(plan: Plan, header: tuple[str, ...]) -> str:
    """A pattern of the lines that need no closer look: all cells, no quotes, no NUL, numerals where they are due.

    Bytes that are no text reach a pattern as U+FFFD. A line that does not match is not wrong: it is looked at closely.
    """
    types = {p.name: p.type for p in plan.properties}
    delimiter, many = re.escape(plan.csv.delimiter), "*" if "" in plan.csv.null_values else "+"
    text = rf"[^{delimiter}{re.escape(plan.csv.quote)}\x00\ufffd]{many}"
    word = _nulls(plan.csv)["nullValue"]
    numeral = rf"[0123456789+\-.eE]{many}"
    number = rf"(?:{numeral}|{re.escape(word)})" if word.strip("0123456789+-.eE") else numeral
    return "^" + delimiter.join(number if types.get(name) in PARSED else text for name in header) + r"\z"


def _schema(plan: Plan, header: tuple[str, ...]) -> str:
    types = {p.name: PARSED.get(p.type, "string") for p in plan.properties}
    return ", ".join(f"c{n} {types.get(name, 'string')}" for n, name in enumerate(header)) + ", bad string"


def _nulls(csv: Csv) -> dict[str, str]:
    """The null value that the parser knows; the pattern keeps lines from it that it would wrongly take for null."""
    word = next((w for w in csv.null_values if w), "")
    return {"nullValue": word, "emptyValue": word if "" in csv.null_values else ""}


def _cell(cell: Column, prop: Property, csv: Csv) -> Column:
    """A parsed cell, null also for the null values that the parser does not know."""
    words = [w for w in csv.null_values if w][1:]
    if prop.type in PARSED or not words:
        return cell
    return sf.when(~cell.isin(*words), cell)


def _value(cell: Column, prop: Property) -> Column:
    return cell if prop.type in PARSED else typed(cell, prop)


def _failing(plan: Plan, check: Check, at: dict[str, int]) -> Column | None:
    """What fails a row check, for values that are parsed already; None where the pattern or the parser sees to it."""
    if check.property is None or check.property not in at:
        return None
    prop = plan.property_named(check.property)
    if check.kind == "logicalType" and prop.type in PARSED:
        return None
    return rules.failing_of(plan, check)
