"""Lines of fixed width: lines in, cells and values of the contract's properties out.

A cell is a slice of a line, in characters or in bytes, without its padding. A line of the agreed length and kind is
sliced and cast in the first pass. Any other line is odd, and is judged in the second pass. So is, where positions count
bytes, each line with characters of several bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts import rules
from contracts.files import encodings, fixed_cells
from contracts.job import JobDrop
from contracts.plan import Plan
from contracts.terms.fixed_width import ZERO, Field
from contracts.values.sql_text import literal
from spark_jobs.counting import top_lines
from spark_jobs.formats import text_lines
from spark_jobs.rules import row_checks
from spark_jobs.rules.casting import typed

load = text_lines.load
fault = text_lines.no_fault
refusals = text_lines.no_refusals
as_written = text_lines.as_written
record_lines = text_lines.record_lines
may_be_plain = text_lines.always_plain


def without_header(source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Leave out lines that begin as trailers; a leader stays, as only its place distinguishes it from records."""
    line, above = text_lines.decoded(sf.col("value"), plan.csv), top_lines.header_texts(plan, drops)
    return source.where(~is_trailer(line, plan) | line.isin(*above)) if plan.csv.trailer else source


def is_trailer(line: Column, plan: Plan) -> Column:
    """Return a column that is true if a line begins like the trailer."""
    return sf.startswith(line, sf.lit(plan.csv.trailer.begins)) if plan.csv.trailer else sf.lit(False)


def first_pass(
    source: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]
) -> tuple[DataFrame, Column]:
    """Read the records of files: file, block, id, line, c<n> and v<n>, odd; and their raw text."""
    line = sf.col("line")
    odd = [~_fits(line, plan), row_checks.not_text(line, plan.csv), line.isin(*header_texts), is_trailer(line, plan)]
    odd += [~sf.startswith(line, sf.lit(plan.csv.record))] if plan.csv.record else []
    odd += [sf.octet_length(line) != sf.char_length(line)] if _in_bytes(plan) else []
    cells = _with_cells(text_lines.as_lines(source, plan.csv), plan, line, range(len(header)))
    return cells.select("*", *_values(plan), reduce(Column.__or__, odd).alias("odd")), line


def second_pass(singles: DataFrame, plan: Plan, header: tuple[str, ...]) -> tuple[DataFrame, row_checks.RecordTests]:
    """Slice odd lines (column `raw`): add c<n> and v<n>; return the tests of the record checks, by rule."""
    cells = _with_cells(singles, plan, sf.col("raw"), range(len(header)))
    return cells.select("*", *_values(plan)), _tests(sf.col("raw"), plan)


def records(
    source: DataFrame,
    plan: Plan,
    header: tuple[str, ...],
    wanted: Sequence[str],
    aside: Sequence[int],
    malformed: bool,
) -> DataFrame:
    """Read the records again: file, block, id, and text t<n> and value v<n> of the n-th of some properties."""
    line = sf.col("line")
    lines = text_lines.as_lines(source, plan.csv).where(sf.col("id").isNotNull() & ~sf.col("id").isin(*aside))
    if malformed:
        lines = lines.where(~reduce(Column.__or__, _tests(line, plan).values()))
    cells = _with_cells(lines, plan, line, [header.index(name) for name in wanted])
    return text_lines.chosen(cells.select("*", *_values(plan, wanted)), plan, wanted)


def with_cells(rows: DataFrame, plan: Plan, header: tuple[str, ...], malformed: Column) -> DataFrame:
    """Add `cells`, the slices by property, to lines (column `raw`); malformed ones have none."""
    texts = [_text(field, plan) for field in fixed_cells.layout(plan).fields]
    pairs = chain.from_iterable((sf.lit(name), sf.expr(text)) for name, text in zip(header, texts, strict=True))
    sliced = rows.select("*", _units(sf.when(~malformed, sf.col("raw")), plan).alias("units"))
    return sliced.select("*", sf.when(~malformed, sf.create_map(*pairs)).alias("cells")).drop("units")


