"""The encoding of text in one byte a character: its words in; the encoding and the language of their letters out.

Each language has its letters outside ASCII in the order in which texts have them most. The letters of words are as
likely in a language as their places in that order say; words that are read in another encoding have letters that no
language has together. The encoding that words are read in stays unless another one is far likelier. Pure.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from contracts.files import encodings

# ruff: noqa: RUF001 (letters of other scripts)
LETTERS = {
    "German": "üäöß",
    "French": "éèàêçôîûâïùëœ",
    "Spanish": "óíáéñúü",
    "Italian": "àèùòìé",
    "Portuguese": "ãçáéíóêõâúôà",
    "Catalan": "àéóèíçòúïü",
    "Dutch": "ëéïöüèê",
    "Danish or Norwegian": "øåæé",
    "Swedish or Finnish": "äöåé",
    "Icelandic": "áðíóþæöúéý",
    "Polish": "łęąóśżćńź",
    "Czech": "íáěéžščřýůúňóťď",
    "Slovak": "áíéýščžúľťôňäóďŕĺ",
    "Hungarian": "áéöóőüíúű",
    "Romanian": "ăîşţâșț",
    "Croatian or Slovene": "čšžćđ",
    "Turkish": "ışüğçöâ",
    "Lithuanian": "ėšąžųįčęū",
    "Latvian": "āīēšūņļžģķč",
    "Estonian": "äõüöšž",
    "Russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "Ukrainian": "оаинвірестклудмпязьгбчхжйїцщєюшфґ",
    "Bulgarian": "аоиенртсвлкпдмзгъубчщцжхяйшюфь",
    "Serbian": "аиоенрстјукдвмлпгзбчшжцњхћљђфџ",
    "Greek": "αοιτεσνηυρπκμςλωίόάγέδήθχύβφξώζψ",
    "Hebrew": "יוהלארתבשמנםחקדעכפטגצןסזךףץ",
    "Arabic": "اليمنرتوبةعدسفهكقحجشطصخضذثزغظءأإىئآؤ",
}
"""Letters outside ASCII, the frequent ones first, by language in words."""
RARE, ODD = 1e-4, 1e-3
"""The share of letters that a language has not, and how much less likely an odd word is."""
LEAST, MARGIN, FEWEST, MOST_ODD = -3.7, 4.0, 3, 0.1
"""The logarithm of a letter's average share, how much more likely all words must be, the number of letters, and the
most odd words among all."""
JAPANESE = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"))
"""The scripts, by the begins of Unicode's names of characters, that one word may have together."""
FOREIGN = 3
"""Letters from which on a word in Latin letters has one of ASCII."""
ONE_BYTE = tuple(name for name in encodings.NAMES if encodings.is_one_byte(name) and name != encodings.ASCII)


@dataclass(frozen=True, slots=True)
class Likely:
    """An encoding, the language of its words, and the logarithms of their likelihood: of all, and of each letter.

    `odd` is the share of words that nobody writes so.
    """

    encoding: str
    language: str
    whole: float
    each: float
    odd: float

    @property
    def is_clear(self) -> bool:
        """Return True if nearly all letters are frequent ones of the language, in words as people write them."""
        return self.each >= LEAST and self.odd <= MOST_ODD


def likely(words: Sequence[bytes], encoding: str) -> Likely | None:
    """Return the encoding that words clearly are in, other than the one that they are read in; else None."""
    if sum(byte > 127 for word in words for byte in word) < FEWEST:
        return None
    own = best_of([word.decode(encoding, "replace") for word in words], encoding)
    others = [other for name in ONE_BYTE if (other := _read(words, name))]
    best = max(others, key=lambda other: other.whole, default=own)
    return best if best.is_clear and best.whole >= own.whole + MARGIN else None


def _read(words: Sequence[bytes], name: str) -> Likely | None:
    """Return how likely words are in an encoding; None if some are not text in it."""
    if any(encodings.flaw(word, name) is not None for word in words):
        return None
    return best_of([word.decode(name) for word in words], name)


def best_of(texts: Iterable[str], encoding: str = "") -> Likely:
    """Return how likely words are in their likeliest language."""
    words = list(texts)
    letters, odd = _counted(words)
    every = letters.total() or 1
    wholes = {
        language: sum(count * log(shares.get(letter, RARE)) for letter, count in letters.items()) + odd * log(ODD)
        for language, shares in _shares().items()
    }
    language = max(wholes, key=lambda one: wholes[one])
    return Likely(encoding, language, wholes[language], wholes[language] / every, odd / max(1, len(words)))


def _counted(texts: Iterable[str]) -> tuple[Counter[str], int]:
    """Return how often words have each small letter outside ASCII, and how many words are odd."""
    letters, odd = Counter[str](), 0
    for text in texts:
        letters.update(letter for letter in map(str.lower, text.replace("İ", "ı")) if not letter.isascii())
        odd += not is_word(text)
    return letters, odd


def is_word(text: str) -> bool:
    """Return True if all characters are letters of one script, and no capital is behind a small letter.

    Words in Latin letters of which none is in ASCII are very short.
    """
    scripts = {unicodedata.name(character, "").split(" ")[0] for character in text}
    is_cased = text in (text.lower(), text.upper(), text.capitalize())
    is_odd = scripts == {"LATIN"} and len(text) >= FOREIGN and not any(map(str.isascii, text))
    is_text = all(character.isalpha() or unicodedata.category(character) == "Mn" for character in text)
    return is_text and is_cased and (len(scripts) == 1 or scripts <= JAPANESE) and not is_odd


@cache
def _shares() -> dict[str, dict[str, float]]:
    """Return the share of each letter by language: that at place n has one n-th of that of the first."""
    return {language: dict(_by_place(letters)) for language, letters in LETTERS.items()}


def _by_place(letters: str) -> Iterator[tuple[str, float]]:
    every = sum(1 / place for place in range(1, len(letters) + 1))
    for place, letter in enumerate(letters, 1):
        yield letter, 1 / place / every
