"""The input and output of an exporter: a parsed contract in; a text, the checks it carries and its losses out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.properties import nesting
from contracts.authoring.quality import library_metrics
from contracts.messages import tolerated_in_words
from contracts.plan import CONTAINERS, Check, Plan, Property
from contracts.problem import quoted, visible

HEADING = {"apiVersion", "kind", "id", "version", "status", "schema"}
"""Keys of a document that make its name, or that an exporter reads by itself."""
RULES = {"name", "logicalType", "logicalTypeOptions", "required", "unique", "primaryKey", "primaryKeyPosition", "enum"}
RULES |= {"quality", "relationships", "id", "properties", "items", "map"}
"""Keys of a property whose meaning is in the plan."""
MOST_OF_A_LOSS = 2_000
"""Characters of a line that says what a format cannot."""
WARNS = "it only warns"
OF_SOME = "it checks only some records"


@dataclass(frozen=True)
class Contract:
    """An ODCS document as of 3.2, and its plan.

    `bare` says that it has no `drop` block, so that nobody knows its files; `name` is `<id>.v<major>`.
    """

    data: dict[str, Any]
    plan: Plan
    bare: bool = False

    @property
    def name(self) -> str:
        """Return the name of the contract in keys, and of its files here."""
        return self.plan.contract

    @property
    def object(self) -> dict[str, Any]:
        """Its schema object."""
        found: dict[str, Any] = self.data["schema"][0]
        return found

    def columns(self) -> Iterator[Column]:
        """The properties of the record, each with how it is written and with its checks."""
        yield from (one for one in self.every if not one.prop.path)

    def inner(self, column: Column) -> list[Column]:
        """The properties that lie in one."""
        return [one for one in self.every if one.prop.path[:-1] == column.prop.route]

    @cached_property
    def every(self) -> tuple[Column, ...]:
        """All properties, each before those that lie in it."""
        sources = {p.route: p.source for p in nesting.places(Document(""), (), self.object["properties"])}
        checks: dict[str | None, list[Check]] = {}
        for check in self.plan.checks:
            if not check.filter:
                checks.setdefault(check.property, []).append(check)
        return tuple(Column(p, sources[p.route], tuple(checks.get(p.name, ()))) for p in self.plan.properties)

    def entry(self, check: Check) -> dict[str, Any]:
        """The quality entry that a check was made of; empty where it is no such check."""
        return self._entries.get((check.property, check.id), {})

    @cached_property
    def _entries(self) -> dict[tuple[str | None, str], dict[str, Any]]:
        owners = [(None, self.object), *((c.prop, c.source) for c in self.every)]
        return {
            (
                prop.name if prop else None,
                library_metrics.identity(entry, prop, _metric(entry), _severity(entry)),
            ): entry
            for prop, owner in owners
            for entry in owner.get("quality") or ()
        }


@dataclass(frozen=True, slots=True)
class Column:
    """A property of the plan, how the document writes it, and its checks of every record."""

    prop: Property
    source: dict[str, Any]
    checks: tuple[Check, ...]

    @property
    def name(self) -> str:
        """The name of the property, which is that of the column; of one within another, with what it lies in."""
        return self.prop.name

    @property
    def key(self) -> str:
        """Its name within what it lies in, if that is an object."""
        return self.prop.path[-1][1:] if self.prop.path else self.prop.name

    def options(self) -> dict[str, Any]:
        """Its logicalTypeOptions."""
        found: dict[str, Any] = self.source.get("logicalTypeOptions") or {}
        return found

    def check(self, kind: str) -> Check | None:
        """The row check of a kind that rejects, if there is one."""
        return next((c for c in self.checks if c.kind == kind and rejects(c)), None)

    @property
    def never_null(self) -> bool:
        """Return True if a record with a null in this column is rejected."""
        missing = [c for c in self.checks if c.kind == "missingValues" and rejects(c)]
        return bool(self.null_checks()) or any(c.arguments["null"] for c in missing)

    def null_checks(self) -> set[str]:
        """The ids of the checks by which a record with a null is rejected, and for nothing else."""
        return {c.id for c in self.checks if c.kind in ("required", "nullValues") and rejects(c)}

    @property
    def typed(self) -> bool:
        """Return True if a record with a value of another type is rejected; in CSV every cell is a text."""
        types = [c for c in self.checks if c.kind == "logicalType"]
        return all(rejects(c) for c in types)


@dataclass(frozen=True, slots=True)
class Exported:
    """A text, the ids of the checks that it carries with the same meaning, and a line for each thing it cannot say."""

    text: str
    carried: frozenset[str]
    losses: tuple[str, ...]


class Account:
    """The checks that an exporter carried over and those that it lost, while it writes."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.carried: set[str] = set()
        self.tolerated: set[str] = set()
        self.named: set[str] = set()
        self.lost: list[str] = []

    def lose(self, line: str) -> None:
        """Say what the format cannot say, on one line whatever names stand in it."""
        self.lost.append(visible(line, MOST_OF_A_LOSS))

    def unsaid(self, column: Column) -> None:
        """Say that a column holds what the contract does not name, if it does."""
        if column.prop.type in CONTAINERS and not self.contract.inner(column):
            self.lose(f"What stands in `{column.name}`: the contract does not name it.")

    def keys(self, of_document: set[str], of_object: set[str], of_property: set[str]) -> None:
        """Name the keys of a contract that have no place in the format; those given have one."""
        data = self.contract.data
        others = [k for k in data if k not in HEADING | of_document and data[k] not in (None, [], {})]
        only_ours = not self.contract.bare and len(data.get("customProperties") or ()) == 1
        if named := [k for k in others if k != "customProperties" or not only_ours]:
            self.lose(f"{quoted(named, most=20)} of the contract.")
        if not self.contract.bare:
            self.lose("The `drop` block: which files, how they are written, what is tolerated.")
        kept = {"name", "id", "properties", "quality", "relationships", "logicalType"} | of_object
        if named := [k for k in self.contract.object if k not in kept]:
            self.lose(f"{quoted(named, most=20)} of `{self.contract.object['name']}`.")
        for column in self.contract.every:
            kept = RULES | of_property | ({"physicalType"} if column.prop.exact else set())
            if named := [k for k in column.source if k not in kept]:
                self.lose(f"{quoted(named, most=20)} of `{column.name}`.")

    def checks(self, why: Callable[[Check], str]) -> None:
        """Name the checks that were not carried, and why; of those that were, the tolerances that were not."""
        plan = self.contract.plan
        if any(c.scope == "record" for c in plan.checks) and not self.contract.bare:
            self.lose("What a line must be before it is a record: well formed, text in the agreed encoding.")
        for check in plan.checks:
            unknown = check.scope == "record" or (check.kind == "knownKeys" and self.contract.bare)
            if check.id not in self.carried and not unknown:
                reason = OF_SOME if check.filter else why(check)
                self.lose(f"The check `{check.id}` ({visible(check.expected)}): {reason}.")
            elif check.tolerance and not unknown and check.id not in self.tolerated:
                self.lose(f"The tolerance of `{check.id}`: {tolerated_in_words(check.tolerance)}.")

    def done(self, text: str) -> Exported:
        """The text with the account of it."""
        return Exported(text, frozenset(self.carried), tuple(self.lost))


def rejects(check: Check) -> bool:
    """Return True if a record that fails a check is rejected."""
    return check.severity == "error" and check.scope != "set"


def only_hard(why: Callable[[Check], str]) -> Callable[[Check], str]:
    """Return a function that says why a format without warnings cannot carry a check; `why` is for rejecting checks."""
    return lambda check: WARNS if check.severity == "warning" else why(check)


def _metric(entry: dict[str, Any]) -> str:
    inner = entry.get("implementation") if entry.get("type") == "custom" else entry
    return str(inner.get("metric")) if isinstance(inner, dict) else ""


def _severity(entry: dict[str, Any]) -> Any:
    return entry.get("severity", "error")


def heading(contract: Contract) -> str:
    """Return one line that names the source of an exported text."""
    return f"From {contract.name} {contract.plan.version}, by dropgate export."


def described(contract: Contract) -> str:
    """Return the description of the object, then of the document, in a few sentences."""
    said = contract.data.get("description")
    parts = [contract.object.get("description"), *(said or {}).values()] if isinstance(said, dict) else [said]
    return "\n".join(str(part).strip() for part in parts if isinstance(part, str) and part.strip())
