"""Refusals at the door, with code, message and fix; all reasons at once."""

from __future__ import annotations

import codecs
import gzip
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import rules
from contracts.files.header import MOST_COLUMNS
from contracts.place import Place
from contracts.plan import Check as PlanCheck
from contracts.plan import Columns, Csv, Limit, LogicalType, Plan, Property, record_checks
from contracts.problem import visible
from contracts.terms.trailer import Trailer
from functions.admission.admit import LARGEST_FILE, SAMPLE, Admission, Read, admit, header_line
from functions.admission.header_again import header
from functions.admission.heads import job_limits, text_forms
from functions.aws.emr_serverless import LARGEST, TIMEOUT_MINUTES
from tests.builders import a_plan
from tests.packing import zipped

NAME = "orders/1.csv"
GOOD = b"id,note\n1,a\n2,\n"


def reading(body: bytes) -> Read:
    return lambda start, length: body[start : start + length]


def admitted(body: bytes, plan: Plan | None = None, name: str = NAME) -> Admission:
    return admit(plan or a_plan(), name, len(body), reading(body))


def codes(admission: Admission) -> list[str]:
    return [p.code for p in admission.problems]


def test_good_file_is_admitted_with_its_header() -> None:
    assert admitted(GOOD) == Admission((), ("id", "note"), "id,note")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_line_ends_of_every_kind_end_the_header(end: bytes) -> None:
    assert admitted(GOOD.replace(b"\n", end)).header == ("id", "note")


def test_byte_order_mark_stays_in_the_header_line() -> None:
    admission = admitted(codecs.BOM_UTF8 + GOOD)

    assert (admission.problems, admission.header, admission.header_line) == ((), ("id", "note"), "\ufeffid,note")


def test_quoted_column_names_are_read() -> None:
    assert admitted(b'"id","note"\n1,a\n').header == ("id", "note")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "empty-file"),
        (codecs.BOM_UTF8, "empty-file"),
        (codecs.BOM_UTF16_LE, "empty-file"),
        (b"id,note\n", "no-records"),
        (b"id,note", "no-records"),
        (b"id,note\r\n\r\n", "no-records"),
        (GOOD.decode().encode("utf-16"), "wrong-encoding"),
        (GOOD.decode().encode("utf-16-le"), "wrong-encoding"),
        (GOOD.decode().encode("utf-16-be"), "wrong-encoding"),
        (GOOD.decode().encode("utf-32"), "wrong-encoding"),
        (b"id,n\xf6te\n1,a\n", "wrong-encoding"),
        (b"id,note\n1,\xe9t\xe9\n", "wrong-encoding"),
        (b"id,no\0te\n1,a\n", "header-nul"),
        (b"id;note\n1;a\n", "wrong-delimiter"),
        (b"id\tnote\n1\ta\n", "wrong-delimiter"),
        (b"id||note\n1||a\n", "wrong-delimiter"),
        (b'id,"note\n1,a\n', "header-quotes"),
        (b"\nid,note\n1,a\n", "blank-header"),
        (b"id\n1\n", "missing-column"),
        (b"id,note,more\n1,a,b\n", "extra-column"),
        (b"id,note,id\n1,a,1\n", "duplicate-column"),
        (b"id,note,\n1,a,\n", "blank-column-name"),
    ],
)
def test_plainly_wrong_files_are_refused(body: bytes, code: str) -> None:
    admission = admitted(body)

    assert admission.refused
    assert code in codes(admission)
    assert all(p.message and p.fix for p in admission.problems)


@pytest.mark.parametrize(
    ("body", "kind", "fix"),
    [
        (zipped({"[Content_Types].xml": b""}), "a workbook of a spreadsheet", "Save the sheet as CSV (“CSV UTF-8”)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1..", "an old workbook of a spreadsheet", "Save the sheet as CSV"),
        (
            zipped({"orders.csv": b"id"}),
            "a zip archive",
            "Unpack it, and send plain CSV; or ask for `archive: {format: zip}` in the contract.",
        ),
        (
            b"\x1f\x8b\x08",
            "compressed by gzip",
            "Unpack it, and send plain CSV; or ask for `compression: gzip` in the contract.",
        ),
        (b"%PDF-1.7", "a PDF", "Ask for the data behind it, and send it as CSV."),
    ],
)
def test_files_of_other_kinds_are_named(body: bytes, kind: str, fix: str) -> None:
    (problem,) = admitted(body).problems

    assert problem.message == f"The file is {kind}, whatever its name; the contract requires CSV."
    assert problem.fix.startswith(fix)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_encodings_are_named(encoding: str) -> None:
    (problem,) = admitted(GOOD.decode().encode(encoding)).problems

    assert problem.message == f"The file is written in {encoding[:6].upper()}; the contract requires UTF-8."


