"""Lambda function: requests of browsers in, pages out; it reads the stack, records sessions and signs uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from functions.api.runtime import logger
from functions.pages.site import View
from functions.pages.views import contract_parts, contracts, drops, home, lint, uploads
from functions.pages.world import site

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

VIEWS: dict[str, View] = {
    "GET /app": home.home,
    "GET /app/drops": drops.drop_list,
    "GET /app/drops/{drop}": drops.drop,
    "GET /app/drops/{drop}/{file}": drops.drop_file,
    "GET /app/contracts": contracts.contract_list,
    "GET /app/contracts/{contract}": contracts.contract,
    "GET /app/contracts/{contract}/{part}": contract_parts.part,
    "GET /app/lint": lint.form,
    "POST /app/lint": lint.findings,
    "GET /app/data": contracts.data,
    "GET /app/send": uploads.upload_form,
    "GET /app/uploads": uploads.verdict,
    "POST /app/uploads": uploads.announce,
}


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Answer one request."""
    return site(VIEWS).answer(event)
