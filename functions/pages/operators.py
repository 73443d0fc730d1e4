"""Lambda function: requests of those who run the stack in, pages and recorded acts out; the schedule does the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions.api.runtime import logger
from functions.pages.site import View
from functions.pages.views import acts, operations
from functions.pages.world import operators_site

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

VIEWS: dict[str, View] = {
    "GET /app/operations": operations.operations,
    "GET /app/acts/{act}": acts.form,
    "POST /app/acts/{act}": acts.act,
}


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Answer one request."""
    return operators_site(VIEWS).answer(event)
