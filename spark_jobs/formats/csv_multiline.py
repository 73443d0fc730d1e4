"""CSV whose cells may hold line breaks: lines of files in, records with their whole text out; then as `csv_lines`.

The quotes of a file are followed line after line, in the order of the file: a line that begins within quotes belongs to
the record before it, with exactly the characters that end its lines. A quote that is never closed would swallow the
rest of the file unnoticed: a file is refused if its quotes do not enclose whole cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.job import JobDrop
from contracts.plan import Csv, Plan
from contracts.problem import Problem
from contracts.values import long_lines
from contracts.values.sql_text import literal
from spark_jobs.formats import csv_lines, text_lines
from spark_jobs.formats.text_lines import LATIN
from spark_jobs.rules import csv_quotes, row_checks
from spark_jobs.spark import storage

OPEN = "\ue001"
"""A sign in place of a quote that is open at the end of a line, and the text behind it."""
ORDER = "partition by file order by block, nth, part"
BEFORE = f"({ORDER} rows between unbounded preceding and 1 preceding)"
SO_FAR = f"({ORDER} rows between unbounded preceding and current row)"


fault = text_lines.no_fault
is_trailer = text_lines.is_trailer
may_be_plain = csv_lines.may_be_plain
first_pass = csv_lines.first_pass
records = csv_lines.records
second_pass = csv_lines.second_pass
with_cells = csv_lines.with_cells


def load(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Read the records of files: file, block, id (null if empty), line: all its text, `at`: its first line, from 1.

    A file is one block, as its quotes are followed from its beginning.
    """
    parts = _parts(spark, plan.csv, drops)
    odd = row_checks.quotes(sf.col("text"), plan.csv) % 2 if plan.csv.quote else sf.lit(0)
    counted, begins = parts.select("*", odd.alias("odd")), f"coalesce(sum(odd) over {BEFORE} % 2 = 0, true)"
    if plan.csv.comment_char:
        like = sf.startswith("text", sf.lit(plan.csv.comment_char)).alias("like")
        counted, begins = _followed(counted.select("*", like), ORDER), "not is_open"
    followed = counted.select(
        *("file", "text", "ending"),
        sf.expr(begins).alias("begins"),
        sf.expr(f"row_number() over ({ORDER})").alias("at"),
        sf.expr(f"lag(ending) over ({ORDER})").alias("before"),
        *("block", "nth", "part"),
    )
    numbered = followed.select(
        *("file", "text", "before", "begins", "at"),
        sf.expr(f"sum(int(begins)) over {SO_FAR}").alias("number"),
        sf.expr(f"sum(int(begins and {_filled(plan.csv)})) over {SO_FAR}").alias("id"),
    )
    none = f"begins and not ({_filled(plan.csv)})"
    piece = f"struct(at, if(begins, text, concat(before, text)) as text, if({none}, null, id) as id)"
    grouped = numbered.groupBy("file", "number").agg(sf.expr(f"array_sort(collect_list({piece}))").alias("lines"))
    return grouped.selectExpr(
        "file", "0L as block", "lines[0].id as id", "array_join(lines.text, '') as line", "lines[0].at as at"
    ).withColumn("line", text_lines.beginning(sf.col("line"), long_lines.KEPT))


def _filled(csv: Csv) -> str:
    """Return the condition for a line that begins a row to be a record, in SQL."""
    comment = f" and not startswith(text, {literal(csv.comment_char)})" if csv.comment_char else ""
    return f"text != ''{comment}"


def _followed(lines: DataFrame, order: str) -> DataFrame:
    """Add `is_open` to lines with `odd` and `like` (a comment): whether a quote is open where a line begins.

    A line like a comment whose own quotes leave one open is a comment outside quotes, so that its quotes do not count;
    within quotes it closes them. Behind it no quote is open in either case.
    """
    so_far = f"sum(odd) over ({order} rows between unbounded preceding and current row) as so_far"
    summed = lines.selectExpr("*", "like and odd = 1 as reset", so_far)
    before = f"({order} rows between unbounded preceding and 1 preceding)"
    is_open = f"(so_far - odd - coalesce(max(if(reset, so_far, 0)) over {before}, 0)) % 2 = 1 as is_open"
    return summed.selectExpr("*", is_open)


