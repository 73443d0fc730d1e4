"""Samples of CSV in, the profile of all their records out; a large file is read in parallel parts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, cast

from contracts.authoring.draft import around, dialect, headings, readings
from contracts.authoring.draft.around import Around
from contracts.authoring.draft.cells import by_record, columns, over_lines
from contracts.authoring.draft.columns.column import ColumnCounts
from contracts.authoring.draft.columns.forms import forms_of
from contracts.authoring.draft.headings import Headings
from contracts.authoring.draft.line_types import Layout, in_units
from contracts.authoring.draft.profile import (
    Profile,
    Sample,
    SampleRefused,
    filled_of,
    is_growing,
    null_words,
    scarcest,
    settle,
)
from contracts.files import encodings
from contracts.files.columns import OURS
from contracts.files.header import MOST_COLUMNS
from contracts.plan import RECODED, Csv
from contracts.problem import quoted, visible
from contracts.terms.value_form import BLANKS, ValueForm
from infra.sampling.sample_heads import (
    ADDED,
    HEAD,
    MOST_BROKEN,
    SampleHead,
    bounded,
    encoding_from,
    end_of,
    opened,
    part_ends,
    pieces,
)

NAMELESS = "the header has no name for it"
"""Why nothing is proposed for a column without a name."""


def profile_of(heads: Sequence[SampleHead]) -> Profile:
    """Return the profile of CSV files with one header, in the dialect with the fewest broken lines."""
    recoded = [one for one in heads if one.encoding in RECODED]
    if recoded and len({one.encoding for one in heads}) > 1:
        differing = next(one for one in heads if one.encoding != recoded[0].encoding)
        raise SampleRefused(
            f"{recoded[0].path.name} is in {recoded[0].encoding.upper()} and {differing.path.name} is in "
            f"{differing.encoding.upper()}; a contract is for files in one encoding, so give only those"
        )
    seen = {one.encoding for one in heads if not one.is_ascii} or {"utf-8"}
    is_odd = any(one.mojibake for one in heads)
    if seen == {"iso-8859-1", "windows-1252"} and not is_odd:  # which have the same letters
        seen = {"windows-1252"}
    if len(seen) > 1 and any(map(encodings.is_wide, seen)):
        raise SampleRefused(f"the samples are in {quoted(sorted(seen))}; give files in one encoding")
    is_odd = is_odd or len(seen) > 1
    encoding = seen.pop() if len(seen) == 1 else "iso-8859-1"
    heads = _without_rows_around([replace(one, encoding=encoding) for one in heads])
    first = heads[0]
    guess = dialect.guessed(first.head, first.encoding)
    if types := first.around.types:
        guess = replace(guess, delimiter=types.delimiter)
    guess = replace(guess, trailing_delimiter=dialect.has_trailing_delimiters(first.head, guess))
    guess = dialect.lacking(first.head, guess)
    records = dialect.first_records(first.head, guess)
    if guess.trailing_delimiter and not (records and dialect.has_header(records)):  # a last column may be empty
        guess = replace(guess, trailing_delimiter=False)
        records = dialect.first_records(first.head, guess)
    if not records:
        raise SampleRefused(f"{first.path.name}: {_odd_header(*dialect.widths(first.head, guess))}")
    is_headed = first.around.titles > 0 or first.around.rows > 1 or dialect.has_header(records)
    guess = replace(guess, header=is_headed and first.around.types is None, mojibake="warn" if is_odd else "reject")
    trimmed = dialect.padded(records[guess.header :], headings.of(records[0]) if guess.header else None)
    heads = [replace(one, trim=trimmed) for one in heads]
    tried = [read(heads, guess)]
    for other in dialect.others(guess) if tried[0].broken else ():
        written = replace(other, header=guess.header)
        if [_headings(one, written) for one in heads] == [_headings(one, guess) for one in heads]:
            tried.append(read(heads, written))
    fit = [one for one in tried if not (one.broken and one.csv and one.csv.multi_line)]  # the job refuses such whole
    best = min(fit or tried, key=lambda one: one.broken)
    if not fit or 100 * best.broken > MOST_BROKEN * (best.records + best.broken):
        raise SampleRefused(
            f"{best.broken:,} of {best.records + best.broken:,} lines of the samples have other than "
            f"{len(best.columns)} cells, however they are cut; give CSV files with as many cells in every line"
        )
    every = [one.around for one in heads]
    counts = [(one.types, sample.records) for one, sample in zip(every, best.samples, strict=True) if one.types]
    csv = best.csv and around.agreed(best.csv, every)
    csv = counts[0][0].agreed(csv, counts) if csv and counts else csv
    return replace(best, csv=csv, remarks=tuple(_remarks(every)))


def _odd_header(cells: int, usual: int) -> str:
    """Return why the first line is not the header of the others."""
    if not cells:
        return "its first line is not in the CSV dialect of the others; check its quotes and cells"
    seen = f"its first line has {cells} cells, and most others have {usual}"
    if cells > usual:
        rule = "a contract takes no records with fewer cells than names"
        return f"{seen}: {rule}; write an empty cell for each missing value, or leave out names that have no cells"
    return f"{seen}; write as many cells in every line"


def _remarks(every: Sequence[Around]) -> Iterator[str]:
    """Yield what is read as a record and may be none."""
    if blank := sum(one.blank for one in every):
        yield f"{blank} of the first records have no value in any cell; they are counted as records."
    if total := next((one.total for one in every if one.total), ""):
        yield f"`{visible(total, 60)}` in the last line: it is read as a record, and may be a total of the others."


def _without_rows_around(heads: Sequence[SampleHead]) -> list[SampleHead]:
    """Find the rows around the records of samples, and leave them out of their first texts."""
    every = around.alike([around.seen(one.head, end_of(one), one.encoding, whole=one.whole) for one in heads])
    for one, rows in zip(heads, every, strict=True):
        if rows.tables:
            text = f"{one.path.name} seems to hold several tables: {rows.tables}"
            raise SampleRefused(f"{text}; give each table as a file of its own")
    return [
        replace(one, around=rows, head="\n".join(rows.lines(one.head.split("\n")))) if rows != Around() else one
        for one, rows in zip(heads, every, strict=True)
    ]


def read(heads: Sequence[SampleHead], written: Csv) -> Profile:
    """Return the profile of CSV files in a dialect."""
    head = _headings(heads[0], written)
    names = list(head.names)
    seen = {name: ColumnCounts() for name in names}
    samples, is_same_order, apart = [], True, list[dict[str, ColumnCounts]]()
    for one in heads:
        theirs = list(_headings(one, written).names)
        _are_alike(heads[0], names, one, theirs, written)
        is_same_order &= theirs == names
        apart.append({name: ColumnCounts() for name in theirs})
        samples.append(_read_one(one, written, apart[-1]))
        for name, column in apart[-1].items():
            seen[name].merge(column)
    for column in seen.values():
        column.done()
    zeros = {name: words for name, column in seen.items() if (words := column.leave_out_zeros())}
    formed = forms_of(seen, written.delimiter)
    for name, form in formed.columns.items():
        seen[name].form = form
    nulls = null_words(seen)
    own_nulls = {name: frozenset((*nulls, *zeros.get(name, ()))) for name in seen}
    formed = replace(
        formed, columns={**formed.columns, **{name: ValueForm(nulls=(*nulls, *words)) for name, words in zeros.items()}}
    )
    records = sum(sample.records for sample in samples)
    aside = {name: NAMELESS for name in head.nameless if not head.has_twins} | dict.fromkeys(OURS, ADDED)
    own = {name: column for name, column in seen.items() if name not in aside}
    columns = tuple(
        replace(
            settle(name, column, records, own_nulls[name]),
            scarcest=scarcest(
                (s.records - filled_of(one[name], own_nulls[name]), s.records)
                for s, one in zip(samples, apart, strict=True)
            ),
            unsure=formed.unsure.get(name, ""),
            is_growing=is_growing(one[name] for one in apart),
        )
        for name, column in own.items()
    )
    order: Any = "exact" if is_same_order and written.header else "any"
    csv = replace(written, null_values=nulls)
    left = tuple((name, aside[name]) for name in seen if name in aside)
    made = Profile(tuple(samples), "csv", columns, csv, heads[0].compression, order, left, formed, head)
    language = next((one.language for one in heads if one.language), "")
    words = _words(heads, written.encoding)
    return replace(made, padded=heads[0].trim, words=words, language=language)


def _words(heads: Sequence[SampleHead], encoding: str) -> tuple[str, ...]:
    """Return some words that read otherwise in other encodings; none if the bytes of samples say theirs."""
    if readings.is_stated(encoding):
        return ()
    if words := readings.words_of(line for one in heads for line in one.head.split("\n")):
        return words
    for one in heads:
        with opened(one) as file:
            if words := readings.words_of(file):
                break
    return words


def _headings(one: SampleHead, written: Csv) -> Headings:
    if one.layout:
        return Headings(one.layout.fixed.names, one.layout.fixed.names)
    records = dialect.first_records(one.head, written)
    if not records:
        return Headings()
    if len(records[0]) > MOST_COLUMNS:
        raise SampleRefused(f"{one.path.name} has {len(records[0]):,} columns; {MOST_COLUMNS:,} are the maximum")
    if written.header and not set(records[0]) - {*OURS}:
        raise SampleRefused(f"{one.path.name} has only columns that dropgate adds; give the original file")
    return headings.of(records[0]) if written.header else headings.numbered(len(records[0]))


def _are_alike(first: SampleHead, names: list[str], one: SampleHead, theirs: list[str], written: Csv) -> None:
    if sorted(names) == sorted(theirs):
        return
    if not written.header:
        raise SampleRefused(
            f"{first.path.name} has {len(names)} columns and {one.path.name} has {len(theirs)}; "
            "a contract is for files with the same columns, so give only those"
        )
    more, fewer = ([n for n in a if n not in b] for a, b in ((theirs, names), (names, theirs)))
    differences = [f"{quoted(some)} {verb}" for some, verb in ((fewer, "missing"), (more, "added")) if some]
    raise SampleRefused(
        f"{one.path.name} has another header than {first.path.name} ({', '.join(differences)}); "
        "a contract is for files with the same columns, so give only those"
    )


def _read_one(one: SampleHead, written: Csv, seen: dict[str, ColumnCounts]) -> Sample:
    """Add the columns of a file to `seen`; read large files in parallel parts, each of which ends after a line."""
    ends = [one.unpacked.stat().st_size] if written.multi_line else part_ends(one)
    padded = [name in one.trim for name in seen]
    dialects = [replace(written, header=written.header and not n) for n in range(len(ends))]
    parts = list(zip(dialects, [0, *ends[:-1]], ends, strict=True))
    if len(ends) == 1:
        counts = [_count(one, padded, *parts[0])]
    else:
        # A fork next to threads (Spark's, pytest's) copies locks that no thread opens again: each begins by itself.
        with ProcessPoolExecutor(len(ends), get_context("spawn")) as pool:
            counts = [f.result() for f in [pool.submit(_count, one, padded, *part) for part in parts]]
    for counted, _, _ in counts:
        for column, more in zip(seen.values(), counted, strict=True):
            column.merge(more)
    records, broken = sum(good for _, good, _ in counts), sum(bad for _, _, bad in counts)
    if not records and not broken:
        raise SampleRefused(f"{one.path.name} has a header and no records; give a file with records")
    return Sample(one.path.name, records, broken)


def _count(
    one: SampleHead, padded: Sequence[bool], written: Csv, start: int, end: int
) -> tuple[list[ColumnCounts], int, int]:
    """Return the columns of a part of a file, and its numbers of records and broken lines.

    Cells of `padded` columns are counted without the blanks around them.
    """
    seen = [ColumnCounts() for _ in padded]
    records = broken = 0
    part = io.BufferedReader(_Part(one.unpacked, start, end))
    with io.TextIOWrapper(part, encoding=encoding_from(one, start)) as file:
        rows = one.around if not start else one.around.body()
        cut = (
            _slices(file, one, one.layout, not start)
            if one.layout
            else _cut(_records(file, rows), written, len(padded))
        )
        for columns, good, bad in cut:
            records += good
            broken += bad
            for column, texts, is_padded in zip(seen, columns, padded, strict=True):
                column.add([text.strip(BLANKS) for text in texts] if is_padded else texts)
    return seen, records, broken


def _records(file: IO[str], rows: Around) -> IO[str]:
    """Return the lines of a file that are not around its records."""
    return file if replace(rows, blank=0, total="") == Around() else cast("IO[str]", _Lines(rows.lines(file)))


class _Lines(io.TextIOBase):
    """Some lines as a file that is read in pieces of whole lines."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines = lines

    def read(self, size: int | None = -1) -> str:
        """Return the next lines of about so many characters."""
        some, length = [], 0
        for line in self.lines:
            some.append(line)
            length += len(line)
            if size is not None and 0 <= size <= length:
                break
        return "".join(some)

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]
        """Return the next line."""
        return next(self.lines, "")


