"""Dataclasses to JSON and back: exact, strict, and errors that name their place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

import pytest

from contracts import codec
from contracts.errors import DocumentInvalid


@dataclass(frozen=True, slots=True)
class Part:
    """A value within another."""

    name: str
    price: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Whole:
    """A value with one field of every shape."""

    count: int
    kind: Literal["a", "b"]
    parts: tuple[Part, ...] = ()
    pairs: tuple[tuple[str, int], ...] = ()
    by_name: dict[str, Part] = field(default_factory=dict)
    fine: bool = True
    format: Literal[1] = 1


WHOLE = Whole(
    2,
    "a",
    (Part("x", Decimal("0.10")), Part("y")),
    (("one", 1),),
    {"z": Part("z", Decimal("12345678901234567890.5"))},
    fine=False,
)


def test_value_comes_back_as_it_was() -> None:
    assert codec.loads(Whole, codec.canonical(WHOLE), "it") == WHOLE


def test_decimals_keep_their_digits() -> None:
    assert '"price":"0.10"' in codec.canonical(WHOLE)


def test_canonical_text_has_sorted_keys_and_no_blanks() -> None:
    assert codec.canonical({"b": [1, 2], "a": "é"}) == '{"a":"é","b":[1,2]}'


def test_value_that_a_list_holds_twice_is_written_twice() -> None:
    part = Part("x", Decimal("0.10"))
    shared, others = (part, Part("y"), part), (part, Part("y"), Part("x", Decimal("0.10")))
    assert codec.canonical(shared) == codec.canonical(others)
    assert codec.canonical(shared).count('"0.10"') == 2


def test_equal_values_have_equal_hashes() -> None:
    assert codec.sha256({"a": 1, "b": 2}) == codec.sha256({"b": 2, "a": 1})


def test_what_has_a_default_may_be_absent() -> None:
    assert codec.decode(Whole, {"count": 1, "kind": "b"}) == Whole(1, "b")


WRONG = {
    "no object": ([], "it is of type list, expected an object"),
    "unknown key": ({"count": 1, "kind": "a", "colour": 1}, "it has the unknown key 'colour'"),
    "missing key": ({"count": 1}, "it lacks 'kind'"),
    "other type": ({"count": "1", "kind": "a"}, "it.count is of type str, expected int"),
    "truth for a number": ({"count": True, "kind": "a"}, "it.count is of type bool, expected int"),
    "number for a truth": ({"count": 1, "kind": "a", "fine": 1}, "it.fine is of type int, expected bool"),
    "word that is none": ({"count": 1, "kind": "c"}, "it.kind is 'c', expected one of"),
    "later format": ({"count": 1, "kind": "a", "format": 2}, "it.format is 2, expected one of"),
    "truth for a format": ({"count": 1, "kind": "a", "format": True}, "it.format is True, expected one of"),
    "no list": ({"count": 1, "kind": "a", "parts": {}}, "it.parts is of type dict, expected a list"),
    "pair of three": ({"count": 1, "kind": "a", "pairs": [["a", 1, 2]]}, "it.pairs[0] is"),
    "deep inside": ({"count": 1, "kind": "a", "parts": [{"name": None}]}, "it.parts[0].name is of type NoneType"),
    "number that is none": (
        {"count": 1, "kind": "a", "parts": [{"name": "x", "price": "1,5"}]},
        "it.parts[0].price is",
    ),
    "number that was rounded": ({"count": 1, "kind": "a", "parts": [{"name": "x", "price": 0.1}]}, "a number as text"),
    "no mapping": ({"count": 1, "kind": "a", "by_name": []}, "it.by_name is of type list, expected an object"),
}


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_document_names_its_place(data: object, message: str) -> None:
    with pytest.raises(DocumentInvalid) as caught:
        codec.decode(Whole, data, "it")
    assert message in str(caught.value)


def test_value_that_does_not_fit_is_not_told() -> None:
    for wrong in ({"count": "secret"}, {"count": 1, "kind": "a", "parts": [{"name": ["secret"]}]}):
        with pytest.raises(DocumentInvalid) as caught:
            codec.decode(Whole, {"kind": "a"} | wrong, "it")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", b"\xff"])
def test_what_is_no_json_is_said(text: str | bytes) -> None:
    with pytest.raises(DocumentInvalid, match="it is not JSON"):
        codec.loads(Whole, text, "it")


@dataclass(frozen=True)
class Spot:
    """A part whose fields stand among those of its owner."""

    row: int
    column: int | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True)
class Marked:
    """An owner of a flat part that may be absent."""

    name: str
    at: Spot | None = field(default=None, metadata=codec.FLAT)


@dataclass(frozen=True)
class Placed:
    """An owner of a flat part."""

    at: Spot = field(metadata=codec.FLAT)


@pytest.mark.parametrize(
    ("value", "document"),
    [
        (Marked("a"), {"name": "a", "row": None}),
        (Marked("a", Spot(0)), {"name": "a", "row": 0}),
        (Marked("a", Spot(3, 5)), {"name": "a", "row": 3, "column": 5}),
        (Placed(Spot(3, 5)), {"row": 3, "column": 5}),
    ],
)
def test_fields_of_a_flat_part_stand_among_its_owners(value: object, document: dict[str, object]) -> None:
    assert codec.encode(value) == document
    assert codec.decode(type(value), document) == value


@pytest.mark.parametrize(
    ("cls", "document", "why"),
    [
        (Marked, {"name": "a", "column": 5}, "lacks 'row'"),
        (Placed, {}, "lacks 'row'"),
        (Placed, {"row": None}, "lacks 'row'"),
        (Marked, {"name": "a", "row": "3"}, ".row is of type str"),
        (Marked, {"name": "a", "at": None}, "unknown key 'at'"),
    ],
)
def test_flat_part_that_does_not_fit_is_refused(cls: type, document: dict[str, object], why: str) -> None:
    with pytest.raises(DocumentInvalid, match=re.escape(why)):
        codec.decode(cls, document)


def test_absent_flat_part_may_be_left_out() -> None:
    assert codec.decode(Marked, {"name": "a"}) == Marked("a")


@dataclass(frozen=True, slots=True)
class Low:
    """One class of a tagged field."""

    value: str


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Another one, with a field that may be absent."""

    values: tuple[str, ...]
    longest: int | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a tagged field, and a field among its arguments."""

    id: str
    rule: Low | AnyOf = field(metadata=codec.TAGGED)
    part: Part | None = field(default=None, metadata=codec.ARGUMENT)


@pytest.mark.parametrize(
    ("value", "document"),
    [
        (Tagged("a", Low("1")), {"id": "a", "kind": "low", "arguments": {"value": "1"}}),
        (Tagged("a", AnyOf(("x",))), {"id": "a", "kind": "anyOf", "arguments": {"values": ["x"]}}),
        (
            Tagged("a", AnyOf((), 3), Part("p")),
            {
                "id": "a",
                "kind": "anyOf",
                "arguments": {"values": [], "longest": 3, "part": {"name": "p", "price": None}},
            },
        ),
    ],
)
def test_tagged_field_is_a_kind_and_its_arguments(value: Tagged, document: dict[str, object]) -> None:
    assert codec.encode(value) == document
    assert codec.decode(Tagged, document) == value


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"id": "a", "arguments": {}}, "it lacks 'kind'"),
        ({"id": "a", "kind": "low"}, "it lacks 'arguments'"),
        ({"id": "a", "kind": "high", "arguments": {}}, "it.kind is 'high', expected one of"),
        ({"id": "a", "kind": "low", "arguments": []}, "it.arguments is of type list"),
        ({"id": "a", "kind": "low", "arguments": {}}, "it.arguments lacks 'value'"),
        ({"id": "a", "kind": "low", "arguments": {"value": 1}}, "it.arguments.value is of type int, expected str"),
        ({"id": "a", "kind": "low", "arguments": {"value": "1", "longest": 2}}, "it.arguments has the unknown key"),
        ({"id": "a", "kind": "low", "arguments": {"value": "1", "part": {}}}, "it.arguments.part lacks 'name'"),
        ({"id": "a", "kind": "low", "rule": {}, "arguments": {"value": "1"}}, "it has the unknown key 'rule'"),
    ],
)
def test_tagged_field_that_does_not_fit_names_its_place(document: dict[str, object], message: str) -> None:
    with pytest.raises(DocumentInvalid, match=re.escape(message)):
        codec.decode(Tagged, document, "it")


Early = Literal["a", "b"]


@dataclass(frozen=True)
class Worded:
    """A value with a word of two lists."""

    word: Early | Literal["c"]
    other: Early | Literal["c"] | None = None


@pytest.mark.parametrize("value", [Worded("a"), Worded("c", "b"), Worded("b", "c")])
def test_two_lists_of_words_are_one(value: Worded) -> None:
    assert codec.decode(Worded, codec.encode(value)) == value


def test_word_of_no_list_is_refused() -> None:
    with pytest.raises(DocumentInvalid, match=re.escape("word is 'd', expected one of ('a', 'b', 'c')")):
        codec.decode(Worded, {"word": "d"})
