"""Agreed rows above the records at the door: such files are let in, all others are refused by name."""

from __future__ import annotations

from decimal import Decimal

import pytest

from contracts.plan import Csv, Limit, Plan, Property
from contracts.terms.leader import Leader
from functions.admission.admit import Admission, admit
from functions.admission.header_again import header
from tests.builders import a_plan

PROPERTIES = (Property("account", "string"), Property("amount", "number"), Property("day", "date"))
UNTIL = Csv(";", skip_until="^account;")
HEAD = "account;amount;day\n"


def plan_of(csv: Csv, **more: object) -> Plan:
    return a_plan(properties=PROPERTIES, csv=csv, **more)  # type: ignore[arg-type]


def admitted(text: str, plan: Plan) -> Admission:
    body = text.encode(plan.csv.encoding, "surrogateescape")
    return admit(plan, "orders/1.csv", len(body), lambda start, length: body[start : start + length])


GOOD: dict[str, tuple[Csv, str]] = {
    "title": (Csv(";", skip_rows=1), f"Report\n{HEAD}a;1;2024-01-01\n"),
    "until": (UNTIL, f"Report\n;;\n\n{HEAD}a;1;2024-01-01\n"),
    "separator": (Csv(";", separator_line=True), f"sep=;\n{HEAD}a;1;2024-01-01\n"),
    "units": (Csv(";", comment_rows=(2,)), f"{HEAD};EUR;YYYY-MM-DD\na;1;2024-01-01\n"),
    "odd units": (Csv(";", comment_rows=(2,)), f"{HEAD}text;1000 EUR;24 h\na;1;2024-01-01\n"),
    "narrow units": (Csv(";", comment_rows=(2,)), f"{HEAD};m2\na;1;2024-01-01\n"),
    "another order": (UNTIL, "account;day;amount\na;2024-01-01;1\n"),
    "comments": (Csv(";", comment_char="#"), f"# x\n#;\n{HEAD}# y\na;1;2024-01-01\n"),
    "comments between": (Csv(";", comment_char="#", comment_rows=(2,)), f"# x\n{HEAD}# y\n;EUR;\na;1;2024-01-01\n"),
    "comments without a header": (Csv(";", comment_char="#", header=False), "# x\na;1;2024-01-01\n"),
    "leader": (Csv(";", leader=Leader("H", {"2": "1"}), skip_rows=1), f"x\nH;1;2;3;4\n{HEAD}a;1;2024-01-01\n"),
    "skipped columns": (Csv(";", skip_columns=1), f"type;{HEAD}D;a;1;2024-01-01\n"),
    "types without a header": (
        Csv(";", header=False, skip_columns=1, record="D", leader=Leader("H")),
        "H\nD;a;1;2024-01-01\n",
    ),
    "skipped columns of any text": (Csv(";", skip_columns=2), f"amount;;{HEAD}D;;a;1;2024-01-01\n"),
    "two rows": (Csv(";", header_rows=(1, 2)), "account;;\n;amount;day\na;1;2024-01-01\n"),
    "no header": (Csv(";", header=False, skip_until="^a;"), "Report;;\na;1;2024-01-01\n"),
    "UTF-16": (Csv(";", encoding="utf-16le", skip_rows=1, comment_char="#"), f"x\n# y\n{HEAD}a;1;2024-01-01\n"),
    "Latin": (Csv(";", encoding="windows-1252", skip_rows=1), f"\u00dcbersicht\n{HEAD}a;1;2024-01-01\n"),
}


@pytest.mark.parametrize("name", GOOD)
def test_agreed_rows_are_let_in(name: str) -> None:
    csv, text = GOOD[name]
    admission = admitted(text, plan_of(csv))

    assert admission.problems == ()
    assert {name for name in admission.header if name in {p.name for p in PROPERTIES}} == {"account", "amount", "day"}
    assert header(plan_of(csv), admission.header_line) == (admission.header, ())


