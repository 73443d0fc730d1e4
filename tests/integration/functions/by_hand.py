"""A deployed stack in which nothing happens by itself: a test polls the queues and runs the schedule.

Handlers, adapters, boto3 and its retries are real, each function under its own role; before any call of a function to
AWS a test may let something happen.
"""

from __future__ import annotations

import json
import logging
import os
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import boto3
import pytest

from contracts.files.header import rejected_file, valid_file
from contracts.job import DataFile, DataFiles, DropResult, JobDrop, JobRequest
from contracts.plan import Plan, Reference
from contracts.table import columns
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.flow import ingest
from functions.handlers import runtime
from functions.handlers.object_created import created
from functions.ports import Ports
from functions.ports.store import ObjectStore
from infra.local.cloud import Cloud
from infra.local.emr.run import JobSpec
from infra.local.emr.server import EmrServerless
from infra.local.events.events import deliver, object_created
from infra.local.events.invocation import Invoker, acting_as
from infra.local.events.polling import QueuePoller
from infra.local.template.stack import Stack, deploy
from tests.builders import REJECTED, Judge, a_plan, all_good, answer, publish
from tests.integration.functions import alarms
from tests.integration.functions.conftest import TEMPLATE
from tests.integration.functions.rows import parquet
from tests.integration.functions.test_handlers import HANDLERS

CREATED, DUE, LANE, ENDED, CLOCK, WRITTEN, *TELLING = HANDLERS
FLOW = (CREATED, LANE, DUE, ENDED)
"""The functions that a drop goes through by messages."""
GOOD, BAD_HEADER = b"id,note\n1,a\n", b"ID,note\n1,a\n"
VALID = b"id,note\n1,valid\n"
"""The rows that a job leaves for consumers of a file of which some rows are rejected."""
PLANS = (
    a_plan(references=(Reference("crash.v1", contract="crash.v1"),)),
    a_plan("crash.v1", ("crash/*.csv",)),
)
"""Files of the second one, to which the first refers, have a job that crashes at its first try."""

Act = Callable[[str], None]
"""An act before a call of a function, like `s3:CopyObject`."""


def nothing(_: str) -> None:
    """Let the call be."""


class Killed(BaseException):
    """The process is gone: no handler of ours may catch it."""


class TimedOut(Exception):
    """The error that Lambda reports for a function that it has killed."""


@dataclass
class Fuse:
    """Counts the calls of each function; at one of them, once for each function, something happens."""

    at: int = 0
    act: Act = nothing
    calls: Counter[str] = field(default_factory=Counter)

    def call(self, function: str, model: Any, **_: Any) -> None:
        """A function is about to make a call."""
        self.calls[function] += 1
        if self.calls[function] == self.at:
            self.act(f"{model.service_model.service_name}:{model.name}")


