"""Directions of changed rules: the values before and after in, a direction (tightens, loosens, both, none) out.

What is held against a number is compared where it may turn: at its ends, beside and between them. So no rule of
inclusion has to be thought of for each pair of operators, and whole numbers and shares have their own neighbours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from contracts.authoring.diff.change import Direction, direction, joined, turned
from contracts.authoring.properties.values import order_of
from contracts.plan import (
    EXPECTATION,
    FIGURES,
    FOREIGN_KEY,
    HOLDS,
    QUERIES,
    UNCHECKED,
    Check,
    Limit,
    Plan,
    Property,
    Threshold,
)
from contracts.terms.arrival import Arrival
from contracts.terms.trailer import Trailer
from contracts.values.text_formats import INTEGERS

Domain = Literal["rows", "percent", "figure"]
NOTHING = Limit(Decimal(0), "rows")
WHOLE = Fraction(100)


def of_sets(before: Collection[Any] | None, after: Collection[Any] | None) -> Direction:
    """Values that are allowed, more or fewer of them; None allows all."""
    if before is None or after is None:
        return direction(tightens=before is None and after is not None, loosens=after is None and before is not None)
    old, new = set(before), set(after)
    return direction(tightens=bool(old - new), loosens=bool(new - old))


def of_policies(before: str, after: str) -> Direction:
    """Policies that refuse or do not: reject, exact and enforce do."""
    strict = ("reject", "exact", "enforce")
    return direction(
        tightens=after in strict and before not in strict, loosens=before in strict and after not in strict
    )


def of_arrivals(before: Arrival | None, after: Arrival | None) -> Direction:
    """Return the direction of a change of arrival windows; None, and a window that only warns, refuse no file."""
    old, new = (one if one and one.outside == "reject" else None for one in (before, after))
    if old is None or new is None:
        return direction(tightens=old is None and new is not None, loosens=new is None and old is not None)
    if old.zone != new.zone:
        return "both"
    days = of_sets(old.days, new.days)
    times = direction(
        tightens=new.since > old.since or new.by < old.by, loosens=new.since < old.since or new.by > old.by
    )
    return joined((days, times))


def of_trailers(before: Trailer | None, after: Trailer | None) -> Direction:
    """The more a trailer says, the fewer files agree with it; another beginning or place is of other files."""
    if before is None or after is None or before.begins != after.begins:
        return "both"
    old, new = _figures(before), _figures(after)
    if any(old[what] != new[what] for what in old.keys() & new.keys()):
        return "both"
    return direction(tightens=bool(new.keys() - old.keys()), loosens=bool(old.keys() - new.keys()))


def _figures(rule: Trailer) -> dict[str | None, int]:
    """The places of a trailer's figures: of the records by None, of sums by property."""
    return {**rule.sums} | ({None: rule.rows} if rule.rows else {})


def of_limits(before: Limit | None, after: Limit | None) -> Direction:
    """Return the direction of a change of the number of rows that may fail; None allows none."""
    return of_thresholds(_as_threshold(before or NOTHING), _as_threshold(after or NOTHING))


def of_thresholds(before: Threshold, after: Threshold, *, figure: bool = False) -> Direction:
    """Return the direction of a change of a threshold on a number of rows, a percentage or a figure."""
    if before.unit != after.unit and not figure:
        return _of_units(before, after)
    domain: Domain = "figure" if figure else before.unit
    points = _points(domain, (*before.values, *after.values))
    pairs = [(_holds(before, p), _holds(after, p)) for p in points]
    return direction(tightens=(True, False) in pairs, loosens=(False, True) in pairs)


def _of_units(before: Threshold, after: Threshold) -> Direction:
    """Rows against percent: they can be told apart only where one of them accepts no failing row."""
    if _nothing_alone(before) and _nothing_alone(after):
        return "none"
    if _nothing_alone(before) and _holds(after, Fraction(0)):
        return "loosens"
    if _nothing_alone(after) and _holds(before, Fraction(0)):
        return "tightens"
    return "both"


