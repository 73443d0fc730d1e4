"""Queries: their form for all files at once, and the refusals of others."""

from __future__ import annotations

import pytest

from contracts.authoring.sql import statements
from contracts.authoring.sql.parsing import Parser
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import LogicalType, Property
from tests.unit.contracts.authoring import documents
from tests.unit.contracts.authoring.sql.calls import ARGUMENTS, MORE, call

TYPES: dict[str, LogicalType] = {"x": "string", "n": "integer", "a": "number", "d": "date", "ts": "timestamp"}
PROPERTIES = [Property(name, kind) for name, kind in TYPES.items()]


def nested(query: str, times: int) -> str:
    """Return nested queries, each over the one before it."""
    parts = (f"t{n} as ({query.replace('{}', f't{n - 1}' if n else 'data')})" for n in range(times))
    return f"with {', '.join(parts)} select x from t{times - 1}"


REFUSED = {
    "select x from data tablesample (10 percent)": "has `tablesample`, which is not known. Leave it out: a check sees",
    "select x from data tablesample (5 rows) t": "has `tablesample`",
    "select x from (select x from data) tablesample (10 percent)": "has `tablesample`",
    "select * from data pivot (sum(n) for x in ('a', 'b'))": "has `pivot`, which is not known. Write `count_if(...)`",
    "select * from data unpivot (v for k in (n, a))": "has `pivot`",
    "select x from data version as of 1": "has `version as of`",
    "select x from data timestamp as of '2020-01-01'": "as of`",
    "select x from data lateral view explode(array(1)) t as y": "`lateral view` says nothing here. Write the checks of",
    "select x from data d (p, q)": "has `columns behind its name`",
    "select p from (select x from data) d (p)": "has `columns behind its name`",
    "with d (p) as (select x from data) select p from d": "has `columns behind its name`",
    "with recursive d as (select x from data) select x from d": "has `recursive`",
    "select x from data cross join data b": "is not a known join.",
    "select a.x from data a, data b": "is not a known join.",
    "select a.x from data a join data b on true": "does not say which rows go together.",
    "select a.x from data a join data b on a.n = a.a": "does not say which rows go together.",
    "select a.x from data a join data b on b.n = b.a": "does not say which rows go together.",
    "select a.x from data a join data b on a.n = 1": "does not say which rows go together.",
    "select a.x from data a join data b on a.n > b.n": "does not say which rows go together.",
    "select a.x from data a join data b on a.n + b.n = a.a": "does not say which rows go together.",
    "select a.x from data a natural join data b": "is not a known join.",
    "select a.x from data a left semi join data b using (n)": "is not a known join.",
    "select x from spark_catalog.default.data": "is not a table of records.",
    "select x from identifier('data')": "is not a table of records.",
    "select x from range(5)": "is not a table of records.",
    "select transform(x) using 'id' as y from data": "is not",
    "from data |> select x": "`|>` is not known in SQL of a contract.",
    "select /*+ broadcast(data) */ x from data": "begins a hint for Spark",
    'select x from data where "x" = 1': "never a name. Write `x` if the property is meant, 'x' if",
    "select x from data where x = '${env:HOME}'": "`${env:HOME}` has no value here.",
    "select ${spark.app.id} from data": "has no value here.",
    "select java_method('java.lang.System', 'getenv') from data": "is nothing that a query knows.",
    "select current_user from data": "",
    "select s.t.x from data t": "has `db`, which is not known.",
    "select nn from data": "There is no column `nn`. Write `n`.",
    "select sum(x) from data": "`x` is text, where",
    "select x, count(*) from data": "`x` is not the same in all rows of a group. Add it to `group by`",
    "select x from data where count(*) > 5": "`COUNT(*)` is about many records and is not allowed here.",
    "select count(count(*)) from data": "`COUNT(*)` is about many records",
    "select x from data having n > 1": "`having` has no group.",
    "select x from others": "There is no table `others`. Write `orders`",
    "select x from parquet.`/etc/passwd`": "is not a table of records.",
    "select x from data a join data b": "does not say which rows go together.",
    "select x from data a full join data b using (x)": "is not a known join.",
    "select n from data a join data b using (x)": "`n` is in two tables. Write `a.n`.",
    "select b.x from data a": "`b.x` names no table of the query.",
    "select (select n from data) from data": "may have several values.",
    "select x from data where n in (select x from data)": "compares integer with text. Compare values of one type.",
    "select x from data where n in (select x, n from data)": "has 2 columns. Select one.",
    "select x from data where (x, n) in (select x, n from data)": "is nothing that a query knows.",
    "select x from data group by x having x in (select x from data)": "is not allowed here. Write it in `where`.",
    "select x in (select x from data) from data group by x": "is not allowed here. Write it in `where`.",
    "select (select max(n) from data) in (select n from data) from data": "is not allowed here. Write it in `where`.",
    "select x from data a where n in (select b.n from data b where b.a > a.a)": "`a.a` names no table of the query.",
    "select x from data a where exists (select 1 from data b where b.n > a.n)": "`a.n` names no table of the query.",
    "select x from data a where exists (select 1 from data b where b.n = a.x)": "compares text with integer.",
    "select x from data a where exists (select max(n) from data b where b.n = a.n)": "has a row even where it",
    "select x from data where exists (select 1 from others)": "There is no table `others`.",
    "select row_number() over (partition by x) from data": "is not a known window. Write `over (partition by",
    "select lag(n, n) over (order by n) from data": "needs a plain number of rows and nothing else.",
    "select lag(n, 1, 0) over (order by n) from data": "a plain number of rows and nothing else.",
    "select row_number() over (order by n rows between 1 preceding and current row) from data": "is not a known window",
    "select lag(n) filter (where n > 1) over (order by n) from data": "is not a known window.",
    "select x from data where row_number() over (order by n) = 1": "is not a known window.",
    "select median(n) from data": "is nothing that a query knows.",
    "select d + interval 1 hour from data": "adds HOURS to a date.",
    "select count(n, a) from data": "`COUNT(n, a)` has `a`, which is not known.",
    "select last_day(d, 'week') from data": "has `unit`, which is not known.",
    "select year(d, 1) from data": "The query cannot be read: near `)`, column 17.",
    "select day(d, 1) from data": "`day` has 2 arguments, which are too many. Leave the last one out.",
    "select date(ts, x) from data": "`date` has 2 arguments, which are too many.",
    "select datediff(d) from data": "A function lacks an argument.",
    "select cast(n as double(3)) from data": "has `3`, which is not known.",
    "select x from data order by x": "`order by` says nothing here.",
    "select x from data limit 5": "`limit` says nothing here.",
    "select x from data union select n from data": "`x` is text in one query of the `union`, integer in the other.",
    "select x from data union select x, n from data": "have 1 and 2 columns. Select as many in each.",
    "select x from data union select x from data limit 5": "`limit` says nothing here.",
    "select x from data intersect select x from data": "Queries can be combined only by `union`, not by `intersect`.",
    "select x from data except select x from data": "not by `except`. Write `where x in (select ...)`, or `not in`.",
    "select x from data union delete from data": "The query cannot be read",
    "select sum(n) over (order by n) from data": "is not a known window.",
    "select x from data a join (select 1 as x from data) b using (x)": "`x` is text in one table, integer in",
    "select count(distinct) from data": "counts nothing.",
    "select from data": "The query selects nothing.",
    "select map(n) from data": "the parser cannot read it as SQL",
    "select to_date(x, 'MMMM') from data": "has a pattern that is not known.",
    "select 1": "The query asks no table.",
    "delete from data": "Only a SELECT is known here.",
    "insert into data select * from data": "Only a SELECT is known here.",
    "create table t as select * from data": "Only a SELECT is known here.",
    "select x from data; drop table data": "There must be one query.",
    "select cout_if(n > 5) from data": "Write `count_if`.",
    "select rand() from data": "is nothing that a query knows.",
    "select cast(x as int) from data": "changes a type.",
    "select to_date(x, 'MMM d') from data": "has a pattern that is not known.",
    "select date_add(d, n) from data": "is not a whole number.",
    "select to_date(x, 'yyyy#MM') from data": "has a pattern that is not known.",
    "select to_date(x, 'yyyy{MM') from data": "has a pattern that is not known.",
    "select to_date(x, 'yyyy]MM') from data": "has a pattern that is not known.",
    "select to_date(x, 'yyyy[MM]dd') from data": "has a pattern that is not known.",
    f"select ts{' + interval 999999 days' * 101} from data": "may reach a day that Spark cannot have.",
    f"select {'add_months(' * 4}d{', 999999)' * 4} from data": "may reach a day that Spark cannot have.",
    nested("select date_add(x, 999999) as x from {}", 101).replace("from data", "from (select d as x from data)"): (
        "may reach a day that Spark cannot have."
    ),
    "select x from data group by 1": "`group by 1` names no column.",
    "select * from data group by x": "`*` is next to a group.",
    "select x from": "The query cannot be read",
    nested("select x || x as x from {}", 6): "`x || x` repeats a text more than 32 times. Put each property",
    nested("select concat(a.x, b.x) as x from {} a join {} b using (x)", 6): "repeats a text more than 32 times.",
    nested("select concat(x, '.', x) as x from {} union select x from data", 9): "repeats a text more than 32 times.",
    "select upper(x) || 'a' as k from data group by upper(x) having k || k = 'a'": "repeats a text more than 32 times.",
    "select (select max(x) from data) || x from data": "repeats a text more than 32 times.",
    nested("select concat(x, y, z) as x, x as y, x as z from {}", 6).replace(
        "data", "(select x, x y, x z from data)"
    ): ("repeats a text more than 32 times."),
    f"select concat({', '.join(['x'] * 33)}) from data": "repeats a text more than 32 times.",
    nested("select x from {} union all select x from {}", 40): "the query is longer than 100,000 characters. Ask each",
    nested("select a.x from {} a join {} b using (x)", 40): "the query is longer than 100,000 characters.",
    "select x from data where " + "n in (select n from data where " * 30 + "n = 1" + ")" * 30: "longer than 100,000",
    f"select {', '.join(f'count(distinct x) over (partition by n + {n})' for n in range(90))} from data": "longer than",
    "select " + "(" * 3000 + "n" + ")" * 3000 + " from data": "nested too deeply",
}


