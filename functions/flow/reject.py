"""A judged drop in, its data withdrawn from consumers and its receipt written out; the end is not written."""

from __future__ import annotations

from dataclasses import dataclass

from functions.drop import Drop, Transition, advance
from functions.flow.decide import Judged
from functions.ports import Ports
from functions.promotion.withdraw import withdraw
from functions.records.outcome import write_outcome


@dataclass(frozen=True, slots=True)
class Rejected:
    """Consumers have no data of a drop, and its receipt is written."""

    end: Transition
    receipt: str


def reject(ports: Ports, judged: Judged) -> Rejected | Drop:
    """Withdraw what an earlier attempt promoted, and write the receipt; return the drop if others hold its key."""
    drop = judged.drop
    if not withdraw(ports, drop):
        return drop
    receipt = write_outcome(ports, drop, judged.plan, judged.decision)
    end = advance(drop, "rejected", ports.at(), receipt=receipt, retracts=None)
    return Rejected(end, receipt) if isinstance(end, Transition) else drop
