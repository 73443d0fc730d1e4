"""Contracts that no file can meet: each contradiction is an error, and its neighbours that can be met are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.files.header import LONGEST_HEADER, MOST_COLUMNS
from functions.admission import admit
from tests.oracle.contracts import a_document

BLOCK: dict[str, Any] = {"files": "maker/things/*.csv", "producer": "maker", "format": "csv"}


def errors(
    properties: list[dict[str, Any]], quality: list[dict[str, Any]] | None = None, **block: Any
) -> list[tuple[str, str]]:
    document = a_document(properties, BLOCK | block, quality or [])
    findings = compile_text(json.dumps(document).encode(), "things.v1.yaml").findings
    return [(f.code, f.message) for f in findings if f.level == "error"]


def one(kind: str, **more: Any) -> list[dict[str, Any]]:
    """A property of a type; what is no key of it is an option."""
    keys = ("enum", "required", "physicalType", "quality", "properties", "items")
    options = {k: v for k, v in more.items() if k not in keys}
    written = {"name": "v", "logicalType": kind, **{k: v for k, v in more.items() if k in keys}}
    return [written | ({"logicalTypeOptions": options} if options else {})]


def among(*values: Any) -> list[dict[str, Any]]:
    return [{"value": value} for value in values]


BOOLEANS: dict[str, Any] = {"logicalType": "boolean", "required": True}
WORDS: dict[str, Any] = {"logicalType": "string", "enum": among("a", "b"), "required": True}
TWO: list[dict[str, Any]] = [
    {"name": "a", "logicalType": "string", "required": True},
    {"name": "b", "logicalType": "string"},
]
NEVER: dict[str, list[dict[str, Any]]] = {
    "a pattern that is longer than allowed": one("string", pattern="^[A-Z]{5}$", maxLength=4),
    "a search that is longer than allowed": one("string", pattern="[A-Z]{5}", maxLength=4),
    "a pattern that is shorter than asked for": one("string", pattern="^[A-Z]{2,5}$", minLength=6),
    "a format that is longer than allowed": one("string", format="uuid", maxLength=32),
    "a format that is shorter than asked for": one("string", format="ipv4", minLength=16),
    "a format and a pattern": one("string", format="uuid", pattern="^[0-9a-f]{32}$"),
    "values that no pattern lets pass": one("string", pattern="^[A-Z]+$", enum=among("a", "b")),
    "values that are too long": one("string", maxLength=1, enum=among("aa", "bb")),
    "values that are of no such format": one("string", format="email", enum=among("a", "b")),
    "values outside of bounds": one("integer", minimum=10, enum=among(1, 2)),
    "values on an excluded bound": one("number", exclusiveMaximum=2, enum=among(2, 3.5)),
    "values that are no multiples": one("integer", multipleOf=5, enum=among(1, 2)),
    "days outside of bounds": one("date", minimum="2024-01-01", enum=among("2023-12-31")),
    "valid values that are no allowed ones": one(
        "string",
        maxLength=1,
        quality=[{"metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": ["aa", "bb"]}}],
    ),
    "values that are null in the file": one("string", required=True, enum=among("")),
    "a bound beyond a format": one("integer", format="u8", minimum=256),
    "a bound below a format": one("integer", format="u8", maximum=-1),
    "a bound beyond exact numbers": one("number", physicalType="decimal(4,2)", exclusiveMinimum=99.99),
    "bounds without a multiple": one("integer", minimum=1, maximum=4, multipleOf=5),
    "excluded bounds without a multiple": one("number", exclusiveMinimum=0, exclusiveMaximum=0.5, multipleOf=0.5),
}
NESTED = {
    "more keys than properties": one("object", properties=TWO, minProperties=3),
    "fewer keys than are required": one("object", properties=[TWO[0], {**TWO[0], "name": "c"}], maxProperties=1),
    "more booleans than there are": one("array", items=BOOLEANS, minItems=3, uniqueItems=True),
    "more words than there are": one("array", items=WORDS, minItems=3, uniqueItems=True),
}
EVER: dict[str, list[dict[str, Any]]] = {
    "a pattern that just fits": one("string", pattern="^[A-Z]{4}$", maxLength=4),
    "a search in a longer text": one("string", pattern="[A-Z]{2}", minLength=6),
    "a format that just fits": one("string", format="uuid", minLength=36, maxLength=36),
    "one value that passes": one("string", pattern="^[A-Z]+$", enum=among("a", "B")),
    "values on a bound": one("integer", minimum=2, enum=among(1, 2)),
    "a value that is null where it may be": one("string", enum=among("")),
    "the last bound of a format": one("integer", format="u8", minimum=255),
    "bounds with one multiple": one("integer", minimum=1, maximum=5, multipleOf=5),
    "values of booleans": one("boolean", enum=among(True)),
    "a warning that nothing passes": one(
        "string",
        maxLength=1,
        quality=[{"metric": "invalidValues", "mustBe": 0, "severity": "warning", "arguments": {"validValues": ["aa"]}}],
    ),
}
EVER_NESTED = {
    "as many keys as properties": one("object", properties=TWO, minProperties=2),
    "as many as are required": one("object", properties=TWO, maxProperties=1),
    "as many booleans as there are": one("array", items=BOOLEANS, minItems=2, uniqueItems=True),
    "keys without names": one("object", minProperties=3),
}


@pytest.mark.parametrize("name", NEVER)
def test_property_without_a_possible_value_is_refused(name: str) -> None:
    ((code, message),) = errors(NEVER[name])
    assert (code, message[:27]) == ("cannot-hold", "`v` can have no value: " + message[23:27])


@pytest.mark.parametrize("name", NESTED)
def test_container_without_a_possible_content_is_refused(name: str) -> None:
    assert [code for code, _ in errors(NESTED[name], format="jsonl", files="maker/things/*.jsonl")] == ["cannot-hold"]


@pytest.mark.parametrize("name", EVER)
def test_property_with_a_possible_value_is_accepted(name: str) -> None:
    assert errors(EVER[name]) == []


@pytest.mark.parametrize("name", EVER_NESTED)
def test_container_with_a_possible_content_is_accepted(name: str) -> None:
    assert errors(EVER_NESTED[name], format="jsonl", files="maker/things/*.jsonl") == []


def columns(count: int, length: int = 0) -> list[dict[str, Any]]:
    return [{"name": f"c{n}".ljust(length, "x"), "logicalType": "string"} for n in range(count)]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_more_columns_than_a_file_may_have_are_refused(form: str) -> None:
    assert errors(columns(MOST_COLUMNS), format=form) == []
    ((code, message),) = errors(columns(MOST_COLUMNS + 1), format=form)
    assert (code, "2,001 columns" in message) == ("cannot-hold", True)


@pytest.mark.parametrize("within", [False, True])
def test_more_properties_than_the_job_judges_are_refused(*, within: bool) -> None:
    def properties(count: int) -> list[dict[str, Any]]:
        if not within:
            return columns(count)
        return [{"name": "all", "logicalType": "object", "properties": columns(count - 1)}]

    assert errors(properties(MOST_COLUMNS), format="jsonl", files="maker/things/*.jsonl") == []
    ((code, message),) = errors(properties(MOST_COLUMNS + 1), format="jsonl", files="maker/things/*.jsonl")
    assert (code, "2,001 properties" in message) == ("cannot-hold", True)


def test_longer_header_than_the_door_reads_is_refused() -> None:
    assert LONGEST_HEADER == admit.SAMPLE
    assert errors(columns(1_000, 64)) == []
    ((code, message),) = errors(columns(1_010, 64))
    assert (code, "65,649 bytes" in message) == ("cannot-hold", True)
    assert errors(columns(1_010, 64), csv={"header": False}) == []


def test_name_that_no_header_can_have_is_refused() -> None:
    (euro,) = errors([{"name": "€", "logicalType": "string"}], csv={"encoding": "iso-8859-1"})
    (comma,) = errors([{"name": "a,b", "logicalType": "string"}], csv={"quote": ""})
    assert [code for code, _ in (euro, comma)] == ["cannot-hold", "cannot-hold"]
    assert errors([{"name": "a,b", "logicalType": "string"}]) == []


@pytest.mark.parametrize("key", ["delimiter", "quote", "escape"])
def test_sign_that_the_encoding_lacks_is_refused(key: str) -> None:
    ((code, message),) = errors(one("string"), csv={"encoding": "cp866", key: "§"})
    assert (code, message) == ("cannot-hold", "`§` is no character of cp866: no file can have it.")
    assert errors(one("string"), csv={"encoding": "windows-1252", key: "§"}) == []


@pytest.mark.parametrize(
    "pattern",
    ["maker/../t.csv", "maker/./*.csv", "maker/{d:%Y}/..", "maker/\u0007.csv", f"maker/{'x' * 1_010}/*.csv"],
)
def test_pattern_of_keys_that_nothing_can_have_is_refused(pattern: str) -> None:
    ((code, _),) = errors(one("string"), files=pattern)
    assert code == "bad-pattern"


def test_pattern_of_a_part_with_dots_is_accepted() -> None:
    assert errors(one("string"), files=["maker/a..b/*.csv", f"maker/{'x' * 1_000}/*.csv"]) == []


@pytest.mark.parametrize("limit", [{"mustBe": 0}, {"mustBeLessThan": 1}, {"mustBeLessOrEqualTo": 0}])
def test_number_of_records_that_is_refused_anyway_is_refused(limit: dict[str, Any]) -> None:
    ((code, _),) = errors(one("string"), [{"metric": "rowCount", **limit}])
    assert code == "cannot-hold"
    assert errors(one("string"), [{"metric": "rowCount", **limit}], empty="accept") == []


INNER = [{"name": "id", "logicalType": "string"}]
TREE: list[dict[str, Any]] = [
    {"name": "line", "logicalType": "integer"},
    {"name": "device", "logicalType": "object", "properties": INNER},
    {"name": "tags", "logicalType": "array", "items": {"logicalType": "string"}},
    {"name": "parts", "logicalType": "array", "items": {"logicalType": "object", "properties": INNER}},
    {
        "name": "words",
        "logicalType": "map",
        "map": {"key": {"logicalType": "string"}, "value": {"logicalType": "string"}},
    },
]


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("device", "`device.id`"),
        ("tags", "uniqueItems"),
        ("tags[]", "uniqueItems"),
        ("words", "uniqueItems"),
        ("parts[].id", "uniqueItems"),
    ],
)
def test_key_of_what_is_no_single_value_is_refused(name: str, way_out: str) -> None:
    entry = {"metric": "duplicateValues", "mustBe": 0, "arguments": {"properties": ["line", name]}}
    document = a_document(TREE, BLOCK | {"files": "maker/*.jsonl", "format": "jsonl"}, [entry])
    (finding,) = [f for f in compile_text(json.dumps(document).encode(), "t.v1.yaml").findings if f.level == "error"]
    assert (finding.code, way_out in finding.fix) == ("not-built-yet", True)


def test_key_of_a_value_within_an_object_is_accepted() -> None:
    entry = {"metric": "duplicateValues", "mustBe": 0, "arguments": {"properties": ["line", "device.id"]}}
    assert errors(TREE, [entry], files="maker/*.jsonl", format="jsonl") == []
