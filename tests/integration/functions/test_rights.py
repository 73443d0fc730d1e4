"""Least privilege of the functions, both ways: roles allow all that the code does, and nothing that it never does.

Every way through the flow is gone here by hand, each function under its own role; then by the schedule alone.
The Spark job is held to the same in tests/e2e.
"""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, Literal

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.ses.models import ses_backends

from contracts import codec
from contracts.job import JobRequest
from contracts.plan import Limit, Plan, Reference
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule
from contracts.terms.notices import OCCASIONS, Channel, ContractRoutes, Route, Routes
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions import keys
from functions.aws import items
from functions.aws.clients import Clients, ports_from
from functions.costs.cost import ASSUMED
from functions.drop import Drop, Location
from functions.flow import batching, ingest
from functions.handlers.object_created import created
from functions.operations.replay import Replayed, replay
from functions.ports import Ports
from functions.ports.batches import Window
from functions.ports.clock import stamp
from functions.ports.expected_files import Absence
from functions.ports.jobs import FUNCTION
from functions.ports.promises import PromiseStep
from functions.ports.store import CopyTag
from infra.local.cloud import Cloud
from infra.local.emr.run import JobSpec
from infra.local.emr.server import EmrServerless
from infra.local.events.events import object_created
from infra.local.events.invocation import Invoker
from infra.local.iam.guard import JOB
from infra.local.loopback import ACCOUNT
from infra.local.template.stack import Stack, deploy
from tests.builders import a_plan, a_relative_plan, all_good, answer, one_bad, publish
from tests.integration.functions.conftest import TEMPLATE
from tests.integration.functions.test_handlers import HANDLERS

DOOR, DUE, LANE, ENDED, CLOCK, WRITTEN, HEARD, TELLER = HANDLERS
GOOD = b"id,note\n1,a\n"
WIDE = f"id,{'n' * 3000}"
ORDERS = a_plan()
WIDER = a_relative_plan(
    contract="wide.v1",
    files=("wide/*.csv",),
    names=WIDE.split(","),
    references=(Reference("orders.v1", contract="orders.v1"),),
)
RULE = SetRule(("day",), 3600, marker="sets/{day}/_SUCCESS")
FRESH = Promise("loadDate", "loadDate", Span(Decimal(1), "d"))
SETS = a_plan("sets.v1", ("sets/{day}/*.csv",), set=RULE, arrival=Arrival("24:00"), promises=(FRESH,))
ROWS = a_plan("rows.v1", ("rows/*.csv",), promote="rows", tolerance=Limit(Decimal(1), "rows"))

MAIL = "drops@example.com"
CHANNELS = (Channel("email", MAIL), Channel("slack", "chat"), Channel("webhook", "nowhere"))
EVERYTHING = tuple(Route("producer", channel, OCCASIONS) for channel in CHANNELS)
ROUTES = Routes(tuple(ContractRoutes(name, "shop", EVERYTHING) for name in ("orders.v1", "sets.v1")), EVERYTHING)
"""People hear of everything: by mail, by a channel whose address points inward, and by one without a secret."""

LONG_AGO = stamp(datetime.now(UTC) - timedelta(hours=1))
GIB = 1024**3

