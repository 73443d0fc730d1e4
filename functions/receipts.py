"""The receipt of a decided drop into its producer's reports: a drop and a decision in, the receipt's URI out."""

from __future__ import annotations

from contracts.columns import rejected_file
from contracts.plan import Plan
from contracts.verdict import Decision, File
from functions import keys, report
from functions.ports import Ports
from functions.submission import Drop

ACCEPTED = ("accepted", "accepted_with_warnings")


def write_receipt(ports: Ports, drop: Drop, plan: Plan, decision: Decision) -> str:
    """Write page and JSON; repeated, it writes the same again. Where the JSON lies, the receipt is whole."""
    folder = keys.report_folder(ports.zones, plan.producer, drop.id, drop.attempt)
    receipt = report.Receipt(
        drop=drop.id,
        attempt=drop.attempt,
        key=drop.key,
        received_at=drop.received_at,
        decided_at=drop.decided_at or drop.changed_at,
        decision=decision,
        plan=plan,
        file=File(drop.name, drop.size, drop.sha256),
        rejected_rows=rejected_file(plan) if decision.rows.rejected else None,
        promoted=_promoted(ports, drop) if decision.verdict in ACCEPTED else None,
    )
    for kind, body in (("html", report.render_html(receipt)), ("json", report.render_json(receipt))):
        ports.store.put(f"{folder}receipt.{kind}", body, keys.CONTENT_TYPES[kind])
    return f"{folder}receipt.json"


def _promoted(ports: Ports, drop: Drop) -> str | None:
    return f"{ports.zones.promoted}{drop.promoted.key}" if drop.promoted else None
