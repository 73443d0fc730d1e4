"""The plan of a contract: kinds, scopes, ids, bounds as text, words for people."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from contracts import codec, rules
from contracts.authoring.compiler.compile import compile_file, load_plan
from contracts.authoring.patterns.regex import to_java
from contracts.errors import ContractInvalid
from contracts.plan import RECORD_CHECKS, Limit, Plan, Threshold
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.value_form import ValueForm
from tests.builders import arguments_of
from tests.unit.contracts.authoring.documents import (
    DROP,
    HEAD,
    a_document,
    a_plan,
    a_property,
    check,
    compiled,
    reported,
)


def ids(text: str) -> list[str]:
    return [c.id for c in a_plan(text).checks if c.scope != "record"]


def test_plan_carries_what_the_contract_says() -> None:
    plan = a_plan(a_document())
    assert (plan.contract, plan.id, plan.version, plan.object) == ("orders.v1", "orders", "1.0.0", "orders")
    assert (plan.producer, plan.files, plan.deprecated) == ("shop", ("shop/orders/*.csv",), False)


def test_every_plan_begins_with_the_record_checks() -> None:
    assert a_plan(a_document()).checks[:3] == RECORD_CHECKS


def test_plan_survives_its_own_text() -> None:
    text = a_property("quality:\n  - metric: nullValues\n    mustBeLessThan: 0.10\n    unit: percent")
    plan = a_plan(text)
    assert codec.loads(Plan, codec.canonical(plan), "plan") == plan


def test_comments_and_layout_do_not_change_the_hash() -> None:
    text = a_document()
    assert a_plan("# by hand\n\n" + text.replace("version: ", "version:   ")).sha == a_plan(text).sha


TYPES = {
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date like 2026-01-31",
    "timestamp": "a timestamp like 2026-01-31T13:45:07Z",
    "time": "a time like 13:45:07",
}


@pytest.mark.parametrize(("kind", "words"), TYPES.items())
def test_every_type_but_text_is_checked(kind: str, words: str) -> None:
    made = check(a_property("", kind), "x.logicalType")
    assert (made.kind, made.scope, made.dimension, made.expected) == ("logicalType", "row", "conformity", words)


def test_text_has_no_type_check() -> None:
    assert ids(a_property("")) == []


def test_date_format_stands_in_property_and_check() -> None:
    plan = a_plan(a_property("logicalTypeOptions: {format: dd.MM.yyyy}", "date"))
    assert plan.properties[0].format == "dd.MM.yyyy"
    assert (arguments_of(plan.checks[3]), plan.checks[3].expected) == (
        {"format": "dd.MM.yyyy"},
        "a date like 31.01.2026",
    )


def test_flags_become_checks_of_row_and_set() -> None:
    made = a_plan(a_property("required: true\nunique: true\nprimaryKey: true")).checks[3:]
    assert [(c.id, c.scope, c.dimension) for c in made] == [
        ("x.required", "row", "completeness"),
        ("x.unique", "set", "uniqueness"),
        ("x.primaryKey", "set", "uniqueness"),
    ]


def test_primary_key_asks_for_no_other_check() -> None:
    assert ids(a_property("primaryKey: true")) == ["x.primaryKey"]


KEY = """\
- {name: a, logicalType: string, primaryKey: true, primaryKeyPosition: 2}
- {name: b, logicalType: date, primaryKey: true, primaryKeyPosition: 1}
"""


def test_key_of_several_properties_is_one_check_in_its_order() -> None:
    made = check(a_document(KEY), "primaryKey")
    assert ids(a_document(KEY)) == ["b.logicalType", "primaryKey"]
    assert (made.scope, made.property, made.properties()) == ("set", None, ("b", "a"))
    assert made.expected == "b and a not null, no two records with the same"


def test_key_without_positions_has_the_documents_order() -> None:
    text = a_document(KEY.replace(", primaryKeyPosition: 2", "").replace(", primaryKeyPosition: 1", ""))
    assert check(text, "primaryKey").properties() == ("a", "b")


def test_severity_of_a_whole_key_comes_from_the_block() -> None:
    drop = DROP + "checks:\n  primaryKey: {severity: warning}"
    assert check(a_document(KEY, drop=drop), "primaryKey").severity == "warning"


def test_required_stands_in_the_property() -> None:
    assert a_plan(a_property("required: true")).properties[0].required


def test_false_flags_ask_for_nothing() -> None:
    assert ids(a_property("required: false\nunique: false\nprimaryKey: false")) == []


def test_bounds_keep_the_documents_digits() -> None:
    text = a_property("logicalTypeOptions: {minimum: -0.10, maximum: 12345678901234567890.10}", "number")
    low, high = check(text, "x.minimum"), check(text, "x.maximum")
    assert (arguments_of(low), arguments_of(high)) == ({"value": "-0.10"}, {"value": "12345678901234567890.10"})
    assert (low.expected, high.expected) == (">= -0.10", "<= 12345678901234567890.10")


def test_exclusive_bounds_have_kinds_of_their_own() -> None:
    text = a_property("logicalTypeOptions: {exclusiveMinimum: 1, exclusiveMaximum: 3}", "integer")
    low, high = check(text, "x.exclusiveMinimum"), check(text, "x.exclusiveMaximum")
    assert (low.kind, arguments_of(low), low.expected) == ("exclusiveMinimum", {"value": "1"}, "> 1")
    assert (high.kind, arguments_of(high), high.expected) == ("exclusiveMaximum", {"value": "3"}, "< 3")


def test_exclusive_bounds_may_leave_a_hair() -> None:
    assert reported(a_property("logicalTypeOptions: {exclusiveMinimum: 1, exclusiveMaximum: 1.001}", "number")) == set()


def test_bounds_of_dates_are_in_their_format() -> None:
    text = a_property('logicalTypeOptions: {format: dd/MM/yyyy, minimum: "31/12/1999"}', "date")
    assert arguments_of(check(text, "x.minimum")) == {"value": "31/12/1999"}


def test_lengths_are_numbers_with_words() -> None:
    text = a_property("logicalTypeOptions: {minLength: 2, maxLength: 5}")
    assert arguments_of(check(text, "x.minLength")) == {"value": 2}
    assert check(text, "x.maxLength").expected == "at most 5 characters"


def test_pattern_is_ready_for_java() -> None:
    made = check(a_property("logicalTypeOptions: {pattern: '^[A-Z]{3}$'}"), "x.pattern")
    assert (arguments_of(made), made.expected) == ({"pattern": r"^[A-Z]{3}\z"}, "matching ^[A-Z]{3}$")


FORMATS = {
    ("string", "email"): "an email address",
    ("string", "byte"): "text in base64",
    ("integer", "i8"): "a whole number from -128 to 127",
    ("integer", "u32"): "a whole number from 0 to 4294967295",
    ("number", "f32"): "a number of 32 bits",
}


@pytest.mark.parametrize(("of", "words"), FORMATS.items())
def test_format_is_a_check_of_its_name(of: tuple[str, str], words: str) -> None:
    made = check(a_property(f"logicalTypeOptions: {{format: {of[1]}}}", of[0]), "x.format")
    assert (made.kind, made.scope, arguments_of(made), made.expected) == ("format", "row", {"format": of[1]}, words)


@pytest.mark.parametrize(("kind", "name"), [("integer", "i64"), ("number", "f64")])
def test_format_that_is_the_type_asks_for_nothing_more(kind: str, name: str) -> None:
    assert ids(a_property(f"logicalTypeOptions: {{format: {name}}}", kind)) == ["x.logicalType"]


@pytest.mark.parametrize("name", ["binary", "password"])
def test_format_that_says_nothing_of_the_text_is_noted(name: str) -> None:
    text = a_property(f"logicalTypeOptions: {{format: {name}}}")
    assert [(f.level, f.code) for f in compiled(text).findings] == [("note", "not-checked")]
    assert ids(text) == []


def test_passwords_are_not_shown() -> None:
    body = "logicalTypeOptions: {format: password}"
    assert a_plan(a_property(body)).properties[0].masked
    assert not a_plan(a_property(body + "\nclassification: public")).properties[0].masked


EXACT = {
    ("number", "physicalType: decimal(10,2)"): (10, 2),
    ("number", "physicalType: ' DECIMAL ( 10 , 2 ) '"): (10, 2),
    ("number", "physicalType: Numeric(7)"): (7, 0),
    ("number", "physicalType: decimal(38,38)"): (38, 38),
    ("number", "physicalType: DECIMAL"): None,
    ("number", "physicalType: double"): None,
    ("number", "logicalTypeOptions: {multipleOf: 0.01}"): (38, 18),
    ("number", "logicalTypeOptions: {multipleOf: 0.01}\nphysicalType: decimal(9,2)"): (9, 2),
    ("integer", "physicalType: decimal(5,0)"): (5, 0),
    ("integer", "physicalType: decimal(5,2)"): None,
    ("integer", "logicalTypeOptions: {multipleOf: 5}"): None,
    ("integer", "logicalTypeOptions: {format: u64}"): (20, 0),
    ("string", "physicalType: decimal(5,0)"): None,
}


@pytest.mark.parametrize(("body", "exact"), EXACT.items())
def test_physical_type_makes_numbers_exact(body: tuple[str, str], exact: tuple[int, int] | None) -> None:
    plan = a_plan(a_property(body[1], body[0]))
    assert plan.properties[0].exact == exact
    assert codec.loads(Plan, codec.canonical(plan), "plan") == plan


DECIMALS = {
    "decimal(10,2)": "a decimal number with at most 8 digits before the point and at most 2 after it",
    "decimal(10)": "a decimal number with at most 10 digits before the point and none after it",
    "decimal(2,2)": "a decimal number with 0 before the point and at most 2 after it",
}


@pytest.mark.parametrize(("physical", "words"), DECIMALS.items())
def test_exact_numbers_say_how_many_digits(physical: str, words: str) -> None:
    assert check(a_property(f"physicalType: {physical}", "number"), "x.logicalType").expected == words


def test_values_of_decimals_are_written_out() -> None:
    text = a_property(
        "physicalType: decimal(9,2)\nlogicalTypeOptions: {minimum: -1e3, maximum: 2.500, multipleOf: 5e-2}\n"
        "enum: [{value: 007.10}, {value: +1}, {value: .5}]".replace("007.10", "7.10"),
        "number",
    )
    values = [arguments_of(check(text, f"x.{kind}")) for kind in ("minimum", "maximum", "multipleOf", "enum")]
    assert values == [{"value": "-1000"}, {"value": "2.50"}, {"value": "0.05"}, {"values": ["7.10", "1", "0.5"]}]
    assert check(text, "x.multipleOf").expected == "a multiple of 0.05"


def test_long_integers_may_be_decimals() -> None:
    text = a_property("physicalType: decimal(30,0)\nlogicalTypeOptions: {format: i64, maximum: 1e29}", "integer")
    assert check(text, "x.format").expected == "a whole number from -9223372036854775808 to 9223372036854775807"
    assert arguments_of(check(text, "x.maximum")) == {"value": "1" + "0" * 29}
    assert check(text, "x.logicalType").expected == "an integer of at most 30 digits"


ZONES = {
    "{timezone: true}": ((None, True), "a timestamp like 2026-01-31T13:45:07Z"),
    "{timezone: false}": ((None, False), "a timestamp like 2026-01-31T13:45:07"),
    "{timezone: false, defaultTimezone: Europe/Berlin}": (
        ("Europe/Berlin", False),
        "a timestamp like 2026-01-31T13:45:07 in Europe/Berlin",
    ),
    "{defaultTimezone: Etc/UTC}": ((None, None), "a timestamp like 2026-01-31T13:45:07Z"),
    "{defaultTimezone: America/Sao_Paulo, format: yyyy-MM-dd HH:mm}": (
        ("America/Sao_Paulo", None),
        "a timestamp like 2026-01-31 13:45 in America/Sao_Paulo",
    ),
    "{timezone: true, format: yyyy-MM-dd HH:mmX}": ((None, None), "a timestamp like 2026-01-31 13:45Z"),
}


@pytest.mark.parametrize(("options", "expected"), ZONES.items())
def test_time_zones_stand_in_the_property(options: str, expected: tuple[tuple[str | None, bool | None], str]) -> None:
    text = a_property(f"logicalTypeOptions: {options}", "timestamp")
    prop = a_plan(text).properties[0]
    assert ((prop.zone, prop.offset), check(text, "x.logicalType").expected) == expected


def test_zone_beside_an_offset_is_noted() -> None:
    text = a_property("logicalTypeOptions: {timezone: true, defaultTimezone: Europe/Berlin}", "timestamp")
    assert [(f.level, f.code) for f in compiled(text).findings] == [("note", "not-used")]
    assert a_plan(text).properties[0].zone is None


def test_enum_values_are_text_of_their_type() -> None:
    made = check(a_property("enum: [{value: 1}, {value: +2}, {value: -3}]", "integer"), "x.enum")
    assert (arguments_of(made), made.expected) == ({"values": ["1", "2", "-3"]}, "one of 1, 2, -3")


def test_long_enums_are_shortened_for_people_only() -> None:
    made = check(a_property(f"enum: [{', '.join(f'{{value: {n}}}' for n in range(20))}]", "integer"), "x.enum")
    assert len(arguments_of(made)["values"]) == 20
    assert made.expected.endswith("11 and 8 more")


def metric(body: str, kind: str = "string") -> str:
    return a_property("quality:\n  - " + body.replace("\n", "\n    "), kind)


def test_metric_of_zero_is_a_row_check() -> None:
    made = check(metric("metric: nullValues\nmustBe: 0"), "x.nullValues")
    assert (made.scope, made.threshold, made.expected, made.dimension) == ("row", None, "not null", "completeness")


def test_zero_percent_is_zero() -> None:
    assert check(metric("metric: nullValues\nmustBe: 0\nunit: percent"), "x.nullValues").scope == "row"


def test_other_threshold_is_a_set_check() -> None:
    made = check(metric("metric: nullValues\nmustBeLessThan: 10\nunit: percent"), "x.nullValues")
    assert (made.scope, made.expected) == ("set", "nulls < 10 %")
    assert made.threshold == Threshold("mustBeLessThan", (Decimal(10),), "percent")


def test_invalid_values_say_what_is_valid() -> None:
    text = metric("metric: invalidValues\nmustBe: 0\narguments:\n  validValues: [a, b]\n  pattern: ^.$")
    made = check(text, "x.invalidValues")
    assert arguments_of(made)["values"] == ["a", "b"]
    assert made.expected == "one of a, b and matching ^.$"


def test_missing_values_are_texts_and_null() -> None:
    made = check(
        metric("metric: missingValues\nmustBe: 0\narguments: {missingValues: [null, '', N/A]}"), "x.missingValues"
    )
    assert (made.scope, arguments_of(made)) == ("row", {"values": ["", "N/A"], "null": True})
    assert (made.expected, made.dimension) == ('none of null, "", N/A', "completeness")


def test_missing_values_of_any_type_are_texts() -> None:
    text = metric(
        "metric: missingValues\nmustBeLessThan: 5\nunit: percent\narguments: {missingValues: ['-9']}", "integer"
    )
    made = check(text, "x.missingValues")
    assert (made.scope, arguments_of(made)) == ("set", {"values": ["-9"], "null": False})
    assert made.expected == "missing values < 5 % (none of -9)"


def custom(implementation: str, more: str = "", kind: str = "string") -> str:
    return metric(f"type: custom\nengine: dropgate\nimplementation: {implementation}\n{more}".strip(), kind)


def test_not_blank_is_a_pattern_of_rows() -> None:
    made = check(custom("{metric: notBlank, mustBe: 0}"), "x.notBlank")
    assert (made.kind, made.scope, made.threshold, made.expected) == ("notBlank", "row", None, "not blank")
    assert arguments_of(made) == {"pattern": to_java(r"\S")}


def test_regex_means_what_pattern_means() -> None:
    made = check(custom("{metric: regex, pattern: ^a$, mustBe: 0}"), "x.regex")
    assert (made.scope, arguments_of(made), made.expected) == ("row", {"pattern": r"^a\z"}, "matching ^a$")


def test_allowed_prefixes_stand_once_in_the_rule() -> None:
    made = check(custom("{metric: allowedPrefixes, prefixes: [AB, C, AB], mustBe: 0}"), "x.allowedPrefixes")
    assert (made.scope, made.rule, made.dimension) == ("row", rules.AllowedPrefixes(("AB", "C")), "conformity")
    assert made.expected == "beginning with one of AB, C"


def test_metric_of_ours_with_another_threshold_is_a_set_check() -> None:
    text = custom("{metric: notBlank, mustBeLessThan: 5, unit: percent}", "severity: warning\ndimension: accuracy")
    made = check(text, "x.notBlank.warning")
    assert (made.scope, made.severity, made.dimension) == ("set", "warning", "accuracy")
    assert made.threshold == Threshold("mustBeLessThan", (Decimal(5),), "percent")
    assert made.expected == "blank values < 5 % (not blank)"


def test_threshold_and_valid_values_are_both_said() -> None:
    text = metric("metric: invalidValues\nmustBeLessOrEqualTo: 5\narguments: {validValues: [1, 2]}", "integer")
    assert check(text, "x.invalidValues").expected == "invalid values <= 5 (one of 1, 2)"


def test_duplicate_values_are_a_set_check_whatever_the_threshold() -> None:
    made = check(metric("metric: duplicateValues\nmustBe: 0", "integer"), "x.duplicateValues")
    assert (made.scope, made.dimension, made.properties()) == ("set", "uniqueness", ("x",))
    assert (made.threshold, made.expected) == (Threshold("mustBe", (Decimal(0),)), "repeated values = 0")


def test_duplicate_values_of_several_properties_name_them() -> None:
    entry = "- {metric: duplicateValues, mustBeLessThan: 1, unit: percent, arguments: {properties: [b, a]}}"
    made = check(a_document(KEY, quality=entry), "duplicateValues")
    assert (made.property, made.properties()) == (None, ("b", "a"))
    assert made.expected == "repeated values < 1 % (of b, a)"


ROW_COUNTS = {
    "mustBe: 5": "= 5 records",
    "mustNotBe: 5": "!= 5 records",
    "mustBeGreaterThan: 1000": "> 1,000 records",
    "mustBeGreaterOrEqualTo: 5": ">= 5 records",
    "mustBeLessThan: 5": "< 5 records",
    "mustBeLessOrEqualTo: 5": "<= 5 records",
    "mustBeBetween: [100, 200]": "between 100 and 200 records, ends excluded",
    "mustNotBeBetween: [1, 5]": "not between 1 and 5 records, ends allowed",
}


@pytest.mark.parametrize(("operator", "words"), ROW_COUNTS.items())
def test_every_operator_of_row_count_is_built(operator: str, words: str) -> None:
    made = check(a_document(quality=f"- metric: rowCount\n  {operator}"), "rowCount")
    assert (made.scope, made.property, made.expected) == ("set", None, words)


def test_no_records_is_a_set_check_too() -> None:
    made = check(a_document(quality="- metric: rowCount\n  mustBe: 0\n  severity: warning"), "rowCount.warning")
    assert (made.scope, made.threshold) == ("set", Threshold("mustBe", (Decimal(0),)))


def test_warning_and_error_of_one_metric_have_ids_of_their_own() -> None:
    pair = "quality:\n  - {metric: nullValues, mustBeLessThan: 5, severity: warning}\n"
    pair += "  - {metric: nullValues, mustBeLessThan: 9}"
    assert ids(a_property(pair)) == ["x.nullValues.warning", "x.nullValues"]


def test_warning_and_error_of_a_whole_file_have_ids_of_their_own() -> None:
    entry = "- {metric: duplicateValues, mustBeLessThan: 9, arguments: {properties: [id]}}\n"
    pair = entry + entry.replace("9,", "5, severity: warning,")
    assert ids(a_document(quality=pair))[1:] == ["duplicateValues", "duplicateValues.warning"]


def figure(body: str, kind: str = "number") -> str:
    return metric(f"type: custom\nengine: dropgate\nimplementation: {{{body}}}", kind)


def test_figure_of_our_own_is_a_set_check() -> None:
    made = check(figure("metric: mean, mustBeBetween: [0.10, 1e3]"), "x.mean")
    assert (made.kind, made.scope, made.dimension) == ("mean", "set", "accuracy")
    assert made.threshold == Threshold("mustBeBetween", (Decimal("0.10"), Decimal(1000)))
    assert (made.expected, arguments_of(made)) == (
        "mean between 0.10 and 1e3, ends excluded",
        {"limits": ["0.10", "1e3"]},
    )


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [("date", "1969-12-31", -1), ("timestamp", "1970-01-02T00:00:00.000001Z", 86_400_000_001)],
)
def test_moments_are_held_against_numbers_and_told_as_written(kind: str, text: str, number: int) -> None:
    made = check(figure(f"metric: max, mustBeLessThan: '{text}'", kind), "x.max")
    assert (made.threshold, made.expected) == (Threshold("mustBeLessThan", (Decimal(number),)), f"max < {text}")


def test_warning_and_error_of_a_figure_have_ids_of_their_own() -> None:
    one = "  - {type: custom, engine: dropgate, implementation: {metric: sum, mustBe: 5}}\n"
    pair = "quality:\n" + one + one.replace("custom,", "custom, severity: warning,")
    assert ids(a_property(pair, "integer"))[1:] == ["x.sum", "x.sum.warning"]


def test_authors_id_goes_before_the_name() -> None:
    assert ids(metric("id: few-nulls\nname: Few nulls\nmetric: nullValues\nmustBe: 0")) == ["few-nulls"]
    assert ids(metric("name: Few nulls\nmetric: nullValues\nmustBe: 0")) == ["Few nulls"]


def test_two_checks_of_one_id_are_refused() -> None:
    pair = "quality:\n  - {metric: nullValues, mustBeLessThan: 5}\n  - {metric: nullValues, mustBeGreaterThan: 1}"
    assert reported(a_property(pair)) == {(13, "check-id-clash")}


def test_authors_dimension_and_description_are_kept() -> None:
    made = check(metric("metric: nullValues\nmustBe: 0\ndimension: accuracy\ndescription: why"), "x.nullValues")
    assert (made.dimension, made.description) == ("accuracy", "why")


def test_severity_of_a_constraint_comes_from_the_block() -> None:
    drop = DROP + 'checks:\n  id.logicalType: {severity: warning, tolerance: "2%"}'
    made = check(a_document(drop=drop), "id.logicalType")
    assert (made.severity, made.tolerance) == ("warning", Limit(Decimal(2), "percent"))


def test_lines_that_are_no_records_may_be_tolerated() -> None:
    drop = DROP + "checks:\n  record.fields: {tolerance: 3}"
    assert check(a_document(drop=drop), "record.fields").tolerance == Limit(Decimal(3), "rows")


def test_tolerance_with_whole_files_is_a_warning() -> None:
    text = a_document(drop=DROP + 'tolerance: {rows: "1.5%"}')
    assert a_plan(text).tolerance == Limit(Decimal("1.5"), "percent")
    assert {code for _, code in reported(text)} == {"tolerated-rows-travel"}


def test_contract_that_only_observes_is_noted() -> None:
    text = a_document(drop=DROP + "mode: observe")
    assert a_plan(text).mode == "observe"
    assert [(f.level, f.code) for f in compiled(text).findings] == [("note", "only-observed")]


def test_table_cannot_be_observed() -> None:
    text = a_document(drop=DROP + "mode: observe\npromote: table")
    assert [f.code for f in compiled(text).findings if f.level == "error"] == ["no-observed-table"]


def test_tolerance_where_rows_are_promoted_needs_no_warning() -> None:
    text = a_document(drop=DROP + 'tolerance: {rows: "1.5%"}\npromote: rows')
    assert (a_plan(text).promote, reported(text)) == ("rows", set())


def test_block_without_choices_has_the_designs_defaults() -> None:
    plan = a_plan(a_document())
    assert (plan.csv.delimiter, plan.csv.encoding, plan.csv.quote, plan.csv.null_values) == (",", "utf-8", '"', ("",))
    assert (plan.columns.extra, plan.columns.missing, plan.columns.order) == ("reject", "reject", "any")
    assert (plan.empty, plan.tolerance, plan.promote, plan.same_key) == ("reject", None, "object", "supersede")


def test_every_choice_of_the_block_reaches_the_plan() -> None:
    choices = """\
    files: [shop/a/*.csv, shop/b/*.csv]
    producer: shop
    format: csv
    csv:
      multiLine: true
      nullValues: [NA, ""]
      delimiter: "\\t"
      header: false
      encoding: Latin-1
      quote: "'"
      escape: "\\\\"
    empty: accept
    compression: gzip
    promote: object
    sameKey: version
    """
    plan = a_plan(a_document(drop=choices))
    assert plan.files == ("shop/a/*.csv", "shop/b/*.csv")
    assert codec.encode(plan.csv) == {
        "delimiter": "\t", "encoding": "iso-8859-1", "quote": "'", "escape": "\\", "null_values": ["NA", ""],
        "header": False, "multi_line": True,
    }  # fmt: skip
    assert (plan.empty, plan.same_key, plan.compression) == ("accept", "version", "gzip")
    columns = a_plan(a_document(more_drop="columns: {extra: ignore, missing: warn, order: exact}")).columns
    assert (columns.extra, columns.missing, columns.order) == ("ignore", "warn", "exact")


def test_form_of_values_is_that_of_each_property() -> None:
    properties = "- {name: a, logicalType: string}\n- {name: b, logicalType: integer}"
    block = "values: {trim: true, nullValues: [X], columns: {b: {trim: false, nullValues: ['', '-']}}}"
    plan = a_plan(a_document(properties, more_drop=block))
    assert plan.csv.null_values == ("X",)
    assert [p.form for p in plan.properties] == [ValueForm(trim=True), ValueForm(nulls=("", "-"))]
    assert [plan.csv.nulls_of(p) for p in plan.properties] == [("X",), ("", "-")]


def test_formats_are_those_of_the_type_of_a_property() -> None:
    properties = (
        "- {name: a, logicalType: date}\n- {name: b, logicalType: timestamp}\n- {name: c, logicalType: string}\n"
        "- {name: d, logicalType: time}"
    )
    block = (
        "values:\n  formats: [d.M.yy, 'd MMM yyyy H:mm', excelDays]\n  century: 1950\n  language: de\n"
        "  columns: {a: {formats: [d.M.yyyy]}}"
    )
    forms = [p.form for p in a_plan(a_document(properties, more_drop=block)).properties]
    assert forms == [
        ValueForm(formats=("d.M.yyyy",)),
        ValueForm(formats=("d MMM yyyy H:mm", "excelDays"), language="de"),
        None,
        None,
    ]


def test_type_is_expected_as_files_write_it() -> None:
    properties = "- {name: a, logicalType: date}\n- {name: b, logicalType: timestamp}"
    block = (
        "values:\n  columns:\n    a: {formats: [d. MMMM yyyy, dd.MM.yy], century: 1950, language: de}\n"
        "    b: {formats: [excelDays, M/d/yyyy h:mm a]}"
    )
    expected = {c.id: c.expected for c in a_plan(a_document(properties, more_drop=block)).checks}
    assert (
        expected["a.logicalType"]
        == "a date like 3. Juli 2024 (d. MMMM yyyy, German) or 03.07.24 (dd.MM.yy, 1950 to 2049)"
    )
    assert expected["b.logicalType"] == (
        "a timestamp like 45476 (a day number of Excel) or 7/3/2024 2:05 PM (M/d/yyyy h:mm a)"
    )


def test_texts_of_json_have_a_form_only_if_one_is_stated() -> None:
    properties = (
        "- {name: a, logicalType: integer}\n- {name: b, logicalType: number}\n- {name: c, logicalType: string}\n"
        "- {name: d, logicalType: array, items: {logicalType: number}}"
    )
    wanted: dict[str, list[ValueForm | None]] = {
        "{}": [None, None, None, None, None],
        '{decimalChar: "."}': [ValueForm(), ValueForm(), None, None, ValueForm()],
        '{decimalChar: ","}': [ValueForm(), ValueForm(decimal=","), None, None, ValueForm(decimal=",")],
        '{nullValues: ["-"], columns: {b: {trim: true}}}': [
            ValueForm(nulls=("-",)),
            ValueForm(trim=True, nulls=("-",)),
            ValueForm(nulls=("-",)),
            None,
            ValueForm(nulls=("-",)),
        ],
        "{columns: {'d[]': {decimals: 2}}}": [None, None, None, None, ValueForm(decimals=2)],
        "{formats: [epochSeconds]}": [None, None, None, None, None],
    }
    drop = "files: shop/*\nproducer: shop\nformat: jsonl\n"
    for values, forms in wanted.items():
        plan = a_plan(a_document(properties, drop=f"{drop}values: {values}\n"))
        assert [p.form for p in plan.properties] == forms


def test_plan_names_only_forms_that_differ() -> None:
    texts = (a_document(), a_document(more_drop="values: {}"), a_document(more_drop="values: {trim: false}"))
    assert len({a_plan(text).sha for text in texts}) == 1
    of_dialect = a_plan(a_document(more_drop="csv: {nullValues: [NA]}"))
    assert a_plan(a_document(more_drop="values: {nullValues: [NA]}")).sha == of_dialect.sha


@pytest.mark.parametrize(
    ("written", "end"),
    [("any", ""), ("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r"), ('"\\u001e"', "\x1e"), ('"|\\r\\n"', "|\r\n")],
)
def test_record_delimiter_is_a_word_or_a_text(written: str, end: str) -> None:
    assert a_plan(a_document(more_drop=f"csv: {{recordDelimiter: {written}}}")).csv.record_delimiter == end


def test_escape_outside_quotes_is_a_sign_or_none() -> None:
    plans = [a_plan(a_document(more_drop=f"csv: {{unquotedEscape: {written}}}")) for written in ("none", "'\\'")]
    assert [plan.csv.unquoted_escape for plan in plans] == ["", "\\"]
    assert plans[0].sha == a_plan(a_document()).sha


def test_quotes_that_are_none_are_an_empty_sign() -> None:
    plans = [a_plan(a_document(more_drop=f"csv: {{quote: {quote}}}")) for quote in ("none", '""')]
    assert plans[0].csv.quote == ""
    assert plans[0].sha == plans[1].sha


@pytest.mark.parametrize("status", ["draft", "proposed", "retired"])
def test_contract_not_in_force_is_checked_and_matches_nothing(status: str) -> None:
    result = compiled(a_document(head=HEAD.replace("active", status)))
    assert (result.plan, [f.code for f in result.findings]) == (None, ["not-active"])


def test_deprecated_contract_still_matches() -> None:
    assert a_plan(a_document(head=HEAD.replace("active", "deprecated"))).deprecated


def test_document_without_a_block_is_only_noted() -> None:
    text = a_document().partition("customProperties")[0]
    assert [(f.level, f.code) for f in compiled(text).findings] == [("note", "matches-nothing")]


def test_status_of_a_document_without_a_block_is_its_own_affair() -> None:
    text = a_document(head=HEAD.replace("active", "in development")).partition("customProperties")[0]
    assert [f.code for f in compiled(text).findings] == ["matches-nothing"]


@pytest.mark.parametrize(
    "rules",
    [
        "logicalTypeOptions: {pattern: '^(a|b)+$'}",
        "quality: [{metric: invalidValues, mustBe: 0, arguments: {pattern: '^(a|b)+$'}}]",
    ],
)
def test_pattern_that_long_texts_fail_is_noted(rules: str) -> None:
    result = compiled(a_property(rules))
    assert [(f.level, f.code) for f in result.findings] == [("note", "long-text-fails")]
    assert result.plan is not None


def test_each_unused_section_is_noted_once() -> None:
    head = HEAD + "roles: [{role: a}, {role: b}]\ntags: [a]\nprice: {priceAmount: 9.95}\n"
    notes = [f.message for f in compiled(a_document(head=head)).findings]
    assert notes == ["`roles` is not used.", "`tags` is not used.", "`price` is not used."]


def test_descriptions_of_properties_are_silent() -> None:
    body = (
        "businessName: X\nexamples: [a]\ntags: [b]\nphysicalType: VARCHAR(2)\nphysicalName: x\nclassification: public"
    )
    assert compiled(a_property(body)).findings == ()


def test_file_of_another_name_is_a_warning() -> None:
    assert [f.code for f in compiled(a_document(), "contracts/order.yaml").findings] == ["file-name"]


def test_other_vendors_properties_are_none_of_ours() -> None:
    text = a_document().replace("customProperties:\n", "customProperties:\n  - {property: drop, vendor: x, value: 1}\n")
    assert compiled(text).plan


def test_second_block_is_refused() -> None:
    text = a_document() + "  - {property: drop, vendor: dropgate, value: {}}\n"
    assert reported(text) == {(18, "two-blocks")}


def test_second_schema_object_wants_a_list_of_blocks() -> None:
    text = a_document().replace("customProperties", "  - name: more\ncustomProperties")
    assert reported(text) == {(11, "no-object")}


def test_loading_a_wrong_contract_names_the_first_error(tmp_path: Path) -> None:
    path = tmp_path / "orders.v1.yaml"
    path.write_text(a_document(drop=DROP + "emtpy: warn"), encoding="utf-8")
    with pytest.raises(ContractInvalid, match=r"orders\.v1\.yaml:18: .*`emtpy`.* Write `empty`"):
        load_plan(path)


def test_file_that_is_gone_is_a_finding(tmp_path: Path) -> None:
    ((finding,),) = (one.findings for one in compile_file(tmp_path / "orders.v1.yaml"))
    assert (finding.code, finding.message) == ("unreadable", "The file cannot be read: No such file or directory.")


def test_labels_are_shown_and_values_compared() -> None:
    made = check(a_property("enum: [{value: AT, label: Austria}, {value: DE}]"), "x.enum")
    assert (made.expected, arguments_of(made)) == ("one of AT (Austria), DE", {"values": ["AT", "DE"]})


def test_deprecated_property_warns() -> None:
    made = check(a_property("deprecated: true"), "x.deprecated.warning")
    assert (made.kind, made.scope, made.severity) == ("deprecated", "row", "warning")


def test_flat_plan_has_no_paths_in_its_text() -> None:
    assert "path" not in codec.canonical(a_plan(a_document()))


def test_nested_properties_follow_what_they_lie_in() -> None:
    inner = (
        "- name: a\n  logicalType: object\n  classification: restricted\n  logicalTypeOptions: {required: [b.c]}\n"
        "  properties:\n  - {name: b.c, logicalType: string, classification: public}\n"
        "- name: d\n  logicalType: array\n  items:\n    logicalType: map\n    map:\n"
        "      key: {logicalType: string}\n      value: {logicalType: integer}\n"
    )
    plan = a_plan(a_document(inner, drop=DROP.replace("csv", "jsonl")))
    assert [(p.name, p.path) for p in plan.properties] == [
        ("a", ()),
        ("a['b.c']", ("a", ".b.c")),
        ("d", ()),
        ("d[]", ("d", "[]")),
        ("d[].~", ("d", "[]", "~")),
        ("d[].*", ("d", "[]", "*")),
    ]
    assert plan.property_named("a['b.c']").masked
    assert "a['b.c'].required" in [c.id for c in plan.checks]
    assert codec.decode(Plan, codec.encode(plan)) == plan


def test_window_of_files_has_its_defaults() -> None:
    plain = a_plan(a_document(more_drop='arrival: {by: "06:00"}'))
    whole = a_plan(
        a_document(
            more_drop="arrival: {days: [fri, mon], from: '04:00', by: '24:00', zone: America/Sao_Paulo, files: 3, "
            "outside: reject}"
        )
    )

    assert plain.arrival == Arrival("06:00")
    assert whole.arrival == Arrival("24:00", "04:00", ("mon", "fri"), "America/Sao_Paulo", 3, "reject")
    assert "arrival" not in codec.encode(a_plan(a_document()))


def test_rule_for_sets_is_read() -> None:
    files = DROP.replace("shop/orders/*.csv", "shop/{day}/*.csv")
    marked = a_plan(a_document(drop=files, more_drop="set: {of: [day], marker: 'shop/{day}/_SUCCESS'}"))
    counted = a_plan(a_document(drop=files, more_drop="set: {of: [day], parts: 4, within: 90m}"))

    assert marked.set == SetRule(("day",), 86_400, marker="shop/{day}/_SUCCESS")
    assert counted.set == SetRule(("day",), 5_400, parts=4)
    assert "set" not in codec.encode(a_plan(a_document()))


def test_patterns_behind_many_that_cannot_be_used_are_not_looked_at() -> None:
    entry = "metric: invalidValues, mustBe: 0, arguments: {pattern: '^(a+)+$'}"
    listed = "".join(f"  - {{{entry}, id: q{n}}}\n" for n in range(100))
    messages = [f.message for f in compiled(a_property(f"quality:\n{listed}")).findings if f.code == "bad-pattern"]
    assert (len(messages), sum("not checked" in message for message in messages)) == (100, 80)
