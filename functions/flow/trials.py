"""A trial and the decision on it in; the trial at its end, with a receipt and nothing else, out.

    admission refuses, or the file is a marker or manifest -> receipt -> tried
    result -> receipt -> tried

A trial is judged as a drop of the same bytes. Its verdict is written in the step that ends it, after its receipt, so
that a repeat decides again and writes the same. It takes no key, enters no lineage and leaves no figures.
"""

from __future__ import annotations

from dataclasses import replace

from contracts.decision import Decision, Rows
from contracts.plan import Plan
from functions.drop import Drop, Location, RowCounts, brief
from functions.ports import Ports
from functions.records.failures import mark_failed, write_failure_receipt
from functions.records.outcome import unless_erased, write_outcome
from functions.records.record import record

AS_IT_IS = Decision("accepted", Rows())
"""The decision on the marker or the manifest of a set, if admission has nothing against it."""


def end_trial(ports: Ports, plan: Plan | None, drop: Drop, decision: Decision, at: Location | None = None) -> Drop:
    """Write the receipt of a trial, then its end; `at` is where its bytes are now. A settled trial stays as it is."""
    if drop.state not in ("received", "validating"):
        return write_failure_receipt(ports, drop)
    if decision.failure is not None:
        return mark_failed(ports, drop, decision.failure)
    rows = decision.rows
    counts = None if rows.read is None else RowCounts(rows.read, rows.valid or 0, rows.rejected or 0)
    decided = replace(
        drop, verdict=decision.verdict, rows=counts, problems=brief(decision.problems), decided_at=ports.at()
    )
    receipt = write_outcome(ports, decided, plan, decision) if plan or drop.producer else None
    fields = {name: getattr(decided, name) for name in ("verdict", "rows", "problems", "decided_at")}
    return unless_erased(
        ports, receipt, record(ports, drop, "tried", receipt=receipt, source=at or drop.source, **fields)
    )
