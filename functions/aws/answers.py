"""Refusals of AWS: a client's exception in, the exception that a caller can decide on out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from contracts.errors import ServiceUnavailable


@contextmanager
def asking(service: str) -> Iterator[None]:
    """Turn what an adapter did not expect into ServiceUnavailable, so that the event comes again."""
    try:
        yield
    except ClientError as error:
        refusal: Any = error.response.get("Error", {})
        reason = f"{refusal.get('Code', 'no code')}, {refusal.get('Message', 'no message')}"
        text = f"{service} {error.operation_name}: {reason}"
        if bucket := refusal.get("BucketName"):
            text = f"{text} (the bucket {bucket})"
        raise ServiceUnavailable(text) from error
    except BotoCoreError as error:
        raise ServiceUnavailable(f"{service}: {error}") from error


def code(error: ClientError) -> str:
    """The code of a refusal."""
    return error.response.get("Error", {}).get("Code", "")
