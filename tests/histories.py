"""Whatever may happen to a stack, step by step, in any order; and a model of what must have come of it in the end.

The machine plays producers, queues, EMR Serverless, the clock, people and functions that die, on any world. After each
step every promise of `tests/invariants.py` is held; when a history ends, faults stop, all that is due comes, and what
there is is held against `Model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contracts.errors import DropgateError, ServiceUnavailable
from contracts.job import DropResult, JobDrop, JobRequest, JobResult
from contracts.plan import Limit, Plan
from contracts.terms.file_sets import SetRule
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions.drop import PROMOTED, TRANSITIONS, Drop, Event, Location, is_later
from functions.flow.batching import batch_due
from functions.flow.fast_lane import judge_small, leave_to_spark
from functions.flow.finalize import job_ended
from functions.flow.ingest import ingest
from functions.flow.splitting import MOST_TRIES
from functions.keys import TRIAL, Zones
from functions.operations.override import accept, reject
from functions.operations.replay import replay
from functions.ports.jobs import RunStatus
from functions.ports.promises import Standing
from functions.schedule.reconcile import reconcile
from tests.builders import World, a_plan, all_good, answer, one_bad, valid_rows
from tests.fakes import MemoryLane
from tests.faults import NEVER, Crash, Fuse, Passing, Watched
from tests.invariants import GOOD, Seen, Watch, seen_in

BODIES = {
    "good": b"id,note\n%d,a\n",
    "bad": b"id,note\n%d,bad\n",
    "poison": b"id,note\n%d,poison\n",
    "short": b"id\n%d\n",
}
SIZE_OF_BAD, SIZE_OF_POISON = (len(BODIES[kind] % 100) for kind in ("bad", "poison"))
HOUR, TWO_HOURS, DAY, TEN_YEARS = (
    Span(Decimal(1), "h"),
    Span(Decimal(2), "h"),
    Span(Decimal(1), "d"),
    Span(Decimal(10), "y"),
)
FRESH = Promise("loadDate", "loadDate", TEN_YEARS)
"""A promise that any accepted file meets for longer than a history takes."""
HOURLY = Promise("frequency", "frequency", HOUR, period=HOUR)
PROMISES = (
    FRESH,
    HOURLY,
    Promise("latency", "latency", HOUR, period=TWO_HOURS),
    Promise("errorRate", "errorRate", percent=Decimal(10), period=HOUR),
    Promise("completeness", "completeness", percent=Decimal(90), period=TWO_HOURS),
    Promise("retention", "retention", DAY),
)
STRICT = a_plan(promises=PROMISES)
CONTRACTS: dict[str, Plan] = {
    "strict": STRICT,
    "mild": replace(
        STRICT,
        columns=replace(STRICT.columns, missing="ignore"),
        promises=(FRESH, replace(HOURLY, period=TWO_HOURS), *PROMISES[2:]),
    ),
    "narrow": replace(STRICT, files=("orders/a.csv",), promises=()),
    "rows": replace(STRICT, promote="rows", tolerance=Limit(Decimal(1), "rows")),
}
"""One contract as people change it: `mild` takes short files, `narrow` no key but one, `rows` leaves out bad rows.

Promises change with it: `mild` has one with another period under its name, `narrow` has none.
"""
ABOUT_PROMISES = ("enrolment", "standing", "promises_due")
"""Calls that only promises need."""
MARKER = "sets/{day}/_SUCCESS"
SETS = a_plan("sets.v1", ("sets/{day}/*.csv",), set=SetRule(("day",), 3600, marker=MARKER))
"""Another one, whose files wait for a marker."""
KEYS = ("orders/a.csv", "orders/b.csv", "sets/1/a.csv", "sets/1/b.csv")
JUMPS = (-30, 1, 61, 400, 1000, 5000, 40_000)
"""Seconds by which the clock goes on at once; it is set back, too."""
ROUNDS = 40
FILES = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(["good", *BODIES])), min_size=1, max_size=3)


def judge(plan: Plan, drop: JobDrop) -> DropResult:
    """Return a job's result of a drop, by the content of its file."""
    return (one_bad if drop.size == SIZE_OF_BAD else all_good)(plan, drop)


