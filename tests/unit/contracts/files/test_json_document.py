"""JSON documents as lines: the records of each form, in pieces of any size, and documents that are damaged."""

from __future__ import annotations

import io
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from contracts.files.json_document import Damaged, Records, one_line, transcribe
from contracts.plan import Json
from tests.builders import a_plan

ROWS: list[Any] = [
    {"id": 1, "note": "a}, {b", "deep": {"list": [1, [2, {"x": "]"}]], "none": {}}},
    {"id": 2, "note": 'say "yes", \\ or "no\\'},
    {},
    [1, [2]],
    None,
    12.50,
    "text, with [brackets]",
    True,
    {"id": 3, "ünï": "\u20ac \U0001f600"},
]
KEYS = {
    "": (),
    "data": ("data",),
    "data.items": ("data", "items"),
    "a.b.c": ("a", "b", "c"),
    r"v1\.2.a\b": ("v1.2", r"a\b"),
    r"\..x\.": (".", "x."),
}
"""The keys of paths."""
CUT = "The document ends too early"


def read(body: bytes, path: str = "", piece: int | None = None) -> list[str]:
    source = io.BytesIO(body)
    records = Records(Json(path), source.read if piece is None else lambda _: source.read(piece))
    return [record.decode() for batch in records.batches() for record in batch]


def damage(body: bytes, path: str = "") -> tuple[str, str]:
    with pytest.raises(Damaged) as raised:
        read(body, path)
    return raised.value.problem.code, raised.value.problem.message


def wrapped(text: str, path: str) -> str:
    for key in reversed(KEYS[path]):
        name = json.dumps(key)
        text = f'{{"before": [[{{{name}: 0}}], {name}], {name}: {text}, "behind": {{{name}: [1]}}}}'
    return text


@pytest.mark.parametrize("piece", [None, 1, 2, 7, 64])
@pytest.mark.parametrize("indent", [None, 0, 2, "\t"])
@pytest.mark.parametrize("path", KEYS)
def test_records_of_an_array_are_its_elements(path: str, indent: int | str | None, piece: int | None) -> None:
    body = wrapped(json.dumps(ROWS, indent=indent), path).encode()
    assert [json.loads(record) for record in read(body, path, piece)] == ROWS


@pytest.mark.parametrize("path", KEYS)
def test_path_has_its_keys_and_keys_their_path(path: str) -> None:
    assert Json(path).keys == KEYS[path]
    assert Json.under(KEYS[path]) == Json(path)


@pytest.mark.parametrize("piece", [None, 1, 5])
@pytest.mark.parametrize("between", ["\n", "", " ", "\r\n\r\n\t"])
def test_records_that_follow_each_other_need_no_lines(between: str, piece: int | None) -> None:
    rows = [row for row in ROWS if isinstance(row, dict | list | str)]
    body = between.join(json.dumps(row, indent=2) for row in rows).encode()
    assert [json.loads(record) for record in read(body, piece=piece)] == rows


def test_records_keep_each_character_that_is_no_line_break() -> None:
    texts = [
        '{"a":1.50,"b" : 1E5}',
        '{"a":NaN}',
        "{'a': 1}",
        '{"a": 01}',
        '{"a":"\\u00e9\\/"}',
        "tru",
        '{"a":1} {"b":2}',
    ]
    assert read(f"[{','.join(texts)}]".encode()) == texts


@pytest.mark.parametrize("body", [b"[]", b" [ \n] ", b"", b" \n", b"\xef\xbb\xbf[]"])
def test_document_may_have_no_records(body: bytes) -> None:
    assert read(body) == []


def test_document_may_begin_with_its_mark() -> None:
    assert read(b'\xef\xbb\xbf{"data": [{"a": 1}]}', "data") == ['{"a": 1}']


def test_nesting_may_be_deep() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    assert read(f'[{{"a": {deep}}}, 1]'.encode()) == [f'{{"a": {deep}}}', "1"]


