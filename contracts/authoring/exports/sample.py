"""A good row of a contract: the rules in, a value for each column that keeps all of them out, where one is found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from contracts.authoring.exports.exported import Column, Contract
from contracts.authoring.patterns import regex
from contracts.authoring.properties import datetimes
from contracts.authoring.properties.values import DEFAULT_FORMATS, LOCAL, moment_of, order_of
from contracts.plan import CONTAINERS, Check, Property
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT

TOKEN = re.compile(
    r"\\(?P<escape>.)|\[(?P<class>(?:\\.|[^\]\\])+)\]|(?P<plain>[^\\[\](){}*+?|^$.])|(?P<any>\.)", re.DOTALL
)
COUNT = re.compile(r"\{(\d+)(?:,\d*)?\}|[*+?]")
OF_ESCAPE = {"d": "7", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
BEGINNINGS = "AaK5"
"""Characters that a class is asked for first, so that a sample looks like a word or a number."""
MOST = 200
PART = re.compile(r"\{(?P<name>[^}:]+)(?::(?P<form>[^}]*))?\}|\*\*|\*|\?")
"""What stands for something else in a pattern of files."""
SOME_DAY = datetime(2026, 1, 31, 13, 45, 7, tzinfo=UTC)
"""The day of all examples."""


def row(contract: Contract) -> dict[str, str | None]:
    """A text for each property that holds no others; None where it is null, or where no good value was found."""
    return {one.name: value(contract, one) for one in contract.every if one.prop.type not in CONTAINERS}


def value(contract: Contract, column: Column) -> str | None:
    """A value that keeps every rule of its column, those that only warn too."""
    made = dict.fromkeys(_candidates(contract, column))
    return next((text for text in made if _is_good(contract, column, text)), None)


def line(contract: Contract, values: dict[str, str | None]) -> str:
    """The row as a line of a file; empty of formats that are no text, and where lists or objects ask for too much."""
    plan = contract.plan
    if plan.file_format == "jsonl":
        try:
            found = {column.name: _nested(contract, column, values) for column in contract.columns()}
        except _Hard:
            return ""
        return json.dumps(found, ensure_ascii=False)
    if plan.file_format == "parquet":
        return ""
    null = plan.csv.null_values[0] if plan.csv.null_values else ""
    cells = [null if values[p.name] is None else str(values[p.name]) for p in plan.properties]
    return plan.csv.delimiter.join(_cell(contract, text) for text in cells)


def key(pattern: str) -> str:
    """A key that a pattern of files matches, as a person would name it."""
    return PART.sub(_part, pattern)


def _part(found: re.Match[str]) -> str:
    name, form = found["name"], found["form"]
    if name:
        return SOME_DAY.strftime(form) if form else name
    begins = found.start() == 0 or found.string[found.start() - 1] == "/"
    return {"**": "2026/file", "?": "1"}.get(found[0], "file" if begins else "")


def _cell(contract: Contract, text: str) -> str:
    csv = contract.plan.csv
    if csv.quote and any(sign in text for sign in (csv.delimiter, csv.quote, "\n", "\r")):
        return csv.quote + text.replace(csv.quote, csv.escape + csv.quote) + csv.quote
    return text


def _nested(contract: Contract, column: Column, values: dict[str, str | None]) -> Any:
    """A good value of a property as JSON, with all that it holds."""
    inner = contract.inner(column)
    made: dict[str, Any] | list[Any]
    match column.prop.type:
        case "object":
            made = {one.key: _nested(contract, one, values) for one in inner}
        case "array":
            made = [_nested(contract, inner[0], values)] * _least(column) if inner else []
        case "map":
            made = {str(values[inner[0].name]): _nested(contract, inner[1], values)}
        case _:
            return _of_json(values[column.name], column.prop)
    if not all(_holds(check, len(made)) for check in column.checks):
        raise _Hard
    return made


def _least(column: Column) -> int:
    """Return the number of elements of a sample array: its minimum, or one if that is allowed."""
    sizes = {c.kind: int(c.arguments["value"]) for c in column.checks if c.kind in ("minItems", "maxItems")}
    return min(max(1, sizes.get("minItems", 0)), sizes.get("maxItems", MOST), MOST)


def _holds(check: Check, count: int) -> bool:
    """Return True if an array of `count` equal elements, or a map of `count` keys, meets a check."""
    if check.kind == "uniqueItems":
        return count <= 1
    if check.kind in ("minItems", "minProperties"):
        return count >= int(check.arguments["value"])
    return check.kind not in ("maxItems", "maxProperties") or count <= int(check.arguments["value"])


def _of_json(text: str | None, prop: Property) -> Any:
    if text is None or prop.type not in ("integer", "number", "boolean"):
        return text
    if prop.type == "boolean":
        return text == "true"
    return int(text) if prop.type == "integer" else float(text)


def _candidates(contract: Contract, column: Column) -> Iterator[str]:
    """Texts that may be good values, those that the author gives first."""
    prop = column.prop
    for one in column.source.get("examples") or ():
        yield str(one).lower() if isinstance(one, bool) else f"{one:f}" if isinstance(one, Decimal) else str(one)
    for check in column.checks:
        if check.kind in ("enum", "invalidValues"):
            yield from check.arguments.get("values", ())
    if prop.type == "boolean":
        yield from ("true", "false")
    elif prop.type in ("integer", "number"):
        yield from _numbers(column)
    elif prop.type == "string":
        yield from _texts(contract, column)
    else:
        written = prop.format or (LOCAL if prop.offset is False else DEFAULT_FORMATS[prop.type])
        yield datetimes.example(written)
        yield from (c.arguments["value"] for c in column.checks if c.kind in ("minimum", "maximum"))


def _numbers(column: Column) -> Iterator[str]:
    bounds = [Decimal(c.arguments["value"]) for c in column.checks if c.kind in SIGNS]
    steps = [Decimal(c.arguments["value"]) for c in column.checks if c.kind == "multipleOf"]
    middle = [sum(bounds) / 2] if len(bounds) == 2 else []
    scale = column.prop.exact[1] if column.prop.exact else 0 if column.prop.type == "integer" else 1
    around = [b + d for b in bounds for d in (0, 1, -1, Decimal("0.5"), Decimal("-0.5"))]
    for number in (*middle, Decimal("12.5"), Decimal(12), Decimal(1), Decimal(0), *around):
        yield f"{round(Decimal(number), scale):f}" if scale else f"{int(number)}"
        for step in steps:
            yield f"{step * int(Fraction(number) / Fraction(step)):f}"


def _texts(contract: Contract, column: Column) -> Iterator[str]:
    for check in column.checks:
        if check.kind == "format":
            yield TEXT[check.arguments["format"]].example
        if check.kind == "pattern":
            yield from _found(column.options()["pattern"])
        if check.kind in ("regex", "invalidValues"):
            entry = contract.entry(check)
            yield from _found(str((entry.get("implementation") or entry.get("arguments") or {}).get("pattern") or ""))
    least = max((c.arguments["value"] for c in column.checks if c.kind == "minLength"), default=0)
    most = min((c.arguments["value"] for c in column.checks if c.kind == "maxLength"), default=MOST)
    word = re.sub("[^a-z]+", " ", column.name.casefold()).strip() or "text"
    yield word[:most].strip().ljust(min(least, MOST), "x")


def _found(pattern: str) -> Iterator[str]:
    """A text in which a plain pattern is found, if it is plain: its first alternative, the fewest repetitions."""
    made = _Sampled(pattern)
    try:
        yield made.alternatives()
    except (_Hard, IndexError):
        return


class _Hard(Exception):
    """A pattern has what this does not read, or a list or an object asks for more than is made here."""


class _Sampled:
    """The reading of a pattern, sign by sign."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def alternatives(self) -> str:
        """The first alternative up to the end of a group."""
        found = [self._sequence()]
        while self.pattern[self.at : self.at + 1] == "|":
            self.at += 1
            found.append(self._sequence())
        return found[0]

    def _sequence(self) -> str:
        parts: list[str] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self._repeated(self._atom()))
        return "".join(parts)

    def _atom(self) -> str:
        if self.pattern[self.at] in "^$":
            self.at += 1
            return ""
        if self.pattern[self.at] == "(":
            return self._group()
        match = TOKEN.match(self.pattern, self.at)
        if match is None:
            raise _Hard
        self.at = match.end()
        if match["class"] is not None:
            return _member(match[0])
        escape = match["escape"]
        if escape and escape.isalnum() and escape not in OF_ESCAPE:
            raise _Hard
        return OF_ESCAPE.get(escape, escape) if escape else "x" if match["any"] else match[0]

    def _group(self) -> str:
        self.at += 3 if self.pattern.startswith("(?:", self.at) else 1
        if self.pattern[self.at] == "?":
            raise _Hard
        found = self.alternatives()
        self.at += 1
        return found

    def _repeated(self, atom: str) -> str:
        match = COUNT.match(self.pattern, self.at)
        if match is None:
            return atom
        self.at = match.end()
        times = {"*": 1, "?": 1, "+": 2}.get(match[0]) or int(match[1] or 0)
        return atom * min(times, MOST)


