"""A sample row of a contract: the rules in, a value for each column that meets all of them out, if one is found."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from contracts import rules
from contracts.authoring.exports.exported import Contract, ExportedColumn
from contracts.authoring.patterns import regex
from contracts.authoring.properties import datetimes
from contracts.authoring.properties.values import DEFAULT_FORMATS, LOCAL, is_within, moment_of, order_of
from contracts.files import csv_cells, fixed_cells
from contracts.files.xml_documents.xml_shape import TEXT as OF_ELEMENT
from contracts.plan import CONTAINERS, Plan, Property
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT

TOKEN = re.compile(
    r"\\(?P<escape>.)|\[(?P<class>(?:\\.|[^\]\\])+)\]|(?P<plain>[^\\[\](){}*+?|^$.])|(?P<any>\.)", re.DOTALL
)
COUNT = re.compile(r"\{(\d+)(?:,\d*)?\}|[*+?]")
OF_ESCAPE = {"d": "7", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
FIRST_TRIED = "AaK5"
"""The first candidates for a character of a class, so that a sample looks like a word or a number."""
MOST = 200
MOST_DIGITS = 200
"""Digits in which numbers are rounded: bounds may have 100, and a scale adds 38."""
PART = re.compile(r"\{(?P<name>[^}:]+)(?::(?P<form>[^}]*))?\}|\*\*|\*|\?")
"""The variable parts of a key pattern."""
SOME_DAY = datetime(2026, 1, 31, 13, 45, 7, tzinfo=UTC)
"""The moment of all examples."""


def row(contract: Contract) -> dict[str, str | None]:
    """Return a text for each property with single values; None if no valid value was found."""
    return {column.name: value(contract, column) for column in contract.every if column.prop.type not in CONTAINERS}


def value(contract: Contract, column: ExportedColumn) -> str | None:
    """Return a value that meets every rule of its column, including those that only warn."""
    candidates = dict.fromkeys(_candidates(contract, column))
    return next((text for text in candidates if _is_valid(contract, column, text)), None)


def line(contract: Contract, values: dict[str, str | None]) -> str:
    """Return the row as a line of a file; empty for binary formats, and if lists or objects need too much."""
    plan = contract.plan
    if plan.read_as == "jsonl":
        try:
            record = {column.prop.key: _nested(contract, column, values) for column in contract.columns()}
        except _TooComplex:
            return ""
        return (
            _element(plan.xml.record.rpartition("/")[2], record) if plan.xml else json.dumps(record, ensure_ascii=False)
        )
    if plan.file_format == "parquet":
        return ""
    texts = ((prop, values[prop.name]) for prop in plan.properties)
    nulls = {prop.name: next(iter(plan.csv.nulls_of(prop)), "") for prop in plan.properties}
    cells = [nulls[prop.name] if text is None else prop.as_cell(text) for prop, text in texts]
    if plan.fixed:
        by_name = dict(zip((prop.name for prop in plan.properties), cells, strict=True))
        return fixed_cells.written(plan, [by_name[name] for name in plan.fixed.names])
    aside = (plan.csv.record if not n else "" for n in range(plan.csv.skip_columns))
    return csv_cells.joined((*aside, *cells), plan.csv)


def _element(name: str, value: Any) -> str:
    """Return a value as an element of XML, or as several if it is an array; nothing if it is null."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "".join(_element(name, one) for one in value)
    members = value if isinstance(value, dict) else {OF_ELEMENT: value}
    given = {key: str(one) for key, one in members.items() if one is not None}
    given |= {key: str(one).lower() for key, one in members.items() if isinstance(one, bool)}
    attributes = "".join(f" {key[1:]}={quoteattr(text)}" for key, text in given.items() if key.startswith("@"))
    inner = "".join(_element(key, one) for key, one in members.items() if key != OF_ELEMENT and not key.startswith("@"))
    return f"<{name}{attributes}>{escape(given.get(OF_ELEMENT, ''))}{inner}</{name}>"


def key(pattern: str) -> str:
    """Return a key that a key pattern matches, as a person would name it."""
    return PART.sub(_part, pattern)


def _part(variable: re.Match[str]) -> str:
    name, form = variable["name"], variable["form"]
    if name:
        return SOME_DAY.strftime(form) if form else name
    begins = variable.start() == 0 or variable.string[variable.start() - 1] == "/"
    return {"**": "2026/file", "?": "1"}.get(variable[0], "file" if begins else "")


