"""Dates and times of sample files in notations that the standard's formats lack: texts in, those that fit all out.

A notation is tried on the shapes of texts first, with 9 for each digit, which are few.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from contracts.values.calendar_names import LANGUAGES, LISTS, spellings
from contracts.values.date_formats import DateFormats, iso, kinds, needs, pieces

CENTURY = 1950
"""The century that is proposed for years of two digits."""
NUMERIC = tuple(
    f"{first}{between}{second}{between}{year}"
    for year in ("yyyy", "yy")
    for between in ("/", ".", "-")
    for first, second in (("d", "M"), ("M", "d"))
)
"""Day before month if a column could be either."""
CLOCKS = ("H:mm", "H:mm:ss", "h:mm a", "h:mm:ss a")
WORDED = (
    *("d-MMM-yyyy", "d-MMM-yy", "d/MMM/yyyy", "d MMM yyyy", "d. MMM yyyy", "MMM d, yyyy", "yyyy. MMM d."),
    *("d MMMM yyyy", "d. MMMM yyyy", "MMMM d, yyyy", "d 'de' MMMM 'de' yyyy", "yyyy. MMMM d."),
)
"""Days with the name of their month."""
OF_WEEK = (
    *(f"{name}{between}{day}" for name in ("EEE", "EEEE") for between in (", ", " ") for day in WORDED[3:6]),
    *(f"EEEE{between}{day}" for between in (", ", " ") for day in WORDED[7:11]),
    *(f"EEE{between}{day}" for between in (", ", " ") for day in ("d.M.yyyy", "d/M/yyyy", "M/d/yyyy", "yyyy-MM-dd")),
)
"""Days with the name of their day of the week."""
NAMED = (
    *WORDED,
    *OF_WEEK,
    *(f"{day} {clock}" for day in (*WORDED[:6], "MMMM d, yyyy") for clock in CLOCKS),
    *("EEE, d MMM yyyy H:mm:ss", "EEE, d MMM yyyy H:mm:ss X", "EEE, d MMM yyyy H:mm:ss 'GMT'"),
    *("EEE MMM d H:mm:ss yyyy", "d/MMM/yyyy:H:mm:ss X"),
)
PATTERNS = (*NUMERIC, "yyyy/M/d", *CLOCKS, *(f"{day} {clock}" for day in NUMERIC for clock in CLOCKS))
CANDIDATES = (
    *(DateFormats((pattern,), CENTURY if "century" in needs(pattern) else None) for pattern in PATTERNS),
    *(
        DateFormats((pattern,), CENTURY if "century" in needs(pattern) else None, language)
        for language in LANGUAGES
        for pattern in NAMED
    ),
)
"""The notations that are looked for, the likely ones first."""
LONGEST = 40
WORD = re.compile(r"[^\W\d_]+(?:-feira)?")
NUMBERS = {"year": "9999", "short year": "99", "minute": "99", "second": "99", "offset": "(?:Z|[+-]99(?:99)?)"}


def fitting(
    candidates: tuple[DateFormats, ...], shapes: Collection[str], texts: Collection[str]
) -> tuple[DateFormats, ...]:
    """Return those notations of which all texts are dates or times."""
    if any(len(shape) > LONGEST or "9" not in shape for shape in shapes):
        return ()
    return tuple(
        dates
        for dates in candidates
        if all(_shape(dates.formats[0], dates.language).fullmatch(shape) for shape in shapes)
        and all(_is_read(text, dates) for text in texts)
    )


def of_words(candidates: tuple[DateFormats, ...], shapes: Collection[str]) -> tuple[DateFormats, ...]:
    """Return those candidates, of all that there are, that have names of languages in which all shapes have some."""
    if candidates is not CANDIDATES:
        return candidates
    return _of_languages(frozenset(LANGUAGES).intersection(*map(_languages, shapes)))


@lru_cache
def _of_languages(languages: frozenset[str]) -> tuple[DateFormats, ...]:
    """Return the candidates with names of some languages, and those without names."""
    return tuple(dates for dates in CANDIDATES if dates.formats[0] in PATTERNS or dates.language in languages)


@lru_cache(maxsize=1 << 12)
def _languages(shape: str) -> frozenset[str]:
    """Return the languages in which a shape has a name of a month or a day."""
    words = WORD.findall(shape)
    return frozenset(one for one in LANGUAGES if any(word in names for names in _names(one) for word in words))


@lru_cache
def _names(language: str) -> tuple[dict[str, int], ...]:
    return tuple(spellings(letters, language) for letters in LISTS)


@lru_cache(maxsize=1 << 17)
def _is_read(text: str, dates: DateFormats) -> bool:
    return iso(text, dates, kinds(dates.formats[0])[0]) is not None


@lru_cache(maxsize=4096)
def _shape(pattern: str, language: str) -> re.Pattern[str]:
    """Return the pattern of the shapes of a notation's texts."""
    parts = (
        part.regex
        if part.unit is None or part.numbers or part.unit == "half"
        else NUMBERS.get(part.unit) or "9" * len(part.written) + ("9?" if len(part.written) == 1 else "")
        for part in pieces(pattern, language)
    )
    return re.compile("".join(f"(?:{part})" for part in parts))


COUNTED: tuple[tuple[range, frozenset[str], str], ...] = (
    (
        range(946_684_800, 2_208_988_800),
        frozenset(),
        "seconds since 1970: a `timestamp` with `formats: [epochSeconds]`",
    ),
    (
        range(946_684_800_000, 2_208_988_800_000),
        frozenset(),
        "milliseconds since 1970: a `timestamp` with `formats: [epochMilliseconds]`",
    ),
    (
        range(20_000, 80_000),
        frozenset(("date", "datum", "day", "tag", "fecha", "data", "dato", "serial")),
        "days of a spreadsheet: a `date` with `formats: [excelDays]`",
    ),
)
"""Integers that could be moments: from 2000 to 2039, or by the name of their column as well."""


def count_in_words(least: int, most: int, words: Collection[str]) -> str | None:
    """Return the moments that integers between two could be; None if nothing hints at any."""
    return next(
        (
            meaning
            for numbers, names, meaning in COUNTED
            if least in numbers and most in numbers and (not names or names & {*words})
        ),
        None,
    )


def ways(fitting_all: tuple[DateFormats, ...]) -> tuple[DateFormats, tuple[str, ...]]:
    """Return the notation to propose, and the others of the same type that fit as well."""
    best, *rest = fitting_all
    same = (dates.formats[0] for dates in rest if kinds(dates.formats[0]) == kinds(best.formats[0]))
    return best, tuple(dict.fromkeys(pattern for pattern in same if pattern != best.formats[0]))


def languages(fitting_all: tuple[DateFormats, ...]) -> tuple[str, ...]:
    """Return the other languages in which the names of the proposed notation are names as well."""
    best, *rest = fitting_all
    return tuple(dates.language for dates in rest if dates.formats == best.formats)
