"""Lambda function: messages of windows that are over in, the ids of messages to come again out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions import keys
from functions.aws.sqs import window_in
from functions.flow.batching import batch_due
from functions.handlers import runtime
from functions.handlers.runtime import logger

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext


def close(record: SQSRecord) -> None:
    """Start the job of what has gathered in one window."""
    runtime.about()
    window = window_in(record.body)
    runtime.about(batch=keys.batch_id(window.plan, window.opened_at, trial=window.trial))
    batch = batch_due(runtime.ports(), window)
    if batch:
        details: dict[str, Any] = {"try": batch.try_, "run": batch.run, "drops": len(batch.members)}
        logger.info("batch under way", contract=batch.contract, state=batch.state, **details)
    else:
        runtime.about()
        logger.info("no batch now: nothing waits, it is held up, or no slot is free", plan=window.plan)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Start the jobs of windows that are over."""
    return runtime.work_off(event, close, context)
