"""The cells of lines and their tests in Arrow: lines of a passing shape and the tests of columns in, failures out."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from spark_jobs.prefilter import json_objects, plain_objects

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import ColumnTest, PassCondition, TestedColumn

LEAST_FIRST = {"greater_equal": operator.ge, "greater": operator.gt}
"""Bounds that all values keep if the least one does, by the names of Arrow's functions."""
GREATEST_FIRST = {"less_equal": operator.le, "less": operator.lt}
"""Bounds that all values keep if the greatest one does."""


def cells(lines: pa.StringArray, condition: PassCondition, *, ended: bool) -> pa.Table:
    """Parse the columns that are tested, named by their places."""
    return _in_types(_parsed(lines, _parsed_types(condition), condition, ended=ended), condition)


def shaped_cells(
    lines: pa.StringArray, ids: pa.Int64Array, condition: PassCondition, *, ended: bool
) -> tuple[pa.BooleanArray, pa.Table]:
    """Return which lines have the passing shape, and their columns that are tested."""
    if condition.plain:
        return _of_objects(lines, ids, condition, ended=ended)
    shaped = condition.shaped(lines, ids)
    own = lines if shaped.true_count == len(shaped) else lines.filter(shaped)
    return shaped, cells(own, condition, ended=ended)


def _of_objects(
    lines: pa.StringArray, ids: pa.Int64Array, condition: PassCondition, *, ended: bool
) -> tuple[pa.BooleanArray, pa.Table]:
    """Do the same for objects of JSON: nearly all are plain; the others are tested and parsed as whole lines."""
    assert condition.plain
    are_records = pc.and_(ids.is_valid(), condition.are_short(lines))
    shaped, table = plain_objects.read(lines, are_records, condition.plain, _parsed_types(condition))
    table = _in_types(table, condition)
    others = pc.and_not(are_records, shaped)
    if not others.true_count:
        return shaped, table
    which = pc.indices_nonzero(others)
    rest = lines.take(which)
    also = condition.shaped(rest, ids.take(which))
    if not also.true_count:
        return shaped, table
    more = cells(rest.filter(also), condition, ended=ended)
    order = pc.sort_indices(pa.concat_arrays([pc.indices_nonzero(shaped), which.filter(also)]))
    return pc.replace_with_mask(shaped, others, also), pa.concat_tables([table, more]).take(order)


def _parsed_types(condition: PassCondition) -> dict[str, pa.DataType]:
    """Return the types that a parser gives the columns that are tested, by their places."""
    return {str(column.at): pa.string() if column.reading else column.type for column in condition.tested}


def _in_types(table: pa.Table, condition: PassCondition) -> pa.Table:
    """Return parsed columns with the values of their readings."""
    for column in condition.tested:
        if column.reading:
            name = str(column.at)
            values = column.reading.values(table.column(name), column.type)
            table = table.set_column(table.schema.get_field_index(name), name, values)
    return table


def texts(lines: pa.StringArray, places: Sequence[int], condition: PassCondition, *, ended: bool) -> pa.Table:
    """Parse some columns of lines of CSV as texts, named by their places; no text is null."""
    wanted = {str(at): pa.string() for at in places}
    return _parsed(lines, wanted, replace(condition, nulls=()), ended=ended)


def _parsed(
    lines: pa.StringArray, wanted: dict[str, pa.DataType], condition: PassCondition, *, ended: bool
) -> pa.Table:
    if not wanted or not len(lines):
        return pa.table({name: pa.array([], kind) for name, kind in wanted.items()})
    lines = lines if ended else pc.binary_join_element_wise(lines, "", "\n")
    _, offsets, buffer = lines.buffers()
    bounds = memoryview(offsets).cast("i")
    start, end = bounds[lines.offset], bounds[lines.offset + len(lines)]
    text = buffer.slice(start, end - start)
    table = json_objects.cells(text, wanted, condition.names) if condition.names else _split(text, wanted, condition)
    if table.num_rows != len(lines):
        raise pa.ArrowInvalid("as many rows as lines")
    return table


def all_pass(values: pa.ChunkedArray, column: TestedColumn) -> bool:
    """Return True if all values of a column pass its tests."""
    return all(pc.all(passing).as_py() is not False for _, passing in failed_tests(values, column))


def _split(text: pa.Buffer, wanted: dict[str, pa.DataType], condition: PassCondition) -> pa.Table:
    """Parse some columns, named by their places, of lines of cells."""
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        pyarrow.csv.ReadOptions(
            use_threads=False, block_size=text.size + 1, column_names=[str(n) for n in range(condition.width)]
        ),
        pyarrow.csv.ParseOptions(
            delimiter=condition.delimiter,
            quote_char=condition.quote or False,
            double_quote=False,
            escape_char=False,
            ignore_empty_lines=False,
        ),
        pyarrow.csv.ConvertOptions(
            check_utf8=False,  # the pattern did
            column_types=wanted,
            include_columns=list(wanted),
            null_values=list(condition.nulls),
            strings_can_be_null=True,
            decimal_point=condition.decimal,
        ),
    )


def failed_tests(values: pa.ChunkedArray, column: TestedColumn) -> Iterator[tuple[ColumnTest, Any]]:
    """Yield each test that not all values pass, with the values that do."""
    for test in column.tests:
        match test.kind:
            case "required" if values.null_count:
                yield test, values.is_valid()
            case "banned" if values.null_count < len(values):
                yield test, values.is_null()
            case "among":
                among = pc.or_(pc.is_in(values, pc.cast(test.argument, values.type)), values.is_null())
                if not pc.all(among).as_py():
                    yield test, among
            case "outside":
                yield test, pc.invert(pc.is_in(values, pa.array(test.argument, values.type)))
            case "pattern":
                yield test, pc.fill_null(pc.match_substring_regex(values, test.argument), True)
    if values.null_count < len(values):
        yield from _within(values, [test for test in column.tests if test.kind == "bound"])
        if lengths := [test for test in column.tests if test.kind == "length"]:
            yield from _within(pc.utf8_length(values), lengths)


def _within(values: pa.ChunkedArray, tests: Sequence[ColumnTest]) -> Iterator[tuple[ColumnTest, Any]]:
    """Do the same for bounds: if the least and the greatest value are within a bound, all are."""
    if not tests:
        return
    span = pc.min_max(values)
    least, greatest = span["min"].as_py(), span["max"].as_py()
    for test in tests:
        name, bound = test.argument
        keeps = LEAST_FIRST[name](least, bound) if name in LEAST_FIRST else GREATEST_FIRST[name](greatest, bound)
        if not keeps:
            yield test, pc.fill_null(pc.call_function(name, [values, pa.scalar(bound, values.type)]), True)
