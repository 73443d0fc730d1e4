"""The cost of a run of the schedule: counted at an emulated DynamoDB with few settled drops, and with very many."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from functions import keys
from functions.aws import items
from functions.schedule.reconcile import reconcile
from infra.local.cloud import Cloud
from infra.local.loopback import ACCOUNT
from infra.local.moto_patches.indexes import forget
from tests.builders import a_drop
from tests.integration.functions.by_hand import CLOCK, Site, running

FEW = 100
MANY = pytest.mark.parametrize("many", [1000, pytest.param(100_000, marks=pytest.mark.torture)])


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    with running(environment, cloud) as made:
        yield made


def settle(site: Site, begin: int, end: int) -> None:
    """Lay settled drops into the table: by its emulator, as a hundred thousand calls take minutes."""
    ledger: Any = site.ports.ledger
    table = dynamodb_backends[ACCOUNT]["us-east-1"].get_table(ledger._table)
    for n in range(begin, end):
        drop = a_drop(id=keys.digest(str(n)), state="rejected", receipt="s3://r", verdict="rejected")
        attributes = items.dumps(items.drop_item(drop))
        pk, sk = DynamoType(attributes["pk"]), DynamoType(attributes["sk"])
        table.items[pk][sk] = Item(pk, sk, attributes)
    forget(table)


def looked(site: Site) -> tuple[Counter[str], int]:
    """Return the calls of one run of the schedule, and the number of items that it gets."""
    given: list[int] = []
    db: Any = site.worlds[CLOCK].ledger
    db._db.meta.events.register("after-call", lambda parsed, **_: given.append(len(parsed.get("Items", []))))
    before = Counter(r.operation for r in site.cloud.requests if r.caller == CLOCK)
    troubles = reconcile(site.worlds[CLOCK])
    asked = Counter(r.operation for r in site.cloud.requests if r.caller == CLOCK)
    assert troubles == ()
    return asked - before, sum(given)


@MANY
def test_schedule_asks_no_more_of_many_settled_drops_than_of_few(site: Site, many: int) -> None:
    settle(site, 0, FEW)
    reconcile(site.worlds[CLOCK])
    few = looked(site)
    settle(site, FEW, many)
    after = looked(site)

    assert after == few
    assert after[1] == 0
    assert after[0].total() < 40, json.dumps(after[0])