def kills(drop: JobDrop) -> bool:
    """Return True if a drop kills its job, by the content of its file."""
    return drop.size == SIZE_OF_POISON


def judge_if_sure(request: JobRequest, body: bytes) -> JobResult | None:
    """Return a job's result of a file that surely passes; None leaves it to Spark."""
    result = answer(request, all_good)
    return replace(result, header=replace(result.header, engine="function")) if body.endswith(b",a\n") else None


@dataclass
class Played(World):
    """A world in memory, with what the machine does to it and sees of it. Its fast lane is off at first."""

    version_of: dict[str, str] = field(default_factory=dict)
    lane: MemoryLane = field(default_factory=MemoryLane)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.ports = replace(self.ports, lane=self.lane)
        self.plain, self.kills = self.ports, kills

    @property
    def zones(self) -> Zones:
        """The zones."""
        return self.ports.zones

    def upload(self, name: str, body: bytes) -> str:
        drop_id = super().upload(name, body)
        self.version_of[drop_id] = self.events[-1].version_id
        return drop_id

    def with_ports(self, wrap: Callable[[Any], Any]) -> None:
        super().with_ports(wrap)
        self.ports = replace(self.ports, lane=wrap(self.lane))

    def judge_small_drops(self) -> None:
        """Deliver the messages of the fast lane, and those of its runs."""
        while self.lane.drops:
            judge_small(self.ports, self.lane.drops.pop(0), judge_if_sure)
        while self.lane.runs:
            job_ended(self.ports, self.lane.runs.pop(0), "SUCCESS")

    def end_without_result(self, run: str, how: str) -> list[str]:
        """Let a job end badly, or well with a result that is not whole; the drops that it had."""
        request = JobRequest.loads(self.store.get(self.jobs.requests[run]))
        if how == "is cut short":
            self.store.put(request.result, answer(request).dumps().encode()[:-20], "application/json")
        self.jobs.ended[run] = RunStatus("failed", "out of memory") if how == "fails" else RunStatus("success")
        return [drop.id for drop in request.drops]

    def dies(self, run: str) -> bool:
        """Return True if a job has a drop that kills it."""
        return any(map(kills, JobRequest.loads(self.store.get(self.jobs.requests[run])).drops))

    def promoted(self) -> dict[str, bytes]:
        """Return the objects of consumers, by the key below landing."""
        uris, zone = self.plain.store.listed(self.zones.promoted, 1000), self.zones.promoted
        return {uri.removeprefix(zone).partition("/")[2]: self.plain.store.get(uri) for uri in uris}

    def left(self) -> list[object]:
        """Return the items that are there only while work is under way."""
        ledger = self.ledger
        batches = [b for b in ledger._batches.values() if b.state != "ended"]
        sets = [one for one in ledger._sets.values() if one.look_at]
        return [*batches, *sets, *ledger._windows, *(one for one in ledger._lineages.values() if one.promoting)]


@dataclass
class Upload:
    """One version of a key, as its producer uploaded or deleted it.

    `deleted` is set where they removed it again, `expired` where lifecycle has removed what was staged of it.
    `fruitless` is how often a job that had it ended without a result, `decisions` how people wanted it to end.
    """

    key: str
    kind: str
    body: bytes
    deleted: bool = False
    expired: bool = False
    fruitless: int = 0
    decisions: set[str] = field(default_factory=set)


