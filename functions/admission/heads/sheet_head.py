"""A workbook: a plan and a way to read it in, the header of its sheet and all that is wrong with it out.

The workbook is copied to a temporary file. A process of its own reads its sheet as far as the header and the first
rows go (`contracts.files.apart`); the rest is read by the job.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from contracts.files import apart, csv_cells
from contracts.files.sheets import book
from contracts.plan import ROW_END, Plan
from contracts.problem import Problem
from functions.admission.heads import csv_head, foreign_forms
from functions.admission.heads.problems import Head, form_of, readable, seeming, wrong_format

READER = "contracts.files.sheets"
LARGEST = 256 << 20
"""Bytes of a workbook: a function has room for two (`/tmp`, 512 MB)."""
BOUNDS = apart.Bounds(memory=1 << 30, seconds=60)
"""Bounds of reading the head within a function's memory and time (infra/aws/flow.yaml)."""
PIECE = 8 << 20
BEGIN = 4 * foreign_forms.HEAD
"""Bytes by which another form is recognised."""
MOST_ABOVE = 30
"""Rows in which column names are looked for."""
IN_WORDS = {
    "The first line": "The first row",
    "Begin the file": "Begin the cells that are agreed",
    "The file holds": "The sheet holds",
}
"""Words about lines, and those about rows."""

Read = Callable[[int, int], bytes]


def look(plan: Plan, size: int, read: Read, most: int) -> Head:
    """Return the header of a workbook's sheet, by the first `most` bytes of its text."""
    if size > LARGEST:
        text = f"The workbook has {size:,} bytes; workbooks of more than {LARGEST >> 20} MiB are not taken."
        return Head((Problem("workbook-too-large", text, "Send its records in parts, or as CSV."),))
    if problem := _no_workbook(plan, read(0, BEGIN)):
        return Head((problem,))
    sample = text_of(plan, size, read, most)
    if isinstance(sample, Problem):
        return Head((sample,))
    whole = len(sample) <= most
    begin = sample.lstrip(ROW_END.encode())
    first_row = len(sample) - len(begin) + 1
    head = csv_head.look(plan.transcribed, len(begin) + (not whole), begin)
    return replace(head, problems=tuple(_in_words(plan, p, begin, first_row) for p in head.problems))


def text_of(plan: Plan, size: int, read: Read, most: int) -> bytes | Problem:
    """Return the text of a workbook's sheet: all of it, or more than `most` first bytes."""
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        workbook, text = Path(folder) / "workbook", Path(folder) / "text"
        with workbook.open("wb") as copy:
            while copy.tell() < size and (piece := read(copy.tell(), min(PIECE, size - copy.tell()))):
                copy.write(piece)
        problem = apart.run(READER, [str(workbook), str(text), str(most)], plan, BOUNDS)
        return problem or text.read_bytes()


def _no_workbook(plan: Plan, begin: bytes) -> Problem | None:
    """Return the problem of a file that is no workbook of any kind, by its first bytes."""
    form = foreign_forms.of_bytes(begin)
    if begin.startswith(book.SIGNS) and form in (None, foreign_forms.ZIP, *foreign_forms.WORKBOOKS):
        return None if form or begin.startswith(book.ZIP) else _wrong(plan, "no workbook")
    form = form_of(begin) or seeming(plan, readable(begin) or "", whole=False)
    return wrong_format(plan, form) if form else _wrong(plan, "no workbook, but other data")


def _wrong(plan: Plan, what: str) -> Problem:
    text = f"The file is {what}, whatever its name; the contract requires {plan.file_format.upper()}."
    return Problem("wrong-format", text, f"Save the sheet as {book.NAMES[plan.file_format]}, and send that.")


def _in_words(plan: Plan, problem: Problem, begin: bytes, first_row: int) -> Problem:
    """Return a problem of the text in words of the sheet."""
    rows = begin.decode("utf-8", "replace").split(ROW_END)[:MOST_ABOVE]
    if problem.code == "wrong-delimiter":
        text = "The cells of a row stand in one cell of the sheet, with a sign between them."
        fix = "Give each value a cell of its own (Data, Text to columns), and save the workbook again."
        return replace(problem, code="sheet-one-column", message=text, fix=fix)
    if problem.code in ("missing-header", "missing-column"):
        for n, row in enumerate(rows[1:], 1):
            names = csv_cells.split(row, plan.csv)
            if names and csv_head.matching_names(plan, names) == len(plan.roots):
                text = f"The column names are in row {first_row + n:,} of the sheet; the contract has them in row"
                fix = f"Move them to row {first_row:,}, or ask for `sheet.skipRows: {n}` in the contract."
                return replace(problem, code="missing-header", message=f"{text} {first_row:,}.", fix=fix)
    message, fix = problem.message, problem.fix
    for line, row in IN_WORDS.items():
        message, fix = message.replace(line, row), fix.replace(line, row)
    return replace(problem, message=message, fix=fix)
