"""One stack for all tests of the whole flow, with the one Spark of the run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from contracts.authoring.compiler.lint import lint
from contracts.authoring.compiler.reference_checks import files
from contracts.job import JobRequest
from contracts.plan import Plan
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.ports import Ports
from infra.local.embedded import QUIET, Embedded, session
from infra.local.events.invocation import Invoker
from infra.local.events.polling import QueuePoller
from infra.local.mailbox import Mailbox, Received
from spark_jobs import validate
from spark_jobs.spark import storage
from tests.receivers import Receiver, web_receiver

HERE = Path(__file__).parent
CRASHING = "crash.v1"
"""Drops of this contract meet a job that crashes."""
SPOILING = "spoil.v1"
"""Drops of this contract meet a job that ends well and leaves a result that nobody can read."""
ORDERS = b"id,name,amount,day\n1,a,5,2026-01-31\n2,b,,\n"
PARCELS = b"parcel,order,carrier\n1,1,DHL\n2,,\n3,02,UPS\n"
STRAY = b"4,777777,DHL\n5,2,TNT\n"
MARK = "zq7x9k"
"""A value that stands in no key and no document of ours."""


@dataclass
class World:
    """The running stack and the drops in it."""

    embedded: Embedded
    plans: tuple[Plan, ...]
    events: list[dict[str, Any]] = field(default_factory=list)
    """Each event on the bus: `detail-type` and `detail`."""
    mails: list[Received] = field(default_factory=list)
    receiver: Receiver = field(default_factory=Receiver)
    """What people get: mails, and requests of other channels."""
    ports: Ports = field(init=False)

    def __post_init__(self) -> None:
        self.ports = ports_from(self.embedded.environment(), Clients(session()))

    def upload(self, key: str, body: bytes, **how: str) -> str:
        """Send a file; its drop's id."""
        version = self.embedded.upload(key, body, **how)
        return keys.drop_id(self.embedded.stack.names["LandingBucket"], key, version)

    def take_in(self) -> None:
        """Let only the function of new objects run, until it has seen all: files of one contract then share a job."""
        from functions.handlers import object_created  # noqa: PLC0415 (its logger reads the stack's environment)

        stack, name = self.embedded.stack, "ObjectCreatedFunction"
        (queue,) = (queue for queue in stack.queues if queue.function == name)
        invoke = Invoker({name: stack.functions[name]}, {name: object_created.handler}, stack.region)
        poller = QueuePoller(queue, stack.region, self.embedded.client("sqs"), invoke, retry_seconds=1)
        while not poller.empty():
            if not poller.poll():
                time.sleep(0.1)

    def settled(self, drop_id: str, seconds: float = 300) -> Drop:
        """The drop when nothing more happens to it."""
        return self.until(drop_id, lambda d: not d.in_flight, seconds)

    def until(self, drop_id: str, reached: Callable[[Drop], bool], seconds: float = 300) -> Drop:
        """The drop as soon as it has come so far."""
        end = time.monotonic() + seconds
        while (drop := self.ports.ledger.drop(drop_id)) is None or not reached(drop):
            assert time.monotonic() < end, f"{drop_id} is still {drop.state if drop else 'unknown'}"
            time.sleep(0.1)
        return drop

    def objects(self, zone: str) -> dict[str, bytes]:
        """Return the objects of a zone, by their keys below it."""
        client = self.embedded.client("s3")
        bucket, prefix = keys.split(getattr(self.ports.zones, zone))
        return {k: client.get_object(Bucket=bucket, Key=prefix + k)["Body"].read() for k in self.names(zone)}

    def names(self, zone: str) -> set[str]:
        """The keys of what lies in a zone, below it; folder markers aside."""
        bucket, prefix = keys.split(getattr(self.ports.zones, zone))
        pages = self.embedded.client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        names = {o["Key"].removeprefix(prefix) for page in pages for o in page.get("Contents", [])}
        return {name for name in names if not name.endswith("/")}


@dataclass(frozen=True)
class Related:
    """Parcels, whose orders and carriers must be known: before any order was promoted, and afterwards."""

    early: Drop
    good: Drop
    bad: Drop


@pytest.fixture(scope="package")
def related(world: World) -> Related:
    """The flow of a contract that refers to another one and to a file."""
    plans = {p.contract: p for p in world.plans}
    nobodys = replace(plans["orders.v1"], contract="nobodys.v1", id="nobodys", files=("nobodys/*.csv",))
    orders, carriers = plans["parcels.v1"].references
    orphans = replace(
        plans["parcels.v1"],
        contract="orphans.v1",
        id="orphans",
        files=("orphans/*.csv",),
        references=(replace(orders, contract=nobodys.contract), carriers),
    )
    world.embedded.publish([*world.plans, nobodys, orphans])
    with world.embedded.asleep():
        orphan, order = world.upload("orphans/1.csv", PARCELS), world.upload("orders/related.csv", ORDERS)
    early = world.settled(orphan)
    assert world.settled(order).state == "accepted"
    world.embedded.publish(world.plans)
    good, bad = world.upload("parcels/good.csv", PARCELS), world.upload("parcels/bad.csv", PARCELS + STRAY)
    return Related(early, world.settled(good), world.settled(bad))


def job(spark: SparkSession, request: str) -> None:
    """The real job, but for two contracts."""
    asked = JobRequest.loads(storage.read_text(spark, request))
    if asked.plan.contract == CRASHING:
        raise RuntimeError(f"the job of this contract crashes, and shows a cell: {MARK}")
    if asked.plan.contract == SPOILING:
        storage.write_text(spark, asked.result, json.dumps({"batch": [MARK], "checks": MARK}))
        return
    validate.run(spark, request)


STACKS: list[Embedded] = []
"""The stack of the package, while it runs."""


@contextmanager
def alone() -> Iterator[None]:
    """Let the stack of the package sleep, if it runs: functions read the environment of their process, which is one."""
    with ExitStack() as sleeping:
        for stack in STACKS:
            sleeping.enter_context(stack.asleep())
        yield


@pytest.fixture(scope="package")
def world(spark: SparkSession) -> Iterator[World]:
    """The stack with the contracts of this folder in force."""
    linted = lint((HERE / "contracts",))
    assert not linted.failed, linted.findings
    events: list[dict[str, Any]] = []
    mails: list[Received] = []
    patient = {**QUIET, "DROPGATE_PATIENCE_SECONDS": "8"}
    with (
        web_receiver() as receiver,
        Mailbox(mails.append) as mailbox,
        Embedded(
            window_seconds=1,
            schedule_seconds=8,
            retry_seconds=1,
            job=job,
            spark=spark,
            environment={**patient, "DROPGATE_RECEIVERS": receiver.origin},
            listener=lambda event: events.append(dict(event)),
            mailbox=mailbox,
        ) as embedded,
    ):
        embedded.publish(linted.plans, files(linted.contracts))
        STACKS.append(embedded)
        yield World(embedded, linted.plans, events, mails, receiver)
        STACKS.remove(embedded)
        assert embedded.guard.denied == [], "the template's policies forbid what the code does"
