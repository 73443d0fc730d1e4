"""Every type that Parquet has, by its annotation, old or new, and every way in which lists and maps are written."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.plan import Columns, Plan, Property
from functions.admission.admit import admit
from functions.admission.heads import job_limits
from functions.admission.heads.parquet import parquet_fit
from functions.admission.heads.parquet.parquet_footer import Column, FooterInvalid, columns
from functions.admission.heads.parquet.parquet_nested import whole
from functions.admission.heads.parquet.parquet_types import typed
from tests.builders import a_plan
from tests.unit.functions.admission.heads.thrift import written

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = range(8)
MILLIS: dict[int, Any] = {1: {}}
MICROS: dict[int, Any] = {2: {}}
NANOS: dict[int, Any] = {3: {}}


def annotated(physical: int, number: int, parameters: dict[int, Any] | None = None, **more: int) -> dict[int, Any]:
    return {1: physical, 10: {number: parameters or {}}} | ({2: more["length"]} if more else {})


def converted(physical: int, number: int, **more: int) -> dict[int, Any]:
    names = {"scale": 7, "precision": 8, "length": 2}
    return {1: physical, 6: number} | {names[name]: value for name, value in more.items()}


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        *(({1: n}, kind) for n, kind in enumerate(("boolean", "int", "bigint", "timestamp", "float", "double"))),
        ({1: BYTES}, "binary"),
        ({1: FIXED, 2: 4}, "binary"),
        *((annotated(BYTES, n), "string") for n in (1, 4, 12)),
        *((converted(BYTES, n), "string") for n in (0, 4, 19)),
        (annotated(INT32, 5, {1: 2, 2: 9}), "decimal(9,2)"),
        (annotated(INT64, 5, {1: 0, 2: 18}), "decimal(18,0)"),
        (annotated(BYTES, 5, {1: 2, 2: 4}), "decimal(19,2)"),
        (annotated(BYTES, 5, {1: 2, 2: 38}), "decimal(38,2)"),
        (annotated(FIXED, 5, {1: 10, 2: 38}, length=16), "decimal(38,10)"),
        (converted(FIXED, 5, precision=9, length=4), "decimal(9,0)"),
        (annotated(INT32, 6), "date"),
        (converted(INT32, 6), "date"),
        (annotated(INT32, 7, {1: False, 2: MILLIS}), "time_ms"),
        (annotated(INT64, 7, {1: True, 2: MICROS}), "time_us"),
        (annotated(INT64, 7, {1: True, 2: NANOS}), "time_ns"),
        (converted(INT32, 7), "time_ms"),
        (converted(INT64, 8), "time_us"),
        (annotated(INT64, 8, {1: True, 2: MILLIS}), "timestamp"),
        (annotated(INT64, 8, {1: False, 2: MICROS}), "timestamp_ntz"),
        (annotated(INT64, 8, {1: True, 2: NANOS}), "timestamp_ns"),
        (annotated(INT64, 8, {1: False, 2: NANOS}), "timestamp_ntz_ns"),
        *((converted(INT64, n), "timestamp") for n in (9, 10)),
        *((annotated(INT32, 10, {1: width, 2: True}), "int") for width in (8, 16, 32)),
        *((annotated(INT32, 10, {1: width, 2: False}), "int") for width in (8, 16)),
        (annotated(INT32, 10, {1: 32, 2: False}), "bigint"),
        (annotated(INT64, 10, {1: 64, 2: True}), "bigint"),
        (annotated(INT64, 10, {1: 64, 2: False}), "decimal(20,0)"),
        *(
            (converted(INT64 if n in (14, 18) else INT32, n), kind)
            for n, kind in zip(
                range(11, 19), ("int", "int", "bigint", "decimal(20,0)", "int", "int", "int", "bigint"), strict=True
            )
        ),
        (annotated(INT32, 11), "int"),
        (annotated(BYTES, 11), "binary"),
    ],
)
def test_type_that_is_read(element: dict[int, Any], kind: str) -> None:
    assert typed(element)[0] == kind


@pytest.mark.parametrize(
    ("element", "name"),
    [
        (annotated(BYTES, 13), "BSON"),
        (converted(BYTES, 20), "BSON"),
        (annotated(FIXED, 14, length=16), "UUID"),
        (annotated(FIXED, 15, length=2), "FLOAT16"),
        (annotated(BYTES, 17), "GEOMETRY"),
        (annotated(BYTES, 18), "GEOGRAPHY"),
        (converted(FIXED, 21, length=12), "INTERVAL"),
        (converted(INT32, 99), "INT32 with the annotation number 99"),
        (annotated(BYTES, 99), "BYTE_ARRAY with a logical type that is newer than this reader"),
        (annotated(INT32, 1), "STRING in INT32, where it cannot be"),
        (annotated(INT64, 6), "DATE in INT64, where it cannot be"),
        (annotated(INT64, 7, {1: True, 2: MILLIS}), "TIME in milliseconds in INT64, where it cannot be"),
        (
            annotated(INT32, 8, {1: True, 2: MICROS}),
            "TIMESTAMP in microseconds with isAdjustedToUTC=true in INT32, where",
        ),
        (annotated(INT64, 10, {1: 32, 2: True}), "INT32 in INT64, where it cannot be"),
        (annotated(INT32, 10, {1: 24, 2: True}), "INT24 in INT32, where it cannot be"),
        (annotated(BYTES, 5, {1: 2, 2: 39}), "DECIMAL(39,2), of more than 38 digits"),
        (annotated(BYTES, 5, {1: 5, 2: 4}), "DECIMAL(4,5), which cannot be"),
        (annotated(BYTES, 5, {1: 0, 2: 0}), "DECIMAL(0,0), which cannot be"),
        (annotated(INT32, 5, {1: 2, 2: 10}), "DECIMAL(10,2) in INT32, where it cannot be"),
        (annotated(FIXED, 5, {1: 2, 2: 10}, length=4), "DECIMAL(10,2) in FIXED_LEN_BYTE_ARRAY, where it cannot be"),
        (annotated(DOUBLE, 5, {1: 2, 2: 4}), "DECIMAL(4,2) in DOUBLE, where it cannot be"),
    ],
)
def test_type_that_is_not_read_has_its_name(element: dict[int, Any], name: str) -> None:
    kind, annotation = typed(element)
    assert kind == "unknown"
    assert annotation.startswith(name)


ODD: tuple[Any, ...] = ({}, {1: {}}, {2: {}}, {99: {}}, [], [0], 0, 1, -1, 1 << 62, True, False, b"", b"\xff", "a")
"""Values of every kind that a footer can hold, most of them in the wrong place."""


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 10])
def test_odd_value_in_a_schema_is_read_or_refused(number: int) -> None:
    sound = ({1: BYTES}, {1: INT64, 10: {8: {1: True, 2: MICROS}}}, {1: INT32, 10: {7: {1: True, 2: MILLIS}}})
    elements = [element | {number: value} for element in sound for value in ODD]
    for element in ({4: "v"} | one for one in elements):
        assert _columns_or_fault(element)


@pytest.mark.parametrize("kind", range(20))
def test_odd_parameters_of_a_logical_type_are_read_or_refused(kind: int) -> None:
    odd = [*ODD, *({number: value} for number in (1, 2) for value in ODD), *({1: a, 2: b} for a in ODD for b in ODD)]
    for physical in range(8):
        assert all(_columns_or_fault({1: physical, 4: "v", 10: {kind: value}}) for value in odd)


@pytest.mark.parametrize("kind", [7, 8])
def test_unit_that_is_none_is_damage(kind: int) -> None:
    with pytest.raises(FooterInvalid, match="damaged"):
        columns(written({1: 1, 2: [{4: "root", 5: 1}, {1: INT64, 4: "v", 10: {kind: {1: True, 2: {}}}}]}))


def _columns_or_fault(element: dict[int, Any]) -> tuple[Column, ...] | FooterInvalid:
    """The columns of a schema with one element, or why it is no schema; anything else that it raises fails."""
    try:
        return columns(written({1: 1, 2: [{4: "root", 5: 1}, element]}))
    except FooterInvalid as fault:
        return fault


REQUIRED, OPTIONAL, REPEATED = range(3)
LIST: dict[int, Any] = {10: {3: {}}}
MAP: dict[int, Any] = {10: {2: {}}}
OLD_LIST, OLD_MAP, KEY_VALUE = ({6: n} for n in (3, 1, 2))


def one(name: str, physical: int = INT32, repetition: int = OPTIONAL, **_: Any) -> dict[int, Any]:
    return {1: physical, 3: repetition, 4: name} | ({6: 0} if physical == BYTES else {})


def group(
    name: str, children: int, repetition: int = OPTIONAL, annotation: dict[int, Any] | None = None
) -> dict[int, Any]:
    return {3: repetition, 4: name, 5: children} | (annotation or {})


def column(*elements: dict[int, Any]) -> Column:
    """The only column of a schema."""
    (only,) = columns(written({1: 1, 2: [{4: "root", 5: 1}, *elements]}))
    return only


@pytest.mark.parametrize(
    ("elements", "kind"),
    [
        ((group("v", 1, annotation=LIST), group("list", 1, REPEATED), one("element")), "array<int>"),
        ((group("v", 1, annotation=OLD_LIST), one("array", repetition=REPEATED)), "array<int>"),
        (
            (group("v", 1, annotation=LIST), group("element", 2, REPEATED), one("a"), one("b")),
            "array<struct<`a`:int,`b`:int>>",
        ),
        ((group("v", 1, annotation=LIST), group("array", 1, REPEATED), one("a")), "array<struct<`a`:int>>"),
        ((group("v", 1, annotation=LIST), group("v_tuple", 1, REPEATED), one("a")), "array<struct<`a`:int>>"),
        (
            (
                group("v", 1, annotation=OLD_LIST),
                group("array", 1, REPEATED, OLD_LIST),
                one("array", repetition=REPEATED),
            ),
            "array<array<int>>",
        ),
        (
            (
                group("v", 1, annotation=OLD_LIST),
                group("array", 1, REPEATED, OLD_MAP),
                group("map", 2, REPEATED, KEY_VALUE),
                one("key", BYTES, REQUIRED),
                one("value"),
            ),
            "array<map<string,int>>",
        ),
        ((one("v", repetition=REPEATED),), "array<int>"),
        ((group("v", 2, REPEATED), one("a"), one("b", repetition=REPEATED)), "array<struct<`a`:int,`b`:array<int>>>"),
        ((group("v", 1), one("a", repetition=REPEATED)), "struct<`a`:array<int>>"),
        (
            (group("v", 1, annotation=MAP), group("key_value", 2, REPEATED), one("key", BYTES, REQUIRED), one("value")),
            "map<string,int>",
        ),
        (
            (
                group("v", 1, annotation=KEY_VALUE),
                group("map", 2, REPEATED, KEY_VALUE),
                one("key", BYTES, REQUIRED),
                one("value"),
            ),
            "map<string,int>",
        ),
        ((group("v", 1, annotation=MAP), group("key_value", 1, REPEATED), one("key", BYTES, REQUIRED)), "nested"),
        ((group("v", 2, annotation=LIST), group("list", 1, REPEATED), one("element"), one("more")), "nested"),
        ((group("v", 1, annotation=LIST), group("list", 1), one("element")), "nested"),
        ((group("v", 2, annotation={10: {16: {}}}), one("metadata", BYTES), one("value", BYTES)), "nested"),
    ],
)
def test_lists_and_maps_of_every_age(elements: tuple[dict[int, Any], ...], kind: str) -> None:
    assert whole(column(*elements)) == kind


def test_variant_has_its_name() -> None:
    variant = column(group("v", 2, annotation={10: {16: {}}}), one("metadata", BYTES), one("value", BYTES))
    assert (variant.type, variant.annotation) == ("nested", "VARIANT")


def a_chunk(**more: Any) -> dict[int, Any]:
    """The pages of a column `v`, as a footer has them."""
    metadata = {1: INT32, 2: [0, 3], 3: ["v"], 4: 0, 5: 3, 6: 40, 7: 40, 9: 4, 12: {3: 0}}
    return metadata | {int(name[1:]): value for name, value in more.items()}


def a_body(chunk: dict[int, Any], rows: int = 3, footer: dict[int, Any] | None = None, pages: bytes = b"") -> bytes:
    """A file of one column with this chunk."""
    fields = {1: 1, 2: [{4: "root", 5: 1}, one("v")], 3: rows, 4: [{1: [{2: 4, 3: chunk}], 2: 40, 3: rows}]}
    raw = written(fields | (footer or {}))
    return b"PAR1" + (pages or bytes(100)) + raw + len(raw).to_bytes(4, "little") + b"PAR1"


PLAN = a_plan(file_format="parquet", columns=Columns(), properties=(Property("v", "integer"),))


def codes(body: bytes, plan: Plan = PLAN) -> list[str]:
    return [p.code for p in admit(plan, "orders/1.parquet", len(body), lambda at, n: body[at : at + n]).problems]


def messages(body: bytes) -> list[str]:
    return [p.message for p in admit(PLAN, "orders/1.parquet", len(body), lambda at, n: body[at : at + n]).problems]


def test_columns_hold_as_many_values_as_there_are_rows() -> None:
    assert codes(a_body(a_chunk())) == []
    assert "its column `v` has not one value for each of its rows" in messages(a_body(a_chunk(_5=2)))[0]


MOST = job_limits.most_records(1)


def test_row_group_without_a_column_of_the_schema_is_broken() -> None:
    groups = {4: [{1: [], 2: 0, 3: 3}]}
    assert "its column `v` has not one value for each of its rows" in messages(a_body(a_chunk(), footer=groups))[0]


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([MOST] * 12, ""),
        ([*([MOST] * 12), 1], f"The file has {12 * MOST + 1:,} records; a job reads {12 * MOST:,} in its time"),
        ([1, MOST + 1], f"A row group of the file has {MOST + 1:,} records; a job reads {MOST:,} in its time"),
    ],
)
def test_records_that_no_job_reads_in_time_are_refused_by_their_number(groups: list[int], words: str) -> None:
    chunks = [{1: [{2: 4, 3: a_chunk(_5=rows, _7=1)}], 2: 40, 3: rows} for rows in groups]
    body = a_body(a_chunk(), sum(groups), {4: chunks})

    assert codes(body) == (["file-too-large-for-job"] if words else [])
    assert not words or words in messages(body)[0]


def test_records_of_no_bytes_weigh_what_their_time_costs() -> None:
    def weight(rows: int, unpacked: int) -> int | None:
        body = a_body(a_chunk(_5=rows, _6=unpacked), rows)
        return admit(PLAN, "orders/1.parquet", len(body), lambda at, n: body[at : at + n]).unpacked

    assert weight(100_000_000, 40) == 100_000_000 * job_limits.RECORD
    assert weight(3, 4_000) == 4_000


def test_footer_in_clear_whose_columns_are_encrypted_is_refused() -> None:
    assert codes(a_body(a_chunk(), footer={8: {1: {}}})) == ["encrypted-parquet"]
    raw = a_body({**a_chunk()})
    assert codes(raw) == []
    column_key = {1: [{2: 4, 3: a_chunk(), 8: {1: {}}}], 2: 40, 3: 3}
    assert codes(a_body(a_chunk(), footer={4: [column_key]})) == ["encrypted-parquet"]
    unseen = {1: [{2: 4, 9: b"sealed"}], 2: 40, 3: 3}
    assert codes(a_body(a_chunk(), footer={4: [unseen]})) == ["encrypted-parquet"]


@pytest.mark.parametrize(
    ("more", "code", "name"),
    [
        ({"_4": 3}, "unknown-codec", "LZO, in the column `v`"),
        ({"_4": 4}, "unknown-codec", "Brotli, in the column `v`"),
        ({"_4": 9}, "unknown-codec", "codec number 9"),
        ({"_2": [9]}, "unknown-encoding", "BYTE_STREAM_SPLIT, in the column `v`"),
        ({"_2": [12]}, "unknown-encoding", "encoding number 12"),
    ],
)
def test_codec_or_encoding_that_is_not_read_has_its_name(more: dict[str, Any], code: str, name: str) -> None:
    body = a_body(a_chunk(**more))
    assert codes(body) == [code]
    assert name in messages(body)[0]


PAGE = {1: 0, 2: 24, 3: 30, 5: {1: 3, 2: 0, 3: 3, 4: 3}}
SECOND = {1: 3, 2: 28, 3: 34, 8: {1: 3, 2: 0, 3: 3, 4: 0, 5: 4, 6: 0}}
SIZES = (24).to_bytes(4) + (22).to_bytes(4)


@pytest.mark.parametrize(
    ("header", "data", "framed"),
    [
        (PAGE, SIZES + bytes(22), True),
        (PAGE, b"\xf0" + bytes(range(29)), False),
        (SECOND, bytes(4) + SIZES + bytes(22), True),
        (SECOND, bytes(4) + b"\xf0" + bytes(range(29)), False),
    ],
)
def test_older_lz4_is_that_of_hadoop(header: dict[int, Any], data: bytes, framed: bool) -> None:
    body = a_body(a_chunk(_4=5), pages=(written(header) + data).ljust(100, b"\0"))
    assert codes(body) == ([] if framed else ["unknown-codec"])


@pytest.mark.parametrize(
    "elements", [(annotated(BYTES, 99) | {3: OPTIONAL, 4: "w"},), (group("w", 1, annotation={10: {99: {}}}), one("a"))]
)
def test_logical_type_that_is_newer_keeps_the_whole_file_from_being_read(elements: tuple[dict[int, Any], ...]) -> None:
    (problem,) = parquet_fit.newer([column(*elements)])
    assert problem.message.startswith("The column `w` is of the type ")
    assert "newer than this reader; no column of such a file can be read" in problem.message
