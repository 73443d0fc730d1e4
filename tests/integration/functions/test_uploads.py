"""Uploads by the API over HTTP: presigned requests that S3 takes for one key, size and SHA-256, and for no others."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError

from functions.api import producers
from functions.aws.clients import Clients, zones_from
from functions.aws.s3 import S3Store
from functions.aws.uploads import session_policy
from functions.handlers import object_created
from infra.local.cloud import Cloud
from infra.local.events.invocation import Invoker
from infra.local.events.polling import QueuePoller
from infra.local.gateway import Gateway, routes_of
from infra.local.iam.policy_evaluator import Request, decide, read
from infra.local.issuer import Issuer
from infra.local.s3.presigned import presigned_refused
from infra.local.s3.request import parse_request
from infra.local.template.stack import Stack, deploy
from tests.builders import a_plan, publish
from tests.integration.functions.conftest import TEMPLATE

GOOD = b"id,note\n1,a\n"
PAGE = "https://drops.example.com"
API, DOOR, ROLE = "ApiProducersFunction", "ObjectCreatedFunction", "ApiUploadRole"
STRANGE = "orders/a b+c*?$&=%41'ü.csv"


@dataclass
class Site:
    """The API of a stack, its door and its cloud."""

    stack: Stack
    cloud: Cloud
    issuer: Issuer
    gateway: Gateway
    invoke: Invoker

    def announce(self, key: str = "orders/1.csv", body: bytes = GOOD, **changes: Any) -> tuple[int, Any]:
        """Announce a file as the producer of orders."""
        digest, head = hashlib.sha256(body).hexdigest(), base64.b64encode(body[:65536]).decode()
        asked = {"key": key, "size": len(body), "sha256": digest, "head": head} | changes
        status, _, text = self.ask("POST", "/uploads", json.dumps(asked).encode())
        return status, json.loads(text)

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Mapping[str, str], bytes]:
        token = self.issuer.token("shop", "producer")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return sent(method, f"{self.gateway.endpoint}{path}", body, headers)

    def drops(self, key: str, version: str) -> list[dict[str, Any]]:
        path = f"/drops?key={quote(key)}&version_id={quote(version)}"
        drops: list[dict[str, Any]] = json.loads(self.ask("GET", path)[2])["drops"]
        return drops

    def take_in(self) -> None:
        """Let the door take in what has been uploaded."""
        (queue,) = (queue for queue in self.stack.queues if queue.function == DOOR)
        poller = QueuePoller(queue, self.stack.region, boto3.client("sqs"), self.invoke, retry_seconds=1)
        while not poller.empty():
            poller.poll()


def sent(method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
    """Send a request as it is; the status, the headers and the body of its answer."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=60)
    try:
        connection.request(method, f"{parts.path}?{parts.query}" if parts.query else parts.path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def put(upload: Mapping[str, Any], body: bytes = GOOD, **changes: str) -> tuple[int, Mapping[str, str], bytes]:
    """Send a presigned upload; `changes` take the place of its headers."""
    return sent(
        upload["method"], upload["url"], body, {**upload["headers"], "Content-Length": str(len(body)), **changes}
    )


@pytest.fixture(scope="module")
def site(cloud: Cloud, environment: pytest.MonkeyPatch) -> Iterator[Site]:
    with Issuer() as issuer:
        parameters = {"Api": "true", "ApiIssuers": issuer.parameter, "PageOrigin": PAGE}
        name = f"up{uuid.uuid4().hex[:8]}"
        stack = deploy(TEMPLATE, cache(boto3.client), "00dropgate04", parameters=parameters, name=name)
        for key, value in stack.environment.items():
            environment.setenv(key, value)
        environment.setenv("DROPGATE_ISSUER_ORIGIN", issuer.endpoint)
        cloud.guard.learn(stack)
        cloud.let_in(stack.cors)
        clients = Clients(boto3.Session(aws_access_key_id="person", aws_secret_access_key="none"))
        orders = a_plan(files=("orders/*.csv", "orders/*/*.csv"))
        loans = a_plan("loans.v1", ("loans/*.csv",), producer="bank")
        publish(S3Store(clients.s3), zones_from(os.environ).catalog, [orders, loans])
        handlers = {API: producers.handler, DOOR: object_created.handler}
        invoke = Invoker({each: stack.functions[each] for each in handlers}, handlers, "us-east-1")
        with Gateway(routes_of(stack.template), invoke) as gateway:
            yield Site(stack, cloud, issuer, gateway, invoke)


@pytest.mark.parametrize("key", ["orders/1.csv", STRANGE])
def test_announced_file_becomes_its_drop(site: Site, key: str) -> None:
    status, answer = site.announce(key)
    assert (status, answer["contract"], answer["checked"]) == (200, "orders.v1", "file")
    uploaded, headers, _ = put(answer["upload"])

    assert uploaded == 200
    version = headers["x-amz-version-id"]
    site.take_in()
    (drop,) = site.drops(key, version)
    assert (drop["state"], drop["key"], drop["contract"]) == ("staged", key, "orders.v1")
    assert site.drops(key, "another") == []


def test_bad_head_is_refused_before_any_transfer(site: Site) -> None:
    before = len(site.cloud.requests)
    status, problem = site.announce(body=b"id;note\n1;a\n")

    assert (status, problem["type"]) == (422, "urn:dropgate:problem:file-refused")
    assert {error["place"] for error in problem["errors"]} == {"body.head"}
    assert "sts:AssumeRole" not in [request.operation for request in list(site.cloud.requests)[before:]]


@pytest.mark.parametrize("key", ["loans/1.csv", "none/1.csv", "../orders/1.csv", "/orders/1.csv"])
def test_other_folders_are_out_of_reach(site: Site, key: str) -> None:
    assert site.announce(key)[0] == 404


def test_address_takes_this_file_and_no_other(site: Site) -> None:
    upload = site.announce("orders/own.csv")[1]["upload"]
    checksum = "x-amz-checksum-sha256"
    longer, other = GOOD + b"2,b\n", GOOD.replace(b"a", b"b")
    own = base64.b64encode(hashlib.sha256(other).digest()).decode()
    unsigned = {name: value for name, value in upload["headers"].items() if name != checksum}
    attacks = {
        "another size": put(upload, longer),
        "another size with its checksum": put(upload, longer, **{checksum: own}),
        "other bytes": put(upload, other),
        "other bytes with their checksum": put(upload, other, **{checksum: own}),
        "no checksum": put(upload | {"headers": unsigned}, other),
        "another key": put(upload | {"url": upload["url"].replace("own.csv", "others.csv")}),
        "another folder": put(upload | {"url": upload["url"].replace("orders/own.csv", "loans/1.csv")}),
        "a way out": put(upload | {"url": upload["url"].replace("orders/own.csv", "orders/../loans/1.csv")}),
        "a longer time": put(upload | {"url": upload["url"].replace("X-Amz-Expires=600", "X-Amz-Expires=6000")}),
        "another method": put(upload | {"method": "DELETE"}),
        "a read": put(upload | {"method": "GET"}),
        "a part of an upload": put(upload | {"url": f"{upload['url']}&uploadId=x&partNumber=1"}),
    }

    assert {name: answer[0] for name, answer in attacks.items()} == {
        name: 400 if name == "other bytes" else 403 for name in attacks
    }
    listed = boto3.client("s3").list_objects_v2(Bucket=site.stack.names["LandingBucket"], Prefix="orders/own")
    assert listed["KeyCount"] == 0
    assert put(upload)[0] == 200


def test_address_expires(site: Site) -> None:
    url = site.announce("orders/late.csv")[1]["upload"]["url"]
    parts = urlsplit(url)
    request = parse_request({"REQUEST_METHOD": "PUT", "PATH_INFO": parts.path, "QUERY_STRING": parts.query}, GOOD)
    now = datetime.now(UTC)

    assert presigned_refused(request, None, now) is None
    late = presigned_refused(request, None, now + timedelta(seconds=601))
    assert late is not None
    assert (late.code, late.message) == ("AccessDenied", "Request has expired")


def test_trials_are_uploaded_by_addresses_of_the_api_alone(site: Site) -> None:
    status, answer = site.announce("orders/try.csv", trial=True)
    landing, session = site.stack.names["LandingBucket"], boto3.Session("shop", "none")
    rights = [{"Effect": "Allow", "Action": ["s3:PutObject", "kms:GenerateDataKey"], "Resource": "*"}]
    with site.cloud.guard.holding("shop", rights):
        session.client("s3").put_object(Bucket=landing, Key="orders/sent.csv", Body=GOOD)
        with pytest.raises(ClientError, match="AccessDenied"):
            session.client("s3").put_object(Bucket=landing, Key="_trial/orders/sent.csv", Body=GOOD)

    assert status == 200
    assert f"/{landing}/_trial/" in answer["upload"]["url"]
    assert put(answer["upload"])[0] == 200


def test_session_may_put_its_key_alone(site: Site) -> None:
    """The policy of the session and that of its role both narrow: signs that would stand for others do not."""
    bucket = site.stack.names["LandingBucket"]
    session, role = read(json.loads(session_policy("aws", bucket, "orders/*?$.csv"))), read(site.stack.roles[ROLE])

    def decision(action: str, place: str) -> str:
        principal = "arn:aws:iam::123456789012:role/upload"
        return decide(Request(principal, action, f"arn:aws:s3:::{place}"), role, session=session)

    assert decision("s3:PutObject", f"{bucket}/orders/*?$.csv") == "allowed"
    for key in ("orders/1.csv", "orders/xx$.csv", "loans/1.csv", "orders/*?$.csv/x"):
        assert decision("s3:PutObject", f"{bucket}/{key}") == "not allowed"
    assert decision("s3:GetObject", f"{bucket}/orders/*?$.csv") == "not allowed"
    assert decision("s3:PutObject", f"{site.stack.names['PromotedBucket']}/orders/*?$.csv") == "not allowed"


def test_key_too_long_for_a_policy_is_refused(site: Site) -> None:
    status, problem = site.announce(f"orders/{'語' * 320}.csv")

    assert (status, [error["kind"] for error in problem["errors"]]) == (422, ["name-too-long"])


def test_rights_are_those_that_an_upload_needs(site: Site) -> None:
    assert put(site.announce("orders/rights.csv")[1]["upload"])[0] == 200
    guard = site.cloud.guard
    unused = {each for each in guard.unused(site.stack) if each[0] == ROLE or each[:2] == (API, "sts:AssumeRole")}
    assert unused == set()
    with guard.without(API, "SignUploads"):
        assert site.announce("orders/rights.csv")[0] == 503


def test_page_of_the_parameter_may_upload_and_no_other(site: Site) -> None:
    upload = site.announce("orders/page.csv")[1]["upload"]
    asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-amz-checksum-sha256"}

    def preflight(origin: str, **changes: str) -> tuple[int, Mapping[str, str], bytes]:
        return sent("OPTIONS", upload["url"], None, {"Origin": origin, **asked, **changes})

    status, headers, _ = preflight(PAGE)
    assert (status, headers["access-control-allow-origin"]) == (200, PAGE)
    assert "*" not in "".join(headers.values())
    assert preflight("https://evil.example.com")[0] == 403
    assert preflight(PAGE, **{"Access-Control-Request-Method": "DELETE"})[0] == 403
    assert preflight(PAGE, **{"Access-Control-Request-Headers": "x-amz-tagging"})[0] == 403
    status, headers, _ = put(upload, Origin=PAGE)
    assert (status, headers["access-control-expose-headers"]) == (200, "x-amz-version-id")
    assert headers["x-amz-version-id"]


def test_bucket_answers_no_page_without_the_parameter(environment: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    stack = deploy(TEMPLATE, cache(boto3.client), "00dropgate05", name=f"bare{uuid.uuid4().hex[:8]}")

    assert stack.cors == {stack.names["LandingBucket"]: ()}
