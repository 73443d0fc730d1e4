"""The page over HTTP: the template's own routes, its function under its role, people who sign in on loopback."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import boto3
import pytest

from functions import keys
from functions.aws.clients import Clients, ledger_from, zones_from
from functions.aws.s3 import S3Store
from functions.pages import browser, operators
from infra.local.cloud import Cloud
from infra.local.events.invocation import Invoker
from infra.local.gateway import Gateway, routes_of
from infra.local.issuer import Issuer
from infra.local.template.stack import Stack, deploy
from tests.builders import a_drop, a_plan, publish
from tests.integration.functions.conftest import TEMPLATE
from tests.unit.functions.pages.browsing import FIELDS, Browser

PAGES, OPERATORS = "ApiPagesFunction", "ApiOperatorsFunction"
HANDLERS = {PAGES: browser.handler, OPERATORS: operators.handler}
RECEIPT = b"<!DOCTYPE html><html><head><style>p{color:red}</style></head><body><p>Rejected</p></body></html>"
LAMBDAS_OWN = {
    (name, action, resource)
    for name in HANDLERS
    for resource, actions in (
        ("*", ("xray:PutTraceSegments", "xray:PutTelemetryRecords")),
        (f"log-group:{name.removesuffix('Function')}Logs", ("logs:CreateLogStream", "logs:PutLogEvents")),
    )
    for action in actions
}
"""Calls of Lambda itself in a function's name."""


@dataclass
class Site:
    """The page of a stack, with a contract and drops, one of which has a receipt."""

    stack: Stack
    cloud: Cloud
    gateway: Gateway
    drop: str

    def browser(self, who: str = "", *roles: str) -> Browser:
        """Return a browser, signed in if somebody is named."""
        fresh = Browser(self.gateway.endpoint)
        if who:
            assert fresh.sign_in(who, *roles).status == 303
        return fresh


@pytest.fixture(scope="module")
def site(cloud: Cloud, environment: pytest.MonkeyPatch) -> Iterator[Site]:
    with Issuer() as issuer:
        parameters = {"Api": "true", "ApiIssuers": issuer.parameter}
        name = f"page{uuid.uuid4().hex[:8]}"
        stack = deploy(TEMPLATE, cache(boto3.client), "00dropgate04", parameters=parameters, name=name)
        for key, value in stack.environment.items():
            environment.setenv(key, value)
        environment.setenv("DROPGATE_ISSUER_ORIGIN", issuer.endpoint)
        cloud.guard.learn(stack)
        clients = Clients(boto3.Session(aws_access_key_id="person", aws_secret_access_key="none"))
        zones, store = zones_from(os.environ), S3Store(clients.s3)
        plan = a_plan()
        publish(store, zones.catalog, [plan])
        drop = a_drop(producer="shop", plan=plan.sha, state="rejected")
        receipt = f"{keys.report_folder(zones, 'shop', drop.id, 1)}receipt.json"
        store.put(receipt, b'{"format": 1, "rejected_rows": "rejected.csv"}', "application/json")
        store.put(receipt.replace(".json", ".html"), RECEIPT, "text/html")
        store.put(receipt.replace("receipt.json", "rejected.csv"), b"id\n", "text/csv")
        ledger_from(os.environ, clients).open(a_drop(producer="shop", plan=plan.sha, state="rejected", receipt=receipt))
        invoke = Invoker({name: stack.functions[name] for name in HANDLERS}, HANDLERS, "us-east-1")
        with Gateway(routes_of(stack.template), invoke) as gateway:
            yield Site(stack, cloud, gateway, drop.id)


def test_function_has_all_rights_that_its_pages_need_and_no_others(site: Site) -> None:
    sender = site.browser("shop", "producer", "operator")
    lists = ("/app", "/app/drops?month=2026-01", "/app/data", "/app/operations", "/app/lint")
    parts = (
        f"/app/contracts/orders.v1{part}" for part in ("", "/history?month=2026-01", "/versions", "/data", "/sample")
    )
    pages = (*lists, *parts, f"/app/drops/{site.drop}", f"/app/drops/{site.drop}/receipt.html")
    answers = {path: sender.ask(path).status for path in pages}

    assert answers == dict.fromkeys(pages, 200)
    assert sender.ask(sender.ask(f"/app/drops/{site.drop}/rejected.csv").leads_to).text == "id\n"
    announced = '{"key": "orders/1.csv", "size": 9, "sha256": "%s"}' % ("0" * 64)
    assert sender.ask("/app/uploads", json=announced).status == 200
    form = dict(FIELDS.findall(sender.ask(f"/app/acts/reject?drop={site.drop}").text))
    assert form == {}  # it is rejected already
    assert sender.ask(f"/app/acts/accept?drop={site.drop}").status == 200
    for act in ("pause", "resume", "resume"):
        form = dict(FIELDS.findall(sender.ask(f"/app/acts/{act}?of=producer:shop").text))
        sent = form | {"confirmed": "yes", "reason": "a test"}
        statuses = [sender.ask(f"/app/acts/{act}", sent).status for _ in range(2)] if form else []
        assert statuses == ([303, 303] if form else [])
    assert sender.ask("/logout", {}).leads_to == "/goodbye"
    assert [call for call in site.cloud.guard.denied if call.caller in HANDLERS] == []
    unused = {each for each in site.cloud.guard.unused(site.stack) if each[0] in HANDLERS} - LAMBDAS_OWN
    assert unused == {
        # of contracts that name who hears of them
        (PAGES, "s3:GetObject", "InternalBucket/catalog/routes/*"),
        # a request that is refused is forgotten
        (OPERATORS, "dynamodb:DeleteItem", "table/RequestsTable"),
    }


def test_functions_write_sessions_and_acts_alone(site: Site) -> None:
    assert writing(site, PAGES) == {"WriteLogs", "Trace", "KeepSessions"}
    assert writing(site, OPERATORS) == {"WriteLogs", "Trace", "KeepRequests", "Ledger"}


def writing(site: Site, function: str) -> set[str]:
    """Return the statements of a function's policies that let it write."""
    writes = ("Put", "Delete", "Update", "Send", "Start", "Create", "PassRole")
    return {
        statement["Sid"]
        for statement in site.stack.functions[function].statements
        for action in statement["Action"]
        if action.partition(":")[2].startswith(writes)
    }


def test_sessions_are_in_their_table_by_hashes_with_an_end(site: Site) -> None:
    sender = site.browser("shop", "producer")
    table = boto3.client("dynamodb")
    items = table.scan(TableName=os.environ["DROPGATE_SESSIONS_TABLE"])["Items"]
    assert sender.cookies["__Host-dropgate"] not in str(items)
    assert all(int(item["expires"]["N"]) > time.time() for item in items)
