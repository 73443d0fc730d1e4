"""Checks against history, judged a second time: uploads with their records in, the answer of each check to each out.

Written from docs/reference/checks.md, "Checks against history", with fractions, roots of sixty digits and nothing of
our own code. An entry is read as it is written in the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

Entry = Mapping[str, Any]
Row = tuple[str, Fraction | None]
"""A record: its id, empty where a fault is meant, and the value of its only number."""
SIXTY = Context(prec=60)
ENDLESS = Fraction(10) ** 30
NEARLY = Fraction(1, 10**40)
"""The difference that digits of a root make."""


@dataclass(slots=True)
class Upload:
    """A file of some records; `stands` says if it counts as history at the moment, as verdict or person decided."""

    key: str
    at: datetime
    rows: Sequence[Row]
    stands: bool = False
    answers: dict[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a check: its result, its own figure, and the earlier figures that count, the newest first."""

    result: str
    figure: Fraction | None
    earlier: tuple[Fraction, ...] = ()


def judge(entries: Sequence[Entry], before: Sequence[Upload], upload: Upload, *, versions: bool) -> str:
    """Note the answers of all checks to an upload, and return its verdict; `before` are all uploads received before."""
    for entry in entries:
        upload.answers[entry["id"]] = _answer(entry, before, upload, versions=versions)
    results = [answer.result for answer in upload.answers.values()]
    results += ["failed" if _severity(entry) == "error" else "warning" for entry in entries if _lacks(entry, upload)]
    is_bad = "failed" in results or any(not name for name, _ in upload.rows)
    upload.stands = not is_bad
    return "rejected" if is_bad else "accepted_with_warnings" if "warning" in results else "accepted"


def _lacks(entry: Entry, upload: Upload) -> bool:
    """Return True if an entry asks for a figure of values, and no record has one: that counts against the file."""
    is_empty = all(value is None for _, value in upload.rows)
    return is_empty and bool(upload.rows) and _metric(entry) in OF_VALUES


def _answer(entry: Entry, before: Sequence[Upload], upload: Upload, *, versions: bool) -> Answer:
    figure = _figure(entry, upload.rows)
    relative = _relative(entry)
    earlier = tuple(_earlier(entry, before, upload, versions=versions))[: relative["last"]]
    if figure is None or len(earlier) < relative.get("least", relative["last"]):
        return Answer("not_evaluated", figure, earlier)
    holds = _holds(entry, _difference(relative, earlier, figure))
    return Answer("passed" if holds else "failed" if _severity(entry) == "error" else "warning", figure, earlier)


def _earlier(entry: Entry, before: Sequence[Upload], upload: Upload, *, versions: bool) -> Iterator[Fraction]:
    """Yield the figures that count, the newest first."""
    relative = _relative(entry)
    taken = {(upload.key, _day(relative, upload))}
    for other in reversed(before):
        figure, shelf = other.answers[entry["id"]].figure, (other.key, _day(relative, other))
        of_weekday = "period" not in relative or shelf[1].weekday() == _day(relative, upload).weekday()
        if other.stands and figure is not None and of_weekday and (versions or shelf not in taken):
            taken.add(shelf)
            yield figure


def _day(relative: Mapping[str, Any], upload: Upload) -> date:
    return upload.at.astimezone(ZoneInfo(relative.get("zone", "UTC"))).date()


def _difference(relative: Mapping[str, Any], earlier: Sequence[Fraction], figure: Fraction) -> Fraction:
    """Return the difference in the unit of the entry; what is divided by 0 is endless."""
    mean = sum(earlier, Fraction(0)) / len(earlier)
    ordered, half = sorted(earlier), len(earlier) // 2
    median = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    distance = figure - (mean if relative["of"] == "mean" else median)
    if relative.get("unit", "percent") == "percent":
        scale = abs(mean if relative["of"] == "mean" else median) / 100
    else:
        squares = sum(((value - mean) * (value - mean) for value in earlier), Fraction(0)) / (len(earlier) - 1)
        scale = Fraction(SIXTY.sqrt(SIXTY.divide(Decimal(squares.numerator), Decimal(squares.denominator))))
    if scale:
        return distance / scale
    return Fraction(0) if not distance else ENDLESS if distance > 0 else -ENDLESS


def _holds(entry: Entry, difference: Fraction) -> bool:
    owner = entry.get("implementation", entry)
    (operator,) = (key for key in owner if key in OPERATORS)
    written = owner[operator] if isinstance(owner[operator], list) else [owner[operator]]
    limits = [Fraction(str(limit)) for limit in written]
    at = next((limit for limit in limits if abs(difference - limit) < NEARLY), difference)
    return OPERATORS[operator](at, *limits)


OPERATORS: Mapping[str, Callable[..., bool]] = {
    "mustBe": lambda seen, limit: seen == limit,
    "mustNotBe": lambda seen, limit: seen != limit,
    "mustBeGreaterThan": lambda seen, limit: seen > limit,
    "mustBeGreaterOrEqualTo": lambda seen, limit: seen >= limit,
    "mustBeLessThan": lambda seen, limit: seen < limit,
    "mustBeLessOrEqualTo": lambda seen, limit: seen <= limit,
    "mustBeBetween": lambda seen, low, high: low < seen < high,
    "mustNotBeBetween": lambda seen, low, high: not low < seen < high,
}


def _relative(entry: Entry) -> Mapping[str, Any]:
    places = [entry.get("arguments"), entry.get("implementation")]
    custom = [{each["property"]: each["value"]} for each in entry.get("customProperties", ())]
    return next(place["relativeTo"] for place in (*places, *custom) if place and "relativeTo" in place)


def _severity(entry: Entry) -> str:
    severity: str = entry.get("severity", "error")
    return severity


def _metric(entry: Entry) -> str:
    metric: str = entry.get("implementation", entry).get("metric", "sql")
    return metric


OF_VALUES: Mapping[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "mean": lambda values: sum(values, Fraction(0)) / len(values),
    "sum": lambda values: sum(values, Fraction(0)),
    "min": min,
    "max": max,
}


def _figure(entry: Entry, rows: Sequence[Row]) -> Fraction | None:
    """Return the figure of a file; None if it has none."""
    metric = _metric(entry)
    if metric == "rowCount":
        above = entry["arguments"].get("filter")
        return Fraction(sum(above is None or _is_above(above, value) for _, value in rows))
    if not rows:
        return None
    if metric == "nullValues":
        nulls = sum(value is None for _, value in rows)
        return Fraction(100 * nulls, len(rows)) if entry.get("unit") == "percent" else Fraction(nulls)
    if metric == "sql":
        return Fraction(sum(_is_above(entry["query"].partition(" where ")[2], value) for _, value in rows))
    values = [value for _, value in rows if value is not None]
    return OF_VALUES[metric](values) if values else None


def _is_above(condition: str, value: Fraction | None) -> bool:
    return value is not None and value > int(condition.removeprefix("x > "))
