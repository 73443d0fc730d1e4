"""The header against the contract: the texts of a header in, its problems out.

Texts are compared as the contract says; another one that is similar is named in the fix, never
guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping

from contracts.files import by_position, column_problems
from contracts.files.columns import OURS, alike, properties
from contracts.place import HEADER
from contracts.plan import Match, Plan, Property, column_letters
from contracts.problem import Problem, nearest, quoted, visible

MOST_COLUMNS = 2000
"""Columns of a header; nobody agrees on a wider table."""

LONGEST_HEADER = 64 * 1024
"""Bytes of a file's head that are read; the header line must end within them."""

ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТХУавеѕіјкмнорстхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧοραικν",
    "ABESIJKMHOPCTXYabesijkmhopctxyABEZHIKMNOPTYXopaikv",
)
"""Cyrillic and Greek letters, and the Latin letters that look the same."""

LONGEST_SHAPE = 80
"""Characters of a first line's shape."""

MOST_GUESSED = 100
"""Unknown columns that are compared with missing ones: each pair takes a while."""


def rejected_file(plan: Plan) -> str:
    """Return the name of the file with a drop's rejected rows: in its own format, but CSV for Parquet."""
    if plan.wrapped_by:
        return "rejected.json"
    return "rejected.jsonl" if plan.read_as == "jsonl" else "rejected.csv"


def valid_file(plan: Plan) -> str:
    """Return the name of the file with a drop's valid rows; for a table, that of the list of such files."""
    return "files.json" if plan.promote == "table" else f"valid{plan.suffix}"


def problems(plan: Plan, header: tuple[str, ...]) -> tuple[Problem, ...]:
    """Return all problems of a header, as it was sent, under the contract's `columns` policy."""
    skipped = plan.csv.skip_columns
    header, own = header[skipped:], properties(plan, header)[skipped:]
    texts = tuple(text for text in header if text not in OURS)
    if plan.columns.match == "byPosition":
        return by_position.problems(plan, texts)
    agreed = [visible(p.headings[0]) for p in plan.properties]
    owners = {text: name for text, name in zip(header, own, strict=True) if text not in OURS}
    held, spare = {own for own in owners.values() if own}, [text for text, own in owners.items() if not own]
    renamed = _renamed(plan, spare, held)
    is_foreign = held <= {owners.get(text) for text in plan.csv.lacking}
    if plan.read_as == "csv" and plan.columns.missing == "reject" and not renamed and is_foreign:
        message = f"The first line holds none of the contract's column names; it looks like `{masked(header)}`."
        fix = f"Begin the file with this header: {quoted(agreed, most=40)}."
        return (Problem("missing-header", message, fix, place=HEADER),)
    faults = [*_misnamed(plan, header, held=owners), *_claimed_twice(owners)]
    faults += _missing(plan, list(owners), held, renamed)
    # without those reported as renamed ones
    aside = set(renamed.values()) if plan.columns.missing == "reject" else ()
    faults += column_problems.unknown(plan, [text for text in spare if text not in aside and text.strip()])
    here = list(dict.fromkeys(own for own in owners.values() if own))
    if plan.columns.order != "any" and here != [p.name for p in plan.properties if p.name in held]:
        message = "The columns are not in the contract's order."
        fix = f"Write them in this order: {quoted(agreed, most=40)}."
        faults.append(Problem("column-order", message, fix))
    return tuple(faults)


def masked(names: tuple[str, ...]) -> str:
    """Return the shape of a first line, which may hold data that must not be shown: letters as x, digits as 9."""
    shape = ", ".join(re.sub(r"[^\W\d_]", "x", re.sub(r"\d", "9", name)) for name in names)
    return visible(shape, LONGEST_SHAPE)


def _nameless(plan: Plan, header: tuple[str, ...], places: list[int]) -> Problem:
    """Return the problem of columns without a name, by their places from 1; those of a sheet have letters."""
    if sheet := plan.sheet:
        letters = ", ".join(column_letters(sheet.first_column + place - 1) for place in places[:8])
        message = f"Column {letters} of the sheet has no name, and is within the agreed range {sheet.range}."
        fix = "Give every column a name in the row of the header, or leave out all cells beside the agreed columns."
        return Problem("blank-column-name", message, column_problems.asked(plan, fix, "columns.extra: ignore"))
    message = f"Column {', '.join(map(str, places[:8]))} of the header has no name."
    fix = "Give every column a name, and look for a delimiter too many at the end of the header."
    is_end = places == [len(header)] and not header[-1] and plan.read_as == "csv"
    key = "csv.trailingDelimiter: true" if is_end else "columns.extra: ignore"
    return Problem("blank-column-name", message, column_problems.asked(plan, fix, key))


def _misnamed(plan: Plan, header: tuple[str, ...], held: Mapping[str, str | None]) -> list[Problem]:
    """Return the problems of columns without a name, and of names that several columns have."""
    faults, lenient = [], plan.columns.extra == "ignore" and plan.read_as == "csv"
    empty = [] if lenient else [n for n, name in enumerate(header, 1) if not name.strip()]
    if empty:
        faults.append(_nameless(plan, header, empty))
    counts = {name: n for name, n in Counter(header).items() if n > 1 and name.strip()}
    lacking, twice = [], []
    for name, n in counts.items():
        own = held.get(name)
        if name in plan.csv.lacking:  # its cells would count twice
            message = f"The header has the name `{visible(name)}`, which it must lack (`csv.headerLacks`)."
            fix = f"Leave this name out of the header, or ask for `csv.headerLacks` to be left out of {plan.contract}."
            lacking.append(Problem("duplicate-column", message, fix, property=name))
        elif own or not lenient:
            message = f"The header names `{visible(name)}` {n} times."
            key = "columns.match: byPosition" if own else "columns.extra: ignore"
            fix = column_problems.asked(plan, f"Keep one column `{visible(name)}`.", key)
            twice.append(Problem("duplicate-column", message, fix, property=own or name))
    return faults + column_problems.shortened(lacking) + column_problems.shortened(twice)


