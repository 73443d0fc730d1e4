"""The cost of a load: drops of a size, contracts and a window in; units of each service, and dollars, out. Pure.

Calls come from `functions.costs.calls`, workers from `functions.aws.emr_serverless`, bounds of a batch from
`functions.flow.batching`; figures that were not measured on AWS are in `Assumed`, each with its source.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from contracts.plan import Promoted
from functions.aws.delta import CHECKPOINT
from functions.aws.emr_serverless import Workers, workers_for
from functions.aws.items import FLIGHTS
from functions.costs.calls import COMMITS, CREATED, DUE, ENDED, of_batch
from functions.flow.batching import MOST_BYTES
from functions.ports import MOST_DROPS

PRICES = Path(__file__).with_name("prices.json")
MIB, GIB, TIB, GB = 1024**2, 1024**3, 1024**4, 10**9
DAY, MONTH_DAYS = 86400, 365 / 12
S3_WRITES = frozenset({"s3:PutObject", "s3:CopyObject", "s3:ListObjectsV2"})
S3_READS = frozenset({"s3:GetObject", "s3:HeadObject"})
QUEUES, FUNCTIONS = 5, (CREATED, DUE, ENDED)


@dataclass(frozen=True, slots=True)
class Assumed:
    """The assumptions of the model, in seconds, GB, bytes and counts."""

    job_start: float = 19.0
    """Spark's start and a JVM that compiles (docs/explanation/benchmarks.md): 25.04 s less the warm job's 6.12 s."""
    job_fixed: float = 0.96
    """A warm job of one small drop (docs/explanation/benchmarks.md)."""
    job_drop: float = 0.008
    """Each further drop: (8.89 - 0.96) s for 999 (docs/explanation/benchmarks.md)."""
    job_bytes: float = 202 * MIB / (6.12 - 0.96) / 2
    """Bytes a second and core of clean CSV: 202 MiB on two cores (docs/explanation/benchmarks.md)."""
    job_minimum: float = 60.0
    """Seconds that each worker costs at least (EMR Serverless pricing page)."""
    job_wait: float = 60.0
    """From StartJobRun to the workers, not billed: AWS gives no figure, users report 60 to 90 s and more."""
    lane_gb_seconds: float = 0.8
    """The fast lane's function for a drop of 1 MiB, in addition to the calls of BatchDue: 0.4 s with 2 GiB, an
    assumption (judging takes 0.02 s of a processor)."""
    call_seconds: float = 0.02
    """Mean time of a call inside a Region, an assumption."""
    memory_mb: tuple[int, int, int, int, int, int, int] = (1769, 512, 1769, 1769, 512, 512, 512)
    """Of the three functions, the schedule and the function that makes events (infra/aws/flow.yaml), and the two of
    notices (infra/aws/notices.yaml), which are equal."""
    spark_writes: tuple[float, float] = (50, 1.5)
    """S3 writes and lists of a job, and of each of its drops: counted at the embedded S3, 1 and 10 good drops."""
    spark_reads: tuple[float, float] = (50, 7)
    """S3 reads of a job, and of each of its drops: counted likewise."""
    spark_rejected: tuple[float, float, float, float] = (66, 17, 104, 16)
    """Writes and reads that rejected rows add to a job, and to it for each drop with some: counted likewise."""
    spark_rows: tuple[float, float, float, float] = (13, 19, 15, 21)
    """The same that the valid rows of such drops add, with `promote: rows`."""
    spark_tables: tuple[float, float, float, float] = (27, 18, 27, 18)
    """The same that the valid rows of all drops add, with `promote: table`."""
    drop_writes: int = 71
    """Write units of a drop: 1 to 2 KB in table and two indexes, five transactions at double price, one put."""
    batch_writes: int = 44
    """Write units of a batch besides 0.4 for each member: BATCH three times, RUN, window, indexes, pauses."""
    drop_reads: float = 1.5
    """Read units: a drop is read once, consistently, its PENDING item in a query."""
    batch_reads: float = 3.0
    looks: int = 2 * FLIGHTS + 5
    """Looks of the schedule in a minute: drops by partition, and those that wait; batches, windows; two places."""
    events: int = 5
    """History items of an accepted drop; each is a request of the pipe, at most a call of its function, and an event
    of ours."""
    event_seconds: float = 0.005
    """Of the function for one, from plans that it remembers: 0.15 ms on a core of x86_64, the rest is an assumption."""
    event_bytes: int = 1500
    """Of an event with its envelope: counted at the embedded stack."""
    event_days: int = 30
    """How long events are kept in the archive (template.yaml, EventDays)."""
    heard: int = 1
    """Events of an accepted drop that the functions of notices are asked about; each reads the catalog's pointer."""
    notice_calls: int = 13
    """Calls of a notice that is told by itself: counted at the embedded stack."""
    notice_units: tuple[float, float] = (24, 7)
    """Write and read units of it, added up by hand: three transactions of up to five items at double price, and the
    index of what is due."""
    notice_seconds: float = 0.5
    """Of the channel for an answer, an assumption."""
    log_bytes: int = 2500
    """Of an invocation: its own lines, a metric line, three of Lambda's."""
    metrics: tuple[int, int, int] = (2, 16, 4)
    """Custom metrics of an idle stack (Heartbeat, OldestOpenMinutes), those that drops bring, and those of notices."""
    alarms: int = 39
    """infra/aws/operations.yaml."""
    key_share: float = 4 / 150
    """Requests to KMS for each of S3 with bucket keys (github.com/aws-samples/s3-bucketkey-poc counted 4 of 150)."""
    key_run: int = 2
    """Of a run, to read and to write: its own policy keeps it from sharing a bucket key (AWS Storage Blog, "Enhance
    savings for read-heavy workloads with Amazon S3 Bucket Keys"), an assumption."""
    work_days: int = 30
    """How long stage and jobs are kept (template.yaml, WorkDays)."""
    recovery_days: int = 7
    """How long a staged file stays as a version once it has expired (template.yaml, RecoveryDays)."""
    former_bytes: tuple[int, int, int] = (17_000, 700, 140_000)
    """Bytes of replaced and deleted versions in jobs/ and evidence/ (without valid rows) of a job, of each of its
    drops, and of each drop with rejected rows (500 of 5,000): counted at the embedded S3, 1 and 10 drops."""
    former_days: float = 1.5
    """The days that they stay (infra/aws/storage.yaml: a day, and S3 expires objects once a day)."""
    access_bytes: int = 700
    """Of the line that S3 writes of a request, with its user agent: an assumption after the example lines of its user
    guide, "Amazon S3 server access log format". To bring them costs nothing."""
    access_days: int = 90
    """How long these are kept (template.yaml, AccessLogDays)."""
    kept_bytes: int = 60_000
    """Receipts, evidence and records of a drop that stay: priced for one month."""
    record_bytes: int = 12_000
    """Items of a drop in table and indexes, priced for one month."""
    pollers: float = 5 / 20
    """Empty receives a second and queue: five pollers, each waiting 20 s, an assumption."""


