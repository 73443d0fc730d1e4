"""The stack made from template.yaml, and what moves in it: queue to handler, stream to bus, clock to function."""

import json
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Event as Flag
from threading import Lock
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from infra.local.cloud import Cloud
from infra.local.events.pump import Pump
from infra.local.template.stack import ClientFor, Stack, TemplateError, deploy
from infra.packaging.bundles import ROOT

TEMPLATE = ROOT / "template.yaml"
WRITTEN = "HistoryWrittenFunction"
TELLING = ("NoticeEventFunction", "NoticesDueFunction")
JUDGING = ("ObjectCreatedFunction", "BatchDueFunction", "SmallStagedFunction", "JobStateChangedFunction")
FLOW = (*JUDGING, "ScheduleFunction", WRITTEN)
FUNCTIONS = (*FLOW, *TELLING)

Event = dict[str, Any]


def nothing(_event: Event, _call: int) -> None:
    """Answer as a handler does that has no complaint."""


class Recorder:
    """A handler that keeps what it is given and answers what it is told to."""

    def __init__(self, answer: Callable[[Event, int], Any] = nothing) -> None:
        self.events: list[Any] = []
        self.contexts: list[Any] = []
        self._answer = answer
        self._lock = Lock()

    def __call__(self, event: Event, context: Any) -> Any:
        with self._lock:
            self.events.append(event)
            self.contexts.append(context)
        return self._answer(event, len(self.events))

    @property
    def bodies(self) -> list[str]:
        return [record["body"] for event in self.events for record in event["Records"]]


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as running:
        yield running


@pytest.fixture(scope="module")
def client_for(cloud: Cloud) -> ClientFor:
    session = boto3.Session(aws_access_key_id="stack-test", aws_secret_access_key="none", region_name="us-east-1")
    return cache(lambda service: session.client(service, endpoint_url=cloud.endpoint))


@pytest.fixture(scope="module")
def stack(client_for: ClientFor) -> Stack:
    return a_stack(client_for)


def a_stack(client_for: ClientFor) -> Stack:
    name = f"stack-{uuid.uuid4().hex[:8]}"
    return deploy(TEMPLATE, client_for, "00dropgate01", parameters={"WindowSeconds": 2}, name=name)


def pumping(stack: Stack, client_for: ClientFor, handlers: Mapping[str, Recorder], **settings: Any) -> Pump:
    quiet = {name: Recorder() for name in FUNCTIONS}
    return Pump(stack, client_for, quiet | dict(handlers), retry_seconds=0, **settings)


def history(table: str, drop: str, sk: str) -> dict[str, Any]:
    return {
        "TableName": table,
        "Item": {"pk": {"S": drop}, "sk": {"S": sk}, "state": {"S": "received"}},
    }


def send(client_for: ClientFor, stack: Stack, *bodies: str) -> None:
    for body in bodies:
        client_for("sqs").send_message(QueueUrl=stack.names["ObjectCreatedQueue"], MessageBody=body)


def waiting(client_for: ClientFor, stack: Stack, queue: str) -> list[str]:
    messages = client_for("sqs").receive_message(QueueUrl=stack.names[queue], MaxNumberOfMessages=10)
    return [message["Body"] for message in messages.get("Messages", [])]


def shaped(records: Any, _call: int) -> list[Event]:
    """Make an event of each history item, as the function of the pipe does."""
    images = [record["dynamodb"]["NewImage"] for record in records]
    return [
        {
            "detail-type": f"Drop {image['state']['S']}",
            "detail": {name: image[key]["S"] for name, key in (("drop", "pk"), ("history", "sk"))},
        }
        for image in images
    ]


def put(client_for: ClientFor, stack: Stack, sk: str, **attributes: str) -> None:
    item = {"pk": "D#one", "sk": sk, **attributes}
    client_for("dynamodb").put_item(
        TableName=stack.names["LedgerTable"], Item={name: {"S": value} for name, value in item.items()}
    )


