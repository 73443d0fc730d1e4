"""Directions of changed rules: the values before and after in, a direction (tightens, loosens, both, none) out.

Thresholds are compared at the points where their answer may change: at their ends, next to them and between them. So no
pair of operators needs a rule of its own, and whole numbers and shares have neighbours of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeVar, assert_never, cast

from contracts import rules
from contracts.authoring.diff.change import Direction, direction, joined, turned
from contracts.authoring.drop_block.pattern_overlap import covers
from contracts.authoring.properties.values import order_of
from contracts.plan import HOLDS, Check, Columns, Limit, Match, Plan, Property, Threshold
from contracts.terms.arrival import Arrival
from contracts.terms.trailer import Footer, Trailer
from contracts.terms.value_form import PLAIN, ValueForm
from contracts.values.date_formats import needs
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


def of_patterns(before: Collection[str], after: Collection[str]) -> Direction:
    """Return the direction of a change of patterns of keys, by the keys that they match."""
    old, new = sorted(before), sorted(after)
    return direction(
        tightens=not all(covers(new, pattern) for pattern in old),
        loosens=not all(covers(old, pattern) for pattern in new),
    )


def of_policies(before: str, after: str) -> Direction:
    """Policies that refuse or do not: reject, exact and enforce do."""
    strict = ("reject", "exact", "enforce")
    return direction(
        tightens=after in strict and before not in strict, loosens=before in strict and after not in strict
    )


def lets_twins_in(plan: Plan) -> bool:
    """Return True if several columns that a plan does not know may have one name, or none."""
    return plan.read_as == "csv" and plan.csv.header and plan.columns.extra == "ignore"


def of_extra(before: Plan, after: Plan) -> Direction:
    """Return the direction of a change of the policy on columns that the contract has not."""
    if after.read_as == "jsonl":  # of which a check of its own holds the policy, and has the direction
        return "none"
    twins = direction(
        tightens=lets_twins_in(before) and not lets_twins_in(after),
        loosens=lets_twins_in(after) and not lets_twins_in(before),
    )
    return joined((of_policies(before.columns.extra, after.columns.extra), twins))


def of_matches(before: Columns, after: Columns) -> Direction:
    """Return the direction of a change of how columns are found; by their places other files agree than by names.

    Where other columns may be there, one of them may become a second one of a property.
    """
    ways: tuple[Match, ...] = ("exact", "trimmed", "anyCase")
    old, new = (ways.index(one.match) if one.match in ways else None for one in (before, after))
    if old is None or new is None or (old != new and {before.extra, after.extra} != {"reject"}):
        return "none" if before.match == after.match else "both"
    return direction(tightens=new < old, loosens=new > old)


def of_ends(before: Plan, after: Plan) -> Direction:
    """Return the direction of a change of trailing delimiters: a header that ends so may have a last column instead."""
    if "ignore" in (before.columns.extra, after.columns.extra):
        return "both"
    turn = direction(tightens=before.csv.trailing_delimiter, loosens=after.csv.trailing_delimiter)
    return of_malformed(before, after, "fields", turn)


def of_malformed(before: Plan, after: Plan, kind: str, turn: Direction) -> Direction:
    """Return the direction of a change of which lines are malformed, and fail a kind of check.

    No other check reads a malformed line: where it is tolerated, a check may fail without the change, or with it.
    """
    strict = after if turn == "tightens" else before
    limits = (strict.tolerance, *(c.tolerance for c in strict.checks if c.kind == kind))
    return "both" if turn != "none" and any(limit and limit.value for limit in limits) else turn


def of_permissions(before: bool, after: bool) -> Direction:
    """Return the direction of a change of what files may have."""
    return direction(tightens=before and not after, loosens=after and not before)


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


def of_forms(before: ValueForm | None, after: ValueForm | None, kind: str) -> Direction:
    """More texts are values if more may stand around, between or beside what a value is; of text they are others.

    Without a form values of JSON are as JSON has them; in most forms texts are values in addition.
    """
    if kind == "string":
        return "both"
    if before is None or after is None:
        form = before or after or PLAIN
        is_more = not (form.nulls or form.shift or form.formats)
        return direction(tightens=after is None, loosens=before is None) if is_more else "both"
    ways = [direction(tightens=before.trim and not after.trim, loosens=after.trim and not before.trim)]
    ways += [of_sets(getattr(before, name), getattr(after, name)) for name in ADDED]
    if before.group and after.group:
        ways.append(of_sets([before.group], [after.group]))
    else:
        ways.append(direction(tightens=bool(before.group), loosens=bool(after.group)))
    ways += [of_sets(before.true, after.true), of_sets(before.false, after.false)] if before.true and after.true else []
    rest = {name: getattr(after, name) for name in (*ADDED, "trim", "group")}
    if before.formats and after.formats:
        ways.append(of_sets(before.formats, after.formats))
        # A century or a language that only one of them needs gives no date another meaning.
        both = [{key for pattern in form.formats for key in needs(pattern)} for form in (before, after)]
        kept = {"century", "language"} - (both[0] & both[1])
        rest |= {name: getattr(after, name) for name in ("formats", *kept)}
    rest |= {"true": after.true, "false": after.false} if before.true and after.true else {}
    return joined(ways) if replace(before, **rest) == after else "both"


ADDED = ("prefixes", "suffixes", "negatives")
"""The fields of a form with texts and ways that a number may have in addition."""


def of_footers(before: Footer | None, after: Footer | None) -> Direction:
    """The more lines a footer may have, the more files agree with it; another beginning is of other files."""
    if before is None or after is None or before.begins != after.begins:
        return "both"
    return direction(tightens=after.lines < before.lines, loosens=after.lines > before.lines)


def of_record_types(before: Plan, after: Plan) -> Direction:
    """A first cell that records must have refuses those without it; another one is of other files."""
    old, new = before.csv.record, after.csv.record
    if old and new:
        return "both"
    return of_malformed(before, after, "recordType", direction(tightens=bool(new), loosens=bool(old)))


def _figures(rule: Trailer) -> dict[str | None, int]:
    """The places of a trailer's figures: of the records by None, of sums by property."""
    return {**rule.sums} | ({None: rule.rows} if rule.rows else {})


