"""Lines of fixed width at the door: such files are let in, all others are refused by name."""

from __future__ import annotations

import codecs
from typing import Any

import pytest

from contracts.place import HEADER, Place
from functions.admission.admit import Admission, admit, header_line
from functions.admission.header_again import header, notes
from tests.layouts import PROPERTIES, plan_of

GOOD = "D00123400001234Ada  \nD00123500001235Bob  \n"
LEADER = {"begins": "H", "is": [{"start": 2, "length": 8, "text": "{day:%Y%m%d}"}]}
FILES = "maker/{day:%Y-%m-%d}.txt"


def admitted(data: bytes | str, key: str = "maker/2024-01-31.txt", fixed: Any = None, **block: Any) -> Admission:
    plan = plan_of(fixed or {}, **{"files": FILES} | block)
    body = data if isinstance(data, bytes) else data.encode(plan.csv.encoding)
    return admit(plan, key, len(body), lambda start, length: body[start : start + length])


TAKEN: dict[str, tuple[dict[str, Any], bytes | str]] = {
    "plain": ({}, GOOD),
    "CR LF": ({}, GOOD.replace("\n", "\r\n")),
    "no last line end": ({}, GOOD.rstrip() + "  "),
    "one line without end": ({}, GOOD[:20]),
    "empty lines": ({}, "\n" + GOOD + "\n\n"),
    "a mark": ({}, codecs.BOM_UTF8 + GOOD.encode()),
    "UTF-16": ({"encoding": "utf-16"}, GOOD),
    "windows-1252": ({"encoding": "windows-1252"}, GOOD.replace("Ada", "Äda")),
    "bytes": ({"unit": "bytes"}, GOOD.replace("Ada  ", "Äda ")),
    "short": ({"shortLines": "accept"}, "D00123400001234Ada\nD00123400001234\n"),
    "leader": ({"leader": LEADER}, "H20240131\n" + GOOD),
    "leader alone": ({"leader": LEADER, "trailer": {"begins": "T"}}, "H20240131\nT\n"),
    "trailer": ({"trailer": {"begins": "T"}}, GOOD + "T000002\n"),
    "commas in lines": ({}, GOOD.replace("Ada  ", "A,a,,")),
    "a longer file": ({}, GOOD * 4000),
}


@pytest.mark.parametrize("name", TAKEN)
def test_files_of_the_layout_are_let_in(name: str) -> None:
    fixed, data = TAKEN[name]
    admission = admitted(data, fixed=fixed)

    assert admission.problems == ()
    assert admission.header == ("account", "amount", "holder")
    assert admission.header_line == ("H20240131\n" if "leader" in name else "")
    plan = plan_of(fixed, files=FILES)
    body = data if isinstance(data, bytes) else data.encode(plan.csv.encoding)
    again = header_line(plan, len(body), lambda start, length: body[start : start + length])
    assert (again, header(plan, again)) == (admission.header_line, (admission.header, ()))
    assert notes(plan, again) == ()


