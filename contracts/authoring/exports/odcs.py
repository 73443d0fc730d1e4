"""A contract as normalised ODCS: upgraded to the current standard, keys in the standard's order, plain YAML."""

from __future__ import annotations

from contracts.authoring.exports.exported import Contract, Exported, source_line
from contracts.authoring.imports import writing

LOST = "Comments, anchors and the order of keys."


def write(contract: Contract) -> Exported:
    """Return the document; it contains the whole contract."""
    text = writing.text(contract.data, [source_line(contract)])
    return Exported(text, frozenset(c.id for c in contract.plan.checks), (LOST,))
