"""Text files in, lines with their places and cells out. Nothing is judged here; nothing of a line is lost here.

Lines are numbered within their split of a file by `monotonically_increasing_id`, taken of those that are not empty and
before anything is dropped: record numbers are worked out from it later, without a second read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.files import csv_cells
from contracts.job import JobDrop
from contracts.plan import Csv, Plan
from contracts.problem import Problem
from contracts.terms.trailer import LONGEST_LINE, Last
from spark_jobs.rules.casting import typed
from spark_jobs.rules.csv_quotes import has_quote, misquoted, stretched
from spark_jobs.spark import storage
from spark_jobs.spark.sql_text import literal

MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""A byte order mark, in UTF-8 and read as ISO-8859-1: Hadoop's line reader drops its bytes at the start of a file."""


JOINER = "\u2060"
"""What Unicode has in place of a byte order mark in the midst of text: neither blank nor seen, one character long."""
END = "\uffff"
"""A character that Spark's parser takes for the end of its input."""
MOST_CELLS = 20_000
"""Spark's parser gives up the whole run at 20,480 cells in one line; a line of as many cells is no record."""


def load(spark: SparkSession, _plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """The raw lines of files, one column `value`."""
    return spark.read.text(paths(drops))


def paths(drops: Sequence[JobDrop]) -> list[str]:
    """Return the paths of files for Spark; names are escaped, so that none is read as a pattern."""
    return [path(drop.uri) for drop in drops]


def path(uri: str) -> str:
    """The same of one file."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", storage.plain(uri))


def bare(source: DataFrame, plan: Plan, drops: Sequence[JobDrop]) -> DataFrame:
    """The lines of files without those that are as their headers, or begin as trailers."""
    line = decoded(sf.col("value"), plan.csv)
    if plan.csv.header:
        source = source.where(~line.isin(*sorted({text for d in drops for text in header_texts(d)})))
    return source.where(~ends(line, plan)) if plan.csv.trailer else source


def bare_anyway(source: DataFrame, _plan: Plan, _drops: Sequence[JobDrop]) -> DataFrame:
    """The same of files that have none."""
    return source


def ends(line: Column, plan: Plan) -> Column:
    """Return a column that is true if a line's first cell, quoted or not, is the text that begins a trailer."""
    csv = plan.csv
    if csv.trailer is None:
        return sf.lit(False)
    begins, delimiter, quote = (re.escape(text) for text in (csv.trailer.begins, csv.delimiter, csv.quote))
    quoted = f"|{quote}{begins}{quote}{csv_cells.dropped(csv)}" if csv.quote else ""
    return line.rlike(rf"\A(?:{begins}{quoted})(?:{delimiter}|\z)")


def last_cells(raw: bytes, plan: Plan) -> Last:
    """The cells of a trailer's line, or why they are not read."""
    try:
        line = raw.decode()
    except UnicodeDecodeError:
        return "bytes"
    return cells_of(line, plan.csv)


def cells_of(line: str, csv: Csv) -> Last:
    """The same of its text."""
    if len(line) > LONGEST_LINE:
        return "long"
    if "\0" in line:
        return "bytes"
    found = csv_cells.split(line, csv)
    return "quotes" if found is None else found


def ends_nowhere(_raw: Column, _plan: Plan) -> Column:
    """The same of files that have no trailers."""
    return sf.lit(False)


def no_cells(_raw: bytes, _plan: Plan) -> Last:
    """The cells of their trailers, of which there are none."""
    return ()


def no_fault(_spark: SparkSession, _plan: Plan, _drop: JobDrop) -> None:
    """Return None: a text file is lines of any bytes, so none is unreadable by itself."""


def none_refused(_spark: SparkSession, _plan: Plan, _drops: Sequence[JobDrop]) -> dict[str, Problem]:
    """Return no faults: the scan sees every fault of a text file."""
    return {}


def first_line(error: Exception) -> str:
    """Return the first line of a Spark error."""
    text = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
    return text.strip().split("\n", 1)[0][:300]


def by_header(drops: Iterable[JobDrop]) -> list[tuple[tuple[str, ...], list[JobDrop]]]:
    """Headers and their drops: Spark binds columns by position, so that only files with the same are one read."""
    found: dict[object, list[JobDrop]] = {}
    for drop in drops:
        found.setdefault((drop.header, drop.types), []).append(drop)
    return [(own[0].header, own) for own in found.values()]


def place() -> list[Column]:
    """Return the file, block and split offset of a row; as metadata each row would have a copy of them."""
    return [sf.input_file_name().alias("file"), sf.input_file_block_start().alias("block")]


def lines(text: DataFrame, csv: Csv) -> DataFrame:
    """All lines: file, block, id (ascending within it, null for an empty line), line."""
    value = sf.col("value")
    number = sf.when(value != "", sf.monotonically_increasing_id())  # counts only where it is asked
    return text.select(*place(), number.alias("id"), decoded(value, csv).alias("line"))


def placed_lines(source: DataFrame, _plan: Plan) -> DataFrame:
    """Return the places of lines: file, block, `at` (the id from `lines`), `line`: counted in the file."""
    number = sf.monotonically_increasing_id()
    told = source.select(*place(), number.alias("nth"), sf.when(sf.col("value") != "", number).alias("at"))
    blocks = told.groupBy("file", "block").agg(sf.min("nth").alias("first"), sf.count(sf.lit(1)).alias("n"))
    order = "partition by file order by block rows between unbounded preceding and 1 preceding"
    before = f"coalesce(sum(n) over ({order}), 0)"
    shifts = blocks.selectExpr("file", "block", f"{before} - first + 1 as shift")
    found = told.where("at is not null").join(sf.broadcast(shifts), ["file", "block"])
    return found.selectExpr("file", "block", "at", "nth + shift as line")


def header_texts(drop: JobDrop) -> tuple[str, ...]:
    """Return the possible texts of the header line in Spark: as it is, or without its byte order mark."""
    line = drop.header_line
    return (line, *(line.removeprefix(mark) for mark in MARKS if line.startswith(mark)))


def whole(source: DataFrame, _plan: Plan, _header: tuple[str, ...]) -> DataFrame:
    """The lines that are not empty as they came: file, block, id, value."""
    number = sf.when(sf.col("value") != "", sf.monotonically_increasing_id()).alias("id")
    return source.select(*place(), number, "value").where(sf.col("id").isNotNull())


def as_cell(cell: Column, csv: Csv) -> Column:
    """A text as a cell of a line."""
    if not csv.quote:
        return sf.translate(cell, f"{csv.delimiter}\r\n", "   ")
    special = "[" + "".join(re.escape(c) for c in dict.fromkeys((csv.delimiter, csv.quote, "\r", "\n"))) + "]"
    text = cell
    for character in dict.fromkeys((csv.escape, csv.quote)):
        text = sf.replace(text, sf.lit(character), sf.lit(csv.escape + character))
    return sf.when(cell.rlike(special), sf.concat(sf.lit(csv.quote), text, sf.lit(csv.quote))).otherwise(cell)


def encoded(column: str, csv: Csv) -> Column:
    """A column of text that Spark writes in the dialect's encoding."""
    if csv.encoding == "utf-8":
        return sf.col(column)
    return sf.encode(column, csv.encoding.upper()).cast("string").alias(column)


def parsed(line: Column, csv: Csv, width: int) -> Column:
    """A line as a struct of the texts c0, c1, ... and `bad`; see `fits` for whether it has exactly `width` cells.

    A byte order mark that a line begins with becomes `JOINER`: the parser would drop it from the first line that it
    gets, which may be any, and keep it in all others. So does what it takes for the end of all lines, and would take
    for it in the next line, too.
    """
    schema = ", ".join(f"c{n} string" for n in range(width)) + ", bad string"
    text = sf.when(line.startswith(MARKS[0]), sf.concat(sf.lit(JOINER), sf.substr(line, sf.lit(2)))).otherwise(line)
    text = sf.when(sf.contains(text, sf.lit(END)), sf.replace(text, sf.lit(END), sf.lit(JOINER))).otherwise(text)
    return sf.from_csv(bounded(text, csv), schema, dialect(csv) | {"nullValue": "", "emptyValue": ""})


def split(line: Column, csv: Csv, most: int = -1) -> Column:
    """The texts between the delimiters of a line without quotes, as an array; the last of `most` is all the rest."""
    return sf.split(line, re.escape(csv.delimiter), most)


def known(text: str, csv: Csv) -> str:
    """A text as a cell, both in SQL: null where it equals one of the dialect's null values."""
    others = [f"{text} != {literal(word)}" if word else f"octet_length({text}) > 0" for word in sorted(csv.null_values)]
    return f"if({' and '.join(others)}, {text}, null)" if others else text


def fits(parsed_line: Column) -> Column:
    """Return a column that is true if a parsed line has the requested number of cells."""
    return parsed_line.isNotNull() & parsed_line["bad"].isNull()


def bounded(line: Column, csv: Csv) -> Column:
    """A line that may be parsed: null where it has too many cells. Delimiters within quotes part none."""
    few = _delimiters(line, csv) < MOST_CELLS
    if csv.quote:
        few = few | (~misquoted(line, csv) & (_delimiters(stretched(line, csv), csv) < MOST_CELLS))
    return sf.when((sf.octet_length(line) < MOST_CELLS) | few, line)


def _delimiters(line: Column, csv: Csv) -> Column:
    """Return the number of delimiters in a line."""
    return sf.char_length(line) - sf.char_length(sf.replace(line, sf.lit(csv.delimiter), sf.lit("")))


def dialect(csv: Csv) -> dict[str, str]:
    """Spark's options for a dialect, but for its null values."""
    names = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "bad"}
    return {"sep": csv.delimiter, "quote": csv.quote, "escape": csv.escape} | names


