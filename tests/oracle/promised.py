"""Promises over time, judged a second time: service levels as written, uploads and a moment in, states out.

Written from docs/how-to/promises.md, instant by instant, and with nothing of our own code. `retention` is not here: it
is about what is stored.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from fractions import Fraction
from typing import Any

Level = Mapping[str, Any]
State = str | None
TICK, DAY = timedelta(microseconds=1), timedelta(days=1)
MONDAY = date(1970, 1, 5)
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Sent:
    """An upload: when it is decided and how, its rows, the greatest time in it, and what happens to it later.

    Its data stays with consumers while it is judged `again`, and goes when a person has it `withdrawn`.
    """

    name: str
    uploaded: datetime
    decided: datetime | None
    is_good: bool
    read: int | None
    valid: int
    fact: datetime
    again: tuple[datetime, datetime] | None = None
    withdrawn: datetime | None = None

    def is_open(self, now: datetime) -> bool:
        """Return True if nobody has decided it, or it is judged again."""
        is_again = self.again is not None and self.again[0] <= now < self.again[1]
        return self.decided is None or self.decided > now or is_again

    def readable(self, now: datetime) -> datetime | None:
        """Return since when consumers have its data, if they do."""
        is_gone = self.withdrawn is not None and self.withdrawn <= now
        return None if not self.is_good or is_gone or self.decided is None or self.decided > now else self.decided

    def counted(self, now: datetime) -> int | None:
        """Return how many rows were read, if somebody has counted them."""
        return None if self.decided is None or self.decided > now else self.read


@dataclass(frozen=True, slots=True)
class Scene:
    """A service level of a contract with its window of arrival, and the uploads as they are at a moment."""

    level: Level
    arrival: Mapping[str, Any]
    zone: tzinfo
    since: datetime
    had_data: bool
    now: datetime
    every: Sequence[Sent]

    @property
    def sent(self) -> list[Sent]:
        """The uploads so far, in their order."""
        return sorted((each for each in self.every if each.uploaded <= self.now), key=lambda each: each.uploaded)

    def within(self, begin: datetime, end: datetime) -> list[Sent]:
        """The uploads of a time."""
        return [each for each in self.sent if begin <= each.uploaded < end]

    def is_good(self, each: Sent) -> bool:
        """Return True if consumers have an upload."""
        return each.readable(self.now) is not None

    def after(self, moment: datetime) -> datetime:
        """Return when the promised time is over."""
        return later(moment, Fraction(str(self.level["value"])), self.level["unit"], self.zone)


# ---- the calendar


def period_of(level: Level, moment: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return begin and end of the period of a moment: all seconds that have its number."""
    count, unit = length_of(level)
    number = _number(moment, count, unit, zone)
    return _edge(moment, -1, number, count, unit, zone), _edge(moment, 1, number, count, unit, zone)


def length_of(level: Level) -> tuple[int, str]:
    """Return the length of the periods of a service level."""
    if level["property"] == "frequency":
        return int(level["value"]), level["unit"]
    length = level.get("valueExt", "1 d")
    count, _, unit = ("1 d" if length.startswith("last ") else length).partition(" ")
    return int(count), unit


def shared_since(level: Level, begin: datetime, zone: tzinfo) -> datetime:
    """Return since when uploads count for a share: the begin of the period, or of the days of a window."""
    word, _, length = level.get("valueExt", "1 d").partition(" ")
    if word != "last":
        return begin
    count, _, unit = length.partition(" ")
    first = begin.astimezone(zone).date() - DAY * (int(count) * (7 if unit == "w" else 1) - 1)
    noon = wall(datetime.combine(first, time(12)), zone)
    return _edge(noon, -1, _number(noon, 1, "d", zone), 1, "d", zone)


def _number(moment: datetime, count: int, unit: str, zone: tzinfo) -> int:
    if unit in ("s", "min", "h"):
        return int(moment.timestamp()) // (count * SECONDS[unit])
    day = moment.astimezone(zone).date()
    if unit in ("d", "w"):
        return (day - MONDAY).days // (count * (7 if unit == "w" else 1))
    return (day.year * 12 + day.month - 1) // (count * (12 if unit == "y" else 1))


