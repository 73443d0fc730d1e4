"""The number of AWS calls of the functions: counted at the embedded AWS, compared with the cost model's table."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, partial
from typing import Any

import boto3
import pytest

from bench.cost_page import PAGE
from bench.partitions import INDEXES, Meter, Units, partitions_table, rows
from contracts.files.header import rejected_file, valid_file
from contracts.job import DataFile, DataFiles, DropResult, JobDrop, JobRequest
from contracts.plan import Limit, Plan, Promoted
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.aws.delta import CHECKPOINT
from functions.aws.sqs import window_in
from functions.costs.calls import (
    COMMITS,
    CREATED,
    DUE,
    ENDED,
    LANE,
    MOST_FURTHER,
    MOST_LONE,
    MOST_REPEATED,
    Counted,
    of_batch,
    of_lane,
)
from functions.flow.ingest import FRESH
from functions.handlers import batch_due, job_state_changed, object_created, runtime
from functions.lane import small_staged
from functions.ports import Ports
from functions.ports.batches import Window
from functions.ports.store import ObjectStore
from infra.local.cloud import Cloud
from infra.local.emr.job_events import EventFaults
from infra.local.emr.run import JobSpec
from infra.local.emr.server import EmrServerless
from infra.local.events.events import deliver
from infra.local.events.events import object_created as created_event
from infra.local.events.invocation import Handler, acting_as
from infra.local.events.pump import Pump
from infra.local.template.stack import deploy
from tests.builders import REJECTED, a_plan, all_good, answer, one_bad, publish
from tests.integration.functions.conftest import TEMPLATE

HANDLERS: dict[str, Handler] = {
    CREATED: object_created.handler,
    DUE: batch_due.handler,
    LANE: small_staged.handler,
    ENDED: job_state_changed.handler,
}
WINDOW = 2
METERED, CONTRACTS, DAY = 20, (1, 20), 10_000_000
"""Drops of a batch whose writes are metered; and ten times the largest load of the page."""
METERED_NAME = "daily-orders-of-the-southern-region-store-0042-2026-11-27T10-15-00Z"
"""A name by which items of drops have 1.1 to 1.5 KiB, two units, as they do in life."""


@dataclass
class Site:
    """A stack at work, and what its functions have asked."""

    cloud: Cloud
    emr: EmrServerless
    ports: Ports
    landing: str
    counted: Counted = field(default_factory=Counter)
    uploaded: int = 0
    taken: int = 0
    windows: list[Window] = field(default_factory=list)
    pump: Any = None

    def watched(self, name: str, event: Any, context: Any) -> Any:
        """Run a handler; nothing else that has the functions' key runs meanwhile."""
        if name == DUE and self.uploaded > self.taken:  # a slow machine is no reason for two batches
            return {"batchItemFailures": [{"itemIdentifier": r["messageId"]} for r in event["Records"]]}
        if name == DUE:
            self.windows += [window_in(record["body"]) for record in event["Records"]]
        if name == CREATED:
            self.taken += len(event["Records"])
        before = self._asked()
        response = HANDLERS[name](event, context) if name in HANDLERS else None
        self.counted.update({(name, operation): n for operation, n in (self._asked() - before).items()})
        return response

    def _asked(self) -> Counter[str]:
        asked = Counter(r.operation for r in list(self.cloud.requests) if r.caller in HANDLERS)
        runs = Counter(c.action for c in list(self.emr.calls) if c.caller in HANDLERS and "emr" in c.action)
        return asked + runs

    def calls_of(self, act: Callable[[], object]) -> Counted:
        """Return the calls of the functions from an act until no work is left."""
        self.counted.clear()
        act()
        assert self.pump.drain(60, self.emr.idle)
        return Counter(self.counted)

    def written_by(self, act: Callable[[], object]) -> Units:
        """Return the write units of the ledger's partitions from an act until no work is left."""
        meter, bodies = Meter(), list[Any]()

        def ask(params: Any, model: Any, **_: Any) -> None:
            bodies.append((model.name, json.loads(params["body"])))

        def answer(function: str, http_response: Any, **_: Any) -> None:
            meter.count(function, *bodies.pop(), refused=http_response.status_code >= 400)

        hooks = [(f, {"before-call.dynamodb": ask, "after-call.dynamodb": partial(answer, f)}) for f in HANDLERS]
        with self.pump.turn():
            worlds = [(_ledger_of(function), place, hook) for function, each in hooks for place, hook in each.items()]
        for ledger, place, hook in worlds:
            ledger._db.meta.events.register(place, hook)
        self.calls_of(act)
        for ledger, place, hook in worlds:
            ledger._db.meta.events.unregister(place, hook)
        return meter.units

    def upload(self, *names: str) -> None:
        """Upload as a producer does; the files will share a batch."""
        self.uploaded += len(names)
        for name in names:
            self.ports.store.put(f"s3://{self.landing}/{name}", b"id,note\n1,a\n", "text/csv")


PLANS = [
    a_plan(f"{name}.v1", (f"{name}/*.csv",), tolerance=Limit(Decimal(50), "percent"), promote=promote)
    for name, promote in (("orders", "object"), ("rows", "rows"), ("tables", "table"))
]