ASSUMED = Assumed()


@dataclass(frozen=True, slots=True)
class Load:
    """Drops of one size per day, evenly spread over contracts and the day; with `burst`, each contract's at once.

    `window` is in seconds, `most` bounds a batch, `promote` is the promotion mode, `rejected` is the share of drops
    with (tolerated) rejected rows, and `mailed` the share of drops of which a mail tells, each by itself.
    """

    drops: float
    size: int
    contracts: int = 1
    window: int = 60
    burst: bool = False
    most: int = MOST_DROPS
    promote: Promoted = "object"
    rejected: float = 0
    mailed: float = 0


@dataclass(frozen=True, slots=True)
class CostLine:
    """A price times a quantity, both for a month."""

    service: str
    name: str
    unit: str
    quantity: float
    dollars: float


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of a load in a month, and its batches."""

    load: Load
    per_batch: float
    batches: float
    lines: tuple[CostLine, ...]

    @property
    def dollars(self) -> float:
        """Return the month's sum."""
        return sum(line.dollars for line in self.lines)

    @property
    def per_thousand(self) -> float:
        """Return the dollars for 1,000 drops."""
        return self.dollars / (self.load.drops * MONTH_DAYS) * 1000

    @property
    def per_tib(self) -> float:
        """Return the dollars for a TiB of files."""
        return self.per_thousand / 1000 * TIB / self.load.size

    def services(self) -> dict[str, float]:
        """Return the dollars of each service, the dearest first."""
        totals: Counter[str] = Counter()
        for line in self.lines:
            totals[line.service] += line.dollars  # type: ignore[assignment] # a Counter adds up floats as well
        return dict(totals.most_common())

    def shares(self) -> dict[str, float]:
        """Return each service's share of the sum, largest first."""
        return {service: part / self.dollars for service, part in self.services().items()}


@cache
def price_list() -> Mapping[str, Any]:
    """Return the list of prices, with its region and the day when it was checked."""
    document: Mapping[str, Any] = json.loads(PRICES.read_text(encoding="utf-8"))
    return document


def prices() -> Mapping[str, Any]:
    """Return the list prices by name: service, usd (on arm64, the template's default), per, unit, source."""
    document: Mapping[str, Any] = price_list()["prices"]
    return document


