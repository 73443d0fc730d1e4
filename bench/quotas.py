"""`python -m bench.quotas`: a day of drops through the real batching code, on a virtual clock, within AWS's quotas.

In: drops, contracts, how they arrive. Out: how long drops wait, how many batches and jobs there are, whether a quota is
broken, how often a batch finds no slot, and the cost; `--page` writes the table of docs/explanation/cost.md.
The ledger is in memory, EMR Serverless is a queue with the quotas of its user guide ("Endpoints and quotas"); how long
a job takes is `functions.costs.cost`'s model. Batching and reconciler are those that are deployed.
"""

from __future__ import annotations

import argparse
import heapq
import random
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from math import ceil
from typing import Any

from bench.cost_page import table, write
from contracts.errors import DropgateError, ServiceUnavailable, StaleWrite
from contracts.plan import RECORD_CHECKS, Csv, Plan, Property
from functions.aws.delta import DeltaTables
from functions.aws.emr_serverless import workers_for
from functions.costs.calls import CALLS, ENDED
from functions.costs.cost import ASSUMED, DAY, MONTH_DAYS, Assumed, Bill, Load, bill, job_seconds, vcpu
from functions.drop import Drop, Location, Transition
from functions.flow.batching import batch_due
from functions.flow.windows import open_window
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.batches import Batch, VersionCheck, Window
from functions.ports.clock import stamp
from functions.ports.jobs import Reach, RunStatus
from functions.ports.ledger import InFlight
from functions.ports.store import ListingCursor, ListingPage
from functions.schedule.reconcile import reconcile

STARTS_A_SECOND, BURST = 1, 25
VCPU, MOST_RUNS, MOST_QUEUED, QUEUE_SECONDS = 16, 15, 2000, 360 * 60
"""Default quotas: StartJobRun, vCPU of an account, and (template.yaml) runs at once, and how long one may queue."""
PATIENCE, MINUTE, AGAIN = 60, 60, 360
"""Seconds: the reconciler's patience and rate, and the visibility timeout of BatchDueQueue."""
LATENCY = 0.5
"""The minimum time of a message in seconds, an assumption; the clock stops while a function works."""
MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
HEADER = "id,note"
PATTERNS = ("even", "hourly", "daily")
ZONES = Zones(**{name: f"s3://{name}/" for name in Zones.__slots__})


class VirtualClock:
    """A clock at the simulation's current time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        """Return the virtual time."""
        return MIDNIGHT + timedelta(seconds=self.seconds)


class Records:
    """The part of the ledger that batching and reconciler use; settled drops are deleted."""

    def __init__(self) -> None:
        self.staged: dict[str, dict[str, Drop]] = {}
        self.joined: dict[str, Drop] = {}
        self.plans: dict[str, str] = {}
        self.windows: dict[str, Window] = {}
        self.batches: dict[str, Batch] = {}
        self.runs: dict[str, str] = {}
        self.slots: set[int | None] = set()

    def drops(self, drop_ids: Sequence[str]) -> tuple[Drop, ...]:
        """Many drops."""
        drops = (self.joined.get(i) or self.staged[self.plans[i]].get(i) for i in drop_ids)
        return tuple(d for d in drops if d)

    def stage(self, drop: Drop) -> None:
        """Take a drop that is staged."""
        plan = self.plans[drop.id] = drop.plan or ""
        self.staged.setdefault(plan, {})[drop.id] = drop

    def write(self, moves: Sequence[Transition], *beside: Batch | VersionCheck) -> None:
        """Bring staged drops into a batch; nobody else moves one."""
        batches = [one for one in beside if isinstance(one, Batch)]
        if any(batch.id in self.batches or batch.slot in self.slots for batch in batches):
            raise StaleWrite("the slot is taken")
        for move in moves:
            self.staged.get(move.before.plan or "", {}).pop(move.drop.id, None)
            self.joined[move.drop.id] = move.drop
        for batch in batches:
            self.batches[batch.id] = replace(batch, version=batch.version + 1)
            self.slots.add(batch.slot)

    def open_window(self, window: Window) -> bool:
        """Open a plan's window."""
        return self.windows.setdefault(window.plan, window) is window

    def window(self, plan: str, *, trial: bool = False) -> Window | None:
        """A plan's open window; trials have none."""
        return None if trial else self.windows.get(plan)

    def close_window(self, window: Window) -> None:
        """Close that very window."""
        there = self.windows.get(window.plan)
        if there and there.opened_at == window.opened_at:
            del self.windows[window.plan]

    def postpone(self, window: Window, due_at: str) -> bool:
        """Move the due time of that very window."""
        same = self.windows.get(window.plan) == window
        if same:
            self.windows[window.plan] = replace(window, due_at=due_at)
        return same

    def pending(self, plan: str, most: int = 1000, *, trial: bool = False) -> tuple[Drop, ...]:
        """Return the waiting drops, oldest first, in the order in which they were staged; none of them is a trial."""
        if trial:
            return ()
        return tuple(islice(self.staged.get(plan, {}).values(), most))

    def open_batch(self, batch: Batch) -> bool:
        """Record a batch."""
        if batch.id in self.batches or batch.slot in self.slots:
            return False
        self.batches[batch.id] = batch
        self.slots.add(batch.slot)
        return True

    def taken_slots(self) -> Mapping[int, str]:
        """The slots that are taken, all of one producer."""
        return {s: "p" for s in self.slots if s is not None}

    def pauses(self) -> tuple[()]:
        """Return the pauses: none."""
        return ()

    def batch(self, batch_id: str) -> Batch | None:
        """A batch."""
        return self.batches.get(batch_id)

    def batch_of(self, run: str) -> tuple[Batch, tuple[Drop, ...]] | None:
        """The batch of a run."""
        batch = self.batches.get(self.runs.get(run, ""))
        return (batch, ()) if batch else None

    def write_batch(self, before: Batch, after: Batch) -> None:
        """Write a batch."""
        self.batches[before.id] = replace(after, version=before.version + 1)
        if after.run:
            self.runs[after.run] = after.id

    def sweep(self) -> None:
        """Return no start for the next listing of landing: nothing is there."""

    def in_flight(self, before: str, most: int = 1000) -> InFlight:
        """Return the open work that the reconciler would find."""
        batches = sorted((b for b in self.batches.values() if b.changed_at < before), key=lambda b: b.changed_at)
        late = (next(iter(waiting.values())) for waiting in self.staged.values() if waiting)
        waiting = tuple(d for d in late if d.changed_at < before)
        windows = sorted((w for w in self.windows.values() if w.due_at < before), key=lambda w: w.due_at)
        return InFlight((), tuple(batches[:most]), tuple(windows[:most]), waiting)


