"""Two versions of a contract: the kind of each change, which way it goes, whom it breaks, which version it needs."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
from typing import Any

import pytest

from contracts.authoring.diff import block_changes, change_kinds
from contracts.authoring.diff.change import Change, joined
from contracts.authoring.diff.change_kinds import FIELDS, FOLLOWS, MEANINGS
from contracts.authoring.diff.compare import Comparison, compare, removed
from contracts.errors import ContractInvalid
from contracts.plan import OPERATORS, Check, Columns, Csv, Limit, Plan, Property, Reference, Threshold
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from tests.unit.contracts.authoring.documents import a_document, compiled

OLD = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
version: "1.2.3"
status: active
description: {purpose: Billing.}
slaProperties: [{property: latency, value: 4, unit: h}, {property: retention, value: 1, unit: y}]
schema:
  - name: orders
    properties:
      - name: id
        logicalType: integer
        logicalTypeOptions: {minimum: 1, maximum: 10, multipleOf: 4}
      - name: day
        logicalType: date
        logicalTypeOptions: {format: dd.MM.yyyy, minimum: 01.01.2020}
      - name: code
        logicalType: string
        required: true
        description: Of the country.
        classification: public
        enum: [{value: AT, label: Austria}, {value: DE}]
        logicalTypeOptions: {minLength: 2, maxLength: 2, pattern: "^[A-Z]+$", format: hostname}
        quality:
          - {metric: nullValues, mustBeLessThan: 5, unit: percent}
          - {metric: invalidValues, arguments: {validValues: [AT, DE]}, mustBe: 0}
          - {metric: missingValues, arguments: {missingValues: [x, y]}, mustBeLessOrEqualTo: 4}
          - type: custom
            engine: dropgate
            severity: warning
            implementation: {metric: notBlank, mustBe: 0}
      - name: amount
        logicalType: number
        physicalType: decimal(10,2)
        unique: true
        relationships: [{to: prices.amount}]
        quality:
          - type: custom
            engine: dropgate
            implementation: {metric: mean, mustBeBetween: [1, 9]}
      - name: at
        logicalType: timestamp
    quality:
      - {metric: rowCount, mustBeGreaterThan: 0}
      - {metric: duplicateValues, arguments: {properties: [id, day]}, mustBeLessThan: 3}
customProperties:
  - property: drop
    vendor: dropgate
    value:
      files: [shop/orders/*.csv, "shop/{year:%Y}/*.csv"]
      producer: shop
      format: csv
      csv: {delimiter: ";", nullValues: ["", NA]}
      columns: {extra: warn, missing: reject, order: any}
      empty: warn
      references:
        prices: {file: prices.csv}
      tolerance: {rows: 10}
      checks:
        id.maximum: {severity: warning}
        id.minimum: {tolerance: 5%}
  - {property: team-room, value: B}
"""


def changes(old: str, new: str) -> tuple[Change, ...]:
    return compare(compiled(old), compiled(new)).changes


def summary(change: Change) -> tuple[str, str, str, str, str]:
    return change.kind, change.path, change.direction, change.producer, change.consumer


