"""The flow under what a cloud does: events repeated and lost, replays; and what it leaves behind.

Two rounds, so that the many tests need few jobs: in the first every event of EMR Serverless comes three times, in the
second none comes at all.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import load_plan
from functions.drop import Drop
from functions.events.shape import MOST_BYTES
from infra.cli import try_
from infra.cli.main import main
from infra.local.emr.job_events import EventFaults
from infra.local.events.events import deliver, object_created
from infra.local.iam.guard import JOB
from infra.offline.trial import last_drops, try_on
from infra.packaging.bundles import ROOT
from tests.e2e.cases import GOOD, HEADER
from tests.e2e.conftest import World

BAD = HEADER + b"1,=cmd(),2,2026-01-31\n2,b,x,\n3,c,-4,2026-13-01\n4,d,1,\n"
CORRECTED = b"id,name,amount,day,_record,_reasons\n2,b,5,,2,amount.logicalType\n3,c,4,2026-12-01,3,\n"


UNUSED = {
    (JOB, "s3:AbortMultipartUpload", "InternalBucket/evidence/*"): "a large file whose upload breaks off",
    (JOB, "s3:AbortMultipartUpload", "InternalBucket/jobs/*"): "the same",
}
"""What the job's role grants and these rounds do not ask for, each with its reason."""


def cli(world: World, *words: str) -> Result:
    """The command line, in this process; while no handler runs, as it reads the environment."""
    with world.embedded.pump.turn():
        return CliRunner().invoke(main, list(words))


@pytest.fixture(scope="module")
def first(world: World) -> dict[str, Drop]:
    """The first round: files of every ending in one batch, every job event three times."""
    world.embedded.emr.faults = EventFaults(repeat=3)
    files = {"good": ("orders/good-1.csv", GOOD), "bad": ("orders/bad-rows.csv", BAD), "late": ("late/1.csv", GOOD)}
    ids = {name: world.upload(*file) for name, file in files.items()}
    drops = {name: world.settled(i) for name, i in ids.items()}
    assert world.embedded.settle(180)
    world.embedded.emr.faults = EventFaults()
    return drops


@pytest.fixture(scope="module")
def second(world: World, first: dict[str, Drop]) -> dict[str, Drop]:
    """The second round: a new file, a corrected one, and replays; no job event arrives."""
    world.embedded.emr.faults = EventFaults(lose=frozenset({"SUCCESS", "FAILED"}))
    orders = next(p for p in world.plans if p.contract == "orders.v1")
    world.embedded.publish([*world.plans, replace(orders, contract="late.v1", id="late", files=("late/*.csv",))])
    replays = [cli(world, "replay", first[name].id[:10]) for name in ("bad", "late")]
    ids = {"silent": world.upload("orders/silent.csv", GOOD), "late": first["late"].id}
    drops = {name: world.settled(i) for name, i in ids.items()} | {"bad": world.settled(first["bad"].id)}
    drops["corrected"] = world.settled(world.upload("orders/bad-rows.csv", CORRECTED))
    world.embedded.emr.faults = EventFaults()
    world.embedded.publish(world.plans)
    assert [r.exit_code for r in replays] == [0, 0], [r.output for r in replays]
    return drops


def test_rounds_end_as_the_files_deserve(first: dict[str, Drop], second: dict[str, Drop]) -> None:
    assert {n: d.state for n, d in first.items()} == {"good": "accepted", "bad": "rejected", "late": "unmatched"}
    ended = {n: (d.state, d.attempt, d.try_) for n, d in second.items()}
    assert ended == {
        "silent": ("accepted", 1, 1),
        "late": ("accepted", 2, 1),
        "bad": ("rejected", 2, 1),
        "corrected": ("accepted", 1, 1),
    }


def test_repeated_job_events_change_nothing(world: World, first: dict[str, Drop]) -> None:
    states = [s.state for s in world.ports.ledger.history(first["good"].id)]
    assert states == ["received", "staged", "validating", "promoting", "accepted"]


