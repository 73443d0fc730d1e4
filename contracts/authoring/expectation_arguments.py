"""The arguments of an expectation: as a contract has them in; findings, and the properties that they name, out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from string import Formatter
from typing import Any

import sqlglot
from sqlglot import exp

from contracts.authoring import regex
from contracts.authoring.core_expectations import WORDS, Core, Kind, fits
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.plan import Property
from contracts.problem import nearest, quoted

PARSERS = ("spark", "great_expectations")
"""How a condition on rows may be written: the first is the one that is meant."""
SEVERAL = "column_list"
REGEXES = ("regex", "regex_list")
BATCH = "{batch}"
"""What a query calls the file."""


def used(
    document: Document, path: Path, name: str, core: Core, kwargs: dict[str, Any], props: Sequence[Property]
) -> list[str]:
    """Hold arguments, which stand at a path, against those of an expectation; the properties that it looks at.

    The parser of a condition is added where it is not said.
    """
    known = core.arguments | ({"condition_parser": "text"} if "row_condition" in core.takes else {})
    for key in (k for k in kwargs if k not in known):
        close = nearest(key, known)
        fix = f"Write `{close}`." if close else f"It takes {quoted(known, most=12) or 'none'}."
        document.error((*path, key), "unknown-argument", f"`{name}` has no argument `{key}`.", fix, on_key=True)
    for key in (k for k in core.needs if kwargs.get(k) is None):
        message = f"`{name}` needs `{key}`, {_said(core.needs[key])}."
        document.error(path, "no-argument", message, f"Add `{key}: ...` to `kwargs`.", on_key=True)
    if core.wants_bound:
        _bounds(document, path, name, kwargs)
    found: dict[str, None] = {}
    for key, value in kwargs.items():
        if key in core.arguments and value is not None:
            found |= dict.fromkeys(_named(document, (*path, key), core.arguments[key], value, props, core.about))
    found |= dict.fromkeys(_condition(document, path, kwargs, props))
    return [] if core.about == "header" else list(found)


def _bounds(document: Document, path: Path, name: str, kwargs: dict[str, Any]) -> None:
    low, high = kwargs.get("min_value"), kwargs.get("max_value")
    if low is None and high is None:
        fix = "Add `min_value: ...` or `max_value: ...` to `kwargs`."
        document.error(path, "no-argument", f"`{name}` has neither bound: it would hold of anything.", fix, on_key=True)
    elif low is not None and high is not None and fits("number", low) and fits("number", high) and low > high:
        message = f"`max_value` ({high}) is below `min_value` ({low})."
        document.error((*path, "max_value"), "bounds-crossed", message, "Exchange them, or correct one.")


def _said(kind: Kind) -> str:
    return f"one of {quoted(kind)}" if isinstance(kind, list) else WORDS[kind]


def _named(document: Document, path: Path, kind: Kind, value: Any, props: Sequence[Property], about: str) -> list[str]:
    """The properties that an argument names; findings where it is none of its kind."""
    if not fits(kind, value):
        document.error(path, "wrong-type", f"`{path[-1]}` must be {_said(kind)}.", f"Write {_said(kind)}.")
        return []
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and len(Decimal(value).as_tuple().digits) > 15:
        message = f"Great Expectations reads `{path[-1]}` as a double, which has 15 digits."
        document.error(path, "too-long", message, "Write fewer digits, or use a check of dropgate, which is exact.")
    if path[-1] == SEVERAL and len(set(value)) < 2 and about == "columns":
        message = f"`{SEVERAL}` needs two columns at least."
        document.error(path, "wrong-type", message, "Add another, or use an expectation about one column.")
    if path[-1] in REGEXES:
        _patterns(document, path, [value] if isinstance(value, str) else value)
    match kind:
        case "column" | "columns":
            named = [value] if isinstance(value, str) else value
            return [n for n in named if _is_property(document, path, n, props)]
        case "query":
            return _of_query(document, path, value, props)
    return []


def _patterns(document: Document, path: Path, patterns: Sequence[str]) -> None:
    """Refuse regular expressions whose time is not bounded: Great Expectations cannot leave long texts out."""
    for n, pattern in enumerate(patterns):
        at = path if path[-1] == REGEXES[0] else (*path, n)
        java = regex.read(pattern)
        if isinstance(java, regex.Refused):
            document.error(at, "bad-pattern", java.message, java.fix)
        elif java.open:
            message = "The time of this pattern grows faster than the length of a text, which nothing limits here."
            fix = f"Write `pattern` instead, which fails texts of more than {java.longest:,} characters. {regex.LONGER}"
            document.error(at, "bad-pattern", message, fix)


def _is_property(document: Document, path: Path, name: str, props: Sequence[Property]) -> bool:
    known = [p.name for p in props]
    if name not in known:
        close = nearest(name, known)
        fix = f"Write `{close}`." if close else "Write the name of a property of this schema."
        document.error(path, "unknown-property", f"The contract has no property `{name}`.", fix)
    return name in known


def _of_query(document: Document, path: Path, text: str, props: Sequence[Property]) -> list[str]:
    """The properties that a query names; its other names may be its own."""
    if _places(text) != {"batch"}:
        fix = f"Write it as `SELECT id FROM {BATCH} WHERE ...`, and any other brace twice."  # noqa: S608 (text)
        document.error(path, "bad-query", f"The file is `{BATCH}` in a query, and nothing else stands in braces.", fix)
        return []
    names = _columns(document, path, text.format(batch="batch"), "bad-query")
    return [p.name for p in props if p.name in names]


def _places(text: str) -> set[str] | None:
    """What stands in braces; None where a brace has no other."""
    try:
        return {place for _, place, *_ in Formatter().parse(text) if place is not None}
    except ValueError:
        return None


def _condition(document: Document, path: Path, kwargs: dict[str, Any], props: Sequence[Property]) -> list[str]:
    """The properties in the condition on rows, which is Spark's SQL unless it says otherwise."""
    condition = kwargs.get("row_condition")
    if isinstance(condition, dict):
        return [n for n in _within(condition) if _is_property(document, (*path, "row_condition"), n, props)]
    if not isinstance(condition, str):
        return []
    parser = kwargs.setdefault("condition_parser", PARSERS[0])
    if parser not in PARSERS:
        message = f"`condition_parser` is {quoted(PARSERS)}, as the job runs on Spark."
        document.error((*path, "condition_parser"), "wrong-type", message, "Write `spark`, and Spark's SQL.")
        return []
    at: Path = (*path, "row_condition")
    if parser == PARSERS[0]:
        names = _columns(document, at, f"SELECT 1 FROM batch WHERE {condition}", "bad-condition")  # noqa: S608 (text)
    else:
        names = re.findall(r"""col\(\s*["']([^"']+)["']\s*\)""", condition)
    return [n for n in names if _is_property(document, at, n, props)]


def _columns(document: Document, path: Path, sql: str, code: str) -> list[str]:
    """The columns that a statement names, each once."""
    try:
        tree = sqlglot.parse_one(sql, read="spark")
    except sqlglot.errors.SqlglotError as error:
        first = str(error).split("\n", maxsplit=1)[0]
        document.error(path, code, f"This is not Spark's SQL: {first}", "Write it as Spark reads it.")
        return []
    return list(dict.fromkeys(column.name for column in tree.find_all(exp.Column) if column.name))


def _within(condition: Any) -> Iterator[str]:
    """The columns of a condition that is written as a mapping."""
    if isinstance(condition, dict):
        own = condition.get("column")
        if isinstance(own, dict) and isinstance(own.get("name"), str):
            yield own["name"]
        for part in condition.values():
            yield from _within(part)
    elif isinstance(condition, list):
        for part in condition:
            yield from _within(part)