@pytest.mark.parametrize("text", REFUSED, ids=[text[:80] for text in REFUSED])
def test_what_a_query_cannot_be_is_said(text: str) -> None:
    with pytest.raises(SqlRefused) as refused:
        statements.read(text, PROPERTIES, ("data", "orders"))
    assert REFUSED[text] in f"{refused.value.message} {refused.value.fix}"


@pytest.mark.parametrize("name", ARGUMENTS)
def test_function_takes_no_argument_that_says_nothing(name: str) -> None:
    assert is_read(call(name))
    assert [more for more in MORE if is_read(call(name, more))] == []


@pytest.mark.parametrize("arguments", ["", "x", "n", "d, n", "x, 'a', 1", "*", "n, 1, 2, 3"])
def test_any_call_of_any_function_is_read_or_refused(arguments: str) -> None:
    for name in Parser.FUNCTIONS:
        is_read(f"{name}({arguments})")


MANY = ("max(n)", "count(*)", "row_number() over (order by n)", "sum(n) over (partition by x)", "count(distinct x)")
WITHIN = (
    *("row_number() over (order by {})", "rank() over (partition by {} order by n)", "lag({}) over (order by n)"),
    *("lead(n) over (order by {} desc, x)", "sum({}) over (partition by x)", "count(*) over (partition by x, {})"),
    *("count(distinct {}) over (partition by x)", "count(distinct x) over (partition by {})", "max({})"),
    *("max(n) filter (where {} > 1)", "count_if({} > 1) over ()", "sum({} + n) over (partition by x)"),
    *("sum(case when {} > 1 then n end) over ()", "coalesce(lag(-{}) over (partition by x order by d), 0)"),
)