def _nested(contract: Contract, column: ExportedColumn, values: dict[str, str | None]) -> Any:
    """Return a valid value of a property as JSON, with its parts."""
    inner = contract.inner(column)
    made: dict[str, Any] | list[Any]
    match column.prop.type:
        case "object":
            made = {part.prop.key: _nested(contract, part, values) for part in inner}
        case "array":
            count = min(max([1, *column.limits(rules.MinItems)]), *column.limits(rules.MaxItems), MOST)
            made = [_nested(contract, inner[0], values)] * count if inner else []
        case "map":
            made = {str(values[inner[0].name]): _nested(contract, inner[1], values)}
        case _:
            text, kind = values[column.name], column.prop.type
            if text is not None and column.prop.form:
                return column.prop.as_cell(text)
            if text is None or kind not in ("integer", "number", "boolean"):
                return text
            if kind == "boolean":
                return text == "true"
            return int(text) if kind == "integer" else float(text)
    least = column.limits(rules.MinItems) + column.limits(rules.MinProperties)
    most = column.limits(rules.MaxItems) + column.limits(rules.MaxProperties)
    most += [1 for check in column.checks if isinstance(check.rule, rules.UniqueItems)]  # all elements are equal
    if any(len(made) < n for n in least) or any(len(made) > n for n in most):
        raise _TooComplex
    return made


def _candidates(contract: Contract, column: ExportedColumn) -> Iterator[str]:
    """Yield texts that may be valid values, the author's examples first."""
    prop = column.prop
    for given in column.source.get("examples") or ():
        text = f"{given:f}" if isinstance(given, Decimal) else str(given)
        yield text.lower() if isinstance(given, bool) else text
    for check in column.checks:
        if isinstance(check.rule, rules.Enum | rules.InvalidValues):
            yield from check.rule.values or ()
    if prop.type == "boolean":
        yield from ("true", "false")
    elif prop.type in ("integer", "number"):
        bounds = [Decimal(c.rule.value) for c in column.checks if isinstance(c.rule, rules.Bound)]
        steps = [Decimal(c.rule.value) for c in column.checks if isinstance(c.rule, rules.MultipleOf)]
        middle = [sum(bounds) / 2] if len(bounds) == 2 else []
        scale = prop.exact[1] if prop.exact else 0 if prop.type == "integer" else 1
        around = [b + d for b in bounds for d in (0, 1, -1, Decimal("0.5"), Decimal("-0.5"))]
        for number in (*middle, Decimal("12.5"), Decimal(12), Decimal(1), Decimal(0), *around):
            with localcontext(prec=MOST_DIGITS):
                text = f"{round(Decimal(number), scale):f}" if scale else f"{int(number)}"
            yield text
            yield from (f"{step * int(Fraction(number) / Fraction(step)):f}" for step in steps)
    elif prop.type == "string":
        yield from _texts(contract, column)
    else:
        written = prop.format or (LOCAL if prop.offset is False else DEFAULT_FORMATS[prop.type])
        yield datetimes.example(written)
        yield from (c.rule.value for c in column.checks if isinstance(c.rule, rules.Minimum | rules.Maximum))


def _texts(contract: Contract, column: ExportedColumn) -> Iterator[str]:
    for check in column.checks:
        match check.rule:
            case rules.Format(name):
                yield TEXT[name].example
            case rules.Pattern():
                yield from _sampled(column.options()["pattern"])
            case rules.Regex() | rules.InvalidValues():
                entry = contract.entry(check)
                inner = entry.get("implementation") or entry.get("arguments") or {}
                yield from _sampled(str(inner.get("pattern") or ""))
    least = max(column.limits(rules.MinLength), default=0)
    most = min(column.limits(rules.MaxLength), default=MOST)
    word = re.sub("[^a-z]+", " ", column.name.casefold()).strip() or "text"
    allowed = (c.rule.prefixes for c in column.checks if isinstance(c.rule, rules.AllowedPrefixes))
    for prefix in ("", *itertools.chain.from_iterable(allowed)):
        yield f"{prefix}{word}"[:most].strip().ljust(min(least, MOST), "x")


def _sampled(pattern: str) -> Iterator[str]:
    """Yield a text that a simple pattern matches: its first alternative, with few repetitions."""
    try:
        yield _Sampler(pattern).alternatives()
    except (_TooComplex, IndexError):
        return


class _TooComplex(Exception):
    """A pattern has an unsupported construct, or a list or an object needs more than a sample has."""


