"""Text in another encoding than the agreed one, if that has a character for most bytes: counts in, problem out.

ISO-8859-1 has a character for each byte, so that no byte is wrong by itself. UTF-8 is recognised by its sequences of
bytes, windows-1252 by the bytes 0x80 to 0x9F, which are invisible control characters in ISO-8859-1. Other encodings
have letters and signs there, so that a word may be UTF-8 by chance (`CAFÉ”` in windows-1252): a file is UTF-8 only if
all of its records beyond ASCII are. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from contracts import codec
from contracts.files import columns, csv_cells, encodings
from contracts.place import Place
from contracts.plan import Csv, Plan
from contracts.problem import Level, Problem, visible

CODE = "mojibake"
SEQUENCE = (
    "[\\x{c2}\\x{c3}][\\x{80}-\\x{bf}]"
    "|[\\x{c4}-\\x{df}][\\x{80}-\\x{9f}\\x{a1}-\\x{ba}\\x{bc}-\\x{bf}]"
    "|[\\x{e0}-\\x{ef}][\\x{80}-\\x{bf}]{2}|[\\x{f0}-\\x{f4}][\\x{80}-\\x{bf}]{3}"
)
"""A pattern (Java) of UTF-8 that was read as ISO-8859-1, for a text that is valid UTF-8 as a whole.

It leaves out other capital letters before a no-break space or a closing guillemet, which French has: `CAFÉ »`.
"""
CONTROL = "[\\x{80}-\\x{9f}]"
"""A pattern (Java) of the characters that windows-1252 has and ISO-8859-1 lacks."""


ActualEncoding = Literal["utf8", "ansi"]
DECODINGS: dict[ActualEncoding, tuple[re.Pattern[str], str]] = {
    "utf8": (re.compile(re.sub(r"\\x\{(..)\}", r"\\x\1", SEQUENCE)), "utf-8"),
    "ansi": (re.compile("[\x80-\x9f]"), "cp1252"),
}
"""The pattern of wrongly decoded text for each actual encoding, and the codec that repairs it."""
LONGEST = 30
"""Characters of an example."""
WORD_BREAK = "[ \t\r\n,;|]"
"""The characters between words."""


@dataclass(frozen=True, slots=True)
class Letters:
    """The numbers of records with UTF-8 text (`utf8`) and, among the others, with characters of windows-1252 (`ansi`).

    `own` are records beyond ASCII that are not UTF-8, in encodings in which a word may be UTF-8 by chance.
    `first` is the place of the first of the reported records. `read` is a word of it in the agreed encoding, `meant`
    the same word in the actual one; both are absent if the word is classified or has no such characters.
    """

    utf8: int = 0
    ansi: int = 0
    first: Place | None = field(default=None, metadata=codec.SPARSE)
    read: str | None = field(default=None, metadata=codec.SPARSE)
    meant: str | None = field(default=None, metadata=codec.SPARSE)
    own: int = field(default=0, metadata=codec.SPARSE)


def is_watched(csv: Csv) -> bool:
    """Return True if records are searched for text in another encoding."""
    return encodings.read_as(csv.encoding) not in (encodings.UTF_8, encodings.ASCII) and csv.mojibake != "ignore"


def is_clear(csv: Csv) -> bool:
    """Return True if one record of UTF-8 is enough: in the agreed encoding no word has such bytes."""
    return csv.encoding == encodings.LATIN


def example(plan: Plan, header: Sequence[str], record: str, kind: ActualEncoding) -> tuple[str, str] | None:
    """Return a word of a record as it is read and as it is meant; None if all such words are classified.

    A record that cannot be split into cells has no example if the contract has classified properties.
    """
    parts, encoding = csv_cells.split(record, plan.csv), plan.csv.encoding
    parts = parts and columns.ended(parts, plan.csv, len(header))
    if parts is None or len(parts) != len(header):
        return None if plan.classified else _word(record, kind, encoding)
    hidden = {p.name for p in plan.properties if plan.hides(p)}
    words = (_word(cell, kind, encoding) for name, cell in zip(header, parts, strict=True) if name not in hidden)
    return next((word for word in words if word), None)


def _word(text: str, kind: ActualEncoding, encoding: str) -> tuple[str, str] | None:
    """Return the first wrongly decoded word of a text, as it is read and as it is meant.

    Of a long word, or one that cannot be decoded as a whole, it is the wrongly decoded stretch.
    """
    pattern, actual = DECODINGS[kind]
    latin = text.encode(encoding, "replace").decode(encodings.LATIN)  # a character for each byte
    for match in pattern.finditer(latin):
        before = re.split(WORD_BREAK, latin[max(0, match.start() - LONGEST) : match.start()])[-1]
        behind = re.split(WORD_BREAK, latin[match.end() : match.end() + LONGEST])[0]
        word = slice(match.start() - len(before), match.end() + len(behind))
        for span in (word, slice(*match.span())) if word.stop - word.start <= LONGEST else (slice(*match.span()),):
            raw = latin[span].encode(encodings.LATIN)
            read = raw.decode(encoding, "replace") if encodings.is_wide(encoding) else text[span]
            try:
                return read, raw.decode(actual)
            except UnicodeDecodeError:
                continue
    return None


def problem(csv: Csv, letters: Letters | None) -> Problem | None:
    """Return the problem with the encoding of a file; None if there is none, or the contract ignores it."""
    if letters is None or not is_watched(csv) or letters.own or not (letters.utf8 or letters.ansi):
        return None
    agreed = csv.encoding.upper()
    level: Level = "error" if csv.mojibake == "reject" else "warning"
    count = letters.utf8 or letters.ansi
    some = f"{count:,} record{' is' if count == 1 else 's are'}"
    shown = letters.read is not None and letters.meant is not None
    read, meant = (visible(text or "") for text in (letters.read, letters.meant))
    if letters.utf8:
        pair = (meant, read) if shown else ("é", "é".encode().decode(csv.encoding, "replace"))
        text = (
            f"{some} written in UTF-8; the contract requires {agreed}, "
            f"in which `{pair[0]}` would be read as `{pair[1]}`."
        )
        other = "whether `encoding: utf-8` was meant"
    else:
        letter = f"`{meant}` has" if shown else "`€` or `“` have"
        text = (
            f"{some} written in windows-1252, with bytes from 0x80 to 0x9F, as {letter} there; "
            f"the contract requires {agreed}, in which these are control characters."
        )
        other = "for `mojibake: warn`"
    fix = f"Write the whole file in {agreed}, or ask the contract's owner {other}."
    return Problem(CODE, text, fix, level, letters.first)
