"""Pages of ours in answers: their HTML in; a response whose policy lets their one style in and nothing else out.

Receipts and contract pages quote texts of others, have no script and load nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
"""The style of a page, which stands before all texts of others."""
MEDIA_TYPE = "text/html; charset=utf-8"
DESCRIBED: Mapping[int, Any] = {
    200: {"description": "A page for people", "content": {"text/html": {"schema": {"type": "string"}}}}
}
"""The answer of a route whose answer is a page, for the OpenAPI document."""


def policy_of(page: str) -> str:
    """Return the content security policy of a page: its style by its hash, no script, and no frame around it."""
    match = STYLE.search(page.partition("</head>")[0])
    digest = base64.b64encode(hashlib.sha256((match[1] if match else "").encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; sandbox allow-downloads allow-top-navigation-by-user-activation"
    )


def page_response(page: str, **headers: str) -> Response[str]:
    """Return the response with a page, and further headers."""
    sent: dict[str, str | list[str]] = {"Content-Security-Policy": policy_of(page), **headers}
    return Response(200, MEDIA_TYPE, page, headers=sent)
