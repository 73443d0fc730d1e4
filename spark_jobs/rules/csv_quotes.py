"""The quotes of CSV lines as Spark expressions: lines in; where quotes stand, and whether they break the rule, out."""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as sf

from contracts.files import csv_cells
from contracts.plan import Csv

STRETCH, ESCAPED = "\ue000", "\ue002"
"""Signs in place of what is quoted, and of escaped quotes, where only their neighbours matter."""


def has_quote(line: Column, csv: Csv) -> Column:
    """Return a column that is true if a line has a quote."""
    return sf.contains(line, sf.lit(csv.quote)) if csv.quote else sf.lit(False)


def misquoted(line: Column, csv: Csv) -> Column:
    """Test whether a quote of a line is open or stands where none may (the rule of `contracts.files.csv_cells`)."""
    if not csv.quote:
        return sf.lit(False)
    rest = stretched(line, csv)
    return has_quote(line, csv) & (sf.contains(rest, sf.lit(csv.quote)) | rest.rlike(astray(csv)))


def stretched(line: Column, csv: Csv) -> Column:
    """A line whose stretches within quotes are one sign, `STRETCH`, each; escaped quotes outside are another sign.

    What is left of quotes is open. Two stretches side by side are a cell with a quote in it, where a quote escapes one.
    """
    quote, escape = re.escape(csv.quote), re.escape(csv.escape)
    text = sf.regexp_replace(line, f"[{STRETCH}{ESCAPED}]", ESCAPED)
    if csv.escape != csv.quote:
        text = sf.regexp_replace(text, f"{escape}[{quote}{escape}]", ESCAPED)
    return sf.regexp_replace(text, f"{quote}[^{quote}]*{quote}", STRETCH)


def astray(csv: Csv, stretch: str = STRETCH) -> str:
    """A pattern of stretches that have text before or behind them in their cell; those of `stretch` are alike."""
    delimiter, blanks = re.escape(csv.delimiter), csv_cells.dropped(csv)
    before, after = f"[^{delimiter}{STRETCH}][{stretch}]", rf"{STRETCH}{blanks}[^{delimiter}{stretch}\x00-\x20]"
    twice = f"(?![{stretch}])" if csv.escape == csv.quote else ""  # side by side they are one with a quote in it
    return f"{before}|{after}|{STRETCH}{twice}{blanks}[{stretch}]"
