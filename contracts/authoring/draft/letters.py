"""The encoding of text in one byte a character: its words in; the encoding whose letters they have, if clear, out.

Words in Western letters are left in the encoding that they are read in: others must have far more frequent letters of
one language. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from contracts.authoring.draft import readings
from contracts.files import encodings

WESTERN = "äöüßéèàçêôîâóíáñúãõìòåøæëïùûœýðþÿ"
LANGUAGES = {
    "german": ("äöüß", ""),
    "french": ("éèàçêô", "îâùûëïœ"),
    "spanish": ("óíáéñú", "ü"),
    "italian": ("àèéìòù", ""),
    "portuguese": ("ãçáéíóâêõ", "ôúà"),
    "nordic": ("åäöøæ", "é"),
    "polish": ("ąćęłńóśźż", ""),
    "czech": ("áíéěšřžčýů", "úťďňóľĺŕôä"),
    "russian": ("оеаинтсрвлкмдпу", "ыьзягбчйхжшюцщэфъёіїєґ"),
    "greek": ("αοιετσνηυρπκμλ", "ςάέήίόύώβγδζθξφχψω"),
}
"""Letters outside ASCII that texts in a language have often, and more seldom."""
CANDIDATES = {
    "windows-1250": ("polish", "czech"),
    "iso-8859-2": ("polish", "czech"),
    "windows-1251": ("russian",),
    "koi8-r": ("russian",),
    "cp866": ("russian",),
    "iso-8859-5": ("russian",),
    "windows-1253": ("greek",),
    "iso-8859-7": ("greek",),
    "cp850": ("german", "french", "spanish", "italian", "portuguese", "nordic"),
    "macintosh": ("german", "french", "spanish", "italian", "portuguese", "nordic"),
    "cp852": ("polish", "czech"),
}
"""The encodings that are tried, the likely ones first."""
LEAST, MARGIN, FEWEST = 0.7, 0.3, 3
"""The share of frequent letters, how much more that must be than of Western ones, and the number of such letters."""


def likely(words: Sequence[bytes], encoding: str) -> str | None:
    """Return the encoding that words clearly are in, other than the Western one that they are read in; else None."""
    own = _share([word.decode(encoding, "replace") for word in words], WESTERN, "")
    shares = {
        name: max(_share([word.decode(name) for word in words], *LANGUAGES[one]) for one in languages)
        for name, languages in CANDIDATES.items()
        if all(encodings.flaw(word, name) is None for word in words)
    }
    best = max(shares, key=lambda name: shares[name], default=encoding)
    is_clear = sum(byte > 127 for word in words for byte in word) >= FEWEST
    return best if is_clear and shares.get(best, 0) >= max(LEAST, own + MARGIN) else None


def _share(texts: Sequence[str], often: str, seldom: str) -> float:
    """Return the share of frequent letters among all that are not in ASCII; seldom ones are half, others none."""
    every = sum(not letter.isascii() for text in texts for letter in text)
    letters = [letter for text in texts if readings.is_word(text) for letter in text.lower()]
    return (sum(letter in often for letter in letters) + sum(letter in seldom for letter in letters) / 2) / every