def test_second_event_for_a_version_changes_nothing(world: World, first: dict[str, Drop]) -> None:
    drop = first["good"]
    runs, history = len(world.embedded.emr.calls), world.ports.ledger.history(drop.id)
    event = object_created(drop.bucket, "us-east-1", drop.key, drop.size, drop.etag, drop.version_id, "PutObject")
    deliver(event)
    deliver(event)
    assert world.embedded.settle(180)
    assert world.ports.ledger.history(drop.id) == history
    assert [c for c in list(world.embedded.emr.calls)[runs:] if c.action.endswith("StartJobRun")] == []


def test_rejected_rows_come_back_with_reasons(world: World, first: dict[str, Drop]) -> None:
    drop = first["bad"]
    assert drop.rows
    assert (drop.rows.read, drop.rows.valid, drop.rows.rejected) == (4, 2, 2)
    assert drop.receipt
    receipt = json.loads(world.ports.store.get(drop.receipt))
    rejected = world.ports.store.get(drop.receipt.replace("receipt.json", receipt["rejected_rows"])).decode()
    assert list(csv.reader(io.StringIO(rejected))) == [
        ["id", "name", "amount", "day", "_record", "_reasons"],
        ["2", "b", "x", "", "2", "amount.logicalType (a number)"],
        ["3", "c", "-4", "2026-13-01", "3", "amount.minimum (at least 0); day.logicalType (a date like 2026-01-31)"],
    ]


def test_evidence_keeps_rejected_rows_with_their_checks(
    world: World, first: dict[str, Drop], spark: SparkSession
) -> None:
    evidence = spark.read.parquet(f"{world.ports.zones.evidence}rows/")
    rows = evidence.where(f"drop = '{first['bad'].id}' and attempt = 1").collect()
    assert sorted((r.record, r.outcome, r.cells["id"], list(r.checks)) for r in rows) == [
        (2, "rejected", "2", ["amount.logicalType"]),
        (3, "rejected", "3", ["amount.minimum", "day.logicalType"]),
    ]


def test_corrected_file_with_our_columns_is_promoted(world: World, second: dict[str, Drop]) -> None:
    assert second["corrected"].state == "accepted"
    assert world.objects("promoted")["orders.v1/orders/bad-rows.csv"] == CORRECTED


def test_show_tells_both_attempts(world: World, second: dict[str, Drop]) -> None:
    shown = cli(world, "show", second["bad"].id[:10])
    assert (shown.exit_code, "(attempt 2)" in shown.output) == (0, True), shown.output


def test_show_names_the_run_of_a_drop(world: World, first: dict[str, Drop]) -> None:
    drop = first["good"]
    batch = world.ports.ledger.batch(drop.batch or "")
    assert batch is not None
    assert batch.run is not None
    assert batch.run in cli(world, "show", drop.id, "--format", "json").output
    assert batch.run in cli(world, "show", drop.id).output


@pytest.mark.usefixtures("second")
def test_replay_of_promoted_drop_is_refused(world: World, first: dict[str, Drop]) -> None:
    done = cli(world, "replay", first["good"].id[:10])
    assert (done.exit_code, "promoted" in done.output) == (2, True), done.output


def test_every_step_leaves_as_an_event(world: World, first: dict[str, Drop], second: dict[str, Drop]) -> None:
    assert world.embedded.settle(180)
    for drop in (*first.values(), *second.values()):
        events = [event["detail"] for event in world.events if event["detail"]["subject"] == drop.id]
        steps = [(step.attempt, step.step, step.state) for step in world.ports.ledger.history(drop.id)]
        assert [(e["data"]["attempt"], e["data"]["step"], e["data"]["state"]) for e in events] == steps
        assert len({event["id"] for event in events}) == len(steps)


def test_events_keep_schema_and_bound(world: World, first: dict[str, Drop], second: dict[str, Drop]) -> None:
    assert world.embedded.settle(180)
    schema = json.loads((ROOT / "functions" / "events" / "drop_event.v1.schema.json").read_text(encoding="utf-8"))
    details = [event["detail"] for event in world.events]

    assert [error.message for detail in details for error in Draft202012Validator(schema).iter_errors(detail)] == []
    assert max(len(json.dumps(detail)) for detail in details) <= MOST_BYTES
    assert {detail["subject"] for detail in details} >= {drop.id for drop in (*first.values(), *second.values())}


