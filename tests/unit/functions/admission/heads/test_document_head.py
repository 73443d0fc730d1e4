"""JSON documents at the door: the keys of the first record, and documents that are otherwise than agreed."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from contracts.plan import Json, Plan, record_checks
from functions.admission.admit import SAMPLE, Admission, admit, header_line
from functions.admission.header_again import header
from tests.builders import a_plan

AGREED = ("id", "note")
RECORDS = '{"note": "x", "id": "1"}, {"id": "2"}'
MANY = ", ".join(f'{{"id": "{n}", "note": "{"x" * 40}"}}' for n in range(2_000))


def plan_of(path: str = "", **more: object) -> Plan:
    plan = a_plan(files=("orders/*",), file_format="json", json=Json(path), checks=record_checks("json", "reject"))
    return replace(plan, **more)  # type: ignore[arg-type]


def admitted(plan: Plan, body: bytes | str) -> Admission:
    data = body if isinstance(body, bytes) else body.encode()
    return admit(plan, "orders/1.json", len(data), lambda start, length: data[start : start + length])


@pytest.mark.parametrize(
    ("path", "body", "names"),
    [
        ("", f"[{RECORDS}]", ("note", "id")),
        ("", '{"id": "1"}\n{"note": "x"}', AGREED),
        ("data", f'{{"data": [{RECORDS}]}}', ("note", "id")),
        ("", f"[{MANY}]", AGREED),
        ("a.b", f'{{"x": [{MANY}], "a": {{"b": [{RECORDS}]}}}}', AGREED),
        ("", '[{"id": "' + "x" * SAMPLE + '"}]', AGREED),
    ],
)
def test_header_is_the_keys_of_the_first_record(path: str, body: str, names: tuple[str, ...]) -> None:
    plan = plan_of(path)
    admission = admitted(plan, body)
    assert (admission.problems, admission.header) == ((), names)
    assert header(plan, admission.header_line) == (names, ())
    assert header_line(plan, len(body), lambda start, n: body.encode()[start : start + n]) == admission.header_line


def test_packed_document_may_be_one_long_line() -> None:
    body = gzip.compress(f"[{', '.join([MANY] * 20)}]".encode())
    admission = admitted(plan_of(compression="gzip"), body)
    assert (admission.problems, admission.header) == ((), AGREED)


@pytest.mark.parametrize(
    ("path", "body", "code", "message"),
    [
        ("", f"[{MANY}, {{]", None, ""),
        ("", '{"data": [{"id": "1"}]}', "not-json-document", "one JSON object around an array (`data`)"),
        ("", '{"data": [' + MANY + "]}", "not-json-document", "one JSON object around an array (`data`)"),
        ("data", "[]", "not-json-document", "The file is an array"),
        ("data", '{"id": "1"}\n{"id": "2"}\n', "not-json-document", "one after another, as in JSON Lines"),
        ("data", '{"date": []}', "json-no-array", "it has `date`"),
        ("", '[{"id": "1"', "json-cut-short", "ends too early"),
        ("", "[1, 2]", "not-json-document", "The first record is not a JSON object"),
        ("", '[{"id": 1,}]', "not-json-document", "a comma precedes a closing bracket"),
        ("", '[{"id": "1", "nmae": "x"}]', "unknown-key", "`nmae`"),
        ("", "[]", "no-records", "holds no records"),
        ("", "id,note\n1,x\n", "not-json-document", "seems to be CSV, its cells separated by commas"),
        (
            "",
            '[{"id": "\udcff"}]'.encode("utf-8", "surrogateescape"),
            "wrong-encoding",
            "The document holds the byte 0xFF",
        ),
        ("", f"[{RECORDS}]".encode("utf-16"), "wrong-encoding", "UTF-16"),
        ("", '<?xml version="1.0"?><a/>', "wrong-format", "XML"),
    ],
)
def test_other_document_is_refused_by_name(path: str, body: bytes | str, code: str | None, message: str) -> None:
    problems = admitted(plan_of(path), body).problems
    assert [p.code for p in problems] == ([code] if code else [])
    assert all(message in p.message for p in problems)


def test_place_of_a_first_record_is_its_element() -> None:
    (problem,) = admitted(plan_of("data"), json.dumps({"data": [1]})).problems
    assert str(problem.place) == "record 1, data[0]"


def test_document_of_more_than_a_process_reads_is_refused() -> None:
    body = f"[{MANY}]".encode()
    admission = admit(plan_of(), "orders/1.json", (2 << 30) + 1, lambda start, length: body[start : start + length])
    assert [p.code for p in admission.problems] == ["file-too-large-for-job"]
    assert "JSON Lines" in admission.problems[0].fix
