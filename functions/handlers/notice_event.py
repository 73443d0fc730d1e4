"""Lambda function: events of the bus by SQS in, the ids of messages to come again out; people hear of them."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from functions.handlers import runtime
from functions.handlers.notices_due import RESERVE, tell
from functions.handlers.runtime import logger
from functions.notices.returned import SOURCE, Returned, returned
from functions.notices.send import Late, send
from functions.notices.take import take

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext


def hear(late: Late, record: SQSRecord, lambda_context: LambdaContext) -> None:
    """Put one event on the lines of those who hear of it, and send what may leave at once.

    What there is no time for is due, and leaves with the next minute's call of the clock.
    """
    runtime.about()
    runtime.need_time(lambda_context)
    event = json.loads(record.body)
    detail = event["detail"]
    if event["source"] == SOURCE:
        tell_returned(returned(detail))
        return
    runtime.about(event=str(detail.get("id", "")))
    ports = runtime.notice_ports()
    for line in take(ports, detail):
        if lambda_context.get_remaining_time_in_millis() < RESERVE:
            return
        if (sent := send(ports, line, late)) is not None:
            tell(sent)


def tell_returned(mail: Returned) -> None:
    """Note a mail that came back with its message, log and count it; who mends the address needs to know it."""
    if mail.message:
        runtime.notice_ports().book.note_returned(mail.message, mail.reason)
    details: dict[str, Any] = {"addresses": mail.addresses, "answer": mail.reason, "mail": mail.mail}
    logger.warning("mail returned", **details)
    runtime.count("MailsReturned")


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Let people hear of events."""
    return runtime.work_off(event, partial(hear, {}), context)
