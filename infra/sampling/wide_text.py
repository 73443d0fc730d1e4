"""The Asian encoding of a sample that is not UTF-8: its lines in; the encoding out, or None if the sample shows none.

All lines must be sound in it, and nearly all wide characters must be frequent ones of its language: the same bytes
are mostly rare characters in the other encodings. A word of Latin, Greek or Cyrillic letters with an odd number of
bytes is sound in none; two such letters in a row may be a frequent character, but few different ones. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from contracts.files import encodings
from contracts.files.byte_patterns import CHARACTERS

LEAST, DIFFERENT, SHARE = 20, 5, 0.9
"""Wide characters of a sample that show an encoding, how many differ, and the share of frequent ones among them."""


@dataclass(frozen=True, slots=True)
class Language:
    """The frequent characters of an encoding, those of them that must occur, and their least share of all wide ones."""

    frequent: re.Pattern[str]
    marks: re.Pattern[str]
    share: float


KANA = "[\u3041-\u3096\u30a1-\u30fa]"
SIGNS = "[\u2010-\u2027\u3000-\u3030\u30fb\u30fc\uff01-\uff60\uff70\uffe0-\uffe6]"
LANGUAGES = {
    "cp949": Language(re.compile(f"[\uac00-\ud7a3]|{SIGNS}"), re.compile("[\uac00-\ud7a3]"), SHARE),
    "cp932": Language(re.compile(f"{KANA}|{SIGNS}|[\u4e00-\u9fff]"), re.compile(KANA), 0.1),
    "euc-jp": Language(re.compile(f"{KANA}|{SIGNS}|[\u4e00-\u9fff]"), re.compile(KANA), 0.1),
    "gb18030": Language(re.compile(f"{SIGNS}|[\u4e00-\u9fff]"), re.compile("[\u4e00-\u9fff]"), 0.5),
    "big5": Language(re.compile(f"{SIGNS}|[\u4e00-\u9fff]"), re.compile("[\u4e00-\u9fff]"), 0.5),
}
"""The encodings that are looked for, which hold the smaller ones of their languages; of several the first counts."""
LEVEL = {
    "cp932": rb"[\x88-\x97][\x40-\xfc]",
    "euc-jp": rb"[\xb0-\xcf][\xa1-\xfe]",
    "gb18030": rb"[\xb0-\xd7][\xa1-\xfe]",
    "big5": rb"[\xa4-\xc6][\x40-\xfe]",
    "cp949": rb"[\xb0-\xc8][\xa1-\xfe]",
}
"""The bytes of frequent ideographs and syllables: the first level of each standard."""


def encoding(lines: Iterable[bytes]) -> str | None:
    """Return the encoding of lines that are not ASCII; None if they are in none, or in one that cannot be told."""
    wide = b"\n".join(line.rstrip(b"\r\n") for line in lines if not line.isascii())
    sound = (name for name in LANGUAGES if encodings.flaw(wide, name) is None)
    return next((name for name in sound if _is_language(name, wide)), None)


def _is_language(name: str, data: bytes) -> bool:
    """Return True if sound text in an encoding is of its language."""
    language, level = LANGUAGES[name], LEVEL[name]
    matches = re.findall(rf"[\x00-\x7f]*+({CHARACTERS[name]})", data.decode(encodings.LATIN))
    counts = Counter(raw for match in matches if len(raw := match.encode(encodings.LATIN)) > 1)
    texts = {raw: raw.decode(name) for raw in counts}
    frequent = {
        raw
        for raw, text in texts.items()
        if language.frequent.match(text) and (not "\u4e00" <= text <= "\ud7a3" or re.fullmatch(level, raw))
    }
    marks = sum(counts[raw] for raw, text in texts.items() if language.marks.match(text))
    count = counts.total()
    is_varied = count >= LEAST and len(frequent) >= DIFFERENT
    return is_varied and sum(counts[raw] for raw in frequent) >= SHARE * count and marks >= language.share * count
