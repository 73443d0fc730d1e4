"""Lambda function: the clock in; the work that lost events and crashes left behind is continued."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from functions.handlers import runtime
from functions.handlers.runtime import logger
from functions.schedule.reconcile import reconcile

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


def named(what: str) -> dict[str, str]:
    """An item that was continued; a drop or a batch has its id, as in other lines."""
    kind, _, name = what.partition(" ")
    return {"what": what, kind: name} if kind in ("drop", "batch") else {"what": what}


def tell(what: str) -> None:
    """Log one item that was continued."""
    details: dict[str, Any] = {**named(what)}
    logger.info("taken on", **details)


def standing(age: timedelta) -> None:
    """Measure the age of the oldest open item."""
    runtime.count("OldestOpenMinutes", age.total_seconds() / 60)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001
    """Take on what is left behind; the next minute's call goes on."""
    with runtime.counted():
        troubles = reconcile(runtime.ports(), caught=Exception, taken=tell, standing=standing)
        for trouble in troubles:
            details: dict[str, Any] = {**named(trouble.what), "reason": trouble.reason}
            logger.warning("not continued now", exc_info=trouble.unforeseen, **details)
        if troubles:
            runtime.count("Troubles", len(troubles))
        runtime.count("Heartbeat")
