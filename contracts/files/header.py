"""The header against the contract: column names in, the position of each property and the problems out.

Names are compared exactly; a name that differs by case or a letter is named in the fix, never guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace

from contracts.place import HEADER
from contracts.plan import Plan, Property
from contracts.problem import Level, Problem, nearest, quoted, visible

OURS = ("_record", "_reasons")
"""The last columns of a file of rejected rows; they are ignored in a corrected file."""

MOST_COLUMNS = 2000
"""Columns of a header; nobody agrees on a wider table."""

LONGEST_HEADER = 64 * 1024
"""Bytes of a file's head that are read; the header line must end within them."""

ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТХУавеѕіјкмнорстхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧοραικν",
    "ABESIJKMHOPCTXYabesijkmhopctxyABEZHIKMNOPTYXopaikv",
)
"""Cyrillic and Greek letters, and the Latin letters that look the same."""

MOST_NAMED = 20
"""Columns named for one fault."""

LONGEST_SHAPE = 80
"""Characters of a first line's shape."""

MOST_GUESSED = 100
"""Unknown columns that are compared with missing ones: each pair takes a while."""


def rejected_file(plan: Plan) -> str:
    """Return the name of the file with a drop's rejected rows: in its own format, but CSV for Parquet."""
    return "rejected.jsonl" if plan.file_format == "jsonl" else "rejected.csv"


def valid_file(plan: Plan) -> str:
    """Return the name of the file with a drop's valid rows; for a table, that of the list of such files."""
    return "files.json" if plan.promote == "table" else f"valid{plan.suffix}"


def positions(header: tuple[str, ...]) -> dict[str, int]:
    """Return the position of each column in a record, from 0, without the trailing columns that dropgate adds."""
    return {name: n for n, name in enumerate(header) if name not in OURS}


def missing(plan: Plan, header: tuple[str, ...]) -> tuple[str, ...]:
    """Return the contract's properties that the header lacks, in the contract's order."""
    held = set(header)
    return tuple(p.name for p in plan.properties if p.name not in held)


def problems(plan: Plan, header: tuple[str, ...]) -> tuple[Problem, ...]:
    """Return all problems of a header under the contract's `columns` policy."""
    agreed = [p.name for p in plan.properties]
    names = list(positions(header))
    renamed = _renamed(names, agreed)
    if plan.file_format == "csv" and plan.columns.missing == "reject" and not renamed and not set(names) & set(agreed):
        message = f"The first line holds none of the contract's column names; it looks like `{masked(header)}`."
        fix = f"Begin the file with this header: {quoted(agreed, most=40)}."
        return (Problem("missing-header", message, fix, place=HEADER),)
    faults = [*_misnamed(header), *_missing(plan, names, renamed)]
    if plan.columns.extra != "ignore":  # without those reported as renamed ones
        aside = {*agreed, *(renamed.values() if plan.columns.missing == "reject" else ())}
        level: Level = "error" if plan.columns.extra == "reject" else "warning"
        fix = f"Leave the column out, or ask for it to be added to {plan.contract}."
        extra = [name for name in names if name not in aside and name.strip()]
        faults += _shortened(
            [Problem("extra-column", f"The contract has no column `{n}`.", fix, level, property=n) for n in extra]
        )
    wanted, held = set(agreed), set(names)
    if plan.columns.order != "any" and [n for n in names if n in wanted] != [k for k in agreed if k in held]:
        message = "The columns are not in the contract's order."
        fix = f"Write them in this order: {quoted(agreed, most=40)}."
        faults.append(Problem("column-order", message, fix))
    return tuple(faults)


def masked(names: tuple[str, ...]) -> str:
    """Return the shape of a first line, which may hold data that must not be shown: letters as x, digits as 9."""
    shape = ", ".join(re.sub(r"[^\W\d_]", "x", re.sub(r"\d", "9", name)) for name in names)
    return visible(shape, LONGEST_SHAPE)