def batch_drops(load: Load) -> float:
    """Return how many drops share a batch on average."""
    per_contract = load.drops / load.contracts
    gathered = per_contract if load.burst else 1 + per_contract / DAY * load.window
    return max(1.0, min(gathered, per_contract, load.most, MOST_BYTES // load.size if load.size else load.most))


def job_seconds(size: float, drops: float, assumed: Assumed = ASSUMED) -> float:
    """Return the working seconds of a job with so many bytes and drops, from its workers' start."""
    workers = workers_for(int(size))
    warm = assumed.job_fixed + assumed.job_drop * (drops - 1)
    return assumed.job_start + warm + size / (assumed.job_bytes * workers.cores * workers.most)


def vcpu(workers: Workers) -> int:
    """Return the vCPU of a run."""
    return workers.driver_cores + workers.cores * workers.most


def memory_gb(workers: Workers) -> int:
    """Return the memory of a run in whole GB: each worker's with its overhead, a tenth of the driver's."""
    driver, executor, overhead = (
        int(m.removesuffix("g")) for m in (workers.driver_memory, workers.memory, workers.overhead)
    )
    return ceil(driver * 1.1) + workers.most * (executor + overhead)


def usage(load: Load, assumed: Assumed = ASSUMED, each: float | None = None) -> dict[str, float]:
    """Return the monthly units of each price."""
    drops = load.drops * MONTH_DAYS
    each = each or batch_drops(load)
    batches = drops / each
    calls = _calls(each, load)
    workers = workers_for(int(load.size * each))
    billed = max(assumed.job_minimum, ceil(job_seconds(load.size * each, each, assumed)))
    requests = {CREATED: drops, DUE: batches, ENDED: batches}
    asked = {f: sum(n for (g, _), n in calls.items() if g == f) * batches for f in FUNCTIONS}
    *memory, of_schedule, of_events, of_notices, _ = (mb / 1024 for mb in assumed.memory_mb)
    events, heard, mails = drops * assumed.events, drops * assumed.heard, drops * load.mailed
    writes = sum(n for (_, o), n in calls.items() if o in S3_WRITES)
    reads = sum(n for (_, o), n in calls.items() if o in S3_READS)
    sent = sum(n for (_, o), n in calls.items() if o == "sqs:SendMessage")
    spark = _of_rows(load, batches, drops, assumed)
    s3_writes = batches * (writes + assumed.spark_writes[0]) + drops * assumed.spark_writes[1] + spark[0]
    s3_reads = batches * (reads + assumed.spark_reads[0]) + drops * assumed.spark_reads[1] + spark[1] + heard
    minutes, seconds = MONTH_DAYS * 24 * 60, MONTH_DAYS * DAY
    return {
        "s3_write": s3_writes + minutes,  # each minute a list of landing
        "s3_read": s3_reads + minutes,  # and a look at the catalog's pointer
        "s3_gb_month": _stored(load, batches, drops, s3_writes + s3_reads + 2 * minutes, assumed) / GB,
        "dynamodb_write": drops * (assumed.drop_writes + 0.4)
        + batches * assumed.batch_writes
        + mails * assumed.notice_units[0],
        "dynamodb_read": drops * assumed.drop_reads
        + batches * assumed.batch_reads
        + minutes * (assumed.looks + 1) / 2  # and one for the notices that are due
        + mails * assumed.notice_units[1],
        "dynamodb_gb_month": drops * assumed.record_bytes / GB,
        # A message is sent, received and deleted: those of S3 and of the job by EventBridge, the window's by us.
        "sqs_request": 3 * (drops + batches + heard) + (sent + 2) * batches + QUEUES * assumed.pollers * seconds,
        "lambda_request": sum(requests.values()) + 2 * minutes + events + heard,
        "lambda_gb_second": assumed.call_seconds
        * (sum(asked[f] * gb for f, gb in zip(FUNCTIONS, memory, strict=True)) + minutes * assumed.looks * of_schedule)
        + events * assumed.event_seconds * of_events
        + (heard + minutes + mails * assumed.notice_calls) * assumed.call_seconds * of_notices
        + mails * assumed.notice_seconds * of_notices,
        "emr_vcpu_hour": batches * billed * vcpu(workers) / 3600,
        "emr_gb_hour": batches * billed * memory_gb(workers) / 3600,
        "service_event": drops + batches,
        "custom_event": events,
        "pipe_request": events,
        "archive_gb": events * assumed.event_bytes / GB,
        "archive_gb_month": events * assumed.event_bytes / GB * assumed.event_days / MONTH_DAYS,
        "log_gb": (sum(requests.values()) + minutes) * assumed.log_bytes / GB,
        "metric_month": sum(assumed.metrics[: 1 + (load.drops > 0) + (load.mailed > 0)]),
        "alarm_month": assumed.alarms,
        "dashboard_month": 1,
        "key_month": 1,
        "key_request": (s3_writes + s3_reads) * assumed.key_share + batches * assumed.key_run,
        # X-Ray's default rule: the first request of a second, and a twentieth of the others.
        "trace": sum(
            min(n, seconds) + max(0.0, n - seconds) / 20 for n in (*requests.values(), minutes, minutes, events, heard)
        ),
        "mail": mails,
    }


def _stored(load: Load, batches: float, drops: float, requests: float, assumed: Assumed) -> float:
    """Return the stored bytes, each for a month: staged files, remains of drops, former versions, access logs."""
    staged = load.size * (assumed.work_days + assumed.recovery_days) / MONTH_DAYS
    of_job, of_drop, of_spoilt = assumed.former_bytes
    laid = load.size * {"object": 0.0, "rows": load.rejected, "table": 1.0}[load.promote]  # and renamed by Spark
    former = batches * of_job + drops * (of_drop + load.rejected * of_spoilt + laid)
    logged = requests * assumed.access_bytes
    kept = former * assumed.former_days + logged * assumed.access_days
    return drops * (staged + assumed.kept_bytes) + kept / MONTH_DAYS


def _calls(drops: float, load: Load) -> dict[tuple[str, str], float]:
    """Return the calls of an average batch, interpolated between whole numbers of drops."""
    below, above = (of_batch(n, load.promote) for n in (int(drops), ceil(drops)))
    rejected, part = of_batch(1, load.promote, 1) - of_batch(1, load.promote), drops - int(drops)
    commits = drops / CHECKPOINT if load.promote == "table" else 0
    return {
        key: below[key] * (1 - part)
        + above[key] * part
        + rejected[key] * load.rejected * drops
        + COMMITS[key] * commits
        for key in {**above, **COMMITS}
    }


def _of_rows(load: Load, batches: float, drops: float, assumed: Assumed) -> tuple[float, float]:
    """Return Spark's additional writes and reads for rejected rows and promoted valid rows."""
    spoilt = drops * load.rejected
    each = [(assumed.spark_rejected, min(batches, spoilt), spoilt)]
    each += [(assumed.spark_rows, min(batches, spoilt), spoilt)] if load.promote == "rows" else []
    each += [(assumed.spark_tables, batches, drops)] if load.promote == "table" else []
    return tuple(sum(c[n] * jobs + c[n + 1] * of for c, jobs, of in each) for n in (0, 2))  # type: ignore[return-value]


def bill(load: Load, assumed: Assumed = ASSUMED, each: float | None = None) -> Bill:
    """Return the cost of a load in a month; `each` is the number of drops in a batch, if it is known better."""
    lines = _lines(usage(load, assumed, each))
    each = each or batch_drops(load)
    return Bill(load, each, load.drops / each, lines)


def _lines(used: Mapping[str, float]) -> tuple[CostLine, ...]:
    """Return the lines of a bill for the units of each price."""
    lines = []
    for name, quantity in used.items():
        price = prices()[name]
        dollars = quantity * price["usd"] / price["per"]
        lines.append(CostLine(price["service"], name, price["unit"], quantity, dollars))
    return tuple(lines)


def lane_bill(load: Load, assumed: Assumed = ASSUMED) -> Bill:
    """Return the cost of a load whose drops are all judged by the fast lane: no Spark, and a batch for each."""
    alone = usage(load, replace(assumed, spark_reads=(0, 0), spark_writes=(0, 0), key_run=0), 1)
    seconds = alone["lambda_gb_second"] + load.drops * MONTH_DAYS * assumed.lane_gb_seconds
    used = alone | {"emr_vcpu_hour": 0.0, "emr_gb_hour": 0.0, "lambda_gb_second": seconds}
    return Bill(load, 1, load.drops, _lines(used))


def idle(assumed: Assumed = ASSUMED) -> Bill:
    """Return the cost of a month without drops."""
    return bill(Load(drops=0, size=0), assumed)


SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1024, "MIB": MIB, "GIB": GIB}


def size_of(text: str) -> int:
    """Return the bytes of a size like `200MiB`, `100KB` or `512`; raise ValueError if it is not a size."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in SIZES:
        raise ValueError(f"{text!r} is not a size; write it like 100KB, 200MiB or 1.5GiB")
    return int(float(match[1]) * SIZES[match[2].upper()])
