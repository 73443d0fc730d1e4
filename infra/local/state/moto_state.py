"""moto's memory and a request that changed it in; the same data in a folder out, and back when a stack starts.

Kept are objects with all their versions, the items of the ledger and of notices, the unsent records of the ledger's
stream, and messages. Not kept are uploads in parts under way, secrets, and which messages were in flight: these are
delivered again.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.s3.models import s3_backends
from moto.sqs.models import sqs_backends

from infra.local.loopback import ACCOUNT
from infra.local.s3.request import S3Request
from infra.local.s3.rules import CREATING
from infra.local.state.sqlite_store import Kept, NotKept, RowKind
from infra.local.template.stack import Stack

READING = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "DescribeTable", "TransactGetItems"})
KEY = ("pk", "sk")
TABLES: Mapping[str, RowKind] = {"LedgerTable": "item", "NoticesTable": "notice"}
"""The kind of the items of each table, by its name in the template."""


class Memory:
    """The part of moto's memory that belongs to one stack, saved to a folder after each request that changes it.

    Buckets go by their names, table and queues by the template's: those that moto gives differ with each start.
    """

    def __init__(self, kept: Kept, stack: Stack) -> None:
        self._kept = kept
        self._s3 = s3_backends[ACCOUNT]["aws"]
        queues = sqs_backends[ACCOUNT][stack.region]
        urls = {name: value for name, value in stack.names.items() if value.startswith("http")}
        self._queues = {name: queues.get_queue(url.rpartition("/")[2]) for name, url in urls.items()}
        self._kinds = {stack.names[name]: kind for name, kind in TABLES.items()}
        self._ledger_name = stack.names["LedgerTable"]
        self._tables = dynamodb_backends[ACCOUNT][stack.region].tables
        self._streamed = 0
        self._sent: dict[str, dict[str, Any]] = {name: {} for name in self._queues}

    @property
    def _ledger(self) -> Any:
        """Return the ledger's table."""
        return self._tables[self._ledger_name]

    def restore(self) -> None:
        """Restore the folder's data into a new stack; raise NotKept."""
        for place, (stored, tags) in self._kept.all("object"):
            bucket, key = json.loads(place)
            if bucket not in self._s3.buckets:
                raise NotKept(f"The folder holds objects of the bucket {bucket}, which this template does not make.")
            self._s3.buckets[bucket].keys[key] = stored
            if tags:
                self._s3.tagger.tag_resource(stored.arn, tags)
        for name, kind in self._kinds.items():
            for _, attributes in self._kept.all(kind):
                hash_key, range_key = (DynamoType(attributes[each]) for each in KEY)
                self._tables[name].items[hash_key][range_key] = Item(hash_key, range_key, attributes)
        shard = self._ledger.stream_shard
        for n, (_, record) in enumerate(self._kept.all("record")):
            record.record["dynamodb"]["SequenceNumber"] = str(shard.starting_sequence_number + n)
            shard.items.append(record)
        self._streamed = len(shard.items)
        for name, message in self._kept.all("message"):
            message.visible_at = 0.0
            self._queues[name]._messages.append(message)  # noqa: SLF001 (moto has no other way in)
            self._sent[name][message.id] = message

    def after_s3(self, request: S3Request) -> None:
        """Save the changes of a request to S3, and the messages that they caused."""
        keys = [request.key]
        if request.operation == "DeleteObjects":
            objects = ET.fromstring(request.body).iterfind("{*}Object")  # noqa: S314 (our own clients' request)
            keys = [each.findtext("{*}Key", "") for each in objects]
        with self._kept.one():
            for key in filter(None, keys):
                self._keep_object(request.bucket, key, made=request.operation in CREATING)
            self.queues()

    def after_dynamodb(self, target: str, body: bytes) -> None:
        """Save the changes of a request to DynamoDB, and the new records of the stream."""
        operation = target.rpartition(".")[2]
        if "Streams" in target or operation in READING or not body:
            return
        asked = json.loads(body)
        writes = [asked]
        if operation == "TransactWriteItems":
            writes = [one for entry in asked["TransactItems"] for one in entry.values()]
        elif operation == "BatchWriteItem":
            tables = asked["RequestItems"].items()
            writes = [{"TableName": name, **one} for name, each in tables for entry in each for one in entry.values()]
        with self._kept.one():
            for one in writes:
                if kind := self._kinds.get(one.get("TableName")):
                    self._keep_item(kind, one["TableName"], one.get("Key") or one["Item"])
            records = self._ledger.stream_shard.items
            for record in records[self._streamed :]:
                self._kept.put("record", "", record.record["eventID"], record)
            self._streamed = len(records)

    def carried(self, event_id: str) -> None:
        """Delete a record of the stream that the pipe has sent on."""
        self._kept.drop("record", "", [event_id])

    def queues(self) -> None:
        """Save the messages that have entered and left the queues."""
        with self._kept.one():
            for name, queue in self._queues.items():
                before, now = self._sent[name], {m.id: m for m in list(queue._messages)}  # noqa: SLF001
                self._kept.drop("message", name, before.keys() - now.keys())
                for message_id in now.keys() - before.keys():
                    self._kept.put("message", name, message_id, now[message_id])
                self._sent[name] = now

    def _keep_item(self, kind: RowKind, table: str, key: Mapping[str, Any]) -> None:
        pk, sk = (DynamoType(key[name]) for name in KEY)
        stored, place = self._tables[table].items.get(pk, {}).get(sk), json.dumps([key[each] for each in KEY])
        if stored is None:
            self._kept.drop(kind, "", [place])
        else:
            self._kept.put(kind, "", place, stored.to_json()["Attributes"])

    def _keep_object(self, bucket: str, key: str, *, made: bool) -> None:
        place = json.dumps([bucket, key])
        there = self._s3.buckets[bucket].keys.getlist(key, []) if bucket in self._s3.buckets else []
        former = self._kept.names("object", place)
        self._kept.drop("object", place, former - {str(version.version_id) for version in there})
        for version in there:
            if str(version.version_id) not in former or not made or version is there[-1]:
                one = version
                if getattr(version, "multipart", None) is not None:  # an upload in parts holds the bytes a second time
                    one = copy.copy(version)
                    one.multipart = None
                # A delete marker has no ARN, and no tags.
                tags = self._s3.tagger.list_tags_for_resource(version.arn)["Tags"] if hasattr(version, "arn") else []
                self._kept.put("object", place, str(version.version_id), (one, tags))
                if one is not version:
                    one.dispose()
