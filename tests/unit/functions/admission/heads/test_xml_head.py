"""The first bytes of XML: what is otherwise than agreed is refused with what it is, and how to mend it."""

from __future__ import annotations

import gzip
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

from contracts.plan import Columns, Limit, Plan, Property, Xml, record_checks
from contracts.problem import Problem
from functions.admission.admit import SAMPLE, Admission, admit, header_line
from functions.admission.header_again import header

BANK = "urn:example:bank"
PROPERTIES = (Property("id", "integer"), Property("name", "string"))
PLAN = Plan(
    *("c", "c", "1.0.0", "o", "p", ("p/*",), PROPERTIES, record_checks("xml", "reject")),
    file_format="xml",
    xml=Xml("rows/row", {"": BANK}),
)
GOOD = f'<?xml version="1.0"?>\n<rows xmlns="{BANK}">\n<row><id>1</id><name>a</name></row>\n</rows>'


def _read(body: bytes, start: int, length: int) -> bytes:
    return body[start : start + length]


def admitted(document: str | bytes, plan: Plan = PLAN) -> Admission:
    """What admission says of a file."""
    body = document.encode() if isinstance(document, str) else document
    return admit(plan, "p/a.xml", len(body), partial(_read, body))


def problem(document: str | bytes, plan: Plan = PLAN) -> Problem:
    """The one problem of a file."""
    (found,) = admitted(document, plan).problems
    return found


def test_document_as_agreed_has_the_keys_of_the_contract() -> None:
    admission = admitted(GOOD)

    assert (admission.problems, admission.header) == ((), ("id", "name"))
    assert header(PLAN, admission.header_line) == (("id", "name"), ())
    assert header_line(PLAN, len(GOOD), partial(_read, GOOD.encode())) == admission.header_line


@pytest.mark.parametrize("encoding", ["utf-16", "windows-1252", "utf-8"])
def test_document_states_its_own_encoding(encoding: str) -> None:
    document = GOOD.replace('"1.0"', f'"1.0" encoding="{encoding}"').replace(">a<", ">é<")

    assert admitted(document.encode(encoding)).problems == ()


def test_compressed_document_is_read() -> None:
    admission = admitted(gzip.compress(GOOD.encode()), replace(PLAN, compression="gzip"))

    assert (admission.problems, admission.unpacked) == ((), len(GOOD))


def test_document_that_is_longer_than_its_head_is_judged_by_that() -> None:
    long = GOOD.replace("</rows>", "<row><id>2</id></row>" * (SAMPLE // 10))

    assert admitted(long).problems == ()
    assert problem(long.replace("<name>", "<Name>").replace("</name>", "</Name>")).code == "unknown-key"


BAD: dict[str, tuple[str, str, str]] = {
    "a web page": ("<!DOCTYPE html><html><body>Sign in</body></html>", "wrong-format", "a web page (HTML)"),
    "a page without a type": ("<html><head/><body/></html>", "wrong-format", "a web page (HTML)"),
    "a workbook": ('<?xml version="1.0"?><Workbook xmlns="urn:x"/>', "wrong-format", "a workbook of a spreadsheet"),
    "an error message": (
        '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
        "wrong-format",
        "an error message of S3",
    ),
    "CSV": ("id,name\n1,a\n", "wrong-format", "is CSV, its cells separated by commas"),
    "JSON": ('{"id": 1}\n', "wrong-format", "is JSON Lines"),
    "a text": ("Dear partner\n", "broken-xml", "does not begin with an element"),
    "a document type": (GOOD.replace("<rows", "<!DOCTYPE rows>\n<rows"), "xml-doctype", "`<!DOCTYPE rows`"),
    "another root": (GOOD.replace("rows", "orders"), "wrong-root", "`orders`"),
    "another version": (GOOD.replace(BANK, f"{BANK}:2"), "wrong-namespace", f"`{BANK}:2`"),
    "no namespace": (GOOD.replace(f' xmlns="{BANK}"', ""), "wrong-namespace", "without a namespace"),
    "a misspelt record": (GOOD.replace("row>", "Row>"), "no-record-element", "the nearest is `Row`"),
    "an end that is missing": (GOOD[:-7], "broken-xml", "ends too early within `rows` (line 4, behind record 1)"),
    "two roots": (GOOD + GOOD[22:], "broken-xml", "a second root"),
    "an unknown element": (GOOD.replace("name>", "nmae>"), "unknown-key", "`nmae`"),
    "text beside elements": (GOOD.replace("<id>", "x<id>"), "mixed-content", "it has text beside other elements"),
    "no records": (f'<rows xmlns="{BANK}"/>', "no-records", "no records"),
    "other elements": (GOOD.replace("row>", "item>"), "no-records", "`rows` has no `row`, but `item`"),
    "only blanks": (" \n\n", "empty-file", "only blanks"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_otherwise_is_refused_by_name(name: str) -> None:
    document, code, words = BAD[name]

    found = problem(document)

    assert (found.code, words in found.message) == (code, True), found.message


def test_unknown_name_is_mended_by_the_nearest() -> None:
    assert problem(GOOD.replace("name>", "nmae>")).fix == "Rename `nmae` to `name`."
    assert str(problem(GOOD.replace("name>", "nmae>")).place) == "record 1, rows/row[1]"


def test_what_may_be_lost_is_let_in() -> None:
    tolerant = replace(PLAN, tolerance=Limit(Decimal(1), "rows"))

    assert admitted(GOOD.replace("name>", "nmae>"), tolerant).problems == ()
    assert admitted(GOOD.replace("<id>", "x<id>"), tolerant).problems == ()
    assert admitted(GOOD.replace("name>", "nmae>"), replace(PLAN, columns=Columns("ignore"))).problems == ()
    assert admitted(f'<rows xmlns="{BANK}"/>', replace(PLAN, empty="warn")).problems == ()
