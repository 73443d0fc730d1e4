"""Expectations of Great Expectations in a contract: what they become in the plan, in exports, and by changes."""

from __future__ import annotations

import json

import pytest

from contracts import rules
from contracts.authoring.diff.compare import compare
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read
from contracts.plan import HOLDS_TRUE, Check
from tests.builders import arguments_of
from tests.unit.contracts.authoring.documents import FILE, a_document, a_plan, a_property, compiled

ENTRY = "- type: custom\n  engine: greatExpectations\n  implementation:"
BETWEEN = "expect_column_values_to_be_between"
KWARGS = "{column: id, min_value: 0.5, mostly: 0.9, row_condition: id > 2}"
MAPPING = f"{ENTRY} {{type: {BETWEEN}, severity: critical, kwargs: {KWARGS}}}\n"
TEXTS = {
    "YAML": f"{ENTRY} |\n    type: {BETWEEN}\n    kwargs: {KWARGS}\n",
    "folded YAML": f"{ENTRY} >\n    {{type: {BETWEEN},\n    kwargs: {KWARGS}}}\n",
    "JSON": f'{ENTRY} \'{{"type": "{BETWEEN}", "kwargs": '
    '{"column": "id", "min_value": 0.5, "mostly": 0.9, "row_condition": "id > 2"}}\'\n',
    "another spelling": f"{ENTRY.replace('greatE', 'great-e')} {{type: {BETWEEN}, kwargs: "
    "{column: id, minValue: 0.5, mostly: 0.9, rowCondition: id > 2}}\n",
}


def the_check(text: str) -> Check:
    (expectation,) = (c for c in a_plan(text).checks if isinstance(c.rule, rules.Expectation))
    return expectation


def test_expectation_is_a_check_of_the_file() -> None:
    kwargs = {"column": "id", "min_value": 0.5, "mostly": 0.9, "row_condition": "id > 2", "condition_parser": "spark"}
    given = {"row_condition": "(`id` > 2L)", "condition_parser": "spark"}
    assert the_check(a_document(quality=MAPPING)) == Check(
        id=f"id.{BETWEEN}",
        rule=rules.Expectation(type=BETWEEN, kwargs=kwargs, subject="values", given=given),
        scope="set",
        severity="error",
        dimension="conformity",
        expected=f'{BETWEEN} (column "id", min_value 0.5, mostly 0.9, row_condition "id > 2")',
        property="id",
        threshold=HOLDS_TRUE,
    )


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_way_to_write_it_is_the_same_rule(text: str) -> None:
    assert a_plan(a_document(quality=text)).checks == a_plan(a_document(quality=MAPPING)).checks


def test_column_is_the_property_that_it_stands_under() -> None:
    body = "quality:\n" + ENTRY + " {type: expect_column_values_to_be_null, severity: info}"
    check = the_check(a_property(body))

    assert (check.id, check.severity) == ("x.expect_column_values_to_be_null.warning", "warning")
    assert arguments_of(check)["kwargs"] == {"column": "x"}


def test_expectations_of_columns_do_not_ask_for_them() -> None:
    """A file that lacks a column is what they are about; all others wait for the column."""
    entry = f"{ENTRY} {{type: expect_column_to_exist, kwargs: {{column: id}}}}\n"
    pair = f"{ENTRY} {{type: expect_column_pair_values_to_be_equal, kwargs: {{column_A: id, column_B: id}}}}\n"

    assert the_check(a_document(quality=entry)).properties() == ()
    assert the_check(a_document(quality=pair)).properties() == ("id",)


def test_other_arguments_are_another_rule() -> None:
    before, after = (compiled(a_document(quality=MAPPING.replace("0.9", share))) for share in ("0.9", "0.8"))
    (change,) = [c for c in compare(before, after).changes if c.kind == "rule"]

    assert change.direction == "both"


@pytest.mark.parametrize("form", FORMATS)
def test_every_export_says_it_or_that_it_does_not(form: str) -> None:
    opened = read(a_document(quality=MAPPING).encode(), FILE)
    assert opened.contract
    exported = FORMATS[form].write(opened.contract)

    assert BETWEEN in exported.text + " ".join(exported.losses)


