"""Files that are not Parquet although a contract requires it: the first bytes in, their likely type out. Pure."""

from __future__ import annotations

import codecs
import re

from contracts.plan import Plan
from contracts.problem import Problem
from functions.admission.heads import foreign_forms
from functions.admission.heads.problems import MARKS, other_format, other_text

ENOUGH = 64 * 1024
"""Bytes that are read."""
JSON = re.compile(r'\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[\[{"\d\]-]|$))')
CELLS = re.compile(r"[^,;|\t]+(?:[,;|\t][^,;|\t]*)+")
"""A line with text between delimiters."""
FIX = "Write the records as Apache Parquet."


def problem(plan: Plan, sample: bytes, tail: bytes, magic: bytes) -> Problem:
    """Return why a file is refused that does not begin and end as Parquet does: what it is, or seems to be."""
    if tail.endswith(magic):
        text = "The Parquet file cannot be read: it does not begin as a Parquet file does; its beginning was lost."
        return Problem("broken-parquet", text, "Write the file again, and send it whole.")
    if other := other_format(plan, sample):
        return other
    readable = _text(sample)
    if readable is None:
        return Problem("not-parquet", "The file is not a Parquet file, whatever its name.", FIX)
    if other := other_text(plan, readable):
        return other
    lines = [line for line in readable.splitlines() if line.strip()][:2]
    kind = "text"
    if lines and JSON.match(readable):
        whole = all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)
        kind = "JSON Lines" if whole else "JSON"
    elif lines and all(map(CELLS.match, lines)):
        kind = "CSV"
    text = f"The file seems to be {kind}, whatever its name; the contract requires Parquet."
    return Problem("not-parquet", text, FIX)


def _text(sample: bytes) -> str | None:
    """Return the first bytes as text, in UTF-8 or by their mark; None of bytes that are no text."""
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            return sample.decode(encoding, "replace").removeprefix("\ufeff")
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(sample)
    except UnicodeDecodeError:
        text = sample.decode("latin-1")
    return None if any(c < " " and c not in "\t\n\r\f" for c in text[: foreign_forms.HEAD]) else text