def test_every_function_gets_its_environment(stack: Stack) -> None:
    internal = stack.names["InternalBucket"]

    assert set(stack.functions) == set(FUNCTIONS)
    for name in FLOW:
        assert stack.functions[name].environment == {
            "DROPGATE_APPLICATION": "00dropgate01",
            "DROPGATE_BATCH_QUEUE": stack.names["BatchDueQueue"],
            "DROPGATE_LANE_QUEUE": stack.names["SmallStagedQueue"],
            "DROPGATE_LANE_BYTES": "0",
            "DROPGATE_ENDED_QUEUE": stack.names["JobStateChangedQueue"],
            "DROPGATE_CATALOG": f"s3://{internal}/catalog/",
            "DROPGATE_DATA_KEY": f"arn:aws:kms:us-east-1:123456789012:key/{stack.names['DataKey']}",
            "DROPGATE_EVIDENCE": f"s3://{internal}/evidence/",
            "DROPGATE_HELD": f"s3://{internal}/held/",
            "DROPGATE_JOBS": f"s3://{internal}/jobs/",
            "DROPGATE_JOB_ARCHIVE": f"s3://{internal}/code/dropgate.zip",
            "DROPGATE_JOB_ENVIRONMENT": "",
            "DROPGATE_JOB_ARROW": "",
            "DROPGATE_JOB_ENTRY": f"s3://{internal}/code/entry.py",
            "DROPGATE_JOB_ROLE": f"arn:aws:iam::123456789012:role/{stack.names['JobRole']}",
            "DROPGATE_LANDING": f"s3://{stack.names['LandingBucket']}/",
            "DROPGATE_PROMOTED": f"s3://{stack.names['PromotedBucket']}/",
            "DROPGATE_REPORTS": f"s3://{internal}/reports/",
            "DROPGATE_RESULTS": f"s3://{internal}/results/",
            "DROPGATE_STAGE": f"s3://{internal}/stage/",
            "DROPGATE_TABLE": stack.names["LedgerTable"],
            "DROPGATE_WINDOW_SECONDS": "2",
            "DROPGATE_MOST_DROPS": "500",
            "DROPGATE_MOST_BATCHES": "15",
            "DROPGATE_MASK_EVIDENCE": "false",
            "POWERTOOLS_LOG_LEVEL": "INFO",
            "POWERTOOLS_METRICS_NAMESPACE": "dropgate",
            "POWERTOOLS_SERVICE_NAME": stack.names["NoticesBus"].partition("-notices-")[0],
        }


def test_application_keeps_the_templates_properties(stack: Stack) -> None:
    assert stack.application_id == "00dropgate01"
    assert stack.application["ReleaseLabel"] == "emr-spark-8.1.0"
    assert stack.application["Architecture"] == "ARM64"
    assert stack.application["MaximumCapacity"] == {"Cpu": "16 vCPU", "Memory": "64 GB"}
    assert stack.application["SchedulerConfiguration"]["MaxConcurrentRuns"] == 15


def test_policies_name_what_was_made(stack: Stack) -> None:
    statements = {each["Sid"]: each for each in stack.functions["BatchDueFunction"].statements}

    assert statements["WriteRequests"]["Resource"] == f"arn:aws:s3:::{stack.names['InternalBucket']}/jobs/*"
    assert statements["PassJobRole"]["Resource"] == stack.functions["BatchDueFunction"].environment["DROPGATE_JOB_ROLE"]


def test_wrong_parameter_is_refused_by_name(client_for: ClientFor) -> None:
    with pytest.raises(TemplateError, match=r"no parameter Window\. Did you mean WindowSeconds\?"):
        deploy(TEMPLATE, client_for, "00dropgate01", parameters={"Window": 2}, name="refused")


def test_variable_naming_nothing_is_refused(client_for: ClientFor, tmp_path: Path) -> None:
    shutil.copytree(TEMPLATE.parent / "infra" / "aws", tmp_path / "infra" / "aws")
    shutil.copy(TEMPLATE, tmp_path)
    flow = tmp_path / "infra" / "aws" / "flow.yaml"
    flow.write_text(flow.read_text().replace("${InternalBucket}/stage/", "${InternalBuckets}/stage/"))

    with pytest.raises(TemplateError, match="names something that the embedded stack lacks"):
        deploy(tmp_path / "template.yaml", client_for, "00dropgate01", name="broken")


def test_buckets_with_data_keep_versions(stack: Stack, client_for: ClientFor) -> None:
    answers = {
        name: client_for("s3").get_bucket_versioning(Bucket=stack.names[name]).get("Status")
        for name in ("LandingBucket", "PromotedBucket", "InternalBucket")
    }

    assert answers == dict.fromkeys(("LandingBucket", "PromotedBucket", "InternalBucket"), "Enabled")


