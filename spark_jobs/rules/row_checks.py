"""Rules as columns: a rule, a cell and its typed value in; a column that is true if the row fails, out.

A null cell fails only the rules that forbid nulls; a value that is null (no cell, or not of its type) fails no other.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, partial, reduce
from operator import or_
from typing import Any, assert_never

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts import rules
from contracts.files import encodings
from contracts.plan import Check, Csv, Plan, Property
from contracts.values import long_lines, text_formats
from spark_jobs.counting.spark_types import GREATEST, LEAST, is_double
from spark_jobs.rules import csv_quotes, nesting
from spark_jobs.rules.casting import typed

OF_TEXTS = rules.MissingValues
"""The rules that compare the text of a cell; others test only whether the cell is null."""


RecordTests = dict[type[rules.Rule], Column]
"""The tests of records as such, by rule."""


def record_tests(line: Column, fits: Column, csv: Csv) -> RecordTests:
    """Return the tests of a line of CSV by record rule; `fits` is true if the parser gets as many cells as wanted.

    If the quotes of a line break the rule, its cells are not counted: they cannot be separated.
    """
    quotes = csv_quotes.misquoted(line, csv)
    tests: RecordTests = {rules.Fields: ~fits & ~quotes, rules.Quotes: quotes, rules.Text: not_text(line, csv)}
    if csv.record:
        tests[rules.RecordType] = ~csv_quotes.begins_with(line, csv.record, csv)
    return too_long_fails(tests, line, rules.Fields)


def is_record(line: Column, fits: Column, csv: Csv) -> Column:
    """Return a column that is true if a line fails none of `record_tests`, whose columns would repeat `fits`."""
    good = is_read(line) & fits & ~csv_quotes.misquoted(line, csv) & ~not_text(line, csv)
    return good & csv_quotes.begins_with(line, csv.record, csv) if csv.record else good


def too_long_fails(tests: RecordTests, line: Column, alone: type[rules.Rule]) -> RecordTests:
    """Let a line that is too long fail one rule alone: of its content only the beginning is there."""
    return {rule: test & is_read(line) if rule is not alone else test | ~is_read(line) for rule, test in tests.items()}


def is_read(line: Column) -> Column:
    """Return a column that is true unless a line is too long."""
    return sf.octet_length(line) <= long_lines.LONGEST


def not_text(line: Column, csv: Csv) -> Column:
    """Return a column that is true if a decoded line has a NUL, or bytes that are no text."""
    nul = sf.contains(line, sf.lit("\x00"))
    if encodings.has_gaps(encodings.read_as(csv.encoding)):
        return nul | sf.contains(line, sf.lit("\ufffd"))
    return nul | ~sf.is_valid_utf8(line) if encodings.read_as(csv.encoding) == encodings.UTF_8 else nul


def failing_of(plan: Plan, checks: Iterable[Check], present: Container[str]) -> list[Column | None]:
    """Return the test of each check, on the columns c<n> (cell) and v<n> (value) of property n.

    It is None if the file lacks a column of the check, and for record checks, which test the line.
    """
    numbers = {p.name: n for n, p in enumerate(plan.properties) if p.name in present}

    @cache  # as every call into the JVM takes time
    def columns(name: str) -> tuple[Property, Column, Column]:
        return plan.property_named(name), sf.col(f"c{numbers[name]}"), sf.col(f"v{numbers[name]}")

    def test(check: Check) -> Column | None:
        if not has_columns(check, numbers):
            return None
        match check.rule:
            case rules.Expression(sql=sql):
                fails = sf.expr(f"not {sql}")
            case rules.ForeignKey():
                fails = sf.col(partnerless(plan, check))
            case rule if check.property and isinstance(rule, rules.ValueRule):
                fails = of_property(check, rule, plan.property_named(check.property))
            case _:
                return None
        return sf.expr(check.filter.sql) & fails if check.filter else fails

    def of_property(check: Check, rule: rules.ValueRule, prop: Property) -> Column:
        if prop.repeats:
            nth = [c for c, _ in _value_checks(plan, prop)].index(check)
            if nth < nesting.MOST_TESTS:
                return sf.expr(nesting.any_failing(numbers[prop.name], nth))
            return nesting.some(numbers[prop.name], lambda cell, value: failing(rule, prop, cell, value))
        fails, within = failing(rule, *columns(prop.name)), nesting.within(plan, prop)
        return fails if within is None or not rules.forbids_null(check.rule) else within & fails

    return [test(check) for check in checks]


def partnerless(plan: Plan, check: Check) -> str:
    """Name the column that is true if a record has no partner in a reference; `references.joined` adds it."""
    return f"r{plan.checks.index(check)}"


def _value_checks(plan: Plan, prop: Property) -> list[tuple[Check, rules.ValueRule]]:
    """Return the checks of each value of a property of which a record may have several, in the order of their bits."""
    return [(c, c.rule) for c in plan.checks if c.property == prop.name and isinstance(c.rule, rules.ValueRule)]


def with_tests(rows: DataFrame, plan: Plan, present: Container[str]) -> DataFrame:
    """Add the bits b<n> that `failing_of` reads, for properties of which a record may have several."""
    checked = {c.property for c in plan.checks}
    made = [
        nesting.tested(n, [partial(failing, rule, prop) for _, rule in _value_checks(plan, prop)[: nesting.MOST_TESTS]])
        for n, prop in enumerate(plan.properties)
        if prop.repeats and prop.name in present and prop.name in checked
    ]
    return rows.select("*", *made) if made else rows


def has_columns(check: Check, present: Container[str]) -> bool:
    """Return True if a file has all columns that a check needs."""
    return all(name in present for name in check.needs())


def failing(  # noqa: C901, PLR0912 (a case for each rule)
    rule: rules.ValueRule, prop: Property, cell: Column, value: Column
) -> Column:
    """Return a column that is true if a value fails a rule; null or false if it does not, or is not evaluated."""
    match rule:
        case rules.LogicalType():
            return cell.isNotNull() & value.isNull()
        case rules.Required() | rules.NullValues():
            return cell.isNull()
        case rules.Deprecated():
            return cell.isNotNull()
        case rules.MissingValues(values=texts, null=null):
            is_missing = cell.isin(*texts)
            return is_missing | cell.isNull() if null else is_missing
        case rules.Enum(values=texts):
            return _invalid(value, prop, texts, None)
        case rules.InvalidValues(values=texts, pattern=pattern):
            return _invalid(value, prop, texts, pattern)
        case rules.Pattern(pattern=pattern) | rules.Regex(pattern=pattern) | rules.NotBlank(pattern=pattern):
            return ~value.rlike(pattern)
        case rules.AllowedPrefixes(prefixes=prefixes):
            return ~_begins(value, prefixes)
        case rules.Format(format=name) if prop.type == "string":
            return ~value.rlike(text_formats.TEXT[name].pattern)
        case rules.Format() if prop.type == "number":
            return sf.abs(value) >= text_formats.BEYOND_F32
        case rules.Format(format=name):
            least, most = text_formats.INTEGERS[name]
            return (value < _whole(least)) | (value > _whole(most))
        case rules.Minimum(value=text):
            return value < _bound(text, prop, math.ceil)
        case rules.Maximum(value=text):
            return value > _bound(text, prop, math.floor)
        case rules.ExclusiveMinimum(value=text):
            return value <= _bound(text, prop, math.floor)
        case rules.ExclusiveMaximum(value=text):
            return value >= _bound(text, prop, math.ceil)
        case rules.MultipleOf(value=divisor):
            return value % _bound(divisor, prop, math.ceil) != constant("0", prop)
        case rules.MinLength(value=least):
            return sf.char_length(value) < least
        case rules.MaxLength(value=most):
            return sf.char_length(value) > most
        case rules.MinItems(value=least):
            return sf.size(value) < sf.lit(least)
        case rules.MaxItems(value=most):
            return sf.size(value) > most
        case rules.UniqueItems():
            return nesting.has_repeats(value)
        case rules.MinProperties(value=least):
            return value.isNotNull() & (cell < least)
        case rules.MaxProperties(value=most):
            return value.isNotNull() & (cell > most)
        case _:
            assert_never(rule)


def constant(text: str, prop: Property) -> Column:
    """Return a contract's text as a value of the property's type, read like a cell in the contract's own form."""
    return typed(sf.lit(text), replace(prop, form=None))


