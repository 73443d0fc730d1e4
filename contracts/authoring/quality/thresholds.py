"""Thresholds of library metrics: a quality entry in, the plan's threshold and its words out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import pairwise
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.quality import history
from contracts.plan import OPERATORS, Threshold
from contracts.problem import nearest
from contracts.terms.history import Relative

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
MOST_DIGITS = 100
PAIR = 2


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures that a threshold may be held against: the least and the greatest, and one between that is none."""

    noun: str = "value"
    least: Decimal | None = None
    most: Decimal | None = None
    whole: bool = False
    never: Decimal | None = None


COUNTS = Figures("count", Decimal(0), whole=True)
REPEATS = Figures("count", Decimal(0), whole=True, never=Decimal(1))
"""Counts of repeated values, each with the one that it repeats."""
NOTHING = Decimal(-WHOLE)
"""The difference of no record at all from others, in percent."""
PERCENTAGES = Figures("percentage", Decimal(0), Decimal(WHOLE))


def read(document: Document, path: Path, entry: dict[str, Any]) -> Threshold | None:
    """The threshold of an entry; None, and a finding, if it has none that can be met."""
    operator = next((o for o in OPERATORS if o in entry), None)
    unit, metric = entry.get("unit", "rows"), entry["metric"]
    if operator is None:
        return None
    if unit not in {"rows", "percent"}:
        close = "percent" if unit == "%" else nearest(unit, ("rows", "percent"))
        fix = f"Write `{close}`." if close else "Write `rows` or `percent`."
        document.error((*path, "unit"), "unknown-unit", f"`{unit}` is not a unit.", fix)
        return None
    if unit == "percent" and metric == "rowCount":
        message = "A percentage of records has nothing to be a part of."
        of_difference = history.placed(path, entry) is not None
        fix = "Leave `unit` out; rowCount is a number of records."
        fix = f"Write `unit: percent` within `{history.KEY}`, or leave it out." if of_difference else fix
        document.error((*path, "unit"), "unknown-unit", message, fix)
        return None
    at: Path = (*path, operator)
    raw = entry[operator] if operator in ENDS else [entry[operator]]
    if operator in ENDS and not (isinstance(raw, list) and len(raw) == PAIR):
        document.wrong_type(at, "a list of two numbers")
        return None
    if not all(isinstance(v, (int, Decimal)) and not isinstance(v, bool) and Decimal(v).is_finite() for v in raw):
        document.wrong_type(at, "a number")
        return None
    made = Threshold(operator, tuple(Decimal(v) for v in raw), unit)
    if place := history.placed(path, entry):
        return against(document, at, made, history.read(document, *place), [str(v) for v in raw], least=NOTHING)
    if wrong := _never_holds(made, metric):
        document.error(at, "cannot-hold", *wrong)
        return None
    figures = PERCENTAGES if unit == "percent" else REPEATS if metric == "duplicateValues" else COUNTS
    return made if holds_for_some(document, at, made, figures, [str(v) for v in raw]) else None


def against(
    document: Document,
    path: Path,
    threshold: Threshold,
    relative: Relative | None,
    texts: Sequence[str],
    *,
    least: Decimal | None = None,
) -> Threshold | None:
    """Return a threshold of differences from earlier files; None, and findings, if none meets it.

    `least` is the least difference in percent, of figures that are never below 0.
    """
    if relative is None:
        return None
    figures = Figures("difference", least if relative.by == "percent" else None)
    made = replace(threshold, relative=relative)
    return made if holds_for_some(document, path, threshold, figures, texts) else None


