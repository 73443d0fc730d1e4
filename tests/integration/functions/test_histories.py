"""The machine of `tests/histories.py` with objects and records in the embedded S3 and DynamoDB."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from functions import keys
from functions.aws.clients import Clients
from functions.aws.dynamodb import DynamoLedger
from functions.aws.s3 import S3Store
from functions.drop import Created, Drop
from infra.local.template.template import expand
from tests.fakes import TestClock
from tests.histories import STRICT, Histories, Played
from tests.integration.functions.conftest import TEMPLATE
from tests.integration.functions.memory import clear, seen_by, under_way
from tests.invariants import Seen

FIRST = int(os.environ.get("ORACLE_SEED", "1"))
SHORT = settings(max_examples=5, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck))
STEPS, AT_LEAST = 50, 1_000
"""Steps of one history; of all that one seed brings."""
LONG = settings(SHORT, max_examples=AT_LEAST // STEPS + 20, stateful_step_count=STEPS, database=None)
BUCKETS = ("landing", "internal", "promoted")


@dataclass
class OnAws(Played):
    """A world with objects and records in AWS; jobs and messages are played."""

    ids: list[str] = field(default_factory=list)

    def upload(self, name: str, body: bytes) -> str:
        self.versions += 1
        store: Any = self.store
        made = store._s3.put_object(Bucket="landing", Key=name, Body=body)
        etag, number = made["ETag"].strip('"'), f"{self.versions:04X}"
        self.events.append(Created("landing", name, made["VersionId"], etag, len(body), number, self.ports.at()))
        self.ids.append(keys.drop_id("landing", name, made["VersionId"]))
        self.version_of[self.ids[-1]] = made["VersionId"]
        return self.ids[-1]

    def drops(self) -> dict[str, Drop]:
        return {d.id: d for d in self.ledger.drops(self.ids)}

    def left(self) -> list[object]:
        return list(under_way(self.ledger))


def seen_of(world: OnAws) -> Seen:
    """Return what is in the world."""
    return seen_by(world.plain, world.ids, [world.jobs.requests[run] for run in world.jobs.working()])


class Now(TestClock):
    """A clock that begins with S3's time of the uploads."""

    def __init__(self) -> None:
        super().__init__()
        self._now = datetime.now(UTC)


@pytest.fixture(scope="module")
def make(clients: Clients) -> Callable[[], OnAws]:
    """Return a maker of empty worlds, one at a time."""
    made = expand(TEMPLATE, "us-east-1")["Resources"]["LedgerTable"]
    about = {name: made["Properties"][name] for name in ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")}
    for bucket in BUCKETS:
        clients.s3.create_bucket(Bucket=bucket)
        clients.s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})

    def fresh() -> OnAws:
        for bucket in BUCKETS:
            clear(bucket)
        table, db = uuid.uuid4().hex, clients.dynamodb
        db.create_table(TableName=table, BillingMode="PAY_PER_REQUEST", **about)
        store: Any = S3Store(clients.s3)
        ledger: Any = DynamoLedger(db, table)
        return OnAws((STRICT,), store, ledger, clock=Now())

    return fresh


def machine(fresh: Callable[[], OnAws]) -> type[Histories]:
    """The machine on worlds that are made so."""
    return type("OnAwsHistories", (Histories,), {"make": staticmethod(fresh), "see": staticmethod(seen_of), "steps": 0})


def test_any_history_on_aws_ends_well(make: Callable[[], OnAws]) -> None:
    run_state_machine_as_test(machine(make), settings=SHORT)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(FIRST, FIRST + 3))
def test_thousand_steps_on_aws_end_well(
    number: int, make: Callable[[], OnAws], record_property: Callable[[str, object], None]
) -> None:
    made = machine(make)
    run_state_machine_as_test(seed(number)(made), settings=LONG)
    record_property("steps of histories on AWS", made.steps)

    assert made.steps >= AT_LEAST