NONE, FINE, BREAKS = "none", "compatible", "breaking"
TIGHTENS = ("tightens", BREAKS, FINE)
LOOSENS = ("loosens", FINE, BREAKS)
BOTH = ("both", BREAKS, BREAKS)
CALM = ("none", FINE, FINE)
WORDS = ("none", NONE, NONE)
EDITS: dict[tuple[str, str], tuple[str, ...]] = {
    ("minimum: 1,", "minimum: 2,"): ("rule", "id.minimum", *TIGHTENS),
    ("minimum: 1,", "minimum: 0,"): ("rule", "id.minimum", *LOOSENS),
    ("minimum: 1,", "minimum: +1,"): (),
    ("maximum: 10", "maximum: 9"): ("rule", "id.maximum", *CALM),
    ("minimum: 01.01.2020", "minimum: 31.12.2020"): ("rule", "day.minimum", *TIGHTENS),
    ("minLength: 2", "minLength: 1"): ("rule", "code.minLength", *LOOSENS),
    ("maxLength: 2", "maxLength: 3"): ("rule", "code.maxLength", *LOOSENS),
    (', pattern: "^[A-Z]+$"', ', pattern: "^[A-Y]+$"'): ("rule", "code.pattern", *BOTH),
    (', pattern: "^[A-Z]+$"', ""): ("check-removed", "code.pattern", *LOOSENS),
    ("format: hostname", "format: binary"): ("check-removed", "code.format", *LOOSENS),
    ("multipleOf: 4", "multipleOf: 8"): ("rule", "id.multipleOf", *TIGHTENS),
    ("multipleOf: 4", "multipleOf: 2"): ("rule", "id.multipleOf", *LOOSENS),
    ("multipleOf: 4", "multipleOf: 6"): ("rule", "id.multipleOf", *BOTH),
    (", multipleOf: 4", ", multipleOf: 4, format: i8"): ("check-added", "id.format", *TIGHTENS),
    (", multipleOf: 4", ", multipleOf: 4, format: i64"): ("words", "id.format", *WORDS),
    ("{value: DE}]", "{value: DE}, {value: CH}]"): ("rule", "code.enum", *LOOSENS),
    (", {value: DE}]", "]"): ("rule", "code.enum", *TIGHTENS),
    ("{value: AT, label: Austria}, {value: DE}", "{value: DE}, {value: CH}"): ("rule", "code.enum", *BOTH),
    ("label: Austria", "label: Oesterreich"): ("words", "code.enum[0].label", *WORDS),
    ("empty: warn", "empty: warn\n      waivers: [{change: a, version: 1.0.0, because: b}]"): (),
    (
        "- {metric: nullValues, mustBeLessThan",
        "- {id: full, metric: nullValues, mustBe: 0}\n          - {metric: nullValues, mustBeLessThan",
    ): (
        *("rewritten", "full"),
        *WORDS,
    ),
    ("metric: duplicateValues,", "metric: duplicateValues, id: twice,"): ("check-renamed", "twice", *CALM),
    ("- name: at\n", "- name: at\n        logicalTypeOptions: {defaultTimezone: UTC}\n"): (
        *("words", "at.defaultTimezone"),
        *WORDS,
    ),
    ("required: true", "required: false"): ("required", "code.required", *LOOSENS),
    ("- name: at\n", "- name: at\n        required: true\n"): ("required", "at.required", *TIGHTENS),
    ("unique: true", "unique: false"): ("check-removed", "amount.unique", *LOOSENS),
    ("- name: at\n", "- name: at\n        primaryKey: true\n"): ("check-added", "at.primaryKey", *TIGHTENS),
    ("logicalType: timestamp", "logicalType: string"): ("type", "at.logicalType", *BOTH),
    ("format: dd.MM.yyyy, minimum: 01.01.2020", "format: dd-MM-yyyy, minimum: 01-01-2020"): (
        *("value-format", "day.format"),
        *BOTH,
    ),
    ("logicalType: timestamp", "logicalType: timestamp\n        logicalTypeOptions: {timezone: true}"): (
        *("value-format", "at.timezone"),
        *BOTH,
    ),
    ("logicalType: timestamp", "logicalType: timestamp\n        logicalTypeOptions: {defaultTimezone: Europe/Rome}"): (
        *("value-format", "at.defaultTimezone"),
        *BOTH,
    ),
    ("decimal(10,2)", "decimal(12,2)"): ("exact", "amount.physicalType", *BOTH),
    ("decimal(10,2)", "decimal(10,3)"): ("exact", "amount.physicalType", *BOTH),
    ("decimal(10,2)", "double"): ("exact", "amount.physicalType", *BOTH),
    ("classification: public", "classification: confidential"): ("classification", "code.classification", *CALM),
    ("name: code", "name: codes"): ("property-renamed", "codes", *BOTH),
    ("mustBeLessThan: 5,", "mustBeLessThan: 4,"): ("rule", "code.nullValues", *TIGHTENS),
    ("mustBeLessThan: 5,", "mustBeLessOrEqualTo: 5,"): ("rule", "code.nullValues", *LOOSENS),
    ("mustBeLessThan: 5, unit: percent", "mustBeLessThan: 5"): ("rule", "code.nullValues", *BOTH),
    ("mustBeLessThan: 5,", "mustBe: 0,"): ("rule", "code.nullValues", *BOTH),
    ("mustBeLessThan: 5,", "mustBeLessThan: 5, severity: warning,"): (
        *("severity", "code.nullValues.warning.severity"),
        *LOOSENS,
    ),
    ("mustBeLessThan: 5,", "mustBeLessThan: 5, name: nulls,"): ("check-renamed", "nulls", *CALM),
    ("mustBeLessThan: 5,", "mustBeLessThan: 5, dimension: accuracy,"): (
        *("dimension", "code.nullValues.dimension"),
        *CALM,
    ),
    ("mustBeLessThan: 5,", "mustBeLessThan: 5, businessImpact: bad,"): (
        *("words", "code.quality[0].businessImpact"),
        *WORDS,
    ),
    ("validValues: [AT, DE]", "validValues: [AT]"): ("rule", "code.invalidValues", *TIGHTENS),
    ("validValues: [AT, DE]", "validValues: [AT, DE], pattern: A"): ("rule", "code.invalidValues", *TIGHTENS),
    ("missingValues: [x, y]", "missingValues: [x]"): ("rule", "code.missingValues", *LOOSENS),
    ("mustBeLessOrEqualTo: 4", "mustBeLessThan: 5"): ("words", "code.missingValues", *WORDS),
    ("metric: notBlank, mustBe: 0", "metric: notBlank, mustBeLessThan: 9"): ("rule", "code.notBlank.warning", *CALM),
    ("mustBeBetween: [1, 9]", "mustBeBetween: [2, 9]"): ("rule", "amount.mean", *TIGHTENS),
    ("mustBeBetween: [1, 9]", "mustBeBetween: [1, 9.5]"): ("rule", "amount.mean", *LOOSENS),
    ("mustBeBetween: [1, 9]", "mustBeBetween: [2, 10]"): ("rule", "amount.mean", *BOTH),
    ("{to: prices.amount}", "{to: prices.net}"): ("rule", "amount.foreignKey", *BOTH),
    ("{to: prices.amount}", "{to: prices.amount, id: known}"): ("check-renamed", "known", *CALM),
    ("file: prices.csv", "file: more/prices.csv"): ("reference", "references.prices", *BOTH),
    ("mustBeGreaterThan: 0}", "mustBeGreaterThan: 1}"): ("rule", "rowCount", *TIGHTENS),
    ("mustBeGreaterThan: 0}", "mustBeGreaterOrEqualTo: 1}"): ("words", "rowCount", *WORDS),
    ("properties: [id, day]", "properties: [id, day, code]"): ("rule", "duplicateValues", *LOOSENS),
    ("properties: [id, day]", "watermark: day, properties: [id, day]"): ("rule", "duplicateValues", *LOOSENS),
    ("mustBeGreaterThan: 0}", "mustBeGreaterThan: 0, arguments: {watermark: day}}"): ("rule", "rowCount", *BOTH),
    ("properties: [id, day]", "properties: [day, id]"): ("words", "duplicateValues", *WORDS),
    ("mustBeLessThan: 3}", "mustBeGreaterThan: 3}"): ("rule", "duplicateValues", *BOTH),
    ('delimiter: ";"', 'delimiter: "|"'): ("dialect", "csv.delimiter", *BOTH),
    ('nullValues: ["", NA]', 'nullValues: [NA, ""]'): (),
    ('nullValues: ["", NA]', 'nullValues: [""]'): ("dialect", "csv.nullValues", *BOTH),
    (', nullValues: ["", NA]}', '}\n      values: {nullValues: ["", NA]}'): (),
    ("columns: {", "values: {columns: {id: {trim: true}}}\n      columns: {"): ("value-form", "id.values", *BOTH),
    ("columns: {", "values: {columns: {code: {trim: true}}}\n      columns: {"): ("value-form", "code.values", *BOTH),
    ("columns: {", "values: {columns: {id: {nullValues: [X]}}}\n      columns: {"): ("value-form", "id.values", *BOTH),
    ("csv: {", "csv: {encoding: iso-8859-1, "): ("dialect", "csv.encoding", *BOTH),
    ("csv: {", "csv: {trailingDelimiter: true, "): ("dialect", "csv.trailingDelimiter", *BOTH),
    ("csv: {", "csv: {headerLacks: {first: [code]}, "): ("dialect", "csv.headerLacks", *BOTH),
    ("csv: {", "csv: {headerLacks: {last: [code]}, "): ("dialect", "csv.headerLacks", *BOTH),
    ("csv: {", "csv: {trailer: {begins: T, rows: 2}, "): ("dialect", "csv.trailer", *BOTH),
    ("format: csv", "format: csv\n      compression: gzip"): ("format", "compression", *BOTH),
    ("format: csv", "format: csv\n      archive: {format: zip, members: a}"): ("format", "archive", *BOTH),
    ("extra: warn", "extra: reject"): ("columns", "columns.extra", *TIGHTENS),
    ("extra: warn", "extra: ignore"): ("columns", "columns.extra", *LOOSENS),
    ("missing: reject", "missing: warn"): ("columns", "columns.missing", *LOOSENS),
    ("order: any", "order: exact"): ("columns", "columns.order", *TIGHTENS),
    ("order: any", "order: any, match: trimmed"): ("columns", "columns.match", *BOTH),
    ("extra: warn", "extra: warn, aliases: {id: [num]}"): ("header-names", "id.physicalName", *BOTH),
    ("empty: warn", "empty: reject"): ("empty", "empty", *TIGHTENS),
    ("empty: warn", "empty: accept"): ("empty", "empty", *CALM),
    ("tolerance: {rows: 10}", "tolerance: {rows: 11}"): ("file-tolerance", "tolerance.rows", *LOOSENS),
    ("tolerance: {rows: 10}", "tolerance: {rows: 1%}"): ("file-tolerance", "tolerance.rows", *BOTH),
    ("      tolerance: {rows: 10}\n", ""): ("file-tolerance", "tolerance.rows", *BOTH),
    ("tolerance: 5%", "tolerance: 6%"): ("tolerance", "id.minimum.tolerance", *LOOSENS),
    ("{tolerance: 5%}", "{severity: error}"): ("tolerance", "id.minimum.tolerance", *BOTH),
    ("id.maximum: {severity: warning}", "id.maximum: {severity: error}"): (
        *("severity", "id.maximum.severity"),
        *TIGHTENS,
    ),
    ("        id.minimum: {tol", "        id.multipleOf: {severity: warning}\n        id.minimum: {tol"): (
        *("severity", "id.multipleOf.severity"),
        *LOOSENS,
    ),
    (', "shop/{year:%Y}/*.csv"', ""): ("files", "files", *TIGHTENS),
    ("{year:%Y}", "{y:%Y}"): ("files-names", "files", *CALM),
    ("[shop/orders/*.csv,", "[shop/orders/*.csv, shop/x/*,"): ("files", "files", *LOOSENS),
    ("shop/orders/*.csv", "shop/orders/*"): ("files", "files", *LOOSENS),
    ("[shop/orders/*.csv,", "[shop/orders/*.csv, shop/orders/1*.csv,"): ("files", "files", *CALM),
    ("shop/orders/*.csv", "shop/order/*.csv"): ("files", "files", *BOTH),
    ("producer: shop", "producer: store"): ("producer", "producer", "none", BREAKS, FINE),
    ("producer: shop", "producer: shop\n      consumers: [risk]"): ("consumers", "consumers", "none", "none", "none"),
    ("empty: warn", "empty: warn\n      notify: {producer: 'slack:orders'}"): ("notify", "notify.producer", *WORDS),
    ("empty: warn", "empty: warn\n      notify: {consumer: {to: 'slack:x', on: [late]}}"): (
        *("notify", "notify.consumer"),
        *WORDS,
    ),
    ("empty: warn", "empty: warn\n      sameKey: version"): ("same-key", "sameKey", "none", FINE, BREAKS),
    ("empty: warn", "empty: warn\n      sameKey: reject"): ("same-key", "sameKey", "tightens", BREAKS, BREAKS),
    ("empty: warn", "empty: warn\n      sameContent: reject"): ("same-content", "sameContent", *TIGHTENS),
    ("empty: warn", "empty: warn\n      mode: observe"): ("mode", "mode", *LOOSENS),
    ("empty: warn", 'empty: warn\n      arrival: {by: "06:00"}'): ("arrival", "arrival", *CALM),
    ("empty: warn", 'empty: warn\n      arrival: {by: "06:00", outside: reject}'): ("arrival", "arrival", *TIGHTENS),
    ("status: active", "status: deprecated"): ("status", "status", *CALM),
    ("status: active", "status: retired"): ("retired", "status", "tightens", BREAKS, BREAKS),
    ("id: orders", "id: order-s"): ("id", "id", *BOTH),
    ("  - name: orders", "  - name: order"): ("object", "schema.name", *CALM),
    ("purpose: Billing.", "purpose: Bills."): ("words", "description.purpose", *WORDS),
    ("Of the country.", "Of it."): ("words", "code.description", *WORDS),
    ("value: 4, unit: h", "value: 5, unit: h"): ("promise", "slaProperties[latency].value", *CALM),
    (", {property: retention, value: 1, unit: y}", ""): ("promise", "slaProperties[1]", *CALM),
    ("value: B", "value: C"): ("words", "customProperties", *WORDS),
}


