"""Layouts of lines of fixed width: the plan that they are compiled to, and findings about those that no file has."""

from __future__ import annotations

from typing import Any

import pytest

from contracts import codec
from contracts.plan import Csv, Plan
from contracts.terms.fixed_width import Field, Fixed, Slice
from contracts.terms.leader import Leader
from contracts.terms.trailer import Trailer
from tests.layouts import FIELDS, PROPERTIES, compiled, plan_of


def test_layout_is_compiled() -> None:
    fixed = {
        "encoding": "cp1252",
        "length": 22,
        "shortLines": "accept",
        "leader": {"begins": "H", "is": [{"start": 2, "length": 8, "text": "20240131"}]},
        "record": {"begins": "D"},
        "trailer": {"begins": "T", "rows": {"start": 2, "length": 6}, "sums": {"amount": {"start": 8, "length": 12}}},
    }
    plan = plan_of(fixed)

    assert plan.fixed == Fixed(
        (Field("account", 2, 6), Field("amount", 8, 8), Field("holder", 16, 5, align="left")),
        22,
        short=True,
        leader=(Slice(2, 8),),
        trailer=(Slice(2, 6), Slice(8, 12)),
    )
    assert plan.csv == Csv(
        "\0",
        "windows-1252",
        "",
        header=False,
        leader=Leader("H", {"2": "20240131"}),
        record="D",
        trailer=Trailer("T", 2, {"amount": 3}),
    )
    assert [c.id for c in plan.checks[:3]] == ["record.length", "record.text", "record.type"]
    assert codec.loads(Plan, codec.canonical(plan), "plan") == plan


def test_field_without_start_is_behind_the_one_before_it() -> None:
    fields = [{"property": "holder", "length": 5}, {"property": "amount", "length": 8, "start": 7}]
    plan = plan_of({"fields": [*fields, {"property": "account", "length": 6}]})

    assert plan.fixed
    assert [(f.name, f.start) for f in plan.fixed.fields] == [("holder", 1), ("amount", 7), ("account", 15)]
    assert plan.fixed.length == 20


@pytest.mark.parametrize(("encoding", "unit"), [("utf-8", "bytes"), ("cp932", "bytes"), ("iso-8859-1", "characters")])
def test_bytes_count_where_characters_may_have_several(encoding: str, unit: str) -> None:
    plan = plan_of({"encoding": encoding, "unit": "bytes"})

    assert plan.fixed
    assert plan.fixed.unit == unit
    assert ("record.characters" in [c.id for c in plan.checks]) == (unit == "bytes")


