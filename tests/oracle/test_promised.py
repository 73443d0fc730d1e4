"""Promises over time: drawn contracts and timelines, each promise judged by us and by a second opinion.

Clocks change in them, months have 28 to 31 days, uploads are late, rejected, judged again, withdrawn and never decided.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.authoring.compiler.compile import compile_text
from contracts.terms.promises import KINDS, File, Promise, Seen, judge
from contracts.terms.spans import Period
from tests.oracle.promised import Level, Scene, Sent, deadline, later, period_of, state_of, wall

CHANGES = {
    "UTC": ("2024-02-29 00:00", "2025-02-28 00:00", "2026-12-31 00:00", "1970-03-02 00:00"),
    "Europe/Berlin": ("2026-03-29 02:00", "2026-10-25 02:00", "2024-02-29 00:00", "2026-12-31 00:00"),
    "America/Sao_Paulo": ("2018-02-18 00:00", "2018-11-04 00:00", "2017-10-15 00:00", "2024-02-29 00:00"),
}
"""Local times around which timelines are drawn: clocks change, a February or a year ends."""
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
TIMES = {"short": ("10 h", "90 min", "26 h", "1 d", "2 d", "1.5 h"), "long": ("9 d", "1 mo", "2 w", "36 h", "40 d")}
LENGTHS = {
    "short": ("1 d", "2 d", "6 h", "7 h", "last 2 d", "last 4 d"),
    "long": ("7 d", "1 w", "1 mo", "2 mo", "1 y", "10 d", "last 7 d", "last 5 w", "last 30 d"),
}
OFTEN = {"short": ("1 d", "6 h", "45 min", "2 d"), "long": ("1 w", "1 mo", "3 d", "1 y")}
HAD_DATA = 0.7
"""The share of promises that had data in an earlier period."""
CLOCK = ("09:00", "00:00", "00:30", "02:30", "23:59")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A contract with its promises, in the order of its service levels, and a timeline."""

    levels: tuple[Level, ...]
    promises: tuple[Promise, ...]
    arrival: Mapping[str, Any]
    zone: ZoneInfo
    change: datetime
    reach: timedelta
    sent: tuple[Sent, ...]


def _drawn(chance: Random) -> Drawn:
    name, scale = chance.choice(tuple(CHANGES)), chance.choice(("short", "short", "long"))
    zone = ZoneInfo(name)
    days = chance.sample(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), chance.choice((7, 7, 5, 1)))
    by = chance.choice((*CLOCK[:1], *CLOCK[2:], "24:00"))
    arrival = {"by": by, "zone": name, "files": chance.choice((1, 1, 2)), "days": days}
    levels = tuple(_levels(chance, scale))
    change = wall(datetime.fromisoformat(chance.choice(CHANGES[name])), zone)
    reach = 3 * DAY if scale == "short" else 45 * DAY
    sent = tuple(_sent(chance, n, change, reach, levels) for n in range(chance.choice((0, 1, 3, 8, 20))))
    return Drawn(levels, _promises(levels, name, arrival), arrival, zone, change, reach, sent)


def _levels(chance: Random, scale: str) -> Iterator[dict[str, Any]]:
    for kind in ("loadDate", "factDate", "latency", "frequency"):
        count, unit = chance.choice((OFTEN if kind == "frequency" else TIMES)[scale]).split(" ")
        value = float(count) if "." in count else int(count)
        yield {"property": kind, "value": value, "unit": unit} | ({"element": "day"} if kind == "factDate" else {})
    yield {"property": "timeOfAvailability", "value": chance.choice(CLOCK)}
    for kind in ("errorRate", "completeness", "fileCompleteness"):
        length = chance.choice([each for each in LENGTHS[scale] if kind != "fileCompleteness" or each[-1] != "h"])
        value = chance.choice((0, 1, 20, 50)) if kind == "errorRate" else chance.choice((100, 99, 75, 50))
        yield {"property": kind, "value": value, "unit": "percent", "valueExt": length}


def _promises(levels: tuple[Level, ...], zone: str, arrival: Mapping[str, Any]) -> tuple[Promise, ...]:
    block = {"files": "maker/*.csv", "producer": "maker", "format": "csv", "slo": "enforce", "sloZone": zone}
    properties = [{"name": "id", "logicalType": "string"}, {"name": "day", "logicalType": "date"}]
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "things",
        "version": "1.0.0",
        "status": "active",
        "slaProperties": levels,
        "schema": [{"name": "things", "properties": properties}],
        "customProperties": [{"property": "drop", "vendor": "dropgate", "value": block | {"arrival": arrival}}],
    }
    compiled = compile_text(json.dumps(document).encode(), "things.v1.yaml")
    assert compiled.plan, [finding for finding in compiled.findings if finding.level == "error"]
    assert len(compiled.plan.promises) == len(levels)
    return compiled.plan.promises