def test_utf_8_is_told_where_it_is_not_agreed() -> None:
    (problem,) = admitted(codecs.BOM_UTF8 + GOOD, a_plan(csv=Csv(encoding="iso-8859-1"))).problems

    assert problem.message == "The file is written in UTF-8; the contract requires ISO-8859-1."


def test_all_reasons_come_at_once() -> None:
    admission = admitted(b"ID;note;more\n", name="orders/../1.csv")

    assert codes(admission) == [
        "name-dot-parts",
        "wrong-delimiter",
        "missing-column",
        "extra-column",
        "no-records",
    ]


def test_wrong_delimiter_is_named_with_what_else_is_wrong() -> None:
    admission = admitted(b"id;note;more\n1;a;b\n")

    assert codes(admission) == ["wrong-delimiter", "extra-column"]
    assert admission.problems[0].message == "The columns are separated by semicolons, but the contract requires commas."


@pytest.mark.parametrize("agreed", [",", "|", "||", "~|~", "\\", "\x01"])
@pytest.mark.parametrize("sent", [",", "|", "||", "~|~", "|~|", "\t|\t", "\\", "^", "\x01", ";;", "::", "|#|"])
def test_delimiter_of_any_signs_is_named_where_another_is_agreed(agreed: str, sent: str) -> None:
    admission = admitted(f'id{sent}"note"\n1{sent}a\n'.encode(), a_plan(csv=Csv(delimiter=agreed)))
    if sent == agreed:
        assert admission.problems == ()
    else:
        assert codes(admission) == ["wrong-delimiter"]
        seen = text_forms.DELIMITERS.get(sent, f"`{visible(sent)}`")
        assert f"separated by {seen}, but" in admission.problems[0].message


@pytest.mark.parametrize("headed", [True, False])
@pytest.mark.parametrize("sent", ["\n", "\r\n", "\r", "\x1e"])
@pytest.mark.parametrize(
    ("agreed", "words"), [("\n", "LF"), ("\r\n", "CRLF"), ("\x1e", r"`\u001e`"), ("|\n", r"`|\n`")]
)
def test_ends_of_records_are_those_agreed_on(agreed: str, words: str, sent: str, *, headed: bool) -> None:
    plan = a_plan(csv=Csv(record_delimiter=agreed, header=headed))
    body = sent.join(["id,note"] * headed + ["1,a", "2,b", ""]).encode()
    problems = admitted(body, plan).problems
    if sent == agreed:
        assert problems == ()
    else:
        assert [p.code for p in problems] == ["wrong-record-delimiter"]
        assert f"but the contract requires {words}." in problems[0].message


def test_records_between_signs_are_told_where_line_ends_are_agreed() -> None:
    (problem,) = admitted(b"id,note\x1e1,a\x1e2,b\x1e").problems
    assert problem.message == r"The records end with `\u001e`, but the contract requires LF, CR or CRLF."


def test_agreed_delimiter_is_no_problem() -> None:
    assert admitted(b"id;note\n1;a\n", a_plan(csv=Csv(delimiter=";"))).problems == ()


def test_agreed_encoding_is_read() -> None:
    latin = a_plan(names=("id", "größe"), csv=Csv(encoding="windows-1252"))

    assert admitted("id,größe\n1,ä\n".encode("cp1252"), latin).header == ("id", "größe")


def test_character_cut_at_the_samples_end_is_whole() -> None:
    body = b"id,note\n1," + b"a" * (SAMPLE - 11) + "é".encode() + b"\n"

    assert admit(a_plan(), NAME, len(body), reading(body)).problems == ()


def test_character_cut_at_the_files_end_is_not() -> None:
    assert codes(admitted(b"id,note\n1,\xc3")) == ["wrong-encoding"]


