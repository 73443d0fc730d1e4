"""The fast lane in the whole stack: a good file is accepted without Spark, a bad one gets Spark's verdict."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.job import JobResult
from contracts.plan import Plan
from functions import keys
from functions.drop import Drop
from functions.ports.jobs import FUNCTION
from infra.local.embedded import Embedded
from tests.builders import a_plan
from tests.e2e.conftest import World, alone

MIB = 2**20
LINE = b"%07d,a text of a usual length\n"
GOOD = b"id,note\n" + b"".join(LINE % n for n in range(MIB // len(LINE % 0)))
BAD = GOOD + b",without an id\n"
LANES: dict[str, Plan] = {
    "auto": a_plan("fast.v1", ("fast/*.csv",)),
    "spark": a_plan("slow.v1", ("slow/*.csv",), lane="spark"),
}
OWN = ("drop", "key", "received_at", "decided_at", "contract", "file", "promoted")
"""Fields of a receipt that differ between two uploads of the same bytes."""


@pytest.fixture(scope="module")
def lane(spark: SparkSession) -> Iterator[World]:
    """A stack with the fast lane."""
    with (
        alone(),
        Embedded(window_seconds=1, schedule_seconds=8, retry_seconds=1, spark=spark, fast_lane=True) as embedded,
    ):
        embedded.publish(list(LANES.values()))
        yield World(embedded, tuple(LANES.values()))
        assert embedded.guard.denied == [], "the template's policies forbid what the code does"


def engine(lane: World, drop: Drop) -> str:
    """Return what judged a drop."""
    uri = keys.result_uri(lane.ports.zones, drop.batch or "", drop.try_ or 0)
    return JobResult.loads(lane.ports.store.get(uri)).header.engine


def receipt(lane: World, drop: Drop) -> dict[str, Any]:
    """Return the receipt of a drop, without what is its own."""
    document: dict[str, Any] = json.loads(lane.ports.store.get(drop.receipt or ""))
    return {name: value for name, value in document.items() if name not in OWN}


def test_good_file_is_accepted_without_spark(lane: World) -> None:
    for name in ("first", "good", "again"):
        begun = time.monotonic()
        drop = lane.until(lane.upload(f"fast/{name}.csv", GOOD + name.encode() + b","), lambda d: d.state == "accepted")
        sys.stderr.write(f"\na {name} file of 1 MiB: accepted in {time.monotonic() - begun:.2f} s by the fast lane\n")
    assert engine(lane, drop) == "function"
    assert drop.rows
    assert (drop.rows.read, drop.rows.rejected) == (GOOD.count(b"\n"), 0)
    batch = lane.ports.ledger.batch(drop.batch or "")
    assert batch
    assert (batch.run or "").startswith(FUNCTION), "no run of EMR Serverless"


def test_receipt_is_that_of_spark(lane: World) -> None:
    fast, slow = (lane.settled(lane.upload(f"{folder}/same.csv", GOOD)) for folder in ("fast", "slow"))
    assert (engine(lane, fast), engine(lane, slow)) == ("function", "spark")
    assert receipt(lane, fast) == receipt(lane, slow)


def test_file_with_a_bad_line_gets_the_verdict_of_spark(lane: World) -> None:
    drop = lane.settled(lane.upload("fast/bad.csv", BAD))
    assert (engine(lane, drop), drop.state, drop.rows and drop.rows.rejected) == ("spark", "rejected", 1)