def test_suite_has_the_expectation_as_it_is() -> None:
    opened = read(a_document(quality=MAPPING).encode(), FILE)
    assert opened.contract
    suite = json.loads(FORMATS["great-expectations"].write(opened.contract).text)
    (expectation,) = (one for one in suite["expectations"] if one["type"] == BETWEEN)

    assert expectation["kwargs"] == arguments_of(the_check(a_document(quality=MAPPING)))["kwargs"]
    assert expectation["severity"] == "critical"


def test_filter_is_the_condition_of_its_own() -> None:
    entry = f"{ENTRY} {{type: expect_column_values_to_be_null, kwargs: {{column: id}}, filter: id > 2}}\n"
    (finding,) = [f for f in compiled(a_document(quality=entry)).findings if f.level == "error"]

    assert (finding.code, finding.fix) == ("wrong-place", "Write `row_condition` among its `kwargs`.")


@pytest.mark.parametrize(
    ("kwargs", "of"),
    [
        ("{column: id, regex: '^(a+)+$'}", "match_regex"),
        ("{column: id, regex: '^(ab)+$'}", "not_match_regex"),
        ("{column: id, regex_list: ['^a', '^.* - .* - .*!$']}", "match_regex_list"),
        ("{column: id, regex_list: ['^.*-.*$']}", "not_match_regex_list"),
    ],
)
def test_regular_expression_of_unbounded_time_is_refused(kwargs: str, of: str) -> None:
    entry = f"{ENTRY} {{type: expect_column_values_to_{of}, kwargs: {kwargs}}}\n"
    (finding,) = [f for f in compiled(a_document(quality=entry)).findings if f.level == "error"]
    assert finding.code == "bad-pattern"


def test_cheap_regular_expression_is_accepted() -> None:
    entry = f"{ENTRY} {{type: expect_column_values_to_match_regex, kwargs: {{column: id, regex: '^[A-Z]+$'}}}}\n"
    assert compiled(a_document(quality=entry)).plan


TYPED = """\
- {name: n, logicalType: integer}
- {name: s, logicalType: string}
- {name: d, logicalType: date}
- {name: t, logicalType: time}
- {name: "o`dd", logicalType: integer}
"""
NULL = "expect_column_values_to_not_be_null"
CONDITIONS: dict[str, tuple[dict[str, object], str]] = {
    "SQL": ({"row_condition": "n > 2 -- more\n and s = 'O''Brien'"}, r"((`n` > 2L) and (`s` = 'O\'Brien'))"),
    "a name with a backquote": ({"row_condition": "`o``dd` = 1"}, "(`o``dd` = 1L)"),
    "the library's own words": (
        {"row_condition": 'col("s") == "it\'s"', "condition_parser": "great_expectations"},
        r"(`s` = 'it\'s')",
    ),
    "its word for what is there": (
        {"row_condition": 'col("n").notNull()', "condition_parser": "great_expectations"},
        "(not (`n` is null))",
    ),
    "a day in its words": (
        {"row_condition": 'col("d") >= date("2026-01-31")', "condition_parser": "great_expectations"},
        "(`d` >= date'2026-01-31')",
    ),
    "a mapping": (
        {
            "row_condition": {
                "type": "or",
                "conditions": [
                    {"type": "comparison", "column": {"name": "d"}, "operator": "<=", "parameter": "2026-01-31"},
                    {"type": "comparison", "column": {"name": "s"}, "operator": "NOT_IN", "parameter": ["a", "'"]},
                    {"type": "nullity", "column": {"name": "n"}, "is_null": False},
                ],
            }
        },
        r"(((`d` <= date'2026-01-31') or (not (`s` in ('a', '\'')))) or (not (`n` is null)))",
    ),
}


def entry_of(kind: str, kwargs: dict[str, object]) -> str:
    implementation = json.dumps({"type": kind, "kwargs": kwargs})
    return f"- {{id: e, type: custom, engine: greatExpectations, implementation: {implementation}}}\n"


