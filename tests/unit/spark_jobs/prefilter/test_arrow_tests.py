"""The prefilter of lines against the oracle: its counts are right; lines that do not pass come out unchanged."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby, pairwise
from operator import add
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.authoring.patterns.regex import LONGEST, to_java
from contracts.plan import Csv, LogicalType, Property
from spark_jobs.counting import bitmask
from spark_jobs.prefilter import arrow_tests, plan_tests, prefilter
from spark_jobs.prefilter.stretch_counts import StretchCounts, key_parsers
from tests.integration.spark_jobs.world import a_check, a_plan, a_property
from tests.oracle import provable
from tests.oracle.provable import Made

Place = tuple[str, int]
NAMES = ("file", "block", "id", "line")


@dataclass(frozen=True)
class Line:
    """A line with its place; an empty line has no id."""

    place: Place
    id: int | None
    text: str


Sums = dict[tuple[str, int], tuple[int, ...]]
"""The number of lines of a file that fail the checks of a mask, and their nulls by property."""


@dataclass(frozen=True)
class Counted:
    """Counts of lines: the place, how many pass, the first id, nulls by property; odd, empty, header, failing."""

    place: Place
    n: int
    first: int | None
    nulls: tuple[int, ...]
    odd: int = 0
    blank: int = 0
    head: tuple[int, str] | None = None
    failing: int = 0


def a_batch(lines: Sequence[Line]) -> pa.RecordBatch:
    """Make a batch of lines as Spark does, whatever their bytes are."""
    raw = pa.array([line.text.encode("utf-8", "surrogateescape") for line in lines], pa.binary())
    columns = [
        pa.array([line.place[0] for line in lines], pa.string()),
        pa.array([line.place[1] for line in lines], pa.int64()),
        pa.array([line.id for line in lines], pa.int64()),
        raw.view(pa.string()),
    ]
    return pa.record_batch(columns, list(NAMES))


def prefiltered(
    lines: Sequence[Line], condition: arrow_tests.PassCondition
) -> tuple[dict[Line, int | None], list[Counted]]:
    """Evaluate one batch: the lines that do not pass with their masks, None if that is not sure; and the counts."""
    rows = [row for batch in arrow_tests.evaluate_batches([a_batch(lines)], condition) for row in _rows(batch)]
    others = {
        Line((row["file"], row["block"]), row["id"], row["line"]): row["mask"] and mask(row["mask"])
        for row in rows
        if row["n"] is None
    }
    return others, [_counted(row) for row in rows if row["n"] is not None and row["mask"] is None]


def summed(batches: Sequence[Sequence[Line]], condition: arrow_tests.PassCondition) -> Sums:
    """Return the sums of failing lines, in a partition of some batches."""
    rows = [row for batch in arrow_tests.evaluate_batches(map(a_batch, batches), condition) for row in _rows(batch)]
    sums = [row for row in rows if row["n"] is not None and row["mask"] is not None]
    assert sums == rows[len(rows) - len(sums) :]
    assert {name for row in sums for name, value in row.items() if value is not None} <= {"file", "mask", "n", "sums"}
    by_mask = {(row["file"], mask(row["mask"])): (row["n"], *row["sums"]) for row in sums}
    assert len(by_mask) == len(sums)
    return by_mask


def mask(columns: Sequence[int]) -> int:
    """Join the columns of a mask into a number."""
    assert all(0 <= column < 2**bitmask.WIDTH for column in columns)
    return bitmask.joined(columns)


def _counted(row: dict[str, Any]) -> Counted:
    assert row["id"] is None
    assert row["mask"] is None
    head = None if row["head"] is None else (row["head"], row["line"])
    assert head or row["line"] is None
    counts = (row["n"], row["first"], tuple(row["sums"]), row["odd"], row["blank"])
    return Counted((row["file"], row["block"]), *counts, head, row["failing"])


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    assert batch.schema == arrow_tests.SCHEMA
    at = batch.schema.get_field_index("line")
    raw = batch.set_column(at, "line", batch.column(at).view(pa.binary()))
    for row in raw.to_pylist():
        text = row["line"]
        yield row | {"line": None if text is None else text.decode("utf-8", "surrogateescape")}


def expected(made: Made, lines: Sequence[Line], odd: set[int | None]) -> tuple[list[Counted], Sums, dict[Line, int]]:
    """Return the oracle's results for lines that are not odd: counts by place, sums, and the masks of failing lines."""
    counts: list[Counted] = []
    sums: Sums = {}
    failing = {}
    for place, stretch in groupby(lines, key=lambda line: line.place):
        own = list(stretch)
        there = [line for line in own if line.id is not None]
        head = there[0] if place[1] == 0 and there and there[0].text in made.texts else None
        passing = [tuple(made.nulls(None))]
        for line in there:
            if line.id not in odd and line is not head:
                record = made.record(line.text)
                assert record, line.text
                if fails := made.failing(record):
                    failing[line] = fails
                    more = (1, *made.nulls(record))
                    sums[place[0], fails] = tuple(map(add, sums.get((place[0], fails), (0,) * len(more)), more))
                else:
                    passing.append(tuple(made.nulls(record)))
        counts.append(
            Counted(
                place,
                len(passing) - 1,
                there[0].id if there else None,
                tuple(map(sum, zip(*passing, strict=True))),
                sum(line.id in odd for line in there),
                len(own) - len(there),
                (head.id or 0, head.text) if head else None,
                sum(line in failing for line in there),
            )
        )
    return counts, sums, failing


