"""Rejected rows as lines of a file that its producer may correct and send again: evidence in, lines out.

The lines are in the file's own format, with the reasons added at the end. Both columns are ignored when rows come back.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.files import columns, csv_cells, csv_top
from contracts.files.columns import OURS, positions
from contracts.files.sheets.cells import FAULT
from contracts.job import JobDrop
from contracts.messages import reason
from contracts.plan import Csv, Plan
from spark_jobs.counting.bitmask import Numbered
from spark_jobs.formats import text_lines
from spark_jobs.rules import csv_quotes

UNSEEN = (
    r'\x00-\x20"\x7F-\xA0\xAD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180E\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000'
    r"\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFC"
)
"""Characters that a spreadsheet may skip at the start of a cell: control characters, blanks, invisible ones, quotes."""
SIGNS = r"=@\uFE66\uFE6B\uFF1D\uFF20"
SUMS = r"+\-\u2212\uFE62\uFE63\uFF0B\uFF0D"
UNIT = r"[$%\xA2-\xA5\u20A0-\u20C0]"
"""A percent sign or the sign of a currency."""
NUMBER = (
    rf"(?:{UNIT}\x20?)?(?:[0-9]+(?:[.,][0-9]+)*[.,]?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
    rf"(?:[\x20\xA0\u202F]?{UNIT})?[\x20\xA0]*"
)
OTHER = f"(?=[^{string.digits}{string.ascii_letters}])"
"""A place before any other character than a digit or a letter: Java tests single characters faster than ranges."""
ESCAPE = "\\u%04X"
LINE_ENDS = "\n\r"
DELIMITERS = ",;\t"
"""The delimiters of spreadsheets, which depend on the settings of a machine."""

END = r"(?:\r\n|[\n\r\x85\u2028\u2029])?(?![\s\S])"
"""Java's `$` and `\\Z`, for lookaheads of Python, as it takes it: the end of a text, or a line end at it."""

EARLIER = r',?\s*"_record"\s*:\s*[0-9]+\s*,\s*"_reasons"\s*:\s*"(?:[^"\\]++|\\.)*+"(?=\s*\}\s*\z)'
"""The keys that an earlier file of rejected objects added to an object: repeated, they would make it malformed."""
JSON_BLANKS = " \t\n\v\f\r"


def formula(end: str) -> str:
    """Return a pattern of a cell, up to `end`, that a spreadsheet would run as a formula.

    It begins with = @ tab LF CR, or with + or - and is no number. Some spreadsheets treat full-width and small signs
    alike, and skip invisible characters. The first characters of most cells and negative numbers are ruled out first:
    a character class beyond Latin-1 is slow.
    """
    number = rf"-[0-9]++(?:\.[0-9]*+)?+{end}"
    starts = rf"[\t\n\r\uFEFF]|[{UNSEEN}]*+(?:[{SIGNS}]|[{SUMS}](?!{NUMBER}{end}))"
    return f"{OTHER}(?!{number})(?:{starts})"


def title(drop: JobDrop, plan: Plan) -> str | None:
    """Return the lines above the records of a drop's file; None if it has none."""
    match plan.read_as:
        case "csv" if plan.csv.has_top:
            return _top(drop, plan)
        case "csv" if not plan.csv.header:
            return None
        case "csv":
            return _csv_header([text for text in columns.written(plan, drop.header_line) if text not in OURS], plan)
        case "jsonl":
            return "".join(f"{{{json.dumps(key)}: " for key in plan.wrapped_by) + "[" if plan.wrapped_by else None
        case "parquet" | "fixed":
            return _csv_header(_columns(drop.header, plan), plan)


def line_ends(plan: Plan) -> dict[str, str]:
    """Return Spark's option for what ends a line of the file; rows of a sheet become usual CSV."""
    return {} if plan.sheet else text_lines.line_ends(plan)


def ending(plan: Plan) -> str | None:
    """Return the last line of a file of rejected rows; None if it needs none: a corrected file is read as any other."""
    if plan.wrapped_by:
        return "]" + "}" * len(plan.wrapped_by)
    footer = plan.csv.footer if plan.file_format == "csv" else None
    return csv_cells.joined([footer.begins], plan.csv) if footer else None


def with_reasons(rows: DataFrame, failing: Numbered) -> DataFrame:
    """Add the column `reasons`: why each row is rejected, in words."""
    pairs = [sf.lit(text) for _, check in failing for text in (check.id, reason(check))]
    if not pairs:
        return rows.withColumn("reasons", sf.lit(""))
    words = sf.transform("checks", lambda check: sf.element_at(sf.create_map(*pairs), check))
    return rows.withColumn("reasons", sf.array_join(words, "; "))