@dataclass
class Model:
    """The uploads, and the ends that they must have."""

    uploads: dict[str, Upload] = field(default_factory=dict)

    def lacks_a_marker(self) -> bool:
        """Return True if files of a set were uploaded since its last marker."""
        last = next((one for one in reversed(self.uploads.values()) if one.key.startswith("sets/")), None)
        return last is not None and last.kind != "marker"

    def fate(self, upload: Upload, plan: str | None) -> str:
        """Return the end of an upload under a contract, if nothing is in its way."""
        if upload.key.startswith(TRIAL):
            return "failed" if upload.kind == "poison" and plan else "tried"
        if plan is None:
            return "unmatched"
        if upload.kind in ("poison", "marker"):
            return "failed" if upload.kind == "poison" else "noted"
        if upload.kind == "bad" and plan == CONTRACTS["rows"].sha:
            return "accepted_with_warnings"
        mild = plan == CONTRACTS["mild"].sha
        return "accepted" if upload.kind == "good" or (upload.kind == "short" and mild) else "rejected"

    def hold(self, seen: Seen, promoted: dict[str, bytes]) -> None:
        """Hold what there is in the end against what must be."""
        for drop_id, upload in self.uploads.items():
            drop = seen.drops.get(drop_id)
            assert drop or upload.deleted, (upload, "nobody knows it")
            if drop:
                assert drop.state in self._ends(upload, drop, seen.drops), (upload, drop)
        for key in KEYS:
            mine = [d for d in seen.drops.values() if d.name == key and (d.state in GOOD or d.retracts)]
            newest = [d for d in mine if not any(is_later(other, d) for other in mine)]
            there = promoted.get(key)
            if any(map(seen.withdrawn, newest)):  # what lay there before does not come back by itself
                newest = mine
            else:
                assert (there is None) == (not mine), (key, mine)
            assert there is None or there in [body for d in newest for body in self._bodies(d)], (key, there, newest)

    def hold_promises(self, standing: Standing | None, plan: Plan, drops: Iterable[Drop]) -> None:
        """Hold how the promises of a contract stand in the end against the data that consumers have."""
        if not plan.promises:
            assert standing is None or standing.look_at is None, standing
            return
        assert standing
        assert [held.name for held in standing.promises] == [promise.name for promise in plan.promises]
        (fresh,) = (held for held in standing.promises if held.name == FRESH.name)
        own = [drop for drop in drops if drop.contract == plan.contract]
        has_data = any(drop.state in PROMOTED or drop.retracts for drop in own)
        assert fresh.state in (("met",) if has_data else ("unknown", "missed")), (standing, own)

    def _bodies(self, drop: Drop) -> list[bytes]:
        """Return what consumers may read of a drop; if it is to be retracted, the data of an earlier attempt."""
        rows, whole = valid_rows(drop.id), self.uploads[drop.id].body
        if drop.promoted is None:
            return [rows, whole]
        return [rows if drop.promoted.rows else whole]

    def _may_overtake(self, other: Drop, drop: Drop) -> bool:
        """Return True if an upload is newer by its record; or was, if its event came when it was promoted."""
        uploads = list(self.uploads)
        if other.sequencer and drop.sequencer:
            return other.sequencer.ljust(9, "0") > drop.sequencer.ljust(9, "0")
        return is_later(other, drop) or (not other.sequencer and uploads.index(other.id) > uploads.index(drop.id))

    def _ends(self, upload: Upload, drop: Drop, drops: dict[str, Drop]) -> set[str]:
        lost = {"failed"} if upload.expired else set()
        if drop.override:
            return upload.decisions | lost
        ends = {self.fate(upload, drop.plan)}
        if ends.intersection(GOOD) and any(self._may_overtake(d, drop) for d in drops.values() if d.key == drop.key):
            ends.add("superseded")
        if drop.plan == SETS.sha and upload.kind != "marker" and not drop.trial:
            marked = any(one.kind == "marker" for one in self.uploads.values())
            ends = {*(ends if marked else ()), "rejected"}
        if upload.fruitless >= MOST_TRIES:
            ends.add("failed")
        return ends | lost | ({"vanished"} if upload.deleted or upload.expired else set())


