"""Queries of a contract: the records of files with one header in, the answer of each query for each file out.

A contract without queries costs nothing. Queries with the same filter share one view of the typed records; aggregates
of these records share one pass. A query that Spark cannot run is an error of its check, never green.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from py4j.protocol import Py4JJavaError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts import rules
from contracts.job import Sample
from contracts.place import Place
from contracts.plan import DROPS, ROWS, Check, Plan
from contracts.values import sql_text
from spark_jobs.counting import aggregates, bitmask
from spark_jobs.counting.results import Answer
from spark_jobs.formats import text_lines
from spark_jobs.scan.records import numbered_records
from spark_jobs.scan.scanning import ScannedGroup
from spark_jobs.set_checks import uniqueness
from spark_jobs.spark import sql_guard

MOST = 5
LENGTH = 200
TABLES = (ROWS, DROPS)
"""The views that a query may read: the records of some files, and the list of these files."""
Answers = dict[str, dict[str, Answer]]
"""Answers by drop, by check id."""


def answers(spark: SparkSession, plan: Plan, groups: Sequence[ScannedGroup], *, malformed: bool) -> Answers:
    """Return the answers of a plan's queries for each drop; `malformed` means there are records to leave out."""
    by_drop: Answers = {}
    for group in groups:
        asked = [
            (n, c)
            for n, c in enumerate(plan.checks)
            if isinstance(c.rule, rules.Query) and set(c.needs()) <= set(group.header)
        ]
        if group.splits and asked:
            by_drop |= _in_group(spark, plan, asked, group, malformed=malformed)
    return by_drop


def _in_group(
    spark: SparkSession, plan: Plan, asked: bitmask.Numbered, group: ScannedGroup, *, malformed: bool
) -> Answers:
    drops = group.placed_drops
    # The records with drop, record number and v<n>, the value of property n if a query asks for it.
    wanted, numbers = uniqueness.names(asked), {p.name: n for n, p in enumerate(plan.properties)}
    numbered = numbered_records(spark, plan, group, wanted, drops, malformed=malformed)
    values = (sf.col(f"v{n}").alias(f"v{numbers[name]}") for n, name in enumerate(wanted))
    rows = numbered.select("drop", "record", *values)
    spark.range(len(drops)).selectExpr("cast(id as int) as drop").createOrReplaceTempView(DROPS)
    by_drop: Answers = {drop: {} for drop in drops}
    kept = rows.persist(StorageLevel.DISK_ONLY) if len(asked) > 1 else rows
    try:
        for condition, same in groupby(sorted((c for _, c in asked), key=_filter), _filter):
            (kept.where(condition) if condition else kept).createOrReplaceTempView(ROWS)
            for (at, check_id), answer in _of_view(spark, list(same)):
                by_drop[drops[at]][check_id] = answer
    finally:
        kept.unpersist()
    return by_drop


def _filter(check: Check) -> str:
    return check.filter.sql if check.filter else ""


def _of_view(spark: SparkSession, asked: Sequence[Check]) -> Iterator[tuple[tuple[int, str], Answer]]:
    """Yield the answers of checks with one filter, by the drop's place and the check's id."""
    together = [(c, c.rule.aggregate) for c in asked if isinstance(c.rule, rules.Sql) and c.rule.aggregate is not None]
    if together:
        values = ", ".join(f"{_text(aggregate)} as a{n}" for n, (_, aggregate) in enumerate(together))
        query = f"select t0.drop as drop, {values} from {ROWS} t0 group by t0.drop"
        yield from _values(spark, query, [check for check, _ in together])
    for check in asked:
        match check.rule:
            case rules.Statement() as rule:
                yield from _statement(spark, check, rule)
            case rules.Sql(aggregate=None, sql=sql) | rules.Quantile(sql=sql):
                yield from _values(spark, f"select drop, {_text('o0')} as a0 from ({sql})", [check])


def _text(sql: str) -> str:
    return f"cast({sql} as string)"


def _values(spark: SparkSession, query: str, asked: Sequence[Check]) -> Iterator[tuple[tuple[int, str], Answer]]:
    """Yield one value of each of some checks, for each drop."""
    if why := sql_guard.refusal(spark, query, TABLES):
        yield from _failed(spark, asked, why)
        return
    try:
        rows = spark.sql(query).collect()
    except (PySparkException, Py4JJavaError) as error:
        yield from _failed(spark, asked, text_lines.first_line(error))
        return
    for row in rows:
        for n, check in enumerate(asked):
            text = row[f"a{n}"]
            value = None if text is None else aggregates.unsigned(Decimal(text))
            if value is None:
                answer = Answer(reason=aggregates.NO_VALUES)
            elif not value.is_finite():
                answer = Answer(reason=aggregates.TOO_LARGE)
            else:
                answer = Answer(value, aggregates.number(value))
            yield (row["drop"], check.id), answer


def _statement(spark: SparkSession, check: Check, rule: rules.Statement) -> Iterator[tuple[tuple[int, str], Answer]]:
    """Yield how many rows a statement returns for each drop, and the first of them."""
    shown = ", ".join(
        f"concat({sql_text.literal(f'{name}=')}, coalesce(cast(o{n} as string), 'null'))"
        for n, name in enumerate(rule.columns)
    )
    rows_of = f"select drop, record, concat_ws(', ', {shown}) as text from ({rule.sql})"
    nth = "row_number() over (partition by drop order by record, text) as nth"
    first = (
        f"select * from (select *, count(1) over (partition by drop) as n, {nth} from ({rows_of})) where nth <= {MOST}"
    )
    columns = f"d.drop, f.record, left(f.text, {LENGTH}) as text, f.n"
    query = f"select {columns} from {DROPS} d left join ({first}) f on f.drop = d.drop order by d.drop, f.nth"
    if why := sql_guard.refusal(spark, query, TABLES):
        yield from _failed(spark, [check], why)
        return
    try:
        rows = spark.sql(query).collect()
    except (PySparkException, Py4JJavaError) as error:
        yield from _failed(spark, [check], text_lines.first_line(error))
        return
    for drop, own in groupby(rows, key=lambda row: row["drop"]):
        failing = [row for row in own if row["n"] is not None]
        samples = tuple(Sample(Place(row["record"]), row["text"]) for row in failing if row["record"] is not None)
        count = failing[0]["n"] if failing else 0
        yield (drop, check.id), Answer(Decimal(count), f"{count:,}", samples)


def _failed(spark: SparkSession, asked: Sequence[Check], why: str) -> Iterator[tuple[tuple[int, str], Answer]]:
    answer = Answer(error=f"Spark could not run it: {why}")
    for row in spark.table(DROPS).collect():
        for check in asked:
            yield (row["drop"], check.id), answer
