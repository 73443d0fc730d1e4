"""A contract file for export: its bytes in; the contract with its plan, or the findings that prevent one, out.

A contract that is not in force, or matches no files, is compiled as if it were: its checks have the same meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contracts.authoring.compiler import schema_objects
from contracts.authoring.compiler.compile import compile_each, compile_text
from contracts.authoring.document import source, untyped, variables
from contracts.authoring.document.finding import Finding
from contracts.authoring.document.metadata import ID, IN_FORCE, readable
from contracts.authoring.document.upgrade import upgrade
from contracts.authoring.drop_block.parse import VENDOR, is_block
from contracts.authoring.exports.exported import Contract
from contracts.authoring.imports import writing

TRIAL = {"files": "trial/*", "producer": "trial", "format": "jsonl"}
"""The `drop` block for a contract without one."""


@dataclass(frozen=True, slots=True)
class ReadContract:
    """A contract, or None and errors among the findings."""

    contract: Contract | None
    findings: tuple[Finding, ...]


def read(raw: bytes, file: str) -> ReadContract:
    """Return the first contract in a file's bytes, upgraded to the current standard."""
    return read_each(raw, file)[0]


def read_each(raw: bytes, file: str, *, alone: bool = False) -> list[ReadContract]:
    """Return the contracts in a file's bytes, one for each schema object; `alone` reads no other file."""
    compiled = compile_each(raw, file, alone=alone)
    if any(part.failed for part in compiled):
        errors = (f for part in compiled for f in part.findings if f.level == "error")
        return [ReadContract(None, tuple(dict.fromkeys(errors)))]
    document = source.read(raw, file)
    document.alone = alone
    variables.resolve(document, {})
    upgrade(document)
    untyped.fill(document)
    contracts = []
    for part, of_part in zip(schema_objects.parts(document), compiled, strict=True):
        data: dict[str, Any] = part.data | ({"id": part.product} if part.part else {})
        bare = not any(is_block(entry) for entry in data.get("customProperties") or ())
        plan, routes = of_part.plan, of_part.routes
        findings: tuple[Finding, ...] = ()
        if not plan or bare:  # the plan that it would have if it were in force, and named its files
            tried = {**data, "status": data.get("status") if data.get("status") in IN_FORCE else "active"}
            if bare:
                alias = {} if ID.fullmatch(str(data["id"])) else {"alias": readable(str(data["id"]))}
                block = {"property": "drop", "vendor": VENDOR, "value": {**TRIAL, **alias}}
                tried["customProperties"] = [*(data.get("customProperties") or ()), block]
            trial = compile_text(writing.text(tried).encode(), file, alone=alone)
            plan, routes, findings = trial.plan, trial.routes, tuple(f for f in trial.findings if f.level == "error")
        contracts.append(ReadContract(Contract(data, plan, bare, routes) if plan else None, findings))
    return contracts
