"""Promises over time: the clock in; how the promises of each contract stand, recorded, with each change.

    a contract with promises is published -> an item of its own, due at once
    due                                   -> periods that are over get results, the promise a state -> due again later
    another state                         -> an item of history, which leaves as an event

An item is written on the condition that nobody wrote since it was read, together with its history and results: only one
of two concurrent runs writes. No contract holds up another one: what fails is looked at again a while later, and a
look that has used up its time keeps its place, from which the next one goes on. Promises that were published no longer
are taken out as they become due; one call is made if no contract ever had any.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from contracts import codec
from contracts.catalog import Entry
from contracts.errors import DocumentInvalid, DropgateError, StaleWrite
from contracts.terms.promises import File, Judgement, Promise, Seen, State, enough, judge, standing, worse
from contracts.terms.spans import Period, zone_of
from contracts.watermarks import moment_of_mark
from functions import keys
from functions.admission.arrival_window import uploaded
from functions.drop import OPEN, PROMOTED, Drop, Location
from functions.drop import State as DropState
from functions.ports import Ports
from functions.ports.clock import moment, stamp
from functions.ports.progress import Report, ignore
from functions.ports.promises import Enrolment, Held, PromisePeriod, PromiseStep, Standing

MOST_LOOKS = 200
"""Contracts whose promises are judged in one run; the next run takes the others."""
MOST_ENROLLED = 50
"""Contracts that are looked up in one run after a publish."""
MOST_PERIODS = 5
"""Results of one promise in one transaction, which has room for 100 items; lint allows 12 promises."""
MOST_FILES = 6400
"""Uploads that are read for one period; a promise about a period with more of them has no result."""
LOOK_TIME = timedelta(seconds=30)
"""The time after which a look at the promises of a contract stops; a period whose uploads take longer has no result."""
SOUGHT = 5
"""Files of the promised age that are looked for in a look at a retention."""
MOST_SOUGHT = 20
"""Files that are looked for until so many are of the uploads sought, and not of newer ones under their keys."""
KEPT = 30
"""Periods back to which results are made up for after an outage."""
NO_DATA: tuple[DropState, ...] = ("noted", "vanished", "superseded")
"""The states of drops that are no data, or whose data nobody was to have."""
AGAIN: dict[State, timedelta] = {
    "met": timedelta(minutes=30),
    "at_risk": timedelta(minutes=1),
    "missed": timedelta(minutes=1),
    "unknown": timedelta(minutes=5),
}
"""The time after which a promise in a state is judged again at the latest: an upload may have changed it."""


def looks(ports: Ports, unread: Report = ignore) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the promises that are due, each contract's with its name and the call that judges them.

    `unread` receives the key of each item that cannot be read.
    """
    index = ports.catalog.index_if_any()
    if index is None:
        return
    entries = {entry.contract: entry for entry in index.entries if entry.promises}
    if not entries and ports.ledger.enrolment().version == 0:
        return
    with suppress(StaleWrite):  # somebody else enrols
        _enrol(ports, entries, unread)
    for due in ports.ledger.promises_due(ports.at(), MOST_LOOKS):
        if isinstance(due, str):
            unread(due)
        else:
            yield f"promises of {due.contract}", partial(_look, ports, due, entries.get(due.contract), unread)


def _enrol(ports: Ports, entries: Mapping[str, Entry], unread: Report) -> None:
    """Make the promises of a published index due where they are new or changed."""
    pointer = ports.catalog.pointer
    enrolment = ports.ledger.enrolment()
    if pointer is None or (enrolment.index == pointer.index and not enrolment.upto):
        return
    upto = enrolment.upto if enrolment.index == pointer.index else ""
    group = sorted(contract for contract in entries if contract > upto)[:MOST_ENROLLED]
    due = []
    for contract in group:
        try:
            old = ports.ledger.standing(contract) or Standing(contract, None)
        except DocumentInvalid:
            unread(f"of the promises of {contract}")
            continue
        names = [(held.name, held.sha) for held in old.promises]
        if old.look_at is None or names != [(p.name, _sha(p)) for p in entries[contract].promises]:
            due.append(replace(old, look_at=ports.at()))
    reached = group[-1] if len(group) == MOST_ENROLLED else ""
    ports.ledger.write((), Enrolment(pointer.index, reached, enrolment.version), *due)


def _look(ports: Ports, before: Standing, entry: Entry | None, unread: Report) -> None:
    """Judge the promises of a contract; if that fails, put it off, so that it does not stay the first that is due."""
    try:
        _judge(ports, before, entry, unread)
    except StaleWrite:
        return  # somebody else judges, or the index of open items is behind
    except Exception:
        with suppress(DropgateError):
            ports.ledger.write((), replace(before, look_at=stamp(ports.clock.now() + AGAIN["unknown"])))
        raise


