"""A finding: one fault or note about a contract document, with its position and a fix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]
Path = tuple[str | int, ...]


class Position(NamedTuple):
    """A position in a file, counted from 1, and the text of the plain or quoted value at it.

    A tuple, because each value and each key of a document has one: a frozen dataclass takes five times as long to make.
    """

    line: int
    column: int
    text: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A fault or a note (`code` stable, `message` for people), its position, and what to write instead."""

    file: str
    line: int
    column: int
    level: Level
    code: str
    message: str
    fix: str


def dotted(path: Path) -> str:
    """Return a path for people: `schema[0].properties[2].name`."""
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")