def _as_threshold(limit: Limit) -> Threshold:
    return Threshold("mustBeLessOrEqualTo", (limit.value,), limit.unit)


def _holds(threshold: Threshold, point: Fraction) -> bool:
    low, high = Fraction(threshold.values[0]), Fraction(threshold.values[-1])
    return HOLDS[threshold.operator](point, low, high)


def _points(domain: Domain, values: Collection[Decimal]) -> list[Fraction]:
    """The ends, what lies beside them, and what between; of numbers of rows whole ones, of percentages up to 100."""
    ends = sorted({Fraction(v) for v in values})
    if domain == "rows":
        near = {math.floor(e) + d for e in ends for d in (-1, 0, 1, 2)}
        return [Fraction(n) for n in sorted({0, *near}) if n >= 0]
    if domain == "percent":
        ends = sorted({Fraction(0), *ends, WHOLE})
    between = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    found = sorted({ends[0] - 1, *ends, *between, ends[-1] + 1})
    return found if domain == "figure" else [p for p in found if 0 <= p <= WHOLE]


def _nothing_alone(threshold: Threshold) -> bool:
    """Return True if a threshold accepts zero failing rows and nothing else."""
    points = _points(threshold.unit, threshold.values)
    return [p for p in points if _holds(threshold, p)] == [Fraction(0)]


def _falls(threshold: Threshold) -> bool:
    """Return True if fewer failing rows are never worse under a threshold."""
    held = [_holds(threshold, p) for p in _points(threshold.unit, threshold.values)]
    return held == sorted(held, reverse=True)


# ---- checks


def limit_of(check: Check, plan: Plan) -> Threshold:
    """Return the threshold for the number of a check's failing rows, or for its figure."""
    if check.threshold and check.scope == "set":
        return check.threshold
    lent = plan.tolerance if check.scope != "set" else None
    return _as_threshold(check.tolerance or lent or NOTHING)


def of_tolerances(old: tuple[Check, Plan], new: tuple[Check, Plan]) -> Direction:
    """Return the direction of a change of the failing rows that two plans tolerate for a check."""
    return of_thresholds(limit_of(*old), limit_of(*new))


def of_file_tolerance(before: Plan, after: Plan) -> Direction:
    """The file's tolerance: it is lent to the row checks without their own, and bounds all of them together.

    Where there was none, checks with tolerances of their own had no bound together.
    """
    own = any(c.tolerance for p in (before, after) for c in p.row_checks() if c.severity == "error")
    old, new = before.tolerance, after.tolerance
    alone = (
        direction(tightens=old is None and own, loosens=new is None and own)
        if (old is None) != (new is None)
        else "none"
    )
    return joined((of_limits(old, new), alone))


def of_rules(old: tuple[Check, Plan], new: tuple[Check, Plan]) -> Direction:
    """Return the direction of a change of arguments or threshold, for two error checks of one property and kind."""
    (before, was), (after, now) = old, new
    props = (_properties(before, was), _properties(after, now))
    if before.kind != after.kind:
        return _of_ends(before, after, *props)
    values = joined((ARGUMENTS[before.kind](before.arguments, after.arguments, *props), _filters(old, new)))
    if before.scope != after.scope:
        at_all = of_thresholds(limit_of(*old), limit_of(*new))
        row = limit_of(*(old if before.scope == "row" else new))
        return joined((at_all, values)) if values == "none" and _nothing_alone(row) else "both"
    if not before.threshold or not after.threshold:
        return values
    figure = before.kind in (*FIGURES, *QUERIES)
    if values != "none" and not (_falls(before.threshold) and _falls(after.threshold)):
        values = "both"
    return joined((values, of_thresholds(before.threshold, after.threshold, figure=figure)))


def _filters(old: tuple[Check, Plan], new: tuple[Check, Plan]) -> Direction:
    """Return the direction of a change of filters: more records tighten, but a share or a figure can go either way."""
    before, after = (_conditions(c) for c, _ in (old, new))
    if before == after:
        return "none"
    if old[0].kind in (*FIGURES, *QUERIES, EXPECTATION):
        return "both"  # of fewer records a sum may be greater, and a statement may find more
    if not (before < after or after < before) or any(
        not _falls(limit := limit_of(*side)) or limit.unit == "percent" for side in (old, new)
    ):
        return "both"
    return "loosens" if before < after else "tightens"


