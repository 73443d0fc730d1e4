"""Delayed messages by SQS: the Delays port on a boto3 client, and the body of its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts import codec
from functions.aws.answers import asking
from functions.ports.batches import Window

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

LONGEST_DELAY = 900
"""Seconds that SQS delays a message at most (Amazon SQS developer guide, "Delay queues")."""


class SqsDelays:
    """Messages to the queue of windows that are due."""

    def __init__(self, client: SQSClient, queue: str) -> None:
        self._sqs = client
        self._queue = queue

    def send(self, window: Window, seconds: int) -> None:
        delay = min(max(seconds, 0), LONGEST_DELAY)
        with asking("sqs"):
            self._sqs.send_message(QueueUrl=self._queue, MessageBody=codec.canonical(window), DelaySeconds=delay)


def window_in(body: str) -> Window:
    """Return the window of a message; DocumentInvalid if the message is not ours."""
    return codec.loads(Window, body, "message of a window")
