"""One version of a contract while it is compared: its plan and document in, the place and words of a change out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts import rules
from contracts.authoring.compiler.compile import Compiled
from contracts.authoring.diff import descriptive
from contracts.authoring.diff.change import Change, Direction
from contracts.authoring.diff.change_kinds import MEANINGS
from contracts.authoring.diff.conditions import Condition, Core, of_plan
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block import parse
from contracts.authoring.properties import nesting
from contracts.errors import ContractInvalid
from contracts.plan import Check, Plan
from contracts.terms.notices import Route

MOST_SHOWN = 60
OBJECT: Path = ("schema", 0)


@dataclass(frozen=True, slots=True)
class ContractVersion:
    """One version: its plan, whether or not in force, its document, who hears of it, and what a file has to meet."""

    plan: Plan
    document: Document
    in_force: bool
    routes: tuple[Route, ...] = ()
    conditions: Mapping[Core, tuple[Condition, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, compiled: Compiled) -> ContractVersion:
        """The version that was compiled; ContractInvalid, with the reason, if the document names no files."""
        if compiled.draft and compiled.document:
            routes = compiled.routes.routes if compiled.routes else ()
            is_in_force, stated = compiled.plan is not None, of_plan(compiled.draft)
            return cls(compiled.draft, compiled.document, is_in_force, routes, stated)
        first = next((f for f in compiled.findings if f.level == "error" or f.code == "matches-nothing"), None)
        reason = f"{first.file}:{first.line}: {first.message} {first.fix}" if first else f"{compiled.file} has no plan."
        raise ContractInvalid(reason)

    @property
    def status(self) -> Any:
        """The status as it is written."""
        return self.document.data.get("status")

    def places(self) -> list[nesting.PropertyNode]:
        """All properties as they are written, each before those within it."""
        sources = self.document.data["schema"][0]["properties"]
        return list(nesting.places(self.document, (*OBJECT, "properties"), sources))

    def property_path(self, name: str) -> Path:
        """Return the path of a property in the document."""
        return next((place.path for place in self.places() if place.name == name), (*OBJECT, "properties"))

    def check_path(self, check: Check) -> Path:
        """Return the path of a check in the document: a key of its property, an option, or an entry of `quality`."""
        at = self.property_path(check.property) if check.property else OBJECT
        source = self.document.value(at)
        if isinstance(source, dict):
            kind = check.kind if check.severity == "error" else f"{check.kind}.{check.severity}"
            for path in ((*at, check.kind), (*at, "logicalTypeOptions", check.kind)):
                if path in self.document.positions:
                    return path
            for n, entry in enumerate(source.get("quality") or []):
                if descriptive.entry_name(entry) in (check.id, kind):
                    return (*at, "quality", n)
            for n, entry in enumerate(source.get("relationships") or []):
                if isinstance(check.rule, rules.ForeignKey) and entry.get("id", check.id) == check.id:
                    return (*at, "relationships", n)
        return at

    def block(self, *keys: str) -> Path:
        """Return the path of a key of the `drop` block."""
        entries = self.document.data.get("customProperties") or []
        n = next(n for n, e in enumerate(entries) if parse.is_block(e))
        return ("customProperties", n, "value", *keys)

    def override(self, check: Check) -> Path | None:
        """Return the path of the entry in `drop.checks` for a check; None without one."""
        path = self.block("checks", check.id)
        return path if path in self.document.positions else None

    def change(self, kind: str, path: str, message: str, at: Path, turn: Direction | None = None) -> Change:
        """A change of a kind, as the table has it; `found` is the direction that its values have."""
        meaning = MEANINGS[kind]
        way = meaning.direction or turn or "none"
        place = self.document.place(at, on_key=True)
        return Change(kind, path, message, way, *meaning.levels(way), self.document.file, place.line, place.column)


def shown(value: Any) -> str:
    """A value of a contract in a sentence."""
    if value is None or value in ((), []):
        return "nothing"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, (tuple, list)) and not any(isinstance(v, (dict, list)) for v in value):
        return ", ".join(shown(v) for v in value)
    text = str(value) if not isinstance(value, dict) else ", ".join(map(str, value))
    return f"`{text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 3] + '...'}`" if text else "empty"


def was(name: str, before: Any, after: Any) -> str:
    """The sentence for a value that is another now."""
    return f"`{name}` is {shown(after)}, and was {shown(before)}."