def _sent(chance: Random, n: int, change: datetime, reach: timedelta, levels: tuple[Level, ...]) -> Sent:
    at = change + timedelta(seconds=chance.randint(-int(reach.total_seconds()), int(reach.total_seconds())))
    if chance.random() < 0.3:  # at an edge of a period
        edge = period_of(chance.choice(levels), at, ZoneInfo("UTC"))[0]
        at = edge + chance.choice((-1, 0, 1)) * SECOND
    waits = timedelta(seconds=chance.choice((60, 1800, 5400, 10 * 3600, 20 * 3600)))
    decided = None if chance.random() < 0.07 else at + waits
    is_good = chance.random() < 0.7
    read = None if not is_good and chance.random() < 0.3 else chance.choice((0, 1, 10, 100))
    valid = (read or 0) - min(read or 0, chance.choice((0, 0, 0, 1, 2, 50)))
    fact = at - timedelta(seconds=chance.choice((-86400, 0, 3600, 5 * 3600, 86400)))
    again = withdrawn = None
    if decided and is_good and chance.random() < 0.15:
        again = (decided + chance.choice((1, 5)) * HOUR, decided + chance.choice((6, 30)) * HOUR)
    elif decided and is_good and chance.random() < 0.15:
        withdrawn = decided + chance.choice((1, 30)) * HOUR
    return Sent(
        f"{n if chance.random() < 0.7 else 'same'}.csv", at, decided, is_good, read, valid, fact, again, withdrawn
    )


def _moments(chance: Random, drawn: Drawn, level: Level) -> Iterator[tuple[datetime, datetime]]:
    """Yield moments of periods, and moments at which to judge them: some at random, some at edges."""
    for _ in range(4):
        at = drawn.change + chance.uniform(-1, 1) * drawn.reach
        begin, end = period_of(level, at := at.replace(microsecond=0), drawn.zone)
        edges = [begin, end, end + DAY, end - (end - begin) / 5]
        if level["property"] == "timeOfAvailability":
            edges.append(deadline(begin.astimezone(drawn.zone).date(), level["value"], drawn.zone))
        if level.get("unit") not in (None, "percent") and level["property"] != "frequency":
            value, unit = Fraction(str(level["value"])), level["unit"]
            edges += [later(each.uploaded, value, unit, drawn.zone) for each in drawn.sent]
        now = chance.choice((*edges, begin + chance.random() * (end - begin), end + chance.random() * 2 * DAY))
        yield at, max(begin, min(now, end + 3 * DAY)) + chance.choice((-1, 0, 1)) * SECOND


def _file(sent: Sent, now: datetime) -> File:
    read = sent.counted(now)
    valid = 0 if read is None else sent.valid
    return File(sent.name, sent.uploaded, sent.readable(now), sent.is_open(now), read, valid, sent.fact)


@pytest.mark.parametrize("seeds", [range(60), range(60, 1000)], ids=["few", "many"])
def test_drawn_timelines_get_the_second_opinion(seeds: range) -> None:
    seen: Counter[tuple[str, str | None]] = Counter()
    for seed in seeds:
        chance = Random(seed)
        drawn = _drawn(chance)
        for promise, level in zip(drawn.promises, drawn.levels, strict=True):
            for at, now in _moments(chance, drawn, level):
                begin, end = period_of(level, at, drawn.zone)
                period, since = (
                    promise.period_of(at),
                    chance.choice((begin - 99 * DAY, begin, begin + (end - begin) / 3)),
                )
                had_data = since < begin and chance.random() < HAD_DATA
                if now < since:
                    continue
                scene = Scene(level, drawn.arrival, drawn.zone, since, had_data, now, drawn.sent)
                state = judge(promise, period, _seen(promise, period, scene), now).state
                assert (seed, level, period, now, state) == (
                    seed,
                    level,
                    Period(begin, end),
                    now,
                    state_of(scene, begin, end),
                )
                seen[promise.kind, state] += 1

    kinds = set(KINDS) - {"retention"}
    assert {(kind, state) for kind in kinds for state in ("met", "missed")} <= set(seen)
    assert {state for _, state in seen} == {None, "unknown", "met", "at_risk", "missed"}


def _seen(promise: Promise, period: Period, scene: Scene) -> Seen:
    """Return the uploads as the schedule reads them: those that may matter to the period, the newest first."""
    sent = [each for each in reversed(scene.sent) if each.uploaded >= promise.reaches(period)]
    return Seen(tuple(_file(each, scene.now) for each in sent), scene.since, has_data=scene.had_data)
