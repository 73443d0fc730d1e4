"""What becomes of drops, counted where it is written: so that no repeated event counts twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from functions.aws.dynamodb import DynamoLedger
from functions.aws.emr_serverless import EmrJobs, JobCode
from functions.ports import Lineage, RunStatus
from functions.submission import Drop, Event, Moved

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_emr_serverless import EMRServerlessClient

METRICS: dict[Event, str] = {
    "matched_nothing": "DropsUnmatched",
    "refused": "DropsRefused",
    "gone": "DropsVanished",
    "staged": "DropsStaged",
    "superseded": "DropsSuperseded",
    "promoted": "DropsAccepted",
    "promoted_with_warnings": "DropsAcceptedWithWarnings",
    "rejected": "DropsRejected",
    "failed": "DropsFailed",
    "replayed": "DropsReplayed",
}
"""The metric of each event that operators count; a refused drop is counted as rejected, too, when that is settled."""

RECEIVED = "DropsReceived"
WAITED = "JobQueueMinutes"


class CountedLedger(DynamoLedger):
    """The ledger, telling `count` of every write that took place."""

    def __init__(self, client: DynamoDBClient, table: str, count: Callable[[str], None]) -> None:
        super().__init__(client, table)
        self._count = count

    def open(self, drop: Drop) -> bool:
        opened = super().open(drop)
        if opened:
            self._count(RECEIVED)
        return opened

    def write(self, moves: Sequence[Moved], lineage: Lineage | None = None) -> None:
        super().write(moves, lineage)
        for move in moves:
            if name := METRICS.get(move.event):
                self._count(name)


class CountedJobs(EmrJobs):
    """Job runs, telling `count` of each that has ended how many minutes it waited to begin."""

    def __init__(self, client: EMRServerlessClient, job: JobCode, count: Callable[[str, float], None]) -> None:
        super().__init__(client, job)
        self._count = count

    def status(self, run: str) -> RunStatus:
        found = super().status(run)
        if found.waited is not None:
            self._count(WAITED, found.waited / 60)
        return found