def lines(rows: DataFrame, header: tuple[str, ...], plan: Plan) -> DataFrame:
    """Write rejected rows (`broken`: malformed) of files with one header, with reasons: drop, record, line."""
    match plan.read_as:
        case "csv":
            whole = rows.withColumn("raw", sf.translate("raw", FAULT, "")) if plan.sheet else rows
            return _csv_lines(whole, header, plan.csv)
        case "jsonl":
            objects = _json_lines(rows)
            if not plan.wrapped_by:
                return objects
            is_first = sf.expr("record = min(record) over (partition by drop)")
            line = sf.when(is_first, sf.col("line")).otherwise(sf.concat(sf.lit(","), "line"))
            return objects.select("drop", "record", line.alias("line"))
        case "parquet" | "fixed":
            names, csv = _columns(header, plan), plan.of_rejected
            own = sf.array(*(sf.coalesce(sf.element_at("cells", name), sf.lit("")) for name in names))
            broken = sf.concat(sf.array("raw"), sf.array_repeat(sf.lit(""), len(names) - 1))
            cells = sf.when(sf.col("broken"), broken).otherwise(own)
            return rows.select("drop", "record", _with_reasons(_harmless(cells, csv), csv).alias("line"))


def _columns(header: tuple[str, ...], plan: Plan) -> list[str]:
    """Return the columns of the contract that a file has: others are not read from Parquet. Fields have an order."""
    return list(header) if plan.fixed else [p.name for p in plan.roots if p.name in header]


def _json_lines(rows: DataFrame) -> DataFrame:
    """Add two keys to the objects as they came; a line that is not an object becomes the value of a key.

    Patterns are tried at each character of a line, so they are left to the few lines that need them.
    """
    raw = sf.col("raw")
    was_rejected = sf.contains(raw, sf.lit(OURS[0]))
    raw = sf.when(was_rejected, sf.regexp_replace(raw, EARLIER, "")).otherwise(raw)
    behind = sf.char_length(sf.substring_index("object", "}", -1))
    inner = sf.substring("object", sf.lit(1), sf.char_length("object") - behind - 1)
    begun = rows.select("*", raw.alias("object")).select("*", inner.alias("inner"))
    inner = sf.col("inner")
    blank = reduce(Column.__or__, (sf.endswith(inner, sf.lit(c)) for c in JSON_BLANKS))
    begun = begun.select("*", sf.when(blank, sf.rtrim(inner, sf.lit(JSON_BLANKS))).otherwise(inner).alias("begun"))
    ours = sf.to_json(sf.struct(sf.col("record").alias(OURS[0]), sf.col("reasons").alias(OURS[1])))
    added = sf.concat("begun", sf.lit(","), sf.substring(ours, 2, 1 << 30))
    mended = sf.when(sf.endswith("begun", sf.lit("{")), sf.concat(sf.lit("{"), sf.substring(ours, 2, 1 << 30)))
    as_it_came = sf.col("raw").alias("line")
    whole = sf.to_json(sf.struct(as_it_came, sf.col("record").alias(OURS[0]), sf.col("reasons").alias(OURS[1])))
    line = sf.when(sf.col("broken"), whole).otherwise(sf.coalesce(mended, added))
    return begun.select("drop", "record", line.alias("line"))


def _csv_lines(rows: DataFrame, header: tuple[str, ...], csv: Csv) -> DataFrame:
    """Write rejected rows as lines of CSV.

    A raw line is kept if nothing in it has to change, which is cheap; only other lines are parsed.
    """
    raw, places = sf.col("raw"), list(positions(header).values())
    begins = sf.concat(sf.lit(csv.delimiter), raw).rlike(_first(csv))
    within = reduce(Column.__or__, (sf.contains(raw, sf.lit(c)) for c in _within(csv))) & raw.rlike(_inner(csv))
    if ends := csv_cells.run_on(csv):  # another cell follows
        within = within | raw.rlike(ends)
    changes = sf.col("broken") | csv_quotes.has_quote(raw, csv) | begins | within | sf.lit(len(places) < len(header))
    changes = changes | sf.endswith(raw, sf.lit(csv.delimiter)) if csv.trailing_delimiter else changes
    odd = rows.select("*", sf.when(changes, raw).alias("odd"))
    split = text_lines.with_texts(odd, sf.col("odd"), csv, len(header), places)
    whole = sf.concat(sf.array(raw), sf.array_repeat(sf.lit(""), len(places) - 1))  # a broken line is one cell
    cells = sf.when(sf.col("broken"), whole).otherwise(sf.col("texts"))
    line = sf.when(sf.col("odd").isNull(), raw).otherwise(_harmless(cells, csv))
    return split.select("drop", "record", _with_reasons(line, csv).alias("line"))


def _with_reasons(line: Column, csv: Csv) -> Column:
    return sf.concat_ws(csv.delimiter, line, "record", text_lines.as_cell(sf.col("reasons"), csv))


def _harmless(cells: Column, csv: Csv) -> Column:
    """Write cells as a line that a spreadsheet can open safely."""
    inner, marked = _inner(csv), sf.lit("$1'")

    def guarded(cell: Column) -> Column:
        begun = sf.when(cell.rlike(f"^{formula('$')}"), sf.concat(sf.lit("'"), cell)).otherwise(cell)
        return sf.when(begun.rlike(inner), sf.regexp_replace(begun, sf.lit(inner), marked)).otherwise(begun)

    return sf.array_join(sf.transform(cells, lambda c: text_lines.as_cell(guarded(c), csv)), csv.delimiter)


