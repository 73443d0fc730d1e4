"""A plan and a header in, the tests in Arrow that a line surely passes or fails out: None if Arrow cannot test it.

The tests are narrower than the checks: numbers have no exponent and no plus sign, dates are days that their month has
in every year. Spark judges other lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date
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
from spark_jobs.counting import bitmask, floats, sums
from spark_jobs.counting.spark_types import OF_VALUES
from spark_jobs.prefilter import fixed_slices, object_tests, value_tests
from spark_jobs.prefilter.arrow_tests import (
    ColumnTest,
    PassCondition,
    Reading,
    TestedColumn,
)
from spark_jobs.prefilter.cell_tests import GREATEST_FIRST, LEAST_FIRST
from spark_jobs.prefilter.open_columns import CellShapes
from spark_jobs.prefilter.parquet_columns import ColumnConditions
from spark_jobs.prefilter.value_tests import Untestable

WIDE = 200
"""Columns up to which one pattern tests lines faster than Spark does."""
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
NOTHING = r"[^\x00-\x{10ffff}]"
"""A pattern that no text has."""
UNLIKE = "\0\n\r\ufeff\ufffd\uffff"
"""Characters that no passing text has: NUL, line ends, the mark that Arrow drops from a first line, the sign for
invalid bytes, and the character that Spark's parser takes for the end of its input."""


BETWEEN = "\x1f"
"""The sign between cells of fixed width: a line with it is left to Spark."""
MOST_NULLS = 100_000
"""Characters of null values in all their places in fields, of which Arrow makes a tree of bounded size."""


def pass_condition(
    plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], widest: int = WIDE, *, narrows: bool = False
) -> PassCondition | None:
    """Return the condition for lines below a header of up to so many columns to pass.

    None if a check has no test or lines are not text. If it `narrows`, odd lines are tested cell by cell: then columns
    may have checks without a test, and every line is odd.
    """
    try:
        if len(header) > widest:
            return None
        if plan.file_format == "jsonl":
            return object_tests.object_condition(plan, header)
        if narrows and not plan.fixed:
            opened = _untestable(plan, header)
            condition = _pass_condition(plan, header, header_texts, opened)
            return replace(condition, shapes=_cell_shapes(plan, header, opened))
        return _pass_condition(plan, header, header_texts)
    except (Untestable, ValueError):  # a pattern too large for RE2, or a value that Python or Arrow lacks
        return None


def with_looser(
    condition: PassCondition, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]
) -> PassCondition:
    """Return a condition for lines of cells with a looser one, by which lines without a required value surely fail."""
    if condition.names or condition.pattern == NOTHING:
        return condition
    try:
        looser = _pass_condition(plan, header, header_texts, fills=False)
    except (Untestable, ValueError):
        return condition
    if looser.pattern == condition.pattern:
        return condition
    # A worker gets each list of values once; a check has one of them.
    tests = ((c.at, test) for c in condition.tested for test in c.tests)
    lists: dict[Any, ColumnTest] = {(at, t.kind, t.bit): t for at, t in tests if t.kind in ("among", "outside")}
    tested = (replace(c, tests=tuple(lists.get((c.at, t.kind, t.bit), t) for t in c.tests)) for c in looser.tested)
    return replace(condition, looser=replace(looser, tested=tuple(tested)))


