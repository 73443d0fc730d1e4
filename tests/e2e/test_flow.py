"""The flow under what a cloud does: events repeated and lost, windows, replays; and what it leaves behind."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from infra.cli.main import main
from infra.local.emr_events import EventFaults
from infra.local.events import deliver, object_created
from tests.e2e.cases import GOOD, HEADER
from tests.e2e.conftest import World

BAD = HEADER + b"1,=cmd(),2,2026-01-31\n2,b,x,\n3,c,-4,2026-13-01\n4,d,1,\n"


def test_second_event_for_a_version_changes_nothing(world: World) -> None:
    drop = world.settled(world.upload("orders/again.csv", GOOD))
    runs, history = len(world.embedded.emr.calls), world.ports.ledger.history(drop.id)
    event = object_created(drop.bucket, "us-east-1", drop.key, drop.size, drop.etag, drop.version_id, "PutObject")
    deliver(event)
    deliver(event)
    assert world.embedded.settle(60)
    assert world.ports.ledger.history(drop.id) == history
    assert [c for c in list(world.embedded.emr.calls)[runs:] if c.action.endswith("StartJobRun")] == []


@pytest.fixture
def lost_events(world: World) -> Iterator[None]:
    """EMR Serverless's events do not arrive; S3's do."""
    world.embedded.emr.faults = EventFaults(lose=frozenset({"SUCCESS", "FAILED"}))
    yield
    world.embedded.emr.faults = EventFaults()


@pytest.mark.usefixtures("lost_events")
def test_reconciler_finishes_when_events_are_lost(world: World) -> None:
    drop = world.settled(world.upload("orders/silent.csv", GOOD))
    assert (drop.state, drop.attempt, drop.try_) == ("accepted", 1, 1)


def test_repeated_job_events_change_nothing(world: World) -> None:
    world.embedded.emr.faults = EventFaults(repeat=3)
    drop = world.settled(world.upload("orders/echo.csv", GOOD))
    assert world.embedded.settle(60)
    world.embedded.emr.faults = EventFaults()
    states = [s.state for s in world.ports.ledger.history(drop.id)]
    assert states == ["received", "staged", "validating", "promoting", "accepted"]


def test_rejected_rows_come_back_with_reasons(world: World, spark: SparkSession) -> None:
    drop = world.settled(world.upload("orders/bad-rows.csv", BAD))
    assert (drop.state, drop.rows and (drop.rows.read, drop.rows.valid, drop.rows.rejected)) == ("rejected", (4, 2, 2))
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    rejected = world.ports.store.get(drop.receipt.replace("receipt.json", receipt["rejected_csv"])).decode()
    rows = list(csv.reader(io.StringIO(rejected)))
    assert rows == [
        ["id", "name", "amount", "day", "_record", "_reasons"],
        ["2", "b", "x", "", "2", "amount.logicalType"],
        ["3", "c", "-4", "2026-13-01", "3", "amount.minimum; day.logicalType"],
    ]
    evidence = spark.read.parquet(f"{world.ports.zones.evidence}rows/").where(f"drop = '{drop.id}'")
    found = sorted((r.record, r.outcome, r.cells["id"], list(r.checks)) for r in evidence.collect())
    assert found == [
        (2, "rejected", "2", ["amount.logicalType"]),
        (3, "rejected", "3", ["amount.minimum", "day.logicalType"]),
    ]


def test_corrected_file_with_our_columns_is_accepted(world: World) -> None:
    corrected = b"id,name,amount,day,_record,_reasons\n2,b,5,,2,amount.logicalType\n3,c,4,2026-12-01,3,\n"
    drop = world.settled(world.upload("orders/bad-rows.csv", corrected))
    assert drop.state == "accepted"
    assert world.objects("promoted")["orders.v1/orders/bad-rows.csv"] == corrected


def test_replay_judges_rejected_drop_again(world: World) -> None:
    drop = world.settled(world.upload("orders/twice-judged.csv", HEADER + b"1,a,-1,\n"))
    assert drop.state == "rejected"
    done = CliRunner().invoke(main, ["replay", drop.id[:10], "--wait", "90"])
    assert (done.exit_code, "attempt 2: rejected" in done.output) == (1, True), done.output
    shown = CliRunner().invoke(main, ["show", drop.id[:10]])
    assert (shown.exit_code, "attempt 2" in shown.output) == (0, True), shown.output


def test_replay_of_accepted_drop_is_refused(world: World) -> None:
    drop = world.settled(world.upload("orders/done.csv", GOOD))
    done = CliRunner().invoke(main, ["replay", drop.id[:10]])
    assert (done.exit_code, "promoted" in done.output) == (2, True), done.output


def test_replay_brings_unmatched_drop_to_its_contract(world: World) -> None:
    drop = world.settled(world.upload("late/1.csv", GOOD))
    assert drop.state == "unmatched"
    late = next(p for p in world.plans if p.contract == "orders.v1")
    world.embedded.publish([*world.plans, replace(late, contract="late.v1", id="late", files=("late/*.csv",))])
    done = CliRunner().invoke(main, ["replay", drop.id[:10], "--wait", "90"])
    world.embedded.publish(world.plans)
    assert (done.exit_code, "attempt 2: accepted" in done.output) == (0, True), done.output


def test_every_step_leaves_as_a_notice(world: World) -> None:
    drop = world.settled(world.upload("orders/noticed.csv", GOOD))
    assert world.embedded.settle(60)
    told = [n for n in world.notices if drop.id in n]
    assert len(told) == len(world.ports.ledger.history(drop.id))


def test_landing_holds_only_what_nobody_has_seen(world: World) -> None:
    world.settled(world.upload("orders/last.csv", GOOD))
    assert world.embedded.settle(60)
    assert world.objects("landing") == {}


def test_broken_contract_refuses_the_whole_publish(world: World, tmp_path: Path) -> None:
    before = world.ports.catalog.index()
    (tmp_path / "broken.v1.yaml").write_text("apiVersion: v3.2.0\nkind: DataContract\n  id: broken\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["publish", str(tmp_path)])
    assert (done.exit_code, "Nothing was published" in done.output) == (1, True), done.output
    assert world.ports.catalog.index() == before


def test_drops_lists_them_for_machines(world: World) -> None:
    drop = world.settled(world.upload("orders/listed.csv", GOOD))
    done = CliRunner().invoke(main, ["drops", "--contract", "orders.v1", "--state", "accepted", "--format", "json"])
    assert done.exit_code == 0, done.output
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert (rows[drop.id]["read"], rows[drop.id]["rejected"]) == (2, 0)