def of_limits(before: Limit | None, after: Limit | None) -> Direction:
    """Return the direction of a change of the number of rows that may fail; None allows none."""
    return of_thresholds(_as_threshold(before or NOTHING), _as_threshold(after or NOTHING))


def of_thresholds(before: Threshold, after: Threshold, *, figure: bool = False) -> Direction:
    """Return the direction of a change of a threshold on a number of rows, a percentage or a figure."""
    if before.unit != after.unit and not figure:
        # Rows against percent: they can be compared only if one of them accepts no failing row.
        if is_none_alone(before) and is_none_alone(after):
            return "none"
        if is_none_alone(before) and accepts_none(after):
            return "loosens"
        if is_none_alone(after) and accepts_none(before):
            return "tightens"
        return "both"
    domain: Domain = "figure" if figure else before.unit
    points = _points(domain, (*before.values, *after.values))
    pairs = [(_holds(before, p), _holds(after, p)) for p in points]
    return direction(tightens=(True, False) in pairs, loosens=(False, True) in pairs)


def _as_threshold(limit: Limit) -> Threshold:
    return Threshold("mustBeLessOrEqualTo", (limit.value,), limit.unit)


def _holds(threshold: Threshold, point: Fraction) -> bool:
    low, high = Fraction(threshold.values[0]), Fraction(threshold.values[-1])
    return HOLDS[threshold.operator](point, low, high)


def _points(domain: Domain, values: Collection[Decimal]) -> list[Fraction]:
    """The ends, their neighbours, and the points between: whole numbers of rows, percentages up to 100."""
    ends = sorted({Fraction(v) for v in values})
    if domain == "rows":
        near = {math.floor(e) + d for e in ends for d in (-1, 0, 1, 2)}
        return [Fraction(n) for n in sorted({0, *near}) if n >= 0]
    if domain == "percent":
        ends = sorted({Fraction(0), *ends, WHOLE})
    between = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    points = sorted({ends[0] - 1, *ends, *between, ends[-1] + 1})
    return points if domain == "figure" else [p for p in points if 0 <= p <= WHOLE]


def is_none_alone(threshold: Threshold) -> bool:
    """Return True if a threshold accepts zero failing rows and nothing else."""
    points = _points(threshold.unit, threshold.values)
    return [p for p in points if _holds(threshold, p)] == [Fraction(0)]


def accepts_none(threshold: Threshold) -> bool:
    """Return True if a threshold accepts that no row fails."""
    return _holds(threshold, Fraction(0))


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
    if type(before.rule) is not type(after.rule):
        return _of_ends(before, after, *props)
    values = joined((_of_arguments(before.rule, after.rule, *props), _filters(old, new)))
    if before.scope != after.scope:
        at_all = of_thresholds(limit_of(*old), limit_of(*new))
        row = limit_of(*(old if before.scope == "row" else new))
        return joined((at_all, values)) if values == "none" and is_none_alone(row) else "both"
    if not before.threshold or not after.threshold:
        return values
    if before.threshold.relative or after.threshold.relative:
        if values != "none" or before.threshold.relative != after.threshold.relative:
            return "both"
        return of_thresholds(before.threshold, after.threshold, figure=True)
    figure = isinstance(before.rule, rules.Limited)
    if values != "none" and not (_falls(before.threshold) and _falls(after.threshold)):
        values = "both"
    return joined((values, of_thresholds(before.threshold, after.threshold, figure=figure)))


