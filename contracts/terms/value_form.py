"""The form of values in a file's cells: the text of a cell in; the text that the contract means, or none, out.

A contract publishes values in one form: numbers with a point, `true` and `false`, dates in the property's format.
Files may write them in another one. A form is read here, in plain Python, and by `spark_jobs.rules.value_forms` in the
job; texts of the contract (bounds, allowed values) are always in the published form.

A number has its parts in this order: a prefix, a sign, digits, a percent sign, a suffix. The sign may also stand first
of all or, if so agreed, behind the digits or last of all, or two brackets may stand in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from typing import Literal

from contracts import codec
from contracts.values import date_formats
from contracts.values.calendar_names import ENGLISH
from contracts.values.date_formats import DateFormats

BLANKS = (
    "\t\n\x0b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that `trim` takes away: white space as patterns and `notBlank` mean it (ECMA-262)."""
Percent = Literal["keep", "divide"]
Negative = Literal["trailing", "brackets", "typographic"]
MINUS = "\u2212"
"""The minus sign of typography."""
SHARE = "[ \u00a0\u202f]?%"
"""A percent sign, and the blank that may stand before it."""
NUMBERS = ("decimal", "group", "prefixes", "suffixes", "percent", "negatives", "decimals")
DATES = ("formats", "century", "language")
OF_TYPES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("integer", "number"), NUMBERS),
    "boolean": ("true", "false"),
    **dict.fromkeys(("date", "timestamp", "time"), DATES),
}
"""The fields of a form that mean something for the cells of single types; all others are of any type."""


@dataclass(frozen=True, slots=True)
class ValueForm:
    """The form in which cells hold values of a property.

    With `trim` blanks around a cell are no part of it. `nulls` are the cells that are null; None if they are those of
    the dialect.

    Of numbers: `decimal` is the sign before fractions, `group` the one between groups of three digits, if any.
    `prefixes` and `suffixes` may stand around a number. With `percent` it may end with a percent sign (`keep`), or has
    one and means the hundredth (`divide`). `negatives` are ways to write a negative number in addition to a minus in
    front. The last digits of a number without a decimal mark are `decimals`.

    `true` and `false` are the cells that are these values; if there are none, the words themselves in any case.

    `formats` are the notations of dates and times, with the `century` of their `yy` and the `language` of their names;
    if there are none, cells are written in the property's own format.
    """

    trim: bool = field(default=False, metadata=codec.SPARSE)
    nulls: tuple[str, ...] | None = field(default=None, metadata=codec.SPARSE)
    decimal: str = field(default=".", metadata=codec.SPARSE)
    group: str = field(default="", metadata=codec.SPARSE)
    prefixes: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    suffixes: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    percent: Percent | None = field(default=None, metadata=codec.SPARSE)
    negatives: tuple[Negative, ...] = field(default=(), metadata=codec.SPARSE)
    decimals: int | None = field(default=None, metadata=codec.SPARSE)
    true: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    false: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    formats: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    century: int | None = field(default=None, metadata=codec.SPARSE)
    language: str = field(default=ENGLISH, metadata=codec.SPARSE)

    @property
    def dates(self) -> DateFormats | None:
        """The notations of dates and times; None if cells are written in the property's own format."""
        return DateFormats(self.formats, self.century, self.language) if self.formats else None

    def cell(self, text: str) -> str:
        """Return the text of a cell without the blanks that do not belong to it."""
        return text.strip(BLANKS) if self.trim else text

    def of_type(self, kind: str) -> ValueForm:
        """Return what of the form matters for cells of a type."""
        if self == PLAIN:
            return self
        own = {"trim", "nulls", *OF_TYPES.get(kind, ())}
        form = replace(PLAIN, **{f.name: getattr(self, f.name) for f in fields(self) if f.name in own})
        if form.dates:
            return replace(form, **asdict(date_formats.of_kind(form.dates, kind) or DateFormats(())))
        if kind != "integer":
            return form
        return replace(form, decimal=".", decimals=None, percent="keep" if form.percent == "keep" else None)

    @property
    def of_values(self) -> ValueForm:
        """Return what of the form is about values, and not about cells that have none."""
        return replace(self, trim=False, nulls=None)

    @property
    def plain_numbers(self) -> bool:
        """Return True if numbers are written as the contract writes them."""
        return all(getattr(self, name) == getattr(PLAIN, name) for name in NUMBERS)

    @property
    def marks(self) -> dict[str, str]:
        """The signs within digits and before them that the contract writes otherwise, and how; empty if not at all."""
        marks = {self.decimal: "."} if self.decimal != "." else {}
        marks |= {self.group: ""} if self.group else {}
        marks |= {"(": "-"} if "brackets" in self.negatives else {}
        return marks | ({MINUS: "-"} if "typographic" in self.negatives else {})

    @property
    def shift(self) -> int:
        """The places by which the point of a number moves to the left."""
        return (self.decimals or 0) + 2 * (self.percent == "divide")

    def digits(self, kind: str, *, exponent: bool) -> str:
        """Return a pattern of digits with their marks; a group never begins with a zero, which would be a fraction."""
        mark = re.escape(self.decimal)
        whole = kind == "integer" or self.decimals is not None
        fraction = "" if whole else f"(?:{mark}[0-9]*)?"
        power = "(?:[eE][+-]?[0-9]+)?" if exponent else ""
        ways = [f"[0-9]+{fraction}{power}"] + ([] if whole else [f"{mark}[0-9]+{power}"])
        if self.group:
            ways.insert(0, f"[1-9][0-9]{{0,2}}(?:{re.escape(self.group)}[0-9]{{3}})+{fraction}")
        return "|".join(ways)


PLAIN = ValueForm()
"""The form of cells that are written as the contract writes values."""


