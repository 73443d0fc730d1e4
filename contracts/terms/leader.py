"""Leaders, the first records of files with what they are about: the rule, a file's key and the cells in; problems out.

Pure. A leader is recognised by its first cell, and is not a record of the data. Positions of cells count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contracts.place import HEADER
from contracts.problem import Problem, visible
from contracts.terms.key_pattern import captures, tokens

PART = re.compile(r"\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::(?P<form>[^{}]*))?\}")
"""A named part of a key in the text of a cell: as it is, or a date in another form."""
MISSING, DIFFERS = "leader-missing", "leader-differs"


@dataclass(frozen=True, slots=True)
class Leader:
    """The rule of a leader: its first cell, and the texts of other cells by their position.

    The texts may hold named parts of the file's key, as `{day:%Y%m%d}`.
    """

    begins: str
    cells: dict[str, str] = field(default_factory=dict)


def missing(rule: Leader, cells: Sequence[str] | None, what: str = "a record whose first cell is") -> Problem | None:
    """Return the problem of a first record that is no leader; None for `cells` means that its quotes are broken."""
    if cells is not None and cells[:1] == (rule.begins,):
        return None
    text = f"The file does not begin with its leader, {what} `{visible(rule.begins, 40)}`."
    fix = "Write the leader as the first record, and nothing above it that is not agreed."
    return Problem(MISSING, text, fix, place=HEADER)


def differences(
    rule: Leader, patterns: Sequence[str], key: str, cells: Sequence[str], names: Sequence[str] = ()
) -> list[Problem]:
    """Return the problems of cells that are not what the rule says of a file with that key.

    `names` are those of the cells behind the first one for people, if they have others than their numbers.
    """
    problems = []
    for position, text in rule.cells.items():
        place = int(position)
        wanted = expected(text, patterns, key)
        there = cells[place - 1] if place <= len(cells) else None
        if wanted is None or there == wanted:
            continue
        shown = "is missing" if there is None else f"is `{visible(there, 40)}`"
        name = names[place - 2] if names else f"Cell {place}"
        message = f"{name} of the leader {shown}; by the contract and the file's key it is `{visible(wanted, 40)}`."
        fix = "Check that this is the file that was meant, and upload it under its own key."
        problems.append(Problem(DIFFERS, message, fix, place=HEADER))
    return problems


def expected(text: str, patterns: Sequence[str], key: str) -> str | None:
    """Return the text of a cell for a key; None if a named part is wanted, and no pattern matches the key."""
    if not PART.search(text):
        return text
    for pattern in patterns:
        if (parts := captures(pattern, key)) is not None:
            forms = {token.name: token.text for token in tokens(pattern) if token.kind == "date"}
            return PART.sub(lambda part, parts=parts, forms=forms: _written(part, parts, forms), text)  # type: ignore[misc]
    return None


def _written(part: re.Match[str], parts: dict[str, str], forms: dict[str | None, str]) -> str:
    value = parts[part["name"]]
    if part["form"] is None:
        return value
    return datetime.strptime(value, forms[part["name"]]).strftime(part["form"])  # noqa: DTZ007 (a date of no zone)
