"""Parquet in every form that Arrow writes: each cell is the one that Arrow reads, or the file is refused by name.

The forms are drawn as a product of the writer's options; all files of a test are one run of the job.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from contracts.plan import LogicalType, Plan, Property
from contracts.values.nested import name_of
from functions.admission.admit import admit
from functions.admission.heads.parquet import parquet_footer
from spark_jobs.counting import floats
from tests.builders import arguments_of
from tests.integration.spark_jobs.prefilter.test_prefilter import NEVER
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge

MOMENT = datetime(2024, 10, 27, 0, 30, 0, 123456, UTC)
NAIVE = MOMENT.replace(tzinfo=None)
NANOS = 1_700_000_000_123_456_789
ALL = a_check("expression", sql="false", text="false", properties=[])
"""A check that every record fails, so that evidence holds all cells."""
VALUES: dict[str, tuple[pa.DataType, Property, list[Any]]] = {
    "bool": (pa.bool_(), a_property("bool", "boolean"), [True, False, None, True]),
    "i8": (pa.int8(), a_property("i8", "integer"), [-128, 127, None, 0]),
    "i16": (pa.int16(), a_property("i16", "integer"), [-(2**15), 2**15 - 1, None, 0]),
    "i32": (pa.int32(), a_property("i32", "integer"), [-(2**31), 2**31 - 1, None, 0]),
    "i64": (pa.int64(), a_property("i64", "integer"), [-(2**63), 2**63 - 1, None, 0]),
    "u8": (pa.uint8(), a_property("u8", "integer"), [0, 255, None, 1]),
    "u16": (pa.uint16(), a_property("u16", "integer"), [0, 65_535, None, 1]),
    "u32": (pa.uint32(), a_property("u32", "integer"), [0, 2**32 - 1, None, 1]),
    "u64": (pa.uint64(), a_property("u64", "integer"), [0, 2**63 - 1, None, 2**64 - 1]),
    "f32": (pa.float32(), a_property("f32", "number"), [1.1, -9e9, None, 16_777_216.0]),
    "f64": (pa.float64(), a_property("f64", "number"), [0.1, 1e300, None, -1.5]),
    "dec9": (pa.decimal128(9, 2), a_property("dec9", "number", exact=(9, 2)), [Decimal("1.50"), None, None, None]),
    "dec18": (pa.decimal128(18, 6), a_property("dec18", "number", exact=(10, 2)), [Decimal("-2.5"), None, None, None]),
    "dec38": (
        pa.decimal128(38, 10),
        a_property("dec38", "number"),
        [Decimal("12345678901234567890.5"), None, None, None],
    ),
    "text": (pa.string(), a_property("text"), ["", "é€😀", None, "a"]),
    "large": (pa.large_string(), a_property("large"), ["x" * 300, "b", None, "a"]),
    "words": (pa.dictionary(pa.int8(), pa.string()), a_property("words"), ["a", "b", None, "a"]),
    "day": (pa.date32(), a_property("day", "date"), [date(1, 1, 1), date(1582, 10, 4), None, date(9999, 12, 31)]),
    "ms": (pa.timestamp("ms", "UTC"), a_property("ms", "timestamp"), [MOMENT.replace(microsecond=0), None, None, None]),
    "us": (pa.timestamp("us", "UTC"), a_property("us", "timestamp"), [MOMENT, None, None, None]),
    "ns": (pa.timestamp("ns", "UTC"), a_property("ns", "timestamp"), [NANOS, NANOS - 789, None, -1]),
    "local_ms": (
        pa.timestamp("ms"),
        a_property("local_ms", "timestamp"),
        [NAIVE.replace(microsecond=0), None, None, None],
    ),
    "local_us": (pa.timestamp("us"), a_property("local_us", "timestamp"), [NAIVE, None, None, None]),
    "local_ns": (pa.timestamp("ns"), a_property("local_ns", "timestamp"), [NANOS, NANOS - 789, None, -1]),
    "t_ms": (pa.time32("ms"), a_property("t_ms", "time"), [time(23, 59, 59, 999000), time(0), None, None]),
    "t_us": (pa.time64("us"), a_property("t_us", "time"), [time(23, 59, 59, 999999), time(0), None, None]),
    "t_ns": (pa.time64("ns"), a_property("t_ns", "time"), [1_001, 86_399_999_999_000, None, 0]),
    "null": (pa.null(), a_property("null", "date"), [None, None, None, None]),
    "list": (pa.list_(pa.int32()), a_property("list", "array"), [[1, None], [], None, [3]]),
    "group": (
        pa.struct({"a": pa.string(), "b": pa.list_(pa.float64())}),
        a_property("group", "object"),
        [{"a": "x", "b": [0.5]}, {"a": None, "b": None}, None, {"a": "", "b": []}],
    ),
    "map": (
        pa.map_(pa.string(), pa.int64()),
        a_property("map", "map"),
        [[("k", 1), ("l", None)], [], None, [("é", 2)]],
    ),
}
"""By name of a column its type in Arrow, its property and its values; numbers of what is in nanoseconds."""
NESTED = ("list", "group", "map")
ENCODINGS: dict[str, dict[str, Any]] = {
    "dictionary": {},
    "plain": {"use_dictionary": False},
    "delta": {
        "use_dictionary": False,
        "column_encoding": {
            **dict.fromkeys(
                ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "day", "us", "ns", "t_us"), "DELTA_BINARY_PACKED"
            ),
            "text": "DELTA_BYTE_ARRAY",
            "large": "DELTA_LENGTH_BYTE_ARRAY",
        },
    },
}
CODECS = ("none", "snappy", "gzip", "zstd", "lz4")
LAYOUTS: dict[str, dict[str, Any]] = {
    "whole": {},
    "checked": {"write_page_checksum": True, "row_group_size": 3},
    "small": {"data_page_size": 1, "write_batch_size": 1, "dictionary_pagesize_limit": 8},
}
FORMS: dict[str, dict[str, Any]] = {
    **{
        f"{codec} {page} {encoding} {layout}": {"compression": codec, "data_page_version": page, **some, **more}
        for codec, page, (encoding, some), (layout, more) in product(
            CODECS, ("1.0", "2.0"), ENCODINGS.items(), LAYOUTS.items()
        )
    },
    "version 2.6": {"version": "2.6"},
    **{
        f"version {version}": {"version": version, "coerce_timestamps": "us", "allow_truncated_timestamps": True}
        for version in ("1.0", "2.4")
    },
    "no statistics": {"write_statistics": False, "store_schema": False},
    "index": {"write_page_index": True, "store_schema": False},
    "old lists": {"use_compliant_nested_type": False},
    "integers": {"store_decimal_as_integer": True},
    "sorted": {"sorting_columns": [pq.SortingColumn(1)]},
}


def a_file(columns: Mapping[str, tuple[pa.DataType, Sequence[Any]]], **more: Any) -> bytes:
    """A file of these columns."""
    table = pa.table({name: pa.array(some, kind) for name, (kind, some) in columns.items()})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **more)
    return buffer.getvalue()


def as_cell(value: Any, kind: pa.DataType) -> Any:
    """A value of Arrow as a cell tells it."""
    if value is None:
        return None
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return _clock(value, kind)
    if pa.types.is_boolean(kind):
        return str(value).lower()
    if pa.types.is_floating(kind):
        return floats.decimal(value) if kind.bit_width == 32 else value
    return str(value)


def _clock(scalar: Any, kind: pa.DataType) -> str:
    """A time or a moment in UTC, with as many digits as it has."""
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    seconds, rest = divmod(scalar, per)
    shown = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    digits = f"{rest * 10**9 // per:09d}".rstrip("0")
    fraction = f".{digits}" if digits else ""
    return f"{shown:%H:%M:%S}{fraction}" if pa.types.is_time(kind) else f"{shown:%Y-%m-%d %H:%M:%S}{fraction}"


def cells_of(body: bytes) -> list[dict[str, Any]]:
    """Return the cells that Arrow reads, by record."""
    table = pq.read_table(io.BytesIO(body))
    columns = {name: _values(table.column(name)) for name in table.column_names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _values(column: pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_nested(kind):
        return [None if v is None else dict(v) if pa.types.is_map(kind) else v for v in column.to_pylist()]
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        whole = pa.int32() if kind.bit_width == 32 else pa.int64()
        return [as_cell(v, kind) for v in column.cast(whole).to_pylist()]
    return [as_cell(v, kind) for v in column.to_pylist()]


def shown(cells: Mapping[str, str | None], names: Sequence[str]) -> dict[str, Any]:
    """The cells of evidence in the same shape: numbers as such, what is nested taken apart."""
    return {name: _shown(name, cells.get(name)) for name in names}


def _shown(name: str, cell: str | None) -> Any:
    if cell is None:
        return None
    if name in NESTED:
        return json.loads(cell)
    if name in ("f32", "f64"):
        return float(cell)
    return cell


def trimmed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Decimals as a property of their scale shows them."""
    return {name: _trimmed(name, value) for name, value in record.items()}


