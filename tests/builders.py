"""Values for tests with sensible defaults, and a world in memory in which drops take their way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, get_args
from zoneinfo import ZoneInfo

from contracts import codec, rules
from contracts.authoring.compiler.lint import index_of
from contracts.catalog import Pointer
from contracts.errors import DropgateError
from contracts.files.header import rejected_file, valid_file
from contracts.job import Count, DataFile, DataFiles, DropResult, JobDrop, JobHeader, JobRequest, JobResult
from contracts.plan import RECORD_CHECKS, Check, Csv, Filter, Plan, Property, Threshold
from contracts.terms.arrival import Arrival
from contracts.terms.history import Relative
from contracts.terms.notices import Routes
from contracts.watermarks import HighMark
from functions import keys
from functions.catalog import Published
from functions.drop import Created, Drop, Location
from functions.flow.batching import batch_due
from functions.flow.finalize import job_ended
from functions.flow.ingest import ingest
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.jobs import RunStatus
from functions.ports.store import ObjectStore
from functions.schedule.reconcile import reconcile
from tests.fakes import MemoryDelays, MemoryJobs, MemoryLedger, MemoryStore, MemoryTables, TestClock

ZONES = Zones(
    landing="s3://landing/",
    stage="s3://internal/stage/",
    held="s3://internal/held/",
    promoted="s3://promoted/",
    evidence="s3://internal/evidence/",
    results="s3://internal/results/",
    reports="s3://internal/reports/",
    catalog="s3://internal/catalog/",
    jobs="s3://internal/jobs/",
)


def a_plan(
    contract: str = "orders.v1",
    files: Iterable[str] = ("orders/*.csv",),
    names: Iterable[str] = ("id", "note"),
    **changes: Any,
) -> Plan:
    """A plan whose first property is required, the others are text."""
    properties = tuple(Property(n, "string", required=not at) for at, n in enumerate(names))
    required = Check(
        f"{properties[0].name}.required",
        rules.Required(),
        "row",
        "error",
        "completeness",
        "a value",
        properties[0].name,
    )
    defaults: dict[str, Any] = {
        "contract": contract,
        "id": contract.rpartition(".")[0],
        "version": "1.0.0",
        "object": "orders",
        "producer": "shop",
        "files": tuple(files),
        "properties": properties,
        "checks": (*RECORD_CHECKS, required),
        "csv": Csv(),
    }
    return Plan(**(defaults | changes))


def kinds_of(union: Any) -> tuple[str, ...]:
    """Return the kinds of the rules of a union, in their order."""
    return tuple(rule.kind for rule in get_args(union))


def arguments_of(check: Check) -> dict[str, Any]:
    """Return the arguments of a check as plans have them in JSON."""
    arguments: dict[str, Any] = codec.encode(check)["arguments"]
    return arguments


def a_marked_plan(**changes: Any) -> Plan:
    """A plan with a check that reads only records whose `n` is above its high mark."""
    plan = a_plan(properties=(Property("id", "string"), Property("n", "integer")), **changes)
    only = Filter("true", "", (), "n")
    new = Check("new", rules.Required(), "row", "error", "completeness", "a value", "id", filter=only)
    return replace(plan, checks=(*RECORD_CHECKS, new))


def a_relative_plan(last: int = 3, *, weekday: bool = False, **changes: Any) -> Plan:
    """A plan with a number of records within 50 % of the median of the last files."""
    relative = Relative("median", last, last, weekday=weekday)
    threshold = Threshold("mustBeBetween", (Decimal(-50), Decimal(50)), relative=relative)
    volume = Check("volume", rules.RowCount(), "set", "error", "coverage", "as many as before", threshold=threshold)
    plan = a_plan(**changes)
    return replace(plan, checks=(*plan.checks, volume))


def a_window(name: str, minutes: int) -> Plan:
    """A contract whose window of files ends so many minutes from now on, in a zone where it is about noon."""
    now = datetime.now(UTC)
    zone = noon_zone(now)
    by = f"{(now + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone)):%H:%M}"
    return a_plan(f"{name}.v1", (f"{name}/*.csv",), arrival=Arrival(by, zone=zone))


def noon_zone(now: datetime) -> str:
    """Return a zone in which it is about noon."""
    west = (now.hour - 12) % 24
    return f"Etc/GMT+{west}" if west <= 12 else f"Etc/GMT-{24 - west}"


def a_drop(**changes: Any) -> Drop:
    """A drop that has just been received and matched."""
    at = "2026-01-31T12:00:00.000000Z"
    defaults: dict[str, Any] = {
        "id": "d" * 32,
        "bucket": "landing",
        "key": "orders/1.csv",
        "name": "orders/1.csv",
        "version_id": "v1",
        "etag": "e",
        "size": 6,
        "sequencer": "01",
        "received_at": at,
        "changed_at": at,
        "source": Location("s3://landing/orders/1.csv", "v1"),
        "contract": "orders.v1",
        "plan": "p" * 64,
        "producer": "shop",
    }
    return Drop(**(defaults | changes))


NOON = "2026-01-31T12:00:00.000000Z"


def publish(
    store: ObjectStore, catalog: str, plans: Iterable[Plan], at: str = NOON, routes: Routes | None = None
) -> None:
    """Put plans, index, routes if there are any, and a pointer of some time into the catalog zone."""
    every = tuple(plans)
    index = index_of(every)
    for plan in every:
        store.put(f"{catalog}plans/{plan.sha}.json", codec.canonical(plan).encode(), "application/json")
    store.put(f"{catalog}index/{codec.sha256(index)}.json", codec.canonical(index).encode(), "application/json")
    pointer = Pointer(codec.sha256(index), at, routes=codec.sha256(routes) if routes else None)
    if routes:
        store.put(f"{catalog}routes/{pointer.routes}.json", codec.canonical(routes).encode(), "application/json")
    store.put(f"{catalog}current.json", codec.canonical(pointer).encode(), "application/json")


REJECTED = b"_record,_reasons,id\n1,order_id.required,\n"
"""What a job leaves of every drop with rejected rows."""


def valid_rows(drop: str) -> bytes:
    """Return the valid rows that a job leaves of a drop with some rejected rows."""
    return f"id,note\n1,{drop}\n".encode()


Judge = Callable[[Plan, JobDrop], DropResult | None]
"""What a job says of one drop; None where it leaves it out."""


def all_good(plan: Plan, drop: JobDrop) -> DropResult:
    """Three records, none wrong."""
    return DropResult(drop.id, drop.attempt, 3, 3, 0, counts=tuple(Count(3) for _ in plan.checks), notes=drop.notes)


def one_bad(plan: Plan, drop: JobDrop) -> DropResult:
    """Three records, one fails the last check."""
    last = len(plan.checks) - 1
    counts = (*(Count(3) for _ in range(last)), Count(3, failed=1))
    return DropResult(drop.id, drop.attempt, 3, 2, 1, counts=counts, masks=((f"{1 << last:x}", 1),))


def reaching(plan: Plan, drop: JobDrop) -> DropResult:
    """Return a job's result of `orders/<n>.csv` or `orders/bad-<n>.csv`: its records reach as far as that number."""
    facts = (one_bad if "bad" in drop.name else all_good)(plan, drop)
    far = re.sub("[^0-9]", "", drop.name)
    return replace(facts, marks=(HighMark("n", "integer", Decimal(far)),))


