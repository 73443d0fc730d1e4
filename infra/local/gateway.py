"""An HTTP API of API Gateway on loopback: a request in, the answer of the function of its route out.

Routes are those of the template. Source: API Gateway developer guide, "Create AWS Lambda proxy integrations for HTTP
APIs" (payload format 2.0) and "Quotas for configuring and running an HTTP API".
"""

from __future__ import annotations

import base64
import json
import logging
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import parse_qsl

from infra.local.loopback import ACCOUNT, Environ, LoopbackServer, StartResponse, read_body
from infra.local.template.nested_templates import Template
from infra.local.template.template import of_type

Invoke = Callable[[str, Mapping[str, Any]], Any]
LARGEST_BODY = 10 * 1024**2
LARGEST_HEADERS = 10_240
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the template: its key, as `GET /drops/{drop}`, the paths that it takes, and its function."""

    key: str
    method: str
    path: re.Pattern[str]
    function: str

    @classmethod
    def of(cls, method: str, path: str, integration: Mapping[str, Any]) -> Self:
        """Return a route; a parameter in braces takes one part of a path."""
        function = re.findall(r"\$\{(\w+)\.Arn\}", integration["uri"]["Fn::Sub"])[0]
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
        return cls(f"{method.upper()} {path}", method.upper(), re.compile(pattern), function)


def routes_of(template: Template) -> tuple[Route, ...]:
    """Return the routes of a template's HTTP API, those without parameters first."""
    routes = [
        Route.of(method, path, operation["x-amazon-apigateway-integration"])
        for api in of_type(template, "AWS::ApiGatewayV2::Api").values()
        for path, operations in api["Properties"]["Body"]["paths"].items()
        for method, operation in operations.items()
    ]
    return tuple(sorted(routes, key=lambda route: (route.path.groups, route.key)))


class Gateway(LoopbackServer):
    """Answers requests by the functions of their routes while it runs."""

    def __init__(self, routes: Iterable[Route], invoke: Invoke, port: int = 0) -> None:
        super().__init__(self._answer, port, has_pages=True)
        self.routes = tuple(routes)
        self._invoke = invoke

    def _answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body, headers = read_body(environ), headers_of(environ)
        if len(body) > LARGEST_BODY:
            return _message(start_response, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Request Entity Too Large")
        if sum(len(name) + len(value) for name, value in headers.items()) > LARGEST_HEADERS:
            return _message(start_response, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "Request Header Too Large")
        for route in self.routes:
            match = route.path.fullmatch(environ["PATH_INFO"])
            if match and route.method == environ["REQUEST_METHOD"]:
                event = event_of(route, environ, headers, body, match.groupdict())
                try:
                    answer = self._invoke(route.function, event)
                except Exception:  # noqa: BLE001 - whatever a function raises, its caller hears of a failure alone
                    _log.exception("%s failed", route.key)
                    return _message(start_response, HTTPStatus.INTERNAL_SERVER_ERROR, "Internal Server Error")
                return _sent(start_response, answer)
        return _message(start_response, HTTPStatus.NOT_FOUND, "Not Found")


def headers_of(environ: Environ) -> dict[str, str]:
    """Return the headers of a request, their names in small letters."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") and name != "HTTP_COOKIE"
    }
    if kind := environ.get("CONTENT_TYPE"):
        headers["content-type"] = kind
    return headers


def event_of(
    route: Route, environ: Environ, headers: Mapping[str, str], body: bytes, parts: Mapping[str, str]
) -> dict[str, Any]:
    """Return the event of a request: a field that has nothing is left out, a text of UTF-8 is as it came."""
    query: dict[str, str] = {}
    for name, value in parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True):
        query[name] = f"{query[name]},{value}" if name in query else value
    try:
        text, is_binary = body.decode(), False
    except UnicodeDecodeError:
        text, is_binary = base64.b64encode(body).decode(), True
    cookies = [each.strip() for each in environ.get("HTTP_COOKIE", "").split(";") if each.strip()]
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route.key,
        "rawPath": environ["PATH_INFO"],
        "rawQueryString": environ.get("QUERY_STRING", ""),
        "cookies": cookies,
        "headers": dict(headers),
        "queryStringParameters": query,
        "pathParameters": dict(parts),
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "embedded",
            "domainName": environ.get("HTTP_HOST", ""),  # in AWS without a port
            "http": {
                "method": route.method,
                "path": environ["PATH_INFO"],
                "protocol": environ.get("SERVER_PROTOCOL", "HTTP/1.1"),
                "sourceIp": environ.get("REMOTE_ADDR", ""),
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": str(uuid.uuid4()),
            "routeKey": route.key,
            "stage": "$default",
            "timeEpoch": int(time.time() * 1000),
        },
        "body": text,
        "isBase64Encoded": is_binary,
    }
    optional = ("cookies", "queryStringParameters", "pathParameters", "body")
    return {name: value for name, value in event.items() if value or name not in optional}


def _sent(start_response: StartResponse, answer: Mapping[str, Any]) -> Iterable[bytes]:
    body = answer.get("body") or ""
    headers = [(str(name), str(value)) for name, value in answer.get("headers", {}).items()]
    headers += [("Set-Cookie", cookie) for cookie in answer.get("cookies", [])]
    status = HTTPStatus(int(answer["statusCode"]))
    start_response(f"{status.value} {status.phrase}", headers)
    return [base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()]


def _message(start_response: StartResponse, status: HTTPStatus, text: str) -> Iterable[bytes]:
    """Answer as the gateway itself does."""
    start_response(f"{status.value} {status.phrase}", [("Content-Type", "application/json")])
    return [json.dumps({"message": text}).encode()]