def _ledger_of(function: str) -> Any:
    """Return the ledger of a function's process."""
    with acting_as(function):
        return runtime.ports().ledger


def lay_down(store: ObjectStore, plan: Plan, drop: JobDrop) -> None:
    """Leave the valid rows of a drop, as a job does."""
    if plan.promote == "rows" and "odd" in drop.name:
        store.put(f"{drop.valid}{valid_file(plan)}", b"id,note\n1,a\n", "text/csv")
    if plan.promote == "table":
        store.put(f"{drop.valid}0.parquet", b"PAR1", "application/octet-stream")
        listed = DataFiles(drop.id, drop.attempt, (DataFile("0.parquet", 4, 2),))
        store.put(f"{drop.valid}{valid_file(plan)}", listed.dumps().encode(), "application/json")


def judged(plan: Plan, drop: JobDrop) -> DropResult:
    """One tolerated row is rejected of a file whose name says so."""
    return (one_bad if "odd" in drop.name else all_good)(plan, drop)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    made: list[Site] = []

    def run_job(job: JobSpec) -> None:
        store = made[0].ports.store
        request = JobRequest.loads(store.get(job.arguments[1]))
        for drop in request.drops:
            if "odd" in drop.name:
                store.put(f"{drop.rejected}{rejected_file(request.plan)}", REJECTED, "text/csv")
            lay_down(store, request.plan, drop)
        store.put(request.result, answer(request, judged).dumps().encode(), "application/json")

    with (
        pytest.MonkeyPatch.context() as patch,
        Cloud() as cloud,
        EmrServerless(run_job, lambda _: True, deliver, application_id="00dropgate03") as emr,
    ):
        patch.setenv("AWS_ENDPOINT_URL", cloud.endpoint)
        patch.setenv("AWS_ENDPOINT_URL_EMR_SERVERLESS", emr.endpoint)
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ACCESS_KEY_ID", "functions")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "none")
        other = boto3.Session("others", "none", region_name="us-east-1")
        make: Any = other.client
        client_for = cache(make)
        name = f"counted-{uuid.uuid4().hex[:8]}"
        stack = deploy(TEMPLATE, client_for, "00dropgate03", parameters={"WindowSeconds": WINDOW}, name=name)
        environment = stack.functions["ScheduleFunction"].environment
        for variable, value in environment.items():
            patch.setenv(variable, value)
        ports = ports_from(dict(environment), Clients(other))
        publish(ports.store, ports.zones.catalog, PLANS)
        never_give_up(client_for("sqs"), environment["DROPGATE_BATCH_QUEUE"])
        made.append(Site(cloud, emr, ports, stack.names["LandingBucket"]))
        watched = {n: partial(made[0].watched, n) for n in stack.functions}
        with Pump(stack, client_for, watched, schedule_seconds=3600, retry_seconds=1) as pump:
            made[0].pump = pump
            made[0].calls_of(lambda: made[0].upload("orders/warm.csv"))
            yield made[0]


@pytest.fixture(scope="module")
def of_one(site: Site) -> Counted:
    """Return the calls for a single drop that arrives after a while without drops of its plan."""
    time.sleep(2 * WINDOW + 0.1)
    return site.calls_of(lambda: site.upload("orders/lone.csv"))


def never_give_up(sqs: Any, queue: str) -> None:
    """Let a message come again as often as it takes."""
    redrive = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["RedrivePolicy"])["Attributes"]["RedrivePolicy"]
    patient = json.dumps({**json.loads(redrive), "maxReceiveCount": 1000})
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"RedrivePolicy": patient})


def accepted(site: Site, name: str, state: str = "accepted") -> bool:
    """Return True if a file is promoted and its receipt is written."""
    month, contract = site.ports.at()[:7], f"{name.partition('/')[0]}.v1"
    drops = [d for d in site.ports.ledger.of_month(contract, month) if d.name == name]
    return [(d.state, bool(d.receipt)) for d in drops] == [(state, True)]


def test_lone_drop_asks_what_the_table_says(site: Site, of_one: Counted) -> None:
    assert accepted(site, "orders/lone.csv")
    assert of_one == of_batch(1)
    assert of_one.total() <= MOST_LONE


