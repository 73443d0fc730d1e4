"""The encodings of text files: a name as people write it in, the name in a plan out; and Java's name of that.

Java and Python read each of them alike: the same characters, and the same bytes without one
(tests/integration/spark_jobs/formats/test_encodings.py compares all 256). Of wide encodings, with several bytes for a
character, only what both read alike is text (`contracts.files.byte_patterns`). Line ends are the same bytes in all, and
so are other characters of ASCII, where they are not a part of a wide one. Java 17 has no ISO-8859-10 and no
ISO-8859-14.
"""

from __future__ import annotations

import codecs
import re
from functools import cache

from contracts.files.byte_patterns import CHARACTERS
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
    *CHARACTERS,
)
"""The names in plans, the most frequent first; Python reads them as well."""
JAVA = {"macintosh": "x-MacRoman", "cp932": "windows-31j", "cp949": "x-windows-949"}
"""Java's names that are not the same."""
OTHER_NAMES = {"windows-31j": "cp932", "windows31j": "cp932"}
"""Names that people write and not every Python knows."""
NEAREST = {
    **dict.fromkeys(("shift_jis", "shift_jis_2004", "shift_jisx0213"), "cp932"),
    **dict.fromkeys(("euc_jis_2004", "euc_jisx0213"), "euc-jp"),
    **dict.fromkeys(("cp950", "big5hkscs"), "big5"),
    "gb2312": "gbk",
    "tis-620": "iso-8859-11",
}
"""The name that is nearest to an encoding without one in plans, by Python's name of it."""
LONGEST = 4
"""Bytes of a character."""


@cache
def _by_codec() -> dict[str, str]:
    return {codecs.lookup(name).name: name for name in NAMES}


def named(text: str) -> str:
    """Return the name in plans of an encoding by any name that Python knows; else the text in lower case."""
    written = OTHER_NAMES.get(text.casefold().replace("_", "-"), text)
    try:
        codec = codecs.lookup(written).name
    except (LookupError, ValueError):  # a NUL is a ValueError
        return text.casefold()
    return _by_codec().get(codec, text.casefold())


def nearest(text: str) -> str | None:
    """Return the name in plans of the encoding that is nearest to one without such a name, if there is one."""
    try:
        return NEAREST.get(codecs.lookup(text).name)
    except (LookupError, ValueError):
        return None


def java(name: str) -> str:
    """Return Java's name of an encoding of plans."""
    return JAVA.get(name, name.upper())


def has_gaps(name: str) -> bool:
    """Return True if some byte is no character of the encoding, so that a reader has U+FFFD in its place."""
    return name in CHARACTERS or (name not in (UTF_8, LATIN) and "\ufffd" in bytes(range(256)).decode(name, "replace"))


def read_as(name: str) -> str:
    """Return the encoding in which admission and the job find the text of a file."""
    return UTF_8 if name in RECODED else name


def enough(encoding: str, size: int) -> int:
    """Return how many bytes in an encoding are so many or more in UTF-8, once they are decoded."""
    return size if read_as(encoding) == UTF_8 else size * LONGEST


def is_one_byte(name: str) -> bool:
    """Return True if each byte is a character of its own, or none."""
    return name != UTF_8 and name not in CHARACTERS and len(bytes(range(256)).decode(name, "replace")) == 256


def is_wide(name: str) -> bool:
    """Return True if a character may have several bytes, and only some of them are text."""
    return name in CHARACTERS


def fits(text: str, encoding: str) -> bool:
    """Return True if an encoding has all characters of a text."""
    try:
        return flaw(text.encode(encoding), encoding) is None
    except UnicodeEncodeError:
        return False


def sound(name: str) -> str:
    """Return a pattern, for Java and Python, of bytes that are text in a wide encoding, one character for each byte."""
    return f"(?:{CHARACTERS[name]})*+"


@cache
def _sound(name: str) -> re.Pattern[str]:
    return re.compile(sound(name))


def flaw(data: bytes, name: str, *, whole: bool = True) -> int | None:
    """Return the place of the first byte that is not text; None if there is none. The end of a part may be cut."""
    if name not in CHARACTERS:
        try:
            codecs.getincrementaldecoder(name)().decode(data, final=whole)
        except UnicodeDecodeError as error:
            return error.start
        return None
    match = _sound(name).match(data.decode(LATIN))
    end = match.end() if match else 0
    return None if end == len(data) or (not whole and len(data) - end < LONGEST) else end