def _filters(old: tuple[Check, Plan], new: tuple[Check, Plan]) -> Direction:
    """Return the direction of a change of filters: more records tighten, but a share or a figure can go either way."""
    # What a record must meet for a check to read it
    texts = ({"text": c.filter.text if c.filter else None, "watermark": c.watermark} for c, _ in (old, new))
    before, after = ({(key, text) for key, text in one.items() if text} for one in texts)
    if before == after:
        return "none"
    if isinstance(old[0].rule, rules.Limited | rules.Expectation):
        return "both"  # of fewer records a sum may be greater, and a statement may find more
    if not (before < after or after < before) or any(
        not _falls(limit := limit_of(*side)) or limit.unit == "percent" for side in (old, new)
    ):
        return "both"
    return "loosens" if before < after else "tightens"


def _properties(check: Check, plan: Plan) -> Property | None:
    return plan.property_named(check.property) if check.property else None


def place(text: str, prop: Property | None) -> Any:
    """The value that a text of the contract stands for, so that two spellings of it are the same."""
    if prop is None or prop.type in ("string", "boolean"):
        return text
    return Fraction(text) if prop.type in ("integer", "number") else order_of(text, prop)


OTHER_END = {
    "minimum": "exclusiveMinimum",
    "exclusiveMinimum": "minimum",
    "maximum": "exclusiveMaximum",
    "exclusiveMaximum": "maximum",
}
"""The options, and kinds of rules, that bound a value on the same side, with or without the bound itself."""


def _of_ends(before: Check, after: Check, was: Property | None, now: Property | None) -> Direction:
    """A bound that is allowed where it was not, or is not where it was; whole numbers and days have a next one."""
    if was is None or now is None or was.type != now.type or before.where != after.where:
        return "both"
    ends = []
    for check, prop in ((before, was), (after, now)):
        assert isinstance(check.rule, rules.Bound), check.rule
        ends.append(end_of(check.rule, prop)[1:])
    old, new = ends
    return direction(tightens=new > old, loosens=new < old)


def end_of(rule: rules.Bound, prop: Property) -> tuple[int, Any, bool]:
    """Return the side of a bound (1 is the lower one), its end seen from there, and whether the end is excluded.

    Whole numbers and days have a next one, so that an end of them is never excluded.
    """
    side = 1 if isinstance(rule, rules.Minimum | rules.ExclusiveMinimum) else -1
    end, is_excluded = side * place(rule.value, prop), not isinstance(rule, rules.Minimum | rules.Maximum)
    return (side, end + 1, False) if is_excluded and prop.type in ("integer", "date") else (side, end, is_excluded)


R = TypeVar("R", bound=rules.Rule)


def _like(rule: R, other: rules.Rule) -> R:
    """Return the other rule, which is of the same kind."""
    assert type(other) is type(rule), (rule, other)
    return cast("R", other)


