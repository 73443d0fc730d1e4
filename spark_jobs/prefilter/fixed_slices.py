"""Lines of fixed width in Arrow vectors: their bytes in; the texts of their cells, with delimiters between them, out.

Slices are of bytes: in encodings of one byte they are those of characters, and so they are in lines of ASCII.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files.encodings import UTF_8
from contracts.terms.fixed_width import ZERO, Field, Fixed

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import PassCondition

PLAIN = r"\A[ -~]*\z"
"""Texts of which no byte may be none in an encoding."""
ODD = "\0"
"""The text of a line that is left to Spark: no pattern of cells matches it."""


def joined(lines: pa.StringArray, condition: PassCondition) -> pa.StringArray:
    """Return lines, which may have their line ends, as cells with delimiters between them, without line ends."""
    fixed = condition.fixed
    assert fixed is not None, "the condition is for fixed width"
    bare = pc.ascii_rtrim(lines, "\r\n")
    raw = bare.view(pa.binary())
    tests = [pc.equal(pc.binary_length(bare), fixed.length)]
    tests += [pc.starts_with(bare, condition.begins)] if condition.begins else []
    tests += [pc.string_is_ascii(bare)] if condition.encoding == UTF_8 else []
    if between := [pc.binary_slice(raw, start, end).view(pa.string()) for start, end in _unread(fixed)]:
        tests.append(pc.match_substring_regex(pc.binary_join_element_wise(*between, ""), PLAIN))
    cells = [
        _cell(pc.binary_slice(raw, field.start - 1, field.slice.end).view(pa.string()), field) for field in fixed.fields
    ]
    return pc.if_else(reduce(pc.and_, tests), pc.binary_join_element_wise(*cells, condition.delimiter), ODD)


def _unread(fixed: Fixed) -> list[tuple[int, int]]:
    """Return the stretches of no field, from 0: what is no text in them is no text of the line."""
    starts = [0, *(field.slice.end for field in fixed.fields)]
    ends = [*(field.start - 1 for field in fixed.fields), fixed.length]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _cell(text: pa.StringArray, field: Field) -> pa.StringArray:
    """Return slices without their padding, as a field of `contracts.terms.fixed_width` does."""
    trim = {"left": pc.ascii_rtrim, "right": pc.ascii_ltrim, "any": pc.ascii_trim}[field.align]
    bare = trim(text, field.padding)
    if field.padding == " ":
        return bare
    full = pc.if_else(pc.equal(bare, ""), ZERO, bare) if field.padding == ZERO else bare
    return pc.if_else(pc.equal(pc.ascii_trim(text, " "), ""), "", full)
