"""The verdict: a plan and what the job counted in, a decision out. Pure, so that it can be taken again without Spark.

*Rejected* is the data's fault. *Failed* is ours: a crashed rule, figures that do not add up; then there is no verdict.
The rules stand in docs/semantics.md, one test for each line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from contracts import codec
from contracts.job import Count, DropResult, Sample
from contracts.plan import Check, Limit, Plan
from contracts.problem import Problem
from contracts.wording import explain

VerdictName = Literal["accepted", "accepted_with_warnings", "rejected"]
Result = Literal["passed", "warning", "failed", "error", "not_evaluated"]
ALLOWED_MISSING = "allowed-missing"
NO_ROWS = "no-rows"


@dataclass(frozen=True, slots=True)
class Rows:
    """How many records were read, and how many of them are valid or rejected; None where nobody could count."""

    read: int | None = None
    valid: int | None = None
    rejected: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check of the decision: the rule, what was counted, and what follows; figures are None where none were taken."""

    id: str
    kind: str
    property: str | None
    dimension: str
    severity: str
    result: Result
    evaluated: int | None
    success: int | None
    failed: int | None
    null: int | None
    observed: str | None
    expected: str
    reason: str | None = None
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a drop. `verdict` None means failed, and `failure` says why."""

    verdict: VerdictName | None
    rows: Rows
    checks: tuple[Outcome, ...] = ()
    problems: tuple[Problem, ...] = ()
    failure: Problem | None = None


@dataclass(frozen=True, slots=True)
class File:
    """The file a verdict is about; `sha256` in hexadecimal where it is known."""

    name: str
    size: int
    sha256: str | None = None


def refuse(problems: tuple[Problem, ...]) -> Decision:
    """The decision of admission: rejected without a look at the rows."""
    return Decision("rejected", Rows(), problems=problems)


def fail(failure: Problem) -> Decision:
    """The decision when we could not judge."""
    return Decision(None, Rows(), failure=failure)


def decide(plan: Plan, facts: DropResult, checks: tuple[str, ...]) -> Decision:
    """Judge one drop; `checks` are the ids in the order of `facts.counts`, as the result's header names them."""
    if facts.failure:
        return fail(facts.failure)
    if fault := _inconsistent(plan, facts, checks):
        return fail(fault)
    counts = dict(zip(checks, facts.counts, strict=True))
    outcomes = tuple(_outcome(plan, check, counts[check.id], facts) for check in plan.checks)
    rows = Rows(facts.read, facts.valid, facts.rejected)
    crashed = [o for o in outcomes if o.result == "error"]
    if crashed:
        reason = f"The check `{crashed[0].id}` could not run: {crashed[0].reason or 'no reason given'}."
        fix = "Nothing is wrong with the file as far as we know; we look into it and judge it again."
        return Decision(None, rows, outcomes, failure=Problem("check-crashed", reason, fix, property=crashed[0].property))
    problems = (*facts.notes, *_file_problems(plan, facts), *(p for o in outcomes if (p := explain(o, facts.read))))
    return Decision(_verdict(outcomes, problems, facts), rows, outcomes, problems)


def document(decision: Decision, plan: Plan | None, file: File) -> dict[str, Any]:
    """The JSON document of a verdict, the same in `dropgate test` and in the receipt."""
    contract = None if plan is None else {"id": plan.id, "version": plan.version, "plan": f"sha256:{plan.sha}"}
    body: Mapping[str, Any] = codec.encode(decision)
    return {
        "verdict": body["verdict"],
        "contract": contract,
        "file": codec.encode(file),
        "rows": body["rows"],
        "checks": body["checks"],
        "problems": body["problems"],
        "failure": body["failure"],
    }


def _inconsistent(plan: Plan, facts: DropResult, checks: tuple[str, ...]) -> Problem | None:
    """What does not add up in the facts: nothing may be decided on them then."""
    fix = "Nothing is wrong with the file as far as we know; we look into it and judge it again."
    if facts.read != facts.valid + facts.rejected:
        text = f"Of {facts.read:,} records read, {facts.valid:,} are valid and {facts.rejected:,} rejected: they do not add up."
        return Problem("rows-do-not-add-up", text, fix)
    if set(checks) != {c.id for c in plan.checks} or len(facts.counts) != len(checks):
        return Problem("checks-do-not-match", "The job's result does not answer the checks of the plan.", fix)
    errors = sum(1 << n for n, c in enumerate(plan.row_checks()) if c.severity == "error")
    rejected = sum(rows for mask, rows in facts.masks if int(mask, 16) & errors)
    if rejected > facts.rejected or (rejected != facts.rejected and not facts.overflow):
        text = f"{rejected:,} records fail a check, {facts.rejected:,} lie in evidence: they do not add up."
        return Problem("rows-do-not-add-up", text, fix)
    return None


def _outcome(plan: Plan, check: Check, count: Count, facts: DropResult) -> Outcome:
    state, reason = count.state, count.reason
    if state == "counted" and check.scope != "set" and not facts.read:
        state, reason = "not_evaluated", NO_ROWS
    figures = (count.evaluated, count.evaluated - count.failed - count.null, count.failed, count.null)
    known = figures if state == "counted" else (None, None, None, None)
    result: Result = _result(plan, check, count) if state == "counted" else state
    head = (check.id, check.kind, check.property, check.dimension, check.severity)
    return Outcome(*head, result, *known, count.observed, check.expected, reason, count.samples)


def _result(plan: Plan, check: Check, count: Count) -> Result:
    if check.threshold:
        within = check.threshold.holds(count.failed, count.evaluated)
        return "passed" if within else ("failed" if check.severity == "error" else "warning")
    limit = check.tolerance or (plan.tolerance if check.severity == "error" and check.scope != "set" else None)
    within = count.failed == 0 if limit is None else limit.allows(count.failed, count.evaluated)
    if check.severity == "warning":
        return "passed" if within else "warning"
    return "failed" if not within else "warning" if count.failed else "passed"


def _file_problems(plan: Plan, facts: DropResult) -> list[Problem]:
    found = []
    if not facts.read and plan.empty != "accept":
        level: Literal["error", "warning"] = "error" if plan.empty == "reject" else "warning"
        found.append(Problem("no-records", "The file holds a header and no records.", "Send the file with its records.", level))
    if plan.tolerance and not plan.tolerance.allows(facts.rejected, facts.read):
        found.append(_too_many(plan.tolerance, facts))
    return found


def _too_many(limit: Limit, facts: DropResult) -> Problem:
    text = f"{facts.rejected:,} of {facts.read:,} records are rejected; the contract tolerates {limit}."
    return Problem("too-many-rejected", text, "Correct the rows in rejected.csv, the most frequent reason first, and send the whole file again.")


def _verdict(outcomes: tuple[Outcome, ...], problems: tuple[Problem, ...], facts: DropResult) -> VerdictName:
    blocked = any(o.severity == "error" and o.result == "not_evaluated" and o.reason not in (ALLOWED_MISSING, NO_ROWS) for o in outcomes)
    if blocked or any(o.result == "failed" for o in outcomes) or any(p.level == "error" for p in problems):
        return "rejected"
    if facts.rejected or any(o.result == "warning" for o in outcomes) or any(p.level == "warning" for p in problems):
        return "accepted_with_warnings"
    return "accepted"
