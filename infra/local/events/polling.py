"""Messages of a queue in, a handler's result for each out, like Lambda's event source mapping for SQS.

docs.aws.amazon.com/lambda/latest/dg/with-sqs.html and .../services-sqs-errorhandling.html
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from moto.sqs.models import sqs_backends

from infra.local.loopback import ACCOUNT
from infra.local.template.stack import PolledQueue

Invoke = Callable[[str, Mapping[str, Any]], Any]

_RECEIVE_LIMIT = 10
_log = logging.getLogger(__name__)


class QueuePoller:
    """Polls one queue for one function; the queue's redrive policy moves messages that keep failing."""

    def __init__(self, queue: PolledQueue, region: str, sqs: Any, invoke: Invoke, retry_seconds: int | None) -> None:
        self._queue = queue
        self._region = region
        self._sqs = sqs
        self._invoke = invoke
        self._retry_seconds = retry_seconds

    def poll(self) -> bool:
        """Receive one batch and have it handled; return True if there was one.

        Handled messages are deleted; the others stay until their visibility timeout, or for `retry_seconds`. Lambda
        asks with a long poll; here a look into moto's memory takes its place: each message handled wakes all pollers,
        and empty answers would be most of the calls.
        """
        if not self._waiting():
            return False
        answer = self._sqs.receive_message(
            QueueUrl=self._queue.url,
            MaxNumberOfMessages=min(self._queue.batch_size, _RECEIVE_LIMIT),
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = answer.get("Messages", [])
        if not messages:
            return False
        failed = sent = {message["MessageId"] for message in messages}
        event = {"Records": [sqs_record(message, self._queue.arn, self._region) for message in messages]}
        try:
            answer = self._invoke(self._queue.function, event)
        except Exception:  # noqa: BLE001 - whatever a handler raises, Lambda reports it and the whole batch comes again
            _log.exception("%s failed; its %d messages will come again", self._queue.function, len(messages))
        else:
            failed = failed_messages(answer, sent) if self._queue.partial_failures else set()
        done = [message for message in messages if message["MessageId"] not in failed]
        entries = [{"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]} for n, message in enumerate(done)]
        if entries:
            self._sqs.delete_message_batch(QueueUrl=self._queue.url, Entries=entries)
        for message in messages:
            if message["MessageId"] in failed and self._retry_seconds is not None:
                place = {"QueueUrl": self._queue.url, "ReceiptHandle": message["ReceiptHandle"]}
                self._sqs.change_message_visibility(**place, VisibilityTimeout=self._retry_seconds)
        return True

    def _waiting(self) -> bool:
        """Return True if the queue has a message that a consumer would get, or is in the memory of another process."""
        queue = sqs_backends[ACCOUNT][self._region].queues.get(self._queue.url.rpartition("/")[2])
        return queue is None or bool(queue.messages)

    def empty(self) -> bool:
        """Return True if the queue has no message: none waiting, delayed or in flight."""
        answer = self._sqs.get_queue_attributes(QueueUrl=self._queue.url, AttributeNames=["All"])  # moto counts once
        states = (f"ApproximateNumberOfMessages{state}" for state in ("", "NotVisible", "Delayed"))
        return all(answer["Attributes"][state] == "0" for state in states)


def sqs_record(message: Mapping[str, Any], queue_arn: str, region: str) -> dict[str, Any]:
    """Turn a received message into the record that Lambda puts into its event."""
    attributes = {
        name: {key[0].lower() + key[1:]: value for key, value in attribute.items()}
        for name, attribute in message.get("MessageAttributes", {}).items()
    }
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": attributes,
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": region,
    }


def failed_messages(answer: Any, sent: set[str]) -> set[str]:
    """Read a partial batch response: nothing named is success, an unknown name is failure of all."""
    failures = (answer or {}).get("batchItemFailures") or []
    named = {failure.get("itemIdentifier") for failure in failures}
    return sent if named - sent else named