def _judge(ports: Ports, before: Standing, entry: Entry | None, unread: Report) -> None:
    """Judge the promises of a contract, beginning at its place; the next look begins where this one stops."""
    if entry is None:
        ports.ledger.write((), Standing(before.contract, None, version=before.version))
        return
    clock = ports.clock.now()
    patience = timedelta(seconds=ports.patience_seconds)  # events of uploads take their time, too
    look = _Look(ports, before, clock - patience, clock + LOOK_TIME, unread)
    held = {one.name: one for one in before.promises}
    names = [promise.name for promise in entry.promises]
    left = deque(entry.promises[names.index(before.place) if before.place in names else 0 :])
    judged: dict[str, _Judged] = {}
    while left and not (judged and look.is_over):
        one = look.judged(left[0], held.get(left[0].name), is_first=not judged)
        judged[left[0].name] = one
        if one.is_broken_off:
            break
        left.popleft()
    held |= {name: one.held for name, one in judged.items()}
    promises = tuple(held[name] for name in names if name in held)
    times = [one.look_at + patience for one in judged.values()] + [clock + AGAIN[one.state] for one in promises]
    if before.place:
        times.append(clock + AGAIN["unknown"])  # nobody kept the times of the looks before
    after = replace(
        before,
        look_at=stamp(clock if left else min(times)),
        judged_at=before.judged_at if left else stamp(look.now),
        promises=promises,
        place=left[0].name if left else "",
    )
    steps = [one.step for one in judged.values() if one.step]
    ports.ledger.write((), after, *steps, *(period for one in judged.values() for period in one.periods))


