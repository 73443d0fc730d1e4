"""Problems: a status and its words in, a response by RFC 9457 out. Pure but for powertools' response."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aws_lambda_powertools.event_handler import Response

from contracts.errors import DropgateError

MEDIA_TYPE = "application/problem+json"
TITLES: Mapping[int | str, str] = {
    400: "The request cannot be read",
    401: "A valid token is needed",
    403: "The roles of the caller do not allow this",
    404: "There is no such thing",
    405: "The method is not known here",
    409: "The state of things does not allow this now",
    413: "The request is too large",
    415: "The media type is not supported",
    422: "The request does not fit its description",
    429: "There were too many requests",
    500: "dropgate failed",
    503: "A service did not answer",
    "file-refused": "The file would be rejected",
    "contract-refused": "The contract cannot be published",
}


class RequestRefused(DropgateError):
    """A request that gets no answer of a use case: its status, a sentence, and the places of its faults.

    `kind` is the last part of the problem's type, if it is not the status.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        kind: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.kind = kind or status


def document(refused: RequestRefused) -> dict[str, Any]:
    """Return the problem as a JSON document."""
    body: dict[str, Any] = {
        "type": f"urn:dropgate:problem:{refused.kind}",
        "title": TITLES[refused.kind],
        "status": refused.status,
        "detail": str(refused),
    }
    return body | ({"errors": list(refused.errors)} if refused.errors else {})


def response(refused: RequestRefused) -> Response[str]:
    """Return the response of a refused request."""
    body = json.dumps(document(refused), ensure_ascii=False)
    return Response(refused.status, MEDIA_TYPE, body, headers={"Cache-Control": "no-store", **refused.headers})
