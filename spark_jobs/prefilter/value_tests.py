"""Properties and their rules in, tests of values in Arrow out: patterns of texts, bounds, words.

The tests are narrower than the checks: numbers have no exponent and no plus sign, dates are days that their month has
in every year.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from contracts import rules
from contracts.plan import Plan, Property
from contracts.terms.value_form import PLAIN
from contracts.values.date_pattern import PIECE
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT
from spark_jobs.counting import bitmask, key_checks, sums
from spark_jobs.counting.spark_types import GREATEST, ISO, LEAST
from spark_jobs.prefilter.arrow_tests import Bound, ColumnTest, Kind, TestedColumn

DIGITS = 18
"""Digits before and after the point of a number: such a number fits an integer of 64 bits, and is never infinite."""
DATE = "[1-9][0-9]{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
DAYS_OF_MONTHS = (
    ("0[1-9]|1[0-9]|2[0-8]", "0[1-9]|1[0-2]"),
    ("29|30", "0[13-9]|1[0-2]"),
    ("31", "0[13578]|1[02]"),
)
"""Days that some months have in every year, and these months."""
STRPTIME = {"yyyy": "%Y", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d"}
"""The letters of days in digits, as Arrow's `strptime` has them."""
CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
SECONDS = r":[0-5][0-9](?:\.[0-9]{1,6})?"
OFFSET = "(?:Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9])"
OFFSETS = {None: f"{OFFSET}?", True: OFFSET, False: ""}
VALUES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}
"""The types of values, in Arrow."""
ORDERED = {kind: VALUES[kind] for kind in ("string", "integer", "number", "date")}
"""The types whose values are compared with each other."""
ESCAPED = r"\\(?:[nrtf\\^$.|?*+()\[\]{}/-]|x[0-9A-Fa-f]{2}|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})"
"""An escape of one character: two surrogates are one character to Java and two to RE2."""
IN_CLASS = rf"(?:{ESCAPED}|[^\x00-\x1f\\\[\]^&-])"
SHARED = re.compile(
    rf"(?:\^|\\z|\||\((?!\?)|\(\?:"
    rf"|(?:\)|\\[dDwW]|{ESCAPED}|[^\x00-\x1f\\^$.|?*+()\[\]{{}}]|\[\^?(?:\\[dDwW]|{IN_CLASS}(?:-{IN_CLASS})?)+-?\])"
    rf"(?:(?:[?*+]|\{{[0-9]{{1,3}}(?:,[0-9]{{0,3}})?\}})(?![?*+{{]))?)*"
)
"""Patterns with the same meaning in Java and in RE2, except for the spelling of `\\u`."""
SHORT = re.compile(r"\^\(\?=\[\\s\\S\]\{0,(?P<most>[0-9]+)\}\\z\)\[\\s\\S\]\*\?\(\?:(?P<inner>.*)\)", re.DOTALL)
"""A pattern that is searched in short texts only (`contracts.authoring.patterns.regex`)."""


class Untestable(Exception):
    """A check, a value or a format that Arrow cannot test as Spark would."""


def characters(*excluded: str) -> str:
    """Return a class of the characters of texts without some; RE2 accepts surrogates, which are invalid in UTF-8."""
    return rf"[^{''.join(map(re.escape, excluded))}\x00\n\r\x{{feff}}\x{{fffd}}\x{{ffff}}\x{{d800}}-\x{{dfff}}]"


def digits(prop: Property) -> tuple[int, str]:
    """Return the maximum number of digits of a number before its point, and the pattern of what follows them."""
    whole, fraction = (prop.exact[0] - prop.exact[1], prop.exact[1]) if prop.exact else (DIGITS, DIGITS)
    decimal = re.escape((prop.form or PLAIN).decimal)
    return whole, rf"(?:{decimal}[0-9]{{1,{fraction}}})?" if fraction and prop.type == "number" else ""