@dataclass(frozen=True, slots=True)
class NumberPattern:
    """A regular expression, of Python and of Java, of all the text of a number.

    Its groups number `signs` and `digits` have the parts that matter; of each kind at most one takes part in a match.
    `has_more` is True if a text may have other parts, or the sign behind the digits.
    """

    text: str
    signs: tuple[int, ...]
    digits: tuple[int, ...]
    has_more: bool


@lru_cache
def number_pattern(form: ValueForm, kind: str, *, exponent: bool) -> NumberPattern:
    """Return the pattern of numbers; an `exponent` may only stand behind digits without groups.

    Each way to write a number is an alternative of its own, so that signs and brackets are never mixed.
    """
    before, after = (_maybe(texts) for texts in (form.prefixes, form.suffixes))
    share = {None: "", "keep": f"(?:{SHARE})?", "divide": SHARE}[form.percent]
    sign = f"([+{MINUS}-])" if "typographic" in form.negatives else "([+-])"
    number = f"({form.digits(kind, exponent=exponent and not form.shift)})"
    ways = [f"{sign}?{before}{number}{share}{after}"]
    ways += [f"{before}{sign}{number}{share}{after}"] if before else []
    if "trailing" in form.negatives:
        ways += [f"{before}{number}{share}{sign}{after}"]
        ways += [f"{before}{number}{share}{after}{sign}"] if after else []
    if "brackets" in form.negatives:
        ways += [rf"(\(){before}{number}{share}{after}\)"]
        ways += [rf"{before}(\(){number}{share}\){after}"] if before or after else []
    signs: list[int] = []
    digits: list[int] = []
    group = 0
    for way in ways:
        for begin in re.finditer(r"(?<!\\)\((?!\?)", way):
            group += 1
            (digits if way.startswith(number, begin.start()) else signs).append(group)
    more = bool(form.prefixes or form.suffixes or form.percent or {"trailing", "brackets"} & {*form.negatives})
    return NumberPattern("|".join(ways), tuple(signs), tuple(digits), more)


def _maybe(texts: tuple[str, ...]) -> str:
    several = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return f"(?:{several})?" if several else ""


def published(form: ValueForm, text: str, kind: str, *, exponent: bool = True) -> str | None:
    """Return a trimmed cell as the contract writes values of its type; None if it does not have the form.

    Dates and times are in ISO 8601, whatever the property's own format.

    Only numbers that are doubles may have an `exponent`.
    """
    if kind in ("integer", "number") and not form.plain_numbers:
        pattern = number_pattern(form, kind, exponent=exponent)
        match = re.fullmatch(pattern.text, text)
        if match is None:
            return None
        parts = "".join(match[n] or "" for n in (*pattern.signs, *pattern.digits))
        point = "".join(form.marks.get(mark, mark) for mark in parts)
        if not form.shift:
            return point
        padded = re.sub("^([+-]?)", rf"\g<1>{'0' * form.shift}", point)
        return re.sub(rf"([0-9]{{{form.shift}}})(?:\.([0-9]*))?$", r".\1\2", padded)
    if kind == "boolean" and form.true:
        return "true" if text in form.true else "false" if text in form.false else None
    return date_formats.iso(text, form.dates, kind) if form.dates else text


def written(form: ValueForm, text: str, kind: str, pattern: str | None = None, zone: str | None = None) -> str:
    """Return a published text as a cell of a file; of dates, `pattern` and `zone` are those of the property."""
    if form.dates:
        moment = date_formats.moment(text, kind, pattern)
        return text if moment is None else date_formats.sent(moment, form.dates, zone)
    if kind == "boolean" and form.true:
        return form.true[0] if text == "true" else form.false[0]
    if kind not in ("integer", "number") or form.plain_numbers:
        return text
    whole, _, fraction = text.partition(".")
    moved, rest = fraction[: form.shift].ljust(form.shift, "0"), fraction[form.shift :].rstrip("0")
    digits = re.sub("^([+-]?)0+(?=[0-9])", r"\1", whole + moved) + (form.decimal + rest if rest else "")
    return (digits if form.shift else text.replace(".", form.decimal)) + ("%" if form.percent == "divide" else "")


def words(form: ValueForm) -> str:
    """Return in words what of a form differs from the contract's own."""
    return "; ".join([*_words(form), *([date_formats.in_words(form.dates)] if form.dates else [])])


def _words(form: ValueForm) -> Iterator[str]:
    if form.trim:
        yield "blanks around it do not count"
    if form.nulls is not None:
        yield f"null is {_listed(form.nulls) or 'not written'}"
    if form.decimal != ".":
        yield f"“{form.decimal}” before fractions"
    if form.group:
        yield f"{_listed((form.group,))} may stand between groups of three digits"
    if form.prefixes or form.suffixes:
        yield f"{_listed((*form.prefixes, *form.suffixes))} may stand beside it"
    if form.decimals is not None:
        yield f"the last {form.decimals} digits are its decimals" if form.decimals else "no decimals"
    if form.percent:
        yield "a percent sign may end it" if form.percent == "keep" else "percent: 5% is 0.05"
    if form.true:
        yield f"{_listed(form.true)} for true, {_listed(form.false)} for false"
    if form.negatives:
        ways = {"trailing": "“5-”", "brackets": "“(5)”", "typographic": f"“{MINUS}5”"}
        yield f"negative also as {' or '.join(ways[way] for way in form.negatives)}"


def _listed(texts: tuple[str, ...]) -> str:
    shown = {"": "an empty cell", " ": "a blank", "\u00a0": "a no-break blank", "\u202f": "a narrow no-break blank"}
    return " or ".join(shown.get(text, f"“{text}”") for text in texts)