def _member(written: str) -> str:
    """A character of a class."""
    java = regex.to_java(written)
    if isinstance(java, regex.PatternRefused):
        raise _Hard
    members = re.compile(java, re.ASCII)
    found = next((c for c in (*BEGINNINGS, *map(chr, range(33, 0x250)), " ") if members.fullmatch(c)), None)
    if found is None:
        raise _Hard
    return str(found)


SIGNS = {"minimum": 1, "exclusiveMinimum": 1, "maximum": -1, "exclusiveMaximum": -1}
"""On which side of a bound values lie."""


def _is_good(contract: Contract, column: Column, text: str) -> bool:
    """Return True if a text is a value of its column and meets the rules."""
    prop = column.prop
    if prop.type in DEFAULT_FORMATS and moment_of(text, prop) is None:
        return False
    null = contract.plan.csv.null_values if contract.plan.file_format == "csv" else ()
    if text in null or not _is_number(text, prop):
        return False
    return all(_keeps(check, prop, text) for check in column.checks)


def _is_number(text: str, prop: Property) -> bool:
    if prop.type not in ("integer", "number"):
        return True
    if not re.fullmatch(r"-?[0-9]+" if prop.type == "integer" else r"-?[0-9]+(\.[0-9]+)?", text):
        return False
    if prop.exact:
        whole, _, part = text.lstrip("-").partition(".")
        return len(whole.lstrip("0")) <= prop.exact[0] - prop.exact[1] and len(part) <= prop.exact[1]
    return prop.type == "number" or -(2**63) <= int(text) < 2**63


