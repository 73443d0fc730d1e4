"""Services that fail for a while or for good, and functions that are killed: answers, logs and alarms.

Handlers, adapters and boto3's retries are as they are. That drops end the same whatever call goes wrong is shown by
`test_sweep.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count

import botocore.retries.standard
import pytest

from contracts.errors import ServiceUnavailable
from functions.handlers.runtime import RESERVE
from functions.ports import Ports
from functions.ports.batches import Window
from infra.local.cloud import Cloud
from infra.local.events.invocation import Invoker
from infra.local.moto_patches.fault_injection import FAILURES, Failure
from tests.integration.functions.by_hand import (
    CLOCK,
    CREATED,
    DUE,
    ENDED,
    Fuse,
    Killed,
    Site,
    running,
)
from tests.integration.functions.test_handlers import HANDLERS

LONGER_THAN_RETRIES = 5
"""Requests; boto3 makes 4 of one call, as CONFIG in functions/aws/clients.py says."""


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    # boto3 sleeps for seconds between its tries; it tries as often as it does anywhere.
    environment.setattr(botocore.retries.standard.ExponentialBackoff, "delay_amount", lambda *_: 0)
    with running(environment, cloud) as made:
        cloud.outages.callers = made.emr.outages.callers = frozenset(HANDLERS)
        yield made


_number = count()


def lone(site: Site) -> list[str]:
    """One good file."""
    return [site.upload(f"orders/lone-{next(_number)}.csv")]


def kill(operation: str) -> None:
    raise Killed(operation)


ASKED: dict[str, tuple[str, Callable[[Ports], object]]] = {
    "s3": ("s3:GetObject", lambda ports: ports.store.get(f"{ports.zones.catalog}current.json")),
    "dynamodb": ("dynamodb:GetItem", lambda ports: ports.ledger.drop("d")),
    "sqs": ("sqs:SendMessage", lambda ports: ports.delays.send(Window("p", "t", "t"), 0)),
    "emr-serverless": ("emr-serverless:ListJobRuns", lambda ports: ports.jobs.find("t", ports.clock.now())),
}


@pytest.mark.parametrize(("service", "failure"), [(s, f) for s, every in FAILURES.items() for f in every])
def test_what_lasts_longer_than_boto_tries_is_told_by_its_code(service: str, failure: Failure, site: Site) -> None:
    operation, ask = ASKED[service]
    outages = (site.emr if service == "emr-serverless" else site.cloud).outages
    outages.begin(operation, failure, LONGER_THAN_RETRIES - 2)
    ask(site.worlds[CLOCK])
    outages.begin(operation, failure, LONGER_THAN_RETRIES - 1)
    with pytest.raises(ServiceUnavailable, match=failure.code.rpartition("#")[2]):
        ask(site.worlds[CLOCK])
    ask(site.worlds[CLOCK])
    site.forget(DUE)


def test_function_hands_back_what_it_has_no_time_for(site: Site) -> None:
    ids = [site.upload(f"orders/late-{n}.csv") for n in range(3)]
    queue = site.queues[CREATED]
    short = replace(site.stack.functions[CREATED], timeout_seconds=RESERVE // 1000)
    invoke, site.invoke = site.invoke, Invoker({CREATED: short}, {CREATED: HANDLERS[CREATED]}, "us-east-1")
    log = site.log.of(queue.poll)
    stand, site.invoke = site.states(*ids), invoke

    assert stand == ["unknown"] * 3
    assert "too little time is left for another record" in log
    site.finish(*ids)
    assert site.states(*ids) == ["accepted"] * 3


STAYING = {
    "s3:CopyObject": {"MessagesFailing", "Troubles"},
    "dynamodb:TransactWriteItems": {"MessagesFailing"},
    "dynamodb:Query": {"MessagesFailing", "BatchDueDead", "Heartbeat", "ScheduleErrors"},
}


@pytest.mark.parametrize("operation", STAYING)
def test_service_that_stays_unwell_rings(operation: str, site: Site) -> None:
    service = operation.partition(":")[0]
    (drop_id,) = lone(site)
    site.start_cold()
    site.cloud.outages.begin(operation, FAILURES[service][0], 10_000)
    rings, _ = site.rings(lambda: (site.deliver(8), site.clock()))
    site.cloud.outages.end()
    if "BatchDueDead" in rings:  # the schedule does what the letters stand for
        site.sqs.purge_queue(QueueUrl=site.stack.names["BatchDueDlq"])
    site.finish(drop_id)

    assert rings == STAYING[operation]
    assert site.states(drop_id) == ["accepted"]


def test_functions_that_are_killed_ring(site: Site) -> None:
    (drop_id,) = lone(site)
    site.fuse = Fuse(1, kill)
    rings, _ = site.rings(lambda: (site.deliver(4), site.clock()))
    site.fuse = Fuse()
    site.finish(drop_id)

    assert rings == {"Heartbeat"} | {
        f"{function.removesuffix('Function')}Errors" for function in (CREATED, DUE, ENDED, CLOCK)
    }
    assert site.states(drop_id) == ["accepted"]
