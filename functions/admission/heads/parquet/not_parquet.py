"""Files that are not Parquet although a contract requires it: the first bytes in, their likely type out. Pure."""

from __future__ import annotations

from contracts.plan import Plan
from contracts.problem import Problem
from functions.admission.heads import text_forms
from functions.admission.heads.problems import asked, other_format, other_text, readable

ENOUGH = 64 * 1024
"""Bytes that are read."""
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
    form = text_forms.of(plan, text, whole=len(sample) < ENOUGH)
    seems = form.name if form else "text"
    message = f"The file seems to be {seems}, whatever its name; the contract requires Parquet."
    return Problem("not-parquet", message, f"{FIX[:-1]}{asked(plan, form) if form else ''}.")