def test_bad_bytes_are_told_by_their_line() -> None:
    (problem,) = admitted(b"id,note\n1,a\n2,\xff\n").problems

    assert problem.message == "Line 3 holds the byte 0xFF, which is not text in UTF-8."
    assert problem.place == Place(2, 3)


@pytest.mark.parametrize(
    ("body", "dialect", "place"),
    [
        (b"i\xffd,note\n1,a\n", Csv(), Place(0, 1)),
        (b"\n1,a\n\r\n2,\xff\n", Csv(header=False), Place(2, 4)),
        (b"id,note\r1,a\r\r2,\xff\r", Csv(), Place(2, 4)),
        (b'id,note\n1,"a\nb"\n2,\xff\n', Csv(multi_line=True), None),
        (b"id,note\n1,a\n2,\xff\n", Csv(multi_line=True), Place(2, 3)),
    ],
)
def test_bad_bytes_have_a_place(body: bytes, dialect: Csv, place: Place | None) -> None:
    (problem,) = admitted(body, a_plan(csv=dialect)).problems

    assert (problem.code, problem.place) == ("wrong-encoding", place)


def test_tolerated_bad_bytes_are_left_to_the_job() -> None:
    body = b"id,note\n1,\xe9\n"
    lenient = PlanCheck("record.text", rules.Text(), "record", "warning", "conformity", "text")

    assert admitted(body, a_plan(tolerance=Limit(Decimal(1), "rows"))).problems == ()
    assert admitted(body, a_plan(checks=(lenient,))).problems == ()


def test_header_alone_is_left_to_a_milder_contract() -> None:
    assert admitted(b"id,note\n", a_plan(empty="accept")).problems == ()


def test_milder_columns_are_notes() -> None:
    admission = admitted(b"note,id,more\n1,a,b\n", a_plan(columns=Columns(extra="warn")))

    assert not admission.refused
    assert [p.code for p in admission.notes] == ["extra-column"]


def test_deprecated_contract_is_a_note() -> None:
    assert [p.code for p in admitted(GOOD, a_plan(deprecated=True)).notes] == ["deprecated-contract"]


def test_first_line_without_end_is_no_header() -> None:
    body = b"x" * (SAMPLE + 1)

    assert codes(admit(a_plan(), NAME, len(body), reading(body))) == ["header-too-long"]


def test_header_of_too_many_columns_is_refused() -> None:
    for count, problem_codes in ((MOST_COLUMNS, []), (MOST_COLUMNS + 1, ["too-many-columns"])):
        body = ("id,note" + ",a" * (count - 2) + "\n1\n").encode()
        assert [
            c for c in codes(admit(a_plan(), NAME, len(body), reading(body))) if c == "too-many-columns"
        ] == problem_codes


def test_longest_name_that_fits_is_admitted() -> None:
    name = "x" * (1024 - len("orders.v1/"))

    assert admitted(GOOD, name=name).problems == ()
    assert codes(admitted(GOOD, name=name + "x")) == ["name-too-long"]


def test_file_that_cannot_be_copied_is_refused() -> None:
    assert codes(admit(a_plan(), NAME, LARGEST_FILE + 1, reading(GOOD))) == ["file-too-large"]


@given(st.binary(max_size=200))
def test_no_bytes_break_admission(body: bytes) -> None:
    admission = admitted(body)

    assert admission.refused or admission.header


HEADLESS = a_plan(csv=Csv(header=False))


def test_first_line_with_more_cells_may_be_one_of_those_that_are_tolerated() -> None:
    fields = replace(next(c for c in HEADLESS.checks if c.kind == "fields"), tolerance=Limit(Decimal(1), "rows"))
    lenient = replace(HEADLESS, checks=(fields,))
    assert not admitted(b"1,a,x\n", lenient).refused


ENDED = a_plan(csv=Csv(header=False, trailer=Trailer("T", 2)))


def test_first_line_may_be_the_trailer_of_a_file_without_records() -> None:
    assert not admitted(b'"T",0,x\n', ENDED).refused
    assert admitted(b"X,0,x\n", ENDED).refused


@pytest.mark.parametrize("body", [b"\xef\xbb\xbf\n1,a\n", b"\n1,a\n", b"\xef\xbb\xbf", b'"'])
def test_first_line_of_no_cells_is_no_trailer(body: bytes) -> None:
    assert admitted(body, ENDED) == admitted(body, HEADLESS)


