"""The handlers' shared logger, metrics, batch processor, and ports, made on first use from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from contracts.errors import ServiceUnavailable
from functions.aws.clients import Clients, event_sources_from, notice_ports_from, ports_from
from functions.handlers.counting import CountedLedger
from functions.ports import EventSources, NoticePorts, Ports

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

PRODUCT = "dropgate"
STACK = os.environ.get("POWERTOOLS_SERVICE_NAME", PRODUCT)
"""The stack that this runs in: the one dimension of all metrics, so that two stacks of an account stay apart."""

RESERVE = 40_000
"""Milliseconds that are kept for a record once it is begun; the largest is a file that gzip unpacks to 2 GiB."""


class TimeShort(ServiceUnavailable):
    """A record was handed back for the next invocation; that is no failure."""


logger = Logger(service=STACK)
metrics = Metrics(namespace=PRODUCT, service=STACK)


def work_off(event: dict[str, Any], record: Callable[..., None], context: LambdaContext) -> PartialItemFailureResponse:
    """Work off a batch of messages; the ids of those that failed, which come again. Why is logged."""
    with counted():
        processor = _processor()
        answer = process_partial_response(event, record_handler=record, processor=processor, context=context)
        if failed := sum(not isinstance(error, TimeShort) for _, error, _ in processor.exceptions):
            count("MessagesFailing", failed)
        return answer


@cache
def _processor() -> BatchProcessor:
    log: Any = logger
    return BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False, logger=log)


def about(**ids: str) -> None:
    """Name what the lines that follow are about, that of a failure among them; what was named before is forgotten."""
    logger.remove_keys(["drop", "batch", "run", "event"])
    logger.append_keys(**ids)


def ports() -> Ports:
    """The world that the environment names."""
    return _ports(_named())


def event_sources() -> EventSources:
    """The part of it that events are made from."""
    return _event_sources(_named())


def notice_ports() -> NoticePorts:
    """The part of it that notices for people need."""
    return _notice_ports(_named())


def _named() -> tuple[tuple[str, str], ...]:
    names = ("DROPGATE_", "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY")
    return tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith(names)))


@cache
def _event_sources(named: tuple[tuple[str, str], ...]) -> EventSources:
    return event_sources_from(dict(named), Clients())


@cache
def _notice_ports(named: tuple[tuple[str, str], ...]) -> NoticePorts:
    return notice_ports_from({**dict(named), "POWERTOOLS_SERVICE_NAME": STACK}, Clients())


@cache
def _ports(named: tuple[tuple[str, str], ...]) -> Ports:
    environment, clients = dict(named), Clients()
    ledger = CountedLedger(clients.dynamodb, environment["DROPGATE_TABLE"], count)
    return ports_from(environment, clients, ledger)


def need_time(context: LambdaContext) -> None:
    """Hand a record back while there is time for the answer; only that record comes again."""
    if context.get_remaining_time_in_millis() < RESERVE:
        raise TimeShort("too little time is left for another record; it comes again")


def count(name: str, value: float = 1) -> None:
    """Add to a metric of this invocation."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


@contextmanager
def counted() -> Iterator[None]:
    """Publish what is counted within, if anything is."""
    try:
        yield
    finally:
        if metrics.metric_set:
            metrics.flush_metrics()
            metrics.clear_metrics()  # where metrics are off they are not flushed, and the hundredth would be printed
