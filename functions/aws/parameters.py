"""Secrets of channels in Parameter Store: the Secrets port on a boto3 client of SSM. None of them is ever logged."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions.aws.answers import asking, code

if TYPE_CHECKING:
    from functions.ports.clock import Clock

KEPT = timedelta(minutes=5)
"""The time for which a secret is kept: a new one holds after that."""


class Parameters:
    """Parameters below one folder, as `/dropgate/notify/`."""

    def __init__(self, client: Any, folder: str, clock: Clock) -> None:
        self._ssm = client
        self._folder = folder
        self._clock = clock
        self._kept: dict[str, tuple[datetime, str]] = {}

    def secret(self, name: str) -> str | None:
        now = self._clock.now()
        if name in self._kept and now - self._kept[name][0] < KEPT:
            return self._kept[name][1]
        self._kept.pop(name, None)
        with asking("ssm"):
            try:
                answer = self._ssm.get_parameter(Name=f"{self._folder}{name}", WithDecryption=True)
            except ClientError as error:
                if code(error) in ("ParameterNotFound", "ValidationException"):
                    return None
                raise
        value = str(answer["Parameter"]["Value"])
        self._kept[name] = (now, value)
        return value