@pytest.mark.parametrize("outer", WITHIN)
def test_nothing_over_many_records_is_within_something_over_many_records(outer: str) -> None:
    assert is_read(outer.format("n"))
    assert is_read(outer.format("(select max(n) from data)"))
    assert [inner for inner in MANY if is_read(outer.format(inner))] == []


DASHES = [chr(code) for code in range(33, 127) if not chr(code).isalnum() and chr(code) not in "'\\\"%"]


def test_only_signs_that_say_nothing_are_within_a_pattern_of_dates() -> None:
    refused = [sign for sign in DASHES if not is_read(f"to_date(x, 'yyyy{sign}MM{sign}dd')")]
    assert refused == ["#", "[", "]", "{", "}"]


def is_read(part: str) -> bool:
    """Return True if a query may select a part."""
    try:
        statements.read(f"select {part} as k from data", PROPERTIES, ("data",))
    except SqlRefused:
        return False
    return True


def test_texts_of_many_properties_are_put_together() -> None:
    many = [Property(f"p{n}", "string") for n in range(40)]
    text = f"select {' || '.join(p.name for p in many)} as k, upper(p1 || '-' || p1) as u from data"

    query = statements.read(f"select k, u || u || k as both from ({text}) group by k, u", many, ("data",))

    assert query.copies == (1, 5)