def _edge(moment: datetime, sign: int, number: int, count: int, unit: str, zone: tzinfo) -> datetime:
    """Return the first second of a period (sign -1), or the first after it, by halving."""
    inside, outside = int(moment.timestamp()), int(moment.timestamp()) + sign
    while _number(datetime.fromtimestamp(outside, UTC), count, unit, zone) == number:
        inside, outside = outside, outside + 2 * (outside - inside)
    while abs(outside - inside) > 1:
        half = (inside + outside) // 2
        is_inside = _number(datetime.fromtimestamp(half, UTC), count, unit, zone) == number
        inside, outside = (half, outside) if is_inside else (inside, half)
    return datetime.fromtimestamp(inside if sign < 0 else outside, UTC)


def later(moment: datetime, count: Fraction, unit: str, zone: tzinfo) -> datetime:
    """Return the moment after a time; a month ends on the same day of the next one, or on its last day."""
    if unit in SECONDS:
        return moment + timedelta(seconds=1) * float(count * SECONDS[unit])
    local = moment.astimezone(zone)
    day = local.date()
    for _ in range(int(count) * (12 if unit == "y" else 1)):
        day = day.replace(day=1) + timedelta(days=monthrange(day.year, day.month)[1])
    day = day.replace(day=min(local.day, monthrange(day.year, day.month)[1]))
    return wall(datetime.combine(day, local.time()), zone)


def wall(local: datetime, zone: tzinfo, *, last: bool = False) -> datetime:
    """Return the moment at which clocks show a time, the first or the last; as if they went on where they skip it."""
    offsets = [_offset(local + sign * DAY, zone) for sign in (-1, 1)]
    moments = [(local - offset).replace(tzinfo=UTC) for offset in offsets]
    right = [moment for moment in moments if moment.astimezone(zone).replace(tzinfo=None) == local]
    return (max if last else min)(right) if right else moments[0]


def _offset(local: datetime, zone: tzinfo) -> timedelta:
    offset = local.replace(tzinfo=UTC).astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def days_of(begin: datetime, end: datetime, zone: tzinfo) -> Iterator[date]:
    """Yield the local days of a period."""
    day = begin.astimezone(zone).date()
    while day <= (end - TICK).astimezone(zone).date():
        yield day
        day += DAY


def deadline(day: date, by: str, zone: tzinfo) -> datetime:
    """Return a time of day of a day; 24:00 is the begin of the next."""
    if by == "24:00":
        return wall(datetime.combine(day + DAY, time()), zone)
    return wall(datetime.combine(day, time.fromisoformat(by)), zone, last=True)


# ---- states


def state_of(scene: Scene, begin: datetime, end: datetime) -> State:
    """Return the state of a service level in a period at the moment of a scene."""
    return STATES[scene.level["property"]](scene, begin, end)


def _frequency(scene: Scene, begin: datetime, end: datetime) -> State:
    own = scene.within(begin, end)
    if any(map(scene.is_good, own)):
        return "met"
    if begin < scene.since or scene.now < end - (end - begin) / 5:
        return None
    is_open = any(each.is_open(scene.now) for each in own)
    return "at_risk" if scene.now < end or (is_open and scene.now < end + DAY) else "missed"


def _age(scene: Scene, begin: datetime, end: datetime) -> State:
    covers = []
    for each in scene.sent:
        if readable := each.readable(scene.now):
            made = each.uploaded if scene.level["property"] == "loadDate" else min(each.fact, each.uploaded)
            covers.append((readable, scene.after(made), made))
    begin = max(begin, scene.since)
    if not scene.had_data:
        useful = [readable for readable, end_of_it, _ in covers if end_of_it >= scene.since]
        begin = max(begin, min([scene.after(scene.since), *useful]))
    if scene.now >= end:
        instants = [
            begin,
            end - TICK,
            *(at + tick for a, b, _ in covers for at in (a, b) for tick in (-TICK, 0 * TICK, TICK)),
        ]
        wanted = [at for at in instants if begin <= at < end]
        if not wanted:
            return None
        return "met" if all(any(a <= at <= b for a, b, _ in covers) for at in wanted) else "missed"
    newest = max((cover for cover in covers if cover[0] <= scene.now), key=lambda cover: cover[2], default=None)
    if newest and scene.now <= newest[1]:
        return "met" if scene.now < newest[2] + (newest[1] - newest[2]) * 4 / 5 else "at_risk"
    return "missed" if begin <= scene.now else None


