"""Responses with an ETag: a mark and a body in, the body or `304 Not Modified` out (RFC 9110, section 13.1.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.event_handler import Response, content_types
from pydantic import BaseModel

from functions.api.asked import Asked


class NotModified(Exception):
    """The caller has the current answer."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


PRIVATE = "private, no-cache"
"""Browsers may keep an answer, and ask each time if it is still so."""


def etag_of(here: Asked, mark: str) -> str:
    """Return the ETag of a mark; NotModified if the caller has it."""
    etag = f'"{mark}"'
    tags = [tag.strip().removeprefix("W/") for tag in (here.if_none_match or "").split(",")]
    if etag in tags or tags == ["*"]:
        raise NotModified(etag)
    return etag


def tagged(here: Asked, mark: str, body: Callable[[], Any]) -> Response[Any]:
    """Return a body under an ETag; NotModified if the caller has it, and then the body is not made."""
    headers: dict[str, str | list[str]] = {"ETag": etag_of(here, mark), "Cache-Control": PRIVATE}
    return Response(200, content_types.APPLICATION_JSON, body(), headers=headers)


def tagged_by_content(here: Asked, body: BaseModel) -> Response[Any]:
    """Return a body under the hash of its JSON; NotModified if the caller has it."""
    return tagged(here, mark_of(body.model_dump_json()), lambda: body)


def mark_of(text: str) -> str:
    """Return the mark of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def not_modified(error: NotModified) -> Response[Any]:
    """Return the response to a caller that has the current answer."""
    return Response(304, headers={"ETag": error.etag, "Cache-Control": PRIVATE})
