"""Exports of a property and its rules: a table for each format, a line for each case."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pyspark.sql.types import StructType

from contracts.authoring.document import source
from contracts.authoring.exports.exported import Contract, Exported
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read
from tests.unit.contracts.authoring.documents import FILE, HEAD, a_document, a_property

JSONL = "files: shop/orders/*.jsonl\nproducer: shop\nformat: jsonl\n"


def contract(text: str) -> Contract:
    opened = read(text.encode(), FILE)
    assert opened.contract, opened.findings
    return opened.contract


def export(form: str, text: str) -> Exported:
    return FORMATS[form].write(contract(text))


def _property(body: str, kind: str) -> str:
    lines = "".join(f"  {line}\n" for line in body.splitlines())
    return a_document(f"- name: x\n  logicalType: {kind}\n{lines}", drop=JSONL)


NULLABLE = ["string", "null"]
VALID = "{metric: invalidValues, mustBe: 0, arguments: {pattern: b$}}"
WHOLE = {"$ref": "#/$defs/i64"}
JSON_SCHEMA: dict[tuple[str, str], dict[str, Any]] = {
    ("string", ""): {"type": NULLABLE},
    ("string", "required: true"): {"type": "string"},
    ("string", "quality: [{metric: nullValues, mustBe: 0}]"): {"type": "string"},
    ("string", "businessName: X\ndescription: Y\ndeprecated: true\nexamples: [a]"): {
        "title": "X", "description": "Y", "examples": ["a"], "deprecated": True, "type": NULLABLE,
    },
    ("string", "enum: [{value: a}, {value: b}]"): {"type": NULLABLE, "enum": ["a", "b", None]},
    ("string", "required: true\nenum: [{value: a}]"): {"type": "string", "enum": ["a"]},
    ("string", "logicalTypeOptions: {minLength: 1, maxLength: 2, pattern: ^a}"): {
        "type": NULLABLE, "minLength": 1, "maxLength": 2, "pattern": "^a",
    },
    ("string", "logicalTypeOptions: {pattern: ^(a|b)+$}"): {
        "type": NULLABLE, "pattern": "^(a|b)+$", "maxLength": 500,
    },
    ("string", f"logicalTypeOptions: {{pattern: ^a}}\nquality: [{VALID}]"): {
        "type": NULLABLE, "pattern": "^a", "allOf": [{"pattern": "b$"}],
    },
    ("string", "quality: [{metric: missingValues, mustBe: 0, arguments: {missingValues: [null, N/A]}}]"): {
        "type": "string", "not": {"enum": ["N/A"]},
    },
    ("string", "quality: [{type: custom, engine: dropgate, implementation: {metric: notBlank, mustBe: 0}}]"): {
        "type": NULLABLE, "pattern": "\\S",
    },
    ("string", "logicalTypeOptions: {format: uuid}"): {
        "type": NULLABLE, "format": "uuid", "pattern": "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    },
    ("integer", ""): {"type": ["integer", "null"], **WHOLE},
    ("integer", "logicalTypeOptions: {format: i32, minimum: 0}"): {
        "type": ["integer", "null"], "$ref": "#/$defs/i32", "minimum": 0,
    },
    ("integer", "logicalTypeOptions: {multipleOf: 5, exclusiveMaximum: 10}\nenum: [{value: 5}]"): {
        "type": ["integer", "null"], "$ref": "#/$defs/i64", "multipleOf": 5, "exclusiveMaximum": 10,
        "enum": [5, None],
    },
    ("integer", "quality: [{metric: missingValues, mustBe: 0, arguments: {missingValues: ['-1', '007', x]}}]"): {
        "type": ["integer", "null"], **WHOLE, "not": {"enum": [-1]},
    },
    ("number", "logicalTypeOptions: {maximum: 0.5}"): {
        "type": ["number", "null"], "format": "double", "maximum": 0.5,
    },
    ("number", "physicalType: decimal(5,2)"): {"type": ["number", "null"], "$ref": "#/$defs/decimal-5-2"},
    ("boolean", "required: true"): {"type": "boolean"},
    ("time", "logicalTypeOptions: {format: HH.mm}"): {
        "type": NULLABLE, "pattern": "^(?:[01][0-9]|2[0-3])\\.[0-5][0-9]$",
    },
    ("timestamp", "logicalTypeOptions: {timezone: true}"): {"type": NULLABLE, "format": "date-time"},
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), JSON_SCHEMA.items(), ids=map(str, JSON_SCHEMA))
def test_json_schema_of_a_property(given: tuple[str, str], wanted: dict[str, Any]) -> None:
    kind, body = given
    schema = json.loads(export("json-schema", _property(body, kind)).text)
    Draft202012Validator.check_schema(schema)
    of_x = schema["properties"]["x"]
    if kind == "timestamp":
        of_x.pop("pattern")
    assert of_x == wanted
    assert schema.get("required", []) == (["x"] if "null" not in wanted["type"] else [])


def test_json_schema_defines_the_numbers_that_it_refers_to() -> None:
    body = "- {name: a, logicalType: integer}\n- {name: b, logicalType: number, physicalType: 'decimal(3,1)'}\n"
    schema = json.loads(export("json-schema", a_document(body)).text)
    assert schema["$defs"] == {
        "decimal-3-1": {"minimum": -99.9, "maximum": 99.9, "multipleOf": 0.1},
        "i64": {"format": "int64", "minimum": -(2**63), "maximum": 2**63 - 1},
    }


def test_values_of_a_type_that_only_warns_are_judged_if_they_are_of_it() -> None:
    warned = JSONL + "checks: {x.logicalType: {severity: warning}}\n"
    text = a_document(
        "- {name: x, logicalType: integer, required: true, logicalTypeOptions: {minimum: 1}}\n", drop=warned
    )
    schema = json.loads(export("json-schema", text).text)
    assert schema["properties"]["x"] == {
        "not": {"type": "null"},
        "if": {"type": "integer", "$ref": "#/$defs/i64"},
        "then": {"minimum": 1},
    }


@pytest.mark.parametrize(
    ("form", "day", "good"),
    [
        ("yyyy-MM-dd", "2024-02-29", True),
        ("yyyy-MM-dd", "2023-02-29", False),
        ("yyyy-MM-dd", "2000-02-29", True),
        ("yyyy-MM-dd", "1900-02-29", False),
        ("yyyy-MM-dd", "2024-04-31", False),
        ("yyyy-MM-dd", "2024-12-31", True),
        ("yyyy-MM-dd", "2024-13-01", False),
        ("yyyy-MM-dd", "2024-00-01", False),
        ("dd.MM.yyyy", "29.02.2024", True),
        ("dd.MM.yyyy", "29x02x2024", False),
        ("yyyyMMdd", "20240230", False),
    ],
)
def test_pattern_of_dates_knows_the_calendar(form: str, day: str, good: bool) -> None:
    body = f'- {{name: x, logicalType: date, logicalTypeOptions: {{format: "{form}"}}}}\n'
    schema = json.loads(export("json-schema", a_document(body)).text)
    assert Draft202012Validator(schema).is_valid({"x": day}) is good


def test_more_keys_are_refused_as_the_contract_says() -> None:
    schema = json.loads(export("json-schema", a_document(drop=JSONL)).text)
    valid = Draft202012Validator(schema).is_valid
    assert [valid({"id": 1}), valid({"id": 1, "_record": 7}), valid({"id": 1, "other": 7})] == [True, True, False]
    opened = export("json-schema", a_document(drop=JSONL + "columns: {extra: ignore}\n"))
    assert "additionalProperties" not in opened.text


MORE_AVRO = {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}
AVRO: dict[tuple[str, str], Any] = {
    ("string", "required: true"): "string",
    ("string", ""): ["null", "string"],
    ("string", "required: true\nlogicalTypeOptions: {format: uuid}"): {"type": "string", "logicalType": "uuid"},
    ("string", "required: true\nenum: [{value: A}, {value: B_1}]"): {
        "type": "enum", "name": "x_values", "symbols": ["A", "B_1"],
    },
    ("string", "required: true\nenum: [{value: A 1}]"): "string",
    ("integer", "required: true"): "long",
    ("integer", "required: true\nlogicalTypeOptions: {format: i32}"): "int",
    ("integer", "required: true\nlogicalTypeOptions: {format: u16}"): "int",
    ("integer", "required: true\nlogicalTypeOptions: {format: u32}"): "long",
    ("number", "required: true"): "double",
    ("number", "required: true\nlogicalTypeOptions: {format: f32}"): "float",
    ("number", "required: true\nphysicalType: decimal(5,2)"): MORE_AVRO,
    ("boolean", "required: true"): "boolean",
    ("date", "required: true"): {"type": "int", "logicalType": "date"},
    ("timestamp", "required: true"): {"type": "long", "logicalType": "timestamp-micros"},
    ("timestamp", "required: true\nlogicalTypeOptions: {timezone: false}"): {
        "type": "long", "logicalType": "local-timestamp-micros",
    },
    ("time", "required: true"): {"type": "long", "logicalType": "time-micros"},
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), AVRO.items(), ids=map(str, AVRO))
def test_avro_type_of_a_property(given: tuple[str, str], wanted: Any) -> None:
    record = json.loads(export("avro", _property(given[1], given[0])).text)
    assert record["fields"][0]["type"] == wanted


def test_avro_renames_what_it_takes_for_no_name_and_says_so() -> None:
    text = a_document("- {name: a b, logicalType: string}\n- {name: a_b, logicalType: string}\n")
    exported = export("avro", text)
    assert [f["name"] for f in json.loads(exported.text)["fields"]] == ["a_b_2", "a_b"]
    assert "The name `a b`; here it is `a_b_2`." in exported.losses


SPARK: dict[tuple[str, str], tuple[str, str]] = {
    ("string", ""): ("string", "STRING"),
    ("string", "logicalTypeOptions: {maxLength: 3}"): ("string", "VARCHAR(3)"),
    ("integer", ""): ("long", "BIGINT"),
    ("integer", "logicalTypeOptions: {format: i8}"): ("byte", "TINYINT"),
    ("integer", "logicalTypeOptions: {format: i16}"): ("short", "SMALLINT"),
    ("integer", "logicalTypeOptions: {format: i32}"): ("integer", "INT"),
    ("integer", "logicalTypeOptions: {format: u8}"): ("short", "SMALLINT"),
    ("integer", "logicalTypeOptions: {format: u64}"): ("decimal(20,0)", "DECIMAL(20,0)"),
    ("number", ""): ("double", "DOUBLE"),
    ("number", "logicalTypeOptions: {format: f32}"): ("float", "FLOAT"),
    ("number", "physicalType: decimal(5,2)"): ("decimal(5,2)", "DECIMAL(5,2)"),
    ("boolean", ""): ("boolean", "BOOLEAN"),
    ("date", ""): ("date", "DATE"),
    ("timestamp", ""): ("timestamp", "TIMESTAMP"),
    ("timestamp", "logicalTypeOptions: {timezone: false}"): ("timestamp_ntz", "TIMESTAMP_NTZ"),
    ("time", ""): ("string", "STRING"),
}


@pytest.mark.parametrize(("given", "wanted"), SPARK.items(), ids=map(str, SPARK))
def test_spark_type_of_a_property(given: tuple[str, str], wanted: tuple[str, str]) -> None:
    text = _property(given[1], given[0])
    fields = json.loads(export("spark", text).text)
    assert StructType.fromJson(fields).jsonValue() == fields
    ddl = export("spark-ddl", text).text.splitlines()
    assert (fields["fields"][0]["type"], ddl[-2].strip()) == (wanted[0], f"`x` {wanted[1]}")


def test_ddl_takes_any_name_and_any_text() -> None:
    text = a_document("- {name: 'a `b', logicalType: string, required: true, description: \"it's \\\\ \\n two\"}\n")
    assert "`a ``b` STRING NOT NULL COMMENT 'it\\'s \\\\ \\n two'" in export("spark-ddl", text).text


@pytest.mark.parametrize(
    ("of_the_document", "comment"),
    [("", "Orders of a day."), ("description: {usage: Ask us.}\n", "Orders of a day.\\nAsk us.")],
)
def test_the_object_is_described_before_its_document(of_the_document: str, comment: str) -> None:
    text = a_document(head=HEAD + of_the_document).replace(
        "- name: orders", "- name: orders\n    description: Orders of a day."
    )
    assert f"COMMENT '{comment}';" in export("spark-ddl", text).text


DBT: dict[tuple[str, str], dict[str, Any]] = {
    ("string", ""): {"data_type": "string"},
    ("string", "required: true\nunique: true"): {"data_type": "string", "data_tests": ["not_null", "unique"]},
    ("integer", "primaryKey: true"): {"data_type": "bigint", "data_tests": ["not_null", "unique"]},
    ("string", "enum: [{value: a}]"): {
        "data_type": "string", "data_tests": [{"accepted_values": {"arguments": {"values": ["a"]}}}],
    },
    ("integer", "enum: [{value: 1}]"): {
        "data_type": "bigint",
        "data_tests": [{"accepted_values": {"arguments": {"values": ["1"], "quote": False}}}],
    },
    ("integer", "logicalTypeOptions: {minimum: 1, exclusiveMaximum: 9}"): {
        "data_type": "bigint",
        "constraints": [
            {"type": "check", "expression": "`x` >= 1"}, {"type": "check", "expression": "`x` < 9"},
        ],
    },
    ("date", 'logicalTypeOptions: {format: dd.MM.yyyy, minimum: "01.02.2020"}'): {
        "data_type": "date", "constraints": [{"type": "check", "expression": "`x` >= DATE '2020-02-01'"}],
    },
    ("string", "logicalTypeOptions: {pattern: '^\\d+$', maxLength: 4}"): {
        "data_type": "string",
        "constraints": [
            {"type": "check", "expression": "`x` RLIKE '^\\\\d+\\\\z'"},
            {"type": "check", "expression": "char_length(`x`) <= 4"},
        ],
    },
    ("string", "quality: [{metric: nullValues, mustBeLessThan: 5}]"): {
        "data_type": "string",
        "data_tests": [{"not_null": {"config": {"warn_if": ">= 5", "error_if": ">= 5"}}}],
    },
    ("string", "quality: [{metric: nullValues, mustBe: 0, severity: warning}]"): {
        "data_type": "string", "data_tests": [{"not_null": {"config": {"severity": "warn"}}}],
    },
    ("string", "relationships: [{to: c.v1.yaml#/schema/countries/properties/code}]"): {
        "data_type": "string",
        "data_tests": [{"relationships": {"arguments": {"to": "ref('countries')", "field": "code"}}}],
    },
    ("string", "description: 'a {{ b }}'"): {
        "description": "{% raw %}a {{ b }}{% endraw %}", "data_type": "string",
    },
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), DBT.items(), ids=map(str, DBT))
def test_dbt_column_of_a_property(given: tuple[str, str], wanted: dict[str, Any]) -> None:
    schema = yaml.safe_load(export("dbt", _property(given[1], given[0])).text)
    (column,) = schema["models"][0]["columns"]
    assert column == {"name": "x", **wanted}


OF = "expect_column_values_to_"
GX: dict[tuple[str, str], list[tuple[str, dict[str, Any], str]]] = {
    ("string", "required: true\nunique: true"): [
        (f"{OF}not_be_null", {}, "critical"), (f"{OF}be_unique", {}, "critical"),
    ],
    ("string", "primaryKey: true"): [(f"{OF}not_be_null", {}, "critical"), (f"{OF}be_unique", {}, "critical")],
    ("string", "enum: [{value: a}]"): [(f"{OF}be_in_set", {"value_set": ["a"]}, "critical")],
    ("integer", "logicalTypeOptions: {minimum: 1}"): [(f"{OF}be_between", {"min_value": 1}, "critical")],
    ("number", "logicalTypeOptions: {exclusiveMaximum: 0.5}"): [
        (f"{OF}be_between", {"max_value": 0.5, "strict_max": True}, "critical"),
    ],
    ("date", 'logicalTypeOptions: {format: dd.MM.yyyy, maximum: "31.12.2025"}'): [
        (f"{OF}be_between", {"max_value": "2025-12-31"}, "critical"),
    ],
    ("string", "logicalTypeOptions: {maxLength: 3}"): [
        ("expect_column_value_lengths_to_be_between", {"max_value": 3}, "critical"),
    ],
    ("string", "logicalTypeOptions: {pattern: ^a$}"): [(f"{OF}match_regex", {"regex": "^a\\z"}, "critical")],
    ("string", "quality: [{metric: nullValues, mustBe: 0, severity: warning}]"): [
        (f"{OF}not_be_null", {}, "warning"),
    ],
    ("string", "quality: [{metric: nullValues, mustBeLessThan: 5, unit: percent}]"): [
        (
            "expect_column_proportion_of_non_null_values_to_be_between",
            {"min_value": 0.95, "strict_min": True}, "critical",
        ),
    ],
    ("string", "quality: [{metric: nullValues, mustBeLessThan: 5}]"): [],
    ("string", "quality: [{metric: missingValues, mustBe: 0, arguments: {missingValues: [null, x]}}]"): [
        (f"{OF}not_be_null", {}, "critical"), (f"{OF}not_be_in_set", {"value_set": ["x"]}, "critical"),
    ],
    ("integer", "quality: [{type: custom, engine: dropgate, implementation: {metric: mean, mustBeBetween: [1, 2]}}]"): [
        (
            "expect_column_mean_to_be_between",
            {"min_value": 1, "strict_min": True, "max_value": 2, "strict_max": True}, "critical",
        ),
    ],
    ("timestamp", ""): [],
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), GX.items(), ids=map(str, GX))
def test_expectations_of_a_property(given: tuple[str, str], wanted: list[tuple[str, dict[str, Any], str]]) -> None:
    suite = json.loads(export("great-expectations", _property(given[1], given[0])).text)
    expectations = [(e["type"], e["kwargs"], e["severity"]) for e in suite["expectations"] if "check" in e["meta"]]
    assert expectations == [(kind, {"column": "x", **kwargs}, severity) for kind, kwargs, severity in wanted]


def test_rules_without_an_expectation_are_queries() -> None:
    body = (
        "- {name: a b, logicalType: integer, logicalTypeOptions: {multipleOf: 3}}\n- {name: c, logicalType: integer}\n"
    )
    rule = "{type: custom, engine: dropgate, implementation: {metric: expression, expression: c > `a b`}}"
    suite = json.loads(export("great-expectations", a_document(body, f"- {rule}\n")).text)
    queries = [e["kwargs"] for e in suite["expectations"] if e["type"] == "unexpected_rows_expectation"]
    assert [query["unexpected_rows_query"] for query in queries] == [
        "SELECT * FROM {batch} WHERE NOT (`a b` % 3 = 0)",
        "SELECT * FROM (SELECT *, `a b` AS v0, `c` AS v1 FROM {batch}) WHERE NOT ((v1 > v0))",
    ]


def test_columns_of_a_file_are_expected() -> None:
    kinds = {}
    for more in ("", "columns: {extra: ignore}\n", "columns: {order: exact}\n", "columns: {missing: warn}\n"):
        suite = json.loads(export("great-expectations", a_document(more_drop=more)).text)
        kinds[more] = [e["kwargs"] for e in suite["expectations"] if "columns" in e["type"]]
    assert list(kinds.values()) == [
        [{"column_set": ["id"], "exact_match": True}],
        [{"column_set": ["id"], "exact_match": False}],
        [{"column_list": ["id"]}],
        [],
    ]


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("json-schema", "JSON Schema cannot refer to other data"),
        ("great-expectations", "a suite is of one batch of data"),
        ("spark", "Spark's columns have only types and nullability"),
    ],
)
def test_relationship_is_named_where_it_cannot_be_said(form: str, reason: str) -> None:
    exported = export(form, a_property("relationships: [{to: c.v1.yaml#/schema/countries/properties/code}]"))
    assert [line for line in exported.losses if "foreignKey" in line] == [
        f"The check `x.foreignKey` (found in c.v1.code): {reason}."
    ]
    assert not [line for line in exported.losses if "relationships" in line]


@pytest.mark.parametrize(
    ("form", "quality", "reason"),
    [
        ("dbt", "{metric: nullValues, mustBeLessThan: 5, unit: percent}", "dbt itself has no test for it"),
        ("avro", "{metric: nullValues, mustBe: 0, severity: warning}", "it only warns"),
        ("json-schema", "{metric: nullValues, mustBeLessThan: 5}", "the schema describes single records"),
        ("spark", "{metric: nullValues, mustBeLessThan: 5}", "Spark's columns have only types and nullability"),
    ],
)
def test_what_a_format_cannot_say_is_named(form: str, quality: str, reason: str) -> None:
    exported = export(form, a_property(f"quality: [{quality}]"))
    (line,) = [line for line in exported.losses if "nullValues" in line]
    assert reason in line


@pytest.mark.parametrize("form", ["spark-ddl", "dbt"])
def test_losses_stand_in_comments(form: str) -> None:
    exported = export(form, a_document(quality="- {metric: rowCount, mustBeGreaterThan: 0}\n"))
    assert [line for line in exported.losses if line not in exported.text] == []
    assert "From orders.v1 1.0.0, by dropgate export." in exported.text.splitlines()[0]


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("odcs", "html")])
def test_forms_of_files_are_named_as_lost(form: str) -> None:
    text = a_document(
        "- {name: day, logicalType: date}", more_drop="values: {columns: {day: {formats: [d.M.yyyy], trim: true}}}"
    )
    losses = export(form, text).losses
    assert "The form of `day` in files: blanks around it do not count; 3.7.2024 (d.M.yyyy)." in losses


@pytest.mark.parametrize("form", ["dbt", "great-expectations"])
def test_check_against_history_is_named_as_lost(form: str) -> None:
    entry = "{metric: rowCount, mustBeBetween: [-50, 50], arguments: {relativeTo: {of: median, last: 8}}}"
    exported = export(form, a_document(quality=f"- {entry}\n"))

    assert "rowCount" not in exported.carried
    assert any(loss.startswith("The check `rowCount`") for loss in exported.losses)


def test_sections_without_a_place_are_named() -> None:
    head = HEAD + "domain: sales\ntags: [a]\n"
    losses = export("json-schema", a_document(head=head)).losses
    assert losses[0] == "`domain`, `tags` of the contract."


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("html", "odcs")])
def test_form_of_values_in_files_is_named_as_lost(form: str) -> None:
    text = a_document(more_drop="values: {groupChar: ' '}")
    line = "The form of `id` in files: values are in the contract's own form here."
    assert line in export(form, text).losses
    assert line not in export(form, a_document()).losses


def test_older_documents_come_out_as_of_today() -> None:
    head = HEAD.replace("v3.2.0", "v3.0.2")
    body = "- name: id\n  quality: [{mustBe: 0, rule: nullCheck}]\n  logicalType: integer\n"
    text = export("odcs", a_document(body, head=head)).text
    assert "apiVersion: v3.2.0" in text
    prop = "- name: id\n        logicalType: integer\n        quality:\n          - {metric: nullValues, mustBe: 0}\n"
    assert prop in text


@pytest.mark.parametrize("form", FORMATS)
def test_draft_without_files_is_written_too(form: str) -> None:
    text = a_document(head=HEAD.replace("active", "draft"))
    bare = text[: text.index("customProperties")]
    exported = export(form, bare)
    assert "trial" not in exported.text
    assert not any("`drop`" in line for line in exported.losses)


def test_contract_that_lint_refuses_is_not_written() -> None:
    opened = read(a_property("logicalTypeOptions: {maxLenght: 1}").encode(), FILE)
    assert opened.contract is None
    assert [f.code for f in opened.findings] == ["unknown-key"]


def test_normalised_document_reads_as_the_same_values() -> None:
    text = a_document("- {description: d, logicalType: number, name: a, logicalTypeOptions: {minimum: 0.10}}\n")
    made = contract(text)
    assert source.read(export("odcs", text).text.encode(), FILE).data == made.data
