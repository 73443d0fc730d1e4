"""Headers in agreed forms at the door: line breaks in names, delimiters at the end, columns by their places."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.plan import Columns, Csv, Plan, Property
from functions.admission.admit import SAMPLE, Admission, admit, header_line
from functions.admission.header_again import header
from tests.builders import a_plan

FOLDED = replace(a_plan(), csv=Csv(multi_line=True), columns=Columns(extra="ignore"))
PLACED = replace(
    a_plan(),
    properties=(Property("id", "integer"), Property("note", "string")),
    columns=Columns(extra="ignore", match="byPosition"),
)
ENDED = replace(a_plan(), csv=Csv(trailing_delimiter=True))


def admitted(body: bytes, plan: Plan) -> Admission:
    return admit(plan, "orders/1.csv", len(body), lambda start, length: body[start : start + length])


def codes(body: bytes, plan: Plan) -> list[str]:
    return [p.code for p in admitted(body, plan).problems]


LACKING = replace(
    a_plan(),
    csv=Csv(lacks_first=("row",)),
    properties=(Property("row", "string"), Property("id", "integer"), Property("note", "string")),
)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"id,note\na,1,x\n", []),
        (b"note,id,_record,_reasons\na,x,1,2,why\n", []),
        (b"row,id,note\na,1,x\n", ["duplicate-column"]),
        (b",id,note\na,1,x\n", ["blank-column-name"]),
        (b"id;note\na;1;x\n", ["wrong-delimiter"]),
        (b"id\na,1\n", ["missing-column"]),
        (b"a,1,x\nb,2,y\n", ["missing-header"]),
        (b"Title\nid,note\na,1,x\n", ["missing-header"]),
        (b"sep=,\nid,note\na,1,x\n", ["separator-line"]),
        (b'[{"id": 1}]', ["wrong-format"]),
        (b"id,note\n", ["no-records"]),
    ],
)
def test_header_lacks_agreed_names(body: bytes, found: list[str]) -> None:
    assert codes(body, LACKING) == found
    placed = replace(LACKING, columns=Columns(match="byPosition"))
    assert bool(codes(body, placed)) == (bool(found) or body.startswith(b"note,id"))


def test_header_below_titles_lacks_agreed_names() -> None:
    plan = replace(LACKING, csv=Csv(lacks_first=("row",), skip_rows=1))
    admission = admitted(b"Title\nid,note\na,1,x\n", plan)
    assert (admission.problems, admission.header) == ((), ("row", "id", "note"))
    assert codes(b"id,note\na,1,x\n", plan) == ["missing-header"]
    joined = replace(LACKING, csv=Csv(lacks_first=("row",), header_rows=(1, 2)), columns=Columns(extra="ignore"))
    assert admitted(b"i,note\nd,\na,1,x\n", joined).header == ("row", "i d", "note")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_over_lines_are_one_header(end: str) -> None:
    body = 'id,"a\nb\n",note,"a\nb\n"\n1,x,y,z\n'.replace("\n", end).encode()
    admission = admitted(body, FOLDED)
    assert admission.problems == ()
    assert admission.header_line.encode() + end.encode() == body[: -len(f"1,x,y,z{end}")]
    names = ("id", f"a{end}b{end}", "note", f"a{end}b{end} (column 4)")
    assert admission.header == names == header(FOLDED, admission.header_line)[0]
    again = header_line(FOLDED, len(body), lambda start, length: body[start : start + length])
    assert again == admission.header_line


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'id,note,"a\n1,x,y\n', "header-quotes"),  # never closed
        (b'id,note,x"a\n1,x,"y\n', "header-quotes"),
        (b'id,note,"a\nb"\n', "no-records"),
        (b'id,note,"' + b"a\n" * SAMPLE + b'"\n1,x,y\n', "header-quotes"),
        (b'id,note,"\xff\nb"\n1,x,y\n', "wrong-encoding"),
    ],
)
def test_headers_over_lines_that_are_wrong_are_refused(body: bytes, code: str) -> None:
    assert code in codes(body, FOLDED)


def test_line_break_in_a_name_needs_agreement() -> None:
    (problem,) = admitted(b'id,note,"a\nb"\n1,x,y\n', replace(FOLDED, csv=Csv())).problems
    assert (problem.code, problem.fix) == (
        "header-line-break",
        "Write each column name in one line, or ask for `csv.multiLine: true` in orders.v1.",
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"a,b\n1,x\n", []),
        (b",\n1,x\n", []),
        (b"a,b,,c,c\n1,x,,,\n", []),
        (b"a;b\n1;x\n", ["wrong-delimiter"]),
        (b"note,id\nx,1\n", ["column-order"]),
        (b"1,x\n2,y\n", ["missing-header"]),
        (b"a\n1\n", ["missing-column"]),
        (b"\na,b\n1,x\n", ["blank-header"]),
        (b'{"id": 1}\n{"id": 2}\n', ["wrong-format"]),
        (b"sep=,\na,b\n1,x\n", ["separator-line"]),
    ],
)
def test_columns_by_their_places_are_looked_at(body: bytes, found: list[str]) -> None:
    assert codes(body, PLACED) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"id,note,\n1,x,\n", []),
        (b"id,note\n1,x,\n", []),
        (b"id,note,,\n1,x,,\n", ["blank-column-name"]),
        (b"id,note, \n1,x,\n", ["blank-column-name"]),
        (b'id,note,""\n1,x,\n', []),
        (b"id;note;\n1;x;\n", ["wrong-delimiter"]),
    ],
)
def test_header_may_end_with_a_delimiter(body: bytes, found: list[str]) -> None:
    assert codes(body, ENDED) == found


@given(st.text('abAB,"\n\r ;é', max_size=30), st.sampled_from([FOLDED, PLACED, ENDED]))
def test_no_header_breaks_admission(text: str, plan: Plan) -> None:
    admission = admitted(f"{text}\n1,x\n".encode(), plan)
    if not admission.refused:
        assert len({*admission.header}) == len(admission.header)
        assert header(plan, admission.header_line)[0] == admission.header
