"""Events from the ledger to listeners, with a rule and the worker of docs/how-to/events.md; and what stops none."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from moto.core.config import default_user_config
from samtranslator.yaml_helper import yaml_parse

from functions.operations.erase import Erased, forget
from infra.local.cloud import Cloud
from infra.local.loopback import ACCOUNT
from tests.integration.functions.test_handlers import Site, running
from tests.unit.documents.test_events_page import PAGE, blocks, worker


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    with running(environment, cloud) as made:
        yield made


def told(site: Site, drop_id: str) -> list[Any]:
    """Return the events of a drop so far."""
    return [event["detail"] for event in list(site.heard) if event["detail"]["subject"] == drop_id]


def test_worker_of_the_page_gets_what_it_is_to_read(site: Site) -> None:
    (template,) = (yaml_parse(text) for text in blocks(PAGE, "yaml") if text.startswith("Parameters"))
    boto3.client("cloudformation").create_stack(
        StackName="worker",
        TemplateBody=json.dumps(template),
        Parameters=[{"ParameterKey": "Bus", "ParameterValue": site.names["NoticesBus"]}],
    )
    (queue,) = (url for url in site.clients.sqs.list_queues()["QueueUrls"] if re.search(r"worker-Orders-", url))
    promoted = site.settled(site.upload("orders/a.csv", b"id,note\n1,a\n"))
    site.settled(site.upload("orders/b.csv", b"ID,note\n1,a\n"))
    messages = site.clients.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    done: set[str] = set()

    (message,) = messages
    uri = f"{site.ports.zones.promoted}orders.v1/orders/a.csv"
    assert [worker()(each, done) for each in (message, message)] == [uri, None]
    assert site.ports.store.get(uri) == b"id,note\n1,a\n"
    assert done == {f"{promoted.id}-0001-0005"}


def test_state_machine_of_the_page_does_each_event_once(
    site: Site, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule and the machine are those of the page. moto's rules start no executions, so the test is their target.

    A queue takes what the rule chooses; each message is handed on by the target's `InputPath`, twice.
    """
    monkeypatch.setenv("MOTO_PORT", str(urlsplit(cloud.endpoint).port))  # where moto's machines find other services
    monkeypatch.setitem(default_user_config["stepfunctions"], "execute_state_machine", True)
    rule = yaml_parse(blocks(PAGE, "yaml")[1])["LoadOrders"]["Properties"]
    queue = site.clients.sqs.create_queue(QueueName="machine")["QueueUrl"]
    bus, events, machines = site.names["NoticesBus"], boto3.client("events"), boto3.client("stepfunctions")
    events.put_rule(Name="load", EventBusName=bus, EventPattern=json.dumps(rule["EventPattern"]))
    arn = f"arn:aws:sqs:us-east-1:{ACCOUNT}:machine"
    events.put_targets(Rule="load", EventBusName=bus, Targets=[{"Id": "Load", "Arn": arn}])
    boto3.client("dynamodb").create_table(
        TableName="orders-done",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    role = f"arn:aws:iam::{ACCOUNT}:role/load"
    machine = machines.create_state_machine(name="load", definition=blocks(PAGE, "json")[1], roleArn=role)
    site.settled(site.upload("orders/machine.csv", b"id,note\n1,a\n"))
    (message,) = site.clients.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    assert rule["Targets"][0]["InputPath"] == "$.detail"
    started = {
        "stateMachineArn": machine["stateMachineArn"],
        "input": json.dumps(json.loads(message["Body"])["detail"]),
    }
    ended = [ended_execution(machines, machines.start_execution(name=f"e{n}", **started)) for n in range(2)]

    assert [each["status"] for each in ended] == ["SUCCEEDED", "SUCCEEDED"]
    read = {"uri": f"{site.ports.zones.promoted}orders.v1/orders/machine.csv"}
    assert [json.loads(each["output"]) == read for each in ended] == [True, False]


def ended_execution(machines: Any, started: Any) -> Any:
    """Wait for an execution to end, and return it."""
    end = time.monotonic() + 60
    while True:
        shown = machines.describe_execution(executionArn=started["executionArn"])
        if shown["status"] != "RUNNING":
            return shown
        assert time.monotonic() < end
        time.sleep(0.05)


def test_verdicts_do_not_wait_for_events(site: Site, cloud: Cloud) -> None:
    with cloud.guard.without("HistoryWrittenFunction", "ReadDrops"):
        drop_id = site.upload("orders/refused.csv", b"ID,note\n1,a\n")
        site.eventually(drop_id, "rejected")
        drop = site.ports.ledger.drop(drop_id)
        assert drop
        assert site.document(drop.receipt or "")["verdict"] == "rejected"
        assert [event["data"]["state"] for event in told(site, drop_id)] in ([], ["received"])
    assert site.pump.drain(60)

    assert [event["data"]["state"] for event in told(site, drop_id)] == ["received", "rejecting", "rejected"]


def test_erased_texts_leave_in_no_later_event(site: Site) -> None:
    drop = site.settled(site.upload("orders/erased.csv", b"SECRET,note\n1,a\n"))
    before = json.dumps(told(site, drop.id))
    erased = forget(site.ports, drop, "ann", "asked to", lambda *_: None)
    assert site.pump.drain(60)
    later = told(site, drop.id)[-2:]

    assert isinstance(erased, Erased)
    assert [event["type"] for event in later] == ["dropgate.drop.forgetting.v1", "dropgate.drop.forgotten.v1"]
    assert ("SECRET" in before, "SECRET" in json.dumps(later)) == (True, False)