UNUSED = {
    (CLOCK, "sqs:SendMessage", "ScheduleDlq"): "Lambda sends there as the function, after an invocation that failed",
    (TELLER, "sqs:SendMessage", "NoticesDueDlq"): "Lambda sends there as the function, after an invocation that failed",
    (DUE, "s3:ListBucket", "InternalBucket"): "a staged file that somebody removed is to be called gone, not forbidden",
    (
        LANE,
        "s3:ListBucket",
        "InternalBucket",
    ): "a staged file that somebody removed is to be called gone, not forbidden",
}
UNUSED |= {
    (function, f"s3:{action}", place): "files of more than 5 GiB, moved by test_large.py"
    for function, places in {
        DOOR: ("InternalBucket/stage/*",),
        ENDED: ("PromotedBucket/*",),
        CLOCK: ("InternalBucket/stage/*", "PromotedBucket/*"),
    }.items()
    for place in places
    for action in ("AbortMultipartUpload", "ListMultipartUploadParts")
}
UNUSED |= {
    (function, *right): "of a drop that is forgotten: test_forgetting.py"
    for function in (DOOR, ENDED, CLOCK)
    for right in (
        ("s3:DeleteObjectVersion", "InternalBucket/reports/*"),
        ("s3:DeleteObjectVersion", "InternalBucket/results/*"),
        ("s3:ListBucketVersions", "InternalBucket"),
    )
}
"""Rights that the roles grant and no way through the flow needs, each with its reason."""
POLLING = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
LOGGING = ("logs:CreateLogStream", "logs:PutLogEvents")
TRACING = ("xray:PutTraceSegments", "xray:PutTelemetryRecords")
LAMBDAS_OWN = {
    *((name, action, "*") for name in HANDLERS for action in TRACING),
    *((name, action, f"log-group:{name.removesuffix('Function')}Logs") for name in HANDLERS for action in LOGGING),
    *((n, action, f"{n.removesuffix('Function')}Queue") for n in (DOOR, DUE, LANE, ENDED, HEARD) for action in POLLING),
}
"""Calls of Lambda itself in a function's name (Lambda developer guide, "Defining Lambda function permissions")."""


def created_location(event: dict[str, Any]) -> Location:
    made = event["detail"]["object"]
    return Location(f"s3://{event['detail']['bucket']['name']}/{made['key']}", made["version-id"])