OF_CODE = OLD[OLD.index("enum: [{value: AT") : OLD.index("      - name: amount")]
"""The rules that define the codes among texts."""
IDS = [f"{new} for {old}".replace("\n", " ") for old, new in EDITS]


@pytest.mark.parametrize(("edit", "expected"), EDITS.items(), ids=IDS)
def test_change_is_what_the_table_says(edit: tuple[str, str], expected: tuple[str, ...]) -> None:
    """And what tightens one way loosens on the way back."""
    assert edit[0] in OLD
    before, after = (compiled(text) for text in (OLD, OLD.replace(*edit, 1)))
    change = compare(before, after).changes
    assert (summary(change[0]) if change else ()) == expected, change
    there, back = ({c.direction for c in several} - {"none"} for several in (change, compare(after, before).changes))
    turned = {"tightens": "loosens", "loosens": "tightens", "both": "both"}
    assert there == {turned[d] for d in back}


def with_support(address: str, *occasions: str) -> str:
    support = f"support: [{{channel: help, url: 'mailto:{address}@example.org'}}]\nschema:"
    notify = f"empty: warn\n      notify: {{producer: {{to: help, on: [{', '.join(occasions)}]}}}}"
    return OLD.replace("schema:", support, 1).replace("empty: warn", notify, 1)