def test_upload_reaches_its_function(stack: Stack, client_for: ClientFor) -> None:
    arrived = Recorder()
    with pumping(stack, client_for, {"ObjectCreatedFunction": arrived}) as pump:
        client_for("s3").put_object(Bucket=stack.names["LandingBucket"], Key="north/a b+c.csv", Body=b"id\n1\n")
        client_for("s3").put_object(Bucket=stack.names["PromotedBucket"], Key="north/a.csv", Body=b"id\n1\n")
        assert pump.drain(5)

    (body,) = arrived.bodies
    (record,) = arrived.events[0]["Records"]
    assert record["attributes"]["MessageGroupId"] == json.loads(body)["detail"]["requester"] == "123456789012"
    assert json.loads(body)["detail"]["object"]["key"] == "north/a b+c.csv"
    assert json.loads(body)["detail"]["bucket"]["name"] == stack.names["LandingBucket"]


def test_record_and_context_are_lambdas(stack: Stack, client_for: ClientFor) -> None:
    arrived = Recorder()
    with pumping(stack, client_for, {"ObjectCreatedFunction": arrived}) as pump:
        send(client_for, stack, "hello")
        assert pump.drain(5)

    (record,) = arrived.events[0]["Records"]
    (context,) = arrived.contexts
    assert set(record) == {
        "messageId",
        "receiptHandle",
        "body",
        "attributes",
        "messageAttributes",
        "md5OfBody",
        "eventSource",
        "eventSourceARN",
        "awsRegion",
    }
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert record["eventSourceARN"].endswith(stack.names["ObjectCreatedQueue"].rpartition("/")[2])
    assert context.function_name == "ObjectCreatedFunction"
    assert 110_000 < context.get_remaining_time_in_millis() <= 120_000


def test_only_named_failures_come_again(stack: Stack, client_for: ClientFor) -> None:
    def bad_once(event: Event, _call: int) -> Any:
        return {
            "batchItemFailures": [
                {"itemIdentifier": record["messageId"]}
                for record in event["Records"]
                if record["body"] == "bad" and record["attributes"]["ApproximateReceiveCount"] == "1"
            ]
        }

    arrived = Recorder(bad_once)
    send(client_for, stack, "good", "bad", "fine")
    with pumping(stack, client_for, {"ObjectCreatedFunction": arrived}) as pump:
        assert pump.drain(5)

    assert sorted(arrived.bodies) == ["bad", "bad", "fine", "good"]


def test_raised_error_brings_the_batch_again(stack: Stack, client_for: ClientFor) -> None:
    def raise_once(_event: Event, call: int) -> None:
        if call == 1:
            raise RuntimeError("first time")

    arrived = Recorder(raise_once)
    send(client_for, stack, "one", "two")
    with pumping(stack, client_for, {"ObjectCreatedFunction": arrived}) as pump:
        assert pump.drain(5)

    assert sorted(arrived.bodies) == ["one", "one", "two", "two"]


def test_unknown_failure_name_fails_the_batch(stack: Stack, client_for: ClientFor) -> None:
    def misnamed_once(_event: Event, call: int) -> Any:
        return {"batchItemFailures": [{"itemIdentifier": "nobody"}] if call == 1 else []}

    arrived = Recorder(misnamed_once)
    send(client_for, stack, "one")
    with pumping(stack, client_for, {"ObjectCreatedFunction": arrived}) as pump:
        assert pump.drain(5)

    assert arrived.bodies == ["one", "one"]


def test_hundredth_failure_ends_in_dead_letters(stack: Stack, client_for: ClientFor) -> None:
    def always(event: Event, _call: int) -> Any:
        return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in event["Records"]]}

    arrived = Recorder(always)
    send(client_for, stack, "poison")
    with pumping(stack, client_for, {"ObjectCreatedFunction": arrived}) as pump:
        assert pump.drain(60)

    assert arrived.bodies == ["poison"] * 100  # maxReceiveCount in template.yaml
    assert waiting(client_for, stack, "ObjectCreatedDlq") == ["poison"]


def test_failed_message_waits_for_its_visibility(client_for: ClientFor) -> None:
    stack = a_stack(client_for)

    def always(event: Event, _call: int) -> Any:
        return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in event["Records"]]}

    arrived = Recorder(always)
    send(client_for, stack, "later")
    with Pump(stack, client_for, dict.fromkeys(FUNCTIONS, arrived)) as pump:
        assert not pump.drain(0.5)

    assert arrived.bodies == ["later"]


