"""A stack with MaskEvidence, from the parameter to the job's files: no value of a classified property stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from infra.local.embedded import QUIET, Embedded
from spark_jobs import validate
from tests.e2e.conftest import World
from tests.unit.contracts.authoring.documents import a_document, a_plan

SECRET, OPEN = "zq7x9k", "vw5u3t"
"""Values that stand in no name and no document of ours."""
PROPERTIES = """
- {name: id, logicalType: integer}
- {name: name, logicalType: string, classification: restricted}
- {name: note, logicalType: string}
"""
ROWS = f"id,name,note\nx,{SECRET},{OPEN}\n2,b,c\n".encode()


@pytest.fixture
def world(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[World]:
    """A stack that masks or does not, with one contract of which a property is classified."""
    plan, events = a_plan(a_document(PROPERTIES)), list[dict[str, Any]]()
    with Embedded(
        window_seconds=1,
        job=validate.run,
        spark=spark,
        environment=QUIET,
        mask_evidence=request.param,
        listener=lambda event: events.append(dict(event)),
    ) as embedded:
        embedded.publish([plan])
        yield World(embedded, (plan,), events)
        assert embedded.guard.denied == []


@pytest.mark.parametrize(("world", "kept"), [(True, False), (False, True)], indirect=["world"])
def test_evidence_of_a_stack_that_masks_holds_no_classified_value(
    world: World, spark: SparkSession, *, kept: bool
) -> None:
    drop = world.settled(world.upload("shop/orders/1.csv", ROWS))
    assert drop.rows
    assert drop.rows.rejected == 1

    rows = spark.read.parquet(f"{world.ports.zones.evidence}rows/").collect()
    evidence = json.dumps([row.asDict(recursive=True) for row in rows], default=str)
    assert (SECRET in evidence, OPEN in evidence) == (kept, True)
    receipts = b"".join(body for name, body in world.objects("reports").items() if name.endswith((".json", ".html")))
    assert SECRET.encode() not in receipts
    assert world.embedded.settle(60)
    events = [event["detail"] for event in world.events if event["detail"]["subject"] == drop.id]
    assert events[-1]["data"]["problems"]
    assert SECRET not in json.dumps(events)
