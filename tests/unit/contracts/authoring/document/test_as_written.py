"""Documents as the world writes them: older words, placeholders and merged keys are read as what they stand for."""

from __future__ import annotations

from decimal import Decimal

import pytest

from contracts import rules
from contracts.authoring.document.physical_types import TYPES
from contracts.plan import Plan
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document, a_plan, compiled

OLD = HEAD.replace("v3.2.0", "v3.0.2")
NUMBERS = "- {name: id, logicalType: integer}\n- {name: amount, logicalType: number}\n"
OF_FILE = ("{object}", "${object}", "{table}", "${table}", "{model}", "${model}", "orders", "data")
OF_PROPERTY = ("{property}", "${property}", "{column}", "${column}", "amount")


def codes(text: str, level: str) -> list[str]:
    return [f.code for f in compiled(text).findings if f.level == level]


def checks(plan: Plan) -> list[tuple[str, object]]:
    return [(check.id, check.rule) for check in plan.checks]


def of_values(plan: Plan) -> list[str]:
    return [check.id for check in plan.checks if check.scope != "record"]


@pytest.mark.parametrize("word", OF_FILE)
def test_placeholder_of_the_file_is_the_file(word: str) -> None:
    query = f"- {{type: sql, query: 'select count(*) from {word} where amount < 0', mustBe: 0}}"

    rule = a_plan(a_document(NUMBERS, query)).checks[-1].rule

    assert isinstance(rule, rules.Sql)
    assert rule.properties == ("amount",)


@pytest.mark.parametrize("word", OF_PROPERTY)
def test_placeholder_of_the_property_is_the_property(word: str) -> None:
    query = f"select count(*) from ${{table}} where {word} < 0"
    text = f"{NUMBERS}  quality: [{{type: sql, query: '{query}', mustBe: 0}}]".replace(
        "- {name: amount, logicalType: number}\n", "- name: amount\n  logicalType: number\n"
    )

    rule = a_plan(a_document(text)).checks[-1].rule

    assert isinstance(rule, rules.Sql)
    assert rule.properties == ("amount",)


def test_placeholder_in_quotes_is_text() -> None:
    query = """- {type: sql, query: "select count(*) from data where name = '{column}'", mustBe: 0}"""

    rule = a_plan(a_document("- {name: name, logicalType: string}", query)).checks[-1].rule

    assert isinstance(rule, rules.Sql)
    assert "{column}" in rule.sql


def test_parameter_named_model_is_the_parameter() -> None:
    query = (
        "- {type: sql, query: 'select count(*) from data where amount = ${model}', mustBe: 0,"
        " customProperties: [{property: parameters, value: {model: 7}}]}"
    )

    rule = a_plan(a_document(NUMBERS, query)).checks[-1].rule

    assert isinstance(rule, rules.Sql)
    assert "7" in rule.sql


def test_merged_keys_are_those_of_the_mapping() -> None:
    merged = "- &a\n  name: a\n  logicalType: integer\n  required: true\n- {<<: *a, name: b, required: false}"
    written = "- {name: a, logicalType: integer, required: true}\n- {name: b, logicalType: integer, required: false}"

    assert checks(a_plan(a_document(merged))) == checks(a_plan(a_document(written)))


def test_first_of_several_merged_mappings_wins() -> None:
    text = (
        "- &a\n  name: a\n  logicalType: integer\n- &b\n  name: b\n  logicalType: string\n  required: true\n"
        "- {<<: [*a, *b], name: c}"
    )

    assert [(p.type, p.required) for p in a_plan(a_document(text)).properties][2] == ("integer", True)


@pytest.mark.parametrize("merged", ["7", "[7]", "null"])
def test_merge_of_no_mapping_is_refused(merged: str) -> None:
    assert codes(a_document(f"- {{name: a, logicalType: integer, <<: {merged}}}"), "error") == ["wrong-type"]


def test_quoted_merge_key_is_a_key() -> None:
    assert codes(a_document('- {name: a, logicalType: integer, "<<": {}}'), "error") == ["unknown-key"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("maximum: 9, exclusiveMaximum: true", "exclusiveMaximum: 9"),
        ("minimum: 1, exclusiveMinimum: true", "exclusiveMinimum: 1"),
        ("minimum: 1, exclusiveMinimum: false", "minimum: 1"),
        (
            "maximum: 9, exclusiveMaximum: true, minimum: 1, exclusiveMinimum: true",
            "exclusiveMaximum: 9, exclusiveMinimum: 1",
        ),
        ("exclusiveMaximum: true", ""),
        ("exclusiveMaximum: false", ""),
    ],
)
def test_bound_excluded_by_true_is_exclusive(written: str, meant: str) -> None:
    before, now = (f"- {{name: x, logicalType: integer, logicalTypeOptions: {{{each}}}}}" for each in (written, meant))

    old, new = a_plan(a_document(before, head=OLD)), a_plan(a_document(now))

    assert sorted(checks(old), key=str) == sorted(checks(new), key=str)


