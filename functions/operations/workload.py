"""Workloads: an announced file of a contract in, its drop, status and result as a data contract manager has them out.

The thesis "Data contracts as a quality enforcement tool under a Data Mesh architecture" (Politecnico di Torino,
2022/2023, section 3.2.3) names them so. Pure but for the ledger, which is only read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from math import isfinite
from typing import Any, Literal

from contracts import codec
from functions.drop import Drop, State
from functions.operations.listing import END_OF_TIME
from functions.ports.clock import moment
from functions.ports.drops import DropSearch

Status = Literal["Created", "RuntimeValidationInProgress", "Accepted", "Rejected", "Failed", "Ended"]
Outcome = Literal["OK", "WARNING", "NOK", "Running"]
Severity = Literal["fail", "warn"]
KEPT = timedelta(days=30)
"""The time for which a workload is kept."""
PAGE = 50
"""Drops that are read at a time."""
ENDS = re.compile(r"(-least|-most)?(-warning)?$")
"""The ends of ids of checks that one rule of the format 0.1.3 becomes."""

UNDER_WAY: tuple[Status, Outcome] = ("RuntimeValidationInProgress", "Running")
STATES: Mapping[State, tuple[Status, Outcome]] = {
    "received": UNDER_WAY,
    "gathering": UNDER_WAY,
    "staged": UNDER_WAY,
    "validating": UNDER_WAY,
    "promoting": UNDER_WAY,
    "rejecting": UNDER_WAY,
    "accepted": ("Accepted", "OK"),
    "accepted_with_warnings": ("Accepted", "WARNING"),
    "observed": ("Accepted", "WARNING"),
    "rejected": ("Rejected", "NOK"),
    "unmatched": ("Rejected", "NOK"),
    "failed": ("Failed", "NOK"),
    "vanished": ("Ended", "NOK"),
    "superseded": ("Ended", "NOK"),
    "noted": ("Ended", "OK"),
    "tried": ("Ended", "OK"),  # no workload has a trial: its drops are deliveries
}
"""The status and the result of a workload, by the state of its drop."""
BEFORE: tuple[Status, Outcome] = ("Created", "OK")
"""Those of a workload whose file has not come."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A file that is about to come; `data_contract` is id and version, `begun_at` a stamp.

    Without a `key` it is the first file of its contract that comes afterwards; `drop` is the file that came, once it is
    settled which. `rules` are those that a validation was started with, as JSON.
    """

    id: str
    data_contract: str
    contract: str
    producer: str
    begun_at: str
    key: str | None = None
    drop: str | None = None
    rules: tuple[str, ...] = ()
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """The outcome of a rule on a column: its metric, and if it holds by each severity that it has (None: not run).

    `crashed` is True if it failed by our fault.
    """

    id: str
    column: str | None
    metric: str | None
    fail: bool | None = None
    warn: bool | None = None
    severities: frozenset[Severity] = frozenset()
    crashed: bool = False


def standing(drop: Drop | None) -> tuple[Status, Outcome]:
    """Return the status and the result of a workload, by its drop."""
    return STATES[drop.state] if drop else BEFORE


def arrived(ledger: DropSearch, workload: Workload, now: datetime) -> Drop | None:
    """Return the first drop that came for a workload; None if none did."""
    newest_first = [drop for month in _months(workload, now) for drop in _since(ledger, workload, month)]
    return newest_first[-1] if newest_first else None


def _months(workload: Workload, now: datetime) -> Iterator[str]:
    """Yield the months since a workload began, the last first."""
    begun, at = moment(workload.begun_at), now
    while (at.year, at.month) >= (begun.year, begun.month):
        yield f"{at:%Y-%m}"
        at = at.replace(day=1) - timedelta(days=1)


def _since(ledger: DropSearch, workload: Workload, month: str) -> Iterator[Drop]:
    newest = ledger.newest(workload.contract, month, END_OF_TIME, PAGE)
    later = takewhile(lambda drop: drop.received_at >= workload.begun_at, newest)
    return (drop for drop in later if workload.key in (None, drop.name))


def pinned(workload: Workload, drop: Drop | None) -> Workload:
    """Return the workload with the file that came for it."""
    return replace(workload, drop=drop.id) if drop else workload


def dumps(workload: Workload) -> str:
    """Return a workload as a text."""
    return codec.canonical(workload)


def loads(text: str) -> Workload:
    """Return the workload of a text."""
    return codec.loads(Workload, text, "a workload")


def rule_outcomes(checks: Sequence[Mapping[str, Any]]) -> tuple[RuleOutcome, ...]:
    """Return the outcomes of the checks of a receipt, those of one rule and column together."""
    outcomes: dict[tuple[str, str | None], RuleOutcome] = {}
    for check in checks:
        name = rule_name(check["id"], check["property"])
        before = outcomes.get((name, check["property"]), RuleOutcome(name, check["property"], check["observed"]))
        outcomes[name, check["property"]] = _added(before, check)
    return tuple(outcomes.values())


def rule_name(check: str, column: str | None) -> str:
    """Return the id of the rule of the format 0.1.3 that a check was imported from; else the id of the check."""
    return ENDS.sub("", check).removesuffix(f"-{column}")


def _added(outcome: RuleOutcome, check: Mapping[str, Any]) -> RuleOutcome:
    """Return an outcome with one more check of its rule; a check that was not run holds for nobody."""
    result = check["result"]
    outcome = replace(outcome, crashed=outcome.crashed or result == "error")
    holds = None if result in ("not_evaluated", "error") else result == "passed"
    if check["severity"] == "warning":
        return _held(outcome, "warn", holds)
    if result == "warning":
        return _held(_held(outcome, "fail", True), "warn", False)
    return _held(outcome, "fail", holds)


def _held(outcome: RuleOutcome, severity: Severity, holds: bool | None) -> RuleOutcome:
    """Return an outcome that holds by a severity if it did so before, too."""
    both = [holds, getattr(outcome, severity)] if severity in outcome.severities else [holds]
    worst = False if False in both else None if None in both else True
    with_severity = replace(outcome, severities=outcome.severities | {severity})
    return replace(with_severity, fail=worst) if severity == "fail" else replace(with_severity, warn=worst)


def metric(observed: str | None) -> Any:
    """Return what a check measured: a number or a list where its text is one."""
    try:
        value = json.loads(observed or "null")
    except (ValueError, RecursionError):
        return observed
    plain = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value))
    return value if plain or isinstance(value, list) else observed
