"""A contract file for export: its bytes in; the contract with its plan, and findings that say why there is none, out.

A contract that is not in force, or matches no files, is compiled as if it were: what its checks mean is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contracts.authoring import source
from contracts.authoring.compiling import compile_text
from contracts.authoring.drop import VENDOR
from contracts.authoring.exporting.exported import Contract
from contracts.authoring.finding import Finding
from contracts.authoring.heading import IN_FORCE
from contracts.authoring.importing import writing
from contracts.authoring.lift import lift
from contracts.plan import Plan

TRIAL = {"files": "trial/*", "producer": "trial", "format": "jsonl"}
"""The block of a contract that has none."""


@dataclass(frozen=True, slots=True)
class Read:
    """A contract, or None and errors among the findings."""

    contract: Contract | None
    findings: tuple[Finding, ...]


def read(raw: bytes, file: str) -> Read:
    """The contract in a file's bytes, lifted to the standard of today."""
    compiled = compile_text(raw, file)
    if compiled.failed:
        return Read(None, tuple(f for f in compiled.findings if f.level == "error"))
    document = source.read(raw, file)
    lift(document)
    data: dict[str, Any] = document.data
    bare = not any(_is_ours(entry) for entry in data.get("customProperties") or ())
    if compiled.plan and not bare:
        return Read(Contract(data, compiled.plan), ())
    plan, findings = _tried(data, file, bare=bare)
    return Read(Contract(data, plan, bare) if plan else None, findings)


def _is_ours(entry: dict[str, Any]) -> bool:
    return entry.get("vendor", VENDOR) == VENDOR and entry.get("property") == "drop"


def _tried(data: dict[str, Any], file: str, *, bare: bool) -> tuple[Plan | None, tuple[Finding, ...]]:
    """The plan that a contract would have in force."""
    made = {**data, "status": data.get("status") if data.get("status") in IN_FORCE else "active"}
    if bare:
        block = {"property": "drop", "vendor": VENDOR, "value": TRIAL}
        made["customProperties"] = [*(data.get("customProperties") or ()), block]
    compiled = compile_text(writing.text(made).encode(), file)
    return compiled.plan, tuple(f for f in compiled.findings if f.level == "error")