@dataclass(frozen=True, slots=True)
class Run:
    """A job run: when it was asked for, what it needs."""

    id: str
    asked: float
    vcpu: int
    seconds: float


@dataclass
class Serverless:
    """EMR Serverless with its quotas; `begin` is called for a run that gets its workers."""

    clock: VirtualClock
    assumed: Assumed
    size_of_batch: Callable[[str], tuple[int, int]]
    begin: Callable[[Run], None] = print
    allowance: float = BURST
    allowed_at: float = 0.0
    tokens: dict[str, str] = field(default_factory=dict)
    queue: deque[Run] = field(default_factory=deque)
    working: dict[str, Run] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def start(self, token: str, request: str, size: int, reach: Reach) -> str:  # noqa: ARG002 (as the port has it)
        """StartJobRun: refused above the rate, or with the queue full."""
        now = self.clock.seconds
        self.allowance = min(BURST, self.allowance + (now - self.allowed_at) * STARTS_A_SECOND)
        self.allowed_at = now
        if token in self.tokens:
            return self.tokens[token]
        if self.allowance < 1 or len(self.queue) >= MOST_QUEUED:
            self.seen["refused"] += 1
            raise ServiceUnavailable("ThrottlingException")
        self.allowance -= 1
        total, drops = self.size_of_batch(request)
        seconds = self.assumed.job_wait + job_seconds(total, drops, self.assumed)
        run = Run(f"run-{len(self.tokens)}", now, vcpu(workers_for(size)), seconds)
        self.tokens[token] = run.id
        self.queue.append(run)
        self.assign()
        return run.id

    def assign(self) -> None:
        """Give free workers to waiting runs, in the order of their requests."""
        while self.queue and len(self.working) < MOST_RUNS:
            if VCPU - sum(r.vcpu for r in self.working.values()) < self.queue[0].vcpu:
                break
            run = self.queue.popleft()
            if self.clock.seconds - run.asked > QUEUE_SECONDS:
                self.seen["timed out in the queue"] += 1
            self.working[run.id] = run
            self.begin(run)
        self.seen["most at once"] = max(self.seen["most at once"], len(self.working))
        self.seen["most queued"] = max(self.seen["most queued"], len(self.queue))

    def find(self, token: str, since: datetime) -> str | None:  # noqa: ARG002
        """The run of a token."""
        return self.tokens.get(token)

    def status(self, run: str) -> RunStatus:  # noqa: ARG002
        """Return the state of a run that works: every ended run sends its event."""
        return RunStatus("working")


class Documents:
    """Takes request documents, and keeps none."""

    def put(self, uri: str, body: bytes, content_type: str) -> None:
        """Take a document."""

    def versions(self, folder: str, after: ListingCursor | None, most: int) -> ListingPage:  # noqa: ARG002
        """Return nothing: every event arrives here."""
        return ListingPage(())


