"""Numbers and booleans of sample files that are not written as contracts write them: shapes in, the form of values out.

A shape is a text with 9 for each digit. Of each shape the least and the greatest text are kept: texts of one shape
have the order of their numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Protocol

from contracts.terms.value_form import MINUS, PLAIN, Negative, ValueForm, number_pattern, published

MOST_SHAPES = 300
BLANK = "[ \u00a0\u202f]"
CURRENCIES = (
    *("€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "US$", "R$", "Fr.", "kr", "kr.", "Kč", "zł", "Ft", "PLN", "CZK"),
    *("SEK", "NOK", "DKK", "HUF", "JPY", "BRL"),
)
UNITS = ("kg", "g", "t", "km", "m", "cm", "mm", "l", "ml", "h", "min", "s", "kWh", "MWh", "°C")
_MONEY, _UNIT = ("|".join(map(re.escape, sorted(texts, key=len, reverse=True))) for texts in (CURRENCIES, UNITS))
_SIGN = f"[+{MINUS}-]"
LIKE = re.compile(
    rf"(?P<open>\()?(?P<first>{_SIGN})?(?P<prefix>(?:{_MONEY}){BLANK}?)?(?P<inner>{_SIGN})?"
    rf"(?P<digits>9(?:[9.,'\u2019 \u00a0\u202f]*9)?[.,]?|,9+)(?P<power>[eE]{_SIGN}?9+)?"
    rf"(?P<percent>{BLANK}?%)?(?P<suffix>{BLANK}?(?:{_MONEY})|{BLANK}(?:{_UNIT}))?(?P<last>-)?(?P<close>\))?"
)
"""Shapes of numbers in any form that is looked for."""
MARKS = ((",", ""), (".", ""), *((d, g) for d, g in ((",", "."), (".", ","))))
GROUPS = ("'", "\u2019", " ", "\u00a0", "\u202f")
BOOLEANS = (
    *(("J", "N"), ("j", "n"), ("Ja", "Nein"), ("ja", "nein"), ("JA", "NEIN"), ("Y", "N"), ("y", "n"), ("Yes", "No")),
    *(("yes", "no"), ("YES", "NO"), ("WAHR", "FALSCH"), ("Oui", "Non"), ("oui", "non"), ("Sim", "Não"), ("Sí", "No")),
    *(("VRAI", "FAUX"), ("T", "F"), ("t", "f")),
)
"""Words for true and false that programs write, each pair in one spelling."""


class Column(Protocol):
    """The facts of a column that its form follows from: its distinct texts, if they are few, and what they could be."""

    @property
    def written(self) -> Written:
        """The shapes of its texts."""

    @property
    def texts(self) -> Collection[str]:
        """Its distinct texts but for words for null; none if they are many."""

    @property
    def is_typed(self) -> bool:
        """Return True if the texts have a type as they are."""

    @property
    def is_number(self) -> bool:
        """Return True if that type is a number."""


@dataclass(slots=True)
class Written:
    """The shapes of all texts of a column, with the least and the greatest text of each; None if one is no number."""

    shapes: dict[str, tuple[str, str]] | None = field(default_factory=dict)

    def fold(self, texts: Collection[str], shapes: Collection[str]) -> None:
        """Add texts, whose shapes are in the same order."""
        if self.shapes is None:
            return
        counted = self.shapes.keys()
        if not all(shape in counted or LIKE.fullmatch(shape) for shape in {*shapes}):
            self.shapes = None
            return
        for shape, text in zip(shapes, texts, strict=True):
            least, most = self.shapes.get(shape, (text, text))
            self.shapes[shape] = min(least, text), max(most, text)
        if len(self.shapes) > MOST_SHAPES:
            self.shapes = None

    def merge(self, other: Written) -> None:
        """Add the shapes of other texts."""
        if self.shapes is None or other.shapes is None:
            self.shapes = None
            return
        for shape, (low, high) in other.shapes.items():
            least, most = self.shapes.get(shape, (low, high))
            self.shapes[shape] = min(least, low), max(most, high)

    def forms(self) -> Iterator[ValueForm]:
        """Yield the forms in which all texts are numbers, the likely ones first."""
        matches = [LIKE.fullmatch(shape) for shape in self.shapes or ()]
        parts = [match.groupdict() for match in matches if match]
        if not parts:
            return
        beside = ValueForm(
            prefixes=tuple(sorted({part["prefix"] for part in parts if part["prefix"]})),
            suffixes=tuple(sorted({part["suffix"] for part in parts if part["suffix"]})),
            percent="keep" if any(part["percent"] for part in parts) else None,
            negatives=tuple(_negatives(parts)),
        )
        marks = [*MARKS, *((d, g) for g in GROUPS for d in (",", ".") if any(g in part["digits"] for part in parts))]
        for decimal, group in marks:
            form = replace(beside, decimal=decimal, group=group)
            if self.fits(form):
                yield form

    def fits(self, form: ValueForm) -> bool:
        """Return True if all texts are numbers in a form, and none may be a name: with zeros or a plus in front."""
        shapes, numbers = self.shapes or {}, list(self.numbers(form))
        if None in numbers or any(re.match("[+-]?0[0-9]", number or "") for number in numbers):
            return False
        is_whole = not any("." in (number or "") for number in numbers)
        has_plus = any(shape.startswith("+") for shape in shapes)
        is_name = is_whole and has_plus and all(Decimal(number or 0) > 0 for number in numbers)  # as a phone number
        return not is_name and not (form.group in GROUPS and is_whole and len(shapes) == 1)

    def numbers(self, form: ValueForm) -> Iterator[str | None]:
        """Yield the least and the greatest number of each shape."""
        pattern = re.compile(number_pattern(form, "number", exponent=True).text)
        for shape, texts in (self.shapes or {}).items():
            for text in texts:
                number = published(form, text, "number") if pattern.fullmatch(shape) else None
                yield number and re.sub(r"\.(?![0-9])", "", re.sub(r"(?<![0-9])\.", "0.", number.removeprefix("+")))


def _negatives(parts: Sequence[Mapping[str, str | None]]) -> Iterator[Negative]:
    """Yield the ways in which numbers of these parts are negative."""
    if any(part["last"] for part in parts):
        yield "trailing"
    if any(part["open"] for part in parts):
        yield "brackets"
    if any(MINUS in (part["first"], part["inner"]) for part in parts):
        yield "typographic"


def is_grouped_alone(shapes: Collection[str]) -> bool:
    """Return True if each point or comma of some shapes could stand between groups, and none surely does not."""
    marked = [shape for shape in shapes if re.search("[.,]", shape)]
    return bool(marked) and all(re.fullmatch(r"-?9{1,3}(?:[.,]999)+", shape) for shape in marked)


@dataclass(frozen=True, slots=True)
class Forms:
    """The marks of the numbers of a file, and the forms of columns that are numbers or booleans, by name."""

    decimal: str
    group: str
    columns: Mapping[str, ValueForm]
    unsure: Mapping[str, str]

    def keys(self) -> dict[str, Any]:
        """Return the keys of the `values` block for all columns."""
        return ({"decimalChar": self.decimal} if self.decimal != "." else {}) | (
            {"groupChar": self.group} if self.group else {}
        )

    def own_keys(self, name: str, kind: str) -> dict[str, Any]:
        """Return the keys of one column in addition."""
        form = self.columns.get(name, PLAIN)
        keys: dict[str, Any] = {}
        if form.decimal != self.decimal and (kind == "number" or form.group == self.decimal):
            keys["decimalChar"] = form.decimal
        if form.group != self.group and (form.group or (keys and self.group)):
            keys["groupChar"] = form.group
        keys |= {key: list(texts) for key in ("prefixes", "suffixes", "negatives") if (texts := getattr(form, key))}
        keys |= {"percent": form.percent} if form.percent else {}
        keys |= {"nullValues": list(form.nulls)} if form.nulls else {}
        keys |= {"trueValues": [*form.true], "falseValues": [*form.false]} if form.true else {}
        return keys or ({"decimalChar": form.decimal} if form == PLAIN and name in self.columns else {})


NO_FORMS = Forms(".", "", {}, {})
"""The forms of a file that writes values as contracts do."""


def forms_of(columns: Mapping[str, Column], delimiter: str) -> Forms:
    """Return the forms of the columns of a file."""
    decimal, group = _marks(columns.values(), delimiter)
    chosen, unsure = {}, {}
    for name, column in columns.items():
        if column.is_typed and not (column.is_number and is_grouped_alone(column.written.shapes or ())):
            continue
        forms = list(column.written.forms())
        of_file = [form for form in forms if form.decimal == decimal and form.group in ("", group)]
        form = next(iter((*of_file, *forms)), None) or words_of(column.texts) or PLAIN
        if form != PLAIN:
            chosen[name] = form
        shapes = column.written.shapes or ()
        if is_grouped_alone(shapes) and {other.decimal for other in forms} != {form.decimal}:
            mark = "," if any("," in shape for shape in shapes) else "."
            unsure[name] = f"each `{mark}` stands before three digits: it could be between groups, or before fractions"
    return Forms(decimal, group, chosen, unsure)


def _marks(columns: Iterable[Column], delimiter: str) -> tuple[str, str]:
    """Return the decimal mark and the group mark of a file: those of most columns that can have no others."""
    votes: Counter[tuple[str, str]] = Counter()
    unsure = 0
    for column in columns:
        if column.is_typed:
            continue
        forms = [form for form in column.written.forms() if form.decimal != "." or form.group]
        unsure += len({form.decimal for form in forms}) > 1 and is_grouped_alone(column.written.shapes or ())
        if len({form.decimal for form in forms}) == 1:
            group = forms[0].group
            votes[forms[0].decimal, group if any(group in shape for shape in column.written.shapes or ()) else ""] += 1
    comma = sum(n for (decimal, _), n in votes.items() if decimal == ",")
    point = sum(n for (decimal, _), n in votes.items() if decimal == ".")
    decimal = "," if comma > point or (not votes and unsure and delimiter != ",") else "."
    groups = Counter({group: n for (own, group), n in votes.items() if own == decimal and group})
    return decimal, groups.most_common(1)[0][0] if groups else ""


def words_of(texts: Collection[str]) -> ValueForm | None:
    """Return the form of a boolean whose words these are; None if they are no such pair."""
    return next((ValueForm(true=(t,), false=(f,)) for t, f in BOOLEANS if {*texts} == {t, f}), None)
