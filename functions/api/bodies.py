"""Bodies of requests: an event of API Gateway in, a refusal if its body is no JSON that can be read. Pure.

powertools parses the body again, for the route's model; it has no answer of its own for what is refused here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from functions.api.problems import RequestRefused

WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
JSON = "application/json"


def refuse_unreadable(event: Mapping[str, Any]) -> None:
    """Raise RequestRefused if the body of an event of payload format 2.0 is of another type than JSON, or broken."""
    if event["requestContext"]["http"]["method"] not in WITH_BODY:
        return
    media_type = (event.get("headers") or {}).get("content-type", JSON).partition(";")[0].strip().lower()
    if media_type != JSON:
        raise RequestRefused(415, f"Send the body as {JSON}.")
    body = event.get("body")
    if not body:
        return
    try:
        json.loads(base64.b64decode(body, validate=True).decode() if event.get("isBase64Encoded") else body)
    except RecursionError as error:
        raise RequestRefused(400, "The body is nested too deeply.") from error
    except ValueError as error:  # base64, UTF-8, JSON, or a number of too many digits
        raise RequestRefused(400, "The body is no JSON text in UTF-8 that can be read.") from error