class _Part(io.RawIOBase):
    """The bytes of a file from one place to another."""

    def __init__(self, path: Path, start: int, end: int) -> None:
        self.file, self.left = path.open("rb"), end - start
        self.file.seek(start)

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        piece = self.file.read(min(len(room), self.left))
        room[: len(piece)] = piece
        self.left -= len(piece)
        return len(piece)

    def close(self) -> None:
        self.file.close()
        super().close()


def _slices(
    file: IO[str], one: SampleHead, layout: Layout, from_begin: bool
) -> Iterator[tuple[list[list[str]], int, int]]:
    """Yield the same of lines of fixed width, all of which have its length."""
    cuts = [itemgetter(slice(field.start - 1, field.slice.end)) for field in layout.fixed.fields]
    for piece in pieces(file):
        lines = [in_units(line, layout.fixed.unit, one.encoding) for line in piece.split("\n") if line]
        records = layout.types.records(lines, from_begin=from_begin)
        from_begin = from_begin and not lines
        cells = [[text.strip(" ") for text in map(cut, records)] for cut in cuts]
        try:
            if layout.fixed.unit == "bytes":
                cells = [[layout.text(cell, one.encoding) for cell in column] for column in cells]
        except UnicodeDecodeError:
            raise SampleRefused(
                f"{one.path.name} has characters across the borders of fields, however its bytes are counted; write "
                "the contract by its layout, as `format: fixed` of docs/reference/drop-block.md"
            ) from None
        yield cells, len(records), 0


def _cut(file: IO[str], written: Csv, width: int) -> Iterator[tuple[list[list[str]], int, int]]:
    """Yield cells by column and the numbers of records and broken lines, piece by piece, without the header."""
    if not written.multi_line:
        if written.header:
            file.readline()
        for piece in pieces(file):
            yield columns(piece, written, width)
        return
    records = over_lines(file, written)
    some: list[list[str]] = []
    try:
        if written.header:
            next(records, None)
        for record in records:
            bounded(*record)
            some.append(record)
            if len(some) == HEAD // 64:
                yield by_record(some, width, written)
                some = []
    except csv.Error:  # the rest cannot be read, so every line of it is no record
        yield by_record([], width, written)[0], 0, 1 + sum(1 for _ in file)
    yield by_record(some, width, written)