def _pass_condition(
    plan: Plan,
    header: tuple[str, ...],
    header_texts: Sequence[str],
    opened: Collection[str] = (),
    *,
    fills: bool = True,
) -> PassCondition:
    """Return the condition; no line passes if there are `opened` columns, which are not tested.

    If it `fills`, the pattern excludes null values where they fail a check, so that nothing else tests for them.
    """
    csv, at = _signs(plan), positions(header)
    if plan.read_as not in ("csv", "fixed") or csv.multi_line or csv.ending or csv.has_rows_above:
        raise Untestable
    if csv.record and not plan.fixed:
        raise Untestable
    encoding = encodings.read_as(csv.encoding)
    if encoding != encodings.UTF_8 and not encodings.is_one_byte(encoding):
        raise Untestable
    signs = csv.delimiter + csv.quote + csv.escape
    if not signs.isascii() or OF_VALUES.search(signs) or not csv_cells.is_usual(csv):
        raise Untestable
    if any(c.scope == "row" and (c.property is None or c.filter) for c in plan.row_checks()):
        raise Untestable
    here = {p.name: p for p in plan.properties if p.name in at and p.name not in opened}
    if csv.trailing_delimiter or not all(_is_common(p.form, csv) for p in here.values() if p.form):
        raise Untestable
    checks = _checks(plan, here)
    filled = {name for name, prop in here.items() if fills and _is_filled(prop, csv, (c for _, c in checks[name]))}
    key_names = {n: name for n, name in value_tests.keys_of(plan, header).items() if name in here}
    tested = [
        value_tests.column_of(prop, at[name], checks[name], filled=name in filled, key=name in key_names.values())
        for name, prop in here.items()
    ]
    decimal = _decimal(here[header[column.at]] for column in tested if _has_fractions(column.type))
    tested = [replace(column, reading=_reading(here[header[column.at]], column, csv, decimal)) for column in tested]
    counted = [at[name] if name in here else None for name in value_tests.null_counted(plan)]
    kinds = {column.at: column.type for column in tested}
    keys = [(n, at[name]) for n, name in key_names.items() if kinds[at[name]] == value_tests.value_type(here[name])]
    needed = {*counted, *dict(keys).values()}
    shapes = (_shape(here.get(name), csv, filled=name in filled) for name in header)
    condition = PassCondition(
        pattern=rf"\A{re.escape(csv.delimiter).join(shapes)}(?:\r?\n|\r)?\z",
        delimiter=csv.delimiter,
        quote=csv.quote,
        width=len(header),
        nulls=csv.null_values,
        header_texts=tuple(header_texts) if csv.header else (),
        tested=tuple(column for column in tested if column.at in needed or column.tests),
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
    elif opened:
        condition = replace(condition, pattern=NOTHING)
    for pattern in (condition.pattern, *value_tests.patterns_of(tested)):
        pc.match_substring_regex(pa.array([""]), pattern)
    return condition


def _checks(plan: Plan, here: Iterable[str]) -> dict[str | None, list[tuple[int, Check]]]:
    """Return the row checks of each property, with their numbers."""
    checks: dict[str | None, list[tuple[int, Check]]] = {name: [] for name in here}
    for n, check in enumerate(plan.row_checks()):
        checks.setdefault(check.property, []).append((n, check))
    return checks


def _untestable(plan: Plan, header: tuple[str, ...]) -> set[str]:
    """Return the names of the columns that have no test; raise `Untestable` if no column with a check has one."""
    at = positions(header)
    here = {p.name: p for p in plan.properties if p.name in at}
    checks, keys = _checks(plan, here), {*value_tests.keys_of(plan, header).values()}
    opened = {name for name, prop in here.items() if not _is_testable(prop, plan.csv, checks[name], name in keys)}
    if opened and opened.issuperset(name for name in here if checks[name]):
        raise Untestable
    return opened


def _is_testable(prop: Property, csv: Csv, checks: Sequence[tuple[int, Check]], key: bool) -> bool:
    """Return True if all values of a column can be tested."""
    try:
        filled = _is_filled(prop, csv, (check for _, check in checks))
        column = value_tests.column_of(prop, 0, checks, filled=filled, key=key)
        _reading(prop, column, csv, ".")
        for pattern in (_shape(prop, csv, filled=filled), *value_tests.patterns_of([column])):
            pc.match_substring_regex(pa.array([""]), pattern)
    except (Untestable, ValueError):
        return False
    return prop.form is None or _is_common(prop.form, csv)


def _cell_shapes(plan: Plan, header: tuple[str, ...], opened: Collection[str]) -> CellShapes:
    """Return the shapes of the cells of lines of CSV; a cell of an `opened` column has none."""
    csv, at = plan.csv, positions(header)
    quote, delimiter = re.escape(csv.quote), re.escape(csv.delimiter)
    cell = f"{value_tests.characters(csv.delimiter, csv.quote)}*"
    if quote:
        cell = f"(?:{cell}|{quote}{value_tests.characters(csv.quote, csv.escape)}*{quote})"
    here = [prop for prop in plan.properties if prop.name in at and prop.name not in opened]
    checks = _checks(plan, at)
    filled = {prop.name for prop in here if _is_filled(prop, csv, (c for _, c in checks[prop.name]))}
    own = ((at[prop.name], _text_shape(prop, csv, filled=prop.name in filled)) for prop in here)
    return CellShapes(
        rf"\A{cell}(?:{delimiter}{cell})*(?:\r?\n|\r)?\z",
        (*own, *((at[name], NOTHING) for name in opened)),
        "|".join(re.escape(sign) for sign in sorted({csv.quote, csv.escape} - {""})),
    )


def _text_shape(prop: Property, csv: Csv, *, filled: bool) -> str:
    """Return the pattern of the text of a cell that is surely of its type or, unless it must be filled, null."""
    if prop.type == "string":
        return ".+" if filled else ""
    beyond = {csv.delimiter, csv.quote, csv.escape, *UNLIKE}
    words = [re.escape(word) for word in csv.null_values if not filled and not beyond & set(word)]
    text = f"(?:{'|'.join([value_tests.typed(prop), *words])})"
    if prop.form and prop.form.trim:
        around = f"[{''.join(map(re.escape, sorted({*BLANKS} - beyond)))}]*"
        return f"{around}{text}{around}"
    return text


def _signs(plan: Plan) -> Csv:
    """Return the dialect of the texts that are tested: of fixed width, cells with a delimiter that none holds.

    A cell of fixed width has no blanks around it if its line passes, and so have null values.
    """
    if not plan.fixed:
        return plan.csv
    if not all(text.isascii() for text in (plan.csv.record, *(field.padding for field in plan.fixed.fields))):
        raise Untestable
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
        raise Untestable
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
        shape = value_tests.typed(prop)
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
        inner, edge = value_tests.characters(csv.delimiter), value_tests.characters(csv.delimiter, " ")
        shape = {"left": f"{edge}{inner}*", "right": f"{inner}*{edge}", "any": f"{inner}*{edge}{inner}*"}[field.align]
        return shape if filled else f"(?:{shape}| *)"
    if field.padding == ZERO:
        whole, after = value_tests.digits(prop)
        own = f"0*[1-9][0-9]{{0,{whole - 1}}}{after}|0+|-[0-9]{{1,{whole}}}{after}"
        return f"(?:{own})" if filled or "" not in csv.null_values else f"(?:{own}| *)"
    shape = _shape(prop, csv, filled=filled)
    return {"left": f"{shape} *", "right": f" *{shape}", "any": f" *{shape} *"}[field.align]


def column_conditions(plan: Plan, header: tuple[str, ...], types: tuple[str, ...]) -> ColumnConditions | None:
    """Return the condition for records of like Parquet files to pass; None if a check has no test."""
    try:
        return _column_conditions(plan, header, dict(zip(header, types, strict=True)))
    except (Untestable, ValueError):
        return None


def _column_conditions(plan: Plan, header: tuple[str, ...], types: dict[str, str]) -> ColumnConditions:
    if (
        plan.file_format != "parquet"
        or len(types) > WIDE
        or any(c.property is None or c.filter for c in plan.row_checks())
    ):
        raise Untestable
    here = {p.name: p for p in plan.properties if p.name in types}
    keys = value_tests.keys_of(plan, header)
    tested = {}
    for n, (name, prop) in enumerate(here.items()):
        if prop.exact or prop.path or types[name] not in READ.get(prop.type, {}):
            raise Untestable
        own = [(k, c) for k, c in enumerate(plan.row_checks()) if c.property == name]
        column = value_tests.column_of(prop, n, own, filled=False, key=name in set(keys.values()))
        if prop.type != "string" and any(test.kind == "outside" for test in column.tests):  # a test of texts
            raise Untestable
        old = (ColumnTest("bound", ("greater_equal", GREGORIAN)),) if prop.type == "date" else ()
        tests = tuple(map(_of_floats, column.tests)) if types[name] == "float" else column.tests
        tested[name] = replace(column, type=value_tests.VALUES[prop.type], tests=(*tests, *old))
    for pattern in value_tests.patterns_of(tested.values()):
        pc.match_substring_regex(pa.array([""]), pattern)
    return ColumnConditions(
        tested,
        {name: READ[prop.type][types[name]] for name, prop in here.items()},
        tuple(name if name in here else None for name in value_tests.null_counted(plan)),
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
        raise Untestable
    argument = ("greater_equal", min(within)) if is_least else ("less_equal", max(within))
    return replace(test, argument=argument)


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
        raise Untestable
    if not form.trim and not form.group and own == decimal and not days:
        return None
    pattern = "".join(value_tests.STRPTIME.get(piece[0], piece[0]) for day in days for piece in PIECE.finditer(day))
    return Reading(BLANKS if form.trim else "", csv.null_values, form.group, form.decimal, pattern)


def _is_filled(prop: Property, csv: Csv, checks: Iterable[Check]) -> bool:
    """Return True if a cell must not be null, and its shape already excludes null values."""
    if not any(isinstance(c.rule, rules.ForbidsNull) for c in checks):
        return False
    if prop.type == "string" and prop.form and prop.form.trim:
        return False
    shape = ".+" if prop.type == "string" else value_tests.typed(prop)
    return not any(re.fullmatch(shape, word, re.DOTALL) for word in csv.null_values)


def _shape(prop: Property | None, csv: Csv, *, filled: bool) -> str:
    """Return the pattern of a cell, quoted or not, that is surely of its type or, unless it must be filled, null."""
    if prop is None or prop.type == "string":
        many = "+" if filled else "*"
        bare, quoted = (
            value_tests.characters(csv.delimiter, csv.quote) + many,
            value_tests.characters(csv.quote, csv.escape) + many,
        )
    else:
        bare = quoted = _text_shape(prop, csv, filled=filled)
    quote = re.escape(csv.quote)
    return f"(?:{bare}|{quote}{quoted}{quote})" if quote else bare
