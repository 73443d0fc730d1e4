"""Lambda function: the clock in; what waits for its turn, or is to be tried again, is sent to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions.handlers import runtime
from functions.handlers.runtime import logger
from functions.notices.due import Unsent, send_due

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from functions.notices.send import Sent

RESERVE = 30_000
"""Milliseconds that are kept for a message once it is begun: SES may take 23 seconds, and the record some more."""
METRICS = {"sent": "NoticesSent", "later": "NoticesPutOff", "failed": "NoticesFailed"}
"""The metric of each end of a message; those that are given up are what an alarm is for."""


def tell(sent: Sent) -> None:
    """Log and count what came of a message. A mail address is no value of a file, but is left out as well."""
    end = "failed" if sent.given_up else sent.answer.result
    details: dict[str, Any] = {
        "line": sent.line.id,
        "scope": sent.line.scope,
        "channel": sent.line.channel.service,
        "notices": sent.notices,
        "try": sent.tries,
        "answer": sent.answer.text,
    }
    runtime.count(METRICS[end])
    if end == "sent":
        logger.info("message sent", **details)
    else:
        logger.warning("message not sent" if end == "failed" else "message put off", **details)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001
    """Send what is due; the next minute's call goes on."""
    with runtime.counted():
        ports = runtime.notice_ports()
        for each in send_due(ports, lambda: context.get_remaining_time_in_millis() > RESERVE, Exception):
            if isinstance(each, Unsent):
                logger.warning("not sent now", exc_info=each.error, line=each.line)
                runtime.count("Troubles")
            else:
                tell(each)
