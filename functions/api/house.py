"""Lambda function: requests of those who run the stack in, answers out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions.api.app import AddRoutes
from functions.api.routes import acts, costs, health, notices, pauses, publishing
from functions.api.routes.published import port_checks, registration
from functions.api.runtime import logger
from functions.api.world import api

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

ROUTES: tuple[AddRoutes, ...] = (
    acts.add,
    pauses.add,
    notices.add,
    health.add,
    costs.add,
    publishing.add,
    port_checks.add,
    registration.add,
)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request."""
    return api(ROUTES).answer(event, context)
