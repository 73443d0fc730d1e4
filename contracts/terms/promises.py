"""Promises over time (service levels): a promise, the files of a period and a moment in; met, at risk or missed out.

Pure. What is not seen is no promise kept: without figures there is no judgement, and nothing is called met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal, get_args

from contracts import codec
from contracts.terms.spans import Period, Span, zone_of

Kind = Literal["loadDate", "frequency"]
KINDS: tuple[Kind, ...] = get_args(Kind)
State = Literal["met", "at_risk", "missed", "unknown"]
DAY = Span(Decimal(1), "d")


@dataclass(frozen=True, slots=True)
class Promise:
    """A service level that is held: `span` is the time that it promises, `period` that of which each has a result.

    `name` is unique in its contract. Days and times of day are those of `zone`.
    """

    name: str
    kind: Kind
    span: Span
    period: Span = field(default=DAY, metadata=codec.SPARSE)
    zone: str = field(default="UTC", metadata=codec.SPARSE)

    def is_kept_by(self, other: Promise) -> bool:
        """Return True if another promise is this one, or a stricter one of the same kind."""
        same = replace(other, span=self.span, period=self.period if other.period == other.span else other.period)
        return same == self and other.span.about <= self.span.about

    @property
    def words(self) -> str:
        """Return what is promised, in few words."""
        return WORDS[self.kind].format(span=self.span)

    def period_of(self, moment: datetime) -> Period:
        """Return the period of a moment."""
        return Period.of(moment, self.period, zone_of(self.zone))

    def reaches(self, period: Period) -> datetime:
        """Return since when uploads matter to a period."""
        return self.span.before(period.begin, zone_of(self.zone)) if self.kind == "loadDate" else period.begin


WORDS: dict[Kind, str] = {
    "loadDate": "the newest accepted file is at most {span} old",
    "frequency": "a file is accepted every {span}",
}


@dataclass(frozen=True, slots=True)
class File:
    """An upload of a contract: when it came, since when consumers have it, and whether it is not yet decided."""

    name: str
    uploaded: datetime
    readable: datetime | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The uploads that matter to a period, in any order; `whole` is False if older ones were left out.

    The promise is in force `since` a moment; `has_data` is True if an earlier period has a result. `worst` is the worst
    state that the period has had so far.
    """

    files: tuple[File, ...]
    since: datetime
    whole: bool = True
    has_data: bool = False
    worst: State | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The state of a promise in a period at a moment, None if there is nothing to judge by, with the figure behind it.

    The state may change by time alone at `look_at`, and is to stay if it is `final`. A period that is over waits for
    its judgement while one `waits`.
    """

    state: State | None
    figure: str
    look_at: datetime | None = None
    final: bool = False
    waits: bool = False


def judge(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    """Return how a promise stands in a period; of one that is over, its result."""
    return JUDGES[promise.kind](promise, period, seen, now)


def enough(promise: Promise, period: Period, file: File, now: datetime) -> bool:
    """Return True if a file settles how a promise stands now, so that older ones need not be seen."""
    if file.readable is None:
        return False
    return now < period.end if promise.kind == "loadDate" else period.holds(file.uploaded)


def worse(one: State | None, other: State | None) -> State | None:
    """Return the worse of two states."""
    return max((one, other), key=SEVERITY.index)


SEVERITY: tuple[State | None, ...] = (None, "unknown", "met", "at_risk", "missed")


def standing(judged: State | None, before: State) -> State:
    """Return the state of a promise, by the judgement of its period and the result of the last one that had one."""
    if judged is None or (judged == "at_risk" and before == "missed"):
        return before
    return judged


WAIT = timedelta(days=1)
"""The time for which the result of a period waits for files that are not yet decided."""


def _frequency(_: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    own = [file for file in seen.files if period.holds(file.uploaded)]
    if accepted := [file.uploaded for file in own if file.readable]:
        return Judgement("met", f"a file came at {_at(min(accepted))}", period.end, final=True)
    undecided = sum(file.is_open for file in own)
    figure = f"no file is accepted, {undecided} not decided" if undecided else "no file is accepted"
    if period.begin < seen.since or not seen.whole:
        return Judgement(None, figure)
    if now < period.last_fifth:
        return Judgement(None, figure, period.last_fifth)
    if now < period.end or (undecided and now < period.end + WAIT):
        return Judgement("at_risk", figure, period.end, waits=True)
    return Judgement("missed", figure)


def _load_date(promise: Promise, period: Period, seen: Seen, now: datetime) -> Judgement:
    zone = zone_of(promise.zone)
    data = [(file.readable, file.uploaded) for file in seen.files if file.readable]
    fresh = [(readable, uploaded, promise.span.after(uploaded, zone)) for readable, uploaded in data]
    at = min(now, period.end)
    newest = max((each for each in fresh if each[0] <= at), key=lambda each: each[1], default=None)
    figure = f"the newest file is of {_at(newest[1])}" if newest else "no file that is new enough"
    begin = max(period.begin, seen.since)
    if not seen.has_data:
        begin = max(begin, min([promise.span.after(seen.since, zone), *(each[0] for each in fresh)]))
    if now >= period.end:
        if not seen.whole:
            return Judgement("met" if seen.worst == "at_risk" else seen.worst, figure)
        if begin >= period.end:
            return Judgement(None, figure)
        gap = gap_in(Period(begin, period.end), ((readable, end) for readable, _, end in fresh))
        return Judgement("missed" if gap else "met", f"too old from {_at(gap)}" if gap else figure)
    if newest and newest[2] >= now:
        risky = newest[2] - (newest[2] - newest[1]) / 5
        return Judgement("met", figure, risky) if now < risky else Judgement("at_risk", figure, newest[2])
    is_missed = (begin <= now or seen.worst) and (newest or seen.whole)  # what was seen before may be withdrawn
    return Judgement("missed" if is_missed else None, figure, begin if begin > now else None)


JUDGES: dict[Kind, Callable[[Promise, Period, Seen, datetime], Judgement]] = {
    "frequency": _frequency,
    "loadDate": _load_date,
}


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
