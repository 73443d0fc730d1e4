"""One contract file to its plan: an ODCS document in; findings, and a plan if none of them is an error, out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File

from contracts.authoring.compiler import checks, impossible, schema_objects
from contracts.authoring.document import json_schema, metadata, sla, source, untyped, variables, versions
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Path
from contracts.authoring.document.upgrade import CURRENT, upgrade
from contracts.authoring.drop_block import (
    around,
    file_sets,
    header_names,
    notices,
    parse,
    promises,
    servers,
    table,
    trailer,
    values,
)
from contracts.authoring.drop_block.block import DropBlock
from contracts.authoring.drop_block.forms import fixed
from contracts.authoring.quality import relationships
from contracts.errors import ContractInvalid
from contracts.plan import Check, Plan, Property
from contracts.terms.notices import ContractRoutes, Route
from contracts.terms.promises import Promise

NONE: Mapping[str, str] = {}
LACKING = re.compile(r"no (?:property|column) `([^`]*)`")
"""The name of a property that a finding misses."""
OF_THEIR_OWN = {"properties", "quality", "relationships"}
"""The lists whose entries can be read without each other."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a contract file; `plan` is None if a finding is an error or the contract names no files.

    `places` has the place of each pattern of the plan, for findings about two contracts. `draft` is the plan of a
    contract of any status, `routes` says who hears of it, and `document` is its source: versions are compared by them.
    """

    file: str
    plan: Plan | None
    findings: tuple[Finding, ...]
    places: tuple[Finding, ...] = ()
    draft: Plan | None = field(default=None, compare=False, repr=False)
    document: Document | None = field(default=None, compare=False, repr=False)
    routes: ContractRoutes | None = None

    @property
    def failed(self) -> bool:
        """Return True if an error keeps the contract from being published."""
        return any(f.level == "error" for f in self.findings)


def compile_file(path: File, values: Mapping[str, str] = NONE) -> tuple[Compiled, ...]:
    """Compile the contracts in a file, one for each schema object; a file that cannot be read is a finding.

    `values` are those of its variables.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        document = Document(str(path))
        message = f"The file cannot be read: {error.strerror}."
        document.error((), "unreadable", message, "Look at its name and rights.")
        return (_done(document),)
    return compile_each(raw, str(path), values=values)


def load(path: File) -> tuple[tuple[Plan, Compiled], ...]:
    """The plans of a contract file, drafts too, each with what else was compiled of its contract.

    Raise ContractInvalid, with the first error or the reason, if it has none.
    """
    compiled = compile_file(path)
    findings = [f for one in compiled for f in one.findings]
    pairs = tuple((one.draft, one) for one in compiled if one.draft)
    if pairs and not any(one.failed for one in compiled):
        return pairs
    first = next((f for f in findings if f.level == "error"), findings[0])
    raise ContractInvalid(f"{first.file}:{first.line}: {first.message} {first.fix}")


def load_single(path: File) -> tuple[Plan, Compiled]:
    """The same of a contract file with one schema object; ContractInvalid if it has none, or several."""
    pairs = load(path)
    if len(pairs) > 1:
        names = ", ".join(plan.contract for plan, _ in pairs)
        raise ContractInvalid(f"{path} has {len(pairs)} contracts: {names}. Name one.")
    return pairs[0]


def load_plan(path: File) -> Plan:
    """The plan of a contract file with one schema object; ContractInvalid if it has none, or several."""
    return load_single(path)[0]


def compile_text(raw: bytes, file: str, *, alone: bool = False) -> Compiled:
    """Compile the contract in a file's bytes; of several schema objects the first."""
    return compile_each(raw, file, alone=alone)[0]


def compile_each(
    raw: bytes, file: str, *, alone: bool = False, values: Mapping[str, str] = NONE
) -> tuple[Compiled, ...]:
    """Compile the contracts in a file's bytes, one of each schema object; `alone` reads no other file."""
    document = source.read(raw, file)
    document.alone = alone
    if document.data is None and document.findings:
        return (_done(document),)
    if not isinstance(document.data, dict):
        fix = f"Write keys and values, beginning with `apiVersion: {CURRENT}`."
        document.error((), "not-odcs", "The file is not an ODCS document.", fix)
        return (_done(document),)
    variables.resolve(document, values)
    upgrade(document)
    untyped.fill(document)
    compiled = []
    for part in schema_objects.parts(document):
        broken = json_schema.check(part)
        version = str(part.data.get("apiVersion"))
        if version.startswith("v2."):
            fix = f"Write `dropgate import {part.file}`, which makes a contract in {CURRENT} of it."
            part.error(("apiVersion",), "import-first", f"ODCS {version} is imported, and not read as it is.", fix)
        unread: set[str | None] = set()
        for path in broken:  # remove what the standard refuses, with the property or entry around it
            inside = [n for n in range(1, len(path)) if isinstance(path[n], int) and path[n - 1] in OF_THEIR_OWN]
            end = inside[-1] + 1 if inside else len(path)
            owner, last = part.value(path[: end - 1]), path[end - 1] if path else 0
            if path[end - 2 : end - 1] == ("properties",) and isinstance(removed := part.value(path[:end]), dict):
                unread.add(name if isinstance(name := removed.get("name"), str) else None)
            if isinstance(owner, dict):
                owner.pop(last, None)
            elif isinstance(owner, list) and isinstance(last, int):
                owner[last] = None
        compiled.append(_independent(_compile(part, whole=not broken), unread))
    return tuple(compiled) or (_done(document),)