def _trimmed(name: str, value: Any) -> Any:
    return str(value).removesuffix("0000") if name == "dec18" and value is not None else value


def both(spark: SparkSession, folder: Path, plan: Plan, files: Mapping[str, bytes]) -> Judged:
    """Judge files with and without the prefilter, and compare the results."""
    runs = []
    for name, least in (("sifted", 0), ("plain", NEVER)):
        (folder / name).mkdir()
        runs.append(judge(spark, folder / name, plan, files, sift_from=least))
    assert runs[0].outputs(spark) == runs[1].outputs(spark)
    return runs[0]


def refusals(plan: Plan, body: bytes) -> list[str]:
    """Return the messages of admission about a file."""
    return [p.message for p in admit(plan, "things/a", len(body), lambda at, n: body[at : at + n]).problems]


def test_every_form_is_read_as_arrow_reads_it(
    spark: SparkSession, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    plan = a_plan([prop for _, prop, _ in VALUES.values()], [ALL], file_format="parquet")
    columns = {name: (kind, values) for name, (kind, _, values) in VALUES.items()}
    files = {name: a_file(columns, **options) for name, options in FORMS.items()}
    for name, body in files.items():
        assert refusals(plan, body) == [], name
    judged = judge(spark, tmp_path, plan, files)
    evidence: dict[str, list[dict[str, Any]]] = {name: [] for name in files}
    for row in judged.evidence(spark):
        evidence[row["drop"]].append(shown(row["cells"], list(VALUES)))
    for name, body in files.items():
        drop = judged.drop(name)
        assert (drop.failure, drop.refusal, drop.read) == (None, None, 4), name
        assert evidence[name] == list(map(trimmed, cells_of(body))), name
    failing = {c: n.failed for c, n in zip(judged.result.header.checks, judged.drop("version 2.6").counts, strict=True)}
    assert {c: n for c, n in failing.items() if n} == {
        "u64.logicalType": 1,
        "ns.logicalType": 2,
        "local_ns.logicalType": 2,
        "t_ns.logicalType": 1,
        "expression": 4,
    }
    record_property("forms of Parquet, each of 31 columns, held against Arrow", len(files))


SIFTED: dict[str, tuple[pa.DataType, list[Any]]] = {
    "id": (pa.int64(), list(range(1, 101))),
    "small": (pa.int16(), [n % 100 for n in range(100)]),
    "level": (pa.float32(), [round(n * 0.1, 1) for n in range(100)]),
    "exact": (pa.float64(), [n / 8 for n in range(100)]),
    "name": (pa.string(), [f"n{n % 7}" if n % 5 else None for n in range(100)]),
    "ok": (pa.bool_(), [None if n % 9 == 0 else n % 2 == 0 for n in range(100)]),
}
SIFT = a_plan(
    [
        a_property("id", "integer"),
        a_property("small", "integer"),
        a_property("level", "number"),
        a_property("exact", "number"),
        a_property("name"),
        a_property("ok", "boolean"),
    ],
    [
        a_check("unique", "id", scope="set"),
        a_check("maximum", "small", value="99"),
        a_check("maximum", "level", value="9.9"),
        a_check("minimum", "level", value="0.0"),
        a_check("exclusiveMaximum", "exact", value="12.5"),
        a_check("pattern", "name", pattern="^n[0-9]$"),
    ],
    file_format="parquet",
)


def test_prefilter_and_scan_say_the_same_of_every_form(
    spark: SparkSession, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    forms = [
        {"compression": codec, "data_page_version": page, "use_dictionary": words, **layout}
        for codec, page, words, layout in product(CODECS, ("1.0", "2.0"), (True, False), LAYOUTS.values())
    ]
    files = {f"{n}.parquet": a_file(SIFTED, **form) for n, form in enumerate(forms)}
    late = {**SIFTED, "level": (pa.float32(), [*SIFTED["level"][1][:-1], 9.900001])}
    files |= {f"late{n}.parquet": a_file(late, **form) for n, form in enumerate(forms[::10])}
    for n, form in enumerate(forms[:6]):
        body = a_file(SIFTED, **form)
        at = 40 + 53 * n
        files[f"changed{n}.parquet"] = body[:at] + bytes([body[at] ^ 0x10]) + body[at + 1 :]
    judged = both(spark, tmp_path, SIFT, files)
    for n in range(len(forms)):
        drop = judged.drop(f"{n}.parquet")
        assert (drop.refusal, drop.failure, drop.valid) == (None, None, 100)
    assert judged.count("level.maximum", "late0.parquet").failed == 1
    record_property("forms of Parquet that the prefilter and the scan agree on", len(files))


CHECKED = {"write_page_checksum": True, "compression": "none", "use_dictionary": False}


@pytest.mark.parametrize("page", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", [{}, {"use_dictionary": True}])
def test_page_that_does_not_match_its_checksum_is_refused(
    spark: SparkSession, tmp_path: Path, page: str, encoding: dict[str, Any]
) -> None:
    whole = a_file(SIFTED, **(CHECKED | encoding), data_page_version=page)
    at = whole.index((57).to_bytes(8, "little"))
    bad = whole[:at] + bytes([58]) + whole[at + 1 :]
    unchecked = a_file(SIFTED, **(CHECKED | encoding | {"write_page_checksum": False}), data_page_version=page)
    at = unchecked.index((57).to_bytes(8, "little"))
    changed = unchecked[:at] + bytes([58]) + unchecked[at + 1 :]
    judged = both(spark, tmp_path, SIFT, {"good": whole, "bad": bad, "changed": changed})
    refusal = judged.drop("bad").refusal
    assert refusal
    assert refusal.message.startswith("A page of the Parquet file does not match its checksum")
    assert (judged.drop("good").valid, judged.count("id.unique", "changed").failed) == (100, 2)


def moments(name: str, **more: object) -> Property:
    return a_property(name, "timestamp", **more)


def test_local_times_are_those_of_the_contracts_zone(spark: SparkSession, tmp_path: Path) -> None:
    """02:30 on 31 March 2024 was on no clock of Berlin; 10:00 in July is 08:00 in UTC."""
    zone = "Europe/Berlin"
    plan = a_plan(
        [moments("local", zone=zone), moments("nanos", zone=zone), moments("moment", zone=zone), moments("plain")],
        [
            a_check("maximum", name, value="2024-07-01T08:00:00Z" if name != "plain" else "2024-07-01T10:00:00Z")
            for name in ("local", "nanos", "moment", "plain")
        ],
        file_format="parquet",
    )
    july = datetime.fromisoformat("2024-07-01T10:00:00")
    local = [july, july + timedelta(microseconds=1), datetime.fromisoformat("2024-03-31T02:30:00")]
    body = a_file(
        {
            "local": (pa.timestamp("us"), local),
            "nanos": (pa.timestamp("ns"), local),
            "moment": (pa.timestamp("us", "UTC"), [at.replace(tzinfo=UTC) - timedelta(hours=2) for at in local]),
            "plain": (pa.timestamp("ms"), [july, july + timedelta(milliseconds=1), None]),
        }
    )
    judged = judge(spark, tmp_path, plan, {"a.csv": body})
    assert [(row.record, row.checks) for row in judged.evidence(spark)] == [
        (2, ["local.maximum", "nanos.maximum", "moment.maximum", "plain.maximum"]),
        (3, ["local.logicalType", "nanos.logicalType"]),
    ]
    first = judged.evidence(spark)[0].cells
    assert (first["local"], first["moment"]) == ("2024-07-01 10:00:00.000001", "2024-07-01 08:00:00.000001Z")


@pytest.mark.parametrize(
    ("stored", "more", "says"),
    [
        (pa.timestamp("us", "UTC"), {"offset": True}, None),
        (pa.timestamp("us"), {"offset": True}, "isAdjustedToUTC=false; the contract requires timestamp with an offset"),
        (pa.timestamp("ns"), {"offset": True}, "isAdjustedToUTC=false; the contract requires timestamp with an offset"),
        (pa.timestamp("us"), {"offset": False}, None),
        (
            pa.timestamp("ms", "UTC"),
            {"offset": False},
            "isAdjustedToUTC=true; the contract requires timestamp without an offset",
        ),
        (
            pa.timestamp("us"),
            {"format": "yyyy-MM-dd'T'HH:mm:ssX"},
            "isAdjustedToUTC=false; the contract requires timestamp with",
        ),
        (pa.timestamp("us"), {"format": "yyyy-MM-dd HH:mm"}, None),
        (pa.timestamp("us", "UTC"), {"zone": "Europe/Berlin"}, None),
    ],
)
def test_door_holds_timestamps_against_the_contracts_timezone(
    stored: pa.DataType, more: dict[str, object], says: str | None
) -> None:
    plan = a_plan([moments("at", **more)], file_format="parquet")
    messages = refusals(plan, a_file({"at": (stored, [NAIVE.replace(microsecond=0)])}))
    assert len(messages) == (says is not None)
    assert says is None or says in messages[0]


@pytest.mark.parametrize("more", [{"offset": True}, {"offset": False}, {"zone": "Europe/Berlin"}])
def test_int96_does_not_say_whose_times_it_holds(more: dict[str, object]) -> None:
    body = a_file({"at": (pa.timestamp("us"), [NAIVE])}, use_deprecated_int96_timestamps=True)
    assert refusals(a_plan([moments("at")], file_format="parquet"), body) == []
    (message,) = refusals(a_plan([moments("at", **more)], file_format="parquet"), body)
    assert message.startswith("The column `at` is of the type INT96; the contract requires timestamp")


@pytest.mark.parametrize(
    ("more", "is_read"), [({"offset": True}, True), ({"offset": False}, False), ({"zone": "Europe/Berlin"}, True)]
)
def test_int96_of_spark_is_a_moment(
    spark: SparkSession, tmp_path: Path, more: dict[str, object], *, is_read: bool
) -> None:
    frame = spark.sql("select timestamp '2024-07-01 08:00:00.123456Z' at")
    frame.coalesce(1).write.option("spark.sql.parquet.outputTimestampType", "INT96").parquet(f"{tmp_path}/made")
    (made,) = tmp_path.glob("made/part-*")
    plan = a_plan([moments("at", **more)], [ALL], file_format="parquet")
    assert refusals(a_plan([moments("at")], file_format="parquet"), made.read_bytes()) == []
    assert (refusals(plan, made.read_bytes()) == []) == is_read
    if is_read:
        judged = judge(spark, tmp_path, plan, {"a.csv": made.read_bytes()})
        assert [row.cells["at"] for row in judged.evidence(spark)] == ["2024-07-01 08:00:00.123456Z"]


FINE: dict[str, tuple[pa.DataType, Property, list[Any]]] = {
    "flat": (pa.timestamp("ns"), a_property("v", "timestamp"), [NANOS - 789, None, NANOS]),
    "list": (pa.list_(pa.timestamp("ns")), a_property("v", "array"), [[NANOS - 789], None, [None, NANOS]]),
    "group": (
        pa.struct({"a": pa.timestamp("ns")}),
        a_property("v", "object"),
        [{"a": NANOS - 789}, None, {"a": NANOS}],
    ),
}


@pytest.mark.parametrize("name", FINE)
def test_int96_that_is_finer_than_a_microsecond_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    kind, prop, values = FINE[name]
    forms = [
        {"data_page_version": page, "use_dictionary": words, "row_group_size": rows}
        for page, words, rows in product(("1.0", "2.0"), (True, False), (1, 3))
    ]
    int96 = {"use_deprecated_int96_timestamps": True}
    fine = {f"fine{n}": a_file({"v": (kind, values)}, **form, **int96) for n, form in enumerate(forms)}
    good = {f"good{n}": a_file({"v": (kind, values[:2])}, **form, **int96) for n, form in enumerate(forms)}
    judged = judge(spark, tmp_path, a_plan([prop], file_format="parquet"), fine | good)
    for drop in (judged.drop(name) for name in good):
        assert (drop.refusal, drop.failure, drop.valid) == (None, None, 2)
    for drop in (judged.drop(name) for name in fine):
        assert drop.refusal
        assert drop.refusal.code == "wrong-type"
        assert drop.refusal.message.startswith("The column `v` is of the type INT96, and holds moments that are finer")


FLOATS = [1.1, 0.1, 16_777_216.0, -9e9, 1.1000001, 3.4e38, 1e-30]


@pytest.mark.parametrize("value", FLOATS)
def test_float_is_the_decimal_that_it_stands_for(spark: SparkSession, tmp_path: Path, value: float) -> None:
    """As many bounds as there are kinds, each at the value itself and a little beside it."""
    low, high = sorted((value * (1 - 1e-9), value * (1 + 1e-9)))
    checks = [
        replace(a_check(kind, "v", value=repr(bound)), id=f"{kind} {bound!r}")
        for kind in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        for bound in (low, value, high)
    ]
    keeps = {
        "minimum": lambda bound: value >= bound,
        "maximum": lambda bound: value <= bound,
        "exclusiveMinimum": lambda bound: value > bound,
        "exclusiveMaximum": lambda bound: value < bound,
    }
    good = [c for c in checks if keeps[c.kind](float(arguments_of(c)["value"]))]
    body = a_file({"v": (pa.float32(), [value])})
    for name, own in (("all", checks), ("good", good)):
        (tmp_path / name).mkdir()
        plan = a_plan([a_property("v", "number")], own, file_format="parquet")
        judged = both(spark, tmp_path / name, plan, {"a.csv": body})
        failing = {check.id for check in own if judged.count(check.id).failed}
        assert failing == {check.id for check in own if check not in good}


def test_decimal_of_a_larger_scale_is_judged_by_its_value(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan(
        [a_property("v", "number", exact=(5, 2))], [a_check("maximum", "v", value="9.5")], file_format="parquet"
    )
    some = [
        Decimal("1.500000"),
        Decimal("1.505000"),
        Decimal("999.990000"),
        Decimal("1000.000000"),
        Decimal("-0.100000"),
    ]
    judged = judge(spark, tmp_path, plan, {"a.csv": a_file({"v": (pa.decimal128(20, 6), some)})})
    assert [(row.record, row.checks) for row in judged.evidence(spark)] == [
        (2, ["v.logicalType"]),
        (3, ["v.maximum"]),
        (4, ["v.logicalType"]),
    ]
    assert judged.evidence(spark)[1].cells["v"] == "999.99"


def test_column_of_nulls_alone_is_of_every_type(spark: SparkSession, tmp_path: Path) -> None:
    kinds = ("string", "integer", "number", "boolean", "date", "timestamp", "time")
    props = [a_property(kind, kind) for kind in kinds] + [a_property("exact", "number", exact=(9, 2))]  # type: ignore[arg-type]
    plan = a_plan(props, [a_check("required", "date")], file_format="parquet")
    names = [p.name for p in props]
    files = {
        "null": a_file({name: (pa.null(), [None, None]) for name in names}),
        "double": a_file({name: (pa.float64(), [None, None]) for name in names}),
        "string": a_file({name: (pa.string(), [None, None]) for name in names}),
    }
    for body in files.values():
        assert refusals(plan, body) == []
    judged = judge(spark, tmp_path, plan, files)
    for name in files:
        drop = judged.drop(name)
        assert (drop.refusal, drop.failure, drop.read, judged.count("date.required", name).failed) == (None, None, 2, 2)
        assert judged.count("number.logicalType", name).null == 2
    one = a_file({name: (pa.float64(), [None, 1.0]) for name in names})
    assert "is of the type double" in refusals(plan, one)[0]


def test_column_of_nulls_alone_may_be_an_object_an_array_or_a_map(spark: SparkSession, tmp_path: Path) -> None:
    inner = [
        replace(a_property(name, kind), path=path)  # type: ignore[arg-type]
        for name, kind, path in (("o.a", "integer", ("o", ".a")), ("l[]", "string", ("l", "[]")))
    ]
    outer = [a_property("o", "object"), a_property("l", "array"), a_property("m", "map")]
    checks = [a_check("required", "m"), a_check("minItems", "l", value=1), a_check("minimum", "o.a", value="1")]
    plan = a_plan([*outer, *inner], checks, file_format="parquet")
    body = a_file({name: (pa.null(), [None, None]) for name in ("o", "l", "m")})
    assert refusals(plan, body) == []
    judged = judge(spark, tmp_path, plan, {"a.csv": body})
    assert judged.drop().failure is None
    assert [(row.record, row.checks) for row in judged.evidence(spark)] == [(1, ["m.required"]), (2, ["m.required"])]


def test_values_under_a_footer_that_counts_nulls_alone_are_of_another_type(spark: SparkSession, tmp_path: Path) -> None:
    """A footer may lie: such a column is read, and what is in it fails its row."""
    plan = a_plan([a_property("v")], file_format="parquet")
    judged = judge(spark, tmp_path, plan, {"a.csv": a_file({"v": (pa.int64(), [7, None])})})
    assert [(row.record, row.checks) for row in judged.evidence(spark)] == [(1, ["v.logicalType"])]


def test_map_with_a_key_twice_is_none(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("m", "map")], file_format="parquet")
    some = [[("a", 1), ("b", 2)], [("a", 1), ("a", 2)], None, []]
    judged = judge(spark, tmp_path, plan, {"a.csv": a_file({"m": (pa.map_(pa.string(), pa.int64()), some)})})
    assert [(row.record, row.checks) for row in judged.evidence(spark)] == [(2, ["m.logicalType"])]


LISTS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "v": (pa.list_(pa.field("element", pa.int32(), nullable=False)), [[1, 2], None, [3], [], [4, 5], [6]])
}
"""Repetition levels 0 1 0 0 0 0 1 0, definition levels 2 2 0 2 1 2 2 2."""
REPETITIONS, DEFINITIONS = [0, 1, 0, 0, 0, 0, 1, 0], [2, 2, 0, 2, 1, 2, 2, 2]


def packed(levels: Sequence[int], bits: int) -> bytes:
    """Eight levels, packed by bits."""
    number = sum(level << (n * bits) for n, level in enumerate(levels))
    return b"\x03" + number.to_bytes(bits, "little")


def relevelled(body: bytes, repetitions: Sequence[int], definitions: Sequence[int]) -> bytes:
    """The file with other levels in its only page."""
    _, long = parquet_footer.struct(body[4:], 1000)
    start = 4 + long
    old = body[start:]
    first = int.from_bytes(old[:4], "little")
    second = int.from_bytes(old[4 + first : 8 + first], "little")
    assert old[4 : 4 + first] == packed(REPETITIONS, 1), old[4 : 4 + first]
    new = packed(repetitions, 1)
    more = packed(definitions, 2)
    assert (len(new), len(more)) == (first, second)
    return body[: start + 4] + new + old[4 + first : 8 + first] + more + old[8 + first + second :]


LEVELS = {
    "a list that begins in its midst": ([1, 1, 0, 0, 0, 0, 1, 0], DEFINITIONS),
    "a definition beyond the schema": (REPETITIONS, [2, 2, 0, 2, 1, 2, 3, 2]),
    "an element of a null list": (REPETITIONS, [2, 2, 0, 2, 1, 0, 2, 2]),
    "an element that is none": (REPETITIONS, [2, 1, 0, 2, 1, 2, 2, 2]),
    "fewer records than rows": ([0, 1, 0, 1, 0, 0, 1, 0], DEFINITIONS),
}


def damaged(body: bytes, which: int, length: bytes) -> bytes:
    """The file with another length before the repetition levels (0) or the definition levels (1) of its only page."""
    _, long = parquet_footer.struct(body[4:], 1000)
    at = 4 + long
    at += which * (4 + int.from_bytes(body[at : at + 4], "little"))
    return body[:at] + length + body[at + 4 :]


@pytest.mark.parametrize("which", [0, 1])
def test_length_of_levels_beyond_the_page_is_refused(spark: SparkSession, tmp_path: Path, which: int) -> None:
    plan = a_plan([a_property("v", "array")], file_format="parquet")
    body = a_file(LISTS, compression="none", use_dictionary=False)
    lengths = (b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\xff\xff\xff\x7f", b"\xff\xff\0\0")
    files = {f"of {n}": damaged(body, which, length) for n, length in enumerate(lengths)}
    judged = judge(spark, tmp_path, plan, {"good": body, **files})

    assert judged.drop("good").valid == 6
    refusals = [judged.drop(name).refusal for name in files]
    assert [refusal and refusal.code for refusal in refusals] == ["broken-parquet"] * len(files)


def test_levels_that_cannot_be_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    plan = a_plan([a_property("v", "array")], file_format="parquet")
    body = a_file(LISTS, compression="none", use_dictionary=False)
    assert relevelled(body, REPETITIONS, DEFINITIONS) == body
    files = {name: relevelled(body, *pair) for name, pair in LEVELS.items()}
    judged = judge(spark, tmp_path, plan, {"good": body, **files})
    assert (judged.drop("good").read, judged.drop("good").valid) == (6, 6)
    for name in files:
        refusal = judged.drop(name).refusal
        assert refusal, name
        assert refusal.code == "broken-parquet"
        assert "their levels contradict each other" in refusal.message


REFUSED: dict[str, tuple[bytes, Property, str]] = {
    "brotli": (
        a_file({"v": (pa.int64(), [1])}, compression="brotli"),
        a_property("v", "integer"),
        "Brotli, in the column `v`",
    ),
    "byte stream split": (
        a_file({"v": (pa.float64(), [1.0])}, use_dictionary=False, column_encoding={"v": "BYTE_STREAM_SPLIT"}),
        a_property("v", "number"),
        "BYTE_STREAM_SPLIT, in the column `v`",
    ),
    "bytes": (
        a_file({"v": (pa.binary(), [b"a"])}),
        a_property("v"),
        "BYTE_ARRAY without annotation; the contract requires string",
    ),
    "fixed": (a_file({"v": (pa.binary(4), [b"abcd"])}), a_property("v"), "FIXED_LEN_BYTE_ARRAY without annotation"),
    "half": (a_file({"v": (pa.float16(), [1.5])}), a_property("v", "number"), "FLOAT16; the contract requires number"),
    "uuid": (a_file({"v": (pa.uuid(), [b"0" * 16])}), a_property("v"), "UUID; the contract requires string"),
    "long decimal": (
        a_file({"v": (pa.decimal256(50, 2), [Decimal("1.5")])}),
        a_property("v", "number"),
        "of more than 38 digits",
    ),
    "keys": (
        a_file({"v": (pa.map_(pa.int64(), pa.int64()), [[(1, 1)]])}),
        a_property("v"),
        "is nested; the contract requires string",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_refused_by_its_name(name: str) -> None:
    body, prop, says = REFUSED[name]
    (message,) = refusals(a_plan([prop], file_format="parquet"), body)
    assert says in message


KINDS: dict[str, tuple[pa.DataType, LogicalType, str, str]] = {
    "half": (pa.float16(), "number", "FLOAT16", "DOUBLE"),
    "time_ms": (pa.time32("ms"), "time", "TIME in milliseconds", "a string"),
    "time_us": (pa.time64("us"), "time", "TIME in microseconds", "a string"),
    "time_ns": (pa.time64("ns"), "time", "TIME in nanoseconds", "a string"),
    "local_ns": (
        pa.timestamp("ns"),
        "timestamp",
        "TIMESTAMP in nanoseconds with isAdjustedToUTC=false",
        "microseconds",
    ),
    "ns": (
        pa.timestamp("ns", "UTC"),
        "timestamp",
        "TIMESTAMP in nanoseconds with isAdjustedToUTC=true",
        "microseconds",
    ),
    "long": (pa.decimal256(50, 2), "number", "DECIMAL(50,2), of more than 38 digits", "DECIMAL of at most 38 digits"),
}
"""Types that are not read within other columns: in Arrow, as a property, by Parquet's name, and what to write."""
Steps = tuple[tuple[str, LogicalType], ...]
SHAPES: dict[str, tuple[Callable[[pa.DataType], pa.DataType], LogicalType, Steps, str]] = {
    "list": (pa.list_, "array", (), "[]"),
    "list of lists": (lambda kind: pa.list_(pa.list_(kind)), "array", (("[]", "array"),), "[]"),
    "group": (lambda kind: pa.struct({"a": kind}), "object", (), ".a"),
    "list of groups": (lambda kind: pa.list_(pa.struct({"a": kind})), "array", (("[]", "object"),), ".a"),
    "group of lists": (lambda kind: pa.struct({"a": pa.list_(kind)}), "object", ((".a", "array"),), "[]"),
    "map": (lambda kind: pa.map_(pa.string(), kind), "map", (), "*"),
    "map of lists": (lambda kind: pa.map_(pa.string(), pa.list_(kind)), "map", (("*", "array"),), "[]"),
}
"""A type within a column: its type in Arrow, the property, the properties on the way to it, and the last step."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("named", [True, False])
def test_what_is_not_read_within_others_is_refused_by_its_name(kind: str, shape: str, *, named: bool) -> None:
    stored, logical, says, write = KINDS[kind]
    nest, outer, between, last = SHAPES[shape]
    routes = [(("v", *(s for s, _ in between[: n + 1])), type_) for n, (_, type_) in enumerate(between)]
    leaf = ("v", *(s for s, _ in between), last)
    inner = [Property(name_of(route), type_, path=route) for route, type_ in [*routes, (leaf, logical)]]
    props = [a_property("v", outer), *(inner if named else [])]
    plan = a_plan(props, columns_extra="ignore", file_format="parquet")
    body = a_file({"v": (nest(stored), [None])})
    (problem,) = admit(plan, "things/a", len(body), lambda at, n: body[at : at + n]).problems
    assert f"The column `{name_of(leaf)}` " in problem.message
    assert f" is of the type {says}" in problem.message
    assert write in problem.fix


@pytest.mark.parametrize("keys", [pa.binary(), pa.date32(), pa.timestamp("us"), pa.time64("us"), pa.float16()])
def test_map_whose_keys_are_no_texts_is_refused(keys: pa.DataType) -> None:
    body = a_file({"v": (pa.map_(keys, pa.int64()), [None])})
    (message,) = refusals(a_plan([a_property("v", "map")], file_format="parquet"), body)
    assert message.startswith("The keys of the map `v` are of the type ")
    assert refusals(a_plan([a_property("v", "map")], file_format="parquet"), a_file(WHOLE_KEYS)) == []


WHOLE_KEYS: dict[str, tuple[pa.DataType, list[Any]]] = {"v": (pa.map_(pa.int64(), pa.int64()), [[(1, 2)]])}
