"""A contract as ODCS, normalised: lifted to the standard of today, its keys in the standard's order, plain YAML."""

from __future__ import annotations

from contracts.authoring.exports.exported import Contract, Exported, heading
from contracts.authoring.imports import writing

LOST = "Comments, anchors and the order of keys."


def write(contract: Contract) -> Exported:
    """The document; everything that a contract says is in it."""
    text = writing.text(contract.data, [heading(contract)])
    return Exported(text, frozenset(c.id for c in contract.plan.checks), (LOST,))
