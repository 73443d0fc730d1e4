"""The sheet of a `drop` block: the document and the block in; findings, and the sheet with its pattern, out."""

from __future__ import annotations

from dataclasses import replace

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import around
from contracts.authoring.drop_block.block import DropBlock
from contracts.plan import Sheet

LAST_COLUMN, LAST_ROW = 16_384, 1_048_576
"""The size of a sheet (specifications of Excel)."""


def read(document: Document, path: Path, block: DropBlock) -> Sheet | None:
    """Report settings of a workbook that contradict each other or are not built; return its sheet for the job."""
    if block.sheet is None:
        return None
    at: Path = (*path, "sheet")
    _beside(document, path, block)
    sheet = block.sheet
    ends = [(sheet.first_column + 1, sheet.last_column and sheet.last_column + 1, LAST_COLUMN, "column")]
    ends.append((sheet.first_row, sheet.last_row, LAST_ROW, "row"))
    for first, last, most, what in ends:
        if max(first, last or 0) > most:
            message = f"No sheet has a {what} {max(first, last or 0):,}."
            document.error((*at, "range"), "bad-value", message, "Write cells that a sheet has, as `B4:H`.")
        elif last is not None and last < first:
            message = f"The range ends before it begins: its last {what} is before its first."
            document.error((*at, "range"), "bad-value", message, "Write its upper left cell first, as `B4:H200`.")
    around.rows(document, at, sheet, header=block.csv.header)
    return replace(sheet, skip_until=around.until(document, at, sheet.skip_until, header=block.csv.header))


def _beside(document: Document, path: Path, block: DropBlock) -> None:
    """Report keys beside `sheet` that workbooks do not have, or not yet."""
    if block.compression != "none":
        message = f"`compression` means nothing for the format {block.format}: workbooks compress themselves."
        document.error((*path, "compression"), "bad-value", message, "Leave it out.", on_key=True)
    if block.archive:
        message = f"An archive of files of the format {block.format} is not built yet."
        document.error(
            (*path, "archive"),
            "not-built-yet",
            message,
            "Send the workbook itself: it is a zip archive already.",
            on_key=True,
        )
    if block.promote == "rows":
        message = f"`promote: rows` is not built yet for the format {block.format}."
        fix = "Write `promote: object`, or `promote: table` for the valid rows in a table."
        document.error((*path, "promote"), "not-built-yet", message, fix)
