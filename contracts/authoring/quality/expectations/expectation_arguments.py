"""The arguments of an expectation: as a contract has them in; findings, the properties that they name, and SQL, out.

Everything that is not on a list is refused: Great Expectations passes conditions and queries on to Spark as they are,
takes values from elsewhere if an argument names the place, and follows the references of JSON schemas. So a condition
is read like every expression, and written again; patterns are those of dropgate; all other arguments must be plain
values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from string import Formatter
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.patterns import regex
from contracts.authoring.quality import library_metrics, row_conditions
from contracts.authoring.quality.expectations import expectation_shapes, expectation_types
from contracts.authoring.quality.expectations.core_expectations import WORDS, Core, Kind, fits
from contracts.authoring.sql import expressions
from contracts.authoring.sql.refusal import SqlRefused
from contracts.plan import Property
from contracts.problem import nearest, quoted

PARSERS = ("spark", "great_expectations")
"""The notations of a condition on rows; the first is the default."""
SEVERAL = "column_list"
BATCH = "{batch}"
"""The name of the file in a query."""
LEADING = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "id")
"""Keys of a JSON schema by which a library reads other documents, unless they stay within the schema."""
VALUES = ("const", "enum", "default", "examples")
"""Keys of a JSON schema that hold values, in which no key has a meaning."""
TYPES = {
    *("ArrayType", "BinaryType", "BooleanType", "ByteType", "CharType", "DateType", "DecimalType", "DoubleType"),
    *("FloatType", "IntegerType", "LongType", "MapType", "ShortType", "StringType", "StructType", "TimestampNTZType"),
    *("TimestampType", "VarcharType"),
}
MAPPINGS = {
    "partition_object": ("values", "weights", "bins", "tail_weights"),
    "quantile_ranges": ("quantiles", "value_ranges"),
}
PATTERNS = ("regex", "regex_list")
ORDERED = ("number", "text")
"""Kinds of bounds that are compared as they are written: Great Expectations takes no others."""


@dataclass(frozen=True, slots=True)
class Used:
    """The properties that an expectation judges, and the arguments that the job gives in place of those written."""

    names: list[str]
    given: dict[str, Any]


def used(
    document: Document, path: Path, name: str, core: Core, kwargs: dict[str, Any], props: Sequence[Property]
) -> Used:
    """Check the arguments at a path against those that an expectation takes.

    If the parser of a condition is not named, it is added.
    """
    takes = core.arguments | ({"condition_parser": "text"} if "row_condition" in core.takes else {})
    for key in (k for k in kwargs if k not in takes):
        close = nearest(key, takes)
        fix = f"Write `{close}`." if close else f"It takes {quoted(takes, most=12) or 'none'}."
        document.error((*path, key), "unknown-argument", f"`{name}` has no argument `{key}`.", fix, on_key=True)
    for key in (k for k in core.needs if kwargs.get(k) is None):
        message = f"`{name}` needs `{key}`, {_in_words(core.needs[key])}."
        document.error(path, "no-argument", message, f"Add `{key}: ...` to `kwargs`.", on_key=True)
    low, high = kwargs.get("min_value"), kwargs.get("max_value")
    are_comparable = any(fits(kind, low) and fits(kind, high) for kind in ORDERED)
    if core.wants_bound and low is None and high is None:
        fix = "Add `min_value: ...` or `max_value: ...` to `kwargs`."
        document.error(path, "no-argument", f"`{name}` has neither bound: it would hold of anything.", fix, on_key=True)
    elif core.wants_bound and low is not None and high is not None and are_comparable and low > high:
        message = f"`max_value` ({high}) is below `min_value` ({low})."
        document.error((*path, "max_value"), "bounds-crossed", message, "Exchange them, or correct one.")
    properties: dict[str, None] = {}
    before = document.errors()
    for key, value in kwargs.items():
        if key in core.arguments and value is not None:
            properties |= dict.fromkeys(_named(document, (*path, key), core.arguments[key], value, props, core.about))
    if document.errors() == before:
        expectation_types.hold(document, path, name, core, kwargs, props)
    given = {key: _java(document, (*path, key), kwargs[key]) for key in PATTERNS if kwargs.get(key) is not None}
    if (condition := _condition(document, path, kwargs, props)) is not None:
        properties |= dict.fromkeys(condition.properties)
        given |= {"row_condition": condition.sql, "condition_parser": PARSERS[0]}
    return Used([] if core.about == "header" else list(properties), given)


def _in_words(kind: Kind) -> str:
    return f"one of {quoted(kind)}" if isinstance(kind, list) else WORDS[kind]


def _named(document: Document, path: Path, kind: Kind, value: Any, props: Sequence[Property], about: str) -> list[str]:
    """The properties that an argument names; findings where it is none of its kind."""
    if not fits(kind, value):
        document.error(path, "wrong-type", f"`{path[-1]}` must be {_in_words(kind)}.", f"Write {_in_words(kind)}.")
        return []
    _plain(document, path, kind, value)
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and len(Decimal(value).as_tuple().digits) > 15:
        message = f"Great Expectations reads `{path[-1]}` as a double, which has 15 digits."
        document.error(path, "too-long", message, "Write fewer digits, or use a check of dropgate, which is exact.")
    if path[-1] == SEVERAL and len(set(value)) < 2 and about == "columns":
        message = f"`{SEVERAL}` needs two columns at least."
        document.error(path, "wrong-type", message, "Add another, or use an expectation about one column.")
    if wrong := expectation_shapes.wrong(str(path[-1]), value):
        document.error(path, "wrong-type", *wrong)
    if kind == "query":
        _hold_places(document, path, value)
    if kind not in ("column", "columns"):
        return []
    names = [p.name for p in props]
    named = [value] if isinstance(value, str) else value
    for name in named:
        library_metrics.is_property(document, path, name, names)
        if name in names and "`" in name:
            message = f"Great Expectations cannot take the name `{name}`, as it has a backquote."
            document.error(path, "wrong-place", message, "Use a check of dropgate, or give the column another name.")
    return [name for name in named if name in names]


def _plain(document: Document, path: Path, kind: Kind, value: Any) -> None:
    """Refuse values that Great Expectations, Spark or Python would look up, follow or fall over."""
    key = path[-1]
    if key in ("type_", "type_list"):
        named = [value] if isinstance(value, str) else value
        for one in (one for one in named if one not in TYPES):
            close = nearest(one, TYPES)
            fix = f"Write `{close}`." if close else "Write one, as `LongType`, `StringType` or `DateType`."
            document.error(path, "wrong-type", f"Spark has no type `{one:.40}`.", fix)
    elif key == "json_schema":
        _hold_schema(document, path, value)
    elif kind == "mapping":
        for other in (other for other in value if other not in MAPPINGS[str(key)]):
            fix = f"It has {quoted(MAPPINGS[str(key)])}."
            document.error((*path, other), "unknown-key", f"`{key}` has no key `{other}`.", fix, on_key=True)
        if not all(_is_plain(inner, 2) for inner in value.values()):
            document.error(path, "wrong-type", f"`{key}` must hold lists of plain values.", "Write the values.")
    elif kind == "list" and not _is_plain(value, 2):
        document.error(path, "wrong-type", f"`{key}` must be a list of plain values.", "Write the values themselves.")


def _is_plain(value: Any, depth: int) -> bool:
    """Return True if a value is a number, a text, a date, a boolean, null, or a list of such values."""
    if isinstance(value, list):
        return depth > 0 and all(_is_plain(one, depth - 1) for one in value)
    return value is None or isinstance(value, (bool, int, Decimal, str, date))


def _hold_schema(document: Document, path: Path, schema: Any) -> None:
    """Refuse a JSON schema that refers to other documents, or has patterns that take too long."""
    pairs = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, inner in pairs:
        at: Path = (*path, key)
        if key in LEADING and isinstance(inner, str) and not inner.startswith("#"):
            message = f"`{key}: {inner:.60}` leads out of the contract."
            document.error(
                at, "bad-schema", message, "Write what it refers to under `$defs`, and `$ref: '#/$defs/name'`."
            )
        elif isinstance(key, str) and key.startswith("$PARAMETER"):
            document.error(at, "bad-schema", f"`{key}` is looked up elsewhere.", "Write the value itself.", on_key=True)
        elif key == "pattern" and isinstance(inner, str):
            _java(document, at, inner)
        elif key == "patternProperties" and isinstance(inner, dict):
            for pattern in inner:
                _java(document, (*at, pattern), str(pattern))
        if key not in VALUES:
            _hold_schema(document, at, inner)


def _java(document: Document, path: Path, value: Any) -> Any:
    """Patterns as the job's engine reads them; findings where their time is not bounded, which nothing limits here."""
    if isinstance(value, list):
        return [_java(document, (*path, n), one) for n, one in enumerate(value)]
    java = regex.read(value) if isinstance(value, str) else None
    if isinstance(java, regex.PatternRefused):
        document.error(path, "bad-pattern", java.message, java.fix)
    elif java and java.open:
        message = "The time of this pattern grows faster than the length of a text, which nothing limits here."
        fix = f"Write `pattern` instead, which fails texts of more than {java.longest:,} characters. {regex.LONGER}"
        document.error(path, "bad-pattern", message, fix)
    return java.text if isinstance(java, regex.Java) else value


