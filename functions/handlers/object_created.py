"""Lambda function: S3's Object Created events by EventBridge and SQS in, the ids of messages to come again out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.data_classes import S3EventBridgeNotificationEvent

from functions import keys
from functions.drop import Created
from functions.flow.ingest import ingest
from functions.handlers import runtime
from functions.handlers.runtime import logger

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext


def created(body: str) -> Created:
    """The event in a message's body."""
    event = S3EventBridgeNotificationEvent(json.loads(body))
    detail = event.detail
    return Created(
        bucket=detail.bucket.name,
        # Not `.key`, which decodes: EventBridge gives keys as they are, and `a+b%20c` is a name of its own.
        key=detail.object["key"],
        version_id=detail.object.get("version-id") or "",
        etag=detail.object.etag,
        size=detail.object.size or 0,
        sequencer=detail.object.sequencer,
        uploaded_at=event.get("time") or "",
    )


def take(record: SQSRecord, lambda_context: LambdaContext) -> None:
    """Take one object in, if there is time for it."""
    runtime.about()
    runtime.need_time(lambda_context)
    event = created(record.body)
    runtime.about(drop=keys.drop_id(event.bucket, event.key, event.version_id))
    drop = ingest(runtime.ports(), event)
    if drop:
        logger.info("object taken", state=drop.state, contract=drop.contract, bytes=drop.size)
    else:
        logger.info("object left alone: it is outside landing, or marks a folder", bucket=event.bucket)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Take every new object in."""
    return runtime.work_off(event, take, context)
