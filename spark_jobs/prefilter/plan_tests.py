"""A plan and a header in, the proof of what row checks a line passes and fails out: None where vectors cannot tell.

What is proven is narrower than what passes: numbers have no exponent and no plus, dates are days that their month has
in every year. What else is right is judged as all lines would be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files.header import positions
from contracts.plan import FORBID_NULL, Check, Csv, Plan, Property
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT
from spark_jobs.prefilter.arrow_tests import (
    GREATEST_FIRST,
    LEAST_FIRST,
    Bound,
    ColumnTest,
    Kind,
    PassCondition,
    TestedColumn,
)
from spark_jobs.prefilter.parquet_columns import ColumnConditions
from spark_jobs.rules import bitmask, floats, key_checks, row_checks, sums
from spark_jobs.rules.casting import ISO

WIDE = 200
"""Columns up to which lines are held against one pattern, and columns looked at one by one."""
DIGITS = 18
"""Digits before and after the point of a number: of so many every one is an integer of 64 bits, none is infinite."""
DATE = "[1-9][0-9]{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
SECONDS = r":[0-5][0-9](?:\.[0-9]{1,6})?"
OFFSET = "(?:Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9])"
OFFSETS = {None: f"{OFFSET}?", True: OFFSET, False: ""}
BOUNDS = {
    "minimum": ("greater_equal", math.ceil),
    "maximum": ("less_equal", math.floor),
    "exclusiveMinimum": ("greater", math.floor),
    "exclusiveMaximum": ("less", math.ceil),
}
"""By kind: Arrow's name for it, and where a bound of integers goes that is between two of them."""
VALUES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}
"""The types of values, in Arrow."""
WHOLE = {"int": (pa.int8(), pa.int16(), pa.int32()), "bigint": (pa.int64(),)}
READ: dict[str, dict[str, tuple[pa.DataType, ...]]] = {
    "string": {"string": (pa.string(),)},
    "integer": WHOLE,
    "number": WHOLE | {"float": (pa.float32(),), "double": (pa.float64(),)},
    "date": {"date": (pa.date32(),)},
    "boolean": {"boolean": (pa.bool_(),)},
}
"""By type of a property and Spark's type of a column of Parquet: what the column is to Arrow."""
GREGORIAN = date(1582, 10, 15)
"""Of days before it, it depends on Spark's settings which they are."""
ORDERED = {kind: VALUES[kind] for kind in ("string", "integer", "number", "date")}
"""Those whose values are held against each other."""
OF_VALUES = re.compile(r"[0-9A-Za-z+.: -]")
"""What values of a type may hold, so that no delimiter, quote or escape may be it."""
UNLIKE = "\0\n\r\ufeff\ufffd\uffff"
"""What no text may hold that passes: NUL, what ends a line, a mark that Arrow drops from a first line, the sign for
bytes of no text, and what Spark's parser takes for an end."""
LENGTHS = {"minLength": "greater_equal", "maxLength": "less_equal"}
ESCAPED = r"\\(?:[nrtf\\^$.|?*+()\[\]{}/-]|x[0-9A-Fa-f]{2}|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})"
"""Of one character: two surrogates are one to Java and two to RE2."""
IN_CLASS = rf"(?:{ESCAPED}|[^\x00-\x1f\\\[\]^&-])"
SHARED = re.compile(
    rf"(?:\^|\\z|\||\((?!\?)|\(\?:"
    rf"|(?:\)|\\[dDwW]|{ESCAPED}|[^\x00-\x1f\\^$.|?*+()\[\]{{}}]|\[\^?(?:\\[dDwW]|{IN_CLASS}(?:-{IN_CLASS})?)+-?\])"
    rf"(?:(?:[?*+]|\{{[0-9]{{1,3}}(?:,[0-9]{{0,3}})?\}})(?![?*+{{]))?)*"
)
"""Patterns that mean the same to Java and, but for how it writes `\\u`, to RE2."""
SHORT = re.compile(r"\^\(\?=\[\\s\\S\]\{0,(?P<most>[0-9]+)\}\\z\)\[\\s\\S\]\*\?\(\?:(?P<inner>.*)\)", re.DOTALL)
"""A pattern that is looked for in short texts only (`contracts.authoring.patterns.regex`)."""


