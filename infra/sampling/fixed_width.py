"""Samples of fixed width: their paths in, a layout by columns of blanks, and how to profile their cells, out."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from contracts.authoring.draft.headings import NO_HEADINGS
from contracts.authoring.draft.profile import Profile, SampleRefused
from contracts.terms.fixed_width import Field, Fixed
from infra.sampling.sample_heads import SampleHead, opened

DELIMITERS = ",;\t|"
FEWEST = 3
"""Lines from which on equal lengths are no chance."""
FILLED_UP = re.compile(r" {2}|0{4}| $")
"""What values that are filled up to the length of a field look like."""
LONG = 30
"""Characters of a line from which on one of them is hardly one value."""
NUMBER = re.compile(r"[-+]?[0-9][0-9.,:/-]*")
OF_BLANKS = bytes(byte != ord(" ") for byte in range(256))
"""Zero for a blank, one for any other byte."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of positions, from 0, that are not blank in all lines."""

    start: int
    end: int


def layout_of(heads: Sequence[SampleHead]) -> Fixed | None:
    """Return the layout of samples of fixed width; None if they are none. Raise SampleRefused if it does not show."""
    first = heads[0]
    lines = [line for line in first.head.split("\n") if line]
    if not _is_fixed(lines) or any(line.isspace() for line in lines[:1]):
        return None
    length = len(lines[0])
    stretches = _stretches(heads, length)
    if stretches is None:
        return None
    if len(stretches) < 2:
        if length < LONG or not all(FILLED_UP.search(line) for line in lines):
            return None
        raise SampleRefused(
            f"{first.path.name} has {length} characters in each line, and nothing shows where its fields begin; "
            "write the contract by its layout, as `format: fixed` of docs/reference/drop-block.md"
        )
    fixed = Fixed(tuple(_fields(lines, stretches, length)), length)
    if _has_header(lines, fixed):
        raise SampleRefused(
            f"the first line of {first.path.name} names its columns, which is not read in lines of fixed width; "
            "give the file without it"
        )
    return fixed


def _is_fixed(lines: Sequence[str]) -> bool:
    """Return True if all lines have one length, values are filled up in them, and no delimiter is in each."""
    if len(lines) < FEWEST or len(set(map(len, lines))) > 1 or not any(map(FILLED_UP.search, lines)):
        return False
    return not any(len({line.count(sign) for line in lines}) == 1 and sign in lines[0] for sign in DELIMITERS)


def _stretches(heads: Sequence[SampleHead], length: int) -> list[Stretch] | None:
    """Return the stretches that are filled in any line of samples; None if a line has another length."""
    filled = 0
    for head in heads:
        for line in _lines(head):
            if len(line) != length:
                return None
            raw = line.encode("latin-1", "replace")
            filled |= int.from_bytes(raw.translate(OF_BLANKS))
    mask = filled.to_bytes(length)
    return [Stretch(match.start(), match.end()) for match in re.finditer(rb"\x01+", mask)]


def _lines(head: SampleHead) -> Iterator[str]:
    with opened(head) as file:
        for line in file:
            if text := line.rstrip("\r\n"):
                yield text


def _fields(lines: Sequence[str], stretches: Sequence[Stretch], length: int) -> Iterator[Field]:
    """Yield the fields, without a gap: blanks between two stretches belong to the one whose values leave them."""
    ends = [before.end if _is_on_the_right(lines, after) else after.start for before, after in pairwise(stretches)]
    for n, (start, end) in enumerate(pairwise([0, *ends, length]), 1):
        yield Field(f"field{n}", start + 1, end - start)


def _is_on_the_right(lines: Sequence[str], stretch: Stretch) -> bool:
    """Return True if the values of a stretch stand on its right side."""
    texts = [line[stretch.start : stretch.end] for line in lines]
    return any(text.startswith(" ") for text in texts) and not any(text.endswith(" ") for text in texts)


def _has_header(lines: Sequence[str], fixed: Fixed) -> bool:
    """Return True if the first line has a word where all others have numbers."""
    columns = [[field.cell(line[field.start - 1 : field.slice.end]) for line in lines] for field in fixed.fields]
    return any(
        not any(c.isdigit() for c in first) and first and all(NUMBER.fullmatch(text) for text in others)
        for first, *others in columns
    )


def profile(heads: Sequence[SampleHead], fixed: Fixed, of_lines: Callable[[Sequence[Path]], Profile]) -> Profile:
    """Return the profile of the cells of samples. Raises SampleRefused."""
    with TemporaryDirectory(prefix="dropgate-") as folder:
        whole = of_lines([_as_csv(head, fixed, Path(folder) / f"{n}.csv") for n, head in enumerate(heads)])
    assert whole.csv is not None, "the lines are CSV"
    samples = tuple(replace(sample, name=head.path.name) for sample, head in zip(whole.samples, heads, strict=True))
    kept = {column.name for column in whole.columns}
    layout = replace(fixed, fields=tuple(field for field in fixed.fields if field.name in kept))
    encoding = next((head.encoding for head in heads if not head.is_ascii), "utf-8")
    return replace(
        whole,
        samples=samples,
        format="fixed",
        fixed=layout,
        csv=replace(whole.csv, encoding=encoding),
        order="any",
        headings=NO_HEADINGS,
        compression=heads[0].compression,
    )


def _as_csv(head: SampleHead, fixed: Fixed, to: Path) -> Path:
    """Write the cells of a sample as CSV."""
    with to.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(fixed.names)
        for line in _lines(head):
            writer.writerow([field.cell(line[field.start - 1 : field.slice.end]) for field in fixed.fields])
    return to
