"""Results of the checks of all drops in, Parquet out: a row for each drop and check, in the columns of CloudDQ.

A thousand drops make many rows. The driver passes only numbers, a list for each drop; Spark makes rows of them, and
adds the description of each check.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from contracts import rules
from contracts.job import Count, DropResult, JobRequest
from contracts.plan import Check
from contracts.values.sql_text import literal, quoted_name
from contracts.verdict import NO_ROWS, made
from spark_jobs.spark import small_frames, storage

FIGURES = ("evaluated", "failed", "nulls", "holds", "state")
"""The numbers of a check in one drop: null, except the state, if it is not counted; `holds` is of set checks only."""
QUERY = "about.query || ' and drop = \\'' || drop || '\\' and attempt = ' || attempt || ' order by record'"
STATES = ("counted", "error", "not_evaluated")
ABOUT = """struct<binding: string, id: string, dimension: string, property: string, severity: string, metadata: string,
nulls: boolean, query: string>"""
SCHEMA = "drop string, attempt int, modified string, at string, lists array<array<long>>"
"""The row of a drop. `at` is not a constant: Spark would compile its code again for the time of each run."""


def write(spark: SparkSession, request: JobRequest, drops: Sequence[DropResult], at: str) -> None:
    """Write the results, replacing those of an earlier try; `at` is when the run began."""
    checks = request.plan.checks
    came = {d.id: d.modified for d in request.drops}
    rows = [
        (
            d.drop,
            d.attempt,
            came[d.drop],
            at,
            [_figures(check, made(check, n)) for check, n in zip(checks, d.counts, strict=True)],
        )
        for d in drops
        if d.counts
    ]
    lists = small_frames.small(spark, rows, SCHEMA)
    each = lists.selectExpr("drop", "attempt", "modified", "at", "posexplode(lists) as (nth, figures)")
    figures = [f"figures[{n}] as {name}" for n, name in enumerate(FIGURES)]
    described = each.selectExpr("drop", "attempt", "modified", "at", f"{_about(request)}[nth] as about", *figures)
    summary = described.selectExpr(*(f"{sql} as `{name}`" for name, sql in _columns(request).items()))
    summary.coalesce(1).write.mode("overwrite").parquet(storage.plain(request.evidence_checks))


def _figures(check: Check, count: Count) -> tuple[int | None, ...]:
    state = STATES.index(count.state)
    if isinstance(check.rule, rules.Statement) and count.reason == NO_ROWS:
        return 0, 0, None, 1, state  # a statement over no rows finds none
    if check.threshold and check.threshold.relative:
        return None, None, None, None, STATES.index("not_evaluated")  # the job does not know earlier files
    if state != 0:
        return None, None, None, None, state
    failed, holds = count.failed, None
    if check.scope == "set":  # of other checks the rows are counted
        figure = count.failed if count.figure is None else count.figure
        holds = int(check.threshold.holds(figure, count.evaluated) if check.threshold else count.failed == 0)
    if holds is not None:  # errors: the rows that fail or that a statement returns; 1 for a figure beyond its limit
        is_statement = isinstance(check.rule, rules.Statement)
        failed = 0 if holds else int(count.figure or 0) if is_statement else count.failed or 1
    return count.evaluated, failed, count.null, holds, state


def _about(request: JobRequest) -> str:
    """Return the description of every check, as one constant in SQL.

    Its metadata are the attributes by its author, and the version of its reference.
    """
    plan, versions = request.plan, {pin.name: pin.version for pin in request.references}
    each, folder = [], quoted_name(storage.plain(request.evidence_rows))
    for c in plan.checks:
        metadata: dict[str, Any] = dict(c.about or {})
        if isinstance(c.rule, rules.ForeignKey):
            metadata["reference"] = {"name": c.rule.to, "version": versions.get(c.rule.to)}
        query = None
        if c.scope != "set":  # the beginning of a Spark query for the records in the evidence that fail the check
            names = dict.fromkeys((*c.reference, *c.properties()))
            cells = [f"cells[{literal(name)}] as {quoted_name(name)}" for name in names]
            listed = ", ".join(["record", *cells, *([] if names else ["raw"])])
            query = f"select {listed} from parquet.{folder} where array_contains(checks, {literal(c.id)})"  # noqa: S608 (a text)
        described = {
            "binding": f"{plan.contract}.{c.property}" if c.property else plan.contract,
            "id": c.id,
            "dimension": c.dimension,
            "property": c.property,
            "severity": c.severity,
            "metadata": json.dumps(metadata, ensure_ascii=False, sort_keys=True),
            "nulls": not isinstance(c.rule, rules.ForbidsNull),
            "query": query,
        }
        each.append(described)
    return f"from_json({literal(json.dumps(each))}, 'array<{ABOUT}>')"


def _columns(request: JobRequest) -> dict[str, str]:
    """Return the columns of `dq_summary`, null if we have no such value, and ours: drop, attempt, batch and so on."""
    states = ", ".join(map(literal, STATES))
    counts = {"success": "evaluated - failed - nulls", "failed": "failed", "null": "if(about.nulls, nulls, null)"}
    rows: dict[str, str] = {}
    for what, count in counts.items():
        rows[f"{what}_count"] = f"if(holds is null, {count}, null)"
        rows[f"{what}_percentage"] = f"if(holds is null, try_divide(100 * ({count}), evaluated), null)"
    return {
        "execution_ts": "to_timestamp(at)",
        "rule_binding_id": "about.binding",
        "rule_id": "about.id",
        "dimension": "about.dimension",
        "table_id": literal(request.plan.contract),
        "column_id": "about.property",
        "last_modified": "to_timestamp(modified)",
        "metadata_json_string": "about.metadata",
        "configs_hashsum": literal(request.plan.sha),
        **dict.fromkeys(("dataplex_lake", "dataplex_zone", "dataplex_asset_id"), "cast(null as string)"),
        "dq_run_id": "concat_ws('.', drop, attempt, about.id)",
        "invocation_id": literal(f"{request.batch}.{request.try_}"),
        "progress_watermark": "true",
        "rows_validated": "evaluated",
        "complex_rule_validation_errors_count": "if(holds is null, null, cast(failed as double))",
        "complex_rule_validation_success_flag": "holds = 1",
        **rows,
        "failed_records_query": f"if(failed > 0, {QUERY}, null)",
        "drop": "drop",
        "attempt": "attempt",
        "batch": literal(request.batch),
        "try": str(request.try_),
        "severity": "about.severity",
        "state": f"elt(state + 1, {states})",
    }