def typed(prop: Property) -> str:
    """Return the pattern of texts that are surely of the type of a property."""
    (whole, after), form = digits(prop), prop.form or PLAIN
    match prop.type:
        case "integer" if whole:
            return f"-?{_grouped(whole, form.group)}"
        case "number" if whole:
            return f"-?{_grouped(whole, form.group)}{after}"
        case "boolean" if form.true:
            return "|".join(map(re.escape, (*form.true, *form.false)))
        case "boolean":
            return "[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"
        case "date" if form.formats:
            return "|".join(map(_days, form.formats))
        case "date" if prop.format in (None, ISO):
            return DATE
        case "timestamp" if not prop.format and not prop.zone and not form.formats:
            return f"{DATE}[T ]{CLOCK}{SECONDS}{OFFSETS[prop.offset]}"
        case "time" if not prop.format and not form.formats:
            return f"{CLOCK}(?:{SECONDS})?"
    raise Untestable


def _days(pattern: str) -> str:
    """Return a pattern of the days in a notation of digits that their month has in every year."""
    pieces = [piece[0] for piece in PIECE.finditer(pattern)]
    letters = sorted(piece for piece in pieces if piece.isalpha())
    if [piece[0] for piece in letters] != ["M", "d", "y"] or not set(letters) <= STRPTIME.keys() or "'" in pattern:
        raise Untestable
    ways = []
    for days, months in DAYS_OF_MONTHS:
        texts = {"yyyy": "[1-9][0-9]{3}", "dd": days, "MM": months}
        texts |= {"d": days.replace("0[", "0?["), "M": months.replace("0[", "0?[")}
        ways.append("".join(f"(?:{texts[piece]})" if piece in texts else re.escape(piece) for piece in pieces))
    return "|".join(ways)


def _grouped(whole: int, group: str) -> str:
    """Return a pattern of at most so many digits, in groups of three if they have a mark."""
    plain = f"[0-9]{{1,{whole}}}"
    if not group or whole < 4:
        return plain
    groups, first = divmod(whole - 1, 3)
    mark = re.escape(group)
    longest = f"[1-9][0-9]{{0,{first}}}(?:{mark}[0-9]{{3}}){{{groups}}}"
    shorter = f"|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}}){{1,{groups - 1}}}" if groups > 1 else ""
    return f"(?:{plain}|{longest}{shorter})"


def column_of(prop: Property, at: int, checks: bitmask.Numbered, *, key: bool, filled: bool = False) -> TestedColumn:
    """Return the tests of a column in addition to its shape, which excludes nulls if it is `filled`."""
    tests: list[ColumnTest] = []
    for n, check in checks:
        bit = divmod(n, bitmask.WIDTH)
        if rules.forbids_null(check.rule) and not filled:
            tests.append(ColumnTest("required", None, bit))
        own = _of_values(check.rule, prop)
        tests += [ColumnTest(kind, argument, bit if sure else None) for kind, argument, sure in own]
    as_value = any(test.kind == "bound" or (test.kind == "among" and prop.type == "integer") for test in tests)
    of_texts = any(test.kind == "outside" for test in tests)
    if as_value and of_texts:
        raise Untestable
    return TestedColumn(at, value_type(prop) if as_value or (key and not of_texts) else pa.string(), tuple(tests))


def patterns_of(columns: Iterable[TestedColumn]) -> Iterator[str]:
    """Yield the patterns that values are searched for."""
    return (test.argument for column in columns for test in column.tests if test.kind == "pattern")


def value_type(prop: Property) -> pa.DataType:
    """Return the type of values that are compared, in Arrow."""
    if prop.exact:
        return pa.decimal128(*prop.exact)
    return ORDERED[prop.type]