def test_who_hears_of_what_is_told_by_channel() -> None:
    before = with_support("a", "rejected", "failed")
    (more,) = changes(before, with_support("a", "missing", "rejected"))
    assert more.message == "Producers hear of rejected, missing at a@example.org, and heard of rejected, failed."

    others = [c for c in changes(before, with_support("b", "rejected", "failed")) if c.kind == "notify"]
    assert [c.message for c in others] == [
        "Producers no longer hear anything at a@example.org, and heard of rejected, failed.",
        "Producers hear of rejected, failed at b@example.org, and did not.",
    ]
    assert {c.step for c in (more, *others)} == {"patch"}


def relative(difference: str, of: str = "of: median, last: 8") -> str:
    quality = f"- {{metric: rowCount, mustBeBetween: [{difference}], arguments: {{relativeTo: {{{of}}}}}}}\n"
    return a_document(quality=quality)


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        (relative("-50, 50"), relative("-50, 40"), "tightens"),
        (relative("-50, 50"), relative("-60, 50"), "loosens"),
        (relative("-50, 50"), relative("-60, 40"), "both"),
        (relative("-50, 50"), relative("-50, 50", "of: mean, last: 8"), "both"),
        (relative("-50, 50"), relative("-50, 50", "of: median, last: 8, period: weekday"), "both"),
        (a_document(quality="- {metric: rowCount, mustBeBetween: [5, 50]}\n"), relative("5, 50"), "both"),
    ],
)
def test_difference_from_history_has_a_direction(before: str, after: str, way: str) -> None:
    assert [(c.kind, c.direction) for c in changes(before, after)] == [("rule", way)]


