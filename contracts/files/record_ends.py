"""Where the records of a text file end: the dialect and the first bytes or text of a file in, its pieces out.

Records end at LF, CR and CRLF, or only at the agreed record delimiter: then other line ends are characters of cells.
Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from contracts.plan import Csv
from contracts.problem import visible

WORDS = {"any": "", "lf": "\n", "crlf": "\r\n", "cr": "\r"}
"""Record delimiters by their words; `any` is each of the others."""
ANY = r"\r\n?|\n"


@lru_cache
def pattern(record_delimiter: str) -> re.Pattern[str]:
    """Return the pattern of the end of a record."""
    return re.compile(re.escape(record_delimiter) or ANY)


@lru_cache
def of_bytes(record_delimiter: str) -> re.Pattern[bytes]:
    """Return the pattern of the end of a record in a file."""
    return re.compile((re.escape(record_delimiter) or ANY).encode())


def first(text: str, csv: Csv) -> str:
    """Return the first record of a text."""
    return pattern(csv.record_delimiter).split(text, maxsplit=1)[0]


def records(text: str, csv: Csv) -> list[str]:
    """Return the records of a text with their ends."""
    ends = [match.end() for match in pattern(csv.record_delimiter).finditer(text)]
    places = [0, *ends, *([len(text)] if text[ends[-1] if ends else 0 :] else [])]
    return [text[begin:end] for begin, end in pairwise(places)]


def in_words(record_delimiter: str) -> str:
    """Return a record delimiter for people."""
    words = {end: word.upper() for word, end in WORDS.items() if end} | {"": "LF, CR or CRLF"}
    return words.get(record_delimiter) or f"`{visible(record_delimiter)}`"
