"""Cases for every line of docs/reference/semantics.md, by topic: judged by job and oracle in all formats."""

from __future__ import annotations

from tests.oracle.meanings import elements, empties, moments, numbers, rules, texts
from tests.oracle.meanings.case import Meaning

TOPICS: dict[str, dict[str, Meaning]] = {
    "Null, empty, blank": empties.NOTHING,
    "NaN and infinity": numbers.NOT_A_NUMBER,
    "Leading zeros and signs": numbers.SIGNS,
    "Thousands and decimal marks": numbers.MARKS,
    "Numbers and booleans in the form of a file": numbers.FORMED,
    "Exponents": numbers.EXPONENT,
    "Integers from 1.0": numbers.WHOLE,
    "Overflow": numbers.OVERFLOW,
    "Booleans": numbers.BOOLEANS,
    "Dates and times by pattern": moments.PATTERNS,
    "Dates and times as files write them": moments.IN_FILES,
    "Two-digit years": moments.YEARS,
    "Leap seconds": moments.LEAP_SECONDS,
    "Time zones and summer time": moments.ZONES,
    "Length and letters": texts.UNICODE,
    "Blanks at the ends": texts.BLANKS,
    "Regular expressions": texts.PATTERNS,
    "Formats": texts.FORMATS,
    "Bounds": numbers.BOUNDS,
    "Percent of what": numbers.PERCENT,
    "Rounding": numbers.ROUNDING,
    "A file without records, of values": empties.EMPTY_FILE,
    "A column of nulls": empties.ALL_NULL,
    "Repeated values and nulls": empties.REPEATED,
    "Deviation of one row": numbers.STDEV,
    "Decimals and doubles": numbers.DECIMALS,
    "Expressions": rules.EXPRESSIONS,
    "Queries": rules.ASKED,
    "Filters": rules.FILTERS,
    "Names that a header lacks": texts.HEADERS,
    "XML": elements.XML,
}
CASES: dict[str, Meaning] = {name: case for cases in TOPICS.values() for name, case in cases.items()}
