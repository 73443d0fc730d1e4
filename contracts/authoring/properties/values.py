"""Values that a contract writes for a property (bounds, allowed values, patterns): YAML in, text for the plan out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_never

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.patterns import regex
from contracts.authoring.properties import datetimes
from contracts.plan import Property
from contracts.values import date_formats

NAMES = {"string": "text", "integer": "a whole number of 64 bits", "number": "a number", "boolean": "true or false"}
TYPES = {
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "map": "an object, the keys of which are free",
}
"""Texts of plans: another one gives the same contract another hash."""
DEFAULT_FORMATS = {"date": "yyyy-MM-dd", "timestamp": "yyyy-MM-dd'T'HH:mm:ssX", "time": "HH:mm:ss"}
LOCAL = "yyyy-MM-dd'T'HH:mm:ss"
MOST_SHOWN = 12
MOST_BAD = 20
"""Unusable patterns of a contract after which no more are read: each may take half a second."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def type_name(prop: Property) -> str:
    """Return the type of a property for people: `an integer`, `a date like 2026-01-31`."""
    if prop.exact:
        precision, scale = prop.exact
        if prop.type == "integer":
            return f"an integer of at most {precision} digits"
        before = f"at most {precision - scale} digits before the point" if precision > scale else "0 before the point"
        return f"a decimal number with {before} and {f'at most {scale}' if scale else 'none'} after it"
    if prop.type in DEFAULT_FORMATS:
        pattern = prop.format or (LOCAL if prop.offset is False else DEFAULT_FORMATS[prop.type])
        zone = f" in {prop.zone}" if prop.zone else ""
        return f"a {prop.type} like {datetimes.example(pattern)}{zone}"
    return TYPES.get(prop.type, "text")


def cell_type(prop: Property) -> str:
    """Return the type of a property for people, as files write it: `a date like 3/7/2024 (d/M/yyyy)`."""
    dates = prop.form.dates if prop.form else None
    if dates is None:
        return type_name(prop)
    return f"a {prop.type} like {date_formats.in_words(dates)}{f' in {prop.zone}' if prop.zone else ''}"


def pattern_of(document: Document, path: Path, value: str, most: int | None = None) -> rules.Pattern | None:
    """Return the rule of a pattern; None, and a finding, if it cannot be used.

    It has the pattern for the job's engine and, if there is one, the length beyond which no text matches.
    `most` is the length of the property's texts if another rule limits it.
    """
    if sum(f.code == "bad-pattern" for f in document.findings) >= MOST_BAD:
        message = f"The pattern was not checked, as {MOST_BAD} others of the contract cannot be used."
        document.error(path, "bad-pattern", message, "Fix those first.")
        return None
    java = regex.read(value, most)
    if isinstance(java, regex.PatternRefused):
        document.error(path, "bad-pattern", java.message, java.fix)
        return None
    if not java.open:
        return rules.Pattern(java.text)
    if java.longest != most:
        message = f"A text of more than {java.longest:,} characters fails the pattern: to match it could take too long."
        document.note(path, "long-text-fails", message, regex.LONGER)
    return rules.Pattern(java.text, java.longest)


def text_of(document: Document, path: Path, value: Any, prop: Property) -> str | None:
    """Return a value as text in the plan's notation; None, and a finding, if it is not of the property's type.

    Decimals have no exponent, and lose only trailing zeros beyond the scale.
    """
    if prop.type in DEFAULT_FORMATS:
        if isinstance(value, str) and moment_of(value, prop):
            return value
        message = f"`{document.text(path) or ''}` is not {type_name(prop)}."
        document.error(path, "wrong-type", message, f"Write {type_name(prop)}, in quotes.")
        return None
    if prop.exact and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        precision, scale = prop.exact
        whole, _, part = f"{Decimal(value):f}".partition(".")
        part = part[:scale] + part[scale:].rstrip("0")
        if len(part) > scale or len(whole.lstrip("-0")) > precision - scale:
            document.wrong_type(path, type_name(prop))
            return None
        return f"{whole}.{part}" if part else whole
    if prop.type == "boolean":
        fits = isinstance(value, bool) and document.word(path) is None
    elif prop.type == "integer":
        fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    else:
        fits = isinstance(value, str if prop.type == "string" else (int, Decimal)) and not isinstance(value, bool)
    if not fits:
        document.wrong_type(path, NAMES[prop.type], text=prop.type == "string" and value is not None)
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else (document.text(path) or str(value)).removeprefix("+")


def moment_of(text: str, prop: Property) -> datetime | None:
    """Return the moment of a date or time of a property; None if the text is not one."""
    return datetimes.parse(text, prop.type, prop.format, prop.zone, prop.offset)


def order_of(text: str, prop: Property) -> int | Decimal:
    """Return the sort order of a value of a property; an integer if each value has a next one."""
    if prop.exact:
        return int(Fraction(text) * 10 ** prop.exact[1])
    if prop.type == "number":
        return Decimal(text)
    if prop.type == "integer":
        return int(text)
    since = (moment_of(text, prop) or EPOCH) - EPOCH
    return since.days if prop.type == "date" else since // timedelta(microseconds=1)


def is_within(bound: rules.Bound, where: Any, end: Any) -> bool:
    """Return True if a bound allows a value; `where` and `end` are the sort orders of the value and of the bound."""
    match bound:
        case rules.Minimum():
            return bool(where >= end)
        case rules.ExclusiveMinimum():
            return bool(where > end)
        case rules.Maximum():
            return bool(where <= end)
        case rules.ExclusiveMaximum():
            return bool(where < end)
    assert_never(bound)


def shown(texts: Sequence[str]) -> str:
    """Return the first allowed values, for people."""
    more = len(texts) - MOST_SHOWN
    return "one of " + ", ".join(texts[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
