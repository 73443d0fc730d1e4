"""The columns of sample files: the texts of a header in, a name for the property of each column out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.files.columns import OURS


@dataclass(frozen=True, slots=True)
class Headings:
    """The texts of a header, and the names of properties for its columns, no two of which are the same."""

    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def has_twins(self) -> bool:
        """Return True if several columns have one text, so that only their places tell them apart."""
        return any(n > 1 for text, n in Counter(self.texts).items() if text.strip() and text not in OURS)

    @property
    def nameless(self) -> tuple[str, ...]:
        """The names given to columns without a text."""
        return tuple(name for text, name in zip(self.texts, self.names, strict=True) if not text.strip())

    @property
    def stated(self) -> dict[str, str]:
        """The texts that the contract must state, by property: those that are no names; all, if there are twins."""
        pairs = zip(self.names, self.texts, strict=True)
        named = {name: text for name, text in pairs if text.strip() and text not in OURS}
        return {name: text for name, text in named.items() if self.has_twins or name != text}


NO_HEADINGS = Headings()
"""The columns of files that name them otherwise than by a header."""


def of(texts: Sequence[str]) -> Headings:
    """Return the columns of a header."""
    taken = {text for text in texts if _is_name(text)}
    names: list[str] = []
    for n, text in enumerate(texts, 1):
        printable = "".join(c if c.isprintable() else " " for c in text)
        plain = text if _is_name(text) else " ".join(printable.split()) or f"column_{n}"
        name, count = plain, 1
        while name in names or (name in taken and name != text):
            count += 1
            name = f"{plain}_{count}"
        names.append(name)
    return Headings(tuple(texts), tuple(names))


def numbered(count: int) -> Headings:
    """Return the columns of a file without a header."""
    names = tuple(f"column_{n}" for n in range(1, count + 1))
    return Headings(names, names)


def _is_name(text: str) -> bool:
    return text == text.strip() != "" and text.isprintable()