def test_file_without_a_header_is_admitted_with_the_contracts_columns() -> None:
    assert admitted(b"1,a\n2,\n", HEADLESS) == Admission((), ("id", "note"), "")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"id,note\n1,a\n", "header-not-agreed"),
        (b"1,a,x\n", "column-count"),
        (b"1\n", "column-count"),
        (b"1,\xff\n", "wrong-encoding"),
        (b"\n\n", "no-records"),
    ],
)
def test_file_without_a_header_is_refused(body: bytes, code: str) -> None:
    assert code in codes(admitted(body, HEADLESS))


@pytest.mark.parametrize("body", [b"1,\xff\n2,b\n", b"\xff,\xff\r\n2,b\r\n", b"1,\xff"])
def test_bytes_of_a_first_record_that_are_no_text_may_be_lost(body: bytes) -> None:
    text = replace(next(c for c in HEADLESS.checks if c.kind == "text"), tolerance=Limit(Decimal(1), "rows"))
    for plan in (replace(HEADLESS, tolerance=Limit(Decimal(1), "rows")), replace(HEADLESS, checks=(text,))):
        assert admitted(body, plan) == Admission((), ("id", "note"), "")
    assert codes(admitted("id,note\n1,a\n".encode("utf-16"), plan)) == ["wrong-encoding"]


JSONL = a_plan(file_format="jsonl", checks=record_checks("jsonl", "reject"))


def test_json_lines_are_admitted_with_the_keys_of_the_first_object() -> None:
    admission = admitted(b'{"note": "a", "id": 1}\n{"id": 1}\n', JSONL)
    assert (admission.problems, admission.header, admission.header_line) == ((), ("note", "id"), '["note", "id"]')
    assert header(JSONL, admission.header_line) == (("note", "id"), ())


def test_number_of_more_digits_than_python_reads_is_for_the_job_to_judge() -> None:
    assert admitted(b'{"id": 1, "note": ' + b"1" * 5_000 + b"}\n", JSONL).problems == ()


@pytest.mark.parametrize("first", [b'{"note": "a"}', b'{"id": 1}', b"{}", b'{"id": 1, "note": null}'])
def test_objects_that_lack_keys_are_one_read(first: bytes) -> None:
    assert admitted(first + b"\n", JSONL).header == ("id", "note")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'[{"id": 1}]\n', "not-json-lines"),
        (b'{\n  "id": 1\n}\n', "not-json-lines"),
        (b"id,note\n1,a\n", "not-json-lines"),
        (b"\n\n", "no-records"),
        (b'{"ID": 1}\n', "unknown-key"),
        (b'{"id": 1, "note": "\xff"}\n', "wrong-encoding"),
        (b"\xff\xfe{\x00}\x00", "wrong-encoding"),
        (b"PAR1\x00\x00\x00", "wrong-format"),
        (b"x" * (SAMPLE + 5), "not-json-lines"),
        (b"[" * 60_000 + b"\n", "not-json-lines"),
        (b'{"id": 1, "\\ud800": 2}\n', "not-json-lines"),
    ],
)
def test_json_lines_are_refused(body: bytes, code: str) -> None:
    assert codes(admitted(body, JSONL)) == [code]