def _parts(spark: SparkSession, csv: Csv, drops: Sequence[JobDrop]) -> DataFrame:
    """Read the lines of files: file, block, nth, part (their order), text, and the characters that end it.

    Spark's reader does not report which characters ended a line. It ends lines at LF only here; lines are then split at
    other CRs.
    """
    lines = text_lines.whole_lines(spark.read.option("lineSep", "\n").text(text_lines.paths(drops)), csv)
    crlf = sf.endswith("line", sf.lit("\r"))
    bare = sf.when(crlf, sf.expr("string(left(binary(line), octet_length(line) - 1))")).otherwise(sf.col("line"))
    stripped = lines.select(
        *("file", "block", sf.monotonically_increasing_id().alias("nth")),
        bare.alias("bare"),
        sf.when(crlf, "\r\n").otherwise("\n").alias("ending"),
    )
    # Spark splits texts, which would change invalid bytes: in Latin-1 every byte is valid.
    latin = sf.split(sf.decode(sf.col("bare").cast("binary"), LATIN), "\r", -1)
    parts = sf.transform(latin, lambda part: sf.encode(part, LATIN).cast("string"))
    split = sf.when(sf.contains("bare", sf.lit("\r")), parts).otherwise(sf.array("bare"))
    pieces = stripped.select("file", "block", "nth", "ending", sf.posexplode(split).alias("part", "text"), "bare")
    last = sf.expr("part = octet_length(bare) - octet_length(replace(bare, '\r', ''))")
    return pieces.select(
        "file", "block", "nth", "part", "text", sf.when(last, sf.col("ending")).otherwise("\r").alias("ending")
    )


def record_lines(source: DataFrame, _plan: Plan) -> DataFrame:
    """Return the places of records: file, block, `at` (their id), `line`: their first line, counted in the file."""
    return source.where("id is not null").selectExpr("file", "block", "id as at", "at as line")


def without_header(source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Leave out the records that equal the headers of files, or begin as trailers."""
    return text_lines.below_header(source, sf.col("line"), plan, drops)


def as_written(source: DataFrame, plan: Plan, _header: tuple[str, ...]) -> DataFrame:
    """Return the records as they were written: file, block, id, value."""
    full = source.where(sf.col("id").isNotNull()).withColumnRenamed("line", "value")
    return full.select("file", "block", "id", text_lines.encoded("value", plan.csv))


def refusals(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> dict[str, Problem]:
    """Return the problems of files with a quote that is never closed, or is within unquoted text, by drop."""
    if not plan.csv.quote:
        return {}
    text = text_lines.whole_lines(spark.read.text(text_lines.paths(drops)), plan.csv).where(
        csv_quotes.has_quote(sf.col("line"), plan.csv)
    )
    n = row_checks.quotes(sf.col("line"), plan.csv)
    quotes = text.select("file", "block", "id", n.alias("n"), *_strays(plan.csv))
    before = "sum(n) over (partition by file order by block, id rows between unbounded preceding and 1 preceding)"
    ends, stray = "sum(n) % 2 = 1", "bool_or(if(is_open, within, outside))"
    if plan.csv.comment_char:
        like = sf.startswith("line", sf.lit(plan.csv.comment_char)).alias("like")
        own = text.select(
            "file",
            "block",
            sf.monotonically_increasing_id().alias("nth"),
            like,
            (n % 2).alias("odd"),
            *_strays(plan.csv),
        )
        followed = _followed(own, "partition by file order by block, nth")
        ends, stray = (
            "(sum(odd) - max(if(reset, so_far, 0))) % 2 = 1",
            "bool_or(if(is_open, within, outside and not like))",
        )
    else:
        followed = quotes.select("*", sf.expr(f"coalesce({before} % 2 = 1, false)").alias("is_open"))
    counted = followed.groupBy("file").agg(sf.expr(ends).alias("open"), sf.expr(stray).alias("stray"))
    seen = {storage.plain(row["file"]): row for row in counted.where("open or stray").collect()}
    message = "A quote is opened and never closed; all that follows it would be one cell."
    stray = "A quote is within unquoted text, so that the cells cannot be separated."
    fix = f"Close every quote, and write one inside a quoted cell as `{plan.csv.escape}{plan.csv.quote}`."
    files = ((drop.id, storage.plain(uri)) for drop in drops for uri in reversed(drop.uris))
    wrong = {drop: seen[file] for drop, file in files if file in seen}
    return {drop: Problem("open-quote", message if row["open"] else stray, fix) for drop, row in wrong.items()}


def _strays(csv: Csv) -> list[Column]:
    """Return tests for a quote inside a cell: `outside` of quotes at the line's start, and `within` them.

    A quote that is open at the end of the line is a sign of its own, so that its neighbours are also tested.
    """
    line = sf.regexp_replace("line", OPEN, csv_quotes.ESCAPED)
    quote, astray = re.escape(csv.quote), csv_quotes.astray(csv, csv_quotes.STRETCH + OPEN)
    tests = []
    for name, text in (("outside", line), ("within", sf.concat(sf.lit(csv.quote), line))):
        signs = sf.regexp_replace(csv_quotes.stretched(text, csv), f"{quote}.*", OPEN)
        tests.append(signs.rlike(astray).alias(name))
    return tests
