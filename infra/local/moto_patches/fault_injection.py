"""Requests in; those that must fail out, with the errors of a throttled or failing AWS service."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from infra.local.iam.calls import Request
from infra.local.loopback import StartResponse


@dataclass(frozen=True, slots=True)
class Failure:
    """An error answer: HTTP status, code and message."""

    status: str
    code: str
    message: str

    def answer(self, start_response: StartResponse) -> Iterable[bytes]:
        """Write the error as services with JSON protocols do: the code in the body, or in the header of SQS or EMR."""
        body = json.dumps({"__type": self.code, "message": self.message}).encode()
        name = self.code.rpartition("#")[2]
        headers = [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))]
        headers += [("x-amzn-ErrorType", name), ("x-amzn-query-error", f"{name};Receiver")]
        start_response(self.status, headers)
        return [body]


_INTERNAL = "We encountered an internal error. Please try again."
_RATE = "Rate exceeded"
FAILURES = {
    # docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    "s3": (
        Failure("503 Slow Down", "SlowDown", "Please reduce your request rate."),
        Failure("500 Internal Server Error", "InternalError", _INTERNAL),
    ),
    # docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
    "dynamodb": (
        Failure(
            "400 Bad Request",
            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
            "The level of configured provisioned throughput for the table was exceeded.",
        ),
        Failure("400 Bad Request", "com.amazon.coral.availability#ThrottlingException", _RATE),
        Failure(
            "500 Internal Server Error",
            "com.amazonaws.dynamodb.v20120810#InternalServerError",
            "The server encountered an internal error trying to fulfill the request.",
        ),
    ),
    # docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
    "sqs": (
        Failure("500 Internal Server Error", "com.amazonaws.sqs#InternalFailure", _INTERNAL),
        Failure("503 Service Unavailable", "com.amazonaws.sqs#ServiceUnavailable", "The service is unavailable."),
    ),
    # docs.aws.amazon.com/emr-serverless/latest/APIReference: CommonErrors.html, API_StartJobRun.html
    "emr-serverless": (
        Failure("400 Bad Request", "ThrottlingException", _RATE),
        Failure("500 Internal Server Error", "InternalServerException", "Request processing failed."),
    ),
}
"""The errors of services that refuse requests for a while."""


@dataclass(slots=True)
class _Outage:
    operation: str
    failure: Failure
    left: int


class Outages:
    """The calls that fail next; `callers` are the callers for whom they fail (none: for all)."""

    def __init__(self) -> None:
        self.callers: frozenset[str] = frozenset()
        self._under_way: list[_Outage] = []
        self._turn = Lock()

    def begin(self, operation: str, failure: Failure, times: int) -> None:
        """Make the next `times` requests of an operation, like `s3:GetObject`, fail."""
        with self._turn:
            self._under_way.append(_Outage(operation, failure, times))

    def end(self) -> None:
        """End all outages."""
        with self._turn:
            self._under_way.clear()

    def befalls(self, request: Request) -> Failure | None:
        """Return the failure of a request, if it fails now."""
        if self.callers and request.caller not in self.callers:
            return None
        with self._turn:
            for outage in self._under_way:
                if outage.operation == request.operation and outage.left:
                    outage.left -= 1
                    return outage.failure
        return None