class _Sampler:
    """Reads a pattern, sign by sign, into a matching text."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def alternatives(self) -> str:
        """Return the first alternative up to the end of a group."""
        first = self._sequence()
        while self.pattern[self.at : self.at + 1] == "|":
            self.at += 1
            self._sequence()
        return first

    def _sequence(self) -> str:
        parts: list[str] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            atom = self._atom()
            if match := COUNT.match(self.pattern, self.at):
                self.at = match.end()
                times = {"*": 1, "?": 1, "+": 2}.get(match[0]) or int(match[1] or 0)
                atom *= min(times, MOST)
            parts.append(atom)
        return "".join(parts)

    def _atom(self) -> str:
        if self.pattern[self.at] in "^$":
            self.at += 1
            return ""
        if self.pattern[self.at] == "(":
            self.at += 3 if self.pattern.startswith("(?:", self.at) else 1
            if self.pattern[self.at] == "?":
                raise _TooComplex
            text = self.alternatives()
            self.at += 1
            return text
        match = TOKEN.match(self.pattern, self.at)
        if match is None:
            raise _TooComplex
        self.at = match.end()
        if match["class"] is not None:
            java = regex.to_java(match[0])
            if isinstance(java, regex.PatternRefused):
                raise _TooComplex
            candidates: Iterator[str] = itertools.chain(FIRST_TRIED, map(chr, range(33, 0x250)), " ")
            member = next(filter(re.compile(java, re.ASCII).fullmatch, candidates), None)
            if member is None:
                raise _TooComplex
            return member
        escape = match["escape"]
        if escape and escape.isalnum() and escape not in OF_ESCAPE:
            raise _TooComplex
        return OF_ESCAPE.get(escape, escape) if escape else "x" if match["any"] else match[0]


def _is_valid(contract: Contract, column: ExportedColumn, text: str) -> bool:
    """Return True if a text is a value of its column and meets the rules."""
    prop = column.prop
    if prop.type in DEFAULT_FORMATS and moment_of(text, prop) is None:
        return False
    nulls = prop.form.nulls if prop.form and prop.form.nulls else ()
    if prop.as_cell(text) in (contract.plan.csv.nulls_of(prop) if contract.plan.has_cells else nulls):
        return False
    if not _has_room(contract.plan, prop, text):
        return False
    if prop.type in ("integer", "number"):
        if not re.fullmatch(r"-?[0-9]+" if prop.type == "integer" else r"-?[0-9]+(\.[0-9]+)?", text):
            return False
        if prop.exact:
            whole, _, part = text.lstrip("-").partition(".")
            if len(whole.lstrip("0")) > prop.exact[0] - prop.exact[1] or len(part) > prop.exact[1]:
                return False
        elif prop.type == "integer" and not -(2**63) <= int(text) < 2**63:
            return False
    return all(_meets(check.rule, prop, text) for check in column.checks)


def _has_room(plan: Plan, prop: Property, text: str) -> bool:
    """Return True if the field of a property holds a value as it is, if it has one."""
    field = next((field for field in plan.fixed.fields if field.name == prop.name), None) if plan.fixed else None
    cell = prop.as_cell(text)
    return field is None or (fixed_cells.length(plan, cell) <= field.length and field.cell(field.filled(cell)) == cell)


def _meets(rule: rules.Rule, prop: Property, text: str) -> bool:  # noqa: C901 (a case for each kind)
    """Return True if a value meets a rule of single values; other rules do not count."""
    match rule:
        case rules.Minimum() | rules.ExclusiveMinimum() | rules.Maximum() | rules.ExclusiveMaximum():
            return is_within(rule, order_of(text, prop), order_of(rule.value, prop))
        case rules.MinLength(length):
            return len(text) >= length
        case rules.MaxLength(length):
            return len(text) <= length
        case rules.MultipleOf(step):
            return (Fraction(text) / Fraction(step)).denominator == 1
        case rules.Format(name) if prop.type == "string":
            return regex.matches(TEXT[name].pattern, text)
        case rules.Format("f32"):
            return abs(float(text)) < BEYOND_F32
        case rules.Format(name):
            least, most = INTEGERS[name]
            return least <= int(text) <= most
        case rules.MissingValues(values):
            return text not in values
        case rules.Enum(values):
            return _is_among(text, values, prop)
        case rules.InvalidValues(values, pattern):
            return (values is None or _is_among(text, values, prop)) and (
                pattern is None or regex.matches(pattern, text)
            )
        case rules.Pattern(pattern) | rules.Regex(pattern) | rules.NotBlank(pattern):
            return regex.matches(pattern, text)
        case rules.AllowedPrefixes(prefixes):
            return text.startswith(prefixes)
    return True


def _is_among(text: str, values: Sequence[str], prop: Property) -> bool:
    if prop.type in ("string", "boolean"):
        return text in values
    return order_of(text, prop) in [order_of(value, prop) for value in values]