def test_another_format_of_texts_goes_both_ways() -> None:
    host, uri = (OLD.replace(OF_CODE, f"logicalTypeOptions: {{format: {name}}}\n") for name in ("hostname", "uri"))
    (change,) = changes(host, uri)

    assert summary(change) == ("rule", "code.format", *BOTH)


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("{begins: T}", "{begins: T, rows: 2}", "tightens"),
        ("{begins: T, rows: 2}", "{begins: T, rows: 2, sums: {amount: 3}}", "tightens"),
        ("{begins: T, rows: 2, sums: {amount: 3, id: 4}}", "{begins: T, sums: {id: 4}}", "loosens"),
        ("{begins: T, rows: 2}", "{begins: T, rows: 3}", "both"),
        ("{begins: T, sums: {amount: 3}}", "{begins: T, rows: 2, sums: {amount: 4}}", "both"),
        ("{begins: T, rows: 2}", "{begins: T, sums: {amount: 2}}", "both"),
        ("{begins: T, rows: 2}", "{begins: U}", "both"),
    ],
)
def test_more_figures_of_a_trailer_tighten(before: str, after: str, way: str) -> None:
    old, new = (OLD.replace("csv: {", f"csv: {{trailer: {one}, ") for one in (before, after))
    (change,) = changes(old, new)

    assert (change.kind, change.path, change.direction) == ("dialect", "csv.trailer", way)
    turned = {"tightens": "loosens", "loosens": "tightens", "both": "both"}
    assert changes(new, old)[0].direction == turned[way]


def test_sum_of_a_property_named_rows_is_told_apart() -> None:
    old, new = (
        a_document("- {name: rows, logicalType: integer}", more_drop=f"csv: {{trailer: {one}}}") for one in TOLD
    )
    (change,) = changes(old, new)

    assert change.message == (
        "`csv.trailer` is `T, rows in cell 2, sum of rows in cell 3`, and was `T, sum of rows in cell 3`."
    )


TOLD = ("{begins: T, sums: {rows: 3}}", "{begins: T, rows: 2, sums: {rows: 3}}")


def test_nothing_changed_says_nothing() -> None:
    assert changes(OLD, OLD + "# a comment\n") == ()


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("match: exact", "match: trimmed", "loosens"),
        ("match: trimmed", "match: anyCase", "loosens"),
        ("match: anyCase", "match: exact", "tightens"),
        ("match: exact", "match: byPosition", "both"),
        ("source: name", "source: physicalName", "none"),
        ("aliases: {id: [num]}", "aliases: {id: [num, Nr]}", "loosens"),
        ("aliases: {id: [num]}", "aliases: {id: [Nr]}", "both"),
        ("match: byPosition", "match: byPosition, aliases: {id: [num]}", "tightens"),
    ],
)
def test_columns_are_found_in_more_or_fewer_files(before: str, after: str, way: str) -> None:
    one, other = (
        compiled(OLD.replace("{extra: warn, missing: reject, order: any}", f"{{{how}}}")) for how in (before, after)
    )
    assert joined(c.direction for c in compare(one, other).changes) == way


@pytest.mark.parametrize(
    ("columns", "way"),
    [
        ("{extra: reject, missing: reject}", "both"),
        ("{extra: reject, missing: ignore}", "loosens"),
        ("{extra: ignore, missing: reject}", "tightens"),
        ("{extra: warn, missing: warn}", "none"),
        ("{extra: ignore, missing: warn}", "tightens"),
    ],
)
def test_property_more_goes_by_the_columns_policy(columns: str, way: str) -> None:
    old = OLD.replace("{extra: warn, missing: reject, order: any}", columns)
    new = old.replace("      - name: at\n", "      - name: note\n        logicalType: string\n      - name: at\n")
    (more,) = changes(old, new)
    assert (more.kind, more.path, more.direction, more.consumer) == ("property-added", "note", way, "compatible")
    (less,) = changes(new, old)
    assert (less.kind, less.consumer) == ("property-removed", "breaking")


def test_order_of_properties_counts_where_files_go_by_it() -> None:
    one, other = "      - name: at\n        logicalType: timestamp\n", "      - name: id\n"
    shuffled = OLD.replace(one, "").replace(other, one + other)
    assert [summary(c) for c in changes(OLD, shuffled)] == [("property-order-shown", "properties", *WORDS)]
    exact = ("order: any", "order: exact")
    (change,) = changes(OLD.replace(*exact), shuffled.replace(*exact))
    assert summary(change) == ("property-order", "properties", *BOTH)


