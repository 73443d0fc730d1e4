"""Checks as columns: a check, its cell and its typed value in, a column out that is true where the row fails.

A null cell fails only the rules that forbid nulls; a value that is null (no cell, or not of its type) fails no other.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from decimal import Decimal
from functools import cache, partial
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.plan import CONTAINERS, FIGURES, FORBID_NULL, FOREIGN_KEY, Check, Csv, Plan, Property
from contracts.values import text_formats
from spark_jobs.rules import csv_quotes, nesting
from spark_jobs.rules.casting import is_double, typed

OF_TEXTS = ("missingValues",)
"""Kinds that compare a cell as it is written; of all others it matters only whether it is null."""
LEAST, GREATEST = -(2**63), 2**63 - 1


def record_rules(line: Column, fits: Column, csv: Csv) -> dict[str, Column]:
    """Return the tests that make a line a record, by kind; `fits` is the reader's.

    If the quotes of a line break the rule, its cells are not counted: nobody can tell which they are.
    """
    quotes = csv_quotes.misquoted(line, csv)
    return {"fields": ~fits & ~quotes, "quotes": quotes, "text": _not_text(line, csv)}


def failing_of(plan: Plan, checks: Iterable[Check], present: Container[str]) -> list[Column | None]:
    """`failing` for each check, on the columns c<n> (cell) and v<n> (value) of its property n; None if that is missing.

    A record check is None, too: what it looks at is the line.
    """
    numbers = {p.name: n for n, p in enumerate(plan.properties) if p.name in present}

    @cache  # as every call into the JVM takes time
    def columns(name: str) -> tuple[Property, Column, Column]:
        return plan.property_named(name), sf.col(f"c{numbers[name]}"), sf.col(f"v{numbers[name]}")

    def test(check: Check) -> Column | None:
        if not has_columns(check, numbers):
            return None
        if check.kind == "expression":
            found = sf.expr(f"not {check.arguments['sql']}")
        elif check.kind == FOREIGN_KEY:
            found = sf.col(partnerless(plan, check))
        elif check.property is None:
            return None
        else:
            found = of_property(check, plan.property_named(check.property))
        return sf.expr(check.filter.sql) & found if check.filter else found

    def of_property(check: Check, prop: Property) -> Column:
        if prop.repeats:
            return _any_failing(plan, check, prop, numbers[prop.name])
        found, within = failing(check, *columns(prop.name)), nesting.within(plan, prop)
        return found if within is None or not forbids_null(check) else within & found

    return [test(check) for check in checks]


def partnerless(plan: Plan, check: Check) -> str:
    """The column that says whether a record lacks its partner in a reference; `references.joined` makes it."""
    return f"r{plan.checks.index(check)}"


def _repeating(plan: Plan, prop: Property) -> list[Check]:
    """The checks of each value of which a record may have several, in the order of their bits."""
    return [c for c in plan.checks if c.property == prop.name and c.kind not in FIGURES]


def _any_failing(plan: Plan, check: Check, prop: Property, number: int) -> Column:
    """Return a column that is true if any of several values fails a check: a bit of `with_tests`, or its own test."""
    nth = _repeating(plan, prop).index(check)
    if nth < nesting.MOST_TESTS:
        return sf.expr(nesting.any_failing(number, nth))
    return nesting.some(number, lambda cell, value: failing(check, prop, cell, value))


def with_tests(rows: DataFrame, plan: Plan, present: Container[str]) -> DataFrame:
    """Rows with the bits b<n> that `failing_of` reads, where a record may have several of a property."""
    checked = {c.property for c in plan.checks}
    made = [
        nesting.tested(n, [partial(failing, check, prop) for check in _repeating(plan, prop)[: nesting.MOST_TESTS]])
        for n, prop in enumerate(plan.properties)
        if prop.repeats and prop.name in present and prop.name in checked
    ]
    return rows.select("*", *made) if made else rows


def forbids_null(check: Check) -> bool:
    """Return True if a null fails a check."""
    return check.kind in FORBID_NULL or bool(check.arguments.get("null"))


def has_columns(check: Check, present: Container[str]) -> bool:
    """Return True if a file has all columns that a check needs."""
    return all(name in present for name in check.needs())


def failing(check: Check, prop: Property, cell: Column, value: Column) -> Column:
    """True where the row fails the check; null or false where it does not, or is not evaluated."""
    match check.kind:
        case "logicalType":
            return cell.isNotNull() & value.isNull()
        case "required" | "nullValues":
            return cell.isNull()
        case "deprecated":
            return cell.isNotNull()
        case "missingValues":
            texts = cell.isin(*check.arguments["values"])
            return texts | cell.isNull() if check.arguments["null"] else texts
    if prop.type in CONTAINERS:
        return nesting.failing(check, cell, value)
    return _failing_value(check, prop, value)


def _failing_value(check: Check, prop: Property, value: Column) -> Column:
    known: dict[str, Any] = check.arguments
    match check.kind:
        case "enum" | "invalidValues":
            return _invalid(value, prop, known)
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            return _beyond(value, check.kind, known["value"], prop)
        case "minLength":
            return sf.char_length(value) < int(known["value"])
        case "maxLength":
            return sf.char_length(value) > int(known["value"])
        case "multipleOf":
            return value % _bound(known["value"], prop, math.ceil) != constant("0", prop)
        case "format":
            return _misfits(value, prop, known["format"])
        case "pattern" | "regex" | "notBlank":
            return ~value.rlike(known["pattern"])
    raise NotImplementedError(f"check {check.id!r} is of the kind {check.kind!r}, which this job does not know")


def constant(text: str, prop: Property) -> Column:
    """A contract's text as a value of the property's type; read like a cell, so that both mean the same."""
    return typed(sf.lit(text), prop)


def compared(plan: Plan) -> dict[str, list[str]]:
    """The texts that cells of a property are held against, by its name."""
    found: dict[str, list[str]] = {}
    for check in plan.checks:
        if check.kind in OF_TEXTS:
            found.setdefault(check.property or "", []).extend(check.arguments["values"])
    return found


def meant(cell: Column, value: Column, prop: Property, texts: Iterable[str]) -> Column:
    """A cell; where its value is that of one of these texts, that text."""
    for word in dict.fromkeys(texts):
        cell = sf.when(value == constant(word, prop), sf.lit(word)).otherwise(cell)
    return cell


def _invalid(value: Column, prop: Property, known: dict[str, Any]) -> Column:
    values, pattern = known.get("values"), known.get("pattern")
    outside = ~_among(value, values, prop) if values is not None else sf.lit(False)
    return outside | ~value.rlike(pattern) if pattern is not None else outside


def _among(value: Column, texts: list[str], prop: Property) -> Column:
    return sf.coalesce(value.isin(*(constant(text, prop) for text in texts)), value.isNull())


def _beyond(value: Column, kind: str, text: str, prop: Property) -> Column:
    """Return a column that is true if a value is beyond a bound; an exclusive bound is beyond itself."""
    match kind:
        case "minimum":
            return value < _bound(text, prop, math.ceil)
        case "maximum":
            return value > _bound(text, prop, math.floor)
        case "exclusiveMinimum":
            return value <= _bound(text, prop, math.floor)
        case _:
            return value >= _bound(text, prop, math.ceil)


def _misfits(value: Column, prop: Property, name: str) -> Column:
    """Return a column that is true if a value does not match a format, by the format's name."""
    if prop.type == "string":
        return ~value.rlike(text_formats.TEXT[name].pattern)
    if prop.type == "number":
        return sf.abs(value) >= text_formats.BEYOND_F32
    least, most = text_formats.INTEGERS[name]
    return (value < _whole(least)) | (value > _whole(most))


