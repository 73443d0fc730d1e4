"""Text files in, lines with their places and cells out. Nothing is judged here, and no part of a line is lost.

Lines that are not empty are numbered within their split of a file by `monotonically_increasing_id`, before any line is
dropped: record numbers are worked out from these ids later, without a second read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.files import csv_cells, encodings
from contracts.job import JobDrop
from contracts.plan import Csv, Plan, Property
from contracts.problem import Problem
from contracts.terms.value_form import BLANKS
from contracts.values import long_lines
from contracts.values.sql_text import literal
from spark_jobs.counting import top_lines
from spark_jobs.rules import csv_quotes
from spark_jobs.rules.casting import typed
from spark_jobs.rules.csv_quotes import has_quote, misquoted, stretched
from spark_jobs.spark import storage

JOINER = "\u2060"
"""Unicode's substitute for a byte order mark within text: one character, invisible, and not a blank."""
LATIN = "ISO-8859-1"
END = "\uffff"
"""A character that Spark's parser takes for the end of its input."""
MOST_CELLS = 20_000
"""Spark's parser gives up the whole run at 20,480 cells in one line; a line of as many cells is no record."""


def load(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Read the raw lines of files: one column `value`. With a record delimiter of its own a record is a line."""
    return spark.read.options(**line_ends(plan)).text(paths(drops))


def line_ends(plan: Plan) -> dict[str, str]:
    """Return Spark's option for what ends a line, in files of its reader and its writer."""
    end = plan.csv.record_delimiter if plan.file_format == "csv" else ""
    return {"lineSep": end} if end else {}


def paths(drops: Sequence[JobDrop]) -> list[str]:
    """Return the paths of files for Spark; names are escaped, so that none is read as a pattern."""
    return [path(uri) for drop in drops for uri in drop.uris]


def path(uri: str) -> str:
    """Return the path of one file for Spark."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", storage.plain(uri))


def without_header(source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Leave out the lines that equal the headers of files, or begin as trailers."""
    line = decoded(sf.col("value"), plan.csv)
    return below_header(source, line, plan, drops)


def below_header(source: DataFrame, line: Column, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """Leave out the records that equal the headers of files, or begin as trailers.

    Agreed rows above the records and footers stay: only their places distinguish them from records.
    """
    texts = top_lines.header_texts(plan, drops)
    if texts and not plan.csv.has_top:
        source = source.where(~line.isin(*texts))
    if plan.csv.trailer is None:
        return source
    ends = is_trailer(line, plan)
    return source.where(~ends | line.isin(*texts) if plan.csv.has_top else ~ends)


def unchanged(source: DataFrame, _plan: Plan, _drops: Sequence[JobDrop]) -> DataFrame:
    """Return the records of files that have neither headers nor trailers."""
    return source


def is_trailer(line: Column, plan: Plan) -> Column:
    """Return a column that is true if a line's first cell, quoted or not, is that of a trailer or of a footer."""
    csv = plan.csv
    if csv.ending is None:
        return sf.lit(False)
    if csv.footer:
        return line.rlike(rf"\A(?:{re.escape(csv.quote)})?{re.escape(csv.footer.begins)}")
    return csv_quotes.begins_with(line, csv.ending.begins, csv)


def never_trailer(_raw: Column, _plan: Plan) -> Column:
    """Return a column that is false: files of this format have no trailers."""
    return sf.lit(False)


def always_plain(_plan: Plan, _header: tuple[str, ...]) -> bool:
    """Return True: records of this format may be plain whatever their header is."""
    return True


def no_fault(_spark: SparkSession, _plan: Plan, _drop: JobDrop) -> None:
    """Return None: a text file is lines of any bytes, so none is unreadable by itself."""


def no_refusals(_spark: SparkSession, _plan: Plan, _drops: Sequence[JobDrop]) -> dict[str, Problem]:
    """Return no faults: the scan sees every fault of a text file."""
    return {}


def first_line(error: Exception) -> str:
    """Return the first line of a Spark error."""
    text = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
    return text.strip().split("\n", 1)[0][:300]


def by_header(drops: Iterable[JobDrop]) -> list[tuple[tuple[str, ...], list[JobDrop]]]:
    """Group drops by header and types: Spark binds columns by position, so only equal ones are read together."""
    groups: dict[object, list[JobDrop]] = {}
    for drop in drops:
        groups.setdefault((drop.header, drop.types), []).append(drop)
    return [(group[0].header, group) for group in groups.values()]


def place() -> list[Column]:
    """Return the file, block and split offset of a row; as metadata each row would have a copy of them."""
    return [sf.input_file_name().alias("file"), sf.input_file_block_start().alias("block")]


def lines(text: DataFrame, csv: Csv) -> DataFrame:
    """Return all lines as `whole_lines` does; of those that are too long only the beginning.

    It is cut where lines are numbered: Spark moves a filter below any later column, and repeats that column in it.
    """
    return _numbered(text, csv, beginning(decoded(sf.col("value"), csv), long_lines.KEPT))


def beginning(line: Column, most: int) -> Column:
    """Return a line, or its first bytes if it has more than so many."""
    first = sf.left(line.cast("binary"), sf.lit(most)).cast("string")
    return sf.when(sf.octet_length(line) > most, first).otherwise(line)


def whole_lines(text: DataFrame, csv: Csv) -> DataFrame:
    """Return all lines: file, block, id (ascending within the block, null for an empty line), line."""
    return _numbered(text, csv, decoded(sf.col("value"), csv))


def _numbered(text: DataFrame, csv: Csv, line: Column) -> DataFrame:
    number = sf.when(is_filled(sf.col("value"), csv), sf.monotonically_increasing_id())  # only lines that ask count
    return text.select(*place(), number.alias("id"), line.alias("line"))


def as_lines(source: DataFrame, csv: Csv) -> DataFrame:
    """Return all lines as `lines` does, unless they have been read before."""
    return source if "line" in source.columns else lines(source, csv)


def is_filled(value: Column, csv: Csv) -> Column:
    """Return a column that is true if a raw line is neither empty nor a comment."""
    return (value != "") & ~sf.startswith(value, sf.lit(csv.comment_char)) if csv.comment_char else value != ""


def record_lines(source: DataFrame, plan: Plan) -> DataFrame:
    """Return the places of lines: file, block, `at` (the id from `lines`), `line`: counted in the file."""
    number = sf.monotonically_increasing_id()
    numbered = source.select(
        *place(), number.alias("nth"), sf.when(is_filled(sf.col("value"), plan.csv), number).alias("at")
    )
    blocks = numbered.groupBy("file", "block").agg(sf.min("nth").alias("first"), sf.count(sf.lit(1)).alias("n"))
    order = "partition by file order by block rows between unbounded preceding and 1 preceding"
    before = f"coalesce(sum(n) over ({order}), 0)"
    shifts = blocks.selectExpr("file", "block", f"{before} - first + 1 as shift")
    placed = numbered.where("at is not null").join(sf.broadcast(shifts), ["file", "block"])
    return placed.selectExpr("file", "block", "at", "nth + shift as line")


def as_written(source: DataFrame, plan: Plan, _header: tuple[str, ...]) -> DataFrame:
    """Return the lines that are not empty as they were written: file, block, id, value."""
    number = sf.when(is_filled(sf.col("value"), plan.csv), sf.monotonically_increasing_id()).alias("id")
    return source.select(*place(), number, "value").where(sf.col("id").isNotNull())


def as_cell(cell: Column, csv: Csv) -> Column:
    """Write a text as a cell of a line."""
    if not csv.quote:
        if csv.unquoted_escape:
            sign = csv.unquoted_escape
            text = cell
            for character in dict.fromkeys((sign, *csv.delimiter)):
                text = sf.replace(text, sf.lit(character), sf.lit(sign + character))
            for letter, meant in (("n", "\n"), ("r", "\r")):
                text = sf.replace(text, sf.lit(meant), sf.lit(sign + letter if sign == "\\" else " "))
            return sf.when(cell == csv_cells.NULL, cell).otherwise(text)
        if len(csv.delimiter) == 1 and not csv.record_delimiter:
            return sf.translate(cell, f"{csv.delimiter}\r\n", "   ")
        ends = "|".join(map(re.escape, [csv.record_delimiter] if csv.record_delimiter else ["\r", "\n"]))
        flat = sf.regexp_replace(cell, f"{re.escape(csv.delimiter)}|{ends}", " ")
        ends = csv_cells.run_on(csv)
        return sf.when(flat.rlike(ends), sf.concat(flat, sf.lit(" "))).otherwise(flat) if ends else flat
    signs = dict.fromkeys((*csv.delimiter, csv.quote, csv.unquoted_escape, "\r", "\n"))
    special = "[" + "".join(map(re.escape, signs)) + "]"
    text = cell
    for character in dict.fromkeys((csv.escape, csv.quote)):
        text = sf.replace(text, sf.lit(character), sf.lit(csv.escape + character))
    needs = cell.rlike(special) | cell.startswith(csv.comment_char) if csv.comment_char else cell.rlike(special)
    return sf.when(needs, sf.concat(sf.lit(csv.quote), text, sf.lit(csv.quote))).otherwise(cell)


def encoded(column: str, csv: Csv) -> Column:
    """Return a column of text so that Spark writes it in the dialect's encoding, or in UTF-8 if that is recoded."""
    encoding = encodings.read_as(csv.encoding)
    if encoding == encodings.UTF_8:
        return sf.col(column)
    return sf.encode(column, encodings.java(encoding)).cast("string").alias(column)


def parsed(line: Column, csv: Csv, width: int) -> Column:
    """Parse a line to a struct of the texts c0, c1, ... and `bad`; `fits` tests whether it has exactly `width` cells.

    A byte order mark at the start of a line becomes `JOINER`: the parser would drop it from the first line that it
    gets, which may be any line, and keep it in all others. `END` becomes `JOINER` as well: the parser would end its
    input there, for this line and the next.
    """
    line = ended(line, csv, width)
    if not csv_cells.is_usual(csv):
        # Spark's parser has no such dialect; the cells of a misquoted line are of no use.
        cells = split(line, csv)
        if csv.quote or csv.unquoted_escape:
            pattern = sf.lit(f"{re.escape(csv.delimiter)}({csv_cells.cell(*csv_cells.signs(csv))})")
            begun = sf.concat(sf.lit(csv.delimiter), line)  # else an empty first cell would be an empty match
            signed = sf.transform(sf.regexp_extract_all(begun, pattern, 1), lambda cell: _bare(cell, csv))
            cells = sf.when(has_quote(line, csv), signed).otherwise(cells)
        own = [sf.get(cells, sf.lit(n)).alias(f"c{n}") for n in range(width)]
        return sf.when(line.isNotNull(), sf.struct(*own, sf.when(sf.size(cells) != width, line).alias("bad")))
    schema = ", ".join(f"c{n} string" for n in range(width)) + ", bad string"
    whole = sf.replace(line, sf.lit(END), sf.lit(JOINER))
    unmarked = sf.concat(sf.lit(JOINER), sf.substr(whole, sf.lit(2)))
    text = sf.when(line.startswith(top_lines.MARKS[0]), unmarked).otherwise(whole)
    options = dialect(csv) | {"nullValue": "", "emptyValue": ""}
    return sf.from_csv(sf.when(_is_bounded(line, csv), text), schema, options)


def ended(line: Column, csv: Csv, width: int) -> Column:
    """Return a line without a delimiter at its end that makes one empty cell too many, if the contract allows it.

    A cell behind it that is quoted is no empty end: the line does not end with its delimiter then. Bytes are counted
    and cut: behind invalid bytes Spark takes the next ones for parts of a character.
    """
    if not csv.trailing_delimiter:
        return line
    sign = sf.lit(csv.delimiter)
    outer = stretched(line, csv) if csv.quote else line
    size = len(csv.delimiter.encode())
    signs = sf.octet_length(outer) - sf.octet_length(sf.replace(outer, sign, sf.lit("")))
    too_many = sf.endswith(line, sign) & (signs == size * width)
    bare = sf.left(line.cast("binary"), sf.octet_length(line) - size).cast("string")
    return sf.when(too_many, bare).otherwise(line)


def _bare(cell: Column, csv: Csv) -> Column:
    """Return the text of a cell, without its quotes and escapes."""
    plain = cell
    if csv.unquoted_escape:  # escapes are followed from the beginning, letter by letter
        text, sign = cell, re.escape(csv.unquoted_escape)
        for letter, meant in csv_cells.LETTERS.items() if csv.unquoted_escape == "\\" else ():
            before = rf"\G((?:[^{sign}]|{sign}[^{letter}])*+){sign}{letter}"
            text = sf.regexp_replace(text, sf.lit(before), sf.lit(f"$1{meant}"))
        text = sf.regexp_replace(text, sf.lit(rf"{sign}([\s\S])"), sf.lit("$1"))
        plain = sf.when(cell == csv_cells.NULL, cell).otherwise(text)
    if not csv.quote:
        return plain
    quote, escape = re.escape(csv.quote), re.escape(csv.escape)
    around, escaped = sf.lit(rf"\A{quote}|{quote}[\x00-\x20]*\z"), sf.lit(f"{escape}([{quote}{escape}])")
    inner = sf.regexp_replace(sf.regexp_replace(cell, around, sf.lit("")), escaped, sf.lit("$1"))
    return sf.when(sf.startswith(cell, sf.lit(csv.quote)), inner).otherwise(plain)


def split(line: Column, csv: Csv, most: int = -1) -> Column:
    """Split a line without quotes at its delimiters; the last of `most` texts is all the rest."""
    return sf.split(line, re.escape(csv.delimiter), most)


def or_null(text: str, csv: Csv, prop: Property) -> str:
    """Return a text as a cell of a property, both in SQL: trimmed if so agreed, null if it is a null value."""
    if prop.form and prop.form.trim:
        text = f"trim(both {literal(BLANKS)} from {text})"
    nulls = sorted(csv.nulls_of(prop))
    others = [f"{text} != {literal(word)}" if word else f"octet_length({text}) > 0" for word in nulls]
    return f"if({' and '.join(others)}, {text}, null)" if others else text


def is_even(line: Column, csv: Csv, width: int) -> Column:
    """Return a column that is true if a line without quotes has `width` cells."""
    return sf.size(split(ended(line, csv, width), csv, width + 1)) == width


def fits(parsed_line: Column) -> Column:
    """Return a column that is true if a parsed line has the requested number of cells."""
    return parsed_line.isNotNull() & parsed_line["bad"].isNull()


def _is_bounded(line: Column, csv: Csv) -> Column:
    """Return a column that is true unless a line is too long to be parsed, or has too many cells.

    Delimiters within quotes separate none.
    """
    few = _delimiters(line, csv) < MOST_CELLS
    if csv.quote:
        few = few | (~misquoted(line, csv) & (_delimiters(stretched(line, csv), csv) < MOST_CELLS))
    few = few & (sf.octet_length(line) <= long_lines.LONGEST)
    return (sf.octet_length(line) < MOST_CELLS) | few


def _delimiters(line: Column, csv: Csv) -> Column:
    """Return the number of delimiters in a line."""
    return sf.char_length(line) - sf.char_length(sf.replace(line, sf.lit(csv.delimiter), sf.lit("")))


def dialect(csv: Csv) -> dict[str, str]:
    """Return Spark's options for a dialect, without its null values."""
    names = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "bad"}
    return {"sep": csv.delimiter, "quote": csv.quote, "escape": csv.escape} | names


def with_texts(rows: DataFrame, raw: Column, csv: Csv, width: int, places: Sequence[int]) -> DataFrame:
    """Add the array `texts`: the cells at some places of lines that are records.

    Only lines with quotes are parsed: that takes three times as long as splitting. All places are one expression, as
    every call into the JVM takes time.
    """
    raw = ended(raw, csv, width)
    quoted = has_quote(raw, csv)
    fields, pieces = parsed(sf.when(quoted, raw), csv, width), split(sf.when(~quoted, raw), csv)
    apart = rows.select("*", fields.alias("fields"), pieces.alias("pieces"))
    of_fields = ", ".join(f"coalesce(fields.c{n}, '')" for n in places)
    of_pieces = f"array({', '.join(f'get(pieces, {n})' for n in places)})"
    if list(places) == list(range(width)):  # nearly always all of them, as they are; a record has no other number
        of_pieces = f"if(size(pieces) = {width}, pieces, null)"
    texts = sf.expr(f"if(pieces is null, array({of_fields}), {of_pieces})")
    return apart.select("*", texts.alias("texts")).drop("fields", "pieces")


def cell(parsed_cell: str, csv: Csv, prop: Property) -> str:
    """Return a cell of a parsed line, in SQL, null if it is a null value; the parser gives null for an empty text."""
    return or_null(f"coalesce({parsed_cell}, '')", csv, prop)


def values(plan: Plan, wanted: Sequence[str]) -> list[Column]:
    """Return the values v<n> of the texts t<n> of the n-th of some properties."""
    return [typed(sf.col(f"t{n}"), plan.property_named(name)).alias(f"v{n}") for n, name in enumerate(wanted)]


def chosen(records: DataFrame, plan: Plan, wanted: Sequence[str]) -> DataFrame:
    """Return t<n> and v<n> of some properties, from records with all cells c<n> and values v<n>."""
    numbers = {p.name: n for n, p in enumerate(plan.properties)}
    texts = (sf.col(f"c{numbers[name]}").alias(f"t{n}") for n, name in enumerate(wanted))
    values = (sf.col(f"v{numbers[name]}").alias(f"v{n}") for n, name in enumerate(wanted))
    return records.select("file", "block", "id", *texts, *values)


def decoded(value: Column, csv: Csv) -> Column:
    """Decode a raw line; invalid UTF-8 stays as it is, other bytes without a character become U+FFFD.

    Both fail the record check `text`. Of a wide encoding a byte that is no part of a sound character becomes 0xFF
    first, which no encoding has: Java would read some that Python does not.
    """
    encoding = encodings.read_as(csv.encoding)
    if encoding == encodings.UTF_8:
        return value
    if not encodings.is_wide(encoding):
        return sf.decode(value.cast("binary"), encodings.java(encoding))
    sound, latin = encodings.sound(csv.encoding), sf.decode(value.cast("binary"), LATIN)
    marked = sf.encode(sf.regexp_replace(latin, rf"\G({sound})[\x00-\xff]", "$1\u00ff"), LATIN)
    raw = sf.when(latin.rlike(rf"\A{sound}\z"), value.cast("binary")).otherwise(marked)
    is_ascii = value.cast("string").rlike(r"\A[\x00-\x7f]*+\z")
    return sf.when(is_ascii, value.cast("string")).otherwise(sf.decode(raw, encodings.java(csv.encoding)))
