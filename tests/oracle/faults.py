"""Files with one fault each, and the checks that each record must fail, written by hand: nobody's word but ours."""

from __future__ import annotations

from contracts.plan import Plan
from tests.oracle.contracts import Document, a_document, compiled

HEAD = b"id,name,amount,day,note\n"
BLOCK: Document = {
    "files": "maker/things/*",
    "producer": "maker",
    "format": "csv",
    "columns": {"extra": "ignore", "missing": "ignore"},
    "empty": "accept",
    "tolerance": {"rows": "60%"},
}
PROPERTIES: list[Document] = [
    {"name": "id", "logicalType": "integer", "required": True, "primaryKey": True},
    {"name": "name", "logicalType": "string", "logicalTypeOptions": {"maxLength": 10}},
    {
        "name": "amount",
        "logicalType": "number",
        "logicalTypeOptions": {"minimum": 0},
        "quality": [
            {"metric": "nullValues", "mustBeLessThan": 60, "unit": "percent"},
            {"type": "custom", "engine": "dropgate", "implementation": {"metric": "max", "mustBeLessThan": 100000}},
        ],
    },
    {"name": "day", "logicalType": "date", "logicalTypeOptions": {"maximum": "2030-12-31"}},
    {"name": "note", "logicalType": "string"},
]
WITHOUT_FIGURES = [p | {"quality": [q for q in p.get("quality", ()) if "metric" in q]} for p in PROPERTIES]
"""The same without a check of all values: of these, vectors can tell lines."""
GOOD = b"1,Ana,10.5,2026-01-31,\n"
FIELDS, QUOTES, TEXT = ["record.fields"], ["record.quotes"], ["record.text"]
Expected = dict[int, list[str]]
ALL_QUOTES: Expected = dict.fromkeys((1, 2, 3), QUOTES)


def plan(properties: list[Document] = PROPERTIES, **block: object) -> Plan:
    """The contract of all these files, or one that differs from it."""
    compiled_plan = compiled(a_document(properties, BLOCK | block))
    assert compiled_plan
    return compiled_plan


def _amounts(*texts: str) -> tuple[bytes, Expected]:
    """A file of amounts, none of which is one."""
    rows = [f'{n},a,"{text}",,\n'.encode() for n, text in enumerate(texts, 1)]
    return HEAD + b"".join(rows), {n: ["amount.logicalType"] for n in range(1, len(texts) + 1)}


def _days(*texts: str) -> tuple[bytes, Expected]:
    rows = [f"{n},a,,{text},\n".encode() for n, text in enumerate(texts, 1)]
    return HEAD + b"".join(rows), {n: ["day.logicalType"] for n in range(1, len(texts) + 1)}


def _lines(*lines: bytes, end: bytes = b"\n") -> bytes:
    return end.join([HEAD[:-1], *lines, b""])