@pytest.mark.parametrize("more", [0, 1, SAMPLE, 2 * SAMPLE])
@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize(
    ("plan", "first"), [(a_plan(), b"\xef\xbb\xbfid,note"), (JSONL, b'{"note": "a", "id": 1}')], ids=["csv", "jsonl"]
)
def test_header_line_is_found_again(plan: Plan, first: bytes, compression: Literal["none", "gzip"], more: int) -> None:
    body = first + b"\n" + b'{"id": 2}\n' * (more // 10)
    plan = replace(plan, compression=compression)
    raw = body if compression == "none" else gzip.compress(body[:20]) + gzip.compress(body[20:])
    line = header_line(plan, len(raw), reading(raw))

    assert line
    assert line == admit(plan, NAME, len(raw), reading(raw)).header_line


PARQUET = a_plan(file_format="parquet", columns=Columns(extra="ignore"))
THINGS = (Path(__file__).parent / "heads" / "things.parquet").read_bytes()
"""Four records of eight columns, written by Spark."""


def test_parquet_is_admitted_with_columns_and_types() -> None:
    plan = replace(PARQUET, properties=(Property("id", "integer"), Property("name", "string")))
    admission = admitted(THINGS, plan)
    assert admission.problems == ()
    names, types = header(plan, admission.header_line)
    assert names == admission.header == ("id", "name", "amount", "ok", "day", "ts", "dec", "bin")
    assert types == ("bigint", "string", "double", "boolean", "date", "timestamp", "decimal(10,2)", "binary")
    assert header_line(plan, len(THINGS), reading(THINGS)) == admission.header_line


@pytest.mark.parametrize(
    ("name", "kind", "fits"),
    [
        ("id", "number", True), ("dec", "number", True), ("amount", "integer", False), ("dec", "integer", False),
        ("name", "date", False), ("day", "date", True), ("day", "timestamp", False), ("bin", "string", False),
        ("ts", "timestamp", True), ("ok", "boolean", True), ("ok", "string", False),
    ],
)  # fmt: skip
def test_every_type_of_column_has_an_answer(name: str, kind: LogicalType, fits: bool) -> None:
    plan = replace(PARQUET, properties=(Property(name, kind),))
    assert codes(admitted(THINGS, plan)) == ([] if fits else ["wrong-type"])


NESTED = (Path(__file__).parent / "heads" / "nested.parquet").read_bytes()
"""A record, written by Spark: `to`, a struct; `lines`, an array of them; `words`, a map; `numbers`, one of integers."""
TO = Property("to", "object")


def within(name: str, kind: LogicalType, *steps: str) -> Property:
    return Property(name, kind, path=steps)


@pytest.mark.parametrize(
    ("properties", "types"),
    [
        ((TO,), ["to struct<`city`:string,`zip.code`:int,`geo`:struct<`lat`:double,`b`:binary>>"]),
        ((TO, within("to.city", "string", "to", ".city")), ["to struct<`city`:string>", "to.city within"]),
        ((TO, within("to.x", "string", "to", ".x")), ["to struct<`city`:string>"]),
        (
            (TO, within("to.geo", "object", "to", ".geo"), within("to.geo.lat", "number", "to", ".geo", ".lat")),
            ["to struct<`geo`:struct<`lat`:double>>", "to.geo within", "to.geo.lat within"],
        ),
        (
            (Property("lines", "array"), within("lines[]", "object", "lines", "[]")),
            ["lines array<struct<`sku`:string,`tags`:array<string>>>", "lines[] within"],
        ),
        (
            (Property("words", "map"), within("words.~", "string", "words", "~")),
            ["words map<string,string>", "words.~ within"],
        ),
    ],
)
def test_of_nested_columns_no_more_is_read_than_is_known(properties: tuple[Property, ...], types: list[str]) -> None:
    plan = replace(PARQUET, properties=properties, columns=Columns(extra="ignore", missing="ignore"))
    names = {p.name for p in properties}
    pairs = zip(*header(plan, admitted(NESTED, plan).header_line), strict=True)
    assert [f"{name} {kind}" for name, kind in pairs if name in names] == types


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ((Property("to", "array"),), "wrong-type"),
        ((Property("lines", "map"),), "wrong-type"),
        ((Property("words", "string"),), "wrong-type"),
        ((TO, within("to.city", "integer", "to", ".city")), "wrong-type"),
        ((Property("numbers", "map"), within("numbers.~", "string", "numbers", "~")), "wrong-type"),
        ((TO, within("to.name", "string", "to", ".name")), "missing-column"),
    ],
)
def test_nested_columns_of_another_type_are_refused(properties: tuple[Property, ...], code: str) -> None:
    assert codes(admitted(NESTED, replace(PARQUET, properties=properties))) == [code]


