"""Messages in SQS: the ports Delays, Lane and Queues on a boto3 client, and the bodies of messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from contracts import codec
from contracts.errors import DocumentInvalid
from functions.aws.answers import asking
from functions.ports.batches import Window
from functions.ports.messages import QueueDepth

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


class SqsLane:
    """Messages to the queue of small drops, and to that of runs that have ended."""

    def __init__(self, client: SQSClient, small: str, ended: str) -> None:
        self._sqs = client
        self._small = small
        self._ended = ended

    def judge(self, drop: str) -> None:
        with asking("sqs"):
            self._sqs.send_message(QueueUrl=self._small, MessageBody=json.dumps({"drop": drop}))

    def ended(self, run: str) -> None:
        event = {"detail": {"jobRunId": run, "state": "SUCCESS"}}
        with asking("sqs"):
            self._sqs.send_message(QueueUrl=self._ended, MessageBody=json.dumps(event))


Count = Literal[
    "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"
]
COUNTS: tuple[Count, ...] = get_args(Count)
"""Attributes of a queue: what waits, what is under way, what is delayed (SQS API reference, "GetQueueAttributes")."""


class SqsQueues:
    """The queues of some ARNs."""

    def __init__(self, client: SQSClient, arns: Sequence[str]) -> None:
        self._sqs = client
        self._names = [arn.rpartition(":")[2] for arn in arns]
        self._urls: dict[str, str] = {}

    def depths(self) -> Sequence[QueueDepth]:
        with asking("sqs"):
            return [self._depth(name) for name in self._names]

    def _depth(self, name: str) -> QueueDepth:
        if name not in self._urls:
            self._urls[name] = self._sqs.get_queue_url(QueueName=name)["QueueUrl"]
        answer = self._sqs.get_queue_attributes(QueueUrl=self._urls[name], AttributeNames=list(COUNTS))
        waiting, under_way, delayed = (int(answer["Attributes"][count]) for count in COUNTS)
        return QueueDepth(name, waiting, under_way, delayed)


def small_drop_in(body: str) -> str:
    """Return the id of the drop of a message; DocumentInvalid if the message is not ours."""
    try:
        return str(json.loads(body)["drop"])
    except (ValueError, KeyError, TypeError) as error:
        raise DocumentInvalid("the message of a small drop names none") from error


def window_in(body: str) -> Window:
    """Return the window of a message; DocumentInvalid if the message is not ours."""
    return codec.loads(Window, body, "message of a window")
