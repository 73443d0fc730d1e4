"""Metrics of drops, counted where their state is written, so that a repeated event is not counted twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from functions.aws.dynamodb import DynamoLedger
from functions.drop import Drop, Event, Transition
from functions.ports.expected_files import Absence
from functions.ports.ledger import TransactionItem
from functions.ports.promises import PromiseStep

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

METRICS: dict[Event, str] = {
    "matched_nothing": "DropsUnmatched",
    "refused": "DropsRefused",
    "gone": "DropsVanished",
    "staged": "DropsStaged",
    "superseded": "DropsSuperseded",
    "promoted": "DropsAccepted",
    "promoted_with_warnings": "DropsAcceptedWithWarnings",
    "promoted_all_the_same": "DropsObserved",
    "rejected": "DropsRejected",
    "failed": "DropsFailed",
    "replayed": "DropsReplayed",
    "replayed_to_retract": "DropsReplayed",
}
"""The metric of each event that operators count; a refused drop is also counted as rejected, when it is settled."""

OF_TRIALS: dict[Event, str] = {"tried": "TrialsEnded", "failed": "DropsFailed"}
"""The same of trials: what fails is ours to mend, and nothing else of them counts among drops."""

RECEIVED = "DropsReceived"
MISSING = "FilesMissing"
MISSED = "PromisesMissed"


class CountedLedger(DynamoLedger):
    """The ledger, telling `count` of every write that took place."""

    def __init__(self, client: DynamoDBClient, table: str, count: Callable[[str], None]) -> None:
        super().__init__(client, table)
        self._count = count

    def open(self, drop: Drop) -> Drop:
        opened = super().open(drop)
        if opened is drop and not drop.trial:
            self._count(RECEIVED)
        return opened

    def write(self, moves: Sequence[Transition], *beside: TransactionItem) -> None:
        super().write(moves, *beside)
        for move in moves:
            if name := (OF_TRIALS if move.drop.trial else METRICS).get(move.event):
                self._count(name)
        for item in beside:
            if isinstance(item, Absence) and item.state == "missing":
                self._count(MISSING)
            if isinstance(item, PromiseStep) and item.state == "missed":
                self._count(MISSED)
