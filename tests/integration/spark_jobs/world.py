"""Files and a plan in, the job run over them, its result and evidence out: what the job's tests stand on."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import Row, SparkSession

from contracts import codec, rules
from contracts.decision import Decision
from contracts.files import columns, csv_cells, record_ends
from contracts.files.header import rejected_file
from contracts.job import SIFTED_FROM, Count, DropResult, JobDrop, JobReference, JobRequest, JobResult
from contracts.plan import READ_AS, Check, Columns, Csv, FileFormat, LogicalType, Plan, Policy, Property, record_checks
from contracts.verdict import decide
from contracts.watermarks import HighMark
from functions.admission.admit import Admission, admit
from functions.admission.header_again import header
from spark_jobs import fast_lane
from spark_jobs.validate import run


@dataclass(frozen=True)
class Judged:
    """One run of the job over some files, by their names."""

    plan: Plan
    result: JobResult
    folder: Path

    def drop(self, name: str = "a.csv") -> DropResult:
        """The facts of one file."""
        return next(d for d in self.result.drops if d.drop == name)

    def count(self, check: str, name: str = "a.csv") -> Count:
        """Return the count of one check in one file."""
        return dict(zip(self.result.header.checks, self.drop(name).counts, strict=True))[check]

    def decision(self, name: str = "a.csv") -> Decision:
        """The verdict on one file."""
        return decide(self.plan, self.drop(name), self.result.header.checks)

    def evidence(self, spark: SparkSession, name: str | None = None) -> list[Row]:
        """Return the evidence of rows, by file and record, of one file or of all; none where no row fails."""
        if not (self.folder / "rows").exists():
            return []
        rows = spark.read.parquet(f"{self.folder}/rows")
        return (rows.where(rows.file == name) if name else rows).orderBy("file", "record").collect()

    def rejected(self, name: str = "a.csv", encoding: str = "utf-8") -> list[list[str]]:
        """The producer's file of rejected rows, as Python's csv reads it."""
        text = (self.folder / "rejected" / name / "rejected.csv").read_bytes().decode(encoding)
        dialect = self.plan.of_rejected
        if not csv_cells.is_usual(dialect):
            lines = (record_ends.first(line, dialect) for line in record_ends.records(text, dialect))
            return [[*(csv_cells.split(line, dialect) or ())] for line in lines]
        return list(csv.reader(io.StringIO(text, newline=""), **dialect.for_python))

    def outputs(self, spark: SparkSession) -> tuple[object, ...]:
        """Return all that the run wrote, rows and files too, without the times and places of it."""
        drops = [replace(drop, outputs=dict.fromkeys(drop.outputs, "")) for drop in self.result.drops]
        reports = [self.folder / "rejected" / drop.drop / rejected_file(self.plan) for drop in drops]
        bodies = [path.read_bytes() if path.exists() else None for path in reports]
        return replace(self.result.header, started_at="", ended_at=""), drops, bodies, self.evidence(spark)


def a_plan(
    properties: Sequence[Property] = (),
    checks: Sequence[Check] = (),
    csv: Csv | None = None,
    columns_extra: Policy = "reject",
    file_format: FileFormat = "csv",
    **more: object,
) -> Plan:
    """A plan of these properties, with the record checks and a check of each logical type before its own checks."""
    types = tuple(
        Check(f"{p.name}.logicalType", rules.LogicalType(), "row", "error", "conformity", p.type, p.name)
        for p in properties
        if p.type != "string" or READ_AS[file_format] != "csv"
    )
    fields: dict[str, object] = {
        "contract": "things.v1",
        "id": "things",
        "version": "1.0.0",
        "object": "things",
        "producer": "maker",
        "files": ("things/*.csv",),
        "properties": tuple(properties),
        "checks": (*record_checks(file_format, columns_extra), *types, *checks),
        "csv": csv or Csv(),
        "columns": Columns(extra=columns_extra),
        "file_format": file_format,
    }
    return Plan(**(fields | more))  # type: ignore[arg-type]


def a_check(
    kind: str, name: str | None = None, scope: str = "row", severity: str = "error", **arguments: object
) -> Check:
    """A check with the id that authoring would give it."""
    identity = f"{name}.{kind}" if name else kind
    document = {"id": identity, "kind": kind, "scope": scope, "severity": severity, "property": name}
    return codec.decode(Check, document | {"dimension": "conformity", "expected": kind, "arguments": arguments})


def a_property(name: str, of: LogicalType = "string", **more: object) -> Property:
    """A property of a type."""
    return Property(name, of, **more)  # type: ignore[arg-type]


def judge(
    spark: SparkSession,
    folder: Path,
    plan: Plan,
    files: Mapping[str, bytes | str],
    try_: int = 1,
    marks: tuple[HighMark, ...] = (),
    references: Sequence[JobReference] = (),
    sift_from: int | None = SIFTED_FROM,
) -> Judged:
    """Write the files, run the job over all of them in one request, read its result."""
    request = replace(a_request(folder, plan, files, try_), marks=marks, references=tuple(references))
    result = run_both_ways(spark, folder, request, sift_from)
    return Judged(plan, result, folder)


SMALL_BLOCK = 40
"""Bytes of a block of the fast lane, so that small files have several."""


def run_both_ways(
    spark: SparkSession, folder: Path, request: JobRequest, sift_from: int | None = SIFTED_FROM
) -> JobResult:
    """Run the job, and hold the fast lane to its result for each file that the lane is sure of."""
    (folder / "request.json").write_text(request.dumps())
    run(spark, (folder / "request.json").as_uri(), sift_from)
    result = JobResult.loads((folder / "result.jsonl").read_bytes())
    for drop, facts in zip(request.drops, result.drops, strict=True):
        small = replace(request, drops=(drop,))
        for alone in filter(None, (fast_lane.judge(small), fast_lane.judge(small, at_once=0, block=SMALL_BLOCK))):
            assert (alone.header.plan, alone.header.checks) == (result.header.plan, result.header.checks)
            assert alone.drops == (facts,)
    return result


def a_request(folder: Path, plan: Plan, files: Mapping[str, bytes | str], try_: int = 1) -> JobRequest:
    """A request for these files, written to a folder; each drop has its file's name and first line."""
    drops = []
    for name, content in files.items():
        path = folder / "stage" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        line, names, types = _header(plan, data)
        rejected = f"{folder.as_uri()}/rejected/{name}/"
        unpacked = _admitted(plan, data).unpacked if plan.unpacked_first else None
        drop = JobDrop(name, 1, path.as_uri(), name, len(data), names, line, rejected, types=types, unpacked=unpacked)
        drops.append(drop)
    base = folder.as_uri()
    return JobRequest(
        *(
            "b1",
            try_,
            plan,
            tuple(drops),
            f"{base}/scratch/",
            f"{base}/rows/",
            f"{base}/result.jsonl",
        ),
        requested_at="2026-11-21T12:00:00Z",
    )


def _admitted(plan: Plan, data: bytes) -> Admission:
    return admit(plan, "things/a", len(data), lambda start, length: data[start : start + length])


def _header(plan: Plan, data: bytes) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The header as admission would hand it on, even of files that it would refuse."""
    if plan.file_format != "csv" or plan.packing != "none" or not plan.csv.header or plan.csv.has_top:
        line = _admitted(plan, data).header_line
        return line, *header(plan, line)
    line = csv_cells.first_line(data.decode(plan.csv.encoding, "replace"), plan.csv) or ""
    return line, columns.names(plan, columns.sent(plan, line)), ()
