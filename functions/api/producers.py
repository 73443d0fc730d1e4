"""Lambda function: requests about contracts, drops and uploads in, answers out; it has no right to change a drop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions.api.app import AddRoutes
from functions.api.routes import (
    contracts,
    description,
    drops,
    exports,
    links,
    lint,
    missing,
    promises,
    uploads,
    versions,
)
from functions.api.routes.published import data_contracts, validations, workloads
from functions.api.runtime import logger
from functions.api.world import api

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

ROUTES: tuple[AddRoutes, ...] = (
    contracts.add,
    versions.add,
    exports.add,
    drops.add,
    links.add,
    lint.add,
    missing.add,
    promises.add,
    uploads.add,
    data_contracts.add,
    workloads.add,
    validations.add,
    description.add,
)


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request."""
    return api(ROUTES).answer(event, context)