def with_texts(rows: DataFrame, raw: Column, csv: Csv, width: int, places: Sequence[int]) -> DataFrame:
    """Rows and the array `texts`: what stands at some places of lines that are records.

    Only lines with quotes are parsed, which takes three times as long as to split them. All places are one expression,
    as every call into the JVM takes time.
    """
    quoted = has_quote(raw, csv)
    fields, pieces = parsed(sf.when(quoted, raw), csv, width), split(sf.when(~quoted, raw), csv)
    apart = rows.select("*", fields.alias("fields"), pieces.alias("pieces"))
    of_fields = ", ".join(f"coalesce(fields.c{n}, '')" for n in places)
    of_pieces = f"array({', '.join(f'get(pieces, {n})' for n in places)})"
    if list(places) == list(range(width)):  # nearly always all of them, as they are
        of_pieces = f"if(size(pieces) = {width}, pieces, {of_pieces})"
    texts = sf.expr(f"if(pieces is null, array({of_fields}), {of_pieces})")
    return apart.select("*", texts.alias("texts")).drop("fields", "pieces")


def cell(parsed_cell: str, csv: Csv) -> str:
    """A cell of a parsed line, as `known` has it; the parser gives null for an empty text."""
    return known(f"coalesce({parsed_cell}, '')", csv)


def values(plan: Plan, wanted: Sequence[str]) -> list[Column]:
    """The values v<n> of texts t<n>, which are of the n-th of some properties."""
    return [typed(sf.col(f"t{n}"), plan.property_named(name)).alias(f"v{n}") for n, name in enumerate(wanted)]


def chosen(found: DataFrame, plan: Plan, wanted: Sequence[str]) -> DataFrame:
    """Return t<n> and v<n> of some properties, from records with all cells c<n> and values v<n>."""
    numbers = {p.name: n for n, p in enumerate(plan.properties)}
    texts = (sf.col(f"c{numbers[name]}").alias(f"t{n}") for n, name in enumerate(wanted))
    values = (sf.col(f"v{numbers[name]}").alias(f"v{n}") for n, name in enumerate(wanted))
    return found.select("file", "block", "id", *texts, *values)


def decoded(value: Column, csv: Csv) -> Column:
    """A raw line as text; invalid UTF-8 stays as it is and is found by the record check `text`."""
    return value if csv.encoding == "utf-8" else sf.decode(value.cast("binary"), csv.encoding.upper())
