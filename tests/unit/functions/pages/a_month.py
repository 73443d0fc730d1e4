"""A month of contracts in memory, as a stack has it: published versions, files of every state, a day without a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from contracts.plan import Plan
from contracts.problem import Problem
from functions import keys
from functions.drop import Drop, Location, Promotion, RowCounts, Transition
from functions.ports.clock import stamp
from functions.ports.expected_files import Absence
from functions.records import result_line
from functions.records.result_line import ResultLine, of_record
from tests.builders import ZONES, World, a_drop, a_world, publish
from tests.unit.contracts.authoring.documents import HEAD, a_document, compiled
from tests.unit.functions.api.texts import keep_texts

PROPERTIES = """\
- name: order_id
  logicalType: integer
  required: true
- name: country
  logicalType: string
  logicalTypeOptions: {minLength: 2, maxLength: 2}
- name: amount
  logicalType: number
  logicalTypeOptions: {minimum: 0, maximum: 100000}
- name: ordered_on
  logicalType: date
"""
FIRST = a_document(PROPERTIES.replace("100000", "50000"), drop="files: orders/*.csv\nproducer: shop\nformat: csv\n")
DROP = "files: orders/*.csv\nproducer: shop\nformat: csv\narrival: {by: '09:00', days: [mon, tue, wed, thu, fri]}\n"
SECOND = a_document(PROPERTIES, drop=DROP, head=HEAD.replace("1.0.0", "1.1.0"))
WRONG = Problem(
    "amount.maximum", "`amount` is above the maximum of 100,000", "correct the amounts", check="amount.maximum"
)
LATE = Problem("arrived-late", "the file came after the end of its window", "send it earlier", "warning")
REJECTED_DAYS, WARNED_DAYS, MISSING_DAY, FAILED_DAY = (8, 21), (6, 14, 27), 15, 29


def a_month() -> World:
    """Return a world at noon of 2026-01-31."""
    world = a_world()
    plan = compiled(SECOND).plan
    assert plan
    loans = replace(plan, contract="loans.v1", id="loans", producer="bank", files=("loans/*.csv",), arrival=None)
    publish(world.store, ZONES.catalog, [plan, loans])
    keep_texts(world, FIRST, SECOND)
    world.ledger.open(
        a_drop(
            id="9" * 32,
            name="ordres/typo.csv",
            key="ordres/typo.csv",
            state="unmatched",
            contract=None,
            plan=None,
            producer=None,
        )
    )
    for day in range(1, 31):
        if datetime(2026, 1, day, tzinfo=UTC).weekday() < 5 and day != MISSING_DAY:
            _file(world, plan, day)
    due, over, changed = (f"2026-01-{MISSING_DAY}T{at}:00.000000Z" for at in ("09:00", "23:00", "09:01"))
    absence = Absence("orders.v1", f"2026-01-{MISSING_DAY}", 1, 0, due, over, changed)
    world.ledger.write((), absence)
    return world


def _file(world: World, plan: Plan, day: int) -> None:
    """Let a file of a day go its way, in steps as the flow takes them."""
    state = "rejected" if day in REJECTED_DAYS else "failed" if day == FAILED_DAY else "accepted"
    state = "accepted_with_warnings" if day in WARNED_DAYS else state
    read = 9_000 + day * 137 % 2_400
    rejected = {"rejected": 870 + day * 11, "accepted_with_warnings": 12 + day}.get(state, 0)
    at = datetime(2026, 1, day, 8, 12 + day % 20, tzinfo=UTC)
    name = f"orders/2026-01-{day:02}.csv"
    drop = a_drop(
        id=keys.drop_id("landing", name, "v1"),
        name=name,
        key=name,
        plan=plan.sha,
        size=read * 41,
        sequencer=f"{day:04X}",
        received_at=stamp(at),
        uploaded_at=stamp(at),
        changed_at=stamp(at),
        source=Location(f"s3://landing/{name}", "v1"),
    )
    world.store.upload(drop.source, b"order_id,country,amount,ordered_on\n", drop.received_at)
    world.ledger.open(drop)
    problems = {
        "rejected": (WRONG,),
        "accepted_with_warnings": (LATE,),
        "failed": (Problem("job-failed", "the job ended without a result", "we look into it"),),
    }
    last: dict[str, Any] = {
        "problems": problems.get(state, ()),
        "rows": None if state == "failed" else RowCounts(read, read - rejected, rejected),
        "verdict": None if state == "failed" else state,
        "promoted": Promotion(name, 1, "e") if state.startswith("accepted") else None,
    }
    middle = "rejecting" if state == "rejected" else "promoting"
    for seconds, after, event in (
        (1, "staged", "staged"),
        (62, "validating", "claimed"),
        (101, middle, "found_bad" if state == "rejected" else "found_good"),
        (103, state, state),
    ):
        if state == "failed" and after == middle:
            continue
        changes: dict[str, Any] = {
            "state": after,
            "step": drop.step + 1,
            "version": drop.version + 1,
            "changed_at": stamp(at + timedelta(seconds=seconds)),
        }
        ended = {**last, "decided_at": changes["changed_at"]} if after == state else {}
        before, drop = drop, replace(drop, **changes, **ended)
        world.ledger.write((Transition(before, event, drop),))  # type: ignore[arg-type]
    if state != "failed":
        world.store.put(
            keys.attempt_results_uri(ZONES.results, drop.contract, drop.received_at, drop.id, drop.attempt),
            result_line.render(
                [
                    _line(
                        drop, check.id, check.severity, read, rejected if check.id == "amount.maximum" else day % 9 * 3
                    )
                    for check in plan.checks
                ]
            ),
            "application/gzip",
        )


def _line(drop: Drop, check: str, severity: Any, read: int, failed: int) -> ResultLine:
    fails = failed if check in ("amount.maximum", "country.minLength") else 0
    result = ("warning" if drop.verdict != "rejected" else "failed") if fails else "passed"
    return replace(of_record(drop), check_id=check, severity=severity, result=result, evaluated=read, failed=fails)  # type: ignore[arg-type]