def _conditions(check: Check) -> set[tuple[str, str]]:
    """Return the conditions that a record must meet for a check to read it."""
    said = {"text": check.arguments.get("filter", {}).get("text"), "watermark": check.watermark}
    return {(key, text) for key, text in said.items() if text}


def _properties(check: Check, plan: Plan) -> Property | None:
    return plan.property_named(check.property) if check.property else None


def place(text: str, prop: Property | None) -> Any:
    """A value of the contract as what it stands for, so that two ways of writing it are the same."""
    if prop is None or prop.type in ("string", "boolean"):
        return text
    return Fraction(text) if prop.type in ("integer", "number") else order_of(text, prop)


Arguments = Mapping[str, Any]
Compare = Callable[[Arguments, Arguments, Property | None, Property | None], Direction]


def _places(
    key: str, before: Arguments, after: Arguments, was: Property | None, now: Property | None
) -> tuple[Any, Any] | None:
    """Values of both sides that can be compared; None where the property is of another type."""
    if was and now and was.type != now.type:
        return None
    return place(before[key], was), place(after[key], now)


def _lower(before: Arguments, after: Arguments, was: Property | None, now: Property | None) -> Direction:
    found = _places("value", before, after, was, now)
    return direction(tightens=found[1] > found[0], loosens=found[1] < found[0]) if found else "both"


def _upper(before: Arguments, after: Arguments, was: Property | None, now: Property | None) -> Direction:
    return turned(_lower(before, after, was, now))


OTHER_END = {
    "minimum": "exclusiveMinimum",
    "exclusiveMinimum": "minimum",
    "maximum": "exclusiveMaximum",
    "exclusiveMaximum": "maximum",
}
"""Kinds of checks that say the same of a value, but for the bound itself."""


def _of_ends(before: Check, after: Check, was: Property | None, now: Property | None) -> Direction:
    """A bound that is allowed where it was not, or is not where it was; whole numbers and days have a next one."""
    if was is None or now is None or was.type != now.type or before.where != after.where:
        return "both"
    sign = 1 if before.kind in ("minimum", "exclusiveMinimum") else -1
    old, new = (_end(check, prop, sign) for check, prop in ((before, was), (after, now)))
    return direction(tightens=new > old, loosens=new < old)


def _end(check: Check, prop: Property, sign: int) -> tuple[Any, bool]:
    """Return the end of the allowed values, seen from the side of the bound, and whether the end itself is excluded."""
    end = sign * place(check.arguments["value"], prop)
    if not check.kind.startswith("exclusive"):
        return end, False
    return (end + 1, False) if prop.type in ("integer", "date") else (end, True)