def with_operator(inner: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a metric of failures with an operator; without one of their own, none is allowed."""
    return inner if any(o in inner for o in (*OPERATORS, history.KEY)) else {**inner, "mustBe": 0}


def _never_holds(made: Threshold, metric: str) -> tuple[str, str] | None:
    """Return why no number can be at a threshold, and a fix; None if one can be."""
    low, high = made.values[0], made.values[-1]
    if min(low, high) < 0:
        return "A count is never below 0.", "Write 0 or more."
    if made.unit == "percent" and max(low, high) > WHOLE:
        return "A percentage is never above 100.", "Write at most 100."
    if made.operator == "mustBeLessThan" and low == 0:
        return "A count is never below 0.", "Write `mustBe: 0`."
    if made.unit == "rows" and made.operator == "mustBe" and low != low.to_integral_value():
        return "A count is a whole number.", "Write one."
    accepts_one_alone = (made.operator == "mustBe" and low == 1) or (
        made.operator == "mustBeBetween" and low < 1 < high <= 2
    )
    if metric == "duplicateValues" and made.unit == "rows" and accepts_one_alone:
        return "A repeated value is counted with the one it repeats: never 1.", "Write `mustBe: 0`, or allow 2 or more."
    return None


def holds_for_some(
    document: Document, path: Path, threshold: Threshold, figures: Figures, texts: Sequence[str]
) -> bool:
    """Return True unless no figure meets a threshold; report one that none meets, and warn of one that all meet."""
    if threshold.operator in ENDS and threshold.values[0] > threshold.values[-1]:
        fix = f"Write [{texts[1]}, {texts[0]}]."
        document.error(path, "cannot-hold", f"The greater {figures.noun} comes first.", fix)
        return False
    # The answers for all figures: for those next to the ends of its ranges, and between them.
    least, most = figures.least, figures.most
    with localcontext(prec=MOST_DIGITS):
        edges = sorted({*threshold.values, *(end for end in (least, most) if end is not None)})
        if figures.whole:
            floors = [edge.to_integral_value(ROUND_FLOOR) for edge in edges]
            samples = {floor + step for floor in floors for step in (-1, 0, 1, 2)}
        else:
            samples = {*edges, *((a + b) / 2 for a, b in pairwise(edges)), edges[0] - 1, edges[-1] + 1}
        there = [s for s in samples if (least is None or s >= least) and (most is None or s <= most)]
    bare = Threshold(threshold.operator, threshold.values)
    met = {bare.holds(sample, 0) for sample in there if sample != figures.never}
    if met == {False}:
        ends = f"lies between {texts[0]} and {texts[-1]}, the ends excluded"
        test = ends if threshold.operator in ENDS else f"is {SIGNS[threshold.operator]} {texts[0]}"
        document.error(path, "cannot-hold", f"No {figures.noun} {test}.", "Write another number, or another operator.")
        return False
    if met == {True}:
        message = f"Every {figures.noun} meets this: the check never fails."
        document.warning(path, "always-holds", message, "Write another number, or leave the entry out.")
    return True


def words(threshold: Threshold, metric: str) -> str:
    """A threshold for people: `nulls < 10 %`, `between 100 and 200 records, ends excluded`."""
    noun, unit = NOUNS.get(metric, "invalid values"), " %" if threshold.unit == "percent" else ""
    if threshold.relative:
        share = "percentage" if threshold.unit == "percent" else "number"
        return away(f"{share} of {noun}", threshold, threshold.relative)
    figures = [f"{v:,}" for v in threshold.values]
    if threshold.operator in ENDS:
        between, ends = ENDS[threshold.operator]
        span = f"{between} {figures[0]} and {figures[1]}"
        return f"{span} {noun}, ends {ends}" if metric == "rowCount" else f"{noun} {span}{unit}, ends {ends}"
    sign = SIGNS[threshold.operator]
    return f"{sign} {figures[0]} {noun}" if metric == "rowCount" else f"{noun} {sign} {figures[0]}{unit}"


def away(figure: str, threshold: Threshold, relative: Relative) -> str:
    """A relative threshold for people: `number of records > -50 % from the median of the last 8 files`."""
    numbers = [f"{v:+,f}" for v in threshold.values]
    if threshold.operator in ENDS:
        between, ends = ENDS[threshold.operator]
        return f"{figure} {between} {numbers[0]} and {numbers[1]} {relative.unit} from {relative.words}, ends {ends}"
    return f"{figure} {SIGNS[threshold.operator]} {numbers[0]} {relative.unit} from {relative.words}"
