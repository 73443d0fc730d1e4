"""The rows over S3A: a name in, lines of the table out. The baseline is a bare typed scan of the same URI."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench import plans, running
from bench.deployed.runner import Runner
from bench.measuring import LONG, ROUNDS, WARM, Row
from bench.own import Bench
from contracts.plan import Plan
from functions.aws.emr_serverless import workers_for
from functions.costs.cost import memory_gb, prices, vcpu


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
    runner: Runner = bench.runner
    uri = runner.storage.uri(file)
    place = running.request(plan, [file], bench.files.folder, runner.storage.uri)
    schema = running.typed(plan)
    pairs = [
        (
            runner.ask(work="scan", uri=uri, format=plan.file_format, schema=schema),
            runner.ask(work="job", request=(place / "request.json").as_uri()),
        )
        for _ in range(sum(rounds))
    ][rounds[0] :]
    running.result(place)
    name = f"{what}, {file.stat().st_size / 2**20:.0f} MiB"
    clock, used = (tuple((scan[n], job[n]) for scan, job in pairs) for n in (0, 1))
    return DeployedRow(name, clock, bound, used=used, size=file.stat().st_size)


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
    return [beside(bench, "JSON Lines of the same rows", file, plans.plain(plans.in_format("jsonl")), 1.5, LONG)]


DEPLOYED: dict[str, Callable[[Bench], list[DeployedRow]]] = {
    f"s3a-{run.__name__}": run for run in (clean, bad, parquet, jsonl, gzip)
}
