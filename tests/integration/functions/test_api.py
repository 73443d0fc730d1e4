"""The API over HTTP: the template's own routes, its functions under their roles, tokens of an issuer on loopback."""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import boto3
import pytest

from contracts.terms.arrival import Arrival
from contracts.terms.notices import Channel
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions import keys
from functions.api import house, producers
from functions.aws.clients import Clients, SystemClock, ledger_from, zones_from
from functions.aws.notice_book import DynamoNotices
from functions.aws.s3 import S3Store
from functions.drop import Promotion
from functions.ports.clock import stamp
from functions.ports.notices import Line, Notice
from infra.local.cloud import Cloud
from infra.local.events.invocation import Invoker
from infra.local.gateway import Gateway, routes_of
from infra.local.issuer import Issuer
from infra.local.template.stack import Stack, deploy
from tests.builders import a_drop, a_plan, publish
from tests.integration.functions.conftest import TEMPLATE
from tests.unit.contracts.authoring.documents import HEAD, a_document

PRODUCERS, HOUSE = "ApiProducersFunction", "ApiHouseFunction"
HANDLERS = {PRODUCERS: producers.handler, HOUSE: house.handler}
HELP = "support:\n  - {channel: help, tool: email, url: mailto:help@example.org}\n"
NEW = a_document(
    head=HEAD.replace("id: orders", "id: books") + HELP, drop="files: press/*.csv\nproducer: press\nformat: csv\n"
)
JUDGED_AGAIN = "e" * 32
ROWS = b"_record,_reasons,id\n1,id.required,\n"
LAMBDAS_OWN = {
    *((name, action, "*") for name in HANDLERS for action in ("xray:PutTraceSegments", "xray:PutTelemetryRecords")),
    *(
        (name, action, f"log-group:{name.removesuffix('Function')}Logs")
        for name in HANDLERS
        for action in ("logs:CreateLogStream", "logs:PutLogEvents")
    ),
}
"""Calls of Lambda itself in a function's name."""


