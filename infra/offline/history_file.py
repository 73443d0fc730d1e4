"""A file of earlier results for `dropgate test`: lines of `dropgate results` in, the history of a local file out.

The pipeline's own code decides which files count. A line needs no more keys than `check_id` and its figure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from contracts import rules
from contracts.plan import Check, Plan
from contracts.terms.history import Figure, Past
from functions.drop import Drop, Location
from functions.ports.clock import stamp
from functions.promotion.history import past_of
from functions.records.receipts import ACCEPTED

UNTIMED = "1970-01-01T00:00:00.000000Z"
"""The time of a line that has none: lines without a time count in their order, the newest first."""


class NotHistory(ValueError):
    """A file that is no file of results; the message names the line, the fault and the fix."""


@dataclass(frozen=True, slots=True)
class EarlierFiles:
    """The accepted files of some lines, the newest first."""

    drops: tuple[Drop, ...] = ()

    def history(self, plan: Plan, name: str, at: datetime) -> Mapping[str, Past]:
        """Return the figures that an upload is held against, by check; `name` is its key below landing."""
        drop = _drop(plan, name, stamp(at.astimezone(UTC)))
        before = tuple(each for each in self.drops if each.received_at <= drop.received_at)
        return {check: past_of(check, relative, plan, drop, before) for check, relative in plan.relative.items()}


def read(plan: Plan, lines: Iterable[str]) -> EarlierFiles:
    """Return the accepted files of some lines, each by its last attempt; raise NotHistory for other lines."""
    checks = {check.id: check for check in plan.checks if check.id in plan.relative}
    rows = [(n, _row(n, line)) for n, line in enumerate(lines, 1) if line.strip()]
    rows = [(n, row) for n, row in rows if row.get("contract", plan.contract) == plan.contract]
    last: dict[str, int] = {}
    for n, row in rows:
        last[_name(n, row)] = max(_attempt(n, row), last.get(_name(n, row), 1))
    drops: dict[str, Drop] = {}
    for n, row in rows:
        name, check = _name(n, row), checks.get(str(row.get("check_id")))
        if check is None or row.get("state", "accepted") not in ACCEPTED or _attempt(n, row) != last[name]:
            continue
        if figure := _figure(n, check, row):
            drop = drops.get(name) or _drop(plan, str(row.get("key", name)), _time(n, plan, check, row))
            drops[name] = replace(drop, figures={**drop.figures, check.id: figure})
    return EarlierFiles(tuple(sorted(drops.values(), key=lambda drop: drop.received_at, reverse=True)))


def _row(n: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise NotHistory(f"line {n} is no JSON object; write one for each result, as `dropgate results` does.")
    return row


def _name(n: int, row: Mapping[str, Any]) -> str:
    return str(row.get("drop_id", f"line {n}"))


def _attempt(n: int, row: Mapping[str, Any]) -> int:
    attempt = row.get("attempt", 1)
    if isinstance(attempt, bool) or not isinstance(attempt, int):
        raise NotHistory(f"line {n}: `attempt` is no whole number.")
    return attempt


def _time(n: int, plan: Plan, check: Check, row: Mapping[str, Any]) -> str:
    """Return when a file was received; it may be unknown unless the check asks for its weekday."""
    written = row.get("received_at")
    if written is None and not plan.relative[check.id].weekday:
        return UNTIMED
    try:
        moment = datetime.fromisoformat(str(written))
    except ValueError as error:
        message = f"line {n}: `received_at` is no time; `{check.id}` needs one, as 2026-01-31T05:30:00Z."
        raise NotHistory(message) from error
    return stamp(moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))


def _figure(n: int, check: Check, row: Mapping[str, Any]) -> Figure | None:
    """Return the figure of a line, as a check of its kind has it; None if the check was not made."""
    if isinstance(check.rule, rules.RowCount):
        return _number(n, row, "evaluated")
    if isinstance(check.rule, rules.Limited):
        return _number(n, row, "observed")
    failed = _number(n, row, "failed")
    if failed is None or check.threshold is None or check.threshold.unit != "percent":
        return failed
    evaluated = _number(n, row, "evaluated")
    return replace(failed, of=int(evaluated.value)) if evaluated else None


def _number(n: int, row: Mapping[str, Any], key: str) -> Figure | None:
    written = row.get(key)
    if written is None:
        return None
    try:
        value = Decimal(str(written))
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise NotHistory(f"line {n}: `{key}` of `{row.get('check_id')}` is `{written!s:.40}`, which is no number.")
    return Figure(value)


def _drop(plan: Plan, name: str, at: str) -> Drop:
    """Return an upload as the ledger has it, as far as a history needs it."""
    return Drop(
        id=name,
        bucket="",
        key=name,
        name=name,
        version_id="",
        etag="",
        size=0,
        sequencer="",
        received_at=at,
        changed_at=at,
        source=Location(name),
        contract=plan.contract,
    )