class _Unproven(Exception):
    """Something that vectors cannot tell."""


def pass_condition(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> PassCondition | None:
    """Return the condition for lines below a header to pass; None if a check has no test or lines are not text."""
    try:
        return _pass_condition(plan, header, header_texts)
    except (_Unproven, ValueError):  # a pattern too large for RE2, or what Python and Arrow do not know
        return None


def _pass_condition(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> PassCondition:
    csv, at = plan.csv, positions(header)
    if plan.file_format != "csv" or csv.multi_line or csv.trailer or csv.encoding != "utf-8" or len(header) > WIDE:
        raise _Unproven
    signs = csv.delimiter + csv.quote + csv.escape
    if not signs.isascii() or OF_VALUES.search(signs):
        raise _Unproven
    if any(c.scope == "row" and (c.property is None or c.filter) for c in plan.row_checks()):
        raise _Unproven
    here = {p.name: p for p in plan.properties if p.name in at}
    checks = {name: [(n, c) for n, c in enumerate(plan.row_checks()) if c.property == name] for name in here}
    filled = {name for name, prop in here.items() if _is_filled(prop, csv, (c for _, c in checks[name]))}
    tested = [
        _tested(prop, at[name], checks[name], filled=name in filled, key=name in set(_keys(plan, header).values()))
        for name, prop in here.items()
    ]
    counted = [at.get(name) for name in _null_counted(plan)]
    kinds = {column.at: column.type for column in tested}
    held = [(n, at[name]) for n, name in _keys(plan, header).items() if kinds[at[name]] == _arrow(here[name])]
    shapes = (_shape(here.get(name), csv, filled=name in filled) for name in header)
    found = PassCondition(
        rf"\A{re.escape(csv.delimiter).join(shapes)}(?:\r?\n|\r)?\z",
        csv.delimiter,
        csv.quote,
        len(header),
        csv.null_values,
        tuple(header_texts) if csv.header else (),
        tuple(one for one in tested if one.at in (*counted, *dict(held).values()) or one.tests),
        tuple(counted),
        tuple(held),
        len(bitmask.mask_columns(plan)),
    )
    for pattern in (found.pattern, *_patterns_of(tested)):
        pc.match_substring_regex(pa.array([""]), pattern)
    return found


def column_conditions(plan: Plan, header: tuple[str, ...], types: tuple[str, ...]) -> ColumnConditions | None:
    """Return the condition for records of like Parquet files to pass; None if a check has no test."""
    try:
        return _column_conditions(plan, header, dict(zip(header, types, strict=True)))
    except (_Unproven, ValueError):
        return None


def _column_conditions(plan: Plan, header: tuple[str, ...], types: dict[str, str]) -> ColumnConditions:
    if (
        plan.file_format != "parquet"
        or len(types) > WIDE
        or any(c.property is None or c.filter for c in plan.row_checks())
    ):
        raise _Unproven
    here = {p.name: p for p in plan.properties if p.name in types}
    told = _keys(plan, header)
    tested = {}
    for n, (name, prop) in enumerate(here.items()):
        if prop.exact or prop.path or types[name] not in READ.get(prop.type, {}):
            raise _Unproven
        own = [(k, c) for k, c in enumerate(plan.row_checks()) if c.property == name]
        one = _tested(prop, n, own, filled=False, key=name in set(told.values()))
        if prop.type != "string" and any(test.kind == "outside" for test in one.tests):  # which are of texts
            raise _Unproven
        old = (ColumnTest("bound", ("greater_equal", GREGORIAN)),) if prop.type == "date" else ()
        tests = tuple(map(_of_floats, one.tests)) if types[name] == "float" else one.tests
        tested[name] = replace(one, type=VALUES[prop.type], tests=(*tests, *old))
    for pattern in _patterns_of(tested.values()):
        pc.match_substring_regex(pa.array([""]), pattern)
    return ColumnConditions(
        tested,
        {name: READ[prop.type][types[name]] for name, prop in here.items()},
        tuple(name if name in here else None for name in _null_counted(plan)),
        tuple(told.items()),
    )


def _of_floats(trial: ColumnTest) -> ColumnTest:
    """A test of the decimals that floats stand for, as one of floats: of neighbours of a bound, which are within it."""
    if trial.kind != "bound":
        return trial
    name, bound = trial.argument
    is_least = name in LEAST_FIRST
    keeps = LEAST_FIRST[name] if is_least else GREATEST_FIRST[name]
    within = [one for one in floats.around(bound) if keeps(floats.decimal(one), bound)]
    if not within:
        raise _Unproven
    argument = ("greater_equal", min(within)) if is_least else ("less_equal", max(within))
    return replace(trial, argument=argument)


def _keys(plan: Plan, header: Sequence[str]) -> dict[int, str]:
    """The keys of one property that are told where their values ascend, by the number of their check."""
    return {
        n: c.properties()[0]
        for n, c in key_checks.checks(plan, tuple(header))
        if len(c.properties()) == 1 and not c.filter and plan.property_named(c.properties()[0]).type in ORDERED
    }


def _null_counted(plan: Plan) -> list[str]:
    """Return the properties whose nulls are counted, in the order of the sums; nothing else may be summed."""
    names = sums.properties_with_null_counts(plan)
    if names is None:
        raise _Unproven
    return names


def _class(*beside: str) -> str:
    """The characters of any text but some; RE2 lets surrogates through, which are no text in UTF-8."""
    return rf"[^{''.join(map(re.escape, beside))}\x00\n\r\x{{feff}}\x{{fffd}}\x{{ffff}}\x{{d800}}-\x{{dfff}}]"


def _is_filled(prop: Property, csv: Csv, checks: Iterable[Check]) -> bool:
    """Return True if a cell must not be null, and its shape alone proves that it is not."""
    if not any(c.kind in FORBID_NULL for c in checks):
        return False
    shape = ".+" if prop.type == "string" else _typed(prop)
    return not any(re.fullmatch(shape, word, re.DOTALL) for word in csv.null_values)


def _shape(prop: Property | None, csv: Csv, *, filled: bool) -> str:
    """The pattern of a cell, quoted or not, that is surely of its type or, unless it must be filled, null."""
    if prop is None or prop.type == "string":
        many = "+" if filled else "*"
        bare, quoted = _class(csv.delimiter, csv.quote) + many, _class(csv.quote, csv.escape) + many
    else:
        beyond = {csv.delimiter, csv.quote, csv.escape, *UNLIKE}
        words = [re.escape(word) for word in csv.null_values if not filled and not beyond & set(word)]
        bare = quoted = f"(?:{'|'.join([_typed(prop), *words])})"
    quote = re.escape(csv.quote)
    return f"(?:{bare}|{quote}{quoted}{quote})" if quote else bare


def _typed(prop: Property) -> str:
    whole, fraction = DIGITS, DIGITS
    if prop.exact:
        whole, fraction = prop.exact[0] - prop.exact[1], prop.exact[1]
    after = rf"(?:\.[0-9]{{1,{fraction}}})?" if fraction else ""
    match prop.type:
        case "integer" if whole:
            return f"-?[0-9]{{1,{whole}}}"
        case "number" if whole:
            return f"-?[0-9]{{1,{whole}}}{after}"
        case "boolean":
            return "[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"
        case "date" if prop.format in (None, ISO):
            return DATE
        case "timestamp" if not prop.format and not prop.zone:
            return f"{DATE}[T ]{CLOCK}{SECONDS}{OFFSETS[prop.offset]}"
        case "time" if not prop.format:
            return f"{CLOCK}(?:{SECONDS})?"
    raise _Unproven


def _tested(prop: Property, at: int, checks: bitmask.Numbered, *, filled: bool, key: bool) -> TestedColumn:
    """Return the tests of a column besides its shape, which proves that it is `filled`."""
    tests = [
        test for n, check in checks for test in _trials(n, check, prop) if not (filled and test.kind == "required")
    ]
    as_value = any(test.kind == "bound" or (test.kind == "among" and prop.type == "integer") for test in tests)
    of_texts = any(test.kind == "outside" for test in tests)
    if as_value and of_texts:
        raise _Unproven
    return TestedColumn(at, _arrow(prop) if as_value or (key and not of_texts) else pa.string(), tuple(tests))


def _patterns_of(tested: Iterable[TestedColumn]) -> Iterator[str]:
    return (test.argument for column in tested for test in column.tests if test.kind == "pattern")


def _arrow(prop: Property) -> pa.DataType:
    if prop.exact:
        return pa.decimal128(*prop.exact)
    return ORDERED[prop.type]


def _trials(n: int, check: Check, prop: Property) -> Iterator[ColumnTest]:
    """The tests of the n-th row check."""
    known: dict[str, Any] = check.arguments
    if check.kind in FORBID_NULL or (check.kind == "missingValues" and known["null"]):
        yield ColumnTest("required", None, divmod(n, bitmask.WIDTH))
    if check.kind not in FORBID_NULL and check.kind != "logicalType":  # of which the shape tells
        for kind, of, sure in _of_values(check, prop):
            yield ColumnTest(kind, of, divmod(n, bitmask.WIDTH) if sure else None)


def _of_values(check: Check, prop: Property) -> Iterator[tuple[Kind, Any, bool]]:
    """The same of values that are not null: kind, argument, and whether what does not pass surely fails the check."""
    known: dict[str, Any] = check.arguments
    match check.kind:
        case "deprecated":
            yield "banned", None, True
        case "missingValues":
            yield "outside", tuple(known["values"]), True
        case "enum" | "invalidValues":
            if known.get("values") is not None:
                yield "among", _among(known["values"], prop), True
            if known.get("pattern") is not None:
                yield from _patterns(known["pattern"], prop)
        case "pattern" | "regex" | "notBlank":
            yield from _patterns(known["pattern"], prop)
        case "format" if prop.type == "string":
            yield from _patterns(TEXT[known["format"]].pattern, prop)
        case "minLength" | "maxLength" if prop.type == "string":
            yield "length", (LENGTHS[check.kind], int(known["value"])), True
        case _:
            yield from (("bound", bound, True) for bound in _bounds(check, prop))


def _bounds(check: Check, prop: Property) -> Iterator[Bound]:
    """Yield the bounds of a check that only bounds values."""
    known: dict[str, Any] = check.arguments
    if check.kind in BOUNDS:
        yield _bound(check.kind, known["value"], prop)
    elif check.kind == "format" and prop.type == "integer" and not prop.exact:
        least, most = INTEGERS[known["format"]]
        yield from (_bound("minimum", str(least), prop), _bound("maximum", str(most), prop))
    elif check.kind == "format" and prop.type == "number" and not prop.exact:
        yield from (("greater", -BEYOND_F32), ("less", BEYOND_F32))
    else:
        raise _Unproven


def _bound(kind: str, text: str, prop: Property) -> Bound:
    """A bound as `rules` has it; values of at most `DIGITS` digits are within what no integer of 64 bits can be."""
    name, towards = BOUNDS[kind]
    match prop.type:
        case "integer" | "number" if prop.exact:
            return name, Decimal(text)
        case "integer":
            return name, min(max(towards(Decimal(text)), row_checks.LEAST), row_checks.GREATEST)
        case "number":
            return name, float(text)
        case "date" if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return name, date.fromisoformat(text)
    raise _Unproven


def _among(texts: Sequence[str], prop: Property) -> tuple[str, ...] | tuple[int, ...]:
    if prop.type == "string":
        return tuple(texts)
    if prop.type == "integer" and not prop.exact and all(re.fullmatch(r"-?[0-9]{1,18}", text) for text in texts):
        return tuple(int(text) for text in texts)
    raise _Unproven


def _patterns(pattern: str, prop: Property) -> Iterator[tuple[Kind, Any, bool]]:
    """The tests of a pattern that is searched in a text, as RE2 writes it."""
    if short := SHORT.fullmatch(pattern):
        yield "length", ("less_equal", int(short["most"]) // 2), False  # Java may count a character as two
        pattern = short["inner"]
    if prop.type != "string" or not SHARED.fullmatch(pattern):
        raise _Unproven
    yield "pattern", re.sub(r"(\\\\)|\\u([0-9A-Fa-f]{4})", lambda m: m[1] or rf"\x{{{m[2]}}}", pattern), True
