"""Lines of fixed width in Arrow vectors: their bytes in; their fields, with delimiters between them, out.

Slices are of bytes: in encodings of one byte they are those of characters, and so they are in lines of ASCII. Blanks
that fill fields up stay, as patterns and parsers pass over them: to cut each field and trim it takes five times as long
as to arrange the bytes of all lines at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files.encodings import UTF_8
from contracts.terms.fixed_width import ZERO, Field, Fixed

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import PassCondition

PLAIN = "[ -~]*"
"""Texts of which no byte may be none in an encoding."""
ODD = "\0"
"""A text that is left to Spark: no pattern of cells matches it."""
PLACES = 2**18
"""Bytes of lines that are arranged at once, or those of one line: their places stay in a processor's cache."""


def joined(lines: pa.StringArray, condition: PassCondition) -> pa.StringArray:
    """Return the fields of lines with delimiters between them and a line end; lines may have line ends of their own.

    The bytes of no field are one more cell behind the others. Fields of `condition.refilled` have blanks at their ends
    instead of their padding.
    """
    fixed = condition.fixed
    assert fixed is not None, "the condition is for fixed width"
    bare = pc.ascii_rtrim(lines, "\r\n")
    tests = [pc.equal(pc.binary_length(bare), fixed.length)]
    tests += [pc.starts_with(bare, condition.begins)] if condition.begins else []
    tests += [pc.string_is_ascii(bare)] if condition.encoding == UTF_8 else []
    fits = reduce(pc.and_, tests)
    own = bare if fits.false_count == 0 else bare.filter(fits)
    refilled = (_refilled(own, fixed.fields[n]) for n in condition.refilled)
    rows = pc.binary_join_element_wise(own, *refilled, f"{condition.delimiter}\n", "")
    cells = _arranged(rows, fixed, condition.refilled)
    return cells if own is bare else pc.replace_with_mask(pa.array([ODD + "\n"] * len(bare)), fits, cells)


def has_unread(fixed: Fixed) -> bool:
    """Return True if some bytes of lines are of no field."""
    return sum(field.length for field in fixed.fields) < fixed.length


def _arranged(rows: pa.StringArray, fixed: Fixed, refilled: tuple[int, ...]) -> pa.StringArray:
    """Return lines of one length with their bytes in the places of cells."""
    order = _order(fixed, refilled)
    stride, width = fixed.length + sum(fixed.fields[n].length for n in refilled) + 2, len(order)
    _, _, data = rows.buffers()
    raw = pa.Array.from_buffers(pa.uint8(), stride * len(rows), [None, data])
    places = _places(order, stride)
    most, parts = len(places) // width, []
    for start in range(0, len(rows), most):
        count = min(most, len(rows) - start)
        own = raw.slice(start * stride, count * stride)
        parts.append(pc.take(own, places.slice(0, count * width), boundscheck=False))
    cells = pa.concat_arrays(parts) if parts else raw
    starts = pc.cumulative_sum(pa.repeat(pa.scalar(width, pa.int32()), len(rows) + 1), start=-width)
    return pa.StringArray.from_buffers(len(rows), starts.buffers()[1], cells.buffers()[1])


@lru_cache(maxsize=8)
def _order(fixed: Fixed, refilled: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places of bytes in a line, from 0, in the order of cells; its last two are a delimiter and its end."""
    places, behind = list[Sequence[int]](), fixed.length
    for n, field in enumerate(fixed.fields):
        start = behind if n in refilled else field.start - 1
        places.append(range(start, start + field.length))
        behind += field.length if n in refilled else 0
    if has_unread(fixed):
        read = set(chain.from_iterable(range(field.start - 1, field.slice.end) for field in fixed.fields))
        places.append([place for place in range(fixed.length) if place not in read])
    *others, last = places
    return *chain.from_iterable((*cell, behind) for cell in others), *last, behind + 1


@lru_cache(maxsize=8)
def _places(order: tuple[int, ...], stride: int) -> pa.UInt32Array:
    """Return the places of bytes in some lines, one after the other."""
    places = pa.array(order, pa.uint32())
    while len(places) < PLACES:
        more = pa.scalar(len(places) // len(order) * stride, pa.uint32())
        places = pa.concat_arrays([places, pc.add(places, more)])
    return places


def _refilled(lines: pa.StringArray, field: Field) -> pa.StringArray:
    """Return a field with blanks behind its value; `ODD` if that has blanks of its own around it.

    Its padding goes first, as in `contracts.terms.fixed_width`.
    """
    text = pc.binary_slice(lines.view(pa.binary()), field.start - 1, field.slice.end).view(pa.string())
    trim = {"left": pc.ascii_rtrim, "right": pc.ascii_ltrim, "any": pc.ascii_trim}[field.align]
    bare = trim(text, field.padding)
    if field.padding == ZERO:
        bare = pc.if_else(pc.equal(bare, ""), ZERO, bare)
    bare = pc.if_else(pc.equal(pc.ascii_trim(text, " "), ""), "", bare)
    full = pc.ascii_rpad(bare, field.length)
    return pc.if_else(pc.equal(pc.ascii_trim(bare, " "), bare), full, ODD * field.length)


def null_texts(words: tuple[str, ...], fields: Iterable[Field]) -> tuple[str, ...]:
    """Return the texts of fields that are filled up by blanks, and whose values are some words."""
    shapes = {(field.length, field.align) for field in fields}
    return tuple(sorted({text for length, align in shapes for word in words for text in _filled(word, length, align)}))


def _filled(word: str, length: int, align: str) -> Iterator[str]:
    """Yield a word in all its places in a field."""
    befores = {"left": [0], "right": [length - len(word)], "any": range(length - len(word) + 1)}[align]
    for before in befores if len(word) <= length else ():
        yield f"{' ' * before}{word}".ljust(length)