def test_promoted_event_names_what_consumers_can_read(world: World, first: dict[str, Drop]) -> None:
    assert world.embedded.settle(180)
    event = next(
        event["detail"]["data"]
        for event in world.events
        if event["detail-type"] == "Drop Promoted" and event["detail"]["subject"] == first["good"].id
    )
    place = event["promoted"]

    read = world.embedded.client("s3").get_object(Bucket=place["bucket"], Key=place["key"])
    assert len(read["Body"].read()) == first["good"].size
    assert (event["rows"]["read"], event["engine"], event["contract"]["id"]) == (2, "spark", "orders")


def test_landing_holds_only_what_nobody_has_seen(world: World, first: dict[str, Drop], second: dict[str, Drop]) -> None:
    assert world.names("landing").isdisjoint(drop.name for drop in (*first.values(), *second.values()))


def test_broken_contract_refuses_the_whole_publish(world: World, tmp_path: Path) -> None:
    before = world.ports.catalog.index()
    (tmp_path / "broken.v1.yaml").write_text("apiVersion: v3.2.0\nkind: DataContract\n  id: broken\n", encoding="utf-8")
    done = cli(world, "publish", str(tmp_path))
    assert (done.exit_code, "Nothing was published" in done.output) == (1, True), done.output
    assert world.ports.catalog.index() == before


def test_drops_lists_them_for_machines(world: World, first: dict[str, Drop]) -> None:
    done = cli(world, "drops", "--contract", "orders.v1", "--state", "accepted", "--format", "json")
    assert done.exit_code == 0, done.output
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert (rows[first["good"].id]["read"], rows[first["good"].id]["rejected"]) == (2, 0)


@pytest.mark.usefixtures("first", "second", "related")
def test_role_of_the_job_allows_nothing_that_is_never_used(world: World) -> None:
    unused = [each for each in world.embedded.guard.unused(world.embedded.stack) if each[0] == JOB]
    assert sorted(unused) == sorted(UNUSED)


@pytest.mark.usefixtures("first", "second")
def test_every_run_has_a_policy_of_its_own_batch(world: World) -> None:
    emr, application = world.embedded.client("emr-serverless"), world.embedded.emr.application.id
    for listed in emr.list_job_runs(applicationId=application)["jobRuns"]:
        run = emr.get_job_run(applicationId=application, jobRunId=listed["id"])["jobRun"]
        policy, (_, request) = (
            run["executionIamPolicy"]["policy"],
            run["jobDriver"]["sparkSubmit"]["entryPointArguments"],
        )
        others = {each["name"].rpartition("-")[0] for each in emr.list_job_runs(applicationId=application)["jobRuns"]}
        batch = run["name"].rpartition("-")[0]
        assert batch in request
        assert [name for name in others if name in policy] == [batch]


def test_new_contract_is_tried_on_what_came_in(
    world: World, second: dict[str, Drop], spark: SparkSession, tmp_path: Path
) -> None:
    silent, contract = second["silent"], Path(__file__).parent / "contracts" / "sales" / "orders.v1.yaml"
    world.ports.store.delete(silent.source)  # as lifecycle does; consumers still have it
    stricter = tmp_path / "orders.v1.yaml"
    stricter.write_text(contract.read_text().replace("- name: name\n", "- name: name\n        required: true\n"))
    plan, progress = load_plan(stricter), list[str]()
    drops = last_drops(world.ports.ledger, "orders.v1", 10, world.ports.clock.now())
    tried = try_on(world.ports, plan, drops, lambda: spark, progress.append)
    body = {row["drop"]: row for row in try_.document(plan, tried)["drops"]}
    shown = try_.text_of(plan, tried, 120, colour=False)

    assert {name: body[drop.id]["change"] for name, drop in second.items() if drop.id in body} == {
        "silent": "worse",
        "bad": "same",
        "corrected": "same",
    }
    assert body[silent.id]["now"]["rows"] == {"read": 2, "valid": 1, "rejected": 1}
    assert body[silent.id]["now"]["problems"][0]["check"] == "name.required"
    assert (len(progress), f"orders.v1 1.0.0 on {len(drops)} drops: " in shown) == (len(drops), True)
    (line,) = (line for line in shown.splitlines() if line.startswith(silent.id[:10]))
    assert re.search("✓ accepted +✕ rejected, 1 row$", line)