def test_unknown_fields_within_a_column_are_extra() -> None:
    plan = replace(PARQUET, properties=(TO, within("to.city", "string", "to", ".city")), columns=Columns())
    extra = [p.property for p in admitted(NESTED, plan).problems if p.code == "extra-column"]
    assert extra == ["to['zip.code']", "to.geo", "lines", "words", "numbers"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (THINGS[:-1], "broken-parquet"),
        (THINGS[:600], "broken-parquet"),
        (b"PAR1PAR1", "broken-parquet"),
        (b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1", "broken-parquet"),
        (THINGS[:-4] + b"PARE", "encrypted-parquet"),
        (b"id,note\n1,a\n", "not-parquet"),
        (b"PAR1" + THINGS[300:], "broken-parquet"),
    ],
)
def test_parquet_that_is_none_is_refused(body: bytes, code: str) -> None:
    assert codes(admitted(body, PARQUET))[0] == code


@given(st.integers(0, len(THINGS) - 1), st.binary(min_size=1, max_size=20))
def test_any_damage_of_parquet_is_answered(at: int, noise: bytes) -> None:
    admitted(THINGS[:at] + noise + THINGS[at + len(noise) :], PARQUET)


@given(st.integers(0, len(NESTED) - 1), st.binary(min_size=1, max_size=20))
def test_any_damage_of_nested_parquet_is_answered(at: int, noise: bytes) -> None:
    admitted(
        NESTED[:at] + noise + NESTED[at + len(noise) :], replace(PARQUET, properties=(TO, Property("lines", "array")))
    )


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"sep=;\nid;note\n1;a\n", "separator-line", "`sep=;`"),
        (b"\xef\xbb\xbfSEP=,\nid,note\n", "separator-line", "`SEP=,`"),
        (b'id,"no\nte"\n1,a\n', "header-line-break", "`no\\nte`"),
        (b'id,"no\r\nte\r\n",x\n1,a\n', "header-line-break", "line break"),
        (b'id,no"te\n1,a\n', "header-quotes", "not wholly quoted"),
        (b"4711,Ana Mayer,2026-01-31\n", "missing-header", "looks like `9999, xxx xxxxx, 9999-99-99`"),
        (b"id,not\xc3\xa9\n", "missing-column", "`noté`"),
        (b"id,note\xc2\xa0\n", "missing-column", "character 5 is U+00A0, the contract has none"),
        (b"id, note\n", "missing-column", "with blanks around it"),
        (b"id,n\xd0\xbete\n", "missing-column", "character 2 is U+043E, the contract has U+006F"),
        (b'"sep=,"\nid,note\n1,a\n', "separator-line", '`"sep=,"`'),
        (b"sep=\\t\nid,note\n1,a\n", "separator-line", "note for spreadsheets"),
        (b"sep=;,\nid,note\n1,a\n", "separator-line", "note for spreadsheets"),
        (b"# of today\nid,note\n1,a\n", "missing-header", "the column names are in line 2"),
        (b"Orders\n\nid,note\n1,a\n", "missing-header", "the column names are in line 3"),
        (b"Orders,,\r\n,,\r\nnote,id,x\r\n", "missing-header", "the column names are in line 3"),
        (b"Orders\x0b\x1c\xc2\x85\n\xe2\x80\xa8\n\xe2\x80\xa9\nid,note\n", "missing-header", "names are in line 4"),
        (b'a\x0bb\x0c"x"y,q\n1,2\n', "header-quotes", "not wholly quoted"),
        (b'id,"n\xe2\x80\xa8o\nte"\n1,a\n', "header-line-break", "line break"),
        (b"Orders\nid;note\n", "missing-header", "looks like `xxxxxx`"),
        (b"\nid,note\n", "blank-header", "The first line is blank"),
        (b"\xef\xbb\xbfid,\xe2\x80\x8bnote\n", "missing-column", "character 1 is U+200B, the contract has U+006E"),
    ],
)
def test_first_line_that_is_nearly_a_header_says_what_is_odd(body: bytes, code: str, words: str) -> None:
    problems = [p for p in admitted(body).problems if p.code == code]
    assert problems, admitted(body).problems
    assert words in problems[0].message


@given(
    st.lists(
        st.sampled_from(
            ("id", "note", "sep=", "# ", *",;\"'\\\n\r\t {[\0\ufeff", *"\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029é")
        ),
        max_size=30,
    ),
    st.sampled_from((Csv(), Csv(escape="\\"), Csv(quote="'"), Csv(header=False), Csv(encoding="iso-8859-1"))),
)
def test_first_lines_of_any_signs_have_an_answer(signs: list[str], csv: Csv) -> None:
    body = "".join(signs).encode(csv.encoding, "replace")
    plans = (replace(a_plan(), csv=csv), replace(JSONL, csv=replace(csv, encoding="utf-8")))

    for plan in plans:
        assert isinstance(admitted(body, plan), Admission)


