"""Checks of the targets of relationships: compiled contracts in, findings about the referenced side out.

A referenced contract that is not among them is read from its file. Of reference files only the header is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as File

from contracts import rules
from contracts.authoring.compiler.compile import Compiled, compile_file
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Path
from contracts.authoring.properties import nesting
from contracts.authoring.properties.values import type_name
from contracts.authoring.quality.relationships import (
    OBJECT,
    SECTION,
    Relation,
    file_of,
    identity,
    is_object,
    mappings,
    relations,
)
from contracts.catalog import reference_name
from contracts.errors import DocumentInvalid
from contracts.files import csv_cells
from contracts.plan import Reference
from contracts.problem import nearest, quoted

LONGEST_HEADER = 1 << 16
DELIMITERS = ";\t|,"
"""Those that are thought of where the header of a reference file is one column."""
MOST_BYTES = 256 << 20
"""So large a reference file may be: it is published whole, in one request."""


def between(contracts: Sequence[Compiled]) -> Iterator[Finding]:
    """Yield the faults in the targets that the relationships of these contracts name."""
    drafts = {one.draft.contract: one for one in contracts if one.draft}
    asks = {name: {r.contract for r in one.draft.references if r.contract} for name, one in drafts.items() if one.draft}
    for one in contracts:
        plan, document = one.draft, one.document
        if plan is None or document is None or not plan.references:
            continue
        keys = {check.id: check.rule for check in plan.checks if isinstance(check.rule, rules.ForeignKey)}
        sources = document.data["schema"][0]["properties"]
        places = list(nesting.places(document, (*OBJECT, "properties"), sources))
        for relation in list(relations(document, places, plan.properties)):
            rule = keys[identity(relation)]
            reference = plan.reference(rule)
            if reference.path is not None:
                yield from _of_file(document, rule, reference, relation)
            else:
                yield from _of_contract(document, rule, reference, relation, drafts)
                seen, left = {reference.name}, [reference.name]  # contracts that must be promoted before this one
                while left:
                    further = asks.get(left.pop(), set()) - seen
                    seen |= further
                    left += further
                if plan.contract in seen:
                    both = f"`{plan.contract}` and `{reference.name}`"
                    message = f"{both} look for values in each other: neither can be the first to be promoted."
                    fix = "Leave one of them out, at least until both contracts have promoted data."
                    yield document.finding("warning", (*relation.path, "to"), "circle", message, fix)


def beside(path: File, name: str) -> File:
    """Return the path of a reference file that the contract at `path` names."""
    return path.parent / name


def is_below(path: File, name: str) -> bool:
    """Return True if a reference file is in the contract's folder or below; no other is read or published."""
    try:
        return beside(path, name).resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, or a name that no file can have
        return False


def _is_file(path: File) -> bool:
    """Return True if there is a file that can be read; no file has a name that is too long, or has a null character."""
    try:
        with path.open("rb"):
            return True
    except (OSError, ValueError):
        return False


def _names(folder: File, pattern: str) -> list[str]:
    """Return the names of the files in a folder; none if it cannot be read."""
    try:
        return [one.name for one in folder.glob(pattern) if one.is_file()]
    except (OSError, ValueError):
        return []


def stamped(one: Compiled) -> Compiled:
    """A contract whose plan names the bytes of its reference files, as far as they are there."""
    if one.plan is None or not any(reference.path for reference in one.plan.references):
        return one
    contract, references = File(one.file), []
    for reference in one.plan.references:
        path = beside(contract, reference.path) if reference.path else None
        sha256 = reference.sha256
        if path is not None and _is_file(path) and is_below(contract, reference.path or ""):
            with path.open("rb") as opened:
                sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        references.append(replace(reference, sha256=sha256))
    return replace(one, plan=replace(one.plan, references=tuple(references)))


def files(contracts: Sequence[Compiled]) -> dict[str, bytes]:
    """The reference files of contracts whose plans are stamped, by the names that they are published under."""
    bodies: dict[str, bytes] = {}
    for one in contracts:
        for reference in one.plan.references if one.plan else ():
            if reference.path and reference.sha256:
                body = beside(File(one.file), reference.path).read_bytes()
                if hashlib.sha256(body).hexdigest() != reference.sha256:
                    raise DocumentInvalid(f"{reference.path} has changed while it was published; publish again.")
                bodies[reference_name(reference)] = body
    return bodies