def compared(plan: Plan) -> dict[str, list[str]]:
    """Return the texts that cells of a property are compared with, by its name."""
    texts: dict[str, list[str]] = {}
    for check in plan.checks:
        if isinstance(check.rule, OF_TEXTS):
            texts.setdefault(check.property or "", []).extend(check.rule.values)
    return texts


def meant(cell: Column, value: Column, prop: Property, texts: Iterable[str]) -> Column:
    """Return a cell; if its value is that of one of some texts, that text."""
    for word in dict.fromkeys(texts):
        cell = sf.when(value == constant(word, prop), sf.lit(word)).otherwise(cell)
    return cell


def _invalid(value: Column, prop: Property, texts: Sequence[str] | None, pattern: str | None) -> Column:
    """Return a column that is true if a value is none of some texts, or does not match a pattern."""
    outside = sf.lit(False)
    if texts is not None:
        outside = ~sf.coalesce(value.isin(*(constant(text, prop) for text in texts)), value.isNull())
    return outside | ~value.rlike(pattern) if pattern is not None else outside


def _begins(value: Column, prefixes: Sequence[str]) -> Column:
    """Return a column that is true if a text begins with one of some prefixes; one comparison for each length."""
    lengths = {len(prefix) for prefix in prefixes}
    by_length = ([prefix for prefix in prefixes if len(prefix) == length] for length in sorted(lengths))
    return reduce(or_, (sf.substring(value, 1, len(texts[0])).isin(*texts) for texts in by_length))


def _bound(text: str, prop: Property, towards: Any) -> Column:
    """Return a bound as a constant; for integers the nearest whole number with the same meaning, within 64 bits."""
    if prop.type == "integer" and not prop.exact:
        return _whole(towards(Decimal(text)))
    return sf.lit(float(text)) if is_double(prop) else constant(text, prop)


def _whole(number: int) -> Column:
    return sf.lit(number) if LEAST <= number <= GREATEST else sf.lit(Decimal(number))


def quotes(line: Column, csv: Csv) -> Column:
    """Return the number of quotes in a line; quotes escaped by another character do not count.

    Bytes are counted: behind invalid bytes Spark takes the next ones for parts of a character.
    """
    text = without_escaped(line, csv)
    rest = sf.octet_length(sf.replace(text, sf.lit(csv.quote), sf.lit("")))
    return ((sf.octet_length(text) - rest) / max(1, len(csv.quote.encode()))).cast("int")


def without_escaped(line: Column, csv: Csv) -> Column:
    """Return a line without the quotes that are escaped by another character."""
    if csv.escape != csv.quote:
        for pair in (csv.escape * 2, csv.escape + csv.quote):
            line = sf.replace(line, sf.lit(pair), sf.lit(""))
    return line
