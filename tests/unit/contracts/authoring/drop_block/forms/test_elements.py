"""The XML of a contract: the path to records, the namespaces and the names that elements can have."""

from __future__ import annotations

import pytest

from contracts.authoring.diff.compare import compare
from contracts.plan import Xml
from tests.unit.contracts.authoring.documents import a_document, a_plan, compiled

DROP = "files: shop/orders/*.xml\nproducer: shop\nformat: xml\n"
XML = "xml: {record: orders/order}\n"


def test_path_namespaces_and_texts_for_null_are_in_the_plan() -> None:
    block = (
        'xml: {record: "orders/o:order", namespaces: {"": "urn:a", o: "urn:b"}}\n'
        'values: {nullValues: ["", "-"], trim: true}\n'
    )

    plan = a_plan(a_document(drop=DROP + block))

    assert plan.xml == Xml("orders/o:order", {"": "urn:a", "o": "urn:b"}, ("", "-"), trim=True)
    assert [check.id for check in plan.checks[:2]] == ["record.object", "record.knownKeys"]
    assert plan.transcribed.file_format == "jsonl"
    assert plan.element(17) == "orders/o:order[17]"


NAMED = """\
- name: "@id"
  logicalType: integer
- name: amount
  logicalType: object
  properties:
    - {name: "#text", logicalType: number}
    - {name: "@currency", logicalType: string}
- name: tags
  logicalType: map
  map: {key: {logicalType: string}, value: {logicalType: string}}
- name: "o:note"
  logicalType: array
  items: {logicalType: string}
- name: "@xml:lang"
  logicalType: string
"""


def test_names_may_be_of_attributes_texts_and_namespaces() -> None:
    plan = a_plan(a_document(NAMED, drop=f'{DROP}xml: {{record: orders/order, namespaces: {{o: "urn:b"}}}}\n'))

    assert [p.name for p in plan.roots] == ["@id", "amount", "tags", "o:note", "@xml:lang"]


FAULTS: dict[str, tuple[str, str]] = {
    "no path": ("", "missing-key"),
    "a path of nothing": ('xml: {record: ""}\n', "bad-value"),
    "a slash before it": ("xml: {record: /orders/order}\n", "bad-value"),
    "two slashes": ("xml: {record: orders//order}\n", "bad-value"),
    "a pattern": ('xml: {record: "orders/*"}\n', "bad-value"),
    "an attribute": ('xml: {record: "orders/@id"}\n', "bad-value"),
    "a prefix of nothing": ('xml: {record: "orders/o:order"}\n', "unknown-prefix"),
    "a prefix that is none": ('xml: {record: orders, namespaces: {"a b": "urn:a"}}\n', "bad-value"),
    "a prefix of XML": ('xml: {record: orders, namespaces: {xml: "urn:a"}}\n', "bad-value"),
    "a namespace that is none": ('xml: {record: orders, namespaces: {a: " "}}\n', "bad-value"),
    "one namespace twice": ('xml: {record: orders, namespaces: {a: "urn:a", b: "urn:a"}}\n', "bad-value"),
    "an unknown key": ("xml: {record: orders, root: orders}\n", "unknown-key"),
    "values that can be read in two ways": (f"{XML}values: {{decimalChar: '.', groupChar: '.'}}\n", "bad-value"),
    "the form of a property that is not there": (
        f"{XML}values: {{columns: {{ID: {{trim: true}}}}}}\n",
        "unknown-property",
    ),
    "CSV": (f"{XML}csv: {{delimiter: ';'}}\n", "bad-value"),
    "an order of columns": (f"{XML}columns: {{order: exact}}\n", "bad-value"),
    "valid rows": (f"{XML}promote: rows\n", "not-built-yet"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name: str) -> None:
    block, code = FAULTS[name]

    errors = [f.code for f in compiled(a_document(drop=DROP + block)).findings if f.level == "error"]

    assert errors == [code]


def test_xml_means_nothing_for_other_formats() -> None:
    errors = [f for f in compiled(a_document(more_drop=XML)).findings if f.level == "error"]

    assert [f.code for f in errors] == ["bad-value"]


BAD_NAMES: dict[str, tuple[str, str]] = {
    "a blank": ('- {name: "order id", logicalType: string}', "bad-name"),
    "a digit first": ('- {name: "1st", logicalType: string}', "bad-name"),
    "no name of an attribute": ('- {name: "@", logicalType: string}', "bad-name"),
    "a prefix of nothing": ('- {name: "x:id", logicalType: string}', "unknown-prefix"),
    "an object as an attribute": ('- {name: "@id", logicalType: object}', "bad-value"),
    "an array as a text": ('- {name: "#text", logicalType: array}', "bad-value"),
    "an array in an array": (
        "- {name: x, logicalType: array, items: {logicalType: array, items: {logicalType: string}}}",
        "bad-value",
    ),
}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_properties_are_elements_attributes_or_texts(name: str) -> None:
    properties, code = BAD_NAMES[name]

    errors = [f.code for f in compiled(a_document(properties, drop=DROP + XML)).findings if f.level == "error"]

    assert errors == [code]


@pytest.mark.parametrize(
    ("block", "key"),
    [
        ("xml: {record: orders/line}\n", "xml.record"),
        ('xml: {record: orders/order, namespaces: {"": "urn:b"}}\n', "xml.namespaces"),
        (f'{XML}values: {{nullValues: ["-"]}}\n', "values.nullValues"),
        (f"{XML}values: {{trim: true}}\n", "values.trim"),
    ],
)
def test_other_records_or_texts_break_both_ways(block: str, key: str) -> None:
    old, new = (compiled(a_document(drop=DROP + each)) for each in (XML, block))

    (change,) = compare(old, new).changes

    assert (change.kind, change.path, change.direction) == ("format", key, "both")
