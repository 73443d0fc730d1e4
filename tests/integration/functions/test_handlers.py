"""The handlers with the events that AWS sends, on the embedded AWS; the job is played, Spark stays out."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from io import StringIO
from typing import Any, cast

import boto3
import pytest

from contracts.job import JobRequest
from contracts.terms.notices import Channel, Route, Routes
from functions import keys
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.handlers import (
    batch_due,
    history_written,
    job_state_changed,
    notice_event,
    notices_due,
    object_created,
    schedule,
)
from functions.handlers.runtime import STACK, logger
from functions.lane import small_staged
from functions.ports import Ports
from functions.ports.clock import stamp
from infra.local.cloud import Cloud
from infra.local.emr.job_events import EventFaults
from infra.local.emr.run import JobSpec
from infra.local.emr.server import EmrServerless
from infra.local.events import events
from infra.local.events.events import deliver
from infra.local.events.invocation import Context, Handler
from infra.local.events.pump import Pump
from infra.local.template.stack import deploy
from infra.local.template.template import expand, of_type
from infra.stack_admin import deployed
from tests.builders import Judge, a_plan, a_window, all_good, answer, one_bad, publish
from tests.integration.functions.conftest import TEMPLATE

ALARMING = {
    alarm["Properties"]["MetricName"]
    for alarm in of_type(expand(TEMPLATE, "us-east-1"), "AWS::CloudWatch::Alarm").values()
    if alarm["Properties"]["Namespace"] == "dropgate"
}
"""The metrics of our own that have an alarm."""

HANDLERS: dict[str, Handler] = {
    "ObjectCreatedFunction": object_created.handler,
    "BatchDueFunction": batch_due.handler,
    "SmallStagedFunction": small_staged.handler,
    "JobStateChangedFunction": job_state_changed.handler,
    "ScheduleFunction": schedule.handler,
    "HistoryWrittenFunction": history_written.handler,
    "NoticeEventFunction": notice_event.handler,
    "NoticesDueFunction": notices_due.handler,
}


@dataclass
class Site:
    """A deployed stack at work: what is in it, and how the job judges."""

    ports: Ports
    clients: Clients
    names: Any
    emr: EmrServerless
    pump: Pump
    name: str
    variables: Mapping[str, str]
    heard: list[Mapping[str, Any]]
    judge: Judge | None = all_good

    def upload(self, name: str, body: bytes) -> str:
        """Upload as a producer does; the drop's id."""
        bucket = self.names["LandingBucket"]
        version = self.clients.s3.put_object(Bucket=bucket, Key=name, Body=body)["VersionId"]
        return keys.drop_id(bucket, name, version)

    def settled(self, drop_id: str) -> Drop:
        """The drop when nothing is left to do."""
        assert self.pump.drain(180, self.emr.idle)
        drop = self.ports.ledger.drop(drop_id)
        assert drop
        return drop

    def eventually(self, drop_id: str, state: str) -> None:
        """Wait until a drop has come to a state, by events or by the schedule."""
        end = time.monotonic() + 180
        while (drop := self.ports.ledger.drop(drop_id)) is None or drop.state != state:
            assert time.monotonic() < end, drop
            time.sleep(0.1)

    def document(self, uri: str) -> Any:
        """A JSON document."""
        return json.loads(self.ports.store.get(uri))


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    with running(environment, cloud) as made:
        yield made


