"""The OpenAPI document: the routes of both functions in, one document of OpenAPI 3.1 out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer, License

from functions.api.app import AddRoutes, resolver
from functions.api.models.base import ProblemDetails
from functions.api.problems import MEDIA_TYPE, TITLES

TITLE = "dropgate"
VERSION = "1"
ABOUT = (
    "Contracts, drops and receipts of a dropgate stack, for producers, consumers, stewards and operators. "
    "Times are UTC. Errors are problems by RFC 9457."
)
ANSWERED = (400, 401, 403, 404, 409, 422, 429, 500, 503)
"""The problems that each operation may answer with."""


def document(routes: Sequence[AddRoutes]) -> dict[str, Any]:
    """Return the document of routes."""
    generated = resolver(routes).get_openapi_json_schema(
        title=TITLE,
        version=VERSION,
        description=ABOUT,
        license_info=License(name="Apache-2.0", identifier="Apache-2.0"),
        security_schemes={"token": HTTPBearer(bearerFormat="JWT")},
        security=[{"token": []}],
    )
    body: dict[str, Any] = json.loads(generated)
    schemas = body["components"]["schemas"]
    for name in [name for name in schemas if "ValidationError" in name]:
        del schemas[name]  # powertools' own form of errors, which nothing here answers with
    problem = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs", {}) | {"ProblemDetails": problem}
    for operation in (each for path in body["paths"].values() for each in path.values()):
        operation["responses"] = {
            **{code: answer for code, answer in operation["responses"].items() if code != "422"},
            **{str(code): _problem(TITLES[code]) for code in ANSWERED + (415,) * ("requestBody" in operation)},
        }
    body["components"]["schemas"] = dict(sorted(schemas.items()))
    return body


def _problem(title: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/ProblemDetails"}
    return {"description": title, "content": {MEDIA_TYPE: {"schema": schema}}}
