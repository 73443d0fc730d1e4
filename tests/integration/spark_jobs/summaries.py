"""The table of results of a run of the job, as Spark reads its folder, and CloudDQ's summary as the view of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from contracts.job import JobResult
from contracts.plan import Plan
from contracts.verdict import decide
from functions import keys
from functions.drop import Drop, Location
from functions.records import result_line
from infra.packaging.bundles import ROOT

VIEW = (ROOT / "docs" / "reference" / "dq_summary.sql").read_text(encoding="utf-8")
RECEIVED = "2026-11-21T11:59:58.250000Z"


def stored(folder: Path, plan: Plan, **changes: Any) -> str:
    """Write the lines of each drop of a run as the functions do, and return the folder of the table."""
    result = JobResult.loads((folder / "result.jsonl").read_bytes())
    table = f"{folder}/results/"
    for facts in result.drops:
        drop = a_drop(facts.drop, plan, result.header.batch, result.header.try_, **changes)
        decision = replace(decide(plan, facts, result.header.checks), begun_at=result.header.started_at)
        path = Path(keys.attempt_results_uri(table, plan.contract, RECEIVED, facts.drop, facts.attempt))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(result_line.render(result_line.lines(drop, plan, decision)))
    return table


def dq_summary(spark: SparkSession, table: str) -> DataFrame:
    """Return the summary of a table, by the view of the documentation."""
    own = spark.newSession()  # whoever asks has a Spark of their own: the job's reads no files by name
    own.conf.set("spark.sql.runSQLOnFiles", "true")
    own.conf.set("spark.sql.session.timeZone", "UTC")
    own.read.json(table).createOrReplaceTempView("results")
    own.sql(VIEW.replace("create or replace view", "create or replace temporary view"))
    return own.table("dq_summary")


def a_drop(name: str, plan: Plan, batch: str, run: int, **changes: Any) -> Drop:
    """Return a drop that a batch has judged, as the ledger has it before its end."""
    return replace(
        Drop(
            id=name,
            bucket="landing",
            key=name,
            name=name,
            version_id="v1",
            etag="e",
            size=1,
            sequencer="",
            received_at=RECEIVED,
            changed_at=RECEIVED,
            source=Location(name),
            state="promoting",
            contract=plan.contract,
            plan=plan.sha,
            producer=plan.producer,
            batch=batch,
            try_=run,
        ),
        **changes,
    )