def answer(request: JobRequest, judge: Judge = all_good) -> JobResult:
    """The result document of a request."""
    header = JobHeader(
        request.batch,
        request.try_,
        request.plan.sha,
        tuple(c.id for c in request.plan.checks),
        request.requested_at,
        request.requested_at,
    )
    return JobResult(header, tuple(r for d in request.drops if (r := judge(request.plan, d))))


@dataclass
class World:
    """Everything in memory; a test delivers the events, and messages that fail again."""

    plans: tuple[Plan, ...]
    store: MemoryStore = field(default_factory=MemoryStore)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    tables: MemoryTables = field(default_factory=MemoryTables)
    jobs: MemoryJobs = field(default_factory=MemoryJobs)
    delays: MemoryDelays = field(default_factory=MemoryDelays)
    clock: TestClock = field(default_factory=TestClock)
    events: list[Created] = field(default_factory=list)
    delivered: list[Created] = field(default_factory=list)
    versions: int = 0
    kills: Callable[[JobDrop], bool] = field(default=lambda _: False)
    """Whether a job dies of a drop."""

    def __post_init__(self) -> None:
        self.publish(self.plans)
        self.ports = Ports(
            ZONES,
            self.store,
            self.ledger,
            self.jobs,
            self.delays,
            self.clock,
            Published(self.store, ZONES.catalog),
            self.tables,
        )

    def publish(self, plans: Iterable[Plan]) -> None:
        """Put contracts into force."""
        publish(self.store, ZONES.catalog, plans)

    def upload(self, name: str, body: bytes) -> str:
        """Upload a file; the id of its drop."""
        self.versions += 1
        at = Location(f"{ZONES.landing}{name}", f"v{self.versions}")
        now = self.ports.at()
        self.store.upload(at, body, now)
        event = Created("landing", name, f"v{self.versions}", "e", len(body), f"{self.versions:04X}".rstrip("0"), now)
        self.events.append(event)
        return keys.drop_id("landing", name, event.version_id)

    def deliver_events(self, *, again: bool = False) -> dict[str, Drop]:
        """Deliver S3's events, or all of them once more; return the drops as they are then."""
        for event in (*(self.delivered if again else ()), *self.events):
            ingest(self.ports, event)
        self.delivered += self.events
        self.events.clear()
        return self.drops()

    def deliver_windows(self) -> None:
        """Deliver the messages of windows that are due."""
        sent, self.delays.sent = self.delays.sent, []
        for window, _ in sent:
            batch_due(self.ports, window)

    def end_jobs(self, judge: Judge = all_good) -> list[str]:
        """Let every working job end, with its results or killed by a drop; return the runs that ended."""
        runs = self.jobs.working()
        for run in runs:
            self.end_job(run, judge)
        return runs

    def end_job(self, run: str, judge: Judge = all_good) -> None:
        """Let one job end well, unless one of its drops kills it."""
        request = JobRequest.loads(self.store.get(self.jobs.requests[run]))
        if any(map(self.kills, request.drops)):
            self.store.put(f"{request.evidence_rows}part-0", b"half", "application/octet-stream")
            self.jobs.ended[run] = RunStatus("failed", "out of memory")
            return
        result = answer(request, judge)
        by_drop = {facts.drop: facts for facts in result.drops}
        for drop in request.drops:
            if drop.id in by_drop and by_drop[drop.id].rejected:
                self.store.put(f"{drop.rejected}{rejected_file(request.plan)}", REJECTED, "text/csv")
            if (
                request.plan.promote == "rows"
                and drop.id in by_drop
                and not request.plan.goes_whole(by_drop[drop.id].rejected)
            ):
                self.store.put(f"{drop.valid}{valid_file(request.plan)}", valid_rows(drop.id), "text/csv")
            if request.plan.promote == "table" and drop.id in by_drop:
                self.lay_down(drop, by_drop[drop.id].valid)
        self.store.put(request.result, result.dumps().encode(), "application/json")
        self.jobs.ended[run] = RunStatus("success")

    def lay_down(self, drop: JobDrop, rows: int) -> None:
        """Do what a job does for a table: write two files of so many rows in all, and their list."""
        files = (DataFile("0.parquet", 4, 1), DataFile("1.parquet", 4, rows - 1))
        for one in files:
            self.store.put(f"{drop.valid}{one.name}", b"PAR1", "application/octet-stream")
        listed = DataFiles(drop.id, drop.attempt, files).dumps().encode()
        self.store.put(f"{drop.valid}files.json", listed, "application/json")

    def crash_jobs(self) -> list[str]:
        """Let every working job crash."""
        runs = self.jobs.working()
        self.jobs.ended |= {run: RunStatus("failed", "out of memory") for run in runs}
        return runs

    def deliver_jobs(self, runs: Iterable[str] | None = None) -> None:
        """Deliver the events of runs that have ended."""
        for run in list(self.jobs.ended) if runs is None else runs:
            job_ended(self.ports, run)

    def reconcile(self) -> None:
        """Let two minutes pass and the schedule come."""
        self.clock.pass_seconds(120)
        reconcile(self.ports)

    def finish(self, judge: Judge = all_good, rounds: int = 8) -> dict[str, Drop]:
        """Deliver everything, again and again as the queues and the schedule do; the drops at the end."""
        for _ in range(rounds):
            for step in (self.deliver_events, self.deliver_windows, lambda: self.end_jobs(judge), self.deliver_jobs):
                try:
                    step()
                except DropgateError:
                    continue
            self.reconcile()
        return self.drops()

    def request(self) -> JobRequest:
        """The request of the newest run."""
        return JobRequest.loads(self.store.get(list(self.jobs.requests.values())[-1]))

    def drops(self) -> dict[str, Drop]:
        """Every drop by its id."""
        return dict(self.ledger._drops)

    def drop(self, drop_id: str) -> Drop:
        """Return a drop that has a record."""
        drop = self.ledger.drop(drop_id)
        assert drop, drop_id
        return drop

    def states(self, drop_id: str) -> list[str]:
        """The states that a drop has gone through."""
        return [step.state for step in self.ledger.history(drop_id)]

    def with_ports(self, wrap: Callable[[Any], Any]) -> None:
        """Put something between the use cases and every port."""
        self.ports = replace(
            self.ports,
            store=wrap(self.store),
            ledger=wrap(self.ledger),
            tables=wrap(self.tables),
            jobs=wrap(self.jobs),
            delays=wrap(self.delays),
        )


def a_world(contracts: Iterable[Plan] = ()) -> World:
    """A world in which these contracts are in force, or one for orders."""
    return World(tuple(contracts) or (a_plan(),))
