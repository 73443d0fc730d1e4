"""The base of all models: values that never change and take no other field, and the body of a problem."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A body, or a part of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ProblemDetails(Model):
    """A problem by RFC 9457; `errors` has the places of faults of a request."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[RequestError] = []


class RequestError(Model):
    """A fault of a request: its place, as `query.limit`, and the kind of the fault.

    A fault of a file that was announced has its message, its fix, and where in the file it is.
    """

    place: str
    kind: str
    message: str | None = None
    fix: str | None = None
    at: str | None = None
