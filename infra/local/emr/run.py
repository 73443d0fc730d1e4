"""Job runs: the states of EMR Serverless, the job in terms of a local Spark, the run and its state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/job-states.html
WAITING = ("SUBMITTED", "QUEUED", "PENDING", "SCHEDULED")
ENDED = ("SUCCESS", "FAILED", "CANCELLED")
STATES = (*WAITING, "RUNNING", "CANCELLING", *ENDED)

DEFAULT_TIMEOUT_MINUTES = 720


@dataclass(frozen=True, slots=True)
class Application:
    """The one application of the double."""

    id: str
    arn: str
    release_label: str
    region: str
    max_concurrent_runs: int


@dataclass(frozen=True, slots=True)
class JobSpec:
    """The work of a run, in terms of a local Spark."""

    token: str
    name: str
    entry_point: str
    arguments: tuple[str, ...]
    py_files: tuple[str, ...]
    archives: tuple[str, ...]
    settings: Mapping[str, str]
    execution_role: str
    iam_policy: str | None
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """A job run in its current state; `asked` is its request."""

    id: str
    arn: str
    created_by: str
    spec: JobSpec
    asked: Mapping[str, Any]
    state: str
    details: str
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
