"""Repeated requests: the key of a request and an act in, the act's answer out, of the first request if there was one.

As in the draft of the IETF, "The Idempotency-Key HTTP Header Field" (draft-ietf-httpapi-idempotency-key-header): the
same key with another body is refused, and so is a repeat while the first request is under way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, TypeVar

from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import BaseModel

from functions.api.asked import Asked
from functions.api.identity.access import Operation
from functions.api.problems import RequestRefused

DAY = 86_400
"""Seconds for which answers are kept."""
UNDER_WAY = timedelta(seconds=60)
"""The time after which a request without an answer has died: a function has 29 seconds."""
ABOUT = "A name of your own for this request: a repeat with the same body gets the first answer and does nothing again"
IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", description=ABOUT, max_length=255, pattern=r"^[!-~]+$")
]
M = TypeVar("M", bound=BaseModel)


def once(
    here: Asked,
    operation: Operation,
    key: str | None,
    asked: tuple[str, BaseModel],
    act: Callable[[], M],
    answers: type[M],
    seconds: int = DAY,
) -> M:
    """Return the answer of an act, or of the same request before; `asked` is the request's subject and its body.

    RequestRefused with 422 if the key came with another request, 409 while its first request is under way. A request
    that is refused or fails leaves nothing: its repeat acts.
    """
    if key is None:
        return act()
    subject, body = asked
    name = _digest(here.caller.issuer, here.caller.subject, key)
    mark = _digest(operation, subject, body.model_dump_json())
    now = here.ports.clock.now()
    before = here.requests.begin(name, mark, now, now + UNDER_WAY)
    if before is None:
        try:
            answer = act()
        except BaseException:
            here.requests.erase(name)
            raise
        here.requests.answer(name, mark, answer.model_dump_json(), now + timedelta(seconds=seconds))
        return answer
    if before.mark != mark:
        raise RequestRefused(422, "This Idempotency-Key came with another request before: use a new one.", _PLACE)
    if before.answer is None:
        raise RequestRefused(409, "The first request with this Idempotency-Key is under way.", headers=_SOON)
    return answers.model_validate_json(before.answer)


_PLACE = [{"place": "header.Idempotency-Key", "kind": "reused"}]
_SOON = {"Retry-After": "5"}


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