ROW = GOOD[:-1]
CSV: dict[str, tuple[bytes, Expected]] = {
    "good": (HEAD + GOOD, {}),
    "header alone": (HEAD, {}),
    "no end of the last line": (HEAD + ROW, {}),
    "ten thousand rows": (HEAD + b"".join(b"%d,a,1,2026-01-31,x\n" % n for n in range(10_000)), {}),
    "all fail": (HEAD + b"x,a,1,,\n" * 5, {n: ["id.logicalType"] for n in range(1, 6)}),
    "every check fails": (
        HEAD + b",elf letters,-1,2031-01-01,\n",
        {1: ["id.required", "name.maxLength", "amount.minimum", "day.maximum"]},
    ),
    "CRLF": (_lines(ROW, ROW, end=b"\r\n"), {}),
    "bare CR": (_lines(ROW, b"2", end=b"\r"), {2: FIELDS}),
    "mixed line ends": (HEAD + ROW + b"\r\n2,a,,,\r3\n\r4,a,,,\n", {3: FIELDS}),
    "byte order mark": (b"\xef\xbb\xbf" + HEAD + GOOD, {}),
    "byte order mark in the middle": (_lines(ROW, b"\xef\xbb\xbf2,a,,,"), {2: ["id.logicalType"]}),
    "blank lines": (_lines(b"", b"", ROW, b"", b"x,,,,", b""), {2: ["id.logicalType"]}),
    "a line of blanks": (_lines(ROW, b"  "), {2: FIELDS}),
    "a comment": (_lines(b"# made by hand", b"#1,a,,,", ROW), {1: FIELDS, 2: ["id.logicalType"]}),
    "the header again": (
        _lines(ROW, HEAD[:-1], b"2,a,,,"),
        {2: ["id.logicalType", "amount.logicalType", "day.logicalType"]},
    ),
    "too few and too many cells": (_lines(b"1,a", b"2,a,,,,", b"3,a,,,"), {1: FIELDS, 2: FIELDS}),
    "trailing delimiters": (_lines(b"1,a,,,,", b"2,a,,,,"), {1: FIELDS, 2: FIELDS}),
    "other delimiters": (_lines(b"1;a;;;", b"2\ta\t\t\t"), {1: FIELDS, 2: FIELDS}),
    "an open quote at the start": (_lines(b'"1,a,,,', ROW), {1: QUOTES}),
    "an open quote in the middle": (_lines(b'1,"a,,,', ROW), {1: QUOTES}),
    "an open quote at the end": (_lines(b'1,a,,,"x', ROW), {1: QUOTES}),
    "a quote that closes in the next line": (_lines(b'1,"a', b'b",,,'), {1: QUOTES, 2: QUOTES}),
    "a quote that takes in all that follows": (_lines(b'1,5" x,,,"a,b'), {1: QUOTES}),
    "quotes in text without quotes": (_lines(b'1,5" x 3",,,', b'2,a"b"c,,,'), {1: QUOTES, 2: QUOTES}),
    "text behind a closing quote": (_lines(b'1,"a"b,,,', b'"2"x,a,,,', b'"3" ,a,,,'), {1: QUOTES, 2: QUOTES}),
    "quotes around all": (_lines(b'"1","a,b","1.5","2026-01-31","say ""x"""'), {}),
    "NUL": (_lines(b"1,a\0b,,,", b"\0", ROW), {1: TEXT, 2: ["record.fields", "record.text"]}),
    "bytes that are not text": (
        _lines(b"1,S\xe3o,,,", b"2,\xff,,,", b"3,\xc3", ROW),
        {1: TEXT, 2: TEXT, 3: [*FIELDS, *TEXT]},
    ),
    "overlong UTF-8": (_lines(b"1,\xc0\xaf,,,", b"2,\xe0\x80\xaf,,,"), {1: TEXT, 2: TEXT}),
    "surrogates in UTF-8": (_lines(b"1,\xed\xa0\x80,,,", b"2,\xed\xa0\xbd\xed\xb8\x80,,,"), {1: TEXT, 2: TEXT}),
    "beyond Unicode": (_lines(b"1,\xf4\x90\x80\x80,,,", b"2,\xf8\x88\x80\x80\x80,,,"), {1: TEXT, 2: TEXT}),
    "a character of four bytes": (_lines("1,😀😀😀😀😀😀😀😀😀😀,,,".encode()), {}),
    "ten MiB in a cell": (_lines(b"1,a,,," + b"x" * (10 << 20)), {}),
    "ten MiB without a delimiter": (_lines(b"x" * (10 << 20), ROW), {1: FIELDS}),
    "ten MiB behind an open quote": (_lines(b'1,a,,,"' + b"x" * (10 << 20), ROW), {1: QUOTES}),
    "a hundred thousand characters": (_lines(b"1," + b"a" * 100_000 + b",,,"), {1: ["name.maxLength"]}),
    "digits without end": (
        _lines(b"1" * 100_000 + b",a,,,", b"2,a," + b"1" * 100_000 + b",,"),
        {1: ["id.logicalType"], 2: ["amount.logicalType"]},
    ),
    "twenty thousand cells": (_lines(b"," * 20_000, ROW), {1: FIELDS}),
    "twenty thousand delimiters within quotes": (_lines(b'1,a,,,"' + b"," * 20_000 + b'"', ROW), {}),
    "twenty thousand cells behind a stray quote": (_lines(b'1,a"' + b"," * 20_000 + b'"', ROW), {1: QUOTES}),
    "quotes behind blanks": (_lines(b'1, "a",,,', b'2,"a" "b",,,', b'3,"a"\t,,,'), {1: QUOTES, 2: QUOTES}),
    "quotes that shift cells": (_lines(b'1,a "b, c" d,,', b'2,"a" b,c",,', b'3,x"",,,'), ALL_QUOTES),
    "thousands and decimal commas": _amounts("1,000.5", "1.000,5", "1 000", "1'000", "1,5", "1,000"),
    "numbers of programs": _amounts("1e400", "-1e400", "NaN", "inf", "0x1p3", "1d", "1_0", "1L", "1e", "$1", "1%"),
    "digits of others": _amounts("\uff11\uff12", "\u0661", "1\u00a0", "\u00bd", "\u2212" + "1", " 1", "1 ", "1\t"),
    "odd numbers that are some": (
        _lines(b"1,a,-0,,", b"2,a,+7,,", b"3,a,007,,", b"4,a,.5,,", b"5,a,5.,,", b"6,a,1e-400,,"),
        {},
    ),
    "days that are none": _days("2024-02-30", "2023-02-29", "2024-13-01", "2024-1-5", "20240105", "05.01.2024", "2024"),
    "a moment where a day is meant": _days("2024-01-05T24:00", "2016-12-31T23:59:60Z", "2024-01-05 00:00:00", "today"),
    "formulas": (
        _lines(b"=1,a,,,", b"+1 ,a,,,", b"-1 ,a,,,", b"@1,a,,,", b"\t1,a,,,", b'"=1,2",a,,,'),
        {n: ["id.logicalType"] for n in range(1, 7)},
    ),
    "the same key": (_lines(b"7,a,,,", b"007,b,,,", b"+7,c,,,", b"8,d,,,"), {}),
    "a key that is null": (_lines(b",a,,,", b"2,a,,,"), {1: ["id.required"]}),
    "one of two rows": (_lines(b"x,a,,,", b"2,a,,,"), {1: ["id.logicalType"]}),
    "another order": (b"note,day,amount,name,id\n,2026-01-31,1,a,1\n,,-1,a,2\n", {2: ["amount.minimum"]}),
    "missing columns": (b"id,name\n1,a\n2,elf letters\n", {2: ["name.maxLength"]}),
    "more columns": (b"id,more,name,amount,day,note\n1,,a,,,\n2,a,,,\n", {2: FIELDS}),
    "a corrected file": (b"id,name,amount,day,note,_record,_reasons\n1,a,,,,7,id.required\n", {}),
    "a quoted header": (b'"id","name","amount","day","note"\n1,a,,,\n', {}),
}  # fmt: skip
