"""A batch whose job died is split on an emulated DynamoDB, however few places there are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from functions.aws.clients import Clients
from functions.aws.dynamodb import DynamoLedger
from functions.flow.ingest import ingest
from functions.flow.splitting import MOST_TRIES
from infra.local.template.stack import Stack
from tests.builders import World, a_plan


@pytest.mark.parametrize("most", [1, 2, 3])
def test_dead_batch_is_split_however_few_places(most: int, clients: Clients, stack: Stack) -> None:
    ledger: Any = DynamoLedger(clients.dynamodb, stack.names["LedgerTable"])
    world = World((a_plan(version=f"1.0.{most}"),), ledger=ledger)
    world.ports = replace(world.ports, most_batches=most)
    world.kills = lambda drop: "bad" in drop.name
    good, bad = (world.upload(f"orders/{name}-{most}.csv", b"id,note\n1,a\n") for name in ("good", "bad"))
    for event in world.events:
        ingest(world.ports, event)
    world.deliver_windows()
    for _ in range(2 * MOST_TRIES):
        world.deliver_jobs(world.end_jobs())

    assert [world.drop(drop).state for drop in (good, bad)] == ["accepted", "failed"]
    assert ledger.taken_slots() == {}
