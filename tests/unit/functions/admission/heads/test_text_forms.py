"""A file in the form of another contract is named, with the key that would allow it, whatever its encoding."""

from __future__ import annotations

import codecs
import gzip
import io
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.plan import ROW_END, SHEETS, Archive, Csv, FileFormat, Json, Plan, Sheet, Xml
from contracts.problem import Problem
from functions.admission.admit import admit
from functions.admission.heads import text_forms
from tests import workbooks
from tests.builders import a_plan
from tests.layouts import plan_of
from tests.packing import zipped


def _sheet(form: FileFormat) -> Plan:
    return a_plan(file_format=form, sheet=Sheet(), csv=Csv(record_delimiter=ROW_END))


PLANS: dict[str, Plan] = {
    "csv": a_plan(),
    "csv without a header": a_plan(csv=Csv(header=False)),
    "csv in utf-16": a_plan(csv=Csv(encoding="utf-16")),
    "jsonl": a_plan(file_format="jsonl"),
    "json": a_plan(file_format="json"),
    "json under a key": a_plan(file_format="json", json=Json("data")),
    "xml": a_plan(file_format="xml", xml=Xml("Orders/Order")),
    "fixed": plan_of({}),
    "parquet": a_plan(file_format="parquet"),
    **{form: _sheet(form) for form in SHEETS},
}
PACKED: dict[str, tuple[Plan, Callable[[bytes], bytes]]] = {
    "csv by gzip": (a_plan(compression="gzip"), gzip.compress),
    "jsonl in zip": (
        a_plan(file_format="jsonl", archive=Archive("zip", "*")),
        lambda body: zipped({"a": body}),
    ),
}
TEXTS: dict[str, tuple[str, str, str]] = {
    "csv": ("x,y\n1,a\n2,b\n", "CSV, its cells separated by commas", "format: csv"),
    "lines": ('{"x": 1}\n{"x": 2}\n', "JSON", "format: jsonl"),
    "array": ('[{"x": 1}, {"x": 2}, {}]', "JSON", "format: json"),
    "pretty": ('[\n  {\n    "x": 1\n  }\n]\n', "JSON", "format: json"),
    "wrapped": (
        '{"meta": {"n": 1}, "page": {"rows": [{"x": 1}]}}',
        "JSON",
        "format: json` and `json: {property: page.rows}",
    ),
    "xml": ("<?xml version='1.0'?>\n<Rows><Row><x>1</x></Row></Rows>", "an XML document", "format: xml"),
    "fixed": ("AB000012  x   \nCD000034  yy  \nEF000056  z   \n", "text of fixed width", "format: fixed"),
    "page": ("<html><head><title>503</title></head></html>", "a web page (HTML)", ""),
}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "utf-8": str.encode,
    "utf-8 with a mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16be with a mark": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "utf-16le": lambda text: text.encode("utf-16-le"),
    "utf-16be": lambda text: text.encode("utf-16-be"),
}


def refused(plan: Plan, body: bytes) -> list[Problem]:
    """Return the problems of a file."""
    return list(admit(plan, "a/b", len(body), lambda start, length: body[start : start + length]).problems)


def _agreed(plan: Plan, key: str) -> bool:
    """Return True if the key is the contract's, or that of another shape of its own format."""
    kinds = {"json", "jsonl"} if plan.file_format == "json" else {plan.file_format}
    return key.partition("`")[0].removeprefix("format: ") in kinds


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("agreed", PLANS)
def test_text_in_the_form_of_another_contract_is_named_with_its_key(agreed: str, text: str, encoding: str) -> None:
    plan, (content, name, key) = PLANS[agreed], TEXTS[text]
    if _agreed(plan, key):
        return
    (problem,) = refused(plan, ENCODINGS[encoding](content))
    assert (name in problem.message, (f"ask for `{key}`" if key else "") in problem.fix) == (True, True), problem


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("agreed", PACKED)
def test_text_within_a_packed_file_is_named_with_its_key(agreed: str, text: str) -> None:
    (plan, pack), (content, name, key) = PACKED[agreed], TEXTS[text]
    if _agreed(plan, key):
        return
    (problem,) = refused(plan, pack(content.encode()))
    assert (name in problem.message, (f"ask for `{key}`" if key else "") in problem.fix) == (True, True), problem


