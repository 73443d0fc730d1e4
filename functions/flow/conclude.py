"""A judged drop in, promoted or rejected and then settled out.

promoting -> promote -> settle -> accepted, observed, or failed
rejecting -> reject  -> settle -> rejected
failed    -> its receipt
"""

from __future__ import annotations

from functions.drop import Drop
from functions.flow.decide import Judged, judge_by_record
from functions.flow.promote import promote
from functions.flow.reject import reject
from functions.flow.settle import Settled, settle
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.records.failures import write_failure_receipt


def conclude(ports: Ports, judged: Judged | Drop, closing: Batch | None = None) -> Settled:
    """Act on a recorded verdict; `closing` is the end of the drop's batch, to be written with its own."""
    if isinstance(judged, Drop):
        return Settled(judged)
    if judged.drop.state not in ("promoting", "rejecting"):
        return Settled(write_failure_receipt(ports, judged.drop))
    outcome = promote(ports, judged) if judged.drop.state == "promoting" else reject(ports, judged)
    return Settled(outcome) if isinstance(outcome, Drop) else settle(ports, outcome, closing)


def finish(ports: Ports, drop: Drop) -> Drop:
    """Finish a decided drop that no batch will bring further, by its record in the ledger."""
    ports = ports.of(trial=drop.trial)
    return conclude(ports, judge_by_record(ports, drop)).drop