def _keeps(check: Check, prop: Property, text: str) -> bool:
    arguments = check.arguments
    if check.kind in SIGNS:
        side = (order_of(text, prop) - order_of(arguments["value"], prop)) * SIGNS[check.kind]
        return side > 0 if check.kind.startswith("exclusive") else side >= 0
    if check.kind in ("minLength", "maxLength"):
        length: int = arguments["value"]
        return len(text) >= length if check.kind == "minLength" else len(text) <= length
    if check.kind == "multipleOf":
        return (Fraction(text) / Fraction(arguments["value"])).denominator == 1
    if check.kind == "format":
        return _is_of(arguments["format"], prop, text)
    if check.kind == "missingValues":
        return text not in arguments["values"]
    if check.kind == "enum" or (check.kind == "invalidValues" and "values" in arguments):
        same = [order_of(v, prop) for v in arguments["values"]] if prop.type not in ("string", "boolean") else None
        if (order_of(text, prop) if same is not None else text) not in (arguments["values"] if same is None else same):
            return False
    if check.kind in ("pattern", "regex", "notBlank", "invalidValues") and "pattern" in arguments:
        return re.search(arguments["pattern"].replace(r"\z", r"\Z"), text, re.ASCII) is not None
    return True


def _is_of(name: str, prop: Property, text: str) -> bool:
    if prop.type == "string":
        return re.search(TEXT[name].pattern.replace(r"\z", r"\Z"), text, re.ASCII) is not None
    if name == "f32":
        return abs(float(text)) < BEYOND_F32
    least, most = INTEGERS[name]
    return least <= int(text) <= most