def _bound(text: str, prop: Property, towards: Any) -> Column:
    """A bound as a constant; for integers the nearest whole number that means the same, within 64 bits."""
    if prop.type == "integer" and not prop.exact:
        return _whole(towards(Decimal(text)))
    return sf.lit(float(text)) if is_double(prop) else constant(text, prop)


def _whole(number: int) -> Column:
    return sf.lit(number) if LEAST <= number <= GREATEST else sf.lit(Decimal(number))


def quotes(line: Column, csv: Csv) -> Column:
    """Return the number of quotes in a line; quotes escaped by another character do not count.

    By bytes: where some are no text, Spark takes what follows them for a part of a character.
    """
    text = without_escaped(line, csv)
    rest = sf.octet_length(sf.replace(text, sf.lit(csv.quote), sf.lit("")))
    return ((sf.octet_length(text) - rest) / max(1, len(csv.quote.encode()))).cast("int")


def without_escaped(line: Column, csv: Csv) -> Column:
    """A line without the quotes that are escaped by another character."""
    if csv.escape != csv.quote:
        for pair in (csv.escape * 2, csv.escape + csv.quote):
            line = sf.replace(line, sf.lit(pair), sf.lit(""))
    return line


def _not_text(line: Column, csv: Csv) -> Column:
    nul = sf.contains(line, sf.lit("\x00"))
    return nul | ~sf.is_valid_utf8(line) if csv.encoding == "utf-8" else nul