def _independent(compiled: Compiled, unread: set[str | None]) -> Compiled:
    """Leave out findings that a property is lacking which is there and has a finding of its own."""

    def follows(finding: Finding) -> bool:
        lacking = LACKING.search(finding.message) if unread else None
        return lacking is not None and (None in unread or lacking[1] in unread)

    return replace(compiled, findings=tuple(f for f in compiled.findings if not follows(f)))


def _compile(document: Document, *, whole: bool) -> Compiled:
    """Read the parts that the standard accepts; `whole` is True if it refused none."""
    metadata.description(document)
    metadata.unused_sections(document)
    path = parse.find(document)
    if path is None:
        sla.read(document)
        return _done(document)
    status = metadata.status(document)
    contract = metadata.contract_name(document)
    if contract:
        metadata.file_name(document, contract)
        contract = f"{document.product}.v{versions.numbers(document.data['version'])[0]}"
    one = checks.schema_object(document, whole=whole)
    block = parse.read(document, path)
    props, own_checks = checks.read(document, one, block) if one else ([], [])
    promised = _promised(document, path, block, props)
    places = parse.places(document, path)
    if block is None:
        return _done(document)
    servers.read(document, block)
    routes = notices.read(document, path, block)
    props = header_names.read(document, path, block, props)
    props = values.formed(document, path, block, props)
    own_checks = checks.of_forms(own_checks, props)
    fixed.of_properties(document, (*path, "fixed"), block, props)
    if one and block.format == "csv":
        checks.never_missing(document, one, block.csv, props)
    if whole:
        own_checks = checks.overridden(document, (*path, "checks"), block, own_checks, props)
    dialect: Path = (*path, "fixed" if block.fixed else "csv")
    file_sets.sums(document, (*path, "set"), block, props)
    trailer.sums(document, dialect, block.csv, block.columns, props)
    trailer.first_cells(document, dialect, block.csv, props, own_checks)
    around.comments(document, dialect, block.csv, props)
    _let_through(document, path, block)
    if block.promote == "table":
        table.read(document, (*path, "promote"), props)
    if contract is None or one is None or not whole:
        return _done(document)
    plan = replace(_plan(document, contract, block, props, own_checks), promises=promised)
    if not any(f.level == "error" for f in document.findings):
        impossible.read(document, plan, path)
    return _done(document, plan, places, in_force=status is not None, routes=routes)


def _promised(
    document: Document, path: Path, block: DropBlock | None, props: Sequence[Property]
) -> tuple[Promise, ...]:
    """Return the service levels that are held; the others are only read."""
    if block and block.slo == "enforce":
        return promises.read(document, path, block, props)
    sla.read(document)
    return ()


def _let_through(document: Document, path: Path, block: DropBlock) -> None:
    """Tell where rejected rows, or files that break the contract, come to consumers all the same."""
    if block.promote == "object" and (block.tolerance or any(c.tolerance for c in block.checks.values())):
        at: Path = (*path, "tolerance") if block.tolerance else (*path, "checks")
        message = "With `promote: object` the rejected rows within the tolerance travel with the file to its consumers."
        fix = "Write `promote: rows` to leave them out, or tell the consumers."
        document.warning(at, "tolerated-rows-travel", message, fix, on_key=True)
    if block.mode == "observe":
        message = "With `mode: observe` files that break the contract are promoted all the same."
        fix = "Write `mode: enforce`, or leave it out, as soon as the receipts are as they should be."
        document.note((*path, "mode"), "only-observed", message, fix, on_key=True)
    if block.mode == "observe" and block.promote == "table":
        message = "A file that breaks the contract cannot be promoted all the same where valid rows go into a table."
        fix = "Observe with `promote: object`, then write `mode: enforce` and `promote: table`."
        document.error((*path, "mode"), "no-observed-table", message, fix, on_key=True)


def _plan(document: Document, contract: str, block: DropBlock, props: list[Property], own_checks: list[Check]) -> Plan:
    data = document.data
    return Plan(
        contract=contract,
        id=document.product,
        version=data["version"],
        object=data["schema"][0]["name"],
        producer=block.producer,
        consumers=block.consumers,
        files=block.files,
        properties=tuple(props),
        checks=tuple(own_checks),
        csv=block.csv,
        columns=block.columns,
        empty=block.empty,
        tolerance=block.tolerance,
        promote=block.promote,
        mode=block.mode,
        lane=block.lane,
        same_key=block.same_key,
        same_content=block.same_content,
        deprecated=data.get("status") == "deprecated",
        file_format=block.format,
        compression=block.compression,
        archive=block.archive,
        json=block.json,
        xml=block.xml,
        fixed=block.fixed,
        sheet=block.sheet,
        references=relationships.references(document, own_checks, block),
        arrival=block.arrival,
        set=block.set,
    )


def _done(
    document: Document,
    draft: Plan | None = None,
    places: tuple[Finding, ...] = (),
    *,
    in_force: bool = False,
    routes: tuple[Route, ...] = (),
) -> Compiled:
    """Return what came of a document, with a warning of yes, no, on and off where they were taken as booleans."""
    marked = {(f.line, f.column) for f in document.findings}
    for path, position in document.positions.items():
        word = document.word(path)
        if word and (position.line, position.column) not in marked:
            meant = "true" if word.casefold() in {"yes", "on"} else "false"
            message = f"The bare `{word}` is read as {meant}; other YAML readers take it as text."
            document.warning(path, "yaml-boolean", message, f'Write `{meant}`, or "{word}" in quotes.')
    findings = tuple(sorted(dict.fromkeys(document.findings)))
    if any(f.level == "error" for f in findings):
        draft = None
    who = ContractRoutes(draft.contract, draft.producer, routes, notices.contact(document)) if draft else None
    return Compiled(document.file, draft if in_force else None, findings, places, draft, document, who)
