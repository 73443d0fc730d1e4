"""Schedules of Quartz in (a cron expression of six fields), the service level that they ask for out. Pure.

A check that runs at a time needs its data by then: a time of each day is a `timeOfAvailability`, and a check that runs
again within the day asks for new data as often (`frequency`). Schedules of some days only have no service level.
"""

from __future__ import annotations

import re
from typing import Any

ANY = ("*", "?")
DAY, HOUR = 24, 60
LEAST = 5
"""The fewest minutes of a frequency that is held."""


def level_of(expression: str) -> dict[str, Any] | None:
    """Return the service level of a schedule, its time in UTC; None if no service level says the same."""
    seconds, minutes, hours, *days = expression.split(" ")
    if not seconds.isdecimal() or any(day not in ANY for day in days):
        return None
    if minutes.isdecimal() and hours.isdecimal():
        is_a_time = int(minutes) < HOUR and int(hours) < DAY
        return {"property": "timeOfAvailability", "value": f"{hours:0>2}:{minutes:0>2}"} if is_a_time else None
    if hours == "*" and (each := _step(minutes, HOUR)) and each >= LEAST:
        return _every(each, HOUR, "min", "h")
    if minutes.isdecimal() and (each := _step(hours, DAY)):
        return _every(each, DAY, "h", "d")
    return None


def _step(field: str, whole: int) -> int | None:
    """Return the distance of the times of a field if it is the same over the whole: `*`, `*/15` or `5/15`."""
    if field == "*":
        return 1
    if field.isdecimal() and whole == HOUR and int(field) < HOUR:
        return HOUR
    step = re.fullmatch(r"(\*|[0-9]{1,2})/([0-9]{1,2})", field)
    if step is None:
        return None
    begin, each = int(step[1].replace("*", "0")), int(step[2])
    return each if begin < each and whole % each == 0 else None


def _every(each: int, whole: int, unit: str, larger: str) -> dict[str, Any]:
    value, name = (each, unit) if each < whole else (each // whole, larger)
    return {"property": "frequency", "value": value, "unit": name}
