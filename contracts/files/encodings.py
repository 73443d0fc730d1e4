"""The encodings of text files: a name as people write it in, the name in a plan out; and Java's name of that.

Java and Python read each of them alike: the same characters, and the same bytes without one
(tests/integration/spark_jobs/formats/test_encodings.py compares all 256). In each of them the bytes of ASCII are ASCII,
so that lines end at the same bytes in all. Java 17 has no ISO-8859-10 and no ISO-8859-14.
"""

from __future__ import annotations

import codecs
from functools import cache

from contracts.plan import RECODED

UTF_8, LATIN, ASCII = "utf-8", "iso-8859-1", "us-ascii"
UTF_16, UTF_16_LE, UTF_16_BE = RECODED
COMMON = (UTF_8, "windows-1252", LATIN, "iso-8859-15")
NAMES: tuple[str, ...] = (
    *COMMON,
    *(f"windows-{n}" for n in (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)),
    *(f"iso-8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16)),
    *(f"cp{n}" for n in (437, 850, 852, 858, 866)),
    "macintosh",
    "koi8-r",
    "koi8-u",
    ASCII,
    *RECODED,
)
"""The names in plans, the most frequent first; Python reads them as well."""
JAVA = {"macintosh": "x-MacRoman"}
"""Java's names that are not the same."""


@cache
def _by_codec() -> dict[str, str]:
    return {codecs.lookup(name).name: name for name in NAMES}


def named(text: str) -> str:
    """Return the name in plans of an encoding by any name that Python knows; else the text in lower case."""
    try:
        codec = codecs.lookup(text).name
    except (LookupError, ValueError):  # a NUL is a ValueError
        return text.casefold()
    return _by_codec().get(codec, text.casefold())


def java(name: str) -> str:
    """Return Java's name of an encoding of plans."""
    return JAVA.get(name, name.upper())


def has_gaps(name: str) -> bool:
    """Return True if some byte is no character of the encoding, so that a reader has U+FFFD in its place."""
    return name not in (UTF_8, LATIN) and "\ufffd" in bytes(range(256)).decode(name, "replace")


def read_as(name: str) -> str:
    """Return the encoding in which admission and the job find the text of a file."""
    return UTF_8 if name in RECODED else name


def is_one_byte(name: str) -> bool:
    """Return True if each byte is a character of its own, or none."""
    return name != UTF_8 and len(bytes(range(256)).decode(name, "replace")) == 256


def fits(text: str, encoding: str) -> bool:
    """Return True if an encoding has all characters of a text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