class Failing(Passing):
    """A port whose calls about promises fail while they cannot be judged."""

    def __init__(self, port: Any, machine: Histories) -> None:
        super().__init__(port)
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        if name in ABOUT_PROMISES and self._machine.are_promises_down:
            return self._fail
        return super().__getattr__(name)

    def _fail(self, *_: object) -> None:
        raise ServiceUnavailable("nobody answers about promises")


class Histories(RuleBasedStateMachine):
    """All that may happen. `make` gives the world; `steps` counts what all histories of a process have done."""

    make: ClassVar[Callable[[], Played]] = staticmethod(lambda: Played((STRICT,)))
    see: ClassVar[Callable[[Any], Seen]] = staticmethod(seen_in)
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.world = type(self).make()
        self.world.publish([STRICT, SETS])
        self.model = Model()
        self.watch = Watch(self.world, self._seen)
        self.fuse = Fuse()
        self.in_force = STRICT
        self.are_promises_down = False
        self.world.with_ports(lambda port: Watched(Failing(port, self), self.fuse))

    def _seen(self, world: Played) -> Seen:
        """Skip bytes that a producer has deleted, or that lifecycle has removed."""
        seen = type(self).see(world)
        return replace(
            seen, kept=seen.kept | {i for i, one in self.model.uploads.items() if one.deleted or one.expired}
        )

    def _do(self, act: Callable[[], object]) -> None:
        """Let a function run, which may fail or die; what it knew dies with it."""
        try:
            with suppress(DropgateError):
                act()
        except Crash:
            self.fuse.at = NEVER
            self.world.ports.seen.clear()

    @invariant()
    def look(self) -> None:
        type(self).steps += 1
        self.watch.look()

    @initialize(files=FILES)
    def begin(self, files: list[tuple[str, str]]) -> None:
        self.upload(files)

    @rule(files=FILES)
    def upload(self, files: list[tuple[str, str]]) -> None:
        for key, kind in files:
            body = BODIES[kind] % (100 + self.world.versions)
            self.model.uploads[self.world.upload(key, body)] = Upload(key, kind, body)

    @rule(files=FILES)
    def try_files(self, files: list[tuple[str, str]]) -> None:
        """Trials come in, of the same keys."""
        self.upload([(f"{TRIAL}{key}", kind) for key, kind in files])

    @precondition(lambda self: self.model.lacks_a_marker())
    @rule()
    def upload_a_marker(self) -> None:
        name = MARKER.format(day=1)
        self.model.uploads[self.world.upload(name, b"")] = Upload(name, "marker", b"")

    @precondition(lambda self: self.model.uploads)
    @rule(n=st.integers(0, 9))
    def delete(self, n: int) -> None:
        drop_id = nth(list(self.model.uploads), n)
        at = f"{self.world.zones.landing}{self.model.uploads[drop_id].key}"
        self.world.plain.store.delete(Location(at, self.world.version_of[drop_id]))
        self.model.uploads[drop_id].deleted = True

    @precondition(lambda self: self.world.drops())
    @rule(n=st.integers(0, 9))
    def expire(self, n: int) -> None:
        drop = nth([*self.world.drops().values()], n)
        if drop.source.uri.startswith(self.world.zones.stage):
            self.world.plain.store.delete(drop.source)
            self.model.uploads[drop.id].expired = True

    @precondition(lambda self: self.world.events)
    @rule(n=st.integers(0, 5))
    def deliver(self, n: int) -> None:
        event = self.world.events.pop(n % len(self.world.events))
        self.world.delivered.append(event)
        self._do(lambda: ingest(self.world.ports, event))

    @precondition(lambda self: self.world.delivered)
    @rule(n=st.integers(0, 5))
    def repeat(self, n: int) -> None:
        self._do(lambda: ingest(self.world.ports, nth(self.world.delivered, n)))

    @precondition(lambda self: self.world.events)
    @rule(n=st.integers(0, 5))
    def lose(self, n: int) -> None:
        self.world.events.pop(n % len(self.world.events))

    @precondition(lambda self: self.world.delays.sent)
    @rule(n=st.integers(0, 3), again=st.booleans())
    def window(self, n: int, again: bool) -> None:
        sent = self.world.delays.sent
        window, _ = nth(sent, n) if again else sent.pop(n % len(sent))
        self._do(lambda: batch_due(self.world.ports, window))

    @precondition(lambda self: self.world.delays.sent)
    @rule()
    def lose_windows(self) -> None:
        self.world.delays.sent.clear()

    @rule(is_on=st.booleans())
    def fast_lane_turns(self, is_on: bool) -> None:
        self.world.ports = replace(self.world.ports, lane_bytes=1000 if is_on else 0)

    @precondition(lambda self: self.world.lane.drops)
    @rule(n=st.integers(0, 3), again=st.booleans())
    def small_drop(self, n: int, again: bool) -> None:
        """The message of a small drop comes; a second time, or beside another that is under way."""
        sent = self.world.lane.drops
        drop = nth(sent, n) if again else sent.pop(n % len(sent))
        self._do(lambda: judge_small(self.world.ports, drop, judge_if_sure))

    @precondition(lambda self: self.world.lane.drops)
    @rule(n=st.integers(0, 3))
    def small_drop_fails(self, n: int) -> None:
        """The message comes after a function failed over it."""
        drop = nth(self.world.lane.drops, n)
        self._do(lambda: leave_to_spark(self.world.ports, drop))

    @precondition(lambda self: self.world.lane.runs)
    @rule(n=st.integers(0, 3), again=st.booleans())
    def small_drop_reports(self, n: int, again: bool) -> None:
        runs = self.world.lane.runs
        run = nth(runs, n) if again else runs.pop(n % len(runs))
        self._do(lambda: job_ended(self.world.ports, run, "SUCCESS"))

    @precondition(lambda self: self.world.lane.drops or self.world.lane.runs)
    @rule()
    def lose_small_drops(self) -> None:
        self.world.lane.drops.clear()
        self.world.lane.runs.clear()

    @precondition(lambda self: self.world.jobs.working())
    @rule(n=st.integers(0, 3))
    def job_succeeds(self, n: int) -> None:
        self.job_ends(nth(self.world.jobs.working(), n))

    def job_ends(self, run: str) -> None:
        if self.world.dies(run):
            self.job_fails(run, "fails")
        else:
            self.world.end_job(run, judge)

    @precondition(lambda self: self.world.jobs.working())
    @rule(n=st.integers(0, 3), how=st.sampled_from(["fails", "says nothing", "is cut short"]))
    def job_is_fruitless(self, n: int, how: str) -> None:
        self.job_fails(nth(self.world.jobs.working(), n), how)

    def job_fails(self, run: str, how: str) -> None:
        for drop in self.world.end_without_result(run, how):
            self.model.uploads[drop].fruitless += 1

    @precondition(lambda self: self.world.jobs.working())
    @rule(n=st.integers(0, 3))
    def job_fails_for_good(self, n: int) -> None:
        """Each try fails, and its event comes."""
        for _ in range(MOST_TRIES):
            if self.world.jobs.working():
                run = nth(self.world.jobs.working(), n)
                self.job_fails(run, "fails")
                self._do(partial(job_ended, self.world.ports, run))

    @precondition(lambda self: self.world.jobs.requests)
    @rule(n=st.integers(0, 5), named=st.booleans())
    def job_reports(self, n: int, named: bool) -> None:
        run = nth(list(self.world.jobs.requests), n)
        event = "SUCCESS" if named and self.world.jobs.status(run).outcome == "success" else None
        self._do(lambda: job_ended(self.world.ports, run, event))

    @rule(seconds=st.sampled_from(JUMPS))
    def clock_jumps(self, seconds: int) -> None:
        self.world.clock.pass_seconds(seconds)

    @rule()
    def schedule(self) -> None:
        self.world.clock.pass_seconds(61)
        self._do(lambda: reconcile(self.world.ports))

    @rule(n=st.integers(1, 45))
    def two_schedules(self, n: int) -> None:
        """At one of its calls another one runs from beginning to end."""
        self.world.clock.pass_seconds(61)
        other = self.world.plain
        meanwhile = Fuse(n, act=lambda: self._do(lambda: reconcile(other)))
        mine, self.world.ports = self.world.ports, other
        self.world.with_ports(lambda port: Watched(port, meanwhile))
        self._do(lambda: reconcile(self.world.ports))
        self.world.ports = mine

    @rule(name=st.sampled_from(sorted(CONTRACTS)))
    def contract_changes(self, name: str) -> None:
        self.in_force = CONTRACTS[name]
        self.world.publish([self.in_force, SETS])

    @rule(are_down=st.booleans())
    def promises_cannot_be_judged(self, are_down: bool) -> None:
        self.are_promises_down = are_down

    @precondition(lambda self: self.world.drops())
    @rule(n=st.integers(0, 9), retract=st.booleans())
    def replay(self, n: int, retract: bool) -> None:
        drop_id = self._one("replayed_to_retract" if retract else "replayed", n).id
        self._do(lambda: replay(self.world.ports, drop_id, retract=retract))

    @precondition(lambda self: self.world.drops())
    @rule(n=st.integers(0, 9))
    def accept(self, n: int) -> None:
        drop = self._one("accepted_by_person", n)
        self.model.uploads[drop.id].decisions.add("accepted_with_warnings")
        self._do(lambda: accept(self.world.ports, drop, "ann", "checked by hand"))

    @precondition(lambda self: self.world.drops())
    @rule(n=st.integers(0, 9))
    def reject(self, n: int) -> None:
        drop = self._one("rejected_by_person", n)
        self.model.uploads[drop.id].decisions.add("rejected")
        self._do(lambda: reject(self.world.ports, drop, "ann", "recalled"))

    def _one(self, event: Event, n: int) -> Drop:
        """A drop to which something can happen, if there is one."""
        drops = [*self.world.drops().values()]
        return nth([drop for drop in drops if event in TRANSITIONS[drop.state]] or drops, n)  # type: ignore[no-any-return]

    @rule(n=st.integers(1, 25), after=st.booleans())
    def dies(self, n: int, after: bool) -> None:
        """A function dies at one of the next calls."""
        self.fuse.at, self.fuse.after = self.fuse.calls + n, after

    @rule()
    def all_comes(self) -> None:
        """For once everything goes as it should: what has come far is what people decide on."""
        self._do(self.world.deliver_events)
        self._do(self.world.judge_small_drops)
        self._do(self.world.deliver_windows)
        for run in self.world.jobs.working():
            self.job_ends(run)
        for run in [*self.world.jobs.requests]:
            self._do(partial(job_ended, self.world.ports, run))

    def teardown(self) -> None:
        """Faults stop, all that is due comes; promises, if they cannot be judged, hold up no drop."""
        self.fuse.at = NEVER
        for _ in range(ROUNDS):
            self.all_comes()
            if self._rests():
                break
            self.world.clock.pass_seconds(400)
            self._do(partial(reconcile, self.world.ports))
        self.watch.look_at_the_end()
        self.model.hold(self.watch.seen(), self.world.promoted())
        self.are_promises_down = False
        for _ in range(3):
            self.world.clock.pass_seconds(2000)
            self._do(partial(reconcile, self.world.ports))
            self.watch.look_at_the_end()
        standing = self.watch.seen().promises.standings.get(self.in_force.contract)
        self.model.hold_promises(standing, self.in_force, self.world.drops().values())

    def _rests(self) -> bool:
        drops = self.world.drops()
        recorded = all(i in drops for i, one in self.model.uploads.items() if not one.deleted)
        return recorded and not any(d.in_flight for d in drops.values()) and not self.world.left()


def nth(every: list[Any], n: int) -> Any:
    """One of a few."""
    return every[n % len(every)]