WRITTEN = {
    "row_number() over (partition by x order by d desc)": (
        "bigint(row_number() over (partition by t0.drop, t0.v0 order by t0.v3 desc nulls last, t0.record))"
    ),
    "rank() over (order by n)": "bigint(rank() over (partition by t0.drop order by t0.v1 asc nulls first))",
    "lead(n, 2) over (order by d)": (
        "lead(t0.v1, 2) over (partition by t0.drop order by t0.v3 asc nulls first, t0.record)"
    ),
    "count(*) filter (where n > 1)": "count(1) filter (where (t0.v1 > 1L))",
    "to_date(x, 'yyyy-MM-dd')": "to_date(try_to_timestamp(t0.v0, 'yyyy-MM-dd'))",
    "to_date(x, 'dd.MM.yyyy HH:mm:ss')": "to_date(try_to_timestamp(t0.v0, 'dd.MM.yyyy HH:mm:ss'))",
    "d - interval '2' days": "date_add(t0.v3, -2)",
    "d + interval 1 day": "date_add(t0.v3, 1)",
    "date(ts)": "to_date(t0.v4)",
    "now()": "current_timestamp()",
    "extract(year from to_date(x, 'yyyy-MM-dd'))": "bigint(year(to_date(try_to_timestamp(t0.v0, 'yyyy-MM-dd'))))",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_part_of_a_query_is_written_anew(text: str) -> None:
    assert f" {WRITTEN[text]} as o0 from" in statements.read(f"select {text} from data", PROPERTIES, ("data",)).sql


def test_query_sees_what_a_record_has_one_value_of() -> None:
    nested = [
        Property("to", "object"),
        Property("to.city", "string", path=("to", ".city")),
        Property("tags", "array"),
        Property("tags[]", "string", path=("tags", "[]")),
    ]
    query = statements.read("select * from data", nested, ("data",))
    assert query.properties == ("to.city",)
    with pytest.raises(SqlRefused, match="There is no column `tags`"):
        statements.read("select count(tags) from data", nested, ("data",))


def test_query_is_written_for_all_drops_at_once() -> None:
    query = statements.read(
        "select x, count(*) as k from orders where a > 1 group by x", PROPERTIES, ("data", "orders")
    )
    assert query.sql == (
        "select t0.drop as drop, min(t0.record) as record, t0.v0 as o0, count(1) as o1 from dropgate_rows t0 "
        "where (t0.v2 > 1L) group by t0.drop, t0.v0"
    )
    assert query.outputs == (("x", "text"), ("k", "integer"))
    assert query.properties == ("a", "x")


SINGLE = {
    "select count(*) from data where n > 5": True,
    "select avg(a) * 2 from data": True,
    "select k + 1 from (select max(n) as k from data)": True,
    "select n from data": False,
    "select max(n) from data group by x": False,
    "select max(n) from data having max(n) > 1": False,
    "select k from (select max(n) as k from data) where k > 5": False,
    "select max(n) from data where x in (select x from data where n > 5)": True,
    "select max(n) from data union all select max(n) from data": False,
}


@pytest.mark.parametrize("text", SINGLE)
def test_query_of_one_value_is_known_as_such(text: str) -> None:
    assert statements.read(text, PROPERTIES, ("data",)).single == SINGLE[text]


def test_property_of_a_functions_name_is_never_taken_for_the_function() -> None:
    props = [*PROPERTIES, Property("current_date", "date")]
    with pytest.raises(SqlRefused, match="`current_date` is also a property"):
        statements.read("select x from data where d < current_date", props, ("data",))
    assert "v5" in statements.read("select x from data where d < `current_date`", props, ("data",)).sql


def test_query_of_a_property_within_an_array_is_about_the_file() -> None:
    entry = '{type: sql, id: q, query: "select count(*) from data", mustBeLessThan: 5}'
    item = f"{{logicalType: object, properties: [{{name: v, logicalType: string, quality: [{entry}]}}]}}"
    plan = documents.a_plan(
        documents.a_document(
            f"- {{name: a, logicalType: array, items: {item}}}\n", drop=documents.DROP.replace("csv", "jsonl")
        )
    )
    assert [c.property for c in plan.checks if c.kind == "sql"] == [None]