@dataclass
class Site:
    """A deployed stack in which nothing happens by itself: functions are invoked by hand."""

    ports: Ports
    clients: Clients
    cloud: Cloud
    stack: Stack
    emr: EmrServerless
    invoke: Invoker
    job: Literal["good", "bad", "silent", "crashing"] = "good"
    """The end of the job: with a result, good or bad, well but without one, or not well."""

    def put(self, name: str, body: bytes = GOOD) -> dict[str, Any]:
        """Upload a file; the event that S3 sends."""
        bucket = self.stack.names["LandingBucket"]
        made = self.clients.s3.put_object(Bucket=bucket, Key=name, Body=body)
        return object_created(bucket, "us-east-1", name, len(body), made["ETag"], made["VersionId"], "PutObject")

    def drop(self, event: dict[str, Any]) -> Drop:
        """The drop of an upload."""
        made = event["detail"]["object"]
        drop = self.ports.ledger.drop(keys.drop_id(event["detail"]["bucket"]["name"], made["key"], made["version-id"]))
        assert drop
        return drop

    def tell(self, function: str, body: str) -> None:
        """Send one message to a function; it must take it."""
        first = {"ApproximateReceiveCount": "1"}
        record = {"messageId": uuid.uuid4().hex, "body": body, "eventSource": "aws:sqs", "attributes": first}
        assert self.invoke(function, {"Records": [record]}) == {"batchItemFailures": []}

    def land(self, name: str, body: bytes = GOOD) -> dict[str, Any]:
        """Upload a file and have it taken in."""
        event = self.put(name, body)
        self.tell(DOOR, json.dumps(event))
        return event

    def close(self, plan: Plan) -> None:
        """Close a plan's window."""
        window = self.ports.ledger.window(plan.sha)
        assert window
        self.tell(DUE, codec.canonical(window))

    def end(self, event: dict[str, Any]) -> None:
        """Have the job of a drop settled when it is over."""
        batch = self.ports.ledger.batch(self.drop(event).batch or "")
        assert batch
        self.idle()
        state = "FAILED" if self.job == "crashing" else "SUCCESS"
        self.tell(ENDED, json.dumps({"detail": {"jobRunId": batch.run, "state": state}}))

    def send_events(self) -> list[dict[str, Any]]:
        """Have the events of the whole history made, of files that are missing, and of a step whose plan is gone."""
        stored = self.clients.dynamodb.scan(TableName=self.stack.names["LedgerTable"])["Items"]
        absent = items.dumps(items.absence_step_item(Absence("sets.v1", "2026-01-01", 1, 0, LONG_AGO, "9", LONG_AGO)))
        step = PromiseStep("sets.v1", "loadDate", "missed", "met", LONG_AGO, 1, "new", "old", LONG_AGO, LONG_AGO)
        promised = items.dumps(items.promise_step_item(step))
        history = [absent, promised, *(item for item in stored if item["sk"]["S"].startswith("H#"))]
        records = [{"dynamodb": {"NewImage": item}} for item in history]
        made = self.invoke(WRITTEN, records)
        assert len(made) == len(records)
        assert made[0]["detail"]["data"]["contract"] == {"name": "sets.v1", "id": "sets", "version": "1.0.0"}
        known = next(item for item in history[2:] if "contract" in item and item["pk"]["S"].startswith("D#"))
        gone = {**known, "told": {"M": {"plan": {"S": "0" * 64}}}}
        (event,) = self.invoke(WRITTEN, [{"dynamodb": {"NewImage": gone}}])
        assert event["detail"]["data"]["contract"]["id"] is None
        return list(made)

    def tell_people(self, events: list[dict[str, Any]]) -> None:
        """Have people told of events at once, and of a mail that came back; then of those that waited, once due."""
        for gone in filter(None, [event["detail"]["data"]["receipt"] for event in events]):
            self.clients.s3.delete_object(Bucket=gone["bucket"], Key=gone["key"])
        for event in events:
            self.tell(HEARD, json.dumps({"source": "dropgate", **event}))
        mail = {"messageId": "1", "destination": [MAIL], "tags": {"message": ["msg_1"]}}
        back = {"source": "aws.ses", "detail": {"mail": mail, "reject": {"reason": "Bad content"}}}
        self.tell(HEARD, json.dumps(back))
        table = self.stack.names["NoticesTable"]
        items = self.clients.dynamodb.scan(TableName=table)["Items"]
        lines = [i for i in items if i["sk"]["S"] == "STATE" and i["pk"]["S"].startswith("L#")]
        assert {item["scope"]["S"] for item in lines} >= {"orders.v1", "sets.v1"}
        for item in lines:
            if "due" in item:
                sooner = {name: {"S": LONG_AGO} for name in ("due_at", "free_at")}
                self.clients.dynamodb.put_item(TableName=table, Item={**item, **sooner})
        self.invoke(TELLER, {})
        assert len(ses_backends[ACCOUNT]["us-east-1"].sent_messages) > len(lines) / len(CHANNELS)

    def idle(self) -> None:
        """Wait until no job runs."""
        end = time.monotonic() + 30
        while not self.emr.idle():
            assert time.monotonic() < end
            time.sleep(0.01)

    def opened(self, name: str, body: bytes = GOOD) -> dict[str, Any]:
        """An upload of which a function has made the record, and no more."""
        event = self.put(name, body)
        drop = ingest._received(self.ports, created(json.dumps(event)), name)
        assert self.ports.ledger.open(drop)
        return event

    def copied(self, event: dict[str, Any], target: str) -> dict[str, Any]:
        """The same, and a copy made of the bytes."""
        drop = self.drop(event)
        self.ports.store.copy(drop.source, target, CopyTag(drop.id, drop.attempt))
        return event

    def staged(self, event: dict[str, Any]) -> str:
        """Return the staged URI of an upload."""
        drop = self.drop(event)
        return keys.stage_uri(self.ports.zones, ORDERS, drop.id, 1, drop.received_at)

    def held(self, event: dict[str, Any]) -> str:
        """Return the held URI of an upload."""
        return keys.held_uri(self.ports.zones, self.drop(event).id)

    def gone(self, event: dict[str, Any]) -> dict[str, Any]:
        """An upload that somebody has deleted."""
        self.ports.store.delete(created_location(event))
        return event

    def retract(self, event: dict[str, Any]) -> None:
        """Let a promoted drop be judged again."""
        assert isinstance(replay(self.ports, self.drop(event).id, retract=True), Replayed)

    def unpromote(self, name: str, contract: str = "orders.v1") -> None:
        """Delete what consumers see of a file."""
        bucket, key = keys.split(f"{self.ports.zones.promoted}{contract}/{name}")
        self.clients.s3.delete_object(Bucket=bucket, Key=key)

    def claimed_long_ago(self, plan: Plan) -> Window:
        """Have a plan's drops claimed an hour ago by a function that stopped there; their window."""
        window = self.ports.ledger.window(plan.sha)
        assert window
        self.ports.ledger.close_window(window)
        chosen = batching.choose(self.ports.ledger.pending(plan.sha), self.ports.most_drops)
        claimed = batching._claim(replace(self.ports, patience_seconds=0), window, chosen)  # no guess of a free slot
        assert claimed
        batch, _ = claimed
        self.ports.ledger.write_batch(batch, replace(batch, try_at=LONG_AGO))
        return window

    def retry_long_ago(self, event: dict[str, Any]) -> None:
        """Have a drop's batch claimed an hour ago for its next try by a function that stopped there."""
        batch = self.ports.ledger.batch(self.drop(event).batch or "")
        assert batch
        self.ports.ledger.write_batch(batch, replace(batch, state="claimed", try_=batch.try_ + 1, try_at=LONG_AGO))

    def clock(self, *events: dict[str, Any]) -> None:
        """Let the schedule take everything on until these are settled; it leaves windows to their function."""
        for _ in range(20):
            self.idle()
            self.invoke(CLOCK, {})
            for plan in (ORDERS, WIDER):
                if self.ports.ledger.window(plan.sha):
                    self.close(plan)
            if not any(self.drop(event).in_flight for event in events):
                return
        raise AssertionError([self.drop(event).state for event in events])


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    made: list[Site] = []

    def run_job(job: JobSpec) -> None:
        store = made[0].ports.store
        request = JobRequest.loads(store.get(job.arguments[1]))
        if made[0].job != "good":
            store.put(f"{request.evidence_rows}part-0", b"half", "application/octet-stream")
        if made[0].job == "crashing":
            raise MemoryError("java heap space")
        if made[0].job == "silent":
            return
        judge = one_bad if made[0].job == "bad" else all_good
        store.put(request.result, answer(request, judge).dumps().encode(), "application/json")

    with EmrServerless(run_job, lambda _: True, lambda _: None, guard=cloud.guard) as emr:
        environment.setenv("AWS_ENDPOINT_URL_EMR_SERVERLESS", emr.endpoint)
        stack = deploy(
            TEMPLATE,
            cache(boto3.client),
            emr.application.id,
            parameters={"WindowSeconds": 0, "MailFrom": MAIL},
            name=f"rights{uuid.uuid4().hex[:8]}",
        )
        for variable, value in stack.environment.items():
            environment.setenv(variable, value)
        environment.setenv("DROPGATE_PATIENCE_SECONDS", "0")
        cloud.guard.learn(stack)
        clients = Clients()
        ports = ports_from(stack.environment, clients)
        publish(ports.store, ports.zones.catalog, [ORDERS, WIDER, SETS, ROWS], routes=ROUTES)
        boto3.client("ses").verify_email_identity(EmailAddress=MAIL)
        secret = f"{stack.environment['DROPGATE_SECRETS']}chat"
        boto3.client("ssm").put_parameter(Name=secret, Value="https://10.0.0.1/inward", Type="SecureString")
        made.append(Site(ports, clients, cloud, stack, emr, Invoker(stack.functions, HANDLERS, "us-east-1")))
        yield made[0]


