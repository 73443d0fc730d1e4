"""A contract as normalised ODCS: upgraded to the current standard, keys in the standard's order, plain YAML.

Keys that the standard lacks, which older versions left free, become custom properties, so that the text is valid by the
standard's JSON Schema.
"""

from __future__ import annotations

import copy
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import dotted
from contracts.authoring.document.json_schema import unknown_keys
from contracts.authoring.exports.exported import Contract, Exported, source_line
from contracts.authoring.imports import writing

LOST = "Comments, anchors and the order of keys."


def write(contract: Contract) -> Exported:
    """Return the document; it contains the whole contract."""
    data, moved = _standard(contract.data)
    notes = ["Not exported:", *(f"  {line}" for line in moved)] if moved else []
    text = writing.text(data, [source_line(contract), *notes])
    return Exported(text, frozenset(c.id for c in contract.plan.checks), (LOST, *moved))


def _standard(data: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a document without keys that the standard lacks, and a line for each of them."""
    strict, lines = copy.deepcopy(data), []
    for path, key, may_have_others in unknown_keys(strict):
        owner = Document("", strict).value(path)
        value = owner.pop(key)
        end = "left out"
        if may_have_others:
            owner.setdefault("customProperties", []).append({"property": key, "value": value})
            end = "a custom property here"
        lines.append(f"`{key}` of `{dotted(path)}`, which the standard does not have there: {end}.")
    return strict, lines