@contextmanager
def running(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    """Give a stack at work, in which a contract is in force."""
    made: list[Site] = []

    def run_job(job: JobSpec) -> None:
        site = made[0]
        if site.judge is None:
            raise MemoryError("java heap space")
        request = JobRequest.loads(site.ports.store.get(job.arguments[1]))
        site.ports.store.put(request.result, answer(request, site.judge).dumps().encode(), "application/json")

    with EmrServerless(run_job, lambda _: True, deliver, application_id="00dropgate02", guard=cloud.guard) as emr:
        environment.setenv("AWS_ENDPOINT_URL_EMR_SERVERLESS", emr.endpoint)
        client_for = cache(boto3.client)
        name = f"handlers-{uuid.uuid4().hex[:8]}"
        stack = deploy(TEMPLATE, client_for, "00dropgate02", parameters={"WindowSeconds": 0}, name=name)
        cloud.guard.learn(stack)
        variables = stack.environment
        for variable, value in variables.items():
            environment.setenv(variable, value)
        environment.setenv("DROPGATE_PATIENCE_SECONDS", "1")
        clients = Clients()
        ports = ports_from(dict(variables), clients)
        publish(ports.store, ports.zones.catalog, [a_plan()])
        heard: list[Mapping[str, Any]] = []
        with Pump(stack, client_for, HANDLERS, schedule_seconds=2, retry_seconds=0, listener=heard.append) as pump:
            made.append(Site(ports, clients, stack.names, emr, pump, name, variables, heard))
            yield made[0]
        assert cloud.guard.denied == [], "the template's policies forbid what the code does"


def test_good_file_is_promoted_with_its_receipt(site: Site) -> None:
    drop = site.settled(site.upload("orders/a+b %20ü.csv", b"id,note\n1,a\n"))

    assert (drop.state, drop.verdict, drop.key) == ("accepted", "accepted", "orders/a+b %20ü.csv")
    assert site.ports.store.get(f"{site.ports.zones.promoted}orders.v1/orders/a+b %20ü.csv") == b"id,note\n1,a\n"
    assert site.document(drop.receipt or "")["verdict"] == "accepted"
    assert drop.sha256 == site.document(drop.receipt or "")["file"]["sha256"]


def test_wrong_header_is_rejected_without_a_job(site: Site) -> None:
    drop = site.settled(site.upload("orders/header.csv", b"ID,note\n1,a\n"))

    assert (drop.state, drop.batch) == ("rejected", None)
    assert [p.code for p in drop.problems] == ["missing-column"]
    assert site.document(drop.receipt or "")["problems"][0]["fix"].startswith("Rename `ID` to `id`, or ask for")


def test_bad_rows_are_rejected_by_the_job(site: Site) -> None:
    site.judge = one_bad
    drop = site.settled(site.upload("orders/bad.csv", b"id,note\n1,a\n,b\n"))
    site.judge = all_good

    assert (drop.state, drop.rows and drop.rows.rejected) == ("rejected", 1)
    assert site.ports.store.get(drop.source.uri) == b"id,note\n1,a\n,b\n"


def test_key_of_no_contract_is_held(site: Site) -> None:
    drop = site.settled(site.upload("order/1.csv", b"id,note\n1,a\n"))

    assert (drop.state, drop.problems[0].code) == ("unmatched", "unmatched")
    assert site.ports.store.get(keys.held_uri(site.ports.zones, drop.id)) == b"id,note\n1,a\n"


def test_crashing_job_fails_the_drop_after_three_tries(site: Site) -> None:
    site.judge = None
    drop = site.settled(site.upload("orders/crash.csv", b"id,note\n1,a\n"))
    site.judge = all_good

    assert (drop.state, drop.try_, drop.verdict, drop.problems[0].code) == ("failed", 3, None, "job-failed")
    assert site.document(drop.receipt or "")["verdict"] is None


def test_lost_job_event_is_made_up_for(site: Site) -> None:
    site.emr.faults = EventFaults(lose=frozenset({"SUCCESS"}))
    drop_id = site.upload("orders/lost.csv", b"id,note\n1,a\n")
    site.eventually(drop_id, "accepted")
    site.emr.faults = EventFaults()


def test_repeated_job_events_change_nothing(site: Site) -> None:
    site.emr.faults = EventFaults(repeat=3, reorder=True)
    drop = site.settled(site.upload("orders/often.csv", b"id,note\n1,a\n"))
    site.emr.faults = EventFaults()

    states = [step.state for step in site.ports.ledger.history(drop.id)]
    assert states == ["received", "staged", "validating", "promoting", "accepted"]


def test_corrected_file_takes_its_place(site: Site) -> None:
    first = site.settled(site.upload("orders/again.csv", b"id,note\n1,a\n"))
    second = site.settled(site.upload("orders/again.csv", b"id,note\n2,b\n"))

    assert (first.state, second.state) == ("accepted", "accepted")
    assert site.ports.store.get(f"{site.ports.zones.promoted}orders.v1/orders/again.csv") == b"id,note\n2,b\n"


def command(site: Site, *words: str) -> subprocess.CompletedProcess[str]:
    """A command about this stack, by its name; as a process, as handlers here print what they count."""
    start = [sys.executable, "-c", "from infra.cli.main import run; run()", *words, "--stack", site.name]
    mine = os.environ | {"AWS_ACCESS_KEY_ID": "operator"}  # a handler that runs right now has another one here
    return subprocess.run(
        start, env=mine, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


def dropgate(site: Site, *words: str) -> Any:
    """Return the output of a command, which must end well."""
    done = command(site, *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("what", [("orders.v1",), ("--producer", "shop")], ids=["contract", "producer"])
def test_what_is_held_up_waits_and_goes_on(site: Site, what: tuple[str, ...]) -> None:
    (pause,) = dropgate(site, "pause", *what, "--reason", "rule 7")
    drop_id = site.upload(f"orders/held-{len(what)}.csv", b"id,note\n1,a\n")
    refused = site.settled(site.upload(f"orders/refused-{len(what)}.csv", b"ID,note\n1,a\n"))
    site.eventually(drop_id, "staged")
    time.sleep(3)  # the schedule opens the window again, more than once
    waiting = site.ports.ledger.drop(drop_id)

    assert (pause["name"], pause["reason"]) == (what[-1], "rule 7")
    assert (refused.state, waiting and waiting.state) == ("rejected", "staged")
    assert dropgate(site, "resume", *what) == []
    site.eventually(drop_id, "accepted")


def test_commands_know_a_stack_by_its_name(site: Site) -> None:
    drop = site.settled(site.upload("orders/named.csv", b"id,note\n1,a\n"))
    shown = dropgate(site, "show", drop.id[:10])

    assert shown["drop"]["state"] == "accepted"
    assert drop.id in [row["id"] for row in dropgate(site, "drops")]
    own = {name: value for name, value in site.variables.items() if name.startswith("DROPGATE_")}
    own = {name: value for name, value in own.items() if name not in ("DROPGATE_API", "DROPGATE_LINKS")}  # of notices
    of_lane = {"DROPGATE_LANE_QUEUE", "DROPGATE_ENDED_QUEUE", "DROPGATE_LANE_BYTES"}  # no command sends there
    own = {name: value for name, value in own.items() if name not in of_lane}
    own["DROPGATE_CONTRACTS_FROM"] = "repository"
    assert deployed.environment(boto3.client("cloudformation"), site.name) == own


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pause", "order.v1"], "There is no contract order.v1. Did you mean orders.v1?"),
        (["pause", "--producer", "shopp"], "There is no producer shopp. Did you mean shop?"),
        (["pause", "orders.v1", "--producer", "shop"], "Name either a contract or --producer P."),
        (["resume", "orders.v1"], "The contract orders.v1 is not paused. Known: none."),
        (["resume"], "Name a contract, or --producer P."),
        (["redrive", "object-craeted"], "There is no dead-letter queue object-craeted. Did you mean object-created?"),
        (["redrive", "notices"], "notices has no queue to go back to: send the events of that time's drops by"),
    ],
)
def test_wrong_names_are_usage_errors(site: Site, words: list[str], message: str) -> None:
    done = command(site, *words)

    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_unknown_stack_is_named(site: Site) -> None:
    done = command(replace(site, name="dropgat"), "drops")

    assert (done.returncode, done.stderr) == (3, "dropgate: There is no stack dropgat in us-east-1.\n")


def dead(site: Site) -> int:
    """Return how many uploads are dead letters."""
    asked = {"QueueUrl": site.names["ObjectCreatedDlq"], "AttributeNames": ["ApproximateNumberOfMessages"]}
    counts: Any = site.clients.sqs.get_queue_attributes(**asked)["Attributes"]
    return int(counts["ApproximateNumberOfMessages"])


def test_upload_that_died_is_taken_in_when_it_is_sent_back(site: Site) -> None:
    catalog = f"{site.ports.zones.catalog}current.json"
    pointer, log = site.ports.store.get(catalog), StringIO()
    ours = cast("logging.StreamHandler[Any]", logger.registered_handler)
    before = ours.setStream(log)
    site.ports.store.put(catalog, b"{}", "application/json")
    drop_id = site.upload("orders/dead.csv", b"id,note\n1,a\n")
    end = time.monotonic() + 180
    while not dead(site):
        assert time.monotonic() < end
        time.sleep(0.2)
    site.ports.store.put(catalog, pointer, "application/json")
    ours.setStream(before or sys.stdout)

    assert site.ports.ledger.drop(drop_id) is None
    # A late notice needs the contracts as well, and may become a letter of its own.
    lines = map(json.loads, log.getvalue().splitlines())
    failures = [line for line in lines if "exception" in line and line["function_name"] == "ObjectCreatedFunction"]
    assert {line["drop"] for line in failures} == {drop_id}
    listed = {row["queue"]: row for row in dropgate(site, "redrive")}
    assert {name: row["letters"] for name, row in listed.items() if row["letters"] and name != "notice-event"} == {
        "object-created": 1
    }
    sent = datetime.fromisoformat(listed["object-created"]["oldest_seen"])
    assert timedelta(0) < datetime.now(UTC) - sent < timedelta(minutes=2)
    assert dropgate(site, "redrive", "object-created", "--dry-run")["letters"] == dead(site) == 1
    assert dropgate(site, "redrive", "object-created")["moved"] == 1
    site.eventually(drop_id, "accepted")
    assert dead(site) == 0
    dropgate(site, "redrive", "notice-event")
    assert command(site, "redrive").stdout.startswith("object-created     no dead letters\n")


def test_letters_of_eventbridge_go_back_and_repeat_nothing(site: Site) -> None:
    drop = site.settled(site.upload("orders/repeated.csv", b"id,note\n1,a\n"))
    history = site.ports.ledger.history(drop.id)
    event = events.object_created(
        drop.bucket, "us-east-1", drop.key, drop.size, drop.etag, drop.version_id, "PutObject"
    )
    why: Any = {"ERROR_CODE": {"DataType": "String", "StringValue": "NO_PERMISSIONS"}}
    for _ in range(12):
        body = json.dumps(event)
        site.clients.sqs.send_message(QueueUrl=site.names["ObjectCreatedDlq"], MessageBody=body, MessageAttributes=why)

    assert dropgate(site, "redrive", "object-created") == {
        "queue": "object-created",
        "dry_run": False,
        "letters": 12,
        "moved": 12,
        "left": 0,
    }
    assert site.pump.drain(180)
    assert (dead(site), site.ports.ledger.history(drop.id)) == (0, history)


def test_drop_is_known_by_its_key(site: Site) -> None:
    first = site.settled(site.upload("orders/twice named.csv", b"id,note\n1,a\n"))
    second = site.settled(site.upload("orders/twice named.csv", b"ID,note\n1,a\n"))
    shown = dropgate(site, "show", "orders/twice named.csv")

    assert (shown["drop"]["id"], shown["uploads"]) == (second.id, [second.id, first.id])
    done = command(site, "replay", f"{site.ports.zones.landing}orders/twice named.csv")
    assert (done.returncode, done.stdout.startswith(f"{second.id[:10]}, attempt 2")) == (0, True), done.stderr
    assert "2 of this key in" in done.stderr
    wrong = command(site, "show", "orders/twice nmaed.csv")
    assert (wrong.returncode, "Did you mean orders/twice named.csv?" in wrong.stderr) == (2, True), wrong.stderr


def test_all_drops_in_a_state_are_judged_again(site: Site) -> None:
    wrong = [site.settled(site.upload(f"orders/all-{n}.csv", b"ID,note\n1,a\n")) for n in range(3)]
    ids = [drop.id for drop in wrong]
    would = dropgate(site, "replay", "--state", "rejected", "--contract", "orders.v1", "--dry-run")
    before = [site.ports.ledger.drop(i) for i in ids]
    some = dropgate(site, "replay", "--state", "rejected", "--contract", "orders.v1", "--most", "2")
    after = [site.settled(i).attempt for i in ids]

    assert [one["drop"] for one in would][-3:] == ids
    assert before == wrong
    assert [one["drop"] for one in some] == ids[1:]
    assert after == [1, 2, 2]


def test_schedule_names_ids_as_other_lines_do() -> None:
    assert schedule.named("drop abc") == {"what": "drop abc", "drop": "abc"}
    assert schedule.named("batch abc") == {"what": "batch abc", "batch": "abc"}
    assert schedule.named("window of plan abc") == {"what": "window of plan abc"}


def by_hand(site: Site, records: list[dict[str, Any]]) -> Any:
    """Return the answer of the function of new objects to messages that came by no queue."""
    context: Any = Context("f", "arn:aws:lambda:us-east-1:123456789012:function:f", 512, "r", time.monotonic() + 60)
    with site.pump.turn():
        return object_created.handler({"Records": records}, context)


def test_message_that_fails_leaves_the_others_done(site: Site) -> None:
    thing = {"key": "orders/unversioned.csv", "size": 12, "etag": "e", "sequencer": "01"}

    def message(name: str, bucket: str, **version: str) -> dict[str, Any]:
        detail = {"bucket": {"name": bucket}, "object": thing | version}
        return {"messageId": name, "body": json.dumps({"detail": detail}), "eventSource": "aws:sqs"}

    landing, bad = site.names["LandingBucket"], {"messageId": "bad", "body": "no event", "eventSource": "aws:sqs"}
    unversioned = message("without", landing), message("suspended", landing, **{"version-id": "null"})
    answer = by_hand(site, [bad, *unversioned, message("good", "elsewhere", **{"version-id": "v"})])

    assert [f["itemIdentifier"] for f in answer["batchItemFailures"]] == ["bad", "without", "suspended"]
    assert site.pump.drain(180)


def test_every_metric_of_ours_that_rings_an_alarm_is_told(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    flow = {"DropsAccepted", "DropsReceived", "DropsStaged"}
    long_ago = stamp(datetime.now(UTC) - timedelta(hours=2))
    site.ports.ledger.write((), replace(site.ports.ledger.roll_call(), until=long_ago))
    nowhere = Routes(operators=(Route("operator", Channel("webhook", "nowhere"), ("failed",)),))
    publish(site.ports.store, site.ports.zones.catalog, [a_plan(), a_window("absent", -30)], routes=nowhere)
    unreadable = {"pk": {"S": "D#old"}, "sk": {"S": "STATE"}, "inflight": {"S": "inflight#0"}, "changed_at": {"S": "2"}}
    site.clients.dynamodb.put_item(TableName=site.names["LedgerTable"], Item=unreadable)

    site.settled(site.upload("orders/counted.csv", b"id,note\n1,a\n"))
    site.judge = None
    site.settled(site.upload("orders/uncounted.csv", b"id,note\n1,a\n"))
    by_hand(site, [{"messageId": "bad", "body": "no event", "eventSource": "aws:sqs"}])
    back = {"mail": {"messageId": "1", "destination": ["ann@example.com"]}, "reject": {"reason": "Bad content"}}
    body = json.dumps({"source": "aws.ses", "detail": back})
    site.clients.sqs.send_message(QueueUrl=site.names["NoticeEventQueue"], MessageBody=body)
    site.judge = all_good
    metrics: dict[str, list[float]] = {}
    end = time.monotonic() + 180
    while not ({"Heartbeat", "Troubles", "FilesMissing", "NoticesFailed", "MailsReturned"} <= metrics.keys()):
        assert time.monotonic() < end, metrics
        time.sleep(0.2)
        for line in map(json.loads, (text for text in capsys.readouterr().out.splitlines() if '"_aws"' in text)):
            (about,) = line["_aws"]["CloudWatchMetrics"]
            assert (about["Namespace"], about["Dimensions"], line["service"]) == ("dropgate", [["service"]], STACK)
            for metric in about["Metrics"]:
                metrics.setdefault(metric["Name"], []).extend(line[metric["Name"]])
    site.clients.dynamodb.delete_item(
        TableName=site.names["LedgerTable"], Key={name: unreadable[name] for name in ("pk", "sk")}
    )

    assert metrics.keys() >= ALARMING | flow
    assert metrics["DropsAccepted"] == [1]
    assert metrics["DropsFailed"] == [1]
    assert all(minutes >= 0 for minutes in metrics["JobQueueMinutes"])
