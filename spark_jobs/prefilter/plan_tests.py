"""A plan and a header in, the tests in Arrow that a line surely passes or fails out: None if Arrow cannot test it.

The tests are narrower than the checks: numbers have no exponent and no plus sign, dates are days that their month has
in every year. Spark judges other lines.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from contracts import rules
from contracts.files import csv_cells, encodings
from contracts.files.columns import positions
from contracts.plan import Check, Csv, Plan, Property
from contracts.terms.fixed_width import ZERO, Field, Fixed
from contracts.terms.value_form import BLANKS, PLAIN, ValueForm
from contracts.values.date_pattern import PIECE
from contracts.values.text_formats import BEYOND_F32, INTEGERS, TEXT
from spark_jobs.formats.csv_lines import OF_VALUES
from spark_jobs.prefilter import fixed_slices
from spark_jobs.prefilter.arrow_tests import (
    GREATEST_FIRST,
    LEAST_FIRST,
    Bound,
    ColumnTest,
    Kind,
    PassCondition,
    Reading,
    TestedColumn,
)
from spark_jobs.prefilter.parquet_columns import ColumnConditions
from spark_jobs.rules import bitmask, floats, key_checks, row_checks, sums
from spark_jobs.rules.casting import ISO

WIDE = 200
"""Columns up to which one pattern tests a line, and columns are tested one by one."""
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
WHOLE = {"int": (pa.int8(), pa.int16(), pa.int32()), "bigint": (pa.int64(),)}
READ: dict[str, dict[str, tuple[pa.DataType, ...]]] = {
    "string": {"string": (pa.string(),)},
    "integer": WHOLE,
    "number": WHOLE | {"float": (pa.float32(),), "double": (pa.float64(),)},
    "date": {"date": (pa.date32(),)},
    "boolean": {"boolean": (pa.bool_(),)},
}
"""Arrow's types of a column of Parquet, by type of a property and Spark's type of the column."""
GREGORIAN = date(1582, 10, 15)
"""The first Gregorian day: how Spark reads days before it depends on its settings."""
ORDERED = {kind: VALUES[kind] for kind in ("string", "integer", "number", "date")}
"""The types whose values are compared with each other."""
UNLIKE = "\0\n\r\ufeff\ufffd\uffff"
"""Characters that no passing text has: NUL, line ends, the mark that Arrow drops from a first line, the sign for
invalid bytes, and the character that Spark's parser takes for the end of its input."""
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


BETWEEN = "\x1f"
"""The sign between cells of fixed width: a line with it is left to Spark."""
MOST_NULLS = 100_000
"""Characters of null values in all their places in fields, of which Arrow makes a tree of bounded size."""


class _Untestable(Exception):
    """A check, a value or a format that Arrow cannot test as Spark would."""


