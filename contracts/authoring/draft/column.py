"""A column of sample files: its cells in, chunk by chunk; how often each text stands in it, what it could be, out.

Texts are counted while they are few. Once they are many, only what is asked of all of them is kept: what they could
be, whether each stands once, and how often words for nothing stand among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.authoring.draft.kinds import Kinds

FEW = 20_000
MOST_UNIQUE = 5_000_000
"""Texts that are kept to see whether one stands twice; of more nothing is said."""
WORDS = frozenset(
    (
        *("NA", "N/A", "n/a", "#N/A", "na", "null", "NULL", "Null", "None", "none", "nil"),
        *("NaN", "nan", "NAN", "\\N", "-", "--", "?"),
    )
)
"""What people and programs write for nothing, beside nothing."""


@dataclass(slots=True)
class Column:
    """The counts of a column so far. `forms` are the JSON types of its values; CSV has none."""

    words: frozenset[str] = frozenset(("", *WORDS))
    counts: Counter[str] = field(default_factory=Counter)
    kinds: Kinds = field(default_factory=Kinds)
    forms: set[str] = field(default_factory=set)
    once: set[str] | None = None
    few: int = FEW
    is_many: bool = False

    def add(self, texts: Sequence[str]) -> None:
        """Take in more cells."""
        if not self.is_many:
            self.counts.update(texts)
            if len(self.counts) > self.few:
                self.become_many()
            return
        distinct = set(texts)
        found = distinct & self.words
        for word in found:
            self.counts[word] += texts.count(word)
        self.counts[OTHERS] += len(texts) - sum(texts.count(word) for word in found)
        distinct -= found
        self._keep_unique(distinct, texts, found)
        self.kinds.fold(distinct)

    def merge(self, other: Column) -> None:
        """Take in what was seen of other cells of the column."""
        if not self.is_many and not other.is_many:
            self.counts.update(other.counts)
            if len(self.counts) > self.few:
                self.become_many()
            return
        self.become_many()
        other.become_many()
        self.counts.update(other.counts)
        self.kinds.merge(other.kinds)
        if self.once is not None and other.once is not None and self.once.isdisjoint(other.once):
            self.once |= other.once
        else:
            self.once = None
        if self.once is not None and len(self.once) > MOST_UNIQUE:
            self.once = None

    def done(self) -> None:
        """There are no more cells: look at what was only counted so far."""
        if not self.is_many:
            self.kinds.fold([text for text in self.counts if text not in self.words])

    @property
    def is_unique(self) -> bool:
        """Return True if no kept text occurs twice, apart from the words that stand for null."""
        if self.is_many:
            return self.once is not None
        return all(count == 1 for text, count in self.counts.items() if text not in self.words)

    def become_many(self) -> None:
        """Keep of the texts only what is asked of all of them."""
        if self.is_many:
            return
        texts = {text: count for text, count in self.counts.items() if text not in self.words}
        self.once = set(texts) if max(texts.values(), default=1) == 1 else None
        self.kinds.fold(texts)
        self.counts = Counter({text: self.counts[text] for text in self.words & self.counts.keys()})
        self.counts[OTHERS] = sum(texts.values())
        self.is_many = True

    def _keep_unique(self, distinct: set[str], texts: Sequence[str], found: set[str]) -> None:
        if self.once is None:
            return
        before, more = len(self.once), len(texts) - sum(texts.count(word) for word in found)
        self.once |= distinct
        if len(self.once) != before + more or len(self.once) > MOST_UNIQUE:
            self.once = None


OTHERS = "\0others"
"""Under which all other texts are counted, once they are many; no cell holds a NUL."""