def _misnamed(header: tuple[str, ...]) -> list[Problem]:
    """Return the problems of columns without a name, and of names that several columns have."""
    faults = []
    if empty := [n for n, name in enumerate(header, 1) if not name.strip()]:
        message = f"Column {', '.join(map(str, empty[:8]))} of the header has no name."
        fix = "Give every column a name, and look for a delimiter too many at the end of the header."
        faults.append(Problem("blank-column-name", message, fix))
    twice = {name: n for name, n in Counter(header).items() if n > 1 and name.strip()}
    return faults + _shortened(
        [
            Problem(
                "duplicate-column", f"The header names `{name}` {n} times.", f"Keep one column `{name}`.", property=name
            )
            for name, n in twice.items()
        ]
    )


def _missing(plan: Plan, names: list[str], renamed: dict[str, str]) -> list[Problem]:
    faults, held = [], set(names)
    taken = {p.name for p in plan.properties} | set(renamed.values())
    for nth, prop in enumerate(plan.properties):
        if prop.path and plan.parent(prop).name not in held:
            continue  # the problem of its parent covers it
        if prop.name in held or (plan.columns.missing == "ignore" and not prop.required):
            continue
        other = renamed.get(prop.name)
        if other and like(other) == like(prop.name) and other.casefold() != prop.name.casefold():
            faults.append(_disguised(plan, prop, other))
            continue
        level: Level = "error" if plan.columns.missing == "reject" or prop.required else "warning"
        place = "file" if plan.file_format == "parquet" else "header"
        message = f"The column `{prop.name}` is missing from the {place}"
        if other:
            message += f"; the header has `{other}` instead."
            fix = f"Rename `{other}` to `{prop.name}`."
        else:
            in_place = [name for name in names[nth : nth + 1] if name.strip() and name not in taken]
            rename = "".join(f", or rename `{name}`, which is in its place" for name in in_place)
            message += "."
            fix = f"Add a column `{prop.name}` ({prop.type}){rename}."
        faults.append(Problem("missing-column", message, fix, level, property=prop.name))
    return faults


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


def _disguised(plan: Plan, prop: Property, other: str) -> Problem:
    """Return the problem of a column whose name looks like the contract's and has other characters."""
    level: Level = "error" if plan.columns.missing == "reject" or prop.required else "warning"
    missing = f"The column `{prop.name}` is missing from the header;"
    if other.strip(" \t") == prop.name:
        message = f"{missing} the header has this name with blanks around it."
        return Problem("missing-column", message, f"Write `{prop.name}` without blanks.", level, property=prop.name)
    if remade(other):
        message = f"{missing} the header has it as `{other}`: UTF-8 was taken for another encoding, and written again."
        fix = "Find the program that reads UTF-8 as another encoding, and write the file with it in UTF-8 once."
        return Problem("missing-column", message, fix, level, property=prop.name)
    pairs = enumerate(zip(other, prop.name, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(other), len(prop.name)))
    there, agreed = (f"U+{ord(name[at]):04X}" if at < len(name) else "none" for name in (other, prop.name))
    message = (
        f"{missing} a similar name has other characters: character {at + 1} is {there}, the contract has {agreed}."
    )
    fix = "Write the name with the contract's characters (Unicode form NFC), without blanks and invisible ones."
    return Problem("missing-column", message, fix, level, property=prop.name)


def _shortened(many: list[Problem]) -> list[Problem]:
    """Return the first of many problems of one kind; the last of them states how many more there are."""
    if len(many) <= MOST_NAMED:
        return many
    last = many[MOST_NAMED - 1]
    more = f"{last.message} The same holds for {len(many) - MOST_NAMED:,} more columns."
    return [*many[: MOST_NAMED - 1], replace(last, message=more)]


def _renamed(names: list[str], agreed: list[str]) -> dict[str, str]:
    """Return the similar column of the header for each property that the header lacks, by property."""
    wanted, held = set(agreed), set(names)
    spare = [n for n in names if n not in wanted][:MOST_GUESSED]
    renamed: dict[str, str] = {}
    looks = {like(name): name for name in reversed(spare)}
    for name in (k for k in agreed if k not in held):
        if close := looks.get(like(name)) or nearest(name, spare):
            looks.pop(like(close), None)
            renamed[name] = close
            spare.remove(close)
    return renamed
