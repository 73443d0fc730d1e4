"""The one look at every line: lines in, scratch out, in which lines that pass collapse and all others stay as they are.

Most lines of most files are plain. They are read straight into values by Spark's parser, which is fast and not strict;
a pattern over the whole line makes sure beforehand that it cannot be misled, so that what they fail is known at once.
Whatever is not plain or does not parse is kept with its raw text and no words, for `judging` to look at closely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import groupby

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.plan import Check, Csv, Plan, Property
from spark_jobs import bits, reader, rules
from spark_jobs.schema import GREATEST_DOUBLE, typed

PARSED = {"integer": "bigint", "number": "double", "date": "date"}
"""Logical types that Spark's parser makes values of; the others, and dates with a format, are read as text."""
NUMERAL = r"[0123456789+\-.eE]"
WIDE = 400
"""Columns up to which lines are held against the pattern: Java's regular expressions use the stack for each group."""
DAY = r"\d{4}-\d{2}-\d{2}"


def scan(
    text: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], seen: Observation
) -> DataFrame:
    """Group the lines of files with one header: file, block, `at` and `raw` of single lines, words, n, first id, sums.

    The words of a line that needs a closer look are null; `seen` is told the number of all lines.
    """
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    line, words = sf.col("line"), bits.words(plan)
    fast = sf.from_csv(
        reader.bounded(line, plan.csv), _schema(plan, header), reader.dialect(plan.csv) | _nulls(plan.csv)
    )
    even = line.rlike(plain(plan, header)) if len(header) <= WIDE else sf.lit(False)
    lines = reader.lines(text, plan.csv, seen).select("*", even.alias("plain"), fast.alias("parsed"))
    cells = [_cell(sf.col("parsed")[f"c{at[p.name]}"], p, plan.csv).alias(f"c{n}") for n, p in here]
    split = lines.select("*", *cells)
    values = split.select("*", *(_value(sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here))
    odd = ~sf.col("plain") | ~reader.fits(sf.col("parsed")) | line.isin(*header_texts)
    infinite = [sf.abs(sf.col(f"v{n}")) > GREATEST_DOUBLE for n, p in here if p.type == "number"]
    looked = values.select("*", sf.coalesce(reduce(Column.__or__, infinite, odd), sf.lit(False)).alias("odd"))
    failing = [_failing(plan, check, at) for check in plan.row_checks()]
    known = looked.select(
        "*", *(sf.when(~sf.col("odd"), bits.word(failing, n)).alias(word) for n, word in enumerate(words))
    )
    fails = [sf.col(word) != 0 for word in words]
    single = known.select("*", reduce(Column.__or__, fails, sf.col("odd")).alias("single"))
    return single.groupBy(
        *("file", "block"),
        sf.when(sf.col("single"), sf.col("id")).alias("at"),
        sf.when(sf.col("single"), line).alias("raw"),
        *words,
    ).agg(sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"), *rules.sums(plan, at))


def plain(plan: Plan, header: tuple[str, ...]) -> str:
    """A pattern of the lines that need no closer look: all cells, no quotes, no NUL, no text that misleads the parser.

    Bytes that are no text reach a pattern as U+FFFD. A line that does not match is not wrong: it is looked at closely.
    The longest run of cells of plain numbers is one piece of the pattern, which is faster; as the parser sees to it
    that there are as many cells as names, all others stand in their places nevertheless.
    """
    known = {p.name: p for p in plan.properties}
    cells = [_shape(known.get(name), plan.csv) for name in header]
    delimiter = plan.csv.delimiter
    start, length = _longest(cells, f"{NUMERAL}*")
    if length > 1 and not re.fullmatch(NUMERAL, delimiter):
        cells[start : start + length] = [f"[{NUMERAL[1:-1]}{re.escape(delimiter)}]*"]
    return "^" + re.escape(delimiter).join(cells) + r"\z"


def _longest(cells: Sequence[str], alike: str) -> tuple[int, int]:
    """Where the longest run of cells of one shape starts, and how long it is."""
    start = length = at = 0
    for shape, run in groupby(cells):
        cells_here = len(list(run))
        if shape == alike and cells_here > length:
            start, length = at, cells_here
        at += cells_here
    return start, length


def _shape(prop: Property | None, csv: Csv) -> str:
    """The pattern of a cell. The parser knows one null value: other null values that look like values do not match."""
    many, delimiter = "*" if "" in csv.null_values else "+", re.escape(csv.delimiter)
    if prop is None or not _is_parsed(prop):
        return rf"[^{delimiter}{re.escape(csv.quote)}\x00\ufffd]{many}"
    words = [w for w in csv.null_values if w]
    shape = f"{NUMERAL}{many}" if prop.type != "date" else DAY if many == "+" else f"(?:{DAY})?"
    misleading = "|".join(re.escape(w) for w in words[1:] if re.fullmatch(shape, w))
    unless = rf"(?!(?:{misleading})(?:{delimiter}|\z))" if misleading else ""
    other = [re.escape(w) for w in words[:1] if not re.fullmatch(shape, w)]
    return unless + (f"(?:{'|'.join([shape, *other])})" if other else shape)


def _is_parsed(prop: Property) -> bool:
    return prop.type in PARSED and not (prop.type == "date" and prop.format not in (None, "yyyy-MM-dd"))


def _schema(plan: Plan, header: tuple[str, ...]) -> str:
    types = {p.name: PARSED[p.type] for p in plan.properties if _is_parsed(p)}
    return ", ".join(f"c{n} {types.get(name, 'string')}" for n, name in enumerate(header)) + ", bad string"


def _nulls(csv: Csv) -> dict[str, str]:
    """The null value that the parser knows; the pattern keeps lines from it that it would wrongly take for null."""
    word = next((w for w in csv.null_values if w), "")
    return {"nullValue": word, "emptyValue": word if "" in csv.null_values else ""}


def _cell(cell: Column, prop: Property, csv: Csv) -> Column:
    """A parsed cell, null also for the null values that the parser does not know."""
    words = [w for w in csv.null_values if w][1:]
    if _is_parsed(prop) or not words:
        return cell
    return sf.when(~cell.isin(*words), cell)


def _value(cell: Column, prop: Property) -> Column:
    return cell if _is_parsed(prop) else typed(cell, prop)


def _failing(plan: Plan, check: Check, at: dict[str, int]) -> Column | None:
    """What fails a row check, for values that are parsed already; None where the pattern or the parser sees to it."""
    if check.property is None or check.property not in at:
        return None
    prop = plan.property_named(check.property)
    if check.kind == "logicalType" and (_is_parsed(prop) or prop.type == "string"):
        return None
    return rules.failing_of(plan, check)