def _with(n: int, **more: Any) -> list[dict[str, Any]]:
    return [field | (more if at == n else {}) for at, field in enumerate(FIELDS)]


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "no fields": ({"fields": []}, "bad-value", "names no fields"),
    "no length": ({"fields": [{"property": "account"}]}, "missing-key", "lacks `fixed.fields[0].length`"),
    "a length of zero": ({"fields": _with(0, length=0)}, "bad-value", "is not a position or a length"),
    "a length of text": ({"fields": _with(0, length="6")}, "wrong-type", "must be a whole number"),
    "too long": ({"length": 16001}, "bad-value", "is not a position or a length"),
    "too short": ({"length": 19}, "bad-value", "The fields end at position 20, and lines have 19 characters."),
    "overlap": ({"fields": _with(1, start=7)}, "fields-overlap", "`account` and `amount` have position 7 in common"),
    "unknown property": ({"fields": _with(0, property="acount")}, "unknown-property", "no property `acount`"),
    "twice": ({"fields": [*FIELDS, {"property": "account", "length": 1}]}, "bad-value", "`account` has a second field"),
    "no field": ({"fields": FIELDS[:2]}, "property-without-field", "`holder` has no field"),
    "padding of two": ({"fields": _with(0, padding="00")}, "bad-value", "must be one character"),
    "padding of no side": ({"fields": _with(0, padding="0")}, "bad-value", "on no stated side"),
    "zeros behind": ({"fields": _with(0, padding="0", align="left")}, "bad-value", "could be a part of it"),
    "minus before": ({"fields": _with(1, padding="-", align="right")}, "bad-value", "`-` could be a part of a value"),
    "digits before": ({"fields": _with(1, padding="9", align="right")}, "bad-value", "`9` could be a part of a value"),
    "padding of another encoding": (
        {"encoding": "us-ascii", "fields": _with(0, padding="\u00a0", align="left")},
        "bad-value",
        "cannot be written in us-ascii",
    ),
    "nothing may be short": ({"shortLines": "accept", "fields": _with(2, align="any")}, "bad-value", "allows nothing"),
    "bytes of UTF-16": ({"unit": "bytes", "encoding": "utf-16le"}, "not-built-yet", "Positions in bytes of utf-16le"),
    "an unknown part": (
        {"leader": {"begins": "H", "is": [{"start": 2, "length": 8, "text": "{day}"}]}},
        "bad-value",
        "without the part `day`",
    ),
    "leader like records": (
        {"leader": {"begins": "D"}, "record": {"begins": "D"}},
        "bad-value",
        "both leader and record",
    ),
    "leader like trailer": ({"leader": {"begins": "A"}, "trailer": {"begins": "AB"}}, "bad-value", "both"),
    "record of another encoding": (
        {"encoding": "us-ascii", "record": {"begins": "Ä"}},
        "bad-value",
        "cannot be written in us-ascii",
    ),
    "a trailer without begin": ({"trailer": {"rows": {"start": 2, "length": 3}}}, "missing-key", "begins"),
    "a stretch of zero": ({"trailer": {"begins": "T", "rows": {"start": 0, "length": 3}}}, "bad-value", "position"),
    "a sum of text": (
        {"trailer": {"begins": "T", "sums": {"holder": {"start": 2, "length": 3}}}},
        "bad-value",
        "`holder`",
    ),
    "a sum of nothing": (
        {"trailer": {"begins": "T", "sums": {"x": {"start": 2, "length": 3}}}},
        "unknown-property",
        "`x`",
    ),
    "an unknown key": ({"widths": [1]}, "unknown-key", "no key `widths`"),
    "an unknown unit": ({"unit": "byte"}, "unknown-value", "`byte` is not a value of `fixed.unit`"),
    "an unknown encoding": ({"encoding": "cp1047"}, "unknown-value", "is not a value of `fixed.encoding`"),
}


@pytest.mark.parametrize("name", BAD)
def test_faults_of_a_layout_are_findings(name: str) -> None:
    fixed, code, part = BAD[name]
    findings = [(f.code, f.message) for f in compiled(fixed).findings if f.level == "error"]

    assert [(c, m) for c, m in findings if c == code and part in m], findings


@pytest.mark.parametrize(
    ("block", "code", "part"),
    [
        ({"fixed": None}, "missing-key", "`format: fixed` has no layout"),
        ({"format": "csv"}, "bad-value", "`fixed` means nothing for the format csv"),
        ({"format": "jsonl", "values": None}, "bad-value", "`fixed` means nothing for the format jsonl"),
        ({"csv": {"delimiter": ";"}}, "bad-value", "`csv` means nothing for the format fixed"),
        ({"columns": {"extra": "ignore"}}, "bad-value", "`columns.extra` means nothing"),
        ({"columns": {"match": "anyCase"}}, "bad-value", "`columns.match` means nothing"),
        ({"promote": "rows"}, "not-built-yet", "Valid rows of the format fixed"),
        ({"values": {"columns": {"x": {"trim": True}}}}, "unknown-property", "no property `x`"),
        ({"references": {"r": {"file": "r.txt", "format": "fixed"}}}, "not-built-yet", "references.r.format"),
    ],
)
def test_other_keys_are_held_against_the_layout(block: dict[str, Any], code: str, part: str) -> None:
    findings = [(f.code, f.message) for f in compiled(**block).findings if f.level == "error"]

    assert [(c, m) for c, m in findings if c == code and part in m], findings


def test_decimal_comma_is_no_delimiter() -> None:
    made = compiled(values={"columns": {"amount": {"decimalChar": ",", "groupChar": "."}}})

    assert made.plan
    assert made.findings == ()


def test_objects_have_no_field() -> None:
    inner = {"name": "holder", "logicalType": "object", "properties": [{"name": "x", "logicalType": "string"}]}
    findings = [f.message for f in compiled(properties=[*PROPERTIES[:2], inner]).findings if f.level == "error"]

    assert "`holder` is an object, and a field of a line is one text." in findings
