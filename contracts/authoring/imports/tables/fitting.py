"""Values that the standard refuses: imported documents in; the same without these, and a note on each, out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contracts.authoring.document import json_schema
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports.imported import Imported, lost

ROUNDS = 20
Reader = Callable[[Document], list[Imported]]


def fitting(read: Reader) -> Reader:
    """Return an importer that leaves out what the standard's schema refuses, with a note on each."""

    def fitted(document: Document) -> list[Imported]:
        made = read(document)
        for imported in made:
            _leave_out(document, imported.data)
        return made

    return fitted


def _leave_out(document: Document, data: dict[str, Any]) -> None:
    for _ in range(ROUNDS):
        trial = Document(document.file, data)
        broken = [path for path in json_schema.check(trial) if path]
        if not broken:
            return
        for path in sorted(broken, key=len, reverse=True):
            if _removed(data, path):
                lost(document, (), f"`{trial.name(path)}` is nothing that ODCS can hold.", on_key=False)


def _removed(data: Any, path: Path) -> bool:
    """Remove the value at a path, or the entry that holds it; return False if there is none."""
    owner = data
    for part in path[:-1]:
        if not isinstance(owner, (dict, list)) or (isinstance(owner, dict) and part not in owner):
            return False
        owner = owner[part]  # type: ignore[index]
    last = path[-1]
    if isinstance(owner, dict) and last in owner:
        del owner[last]
        return True
    if isinstance(owner, list) and isinstance(last, int) and last < len(owner):
        del owner[last]
        return True
    return False