def _of_values(  # noqa: C901 (a case for each rule)
    rule: rules.Rule, prop: Property
) -> Iterator[tuple[Kind, Any, bool]]:
    """Yield the tests of values that are not null: kind, argument, and whether a failing value fails the check."""
    match rule:
        case rules.Required() | rules.NullValues() | rules.LogicalType():  # the shape tests the type
            return
        case rules.Deprecated():
            yield "banned", None, True
        case rules.MissingValues(values=texts):
            yield "outside", tuple(texts), True
        case rules.Enum(values=texts):
            yield "among", _among(texts, prop), True
        case rules.InvalidValues(values=texts, pattern=pattern):
            if texts is not None:
                yield "among", _among(texts, prop), True
            if pattern is not None:
                yield from _patterns(pattern, prop)
        case rules.Pattern(pattern=pattern) | rules.Regex(pattern=pattern) | rules.NotBlank(pattern=pattern):
            yield from _patterns(pattern, prop)
        case rules.Format(format=name) if prop.type == "string":
            yield from _patterns(TEXT[name].pattern, prop)
        case rules.MinLength(value=least) if prop.type == "string":
            yield "length", ("greater_equal", least), True
        case rules.MaxLength(value=most) if prop.type == "string":
            yield "length", ("less_equal", most), True
        case _:
            yield from (("bound", bound, True) for bound in _bounds(rule, prop))


def _bounds(rule: rules.Rule, prop: Property) -> Iterator[Bound]:
    """Yield the bounds of a rule that only bounds values; integers take the nearest bound with the same meaning."""
    match rule:
        case rules.Minimum(value=text):
            yield _bound("greater_equal", math.ceil, text, prop)
        case rules.Maximum(value=text):
            yield _bound("less_equal", math.floor, text, prop)
        case rules.ExclusiveMinimum(value=text):
            yield _bound("greater", math.floor, text, prop)
        case rules.ExclusiveMaximum(value=text):
            yield _bound("less", math.ceil, text, prop)
        case rules.Format(format=name) if prop.type == "integer" and not prop.exact:
            least, most = INTEGERS[name]
            yield _bound("greater_equal", math.ceil, str(least), prop)
            yield _bound("less_equal", math.floor, str(most), prop)
        case rules.Format() if prop.type == "number" and not prop.exact:
            yield from (("greater", -BEYOND_F32), ("less", BEYOND_F32))
        case _:
            raise Untestable


def _bound(name: str, towards: Callable[[Decimal], int], text: str, prop: Property) -> Bound:
    """Return a bound as `row_checks` has it; values of at most `DIGITS` digits always fit an integer of 64 bits."""
    match prop.type:
        case "integer" | "number" if prop.exact:
            return name, Decimal(text)
        case "integer":
            return name, min(max(towards(Decimal(text)), LEAST), GREATEST)
        case "number":
            return name, float(text)
        case "date" if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return name, date.fromisoformat(text)
    raise Untestable


def _among(texts: Sequence[str], prop: Property) -> pa.Array:
    if prop.type == "string":
        return pa.array(texts, pa.string())
    if prop.type == "integer" and not prop.exact and all(re.fullmatch(r"-?[0-9]{1,18}", text) for text in texts):
        return pa.array(map(int, texts), pa.int64())
    raise Untestable


def _patterns(pattern: str, prop: Property) -> Iterator[tuple[Kind, Any, bool]]:
    """Yield the tests of a pattern that is searched in a text, in the syntax of RE2."""
    if short := SHORT.fullmatch(pattern):
        yield "length", ("less_equal", int(short["most"]) // 2), False  # Java may count a character as two
        pattern = short["inner"]
    if prop.type != "string" or not SHARED.fullmatch(pattern):
        raise Untestable
    yield "pattern", re.sub(r"(\\\\)|\\u([0-9A-Fa-f]{4})", lambda m: m[1] or rf"\x{{{m[2]}}}", pattern), True


def keys_of(plan: Plan, header: Sequence[str]) -> dict[int, str]:
    """Return the keys of one property that are compared from line to line, by the number of their check."""
    return {
        n: c.properties()[0]
        for n, c in key_checks.checks(plan, tuple(header))
        if len(c.properties()) == 1 and not c.filter and plan.property_named(c.properties()[0]).type in ORDERED
    }


def null_counted(plan: Plan) -> list[str]:
    """Return the properties whose nulls are counted, in the order of the sums; nothing else may be summed."""
    names = sums.properties_with_null_counts(plan)
    if names is None:
        raise Untestable
    return names
