"""`python -m bench.listing`: how long the API takes to answer the first page of a month with 10,000 drops.

Functions, adapters, gateway and policies are real, AWS is emulated in the same process. Nine of ten drops have a
contract. Printed are milliseconds of answers over HTTP, of a whole page and of one drop: by the
clock, and of CPU, which other work on the machine does not change much.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from http.client import HTTPConnection
from time import perf_counter, process_time
from urllib.parse import urlsplit

from moto.dynamodb.models import dynamodb_backends

from bench import plans
from bench.measuring import say
from contracts.authoring.publication import publish
from functions.api import producers
from functions.aws import items
from functions.aws.catalog.s3_catalog import S3Catalog
from functions.drop import Drop, Location
from infra.local.cloud import Cloud
from infra.local.embedded import KEY, MADE_ONCE, QUIET, REGION, TEMPLATE, session
from infra.local.events.invocation import Invoker
from infra.local.gateway import Gateway, routes_of
from infra.local.issuer import Issuer
from infra.local.loopback import ACCOUNT
from infra.local.template.stack import Stack, deploy

FUNCTION = "ApiProducersFunction"
MANY, ANSWERS, PAGE = 10_000, 9, 50
MONTH = "2026-05"


def main() -> int:
    """Print the figures; return the exit code."""
    plan = plans.whole()
    with Issuer() as issuer, Cloud() as cloud:
        stack = _stack(cloud, issuer)
        catalog = S3Catalog(session().client("s3", endpoint_url=cloud.endpoint), stack.environment["DROPGATE_CATALOG"])
        publish([plan], catalog, datetime.now(UTC))
        table = dynamodb_backends[ACCOUNT][REGION].get_table(stack.names["LedgerTable"])
        for drop in _drops(plan.contract):
            table.put_item(items.dumps(items.drop_item(drop)))  # calls would take minutes
        invoke = Invoker({FUNCTION: stack.functions[FUNCTION]}, {FUNCTION: producers.handler}, REGION)
        with Gateway(routes_of(stack.template), invoke) as gateway:
            for most in (PAGE, 1):
                took = [_milliseconds(gateway, issuer, most) for _ in range(ANSWERS + 1)][1:]  # warm ones
                clock, cpu = (statistics.median(each) for each in zip(*took, strict=True))
                say(f"{most} of {MANY:,} drops: {clock:.0f} ms, {cpu:.0f} ms of CPU (medians of {ANSWERS})")
    return 0


def _stack(cloud: Cloud, issuer: Issuer) -> Stack:
    made = deploy(
        TEMPLATE,
        lambda service: session().client(service, endpoint_url=cloud.endpoint, config=MADE_ONCE),
        "00benchlist00",
        REGION,
        {"Api": "true", "ApiIssuers": issuer.parameter},
        name="listing",
    )
    cloud.guard.learn(made)
    reached = {"AWS_ENDPOINT_URL": cloud.endpoint, "AWS_DEFAULT_REGION": REGION, "AWS_SECRET_ACCESS_KEY": KEY}
    os.environ.update(made.environment | QUIET | reached | {"DROPGATE_ISSUER_ORIGIN": issuer.endpoint})
    return made


def _drops(contract: str) -> Iterator[Drop]:
    for n in range(MANY):
        key, at = f"weather/{n}.csv", f"{MONTH}-{n % 28 + 1:02}T12:00:00.{n:06}Z"
        place = Location(f"s3://landing/{key}", "v1")
        owner = (contract, "inmet") if n % 10 else (None, None)
        yield Drop(
            id=f"{n:032d}",
            bucket="landing",
            key=key,
            name=key,
            version_id="v1",
            etag="e",
            size=100,
            sequencer=f"{n:06}",
            received_at=at,
            changed_at=at,
            source=place,
            state="rejected" if n % 10 else "unmatched",
            contract=owner[0],
            producer=owner[1],
        )


def _milliseconds(gateway: Gateway, issuer: Issuer, most: int) -> tuple[float, float]:
    token = issuer.token("ops", "operator")
    connection = HTTPConnection(urlsplit(gateway.endpoint).netloc, timeout=60)
    try:
        begun = perf_counter(), process_time()
        path = f"/drops?month={MONTH}&limit={most}"
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        body = json.loads(answer.read())
        ended = perf_counter(), process_time()
    finally:
        connection.close()
    assert (answer.status, len(body["drops"])) == (200, most), body
    return (ended[0] - begun[0]) * 1000, (ended[1] - begun[1]) * 1000


if __name__ == "__main__":
    sys.exit(main())
