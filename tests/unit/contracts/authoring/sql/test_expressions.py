"""Expressions over columns: the allowed ones, their SQL for the job, and refusals with their messages."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.authoring.sql.expressions import FUNCTIONS, LONGEST, read
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import Property, Threshold
from tests.builders import arguments_of
from tests.unit.contracts.authoring import documents

PROPERTIES = (
    Property("low", "integer"),
    Property("high", "number"),
    Property("name", "string"),
    Property("day", "date"),
    Property("at", "timestamp"),
    Property("ok", "boolean"),
    Property("price", "number", exact=(10, 2)),
    Property("noon", "time"),
    Property("two words", "string"),
)
WRITTEN = {
    "low <= high": "(v0 <= v1)",
    "`two words` = 'a' || name": "(v8 = concat('a', v2))",
    "low + 1 < -high * 2.5": "(try_add(v0, 1L) < try_multiply((-v1), 2.5BD))",
    "low / 2 = 1e3": "(try_divide(double(v0), double(2L)) = 1000.0D)",
    "try_divide(low, 2) = 1e3": "(try_divide(double(v0), double(2L)) = 1000.0D)",
    "low % 2 = 0 and not ok": "((try_mod(v0, 2L) = 0L) and (not v5))",
    "-low > abs(low)": "(try_subtract(0L, v0) > try_cast(abs(cast(v0 as decimal(20,0))) as bigint))",
    "ok or name is not null": "(v5 or (not (v2 is null)))",
    "day between date '2026-01-31' and date '2026-02-28'": "(v3 between date'2026-01-31' and date'2026-02-28')",
    "at < timestamp '2026-01-31 10:00:00'": "(v4 < timestamp'2026-01-31 10:00:00')",
    "noon = noon": "(v7 = v7)",
    "name in ('it''s', null)": r"(v2 in ('it\'s', null))",
    r"name rlike r'^\d+$'": r"(v2 rlike '^\\d+\\z')",
    r"name rlike '^\\d+$'": r"(v2 rlike '^\\d+\\z')",
    "name like 'A.%_'": r"(v2 rlike '^A\\.[\\s\\S]*[\\s\\S]\\z')",
    "name like '%A_%b%'": r"(v2 rlike '^(?>[\\s\\S]*?A[\\s\\S])(?>[\\s\\S]*?b)[\\s\\S]*\\z')",
    r"name rlike r'^(ab)+$' or ok": (r"((v2 rlike '^(?=[\\s\\S]{0,500}\\z)[\\s\\S]*?(?:^(ab)+\\z)') or v5)"),
    "case when ok then low else price end > 1": "((case when v5 then v0 else v6 end) > 1L)",
    "if(ok, name, 'x') <> upper(lower(trim(name)))": "(if(v5, v2, 'x') <> upper(lower(trim(v2))))",
    "coalesce(price, low, 0) <= greatest(low, 1)": "(coalesce(v6, v0, 0L) <= greatest(v0, 1L))",
    "nullif(low, 0) <=> least(low, 1)": "(nullif(v0, 0L) <=> least(v0, 1L))",
    "length(substring(name, 2, 3)) = 3": "(bigint(char_length(substring(v2, 2, 3))) = 3L)",
    "year(at) - month(day) > day(day)": ("(try_subtract(bigint(year(v4)), bigint(month(v3))) > bigint(day(v3)))"),
    "datediff(day, date '2026-01-31') > 3": "(bigint(datediff(v3, date'2026-01-31')) > 3L)",
    "startswith(name, 'a') <> endswith(name, 'b')": "(startswith(v2, 'a') <> endswith(v2, 'b'))",
    "contains(concat(name, 'a'), 'b')": "contains(concat(v2, 'a'), 'b')",
    "ok is not true": "(not (v5 <=> true))",
    "name not like 'A%'": r"(not (v2 rlike '^A[\\s\\S]*\\z'))",
    "not name like 'A%'": r"(not (v2 rlike '^A[\\s\\S]*\\z'))",
    "name not rlike 'a'": "(not (v2 rlike 'a'))",
    "name = 'O''Brien'": r"(v2 = 'O\'Brien')",
    "name = 'a' /* and */ 'b' -- or": "(v2 = 'ab')",
    r"name = '\u0024{x}'": r"(v2 = '\u0024{x}')",
    r"name = '\101\%\q\\n'": r"(v2 = 'A\\%q\\n')",
    r"name = r'\n''b'": r"(v2 = '\\nb')",
    "to_date(at) = day": "(to_date(v4) = v3)",
    "name ilike 'A_%'": r"(lower(v2) rlike '^a[\\s\\S][\\s\\S]*\\z')",
    "name not ilike 'a'": r"(not (lower(v2) rlike '^a\\z'))",
    "case low when 1 then ok when price then true end": "(case v0 when 1L then v5 when v6 then true else null end)",
    "isnull(low) or isnotnull(name)": "((v0 is null) or (v2 is not null))",
    "left(name, 2) = right(name, 2)": "(left(v2, 2) = right(v2, 2))",
    "ltrim(name) <> rtrim(name)": "(ltrim(v2) <> rtrim(v2))",
    "instr(name, '@') > locate('.', name)": "(bigint(instr(v2, '@')) > bigint(instr(v2, '.')))",
    "hour(at) + minute(at) > second(at)": "(try_add(bigint(hour(v4)), bigint(minute(v4))) > bigint(second(v4)))",
    "quarter(day) = dayofweek(day)": "(bigint(quarter(v3)) = bigint(dayofweek(v3)))",
    "dayofyear(day) > weekofyear(at)": "(bigint(dayofyear(v3)) > bigint(weekofyear(v4)))",
    "last_day(day) = day": "(last_day(v3) = v3)",
    "extract(year from day) = 2026": "(bigint(year(v3)) = 2026L)",
    "low > 1 is true": "((v0 > 1L) <=> true)",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_expression_is_written_as_it_cannot_raise(text: str) -> None:
    assert read(text, PROPERTIES).sql == WRITTEN[text]


@pytest.mark.parametrize("shape", ["abs({})", "-({})", "{} + low", "nullif({}, 1)", "coalesce({}, 1)"])
def test_deep_expressions_are_read_once(shape: str) -> None:
    text = "low"
    for _ in range(40):
        text = shape.format(text)

    assert len(read(f"{text} > 0", PROPERTIES).sql) < 3_000


def test_properties_are_those_in_it() -> None:
    assert read("high > low and low > 0", PROPERTIES).properties == ("high", "low")


REFUSED = {
    'name = "A"': (
        '`"A"` in double quotes is text for Spark',
        "Write `A` if the property is meant, 'A' if the text is.",
    ),
    '"low" <= high': ("in double quotes is text", "`low`"),
    'name = r"A"': ("in double quotes is text", "'A'"),
    "name in (\"A\", 'B')": ("in double quotes is text", "'A'"),
    "name = '${env:HOME}'": ("`${env:HOME}` has no value", r"\u0024{"),
    "name = '${spark.app.id}'": ("has no value", "parameter"),
    "low = ${system:x}": ("has no value", "parameter"),
    "name = 'a' -- ${env:HOME}": ("has no value", "parameter"),
    "name = 'a": ("is never closed", "where the text or the name ends"),
    "`low > 1": ("is never closed", "where the text or the name ends"),
    "low > 1 /* a": ("never closed", "`*/`"),
    "low > 1 /* /* a */": ("never closed", "`*/`"),
    "/*+ x */ low > 1": ("hint", "Leave it out"),
    "low > {# 2 #} 1": ("not known in SQL", "quotes"),
    r"name = '\ud83d'": ("half a character", "both halves"),
    r"name = '\UFFFFFFFF'": ("not a character", "U0010FFFF"),
    "name = x'41'": ("cannot be read", "Spark SQL"),
    "name = n'a'": ("begins a text of a kind", "r'text'"),
    "low = high = ok": ("compares a comparison", "brackets"),
    "ok = low = high": ("compares a comparison", "brackets"),
    "ok <=> low in (1)": ("compares a comparison", "brackets"),
    "low between 1 and 2 = ok": ("compares a comparison", "brackets"),
    "name like 'a' = ok": ("compares a comparison", "brackets"),
    "low is null = ok": ("compares a comparison", "brackets"),
    "ok is distinct from low > 1": ("compares a comparison", "brackets"),
    "to_date(name) = day": ("`name` is text, where date or timestamp", "Use date or timestamp"),
    "regexp_like(name, 'a', 'i')": ("has `flag`, which is not known", "Leave it out"),
    "name like any ('a', 'b')": ("in quotes", "rlike"),
    "name like 'a/_' escape '/'": ("nothing that an expression knows", ""),
    "low in (select low from text.`/etc/passwd`)": ("list of values", "in brackets"),
    "exists(select * from text.`/etc/passwd`)": ("ask a table", "properties"),
    "transform(low, x -> x) = 1": ("nothing that an expression knows", ""),
    "reflect('java.lang.System', 'exit') = ''": ("nothing that an expression knows", ""),
    "LOW <= high": ("no property `LOW`", "Write `low`."),
    "nam = 'x'": ("no property `nam`", "Write `name`."),
    "orders.low > 1": ("names a table", "as `low`"),
    "low": ("`low` is integer, where true or false is wanted", "amount > 0"),
    "1 = 1": ("names no property", "low <= high"),
    "name > 5": ("`name` is text and `5` is integer", "numbers without quotes"),
    "day >= '2026-01-31'": ("`day` is date", "Write `date '2026-01-31'`"),
    "day >= date '20260131'": ("`20260131` does not exist", "2026-01-31"),
    "day >= date '2026-W01-1'": ("does not exist", "2026-01-31"),
    "at >= timestamp '2026-01-31T10'": ("does not exist", "23:59:59"),
    "day >= date '2026-02-30'": ("`2026-02-30` does not exist", "2026-01-31"),
    "at < timestamp '2026-01-31T00:00:00Z'": ("has an offset", "in UTC"),
    "ok < true": ("no order", "`=`"),
    "cast(name as int) = 1": ("changes a type", "logicalType"),
    r"name rlike '^\d+$'": ("backslash", r"\\d"),
    "name rlike high": ("in quotes", "rlike r'"),
    "name rlike '(?<=a)b'": ("Look-behind", ""),
    "name rlike '^.* - .* - .*!$'": ("too slow", "`^[^ ]* - [^ ]* - .*!$`"),
    "not name rlike '^(ab)+$'": ("more than 500 characters", "cheaper"),
    "(name rlike '^(ab)+$') = ok": ("more than 500 characters", "cheaper"),
    r"name like 'a\\_'": ("without backslashes", "rlike"),
    "sum(low) > 1": ("about many records", "one record"),
    "row_number() over (order by low) = 1": ("about many records", "one record"),
    "low in (select 1)": ("list of values", "in brackets"),
    "exists (select 1)": ("ask a table", "properties"),
    "low > 1; drop table x": ("one expression", "`;`"),
    "drop table x": ("changes nothing", "boolean"),
    "": ("one expression", "boolean"),
    "low >": ("cannot be read", "Spark SQL"),
    "lenght(name) > 2": ("`LENGHT(name)` is nothing", "Write `length`."),
    "rand() > 0.5": ("nothing that an expression knows", "There are abs"),
    "current_date > day": ("nothing that an expression knows", "There are abs"),
    "substring(name, low, 2) = 'a'": ("plain numbers", "first character is 1"),
    "trim(both 'x' from name) = 'a'": ("nothing that an expression knows", "trim(name)"),
    "case low when 'a' then ok end": ("Values of different types are compared", ""),
    "name ilike 'é%'": ("ASCII letters", "lower(name) like"),
    "left(name, low) = 'a'": ("`left` needs a plain number", "left(name, 2)"),
    "locate('a', name, 3) = 4": ("begins at a place", "instr(name, '@')"),
    "extract(second from at) > 5": ("asks for an unknown part", "Write one of YEAR, QUARTER"),
    "hour(day) = 1": ("`day` is date, where timestamp is wanted", ""),
    "isnull(low, 1)": ("nothing that an expression knows", ""),
    "least(low) > 1": ("compares nothing", "two values"),
    "low > 9223372036854775808": ("beyond 64 bits", "exponent"),
    "price > 0.1234567890123456789": ("more than 18 digits", "fewer"),
    "low between symmetric 2 and 1": ("symmetric", "smaller bound first"),
    "startswith(name, ok)": ("`ok` is boolean, where text is wanted", "Use text"),
    "(" * 400 + "ok" + ")" * 400: ("nested too deeply", "Part it"),
    "ok" + " or ok" * LONGEST: ("longer than", "Part it"),
}


@pytest.mark.parametrize("text", REFUSED, ids=[text[:40] or "nothing" for text in REFUSED])
def test_what_an_expression_cannot_be_is_said(text: str) -> None:
    with pytest.raises(SqlRefused) as refused:
        read(text, PROPERTIES)

    message, fix = REFUSED[text]
    assert message in refused.value.message
    assert fix in refused.value.fix
    assert len(refused.value.message) < 300


def test_each_function_that_is_told_is_read() -> None:
    assert [name for name in FUNCTIONS if not any(f"{name}(" in text for text in WRITTEN)] == []


def outcome_of(text: str) -> str | SqlRefused:
    try:
        return read(text, PROPERTIES).sql
    except SqlRefused as refused:
        return refused


@example("0E")
@example("low < 1e999")
@given(st.text(alphabet="lowhigname() 'r\\`\";,.-+*/%<>=!|&$@:0123456789eE_\n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    outcome = outcome_of(text)

    assert outcome if isinstance(outcome, str) else outcome.message.endswith((".", "?")) and outcome.fix


def entry(implementation: str, more: str = "") -> str:
    return documents.a_document(
        "- name: low\n  logicalType: integer\n- name: high\n  logicalType: integer\n",
        f"- {{type: custom, engine: dropgate, {more}implementation: {{metric: expression, {implementation}}}}}\n",
    )


def test_plain_expression_says_which_rows_fail() -> None:
    check = documents.a_plan(entry('expression: "low  <= high"')).checks[-1]

    assert (check.id, check.kind, check.scope, check.dimension) == ("expression", "expression", "row", "consistency")
    assert (check.expected, check.threshold, check.property) == ("low <= high", None, None)
    assert arguments_of(check) == {"sql": "(v0 <= v1)", "text": "low <= high", "properties": ["low", "high"]}


def test_expression_with_a_threshold_is_about_the_file() -> None:
    check = documents.a_plan(entry("expression: low <= high, mustBeLessThan: 5, unit: percent", "id: most, ")).checks[
        -1
    ]

    assert (check.id, check.scope, check.expected) == ("most", "set", "failing records < 5 % (low <= high)")
    assert isinstance(check.threshold, Threshold)


FINDINGS = {
    "no expression": ("mustBe: 0", "no-argument", "expression: low <= high"),
    "no text": ("expression: 5", "no-argument", "expression: low <= high"),
    "wrong": ("expression: low <= hihg", "bad-expression", "Write `high`."),
    "unknown key": ("expression: low <= high, where: x", "unknown-key", ""),
    "two operators": ("expression: low <= high, mustBe: 0, mustBeLessThan: 3", "two-operators", ""),
}


@pytest.mark.parametrize("case", FINDINGS)
def test_wrong_entries_are_findings_in_their_place(case: str) -> None:
    written, code, fix = FINDINGS[case]
    errors = [f for f in documents.compiled(entry(written)).findings if f.level == "error"]

    assert [f.code for f in errors] == [code]
    assert fix in errors[0].fix
    assert errors[0].line > 10


def test_expression_is_not_about_one_property() -> None:
    text = documents.a_property(
        "quality:\n- {type: custom, engine: dropgate, implementation: {metric: expression, expression: x = 'a'}}\n"
    )
    (error,) = [f for f in documents.compiled(text).findings if f.level == "error"]

    assert (error.code, "next to its `properties`" in error.fix) == ("wrong-place", True)
