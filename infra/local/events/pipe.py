"""Records of the table's stream in, events on the bus out: the pipe, with its filter, function and templates.

docs.aws.amazon.com/eventbridge/latest/userguide: eb-pipes-event-filtering.html, pipes-enrichment.html,
eb-pipes-batching-concurrency.html, eb-pipes-input-transformation.html, eb-pipes-event-target.html
"""

import json
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from threading import Lock
from typing import Any

from infra.local.template.stack import Pipe

Listener = Callable[[Mapping[str, Any]], None]
"""Is given each event: source, detail-type and detail."""
Invoke = Callable[[str, Sequence[Mapping[str, Any]]], Any]

_PLACE = re.compile(r"<\$\.([\w.-]+)>")
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Services:
    """The clients of a pipe."""

    streams: Any
    events: Any
    sqs: Any


class StreamPipe:
    """Sends the events of the stream's records to the bus, in order; `carried` is called for each record that is done.

    A batch that fails is tried again: at once in halves, then its first record alone, after longer and longer waits.
    """

    def __init__(
        self,
        pipe: Pipe,
        region: str,
        services: Services,
        invoke: Invoke,
        listener: Listener | None,
        carried: Callable[[str], None],
    ) -> None:
        self._pipe = pipe
        self._region = region
        self._services = services
        self._invoke = invoke
        self._listener = listener
        self._carried = carried
        self._turn = Lock()
        self._shard = ""
        self._position: dict[str, str] = {"ShardIteratorType": pipe.start}
        self._failures = 0

    def poll(self) -> bool:
        """Send the new records; return True if there were any."""
        with self._turn:
            records = self._look()
            for begin in range(0, len(records), self._pipe.batch_size):
                if not self._carry(records[begin : begin + self._pipe.batch_size]):
                    break
        return bool(records)

    def _look(self) -> list[dict[str, Any]]:
        arn, streams = self._pipe.stream_arn, self._services.streams
        if not self._shard:  # moto has one for the life of a table
            self._shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=self._shard, **self._position)
        records: list[dict[str, Any]] = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
        return records

    def _carry(self, batch: Sequence[Mapping[str, Any]]) -> bool:
        """Send a batch, or the first half of it if it fails; return False if the first record alone has failed."""
        wanted = [one for one in batch if any(matches(pattern, one) for pattern in self._pipe.patterns)]
        try:
            if wanted:
                self._send(wanted)
        except Exception:  # noqa: BLE001 - whatever a handler raises, Lambda reports it and the pipe tries again
            if len(batch) > 1:
                half = len(batch) // 2
                return self._carry(batch[:half]) and self._carry(batch[half:])
            if self._failures < self._pipe.retries:
                _log.exception("%s failed; its record will come again", self._pipe.function)
                time.sleep(min(_FIRST_WAIT * 2 ** min(self._failures, 10), _LONGEST_WAIT))
                self._failures += 1
                return False
            self._give_up(batch[0])
        self._failures = 0
        for record in batch:
            self._position = {
                "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                "SequenceNumber": record["dynamodb"]["SequenceNumber"],
            }
            self._carried(record["eventID"])
        return True

    def _send(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Put what the function makes of records on the bus; a function may make fewer, and no more than a batch."""
        asked = [stream_record(record, self._pipe, self._region) for record in records]
        entries = [self._entry(one) for one in self._invoke(self._pipe.function, asked) or ()]
        assert len(entries) <= self._pipe.batch_size, "the pipe does not put more on the bus than it takes at once"
        if not entries:
            return
        answer = self._services.events.put_events(Entries=entries)
        assert not answer["FailedEntryCount"], answer
        for entry in entries if self._listener else ():
            self._listener(  # type: ignore[misc]
                {
                    "source": entry["Source"],
                    "detail-type": entry["DetailType"],
                    "detail": json.loads(entry["Detail"]),
                }
            )

    def _entry(self, payload: Mapping[str, Any]) -> dict[str, str]:
        return {
            "EventBusName": self._pipe.bus_arn,
            "Source": dynamic(self._pipe.source, payload),
            "DetailType": dynamic(self._pipe.detail_type, payload),
            "Detail": render(self._pipe.input_template, payload),
        }

    def _give_up(self, record: Mapping[str, Any]) -> None:
        """Send the position of a record to the dead letters, as its event cannot be sent."""
        _log.error("%s failed too often; its record is a dead letter", self._pipe.function)
        sqs = self._services.sqs
        queue = sqs.get_queue_url(QueueName=self._pipe.dlq_arn.rpartition(":")[2])["QueueUrl"]
        position = {
            "shardId": self._shard,
            "startSequenceNumber": record["dynamodb"]["SequenceNumber"],
            "streamArn": self._pipe.stream_arn,
        }
        sqs.send_message(QueueUrl=queue, MessageBody=json.dumps({"DDBStreamBatchInfo": position}))


def stream_record(record: Mapping[str, Any], pipe: Pipe, region: str) -> dict[str, Any]:
    """Turn a record of the stream into the one that a pipe passes on (eb-pipes-dynamodb.html)."""
    at = record["dynamodb"].get("ApproximateCreationDateTime")
    change = {name: value for name, value in record["dynamodb"].items() if name != "ApproximateCreationDateTime"}
    return {
        "eventID": record["eventID"],
        "eventName": record["eventName"],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": change | ({"ApproximateCreationDateTime": int(at.timestamp())} if at else {}),
        "eventSourceARN": pipe.stream_arn,
    }


class UnknownOperator(Exception):
    """The template's filter uses an operator that the embedded pipe does not support."""


def matches(pattern: Mapping[str, Any], event: Any) -> bool:
    """Return True if an event has every field of a pattern, with one of the listed values or prefixes."""
    if not isinstance(event, Mapping):
        return False
    for key, wanted in pattern.items():
        value = event.get(key)
        fits = matches(wanted, value) if isinstance(wanted, Mapping) else any(_is(value, one) for one in wanted)
        if not fits:
            return False
    return True


def _is(value: Any, wanted: Any) -> bool:
    match wanted:
        case {"prefix": str(prefix), **rest} if not rest:
            return isinstance(value, str) and value.startswith(prefix)
        case Mapping():
            raise UnknownOperator(f"NoticesPipe: {json.dumps(wanted)} is not played here; use a value or a prefix")
        case _:
            return bool(value == wanted)


def render(template: str, payload: Mapping[str, Any]) -> str:
    """Fill the places of an input template with values as JSON; raise KeyError if the payload lacks one."""
    return _PLACE.sub(lambda place: json.dumps(_at(place[1], payload)), template)


def dynamic(parameter: str, payload: Mapping[str, Any]) -> str:
    """Return a parameter of the target: a path that begins with `$.` stands for the payload's value there."""
    return str(_at(parameter[2:], payload)) if parameter.startswith("$.") else parameter


def _at(path: str, payload: Mapping[str, Any]) -> Any:
    return reduce(getitem, path.split("."), payload)
