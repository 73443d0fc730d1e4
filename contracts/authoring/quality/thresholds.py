"""Thresholds of library metrics: a quality entry in, the plan's threshold and its words out."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import OPERATORS, Threshold
from contracts.problem import nearest

NOUNS = {
    "nullValues": "nulls",
    "missingValues": "missing values",
    "duplicateValues": "repeated values",
    "rowCount": "records",
    "notBlank": "blank values",
    "expression": "failing records",
}
"""The nouns for what a metric counts, where they are not `invalid values`."""
SIGNS = {
    "mustBe": "=",
    "mustNotBe": "!=",
    "mustBeGreaterThan": ">",
    "mustBeGreaterOrEqualTo": ">=",
    "mustBeLessThan": "<",
    "mustBeLessOrEqualTo": "<=",
}
ENDS = {"mustBeBetween": ("between", "excluded"), "mustNotBeBetween": ("not between", "allowed")}
WHOLE = 100
PAIR = 2


def read(document: Document, path: Path, entry: dict[str, Any]) -> Threshold | None:
    """The threshold of an entry; None, and a finding, if it has none that can be met."""
    operator = next((o for o in OPERATORS if o in entry), None)
    unit = entry.get("unit", "rows")
    if operator is None or not _is_unit(document, (*path, "unit"), unit, entry["metric"]):
        return None
    at: Path = (*path, operator)
    raw = entry[operator] if operator in ENDS else [entry[operator]]
    if operator in ENDS and not (isinstance(raw, list) and len(raw) == PAIR):
        document.wrong_type(at, "a list of two numbers")
        return None
    if not all(isinstance(v, (int, Decimal)) and not isinstance(v, bool) for v in raw):
        document.wrong_type(at, "a number")
        return None
    made = Threshold(operator, tuple(Decimal(v) for v in raw), unit)
    if wrong := _never_holds(made, entry["metric"]):
        document.error(at, "cannot-hold", *wrong)
        return None
    return made


def _is_unit(document: Document, path: Path, unit: str, metric: str) -> bool:
    if unit not in {"rows", "percent"}:
        close = "percent" if unit == "%" else nearest(unit, ("rows", "percent"))
        fix = f"Write `{close}`." if close else "Write `rows` or `percent`."
        document.error(path, "unknown-unit", f"`{unit}` is not a unit.", fix)
        return False
    if unit == "percent" and metric == "rowCount":
        message = "A percentage of records has nothing to be a part of."
        document.error(path, "unknown-unit", message, "Leave `unit` out; rowCount is a number of records.")
        return False
    return True


def _never_holds(made: Threshold, metric: str) -> tuple[str, str] | None:
    """Return why a threshold can never or always hold, and what to write instead; None if it makes sense."""
    low, high = made.values[0], made.values[-1]
    if min(low, high) < 0:
        return "A count is never below 0.", "Write 0 or more."
    if made.unit == "percent" and max(low, high) > WHOLE:
        return "A percentage is never above 100.", "Write at most 100."
    if low > high:
        return "The greater number comes first.", f"Write [{high}, {low}]."
    if made.operator == "mustBeLessThan" and low == 0:
        return "A count is never below 0.", "Write `mustBe: 0`."
    if made.unit == "rows" and made.operator == "mustBe" and low != low.to_integral_value():
        return "A count is a whole number.", "Write one."
    if made.unit == "rows" and made.operator == "mustBeBetween" and int(low) + 1 >= high:
        return f"No count lies between {low} and {high}, the ends excluded.", "Write a wider range, or `mustBe`."
    if metric == "duplicateValues" and _is_one_alone(made):
        return "A repeated value is counted with the one it repeats: never 1.", "Write `mustBe: 0`, or allow 2 or more."
    return None


def _is_one_alone(made: Threshold) -> bool:
    """Return True if a threshold accepts a count of 1 and no other."""
    low, high = made.values[0], made.values[-1]
    return made.unit == "rows" and (
        (made.operator == "mustBe" and low == 1) or (made.operator == "mustBeBetween" and low < 1 < high <= 2)
    )


def words(threshold: Threshold, metric: str) -> str:
    """A threshold for people: `nulls < 10 %`, `between 100 and 200 records, ends excluded`."""
    noun, unit = NOUNS.get(metric, "invalid values"), " %" if threshold.unit == "percent" else ""
    figures = [f"{v:,}" for v in threshold.values]
    if threshold.operator in ENDS:
        between, ends = ENDS[threshold.operator]
        span = f"{between} {figures[0]} and {figures[1]}"
        return f"{span} {noun}, ends {ends}" if metric == "rowCount" else f"{noun} {span}{unit}, ends {ends}"
    sign = SIGNS[threshold.operator]
    return f"{sign} {figures[0]} {noun}" if metric == "rowCount" else f"{noun} {sign} {figures[0]}{unit}"
