"""Text whose bytes do not say their encoding: its words in; how they read in other encodings, for people, out. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from contracts.files import encodings
from contracts.plan import RECODED
from contracts.problem import quoted, visible

STATED = (encodings.UTF_8, encodings.ASCII, *RECODED)
"""Encodings that show in the bytes of a text."""
WORD = re.compile("[A-Za-z\u0080-\U0010ffff]*[\u0080-\U0010ffff][A-Za-z\u0080-\U0010ffff]*")
MOST_WORDS, MOST_READINGS, LONGEST = 3, 6, 20
JAPANESE = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"))
"""The scripts, by the begins of Unicode's names of characters, that one word may have together."""
FOREIGN = 3
"""Letters from which on a word in Latin letters has one of ASCII."""


def is_stated(encoding: str) -> bool:
    """Return True if bytes in an encoding show that they are."""
    return encoding in STATED


def words_of(lines: Iterable[str], most: int = MOST_WORDS) -> tuple[str, ...]:
    """Return the first words with other letters than those of ASCII; longer ones before single signs."""
    words: dict[str, None] = {}
    for line in lines:
        words |= dict.fromkeys(WORD.findall(line) if not line.isascii() else ())
        if sum(len(word) > 1 for word in words) >= most:
            break
    return tuple(sorted(words, key=lambda word: len(word) == 1)[:most])


def note(words: Sequence[str]) -> str:
    """Return how words read in the encoding of a draft."""
    are = "a word is" if len(words) == 1 else "words are"
    return f"the bytes do not say which; read so, {are} {_quoted(words)}"


def remark(words: Sequence[str], encoding: str) -> str:
    """Return the point to review about an encoding: how words read in it, and in the others in which they are words."""
    own = f"`encoding`: the bytes do not say which; in {encoding} the samples have the words {_quoted(words)}"
    others = [f"{_quoted(texts[:1])} in {' or '.join(names[:2])}" for texts, names in _others(words, encoding)]
    if not others:
        return f"{own}: whether they read so."
    return f"{own}. If they read otherwise, write another: {', '.join(others[:MOST_READINGS])}."


def _others(words: Sequence[str], encoding: str) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return other readings that are words as people write them, each with the encodings that have it."""
    raws = [word.encode(encoding, "replace") for word in words]
    readings: dict[tuple[str, ...], list[str]] = {}
    for name in encodings.NAMES:
        if not is_stated(name) and all(encodings.flaw(raw, name) is None for raw in raws):
            texts = tuple(raw.decode(name) for raw in raws)
            if texts != tuple(words) and all(map(is_word, texts)):
                readings.setdefault(texts, []).append(name)
    return [*readings.items()]


def is_word(text: str) -> bool:
    """Return True if all characters are letters of one script, and no capital is behind a small letter.

    Words in Latin letters of which none is in ASCII are very short.
    """
    scripts = {unicodedata.name(character, "").split(" ")[0] for character in text}
    is_cased = text in (text.lower(), text.upper(), text.capitalize())
    is_odd = scripts == {"LATIN"} and len(text) >= FOREIGN and not any(map(str.isascii, text))
    return text.isalpha() and is_cased and (len(scripts) == 1 or scripts <= JAPANESE) and not is_odd


def _quoted(words: Iterable[str]) -> str:
    return quoted([visible(word, LONGEST) for word in words])