def _latency(scene: Scene, begin: datetime, end: datetime) -> State:
    own = [each for each in scene.within(begin, end) if each.uploaded >= scene.since]
    pending = [each for each in own if each.readable(scene.now) is None and each.is_open(scene.now)]
    done = [each for each in own if scene.is_good(each)]
    ends = [(each.readable(scene.now), scene.after(each.uploaded)) for each in done]
    if any(at and at > end_of_it for at, end_of_it in ends):
        return "missed"
    if any(scene.now > scene.after(each.uploaded) for each in pending):
        return "missed"
    if pending and scene.now >= end + DAY:
        return "unknown"
    for each in pending:
        if scene.now >= each.uploaded + (scene.after(each.uploaded) - each.uploaded) * 4 / 5:
            return "at_risk"
    return "met" if done else None


def _time_of_day(scene: Scene, begin: datetime, _: datetime) -> State:
    day = begin.astimezone(scene.zone).date()
    if NAMES[day.weekday()] not in scene.arrival["days"]:
        return None
    last = deadline(day, scene.level["value"], scene.zone) + timedelta(seconds=1) - TICK
    if any((at := each.readable(scene.now)) and begin <= at <= last for each in scene.sent):
        return "met"
    if last < scene.since or scene.now < last - (last - begin) / 5:
        return None
    return "missed" if scene.now > last else "at_risk"


def _error_rate(scene: Scene, begin: datetime, end: datetime) -> State:
    begin = shared_since(scene.level, begin, scene.zone)
    own = [each for each in scene.within(begin, end) if each.uploaded >= scene.since]
    read = sum(each.counted(scene.now) or 0 for each in own)
    wrong = sum((each.counted(scene.now) or 0) and (each.read or 0) - each.valid for each in own)
    waits = any(each.is_open(scene.now) for each in own) and scene.now < end + DAY
    unseen = [e for e in own if e.counted(scene.now) is None and not (e.is_open(scene.now) and scene.now < end + DAY)]
    return _share(scene, end, Fraction(str(scene.level["value"])), (wrong, read), waits=waits, unseen=bool(unseen))


def _completeness(scene: Scene, begin: datetime, end: datetime) -> State:
    begin = shared_since(scene.level, begin, scene.zone)
    own = {each.name: each for each in scene.within(begin, end) if each.uploaded >= scene.since}.values()
    read = sum(each.counted(scene.now) or 0 for each in own)
    lost = 0
    for each in own:
        if each.counted(scene.now) and not each.is_open(scene.now):
            lost += (each.read or 0) - (each.valid if scene.is_good(each) else 0)
    is_open = any(each.is_open(scene.now) for each in own)
    waits = is_open and scene.now < end + DAY
    unseen = any(
        each.is_open(scene.now) and not waits if each.is_open(scene.now) else each.counted(scene.now) is None
        for each in own
    )
    return _share(scene, end, 100 - Fraction(str(scene.level["value"])), (lost, read), waits=waits, unseen=unseen)


def _files(scene: Scene, begin: datetime, end: datetime) -> State:
    zone, files = scene.zone, scene.arrival["files"]
    begin = shared_since(scene.level, begin, zone)
    wanted = [day for day in days_of(begin, end, zone) if NAMES[day.weekday()] in scene.arrival["days"]]
    wanted = [day for day in wanted if deadline(day, scene.arrival["by"], zone) >= scene.since]
    due = [day for day in wanted if deadline(day, scene.arrival["by"], zone) <= scene.now]
    came = {(each.uploaded.astimezone(zone).date(), each.name) for each in scene.sent if scene.is_good(each)}
    missing = sum(max(0, files - sum(on == day for on, _ in came)) for day in due)
    waits = any(each.is_open(scene.now) for each in scene.within(begin, end)) and scene.now < end + DAY
    allowed = 100 - Fraction(str(scene.level["value"]))
    return _share(scene, end, allowed, (missing, files * len(wanted)), waits=waits, unseen=False)


def _share(
    scene: Scene, end: datetime, allowed: Fraction, part: tuple[int, int], *, waits: bool, unseen: bool
) -> State:
    """Return the state of a share of which so much may be wrong, or missing."""
    wrong, whole = part
    share = Fraction(100 * wrong, whole) if whole else Fraction(0)
    if scene.now < end or waits:
        used_up = share > allowed or (allowed and share > allowed * 4 / 5)
        return "at_risk" if used_up or unseen else None
    if share > allowed:
        return "missed"
    return "unknown" if unseen else "met" if whole else None


STATES: Mapping[str, Callable[[Scene, datetime, datetime], State]] = {
    "frequency": _frequency,
    "loadDate": _age,
    "factDate": _age,
    "latency": _latency,
    "timeOfAvailability": _time_of_day,
    "errorRate": _error_rate,
    "completeness": _completeness,
    "fileCompleteness": _files,
}
