"""The table of results: a decided drop in; a line for each check and each other problem of its attempt out. Pure.

The JSON Schema of a line is `result_line.v1.schema.json`, beside this module and in docs/reference/schemas. Fields are
only added within v1; each is in every line, null where it means nothing. Values of classified properties are masked as
in the receipt.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from contracts import codec, rules
from contracts.decision import CheckResult, Decision, HeldAgainst, Result, VerdictName
from contracts.messages import tolerated_in_words
from contracts.plan import Check, Plan, Severity
from contracts.problem import Problem
from contracts.values.sql_text import literal, quoted_name
from functions.drop import OPEN, Drop, State
from functions.records.receipt import masked

OF_LEVEL: dict[str, Result] = {"error": "failed", "warning": "warning"}
"""The result of a problem without a check, by its level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLine:
    """The result of one check in one attempt of a drop, or a problem without a check; the last fields are the check's.

    `state` is that in which the attempt ends. `expected` is the rule in words, `tolerated` the rows that may fail it.
    `errors` are those of a set check, which counts no records. `metadata` is JSON. `failing_rows` is a query for Spark
    over the evidence. `trial` is reserved for trials: nothing writes lines of them.
    """

    drop_id: str
    attempt: int
    trial: bool = False
    state: State
    verdict: VerdictName | None
    key: str
    size: int
    contract: str | None
    version: str | None
    plan: str | None
    producer: str | None
    uploaded_at: str | None
    received_at: str
    decided_at: str | None
    begun_at: str | None = None
    batch: str | None
    run: int | None
    decided_by: str | None
    rows_read: int | None = None
    rows_valid: int | None = None
    rows_rejected: int | None = None
    check_id: str | None = None
    kind: str | None = None
    property: str | None = None
    dimension: str | None = None
    severity: Severity | None = None
    expected: str | None = None
    tolerated: str | None = None
    result: Result | None = None
    reason: str | None = None
    evaluated: int | None = None
    success: int | None = None
    failed: int | None = None
    nulls: int | None = None
    errors: int | None = None
    observed: str | None = None
    lacks: str | None = None
    history: HeldAgainst | None = None
    against: str | None = None
    problem: str | None = None
    message: str | None = None
    fix: str | None = None
    place: str | None = None
    metadata: str | None = None
    failing_rows: str | None = None


def lines(drop: Drop, plan: Plan | None, decision: Decision) -> Iterator[ResultLine]:
    """Yield the lines of an attempt with its decision."""
    attempt = replace(
        of_record(drop),
        state=_end(drop, decision),
        verdict=decision.verdict,
        version=plan.version if plan else None,
        decided_at=drop.decided_at or drop.changed_at,
        begun_at=decision.begun_at,
        rows_read=decision.rows.read,
        rows_valid=decision.rows.valid,
        rows_rejected=decision.rows.rejected,
    )
    problems = {problem.check: problem for problem in decision.problems if problem.check}
    checks = {check.id: check for check in plan.checks} if plan else {}
    shown = masked(decision, plan)
    if plan:
        for outcome in shown.checks:
            line = _of_check(attempt, plan, checks[outcome.id], outcome, decision)
            yield _of_problem(line, problem) if (problem := problems.get(outcome.id)) else line
    without = [problem for problem in decision.problems if problem.check not in checks or not shown.checks]
    for problem in without:
        result = OF_LEVEL[problem.level] if decision.verdict else "not_evaluated"
        yield _of_problem(replace(attempt, result=result), problem)
    if decision.failure:
        yield _of_problem(replace(attempt, result="error"), decision.failure)
    elif not shown.checks and not without:
        yield attempt


def of_record(drop: Drop) -> ResultLine:
    """Return the line of a drop that is not decided: its record, without a result."""
    return ResultLine(
        drop_id=drop.id,
        attempt=drop.attempt,
        state=drop.state,
        verdict=drop.verdict,
        key=drop.name,
        size=drop.size,
        contract=drop.contract,
        version=None,
        plan=f"sha256:{drop.plan}" if drop.plan else None,
        producer=drop.producer,
        uploaded_at=drop.uploaded_at or None,
        received_at=drop.received_at,
        decided_at=None,
        batch=drop.batch,
        run=drop.try_,
        decided_by=drop.override.by if drop.override else None,
    )


def render(each: Iterable[ResultLine]) -> bytes:
    """Return lines as JSON Lines in gzip: the same bytes for the same lines."""
    write = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    text = "".join(f"{write(codec.encode(line))}\n" for line in each)
    # A lone surrogate of a key becomes \udxxx, which is how JSON writes it.
    return gzip.compress(text.encode("utf-8", "backslashreplace"), mtime=0)


def _end(drop: Drop, decision: Decision) -> State:
    """Return the state in which an attempt with this decision ends; a drop that has ended stays as it is."""
    if drop.state not in OPEN:
        return drop.state
    if decision.verdict is None:
        return "failed" if decision.failure else "unmatched"
    return "observed" if drop.state == "promoting" and decision.verdict == "rejected" else decision.verdict


def _of_check(attempt: ResultLine, plan: Plan, check: Check, outcome: CheckResult, decision: Decision) -> ResultLine:
    general = plan.tolerance if check.severity == "error" and check.scope != "set" else None
    limit, metadata = check.tolerance or general, dict(check.about or {})
    if isinstance(check.rule, rules.ForeignKey):
        metadata["reference"] = {"name": check.rule.to, "version": outcome.against}
    evidence = decision.evidence if outcome.failed and check.scope != "set" else None
    return replace(
        attempt,
        check_id=check.id,
        kind=check.kind,
        property=check.property,
        dimension=check.dimension,
        severity=check.severity,
        expected=check.expected,
        tolerated=tolerated_in_words(limit) if limit else None,
        result=outcome.result,
        reason=outcome.reason,
        evaluated=outcome.evaluated,
        success=outcome.success,
        failed=outcome.failed,
        nulls=None if rules.forbids_null(check.rule) else outcome.null,
        errors=decision.errors.get(check.id),
        observed=outcome.observed,
        lacks=outcome.lacks,
        history=outcome.history,
        against=outcome.against,
        place=str(outcome.samples[0].place) if outcome.samples else None,
        metadata=json.dumps(metadata, ensure_ascii=False, sort_keys=True),
        failing_rows=_query(check, attempt, evidence) if evidence else None,
    )


def _of_problem(line: ResultLine, problem: Problem) -> ResultLine:
    return replace(
        line,
        property=line.property or problem.property,
        problem=problem.code,
        message=problem.message,
        fix=problem.fix,
        place=str(problem.place) if problem.place else line.place,
    )


def _query(check: Check, attempt: ResultLine, evidence: str) -> str:
    """Return a query for Spark: the records of an attempt that fail a check, with the cells that it judges."""
    names = dict.fromkeys((*check.reference, *check.properties()))
    cells = [f"cells[{literal(name)}] as {quoted_name(name)}" for name in names]
    listed = ", ".join(["record", *cells, *([] if names else ["raw"])])
    where = f"array_contains(checks, {literal(check.id)}) and drop = {literal(attempt.drop_id)}"
    rows = f"select {listed} from parquet.{quoted_name(evidence)} where {where}"  # noqa: S608 (a text)
    return f"{rows} and attempt = {attempt.attempt} order by record"
