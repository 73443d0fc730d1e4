"""Samples of fixed width: their first lines in; a layout by columns of blanks, and the profile of their cells, out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from contracts.authoring.draft.headings import NO_HEADINGS
from contracts.authoring.draft.profile import Profile, SampleRefused
from contracts.plan import Csv
from contracts.terms.fixed_width import Field, Fixed
from infra.sampling import delimited
from infra.sampling.sample_heads import SampleHead, opened, pieces

DELIMITERS = ",;\t|"
FEWEST = 3
"""Lines from which on equal lengths are no chance."""
FILLED_UP = re.compile(r" {2}|0{4}| $")
"""What values that are filled up to the length of a field look like."""
LONG = 30
"""Characters of a line from which on one of them is hardly one value."""
NUMBER = re.compile(r"[-+]?[0-9][0-9.,:/-]*")
BETWEEN = "\0"
"""The delimiter of the dialect, which no line holds."""
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
        with opened(head) as file:
            for piece in pieces(file):
                own = _filled(piece, length)
                if own is None:
                    return None
                filled |= own
    mask = filled.to_bytes(length)
    return [Stretch(match.start(), match.end()) for match in re.finditer(rb"\x01+", mask)]


def _filled(piece: str, length: int) -> int | None:
    """Return the positions that are filled in any of some lines, as bytes of a number; None if a length differs.

    All lines are folded into one: half of them onto the other half, until one is left.
    """
    lines = [line for line in piece.split("\n") if line]
    if any(len(line) != length for line in lines):
        return None
    text = "".join(lines).encode("latin-1", "replace").translate(OF_BLANKS)
    while len(text) > length:
        half = len(text) // length // 2 * length
        both = int.from_bytes(text[:half]) | int.from_bytes(text[half : 2 * half])
        text = both.to_bytes(half) + text[2 * half :]
    return int.from_bytes(text)


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


def profile(heads: Sequence[SampleHead], fixed: Fixed) -> Profile:
    """Return the profile of the cells of samples. Raises SampleRefused."""
    encoding = next((head.encoding for head in heads if not head.is_ascii), "utf-8")
    is_odd = any(head.mojibake for head in heads)
    mojibake: Literal["reject", "warn"] = "warn" if is_odd else "reject"
    written = Csv(delimiter=BETWEEN, quote="", header=False, encoding=encoding, mojibake=mojibake)
    whole = delimited.read([replace(head, layout=fixed) for head in heads], written)
    return replace(whole, format="fixed", fixed=fixed, order="any", headings=NO_HEADINGS)