def test_names_that_differ_by_unicode_form_are_told_apart_by_their_characters() -> None:
    plan = a_plan(properties=(Property("id", "integer"), Property("S\u00e3o", "string")))
    (problem,) = admitted("id,Sa\u0303o\n1,a\n".encode(), plan).problems
    assert "character 2 is U+0061, the contract has U+00E3" in problem.message
    assert "NFC" in problem.fix


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_name_that_was_written_twice_in_utf_8_is_told_so(encoding: str) -> None:
    plan = a_plan(properties=(Property("id", "integer"), Property("gr\u00f6\u00dfe", "string")))
    twice = "gr\u00f6\u00dfe".encode().decode(encoding)
    (problem,) = admitted(f"id,{twice}\n1,a\n".encode(), plan).problems
    assert "UTF-8 was taken for another encoding" in problem.message


@pytest.mark.parametrize(
    ("line", "code", "words", "fix"),
    [
        (b"sep=,", "separator-line", "a record must be there", "begin the file with the first record"),
        (b"1;a", "wrong-delimiter", "separated by semicolons, but the contract requires commas", "with commas"),
        (b"1\ta", "wrong-delimiter", "separated by tabs, but the contract requires commas", "with commas"),
        (b"1||a", "wrong-delimiter", "separated by `||`, but the contract requires commas", "with commas"),
        (b"1~|~a", "wrong-delimiter", "separated by `~|~`, but the contract requires commas", "with commas"),
        (b"1\\a", "wrong-delimiter", "separated by `\\`, but the contract requires commas", "with commas"),
        (
            b"1,a,",
            "column-count",
            "has 3 cells, the last of them empty",
            "Leave out the `,` at the end of each row, or ask for",
        ),
        (b"1", "column-count", "has 1 cell; the contract has 2 columns", "Write these columns"),
        (b"1,a,b", "column-count", "has 3 cells; the contract", "Write these columns"),
    ],
)
def test_first_record_without_a_header_says_what_is_odd(line: bytes, code: str, words: str, fix: str) -> None:
    (problem,) = admitted(line + b"\n2,b\n", a_plan(csv=Csv(header=False))).problems
    assert problem.code == code
    assert words in problem.message
    assert fix in problem.fix


