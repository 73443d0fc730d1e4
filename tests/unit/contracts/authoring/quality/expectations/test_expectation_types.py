"""The types that expectations take: each of them with each logical type, refused or accepted as the library was tried.

`tests/oracle/test_entries.py` runs what is accepted. Here stands what each was seen to take, apart from the table.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.document.finding import Finding
from contracts.authoring.quality.expectations.core_expectations import expectations
from tests.unit.contracts.authoring.documents import a_document, compiled

EVERY = ("string", "integer", "number", "boolean", "date", "timestamp", "time")
PROPERTIES = "".join(f"- {{name: {kind}_{side}, logicalType: {kind}}}\n" for kind in EVERY for side in "ab") + "".join(
    f"- {{name: exact_{side}, logicalType: number, physicalType: 'decimal(12,3)'}}\n" for side in "ab"
)
VALUES: dict[str, Any] = {
    "string": "a",
    "integer": 7,
    "number": 1.5,
    "boolean": True,
    "date": "2024-01-31",
    "timestamp": "2024-01-31T10:00:00",
    "time": "10:00",
}
FAMILIES = {"string": "text", "time": "text", "integer": "number", "number": "number", "date": "at", "timestamp": "at"}
NUMBERS, ORDERED = ("integer", "number"), ("integer", "number", "date", "timestamp")
TAKES: dict[str, tuple[str, ...]] = {
    **{f"expect_column_{k}_to_be_between": NUMBERS for k in ("mean", "median", "quantile_values", "stdev", "sum")},
    **{f"expect_column_{k}_to_be_between": ORDERED for k in ("max", "min")},
    **{f"expect_column_values_to_be_{k}": ORDERED for k in ("between", "increasing", "decreasing")},
    "expect_column_value_z_scores_to_be_less_than": NUMBERS,
    "expect_column_values_to_not_be_outliers": NUMBERS,
    "expect_multicolumn_sum_to_equal": NUMBERS,
    "expect_column_values_to_be_json_parseable": ("string", "time"),
    "expect_column_values_to_match_json_schema": ("string", "time"),
    "expect_column_values_to_match_strftime_format": ("string", "time"),
    "expect_column_most_common_value_to_be_in_set": ("string", "integer", "number", "boolean", "time"),
    "expect_column_kl_divergence_to_be_less_than": ("string", "integer", "number", "boolean", "time"),
}
"""The types of a column that Spark, or Python, can compare; other expectations take all types."""
COMPARED = (
    "expect_column_pair_values_a_to_be_greater_than_b",
    "expect_column_pair_values_to_be_equal",
    "expect_multicolumn_values_to_be_equal",
    "expect_select_column_values_to_be_unique_within_record",
)
"""Expectations that compare columns with each other."""
MADE = {name: core for name, core in expectations().items() if core.elsewhere is None and core.about != "query"}
OF_COLUMNS = [name for name, core in MADE.items() if {"column", "columns"} & {str(k) for k in core.needs.values()}]
IN_SET = [name for name, core in MADE.items() if core.needs.get("value_set")]
BOUNDED = ("max_to_be_between", "min_to_be_between", "values_to_be_between")


def arguments(name: str, first: str, second: str, value: Any) -> dict[str, Any]:
    """Return arguments of an expectation about columns, with a value wherever one is held against theirs."""
    core = MADE[name]
    needs = {
        "type_": "LongType",
        "type_list": ["LongType"],
        "regex": "^a$",
        "regex_list": ["^a$"],
        "strftime_format": "%H:%M",
        "json_schema": {"type": "object"},
        "quantile_ranges": {"quantiles": [0.5], "value_ranges": [[None, 5]]},
        "partition_object": {"values": [value], "weights": [1]},
        "value_pairs_set": [[value, value], [None, value]],
        "column_A": first,
        "column_B": second,
    }
    of = {"column": first, "columns": [first, second], "number": 1, "boolean": True, "list": [value], "text": "a"}
    needed = {key: needs.get(key, of.get(str(kind))) for key, kind in core.needs.items()}
    compared = core.wants_bound and core.takes["min_value"] == "bound" and value not in ("a", "10:00", True)
    bound = {"min_value": value if compared else 1} if core.wants_bound else {}
    return {**needed, **bound}


def refusals(name: str, kwargs: dict[str, Any]) -> list[Finding]:
    """Return the errors that lint finds in a contract with one expectation."""
    implementation = json.dumps({"type": name, "kwargs": kwargs})
    entry = f"- {{id: e, type: custom, engine: greatExpectations, implementation: {implementation}}}\n"
    return [finding for finding in compiled(a_document(PROPERTIES, entry)).findings if finding.level == "error"]


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("name", OF_COLUMNS)
def test_expectation_takes_the_types_that_it_was_seen_to_take(name: str, kind: str) -> None:
    findings = refusals(name, arguments(name, f"{kind}_a", f"{kind}_b", VALUES[kind]))

    if kind in TAKES.get(name, EVERY):
        assert not findings
    else:
        (finding,) = findings
        assert finding.code == "wrong-type"
        assert finding.message.startswith(f"`{name}` takes ")
        assert f"; `{kind}_a` is {kind}" in finding.message
        assert all(taken in finding.message.partition(";")[0] for taken in TAKES[name])
        assert finding.fix


@pytest.mark.parametrize("second", EVERY)
@pytest.mark.parametrize("first", EVERY)
@pytest.mark.parametrize("name", COMPARED)
def test_columns_that_are_compared_are_of_one_family(name: str, first: str, second: str) -> None:
    findings = refusals(name, arguments(name, f"{first}_a", f"{second}_b", None))

    if FAMILIES.get(first, first) == FAMILIES.get(second, second):
        assert not findings
    else:
        (finding,) = findings
        assert f"`{first}_a` is {first}, but `{second}_b` is {second}" in finding.message
        assert "cast" in (finding.fix or "")


@pytest.mark.parametrize("second", EVERY)
@pytest.mark.parametrize("first", EVERY)
def test_columns_of_a_key_are_of_any_types(first: str, second: str) -> None:
    kwargs = {"column_list": [f"{first}_a", f"{second}_b"]}
    assert not refusals("expect_compound_columns_to_be_unique", kwargs)


@pytest.mark.parametrize("value", EVERY)
@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("name", [*IN_SET, "expect_column_pair_values_to_be_in_set"])
def test_values_are_of_the_type_of_the_column(name: str, kind: str, value: str) -> None:
    if kind not in TAKES.get(name, EVERY):
        return
    findings = refusals(name, arguments(name, f"{kind}_a", f"{kind}_b", VALUES[value]))
    same = FAMILIES.get(kind, kind) in ("text", "number") and FAMILIES.get(kind) == FAMILIES.get(value)
    text = FAMILIES.get(kind) == "text" and isinstance(VALUES[value], str)
    day = (kind, value) == ("timestamp", "date")

    assert bool(findings) != (kind == value or same or text or day)
    assert all(finding.fix and f"is {kind}" in finding.message for finding in findings)


@pytest.mark.parametrize("value", [7, 1.5, "2024-01-31", "2024-01-31T10:00:00", "2024-01-31T10:00:00Z"])
@pytest.mark.parametrize("kind", ORDERED)
@pytest.mark.parametrize("of", BOUNDED)
def test_bounds_are_of_the_type_of_the_column(of: str, kind: str, value: Any) -> None:
    findings = refusals(f"expect_column_{of}", {"column": f"{kind}_a", "max_value": value})
    fits = {
        "date": value == "2024-01-31",
        "timestamp": isinstance(value, str) and ("Z" not in value or of == "values_to_be_between"),
    }

    assert bool(findings) != fits.get(kind, not isinstance(value, str))


def test_day_may_stand_without_quotes() -> None:
    kwargs = "{column: date_a, min_value: 2024-01-31, max_value: 2024-02-01}"
    implementation = f"{{type: expect_column_values_to_be_between, kwargs: {kwargs}}}"
    entry = f"- {{type: custom, engine: greatExpectations, implementation: {implementation}}}\n"

    assert compiled(a_document(PROPERTIES, entry)).plan


@pytest.mark.parametrize("name", IN_SET)
def test_null_in_a_set_would_let_every_value_pass(name: str) -> None:
    (finding,) = refusals(name, {"column": "string_a", "value_set": ["a", None]})
    assert "null" in finding.message


@pytest.mark.parametrize(("value", "errors"), [(1.5, 0), (7, 0), (0.1, 1)])
def test_exact_numbers_are_compared_with_what_a_double_holds(value: float, errors: int) -> None:
    kwargs = {"column": "exact_a", "value_set": [value]}

    assert len(refusals("expect_column_most_common_value_to_be_in_set", kwargs)) == errors
    assert not refusals("expect_column_values_to_be_in_set", kwargs)


KL, QUANTILE = "expect_column_kl_divergence_to_be_less_than", "expect_column_quantile_values_to_be_between"
SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "quantiles alone": (QUANTILE, {"quantile_ranges": {"quantiles": [0.5]}}),
    "no quantiles": (QUANTILE, {"quantile_ranges": {"quantiles": [], "value_ranges": []}}),
    "a range too few": (QUANTILE, {"quantile_ranges": {"quantiles": [0.1, 0.5], "value_ranges": [[1, 2]]}}),
    "a quantile of 2": (QUANTILE, {"quantile_ranges": {"quantiles": [2], "value_ranges": [[1, 2]]}}),
    "a range of one": (QUANTILE, {"quantile_ranges": {"quantiles": [0.5], "value_ranges": [[1]]}}),
    "a range of days": (QUANTILE, {"quantile_ranges": {"quantiles": [0.5], "value_ranges": [["2024-01-01", None]]}}),
    "a range crossed": (QUANTILE, {"quantile_ranges": {"quantiles": [0.5], "value_ranges": [[3, 2]]}}),
    "a relative error": (
        QUANTILE,
        {"quantile_ranges": {"quantiles": [0.5], "value_ranges": [[1, 2]]}, "allow_relative_error": True},
    ),
    "no values": (KL, {"threshold": 1, "partition_object": {"weights": [1]}}),
    "no weights": (KL, {"threshold": 1, "partition_object": {"values": [1]}}),
    "values and bins": (KL, {"threshold": 1, "partition_object": {"values": [1], "bins": [0, 1], "weights": [1]}}),
    "weights that make 2": (KL, {"threshold": 1, "partition_object": {"values": [1, 2], "weights": [1, 1]}}),
    "a weight too few": (KL, {"threshold": 1, "partition_object": {"bins": [0, 1, 2], "weights": [1]}}),
    "bins that fall": (KL, {"threshold": 1, "partition_object": {"bins": [2, 1], "weights": [1]}}),
    "bins of text": (KL, {"threshold": 1, "partition_object": {"bins": ["a", "b"], "weights": [1]}}),
    "a tail of none": (KL, {"threshold": 1, "partition_object": {"bins": [0, 1], "weights": [1], "tail_weights": 5}}),
    "a format that cannot be read": (
        "expect_column_values_to_match_strftime_format",
        {"column": "string_a", "strftime_format": "%Q"},
    ),
    "a schema that is none": (
        "expect_column_values_to_match_json_schema",
        {"column": "string_a", "json_schema": {"type": "thing"}},
    ),
    "a reference to nothing": (
        "expect_column_values_to_match_json_schema",
        {"column": "string_a", "json_schema": {"$ref": "#/$defs/a"}},
    ),
    "a schema with a share": (
        "expect_column_values_to_match_json_schema",
        {"column": "string_a", "json_schema": {"type": "object"}, "mostly": 0.9},
    ),
    "no pairs": (
        "expect_column_pair_values_to_be_in_set",
        {"column_A": "integer_a", "column_B": "integer_b", "value_pairs_set": [1, 2]},
    ),
    "pairs with a condition": (
        "expect_column_pair_values_to_be_in_set",
        {
            "column_A": "integer_a",
            "column_B": "integer_b",
            "value_pairs_set": [[1, 2]],
            "row_condition": "integer_a > 1",
        },
    ),
    "days crossed": (
        "expect_column_values_to_be_between",
        {"column": "date_a", "min_value": "2024-02-01", "max_value": "2024-01-01"},
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shape_that_the_library_stops_at_is_refused(case: str) -> None:
    name, kwargs = SHAPES[case]
    findings = refusals(name, {"column": "integer_a", **kwargs} if name in (KL, QUANTILE) else kwargs)

    assert findings
    assert all(finding.fix and finding.code != "crash" for finding in findings)


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [
        (KL, {"partition_object": {"bins": [0, 1, 2], "weights": [0.4, 0.4], "tail_weights": [0.1, 0.1]}}),
        (KL, {"partition_object": {"bins": [0, 1, 2], "weights": [0.5, 0.5]}}),
        (KL, {"partition_object": {"values": [1, 2, 3], "weights": [0.3, 0.3, 0.4]}}),
        (QUANTILE, {"quantile_ranges": {"quantiles": [0, 1], "value_ranges": [[1, 1], [None, 2.5]]}}),
    ],
)
def test_shape_that_the_library_takes_is_accepted(name: str, kwargs: dict[str, Any]) -> None:
    more = {"threshold": 1} if name == KL else {}
    assert not refusals(name, {"column": "integer_a", **more, **kwargs})