def _of_contract(
    document: Document,
    rule: rules.ForeignKey,
    reference: Reference,
    relation: Relation,
    drafts: Mapping[str, Compiled],
) -> Iterator[Finding]:
    at: Path = (*relation.path, "to")
    compiled = drafts.get(reference.name) or _read(document, relation, reference.name)
    if isinstance(compiled, tuple):
        yield document.finding("error", at, "unknown-contract", *compiled)
        return
    if compiled.plan is None or compiled.draft is None:
        message = f"`{reference.name}` matches no files: nothing of it is ever promoted."
        fix = "Give it a `drop` block and `status: active`, or leave the relationship out."
        yield document.finding("error", at, "not-in-force", message, fix)
        return
    first, one = relation.targets[0], compiled.document.data["schema"][0] if compiled.document else {}
    if not is_object(first, one):
        names = [str(one[key]) for key in ("id", "name") if key in one]
        message = f"`{reference.name}` has no schema object `{first.object}`."
        yield document.finding("error", at, "unknown-object", message, f"Write `{names[0]}`.")
        return
    theirs = {prop.name: prop for prop in compiled.draft.roots}
    for own, column in zip(relation.properties, rule.columns, strict=True):
        other, called = theirs.get(column), f"{reference.name}.{column}"
        if other is None:
            close = nearest(column, theirs)
            fix = f"Write `{close}`." if close else f"Its properties are {quoted(theirs, most=12)}."
            yield document.finding("error", at, "unknown-property", f"There is no property `{called}`.", fix)
        elif own.type != other.type or (own.type == "number" and (own.exact is None) != (other.exact is None)):
            message = f"`{own.name}` is {type_name(own)}, `{called}` is {type_name(other)}: they are never the same."
            yield document.finding("error", at, "wrong-type", message, "Give both the same type.")


def _read(document: Document, relation: Relation, name: str) -> Compiled | tuple[str, str]:
    """The contract of a file that is not among the known ones; else the fault and its fix."""
    first = relation.targets[0]
    path = file_of(document, first)
    if not first.file:
        return f"`{name}` has errors of its own.", "Fix them first."
    if not _is_file(path):
        close = nearest(path.name, _names(path.parent, "*.y*ml"))
        return f"There is no contract file `{path}`.", (
            f"Write `{close}`." if close else "Write the path from this file to that of the contract."
        )
    compiled = compile_file(path)
    if one := next((one for one in compiled if one.draft and one.draft.contract == name), None):
        return one
    if any(one.failed for one in compiled):
        return f"`{path}` has errors of its own.", f"Run `dropgate lint {path}`, and fix them first."
    objects = [each for one in compiled if one.document for each in mappings(one.document.data.get(SECTION))[:1]]
    names = [str(each.get(key)) for each in objects for key in ("id", "name") if key in each]
    close = nearest(first.object, names)
    fix = f"Write `{close}`." if close else f"Its objects are {quoted(names, most=12)}."
    if first.object in names:
        return f"`{first.object}` of `{path}` matches no files.", "Give it a `drop` block and `status: active`."
    return f"`{path}` has no schema object `{first.object}`.", fix


def _of_file(document: Document, rule: rules.ForeignKey, reference: Reference, relation: Relation) -> Iterator[Finding]:
    block = next(path for path in document.positions if path[-3:] == ("references", reference.name, "file"))
    path = beside(File(document.file), reference.path or "")
    below = is_below(File(document.file), reference.path or "")
    if _is_file(path) and not below:
        message = f"The reference file `{reference.path}` is outside the contract's folder."
        yield document.finding("error", block, "bad-value", message, "Put it into that folder, or one below it.")
        return
    if not _is_file(path):
        close = nearest(path.name, _names(path.parent, "*") if below else [])
        fix = f"Write `{close}`." if close else "Write the path from the contract's folder to the file."
        yield document.finding("error", block, "no-file", f"There is no reference file `{path}`.", fix)
        return
    if path.stat().st_size > MOST_BYTES:
        message = f"The reference file `{path}` is larger than {MOST_BYTES >> 20} MiB."
        fix = "Give it a contract of its own, and refer to that."
        yield document.finding("error", block, "too-large", message, fix)
        return
    if reference.file_format != "csv" or not reference.csv.header:
        return
    with path.open("rb") as opened:
        text = opened.read(LONGEST_HEADER).decode(reference.csv.encoding, "replace").removeprefix("\ufeff")
    line = csv_cells.first_line(text, reference.csv) or ""
    columns = csv_cells.split(line, reference.csv) or ()
    for name in rule.columns:
        if name not in columns:
            close = nearest(name, columns)
            fix = f"Write `{reference.name}.{close}`." if close else f"Its columns are {quoted(columns, most=12)}."
            if len(columns) == 1 and (sign := next((d for d in DELIMITERS if name in columns[0].split(d)), None)):
                dialect = f"csv: {{delimiter: {json.dumps(sign)}}}"
                fix = f"Its columns are separated by `{sign}`: write `{dialect}` next to `file`."
            message = f"The reference file `{path}` has no column `{name}`."
            yield document.finding("error", (*relation.path, "to"), "unknown-property", message, fix)
