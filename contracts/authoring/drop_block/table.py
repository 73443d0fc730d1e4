"""Requirements of `promote: table`: properties in, findings about properties that cannot be columns out."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import CONTAINERS, Property
from contracts.table import DROP, FORBIDDEN, RECORD


def read(document: Document, at: Path, props: Sequence[Property]) -> None:
    """Report properties that cannot be columns of a table."""
    seen: dict[str, str] = {}
    for prop in (p for p in props if not p.path):
        if prop.type in CONTAINERS:
            message = f"`{prop.name}` is {prop.type}, which tables are not built for yet."
            document.error(at, "not-built-yet", message, "Write flatter records, or `promote: rows`.")
        if held := sorted({repr(c)[1:-1] for c in prop.name if c in FORBIDDEN}):
            message = f"`{prop.name}` cannot be a column of a table: it has {', '.join(f'`{c}`' for c in held)}."
            document.error(at, "bad-value", message, "Give it a name of letters, digits and `_`, or `promote: rows`.")
        if prop.name.casefold() in (DROP, RECORD):
            message = f"Every table has a column `{prop.name.casefold()}` of its own."
            document.error(at, "bad-value", message, "Give the property another name.")
        if other := seen.get(prop.name.casefold()):
            message = f"`{other}` and `{prop.name}` are one column to a table, which does not tell their case apart."
            document.error(at, "bad-value", message, "Give one of them another name.")
        seen[prop.name.casefold()] = prop.name