@st.composite
def cases(draw: st.DrawFn) -> tuple[Made, list[Line]]:
    """Draw a contract, and lines in several stretches of files."""
    made = draw(provable.contracts())
    texts = draw(st.lists(provable.lines(made), min_size=1, max_size=12))
    places = draw(st.lists(st.sampled_from([("a", 0), ("a", 64), ("b", 0)]), min_size=len(texts), max_size=len(texts)))
    placed = zip(sorted(places), texts, strict=True)
    return made, [Line(place, n * 3 + 1 if text else None, text) for n, (place, text) in enumerate(placed)]


@given(cases())
@settings(derandomize=True, max_examples=40)
def test_counts_and_masks_are_those_of_the_oracle(case: tuple[Made, list[Line]]) -> None:
    hold(*case)


@given(cases())
@settings(derandomize=True, max_examples=400)
def test_counts_and_masks_of_many_lines_are_those_of_the_oracle(case: tuple[Made, list[Line]]) -> None:
    hold(*case)


def hold(made: Made, lines: list[Line]) -> None:
    """Hold the prefilter's counts and masks of lines against the oracle's."""
    condition = plan_tests.pass_condition(made.plan, made.header, made.texts)
    assume(condition)
    assert condition
    condition = plan_tests.with_looser(condition, made.plan, made.header, made.texts)
    others, counts = prefiltered(lines, condition)
    assert list(others) == [line for line in lines if line in others]
    odd = {line.id for line, fails in others.items() if fails is None}
    failing = {line: fails for line, fails in others.items() if fails is not None}
    assert (counts, summed([lines], condition), failing) == expected(made, lines, odd)


PLAN = a_plan(
    [a_property("id", "integer"), a_property("state")],
    [a_check("required", "id"), a_check("minimum", "id", value="0"), a_check("maxLength", "state", value=2)],
)
CONDITION = prefilter.pass_condition(PLAN, ("id", "state"), ["id,state"])
GOOD = "1,SP"
LOW, MUCH, MISSING = (
    1 << [c.kind for c in PLAN.row_checks()].index(kind) for kind in ("minimum", "maxLength", "required")
)
"""The checks of the plan that a line may surely fail, as masks."""


def of(*texts: str, place: Place = ("a", 0), first: int = 1) -> list[Line]:
    """Make lines in a row at one place."""
    return [Line(place, first + n, text) for n, text in enumerate(texts)]


def held(lines: Sequence[Line]) -> tuple[dict[Line, int | None], list[Counted]]:
    """Evaluate lines of a plan of two properties."""
    assert CONDITION
    return prefiltered(lines, CONDITION)


def test_good_lines_are_counted() -> None:
    assert held(of(GOOD, "2,", "30,é")) == ({}, [Counted(("a", 0), 3, 1, (1,))])


def test_stretches_of_files_and_blocks_are_counted_apart() -> None:
    lines = [
        *of(GOOD, GOOD),
        *of("x,", GOOD, place=("a", 64), first=2**33),
        *of(GOOD, place=("b", 64), first=7),
        *of("-1,SP", place=("b", 128), first=3),
        *of("2,", place=("c", 128), first=3),
    ]
    assert held(lines) == (
        {lines[2]: None, lines[5]: LOW},
        [
            Counted(("a", 0), 2, 1, (0,)),
            Counted(("a", 64), 1, 2**33, (0,), odd=1),
            Counted(("b", 64), 1, 7, (0,)),
            Counted(("b", 128), 0, 3, (0,), failing=1),
            Counted(("c", 128), 1, 3, (1,)),
        ],
    )


