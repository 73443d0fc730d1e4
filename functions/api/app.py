"""The application: ports and routes in, answers to API Gateway's events out; every fault is a problem by RFC 9457."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
    ResponseValidationError,
)

from contracts.errors import DocumentInvalid, ServiceUnavailable
from functions.api import problems
from functions.api.answers.responses import NotModified, not_modified
from functions.api.asked import Asked, no_publisher
from functions.api.bodies import refuse_unreadable
from functions.api.identity.callers import Caller
from functions.api.identity.tokens import Tokens
from functions.api.limits import CallerLimit
from functions.api.problems import RequestRefused
from functions.api.publisher import Publisher
from functions.api.runtime import logger
from functions.ports import Ports, ReadPorts
from functions.ports.web.requests import AnsweredRequests

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

AddRoutes = Callable[[APIGatewayHttpResolver], None]
OPEN = frozenset({"/openapi.json"})
"""Paths that need no token."""
LINKS = "/receipts/"
"""The beginning of paths that open a receipt by a token of ours."""
NOBODY = Caller("", "", frozenset())
"""Who asks by a link: a caller without a role."""
PUBLISHED = ("/api/v1/", "/v1/")
"""The beginnings of paths of interfaces that answer 400 to whatever does not fit."""
SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


def resolver(routes: Sequence[AddRoutes]) -> APIGatewayHttpResolver:
    """Return the resolver of routes, whose faults are problems."""
    app = APIGatewayHttpResolver(enable_validation=True, response_validation_error_http_code=500)
    for add in routes:
        add(app)
    app.exception_handler(RequestRefused)(lambda refused: problems.response(_by_path(app, refused)))
    app.exception_handler(RequestValidationError)(lambda error: problems.response(_by_path(app, _unfit(error))))
    app.exception_handler(RequestUnsupportedContentType)(_unsupported)
    app.exception_handler(NotFoundError)(_unknown)
    app.exception_handler(NotModified)(not_modified)
    app.exception_handler(ResponseValidationError)(_failed)
    app.exception_handler(ServiceUnavailable)(_unavailable)
    app.exception_handler(DocumentInvalid)(_failed)
    app.exception_handler(Exception)(_failed)
    return app


class Api:
    """Answers requests: the caller first, then the route."""

    def __init__(
        self,
        ports: ReadPorts,
        tokens: Tokens,
        routes: Sequence[AddRoutes],
        requests: AnsweredRequests,
        acts: Callable[[], Ports],
        limit: CallerLimit | None = None,
        publisher: Callable[[], Publisher] = no_publisher,
    ) -> None:
        self._ports = ports
        self._requests = requests
        self._acts = acts
        self._limit = limit
        self._publisher = publisher
        self._tokens = tokens
        self._app = resolver(routes)

    def answer(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Return the response of an event of payload format 2.0."""
        headers = event.get("headers") or {}
        if event["rawPath"] not in OPEN:
            try:
                by_link = event["rawPath"].startswith(LINKS)
                caller = NOBODY if by_link else self._tokens.caller(headers.get("authorization"))
                if self._limit and not by_link:
                    self._limit.check(caller)
                refuse_unreadable(event)
            except RequestRefused as refused:
                return _plain(problems.response(refused))
            except ServiceUnavailable as error:
                return _plain(_unavailable(error))
            tag = headers.get("if-none-match")
            self._app.context["asked"] = Asked(self._ports, caller, tag, self._requests, self._acts, self._publisher)
        answer = self._app.resolve(event, context)
        answer["headers"] = {**SAFE, **answer.get("headers", {})}
        return answer


def _plain(response: Response[str]) -> dict[str, Any]:
    headers = {**SAFE, "Content-Type": problems.MEDIA_TYPE, **response.headers}
    return {"statusCode": response.status_code, "headers": headers, "body": response.body, "isBase64Encoded": False}


def _by_path(app: APIGatewayHttpResolver, refused: RequestRefused) -> RequestRefused:
    """Return a refusal with the status that the interface of its path has published for it: 400 instead of 422."""
    if refused.status != 422 or not app.current_event.path.startswith(PUBLISHED):
        return refused
    kind = None if refused.kind == 422 else str(refused.kind)
    return RequestRefused(400, str(refused), refused.errors, refused.headers, kind)


def _unfit(error: RequestValidationError) -> RequestRefused:
    places = [{"place": ".".join(map(str, each["loc"])), "kind": str(each["type"])} for each in error.errors()]
    names = ", ".join(place["place"] for place in places[:5])
    return RequestRefused(422, f"These parts of the request do not fit: {names}.", places[:50])


def _unsupported(_: RequestUnsupportedContentType) -> Response[str]:
    return problems.response(RequestRefused(415, "Send the body as application/json."))


def _unknown(_: NotFoundError) -> Response[str]:
    return problems.response(RequestRefused(404, "Nothing is at this address; /openapi.json lists what there is."))


def _unavailable(error: ServiceUnavailable) -> Response[str]:
    logger.warning("service unavailable", exc_info=error)
    return problems.response(RequestRefused(503, "Try again in a moment.", headers={"Retry-After": "5"}))


def _failed(error: Exception) -> Response[str]:
    logger.error("request failed", exc_info=error)
    return problems.response(RequestRefused(500, "The operators of this stack find the reason in its log."))