def _hold_places(document: Document, path: Path, text: str) -> None:
    """Refuse a query that has anything but the file in braces; its SQL is read as a statement."""
    try:
        places = {f"{place}{how or ''}{shape}" for _, place, shape, how in Formatter().parse(text) if place is not None}
    except ValueError:  # the braces are not in pairs
        places = set()
    if places != {BATCH[1:-1]}:
        fix = f"Write it as `SELECT id FROM {BATCH} WHERE ...`, and any other brace twice."  # noqa: S608 (text)
        document.error(path, "bad-query", f"The file is `{BATCH}` in a query, and nothing else is in braces.", fix)


def _condition(
    document: Document, path: Path, kwargs: dict[str, Any], props: Sequence[Property]
) -> expressions.Expression | None:
    """The condition on rows, which is Spark's SQL unless it says otherwise, by the names of columns."""
    condition = kwargs.get("row_condition")
    if not isinstance(condition, (str, dict)):
        return None
    parser = kwargs.setdefault("condition_parser", PARSERS[0]) if isinstance(condition, str) else PARSERS[1]
    if parser not in PARSERS:
        message = f"`condition_parser` is {quoted(PARSERS)}, as the job runs on Spark."
        document.error((*path, "condition_parser"), "wrong-type", message, "Write `spark`, and Spark's SQL.")
        return None
    at: Path = (*path, "row_condition")
    try:
        text = row_conditions.sql(condition, props) if parser == PARSERS[1] else str(condition)
        return expressions.read_named(text, props)
    except SqlRefused as refused:
        document.error(at, "bad-condition", refused.message, refused.fix)
        return None