BAD: dict[str, tuple[Csv, str, str, str]] = {
    "no such row": (UNTIL, "Report\nx;y\n", "top-missing", "No line of the first 11 bytes matches `^account;`, which"),
    "commas": (UNTIL, "Report\naccount,amount,day\n", "wrong-delimiter", "separated by commas"),
    "title missing": (Csv(";", skip_rows=1), f"{HEAD}a;1;2024-01-01\n", "missing-header", "in line 1, not in line 2"),
    "title too long": (Csv(";", skip_rows=1), f"x\ny\n{HEAD}a;1;2024-01-01\n", "missing-header", "line 3, not in"),
    "too short": (Csv(";", skip_rows=9), f"x\n{HEAD}", "missing-header", "9 skipped lines and 1 lines of column names"),
    "nothing there": (Csv(";", skip_rows=9), "x\n", "top-missing", "ends before its header"),
    "other separator": (Csv(";", separator_line=True), f"sep=,\n{HEAD}", "separator-line", "`sep=,`; the contract"),
    "no units": (Csv(";", comment_rows=(2,)), f"{HEAD}a;1;2024-01-01\n", "comment-row-missing", "`amount`, `1`"),
    "no units, a mark": (Csv(";", comment_rows=(2,)), f"{HEAD}a;1.234,50-;\n", "comment-row-missing", "1.234,50-"),
    "no units, a day": (Csv(";", comment_rows=(2,)), f"{HEAD}a;;3-Jul-24\n", "comment-row-missing", "3-Jul-24"),
    "workbook": (UNTIL, "<html><table></table></html>\n", "wrong-format", "HTML"),
    "bytes above": (UNTIL, f"\udcff\n{HEAD}", "wrong-encoding", "Line 1 holds the byte 0xFF"),
    "bytes below": (UNTIL, f"x\n{HEAD}a;1;\udcff\n", "wrong-encoding", "Line 3 holds the byte 0xFF"),
    "no records": (UNTIL, f"x\n{HEAD}", "no-records", "a header and no records"),
    "open quote": (UNTIL, 'account;"amount;day\na;1;\n', "header-quotes", "not closed"),
    "other column": (UNTIL, "account;amount;dey\na;1;\n", "missing-column", "`day` is missing"),
    "record above": (
        Csv(";", header=False, skip_until="^a;"),
        "b;2;2024-01-01\na;1;2024-01-01\n",
        "record-above",
        "Line 1 is above the first record",
    ),
    "no leader": (Csv(";", leader=Leader("H")), f"{HEAD}a;1;2024-01-01\n", "leader-missing", "whose first cell is `H`"),
    "another leader": (
        Csv(";", leader=Leader("H", {"2": "1"})),
        f"H;2\n{HEAD}a;1;2024-01-01\n",
        "leader-differs",
        "Cell 2 of the leader is `2`",
    ),
    "too few cells of a type": (
        Csv(";", header=False, skip_columns=1, record="D"),
        "D;a;1\n",
        "column-count",
        "has 2 cells",
    ),
    "names below a leader": (
        Csv(";", header=False, skip_columns=1, record="D", leader=Leader("H")),
        f"H\n\ntype;{HEAD}D;a;1;2024-01-01\n",
        "header-not-agreed",
        "Line 3 holds the names",
    ),
    "too few cells": (Csv(";", header=False, skip_until="^a;"), "x\na;1\n", "column-count", "has 2 cells"),
}


@pytest.mark.parametrize("name", BAD)
def test_other_rows_are_refused_by_name(name: str) -> None:
    csv, text, code, part = BAD[name]
    problems = admitted(text, plan_of(csv, empty="reject")).problems

    assert [p.code for p in problems if p.level == "error"][:1] == [code]
    assert part in problems[0].message


def test_comment_lines_count_in_lines_and_not_in_records() -> None:
    (problem,) = admitted(f"# x\n{HEAD}a;1;\n# y\na;1;\udcff\n", plan_of(Csv(";", comment_char="#"))).problems

    assert problem.place
    assert (problem.place.record, problem.place.line) == (2, 5)


def test_endless_top_is_refused() -> None:
    problems = admitted("x" * 70_000, plan_of(Csv(";", skip_rows=1))).problems

    assert [p.code for p in problems] == ["header-too-long"]
    assert [p.code for p in admitted("x\n" * 40_000, plan_of(UNTIL)).problems] == ["top-missing"]


def test_places_below_a_top_are_those_of_records() -> None:
    (problem,) = admitted(f"x\n\n{HEAD}a;1;\na;1;\udcff\n", plan_of(UNTIL)).problems

    assert problem.place
    assert (problem.place.record, problem.place.line) == (2, 5)


def test_values_of_classified_columns_stay_hidden() -> None:
    hidden = tuple(Property(p.name, p.type, classification="restricted") for p in PROPERTIES)
    plan = a_plan(properties=hidden, csv=Csv(";", comment_rows=(2,)))
    problem = admitted(f"{HEAD}a;77;2024-01-01\n", plan).problems[0]

    assert (problem.code, "77" in problem.message) == ("comment-row-missing", False)


def test_bytes_below_may_be_lost_within_a_tolerance() -> None:
    plan = plan_of(UNTIL, tolerance=Limit(Decimal(1), "rows"))

    assert admitted(f"x\n{HEAD}a;1;\udcff\n", plan).problems == ()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"# a\n#b\n{HEAD}a;1;\n", '`csv.commentChar: "#"`'),
        (f"# a\nb\n{HEAD}a;1;\n", "`csv.skipRows: 2`"),
        (f"Report\n\n{HEAD}a;1;\n", "`csv.skipRows: 2`"),
        (f"sep=;\n{HEAD}a;1;\n", "`csv.separatorLine: true`"),
    ],
)
def test_refusal_without_agreement_names_the_key(text: str, key: str) -> None:
    (problem,) = admitted(text, plan_of(Csv(";"))).problems

    assert key in problem.fix