def _length(sign: int) -> Compare:
    def compare(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
        more = (after["value"] - before["value"]) * sign
        return direction(tightens=more > 0, loosens=more < 0)

    return compare


def _multiple(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    old, new = Fraction(before["value"]), Fraction(after["value"])
    if old == new:
        return "none"
    if (new / old).denominator == 1:
        return "tightens"
    return "loosens" if (old / new).denominator == 1 else "both"


def _enum(before: Arguments, after: Arguments, was: Property | None, now: Property | None) -> Direction:
    if was and now and was.type != now.type:
        return "both"
    return of_sets([place(t, was) for t in before["values"]], [place(t, now) for t in after["values"]])


def _any(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    return "none" if before == after else "both"


def _expression(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    """By what is written: its SQL goes by the order of the properties."""
    return "none" if before["text"] == after["text"] else "both"


def _related(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    """By what is named: how many values are there is known of no reference."""
    keys = ("text", "properties")
    return "none" if all(before.get(key) == after.get(key) for key in keys) else "both"


def _quantile(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    return "none" if Fraction(before["value"]) == Fraction(after["value"]) else "both"


def _same(*_: Any) -> Direction:
    return "none"


def _format(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    old, new = INTEGERS.get(before["format"]), INTEGERS.get(after["format"])
    if old is None or new is None:
        return _any(before, after)
    tightens, loosens = new[0] > old[0] or new[1] < old[1], new[0] < old[0] or new[1] > old[1]
    return direction(tightens=tightens, loosens=loosens)


def _valid(before: Arguments, after: Arguments, was: Property | None, now: Property | None) -> Direction:
    if was and now and was.type != now.type:
        return "both"
    old, new = ([place(t, p) for t in a["values"]] if "values" in a else None for a, p in ((before, was), (after, now)))
    patterns = [a.get("pattern") for a in (before, after)]
    one = of_sets(*({p} if p is not None else None for p in patterns))
    return joined((of_sets(old, new), one))


def _missing(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    old, new = ({*a["values"], *([None] if a["null"] else [])} for a in (before, after))
    return turned(of_sets(old, new))


def _key(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    """Parts of a primary key: one more lets values repeat, and must not be null."""
    return "none" if set(before.get("properties", ())) == set(after.get("properties", ())) else "both"


def _together(before: Arguments, after: Arguments, *_: Property | None) -> Direction:
    """Properties whose values must not repeat together: one more makes fewer repeat."""
    return of_sets(before.get("properties", ()), after.get("properties", ()))


ARGUMENTS: dict[str, Compare] = {
    "minimum": _lower,
    "exclusiveMinimum": _lower,
    "maximum": _upper,
    "exclusiveMaximum": _upper,
    "multipleOf": _multiple,
    "minLength": _length(1),
    "maxLength": _length(-1),
    "minItems": _length(1),
    "maxItems": _length(-1),
    "minProperties": _length(1),
    "maxProperties": _length(-1),
    **dict.fromkeys(("uniqueItems", "deprecated"), _same),
    "pattern": _any,
    "regex": _any,
    "format": _format,
    "enum": _enum,
    "invalidValues": _valid,
    "missingValues": _missing,
    **dict.fromkeys(("expression", "sql", "statement"), _expression),
    FOREIGN_KEY: _related,
    "quantile": _quantile,
    **dict.fromkeys(UNCHECKED, _same),  # nobody is refused for them
    EXPECTATION: _any,
    "primaryKey": _key,
    "duplicateValues": _together,
    "logicalType": _same,  # the property's own change says it
    **dict.fromkeys(("required", "unique", "nullValues", "notBlank", "rowCount"), _same),
    **dict.fromkeys(("fields", "quotes", "text", "object", "keys", "knownKeys"), _same),
    **dict.fromkeys(FIGURES, _same),  # their limits are the threshold's
}
"""By kind of check: which way its arguments go."""


def of_values(way: Direction, before: Plan, after: Plan, name: str) -> Direction:
    """The direction of fewer or more values of a property's type, when other rules look at it.

    What is no value of its type counts as null for every other rule. So fewer values tighten only if none that is left
    out is let through: the type's own check rejects, and tolerates nothing.
    """
    narrower = after if way == "tightens" else before
    return way if way == "none" or _is_strict(narrower, name) else "both"


def _is_strict(plan: Plan, name: str) -> bool:
    own = next((c for c in plan.checks if c.kind == "logicalType" and c.property == name), None)
    return own is not None and own.severity == "error" and _nothing_alone(limit_of(own, plan))


def of_exact(before: tuple[int, int] | None, after: tuple[int, int] | None) -> Direction:
    """Digits in all and after the point: more on both sides of the point accept more; doubles are other numbers."""
    if before is None or after is None:
        return "none" if before == after else "both"
    (old, scale), (new, finer) = before, after
    sides = ((old - scale, new - finer), (scale, finer))
    return direction(tightens=any(b < a for a, b in sides), loosens=any(b > a for a, b in sides))


def of_offsets(before: bool | None, after: bool | None) -> Direction:
    """Return the direction of a change of a timestamp's offset; None allows timestamps with and without one."""
    every = {True, False}
    return of_sets(every if before is None else {before}, every if after is None else {after})