def _parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"x": [1]}), out)
    return out.getvalue()


BYTES = {form: partial(workbooks.made, form, {"S": [["x"], [1]]}) for form in SHEETS} | {"parquet": _parquet}


@pytest.mark.parametrize("form", BYTES)
@pytest.mark.parametrize("agreed", PLANS)
def test_file_of_bytes_in_the_form_of_another_contract_is_named_with_its_key(agreed: str, form: str) -> None:
    plan = PLANS[agreed]
    if plan.file_format == form:
        return
    (problem,) = refused(plan, BYTES[form]())
    assert (problem.code, f"; or ask for `format: {form}` in the contract." in problem.fix) == ("wrong-format", True)


@pytest.mark.parametrize("form", BYTES)
@pytest.mark.parametrize("agreed", PACKED)
def test_form_that_is_never_packed_is_not_asked_for_where_files_are(agreed: str, form: str) -> None:
    plan, pack = PACKED[agreed]
    (problem,) = refused(plan, pack(BYTES[form]()))
    assert (problem.code, "ask for" in problem.fix) == ("wrong-format", False)


def test_workbook_of_a_form_that_is_not_read_has_no_key() -> None:
    macros = zipped({"[Content_Types].xml": b"<Types/>", "xl/vbaProject.bin": b"x", "xl/workbook.xml": b"<w/>"})
    binary = zipped({"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b"x"})
    old = b"\x09\x08\x08\x00\x00\x05\x10\x00"
    assert not any("ask for" in p.fix for body in (macros, binary, old) for p in refused(PLANS["csv"], body))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"data": [{"x": 1}]}', ("data",)),
        ('{"a": {"b": {"c": [{"x": 1', ("a", "b", "c")),
        ('{"errors": [], "deep": {"rows": [{"x": 1}]}, "rows": [{"y": 1}]}', ("rows",)),
        ('{"text": "[{", "rows" : [ {"x": 1}]}', ("rows",)),
        ('{"say \\"x\\"": [{"y": 1}]}', ('say "x"',)),
        ('{"list": [{"inner": [{"x": 1}]}]}', ("list",)),
        ('{"matrix": [[{"x": 1}]], "x": [1]}', ()),
        ('{"id": 1, "note": [{"x": 1}]}', ()),
        ('{"": [{"x": 1}]}', ()),
        ('[{"a": [{"x": 1}]}]', ()),
        ('{"a": 1} {"data": [{"x": 1}]}', ()),
        ("", ()),
    ],
)
def test_way_to_records_is_that_of_the_outermost_array(text: str, keys: tuple[str, ...]) -> None:
    assert text_forms.around(PLANS["csv"], text) == keys


@pytest.mark.parametrize("text", ['{"a":' * 12_000, '{"a":' + "[" * 60_000, '{"a": "' + '\\"' * 30_000, "[{" * 30_000])
def test_form_of_odd_text_is_looked_for_in_little_time(text: str) -> None:
    begin = time.process_time()
    text_forms.of(PLANS["csv"], text, whole=False)
    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    "text",
    [
        "Dear partner,\nas agreed, we send, today,\nnothing\n",
        "id\n",
        "0000000001\n0000000002\n0000000003\n",
        "[note\n",
        "{a,b\n",
        "short\nlines\nalike\n",
    ],
)
def test_other_text_has_no_form(text: str) -> None:
    alone = replace(PLANS["csv"], properties=PLANS["csv"].properties[:1])
    assert text_forms.of(alone, text, whole=True) is None
