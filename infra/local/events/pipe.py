"""Records of the table's stream in, notices on the bus out: the pipe, with its own filter and input template.

docs.aws.amazon.com/eventbridge/latest/userguide: eb-pipes-event-filtering.html, eb-pipes-input-transformation.html
"""

import json
import logging
import re
from collections.abc import Callable, Mapping
from functools import reduce
from operator import getitem
from threading import Lock
from typing import Any

from infra.local.template.stack import Pipe

Listener = Callable[[Mapping[str, Any]], None]
"""Is given each notice: source, detail-type and detail."""

_PLACE = re.compile(r"<\$\.([\w.-]+)>")
_log = logging.getLogger(__name__)


class StreamPipe:
    """Sends the filtered records of the stream to the bus, in order; `carried` is called for each record."""

    def __init__(
        self, pipe: Pipe, streams: Any, events: Any, listener: Listener | None, carried: Callable[[str], None]
    ) -> None:
        self._pipe = pipe
        self._streams = streams
        self._events = events
        self._listener = listener
        self._carried = carried
        self._turn = Lock()
        self._shard = ""
        self._position: dict[str, str] = {"ShardIteratorType": pipe.start}

    def poll(self) -> bool:
        """Send the new records, of which a second read confirms each; return True if there were any.

        moto rolls a transaction back by putting a copy of table and stream in place: an iterator taken before reads on
        in the old stream, with records that never came to be. One taken afterwards does not know them.
        """
        with self._turn:
            looked = self._look()
            confirmed = {record["eventID"] for record in self._look()} if looked else set()
            records = [record for record in looked if record["eventID"] in confirmed]
            for record in records:
                if any(matches(pattern, record) for pattern in self._pipe.patterns):
                    self._send(record)
                self._position = {
                    "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                    "SequenceNumber": record["dynamodb"]["SequenceNumber"],
                }
                self._carried(record["eventID"])
        return bool(records)

    def _look(self) -> list[dict[str, Any]]:
        arn = self._pipe.stream_arn
        if not self._shard:  # moto has one for the life of a table
            self._shard = self._streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = self._streams.get_shard_iterator(StreamArn=arn, ShardId=self._shard, **self._position)
        records: list[dict[str, Any]] = self._streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
        return records

    def _send(self, record: Mapping[str, Any]) -> None:
        try:
            detail = render(self._pipe.input_template, record)
        except KeyError as missing:
            _log.error("NoticesPipe: InputTemplate asks for %s; %s has none", missing, record["dynamodb"]["Keys"])
            return
        source, kind = self._pipe.source, self._pipe.detail_type
        entry = {"EventBusName": self._pipe.bus_arn, "Source": source, "DetailType": kind, "Detail": detail}
        self._events.put_events(Entries=[entry])
        if self._listener:
            self._listener({"source": source, "detail-type": kind, "detail": json.loads(detail)})


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


def render(template: str, record: Mapping[str, Any]) -> str:
    """Fill the places of an input template with values as JSON; raise KeyError if the record lacks one."""
    return _PLACE.sub(lambda place: json.dumps(reduce(getitem, place[1].split("."), record)), template)