@pytest.mark.parametrize(
    ("edit", "way"),
    [
        (("minimum: 1,", "exclusiveMinimum: 1,"), "tightens"),
        (("minimum: 1,", "exclusiveMinimum: 0,"), "none"),
        (("minimum: 1,", "exclusiveMinimum: -1,"), "loosens"),
        (("minimum: 01.01.2020", "exclusiveMinimum: 31.12.2019"), "none"),
        (("      - name: at\n", "      - name: at\n"), "none"),
        (("amount\n", "amount\n        logicalTypeOptions: {exclusiveMaximum: 5}\n"), "tightens"),
    ],
)
def test_bound_that_is_excluded_is_the_same_rule(edit: tuple[str, str], way: str) -> None:
    old = OLD.replace("        id.minimum: {tolerance: 5%}\n", "")
    change = changes(old, old.replace(*edit, 1))
    assert joined(c.direction for c in change) == way, change


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("[AB, C]", "[C, AB]", "none"),
        ("[AB]", "[A]", "loosens"),
        ("[A]", "[AB, AC]", "tightens"),
        ("[AB]", "[AB, C]", "loosens"),
        ("[A, AB]", "[A]", "none"),
        ("[A, B]", "[B, C]", "both"),
    ],
)
def test_prefix_within_another_allows_less(before: str, after: str, way: str) -> None:
    text = OLD.replace("{metric: notBlank, mustBe: 0}", f"{{metric: allowedPrefixes, prefixes: {before}, mustBe: 0}}")
    text = text.replace("            severity: warning\n", "")
    assert joined(c.direction for c in changes(text, text.replace(f"prefixes: {before}", f"prefixes: {after}"))) == way


def test_upper_bound_that_is_excluded_goes_the_other_way() -> None:
    old = OLD.replace("amount\n", "amount\n        logicalTypeOptions: {exclusiveMaximum: 5}\n")
    (renamed, rule) = changes(old, old.replace("exclusiveMaximum: 5", "maximum: 5"))
    assert {renamed.kind, rule.kind} == {"check-renamed", "rule"}
    assert joined((renamed.direction, rule.direction)) == "loosens"


STRICT = OLD.replace("      tolerance: {rows: 10}\n", "")
WIDER = ("decimal(10,2)", "decimal(12,2)")


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (STRICT, "loosens"),
        (OLD, "both"),
        (STRICT.replace("checks:\n", "checks:\n        amount.logicalType: {severity: warning}\n"), "both"),
        (STRICT.replace("checks:\n", "checks:\n        amount.logicalType: {tolerance: 1}\n"), "both"),
    ],
    ids=["strict", "lent a tolerance", "a warning", "its own tolerance"],
)
def test_more_values_of_a_type_loosen_only_where_none_is_let_through(text: str, way: str) -> None:
    """A text that is not a value of the type is null for every other rule, and breaks none of them."""
    (there,) = changes(text, text.replace(*WIDER))
    (back,) = changes(text.replace(*WIDER), text)
    assert (there.direction, back.direction) == (way, {"loosens": "tightens"}.get(way, way))


@pytest.mark.parametrize(
    ("setting", "check", "way"),
    [("trailingDelimiter: true", "fields", "loosens"), ("record: {begins: D}", "type", "tightens")],
)
def test_malformed_lines_have_one_direction_only_where_none_is_let_through(setting: str, check: str, way: str) -> None:
    """No other check reads a malformed line: one that is tolerated may keep a file from being rejected."""
    own = f"checks:\n        record.{check}: {{tolerance: 1}}\n"
    other = "checks:\n        record.text: {tolerance: 1}\n"
    back = {"loosens": "tightens", "tightens": "loosens"}[way]
    for text, wanted in ((STRICT, way), (OLD, "both"), (STRICT.replace("checks:\n", other), way)):
        changed = text.replace("csv: {", f"csv: {{{setting}, ")
        assert {c.direction for c in changes(text, changed)} == {wanted}
        assert {c.direction for c in changes(changed, text)} == {wanted if wanted == "both" else back}
    if check == "fields":
        lent = STRICT.replace("checks:\n", own)
        assert {c.direction for c in changes(lent, lent.replace("csv: {", f"csv: {{{setting}, "))} == {"both"}
    else:
        lent = STRICT.replace("checks:\n", own).replace("csv: {", f"csv: {{{setting}, ")
        assert {c.direction for c in changes(STRICT, lent)} == {"both"}


def test_blanks_that_do_not_count_let_more_numbers_through() -> None:
    trimmed = STRICT.replace("columns: {", "values: {columns: {id: {trim: true}}}\n      columns: {")
    assert [(c.kind, c.direction) for c in changes(STRICT, trimmed)] == [("value-form", "loosens")]
    assert [(c.kind, c.direction) for c in changes(trimmed, STRICT)] == [("value-form", "tightens")]


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("{}", '{id: {decimalChar: "."}}', "loosens"),
        ("{}", '{id: {groupChar: ","}}', "loosens"),
        ("{}", "{id: {nullValues: [X]}}", "both"),
        ("{}", "{day: {formats: [d.M.yyyy]}}", "both"),
        ("{id: {trim: true}}", "{id: {trim: true, negatives: [trailing]}}", "loosens"),
    ],
)
def test_texts_of_json_as_values_loosen(before: str, after: str, way: str) -> None:
    old = (
        '      format: csv\n      csv: {delimiter: ";", nullValues: ["", NA]}\n'
        "      columns: {extra: warn, missing: reject, order: any}"
    )
    assert old in STRICT
    one, other = (
        STRICT.replace(old, f"      format: jsonl\n      values: {{columns: {values}}}") for values in (before, after)
    )
    back = {"loosens": "tightens"}.get(way, way)
    assert [(c.kind, c.direction) for c in changes(one, other)] == [("value-form", way)]
    assert [(c.kind, c.direction) for c in changes(other, one)] == [("value-form", back)]