def _of_arguments(  # noqa: C901, PLR0912 (a case for each kind)
    before: rules.Rule, after: rules.Rule, was: Property | None, now: Property | None
) -> Direction:
    """Return the direction of a change of the arguments of one rule."""
    match before:
        case rules.Minimum() | rules.ExclusiveMinimum():
            return _lower(before.value, _like(before, after).value, was, now)
        case rules.Maximum() | rules.ExclusiveMaximum():
            return turned(_lower(before.value, _like(before, after).value, was, now))
        case rules.MultipleOf():
            return _multiple(Fraction(before.value), Fraction(_like(before, after).value))
        case rules.MinLength() | rules.MinItems() | rules.MinProperties():
            return _size(before.value, _like(before, after).value)
        case rules.MaxLength() | rules.MaxItems() | rules.MaxProperties():
            return turned(_size(before.value, _like(before, after).value))
        case rules.Format():
            return _format(before.format, _like(before, after).format)
        case rules.AllowedPrefixes():
            return _prefixes(before.prefixes, _like(before, after).prefixes)
        case rules.Enum():
            return _of_texts(before.values, _like(before, after).values, was, now)
        case rules.InvalidValues():
            valid = _like(before, after)
            patterns = ({rule.pattern} if rule.pattern is not None else None for rule in (before, valid))
            return joined((_of_texts(before.values, valid.values, was, now), of_sets(*patterns)))
        case rules.MissingValues():
            both = ({*rule.values, *([None] if rule.null else [])} for rule in (before, _like(before, after)))
            return turned(of_sets(*both))
        case rules.Expression() | rules.Sql() | rules.Statement():
            # by the text, as the SQL goes by the order of the properties
            return _equal(before.text, _like(before, after).text)
        case rules.ForeignKey():
            # by the names: how many values a reference holds is not known
            other = _like(before, after)
            return _equal((before.text, before.properties), (other.text, other.properties))
        case rules.Quantile():
            return _equal(Fraction(before.value), Fraction(_like(before, after).value))
        case rules.Pattern() | rules.Regex() | rules.Expectation():
            return _equal(before, after)
        case rules.PrimaryKey():
            # one more part lets values repeat, and must not be null
            return _equal(set(before.properties), set(_like(before, after).properties))
        case rules.DuplicateValues():
            # with one more property fewer records are the same
            return of_sets(before.properties, _like(before, after).properties)
        case (
            rules.LogicalType()  # the property's own change reports it
            | rules.Mean()  # the limits of figures are the threshold's
            | rules.Stdev()
            | rules.Min()
            | rules.Max()
            | rules.Sum()
            | rules.ForPeople()  # no file is refused for these
            | rules.OtherEngine()
            | rules.NotBlank()
            | rules.Required()
            | rules.NullValues()
            | rules.UniqueItems()
            | rules.Deprecated()
            | rules.Unique()
            | rules.RowCount()
            | rules.Fields()
            | rules.Quotes()
            | rules.RecordType()  # which the dialect tells
            | rules.LineLength()  # and so it does the layout
            | rules.WholeCharacters()
            | rules.Text()
            | rules.Object()
            | rules.Keys()
            | rules.KnownKeys()
        ):
            return "none"
    assert_never(before)


def _equal(before: object, after: object) -> Direction:
    return "none" if before == after else "both"


def _lower(before: str, after: str, was: Property | None, now: Property | None) -> Direction:
    """Return the direction of a change of the least value; a property of another type cannot be compared."""
    if was and now and was.type != now.type:
        return "both"
    old, new = place(before, was), place(after, now)
    return direction(tightens=new > old, loosens=new < old)


def _size(before: int, after: int) -> Direction:
    """Return the direction of a change of the least number of characters, elements or keys."""
    return direction(tightens=after > before, loosens=after < before)


def _multiple(before: Fraction, after: Fraction) -> Direction:
    if before == after:
        return "none"
    if (after / before).denominator == 1:
        return "tightens"
    return "loosens" if (before / after).denominator == 1 else "both"


def _of_texts(
    before: Sequence[str] | None, after: Sequence[str] | None, was: Property | None, now: Property | None
) -> Direction:
    """Return the direction of a change of allowed values; those of another type cannot be compared."""
    if was and now and was.type != now.type:
        return "both"
    old, new = (
        None if texts is None else [place(text, prop) for text in texts]
        for texts, prop in ((before, was), (after, now))
    )
    return of_sets(old, new)


def _prefixes(before: tuple[str, ...], after: tuple[str, ...]) -> Direction:
    """Return the direction of a change of prefixes; a text with a prefix of AB also has the prefix A."""
    return direction(
        tightens=not all(prefix.startswith(after) for prefix in before),
        loosens=not all(prefix.startswith(before) for prefix in after),
    )


def _format(before: str, after: str) -> Direction:
    old, new = INTEGERS.get(before), INTEGERS.get(after)
    if old is None or new is None:
        return _equal(before, after)
    tightens, loosens = new[0] > old[0] or new[1] < old[1], new[0] < old[0] or new[1] > old[1]
    return direction(tightens=tightens, loosens=loosens)


def of_values(way: Direction, before: Plan, after: Plan, name: str) -> Direction:
    """The direction of fewer or more values of a property's type, if other rules judge the property.

    For every other rule a value that is not of its type counts as null. So fewer values tighten only if no value that
    is left out is accepted: the type's own check rejects, and tolerates nothing.
    """
    if way == "none":
        return way
    narrower = after if way == "tightens" else before
    own = next((c for c in narrower.checks if isinstance(c.rule, rules.LogicalType) and c.property == name), None)
    is_strict = own is not None and own.severity == "error" and is_none_alone(limit_of(own, narrower))
    return way if is_strict else "both"


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
