"""Runs and the application in, the documents that the EMR Serverless API answers with out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from infra.local.emr.run import DEFAULT_TIMEOUT_MINUTES, Application, Run

_PAGE = 50


def described_application(application: Application, created_at: datetime) -> dict[str, Any]:
    """Write the application as GetApplication does."""
    at = created_at.timestamp()
    return {
        "applicationId": application.id,
        "arn": application.arn,
        "releaseLabel": application.release_label,
        "type": "SPARK",
        "state": "STARTED",
        "createdAt": at,
        "updatedAt": at,
        "schedulerConfiguration": {"maxConcurrentRuns": application.max_concurrent_runs},
    }


def listed(application: Application, runs: list[Run], query: Mapping[str, list[str]]) -> dict[str, Any]:
    """Write one page of the runs that ListJobRuns's query asks for."""
    after, before = (query.get(name, [""])[0] for name in ("createdAtAfter", "createdAtBefore"))
    wanted = [
        run
        for run in runs
        if run.state in query.get("states", [run.state])
        and (not after or run.created_at >= datetime.fromisoformat(after))
        and (not before or run.created_at <= datetime.fromisoformat(before))
    ]
    first = int(query.get("nextToken", ["0"])[0])
    end = first + int(query.get("maxResults", [str(_PAGE)])[0])
    more = {"nextToken": str(end)} if end < len(wanted) else {}
    # .../APIReference/API_JobRunSummary.html
    summaries = [{**_common(application, run), "id": run.id, "type": "SPARK"} for run in wanted[first:end]]
    return {"jobRuns": summaries, **more}


def described(application: Application, run: Run) -> dict[str, Any]:
    """Write a run as GetJobRun does (docs.aws.amazon.com/emr-serverless/latest/APIReference/API_JobRun.html)."""
    asked = run.asked
    given = {name: asked[name] for name in ("executionIamPolicy", "configurationOverrides", "tags") if name in asked}
    times = {"startedAt": run.started_at, "endedAt": run.ended_at}
    return {
        **_common(application, run),
        **given,
        **{name: at.timestamp() for name, at in times.items() if at},
        "jobRunId": run.id,
        "jobDriver": asked["jobDriver"],
        "executionTimeoutMinutes": asked.get("executionTimeoutMinutes", DEFAULT_TIMEOUT_MINUTES),
        "retryPolicy": {"maxAttempts": 1},
    }


def _common(application: Application, run: Run) -> dict[str, Any]:
    return {
        "applicationId": application.id,
        **({"name": run.spec.name} if run.spec.name else {}),
        "arn": run.arn,
        "createdBy": run.created_by,
        "createdAt": run.created_at.timestamp(),
        "updatedAt": run.updated_at.timestamp(),
        "executionRole": run.spec.execution_role,
        "state": run.state,
        "stateDetails": run.details,
        "releaseLabel": application.release_label,
        "mode": "BATCH",
        "attempt": 1,
        "attemptCreatedAt": run.created_at.timestamp(),
        "attemptUpdatedAt": run.updated_at.timestamp(),
    }
