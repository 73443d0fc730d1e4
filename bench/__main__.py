"""Measure the job beside a bare typed Spark scan, in one session, and write docs/benchmarks.md.

Rounds alternate (scan, job, scan, job, ...), so that a machine whose speed drifts slows both; what counts is the ratio.
Figures are the median of the rounds after two of warm-up, and the third run alone: the later a run, the less of it is
the JVM's compiler.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from contracts.authoring.compiling import load_plan
from contracts.job import JobDrop, JobRequest, JobResult
from contracts.plan import Plan
from functions.admission import SAMPLE, admit
from infra.demo import inmet
from infra.setup.session import local_session
from spark_jobs import validate

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
HOURS = 8760
"""Rows of a station, a year of them; 157 stations make 201 MiB."""
WARM, ROUNDS = 2, 5
SPARK_TYPES = {"integer": "bigint", "number": "double", "date": "date", "timestamp": "timestamp", "boolean": "boolean"}


@dataclass(frozen=True)
class Row:
    """A line of the table: what ran, seconds of yardstick and job in each round, what the ratio may be."""

    what: str
    times: list[tuple[float, float]]
    bound: str

    def __str__(self) -> str:
        yardstick, job = (statistics.median(column) for column in zip(*self.times, strict=True))
        third = self.times[0][1] / self.times[0][0]
        return f"| {self.what} | {job:.2f} | {yardstick:.2f} | **{job / yardstick:.2f}** | {third:.2f} | {self.bound} |"


def main() -> None:
    """Run everything and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the job beside a bare Spark scan.")
    parser.add_argument("--stations", type=int, default=157, help="size of the file: 157 stations are 201 MiB")
    stations = parser.parse_args().stations
    plan = load_plan(ROOT / "contracts" / "weather" / "inmet-weather.v1.yaml")
    plain = replace(plan, checks=tuple(c for c in plan.checks if c.kind != "unique"))
    spark = local_session("dropgate bench", memory="4g")
    with tempfile.TemporaryDirectory(prefix="dropgate-bench-") as place:
        folder = Path(place)
        say("writing two files")
        clean, dirty = folder / "clean.csv", folder / "dirty.csv"
        inmet.write(clean, stations, HOURS)
        bad = inmet.write(dirty, stations, HOURS, bad=0.06)
        size = clean.stat().st_size / 2**20
        rows = [
            pair(spark, f"clean, {size:.0f} MiB", clean, plain, folder, "2.5"),
            pair(spark, f"6 % bad rows ({bad:,}), quarantined with all ids", dirty, plain, folder, "3.0"),
            pair(spark, "clean, and uniqueness of `index`", clean, plan, folder, "-"),
            many(spark, plain, folder),
        ]
    page = report(plain, stations * HOURS, rows)
    PAGE.write_text(page, encoding="utf-8")
    say(page)


def pair(spark: SparkSession, what: str, file: Path, plan: Plan, folder: Path, bound: str) -> Row:
    """The job on one file beside a typed scan of it."""
    say(what)
    times = alternate(lambda: scan(spark, file, plan), lambda: job(spark, plan, [file], folder))
    return told(Row(what, times, bound))


def many(spark: SparkSession, plan: Plan, folder: Path) -> Row:
    """A job of 200 drops of 100 rows beside the job of one."""
    say("200 drops of 100 rows")
    files = [folder / f"small-{n}.csv" for n in range(200)]
    for n, file in enumerate(files):
        inmet.write(file, 1, 100, seed=n)
    times = alternate(lambda: job(spark, plan, files[:1], folder), lambda: job(spark, plan, files, folder))
    return told(Row("200 drops of 100 rows, beside the job of one", times, "6"))


def told(row: Row) -> Row:
    """Say a line as soon as it is known."""
    say(str(row))
    return row


def alternate(first: Callable[[], None], second: Callable[[], None]) -> list[tuple[float, float]]:
    """The seconds of both in each round after the warm-up, run in turn."""
    return [(timed(first), timed(second)) for _ in range(WARM + ROUNDS)][WARM:]


def timed(run: Callable[[], None]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def scan(spark: SparkSession, file: Path, plan: Plan) -> None:
    """The yardstick: Spark reads the typed columns and throws them away."""
    schema = ", ".join(f"`{p.name}` {SPARK_TYPES.get(p.type, 'string')}" for p in plan.properties)
    spark.read.csv(file.as_uri(), header=True, schema=schema).write.format("noop").mode("overwrite").save()


def job(spark: SparkSession, plan: Plan, files: list[Path], folder: Path) -> None:
    """The whole job: read, check, count, evidence, rejected.csv, result."""
    base = folder.as_uri() + "/out/"
    drops = tuple(drop(plan, n, file, base) for n, file in enumerate(files))
    request = JobRequest(
        batch="bench",
        try_=1,
        plan=plan,
        drops=drops,
        scratch=f"{base}scratch/",
        evidence_rows=f"{base}rows/",
        evidence_checks=f"{base}checks/",
        result=f"{base}result.jsonl",
        requested_at="2026-01-01T00:00:00Z",
    )
    place = folder / "request.json"
    place.write_text(request.dumps(), encoding="utf-8")
    validate.run(spark, place.as_uri())
    result = JobResult.loads((folder / "out" / "result.jsonl").read_bytes())
    for facts in result.drops:
        assert facts.failure is None, facts.failure
        assert facts.read == facts.valid + facts.rejected > 0, facts


def drop(plan: Plan, number: int, file: Path, base: str) -> JobDrop:
    """A file as admission would hand it on."""
    head = file.open("rb").read(SAMPLE)
    admitted = admit(plan, f"inmet/SP/2019-01-01-{number}.csv", file.stat().st_size, lambda *_: head)
    assert not admitted.refused, admitted.problems
    reports = f"{base}reports/{number}/"
    size = file.stat().st_size
    return JobDrop(f"d{number}", 1, file.as_uri(), file.name, size, admitted.header, admitted.header_line, reports)


def report(plan: Plan, records: int, rows: list[Row]) -> str:
    """The page."""
    cpu = next((line.split(":")[1].strip() for line in cpuinfo() if line.startswith("model name")), platform.machine())
    return f"""\
# Benchmarks

`python -m bench`, {datetime.now(UTC):%Y-%m-%d}: pyspark {pyspark.__version__}, Python {platform.python_version()},
{cpu}, {os.cpu_count()} cores, local[2], 4 GiB driver. INMET-shaped weather, {records:,} rows of 27 columns, under
`contracts/weather/inmet-weather.v1.yaml`: {len(plan.checks)} checks, which contain the 45 of the thesis' nine rules.
The whole job: read, check, count, evidence and rejected rows written, result. Median of {ROUNDS} rounds after {WARM} of
warm-up, in turn with the yardstick in the same session; the ratio is what counts. `third run`: the first of them alone.

| what | job, s | yardstick, s | ratio | third run | bound |
|---|---|---|---|---|---|
{chr(10).join(map(str, rows))}

The yardstick of the first three lines is a bare typed Spark CSV scan of the same file to `noop`.
"""


def cpuinfo() -> list[str]:
    """What Linux says of the processor; nothing elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def say(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 (a program for the terminal)


if __name__ == "__main__":
    main()
