"""The frame of the import: its text reads back, is ODCS, and names losses; wrong sources become findings."""

from __future__ import annotations

from decimal import Decimal
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.document import source
from contracts.authoring.imports import signs, writing
from contracts.authoring.imports.formats import FORMATS
from contracts.authoring.imports.importing import Files, format_of, import_source
from infra.packaging.bundles import ROOT
from tests.unit.contracts.authoring.imports.importing import codes, imported

ORDERS = """
{"title": "Shop orders", "type": "object", "required": ["id"], "additionalProperties": false,
 "properties": {"id": {"type": "integer"}, "day": {"type": "string", "format": "date", "default": "2026-01-31"}}}
"""
FILES = Files(("shop/orders/*.csv",), "shop", "csv")
WRITTEN = """\
# From orders.src (json-schema), by dropgate import.
# Not carried over, or worth a look (by line of that file):
#   3: `default` of `day` has no equivalent.
apiVersion: v3.2.0
kind: DataContract
id: Shop-orders
name: Shop orders
version: "1.0.0"
status: draft
schema:
  - name: Shop orders
    properties:
      - name: id
        logicalType: integer
        required: true
      - name: day
        logicalType: date
customProperties:
  - property: drop
    vendor: dropgate
    value:
      files: shop/orders/*.csv
      producer: shop
      format: csv
"""
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "no",
        "Null",
        "",
        "~",
        "1e3",
        "0x1F",
        "1_000",
        "12:30",
        "2026-01-31",
        "=",
        "<<",
        "- a",
        "a: b",
        "a #b",
        "...",
        ".5",
    ]
)
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def test_contract_is_written_as_people_write_it() -> None:
    (contract,) = imported("json-schema", ORDERS, files=FILES).contracts
    assert (contract.name, contract.text) == ("Shop-orders.v1", WRITTEN)


def test_contract_with_files_passes_lint() -> None:
    (contract,) = imported("json-schema", ORDERS, files=FILES).contracts
    compiled = compile_text(contract.text.encode(), f"{contract.name}.yaml")
    assert [f.code for f in compiled.findings] == ["not-active"]


def test_active_contract_has_a_plan() -> None:
    (contract,) = import_source("json-schema", ORDERS.encode(), "a.json", FILES, "active").contracts
    compiled = compile_text(contract.text.encode(), f"{contract.name}.yaml")
    assert compiled.plan
    assert [c.id for c in compiled.plan.checks if c.property] == ["id.logicalType", "id.required", "day.logicalType"]


def test_contract_without_files_says_how_to_name_them() -> None:
    (contract,) = imported("json-schema", ORDERS).contracts
    assert "# It matches no files yet. Name its files with --files" in contract.text
    compiled = compile_text(contract.text.encode(), f"{contract.name}.yaml")
    assert [f.code for f in compiled.findings] == ["matches-nothing"]


def test_line_that_lint_refuses_is_named() -> None:
    result = imported(
        "json-schema", '{"properties": {"a": {"type": "string"}, "b": {"type": "string", "pattern": "(?<=a)b"}}}'
    )
    (refused,) = [f for f in result.findings if f.level == "warning"]
    assert (refused.code, refused.file) == ("bad-pattern", "orders.v1.yaml")
    assert "pattern: " in result.contracts[0].text.split("\n")[refused.line - 1]


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
@settings(max_examples=100, deadline=None)
def test_what_is_written_reads_back(value: dict[str, Any]) -> None:
    reread = source.read(writing.text(value).encode(), "x.yaml")
    assert reread.findings == [f for f in reread.findings if f.code == "yaml-boolean"]
    assert reread.data == value


LONG = "-546231404717287490953569.61235099500332746771455878785595000642019481610138681734837995081786495"


@pytest.mark.parametrize("number", ["1E+3", "1E-20", "0E+5", "12.50", "12E+99", "1E-90", LONG, "9" * 100])
def test_numbers_are_written_as_they_are_read(number: str) -> None:
    reread = source.read(writing.text({"a": Decimal(number)}).encode(), "x.yaml")
    assert reread.data == {"a": Decimal(number)}


