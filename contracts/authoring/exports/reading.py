"""A contract file for export: its bytes in; the contract with its plan, or the findings that prevent one, out.

A contract that is not in force, or matches no files, is compiled as if it were: its checks have the same meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contracts.authoring.compiler import schema_objects
from contracts.authoring.compiler.compile import Compiled, compile_each, compile_text
from contracts.authoring.document import source
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding
from contracts.authoring.document.metadata import IN_FORCE
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


def read_each(raw: bytes, file: str) -> list[ReadContract]:
    """Return the contracts in a file's bytes, one for each schema object."""
    compiled = compile_each(raw, file)
    if any(part.failed for part in compiled):
        errors = (f for part in compiled for f in part.findings if f.level == "error")
        return [ReadContract(None, tuple(dict.fromkeys(errors)))]
    document = source.read(raw, file)
    upgrade(document)
    return [_read(*pair, file) for pair in zip(schema_objects.parts(document), compiled, strict=True)]


def _read(document: Document, compiled: Compiled, file: str) -> ReadContract:
    """Return a contract; the plan of one that names no files, or is not in force, is the one that it would have."""
    data: dict[str, Any] = document.data | {"id": document.product}
    bare = not any(is_block(entry) for entry in data.get("customProperties") or ())
    if compiled.plan and not bare:
        return ReadContract(Contract(data, compiled.plan), ())
    made = {**data, "status": data.get("status") if data.get("status") in IN_FORCE else "active"}
    if bare:
        block = {"property": "drop", "vendor": VENDOR, "value": TRIAL}
        made["customProperties"] = [*(data.get("customProperties") or ()), block]
    tried = compile_text(writing.text(made).encode(), file)
    errors = tuple(f for f in tried.findings if f.level == "error")
    return ReadContract(Contract(data, tried.plan, bare) if tried.plan else None, errors)