def _claimed_twice(owners: Mapping[str, str | None]) -> list[Problem]:
    """Return the problems of properties that columns with different texts are taken for."""
    texts: dict[str, list[str]] = {}
    for text, own in owners.items():
        if own:
            texts.setdefault(own, []).append(text)
    return column_problems.shortened(
        [
            Problem(
                "duplicate-column",
                f"The columns {quoted(map(visible, several))} of the header are all taken for `{own}`.",
                "Keep one of them, or give the others names of their own.",
                property=own,
            )
            for own, several in texts.items()
            if len(several) > 1
        ]
    )


def _missing(plan: Plan, names: list[str], held: Collection[str], renamed: dict[str, str]) -> list[Problem]:
    faults, taken = [], {text for p in plan.properties for text in p.headings} | set(renamed.values())
    for nth, prop in enumerate(plan.properties):
        level = column_problems.level_of_missing(plan, prop)
        if prop.path and plan.parent(prop).name not in held:
            continue  # the problem of its parent covers it
        if prop.name in held or not level:
            continue
        other = renamed.get(prop.name)
        heading = next((text for text in prop.headings if other and like(text) == like(other)), prop.headings[0])
        if other and like(other) == like(heading) and other.casefold() != heading.casefold():
            faults.append(_disguised(plan, prop, heading, other))
            continue
        place = "file" if plan.file_format == "parquet" else "header"
        shown, instead = visible(heading), visible(other or "")
        message = f"The column `{shown}` is missing from the {place}"
        if other:
            message += f"; the header has `{instead}` instead."
            fix = f"Rename `{instead}` to `{shown}`."
            fix = _or_allowed(plan, fix, heading, other)
        else:
            in_place = [visible(name) for name in names[nth : nth + 1] if name.strip() and name not in taken]
            rename = "".join(f", or rename `{name}`, which is in its place" for name in in_place)
            message += "."
            fix = f"Add a column `{shown}` ({prop.type}){rename}."
        faults.append(Problem("missing-column", message, fix, level, property=prop.name))
    return faults


def _or_allowed(plan: Plan, fix: str, heading: str, other: str) -> str:
    """Return a fix, with the way of `match` that takes another text of the header for the contract's, if one does."""
    ways: tuple[Match, ...] = ("trimmed", "anyCase")
    way = next((way for way in ways if alike(heading, way) == alike(other, way)), None)
    return column_problems.asked(plan, fix, f"columns.match: {way}") if way and plan.read_as == "csv" else fix


def like(name: str) -> str:
    """Return a name as it looks: in one Unicode form and lower case, without outer blanks or invisible characters."""
    folded = unicodedata.normalize("NFKC", remade(name) or name).translate(ALIKE)
    visible_part = "".join(c for c in folded if unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(visible_part.split()).casefold()


def remade(name: str) -> str | None:
    """Return the intended name if a program encoded it in UTF-8 twice; None if none did."""
    for encoding in () if name.isascii() else ("cp1252", "latin-1"):
        try:
            return name.encode(encoding).decode()
        except UnicodeError:
            continue
    return None


def _disguised(plan: Plan, prop: Property, heading: str, other: str) -> Problem:
    """Return the problem of a column whose name looks like the contract's and has other characters."""
    level = column_problems.level_of_missing(plan, prop) or "warning"
    missing = f"The column `{heading}` is missing from the header;"
    if other.strip(" \t") == heading:
        message = f"{missing} the header has this name with blanks around it."
        fix = _or_allowed(plan, f"Write `{heading}` without blanks.", heading, other)
        return Problem("missing-column", message, fix, level, property=prop.name)
    if remade(other):
        message = f"{missing} the header has it as `{other}`: UTF-8 was taken for another encoding, and written again."
        fix = "Find the program that reads UTF-8 as another encoding, and write the file with it in UTF-8 once."
        return Problem("missing-column", message, fix, level, property=prop.name)
    pairs = enumerate(zip(other, heading, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(other), len(heading)))
    there, agreed = (f"U+{ord(name[at]):04X}" if at < len(name) else "none" for name in (other, heading))
    message = (
        f"{missing} a similar name has other characters: character {at + 1} is {there}, the contract has {agreed}."
    )
    fix = "Write the name with the contract's characters (Unicode form NFC), without blanks and invisible ones."
    fix = _or_allowed(plan, fix, heading, other)
    return Problem("missing-column", message, fix, level, property=prop.name)


def _renamed(plan: Plan, names: list[str], held: Collection[str]) -> dict[str, str]:
    """Return the similar column of the header for each property that the header lacks, by property."""
    spare = names[:MOST_GUESSED]
    renamed: dict[str, str] = {}
    looks = {like(name): name for name in reversed(spare)}
    for prop in (p for p in plan.properties if p.name not in held):
        likely = (looks.get(like(text)) or nearest(text, spare) for text in prop.headings)
        if close := next(filter(None, likely), None):
            looks.pop(like(close), None)
            renamed[prop.name] = close
            spare.remove(close)
    return renamed