def test_column_of_nulls_alone_is_counted() -> None:
    plan = a_plan([a_property("wind", "number")], [a_check("minimum", "wind", value="0")], Csv(null_values=("NA",)))
    condition = plan_tests.pass_condition(plan, ("wind",), ["wind"])
    assert condition
    assert prefiltered(of("NA", "NA"), condition) == ({}, [Counted(("a", 0), 2, 1, (2,))])


@pytest.mark.parametrize(
    "text",
    ["x,SP", "x,", "1", "1,SP,", '1,"SP', '1,S"P"', '1,"S""P"', "1,S\0", "id,state", "+1,SP", "x,SPX", "1,S\0P"],
)
def test_line_that_does_not_surely_pass_comes_out_unchanged(text: str) -> None:
    lines = of(text, place=("a", 64))
    assert held(lines) == ({lines[0]: None}, [Counted(("a", 64), 0, 1, (0,), odd=1)])
    lines = of(text, GOOD, text, place=("a", 64))
    assert held(lines) == ({lines[0]: None, lines[2]: None}, [Counted(("a", 64), 1, 1, (0,), odd=2)])


FAILING = {
    "-1,": (LOW, 1),
    "1,SPX": (MUCH, 0),
    '"-1",SPX': (LOW | MUCH, 0),
    ",SP": (MISSING, 0),
    '"",': (MISSING, 1),
    ',"SPX"': (MISSING | MUCH, 0),
}
"""Lines with the checks that they fail, and their nulls in the second column."""


@pytest.mark.parametrize("text", FAILING)
def test_line_that_surely_fails_has_a_mask(text: str) -> None:
    bit, nulls = FAILING[text]
    lines = of(text, GOOD, "x,SPX", text, place=("a", 64))
    counted = Counted(("a", 64), 1, 1, (0,), odd=1, failing=2)
    assert held(lines) == ({lines[0]: bit, lines[2]: None, lines[3]: bit}, [counted])
    assert CONDITION
    assert summed([lines], CONDITION) == {("a", bit): (2, 2 * nulls)}


def test_lines_of_both_shapes_that_fail_keep_their_places() -> None:
    lines = of(",SP", "-1,", GOOD, ",", "1,SPX", "x,", "", '"",SPX')
    masks = {0: MISSING, 1: LOW, 3: MISSING, 4: MUCH, 5: None, 7: MISSING | MUCH}
    empty = [replace(line, id=None) if not line.text else line for line in lines]
    counted = Counted(("a", 0), 1, 1, (0,), odd=1, blank=1, failing=5)
    assert held(empty) == ({lines[n]: fails for n, fails in masks.items()}, [counted])
    assert CONDITION
    assert summed([empty], CONDITION) == {
        ("a", MISSING): (2, 1), ("a", LOW): (1, 1), ("a", MUCH): (1, 0), ("a", MISSING | MUCH): (1, 0)
    }  # fmt: skip


def test_workers_get_a_list_of_values_once() -> None:
    among = a_check("enum", "state", values=[f"value {n}" for n in range(10_000)])
    plan = replace(PLAN, checks=(*PLAN.checks, among))
    strict = plan_tests.pass_condition(plan, ("id", "state"), ["id,state"])
    assert strict
    both = plan_tests.with_looser(strict, plan, ("id", "state"), ["id,state"])
    assert both.looser
    assert len(pickle.dumps(both)) < 1.1 * len(pickle.dumps(strict))


def test_failing_lines_are_summed_by_file() -> None:
    assert CONDITION
    batches = [of("-1,", "1,SPX", GOOD), [*of("-1,SP", "-2,", first=4), *of("1,SPX", "-9,", place=("b", 64), first=6)]]
    assert summed(batches, CONDITION) == {
        ("a", LOW): (3, 2),
        ("a", MUCH): (1, 0),
        ("b", LOW): (1, 1),
        ("b", MUCH): (1, 0),
    }


def test_checks_of_a_second_mask_column_have_bits() -> None:
    many = [a_check("minimum", "id", value=str(-n)) for n in range(bitmask.WIDTH)]
    plan = a_plan([a_property("id", "integer")], many)
    assert len(bitmask.mask_columns(plan)) == 2
    condition = plan_tests.pass_condition(plan, ("id",), ["id"])
    assert condition
    lines = of("-1", f"-{2 * bitmask.WIDTH}", "7")
    before = len(plan.row_checks()) - bitmask.WIDTH
    first, every = 1 << before, (2**bitmask.WIDTH - 1) << before
    assert prefiltered(lines, condition) == (
        {lines[0]: first, lines[1]: every},
        [Counted(("a", 0), 1, 1, (0,), failing=2)],
    )
    assert summed([lines], condition) == {("a", first): (1, 0), ("a", every): (1, 0)}


