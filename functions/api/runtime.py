"""The logger of the API's entry points, and the variables that name their world."""

from __future__ import annotations

import os

from aws_lambda_powertools import Logger

PRODUCT = "dropgate"
STACK = os.environ.get("POWERTOOLS_SERVICE_NAME", PRODUCT)
logger = Logger(service=STACK)


def named() -> tuple[tuple[str, str], ...]:
    """Return the variables that name the world, as a key under which it is kept."""
    names = ("DROPGATE_", "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY")
    return tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith(names)))
