"""The quotes of CSV lines as Spark expressions: lines in; quotes, and tests of whether they break the rule, out."""

from __future__ import annotations

import re
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.files import csv_cells
from contracts.plan import Csv

STRETCH, ESCAPED = "\ue000", "\ue002"
"""Signs in place of quoted text and of escaped quotes, where only their neighbours matter."""


def has_quote(line: Column, csv: Csv) -> Column:
    """Return a column that is true if a line has a quote, or an escape outside quotes: it is more than its cells."""
    signs = [sf.contains(line, sf.lit(sign)) for sign in (csv.quote, csv.unquoted_escape) if sign]
    return reduce(Column.__or__, signs) if signs else sf.lit(False)


def begins_with(line: Column, cell: str, csv: Csv) -> Column:
    """Return a column that is true if a line's first cell, quoted or not, is a text."""
    begins, delimiter, quote = (re.escape(text) for text in (cell, csv.delimiter, csv.quote))
    quoted = f"|{quote}{begins}{quote}{csv_cells.dropped(csv)}" if csv.quote else ""
    return line.rlike(rf"\A(?:{begins}{quoted})(?:{delimiter}|\z)")


def misquoted(line: Column, csv: Csv) -> Column:
    """Test whether a quote of a line is open or misplaced (the rule of `contracts.files.csv_cells`)."""
    if not csv.quote and not csv.unquoted_escape:
        return sf.lit(False)
    if not csv_cells.is_usual(csv):
        delimiter, cell = re.escape(csv.delimiter), csv_cells.cell(*csv_cells.signs(csv))
        return has_quote(line, csv) & ~line.rlike(rf"\A{cell}(?:{delimiter}{cell})*+\z")
    rest = stretched(line, csv)
    return has_quote(line, csv) & (sf.contains(rest, sf.lit(csv.quote)) | rest.rlike(astray(csv)))


def stretched(line: Column, csv: Csv) -> Column:
    """Replace each stretch within quotes by one sign, `STRETCH`, and each escaped quote outside by another sign.

    A quote that is left is open. If a quote escapes a quote, two stretches side by side are a cell with a quote in it.
    """
    quote, escape = re.escape(csv.quote), re.escape(csv.escape)
    text = sf.regexp_replace(line, f"[{STRETCH}{ESCAPED}]", ESCAPED)
    if csv.escape != csv.quote:
        text = sf.regexp_replace(text, f"{escape}[{quote}{escape}]", ESCAPED)
    return sf.regexp_replace(text, f"{quote}[^{quote}]*{quote}", STRETCH)


def astray(csv: Csv, stretch: str = STRETCH) -> str:
    """Return a pattern of stretches with text before or behind them in their cell; all signs of `stretch` count."""
    delimiter, blanks = re.escape(csv.delimiter), csv_cells.dropped(csv)
    before, after = f"[^{delimiter}{STRETCH}][{stretch}]", rf"{STRETCH}{blanks}[^{delimiter}{stretch}\x00-\x20]"
    if len(csv.delimiter) > 1:  # which may begin with a blank
        blanks = rf"(?:(?!{delimiter})[\x00-\x20])*+"
        before = f"(?<=[^{STRETCH}])(?<!{delimiter})[{stretch}]"
        after = rf"{STRETCH}{blanks}(?!{delimiter})[^{stretch}\x00-\x20]"
    twice = f"(?![{stretch}])" if csv.escape == csv.quote else ""  # side by side they are one with a quote in it
    return f"{before}|{after}|{STRETCH}{twice}{blanks}[{stretch}]"
