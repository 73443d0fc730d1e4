"""The rows over S3A: a name in, lines of the table out. The baseline is a bare typed scan of the same URI."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench import plans, running
from bench.deployed import runner
from bench.measuring import LONG, ROUNDS, WARM, Row
from bench.own import Bench
from contracts.job import is_brief
from contracts.plan import Plan
from functions.aws.emr_serverless import workers_for
from functions.costs.cost import memory_gb, prices, vcpu

Used = tuple[float, float]
"""Seconds of a run on the clock, and those of the processors."""


@dataclass(frozen=True, slots=True)
class DeployedRow(Row):
    """A row with the bytes of the file, and the seconds of the processors as well, of scan and job in each round."""

    used: tuple[tuple[float, float], ...] = ()
    size: int = 0

    @property
    def used_ratio(self) -> float:
        """Return the processors' time of the job as a multiple of the scan's, by the medians."""
        return Row("", self.used).ratio

    @property
    def dollars(self) -> float:
        """Return what EMR asks for 1 TiB of such bytes, if its vCPUs do as much in a second as these processors."""
        cpu_seconds = statistics.median(job for _, job in self.used) * 2**40 / self.size
        workers = workers_for(2**40)
        vcpu_hour, gb_hour = (float(prices()[name]["usd"]) for name in ("emr_vcpu_hour", "emr_gb_hour"))
        return cpu_seconds / 3600 * (vcpu_hour + gb_hour * memory_gb(workers) / vcpu(workers))

    def __str__(self) -> str:
        what, job, scan, ratio, first, bound, met = Row.__str__(self).strip("| ").split(" | ")
        measured = f"{job} | {scan} | {ratio} | {first} | {self.used_ratio:.2f} | {self.dollars:.2f}"
        return f"| {what} | {measured} | {bound} | {met} |"


def beside(
    bench: Bench, what: str, file: Path, plan: Plan, bound: float, rounds: tuple[int, int] = (WARM, ROUNDS)
) -> DeployedRow:
    """Run a bare typed scan and the job on a file in turn; raise AssertionError if the job lost a record."""
    place, scan, job = _asked(bench, file, plan)
    pairs = [(bench.runner.ask(**scan), bench.runner.ask(**job)) for _ in range(sum(rounds))][rounds[0] :]
    running.result(place)
    return _row(what, file, pairs, bound)


def _first(bench: Bench, what: str, file: Path, bound: float) -> DeployedRow:
    """Run a bare typed scan and the job on a file, each as the first work of a process of its own.

    The JVM of the job has the options that its run has on EMR, that of the scan has Spark's own.
    """
    place, scan, job = _asked(bench, file, bench.plain)
    brief = is_brief(bench.plain, file.stat().st_size)
    pairs = [(_alone(bench, scan), _alone(bench, job, brief=brief)) for _ in range(LONG[1])]
    running.result(place)
    return _row(what, file, pairs, bound)


def _alone(bench: Bench, asked: dict[str, str], *, brief: bool = False) -> Used:
    with runner.running(bench.storage, brief=brief) as started:
        return started.ask(**asked)


def _asked(bench: Bench, file: Path, plan: Plan) -> tuple[Path, dict[str, str], dict[str, str]]:
    """Return the folder of a job on a file, and what asks for a bare typed scan of it and for that job."""
    place = running.request(plan, [file], bench.files.folder, bench.storage.uri)
    scan = {
        "work": "scan",
        "uri": bench.storage.uri(file),
        "format": plan.file_format,
        "schema": running.typed(plan),
    }
    return place, scan, {"work": "job", "request": (place / "request.json").as_uri()}


def _row(what: str, file: Path, pairs: list[tuple[Used, Used]], bound: float) -> DeployedRow:
    clock, used = (tuple((scan[n], job[n]) for scan, job in pairs) for n in (0, 1))
    size = file.stat().st_size
    return DeployedRow(f"{what}, {size / 2**20:.0f} MiB", clock, bound, used=used, size=size)


def clean(bench: Bench) -> list[DeployedRow]:
    """The job on a file without a bad row."""
    return [beside(bench, "clean CSV", bench.files.clean, bench.plain, 1.0)]


def bad(bench: Bench) -> list[DeployedRow]:
    """The job on a file with bad rows."""
    return [beside(bench, "6 % bad rows, quarantined with all ids", bench.files.dirty, bench.plain, 1.8)]


def gzip(bench: Bench) -> list[DeployedRow]:
    """The job on the clean file by gzip, which has one split."""
    plan = replace(bench.plain, compression="gzip")
    return [beside(bench, "CSV of the same rows by gzip", bench.files.packed("gzip"), plan, 2, LONG)]


def parquet(bench: Bench) -> list[DeployedRow]:
    """The job on Parquet of the same rows."""
    file = bench.files.parquet(bench.spark, bench.plain)
    return [beside(bench, "Parquet of the same rows", file, plans.plain(plans.in_format("parquet")), 1.5)]


def jsonl(bench: Bench) -> list[DeployedRow]:
    """The job on JSON Lines of the same rows."""
    file = bench.files.json_lines(bench.spark, bench.plain)
    bad = bench.files.json_lines(bench.spark, bench.plain, bad=True)
    plan = plans.plain(plans.in_format("jsonl"))
    return [
        beside(bench, "JSON Lines of the same rows", file, plan, 1.5, LONG),
        beside(bench, "JSON Lines with 6 % bad rows, quarantined with all ids", bad, plan, 2.5, LONG),
    ]


def fresh(bench: Bench) -> list[DeployedRow]:
    """The first job of a JVM, beside the first scan of another."""
    forms = (("clean CSV", bench.files.clean, 0.9), ("6 % bad rows", bench.files.dirty, 1.7))
    return [_first(bench, f"first job of a fresh JVM, {what}", file, bound) for what, file, bound in forms]


DEPLOYED: dict[str, Callable[[Bench], list[DeployedRow]]] = {
    f"s3a-{run.__name__}": run for run in (clean, bad, parquet, jsonl, gzip, fresh)
}