@pytest.fixture(scope="module")
def driven(site: Site, environment: pytest.MonkeyPatch) -> Site:
    """Every way through the flow, by events, in the fast lane and by the schedule."""
    by_events(site)
    environment.setenv("DROPGATE_LANE_BYTES", "1000")
    by_the_fast_lane(site)
    environment.setenv("DROPGATE_LANE_BYTES", "0")
    by_the_schedule(site)
    site.tell_people(site.send_events())
    return site


def by_events(site: Site) -> None:
    first = site.land("orders/1.csv")
    site.close(ORDERS)
    site.end(first)
    for name in ("orders/1.csv", "orders/1.csv"):  # over the former, then where somebody has removed it
        again = site.land(name)
        site.close(ORDERS)
        site.end(again)
        site.unpromote(name)
    site.land("orders/refused.csv", b"ID,note\n1,a\n")
    site.land("nowhere.csv")
    site.tell(DOOR, json.dumps(site.gone(site.put("orders/gone.csv"))))
    copied = site.opened("orders/copied.csv")
    site.tell(DOOR, json.dumps(site.copied(copied, site.staged(copied))))
    copied = site.opened("nowhere/copied.csv")
    site.tell(DOOR, json.dumps(site.copied(copied, site.held(copied))))
    member = site.land("sets/1/a.csv")
    site.land("sets/1/_SUCCESS")
    site.close(SETS)
    site.end(member)
    site.land("orders/replaced.csv")
    replaced = site.land("orders/replaced.csv")
    site.close(ORDERS)
    site.end(replaced)
    wide = site.land("wide/1.csv", f"{WIDE}\n1,a\n".encode())
    site.close(WIDER)
    site.end(wide)
    for name in ("large-1", "large-2"):  # one a batch
        event = site.put(f"orders/{name}.csv")
        event["detail"]["object"]["size"] = 2 * GIB
        site.tell(DOOR, json.dumps(event))
    site.close(ORDERS)
    site.close(ORDERS)
    late = site.land("orders/late.csv")
    site.tell(DUE, codec.canonical(site.claimed_long_ago(ORDERS)))
    site.retry_long_ago(late)
    site.end(late)
    site.end(late)
    site.job = "bad"
    site.retract(late)
    site.close(ORDERS)
    site.end(late)
    site.job = "silent"
    crashed = [site.land(f"orders/crashed-{n}.csv") for n in (1, 2)]
    site.close(ORDERS)
    for nth in range(6):  # three times together, three times each alone
        for event in crashed if nth > 2 else crashed[:1]:
            site.end(event)
        site.job = "crashing"
    site.job = "good"
    assert {site.drop(event).state for event in crashed} == {"failed"}
    assert {site.drop(each).state for each in (first, again, replaced, wide, member)} == {"accepted"}
    assert site.drop(late).state == "rejected"