REFUSED: dict[str, tuple[dict[str, Any], bytes | str, str, str]] = {
    "nothing": ({}, b"", "empty-file", "0 bytes"),
    "a mark alone": ({}, codecs.BOM_UTF8, "empty-file", "byte order mark"),
    "empty lines": ({}, "\n\n", "no-records", "no records"),
    "too short": (
        {},
        "D0012340000123\n",
        "line-length",
        "The first record has 14 characters; the contract requires 20",
    ),
    "too long": ({}, GOOD.replace("\n", "x\n"), "line-length", "has 21 characters"),
    "a tab": ({}, "D001234\t0001234Ada\n", "line-length", "has 18 characters"),
    "bytes": ({"unit": "bytes"}, GOOD.replace("Ada", "Äda"), "line-length", "has 21 bytes"),
    "CSV with semicolons": (
        {},
        "account;amount;holder\n1;2;3\n",
        "wrong-format",
        "CSV, its cells separated by semicolons",
    ),
    "one line of CSV": ({}, "account,amount,holder\n", "wrong-format", "CSV, its cells separated by commas"),
    "quoted CSV": ({}, '"a, b",1,x\n"c",2,y\n', "wrong-format", "separated by commas"),
    "JSON Lines": ({}, '{"account": "1"}\n', "wrong-format", "is JSON"),
    "XML": ({}, '<?xml version="1.0"?>\n<a>\n</a>\n', "wrong-format", "an XML document"),
    "EBCDIC": ({}, GOOD.replace("\n", "").encode("cp037") * 3, "wrong-format", "text in EBCDIC"),
    "EBCDIC with line ends": ({}, GOOD.encode("cp037"), "wrong-format", "text in EBCDIC"),
    "no line ends": ({}, GOOD.replace("\n", ""), "no-line-ends", "one line of 40 characters"),
    "no line ends of a large file": ({}, GOOD.replace("\n", "") * 4000, "no-line-ends", "No line ends within 65,536"),
    "gzip": ({}, b"\x1f\x8b\x08\x00", "wrong-format", "compressed by gzip"),
    "another encoding": (
        {},
        GOOD.replace("Ada", "Äda").encode("cp1252"),
        "wrong-encoding",
        "Line 1 holds the byte 0xC4",
    ),
    "UTF-16 where UTF-8 is agreed": ({}, GOOD.encode("utf-16"), "wrong-encoding", "UTF-16"),
    "UTF-8 with a mark": (
        {"encoding": "windows-1252"},
        codecs.BOM_UTF8 + GOOD.encode(),
        "wrong-encoding",
        "is written in UTF-8",
    ),
    "no leader": ({"leader": LEADER}, GOOD, "leader-missing", "a line that begins with `H`"),
    "an empty line before the leader": (
        {"leader": LEADER},
        "\nH20240131\n" + GOOD,
        "leader-missing",
        "begins with `H`",
    ),
    "another day": (
        {"leader": LEADER},
        "H20240201\n" + GOOD,
        "leader-differs",
        "Position 2-9 of the leader is `20240201`",
    ),
    "a short leader": ({"leader": LEADER}, "H\n" + GOOD, "leader-differs", "Position 2-9 of the leader is ``"),
    "a bad line below the leader": ({"leader": LEADER}, "H20240131\nx\n" + GOOD, "line-length", "has 1 character;"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_files_are_refused_by_name(name: str) -> None:
    fixed, data, code, part = REFUSED[name]
    problems = admitted(data, fixed=fixed).problems

    assert [p.code for p in problems] == [code]
    assert part in problems[0].message


def test_fix_names_what_helps() -> None:
    (short,) = admitted("D00123400001234Ada\n").problems
    (tab,) = admitted("D001234\t0001234Ada\n").problems
    (ebcdic,) = admitted(GOOD.encode("cp037")).problems
    (endless,) = admitted(GOOD.replace("\n", "")).problems

    assert "`fixed.shortLines: accept`" in short.fix
    assert tab.fix.startswith("Write blanks in place of tabs.")
    assert (
        ebcdic.fix
        == "Convert it to the agreed encoding on the way out of the mainframe, and send it as text of fixed width."
    )
    assert endless.fix == "Write a line end behind each record of 20 characters."


def test_tolerated_lines_are_left_to_the_job() -> None:
    assert admitted("x\n" + GOOD, tolerance={"rows": 1}).problems == ()
    assert admitted("x\n" + GOOD, checks={"record.length": {"tolerance": 1}}).problems == ()


def test_places_are_those_of_the_file() -> None:
    (below,) = admitted("\nx\n" + GOOD).problems
    (first,) = admitted("x\n").problems
    (text,) = admitted(b"H20240131\n" + GOOD.encode() + b"\xff\n", fixed={"leader": LEADER}).problems
    (leader,) = admitted(b"H\xff\n" + GOOD.encode(), fixed={"leader": {"begins": "H"}}).problems

    assert (below.place, first.place) == (Place(1, 2), Place(1))
    assert (text.place, leader.place) == (Place(3, 4), HEADER)


def test_properties_may_have_another_order_than_fields() -> None:
    plan = plan_of(properties=PROPERTIES[::-1])

    assert header(plan, "")[0] == ("account", "amount", "holder")
