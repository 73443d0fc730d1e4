"""Results of the checks of all drops in, Parquet out: a row for each drop and check, as CloudDQ's `dq_summary` has it.

Of a thousand drops these are many rows. The driver hands on the figures alone, a list for each drop; Spark makes rows
of them, and puts beside each what is known of its check.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.sql import SparkSession

from contracts.job import Count, DropResult, JobRequest
from contracts.plan import Check, Plan
from contracts.verdict import made
from spark_jobs import frames, storage
from spark_jobs.reader import literal

FIGURES = ("evaluated", "failed", "nulls", "holds", "state")
"""What is handed on of a check in one drop: null, but for the state, if not counted; `holds` of set checks alone."""
STATES = ("counted", "error", "not_evaluated")
ABOUT = "struct<binding: string, id: string, dimension: string, property: string, severity: string>"


def write(spark: SparkSession, request: JobRequest, drops: Sequence[DropResult], at: str) -> None:
    """Write the results in place of what an earlier try left; `at` is when the run began."""
    checks = request.plan.checks
    rows = [
        (d.drop, d.attempt, [_figures(check, made(check, n)) for check, n in zip(checks, d.counts, strict=True)])
        for d in drops
        if d.counts
    ]
    lists = frames.small(spark, rows, "drop string, attempt int, lists array<array<long>>")
    each = lists.selectExpr("drop", "attempt", "posexplode(lists) as (nth, figures)")
    apart = [f"figures[{n}] as {name}" for n, name in enumerate(FIGURES)]
    known = each.selectExpr("drop", "attempt", f"{_about(request.plan)}[nth] as about", *apart)
    summary = known.selectExpr(*(f"{sql} as `{name}`" for name, sql in _columns(request, at).items()))
    summary.coalesce(1).write.mode("overwrite").parquet(storage.plain(request.evidence_checks))


def _figures(check: Check, count: Count) -> tuple[int | None, ...]:
    state = STATES.index(count.state)
    if state != 0:
        return None, None, None, None, state
    return count.evaluated, count.failed, count.null, _holds(check, count), state


def _holds(check: Check, count: Count) -> int | None:
    """Whether what a set check looked at is as it must be, as 1 or 0; of other checks the rows are told."""
    if check.scope != "set":
        return None
    seen = count.failed if count.figure is None else count.figure
    return int(check.threshold.holds(seen, count.evaluated) if check.threshold else count.failed == 0)


def _about(plan: Plan) -> str:
    """What is known of every check, as one constant in SQL."""
    each = [
        {
            "binding": f"{plan.contract}.{c.property}" if c.property else plan.contract,
            "id": c.id,
            "dimension": c.dimension,
            "property": c.property,
            "severity": c.severity,
        }
        for c in plan.checks
    ]
    return f"from_json({literal(json.dumps(each))}, 'array<{ABOUT}>')"


def _columns(request: JobRequest, at: str) -> dict[str, str]:
    """The columns of `dq_summary` that apply, and ours: drop, attempt, batch, try, severity, state."""
    states = ", ".join(map(literal, STATES))
    rows = {name: f"if(holds is null, {sql}, null)" for name, sql in _of_rows().items()}
    return {
        "execution_ts": f"to_timestamp({literal(at)})",
        "rule_binding_id": "about.binding",
        "rule_id": "about.id",
        "dimension": "about.dimension",
        "table_id": literal(request.plan.contract),
        "column_id": "about.property",
        "configs_hashsum": literal(request.plan.sha),
        "dq_run_id": "concat_ws('.', drop, attempt, about.id)",
        "invocation_id": literal(f"{request.batch}.{request.try_}"),
        "rows_validated": "evaluated",
        "complex_rule_validation_errors_count": "if(holds = 0, cast(failed as double), null)",
        "complex_rule_validation_success_flag": "holds = 1",
        **rows,
        "drop": "drop",
        "attempt": "attempt",
        "batch": literal(request.batch),
        "try": str(request.try_),
        "severity": "about.severity",
        "state": f"elt(state + 1, {states})",
    }


def _of_rows() -> dict[str, str]:
    counts = {"success": "evaluated - failed - nulls", "failed": "failed", "null": "nulls"}
    return {
        name: sql
        for what, count in counts.items()
        for name, sql in (
            (f"{what}_count", count),
            (f"{what}_percentage", f"try_divide(100 * ({count}), evaluated)"),
        )
    }