def by_the_fast_lane(site: Site) -> None:
    small, unsure = (
        site.land(f"orders/{name}.csv", body) for name, body in (("small", GOOD), ("unsure", b"id,note\n1\n"))
    )
    for event in (small, unsure):
        site.tell(LANE, json.dumps({"drop": site.drop(event).id}))
    site.end(small)
    site.close(ORDERS)
    site.end(unsure)
    batches = [site.ports.ledger.batch(site.drop(event).batch or "") for event in (small, unsure)]
    assert [bool(batch and (batch.run or "").startswith(FUNCTION)) for batch in batches] == [True, False]
    assert {site.drop(event).state for event in (small, unsure)} == {"accepted"}


def by_the_schedule(site: Site) -> None:
    absent = Absence("sets.v1", "2026-01-01", 1, 0, LONG_AGO, "9999", LONG_AGO, version=1)
    site.ports.ledger.write((), replace(site.ports.ledger.roll_call(), until=LONG_AGO, missing=(absent,)))
    good, again = site.opened("orders/2.csv"), site.opened("orders/3.csv")
    copied, held = site.opened("orders/4.csv"), site.opened("nowhere/4.csv")
    site.copied(copied, site.staged(copied))
    site.copied(held, site.held(held))
    refused, gone = site.opened("orders/5.csv", b"ID,note\n1,a\n"), site.gone(site.opened("orders/6.csv"))
    site.clock(good, again, copied, held, refused, gone)
    for name in ("orders/2.csv", "orders/2.csv"):
        site.clock(site.opened(name))
        site.unpromote(name)
    site.job = "bad"
    site.retract(copied)
    site.clock(copied)
    site.job = "good"
    wide = site.land("wide/2.csv", f"{WIDE}\n1,a\n".encode())
    site.claimed_long_ago(WIDER)
    site.clock(wide)
    site.job = "silent"
    crashed = [site.land(f"orders/{n}.csv") for n in (7, 8)]
    site.close(ORDERS)
    site.clock(*crashed)
    site.job = "good"
    assert {site.drop(event).state for event in crashed} == {"failed"}
    assert {site.drop(each).state for each in (good, again, wide)} == {"accepted"}
    assert site.drop(copied).state == "rejected"