def test_bound_is_no_boolean_in_todays_documents() -> None:
    text = "- {name: x, logicalType: integer, logicalTypeOptions: {maximum: 9, exclusiveMaximum: true}}"

    assert codes(a_document(text), "error") == ["wrong-type"]


@pytest.mark.parametrize(
    "entry", ["rule: nullCheck", "rule: between, mustBeBetween: [0, 5]", "rule: minCheck, type: library"]
)
def test_rule_of_a_tool_is_one_for_people(entry: str) -> None:
    text = a_document(f"- {{name: x, logicalType: integer, quality: [{{{entry}, severity: warning}}]}}", head=OLD)

    last = a_plan(text).checks[-1]

    assert isinstance(last.rule, rules.ForPeople)
    assert last.severity == "warning"
    assert "not-checked" in codes(text, "note")


def test_rule_that_is_misspelt_is_refused() -> None:
    text = a_document("- {name: x, logicalType: integer, quality: [{rule: nullValuess, mustBe: 0}]}", head=OLD)

    assert codes(text, "error") == ["unknown-value"]


@pytest.mark.parametrize("name", TYPES)
def test_type_is_that_of_the_physical_type(name: str) -> None:
    text = a_document(f"- {{name: x, physicalType: {name}}}")

    assert a_plan(text).properties[0].type == TYPES[name]["logicalType"]
    assert codes(text, "note") == ["no-type"]


def test_length_of_a_physical_type_is_no_rule() -> None:
    assert of_values(a_plan(a_document("- {name: x, physicalType: varchar(20)}"))) == []


def test_digits_of_a_physical_type_hold() -> None:
    assert a_plan(a_document("- {name: x, physicalType: 'numeric(10,2)'}")).properties[0].exact == (10, 2)


@pytest.mark.parametrize("body", ["name: x", "name: x, physicalType: geography"])
def test_property_without_any_type_is_text_with_a_warning(body: str) -> None:
    text = a_document(f"- {{{body}}}")

    assert a_plan(text).properties[0].type == "string"
    assert codes(text, "warning") == ["no-type"]


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_value_with_a_type_needs_one_in_the_contract(form: str) -> None:
    drop = DROP.replace("format: csv", f"format: {form}").replace("*.csv", f"*.{form}")

    assert "no-type" in codes(a_document("- {name: x}", drop=drop), "error")


@pytest.mark.parametrize(
    "section",
    [
        "team: [{username: a, comment: x}]",
        "roles: [{role: a, owner: x}]",
        "slaProperties: [{property: frequency, value: 1, unit: d, column: x}]",
        "servers: [{server: a, type: s3, location: s3://x/, owner: me}]",
    ],
)
def test_keys_of_other_tools_are_left_alone(section: str) -> None:
    text = a_document(head=f"{HEAD}{section}\n")

    assert compiled(text).plan
    assert "not-used" in codes(text, "note")


def test_key_that_is_misspelt_is_refused() -> None:
    text = a_document(head=f"{HEAD}slaProperties: [{{property: frequency, value: 1, units: d}}]\n")

    assert codes(text, "error") == ["unknown-key"]


@pytest.mark.parametrize("word", ["current", "production", "live", "in development"])
def test_status_of_another_word_matches_no_files(word: str) -> None:
    result = compiled(a_document(head=HEAD.replace("status: active", f"status: {word}")))

    assert result.plan is None
    assert [(f.level, f.code) for f in result.findings] == [("warning", "unknown-value")]


@pytest.mark.parametrize("word", ["Active", "ACTIVE"])
def test_status_is_read_in_any_case(word: str) -> None:
    assert compiled(a_document(head=HEAD.replace("status: active", f"status: {word}"))).plan


