"""Responses with an ETag: a mark and a body in, the body or `304 Not Modified` out (RFC 9110, section 13.1.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.event_handler import Response, content_types

from functions.api.asked import Asked


class NotModified(Exception):
    """The caller has the current answer."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


PRIVATE = "private, no-cache"
"""Browsers may keep an answer, and ask each time if it is still so."""


def tagged(here: Asked, mark: str, body: Callable[[], Any]) -> Response[Any]:
    """Return a body under an ETag; NotModified if the caller has it, and then the body is not made."""
    etag = f'"{mark}"'
    headers: dict[str, str | list[str]] = {"ETag": etag, "Cache-Control": PRIVATE}
    tags = [tag.strip().removeprefix("W/") for tag in (here.if_none_match or "").split(",")]
    if etag in tags or tags == ["*"]:
        raise NotModified(etag)
    return Response(200, content_types.APPLICATION_JSON, body(), headers=headers)


def not_modified(error: NotModified) -> Response[Any]:
    """Return the response to a caller that has the current answer."""
    return Response(304, headers={"ETag": error.etag, "Cache-Control": PRIVATE})
