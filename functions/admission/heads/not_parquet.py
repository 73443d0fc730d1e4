"""Files that are not Parquet although a contract requires it: the first bytes in, their likely type out. Pure."""

from __future__ import annotations

import re

from contracts.plan import Plan
from contracts.problem import Problem
from functions.admission.heads.problems import other_format, other_text, readable

ENOUGH = 64 * 1024
"""Bytes that are read."""
JSON = re.compile(r'\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[\[{"\d\]-]|$))')
CELLS = re.compile(r"[^,;|\t]+(?:[,;|\t][^,;|\t]*)+")
"""A line with text between delimiters."""
FIX = "Write the records as Apache Parquet."


def problem(plan: Plan, sample: bytes, tail: bytes, magic: bytes) -> Problem:
    """Return why a file is refused that does not begin and end as Parquet does: what it is, or seems to be."""
    if tail.endswith(magic):
        message = "The Parquet file cannot be read: it does not begin as a Parquet file does; its beginning was lost."
        return Problem("broken-parquet", message, "Write the file again, and send it whole.")
    if other := other_format(plan, sample):
        return other
    text = readable(sample)
    if text is None:
        return Problem("not-parquet", "The file is not a Parquet file, whatever its name.", FIX)
    if other := other_text(plan, text):
        return other
    lines = [line for line in text.splitlines() if line.strip()][:2]
    kind = "text"
    if lines and JSON.match(text):
        whole = all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)
        kind = "JSON Lines" if whole else "JSON"
    elif lines and all(map(CELLS.match, lines)):
        kind = "CSV"
    message = f"The file seems to be {kind}, whatever its name; the contract requires Parquet."
    return Problem("not-parquet", message, FIX)
