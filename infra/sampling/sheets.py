"""Samples that are workbooks: their paths in, the profile of the records in one of their sheets out."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from contracts.authoring.draft import sheets
from contracts.authoring.draft.columns.column import WORDS
from contracts.authoring.draft.profile import Profile, Sample, SampleRefused
from contracts.authoring.draft.sheets import Row, Table
from contracts.files import csv_cells
from contracts.files.sheets import cells, opening
from contracts.files.sheets.book import SIGNS, ZIP, Book
from contracts.files.sheets.faults import Faulty
from contracts.files.sheets.parts import Parts
from contracts.plan import Csv, FileFormat, Sheet
from contracts.problem import quoted, visible
from functions.admission.heads import foreign_forms
from infra.sampling import delimited
from infra.sampling.sample_heads import HEAD, SampleHead

MULTI_LINE = Csv(multi_line=True)
OLD = (foreign_forms.OLD_WORKBOOK, foreign_forms.XLS)
COMMA = re.compile(r"(?:[0-9]\.[0-9]{3}|^[^A-Za-z0-9]*[0-9]+),[0-9]+(?![0-9])(?<!,...)|\.[0-9]{3},[0-9]{3}(?![0-9])")
"""A number in text whose comma is surely before its fraction: behind points, or before other than three digits."""


@dataclass(frozen=True, slots=True)
class _Workbook:
    """A sample: the rows with content of the sheet that is read, and the names of the other shown ones.

    A sheet that is not `whole` is a large one, and these are its first rows.
    """

    path: Path
    format: FileFormat
    name: str
    others: tuple[str, ...]
    rows: tuple[Row, ...]
    whole: bool


def is_workbook(path: Path) -> bool:
    """Return True if a file is a workbook of any kind."""
    with path.open("rb") as file:
        begin = file.read(foreign_forms.HEAD)
        if not begin.startswith(ZIP):
            return begin.startswith(SIGNS) and foreign_forms.of_bytes(begin) in OLD
        try:
            return opening.kind(Parts(file)) is not None
        except Faulty:
            return False


def profile(paths: Sequence[Path], most: int | None) -> Profile:
    """Return the profile of one sheet of each workbook, of its first rows with so many cells. Raises SampleRefused."""
    books = _read(paths, most)
    first = books[0]
    if odd := next((one for one in books if one.format != first.format), None):
        text = f"{first.path.name} is {first.format.upper()} and {odd.path.name} is {odd.format.upper()}"
        raise SampleRefused(f"{text}; a contract is for files of one kind, so give those of one kind")
    every = [sheets.seen(one.rows) for one in books]
    table = sheets.agreed(every)
    csv = replace(MULTI_LINE, header=table.header)
    with TemporaryDirectory(prefix="dropgate-") as folder:
        heads, broken = [], []
        for n, (book, own) in enumerate(zip(books, every, strict=True)):
            at = replace(table.sheet, first_row=own.sheet.first_row)
            head, errors = _as_csv(book, Table(at, header=table.header), Path(folder) / str(n))
            heads.append(head)
            broken.append(errors)
        whole = delimited.read(heads, csv)
    samples = tuple(
        Sample(one.name, one.records, one.broken + errors, book.whole)
        for one, book, errors in zip(whole.samples, books, broken, strict=True)
    )
    named = first.name if any(one.others for one in books) else None
    remarks = tuple(_remarks(books, table))
    sheet = replace(table.sheet, name=named)
    return replace(whole, samples=samples, format=first.format, sheet=sheet, remarks=(*remarks, *whole.remarks))


def _remarks(books: Sequence[_Workbook], table: Table) -> Iterator[str]:
    """Yield sentences about what the samples leave open."""
    if others := dict.fromkeys(name for one in books for name in one.others):
        yield f"`sheetName`: the sheets {quoted(map(visible, others))} are not read."
    if table.sheet.last_column is not None:
        yield "`range`: cells beside the columns of the header are not read."


def _read(paths: Sequence[Path], most: int | None) -> list[_Workbook]:
    """Read the sheet with the most rows of each workbook; all must have one of its name, if they have several."""
    with ExitStack() as opened:
        books = [(path, *opened.enter_context(_opened(path))) for path in paths]
        shown = [[s.name for s in book.sheets if not s.hidden] or [s.name for s in book.sheets] for _, _, book in books]
        shared = [name for name in shown[0] if all(name in names for names in shown)]
        wanted = shown[0] if len(books) == 1 else shared
        by_name = {name: _rows(books[0][0], books[0][2], name, most) for name in wanted}
        chosen = max(by_name, key=lambda name: len(by_name[name][0]), default=None)
        read = []
        for (path, form, book), names in zip(books, shown, strict=True):
            name = chosen if chosen in names else names[0] if len(names) == 1 else None
            if name is None:
                raise SampleRefused(f"{path.name} has other sheets than {paths[0].name}: {quoted(map(visible, names))}")
            of_first = path == paths[0] and name in by_name
            rows, is_whole = by_name[name] if of_first else _rows(path, book, name, most)
            if not rows:
                raise SampleRefused(f"{path.name}: its sheet {name} is empty; give a workbook with records")
            others = tuple(other for other in names if other != name)
            read.append(_Workbook(path, form, name, others, rows, is_whole))
    return read


@contextmanager
def _opened(path: Path) -> Iterator[tuple[FileFormat, Book]]:
    with path.open("rb") as file:
        formats: tuple[FileFormat, ...] = ("xlsx", "ods", "xls")
        problem = None
        for form in formats:
            file.seek(0)
            try:
                book = opening.opened(form, file)
            except Faulty as fault:
                problem = problem if problem and fault.problem.code == "wrong-format" else fault.problem
                continue
            except (struct.error, IndexError):
                continue
            yield form, book
            return
    why = problem.message.rstrip(".") if problem else "it is damaged"
    raise SampleRefused(f"{path.name} cannot be read: {why}")


def _rows(path: Path, book: Book, name: str, most: int | None) -> tuple[tuple[Row, ...], bool]:
    """Return the first rows of a sheet, with about `most` cells, and whether they are all."""
    rows, cells_so_far = list[Row](), 0
    try:
        for number, row in book.rows(name):
            if most is not None and cells_so_far >= most:
                return tuple(rows), False
            cells_so_far += len(row)
            if any(row):
                rows.append((number, row))
    except Faulty as fault:
        raise SampleRefused(f"{path.name} cannot be read: {fault.problem.message}".rstrip(".")) from None
    except (struct.error, IndexError):
        raise SampleRefused(f"{path.name} cannot be read: it is damaged") from None
    return tuple(rows), True


def _as_csv(book: _Workbook, table: Table, folder: Path) -> tuple[SampleHead, int]:
    """Write the column names and the records of a table as CSV; return that file, and how many rows are no records."""
    at, written, errors = table.sheet, list[str](), 0
    width = _width(at, book.rows, header=table.header)
    commas = _commas(at, book.rows)
    for number, row in book.rows:
        if number < at.first_row or (at.comment_rows and number == at.first_row + 1):
            continue
        own = row[at.first_column : at.first_column + width]
        if at.footer and own and own[0].startswith(at.footer.begins):
            break
        texts = [_pointed(text.removeprefix(cells.FAULT), text, n in commas) for n, text in enumerate(own)]
        if not any(texts):
            continue
        odd = [text for text, cell in zip(texts, own, strict=True) if cell[:1] == cells.FAULT and text not in WORDS]
        if odd or (at.last_column is None and len(row) > at.first_column + width):
            errors += 1
            continue
        written.append(csv_cells.joined(texts + [""] * (width - len(texts)), MULTI_LINE))
    folder.mkdir()
    path = folder / book.path.name
    text = "\n".join(written) + "\n"
    path.write_text(text, encoding="utf-8")
    return SampleHead(path, path, "csv", head=text[:HEAD].rpartition("\n")[0]), errors


def _commas(at: Sheet, rows: Sequence[Row]) -> set[int]:
    """Return the places of columns with texts of numbers that have a comma before their fraction."""
    texts = ((n, text) for _, row in rows for n, text in enumerate(row[at.first_column :]))
    return {n for n, text in texts if COMMA.search(text)}


def _pointed(text: str, cell: str, is_comma: bool) -> str:
    """Return a number with the sign before its fraction that the texts of its column have."""
    return text.replace(".", ",") if is_comma and isinstance(cell, cells.Number) else text


def _width(at: Sheet, rows: Sequence[Row], *, header: bool) -> int:
    if at.last_column is not None:
        return at.last_column - at.first_column + 1
    own = [len(row) for number, row in rows if number >= at.first_row]
    return (own[0] if header else max(own)) - at.first_column
