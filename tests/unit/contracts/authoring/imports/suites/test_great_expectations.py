"""Suites of Great Expectations imported: equal checks, expectations that stay, columns, and parts that are noted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.imports.importing import format_of
from tests.unit.contracts.authoring.imports.importing import codes, documents, imported, notes

FORM = "great-expectations"
VALUES = "expect_column_values_to_"


def of(*expectations: tuple[str, dict[str, Any]], **entry: Any) -> str:
    listed = [{"type": kind, "kwargs": kwargs, **entry} for kind, kwargs in expectations]
    return json.dumps({"name": "orders", "expectations": listed, "meta": {}})


SUITE = of(
    ("expect_table_columns_to_match_ordered_list", {"column_list": ["id", "status", "amount", "day"]}),
    (f"{VALUES}be_of_type", {"column": "id", "type_": "IntegerType"}),
    (f"{VALUES}not_be_null", {"column": "id"}),
    (f"{VALUES}be_unique", {"column": "id"}),
    (f"{VALUES}not_be_null", {"column": "status"}),
    (f"{VALUES}be_in_set", {"column": "status", "value_set": ["new", "paid"]}),
    (f"{VALUES}be_between", {"column": "amount", "min_value": 0}),
    (f"{VALUES}match_strftime_format", {"column": "day", "strftime_format": "%Y-%m-%d"}),
)


def schema(text: str) -> dict[str, Any]:
    (document,) = documents(FORM, text)
    made: dict[str, Any] = document["schema"][0]
    return made


def one(kind: str, **kwargs: Any) -> dict[str, Any]:
    (prop,) = schema(of((kind, {"column": "x", **kwargs})))["properties"]
    return {key: value for key, value in prop.items() if key != "name"}


def test_suite_of_either_version_is_known() -> None:
    older = {"expectation_suite_name": "a", "expectations": [{"expectation_type": "x", "kwargs": {"column": "b"}}]}
    assert format_of(SUITE.encode(), "a.json") == format_of(json.dumps(older).encode(), "a.json") == FORM


def test_suite_of_0_18_has_the_same_checks() -> None:
    older = json.loads(SUITE)
    listed = [{"expectation_type": e["type"], "kwargs": {**e["kwargs"], "result_format": "BASIC"}, "meta": {}}
              for e in older["expectations"]]  # fmt: skip
    text = json.dumps({"expectation_suite_name": "orders", "expectations": listed, "data_asset_type": None, "meta": {}})
    assert schema(text) == schema(SUITE)


EQUAL: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "nulls": (f"{VALUES}not_be_null", {}, {"logicalType": "string", "required": True}),
    "a share of nulls": (
        f"{VALUES}not_be_null", {"mostly": 0.95},
        {"logicalType": "string", "quality": [{"metric": "nullValues", "mustBeLessOrEqualTo": 5, "unit": "percent"}]},
    ),
    "a strict bound": (
        f"{VALUES}be_between", {"min_value": 1, "max_value": 9, "strict_max": True},
        {"logicalType": "number", "logicalTypeOptions": {"minimum": 1, "exclusiveMaximum": 9}},
    ),
    "a pattern": (
        f"{VALUES}match_regex", {"regex": "^a"}, {"logicalType": "string", "logicalTypeOptions": {"pattern": "^a"}}
    ),
    "a length": (
        "expect_column_value_lengths_to_equal", {"value": 3},
        {"logicalType": "string", "logicalTypeOptions": {"minLength": 3, "maxLength": 3}},
    ),
    "a mean": (
        "expect_column_mean_to_be_between", {"max_value": 3},
        {"logicalType": "number", "quality": [{"type": "custom", "engine": "dropgate",
                                               "implementation": {"metric": "mean", "mustBeLessOrEqualTo": 3}}]},
    ),
    "a list of types": (
        f"{VALUES}be_in_type_list", {"type_list": ["INTEGER", "int64", "LongType"]}, {"logicalType": "integer"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", EQUAL)
def test_expectation_becomes_the_equal_check(case: str) -> None:
    kind, kwargs, expected = EQUAL[case]
    assert one(kind, **kwargs) == expected


def test_severity_and_notes_are_kept() -> None:
    text = of((f"{VALUES}be_unique", {"column": "x"}), severity="warning", meta={"notes": {"content": ["Once."]}})
    (prop,) = schema(text)["properties"]
    assert prop["quality"] == [
        {"description": "Once.", "metric": "duplicateValues", "mustBe": 0, "severity": "warning"}
    ]


STAYING: dict[str, tuple[str, dict[str, Any]]] = {
    "without an equal check": (f"{VALUES}not_be_in_set", {"column": "x", "value_set": ["a"]}),
    "with a share of values": (f"{VALUES}be_in_set", {"column": "x", "value_set": ["a"], "mostly": 0.9}),
    "with a condition": (
        f"{VALUES}be_unique",
        {"column": "x", "row_condition": "x > 'a'", "condition_parser": "spark"},
    ),
}


@pytest.mark.parametrize("case", STAYING)
def test_expectation_stays_one_of_the_engine(case: str) -> None:
    kind, kwargs = STAYING[case]
    (entry,) = schema(of((kind, kwargs)))["quality"]
    assert (entry["engine"], entry["implementation"]) == ("greatExpectations", {"type": kind, "kwargs": kwargs})
    assert f"`{kind}` stays an expectation of Great Expectations, which judges it." in notes(FORM, of((kind, kwargs)))


def test_expectation_of_a_plugin_is_kept_with_a_note() -> None:
    text = of(("expect_column_values_to_be_valid_ean", {"column": "x"}))
    assert schema(text)["customProperties"][0]["value"]["type"] == "expect_column_values_to_be_valid_ean"
    assert any("is not judged here; it is kept as a custom property." in note for note in notes(FORM, text))


def test_expectation_without_bounds_says_nothing() -> None:
    text = of(("expect_column_max_to_be_between", {"column": "x", "min_value": None}))
    assert schema(text)["properties"] == [{"name": "x", "logicalType": "string"}]
    assert any("has neither bound, and says nothing" in note for note in notes(FORM, text))


def test_list_of_columns_closes_the_block() -> None:
    text = imported(FORM, SUITE).contracts[0].text
    assert "with `columns: {extra: reject, order: exact}`" in text


def test_columns_without_a_type_are_noted() -> None:
    expected = "The suite does not say the types of `x`; they are text, or what an expectation says of them."
    assert notes(FORM, of((f"{VALUES}be_unique", {"column": "x"}))) == [expected]


def test_suite_without_columns_is_an_error() -> None:
    assert codes(FORM, of(("expect_table_row_count_to_equal", {"value": 3}))) == [("nothing-there", 1)]
