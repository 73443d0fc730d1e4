"""A contract document while it is read: plain values, the position of each, and the findings about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from contracts.authoring.document.blocks import alias_of
from contracts.authoring.document.finding import Finding, Level, Path, Position, dotted

WORDS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
"""The bare words that YAML 1.1 reads as booleans."""


@dataclass(slots=True)
class Document:
    """The values of a contract with the position of each value and key; `findings` grow while it is read.

    `raw` is the unchanged file. If the file has several schema objects, `part` names the one of this document, and
    `siblings` are the others as they are written. `alone` is True for a text of a stranger: nothing else that it names
    is read, no file of this machine above all. `alias` is the readable name that the drop block gives a free id.
    """

    file: str
    data: Any = None
    positions: dict[Path, Position] = field(default_factory=dict)
    keys: dict[Path, Position] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    raw: bytes = b""
    part: str | None = None
    siblings: tuple[dict[str, Any], ...] = ()
    alone: bool = False
    alias: str | None = None

    @property
    def id(self) -> Any:
        """The id that names files and folders: the alias, or the id as it is written."""
        alias = alias_of(self.data) if self.alias is None else self.alias
        return self.data.get("id") if alias is None else alias

    @property
    def product(self) -> str:
        """Return the name of the files' contract without its version: the id, and the object if it is a part."""
        return f"{self.id}.{self.part}" if self.part else str(self.id)

    def error(self, path: Path, code: str, message: str, fix: str, *, on_key: bool = False) -> None:
        """Add a finding that keeps the contract from being published."""
        self.findings.append(self.finding("error", path, code, message, fix, on_key=on_key))

    def warning(self, path: Path, code: str, message: str, fix: str, *, on_key: bool = False) -> None:
        """Add a finding about something that is probably a mistake."""
        self.findings.append(self.finding("warning", path, code, message, fix, on_key=on_key))

    def note(self, path: Path, code: str, message: str, fix: str, *, on_key: bool = False) -> None:
        """Add a finding that is only for information."""
        self.findings.append(self.finding("note", path, code, message, fix, on_key=on_key))

    def errors(self) -> int:
        """Return the number of findings so far that keep the contract from being published."""
        return sum(f.level == "error" for f in self.findings)

    def wrong_type(self, path: Path, expected: str, *, text: bool = False) -> None:
        """Add an error: the value at a path is not `expected`; with `text`, quotes would repair it."""
        name, position = self.name(path), self.place(path)
        quotes = f'Write "{position.text}" in quotes.'
        if word := self.word(path):
            message = f"`{name}` must be {expected}; YAML reads the bare `{word}` as true or false."
            self.error(path, "wrong-type", message, quotes if text else f"Write {expected}.")
        elif not position.text or self.value(path) is None:
            self.error(path, "wrong-type", f"`{name}` must be {expected}.", f"Write {expected} here.")
        else:
            fix = quotes if text else f"Write {expected}{'' if position.plain else ', without quotes'}."
            self.error(path, "wrong-type", f"`{name}` must be {expected}, not `{position.text:.60}`.", fix)

    def finding(self, level: Level, path: Path, code: str, message: str, fix: str, *, on_key: bool = False) -> Finding:
        """A finding about the value, or the key, at a path."""
        position = self.place(path, on_key=on_key)
        return Finding(self.file, position.line, position.column, level, code, message, fix)

    def name(self, path: Path) -> str:
        """Return a path for people, relative to its property or the drop block: `amount.quality[0].metric`."""
        if path[:1] == ("customProperties",) and path[2:3] == ("value",):
            return dotted(path[3:] or ("drop",))
        if path[:1] != ("schema",) or path[2:3] != ("properties",):
            return dotted(path)
        name = self.value((*path[:4], "name"))
        return dotted(self._within(path[:4], (name,), path[4:]) if isinstance(name, str) and name else path)

    def _within(self, owner: Path, named: Path, rest: Path) -> Path:
        """Return a path that begins with `named`; nested properties appear by name as well."""
        inner = {"items": 1, "map": 2}.get(str(rest[0]), 0) if rest else 0
        if inner:
            return self._within((*owner, *rest[:inner]), (*named, *rest[:inner]), rest[inner:])
        if rest[:1] != ("properties",) or not isinstance(name := self.value((*owner, *rest[:2], "name")), str):
            return (*named, *rest)
        return self._within((*owner, *rest[:2]), (*named, name), rest[2:])

    def value(self, path: Path) -> Any:
        """Return the value at a path; None if there is none."""
        value = self.data
        for part in path:
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return None
        return value

    def place(self, path: Path, *, on_key: bool = False) -> Position:
        """Return the position of a path in the file, or that of its nearest parent that has one."""
        for end in range(len(path), -1, -1):
            if on_key and (position := self.keys.get(path[:end])):
                return position
            if position := self.positions.get(path[:end]):
                return position
        return Position(1, 1)

    def text(self, path: Path) -> str | None:
        """Return the scalar at a path as the file writes it."""
        position = self.positions.get(path)
        return position.text if position else None

    def word(self, path: Path) -> str | None:
        """Return the unquoted yes, no, on or off at a path; None if the value is anything else."""
        position = self.positions.get(path)
        word = position.text if position and position.plain else None
        return word if word and word.casefold() in WORDS and word.casefold() not in {"true", "false"} else None
