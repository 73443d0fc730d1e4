"""The input and output of an exporter: a parsed contract in; a text, the checks in it and its losses out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.exports.rules_in_words import form_in_words
from contracts.authoring.properties import nesting
from contracts.authoring.quality import library_metrics
from contracts.messages import tolerated_in_words
from contracts.plan import CONTAINERS, Check, Plan, Property
from contracts.problem import quoted, visible
from contracts.terms.notices import ContractRoutes

METADATA = {"apiVersion", "kind", "id", "version", "status", "schema"}
"""Keys of a document that make its name, or that every exporter reads."""
IN_PLAN = {"name", "logicalType", "logicalTypeOptions", "required", "unique", "primaryKey", "primaryKeyPosition"}
IN_PLAN |= {"enum", "quality", "relationships", "id", "properties", "items", "map"}
"""Keys of a property whose meaning is in the plan."""
MOST_OF_A_LOSS = 2_000
"""Characters of a line about a loss."""
WARNS = "it only warns"
OF_SOME = "it checks only some records"

R = TypeVar("R", bound=rules.Rule)


@dataclass(frozen=True)
class Contract:
    """An ODCS 3.2 document, and its plan.

    A `bare` contract has no `drop` block, so its files are unknown; `name` is `<id>.v<major>`. `routes` name who hears
    of it, and whom to ask.
    """

    data: dict[str, Any]
    plan: Plan
    bare: bool = False
    routes: ContractRoutes | None = None

    @property
    def name(self) -> str:
        """Return the name of the contract in keys, and of its files here."""
        return self.plan.contract

    @property
    def object(self) -> dict[str, Any]:
        """Return the schema object."""
        schema_object: dict[str, Any] = self.data["schema"][0]
        return schema_object

    def columns(self) -> Iterator[ExportedColumn]:
        """Yield the properties of the record, each with its source and checks."""
        yield from (column for column in self.every if not column.prop.path)

    def inner(self, column: ExportedColumn) -> list[ExportedColumn]:
        """Return the properties directly within one."""
        return [inner for inner in self.every if inner.prop.path[:-1] == column.prop.route]

    @cached_property
    def every(self) -> tuple[ExportedColumn, ...]:
        """Return all properties, each before those within it."""
        sources = {p.route: p.source for p in nesting.places(Document(""), (), self.object["properties"])}
        checks: dict[str | None, list[Check]] = {}
        for check in self.plan.checks:
            if not check.filter:
                checks.setdefault(check.property, []).append(check)
        return tuple(ExportedColumn(p, sources[p.route], tuple(checks.get(p.name, ()))) for p in self.plan.properties)

    def entry(self, check: Check) -> dict[str, Any]:
        """Return the quality entry of a check; empty if it has none."""
        return self._entries.get((check.property, check.id), {})

    @cached_property
    def _entries(self) -> dict[tuple[str | None, str], dict[str, Any]]:
        entries = {}
        for prop, owner in [(None, self.object), *((c.prop, c.source) for c in self.every)]:
            for entry in owner.get("quality") or ():
                inner = entry.get("implementation") if entry.get("type") == "custom" else entry
                metric = str(inner.get("metric")) if isinstance(inner, dict) else ""
                identity = library_metrics.identity(entry, prop, metric, entry.get("severity", "error"))
                entries[prop.name if prop else None, identity] = entry
        return entries


@dataclass(frozen=True, slots=True)
class ExportedColumn:
    """A property of the plan, its source in the document, and its checks of every record."""

    prop: Property
    source: dict[str, Any]
    checks: tuple[Check, ...]

    @property
    def name(self) -> str:
        """Return the name of the property; a nested one includes the names of its parents."""
        return self.prop.name

    @property
    def key(self) -> str:
        """Return its name within the object that holds it."""
        return self.prop.path[-1][1:] if self.prop.path else self.prop.name

    def options(self) -> dict[str, Any]:
        """Return its `logicalTypeOptions`."""
        options: dict[str, Any] = self.source.get("logicalTypeOptions") or {}
        return options

    def check(self, kind: type[R]) -> tuple[Check, R] | None:
        """Return the rejecting row check with a rule of a kind, and the rule; None if there is none."""
        return next(((c, c.rule) for c in self.checks if isinstance(c.rule, kind) and rejects(c)), None)

    def rule(self, kind: type[R]) -> R | None:
        """Return the rule of a kind by which records are rejected; None if there is none."""
        hard = self.check(kind)
        return hard[1] if hard else None

    def limits(self, kind: type[rules.Count]) -> list[int]:
        """Return the limits of all checks with a rule of a kind, including those that only warn."""
        return [c.rule.value for c in self.checks if isinstance(c.rule, kind)]

    @property
    def never_null(self) -> bool:
        """Return True if a record with a null in this column is rejected."""
        return any(rejects(c) and rules.forbids_null(c.rule) for c in self.checks)

    def null_checks(self) -> set[str]:
        """Return the ids of the checks that reject records with a null, and only these records."""
        return {c.id for c in self.checks if isinstance(c.rule, rules.ForbidsNull) and rejects(c)}

    @property
    def typed(self) -> bool:
        """Return True if a record with a value of another type is rejected; in CSV every cell is a text."""
        return all(rejects(c) for c in self.checks if isinstance(c.rule, rules.LogicalType))


@dataclass(frozen=True, slots=True)
class Exported:
    """A text, the ids of the checks that it has with the same meaning, and a line for each loss."""

    text: str
    carried: frozenset[str]
    losses: tuple[str, ...]


class Account:
    """The checks that an exporter exported and lost so far."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.carried: set[str] = set()
        self.tolerated: set[str] = set()
        self.named: set[str] = set()
        self.lost: list[str] = []

    def lose(self, line: str) -> None:
        """Add a loss, as one line even if the names in it have line ends."""
        self.lost.append(visible(line, MOST_OF_A_LOSS))

    def carry(self, column: ExportedColumn, kind: type[rules.Rule]) -> None:
        """Count the rejecting check of a column with a rule of a kind as carried, if there is one."""
        if hard := column.check(kind):
            self.carried.add(hard[0].id)

    def undefined_content(self, column: ExportedColumn) -> None:
        """Add a loss if the contract does not define the content of a column."""
        if column.prop.type in CONTAINERS and not self.contract.inner(column):
            self.lose(f"The content of `{column.name}`: the contract does not define it.")

    def keys(self, of_document: set[str], of_object: set[str], of_property: set[str]) -> None:
        """Add a loss for the keys of a contract that the format lacks; the given keys have a place in it."""
        data = self.contract.data
        others = [k for k in data if k not in METADATA | of_document and data[k] not in (None, [], {})]
        only_ours = not self.contract.bare and len(data.get("customProperties") or ()) == 1
        if named := [k for k in others if k != "customProperties" or not only_ours]:
            self.lose(f"{quoted(named, most=20)} of the contract.")
        if not self.contract.bare:
            self.lose("The `drop` block: the files, their format and the tolerances.")
            if self.contract.plan.columns.match != "exact" or any(
                p.header_names for p in self.contract.plan.properties
            ):
                what = "names of values" if self.contract.plan.read_as == "jsonl" else "header"
                self.lose(f"The {what} of files: columns have the contract's names here, and other texts in files.")
            if xml := self.contract.plan.xml:
                self.lose(f"The way from XML to records: elements at `{visible(xml.record)}`, by their namespaces.")
            if self.contract.plan.fixed:
                self.lose("The layout of lines: the positions of fields, and what fills them up.")
            if formed := [p.name for p in self.contract.plan.properties if p.form]:
                self.lose(f"The form of {quoted(formed)} in files: values are in the contract's own form here.")
        kept = {"name", "id", "properties", "quality", "relationships", "logicalType"} | of_object
        if named := [k for k in self.contract.object if k not in kept]:
            self.lose(f"{quoted(named, most=20)} of `{self.contract.object['name']}`.")
        for column in self.contract.every:
            kept = IN_PLAN | of_property | ({"physicalType"} if column.prop.exact else set())
            if named := [k for k in column.source if k not in kept]:
                self.lose(f"{quoted(named, most=20)} of `{column.name}`.")

    def checks(self, why: Callable[[Check], str]) -> None:
        """Add a loss for each check that was not carried, with the reason, and for each lost tolerance."""
        plan = self.contract.plan
        if any(c.scope == "record" for c in plan.checks) and not self.contract.bare:
            self.lose("The form of lines: well-formed records, text in the agreed encoding.")
        if not self.contract.bare:
            for prop in plan.properties:
                if prop.form:
                    self.lose(f"The form of `{prop.name}` in files: {visible(form_in_words(plan, prop))}.")
        for check in plan.checks:
            unknown = check.scope == "record" or (isinstance(check.rule, rules.KnownKeys) and self.contract.bare)
            if check.id not in self.carried and not unknown:
                reason = OF_SOME if check.filter else why(check)
                self.lose(f"The check `{check.id}` ({visible(check.expected)}): {reason}.")
            elif check.tolerance and not unknown and check.id not in self.tolerated:
                self.lose(f"The tolerance of `{check.id}`: {tolerated_in_words(check.tolerance)}.")

    def lose_notation(self) -> None:
        """Add losses of the text notation of dates and times, for a format with values of its own."""
        for prop in self.contract.plan.properties:
            if prop.format:
                self.lose(f"The format of `{prop.name}` (`{prop.format}`).")
            if prop.zone:
                self.lose(f"The zone of `{prop.name}` ({prop.zone}).")

    def comment(self) -> list[str]:
        """Return the lines of a comment above the text: its source and its losses."""
        losses = ["Not exported:", *(f"  {line}" for line in self.lost)] if self.lost else []
        return [source_line(self.contract), *losses]

    def notes(self) -> str:
        """Return a text for a format with one field of notes: the description, the source and the losses."""
        about = described(self.contract)
        return "\n".join([*([about] if about else []), source_line(self.contract), "Not exported:", *self.lost])

    def done(self, text: str) -> Exported:
        """Return the text with its carried checks and losses."""
        return Exported(text, frozenset(self.carried), tuple(self.lost))


def rejects(check: Check) -> bool:
    """Return True if a record that fails a check is rejected."""
    return check.severity == "error" and check.scope != "set"


def only_hard(why: Callable[[Check], str]) -> Callable[[Check], str]:
    """Return a function that gives the reason for a lost check; `why` is only for checks that reject."""
    return lambda check: WARNS if check.severity == "warning" else why(check)


def source_line(contract: Contract) -> str:
    """Return one line that names the source of an exported text."""
    return f"From {contract.name} {contract.plan.version}, by dropgate export."


def described(contract: Contract) -> str:
    """Return the description of the object, then of the document, in a few sentences."""
    parts = (contract.object.get("description"), *(contract.data.get("description") or {}).values())
    return "\n".join(str(part).strip() for part in parts if isinstance(part, str) and part.strip())
