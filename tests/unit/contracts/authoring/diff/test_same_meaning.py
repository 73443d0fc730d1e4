"""One rule in two forms: versions that pass the same files have no change with a direction."""

from __future__ import annotations

import pytest

from contracts.authoring.diff.compare import Comparison, compare
from tests.unit.contracts.authoring.documents import DROP, a_document, compiled

NULLS = "quality: [{metric: nullValues, mustBe: 0}]"
TWICE = "quality: [{metric: duplicateValues, mustBe: 0}]"
VALID = "quality: [{metric: invalidValues, arguments: {validValues: [b, a]}, mustBe: 0}]"
SHAPE = "quality: [{metric: invalidValues, arguments: {pattern: '^a'}, mustBe: 0}]"
LENIENT = DROP + "columns: {missing: warn}"


def comparison(before: str, after: str, kind: str = "string", *drops: str) -> Comparison:
    """Compare two contracts of a property, by its keys and the blocks before and after."""
    blocks = drops if len(drops) == 2 else ((*drops, DROP)[0],) * 2
    texts = (
        a_document(
            f"- name: id\n  logicalType: {kind}\n" + "".join(f"  {line}\n" for line in keys.split("\n")), drop=drop
        )
        for keys, drop in zip((before, after), blocks, strict=True)
    )
    return compare(*map(compiled, texts))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("required: true", NULLS),
        ("required: true", "quality: [{metric: nullValues, mustBeLessThan: 1}]"),
        ("required: true", "quality: [{metric: missingValues, arguments: {missingValues: [null]}, mustBe: 0}]"),
        ("required: true", 'quality: [{metric: missingValues, arguments: {missingValues: ["", null]}, mustBe: 0}]'),
        ("required: true", f"required: true\n{NULLS}"),
        ("required: true", "required: true\nquality: [{metric: nullValues, mustBeLessThan: 5, unit: percent}]"),
        ("unique: true", TWICE),
        ("unique: true", "quality: [{metric: duplicateValues, mustBe: 0, unit: percent}]"),
        ("primaryKey: true", "required: true\nunique: true"),
        ("primaryKey: true", "primaryKey: true\nrequired: true"),
        ("primaryKey: true", f"unique: true\n{NULLS}"),
        ("enum: [{value: a}, {value: b}]", VALID),
        ("enum: [{value: a}, {value: b}]", "enum: [{value: b}, {value: a, label: A}]"),
        ("logicalTypeOptions: {pattern: '^a'}", SHAPE),
        ("description: x", "logicalTypeOptions: {minLength: 0}"),
    ],
)
def test_rule_in_other_words_passes_the_same_files(before: str, after: str) -> None:
    for one in (comparison(before, after), comparison(after, before)):
        assert one.direction == "none", one.changes
        assert one.step in (None, "patch"), one.changes


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("date", "description: x", "logicalTypeOptions: {format: yyyy-MM-dd}"),
        ("timestamp", "description: x", "logicalTypeOptions: {defaultTimezone: UTC}"),
        ("integer", "logicalTypeOptions: {minimum: 1}", "logicalTypeOptions: {exclusiveMinimum: 0}"),
        ("integer", "description: x", "logicalTypeOptions: {format: i64}"),
        ("number", "logicalTypeOptions: {minimum: 1}", "logicalTypeOptions: {minimum: 1.0}"),
    ],
)
def test_default_that_is_written_out_passes_the_same_files(kind: str, before: str, after: str) -> None:
    for one in (comparison(before, after, kind), comparison(after, before, kind)):
        assert one.direction == "none", one.changes
        assert not any(change.breaks for change in one.changes)


@pytest.mark.parametrize(
    "more",
    [
        "columns: {extra: reject, missing: reject, order: any, match: exact}",
        'csv: {delimiter: ",", quote: \'"\', nullValues: [""]}\nempty: reject\npromote: object\nmode: enforce',
        'values: {nullValues: [""]}',
        'values: {columns: {id: {nullValues: [""]}}}',
        "tolerance: {rows: 0}",
        "checks: {id.required: {tolerance: 0%}}",
        "checks: {id.required: {severity: error}}",
    ],
)
def test_block_with_its_defaults_is_no_change(more: str) -> None:
    for drops in ((DROP, DROP + more), (DROP + more, DROP)):
        one = comparison("required: true", "required: true", "string", *drops)
        assert (one.direction, one.step in (None, "patch")) == ("none", True), one.changes


@pytest.mark.parametrize(
    ("before", "after", "drops", "way"),
    [
        ("required: true", NULLS, (LENIENT,), "loosens"),
        ("primaryKey: true", "required: true\nunique: true", (LENIENT,), "tightens"),
        ("primaryKey: true", "required: true\nunique: true", (DROP + "tolerance: {rows: 2}",), "loosens"),
        ("required: true", "quality: [{metric: nullValues, mustBeLessThan: 2}]", (), "loosens"),
        ("primaryKey: true", "unique: true", (), "loosens"),
        ("enum: [{value: a}]", VALID, (), "loosens"),
        ("unique: true", "quality: [{metric: duplicateValues, mustBe: 0, severity: warning}]", (), "loosens"),
        ("required: true", f"{NULLS}\n", (DROP, DROP + "tolerance: {rows: 2}"), "loosens"),
    ],
)
def test_rule_that_passes_other_files_has_a_direction(
    before: str, after: str, drops: tuple[str, ...], way: str
) -> None:
    assert comparison(before, after, "string", *drops).direction in (way, "both")
    assert comparison(before, after, "string", *drops).failed


def test_another_pattern_of_keys_loosens() -> None:
    more = DROP.replace("files: shop/orders/*.csv", "files: [shop/orders/*.csv, shop/more/*.csv]\nconsumers: [risk]")
    assert more != DROP
    one = comparison("required: true", "required: true", "string", more.replace(", shop/more/*.csv", ""), more)
    (change,) = one.changes

    assert (change.direction, change.name) == ("loosens", "files:files")
    assert one.touched(change) == {"consumer": ("risk",)}
