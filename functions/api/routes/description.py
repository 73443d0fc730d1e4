"""The description of the API: the OpenAPI document that was generated from the routes, as it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response, content_types

DOCUMENT = Path(__file__).parent.parent / "openapi.json"


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application; it needs no token, and is not in the document."""
    app.get("/openapi.json", include_in_schema=False, enable_validation=False)(describe)


def describe() -> Response[str]:
    """Return the OpenAPI document."""
    return Response(200, content_types.APPLICATION_JSON, _text(), headers={"Cache-Control": "public, max-age=3600"})


@cache
def _text() -> str:
    return DOCUMENT.read_text(encoding="utf-8")
