"""Waivers of a contract: its changes and the `waivers` of its block in; changes let through, or a new text, out.

A waiver names a change, the version that makes it and the reason. It is part of the contract's text, so that whoever
reads the published version, or compares it with an older one, sees who was hurt on purpose, and why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from contracts.authoring.diff.change import Change
from contracts.authoring.diff.contract_version import ContractVersion
from contracts.authoring.document import source, versions
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Finding, Path
from contracts.authoring.drop_block.parse import is_block
from contracts.problem import nearest

KEY = "waivers"


def waived(old: ContractVersion, new: ContractVersion, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return the changes, with the reasons of those that waivers of the versions after the old one let through."""
    before, now = versions.order(old.plan.version), versions.order(new.plan.version)
    reasons = {
        entry["change"]: entry["because"] for entry in _entries(new) if before < versions.order(entry["version"]) <= now
    }
    return tuple(replace(c, waived=reasons.get(c.name)) if c.breaks else c for c in changes)


def faults(new: ContractVersion, changes: Sequence[Change]) -> tuple[Finding, ...]:
    """Return the findings on waivers of this version that name no change, while a change is not waived."""
    if all(change.waived is not None for change in changes if change.breaks):
        return ()
    names = {change.name for change in changes}
    return tuple(
        new.document.finding(
            "error", (*new.block(KEY), n, "change"), "no-such-change", *no_such_change(entry["change"], changes)
        )
        for n, entry in enumerate(_entries(new))
        if versions.plain(entry["version"]) == versions.plain(new.plan.version) and entry["change"] not in names
    )


def no_such_change(name: str, changes: Sequence[Change]) -> tuple[str, str]:
    """Return the message and the fix for a name that no change has."""
    breaking = [change.name for change in changes if change.breaks]
    close = nearest(name, breaking)
    every = ", ".join(f"`{each}`" for each in breaking)
    fix = f"Write `{close}`." if close else f"These break somebody: {every}." if every else "No change breaks anybody."
    return f"No change is called `{name}`.", fix


def written(document: Document, new: ContractVersion, names: Sequence[str], because: str) -> bytes | None:
    """Return the text of a contract with waivers of its version in front; None if there is no place to write them."""
    entries = [{"change": name, "version": new.plan.version, "because": because} for name in names]
    before = [dict(entry) for entry in _entries(new)]
    for text in _texts(document, new.block(), [json.dumps(entry, ensure_ascii=False) for entry in entries]):
        after = source.read(text, document.file)
        if not after.errors() and _waivers_of(after, new.plan.object) == [*entries, *before]:
            return text
    return None


def _texts(document: Document, at: Path, entries: Sequence[str]) -> Iterator[bytes]:
    """Yield texts with the entries in front of the first one that is there, or of the block's first key."""
    lines = document.raw.decode("utf-8-sig").split("\n")
    first = document.positions.get((*at, KEY, 0))
    place = first or next(
        (document.keys[(*at, key)] for key in document.value(at) if (*at, key) in document.keys), None
    )
    if place is None:
        return
    row, column = lines[place.line - 1], place.column - 1
    lead = row[:column]
    indent = " " * column
    if first:
        pieces = ["".join(f"{entry}\n{lead}" for entry in entries), "".join(f"{entry}, " for entry in entries)]
    else:
        items = "".join(f"{indent}  - {entry}\n" for entry in entries)
        pieces = [f"{KEY}:\n{items}{indent}", f'"{KEY}": [{", ".join(entries)}], ']
    for piece in pieces:
        lines[place.line - 1] = f"{lead}{piece}{row[column:]}"
        yield "\n".join(lines).encode()


def _waivers_of(document: Document, name: str) -> Any:
    """Return the waivers in the block of a schema object."""
    blocks = [entry.get("value") for entry in document.data["customProperties"] if is_block(entry)]
    several = blocks[0] if isinstance(blocks[0], list) else blocks
    return next((one.get(KEY) for one in several if one.get("object", name) == name), None)


def _entries(new: ContractVersion) -> list[dict[str, str]]:
    return new.document.value(new.block(KEY)) or []
