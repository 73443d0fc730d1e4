"""Plain objects of JSON are cut as a parser would read them, and nothing else is taken for one."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pyarrow as pa
import pytest

from contracts.plan import Plan
from spark_jobs.prefilter import cell_tests, plain_objects, plan_tests
from spark_jobs.prefilter.arrow_tests import PassCondition
from tests.integration.spark_jobs.world import a_check, a_plan, a_property

PLAN = a_plan(
    (
        a_property("id", "integer"),
        a_property("wind", "number"),
        a_property("price", "number", exact=(7, 2)),
        a_property("day", "date"),
        a_property("open", "boolean"),
        a_property("note"),
    ),
    (
        *(a_check("required", name) for name in ("id", "wind", "day", "open", "note")),
        a_check("maximum", "id", value="9"),
        a_check("maximum", "wind", value="9"),
        a_check("maximum", "price", value="9"),
        a_check("minimum", "day", value="2024-01-01"),
    ),
    file_format="jsonl",
    columns_extra="ignore",
)
HEADER = ("id", "wind", "price", "day", "open", "note", "m,re", ":")
COMPACT, SPACED = (",", ":"), (", ", ": ")
OBJECT = {"id": 1, "wind": 2.5, "price": 1.25, "day": "2024-01-31", "open": True, "note": "a,b", "m,re": 7, ":": "x"}


def condition(plan: Plan = PLAN, header: tuple[str, ...] = HEADER) -> PassCondition:
    """The condition of a plan of JSON Lines, which has plain objects."""
    made = plan_tests.pass_condition(plan, header, ())
    assert made
    assert made.plain
    return made


def plain(lines: list[bytes], of: PassCondition) -> tuple[list[bool], list[dict[str, object]]]:
    """Return which lines are plain, and the values of those."""
    assert of.plain
    raw = pa.array([line + b"\n" for line in lines], pa.binary()).view(pa.string())
    types = {str(column.at): pa.string() if column.reading else column.type for column in of.tested}
    are_plain, table = plain_objects.read(raw, pa.array([True] * len(raw)), of.plain, types)
    return are_plain.to_pylist(), table.rename_columns([HEADER[int(n)] for n in types]).to_pylist()


@pytest.mark.parametrize("signs", [COMPACT, SPACED, (",", ": "), (", ", ":")])
@pytest.mark.parametrize("end", ["", "\r"])
def test_plain_objects_have_the_values_that_a_parser_reads(signs: tuple[str, str], end: str) -> None:
    chance = Random(str(signs))
    values: dict[str, tuple[object, ...]] = {
        "id": (0, -1, 10**17),
        "wind": (0, 1e-5, -0.0, 1e9, 2, 0.1 + 0.2),
        "price": (1, 0.5, -99999.99),
        "day": ("2024-01-31", "0999-01-01", "1000-12-31"),
        "open": (True, False),
        "note": ("", " ", "a,b", "é}", "x ", ': {"', "null", "true", "\U0001f600", ", ", ":"),
        "m,re": (True, "a", 1.5, 7),
        ":": ("x", ":", 0),
    }
    made = [{key: chance.choice((*own, None)) for key, own in values.items()} for _ in range(2_000)]
    lines = [json.dumps(each, ensure_ascii=False, separators=signs) + end for each in made]
    are_plain, read = plain([line.encode() for line in lines], condition())

    kept = [each for each, line, is_plain in zip(made, lines, are_plain, strict=True) if is_plain]
    assert len(kept) > 500
    for own, row in zip(kept, read, strict=True):
        assert {key: own[key] for key in ("id", "wind", "day", "open", "note")} == {
            key: row[key] for key in ("id", "wind", "day", "open", "note")
        }
        assert (row["price"] is None) == (own["price"] is None)
        assert row["price"] is None or float(str(row["price"])) == own["price"]


def a_line(**members: object) -> bytes:
    """Write an object with some other members."""
    return json.dumps({**OBJECT, **members}, separators=COMPACT, ensure_ascii=False).encode()


NO_PLAIN = {
    "key left out": a_line().replace(b'"open":true,', b""),
    "key twice": a_line()[:-1] + b',"id":1}',
    "keys in another order": a_line().replace(b'"id":1,"wind":2.5', b'"wind":2.5,"id":1'),
    "key as its neighbour": a_line().replace(b'"wind"', b'"price"'),
    "key with an escape": a_line().replace(b'"id"', b'"\\u0069d"'),
    "text ends with a comma": a_line(note="a,"),
    "text with an escape": a_line(note='a"b'),
    "text with a tab": a_line().replace(b"a,b", b"a\tb"),
    "text with a NUL": a_line().replace(b"a,b", b"a\0b"),
    "text that is none": a_line().replace(b"a,b", b"a\xffb"),
    "number as text": a_line(wind="2.5"),
    "text as number": a_line(note=1),
    "boolean as number": a_line(wind=True),
    "boolean as integer": a_line(id=True),
    "number as boolean": a_line(open=1),
    "fraction as integer": a_line(id=1.5),
    "exponent as integer": a_line(id=1e20),
    "too many digits": a_line(id=10**18),
    "too long a fraction": a_line(price=1.234),
    "too large": a_line(price=100000),
    "no date": a_line(day="2024-02-30"),
    "array": a_line(**{"m,re": [1]}),
    "object": a_line(**{"m,re": {}}),
    "leading zero": a_line().replace(b'"id":1,', b'"id":01,'),
    "plus": a_line().replace(b'"id":1,', b'"id":+1,'),
    "infinity": a_line().replace(b"2.5", b"1e999"),
    "not a number": a_line().replace(b"2.5", b"NaN"),
    "no value": a_line().replace(b"2.5", b""),
    "open": a_line()[:-1],
    "open with a comma": a_line()[:-1] + b",",
    "comma before the end": a_line()[:-1] + b",}",
    "text behind": a_line() + b" ",
    "object behind": a_line() + a_line(),
    "blank before a comma": a_line().replace(b",", b" ,", 1),
    "two blanks": a_line().replace(b":", b":  ", 1),
    "empty object": b"{}",
    "array of values": b"[]",
    "nothing": b"",
}


@pytest.mark.parametrize("line", NO_PLAIN.values(), ids=NO_PLAIN)
def test_any_other_line_is_not_plain_and_changes_no_neighbour(line: bytes) -> None:
    own = [a_line(), line, a_line(id=2, note=None)]

    assert plain(own, condition())[0] == [True, False, True]
    assert [row["id"] for row in plain(own, condition())[1]] == [1, 2]


@pytest.mark.parametrize("line", [line for name, line in NO_PLAIN.items() if name != "key left out"])
def test_first_line_that_is_not_plain_is_not_taken_for_one(line: bytes) -> None:
    assert plain([line, a_line(), line], condition())[0][::2] == [False, False]


def test_keys_that_the_first_object_lacks_are_null_in_all() -> None:
    few = b'{"wind":1,"note":"x"}'

    assert plain([few, a_line(), few], condition())[0] == [True, False, True]
    assert plain([few], condition())[1] == [
        {"id": None, "wind": 1.0, "price": None, "day": None, "open": None, "note": "x"}
    ]


def test_many_lines_of_which_few_are_plain_are_read_in_the_other_way() -> None:
    ends = [a_line(note="a,"), a_line(note="a,"), a_line()]
    lines = [a_line(), *(ends[n % 3] for n in range(plain_objects.MANY))]

    assert sum(plain(lines[: plain_objects.MANY], condition())[0]) > 300
    assert sum(plain(lines, condition())[0]) == 0
    raw = pa.array([line + b"\n" for line in lines], pa.binary()).view(pa.string())
    shaped, cells = cell_tests.shaped_cells(raw, pa.array(range(len(raw))), condition(), ended=True)
    assert shaped.true_count == len(lines)
    assert cells.column("5").to_pylist() == [json.loads(line)["note"] for line in lines]


def test_objects_without_any_key_are_left_to_spark() -> None:
    plan = a_plan((), (), file_format="jsonl", columns_extra="ignore")
    raw = pa.array(["{}\n", "{}\n"])
    shaped, _ = cell_tests.shaped_cells(raw, pa.array([0, 1]), condition(plan, ()), ended=True)

    assert shaped.true_count == 0


def test_values_of_plain_and_of_other_objects_keep_the_order_of_their_lines() -> None:
    lines = [a_line(id=n) if n % 3 else a_line(id=n).replace(b'"open":true,', b"") for n in range(9)]
    raw = pa.array([*(line + b"\n" for line in lines), b"{\n"], pa.binary()).view(pa.string())
    shaped, cells = cell_tests.shaped_cells(raw, pa.array(range(10)), condition(), ended=True)

    assert shaped.to_pylist() == [*[True] * 9, False]
    assert cells.column("0").to_pylist() == list(range(9))
    assert cells.column("4").to_pylist() == [None if n % 3 == 0 else True for n in range(9)]


def test_columns_without_a_test_are_of_their_types_nevertheless() -> None:
    plan = replace(PLAN, checks=())
    lines = [a_line(), a_line(id="1"), a_line(wind="1"), a_line(price="1"), a_line(day=1), a_line(open=1)]
    raw = pa.array([line + b"\n" for line in lines], pa.binary()).view(pa.string())
    bare = replace(condition(plan), tested=())
    shaped, _ = cell_tests.shaped_cells(raw, pa.array(range(len(raw))), bare, ended=True)

    assert shaped.to_pylist() == [True, *[False] * 5]


def test_object_with_one_key_is_plain() -> None:
    plan = a_plan([a_property("id", "integer")], [a_check("required", "id")], file_format="jsonl")

    assert plain([b'{"id": 1}', b'{"id":2}', b'{"id": 3}'], condition(plan, ("id",))) == (
        [True, False, True],
        [{"id": 1}, {"id": 3}],
    )


@pytest.mark.parametrize(("note", "signs"), [("a ", COMPACT), ("a, ", COMPACT), ("a,", SPACED), (",", SPACED)])
def test_texts_may_end_like_the_comma_of_other_files(note: str, signs: tuple[str, str]) -> None:
    line = json.dumps({**OBJECT, "note": note}, separators=signs).encode()

    assert plain([line], condition())[0] == [True]
    assert plain([line], condition())[1][0]["note"] == note


@pytest.mark.parametrize(("note", "signs"), [(",", COMPACT), ("a, ", SPACED)])
def test_text_that_ends_like_the_comma_of_its_file_is_not_plain(note: str, signs: tuple[str, str]) -> None:
    line = json.dumps({**OBJECT, "note": note}, separators=signs).encode()

    assert plain([line], condition())[0] == [False]


def test_objects_with_keys_that_none_may_have_are_not_plain() -> None:
    plan = replace(PLAN, columns=replace(PLAN.columns, extra="reject"))
    agreed = {key: value for key, value in OBJECT.items() if key not in ("m,re", ":")}

    assert plain([a_line()], condition(plan))[0] == [False]
    assert plain([json.dumps(agreed).encode(), a_line()], condition(plan))[0] == [True, False]
