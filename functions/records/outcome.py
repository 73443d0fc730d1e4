"""The outcome of a decided attempt for people: its lines in the table of results, then its receipt.

Both are written before the ledger says how the attempt ends; a repeat writes the same. A drop that was erased meanwhile
keeps neither.
"""

from __future__ import annotations

from collections.abc import Iterator

from contracts.decision import Decision
from contracts.plan import Plan
from functions import keys
from functions.drop import Drop
from functions.ports import Ports
from functions.records import result_line
from functions.records.receipts import write_receipt


def write_outcome(ports: Ports, drop: Drop, plan: Plan | None, decision: Decision) -> str:
    """Write the results of a drop and its receipt, and return the URI of the receipt; a trial has no results."""
    if not drop.trial:
        write_results(ports, drop, plan, decision)
    return write_receipt(ports, drop, plan, decision)


def write_results(ports: Ports, drop: Drop, plan: Plan | None, decision: Decision) -> None:
    """Write the lines of an attempt, over those of an earlier call."""
    uri = keys.attempt_results_uri(ports.zones.results, drop.contract, drop.received_at, drop.id, drop.attempt)
    ports.store.put(uri, result_line.render(result_line.lines(drop, plan, decision)), keys.CONTENT_TYPES["gz"])


def contracts_of(ports: Ports, drop: Drop) -> list[str]:
    """Return the contracts that have judged a drop, as far as its history names them."""
    return sorted(filter(None, {step.contract for step in ports.ledger.history(drop.id)} | {drop.contract}))


def results_of(ports: Ports, drop: Drop) -> Iterator[str]:
    """Yield the URIs that the lines of a drop may have: of each attempt, under each contract and under none."""
    for contract in (*contracts_of(ports, drop), None):
        for attempt in range(1, drop.attempt + 1):
            yield keys.attempt_results_uri(ports.zones.results, contract, drop.received_at, drop.id, attempt)


def unless_erased(ports: Ports, receipt: str | None, now: Drop) -> Drop:
    """Return the drop as it is after its outcome was written; if it was erased meanwhile, erase what was written."""
    if now.forgotten and (receipt is None or now.receipt != receipt):
        for place in (*((receipt.removesuffix("receipt.json"),) if receipt else ()), *results_of(ports, now)):
            for version in ports.store.remaining(place):
                ports.store.delete(version.at)
    return now
