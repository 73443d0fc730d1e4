"""CSV whose cells may hold line breaks: Spark's own reader of records in, cells and values out.

A record has no line of its own: the raw text of a failing one is its cells as JSON. A quote that is never closed takes
in all that follows, unseen: so the quotes of a file are followed first, line after line, and a file is refused whose
quotes do not stand around whole cells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import reduce

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.columns import positions
from contracts.job import JobDrop
from contracts.plan import Csv, Plan
from contracts.problem import Problem
from contracts.trailer import LONGEST_LINE, Last
from spark_jobs import reader, rules, storage
from spark_jobs.schema import typed

RAW = "cells array<string>, bad string"
QUOTED, OPEN = "\ue000", "\ue001"
TWICE = QUOTED + OPEN


def is_headed(plan: Plan) -> bool:
    """Whether the first record of a file names its columns."""
    return plan.csv.header


def header_texts(drop: JobDrop) -> tuple[str, ...]:
    """What the header looks like among raw texts."""
    return (json.dumps({"cells": list(drop.header)}, ensure_ascii=False, separators=(",", ":")),)


def load(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """The records of files with one header: cell0, cell1, ... and `bad`, the text of one with more or fewer cells."""
    width = len(drops[0].header)
    schema = ", ".join(f"cell{n} string" for n in range(width)) + ", bad string"
    options = reader.dialect(plan.csv) | {"nullValue": "", "emptyValue": "", "encoding": plan.csv.encoding}
    read = spark.read.schema(schema).options(**options).option("multiLine", "true")
    return read.csv(reader.paths(drops))


def bare(source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """The records of files without those that are as their header, or begin as trailers."""
    source = source.where(~_is_head(drops[0].header)) if plan.csv.header else source
    return source.where(~_is_last(drops[0].header, plan)) if plan.csv.trailer else source


def ends(raw: Column, plan: Plan) -> Column:
    """Whether the raw text of a record is that of a trailer."""
    return sf.coalesce(sf.get_json_object(raw, "$.cells[0]") == _begins(plan), sf.lit(False))


def last_cells(raw: bytes, plan: Plan) -> Last:
    """The cells of a trailer's raw text, whose record is `bad` where it has more or fewer than the header."""
    try:
        found = json.loads(raw)
    except ValueError:  # it was too long, and has been cut
        return "long"
    text = found.get("bad", "".join(found["cells"]))
    if len(text) > LONGEST_LINE:
        return "long"
    if "\0" in text or "\ufffd" in text:
        return "bytes"
    return reader.cells_of(text, plan.csv) if "bad" in found else tuple(found["cells"])


def _is_last(header: tuple[str, ...], plan: Plan) -> Column:
    return _texts(header)[0] == _begins(plan)


def _begins(plan: Plan) -> Column:
    return sf.lit(plan.csv.trailer.begins if plan.csv.trailer else None)


def _is_head(header: tuple[str, ...]) -> Column:
    return reduce(Column.__and__, (text == name for text, name in zip(_texts(header), header, strict=True)))


def refused(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> dict[str, Problem]:
    """The files with a quote that is never closed, or that stands within unquoted text, by drop."""
    if not plan.csv.quote:
        return {}
    text = reader.lines(spark.read.text(reader.paths(drops)), plan.csv).where(
        reader.has_quote(sf.col("line"), plan.csv)
    )
    quotes = text.select("file", "block", "id", rules.quotes(sf.col("line"), plan.csv).alias("n"), *_strays(plan.csv))
    before = "sum(n) over (partition by file order by block, id rows between unbounded preceding and 1 preceding)"
    followed = quotes.select("*", sf.expr(f"coalesce({before} % 2 = 1, false)").alias("is_open"))
    counted = followed.groupBy("file").agg(
        sf.expr("sum(n) % 2 = 1").alias("open"), sf.expr("bool_or(if(is_open, within, outside))").alias("stray")
    )
    seen = {storage.plain(row["file"]): row for row in counted.where("open or stray").collect()}
    message = "A quote is opened and never closed; all that follows it would be one cell."
    stray = "A quote stands within text that is not quoted, so that nobody can tell where cells begin and end."
    fix = f"Close every quote, and write one inside a quoted cell as `{plan.csv.escape}{plan.csv.quote}`."
    found = {d.id: seen[storage.plain(d.uri)] for d in drops if storage.plain(d.uri) in seen}
    return {drop: Problem("open-quote", message if row["open"] else stray, fix) for drop, row in found.items()}


def _strays(csv: Csv) -> list[Column]:
    """Whether a quote of a line stands where no cell begins or ends: `outside` of quotes at its start, and `within`.

    What is quoted becomes one sign, and what is open at the end another, so that only their neighbours matter.
    """
    line = rules.without_escaped(sf.regexp_replace("line", f"[{QUOTED}{OPEN}]", "x"), csv)
    delimiter, quote = re.escape(csv.delimiter), re.escape(csv.quote)
    dropped = reader.dropped(csv)
    before, after = f"[^{delimiter}{QUOTED}][{TWICE}]", rf"{QUOTED}{dropped}[^{delimiter}{TWICE}\x00-\x20]"
    twice = f"(?![{TWICE}])" if csv.escape == csv.quote else ""  # side by side they are one with a quote in it
    apart = f"{QUOTED}{twice}{dropped}[{TWICE}]"
    found = []
    for name, text in (("outside", line), ("within", sf.concat(sf.lit(csv.quote), line))):
        whole = sf.regexp_replace(text, f"{quote}[^{quote}]*{quote}", QUOTED)
        signs = sf.regexp_replace(whole, f"{quote}.*", OPEN)
        found.append(signs.rlike(f"{before}|{after}|{apart}").alias(name))
    return found


def fault(spark: SparkSession, plan: Plan, drop: JobDrop) -> Problem | None:
    """Why a file cannot be read, if its bytes can be fetched but not be read as records."""
    try:
        load(spark, plan, [drop]).write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError):
        storage.consume(spark, drop.uri)
        message = "The file cannot be read as CSV: a record in it is too long, or has too many cells."
        return Problem("broken-csv", message, "Look for a quote that is opened in one record and closed in another.")
    return None


