"""High marks of contracts: those that a batch is judged by, and what an accepted drop adds to them."""

from __future__ import annotations

from dataclasses import replace

from contracts.plan import Plan
from contracts.watermarks import HighMark, further
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.lineages import Watermarks


def pinned(ports: Ports, plan: Plan) -> tuple[HighMark, ...]:
    """Return the marks of a plan's contract as they are now; no call if none of its checks has a watermark."""
    return ports.ledger.watermarks(plan.contract).marks if plan.watermarks else ()


def advanced(ports: Ports, plan: Plan, drop: Drop) -> Watermarks | None:
    """Return a contract's marks with those of an accepted drop; None if they reach no further by it."""
    own = [mark for mark in drop.marks if mark.property in plan.watermarks]
    if not own or drop.contract is None:
        return None
    current = ports.ledger.watermarks(drop.contract)
    marks = further(current.marks, own)
    return replace(current, marks=marks) if marks != current.marks else None
