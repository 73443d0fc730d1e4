"""High marks: the greatest values of accepted drops, for checks that judge only newer records. Pure.

A plan and marks in, a plan whose filters leave out the records that are not above their mark, out. A check without a
mark judges all records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal

from contracts.plan import LogicalType, Plan


@dataclass(frozen=True, slots=True)
class HighMark:
    """The greatest value of a property: of dates in days since 1970, of timestamps in microseconds.

    One of another type than the property has by now says nothing.
    """

    property: str
    type: LogicalType
    value: Decimal


TYPES: tuple[LogicalType, ...] = ("date", "timestamp", "integer", "number")
"""The types of properties that have one; a number only where it is exact."""
IN_SQL = {
    "date": "date_from_unix_date({:f})",
    "timestamp": "timestamp_micros({:f}L)",
    "integer": "{:f}BD",
    "number": "{:f}BD",
}
"""A mark of each of these types in SQL, as a value of its property."""


def marked(plan: Plan, marks: Iterable[HighMark]) -> Plan:
    """The plan with the marks in the filters of its checks; it keeps its name."""
    numbers = {p.name: n for n, p in enumerate(plan.properties)}
    usable = [m for m in marks if m.property in numbers and plan.property_named(m.property).type == m.type]
    above = {m.property: f"v{numbers[m.property]} > {IN_SQL[m.type].format(m.value)}" for m in usable}
    if not above.keys() & set(plan.watermarks):
        return plan
    checks = []
    for check in plan.checks:
        test, only = above.get(check.watermark or ""), check.filter
        if test is None or only is None:
            checks.append(check)
        else:
            checks.append(replace(check, filter=replace(only, sql=f"({test} and {only.sql})")))
    return replace(plan, checks=tuple(checks), unmarked=plan.sha)


def moment_of_mark(mark: HighMark, zone: tzinfo) -> datetime | None:
    """Return the moment of a mark of dates (when the day begins in a zone) or timestamps; None for other types."""
    try:
        if mark.type == "date":
            day = date(1970, 1, 1) + timedelta(days=int(mark.value))
            return datetime.combine(day, time(), zone).astimezone(UTC)
        if mark.type == "timestamp":
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(mark.value))
    except OverflowError:  # before the year 1 or after 9999, which files may write
        return None
    return None


def further(before: Iterable[HighMark], after: Iterable[HighMark]) -> tuple[HighMark, ...]:
    """Return the greater high mark of each property; a later mark of another type replaces the earlier one."""
    greatest = {mark.property: mark for mark in before}
    for mark in after:
        last = greatest.get(mark.property)
        if last is None or last.type != mark.type or last.value < mark.value:
            greatest[mark.property] = mark
    return tuple(greatest[name] for name in sorted(greatest))