@dataclass(frozen=True, slots=True)
class _Judged:
    """A promise as it stands now, when to judge it again, its new item of history, and the results of its periods.

    It `is_broken_off` where the time was up before its last period was judged.
    """

    held: Held
    look_at: datetime
    step: PromiseStep | None
    periods: tuple[PromisePeriod, ...]
    is_broken_off: bool = False


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at the promises of a contract, as they are at a moment; it stops at `until`, by the clock."""

    ports: Ports
    standing: Standing
    now: datetime
    until: datetime
    unread: Report
    read: dict[tuple[str, str, int], tuple[Drop | str, ...]] = field(default_factory=dict)
    readable: dict[str, datetime | None] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Return True if the time of the look is up."""
        return self.ports.clock.now() > self.until

    def judged(self, promise: Promise, held: Held | None, *, is_first: bool) -> _Judged:
        """Return how a promise stands; one that is new or changed is unknown at first.

        The `is_first` of a look has had all of its time: if that is not enough, it stands as before, and does not keep
        the others waiting.
        """
        sha, at = _sha(promise), stamp(self.now)
        if held is None or held.sha != sha:
            period = promise.period_of(self.now)
            held = Held(promise.name, sha, at, at, stamp(period.begin), promised=promise.words)
        results: list[PromisePeriod] = []
        period = self._period(promise, held)
        judgement = self._judge(promise, period, held, is_first)
        while judgement and self.now >= period.end and not judgement.waits and len(results) < MOST_PERIODS:
            results.append(self._result(promise, period, judgement))
            period = promise.period_of(period.end)
            before = judgement.state or held.before
            held = replace(held, before=before, worst=None, period=stamp(period.begin))
            judgement = self._judge(promise, period, held, is_first=False)
        if judgement is None:
            is_broken_off = bool(results) or not is_first
            return _Judged(held, self.now + AGAIN["unknown"], None, tuple(results), is_broken_off)
        held = replace(held, worst=worse(held.worst, judgement.state), figure=judgement.figure)
        look_at = min(judgement.look_at or period.end, period.end)
        is_behind = self.now >= period.end and not judgement.waits
        state = held.state if is_behind else standing(judgement.state, held.before)
        if state == held.state:
            return _Judged(held, look_at, None, tuple(results))
        now = self._result(promise, period, judgement)
        cause = now if judgement.state else next((one for one in reversed(results) if one.state), now)
        step = self._step(promise, cause, state, held.state)
        return _Judged(replace(held, state=state, changed_at=at), look_at, step, tuple(results))

    def _period(self, promise: Promise, held: Held) -> Period:
        """Return the first period without a result; after a long outage one of the last."""
        period = promise.period_of(moment(held.period))
        earliest = self.now - KEPT * (period.end - period.begin)
        return period if period.end > earliest else promise.period_of(earliest)

    def _judge(self, promise: Promise, period: Period, held: Held, is_first: bool) -> Judgement | None:
        """Return how a promise stands in a period; None if the time is up before its uploads are read.

        A period that is over, and has had all the time of a look, is judged by the uploads that were read.
        """
        files, whole, unread = self._files(promise, period)
        if not whole and self.is_over and not (is_first and self.now >= period.end):
            return None
        seen = Seen(files, moment(held.since), whole, held.before != "unknown", held.worst, unread)
        return judge(promise, period, seen, self.now)

    def _result(self, promise: Promise, period: Period, judgement: Judgement) -> PromisePeriod:
        begin, end = stamp(period.begin), stamp(period.end)
        return PromisePeriod(self.standing.contract, promise.name, begin, end, judgement.state, judgement.figure)

    def _step(self, promise: Promise, cause: PromisePeriod, state: State, was: State) -> PromiseStep:
        return PromiseStep(
            contract=self.standing.contract,
            promise=promise.name,
            state=state,
            was=was,
            at=stamp(self.now),
            step=self.standing.version + 1,
            promised=promise.words,
            figure=cause.figure,
            period=cause.begin,
            until=cause.end,
        )

    def _files(self, promise: Promise, period: Period) -> tuple[tuple[File, ...], bool, int]:
        """Return the uploads of a period, newest first, whether none is left out, and how many cannot be read."""
        if promise.kind == "retention":
            return self._kept(promise, promise.reaches(period)), True, 0
        since, until = stamp(promise.reaches(period)), stamp(self.now + timedelta(days=2))
        is_enough = partial(enough, promise, period, now=self.now)
        most = 100
        while True:
            received = self._received(since, until, most)
            data = [one for one in received if isinstance(one, str) or one.state not in NO_DATA]
            read = [self._file(one, promise) for one in takewhile(self._is_known, data)]
            files = tuple(filter(None, read))
            unread = len(read) - len(files)
            if (len(received) < most and len(read) == len(data)) or any(map(is_enough, files)):
                return files, True, unread
            if most >= MOST_FILES or self.is_over:
                return files, False, unread
            most *= 4

    def _received(self, since: str, until: str, most: int) -> tuple[Drop | str, ...]:
        """Return the uploads since a moment; promises of one contract often ask for the same ones."""
        if (since, until, most) not in self.read:
            self.read[since, until, most] = self.ports.ledger.received(self.standing.contract, since, until, most)
        return self.read[since, until, most]

    def _kept(self, promise: Promise, since: datetime) -> tuple[File, ...]:
        """Return some accepted uploads of a day, and whether consumers can still read each.

        Of the uploads under one key the last counts; a newer one that has taken its place is not a file that is gone.
        """
        received = self._received(stamp(since), stamp(since + timedelta(days=1)), 100)
        drops = [one for one in received if isinstance(one, Drop) and one.state in PROMOTED and not one.forgotten]
        sought: dict[str, Drop] = {}
        for drop in drops:
            if drop.promoted and not keys.is_table(drop.promoted.key):
                sought.setdefault(drop.promoted.key, drop)
        files: list[File] = []
        for key, drop in list(sought.items())[:MOST_SOUGHT]:
            if file := self._file(drop, promise):
                files.append(replace(file, is_kept=self._is_kept(key, drop)))
            if sum(file.is_kept is not None for file in files) == SOUGHT:
                break
        return tuple(files)

    def _is_kept(self, key: str, drop: Drop) -> bool | None:
        """Return True if the data of a drop is under its key; None if another drop's is there."""
        stat = self.ports.store.head(Location(f"{self.ports.zones.promoted}{key}"))
        return False if stat is None else stat.drop == drop.id or None

    def _file(self, one: Drop | str, promise: Promise) -> File | None:
        """Return an upload of data; None if its item cannot be read."""
        if isinstance(one, str):
            self.unread(one)
            return None
        try:
            return File(
                one.name,
                uploaded(one),
                self._readable(one),
                is_open=one.state in OPEN or one.state == "failed",
                read=one.rows.read if one.rows else None,
                valid=one.rows.valid if one.rows else 0,
                fact=self._fact(one, promise),
            )
        except (ValueError, DocumentInvalid):
            self.unread(f"of drop {one.id}")
            return None

    def _fact(self, drop: Drop, promise: Promise) -> datetime | None:
        """Return the greatest time in the data of a drop, if a promise is about one."""
        marks = (mark for mark in drop.marks if mark.property == promise.element)
        return next((moment_of_mark(mark, zone_of(promise.zone)) for mark in marks), None)

    def _is_known(self, one: Drop | str) -> bool:
        """Return True if an upload is read without a call, or there is time for one."""
        return isinstance(one, str) or not _is_dated_by_history(one) or one.id in self.readable or not self.is_over

    def _readable(self, drop: Drop) -> datetime | None:
        """Return since when consumers have the data of a drop, or of an earlier attempt of it."""
        if drop.state not in PROMOTED and not drop.retracts:
            return None
        if not _is_dated_by_history(drop):
            return moment(drop.changed_at)
        if drop.id not in self.readable:
            steps = self.ports.ledger.history(drop.id)
            at = next((moment(step.at) for step in steps if step.state in PROMOTED), None)
            self.readable[drop.id] = at
        return self.readable[drop.id]


def _is_dated_by_history(drop: Drop) -> bool:
    """Return True if only its history has the time since when consumers have a drop."""
    return drop.attempt > 1 or drop.forgotten is not None


def _sha(promise: Promise) -> str:
    return codec.sha256(promise)[:16]
