"""The one look at every line: lines in, scratch out, in which lines that pass collapse and all others stay as they are.

Most lines of most files are plain: no quote, nothing but what their cells may hold. A pattern over the whole line says
so; such a line is split at its delimiters and cast without further tests, so that what it fails is known at once.
Whatever is not plain is kept with its raw text and no words, for `judging` to look at closely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import groupby

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.plan import Csv, Plan, Property
from spark_jobs import bits, reader, rules
from spark_jobs.schema import GREATEST_DOUBLE, ISO, NUMERAL, cast, fence, typed

WIDE = 400
"""Columns up to which lines are held against the pattern: Java's regular expressions use the stack for each group."""


def scan(
    text: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], seen: Observation
) -> DataFrame:
    """Group the lines of files with one header: file, block, `at` and `raw` of single lines, words, n, first id, sums.

    The words of a line that needs a closer look are null; `seen` is told the number of all lines.
    """
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    line, words = sf.col("line"), bits.words(plan)
    even = line.rlike(plain(plan, header)) if len(header) <= WIDE else sf.lit(False)
    lines = reader.lines(text, plan.csv, seen).select("*", even.alias("plain"))
    split = lines.select("*", sf.when(sf.col("plain"), reader.split(line, plan.csv)).alias("texts"))
    cells = {n: reader.known(sf.expr(f"get(texts, {at[p.name]})"), plan.csv) for n, p in here}
    values = {n: _value(cells[n], p) for n, p in here}
    uneven = ~sf.col("plain") | (sf.size("texts") != len(header)) | line.isin(*header_texts)
    infinite = [sf.abs(values[n]) > GREATEST_DOUBLE for n, p in here if p.type == "number"]
    looked = split.select(
        "*",
        *(cell.alias(f"c{n}") for n, cell in cells.items()),
        *(value.alias(f"v{n}") for n, value in values.items()),
        sf.coalesce(reduce(Column.__or__, infinite, uneven), sf.lit(False)).alias("odd"),
    )
    failing = rules.failing_of(plan, plan.row_checks(), at)
    flagged = looked.select("*", *bits.flags(failing))
    known = flagged.select(
        "*", *(sf.expr(f"if(odd, null, {bits.word(failing, n)})").alias(word) for n, word in enumerate(words))
    )
    fails = [sf.col(word) != 0 for word in words]
    single = known.select("*", reduce(Column.__or__, fails, sf.col("odd")).alias("single"))
    return (
        rules.with_decimals(single, plan, at)
        .groupBy(
            *("file", "block"),
            sf.when(sf.col("single"), sf.col("id")).alias("at"),
            sf.when(sf.col("single"), line).alias("raw"),
            *words,
        )
        .agg(sf.count(sf.lit(1)).alias("n"), sf.min("id").alias("first"), *rules.sums(plan, at))
    )


def plain(plan: Plan, header: tuple[str, ...]) -> str:
    """A pattern of the lines that need no closer look: no quote, no NUL, all text, fenced cells within their fences.

    Bytes that are no text reach a pattern as U+FFFD. A line that does not match is not wrong: it is looked at closely.
    The longest run of cells of plain numbers is one piece of the pattern, which is faster; as the cells are counted,
    all others stand in their places nevertheless.
    """
    known = {p.name: p for p in plan.properties}
    cells = [_shape(known.get(name), plan.csv) for name in header]
    delimiter = re.escape(plan.csv.delimiter)
    start, length = _longest(cells, f"{NUMERAL}*")
    if length > 1 and not re.fullmatch(NUMERAL, plan.csv.delimiter):
        cells[start : start + length] = [f"[{NUMERAL[1:-1]}{delimiter}]*"]
    return "^" + delimiter.join(cells) + r"\z"


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
    """The pattern of a cell: a text, or what is within its fence or null."""
    text = rf"[^{re.escape(csv.delimiter)}{re.escape(csv.quote)}\x00\ufffd]*"
    allowed = fence(prop) if prop is not None and _is_fenced(prop) else None
    if allowed is None:
        return text
    words = [re.escape(w) for w in csv.null_values if not re.fullmatch(allowed, w) and re.fullmatch(text, w)]
    return f"(?:{'|'.join([allowed, *words])})" if words else allowed


def _is_fenced(prop: Property) -> bool:
    """Whether the line's pattern fences a cell. Types whose texts are often wrong are better tested one by one."""
    return prop.type in ("integer", "number") or (prop.type == "date" and prop.format in (None, ISO))


def _value(cell: Column, prop: Property) -> Column:
    return cast(cell, prop) if _is_fenced(prop) else typed(cell, prop)