@dataclass(frozen=True, slots=True)
class Plans:
    """The catalog: one plan for each contract."""

    plans: dict[str, Plan]
    pointer: None = None

    def plan(self, sha: str) -> Plan:
        """The plan of that hash."""
        return self.plans[sha]

    def index_if_any(self) -> None:
        """Return no index: no contract has an arrival window, so the schedule has no missing files to find."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A day to simulate, or its first hours; `wait` is from StartJobRun to the workers, in seconds."""

    load: Load
    pattern: str
    wait: float = ASSUMED.job_wait
    hours: float = 24


@dataclass(frozen=True, slots=True)
class SimulatedDay:
    """The result of a simulated day."""

    load: Load
    pattern: str
    waits: tuple[float, ...]
    left: int
    batches: int
    hours: float
    seen: Counter[str]

    @property
    def bill(self) -> Bill:
        """Return the cost of a month of such days."""
        return bill(self.load, each=len(self.waits) / max(self.batches, 1))


class Simulation:
    """Events in the order of their time, from the first drop to the last."""

    def __init__(self, load: Load, pattern: str, assumed: Assumed = ASSUMED, hours: float = 24) -> None:
        self.load, self.pattern, self.assumed = load, pattern, assumed
        self.drops = ceil(load.drops * hours / 24)
        self.clock, self.ledger = VirtualClock(), Records()
        self.jobs = Serverless(self.clock, assumed, self._sizes, self._begin)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._arrived: dict[str, float] = {}
        self._waits: list[float] = []
        self._settling = assumed.call_seconds * sum(c.further for c in CALLS if c.function == ENDED)
        self._ended = 0
        plans = [_plan(n) for n in range(load.contracts)]
        catalog: Any = Plans({p.sha: p for p in plans})
        self._shas = [p.sha for p in plans]
        store: Any = Documents()
        ledger: Any = self.ledger
        self.ports = Ports(
            ZONES,
            store,
            ledger,
            self.jobs,
            self,
            self.clock,
            catalog,
            DeltaTables(dict),
            load.window,
            PATIENCE,
            load.most,
        )

    def run(self, most_days: float = 4) -> SimulatedDay:
        """Let the day pass, and as much more as the last drop needs; `left` are those that still wait in the end."""
        random.seed(0)  # which slots are asked for: the same day again
        self._at(MINUTE, self._reconcile)
        arrivals = self._arrivals()
        self._next_arrival(arrivals)
        while self._events and self.clock.seconds < most_days * DAY:
            self.clock.seconds, _, act = heapq.heappop(self._events)
            act()
        left = len(self._arrived)
        hours = self.clock.seconds / 3600
        return SimulatedDay(
            self.load, self.pattern, tuple(sorted(self._waits)), left, self._ended, hours, self.jobs.seen
        )

    def send(self, window: Window, seconds: int) -> None:
        """Deliver the message of a window later, and once more if it fails."""
        self._at(max(seconds, LATENCY), lambda: self._due(window))

    def _due(self, window: Window) -> None:
        try:
            started = batch_due(self.ports, window)
        except DropgateError:
            self._at(AGAIN, lambda: self._due(window))
        else:
            self.jobs.seen["in vain"] += started is None and bool(self.ledger.staged.get(window.plan))

    def _at(self, seconds: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.clock.seconds + seconds, next(self._order), act))

    def _arrivals(self) -> Iterator[float]:
        times = {"even": self.load.drops, "hourly": 24, "daily": 1}[self.pattern]
        return (nth * times // self.load.drops * (DAY / times) for nth in range(self.drops))

    def _next_arrival(self, arrivals: Iterator[float]) -> None:
        moment = next(arrivals, None)
        if moment is not None:
            self._at(moment - self.clock.seconds, lambda: self._arrive(arrivals))

    def _arrive(self, arrivals: Iterator[float]) -> None:
        nth = len(self._arrived) + len(self._waits)
        plan, at = self._shas[nth % len(self._shas)], stamp(self.clock.now())
        drop = _drop(f"{nth:032}", plan, self.load.size, at)
        self._arrived[drop.id] = self.clock.seconds
        self.ledger.stage(drop)
        open_window(self.ports, plan, self.load.window)
        self._next_arrival(arrivals)

    def _sizes(self, request: str) -> tuple[int, int]:
        batch = self.ledger.batches[request.removeprefix(ZONES.jobs).partition("/")[0]]
        return batch.size, len(batch.members)

    def _begin(self, run: Run) -> None:
        self._at(run.seconds, lambda: self._end(run))

    def _end(self, run: Run) -> None:
        del self.jobs.working[run.id]
        batch = self.ledger.batches[self.ledger.runs[run.id]]
        self._at(len(batch.members) * self._settling, lambda: self._settled(run))
        self.jobs.assign()

    def _settled(self, run: Run) -> None:
        """A batch has ended: its members were settled one after the other, and then its slot is free."""
        batch = self.ledger.batches.pop(self.ledger.runs.pop(run.id))
        self._ended += 1
        self.ledger.slots.discard(batch.slot)
        for left, member in enumerate(reversed(batch.members)):
            del self.ledger.plans[member]
            if self.ledger.joined.pop(member, None):
                self._waits.append(self.clock.seconds - left * self._settling - self._arrived.pop(member))

    def _reconcile(self) -> None:
        reconcile(self.ports)
        if self._arrived or len(self._waits) < self.drops:
            self._at(MINUTE, self._reconcile)


def _plan(nth: int) -> Plan:
    contract = f"c{nth}.v1"
    properties = tuple(Property(name, "string") for name in HEADER.split(","))
    return Plan(
        contract=contract,
        id=contract[:-3],
        version="1.0.0",
        object="o",
        producer="p",
        files=(f"c{nth}/*.csv",),
        properties=properties,
        checks=RECORD_CHECKS,
        csv=Csv(),
    )


def _drop(drop_id: str, plan: str, size: int, at: str) -> Drop:
    name = f"{drop_id}.csv"
    source = Location(f"s3://stage/{drop_id}")
    return Drop(
        drop_id, "landing", name, name, "v", "e", size, "0", at, at, source,
        state="staged", plan=plan, header_line=HEADER, staged_at=at,
    )  # fmt: skip


HEAD = (
    "drops", "contracts", "arrive", "start, s", "batches", "drops a batch", "median wait, min", "99 %", "longest",
    "jobs at once", "queued", "timed out", "in vain", "left", "dollars a day",
)  # fmt: skip

MILLION = Load(1_000_000, 20_000)
SHORT = Scenario(replace(MILLION, drops=10_000, contracts=40), "hourly")
"""The row that a test computes again; it has more contracts than concurrent batches, so that some wait in line."""
ROWS = (
    SHORT,
    *(Scenario(replace(MILLION, contracts=n), "even") for n in (1, 20, 200)),
)
"""The rows of docs/explanation/cost.md."""


def cells_of(row: Scenario) -> tuple[str, ...]:
    """Return the result of a row's day as the cells of a page."""
    day = Simulation(row.load, row.pattern, Assumed(job_wait=row.wait), row.hours).run()
    load, waits = day.load, day.waits
    middle, late = (waits[int(len(waits) * q)] / 60 for q in (0.5, 0.99)) if waits else (0.0, 0.0)
    return (
        f"{len(waits) + day.left:,}", f"{load.contracts}", day.pattern, f"{row.wait:.0f}", f"{day.batches:,}",
        f"{len(waits) / max(day.batches, 1):.0f}", f"{middle:.0f}", f"{late:.0f}",
        f"{max(waits, default=0) / 60:.0f}", f"{day.seen['most at once']}", f"{day.seen['most queued']}",
        f"{day.seen['timed out in the queue']}", f"{day.seen['in vain']:,}", f"{day.left:,}",
        f"{day.bill.dollars / MONTH_DAYS:,.0f}",
    )  # fmt: skip


def main(arguments: list[str]) -> int:
    """Simulate the requested days; print a row for each, or write those of docs/explanation/cost.md."""
    parser = argparse.ArgumentParser(prog="python -m bench.quotas", description=__doc__.partition("\n")[0])
    parser.add_argument("--drops", type=int, default=MILLION.drops)
    parser.add_argument("--size", type=int, default=MILLION.size, help="bytes of a drop")
    parser.add_argument("--contracts", type=int, nargs="+", default=[1, 20, 200])
    parser.add_argument("--window", type=int, default=MILLION.window)
    parser.add_argument("--wait", type=float, default=ASSUMED.job_wait, help="seconds from StartJobRun to workers")
    parser.add_argument(
        "--hours", type=float, default=24, help="stop sending after so many; dollars are of the full day"
    )
    parser.add_argument("--arrive", nargs="+", choices=PATTERNS, default=list(PATTERNS))
    parser.add_argument(
        "--page", action="store_true", help="write the table of docs/explanation/cost.md; the others count for nothing"
    )
    asked = parser.parse_args(arguments)
    rows: Sequence[Scenario] = (
        ROWS
        if asked.page
        else [
            Scenario(Load(asked.drops, asked.size, contracts, asked.window), pattern, asked.wait, asked.hours)
            for contracts in asked.contracts
            for pattern in asked.arrive
        ]
    )
    say: Callable[[str], object] = lambda text: print(text, flush=True)  # noqa: E731, T201 (a program for the terminal)
    say(table(HEAD, []))
    cells = []
    for row in rows:
        cells.append(cells_of(row))
        say(table(cells[-1], []).splitlines()[0])
    if asked.page:
        write(table(HEAD, cells))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
