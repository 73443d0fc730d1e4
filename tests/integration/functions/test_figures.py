"""Work beside settled drops, few and very many, counted at an emulated DynamoDB: a run of the schedule, and a drop."""

from __future__ import annotations

import gc
import json
import time
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

FEW, DROPS, ROUNDS = 100, 10, 4
MANY = pytest.mark.parametrize("many", [1000, pytest.param(100_000, marks=pytest.mark.torture)])
BESIDE = pytest.mark.parametrize("many", [20_000, pytest.param(1_000_000, marks=pytest.mark.torture)])
NOISE = 2
"""CPU is measured, beside other tests; work that grew with the ledger took 20 times as much beside a million."""


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    with running(environment, cloud) as made:
        yield made


class SettledItem(Item):
    """A settled drop that shares all but its names with the others: some 500 bytes each, and not 20 kB."""

    shared: dict[str, DynamoType]

    def __init__(self, pk: DynamoType, sk: DynamoType) -> None:
        self.hash_key, self.range_key = pk, sk

    @property
    def attrs(self) -> Any:  # type: ignore[override]
        """Its attributes, made when they are asked for."""
        name = DynamoType({"S": self.hash_key.value.removeprefix("D#")})
        return self.shared | {"pk": self.hash_key, "id": name, "key": name, "name": name}


def settle(site: Site, begin: int, end: int) -> None:
    """Lay settled drops into the table: by its emulator, as a hundred thousand calls take minutes."""
    drop = a_drop(state="rejected", receipt="s3://r", verdict="rejected")
    attributes = items.dumps(items.drop_item(drop))
    SettledItem.shared = {name: DynamoType(value) for name, value in attributes.items()}
    table, sk = table_of(site), DynamoType(attributes["sk"])
    for n in range(begin, end):
        pk = DynamoType({"S": items.drop_key(keys.digest(str(n)))[0]})
        table.items[pk][sk] = SettledItem(pk, sk)
    forget(table)
    gc.collect()
    gc.freeze()  # else Python's collector walks all of them during what is measured


def table_of(site: Site) -> Any:
    ledger: Any = site.ports.ledger
    return dynamodb_backends[ACCOUNT]["us-east-1"].get_table(ledger._table)


def drops(site: Site, folder: str) -> tuple[Counter[str], float]:
    """Take some drops from upload to receipt; return the calls for all of them, and the seconds of CPU of each."""
    functions = site.stack.functions.keys() - {CLOCK}
    begin, start = len(site.cloud.requests), time.process_time()
    uploaded = [site.upload(f"orders/{folder}-{n}.csv") for n in range(DROPS)]
    while site.deliver():
        pass
    seconds = (time.process_time() - start) / DROPS
    assert set(site.states(*uploaded)) == {"accepted"}
    return Counter(r.operation for r in list(site.cloud.requests)[begin:] if r.caller in functions), seconds


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


@BESIDE
def test_drops_take_the_same_work_beside_many_settled_drops(site: Site, many: int) -> None:
    drops(site, f"warm-{many}")
    settle(site, 0, FEW)
    few = [drops(site, f"few-{many}-{n}") for n in range(ROUNDS)]
    settle(site, FEW, many)
    after = [drops(site, f"many-{many}-{n}") for n in range(ROUNDS)]
    gc.unfreeze()

    assert {json.dumps(calls, sort_keys=True) for calls, _ in after} == {
        json.dumps(calls, sort_keys=True) for calls, _ in few
    }
    seconds = [min(cpu for _, cpu in each) for each in (few, after)]
    assert seconds[1] < NOISE * seconds[0], seconds