class Log(logging.Handler):
    """The logs of the functions, in one text."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += f"{record.__dict__} {record.exc_info and record.exc_info[1]}\n"

    def of(self, act: Callable[[], object]) -> str:
        """Return the log of an act."""
        self.text = ""
        act()
        return self.text


@dataclass
class Site:
    """The stack and its parts."""

    ports: Ports
    stack: Stack
    cloud: Cloud
    emr: EmrServerless
    s3: Any
    sqs: Any
    invoke: Callable[[str, Mapping[str, Any]], Any]
    reach: dict[str, str] = field(default_factory=dict)
    fuse: Fuse = field(default_factory=Fuse)
    log: Log = field(default_factory=Log)
    errors: Counter[str] = field(default_factory=Counter)
    handled: int = 0
    """The number of messages that functions are done with."""
    judge: Judge = all_good
    kills: Callable[[JobDrop], bool] = field(default=lambda _: False)
    """True of a drop that its job dies of."""

    def __post_init__(self) -> None:
        self.queues = {
            queue.function: QueuePoller(queue, "us-east-1", self.sqs, self._run, 0) for queue in self.stack.queues
        }
        self.worlds = {name: _world(name) for name in (*FLOW, CLOCK)}
        for name, world in self.worlds.items():
            for client in (world.store._s3, world.ledger._db, world.jobs._emr, world.delays._sqs):
                client.meta.events.register("before-call", partial(self._called, name))

    def upload(self, name: str, body: bytes = GOOD) -> str:
        """Upload as a producer does, S3's event goes to the queue; the drop's id."""
        bucket = self.stack.names["LandingBucket"]
        return keys.drop_id(bucket, name, self.s3.put_object(Bucket=bucket, Key=name, Body=body)["VersionId"])

    def opened(self, name: str, body: bytes = GOOD) -> str:
        """An upload of which a function has made the record, and no more; its event will not come again."""
        bucket = self.stack.names["LandingBucket"]
        made = self.s3.put_object(Bucket=bucket, Key=name, Body=body)
        self.forget(CREATED)
        event = object_created(bucket, "us-east-1", name, len(body), made["ETag"], made["VersionId"], "PutObject")
        drop = ingest._received(self.ports, created(json.dumps(event)), name)
        assert self.ports.ledger.open(drop)
        return drop.id

    def forget(self, *functions: str) -> None:
        """Lose what waits for functions."""
        for queue in self.stack.queues:
            if queue.function in functions:
                self._empty(queue.url)

    def drop(self, drop_id: str) -> Drop | None:
        return self.ports.ledger.drop(drop_id)

    def states(self, *drop_ids: str) -> list[str]:
        """Return the states of drops."""
        return [drop.state if (drop := self.drop(i)) else "unknown" for i in drop_ids]

    def deliver(self, rounds: int = 1) -> bool:
        """Deliver to each function what waits for it, and let jobs end; return True if anything waited."""
        any_waited = False
        for _ in range(rounds):
            for name in FLOW:
                any_waited = self.queues[name].poll() or any_waited
                self.idle()
        return any_waited

    def clock(self) -> Any:
        """Let the schedule strike."""
        return self._run(CLOCK, {})

    def finish(self, *drop_ids: str) -> None:
        """Deliver all that waits and let the schedule strike, until drops have come to rest."""
        for _ in range(20):
            while self.deliver():
                pass
            if not any((drop := self.drop(i)) is None or drop.in_flight for i in drop_ids):
                return
            self.clock()
        raise AssertionError(self.states(*drop_ids))

    def rings(self, act: Callable[[], object]) -> tuple[set[str], str]:
        """The alarms that ring if it goes on like what is done, and what is logged; a schedule that fails, fails."""
        seen: list[alarms.Seen] = []

        def attempt() -> None:
            with suppress(Exception):
                act()

        logged = self.log.of(lambda: seen.append(alarms.seen_of(attempt, self.errors, self._letters)))
        return alarms.ringing(seen[0]), logged

    def _letters(self, queue: str) -> int:
        url = self.stack.names[queue]
        answer = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
        return int(answer["Attributes"]["ApproximateNumberOfMessages"])

    def idle(self) -> None:
        """Wait until no job runs."""
        end = time.monotonic() + 30
        while not self.emr.idle():
            assert time.monotonic() < end
            time.sleep(0.002)

    def promoted(self, name: str) -> list[str]:
        """The ETags of every version that consumers have ever seen of a file, the newest first."""
        bucket, key = keys.split(f"{self.ports.zones.promoted}orders.v1/{name}")
        versions = self.s3.list_object_versions(Bucket=bucket, Prefix=key).get("Versions", [])
        return [version["ETag"].strip('"') for version in versions]

    def receipt(self, drop_id: str) -> dict[str, Any]:
        """Return the receipt that a producer reads."""
        drop = self.drop(drop_id)
        assert drop
        assert drop.receipt
        document: dict[str, Any] = json.loads(self.ports.store.get(drop.receipt))
        return document

    def start_cold(self) -> None:
        """Empty what the processes of functions keep in memory, as after a cold start."""
        for world in self.worlds.values():
            world.seen.clear()
            world.tables._cached.clear()
            world.catalog.__init__(world.catalog._documents, world.catalog._zone)

    def forget_letters(self) -> None:
        """Empty the dead-letter queues."""
        for name, url in self.stack.names.items():
            if name.endswith("Dlq"):
                self._empty(url)

    def _empty(self, url: str) -> None:
        # PurgeQueue is allowed once a minute.
        while messages := self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            for message in messages:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

    def _called(self, function: str, **about: Any) -> None:
        self.fuse.call(function, **about)

    def _run(self, function: str, event: Mapping[str, Any]) -> Any:
        try:
            answer = self.invoke(function, event)
        except Killed as killed:
            self.errors[function] += 1
            self.start_cold()
            raise TimedOut(f"{function} timed out") from killed
        except Exception:
            self.errors[function] += 1
            raise
        self.handled += len(event.get("Records", ())) - len(answer["batchItemFailures"] if answer else ())
        return answer


def _world(function: str) -> Any:
    """The ports of a function, as its process has them."""
    with acting_as(function):
        return runtime.ports()


def leave(store: ObjectStore, plan: Plan, drop: JobDrop, facts: DropResult) -> None:
    """Do what a job does beside its result: leave the rejected rows for the producer, the valid ones for consumers."""
    if facts.rejected:
        store.put(f"{drop.rejected}{rejected_file(plan)}", REJECTED, "text/csv")
    if facts.rejected and plan.promote == "rows":
        store.put(f"{drop.valid}{valid_file(plan)}", VALID, "text/csv")
    if plan.promote == "table":
        body = parquet(drop.id, facts.valid, columns(plan))
        listed = DataFiles(drop.id, drop.attempt, (DataFile("0.parquet", len(body), facts.valid),))
        store.put(f"{drop.valid}0.parquet", body, "application/octet-stream")
        store.put(f"{drop.valid}files.json", listed.dumps().encode(), "application/json")


@contextmanager
def running(environment: pytest.MonkeyPatch, cloud: Cloud, *, fast_lane: bool = False) -> Iterator[Site]:
    """A stack of its own in an embedded AWS."""
    made: list[Site] = []

    def run_job(job: JobSpec) -> None:
        store = made[0].ports.store
        request = JobRequest.loads(store.get(job.arguments[1]))
        if request.plan.id == "crash" and request.try_ == 1:
            raise MemoryError("java heap space")
        if any(map(made[0].kills, request.drops)):
            store.put(f"{request.evidence_rows}part-0", b"half", "application/octet-stream")
            raise MemoryError("java heap space")
        result = answer(request, made[0].judge)
        by_drop = {facts.drop: facts for facts in result.drops}
        for drop in request.drops:
            if drop.id in by_drop:
                leave(store, request.plan, drop, by_drop[drop.id])
        store.put(request.result, result.dumps().encode(), "application/json")

    application = f"00{uuid.uuid4().hex[:8]}"
    with EmrServerless(
        run_job, lambda _: True, deliver, application_id=application, guard=cloud.guard, max_concurrent_runs=4
    ) as emr:
        environment.setenv("AWS_ENDPOINT_URL_EMR_SERVERLESS", emr.endpoint)
        client_for = cache(boto3.client)
        name = f"hand{uuid.uuid4().hex[:8]}"
        parameters: dict[str, str | int] = {"WindowSeconds": 0, "FastLane": str(fast_lane).lower()}
        stack = deploy(TEMPLATE, client_for, application, parameters=parameters, name=name)
        cloud.guard.learn(stack)
        variables = stack.environment
        for variable, value in variables.items():
            environment.setenv(variable, value)
        environment.setenv("DROPGATE_PATIENCE_SECONDS", "0")
        ports = ports_from(dict(variables), Clients())
        publish(ports.store, ports.zones.catalog, PLANS)
        invoke = Invoker(stack.functions, HANDLERS, "us-east-1")
        reach = {n: v for n, v in os.environ.items() if n.startswith("AWS_")} | {"AWS_ACCESS_KEY_ID": "operator"}
        made.append(Site(ports, stack, cloud, emr, client_for("s3"), client_for("sqs"), invoke, reach))
        log = logging.getLogger(runtime.logger.name)
        log.addHandler(made[0].log)
        try:
            yield made[0]
        finally:
            log.removeHandler(made[0].log)