def pass_condition(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> PassCondition | None:
    """Return the condition for lines below a header to pass; None if a check has no test or lines are not text."""
    try:
        return _pass_condition(plan, header, header_texts)
    except (_Untestable, ValueError):  # a pattern too large for RE2, or a value that Python or Arrow lacks
        return None


def _pass_condition(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> PassCondition:
    csv, at = _signs(plan), positions(header)
    if plan.read_as not in ("csv", "fixed") or csv.multi_line or csv.ending or csv.has_rows_above:
        raise _Untestable
    if (csv.record and not plan.fixed) or len(header) > WIDE:
        raise _Untestable
    encoding = encodings.read_as(csv.encoding)
    if encoding != encodings.UTF_8 and not encodings.is_one_byte(encoding):
        raise _Untestable
    signs = csv.delimiter + csv.quote + csv.escape
    if not signs.isascii() or OF_VALUES.search(signs) or not csv_cells.is_usual(csv):
        raise _Untestable
    if any(c.scope == "row" and (c.property is None or c.filter) for c in plan.row_checks()):
        raise _Untestable
    here = {p.name: p for p in plan.properties if p.name in at}
    if csv.trailing_delimiter or not all(_is_common(p.form, csv) for p in here.values() if p.form):
        raise _Untestable
    checks = {name: [(n, c) for n, c in enumerate(plan.row_checks()) if c.property == name] for name in here}
    filled = {name for name, prop in here.items() if _is_filled(prop, csv, (c for _, c in checks[name]))}
    tested = [
        _tested(prop, at[name], checks[name], filled=name in filled, key=name in set(_keys(plan, header).values()))
        for name, prop in here.items()
    ]
    decimal = _decimal(here[header[column.at]] for column in tested if _has_fractions(column.type))
    tested = [replace(column, reading=_reading(here[header[column.at]], column, csv, decimal)) for column in tested]
    counted = [at.get(name) for name in _null_counted(plan)]
    kinds = {column.at: column.type for column in tested}
    keys = [(n, at[name]) for n, name in _keys(plan, header).items() if kinds[at[name]] == _arrow(here[name])]
    shapes = (_shape(here.get(name), csv, filled=name in filled) for name in header)
    condition = PassCondition(
        pattern=rf"\A{re.escape(csv.delimiter).join(shapes)}(?:\r?\n|\r)?\z",
        delimiter=csv.delimiter,
        quote=csv.quote,
        width=len(header),
        nulls=csv.null_values,
        header_texts=tuple(header_texts) if csv.header else (),
        tested=tuple(column for column in tested if column.at in (*counted, *dict(keys).values()) or column.tests),
        counted=tuple(counted),
        keys=tuple(keys),
        mask_columns=len(bitmask.mask_columns(plan)),
        encoding=encoding,
        letters=tuple(sums.letters_tests(plan)),
        decimal=decimal,
        comment=csv.comment_char,
        headed=f"/0.{plan.file_format}" if plan.archive else "",
    )
    if plan.fixed:
        condition = _of_fields(condition, plan.fixed, here, csv, filled)
    for pattern in (condition.pattern, *_patterns_of(tested)):
        pc.match_substring_regex(pa.array([""]), pattern)
    return condition


def _signs(plan: Plan) -> Csv:
    """Return the dialect of the texts that are tested: of fixed width, cells with a delimiter that none holds.

    A cell of fixed width has no blanks around it if its line passes, and so have null values.
    """
    if not plan.fixed:
        return plan.csv
    if not all(text.isascii() for text in (plan.csv.record, *(field.padding for field in plan.fixed.fields))):
        raise _Untestable
    bare = tuple(word for word in plan.csv.null_values if word == word.strip(" "))
    return replace(plan.csv, delimiter=BETWEEN, null_values=bare)


def _of_fields(
    condition: PassCondition, fixed: Fixed, here: dict[str, Property], csv: Csv, filled: Collection[str]
) -> PassCondition:
    """Return a condition for cells as one for fields, which are filled up."""
    columns = {column.at: column for column in condition.tested}
    slots = [_slot(field, here[field.name], columns.get(n), csv) for n, field in enumerate(fixed.fields)]
    shapes = [_field_shape(here[slot.name], slot, csv, filled=slot.name in filled) for slot in slots]
    shapes += [fixed_slices.PLAIN] if fixed_slices.has_unread(fixed) else []
    nulls = fixed_slices.null_texts(csv.null_values, [slot for slot in slots if here[slot.name].type != "string"])
    if sum(map(len, nulls)) > MOST_NULLS:
        raise _Untestable
    return replace(
        condition,
        pattern=rf"\A{re.escape(csv.delimiter).join(shapes)}\n\z",
        width=len(shapes),
        nulls=nulls,
        tested=tuple(_trimmed(column, here[slots[column.at].name], csv) for column in condition.tested),
        fixed=fixed,
        begins=csv.record,
        refilled=tuple(n for n, field in enumerate(fixed.fields) if field != slots[n]),
    )


def _slot(field: Field, prop: Property, column: TestedColumn | None, csv: Csv) -> Field:
    """Return how a field is filled up when it is tested: by blanks, or by zeros that parsers of numbers pass over."""
    if field.padding == " ":
        return field
    form, texts = prop.form or PLAIN, column is not None and column.type == pa.string() and column.tests
    if field.padding == ZERO and prop.type in ("integer", "number") and not (form.trim or form.group or texts):
        shape = _typed(prop)
        if not any(word and re.fullmatch(shape, word) for word in csv.null_values):
            return field
    return replace(field, padding=" ", align="left")


def _trimmed(column: TestedColumn, prop: Property, csv: Csv) -> TestedColumn:
    """Return a column whose texts are read without the blanks that fill them up; parsers of values pass over them."""
    if column.reading:
        return replace(column, reading=replace(column.reading, blanks=column.reading.blanks or " "))
    if column.type != pa.string() or not (prop.type == "string" or column.tests):
        return column
    return replace(column, reading=Reading(" ", csv.null_values))


def _field_shape(prop: Property, field: Field, csv: Csv, *, filled: bool) -> str:
    """Return the pattern of a field that is surely of its type or, unless it must be filled, null."""
    if prop.type == "string":  # a text has blanks of its own on neither side
        inner, edge = _class(csv.delimiter), _class(csv.delimiter, " ")
        shape = {"left": f"{edge}{inner}*", "right": f"{inner}*{edge}", "any": f"{inner}*{edge}{inner}*"}[field.align]
        return shape if filled else f"(?:{shape}| *)"
    if field.padding == ZERO:
        whole, after = _digits(prop)
        own = f"0*[1-9][0-9]{{0,{whole - 1}}}{after}|0+|-[0-9]{{1,{whole}}}{after}"
        return f"(?:{own})" if filled or "" not in csv.null_values else f"(?:{own}| *)"
    shape = _shape(prop, csv, filled=filled)
    return {"left": f"{shape} *", "right": f" *{shape}", "any": f" *{shape} *"}[field.align]


def column_conditions(plan: Plan, header: tuple[str, ...], types: tuple[str, ...]) -> ColumnConditions | None:
    """Return the condition for records of like Parquet files to pass; None if a check has no test."""
    try:
        return _column_conditions(plan, header, dict(zip(header, types, strict=True)))
    except (_Untestable, ValueError):
        return None


def _column_conditions(plan: Plan, header: tuple[str, ...], types: dict[str, str]) -> ColumnConditions:
    if (
        plan.file_format != "parquet"
        or len(types) > WIDE
        or any(c.property is None or c.filter for c in plan.row_checks())
    ):
        raise _Untestable
    here = {p.name: p for p in plan.properties if p.name in types}
    keys = _keys(plan, header)
    tested = {}
    for n, (name, prop) in enumerate(here.items()):
        if prop.exact or prop.path or types[name] not in READ.get(prop.type, {}):
            raise _Untestable
        own = [(k, c) for k, c in enumerate(plan.row_checks()) if c.property == name]
        column = _tested(prop, n, own, filled=False, key=name in set(keys.values()))
        if prop.type != "string" and any(test.kind == "outside" for test in column.tests):  # a test of texts
            raise _Untestable
        old = (ColumnTest("bound", ("greater_equal", GREGORIAN)),) if prop.type == "date" else ()
        tests = tuple(map(_of_floats, column.tests)) if types[name] == "float" else column.tests
        tested[name] = replace(column, type=VALUES[prop.type], tests=(*tests, *old))
    for pattern in _patterns_of(tested.values()):
        pc.match_substring_regex(pa.array([""]), pattern)
    return ColumnConditions(
        tested,
        {name: READ[prop.type][types[name]] for name, prop in here.items()},
        tuple(name if name in here else None for name in _null_counted(plan)),
        tuple(keys.items()),
    )


def _of_floats(test: ColumnTest) -> ColumnTest:
    """Turn a test of the decimals that floats stand for into one of floats: of the neighbours within a bound."""
    if test.kind != "bound":
        return test
    name, bound = test.argument
    is_least = name in LEAST_FIRST
    keeps = LEAST_FIRST[name] if is_least else GREATEST_FIRST[name]
    within = [number for number in floats.around(bound) if keeps(floats.decimal(number), bound)]
    if not within:
        raise _Untestable
    argument = ("greater_equal", min(within)) if is_least else ("less_equal", max(within))
    return replace(test, argument=argument)


def _keys(plan: Plan, header: Sequence[str]) -> dict[int, str]:
    """Return the keys of one property that are compared from line to line, by the number of their check."""
    return {
        n: c.properties()[0]
        for n, c in key_checks.checks(plan, tuple(header))
        if len(c.properties()) == 1 and not c.filter and plan.property_named(c.properties()[0]).type in ORDERED
    }


def _null_counted(plan: Plan) -> list[str]:
    """Return the properties whose nulls are counted, in the order of the sums; nothing else may be summed."""
    names = sums.properties_with_null_counts(plan)
    if names is None:
        raise _Untestable
    return names


def _is_common(form: ValueForm, csv: Csv) -> bool:
    """Return True if Arrow may read a form: blanks, marks that are no signs of the dialect, words, days in digits."""
    texts = "".join((form.decimal, form.group, *form.true, *form.false, *form.formats))
    marks = set(texts) & {csv.delimiter, csv.quote, csv.escape}
    plain = replace(form, trim=False, decimal=".", group="", true=(), false=(), formats=())
    bare = all(form.cell(word) == word for word in csv.null_values)  # the parser compares them with the blanks
    return plain == PLAIN and bare and not marks - {""}


def _has_fractions(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _decimal(props: Iterable[Property]) -> str:
    """Return the decimal mark of most numbers: Arrow's parser knows one for all columns."""
    marks = Counter(prop.form.decimal if prop.form else "." for prop in props)
    return marks.most_common(1)[0][0] if marks else "."


def _reading(prop: Property, column: TestedColumn, csv: Csv, decimal: str) -> Reading | None:
    """Return how a column is read if Arrow's parser does not read it so."""
    form = prop.form or PLAIN
    own = form.decimal if _has_fractions(column.type) else decimal
    days = form.formats if column.type == pa.date32() else ()
    if len(days) > 1:
        raise _Untestable
    if not form.trim and not form.group and own == decimal and not days:
        return None
    pattern = "".join(STRPTIME.get(piece[0], piece[0]) for day in days for piece in PIECE.finditer(day))
    return Reading(BLANKS if form.trim else "", csv.null_values, form.group, form.decimal, pattern)


def _class(*excluded: str) -> str:
    """Return a class of the characters of texts without some; RE2 accepts surrogates, which are invalid in UTF-8."""
    return rf"[^{''.join(map(re.escape, excluded))}\x00\n\r\x{{feff}}\x{{fffd}}\x{{ffff}}\x{{d800}}-\x{{dfff}}]"


def _is_filled(prop: Property, csv: Csv, checks: Iterable[Check]) -> bool:
    """Return True if a cell must not be null, and its shape already excludes null values."""
    if not any(isinstance(c.rule, rules.ForbidsNull) for c in checks):
        return False
    if prop.type == "string" and prop.form and prop.form.trim:
        return False
    shape = ".+" if prop.type == "string" else _typed(prop)
    return not any(re.fullmatch(shape, word, re.DOTALL) for word in csv.null_values)


def _shape(prop: Property | None, csv: Csv, *, filled: bool) -> str:
    """Return the pattern of a cell, quoted or not, that is surely of its type or, unless it must be filled, null."""
    if prop is None or prop.type == "string":
        many = "+" if filled else "*"
        bare, quoted = _class(csv.delimiter, csv.quote) + many, _class(csv.quote, csv.escape) + many
    else:
        beyond = {csv.delimiter, csv.quote, csv.escape, *UNLIKE}
        words = [re.escape(word) for word in csv.null_values if not filled and not beyond & set(word)]
        bare = quoted = f"(?:{'|'.join([_typed(prop), *words])})"
        if prop.form and prop.form.trim:
            around = f"[{''.join(map(re.escape, sorted({*BLANKS} - beyond)))}]*"
            bare = quoted = f"{around}{bare}{around}"
    quote = re.escape(csv.quote)
    return f"(?:{bare}|{quote}{quoted}{quote})" if quote else bare


def _digits(prop: Property) -> tuple[int, str]:
    """Return the maximum number of digits of a number before its point, and the pattern of what follows them."""
    whole, fraction = (prop.exact[0] - prop.exact[1], prop.exact[1]) if prop.exact else (DIGITS, DIGITS)
    decimal = re.escape((prop.form or PLAIN).decimal)
    return whole, rf"(?:{decimal}[0-9]{{1,{fraction}}})?" if fraction and prop.type == "number" else ""


def _typed(prop: Property) -> str:
    (whole, after), form = _digits(prop), prop.form or PLAIN
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
    raise _Untestable


def _days(pattern: str) -> str:
    """Return a pattern of the days in a notation of digits that their month has in every year."""
    pieces = [piece[0] for piece in PIECE.finditer(pattern)]
    letters = sorted(piece for piece in pieces if piece.isalpha())
    if [piece[0] for piece in letters] != ["M", "d", "y"] or not set(letters) <= STRPTIME.keys() or "'" in pattern:
        raise _Untestable
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


def _tested(prop: Property, at: int, checks: bitmask.Numbered, *, filled: bool, key: bool) -> TestedColumn:
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
        raise _Untestable
    return TestedColumn(at, _arrow(prop) if as_value or (key and not of_texts) else pa.string(), tuple(tests))


def _patterns_of(tested: Iterable[TestedColumn]) -> Iterator[str]:
    return (test.argument for column in tested for test in column.tests if test.kind == "pattern")


def _arrow(prop: Property) -> pa.DataType:
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
            raise _Untestable


def _bound(name: str, towards: Callable[[Decimal], int], text: str, prop: Property) -> Bound:
    """Return a bound as `row_checks` has it; values of at most `DIGITS` digits always fit an integer of 64 bits."""
    match prop.type:
        case "integer" | "number" if prop.exact:
            return name, Decimal(text)
        case "integer":
            return name, min(max(towards(Decimal(text)), row_checks.LEAST), row_checks.GREATEST)
        case "number":
            return name, float(text)
        case "date" if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return name, date.fromisoformat(text)
    raise _Untestable


def _among(texts: Sequence[str], prop: Property) -> tuple[str, ...] | tuple[int, ...]:
    if prop.type == "string":
        return tuple(texts)
    if prop.type == "integer" and not prop.exact and all(re.fullmatch(r"-?[0-9]{1,18}", text) for text in texts):
        return tuple(int(text) for text in texts)
    raise _Untestable


def _patterns(pattern: str, prop: Property) -> Iterator[tuple[Kind, Any, bool]]:
    """Yield the tests of a pattern that is searched in a text, in the syntax of RE2."""
    if short := SHORT.fullmatch(pattern):
        yield "length", ("less_equal", int(short["most"]) // 2), False  # Java may count a character as two
        pattern = short["inner"]
    if prop.type != "string" or not SHARED.fullmatch(pattern):
        raise _Untestable
    yield "pattern", re.sub(r"(\\\\)|\\u([0-9A-Fa-f]{4})", lambda m: m[1] or rf"\x{{{m[2]}}}", pattern), True
