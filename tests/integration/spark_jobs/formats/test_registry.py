"""CSV, JSON Lines and Parquet: the same records mean the same in each, and what only one of them can hold."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.plan import Compression, FileFormat, Plan, Threshold
from tests.integration.spark_jobs.world import Judged, a_check, a_plan, a_property, judge
from tests.packing import PACK, packed

PROPERTIES = [
    a_property("id", "integer", required=True),
    a_property("name", "string"),
    a_property("amount", "number"),
    a_property("day", "date"),
    a_property("at", "timestamp"),
    a_property("ok", "boolean"),
    a_property("price", "number", exact=(10, 2)),
    a_property("time", "time"),
]
CHECKS = [
    a_check("required", "id"),
    a_check("minimum", "id", value="1"),
    a_check("maxLength", "name", value=5),
    a_check("enum", "name", values=["a", "b", "é€", "toolong"]),
    a_check("pattern", "name", severity="warning", pattern="^[a-z]+$"),
    a_check("maximum", "amount", value="100.5"),
    a_check("minimum", "day", value="2024-01-01"),
    a_check("maximum", "at", value="2024-06-01T00:00:00Z"),
    a_check("nullValues", "ok", scope="set"),
    a_check("multipleOf", "price", value="0.05"),
    a_check("exclusiveMaximum", "time", value="12:00"),
    a_check("rowCount", scope="set"),
    a_check("primaryKey", "id", scope="set"),
    a_check("unique", "price", scope="set"),
    a_check("duplicateValues", scope="set", properties=["ok", "name"]),
    replace(
        a_check("mean", "amount", scope="set", limits=["1"]), threshold=Threshold("mustBeGreaterThan", (Decimal(1),))
    ),
    replace(a_check("sum", "price", scope="set", limits=["1"]), threshold=Threshold("mustBeLessThan", (Decimal(1),))),
    replace(a_check("max", "day", scope="set", limits=["9"]), threshold=Threshold("mustBeLessThan", (Decimal(99999),))),
]
RECORDS: list[tuple[Any, ...]] = [
    (1, "a", 1.5, "2024-01-31", "2024-01-31 10:00:00", True, Decimal("1.50"), "11:59:59.999"),
    (2, "toolong", 100.5, "2024-01-01", "2024-06-01 00:00:00", False, Decimal("0.07"), "12:00"),
    (0, "b", -7.0, "2023-12-31", "2024-06-01 00:00:01", None, Decimal("-99999999.95"), None),
    (None, "é€", 100.75, None, None, None, None, "25:00"),
    (5, None, None, "2024-02-29", "2024-02-29 23:59:59", True, Decimal("1.50"), "00:00"),
    (9223372036854775807, "x", 1e300, "9999-12-31", "1970-01-01 00:00:00", False, Decimal("0.05"), "11:00"),
]
NAMES = [p.name for p in PROPERTIES]
SPARK = "id long, name string, amount double, day string, at string, ok boolean, price decimal(10,2), time string"


def plan_of(form: FileFormat) -> Plan:
    return a_plan(PROPERTIES, CHECKS, file_format=form)


def a_file(spark: SparkSession, form: FileFormat, folder: Path) -> bytes:
    """The records in a format."""
    if form == "parquet":
        frame = spark.createDataFrame(RECORDS, SPARK)
        typed = frame.withColumns({"day": frame.day.cast("date"), "at": frame["at"].cast("timestamp")})
        typed.coalesce(1).write.parquet(f"{folder}/made")
        return next((folder / "made").glob("part-*.parquet")).read_bytes()
    if form == "jsonl":
        return "".join(json.dumps(dict(zip(NAMES, r, strict=True)), default=float) + "\n" for r in RECORDS).encode()
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(NAMES)
    writer.writerows([str(v).lower() if isinstance(v, bool) else v for v in record] for record in RECORDS)
    return text.getvalue().encode()


@pytest.fixture(scope="module")
def judged(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[FileFormat, Judged]:
    """One run for each format: the same records in a file of that format, and what only one format can hold."""
    folder = tmp_path_factory.mktemp("registry")
    files: dict[FileFormat, dict[str, bytes | str]] = {
        "csv": {},
        "jsonl": {
            "lines": GOOD_LINE + "".join(line + "\n" for line, _ in LINES.values()),
            "rejected": REJECTED,
        },
        "parquet": {"odd": _odd(spark, folder), "damaged": _damaged(spark, folder)},
    }
    return {
        form: judge(spark, folder / form, plan_of(form), {"a": a_file(spark, form, folder / f"{form}.made"), **more})
        for form, more in files.items()
    }


def _odd(spark: SparkSession, folder: Path) -> bytes:
    """A file of Parquet with numbers and bytes that no text has."""
    frame = spark.sql(
        "select * from values (1L, double('NaN'), X'61'), (2L, double('Infinity'), X'ff'), (3L, 1.5D, X'62') "
        "as t(id, amount, name)"
    )
    frame.withColumn("name", frame.name.cast("string")).coalesce(1).write.parquet(f"{folder}/odd")
    return next((folder / "odd").glob("part-*.parquet")).read_bytes()


def _damaged(spark: SparkSession, folder: Path) -> bytes:
    """A file of Parquet with bytes of pages that are others than were written."""
    body = bytearray(a_file(spark, "parquet", folder / "damaged"))
    for n in range(20, 120):
        body[n] ^= 0x55
    return bytes(body)


def test_same_records_mean_the_same_in_every_format(spark: SparkSession, judged: dict[FileFormat, Judged]) -> None:
    results = {form: _result(spark, run) for form, run in judged.items()}
    assert results["jsonl"] == results["csv"]
    assert results["parquet"] == results["csv"]
    assert results["csv"]["rows"] == [
        (2, ["name.maxLength", "price.multipleOf", "time.exclusiveMaximum"]),
        (3, ["id.minimum", "day.minimum", "at.maximum"]),
        (4, ["time.logicalType", "id.required", "name.pattern", "amount.maximum"]),
        (6, ["name.enum", "amount.maximum"]),
    ]


def _result(spark: SparkSession, judged: Judged) -> dict[str, Any]:
    """The facts of the records, and the counts of the checks that all formats have."""
    drop = judged.drop("a")
    common = [c.id for c in plan_of("csv").checks if c.scope != "record"]
    counts = {i: (c.evaluated, c.failed, c.null, c.state, c.figure) for i in common if (c := judged.count(i, "a"))}
    rows = [(r.record, r.checks) for r in judged.evidence(spark, "a")]
    return {"read": drop.read, "valid": drop.valid, "rejected": drop.rejected, "counts": counts, "rows": rows}


@pytest.mark.parametrize("compression", [name for name in PACK if name != "none"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_compressed_file_means_the_same(
    spark: SparkSession, tmp_path: Path, form: FileFormat, compression: Compression
) -> None:
    body = a_file(spark, form, tmp_path)
    half = body.index(b"\n", len(body) // 2) + 1
    plan = a_plan(PROPERTIES, CHECKS, file_format=form, compression=compression)
    streams = packed(plan, body, half)
    plain = judge(spark, tmp_path / "plain", plan_of(form), {"a": body})
    name = f"a{plan.suffix}"
    unpacked = judge(spark, tmp_path / "packed", plan, {name: streams})
    assert unpacked.drop(name).counts == plain.drop("a").counts
    lines = [(r.record, r.line) for r in plain.evidence(spark)]
    assert [(r.record, r.line) for r in unpacked.evidence(spark)] == lines != []


LINES = {
    "an array": ("[1, 2]", ["record.object"]),
    "a scalar": ("5", ["record.object"]),
    "null": ("null", ["record.object"]),
    "no JSON": ("id,name", ["record.object"]),
    "cut short": ('{"id": 1', ["record.object"]),
    "two objects": ('{"id": 1} {"id": 2}', ["record.object"]),
    "two objects with a comma": ('{"id": 1}, {"id": 2}', ["record.object"]),
    "text behind the object": ('{"id": 1} # one', ["record.object"]),
    "a bracket behind it": ('{"id": 1}] x', ["record.object"]),
    "a brace behind it": ('{"id": 1}} x', ["record.object"]),
    "single quotes": ("{'id': 1}", ["record.object"]),
    "a comma too many": ('{"id": 1,}', ["record.object"]),
    "NaN": ('{"id": 1, "amount": NaN}', ["record.object"]),
    "leading zero": ('{"id": 01}', ["record.object"]),
    "a key twice": ('{"id": 1, "id": 1}', ["record.keys"]),
    "a key twice, escaped": ('{"id": 1, "\\u0069d": 1}', ["record.keys"]),
    "half a character": ('{"id": 1, "name": "\\ud83d"}', ["record.text"]),
    "half a character, the low one": ('{"id": 1, "name": "\\ude00"}', ["record.text"]),
    "no half a character": ('{"id": 1, "name": "\\\\ud83d"}', ["name.maxLength", "name.enum", "name.pattern"]),
    "half a character behind a backslash": ('{"id": 1, "name": "\\\\\\ud83d"}', ["record.text"]),
    "a whole character in two halves": ('{"id": 1, "name": "\\ud83d\\ude00"}', ["name.enum", "name.pattern"]),
    "an unknown key": ('{"id": 1, "other": 1}', ["record.knownKeys"]),
    "a key in another case": ('{"ID": 1}', ["record.knownKeys", "id.required"]),
    "our own keys": ('{"id": 1, "_record": 7, "_reasons": "x"}', []),
    "number as text": ('{"id": "1"}', ["id.logicalType"]),
    "text as number": ('{"id": 1, "name": 5}', ["name.logicalType"]),
    "boolean as text": ('{"id": 1, "ok": "true"}', ["ok.logicalType"]),
    "fraction": ('{"id": 1.0}', ["id.logicalType"]),
    "exponent": ('{"id": 1e2}', ["id.logicalType"]),
    "beyond 64 bits": ('{"id": 9223372036854775808}', ["id.logicalType"]),
    "beyond a double": ('{"id": 1, "amount": 1e400}', ["amount.logicalType"]),
    "a nested object": ('{"id": 1, "name": {"a": "b"}}', ["name.logicalType"]),
    "a nested array": ('{"id": [1]}', ["id.logicalType"]),
    "a day that does not exist": ('{"id": 1, "day": "2024-02-30"}', ["day.logicalType"]),
    "blanks around": (' { "id" : 1 , "name" : "a" } ', []),
    "other order": ('{"name": "a", "id": 1}', []),
    "escapes": ('{"id": 1, "name": "\\u0061"}', []),
    "empty object": ("{}", ["id.required"]),
    "a thousand brackets": ("[" * 5_000, ["record.object"]),
    "a long number": ('{"id": 1, "amount": ' + "1" * 2_000 + "}", ["record.object"]),
}


REJECTED = '{"id": 1}\n\n{"id": 0, "name": "a","_record":9,"_reasons":"x (\\"y\\"\\\\)"}\n{}\n{"id": 1} x\n'
GOOD_LINE = '{"id": 1, "name": "a", "amount": 1, "day": "2024-01-31", "ok": true}\n'


def test_every_line_is_judged_as_json_strictly(spark: SparkSession, judged: dict[FileFormat, Judged]) -> None:
    run = judged["jsonl"]
    failing = {row.record: row.checks for row in run.evidence(spark, "lines")}
    assert failing == {n: checks for n, (_, checks) in enumerate(LINES.values(), 2) if checks}
    assert run.drop("lines").read == len(LINES) + 1
    assert [s.value for s in run.count("record.knownKeys", "lines").samples] == ["other", "ID"]


def test_rejected_objects_come_back_with_reasons(judged: dict[FileFormat, Judged]) -> None:
    text = (judged["jsonl"].folder / "rejected" / "rejected" / "rejected.jsonl").read_text()
    assert [json.loads(line) for line in text.splitlines()] == [
        {"id": 0, "name": "a", "_record": 2, "_reasons": "id.minimum (at least 1)"},
        {"_record": 3, "_reasons": "id.required (a value in every record)"},
        {
            "line": '{"id": 1} x',
            "_record": 4,
            "_reasons": "record.object (one JSON object, and nothing else in its line)",
        },
    ]


@pytest.mark.parametrize("extra", ["warn", "ignore"])
def test_unknown_keys_may_be_allowed(spark: SparkSession, tmp_path: Path, extra: str) -> None:
    plan = a_plan(PROPERTIES, CHECKS, columns_extra=extra, file_format="jsonl")  # type: ignore[arg-type]
    drop = judge(spark, tmp_path, plan, {"a": '{"id": 1, "more": {"a": [1]}}\n{"id": 2, "more": 5}\n'}).drop("a")
    assert (drop.read, drop.valid, drop.flagged) == (2, 2, 2 if extra == "warn" else 0)


def test_what_only_parquet_can_hold_is_not_of_its_type(spark: SparkSession, judged: dict[FileFormat, Judged]) -> None:
    rows = judged["parquet"].evidence(spark, "odd")
    assert [(r.record, r.checks) for r in rows] == [
        (1, ["amount.logicalType"]),
        (2, ["name.logicalType", "amount.logicalType"]),
    ]
    assert rows[0].cells["amount"] == "NaN"
    assert judged["parquet"].count("day.minimum", "odd").state == "not_evaluated"


def test_file_whose_pages_are_damaged_is_refused_alone(judged: dict[FileFormat, Judged]) -> None:
    run = judged["parquet"]
    refusal = run.drop("damaged").refusal
    assert refusal
    assert refusal.code == "broken-parquet"
    assert run.decision("damaged").verdict == "rejected"
    assert run.drop("a").read == len(RECORDS)


def test_rejected_rows_of_parquet_come_as_csv(judged: dict[FileFormat, Judged]) -> None:
    lines = judged["parquet"].rejected("a")
    assert lines[0] == [*NAMES, "_record", "_reasons"]
    reasons = "id.minimum (at least 1); day.minimum (at least 2024-01-01); at.maximum (at most 2024-06-01T00:00:00Z)"
    assert lines[2] == ["0", "b", "-7.0", "2023-12-31", "2024-06-01 00:00:01", "", "-99999999.95", "", "3", reasons]
