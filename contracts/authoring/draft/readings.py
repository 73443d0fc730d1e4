"""Text whose bytes do not say their encoding: its words in; how they read in other encodings, for people, out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from contracts.authoring.draft import letters
from contracts.files import encodings
from contracts.plan import RECODED
from contracts.problem import quoted, visible

STATED = (encodings.UTF_8, encodings.ASCII, *RECODED)
"""Encodings that show in the bytes of a text."""
WORD = re.compile("[A-Za-z\u0080-\U0010ffff]*[\u0080-\U0010ffff][A-Za-z\u0080-\U0010ffff]*")
MOST_WORDS, MOST_READINGS, LONGEST = 3, 6, 20


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


def note(words: Sequence[str], language: str) -> str:
    """Return how words read in the encoding of a draft, and the language by whose letters it was chosen, if any."""
    are = "a word is" if len(words) == 1 else "words are"
    reason = f"by its letters, which are those of {language}; " if language else ""
    return f"{reason}the bytes do not say which; read so, {are} {_quoted(words)}"


def remark(words: Sequence[str], encoding: str) -> str:
    """Return the point to review about an encoding: how words read in it, and in the others in which they are words."""
    own = f"`encoding`: the bytes do not say which; in {encoding} the samples have the words {_quoted(words)}"
    likely = sorted(_others(words, encoding), key=lambda other: -letters.best_of(other[0]).whole)
    others = [f"{_quoted(texts[:1])} in {' or '.join(names[:2])}" for texts, names in likely]
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
            if texts != tuple(words) and all(map(letters.is_word, texts)):
                readings.setdefault(texts, []).append(name)
    return [*readings.items()]


def _quoted(words: Iterable[str]) -> str:
    return quoted([visible(word, LONGEST) for word in words])