def test_drain_waits_for_delayed_messages(stack: Stack, client_for: ClientFor) -> None:
    arrived = Recorder()
    client_for("sqs").send_message(QueueUrl=stack.names["BatchDueQueue"], MessageBody="due", DelaySeconds=1)
    with pumping(stack, client_for, {"BatchDueFunction": arrived}) as pump:
        assert pump.drain(5)

    assert arrived.bodies == ["due"]


def test_drain_follows_work_from_queue_to_queue(stack: Stack, client_for: ClientFor) -> None:
    def pass_on(_event: Event, _call: int) -> None:
        client_for("sqs").send_message(QueueUrl=stack.names["BatchDueQueue"], MessageBody="passed on")

    last = Recorder()
    with pumping(stack, client_for, {"ObjectCreatedFunction": Recorder(pass_on), "BatchDueFunction": last}) as pump:
        for _ in range(5):
            send(client_for, stack, "go")
            assert pump.drain(5)

    assert last.bodies == ["passed on"] * 5


def test_new_history_becomes_an_event(client_for: ClientFor) -> None:
    stack = a_stack(client_for)
    sqs, events = client_for("sqs"), client_for("events")
    bus = stack.names["NoticesBus"]
    queue = sqs.create_queue(QueueName="subscriber")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name="all", EventBusName=bus, EventPattern='{"source": ["dropgate"]}')
    events.put_targets(Rule="all", EventBusName=bus, Targets=[{"Id": "subscriber", "Arn": arn}])
    heard: list[Mapping[str, Any]] = []

    put(client_for, stack, "STATE", state="received")
    put(client_for, stack, "H#1#1", state="received", note="5 rows of ünknown")
    put(client_for, stack, "H#1#1", state="changed")
    function = Recorder(shaped)
    with pumping(stack, client_for, {WRITTEN: function}, listener=heard.append) as pump:
        put(client_for, stack, "H#1#2", state="staged")
        assert pump.drain(5)

    expected = [{"drop": "D#one", "history": "H#1#1"}, {"drop": "D#one", "history": "H#1#2"}]
    (first, *_) = function.events[0]
    assert first["dynamodb"]["NewImage"]["note"] == {"S": "5 rows of ünknown"}
    assert (first["eventName"], first["eventSourceARN"]) == ("INSERT", stack.pipe.stream_arn)
    messages = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    assert [event["detail"] for event in heard] == expected
    assert [json.loads(message["Body"])["detail"] for message in messages] == expected
    assert [json.loads(message["Body"])["detail-type"] for message in messages] == ["Drop received", "Drop staged"]


def test_failing_function_stops_no_other_event(client_for: ClientFor) -> None:
    stack, heard = a_stack(client_for), list[Mapping[str, Any]]()

    def fail_on_second(records: Any, call: int) -> list[Event]:
        made = shaped(records, call)
        if any(each["detail"]["history"] == "H#1#2" for each in made):
            raise RuntimeError("no event of this one")
        return made

    for number in range(1, 5):
        put(client_for, stack, f"H#1#{number}", state="received")
    patient = replace(stack, pipe=replace(stack.pipe, retries=2))
    with pumping(patient, client_for, {WRITTEN: Recorder(fail_on_second)}, listener=heard.append) as pump:
        assert pump.drain(10)

    assert [event["detail"]["history"] for event in heard] == ["H#1#1", "H#1#3", "H#1#4"]
    (letter,) = waiting(client_for, stack, "NoticesDlq")
    assert json.loads(letter)["DDBStreamBatchInfo"]["streamArn"] == stack.pipe.stream_arn


def test_function_that_fails_for_a_while_is_asked_again(client_for: ClientFor) -> None:
    stack, heard = a_stack(client_for), list[Mapping[str, Any]]()

    def fail_at_first(records: Any, call: int) -> list[Event]:
        if call < 6:
            raise RuntimeError("not now")
        return shaped(records, call)

    for number in range(1, 4):
        put(client_for, stack, f"H#1#{number}", state="received")
    with pumping(stack, client_for, {WRITTEN: Recorder(fail_at_first)}, listener=heard.append) as pump:
        assert pump.drain(10)

    assert [event["detail"]["history"] for event in heard] == ["H#1#1", "H#1#2", "H#1#3"]
    assert waiting(client_for, stack, "NoticesDlq") == []


