"""Lambda function: EMR Serverless's job events by EventBridge and SQS in, the ids of messages to come again out."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.data_classes import EventBridgeEvent

from functions.flow.finalize import job_ended
from functions.handlers import runtime
from functions.handlers.runtime import logger

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext


def waited(time: timedelta) -> None:
    """Measure how long a job waited before it began."""
    runtime.count("JobQueueMinutes", time.total_seconds() / 60)


def settle(record: SQSRecord) -> None:
    """Settle the batch of one run that has ended."""
    runtime.about()
    detail = EventBridgeEvent(json.loads(record.body)).detail
    runtime.about(run=detail["jobRunId"])
    batch = job_ended(runtime.ports(), detail["jobRunId"], detail["state"], waited)
    details: dict[str, Any] = {"batch": batch.id, "try": batch.try_}
    logger.info("job settled", contract=batch.contract, state=batch.state, job=detail["state"], **details)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Settle the batches of runs that have ended."""
    return runtime.work_off(event, settle, context)
