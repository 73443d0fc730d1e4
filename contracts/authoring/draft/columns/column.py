"""A column of sample files: its cells in, chunk by chunk; the count of each text and the possible types out.

Texts are counted while they are few. Once they are many, only facts about all of them are kept: their possible types,
whether each occurs once, and the counts of words for null.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.authoring.draft.columns.forms import Written
from contracts.authoring.draft.columns.kinds import Kinds
from contracts.authoring.draft.columns.spread import KeptCells, quartiles
from contracts.terms.value_form import PLAIN, ValueForm, published

FEW = 20_000
MOST_UNIQUE = 5_000_000
"""Texts that are kept to detect repetitions; beyond that uniqueness is unknown."""
WORDS = frozenset(
    (
        *("NA", "N/A", "n/a", "#N/A", "na", "null", "NULL", "Null", "None", "none", "nil"),
        *("NaN", "nan", "NAN", "\\N", "-", "--", "?", "missing", "Missing", "n.a.", "N.A.", ".."),
    )
)
"""Words that people and programs write for null, besides the empty text."""


ZEROS = re.compile(r"0{8}|0{14}|0{1,4}([-./])0{1,2}\1(?:0{4}|0{1,2})(?:[ T]0{1,2}:00(?::00)?)?")
"""Days of zeros, which programs write for none."""


@dataclass(slots=True)
class ColumnCounts:
    """The counts of a column so far. `forms` are the JSON types of its values; CSV has none.

    `form` is the form of its values, as soon as it is decided.
    """

    words: frozenset[str] = frozenset(("", *WORDS))
    counts: Counter[str] = field(default_factory=Counter)
    kinds: Kinds = field(default_factory=Kinds)
    forms: set[str] = field(default_factory=set)
    form: ValueForm = PLAIN
    once: set[str] | None = None
    kept: KeptCells = field(default_factory=KeptCells)
    few: int = FEW
    is_many: bool = False

    def add(self, texts: Sequence[str]) -> None:
        """Count more cells."""
        if not self.is_many:
            self.counts.update(texts)
            if len(self.counts) > self.few:
                self.become_many()
            return
        distinct = set(texts)
        null_words = distinct & self.words
        for word in null_words:
            self.counts[word] += texts.count(word)
        others = len(texts) - sum(texts.count(word) for word in null_words)
        self.counts[OTHERS] += others
        distinct -= null_words
        if self.once is not None:
            before = len(self.once)
            self.once |= distinct
            if len(self.once) != before + others or len(self.once) > MOST_UNIQUE:
                self.once = None
        self.kinds.fold(distinct)
        if self.may_be_numbers:
            self.kept.add(texts)

    def merge(self, other: ColumnCounts) -> None:
        """Add the counts of other cells of the column."""
        if not self.is_many and not other.is_many:
            self.counts.update(other.counts)
            if len(self.counts) > self.few:
                self.become_many()
            return
        self.become_many()
        other.become_many()
        self.counts.update(other.counts)
        self.kinds.merge(other.kinds)
        self.kept.merge(other.kept)
        if self.once is not None and other.once is not None and self.once.isdisjoint(other.once):
            self.once |= other.once
        else:
            self.once = None
        if self.once is not None and len(self.once) > MOST_UNIQUE:
            self.once = None

    def done(self) -> None:
        """Finish counting: find the possible types of texts that were only counted so far."""
        if not self.is_many:
            self.kinds.fold([text for text in self.counts if text not in self.words])

    def leave_out_zeros(self) -> tuple[str, ...]:
        """Take texts as 00000000 for null if all others are days; return them."""
        zeros = tuple(text for text in self.texts if ZEROS.fullmatch(text))
        kinds = Kinds()
        kinds.fold([text for text in self.texts if text not in zeros] if zeros else ())
        if not kinds.is_dated:
            return ()
        self.kinds, self.words = kinds, self.words.union(zeros)
        return zeros

    @property
    def is_unique(self) -> bool:
        """Return True if no kept text occurs twice, apart from the words that stand for null."""
        if self.is_many:
            return self.once is not None
        return all(count == 1 for text, count in self.counts.items() if text not in self.words)

    @property
    def read(self) -> Kinds:
        """The possible types of its texts in their form."""
        if self.form == PLAIN:
            return self.kinds
        kinds = Kinds()
        texts = ("true", "false") if self.form.true else tuple(n for n in self.written.numbers(self.form) if n)
        kinds.fold(texts)
        kinds.shortest, kinds.longest = self.kinds.shortest, self.kinds.longest
        return kinds

    @property
    def may_be_numbers(self) -> bool:
        """Return True if all texts so far are numbers in some form."""
        return self.kinds.numbers or self.written.shapes is not None

    def quartiles(self, nulls: frozenset[str]) -> tuple[str, str] | None:
        """Return the numbers below which a quarter and three quarters of its numbers are; None if it has none."""
        texts = Counter(self.kept.texts) if self.is_many else self.counts
        own = {text: count for text, count in texts.items() if text not in nulls and text != OTHERS}
        if self.form != PLAIN:
            own = {n: count for text, count in own.items() if (n := published(self.form, text, "number")) is not None}
        return quartiles(own) if own else None

    @property
    def written(self) -> Written:
        """The shapes of its texts."""
        return self.kinds.written

    @property
    def texts(self) -> tuple[str, ...]:
        """Its distinct texts but for words for null; none if they are many."""
        return () if self.is_many else tuple(text for text in self.counts if text not in self.words)

    @property
    def is_number(self) -> bool:
        """Return True if all texts are numbers as a contract writes them."""
        return self.kinds.any and (self.kinds.is_integer or self.kinds.is_number)

    @property
    def is_typed(self) -> bool:
        """Return True if all texts have a type as they are."""
        return self.kinds.any and (
            self.is_number or self.kinds.booleans or bool(self.kinds.notations or self.kinds.of_files)
        )

    def become_many(self) -> None:
        """Keep only the facts about all texts."""
        if self.is_many:
            return
        texts = {text: count for text, count in self.counts.items() if text not in self.words}
        self.once = set(texts) if max(texts.values(), default=1) == 1 else None
        self.kinds.fold(texts)
        if self.may_be_numbers:
            self.kept.add_counted(texts)
        self.counts = Counter({text: self.counts[text] for text in self.words & self.counts.keys()})
        self.counts[OTHERS] = sum(texts.values())
        self.is_many = True


OTHERS = "\0others"
"""The key under which all other texts are counted once they are many; no cell holds a NUL."""