def test_queues_without_messages_are_not_asked(cloud: Cloud, client_for: ClientFor) -> None:
    stack = a_stack(client_for)
    before = len(cloud.requests)
    with pumping(stack, client_for, {}) as pump:
        send(client_for, stack, "one", "two")
        assert pump.drain(10)

    asked = [r.operation for r in list(cloud.requests)[before:] if r.operation.startswith("sqs:")]
    assert asked.count("sqs:DeleteMessageBatch") == asked.count("sqs:ReceiveMessage") <= 2


class CutShort:
    """The rest of an answer whose sender vanished before its head was complete."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield from ()


def test_events_go_on_after_answers_cut_short(client_for: ClientFor) -> None:
    stack = a_stack(client_for)
    left = [AWSResponse("", 200, HTTPHeaders(), CutShort()) for _ in range(3)]
    session = boto3.Session("stack-test", "none", region_name="us-east-1")
    streams = session.client("dynamodbstreams", endpoint_url=client_for("sqs").meta.endpoint_url)
    streams.meta.events.register("before-send.dynamodb-streams", lambda **_: left.pop() if left else None)
    clients = {"dynamodbstreams": streams}
    heard = Flag()

    put(client_for, stack, "H#1#1", state="received")
    quiet = {name: Recorder(shaped if name == WRITTEN else nothing) for name in FUNCTIONS}
    with Pump(stack, lambda name: clients.get(name) or client_for(name), quiet, listener=lambda _: heard.set()):
        assert heard.wait(10)

    assert left == []


@pytest.mark.parametrize("kind", [RuntimeError, TypeError, AttributeError, OSError, KeyError, StopIteration])
def test_events_go_on_after_any_error(client_for: ClientFor, kind: type[Exception]) -> None:
    stack = a_stack(client_for)
    session = boto3.Session("stack-test", "none", region_name="us-east-1")
    streams = session.client("dynamodbstreams", endpoint_url=client_for("sqs").meta.endpoint_url)
    left, heard = [kind("of a test") for _ in range(2)], Flag()

    def fail(**_: Any) -> None:
        if left:
            raise left.pop()

    streams.meta.events.register("before-send.dynamodb-streams", fail)
    clients = {"dynamodbstreams": streams}
    put(client_for, stack, "H#1#1", state="received")
    quiet = {name: Recorder(shaped if name == WRITTEN else nothing) for name in FUNCTIONS}
    with Pump(stack, lambda name: clients.get(name) or client_for(name), quiet, listener=lambda _: heard.set()):
        assert heard.wait(10)

    assert left == []


def test_rolled_back_transactions_send_no_event(client_for: ClientFor) -> None:
    stack = a_stack(client_for)
    table, dynamodb = stack.names["LedgerTable"], client_for("dynamodb")
    heard: list[Mapping[str, Any]] = []
    stale = {
        "TableName": table,
        "Key": {"pk": {"S": "D#two"}, "sk": {"S": "STATE"}},
        "ConditionExpression": "attribute_exists(pk)",
    }

    with pumping(stack, client_for, {WRITTEN: Recorder(shaped)}, listener=heard.append) as pump:
        for number in range(10):
            dynamodb.put_item(**history(table, "D#one", f"H#1#{number}"))
            with pytest.raises(dynamodb.exceptions.TransactionCanceledException):
                dynamodb.transact_write_items(
                    TransactItems=[{"Put": history(table, "D#two", f"H#1#{number}")}, {"ConditionCheck": stale}]
                )
            pump.wake()
        assert pump.drain(5)

    assert [event["detail"]["history"] for event in heard] == [f"H#1#{number}" for number in range(10)]
    assert {event["detail"]["drop"] for event in heard} == {"D#one"}


def test_schedule_calls_at_its_rate(stack: Stack, client_for: ClientFor) -> None:
    def fail_first(_event: Event, call: int) -> None:
        if call == 1:
            raise RuntimeError("first time")

    called = Recorder(fail_first)
    with pumping(stack, client_for, {"ScheduleFunction": called}, schedule_seconds=0.2):
        time.sleep(0.9)

    assert 2 <= len(called.events) <= 5
    assert called.events[0]["detail-type"] == "Scheduled Event"
    assert called.events[0]["source"] == "aws.events"


def test_waiting_pump_costs_little(stack: Stack, client_for: ClientFor) -> None:
    with pumping(stack, client_for, {}) as pump:
        assert pump.drain(5)
        time.sleep(0.5)
        before = time.process_time()
        time.sleep(1)
        used = time.process_time() - before

    assert used < 0.2
