"""The receipt of a decided drop into its producer's reports: a drop and a decision in, the receipt's URI out."""

from __future__ import annotations

from contracts.decision import Decision, File
from contracts.errors import DestinationTaken, DocumentInvalid, ObjectGone, ObjectUnreadable
from contracts.files.header import rejected_file
from contracts.plan import Plan
from contracts.terms.notices import Contact
from functions import keys
from functions.drop import PROMOTED, Drop, Location
from functions.ports import Ports
from functions.ports.store import CopyTag
from functions.records import receipt as records_receipt

ACCEPTED = ("accepted", "accepted_with_warnings")


MOST_AGE = 900.0
"""Seconds for which the pointer is not read again for a contact: receipts are many, and a call for each costs more."""


def write_receipt(ports: Ports, drop: Drop, plan: Plan | None, decision: Decision) -> str:
    """Write page and JSON, the JSON last; a repeat writes the same, also for a settled drop, but for the contact.

    A drop without a plan must have a producer, in whose folder its key is.
    """
    producer = plan.producer if plan else drop.producer
    if producer is None:
        raise ValueError(f"drop {drop.id} has neither a plan nor a producer, so nobody may read its receipt")
    folder = keys.report_folder(ports.zones, producer, drop.id, drop.attempt)
    rejected = rejected_file(plan) if plan else ""
    with_consumers = drop.state in ("promoting", *PROMOTED)
    receipt = records_receipt.Receipt(
        drop=drop.id,
        attempt=drop.attempt,
        key=drop.name if drop.trial else drop.key,
        received_at=drop.received_at,
        decided_at=drop.decided_at or (drop.changed_at if plan else drop.received_at),
        decision=decision,
        plan=plan,
        file=File(drop.name, drop.size, drop.sha256),
        rejected_rows=rejected if decision.rows.rejected and _bring(ports, drop, rejected, folder) else None,
        promoted=f"{ports.zones.promoted}{drop.promoted.key}" if drop.promoted and with_consumers else None,
        override=drop.override,
        withdrawn=_withdrawn(ports, drop),
        trial=drop.trial,
        contact=_contact(ports, plan, producer),
    )
    for kind, body in (("html", records_receipt.render_html(receipt)), ("json", records_receipt.render_json(receipt))):
        ports.store.put(f"{folder}receipt.{kind}", body, keys.CONTENT_TYPES[kind])
    return f"{folder}receipt.json"


def _contact(ports: Ports, plan: Plan | None, producer: str) -> Contact | None:
    """Return whom to ask about a contract as published now; None if that cannot be read, as receipts do not wait."""
    try:
        routes = ports.catalog.routes(MOST_AGE)
    except DocumentInvalid:
        return None
    if plan is None:
        return routes.contact_of(producer)
    own = routes.of_contract(plan.contract)
    return own.contact if own else None


def _bring(ports: Ports, drop: Drop, name: str, folder: str) -> bool:
    """Copy the rejected rows of the job next to the receipt; False if they are gone, to be erased, or over 5 GiB.

    The job may not write among receipts, which other drops' producers read.
    """
    if drop.batch is None or drop.try_ is None or drop.forgotten:
        return False
    left = keys.rejected_folder(ports.zones, drop.batch, drop.try_, drop.id)
    try:
        tag = CopyTag(drop.id, drop.attempt, keys.media_type(name))
        ports.store.copy(Location(f"{left}{name}"), f"{folder}{name}", tag)
    except DestinationTaken:
        return True  # brought before
    except (ObjectGone, ObjectUnreadable):
        return False
    return True


def _withdrawn(ports: Ports, drop: Drop) -> bool:
    """Return True if readers had the file until this attempt; for a settled drop only its history shows it."""
    if drop.state != "rejected":
        return drop.state == "rejecting" and drop.retracts is not None
    had = False
    for step in ports.ledger.history(drop.id):
        if step.attempt < drop.attempt:
            had = step.state in PROMOTED or (had and step.state not in ("rejected", "superseded"))
    return had
