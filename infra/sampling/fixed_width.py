"""Samples of fixed width: their first lines in; a layout by columns of blanks, and the profile of their cells, out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from contracts.authoring.draft import line_types
from contracts.authoring.draft.headings import NO_HEADINGS
from contracts.authoring.draft.line_types import Layout, LineTypes, in_units
from contracts.authoring.draft.profile import Profile, SampleRefused
from contracts.plan import Csv
from contracts.terms.fixed_width import Field, Fixed, Measure
from contracts.terms.leader import Leader
from contracts.terms.trailer import Trailer
from infra.sampling import delimited
from infra.sampling.sample_heads import SampleHead, end_of, opened, pieces

DELIMITERS = ",;\t|"
FEWEST = 3
"""Lines from which on equal lengths are no chance."""
FILLED_UP = re.compile(r" {2}|0{4}| $")
"""What values that are filled up to the length of a field look like."""
LONG = 30
"""Characters of a line from which on one of them is hardly one value."""
BETWEEN = "\0"
"""The delimiter of the dialect, which no line holds."""
OF_BLANKS = bytes(byte != ord(" ") for byte in range(256))
"""Zero for a blank, one for any other byte."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of positions, from 0, that are not blank in all lines."""

    start: int
    end: int


def layout_of(heads: Sequence[SampleHead]) -> Layout | None:
    """Return the layout of samples of fixed width; None if they are none. Raise SampleRefused if it does not show."""
    first = heads[0]
    lines = [line for line in first.head.split("\n") if line]
    units: tuple[Measure, ...] = ("characters",) if first.is_ascii else ("characters", "bytes")
    for unit in units:
        own = [in_units(line, unit, first.encoding) for line in lines]
        last = in_units(_last_line(first), unit, first.encoding)
        for types in dict.fromkeys((line_types.seen(own, last, whole=first.whole), LineTypes())):
            if layout := _of_types(heads, own, types, unit):
                return layout
    return None


def _of_types(heads: Sequence[SampleHead], lines: Sequence[str], types: LineTypes, unit: Measure) -> Layout | None:
    """Return the layout of samples whose lines are of some types, and whose positions count a unit."""
    first, records = heads[0], types.records(lines, from_begin=True)
    if not _is_fixed(records) or any(line.isspace() for line in records[:1]):
        return None
    length, begin = len(records[0]), len(types.record)
    stretches = _stretches(heads, types, unit, length)
    if stretches is None:
        return None
    if len(stretches) < 2:
        if length < LONG or not all(FILLED_UP.search(line) for line in records):
            return None
        raise SampleRefused(
            f"{first.path.name} has {length} {unit} in each line, and nothing shows where its fields begin; "
            "write the contract by its layout, as `format: fixed` of docs/reference/drop-block.md"
        )
    fields = tuple(_fields(records, stretches, begin, length))
    layout = Layout(Fixed(fields, length, unit), types)
    names = [layout.text(name, first.encoding) for name in line_types.named(fields, types.header)]
    named = tuple(replace(field, name=name) for field, name in zip(fields, names, strict=True))
    return replace(layout, fixed=replace(layout.fixed, fields=named))


def _last_line(head: SampleHead) -> str:
    return next((line for line in reversed(end_of(head).split("\n")) if line), "")


def _is_fixed(lines: Sequence[str]) -> bool:
    """Return True if all lines have one length, values are filled up in them, and no delimiter is in each."""
    if len(lines) < FEWEST or len(set(map(len, lines))) > 1 or not any(map(FILLED_UP.search, lines)):
        return False
    return not any(len({line.count(sign) for line in lines}) == 1 and sign in lines[0] for sign in DELIMITERS)