def harmless(text: str, csv: Csv) -> str:
    """Write one text as `_harmless` does, before it is quoted."""
    begun = f"'{text}" if re.match(formula(END), text) else text
    return re.sub(_inner(csv, END), r"\1'", begun)


def again(line: str, csv: Csv, places: Collection[int], width: int) -> str:
    """Write one sound line of `width` cells, those at some places, as `_csv_lines` does; of a dialect with one sign."""
    begins = re.search(_first(csv, END), csv.delimiter + line)
    within = any(sign in line for sign in _within(csv)) and re.search(_inner(csv, END), line)
    if not (begins or within or len(places) < width) and csv_cells.is_flat(line, csv):
        return line
    cells = csv_cells.split(line, csv) or ()
    return csv.delimiter.join(as_cell(harmless(cells[n], csv), csv) for n in places)


def as_cell(text: str, csv: Csv) -> str:
    """Write one text as `text_lines.as_cell` does; of a dialect with one sign between cells."""
    if not csv.quote:
        return re.sub(rf"[{re.escape(csv.delimiter)}\r\n]", " ", text)
    begins = csv.comment_char and text.startswith(csv.comment_char)
    if not begins and not {csv.delimiter, csv.quote, "\r", "\n"} & {*text}:
        return text
    for sign in dict.fromkeys((csv.escape, csv.quote)):
        text = text.replace(sign, csv.escape + sign)
    return f"{csv.quote}{text}{csv.quote}"


def _first(csv: Csv, end: str = "$") -> str:
    """Return a pattern of a delimiter, also in front of a line, and a cell that a spreadsheet would run."""
    sign = "".join(ESCAPE % ord(c) for c in csv.delimiter)
    return f"{sign}{formula(f'(?:{sign}|{end})')}"


def _within(csv: Csv) -> list[str]:
    """Return the characters of `_apart` that a line may hold; a line end only where something else ends the line."""
    return [c for c in _apart(csv) if c not in LINE_ENDS or csv.multi_line or csv.record_delimiter]


def _inner(csv: Csv, end: str = r"\Z") -> str:
    """Return a pattern for text after a delimiter or line end in a cell that a spreadsheet would run as a formula."""
    apart = f"[{''.join(ESCAPE % ord(c) for c in _apart(csv))}]"
    return rf"({apart}){OTHER}(?=(?:(?!{apart})[{UNSEEN}])*+(?:[{SIGNS}]|[{SUMS}](?!{NUMBER}(?:{apart}|{end}))))"


def _apart(csv: Csv) -> list[str]:
    """Return the characters in a cell after which a spreadsheet may begin another cell.

    A spreadsheet splits cells at a comma, a semicolon or a tab, and records at a line end outside quotes. The dialect's
    own delimiter also counts, unless cells are quoted as spreadsheets quote them.
    """
    usual = csv.quote == csv.escape == '"'
    signs = set(DELIMITERS) - {csv.delimiter} if usual else {*DELIMITERS, *csv.delimiter}
    return sorted(signs | {*LINE_ENDS})


def _top(drop: JobDrop, plan: Plan) -> str | None:
    """Write the rows above the records as they came, with our columns in the header's; harmless like cells."""
    top = csv_top.again(plan.csv, drop.header_line)
    texts = csv_top.columns(plan.csv, top) or ()
    stated, match = _agreed(plan), plan.columns.match
    agreed = {n for n, text in enumerate(texts) if columns.alike(text, match) in stated}
    lines = []
    for n, text in enumerate(top.texts):
        cells = None if top.is_comment(text) else csv_cells.split(text, plan.csv)
        if n in top.names and cells is not None:
            own = dict(enumerate(cells))
            row = [
                own.get(at, "") if at in agreed else harmless(own.get(at, ""), plan.csv)
                for at, name in enumerate(texts)
                if name not in OURS
            ]
            lines.append(csv_cells.joined([*row, *(OURS if n == top.names[0] else ("",) * len(OURS))], plan.csv))
        elif cells is not None and [harmless(cell, plan.csv) for cell in cells] != list(cells):
            lines.append(csv_cells.joined([harmless(cell, plan.csv) for cell in cells], plan.csv))
        elif not top.is_comment(text):
            lines.append(text)
    return "\n".join(lines) if lines else None


def _csv_header(texts: Sequence[str], plan: Plan) -> str:
    """Write the first line; a name that the contract does not know is made harmless like a cell."""
    agreed, match = _agreed(plan), plan.columns.match
    csv = plan.of_rejected
    names = [text if columns.alike(text, match) in agreed else harmless(text, csv) for text in texts]
    return csv_cells.joined([*names, *OURS], csv)


def _agreed(plan: Plan) -> set[str]:
    """Return the texts of a header that the contract states, in the form in which they are compared."""
    return {columns.alike(text, plan.columns.match) for p in plan.properties for text in p.headings}
