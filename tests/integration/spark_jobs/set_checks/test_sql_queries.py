"""Whole queries held against Spark itself: it says of each as it stands what it says of what is written anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from contracts.authoring.sql import statements
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import DROPS, ROWS, Property
from spark_jobs.set_checks.statements import TABLES
from spark_jobs.spark import sql_guard
from spark_jobs.validate import configured

COLUMNS = "s string, n bigint, x double, p decimal(10,2), d date, ts timestamp, b boolean"
PROPERTIES = [
    Property("s", "string"),
    Property("n", "integer"),
    Property("x", "number"),
    Property("p", "number", exact=(10, 2)),
    Property("d", "date"),
    Property("ts", "timestamp"),
    Property("b", "boolean"),
]
ROWS_OF_FILE: list[tuple[Any, ...]] = [
    ("a", 1, 1.5, Decimal("1.10"), date(2024, 2, 29), datetime(2024, 2, 29, 12, 30, 1, tzinfo=UTC), True),
    ("A", 1, -1.5, Decimal("-1.10"), date(2024, 3, 1), datetime(2024, 3, 1, tzinfo=UTC), False),
    (" b ", 2, 0.0, Decimal("0.00"), date(2023, 12, 31), datetime(2023, 12, 31, 23, 59, 59, tzinfo=UTC), None),
    ("2024-02-29", 3, 1e300, None, date(1969, 12, 31), None, True),
    ("29.02.2024", None, None, Decimal("99999999.99"), None, datetime(1970, 1, 1, tzinfo=UTC), True),
    (None, 2**63 - 1, 2.5, Decimal("2.50"), date(2024, 2, 29), datetime(2024, 2, 29, 12, 30, 1, tzinfo=UTC), False),
    ("", None, None, None, None, None, None),
]
PLACES = ("s, d, n", "n desc, s", "d desc, s, n", "ts nulls last, s desc, n")
QUERIES = [
    *(f"select s, row_number() over (partition by b order by {by}) as k from data" for by in PLACES),
    *(f"select s, rank() over (order by {by}), dense_rank() over (order by b, {by}) from data" for by in PLACES),
    *(f"select s, lag(x) over (partition by b order by {by}) as k from data" for by in PLACES),
    *(f"select s, lead(d, 2) over (order by {by}) as k, coalesce(lag(n, 1) over (order by {by}), 0) from data"
      for by in PLACES),
    "select s from (select s, row_number() over (partition by n order by s) as k from data) where k > 1",
    "select count(*) filter (where n > 1), sum(n) filter (where b), count(distinct n) filter (where x > 0) from data",
    "select b, count(*) filter (where n > 1) as k, max(s) filter (where n = 1) from data group by b having k >= 0",
    "select count(*) filter (where s ilike 'A') from data where n is not null",
    "select n, count(*) over (partition by n) from data",
    "select d + interval 1 day, d - interval '2' days, d + interval -3 day, ts - interval 1 hour from data",
    "select date(ts), to_date(ts), date_trunc('month', ts), trunc(d, 'year') from data",
    "select s from data where d > date '2024-01-01' and ts < now()",
    "select case s when 'a' then 1 when 'A' then 2 else 0 end, case n when 1.0 then 'one' end from data",
    "select case when b then s when n = 1 then 'x' end from data",
    "select extract(year from d), extract(hour from ts), extract(month from ts), quarter(d) from data",
    "select hour(ts), minute(ts), second(ts), dayofweek(d), dayofyear(d), weekofyear(d), last_day(d) from data",
    "select s, max(n) over (partition by (select max(n) from data)) from data",
    "select left(s, 2), right(s, 2), left(s, 0), ltrim(s), rtrim(s), instr(s, 'b'), locate('2', s) from data",
    "select isnull(s), isnotnull(n), s ilike '%A', s not ilike 'b%', s like '%' from data",
    "select distinct n from data union select length(s) from data",
    "select s from data a where exists (select 1 from data b where b.n = a.n and b.x > 0)",
    "select s from data where n in (select n from data group by n having count(*) > 1)",
    "select a.s, b.s from data a left join data b on a.n = b.n and a.s <> b.s",
    "with t as (select n, count(*) as k from data group by n) select t.n, t.k, (select max(k) from t) from t",
]  # fmt: skip
PATTERNS = ("yyyy-MM-dd", "dd.MM.yyyy", "yyyyMMdd", "dd/MM/yyyy HH:mm")
PLAIN = [
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} % {1}", "{0} = {1}", "{0} <=> {1}", "{0} < {1}", "-{0}", "abs({0})",
    "coalesce({0}, {1})", "nullif({0}, {1})", "greatest({0}, {1})", "least({0}, {1})", "{0} in ({1}, {0})",
    "{0} between {1} and {0}", "case {0} when {1} then {0} end", "case when {0} is null then {1} end",
    "if({0} is null, {0}, {1})", "{0} || {1}", "concat({0}, {1})", "upper({0})", "length({0})", "trim({0})",
    "ltrim({0})", "left({0}, 1)", "substring({0}, 1, 2)", "instr({0}, {1})", "startswith({0}, {1})", "{0} like 'a%'",
    "{0} ilike 'a%'", "{0} rlike 'a'", "isnull({0})", "not {0}", "{0} and {1}", "{0} or {1}", "{0} is true",
    "year({0})", "hour({0})", "last_day({0})", "quarter({0})", "datediff({0}, {1})", "date_add({0}, 1)",
    "add_months({0}, 1)", "trunc({0}, 'month')", "date_trunc('day', {0})", "{0} + interval 1 day", "to_date({0})",
    "to_date({0}, 'yyyy-MM-dd')", "cast({0} as string)", "cast({0} as double)", "cast({0} as date)",
    "(select max({0}) from data)",
]  # fmt: skip
AGGREGATES = [
    "count({0})", "count(distinct {0})", "sum({0})", "avg({0})", "min({0})", "max({0})", "stddev({0})",
    "stddev_pop({0})",
    "count_if({0})", "sum({0}) filter (where {1})",
]  # fmt: skip
WINDOWS = [
    "max({0}) over (partition by {1})", "count(distinct {0}) over ()", "lag({0}) over (order by {1}, s, n)",
    "rank() over (order by {0})",
]  # fmt: skip
AT_ONCE = 60
VALUES = ("null", "s", "n", "x", "p", "d", "ts", "b")


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """A session of the job with one file, as Spark asks it (`data`) and as what is written asks it."""
    own = configured(spark)
    data = own.createDataFrame(ROWS_OF_FILE, COLUMNS).coalesce(1)
    kept = data.selectExpr("*", "cast(monotonically_increasing_id() as int) as record").cache()
    kept.drop("record").createOrReplaceTempView("data")
    numbered = [f"{prop.name} as v{n}" for n, prop in enumerate(PROPERTIES)]
    kept.selectExpr("0 as drop", "record", *numbered).createOrReplaceTempView(ROWS)
    own.sql("select 0 as drop").createOrReplaceTempView(DROPS)
    return own


def rows(frame: DataFrame) -> list[str]:
    """Return the rows of a query, sorted; numbers of all types alike, dates as their midnight."""
    return sorted(str([_plain(value) for value in row]) for row in frame.collect())


def _plain(value: Any) -> Any:
    if isinstance(value, int | float | Decimal):
        return f"{float(value):.12g}"
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value


def raw(session: SparkSession, text: str) -> list[str]:
    return rows(session.sql(text))


def ours(session: SparkSession, text: str) -> list[str]:
    query = statements.read(text, PROPERTIES, ("data",))
    assert sql_guard.refusal(session, query.sql, TABLES) is None
    listed = ", ".join(f"o{n}" for n in range(len(query.outputs)))
    return rows(session.sql(f"select {listed} from ({query.sql})"))


@pytest.mark.parametrize("text", QUERIES)
def test_query_says_what_spark_says(session: SparkSession, text: str) -> None:
    assert ours(session, text) == raw(session, text)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_date_by_a_pattern_is_that_of_spark_and_null_where_it_raises(session: SparkSession, pattern: str) -> None:
    theirs = session.sql(f"select to_date(try_to_timestamp(s, '{pattern}')) from data")

    assert ours(session, f"select to_date(s, '{pattern}') from data") == rows(theirs)


def taken(parts: Sequence[str]) -> list[str]:
    """The parts that lint takes."""
    accepted = []
    for part in parts:
        try:
            statements.read(f"select {part} as k from data", PROPERTIES, ("data",))
        except SqlRefused:
            continue
        accepted.append(part)
    return accepted


def differing(session: SparkSession, parts: Sequence[str]) -> list[str]:
    """The parts of which Spark says something else as they stand, or that end what we run; half by half."""
    text = f"select {', '.join(f'{part} as k{n}' for n, part in enumerate(parts))} from data"
    try:
        if ours(session, text) == raw(session, text):
            return []
    except PySparkException:
        pass
    if len(parts) > 1:
        half = len(parts) // 2
        return differing(session, parts[:half]) + differing(session, parts[half:])
    try:
        mine = ours(session, text)
    except PySparkException as error:
        return [f"{text}: {str(error)[:160]}"]
    try:
        return [f"{text}: {mine} is not {raw(session, text)}"]
    except PySparkException:  # where Spark raises, as of an overflow, ours is null
        return []


@pytest.mark.parametrize("shapes", [PLAIN, WINDOWS, AGGREGATES], ids=["plain", "windows", "aggregates"])
def test_no_part_of_a_query_ends_the_job_whatever_its_values_are(
    session: SparkSession, shapes: Sequence[str], record_property: Any
) -> None:
    drawn = dict.fromkeys(shape.format(one, other) for shape in shapes for one in VALUES for other in VALUES)
    parts = taken(list(drawn))
    wrong = [each for n in range(0, len(parts), AT_ONCE) for each in differing(session, parts[n : n + AT_ONCE])]

    record_property("parts of queries over values of all types", len(parts))
    assert wrong == []