LOOKS = {
    "json-schema": ("$schema: https://json-schema.org/draft-07/schema", "avro"),
    "avro": ("type: record\nname: a\nfields: []", "json-schema"),
    "spark-ddl": ("CREATE TABLE a (b int)", "avro"),
    "data-contract-0.1.3": ("specVersion: 0.1.3", "avro"),
    "mesh": ("interfaceComponents: {}", "astrafy"),
    "astrafy": ("fields: []", "mesh"),
    "paypal-2.1": ("dataset: []", "mesh"),
    "spark-json": ('{"type": "struct", "fields": []}', "avro"),
    "odcs": ("apiVersion: v3.2.0\nkind: DataContract", "json-schema"),
    "clouddq": ("rule_bindings: {}", "json-schema"),
}


@pytest.mark.parametrize("looks", LOOKS)
def test_source_of_another_format_is_told(looks: str) -> None:
    text, asked = LOOKS[looks]
    (finding,) = imported(asked, text).findings
    assert finding.code == "wrong-format"
    assert f"it looks like {looks}" in finding.message
    assert looks not in FORMATS or finding.fix == f"Write `--from {looks}`."


BAD = {
    "nothing": ("", ("empty-file", 1)),
    "a tab in YAML": ("a:\n\tb: 1", ("yaml-syntax", 2)),
    "a bracket that is open": ('{"properties": {', ("yaml-syntax", 2)),
    "a key twice": ('{"properties": {"a": {}},\n "properties": {}}', ("duplicate-key", 2)),
    "no mapping": ("- 1", ("wrong-format", 1)),
    "text": ("hello", ("wrong-format", 1)),
    "an alias bomb": ("a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
        f"{b}: &{b} [{','.join(['*' + a] * 8)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
    ), ("too-large", 1)),
    "brackets without end": ("[" * 2000, ("too-deep", 1)),
}  # fmt: skip


@pytest.mark.parametrize("fault", BAD)
def test_faulty_source_is_a_finding_with_its_line(fault: str) -> None:
    text, expected = BAD[fault]
    assert codes("json-schema", text) == [expected]


@pytest.mark.parametrize("form", FORMATS)
def test_page_explains_the_format(form: str) -> None:
    page = ROOT / "docs" / "reference" / "contract-formats.md"
    assert f"\n| `{form}` | " in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_bytes_that_are_no_text_are_findings(form: str) -> None:
    assert import_source(form, b"\xff\xfe\x00", "x").failed


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"rules": {"NN": {"rule_type": "NOT_NULL"}}}', "clouddq"),
        ('{"rules": {"semi": "error"}, "root": true}', None),
        ('{"rules": [{"host": "a"}]}', None),
        ("resources: [service.yaml]", None),
        ("resources: [{path: a.csv, schema: {fields: [{name: a}]}}]", "data-package"),
        ('{"@context": "https://schema.org", "@type": "Dataset"}', None),
        ('{"@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}], "url": "a.csv"}', "csvw"),
        ('{"properties": {"version": "1.2", "owner": "x"}}', None),
        ('{"properties": {"a": {}, "b": {"type": "string"}, "c": true}}', "json-schema"),
        ("dataset: path/of/images", None),
        ("entities: {T: {columns: {A: {}}}}", "clouddq"),
        ("entities: [sensor.a]", None),
        ("create table a (b int);", "spark-ddl"),
        ("use shop;\ncreate external table a (b int) stored as orc;", "spark-ddl"),
        ("drop table a;\ncreate table a (b daterange);", "postgres-ddl"),
        ("create table a (b number not null);", "snowflake-ddl"),
        ("use role loader;\ncreate table a (b varchar);", "snowflake-ddl"),
        ("create table a (number int);", "spark-ddl"),
        ("struct<a: nothing>", "spark-ddl"),
    ],
)
def test_key_of_other_tools_is_no_sign_of_a_format(text: str, form: str | None) -> None:
    assert format_of(text.encode(), "a.json") == form


@pytest.mark.parametrize(
    "text",
    ["-- a\n" * 90_000 + "x", "/*" * 200_000, "\n" * 900_000, "'" * 300_001, "create a " * 90_000, "-" * 900_000],
)
def test_format_of_a_long_text_is_seen_in_one_pass(text: str) -> None:
    before = process_time()
    assert signs.format_of(text) in (None, "postgres-ddl", "spark-ddl")
    assert process_time() - before < 10, "a pattern that reads a text more than once takes minutes"