@dataclass
class Site:
    """The API of a stack, with a contract and a drop whose receipt is written."""

    stack: Stack
    cloud: Cloud
    issuer: Issuer
    gateway: Gateway
    drop: str

    def ask(
        self,
        path: str,
        token: str | None = None,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Mapping[str, str], Any]:
        """Send a request; the status, the headers and the JSON of its answer."""
        connection = HTTPConnection(urlsplit(self.gateway.endpoint).netloc, timeout=60)
        sent = {"Content-Type": "application/json"} if body is not None else {}
        sent |= {"Authorization": f"Bearer {token}"} if token else {}
        try:
            connection.request(method, path, body, {**sent, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, _content(answer, text)

    def asked_twice(self, path: str, body: Mapping[str, Any], token: str) -> tuple[int, int]:
        """Send a request and repeat it; both statuses. Their answers are the same."""
        headers, sent = {"Idempotency-Key": uuid.uuid4().hex}, json.dumps(body).encode()
        first, again = (self.ask(path, token, "POST", sent, headers) for _ in range(2))
        assert first[2] == again[2]
        return first[0], again[0]

    def promoted(self, key: str, token: str) -> int:
        """Give consumers the data under a key, a file unless it is a table's; the status of its contract's check."""
        clients = Clients(boto3.Session(aws_access_key_id="person", aws_secret_access_key="none"))
        if not keys.is_table(key):
            S3Store(clients.s3).put(f"{zones_from(os.environ).promoted}{key}", b"id,note\n1,a\n", "text/csv")
        at = stamp(SystemClock().now())
        drop = a_drop(id=uuid.uuid4().hex, producer="shop", state="accepted", received_at=at)
        ledger_from(os.environ, clients).open(replace(drop, promoted=Promotion(key, 1)))
        return self.ask("/orders/output-ports/orders.v1/contract_check", token, "POST")[0]


def _content(answer: HTTPResponse, text: bytes) -> Any:
    """Return the JSON of an answer, the text of a page, or None if there is neither."""
    if answer.getheader("Content-Type", "").startswith("text/html"):
        return text.decode()
    return json.loads(text) if text else None


@pytest.fixture(scope="module")
def site(cloud: Cloud, environment: pytest.MonkeyPatch) -> Iterator[Site]:
    with Issuer() as issuer:
        parameters = {"Api": "true", "ApiIssuers": issuer.parameter, "ContractsFrom": "api"}
        name = f"api{uuid.uuid4().hex[:8]}"
        stack = deploy(TEMPLATE, cache(boto3.client), "00dropgate02", parameters=parameters, name=name)
        for key, value in stack.environment.items():
            environment.setenv(key, value)
        environment.setenv("DROPGATE_ISSUER_ORIGIN", issuer.endpoint)
        cloud.guard.learn(stack)
        clients = Clients(boto3.Session(aws_access_key_id="person", aws_secret_access_key="none"))
        zones, store = zones_from(os.environ), S3Store(clients.s3)
        plan = a_plan(arrival=Arrival("06:00"), promises=(Promise("loadDate", "loadDate", Span(Decimal(1), "d")),))
        publish(store, zones.catalog, [plan])
        keys_of_links = {"Name": f"{os.environ['DROPGATE_LINKS']}keys", "Value": f"first {'a' * 43} 7"}
        boto3.client("ssm").put_parameter(Type="SecureString", **keys_of_links)
        drop = a_drop(producer="shop", plan=plan.sha, state="rejected")
        receipt = f"{keys.report_folder(zones, 'shop', drop.id, 1)}receipt.json"
        store.put(receipt, b'{"format": 1, "rejected_rows": "rejected.csv"}', "application/json")
        store.put(receipt.replace("receipt.json", "rejected.csv"), ROWS, "text/csv")
        store.put(receipt.replace("receipt.json", "receipt.html"), b"<style></style>", "text/html")
        store.put(f"{zones.catalog}contracts/1.0.0/orders/orders.yaml", a_document().encode(), "application/yaml")
        ledger_from(os.environ, clients).open(a_drop(producer="shop", plan=plan.sha, state="rejected", receipt=receipt))
        ledger_from(os.environ, clients).open(a_drop(id=JUDGED_AGAIN, producer="shop", plan=plan.sha, state="rejected"))
        book = DynamoNotices(clients.dynamodb, stack.environment["DROPGATE_NOTICES_TABLE"])
        line = Line("l1", "orders.v1", Channel("email", "reader@example.org"), last=1)
        book.put(line, Notice("l1", 1, drop.id, "1", "rejected", drop.key, drop.received_at, "{}"), None)
        functions = {name: stack.functions[name] for name in HANDLERS}
        invoke = Invoker(functions, HANDLERS, "us-east-1")
        with Gateway(routes_of(stack.template), invoke) as gateway:
            yield Site(stack, cloud, issuer, gateway, drop.id)


def test_functions_have_all_rights_that_their_routes_need_and_no_others(site: Site) -> None:
    sender, operator = site.issuer.token("shop", "producer"), site.issuer.token("ops", "operator")
    requests: tuple[tuple[str, str], ...] = (
        ("/contracts", sender),
        ("/contracts/orders.v1", sender),
        ("/drops?month=2026-01", sender),
        (f"/drops/{site.drop}", sender),
        (f"/drops/{site.drop}/receipt", sender),
        ("/contracts/orders.v1/versions", sender),
        ("/contracts/orders.v1/versions/1.0.0", sender),
        ("/contracts/orders.v1/changes?old=1.0.0", sender),
        ("/contracts/orders.v1/exports/avro", sender),
        ("/contracts/orders.v1/page", sender),
        (f"/drops/{site.drop}/receipt.html", sender),
        (f"/drops/{site.drop}/rejected-rows", sender),
        ("/missing?month=2026-01", sender),
        ("/slos", sender),
        ("/pauses", operator),
        (f"/drops/{site.drop}/notices", operator),
        ("/contracts/orders.v1/notices?month=2026-01", operator),
        ("/health?minutes=0", operator),
        ("/costs", operator),
    )
    answers = {path: site.ask(path, token)[0] for path, token in requests}
    announced = {"key": "orders/1.csv", "size": 9, "sha256": "0" * 64}
    steward = site.issuer.token("data", "steward")
    pause = {"kind": "contract", "name": "orders.v1", "reason": "a test"}
    drop = f"/drops/{site.drop}"

    workload = site.ask("/api/v1/workload", sender, "POST", b'"orders-1.0.0"')[2]["workloadId"]

    assert site.ask(f"/api/v1/workload/notify/{workload}", sender, "POST")[0] == 200
    assert site.ask(f"/api/v1/workload/{workload}", sender)[2]["status"] == "Created"
    assert site.asked_twice("/uploads", announced, sender) == (200, 200)
    assert site.asked_twice("/uploads", announced | {"key": "none/1.csv"}, sender) == (404, 404)
    assert site.asked_twice(f"{drop}/accept", {"reason": "a test", "dry_run": True}, operator) == (200, 200)
    assert site.asked_twice("/pauses", pause, operator) == (200, 200)
    assert site.asked_twice("/pauses", pause | {"name": "none.v1"}, operator) == (404, 404)
    assert site.ask("/pauses/contract/orders.v1", operator, "DELETE")[0] == 200
    assert site.asked_twice(f"/drops/{JUDGED_AGAIN}/replay", {}, operator) == (200, 200)
    assert [site.promoted(key, operator) for key in ("orders.v1/", "orders.v1/orders/1.csv")] == [409, 200]
    assert site.ask(site.ask(f"{drop}/links", sender, "POST")[2]["path"])[0] == 200
    assert site.ask(f"{drop}/links", sender, "DELETE")[0] == 200
    assert site.asked_twice("/contracts", {"text": NEW, "dry_run": True}, steward) == (200, 200)
    assert site.asked_twice("/contracts", {"text": NEW}, steward) == (200, 200)
    assert site.asked_twice("/contracts", {"text": NEW.replace("integer", "string")}, steward) == (422, 422)
    newer = NEW.replace("1.0.0", "1.0.1").replace("channel: help", "channel: desk")
    assert site.asked_twice("/contracts", {"text": newer}, steward) == (200, 200)
    assert site.ask("/contracts/books.v1", steward)[2]["document"] == newer
    assert site.ask("/contracts/orders.v1", steward)[0] == 200
    assert answers == dict.fromkeys(answers, 200)
    assert downloaded(site.ask(f"/drops/{site.drop}/rejected-rows", sender)[2]["url"])[0] == 200
    assert [call for call in site.cloud.guard.denied if call.caller in HANDLERS] == []
    assert {each for each in site.cloud.guard.unused(site.stack) if each[0] in HANDLERS} - LAMBDAS_OWN == set()


def downloaded(url: str) -> tuple[int, Mapping[str, str], bytes]:
    """Send a request to a signed address; the status, the headers and the body of its answer."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=60)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_link_leads_to_the_rows_as_an_attachment(site: Site) -> None:
    url = site.ask(f"/drops/{site.drop}/rejected-rows", site.issuer.token("shop", "producer"))[2]["url"]
    status, headers, body = downloaded(url)

    assert (status, body) == (200, ROWS)
    assert headers["content-disposition"] == 'attachment; filename="rejected.csv"'
    query = dict(parse_qsl(urlsplit(url).query))
    assert (query["X-Amz-Algorithm"], query["X-Amz-Expires"]) == ("AWS4-HMAC-SHA256", "300")


def test_functions_change_only_what_they_record(site: Site) -> None:
    writes = ("Put", "Delete", "Update", "Send", "Start", "Create", "PassRole")
    for name in HANDLERS:
        for statement in site.stack.functions[name].statements:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            own = {"WriteLogs", "Trace", "KeepRequests"} | ({"Ledger", "PublishContracts"} if name == HOUSE else set())
            assert statement["Sid"] in own or not [a for a in actions if a.partition(":")[2].startswith(writes)]
            reads = {"ReadPromotedHeads", "FindTables"} if name == HOUSE else set()
            named = site.stack.names["PromotedBucket"] in json.dumps(statement["Resource"])
            assert named == (statement["Sid"] in reads)


def test_requests_take_the_way_of_the_gateway(site: Site) -> None:
    assert site.ask("/nothing", site.issuer.token("ops", "operator"))[2] == {"message": "Not Found"}
    assert site.ask("/drops", site.issuer.token("ops", "operator"), "DELETE")[0] == 404
    assert site.ask("/lint", site.issuer.token("ops", "operator"), "POST", b"x" * (11 << 20))[0] == 413
    assert site.ask("/drops", "x" * 12_000)[0] == 431
    status, headers, body = site.ask("/drops")
    assert (status, headers["content-type"], body["status"]) == (401, "application/problem+json", 401)


def test_description_needs_no_token(site: Site) -> None:
    status, headers, body = site.ask("/openapi.json")

    assert (status, headers["content-type"], body["openapi"]) == (200, "application/json", "3.1.0")


def test_answer_is_not_sent_twice(site: Site) -> None:
    token = site.issuer.token("shop", "producer")
    etag = site.ask(f"/drops/{site.drop}", token)[1]["etag"]

    status, headers, body = site.ask(f"/drops/{site.drop}", token, headers={"If-None-Match": etag})
    assert (status, headers["etag"], body) == (304, etag, None)


def test_issuer_gives_tokens_of_an_hour(site: Site) -> None:
    connection = HTTPConnection(urlsplit(site.issuer.endpoint).netloc, timeout=60)
    try:
        form = "grant_type=client_credentials&client_id=shop&scope=producer"
        connection.request("POST", "/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
        granted = json.loads(connection.getresponse().read())
        connection.request("POST", "/token", "grant_type=client_credentials&client_id=shop&scope=king")
        refused = connection.getresponse()
        assert (refused.status, json.loads(refused.read())["error"]) == (400, "invalid_scope")
    finally:
        connection.close()

    assert granted["expires_in"] == 3600
    assert site.ask(f"/drops/{site.drop}", granted["access_token"])[0] == 200


def test_without_the_parameter_nothing_of_the_api_is_made(environment: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    stack = deploy(TEMPLATE, cache(boto3.client), "00dropgate03", name=f"bare{uuid.uuid4().hex[:8]}")

    assert not [name for name in {*stack.functions, *stack.names, *stack.roles} if name.startswith(("Api", "Http"))]
    assert not [variable for variable in stack.environment if "ISSUER" in variable]
    assert routes_of(stack.template) == ()


HEALTH = {"dynamodb:UpdateItem": 1, "dynamodb:Query": 39, "sqs:GetQueueAttributes": 13}


def test_reads_of_operators_need_the_calls_of_the_cost_page(site: Site) -> None:
    """Those of warm functions, as docs/explanation/cost.md has them."""
    token, counted = site.issuer.token("ops", "operator"), {}
    paths = ("/costs", "/health", "/drops?month=2026-01")
    for path in (*paths, *paths):  # the second of each is warm
        before = len(site.cloud.requests)
        assert site.ask(path, token)[0] == 200
        counted[path] = Counter(r.operation for r in list(site.cloud.requests)[before:] if r.caller in HANDLERS)
    contracts = len(site.ask("/contracts", token)[2]["contracts"])
    listed = {"dynamodb:UpdateItem": 1, "s3:GetObject": 1}

    assert counted["/costs"] == {**listed, "dynamodb:Query": contracts}
    assert counted["/drops?month=2026-01"] == {**listed, "dynamodb:Query": contracts + 1}
    assert counted["/health"] == HEALTH