DATED = STRICT.replace("columns: {", "values: {columns: {day: {formats: [d.M.yyyy]}}}\n      columns: {")


@pytest.mark.parametrize(
    ("values", "way"),
    [
        ("{formats: [d.M.yyyy, yyyyMMdd]}", "loosens"),
        ("{formats: [d.M.yyyy], trim: true}", "loosens"),
        ("{formats: [M/d/yyyy]}", "both"),
        ("{formats: [d.M.yyyy, d.M.yy], century: 1950}", "loosens"),
        ("{trim: true}", "both"),
    ],
)
def test_more_formats_of_files_loosen(values: str, way: str) -> None:
    other = DATED.replace("{formats: [d.M.yyyy]}", values)
    back = {"loosens": "tightens"}.get(way, way)
    assert [(c.kind, c.direction) for c in changes(DATED, other)] == [("value-form", way)]
    assert [(c.kind, c.direction) for c in changes(other, DATED)] == [("value-form", back)]


def test_another_century_is_another_meaning() -> None:
    old = DATED.replace("{formats: [d.M.yyyy]}", "{formats: [d.M.yy], century: 1950}")
    assert [c.direction for c in changes(old, old.replace("1950", "1970"))] == ["both"]


ZIPPED = OLD.replace("format: csv", "format: csv\n      archive: {format: zip, members: a}")


def test_members_that_are_ignored_loosen() -> None:
    ignored = ZIPPED.replace("members: a", "members: a, others: ignore")
    assert [(c.kind, c.path, c.direction) for c in changes(ZIPPED, ignored)] == [
        ("archive-others", "archive.others", "loosens")
    ]
    assert [c.direction for c in changes(ignored, ZIPPED)] == ["tightens"]
    other = ignored.replace("members: a", "members: b")
    assert [c.direction for c in changes(ZIPPED, other)] == ["both", "loosens"]


def test_draft_binds_nobody() -> None:
    draft = OLD.replace("status: active", "status: draft")
    change = changes(draft, OLD.replace("minimum: 1,", "minimum: 2,"))
    assert {c.kind for c in change} == {"activated", "rule"}
    assert not any(c.breaks for c in change)
    assert removed(compiled(OLD)).failed
    assert not removed(compiled(draft)).failed


def test_change_stands_at_its_place_in_the_new_file() -> None:
    new = "# moved\n" + OLD.replace("unit: percent", "unit: rows").replace("id.minimum: {tol", "id.minimum: {tol")
    new = new.replace("tolerance: 5%", "tolerance: 4%").replace("minLength: 2", "minLength: 1")
    lines = {c.path: new.split("\n")[c.line - 1].strip() for c in changes(OLD, new)}
    assert "metric: nullValues" in lines["code.nullValues"]
    assert "id.minimum: {tolerance: 4%}" in lines["id.minimum.tolerance"]
    assert "minLength: 1" in lines["code.minLength"]


def test_drop_block_of_another_vendor_is_not_ours() -> None:
    old = OLD.replace(
        "customProperties:\n", "customProperties:\n  - {property: drop, vendor: other, value: {empty: x}}\n"
    )
    new = old.replace("empty: warn", "empty: reject").replace("empty: x", "empty: y")
    assert {c.path: new.split("\n")[c.line - 1].strip() for c in changes(old, new)} == {
        "empty": "empty: reject",
        "customProperties": "customProperties:",
    }


@pytest.mark.parametrize(
    "wrong", ["a: [", OLD.replace("logicalType: date", "logicalType: dat"), OLD[: OLD.index("cust")]]
)
def test_contract_that_says_nothing_of_files_is_not_compared(wrong: str) -> None:
    with pytest.raises(ContractInvalid, match=r"orders\.v1\.yaml:\d+: "):
        compare(compiled(OLD), compiled(wrong))


# ---- versions


def versioned(edit: tuple[str, str], version: str) -> Comparison:
    return compare(compiled(OLD), compiled(OLD.replace(*edit, 1).replace('"1.2.3"', f'"{version}"')))


BREAK, MEAN, WORD = ("minimum: 1,", "minimum: 2,"), ("empty: warn", "empty: accept"), ("Billing", "Bills")


