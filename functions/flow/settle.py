"""A promoted or rejected drop in; its end in the ledger out, in one transaction with its key and perhaps its batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TypeVar

from contracts.errors import DropgateError, StaleWrite
from functions.drop import Drop
from functions.flow.promote import NotPromoted, Promoted
from functions.flow.reject import Rejected
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.promotion.lineage import TRIES, claims_of
from functions.promotion.watermarks import advanced
from functions.promotion.withdraw import reread_and_withdraw, withdrawing_late_copies
from functions.records.batches import among, write_batch
from functions.records.failures import write_failure_receipt
from functions.records.outcome import unless_erased
from functions.records.record import reread

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settled:
    """A drop as it is after a step; `closed` if the end of its batch was written with its own."""

    drop: Drop
    closed: bool = False


def settle(ports: Ports, outcome: Promoted | NotPromoted | Rejected, closing: Batch | None) -> Settled:
    """Write the end of a drop, and with that of the only open one the end of its batch, tried once."""
    match outcome:
        case Rejected():
            try:
                ports.ledger.write((outcome.end,), *((closing,) if closing else ()))
            except StaleWrite:
                return Settled(unless_erased(ports, outcome.receipt, reread(ports, outcome.end.before)))
            return Settled(outcome.end.drop, closed=closing is not None)
        case Promoted(judged):
            with withdrawing_late_copies(ports, judged.plan, judged.drop):
                settled = _leave_key(ports, outcome, closing)
                return replace(settled, drop=unless_erased(ports, outcome.receipt, settled.drop))
        case NotPromoted(judged):
            late = withdrawing_late_copies(ports, judged.plan, judged.drop) if outcome.begun else nullcontext()
            with late:
                return Settled(write_failure_receipt(ports, _leave_key(ports, outcome, None).drop))


def settle_each(drops: Sequence[Drop], act: Callable[[Drop], T]) -> list[T]:
    """Take every drop on, whatever becomes of another; raise the first error once all have had their turn."""
    settled: list[T] = []
    errors: list[DropgateError] = []
    for drop in drops:
        try:
            settled.append(act(drop))
        except DropgateError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return settled


def end_batch(ports: Ports, batch: Batch, settled: Sequence[Drop], reason: str | None) -> Batch:
    """Write the end of a batch whose drops are all settled; a batch with open ones stays as it is."""
    if any(drop.in_flight for drop in among(batch, settled)):
        return batch  # an upload of the same key is being promoted; the reconciler comes back
    return write_batch(ports, batch, replace(batch, state="ended", reason=reason, changed_at=ports.at()))


def _leave_key(ports: Ports, outcome: Promoted | NotPromoted, closing: Batch | None) -> Settled:
    """Write the end of a promotion, and leave the key to the next upload."""
    judged, copied = outcome.judged, outcome.copied if isinstance(outcome, Promoted) else None
    plan, drop = judged.plan, judged.drop
    for nth in range(TRIES):
        claims = judged.claims if judged.claims and nth == 0 else claims_of(ports, drop, plan)
        marks = advanced(ports, plan, drop) if copied else None
        batch = closing if nth == 0 else None
        beside = (*claims.left(drop, copied).each, *((marks,) if marks else ()), *((batch,) if batch else ()))
        try:
            ports.ledger.write((outcome.end,), *beside)
        except StaleWrite:
            now = reread_and_withdraw(ports, plan, drop) if copied else reread(ports, drop)
            if now.version != drop.version:
                return Settled(now)
        else:
            return Settled(outcome.end.drop, closed=batch is not None)
    return Settled(drop)