def test_lines_with_rare_masks_are_odd() -> None:
    props = [a_property(f"n{n}", "integer") for n in range(8)]
    plan = a_plan(props, [a_check("minimum", p.name, value="0") for p in props])
    condition = plan_tests.pass_condition(plan, tuple(p.name for p in props), ["header"])
    assert condition
    kinds = [",".join("-1" if n >> k & 1 else "1" for k in range(8)) for n in range(1, 256)]
    batches = [of(*kinds[:60]), of(*kinds, *kinds[-20:], first=100), of(*kinds, first=1000)]
    rows = [row for batch in arrow_tests.evaluate_batches(map(a_batch, batches), condition) for row in _rows(batch)]
    failing = {row["line"] for row in rows if row["n"] is None and row["mask"]}
    assert failing == {*kinds[:60], *kinds[-20:], *kinds[60 : arrow_tests.MOST_MASKS - 20]}
    sums = summed(batches, condition)
    assert len(sums) == arrow_tests.MOST_MASKS
    counts = [row for row in rows if row["n"] is not None and row["mask"] is None]
    assert sum(row["failing"] for row in counts) == sum(n for n, *_ in sums.values())
    assert [row["failing"] + row["odd"] for row in counts] == [60, 275, 255]


def test_masks_that_are_not_sure_are_not_counted() -> None:
    pattern = a_check("pattern", "name", pattern=str(to_java("^(ab)+$")))
    props = [a_property(f"n{n}", "integer") for n in range(7)]
    plan = a_plan([a_property("name"), *props], [pattern, *(a_check("minimum", p.name, value="0") for p in props)])
    condition = plan_tests.pass_condition(plan, ("name", *(p.name for p in props)), ["header"])
    assert condition
    ends = [",".join("-1" if n >> k & 1 else "1" for k in range(7)) for n in range(128)]
    long = "ab" * (LONGEST // 2)
    others, _ = prefiltered(of(*(f"{long},{end}" for end in ends for _ in range(2)), f"ab,{ends[1]}"), condition)
    assert [line.text for line, fails in others.items() if fails is not None] == [f"ab,{ends[1]}"]


def test_length_that_only_java_may_exceed_is_not_sure() -> None:
    pattern = str(to_java("^(ab)+$"))
    assert str(LONGEST) in pattern
    plan = a_plan([a_property("name")], [a_check("pattern", "name", pattern=pattern)])
    condition = plan_tests.pass_condition(plan, ("name",), ["name"])
    assert condition
    short, near, wrong, both = lines = of("ab", "ab" * (LONGEST // 2), "aba", "a" * LONGEST)
    others, _ = prefiltered(lines, condition)
    assert others == {near: None, wrong: 1 << len(plan.row_checks()) - 1, both: None}
    assert short not in others


@pytest.mark.parametrize("raw", [b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"])
def test_bytes_that_are_no_text_are_not_counted(raw: bytes) -> None:
    lines = of(f"1,{raw.decode('utf-8', 'surrogateescape')}")
    assert held(lines) == ({lines[0]: None}, [Counted(("a", 0), 0, 1, (0,), odd=1)])


def test_a_header_is_the_first_line_of_a_file_that_is_not_empty() -> None:
    again = of("id,state", GOOD)
    lines = [Line(("a", 0), None, ""), *again, Line(("a", 0), 3, "id,state"), *of("id,state", place=("a", 64))]
    counted = Counted(("a", 0), 1, 1, (0,), odd=1, blank=1, head=(1, "id,state"))
    assert held(lines) == (dict.fromkeys(lines[3:]), [counted, Counted(("a", 64), 0, 1, (0,), odd=1)])


def test_a_header_is_searched_once_though_lines_come_in_batches() -> None:
    assert CONDITION
    batches = [a_batch([Line(("a", 0), None, "")]), a_batch(of(GOOD)), a_batch(of("id,state", first=2))]
    heads = [row["head"] for batch in arrow_tests.evaluate_batches(batches, CONDITION) for row in _rows(batch)]
    assert heads == [None] * 4


def test_first_line_of_a_file_without_header_is_a_record() -> None:
    condition = plan_tests.pass_condition(replace(PLAN, csv=Csv(header=False)), ("id", "state"), [GOOD])
    assert condition
    assert prefiltered(of(GOOD, GOOD), condition) == ({}, [Counted(("a", 0), 2, 1, (0,))])


KEYS: dict[str, tuple[LogicalType, list[str], list[str]]] = {
    "texts": ("string", ["a", "a0", "b", "é"], ["b", "a"]),
    "numbers": ("number", ["-1.0", "-0.5", "0.0", "1.25"], ["0.0", "-0.0"]),
    "integers": ("integer", ["-7", "2", "10"], ["7", "7"]),
    "days": ("date", ["2024-01-31", "2024-02-01"], ["2024-01-31", "2024-01-31"]),
}


@pytest.mark.parametrize("name", KEYS)
def test_each_run_of_ascending_keys_has_two_ends(name: str) -> None:
    kind, ascending, (first, second) = KEYS[name]
    condition = condition_of_keys(kind)
    assert ends_of_keys(condition, ascending) == [ascending[0], ascending[-1]]
    assert ends_of_keys(condition, [first, second]) == [first, first, second, second]
    assert ends_of_keys(condition, [*ascending[1:], ascending[0]]) == [ascending[1], ascending[-1], *ascending[:1] * 2]


@pytest.mark.parametrize(("sorts", "ends"), [(False, None), (True, ["1", "17"])])
def test_keys_in_many_runs_have_ends_only_if_they_are_sorted(sorts: bool, ends: list[str] | None) -> None:
    condition = replace(condition_of_keys("integer"), sorts=sorts)
    assert ends_of_keys(condition, [str(n) for n in range(17, 0, -1)]) == ends


@pytest.mark.parametrize("texts", [["1", "x"], ["", "1"], []])
def test_keys_with_a_null_or_an_odd_line_have_no_ends(texts: list[str]) -> None:
    assert ends_of_keys(condition_of_keys("integer"), texts or ["x"]) is None


def test_key_with_missing_values_is_not_compared() -> None:
    key = a_property("key", "integer")
    missing = a_check("missingValues", "key", values=["-9"], null=False)
    plan = a_plan([key], [a_check("unique", "key", scope="set"), missing])
    condition = plan_tests.pass_condition(plan, ("key",), ["key"])
    assert condition
    assert condition.keys == ()


VALUES: dict[str, tuple[Property, Callable[[str], Any], list[str]]] = {
    "texts": (
        a_property("key"),
        str,
        ["A", "a", "a ", "b", "é", "e\u0301", "\uff5e", "\U0001f600", '"a"'],
    ),
    "integers": (
        a_property("key", "integer"),
        int,
        ["-1", "0", "-0", "7", "007", "8", "10", "999999999999999998", "999999999999999999", '"8"'],
    ),
    "exact integers": (
        a_property("key", "integer", exact=(20, 0)),
        int,
        ["0", "-0", "7", "007", "18446744073709551614", "18446744073709551615"],
    ),
    "numbers": (
        a_property("key", "number"),
        float,
        ["-0", "0", "0.1", "0.10", "0.100000000000000006", "1.0", "9007199254740992", "9007199254740993", "10"],
    ),
    "decimals": (
        a_property("key", "number", exact=(38, 20)),
        Decimal,
        ["-0", "0.0", "0.00000000000000000001", "1", "1.00", "9007199254740992", "9007199254740993", "10"],
    ),
    "days": (a_property("key", "date"), str, ["1000-01-01", "1582-10-10", "2024-01-31", "2024-02-01", "9999-12-31"]),
}
"""By kind: a property that is a key, a parser whose values are equal if Spark's are, and texts."""
LEFT = {"NA", "\0"}
"""A null, and a character that no passing line has."""
CUTS = st.lists(st.tuples(st.booleans(), st.integers(1, 4)), min_size=1, max_size=12)
"""Pieces of lines: whether each begins a part of the file, and how many lines it has."""


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
@settings(derandomize=True, max_examples=60)
def test_values_in_order_are_distinct_and_only_such_that_are(name: str, data: st.DataObject) -> None:
    prop, value, texts = VALUES[name]
    values = {text: value(text.strip('"')) for text in texts}
    alike = data.draw(st.sampled_from([None, str, values.get]))
    cells = data.draw(st.lists(st.sampled_from([*texts, *sorted(LEFT)]), min_size=1, max_size=14, unique_by=alike))
    if data.draw(st.booleans()):
        cells = sorted(cells, key=lambda text: (text in values, values.get(text, values[texts[0]])))
    there, filled = [values[text] for text in cells if text in values], not LEFT & set(cells)
    distinct = differ(prop, cells, data.draw(CUTS))
    assert not distinct or (filled and len(there) == len(set(there)))
    assert distinct or not (filled and all(before < after for before, after in pairwise(there)))


def differ(prop: Property, texts: Sequence[str], cuts: Sequence[tuple[bool, int]]) -> bool:
    """Return True if the prefilter sees that no key of a file, read in batches of parts of it, repeats."""
    plan = a_plan([prop, a_property("more")], [a_check("unique", "key", scope="set")], Csv(null_values=("NA",)))
    condition = plan_tests.pass_condition(plan, ("key", "more"), ["key,more"])
    assert condition
    rows, at, block, number = [], 0, 0, len(cuts)
    while at < len(texts):
        for begins, n in cuts:
            if begins:
                block, number = at, number - 1
            lines = of(*(f"{text}," for text in texts[at : at + n]), place=("a", block), first=(number << 33) + at)
            if lines:
                rows += [row for out in arrow_tests.evaluate_batches([a_batch(lines)], condition) for row in _rows(out)]
            at += n
    counts: Any = [row for row in rows if row["n"] is not None and row["mask"] is None]
    result = StretchCounts(counts, (), key_parsers(plan, condition))
    return bool(result.distinct().get("a"))


def condition_of_keys(kind: LogicalType) -> arrow_tests.PassCondition:
    """Return the condition of a plan whose first property is a key."""
    checks = [a_check("unique", "key", scope="set")]
    plan = a_plan([a_property("key", kind), a_property("more")], checks, Csv(null_values=("",)))
    condition = plan_tests.pass_condition(plan, ("key", "more"), ["key,more"])
    assert condition
    assert [at for _, at in condition.keys] == [0]
    return condition


def ends_of_keys(condition: arrow_tests.PassCondition, texts: Sequence[str]) -> list[str] | None:
    """Return the first and the last key of some lines, if they ascend."""
    batch = a_batch(of(*(f"{text}," for text in texts)))
    rows = [row for out in arrow_tests.evaluate_batches([batch], condition) for row in _rows(out)]
    (keys,) = [row["keys"] for row in rows if row["n"] is not None]
    return keys[0]  # type: ignore[no-any-return]


def test_empty_lines_are_counted() -> None:
    plan = a_plan([a_property("name")])
    condition = plan_tests.pass_condition(plan, ("name",), ["name"])
    empty = Line(("a", 0), None, "")
    assert condition
    assert prefiltered([empty, *of(" "), empty], condition) == ({}, [Counted(("a", 0), 1, 1, (), blank=2)])
    assert prefiltered([empty], condition) == ({}, [Counted(("a", 0), 0, None, (), blank=1)])


def test_mark_that_begins_the_first_line_is_a_character() -> None:
    plan = a_plan([a_property("state")], [a_check("enum", "state", values=["SP"])])
    condition = plan_tests.pass_condition(plan, ("state",), ["state"])
    assert condition
    assert prefiltered(of("\ufeffSP", "SP"), condition) == (
        dict.fromkeys(of("\ufeffSP")),
        [Counted(("a", 0), 1, 1, (0,), odd=1)],
    )


@pytest.mark.parametrize("kind", ["minLength", "maxLength"])
def test_bound_that_no_length_reaches_harms_nothing(kind: str) -> None:
    plan = a_plan([a_property("name")], [a_check(kind, "name", value=10**30)])
    condition = plan_tests.pass_condition(plan, ("name",), ["name"])
    assert condition
    others, counts = prefiltered(of("a", "b"), condition)
    assert (len(others), sum(counted.n for counted in counts)) == ((2, 0) if kind == "minLength" else (0, 2))


def test_batches_without_lines_give_nothing() -> None:
    assert held([]) == ({}, [])
    assert CONDITION
    assert list(arrow_tests.evaluate_batches([], CONDITION)) == []


def test_each_batch_has_counts_of_its_own() -> None:
    assert CONDITION
    lines = [a_batch(of(GOOD)), a_batch(of("x,SP", first=2)), a_batch(of(GOOD, first=3))]
    batches = arrow_tests.evaluate_batches(lines, CONDITION)
    assert [(row["n"], row["first"], row["id"]) for batch in batches for row in _rows(batch)] == [
        (1, 1, None),
        (None, None, 2),
        (0, 2, None),
        (1, 3, None),
    ]