def looked(
    source: DataFrame, plan: Plan, header: tuple[str, ...], _header_texts: Sequence[str]
) -> tuple[DataFrame, Column]:
    """The records of files with one header: file, block, id, c<n> and v<n>, odd; their raw text."""
    texts = _texts(header)
    odd = sf.col("bad").isNotNull() | _not_text(sf.concat(*texts)) | _is_head(header)
    odd = odd | _is_last(header, plan) if plan.csv.trailer else odd
    looked = _numbered(source, plan, header).select("*", odd.alias("odd"))
    return looked, sf.to_json(sf.struct(sf.array(*texts).alias("cells"), "bad"))


def _numbered(source: DataFrame, plan: Plan, header: tuple[str, ...]) -> DataFrame:
    """All records with file, block, id, c<n> and v<n>."""
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    numbered = source.select("*", *reader.place(), sf.monotonically_increasing_id().alias("id"))
    cells = [sf.expr(reader.cell(f"cell{at[p.name]}", plan.csv)).alias(f"c{n}") for n, p in here]
    return numbered.select("*", *cells).select("*", *(typed(sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here))


def _texts(header: tuple[str, ...]) -> list[Column]:
    return [sf.coalesce(sf.col(f"cell{n}"), sf.lit("")) for n in range(len(header))]


def opened(singles: DataFrame, plan: Plan, header: tuple[str, ...]) -> tuple[DataFrame, dict[str, Column]]:
    """Odd records (column `raw`) with c<n> and v<n>, and by kind what fails the checks of records as such."""
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    apart = singles.select("*", sf.from_json("raw", RAW).alias("parts"))
    cells = [sf.expr(reader.known(f"get(parts.cells, {at[p.name]})", plan.csv)).alias(f"c{n}") for n, p in here]
    values = [typed(sf.col(f"c{n}"), p).alias(f"v{n}") for n, p in here]
    bad = sf.col("parts.bad")
    return apart.select("*", *cells).select("*", *values), {
        "fields": bad.isNotNull(),
        "quotes": sf.lit(False),
        "text": _not_text(sf.coalesce(bad, sf.array_join("parts.cells", ""))),
    }


def records(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    wanted: Sequence[str],
    aside: Sequence[int],
    _malformed: bool,
) -> DataFrame:
    """The records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties."""
    found = _numbered(source, plan, header).where(~sf.col("id").isin(*aside))
    sound = found.where(sf.col("bad").isNull() & ~_not_text(sf.concat(*_texts(header))))
    return reader.chosen(sound, plan, wanted)


def whole(source: DataFrame, plan: Plan, header: tuple[str, ...]) -> DataFrame:
    """The records as text, quoted where need be: file, block, id, value."""
    number = sf.monotonically_increasing_id().alias("id")
    line = sf.array_join(sf.array(*(reader.as_cell(text, plan.csv) for text in _texts(header))), plan.csv.delimiter)
    # A record of one empty cell would be an empty line, which is none.
    found = source.select(
        *reader.place(), number, sf.when(line == "", sf.lit(plan.csv.quote * 2)).otherwise(line).alias("value")
    )
    return found.select("file", "block", "id", reader.encoded("value", plan.csv))


def with_cells(rows: DataFrame, _plan: Plan, header: tuple[str, ...], malformed: Column) -> DataFrame:
    """Records (column `raw`) and `cells`, their texts by column; malformed ones have none."""
    at = positions(header)
    texts = sf.array(*(sf.expr(f"get(parts.cells, {n})") for n in at.values()))
    cells = sf.when(~malformed, sf.map_from_arrays(sf.array(*map(sf.lit, at)), texts))
    apart = rows.select("*", sf.from_json("raw", RAW).alias("parts"))
    return apart.select("*", cells.alias("cells")).drop("parts")


def _not_text(text: Column) -> Column:
    """NUL, or bytes that are no text: Spark's reader gives U+FFFD for them."""
    return sf.contains(text, sf.lit("\x00")) | sf.contains(text, sf.lit("\ufffd"))