@pytest.mark.parametrize("form", ["date-time", "date", "time", "phone", "duration", "free words"])
def test_format_that_nothing_checks_is_a_warning(form: str) -> None:
    text = a_document(f"- {{name: x, logicalType: string, logicalTypeOptions: {{format: {form}}}}}")

    assert of_values(a_plan(text)) == []
    assert codes(text, "warning") == ["not-checked"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("yyyy-MM-ddTHH:mm:ssZ", "yyyy-MM-dd'T'HH:mm:ssXXX"),
        ("yyyy-MM-ddTHH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss"),
        ("yyyy-MM-ddTHH:mm:ss.SSSZ", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
    ],
)
def test_pattern_of_the_standards_examples_is_read(written: str, meant: str) -> None:
    plans = [
        a_plan(a_document(f'- {{name: x, logicalType: timestamp, logicalTypeOptions: {{format: "{form}"}}}}'))
        for form in (written, meant)
    ]

    assert plans[0].properties == plans[1].properties


def test_null_among_valid_values_is_passed_over() -> None:
    entry = "{metric: invalidValues, arguments: {validValues: [a, null, b]}, mustBe: 0}"
    text = a_document(f"- {{name: x, logicalType: string, quality: [{entry}]}}")

    rule = a_plan(text).checks[-1].rule

    assert isinstance(rule, rules.InvalidValues)
    assert rule.values == ("a", "b")
    assert codes(text, "note") == ["not-used"]


@pytest.mark.parametrize(
    ("query", "operator", "limit"),
    [
        ("select count(*) = 0 from data where amount < 0", "mustBe: true", 1),
        ("select max(amount) > 3 as large from data", "mustNotBe: false", 0),
        ("with few as (select * from data) select min(amount) is null from few", "mustBe: false", 0),
    ],
)
def test_query_of_true_or_false_gives_1_or_0(query: str, operator: str, limit: int) -> None:
    check = a_plan(a_document(NUMBERS, f"- {{type: sql, query: '{query}', {operator}}}")).checks[-1]

    assert isinstance(check.rule, rules.Sql)
    assert check.rule.text == query
    assert check.rule.limits == (str(limit),)
    assert check.threshold
    assert check.threshold.values == (Decimal(limit),)


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        ("select count(*) from data", "mustBe: true"),
        ("select count(*) = 0 from data", "mustBe: 0"),
        ("select count(*) = 0 from data", "mustBeGreaterThan: true"),
        ("select amount > 0 from data", "mustBe: true"),
    ],
)
def test_query_is_held_against_what_it_gives(query: str, operator: str) -> None:
    result = compiled(a_document(NUMBERS, f"- {{type: sql, query: '{query}', {operator}}}"))

    assert result.plan is None


URN = HEAD.replace("id: orders", "id: urn:datacontract:checkout:orders-latest")


def test_free_id_needs_a_readable_name() -> None:
    findings = [f for f in compiled(a_document(head=URN)).findings if f.level == "error"]

    assert [(f.code, f.line) for f in findings] == [("bad-id", 3)]
    assert "`alias: orders-latest`" in findings[0].fix


def test_alias_names_the_contract_of_a_free_id() -> None:
    result = compiled(a_document(head=URN, more_drop="alias: orders"))

    assert result.plan
    assert (result.plan.contract, result.plan.id) == ("orders.v1", "orders")
    assert result.findings == ()


@pytest.mark.parametrize("alias", ['"a b"', '"-a"', f'"{81 * "a"}"', '""', '"a\\n"'])
def test_alias_is_a_name_of_files(alias: str) -> None:
    assert codes(a_document(head=URN, more_drop=f"alias: {alias}"), "error") == ["bad-value"]


@pytest.mark.parametrize(
    ("server", "code"),
    [
        ("type: s3, location: 's3://a/*.json', format: json", "contradicts-server"),
        ("type: s3, location: 's3://a/*.csv', format: csv, delimiter: ';'", "contradicts-server"),
        ("type: s3, location: 's3://a/*.csv', format: csv", None),
        ("type: s3, location: 's3://a/x', format: delta", None),
        ("type: snowflake, account: a, database: b, schema: c", None),
    ],
)
def test_server_with_another_format_is_a_warning(server: str, code: str | None) -> None:
    text = a_document(head=f"{HEAD}servers: [{{server: prod, {server}}}]\n")

    assert compiled(text).plan
    assert codes(text, "warning") == ([code] if code else [])


def test_one_server_with_the_format_is_enough() -> None:
    both = "\n".join(
        f"- {{server: {form}, type: s3, location: s3://a/x, format: {form}}}" for form in ("csv", "parquet")
    )
    text = a_document(head=f"{HEAD}servers:\n{both}\n")

    assert codes(text, "warning") == []
