"""Two layouts of fixed width: the changes between them, and whom each of them breaks."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.authoring.diff.compare import compare
from tests.layouts import FIELDS, PROPERTIES, compiled

TRAILER = {"begins": "T", "rows": {"start": 2, "length": 6}}
WITH_SUM = TRAILER | {"sums": {"amount": {"start": 8, "length": 9}}}
BASE: dict[str, Any] = {"length": 22}


def _with(n: int, **more: Any) -> dict[str, Any]:
    return {"fields": [field | (more if at == n else {}) for at, field in enumerate(FIELDS)]}


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], str, str, str]] = {
    "moved": ({}, _with(2, start=17), "fields.holder", "both", "is at 17-21, on the left, and was at 16-20"),
    "resized": ({}, _with(2, length=6), "fields.holder", "both", "is at 16-21"),
    "padding": ({}, _with(0, padding="0", align="right"), "fields.account", "both", "filled up with `0`"),
    "side": ({}, _with(2, align="any"), "fields.holder", "both", "is at 16-20, and was at 16-20, on the left"),
    "length": ({}, {"length": 23}, "length", "both", "is `23`, and was `22`"),
    "encoding": ({}, {"encoding": "cp932"}, "encoding", "both", "is `cp932`"),
    "unit": ({}, {"unit": "bytes"}, "unit", "both", "is `bytes`"),
    "short lines": ({}, {"shortLines": "accept"}, "shortLines", "loosens", "is `accept`"),
    "no short lines": ({"shortLines": "accept"}, {}, "shortLines", "tightens", "is `reject`"),
    "mojibake": ({}, {"mojibake": "ignore"}, "mojibake", "loosens", "is `ignore`"),
    "records": ({}, {"record": {"begins": "D"}}, "record", "tightens", "is `D`"),
    "other records": ({"record": {"begins": "D"}}, {"record": {"begins": "E"}}, "record", "both", "is `E`"),
    "leader": ({}, {"leader": {"begins": "H"}}, "leader", "both", "is `H`, and was `none`"),
    "trailer": ({}, {"trailer": TRAILER}, "trailer", "both", "the number of records at 2-7"),
    "a sum more": ({"trailer": TRAILER}, {"trailer": WITH_SUM}, "trailer", "tightens", "the sum of amount at 8-16"),
    "a sum less": ({"trailer": WITH_SUM}, {"trailer": TRAILER}, "trailer", "loosens", ""),
    "a moved figure": (
        {"trailer": TRAILER},
        {"trailer": TRAILER | {"rows": {"start": 3, "length": 6}}},
        "trailer",
        "both",
        "at 3-8",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_of_a_layout_has_a_direction(name: str) -> None:
    before, after, path, direction, part = CHANGES[name]
    changes = compare(compiled(BASE | before), compiled(BASE | after)).changes
    (change,) = [one for one in changes if one.kind == "layout"]

    assert (change.path, change.direction) == (f"fixed.{path}", direction)
    assert part in change.message


@pytest.mark.parametrize(
    ("more", "way"), [({"shortLines": "accept"}, "loosens"), ({"record": {"begins": "D"}}, "tightens")]
)
def test_lines_that_are_tolerated_may_keep_a_file_from_being_rejected(more: dict[str, Any], way: str) -> None:
    every: list[tuple[dict[str, Any], str]]
    every = [({}, way), ({"tolerance": {"rows": 1}}, "both"), ({"tolerance": {"rows": 0}}, way)]
    for settings, wanted in every:
        there = compare(compiled(BASE, **settings), compiled(BASE | more, **settings)).changes
        assert {one.direction for one in there} == {wanted}


def test_equal_layouts_have_no_changes() -> None:
    assert compare(compiled(BASE), compiled(BASE)).changes == ()


def test_null_words_of_all_fields_are_a_change() -> None:
    changes = compare(compiled(BASE), compiled(BASE, values={"nullValues": ["", "-"]})).changes

    assert ("values.nullValues", "both") in [(one.path, one.direction) for one in changes]


def test_optional_field_where_nothing_was_read_breaks_no_producer() -> None:
    fields = [*FIELDS, {"property": "note", "start": 1, "length": 1}]
    more = [*PROPERTIES, {"name": "note", "logicalType": "string"}]
    (change,) = compare(compiled(BASE), compiled(BASE | {"fields": fields}, more)).changes

    assert (change.kind, change.direction, change.producer) == ("property-added", "none", "compatible")
