"""The sieve of lines against the oracle: what it counts passes every check, and all else comes out as it came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts.plan import Csv
from spark_jobs import proving, vectors
from tests.integration.job.world import a_check, a_plan, a_property
from tests.oracle import provable
from tests.oracle.provable import Made

Place = tuple[str, int]
NAMES = ("file", "block", "id", "line")


@dataclass(frozen=True)
class Line:
    """A line with its place; one that is empty has no id."""

    place: Place
    id: int | None
    text: str


@dataclass(frozen=True)
class Counted:
    """Lines that pass: where, how many, the first id, and nulls by property."""

    place: Place
    n: int
    first: int
    nulls: tuple[int, ...]


def a_batch(lines: Sequence[Line]) -> pa.RecordBatch:
    """Lines as Spark hands them over, whatever their bytes are."""
    raw = pa.array([line.text.encode("utf-8", "surrogateescape") for line in lines], pa.binary())
    columns = [
        pa.array([line.place[0] for line in lines], pa.string()),
        pa.array([line.place[1] for line in lines], pa.int64()),
        pa.array([line.id for line in lines], pa.int64()),
        raw.view(pa.string()),
    ]
    return pa.record_batch(columns, list(NAMES))


def sifted(lines: Sequence[Line], proof: vectors.Proof) -> tuple[list[Line], list[Counted]]:
    """What comes of one batch: lines, and counts."""
    rows = [row for batch in vectors.sift([a_batch(lines)], proof) for row in _rows(batch)]
    as_they_came = [row for row in rows if row["nulls"] is None]
    assert all(row["n"] == 1 and row["first"] is None for row in as_they_came)
    counts = [row for row in rows if row["nulls"] is not None]
    assert all(row["id"] is None and row["line"] is None for row in counts)
    return (
        [Line((row["file"], row["block"]), row["id"], row["line"]) for row in as_they_came],
        [Counted((row["file"], row["block"]), row["n"], row["first"], tuple(row["nulls"])) for row in counts],
    )


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    assert batch.schema == vectors.SCHEMA
    at = batch.schema.get_field_index("line")
    raw = batch.set_column(at, "line", batch.column(at).view(pa.binary()))
    for row in raw.to_pylist():
        text = row["line"]
        yield row | {"line": None if text is None else text.decode("utf-8", "surrogateescape")}


def expected(made: Made, lines: Sequence[Line], counted: set[int]) -> list[Counted]:
    """The counts of lines by stretch, as the oracle has them; fails where one of them does not pass."""
    found = []
    passing = [line for line in lines if line.id in counted]
    for place, stretch in groupby(passing, key=lambda line: line.place):
        own = list(stretch)
        records = [made.record(line.text) for line in own]
        assert None not in records, [line.text for line, record in zip(own, records, strict=True) if record is None]
        nulls = [made.nulls(record) for record in records if record]
        found.append(Counted(place, len(own), own[0].id or 0, tuple(map(sum, zip(*nulls, strict=True)))))
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[Made, list[Line]]:
    """A contract, and lines that lie in several stretches of files."""
    made = draw(provable.contracts())
    texts = draw(st.lists(provable.lines(made), min_size=1, max_size=12))
    places = draw(st.lists(st.sampled_from([("a", 0), ("a", 64), ("b", 0)]), min_size=len(texts), max_size=len(texts)))
    placed = zip(places, texts, strict=True)
    return made, [Line(place, n * 3 + 1 if text else None, text) for n, (place, text) in enumerate(placed)]


@given(cases())
@settings(derandomize=True, max_examples=400)
def test_what_is_counted_passes_all_checks(case: tuple[Made, list[Line]]) -> None:
    made, lines = case
    proof = proving.proof(made.plan, made.header, made.texts)
    assume(proof)
    assert proof
    others, counts = sifted(lines, proof)
    left = {line.id for line in others}
    counted = {line.id for line in lines if line.id is not None and line.id not in left}
    assert others == [line for line in lines if line.id not in counted]
    assert counts == expected(made, lines, counted)


PLAN = a_plan(
    [a_property("id", "integer"), a_property("state")],
    [a_check("required", "id"), a_check("minimum", "id", value="0"), a_check("maxLength", "state", value=2)],
)
PROOF = proving.proof(PLAN, ("id", "state"), ["id,state"])
GOOD = "1,SP"


def of(*texts: str, place: Place = ("a", 0), first: int = 1) -> list[Line]:
    """Lines in a row at one place."""
    return [Line(place, first + n, text) for n, text in enumerate(texts)]


def held(lines: Sequence[Line]) -> tuple[list[Line], list[Counted]]:
    """What the sieve makes of lines of a plan of two properties."""
    assert PROOF
    return sifted(lines, PROOF)


def test_good_lines_are_counted() -> None:
    assert held(of(GOOD, "2,", "30,é")) == ([], [Counted(("a", 0), 3, 1, (1,))])


def test_stretches_of_files_and_blocks_are_told_apart() -> None:
    lines = [
        *of(GOOD, GOOD),
        *of("x,", GOOD, place=("a", 64), first=2**33),
        *of(GOOD, place=("b", 64), first=7),
        *of("-1,SP", place=("b", 128), first=3),
        *of("2,", place=("c", 128), first=3),
    ]
    assert held(lines) == (
        [lines[2], lines[5]],
        [
            Counted(("a", 0), 2, 1, (0,)),
            Counted(("a", 64), 1, 2**33 + 1, (0,)),
            Counted(("b", 64), 1, 7, (0,)),
            Counted(("c", 128), 1, 3, (1,)),
        ],
    )


def test_column_of_nulls_alone_is_counted() -> None:
    plan = a_plan([a_property("wind", "number")], [a_check("minimum", "wind", value="0")], Csv(null_values=("NA",)))
    proof = proving.proof(plan, ("wind",), ["wind"])
    assert proof
    assert sifted(of("NA", "NA"), proof) == ([], [Counted(("a", 0), 2, 1, (2,))])


@pytest.mark.parametrize(
    "text", ["x,SP", "-1,SP", ",SP", "1,SPX", "1", "1,SP,", '1,"SP', '1,S"P"', '1,"S""P"', "1,S\0", "id,state", "+1,SP"]
)
def test_line_that_is_not_proven_comes_out_as_it_came(text: str) -> None:
    assert held(of(text)) == (of(text), [])
    assert held(of(text, GOOD, text)) == ([*of(text), *of(text, first=3)], [Counted(("a", 0), 1, 2, (0,))])


@pytest.mark.parametrize("raw", [b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"])
def test_bytes_that_are_no_text_are_not_counted(raw: bytes) -> None:
    lines = of(f"1,{raw.decode('utf-8', 'surrogateescape')}")
    assert held(lines) == (lines, [])


def test_empty_lines_come_out_without_an_id() -> None:
    plan = a_plan([a_property("name")])
    proof = proving.proof(plan, ("name",), ["name"])
    empty = Line(("a", 0), None, "")
    assert proof
    assert sifted([empty, *of(" "), empty], proof) == ([empty, empty], [Counted(("a", 0), 1, 1, ())])


def test_mark_that_begins_the_first_line_is_a_character() -> None:
    plan = a_plan([a_property("state")], [a_check("enum", "state", values=["SP"])])
    proof = proving.proof(plan, ("state",), ["state"])
    assert proof
    assert sifted(of("\ufeffSP", "SP"), proof) == (of("\ufeffSP"), [Counted(("a", 0), 1, 2, (0,))])


@pytest.mark.parametrize("kind", ["minLength", "maxLength"])
def test_bound_that_no_length_reaches_harms_nothing(kind: str) -> None:
    plan = a_plan([a_property("name")], [a_check(kind, "name", value=10**30)])
    proof = proving.proof(plan, ("name",), ["name"])
    assert proof
    others, counts = sifted(of("a", "b"), proof)
    assert (len(others), sum(one.n for one in counts)) == ((2, 0) if kind == "minLength" else (0, 2))


def test_batches_without_lines_give_nothing() -> None:
    assert held([]) == ([], [])
    assert PROOF
    assert list(vectors.sift([], PROOF)) == []


def test_each_batch_has_counts_of_its_own() -> None:
    assert PROOF
    batches = vectors.sift([a_batch(of(GOOD)), a_batch(of("x,SP", first=2)), a_batch(of(GOOD, first=3))], PROOF)
    assert [(row["n"], row["first"], row["id"]) for batch in batches for row in _rows(batch)] == [
        (1, 1, None),
        (1, None, 2),
        (1, 3, None),
    ]
