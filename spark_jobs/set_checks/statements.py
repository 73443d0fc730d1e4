"""Queries of a contract: the records of files with one header in, what each query says of each file out.

Contracts that have none cost nothing. All of one filter ask one view of the typed records; values that are aggregates
of them share one pass. A query that Spark cannot run is an error of its check, never green.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from py4j.protocol import Py4JJavaError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.job import Sample
from contracts.place import Place
from contracts.plan import DROPS, QUERIES, ROWS, Check, Plan
from spark_jobs.formats import registry, text_lines
from spark_jobs.rules import aggregates, bitmask
from spark_jobs.scan.batch import Group
from spark_jobs.set_checks import uniqueness
from spark_jobs.set_checks.results import Answer
from spark_jobs.spark import sql_guard, sql_text

MOST = 5
LENGTH = 200
TABLES = (ROWS, DROPS)
"""What a query may ask: the records of the files at hand, and the list of these files."""
Answers = dict[tuple[str, str], Answer]
"""By drop and check."""


def checks(plan: Plan, header: tuple[str, ...]) -> bitmask.Numbered:
    """The checks with a query that can be made of files with a header, with their numbers."""
    return [(n, c) for n, c in enumerate(plan.checks) if c.kind in QUERIES and set(c.needs()) <= set(header)]


def answers(spark: SparkSession, plan: Plan, asked: bitmask.Numbered, group: Group, malformed: bool) -> Answers:
    """Return the answers of some checks for each drop of a group; `malformed` means there are records to leave out."""
    drops = list(dict.fromkeys(place.drop.id for place in group.places))
    rows = _rows(spark, plan, asked, group, drops, malformed)
    spark.range(len(drops)).selectExpr("cast(id as int) as drop").createOrReplaceTempView(DROPS)
    found: Answers = {}
    kept = rows.persist(StorageLevel.DISK_ONLY) if len(asked) > 1 else rows
    try:
        for only, same in groupby(sorted((c for _, c in asked), key=_filter), _filter):
            (kept.where(only) if only else kept).createOrReplaceTempView(ROWS)
            for place, answer in _of_view(spark, list(same)):
                found[drops[place[0]], place[1]] = answer
    finally:
        kept.unpersist()
    return found


def _filter(check: Check) -> str:
    return check.filter.sql if check.filter else ""


def _rows(
    spark: SparkSession, plan: Plan, asked: bitmask.Numbered, group: Group, drops: Sequence[str], malformed: bool
) -> DataFrame:
    """The records with drop, record number and v<n>, the value of property n where a query asks for it."""
    wanted, at = uniqueness.names(asked), {p.name: n for n, p in enumerate(plan.properties)}
    records = registry.of(plan).records(group.source, plan, group.header, wanted, group.aside, malformed)
    numbered = uniqueness.numbered(spark, records, group.places, drops)
    return numbered.select("drop", "record", *(sf.col(f"v{n}").alias(f"v{at[name]}") for n, name in enumerate(wanted)))


def _of_view(spark: SparkSession, asked: Sequence[Check]) -> Iterator[tuple[tuple[int, str], Answer]]:
    """Yield the answers of checks with one filter, by the drop's place and the check's id."""
    together = [c for c in asked if c.kind == "sql" and "aggregate" in c.arguments]
    if together:
        values = ", ".join(f"{_text(c.arguments['aggregate'])} as a{n}" for n, c in enumerate(together))
        yield from _values(spark, f"select t0.drop as drop, {values} from {ROWS} t0 group by t0.drop", together)
    for check in asked:
        if check.kind == "statement":
            yield from _statement(spark, check)
        elif check not in together:
            yield from _values(spark, f"select drop, {_text('o0')} as a0 from ({check.arguments['sql']})", [check])


def _text(sql: str) -> str:
    return f"cast({sql} as string)"


def _values(spark: SparkSession, query: str, asked: Sequence[Check]) -> Iterator[tuple[tuple[int, str], Answer]]:
    """One value of each of some checks, of each drop."""
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
            yield (row["drop"], check.id), _value(row[f"a{n}"])


def _value(text: str | None) -> Answer:
    if text is None:
        return Answer(reason=aggregates.NO_VALUES)
    value = aggregates.unsigned(Decimal(text))
    if not value.is_finite():
        return Answer(reason=aggregates.TOO_LARGE)
    return Answer(value, aggregates.number(value))


def _statement(spark: SparkSession, check: Check) -> Iterator[tuple[tuple[int, str], Answer]]:
    """Yield how many rows a statement finds in each drop, and the first of them."""
    names = check.arguments["columns"]
    shown = ", ".join(
        f"concat({sql_text.literal(f'{name}=')}, coalesce(cast(o{n} as string), 'null'))"
        for n, name in enumerate(names)
    )
    found = f"select drop, record, concat_ws(', ', {shown}) as text from ({check.arguments['sql']})"
    nth = "row_number() over (partition by drop order by record, text) as nth"
    first = (
        f"select * from (select *, count(1) over (partition by drop) as n, {nth} from ({found})) where nth <= {MOST}"
    )
    told = f"d.drop, f.record, left(f.text, {LENGTH}) as text, f.n"
    query = f"select {told} from {DROPS} d left join ({first}) f on f.drop = d.drop order by d.drop, f.nth"
    if why := sql_guard.refusal(spark, query, TABLES):
        yield from _failed(spark, [check], why)
        return
    try:
        rows = spark.sql(query).collect()
    except (PySparkException, Py4JJavaError) as error:
        yield from _failed(spark, [check], text_lines.first_line(error))
        return
    for drop, own in groupby(rows, key=lambda row: row["drop"]):
        found_here = [row for row in own if row["n"] is not None]
        samples = tuple(Sample(Place(row["record"]), row["text"]) for row in found_here if row["record"] is not None)
        count = found_here[0]["n"] if found_here else 0
        yield (drop, check.id), Answer(Decimal(count), f"{count:,}", samples)


def _failed(spark: SparkSession, asked: Sequence[Check], why: str) -> Iterator[tuple[tuple[int, str], Answer]]:
    answer = Answer(error=f"Spark could not run it: {why}")
    for row in spark.table(DROPS).collect():
        for check in asked:
            yield (row["drop"], check.id), answer