@pytest.mark.parametrize(
    ("record", "line"),
    [
        ('{\n  "a": 1,\r\n  "b": [\n    1,\n    2\n  ]\n}', '{"a": 1,"b": [1,2]}'),
        ('{"a": 1\n}', '{"a": 1}'),
        ('{"a":\n\n1}', '{"a":\t\t1}'),
        ("[1\n2]", "[1\t2]"),
        ('{"a": "x\ny"}', '{"a": "x\ty"}'),
        ('{"a": "x\\"\r\ny"\n}', '{"a": "x\\"\t\ty"\t}'),
        ('{"a": "x\\"", \n"b": "\\\\"\n}', '{"a": "x\\"","b": "\\\\"}'),
    ],
)
def test_line_breaks_leave_a_record_as_valid_as_it_was(record: str, line: str) -> None:
    assert one_line(record.encode()).decode() == line


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        (b'[{"a": 1}', "", "json-cut-short"),
        (b'[{"a": 1}, ', "", "json-cut-short"),
        (b'[{"a": "1}]', "", "json-cut-short"),
        (b'{"a": 1', "", "json-cut-short"),
        (b'{"data": [1], "b"', "data", "json-cut-short"),
        (b'{"data"', "data", "json-cut-short"),
        (b'{"data": [1]', "data", "json-cut-short"),
        (b'{"da', "data", "json-cut-short"),
        (b'[{"a": 1},]', "", "json-damaged"),
        (b'[{"a": 1},,{"a": 2}]', "", "json-damaged"),
        (b"[,1]", "", "json-damaged"),
        (b'[{"a": 1}}', "", "json-damaged"),
        (b'{"a": 1},\n{"a": 2}', "", "json-damaged"),
        (b'{"a": 1}]', "", "json-damaged"),
        (b"[1] [2]", "", "json-damaged"),
        (b'{"data": [1]} {"data": [2]}', "data", "json-damaged"),
        (b'{"data": [1] "x": 2}', "data", "json-damaged"),
        (b'{"data" [1]}', "data", "json-damaged"),
        (b"{data: [1]}", "data", "json-damaged"),
        (b'{"data": [1], "x": 0, "data": [2]}', "data", "json-key-twice"),
        (b'{"a": {"b": [1]}, "a": 0}', "a.b", "json-key-twice"),
        (b'{"a": {"b": [1], "\\u0062": 0}}', "a.b", "json-key-twice"),
        (b'{"date": [1]}', "data", "json-no-array"),
        (b"{}", "data", "json-no-array"),
        (b'{"data": null}', "data", "json-no-array"),
        (b'{"data": {"items": []}}', "data", "json-no-array"),
        (b'{"data": [{"items": []}]}', "data.items", "json-no-array"),
        (b"[1]", "data", "not-json-document"),
        (b'{"a": 1}\n{"a": 2}\n', "data", "not-json-document"),
        (b"a,b\n1,2\n", "", "not-json-document"),
        (b'"a"', "", "not-json-document"),
        (b"null", "", "not-json-document"),
    ],
)
def test_document_is_refused_if_its_records_cannot_be_told_apart(body: bytes, path: str, code: str) -> None:
    assert damage(body, path)[0] == code
    with pytest.raises(Damaged):
        read(body, path, 1)


def test_problem_names_the_last_record_before_it() -> None:
    assert damage(b'{"a": [1, 2, 3', "a") == (
        "json-cut-short",
        f"{CUT}, behind record 2, a[1]: it was cut short, or a bracket or a quote is not closed.",
    )
    assert damage(b"[1, 2, ]") == (
        "json-damaged",
        "The document is damaged behind record 2: a comma has no record beside it.",
    )


def test_problem_of_a_missing_key_names_what_is_there() -> None:
    text = damage(b'{"meta": {}, "rows": [1]}', "data")[1]
    assert text == "The document has no `data`; it has `meta`, `rows`."


def test_a_record_has_a_bound_and_other_values_have_none() -> None:
    source = io.BytesIO(b'[{"a": "' + b"x" * 400)
    with pytest.raises(Damaged, match="more than 100 bytes"):
        list(Records(Json(), lambda _: source.read(50), longest=100).batches())
    source = io.BytesIO(b'{"skipped": [' + b'"x",' * 100 + b'1], "data": [1]}')
    assert list(Records(Json("data"), lambda _: source.read(50), longest=100).batches()) == [[b"1"]]


def test_transcript_has_one_line_for_each_record() -> None:
    plan, target = replace(a_plan(), file_format="json", json=Json("data")), io.BytesIO()
    body = json.dumps({"data": [{"a": "x" * n} for n in range(2_000)]}, indent=1).encode()
    assert transcribe(plan, io.BytesIO(body), target) is None
    assert [len(json.loads(line)["a"]) for line in target.getvalue().splitlines()] == list(range(2_000))
    problem = transcribe(plan, io.BytesIO(body[:-9]), io.BytesIO())
    assert problem
    assert problem.code == "json-cut-short"


def by_hand(text: str) -> list[str] | None:
    """Split an array at its commas character by character; None if that fails."""
    depth, quoted, escaped, begin, records = 0, False, False, 1, list[str]()
    for at, sign in enumerate(text):
        if quoted:
            quoted, escaped = escaped or sign != '"', not escaped and sign == "\\"
            continue
        quoted = sign == '"'
        if sign in ",]}" and depth == 1:
            record = text[begin:at].strip()
            if sign == "}" or not (record or (sign == "]" and not records)):
                return None
            records += [record] if record else []
            begin = at + 1
            if sign == "]":
                return None if text[begin:].strip() else records
        depth += (sign in "[{") - (sign in "]}")
    return None


@pytest.mark.parametrize("seed", range(300))
def test_records_are_those_of_a_reader_of_single_characters(seed: int) -> None:
    chance = random.Random(seed)

    def value(depth: int) -> str:
        match chance.randrange(9 if depth else 5):
            case 0:
                return json.dumps("".join(chance.choice('ab{}[],:"\\/\u20ac ') for _ in range(chance.randrange(6))))
            case 1 | 2:
                return chance.choice(["1", "-0.50", "null", "true", '""'])
            case 3 | 4:
                return chance.choice(["{}", "[]", "[ ]", "1"])
            case 5 | 6:
                return "[" + ", ".join(value(depth - 1) for _ in range(chance.randrange(4))) + " ]"
        pairs = (f'"k{n}": {value(depth - 1)}' for n in range(chance.randrange(5)))
        return "{" + ",".join(pairs) + "}"

    text = "[" + " , ".join(value(4) for _ in range(chance.randrange(12))) + "]"
    for _ in range(chance.choice([0, 0, 1, 2])):
        at = chance.randrange(1, len(text) + 1)
        text = text[:at] + chance.choice(['"', "}", "]", ",", "{", "\\", ""]) + text[at + chance.randrange(2) :]
    expected = by_hand(text)
    for piece in (None, 1, 13):
        try:
            seen: list[str] | None = read(text.encode(), piece=piece)
        except Damaged:
            seen = None
        assert seen == expected, text