def _with_cells(lines: DataFrame, plan: Plan, line: Column, places: Sequence[int]) -> DataFrame:
    """Add the cells c<n> of the fields at some places, null if they are null values."""
    fields = fixed_cells.layout(plan).fields
    numbers = {prop.name: n for n, prop in enumerate(plan.properties)}
    here = [(numbers[field.name], field) for field in (fields[place] for place in places)]
    sliced = lines.select("*", _units(line, plan).alias("units"))
    texts = sliced.select("*", *(sf.expr(_text(field, plan)).alias(f"t{n}") for n, field in here))
    cells = (sf.expr(text_lines.or_null(f"t{n}", plan.csv, plan.properties[n])).alias(f"c{n}") for n, _ in here)
    return texts.select("*", *cells).drop("units", *(f"t{n}" for n, _ in here))


def _values(plan: Plan, wanted: Sequence[str] | None = None) -> list[Column]:
    """Return the values v<n> of the cells c<n> of properties, or of some of them."""
    own = [(n, prop) for n, prop in enumerate(plan.properties) if wanted is None or prop.name in wanted]
    return [typed(sf.col(f"c{n}"), prop).alias(f"v{n}") for n, prop in own]


def _tests(line: Column, plan: Plan) -> row_checks.RecordTests:
    """Return the tests of lines by record rule; of a line that is no text neither length nor slices are counted."""
    not_text = row_checks.not_text(line, plan.csv)
    tests: row_checks.RecordTests = {rules.Text: not_text, rules.LineLength: ~_fits(line, plan) & ~not_text}
    if _in_bytes(plan):
        tests[rules.WholeCharacters] = _cuts(line, plan) & ~not_text
    if plan.csv.record:
        tests[rules.RecordType] = ~sf.startswith(line, sf.lit(plan.csv.record))
    return row_checks.too_long_fails(tests, line, rules.LineLength)


def _fits(line: Column, plan: Plan) -> Column:
    """Return a column that is true if a line has the agreed length, or lacks nothing but blanks at its end."""
    fixed = fixed_cells.layout(plan)
    size = length(line, plan)
    if not fixed.short:
        return size == fixed.length
    cut = (size.between(field.start, field.slice.end - 1) for field in fixed.whole)
    return (size <= fixed.length) & ~reduce(Column.__or__, cut, sf.lit(False))


def length(line: Column, plan: Plan) -> Column:
    """Return the length of a line, in the unit of the layout."""
    return sf.octet_length(_units(line, plan)) if _in_bytes(plan) else sf.char_length(line)


def _cuts(line: Column, plan: Plan) -> Column:
    """Return a column that is true if a character lies across the start or the end of a field.

    A character of the agreed encodings is known by its first bytes, so that the bytes up to a place within one are no
    text.
    """
    fields, encoding = fixed_cells.layout(plan).fields, plan.csv.encoding
    units, size = _units(line, plan), sf.octet_length(line)
    places = sorted({place for field in fields for place in (field.start - 1, field.slice.end)} - {0})
    parts = (sf.substring(units, 1, place) for place in places)
    if encodings.is_wide(encoding):
        sound = rf"\A{encodings.sound(encoding)}\z"
        whole = (sf.decode(part, text_lines.LATIN).rlike(sound) for part in parts)
    else:
        whole = (sf.is_valid_utf8(part.cast("string")) for part in parts)
    return (size != sf.char_length(line)) & ~reduce(Column.__and__, whole)


def _in_bytes(plan: Plan) -> bool:
    return fixed_cells.layout(plan).unit == "bytes"


def _units(line: Column, plan: Plan) -> Column:
    """Return a line as what its positions count: characters, or the bytes that it has in its file."""
    if not _in_bytes(plan):
        return line
    encoding = plan.csv.encoding
    return sf.encode(line, encodings.java(encoding)) if encodings.is_wide(encoding) else line.cast("binary")


def _text(field: Field, plan: Plan) -> str:
    """Return the slice of `units` that is a field, without its padding, in SQL."""
    text = f"substring(units, {field.start}, {field.length})"
    if _in_bytes(plan) and encodings.is_wide(plan.csv.encoding):
        text = f"decode({text}, '{encodings.java(plan.csv.encoding)}')"
    elif _in_bytes(plan):
        text = f"cast({text} as string)"
    side = {"left": "trailing", "right": "leading", "any": "both"}[field.align]
    bare = f"trim({side} {literal(field.padding)} from {text})"
    if field.padding == " ":
        return bare
    of_padding = f"if({bare} = '', '{ZERO}', {bare})" if field.padding == ZERO else bare
    return f"if(trim({text}) = '', '', {of_padding})"