def test_roles_allow_all_that_the_code_does(driven: Site) -> None:
    assert driven.cloud.guard.denied == []


def test_roles_allow_nothing_that_is_never_used(driven: Site) -> None:
    unused = [each for each in driven.cloud.guard.unused(driven.stack) if each[0] != JOB]
    assert sorted(unused) == sorted({*UNUSED, *LAMBDAS_OWN})


def test_notice_asks_what_the_cost_model_says(driven: Site) -> None:
    """A notice that is told by itself, in a function that is warm but for the routes."""
    events = [each for each in driven.send_events() if each["detail-type"] == "Drop Rejected"]
    route = Route("producer", Channel("email", "new@example.com"), OCCASIONS)
    routes = Routes((ContractRoutes("orders.v1", "shop", (route,)),))
    publish(driven.ports.store, driven.ports.zones.catalog, [ORDERS, WIDER, SETS, ROWS], routes=routes)
    before = len(driven.cloud.requests)
    driven.tell(HEARD, json.dumps({"source": "dropgate", **events[0]}))
    asked = Counter(each.operation for each in list(driven.cloud.requests)[before:] if each.caller == HEARD)

    new_routes = 1
    assert asked.total() == ASSUMED.heard + ASSUMED.notice_calls + new_routes, asked


def test_call_beyond_a_role_is_refused(driven: Site) -> None:
    names, denied = driven.stack.names, len(driven.cloud.guard.denied)
    as_door: Any = boto3.Session(DOOR, "none", region_name="us-east-1")
    internal, promoted = ({"Bucket": names[f"{zone}Bucket"]} for zone in ("Internal", "Promoted"))
    month = {"KeyConditionExpression": "dataset_month = :m", "ExpressionAttributeValues": {":m": {"S": "a"}}}
    beyond: list[tuple[str, str, dict[str, Any]]] = [
        ("s3", "put_object", promoted | {"Key": "orders.v1/a"}),
        ("s3", "get_object", promoted | {"Key": "orders.v1/a"}),
        ("s3", "get_object", internal | {"Key": "jobs/a"}),
        ("s3", "delete_objects", internal | {"Delete": {"Objects": [{"Key": "stage/a"}]}}),
        ("dynamodb", "scan", {"TableName": names["LedgerTable"]}),
        ("dynamodb", "query", {"TableName": names["LedgerTable"], "IndexName": "by_month", **month}),
        ("sqs", "receive_message", {"QueueUrl": names["BatchDueQueue"]}),
        ("emr-serverless", "list_job_runs", {"applicationId": driven.emr.application.id}),
    ]
    for service, method, asked in beyond:
        with pytest.raises(ClientError, match=r"\(AccessDenied(Exception)?\)"):
            getattr(as_door.client(service), method)(**asked)
    refused = driven.cloud.guard.denied[denied:]
    del driven.cloud.guard.denied[denied:]
    assert len(refused) == len(beyond)