@pytest.mark.parametrize("case", CONDITIONS)
def test_condition_is_written_anew(case: str) -> None:
    kwargs, sql = CONDITIONS[case]
    check = the_check(a_document(TYPED, entry_of(NULL, {"column": "n", **kwargs})))

    assert arguments_of(check)["given"] == {"row_condition": sql, "condition_parser": "spark"}


QUERY = "unexpected_rows_expectation"
REGEX, NOT_REGEX = "expect_column_values_to_match_regex", "expect_column_values_to_not_match_regex"
SCHEMA = "expect_column_values_to_match_json_schema"
HOSTILE: dict[str, tuple[str, dict[str, object]]] = {
    "a program": (QUERY, {"unexpected_rows_query": "SELECT TRANSFORM(n) USING 'id' AS x FROM {batch}"}),
    "a program in words": (QUERY, {"unexpected_rows_query": "FROM {batch} MAP n USING 'id' AS x SELECT x"}),
    "a file": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch} UNION SELECT * FROM text.`/etc/passwd`"}),
    "a file alone": (QUERY, {"unexpected_rows_query": "SELECT * FROM csv.`/etc/passwd` WHERE '{batch}' = ''"}),
    "a file in a subquery": (
        QUERY,
        {"unexpected_rows_query": "SELECT n FROM {batch} WHERE n IN (SELECT 1 FROM json.`/x`)"},
    ),
    "a file in a with": (
        QUERY,
        {"unexpected_rows_query": "WITH a AS (SELECT * FROM delta.`/x`) SELECT n FROM {batch}, a"},
    ),
    "Java": (QUERY, {"unexpected_rows_query": "SELECT java_method('java.lang.System', 'getenv') FROM {batch}"}),
    "reflection": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch} WHERE reflect('a', 'b') = ''"}),
    "the environment": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch} WHERE s = '${env:HOME}'"}),
    "a setting": (QUERY, {"unexpected_rows_query": "SELECT ${spark.app.id} FROM {batch}"}),
    "another table": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch} JOIN other USING (n)"}),
    "another catalog": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch} JOIN hive.default.other USING (n)"}),
    "a function of tables": (
        QUERY,
        {"unexpected_rows_query": "SELECT n FROM {batch} JOIN range(1000000000) r ON r.id = n"},
    ),
    "every row with every other": (QUERY, {"unexpected_rows_query": "SELECT a.n FROM {batch} a CROSS JOIN {batch} b"}),
    "a command": (QUERY, {"unexpected_rows_query": "SET spark.sql.ansi.enabled = false -- {batch}"}),
    "a second command": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch}; ADD JAR 'x.jar'"}),
    "a script": (QUERY, {"unexpected_rows_query": "BEGIN SELECT n FROM {batch}; END"}),
    "a format string": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch.__class__}"}),
    "a conversion": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch!r}"}),
    "a parameter": (QUERY, {"unexpected_rows_query": "SELECT n FROM {batch} WHERE n = :x"}),
    "a name in double quotes": (QUERY, {"unexpected_rows_query": 'SELECT n FROM {batch} WHERE "n" = 1'}),
    "a program in a condition": (NULL, {"column": "n", "row_condition": "n IN (SELECT TRANSFORM(1) USING 'id')"}),
    "a file in a condition": (NULL, {"column": "n", "row_condition": "exists(SELECT * FROM text.`/etc/passwd`)"}),
    "Java in a condition": (NULL, {"column": "n", "row_condition": "java_method('java.lang.System', 'exit', 1) = 0"}),
    "the environment in a condition": (NULL, {"column": "n", "row_condition": "s = '${env:HOME}'"}),
    "a condition that is passed through": (
        NULL,
        {"column": "n", "row_condition": {"type": "pass_through", "pass_through_filter": "reflect('a', 'b') = ''"}},
    ),
    "a mapping of another kind": (NULL, {"column": "n", "row_condition": {"type": "python", "code": "1"}}),
    "a mapping with more": (
        NULL,
        {
            "column": "n",
            "row_condition": {"type": "nullity", "column": {"name": "n"}, "is_null": True, "pass_through_filter": "1"},
        },
    ),
    "other words of theirs": (
        NULL,
        {"column": "n", "condition_parser": "great_expectations", "row_condition": 'col("n") > 1 or reflect("a")'},
    ),
    "a time as text": (NULL, {"column": "n", "row_condition": "t = t"}),
    "a value looked up": ("expect_column_values_to_be_between", {"column": "n", "min_value": {"$PARAMETER": "now()"}}),
    "values looked up": ("expect_column_values_to_be_in_set", {"column": "n", "value_set": [{"$PARAMETER": "x"}]}),
    "a set looked up": ("expect_column_values_to_be_in_set", {"column": "n", "value_set": {"$PARAMETER": "x"}}),
    "a mapping looked up": (
        "expect_column_quantile_values_to_be_between",
        {"column": "n", "quantile_ranges": {"$PARAMETER": "x"}},
    ),
    "a schema of a file": (SCHEMA, {"column": "s", "json_schema": {"$ref": "file:///etc/passwd"}}),
    "a schema of a host": (SCHEMA, {"column": "s", "json_schema": {"items": [{"$ref": "http://169.254.169.254/"}]}}),
    "a schema that is elsewhere": (SCHEMA, {"column": "s", "json_schema": {"$id": "file:///etc/x", "$ref": "#/a"}}),
    "a schema of old, elsewhere": (SCHEMA, {"column": "s", "json_schema": {"id": "file:///etc/x", "$ref": "#/a"}}),
    "a slow pattern in a schema": (SCHEMA, {"column": "s", "json_schema": {"pattern": "(a+)+$"}}),
    "a slow name in a schema": (SCHEMA, {"column": "s", "json_schema": {"patternProperties": {"(a+)+$": {}}}}),
    "a slow pattern": (REGEX, {"column": "s", "regex": "(a+)+$"}),
    "a pattern that long texts pass": (NOT_REGEX, {"column": "s", "regex": "^(ab)+$"}),
    "a type that is no type": ("expect_column_values_to_be_of_type", {"column": "n", "type_": "__loader__"}),
    "types that are none": ("expect_column_values_to_be_in_type_list", {"column": "n", "type_list": ["sys"]}),
    "a name that is SQL": (NULL, {"column": "o`dd"}),
    "names that are SQL": ("expect_multicolumn_sum_to_equal", {"column_list": ["n", "o`dd"], "sum_total": 1}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_no_argument_leads_out_of_the_file(case: str) -> None:
    result = compiled(a_document(TYPED, entry_of(*HOSTILE[case])))

    assert result.plan is None
    assert all(f.fix for f in result.findings if f.level == "error")
    assert [f.code for f in result.findings if f.level == "error"] != ["crash"]


def test_query_becomes_a_statement_and_leaves_as_it_came() -> None:
    query = "SELECT n FROM {batch} WHERE s = '{{x}}'"
    text = a_document(TYPED, entry_of(QUERY, {"unexpected_rows_query": query}))
    (check,) = (c for c in a_plan(text).checks if c.kind == "statement")

    assert check.id == "e"
    assert arguments_of(check)["sql"].endswith("from dropgate_rows t0 where (t0.v1 = '{x}')")
    opened = read(text.encode(), FILE)
    assert opened.contract
    suite = json.loads(FORMATS["great-expectations"].write(opened.contract).text)
    queries = [e["kwargs"] for e in suite["expectations"] if e["type"] == QUERY]
    assert queries == [{"unexpected_rows_query": query}]


def test_patterns_are_given_as_the_engine_reads_them() -> None:
    check = the_check(a_document(TYPED, entry_of(REGEX, {"column": "s", "regex": "^a$"})))

    assert arguments_of(check)["kwargs"]["regex"] == "^a$"
    assert arguments_of(check)["given"] == {"regex": r"^a\z"}