def test_drop_of_the_fast_lane_asks_what_the_table_says(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPGATE_LANE_BYTES", "1000")
    site.calls_of(lambda: site.upload("orders/first-of-lane.csv"))
    asked = site.calls_of(lambda: site.upload("orders/lane.csv"))

    assert accepted(site, "orders/lane.csv")
    assert asked == of_lane()
    assert asked.total() <= MOST_LONE


@pytest.mark.parametrize(("folder", "promote"), [("orders", "object"), ("rows", "rows")])
def test_rejected_rows_of_an_accepted_drop_ask_what_the_table_says(site: Site, folder: str, promote: Promoted) -> None:
    site.calls_of(lambda: site.upload(f"{folder}/plan.csv"))  # whoever meets a plan first reads it
    time.sleep(2 * WINDOW + 0.1)
    asked = site.calls_of(lambda: site.upload(f"{folder}/odd.csv"))

    assert accepted(site, f"{folder}/odd.csv", "accepted_with_warnings")
    assert asked == of_batch(1, promote, rejected=1)
    assert asked.total() <= MOST_LONE + (promote == "rows")


def test_drops_of_a_table_ask_what_the_table_says(site: Site) -> None:
    """From one checkpoint of the table to the next; the first comes with the 19th drop, as to make it is a commit."""
    first = [f"tables/{n}-of-first.csv" for n in range(CHECKPOINT - 1)]
    site.calls_of(lambda: site.upload(*first))
    time.sleep(2 * WINDOW + 0.1)
    names = [f"tables/{n}.csv" for n in range(CHECKPOINT - 1)]
    asked = site.calls_of(lambda: site.upload("tables/odd.csv", *names))

    assert all(accepted(site, name) for name in (*first, *names))
    assert accepted(site, "tables/odd.csv", "accepted_with_warnings")
    assert asked == of_batch(CHECKPOINT, "table", rejected=1) + COMMITS


@pytest.mark.parametrize("drops", [2, 30])
def test_further_drops_ask_what_the_table_says(site: Site, of_one: Counted, drops: int) -> None:
    time.sleep(2 * WINDOW + 0.1)
    names = [f"orders/{n}-of-{drops}.csv" for n in range(drops)]
    many = site.calls_of(lambda: site.upload(*names))

    assert all(accepted(site, name) for name in names)
    assert many == of_batch(drops)
    assert many.total() - of_one.total() <= MOST_FURTHER * (drops - 1)


def test_partitions_take_what_the_page_says(site: Site) -> None:
    """The page is written from these very writes, for ten times its largest load."""
    units: list[Units] = []
    for drops in (1, METERED):
        time.sleep(2 * WINDOW + 0.1)
        names = [f"orders/{METERED_NAME}-batch-of-{drops:02}-part-{n:05}.csv" for n in range(drops)]
        units.append(site.written_by(partial(site.upload, *names)))
        assert all(accepted(site, name) for name in names)
    one, many = units
    assert many
    assert {kind for _, kind in many} - {row.kind for row in rows(one, many, METERED, CONTRACTS, DAY)} <= {
        "a batch, or its run",
        "a drop, its key, or the beginning of its id",
    }

    written = partitions_table(one, many, METERED, CONTRACTS, DAY)
    text = PAGE.read_text(encoding="utf-8")
    renewed = re.sub(r"\| partition \|.*?(?=\n\n)", lambda _: written, text, flags=re.DOTALL)
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        PAGE.write_text(renewed, encoding="utf-8")
    assert written in renewed, "the page has no such table"
    assert renewed == text, "run this test with DROPGATE_WRITE_DOCS=1 to write the table"


def test_metered_indexes_are_those_of_the_template() -> None:
    text = (TEMPLATE.parent / "infra" / "aws" / "state.yaml").read_text(encoding="utf-8")
    ledger = text.partition("NoticesTable:")[0]
    keys_of = re.findall(
        r"IndexName: (\w+)\s+KeySchema:\s+- \{AttributeName: (\w+), KeyType: HASH\}\s+- \{AttributeName: (\w+)", ledger
    )
    assert {name: (hash_key, range_key) for name, hash_key, range_key in keys_of} == INDEXES


def test_repeated_event_of_an_object_asks_little(site: Site, of_one: Counted) -> None:
    assert of_one
    (drop,) = [d for d in site.ports.ledger.of_month("orders.v1", site.ports.at()[:7]) if d.name == "orders/lone.csv"]
    event = created_event(drop.bucket, "us-east-1", drop.key, drop.size, drop.etag, drop.version_id, "PutObject")
    at_once = site.calls_of(lambda: deliver(event))
    event["time"] = (datetime.now(UTC) - FRESH).isoformat()
    later = site.calls_of(lambda: deliver(event))

    assert at_once == {(CREATED, "s3:GetObject"): 1, (CREATED, "dynamodb:TransactWriteItems"): 1}  # which is refused
    assert later == {(CREATED, "dynamodb:GetItem"): 1}


def test_repeated_event_of_a_job_asks_little(site: Site, of_one: Counted) -> None:
    assert of_one
    site.emr.faults = EventFaults(repeat=2)
    twice = site.calls_of(lambda: site.upload("orders/twice.csv"))
    site.emr.faults = EventFaults()

    assert 0 < (twice - of_one).total() <= MOST_REPEATED, twice - of_one


def test_repeated_message_of_a_window_asks_little(site: Site, of_one: Counted) -> None:
    assert of_one
    (drop,) = [d for d in site.ports.ledger.of_month("orders.v1", site.ports.at()[:7]) if d.name == "orders/lone.csv"]
    batch = site.ports.ledger.batch(drop.batch or "")
    assert batch
    (window,) = [w for w in site.windows if keys.batch_id(w.plan, w.opened_at) == batch.id]
    again = site.calls_of(lambda: site.ports.delays.send(window, 0))

    assert 0 < again.total() <= MOST_REPEATED, again
