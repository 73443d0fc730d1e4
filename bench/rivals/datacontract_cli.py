"""datacontract-cli: our contract in, the document for it out; its answer in, failing rows by check out.

It reads ODCS itself, so that nothing is translated but for two things: it needs the path of the file, and of two
rules of one kind for one property (here: nulls as a warning and as an error) it can hold one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.rivals.answering import Counts, Wanted

KINDS = {
    "field_required": "required",
    "field_unique": "unique",
    "field_minimum": "minimum",
    "field_maximum": "maximum",
    "field_regex": "pattern",
    "field_enum": "enum",
    "field_null_values": "nullValues",
}
PRESENT = "field_is_present"
READER = "left to the reader, which stops at the first fault"
TWICE = "on nulls of a property that has another such rule, which it cannot hold as well"


def document(contract: dict[str, Any], file: Path) -> dict[str, Any]:
    """The contract with the file as its server, and without the warnings about nulls."""
    (table,) = contract["schema"]
    properties = [
        one | {"quality": [q for q in one.get("quality", []) if q.get("severity") != "warning"]}
        for one in table["properties"]
    ]
    server = {"server": "local", "type": "local", "path": str(file), "format": "csv"}
    return contract | {"servers": [server], "schema": [table | {"properties": properties}]}


def counts(answer: Path) -> Counts:
    """Failing rows by our checks' ids; AssertionError where a check did not run."""
    checks = json.loads(answer.read_text(encoding="utf-8"))["checks"]
    assert all(one["diagnostics"] for one in checks), [one["reason"] for one in checks if not one["diagnostics"]]
    rows = {f"{c['field']}.{KINDS[c['type']]}": c["diagnostics"] for c in checks if c["type"] != PRESENT}
    return {check: int(diagnostics.get("failed_rows", diagnostics["value"])) for check, diagnostics in rows.items()}


def cannot(checks: list[Wanted]) -> dict[str, str]:
    """Our checks that it does not hold, and why."""
    twice = {c.id: TWICE for c in checks if c.id.endswith(".warning")}
    return {c.id: READER for c in checks if c.kind not in KINDS.values()} | twice
