"""Errors that a caller cannot decide about; each message names the fault, its place and the fix.

ClientError
├── NotConfigured       an address, a login or a file is missing or wrong: the caller's to mend
├── RequestRefused      the API or the issuer refused a request
├── Unreachable         nobody answered, or with a fault of the server, for as long as the client tried
├── DeliveryUnknown     the connection broke while a file was sent: S3 may have it
└── StillInFlight       a drop was not decided within the time to wait
"""

from __future__ import annotations

USAGE = 2
FAILED = 3


class ClientError(Exception):
    """An error of the client; `exit_code` is that of the command line."""

    exit_code = FAILED


class NotConfigured(ClientError):
    """An address, a login or a file is missing or wrong."""

    exit_code = USAGE


class RequestRefused(ClientError):
    """A request that was refused with a status below 500."""

    CALLERS = (400, 404, 422)
    """The statuses that mean a wrong argument of the caller."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.exit_code = USAGE if status in self.CALLERS else FAILED


class Unreachable(ClientError):
    """No server gave an answer to use; `may_have_arrived` if the request was sent whole or in part."""

    def __init__(self, message: str, *, may_have_arrived: bool = False) -> None:
        super().__init__(message)
        self.may_have_arrived = may_have_arrived


class DeliveryUnknown(ClientError):
    """A file of which nobody knows if it arrived; it was not sent again."""


class StillInFlight(ClientError):
    """A drop that was not decided within the time to wait."""
