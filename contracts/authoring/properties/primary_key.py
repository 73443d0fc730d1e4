"""The primary key of a contract: the checks of its properties in, one check of a composite key out."""

from __future__ import annotations

from typing import Any

from contracts import rules
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.plan import Check

KIND = "primaryKey"
NONE = -1
"""The value of ODCS for a property without a position in the key."""


def together(
    document: Document, path: Path, sources: list[Any], placed: list[tuple[Check, Path]]
) -> list[tuple[Check, Path]]:
    """Replace the checks of a composite key's parts by one check at the place of the first.

    `path` is the path of the properties. Positions in the key that do not count from 1, each once, are reported.
    """
    properties = [((*path, n), source) for n, source in enumerate(sources) if isinstance(source, dict)]
    keyed = [(at, source) for at, source in properties if source.get(KIND)]
    positions = [source.get("primaryKeyPosition", NONE) for _, source in keyed]
    for at, source in properties:
        if source.get("primaryKeyPosition", NONE) != NONE and not source.get(KIND):
            message = f"`{source['name']}` has a position in the primary key, but is not part of it."
            fix = "Add `primaryKey: true`, or leave the position out."
            document.error((*at, "primaryKeyPosition"), "bad-position", message, fix, on_key=True)
    for n, (at, source) in enumerate(keyed if set(positions) != {NONE} else []):
        if not 1 <= positions[n] <= len(keyed) or positions[n] in positions[:n]:
            message = f"`{source['name']}` has no position of its own among the {len(keyed)} of the primary key."
            fix = f"Write `primaryKeyPosition` 1 to {len(keyed)}, each once; or leave all of them out."
            document.error((*at, "primaryKeyPosition"), "bad-position", message, fix)
    parts = [(check, at) for check, at in placed if isinstance(check.rule, rules.PrimaryKey)]
    if len(parts) < 2:
        return placed
    order = {source["name"]: position for (_, source), position in zip(keyed, positions, strict=True)}
    names = sorted((check.property or "" for check, _ in parts), key=lambda name: order.get(name, NONE))
    expected = f"{' and '.join(names)} not null, no two records with the same"
    whole = Check(KIND, rules.PrimaryKey(tuple(names)), "set", "error", "uniqueness", expected)
    return [
        *((check, at) for check, at in placed if not isinstance(check.rule, rules.PrimaryKey)),
        (whole, parts[0][1]),
    ]