def _stretches(heads: Sequence[SampleHead], types: LineTypes, unit: Measure, length: int) -> list[Stretch] | None:
    """Return the stretches that are filled in any record of samples; None if a line is otherwise."""
    filled = 0
    for head in heads:
        for records in _records(head, types, unit):
            own = None if records is None else _filled(records, length)
            if own is None:
                return None
            filled |= own
    mask = bytes(len(types.record)) + filled.to_bytes(length)[len(types.record) :]
    return [Stretch(match.start(), match.end()) for match in re.finditer(rb"\x01+", mask)]


def _records(head: SampleHead, types: LineTypes, unit: Measure) -> Iterator[list[str] | None]:
    """Yield the records of a sample, some at once, in units; None where its lines are not of these types."""
    from_begin, ends = True, False
    with opened(head) as file:
        for piece in pieces(file):
            lines = [in_units(line, unit, head.encoding) for line in piece.split("\n") if line]
            if not lines:
                continue
            records = types.records(lines, from_begin=from_begin)
            trailers = len(lines) - len(records) - (from_begin and bool(types.leader))
            is_sound = not ends and (not from_begin or lines[0].startswith(types.leader)) and trailers <= 1
            if not is_sound or (trailers and not lines[-1].startswith(types.trailer)):
                yield None
            from_begin, ends = False, trailers > 0
            yield records if all(line.startswith(types.record) for line in records) else None
    if types.trailer and not ends:
        yield None


def _filled(lines: Sequence[str], length: int) -> int | None:
    """Return the positions that are filled in any of some lines, as bytes of a number; None if a length differs.

    All lines are folded into one: half of them onto the other half, until one is left.
    """
    if any(len(line) != length for line in lines):
        return None
    text = "".join(lines).encode("latin-1", "replace").translate(OF_BLANKS)
    while len(text) > length:
        half = len(text) // length // 2 * length
        both = int.from_bytes(text[:half]) | int.from_bytes(text[half : 2 * half])
        text = both.to_bytes(half) + text[2 * half :]
    return int.from_bytes(text)


def _fields(lines: Sequence[str], stretches: Sequence[Stretch], begin: int, length: int) -> Iterator[Field]:
    """Yield the fields, without a gap: blanks between two stretches belong to the one whose values leave them."""
    ends = [before.end if _is_on_the_right(lines, after) else after.start for before, after in pairwise(stretches)]
    for n, (start, end) in enumerate(pairwise([begin, *ends, length]), 1):
        yield Field(f"field{n}", start + 1, end - start)


def _is_on_the_right(lines: Sequence[str], stretch: Stretch) -> bool:
    """Return True if the values of a stretch stand on its right side."""
    texts = [line[stretch.start : stretch.end] for line in lines]
    return any(text.startswith(" ") for text in texts) and not any(text.endswith(" ") for text in texts)


def profile(heads: Sequence[SampleHead], layout: Layout) -> Profile:
    """Return the profile of the cells of samples. Raises SampleRefused."""
    encoding = next((head.encoding for head in heads if not head.is_ascii), "utf-8")
    mojibake: Literal["reject", "warn"] = "warn" if any(head.mojibake for head in heads) else "reject"
    leader, trailer = (layout.text(units, encoding) for units in (layout.types.leader, layout.types.trailer))
    written = Csv(
        delimiter=BETWEEN,
        quote="",
        header=False,
        encoding=encoding,
        mojibake=mojibake,
        leader=Leader(leader) if leader else None,
        record=layout.types.record,
    )
    whole = delimited.read([replace(head, layout=layout) for head in heads], written)
    assert whole.csv is not None, "the lines are CSV"
    ends = [in_units(_last_line(head), layout.fixed.unit, encoding) for head in heads]
    counts = [sample.records for sample in whole.samples]
    rows = line_types.count_in(ends, layout.types.trailer, counts) if trailer else None
    return replace(
        whole,
        format="fixed",
        fixed=replace(layout.fixed, trailer=(rows,) if rows else ()),
        csv=replace(whole.csv, trailer=Trailer(trailer, 2 if rows else None) if trailer else None),
        order="any",
        headings=NO_HEADINGS,
    )