def test_header_in_utf_8_is_another_encoding() -> None:
    plan = a_plan(
        properties=(Property("id", "integer"), Property("S\u00e3o", "string")), csv=Csv(encoding="iso-8859-1")
    )
    assert codes(admitted("id,S\u00e3o\n1,a\n".encode(), plan)) == ["wrong-encoding"]
    assert codes(admitted("id,S\u00e3o\n1,a\n".encode("latin-1"), plan)) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"id": 1,}', "a comma precedes a closing bracket"),
        (b'{"id": 01}', "begins with zeros"),
        (b"{'id': 1}", "single quotes"),
        (b"{id: 1}", "a key has no quotes"),
        (b'{"id": 1, "note": "C:\\data"}', "backslash"),
        (b'{"id": 1, "note": "\\u12"}', "backslash"),
        (b'{"id": 1, "note": "a\tb"}', "a string has a tab"),
        (b'{"id": None}', "JSON has no such words"),
        (b'{"id": 1} {"id": 2}', "more than one object"),
        (b'{"id": 1},', "a comma follows it"),
        (b'{"id": 1, "note": "a}', "never closed"),
        (b'{"id": 1, "note": [1', "does not end with"),
        (b'{"id": 1 // one\n}', "a comment"),
        (b'{"id": 1, "\\ud800": 2}', "half of a character"),
        (b'{"id": 1, "note": [NaN, }', "`NaN` and `Infinity` are not JSON"),
        (b'{"data": [{"id": 1}]}', "one JSON object around an array (`data`)"),
        (b'{"meta": {"n": 1}, "links": ["a"], "data": [{"id": 1}]}', "one JSON object around an array (`data`)"),
        (b'{"count": 2, "next": null, "results": [\n  {"id": 1}\n]}', "around an array (`results`)"),
        (b'[\n{"id": 1}\n]', "a JSON array"),
        (b'{"id": 1},{"id": 2}', "something follows its closing bracket"),
        (b'{"id": 1}}', "something follows its closing bracket"),
        (b'{"id": 0x1}', "a number has a letter in it"),
        (b'{"id": nan}', "a word has no quotes"),
        (b'{"note": [1, true], "id": 1_000}', "a number has a letter in it"),
        (b'{"id": }', "a key has no value"),
        (b'{"id"}', "a key has no value"),
        (b'{, "id": 1}', "a comma follows an opening bracket"),
        (b'{"id" 1}', "a comma or a colon is missing"),
        (b'{"id": 1 "note": "a"}', "a comma or a colon is missing"),
        (b'{"id":: 1}', "it has two colons in a row"),
        (b'{"id": 1; "note": "a"}', "it has a semicolon"),
        (b'{"id": 1, "note": [1, {"a": 2}}', "a bracket is not closed"),
        (b'{"id": --1}', "a sign is missing, or is in a wrong place"),
        (b'{"id": --1, "note": ' + b"1" * 5_000 + b"}", "a number in it is longer than 1,000 characters"),
        (b'{"id":\xc2\xa01}', "outside of strings"),
    ],
)
def test_line_that_is_no_json_says_why(line: bytes, words: str) -> None:
    (problem,) = admitted(line + b"\n", JSONL).problems
    assert problem.code == "not-json-lines"
    assert words in problem.message


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("orders/_a.csv", "_a.csv"),
        ("orders/.a.csv", ".a.csv"),
        ("orders/_delta_log/00000000000000000000.json", "_delta_log"),
        ("orders/.git/a.csv", ".git"),
        ("_orders/a.csv", "_orders"),
        ("orders/...csv", "...csv"),
        ("orders/_", "_"),
        ("orders/_SUCCESS", "_SUCCESS"),
        ("orders/day=1/_part.csv", "_part.csv"),
    ],
)
def test_name_that_readers_leave_out_is_refused(name: str, part: str) -> None:
    (problem,) = [p for p in admitted(b"id;note\n1;a\n", name=name).problems if p.code == "name-hidden"]
    assert f"`{part}`" in problem.message


@pytest.mark.parametrize("name", ["orders/a_b.csv", "orders/a.b", "orders/_day=1/a.csv", "orders/-a.csv", "orders/a._"])
def test_name_that_readers_see_is_not_refused(name: str) -> None:
    assert "name-hidden" not in codes(admitted(b"id;note\n1;a\n", name=name))


def test_hidden_name_is_nothing_to_a_table_nor_above_the_last_part_of_a_version() -> None:
    body = b"id;note\n1;a\n"
    table, version = replace(a_plan(), promote="table"), replace(a_plan(), same_key="version")
    for plan, name, refused in (
        (table, "orders/_a.csv", False),
        (version, "_orders/a.csv", False),
        (version, "orders/_a.csv", True),
    ):
        assert ("name-hidden" in codes(admitted(body, plan, name))) is refused


@pytest.mark.parametrize(
    ("plan", "most"),
    [
        (a_plan(), LARGEST_FILE),
        (replace(a_plan(), csv=replace(a_plan().csv, multi_line=True)), (100 << 20) * 7_000),
        (replace(a_plan(), file_format="jsonl"), (25 << 20) * 7_000 * 12),
    ],
)
def test_file_that_no_job_reads_in_time_is_refused_by_name(plan: Plan, most: int) -> None:
    def size(bytes_: int) -> list[str]:
        admission = admit(plan, NAME, bytes_, reading(GOOD))
        return [c for c in codes(admission) if c.startswith("file-too-large")]

    assert size(most) == []
    assert size(most + 1) == (["file-too-large"] if most == LARGEST_FILE else ["file-too-large-for-job"])


def test_limits_of_reading_are_those_of_the_job() -> None:
    assert job_limits.SECONDS < TIMEOUT_MINUTES * 60
    assert LARGEST.cores * LARGEST.most == job_limits.CORES


def test_compressed_file_tells_what_it_holds() -> None:
    packed = gzip.compress(GOOD * 100)
    assert admitted(packed, replace(a_plan(), compression="gzip")).unpacked == 100 * len(GOOD)
    assert admitted(GOOD).unpacked is None