@pytest.mark.parametrize(
    ("edit", "version", "wanted"),
    [
        (BREAK, "1.3.0", "2.0.0"),
        (BREAK, "2.0.0", None),
        (BREAK, "v3", None),
        (MEAN, "1.2.4", "1.3.0"),
        (MEAN, "1.3.0", None),
        (MEAN, "2.0.0", None),
        (WORD, "1.2.3", "1.2.4"),
        (WORD, "1.2.4", None),
        (WORD, "1.2.4-rc.1", None),
        (WORD, "1.2.3-rc.1", "1.2.4"),
        (WORD, "1.2.2", "1.2.4"),
        (WORD, "1.2", "1.2.4"),
        (("# ", "# "), "1.2.2", "1.2.3"),
        (("# ", "# "), "1.9.0", None),
    ],
)
def test_version_says_what_the_changes_do(edit: tuple[str, str], version: str, wanted: str | None) -> None:
    findings = versioned(edit, version).findings
    assert [f'"{wanted}"' in f.fix for f in findings] == ([True] if wanted else []), findings


def test_wrong_version_is_a_finding_at_its_place() -> None:
    (finding,) = versioned(BREAK, "1.2.3").findings
    assert (finding.line, finding.level, finding.code) == (4, "error", "version")
    assert finding.message == "1 change since 1.2.3 breaks producers or consumers; `version: 1.2.3` does not say so."
    assert finding.fix.startswith('Write version: "2.0.0" into a file of its own, orders.v2.yaml')


def test_new_major_version_announces_what_breaks() -> None:
    assert versioned(BREAK, "1.2.4").failed
    announced = versioned(BREAK, "2.0.0")
    assert (announced.announced, announced.failed, announced.step) == (True, False, "major")
    assert not versioned(MEAN, "1.3.0").failed


# ---- the table


OF_DAYS = "empty: warn\n      slo: enforce"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("frequency, value: 1, unit: w", "frequency, value: 1, unit: d", ("held", "slo[frequency]", *CALM)),
        (
            "frequency, value: 1, unit: d",
            "frequency, value: 1, unit: w",
            ("held-less", "slo[frequency]", "none", FINE, BREAKS),
        ),
        ("frequency, value: 1", "latency, value: 1", ("held-less", "slo[frequency]", "none", FINE, BREAKS)),
        ("latency, value: 1", "frequency, value: 1", ("held", "slo[frequency]", *CALM)),
    ],
)
def test_promise_that_is_held_has_a_consumer(before: str, after: str, expected: tuple[str, ...]) -> None:
    levels = "{property: latency, value: 4, unit: h}"
    one, other = (
        compiled(OLD.replace(levels, f"{{property: {text}}}").replace("empty: warn", OF_DAYS))
        for text in (before, after)
    )

    assert expected in [summary(change) for change in compare(one, other).changes]


def test_set_that_changes_breaks_producers() -> None:
    one, other = (
        compiled(
            OLD.replace("shop/orders/*.csv", '"shop/{year:%Y}/x-*.csv"').replace(
                "empty: warn", f"empty: warn\n      set: {{of: [year], parts: {n}}}"
            )
        )
        for n in (2, 3)
    )
    (change,) = compare(one, other).changes

    assert summary(change) == ("set", "set", "both", BREAKS, FINE)
    assert "until 3 files" in change.message


@pytest.mark.parametrize("cls", [Plan, Csv, Columns, Property, Check, Threshold, Limit, Reference, Arrival, SetRule])
def test_every_field_of_a_plan_has_an_answer(cls: Any) -> None:
    assert set(FIELDS[cls]) == {f.name for f in dataclasses.fields(cls)}
    assert all(kind in MEANINGS or kind.startswith(FOLLOWS) for kind in FIELDS[cls].values())


def test_every_value_of_the_block_is_compared() -> None:
    one_value = {n for n, kind in FIELDS[Plan].items() if not kind.startswith(FOLLOWS)}
    elsewhere = {"id", "object", "files", "properties", "checks", "csv", "columns", "tolerance", "deprecated"}
    elsewhere |= {"references", "arrival", "promises", "set", "archive", "json", "xml", "fixed", "sheet"}
    assert set(block_changes.BLOCK) == one_value - elsewhere


def test_every_kind_of_change_occurs() -> None:
    seen = {expected[0] for expected in EDITS.values() if expected}
    elsewhere = {
        "contract-added",
        "contract-removed",
        "activated",
        "archive-others",
        "held",
        "held-less",
        "layout",
        "promote",
        "property-added",
        "property-removed",
        "set",
    }
    assert set(MEANINGS) - seen == elsewhere | {"property-order", "property-order-shown"}


SCHEMA = json.loads(
    importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (change_kinds.OBJECT, ("SchemaElement", "SchemaObject")),
        (change_kinds.PROPERTY, ("SchemaElement", "SchemaBaseProperty")),
        (change_kinds.ENUM, ("EnumValue",)),
        (change_kinds.QUALITY, ("DataQuality", "DataQualityLibrary", "DataQualitySql", "DataQualityCustom")),
    ],
)
def test_every_key_of_the_standard_has_an_answer(table: dict[str, str], names: tuple[str, ...]) -> None:
    keys = {key for name in names for key in SCHEMA["$defs"][name].get("properties", {})}
    keys |= {"properties", "items", "map"} if table is change_kinds.PROPERTY else set()  # the schema has them by type
    assert keys - set(OPERATORS) == set(table)
    assert set(SCHEMA["properties"]) == set(change_kinds.TOP)
