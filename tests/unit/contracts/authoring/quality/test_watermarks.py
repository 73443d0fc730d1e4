"""Watermarks as they are written: which properties they can be, where they stand, what a check says of them."""

from __future__ import annotations

import pytest

from tests.builders import arguments_of
from tests.unit.contracts.authoring.documents import DROP, a_document, check, compiled

ROWS = "- {metric: rowCount, mustBe: 5, arguments: {watermark: x}}\n"
FIT = {
    "a date": "logicalType: date",
    "a timestamp": "logicalType: timestamp",
    "an integer": "logicalType: integer",
    "an exact number": "logicalType: number, physicalType: 'decimal(9,2)'",
}
UNFIT = {
    "text": ("logicalType: string", "wrong-type"),
    "a time": ("logicalType: time", "wrong-type"),
    "a double": ("logicalType: number", "wrong-type"),
    "a boolean": ("logicalType: boolean", "wrong-type"),
    "classified": ("logicalType: date, classification: secret", "classified"),
}


def of(body: str) -> str:
    return a_document(f"- {{name: x, required: true, {body}}}\n", ROWS)


@pytest.mark.parametrize("name", FIT)
def test_what_grows_can_be_a_watermark(name: str) -> None:
    assert compiled(of(FIT[name])).findings == ()


@pytest.mark.parametrize("name", UNFIT)
def test_nothing_else_can(name: str) -> None:
    body, code = UNFIT[name]
    assert [(f.level, f.code, f.line) for f in compiled(of(body)).findings] == [("error", code, 11)]


def test_what_lies_within_an_array_cannot() -> None:
    body = "logicalType: array, items: {logicalType: integer}"
    text = of(body).replace("watermark: x", "watermark: 'x[]'").replace("format: csv", "format: jsonl")
    assert [(f.code, f.message) for f in compiled(text).findings] == [
        ("wrong-place", "A record may have several of `x[]`.")
    ]


def test_filter_and_watermark_may_stand_in_entry_and_block() -> None:
    properties = "- {name: x, logicalType: integer, required: true}\n"
    entry = "- {id: %s, metric: rowCount, mustBe: 5, arguments: {%s}}\n"
    quality = entry % ("one", "watermark: x") + entry % ("two", "filter: x > 5") + entry % ("both", "watermark: x")
    block = "checks: {one: {filter: x > 5}, two: {watermark: x}, both: {watermark: x}}\n"
    result = compiled(a_document(properties, quality, DROP + block))
    assert [(f.code, f.message) for f in result.findings] == [
        ("bad-value", "`both` has a watermark in its quality entry.")
    ]

    block = "checks: {one: {filter: x > 5}, two: {watermark: x}}\n"
    one, two = (check(a_document(properties, quality, DROP + block), i) for i in ("one", "two"))
    assert one.expected == two.expected == "= 5 records where `x > 5` and `x` is above all that was accepted before"
    assert arguments_of(one)["filter"] == arguments_of(two)["filter"]
    assert (one.needs(), one.watermark) == (("x", "x"), "x")
