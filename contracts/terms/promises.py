"""Promises over time (service levels): a promise, the files of a period and a moment in; met, at risk or missed out.

Pure. What is not seen is no promise kept: without figures there is no judgement, and nothing is called met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal, get_args

from contracts import codec
from contracts.terms.arrival import WEEKDAYS, Weekday
from contracts.terms.spans import Period, Span, days_in, moment_of, zone_of

Kind = Literal[
    "loadDate",
    "factDate",
    "frequency",
    "latency",
    "timeOfAvailability",
    "completeness",
    "fileCompleteness",
    "errorRate",
    "retention",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
OF_AGE: tuple[Kind, ...] = ("loadDate", "factDate")
"""The kinds whose promise is the age of the newest data."""
OF_SHARES: tuple[Kind, ...] = ("completeness", "fileCompleteness", "errorRate")
"""The kinds whose promise is a share of what came in a period."""
State = Literal["met", "at_risk", "missed", "unknown"]
DAY = Span(Decimal(1), "d")


@dataclass(frozen=True, slots=True)
class Promise:
    """A service level that is held; each `period` of it has a result, and `name` is unique in its contract.

    It promises a time (`span`), a share (`percent`), or a time of day (`by`, `HH:MM`) on some days; `files` is how many
    are expected on each of these days, `element` the property that says how new data is, the values of
    which it may hide. A share is of the period, or of a `window` of days up to its end. Days and times of day are those
    of `zone`.
    """

    name: str
    kind: Kind
    span: Span | None = field(default=None, metadata=codec.SPARSE)
    percent: Decimal | None = field(default=None, metadata=codec.SPARSE)
    by: str = field(default="", metadata=codec.SPARSE)
    days: tuple[Weekday, ...] = field(default=WEEKDAYS, metadata=codec.SPARSE)
    files: int = field(default=1, metadata=codec.SPARSE)
    element: str = field(default="", metadata=codec.SPARSE)
    hides: bool = field(default=False, metadata=codec.SPARSE)
    period: Span = field(default=DAY, metadata=codec.SPARSE)
    zone: str = field(default="UTC", metadata=codec.SPARSE)
    window: Span | None = field(default=None, metadata=codec.SPARSE)

    @property
    def within(self) -> Span:
        """Return the time that it promises."""
        assert self.span
        return self.span

    @property
    def allowed(self) -> Fraction:
        """Return the share, in percent, that may be wrong or may be missing."""
        share = Fraction(self.percent or 0)
        return share if self.kind == "errorRate" else 100 - share

    def is_kept_by(self, other: Promise) -> bool:
        """Return True if another promise is this one, or a stricter one of the same kind."""
        period = self.period if other.period == other.span else other.period
        if replace(other, span=self.span, percent=self.percent, by=self.by, period=period) != self:
            return False
        if self.span and other.span:
            longer, shorter = (other, self) if self.kind == "retention" else (self, other)
            return shorter.within.about <= longer.within.about
        return other.allowed <= self.allowed and other.by <= self.by

    @property
    def words(self) -> str:
        """Return what is promised, in few words."""
        share = "" if self.percent is None else f"{self.percent.normalize():f}%"
        of_day = f"{self.by} ({self.zone})"
        of_time = f"the last {self.window}" if self.window else f"every {self.period}"
        return WORDS[self.kind].format(span=self.span, share=share, by=of_day, of_time=of_time, element=self.element)

    def period_of(self, moment: datetime) -> Period:
        """Return the period of a moment."""
        return Period.of(moment, self.period, zone_of(self.zone))

    def shared_by(self, period: Period) -> Period:
        """Return the time whose uploads a share is of: the period, or the days of a window that ends with it."""
        days = int(self.window.count) - 1 if self.window else 0
        return period.with_days_before(days, zone_of(self.zone)) if days else period

    def reaches(self, period: Period) -> datetime:
        """Return since when uploads matter to a period."""
        if self.kind in OF_AGE:
            return self.within.before(period.begin, zone_of(self.zone))
        if self.kind == "retention":
            return self.within.before(period.end, zone_of(self.zone))
        return period.begin - WAIT if self.kind == "timeOfAvailability" else self.shared_by(period).begin


WORDS: dict[Kind, str] = {
    "loadDate": "the newest accepted file is at most {span} old",
    "factDate": "the newest `{element}` of accepted data is at most {span} old",
    "frequency": "a file is accepted every {span}",
    "latency": "an accepted file can be read within {span}",
    "timeOfAvailability": "new data can be read by {by}",
    "completeness": "{share} of the rows of {of_time} reach consumers",
    "fileCompleteness": "{share} of the expected files of {of_time} are accepted",
    "retention": "accepted data can be read for {span}",
    "errorRate": "at most {share} of the rows of {of_time} are rejected",
}
WAIT = timedelta(days=1)
"""The time for which the result of a period waits for files that are not yet decided."""


@dataclass(frozen=True, slots=True)
class File:
    """An upload of a contract: when it came, since when consumers have it, and whether it is not yet decided.

    Of its records `read` were read, of which `valid` are without fault; None if nobody counted them. `fact` is the
    greatest time in its data, if the promise is about one; `is_kept` is whether it is still there, if that was sought
    and no newer upload has taken its place.
    """

    name: str
    uploaded: datetime
    readable: datetime | None = None
    is_open: bool = False
    read: int | None = None
    valid: int = 0
    fact: datetime | None = None
    is_kept: bool | None = None

    def made(self, kind: Kind) -> datetime | None:
        """Return since when its data is, as a promise of age sees it: its upload, or the greatest time in it.

        A time that is later than the upload counts as that of the upload: nobody knows the future.
        """
        if kind == "loadDate":
            return self.uploaded
        return min(self.fact, self.uploaded) if self.fact else None


@dataclass(frozen=True, slots=True)
class Seen:
    """The uploads that matter to a period, in any order; `whole` is False if older ones were left out.

    Of uploads of the same moment the first is the newest.

    The promise is in force `since` a moment; `has_data` is True if an earlier period has a result. `worst` is the worst
    state that the period has had so far; `unread` uploads are recorded in a way that nobody can read.
    """

    files: tuple[File, ...]
    since: datetime
    whole: bool = True
    has_data: bool = False
    worst: State | None = None
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """The state of a promise in a period at a moment, None if there is nothing to judge by, with the figure behind it.

    The state may change by time alone at `look_at`. A period that is over waits for its judgement while one
    `waits`.
    """

    state: State | None
    figure: str
    look_at: datetime | None = None
    waits: bool = False


def judge(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    """Return how a promise stands in a period; of one that is over, its result."""
    return JUDGES[promise.kind](promise, period, seen, now)


def enough(promise: Promise, period: Period, file: File, now: datetime) -> bool:
    """Return True if a file settles how a promise stands now, so that older ones need not be seen."""
    if file.readable is None:
        return False
    if promise.kind in OF_AGE:
        made = file.made(promise.kind)
        return now < period.end and made is not None and promise.within.after(made, zone_of(promise.zone)) >= now
    if promise.kind == "timeOfAvailability":
        return period.begin <= file.readable <= _deadline(promise, period)
    return promise.kind == "frequency" and period.holds(file.uploaded)


def worse(one: State | None, other: State | None) -> State | None:
    """Return the worse of two states."""
    return max((one, other), key=SEVERITY.index)


SEVERITY: tuple[State | None, ...] = (None, "unknown", "met", "at_risk", "missed")


def standing(judged: State | None, before: State) -> State:
    """Return the state of a promise, by the judgement of its period and the result of the last one that had one."""
    if judged is None or (judged == "at_risk" and before == "missed"):
        return before
    return judged


def _frequency(_: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    own = [file for file in seen.files if period.holds(file.uploaded)]
    if accepted := [file.uploaded for file in own if file.readable]:
        return Judgement("met", f"a file came at {_at(min(accepted))}", period.end)
    undecided = sum(file.is_open for file in own)
    figure = f"no file is accepted, {undecided} not decided" if undecided else "no file is accepted"
    if period.begin < seen.since or not seen.whole:
        return Judgement(None, figure)
    if now < period.last_fifth:
        return Judgement(None, figure, period.last_fifth)
    if now < period.end or (undecided and now < period.end + WAIT):
        return Judgement("at_risk", figure, period.end, waits=True)
    return Judgement("missed", figure)


def _age(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    zone = zone_of(promise.zone)
    data = [(file.readable, made) for file in seen.files if file.readable and (made := file.made(promise.kind))]
    fresh = [(readable, made, promise.within.after(made, zone)) for readable, made in data]
    at = min(now, period.end)
    newest = max((each for each in fresh if each[0] <= at), key=lambda each: each[1], default=None)
    figure = f"the newest is of {_made(promise, newest[1])}" if newest else "nothing is new enough"
    begin = max(period.begin, seen.since)
    if not seen.has_data:  # what was too old before the promise was made is no data of it
        of_promise = [readable for readable, _, end in fresh if end >= seen.since]
        begin = max(begin, min([promise.within.after(seen.since, zone), *of_promise]))
    if now >= period.end:
        if not seen.whole:
            return Judgement("met" if seen.worst == "at_risk" else seen.worst, figure)
        if begin >= period.end:
            return Judgement(None, figure)
        gap = gap_in(Period(begin, period.end), ((readable, end) for readable, _, end in fresh))
        return Judgement("missed" if gap else "met", f"too old from {_made(promise, gap)}" if gap else figure)
    if newest and newest[2] >= now:
        risky = newest[2] - (newest[2] - newest[1]) / 5
        return Judgement("met", figure, risky) if now < risky else Judgement("at_risk", figure, newest[2])
    is_missed = (begin <= now or seen.worst) and (newest or seen.whole)  # what was seen before may be withdrawn
    return Judgement("missed" if is_missed else None, figure, begin if begin > now else None)


def _latency(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    zone = zone_of(promise.zone)
    own = [file for file in seen.files if period.holds(file.uploaded) and file.uploaded >= seen.since]
    due = {file: promise.within.after(file.uploaded, zone) for file in own if file.readable or file.is_open}
    slow = [file for file, end in due.items() if (file.readable or now) > end]
    if slow:
        return Judgement("missed", f"{len(slow)} of {_files(len(due))} took longer, {slow[0].name} is one of them")
    if not seen.whole:
        return Judgement(None, TOO_MANY)
    pending = {file: end for file, end in due.items() if not file.readable}  # one that is judged again was in time
    risky = [end - (end - file.uploaded) / 5 for file, end in pending.items()]
    waits = bool(risky) and now < period.end + WAIT
    if risky and now >= period.end + WAIT:
        return Judgement("unknown", f"{_files(len(risky))} of {len(due):,} not decided yet")
    if any(at <= now for at in risky):
        return Judgement("at_risk", "a file is not decided yet", min(pending.values()), waits=waits)
    times = [(file.readable - file.uploaded).total_seconds() / 60 for file in own if file.readable]
    figure = f"{_files(len(times))}, the slowest took {max(times):,.1f} min" if times else "no file is accepted"
    return Judgement("met" if times else None, figure, min(risky, default=None), waits=waits)


def _time_of_availability(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    deadline = _deadline(promise, period)
    if WEEKDAYS[period.begin.astimezone(zone_of(promise.zone)).weekday()] not in promise.days:
        return Judgement(None, "no data is promised on this day")
    ready = [file.readable for file in seen.files if file.readable and period.begin <= file.readable <= deadline]
    if ready:
        return Judgement("met", f"new data since {_at(min(ready))}")
    if deadline < seen.since or not seen.whole:
        return Judgement(None, "no new data")
    risky = deadline - (deadline - period.begin) / 5
    if now > deadline:
        return Judgement("missed", f"no new data by {_at(deadline)}")
    return Judgement("at_risk", "no new data", deadline) if now >= risky else Judgement(None, "no new data", risky)


def _deadline(promise: Promise, period: Period) -> datetime:
    """Return the last moment of the time of day that is promised: its second counts, too."""
    zone = zone_of(promise.zone)
    return moment_of(period.begin.astimezone(zone).date(), promise.by, zone) + timedelta(seconds=1, microseconds=-1)


def _error_rate(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    shared = promise.shared_by(period)
    own = [file for file in seen.files if shared.holds(file.uploaded) and file.uploaded >= seen.since]
    read = sum(file.read or 0 for file in own)
    rejected = sum(file.read - file.valid for file in own if file.read)
    uncounted = seen.unread + sum(file.read is None and not _is_awaited(file, period, now) for file in own)
    figure = f"{rejected:,} of {read:,} rows are rejected{_percent(rejected, read)}{_nobody_counted(uncounted)}"
    return _of_share(promise, period, seen, now, Share(rejected, read, read, figure, _waits(own), uncounted > 0))


def _completeness(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    newest, shared = dict[str, File](), promise.shared_by(period)
    for file in sorted(seen.files, key=lambda file: file.uploaded, reverse=True):
        if shared.holds(file.uploaded) and file.uploaded >= seen.since:
            newest.setdefault(file.name, file)
    own = list(newest.values())
    read = sum(file.read or 0 for file in own)
    have = sum(file.valid for file in own if file.readable)
    uncounted = seen.unread + sum(
        (file.read is None or file.is_open) and not _is_awaited(file, period, now) for file in own
    )  # of an open file nobody knows which rows consumers will have
    figure = f"consumers have {have:,} of {read:,} rows{_percent(have, read)}{_nobody_counted(uncounted)}"
    lost = sum(file.read - (file.valid if file.readable else 0) for file in own if file.read and not file.is_open)
    return _of_share(promise, period, seen, now, Share(lost, read, read, figure, _waits(own), uncounted > 0))


def _file_completeness(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    zone, shared = zone_of(promise.zone), promise.shared_by(period)
    days = [day for day in days_in(shared, zone) if WEEKDAYS[day.weekday()] in promise.days]
    days = [day for day in days if moment_of(day, promise.by, zone) >= seen.since]
    due = [day for day in days if moment_of(day, promise.by, zone) <= now]
    accepted = {(file.uploaded.astimezone(zone).date(), file.name) for file in seen.files if file.readable}
    came = sum(min(promise.files, sum(on == day for on, _ in accepted)) for day in due)
    expected = promise.files * len(due)
    own = [file for file in seen.files if shared.holds(file.uploaded)]
    figure = f"{came:,} of {expected:,} expected files are accepted{_percent(came, expected)}"
    return _of_share(
        promise, period, seen, now, Share(expected - came, expected, promise.files * len(days), figure, _waits(own))
    )


def _retention(_: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    """Judge the oldest data that must be there to the end of the period; the result is the worst that was seen."""
    sought = [file for file in seen.files if file.is_kept is not None]
    gone = [file for file in sought if not file.is_kept]
    none = "newer uploads took the place of what is that old" if seen.files else "no data is that old yet"
    figure = f"{_files(len(sought))} of the promised age can be read" if sought else none
    if now >= period.end:
        return Judgement(seen.worst, figure)
    if gone:
        return Judgement("missed", f"{_files(len(gone))} cannot be read any more, {gone[0].name} is one of them")
    return Judgement("met" if sought else None, figure)


@dataclass(frozen=True, slots=True)
class Share:
    """Shares that are wrong or missing: of what there is, and of the `whole` of the period once it has ended.

    While it `waits` for files that are not decided yet, and where something is not `counted`, there is no result.
    """

    wrong: int
    of: int
    whole: int
    figure: str
    waits: bool
    is_uncounted: bool = False


def _of_share(promise: Promise, period: Period, seen: Seen, now: datetime, share: Share) -> Judgement:
    if not seen.whole:
        return Judgement(None, TOO_MANY)
    waits = share.waits and now < period.end + WAIT
    worth = Fraction(100 * share.wrong, share.whole) if share.whole else Fraction(0)
    if now < period.end or waits:
        risky = share.is_uncounted or worth > promise.allowed or (0 < promise.allowed * 4 / 5 < worth)
        return Judgement("at_risk" if risky else None, share.figure, waits=waits)
    if worth > promise.allowed:
        return Judgement("missed", share.figure)
    if share.is_uncounted:
        return Judgement("unknown", share.figure)
    return Judgement("met" if share.of else None, share.figure)


def _is_awaited(file: File, period: Period, now: datetime) -> bool:
    """Return True if a file is not decided yet, and the result of its period waits for it."""
    return file.is_open and now < period.end + WAIT


def _waits(files: Iterable[File]) -> bool:
    return any(file.is_open for file in files)


JUDGES: dict[Kind, Callable[[Promise, Period, Seen, datetime], Judgement]] = {
    "frequency": _frequency,
    "loadDate": _age,
    "factDate": _age,
    "latency": _latency,
    "timeOfAvailability": _time_of_availability,
    "completeness": _completeness,
    "fileCompleteness": _file_completeness,
    "errorRate": _error_rate,
    "retention": _retention,
}
TOO_MANY = "there are more uploads than are read"


def gap_in(period: Period, covers: Iterable[tuple[datetime, datetime]]) -> datetime | None:
    """Return the first moment of a period that no cover has; a cover has its first and its last moment."""
    reached = period.begin
    for begin, end in sorted(covers):
        if begin > reached:
            break
        reached = max(reached, end)
    return reached if reached < period.end else None


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _made(promise: Promise, moment: datetime) -> str:
    """Return a time that says how new data is, unless it would show a value that the promise hides."""
    return "***" if promise.hides else _at(moment)


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


def _nobody_counted(files: int) -> str:
    return f"; nobody counted those of {_files(files)}" if files else ""


def _percent(part: int, of: int) -> str:
    return f" ({100 * part / of:.2f}%)" if of else ""
