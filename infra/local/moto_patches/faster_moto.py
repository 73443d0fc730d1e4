"""Faster answers of moto if queues, tables and buckets are long: the answers stay the same.

- To send a message, or to learn how long a queue keeps one, moto counts all its messages three times, or nine for each
  that it hands out, and asks the clock for each of them. To delete one it walks all of them twice.
- For each query it puts all items of the table in order, by comparisons of its own: a second each with 50,000 of them.
  Here a query of an index reads one page of it (`indexes.py`), and one of the table a partition.
- For each list of a folder it walks all keys of the bucket, by methods of its own (`sorted_names.py`).
- Of each attribute of an item that comes or goes it tries ten types, each under three names when it answers.
- For each attribute of an item that it stores it adds up the sizes of all attributes before it.
- For each event on a bus it makes the parser of the paths that its rules name again.
- Before a transaction it copies the table (`transactions.py`).
"""

import copy
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import jsonpath_ng.ext
from jsonpath_ng.ext.parser import parse as parse_path
from moto.core.parse import BaseJSONParser
from moto.core.serialize import BaseJSONSerializer
from moto.core.utils import unix_time, unix_time_millis
from moto.dynamodb.exceptions import ItemSizeTooLarge
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import Table
from moto.s3.models import FakeBucket, S3Backend
from moto.sqs.exceptions import ReceiptHandleIsInvalid
from moto.sqs.models import Message, Queue, SQSBackend

from infra.local.moto_patches import sorted_names
from infra.local.moto_patches.indexes import INTERVALS, PageQuery, delete_item, index_of, put_item, update_item
from infra.local.moto_patches.transactions import transact_write_items

_LARGEST_ITEM = 405_000
"""Bytes; moto's bound, which is somewhat above DynamoDB's (Amazon DynamoDB developer guide, "Quotas")."""
_QUERY: Any = Table.query
_LIST: Any = S3Backend.list_objects
_PLAIN = frozenset({"S", "N", "BOOL", "NULL", "SS", "NS"})
"""The types of attributes that are written in JSON as moto keeps them; bytes are not."""
_PARSE: Any = BaseJSONParser._parse_structure  # noqa: SLF001
_SERIALIZE: Any = BaseJSONSerializer._serialize_type_structure  # noqa: SLF001


def spare() -> None:
    """Let moto count messages only on request, use the place of a key, and skip its tests of attribute types."""
    ours: tuple[tuple[Any, str, Any], ...] = (
        (SQSBackend, "is_message_valid_based_on_retention_period", _is_kept),
        (Queue, "messages", property(_waiting)),
        (Queue, "approximate_number_of_messages_not_visible", property(_in_flight)),
        (Queue, "approximate_number_of_messages_delayed", property(_delayed)),
        (Queue, "delete_message", _delete_message),
        (jsonpath_ng.ext, "parse", cache(parse_path)),
        (Item, "__init__", _make_item),
        (DynamoDBBackend, "transact_write_items", transact_write_items),
        (Table, "query", _query),
        (Table, "put_item", put_item),
        (Table, "delete_item", delete_item),
        (DynamoDBBackend, "update_item", update_item),
        (S3Backend, "list_objects", _list),
        (BaseJSONParser, "_parse_structure", _parse),
        (BaseJSONSerializer, "_serialize_type_structure", _serialize),
    )
    for owner, name, method in ours:
        setattr(owner, name, method)
    sorted_names.keep()


def _is_kept(backend: SQSBackend, queue_name: str, message: Message) -> bool:
    kept: int = backend.get_queue(queue_name).message_retention_period  # type: ignore[attr-defined]
    sent: float = message.sent_timestamp  # type: ignore[assignment]
    return kept + sent / 1000 > unix_time()


def _waiting(queue: Any) -> list[Message]:
    now = unix_time_millis()
    return [m for m in queue._messages if m.visible_at < now >= m.delayed_until]  # noqa: SLF001


def _in_flight(queue: Any) -> int:
    now = unix_time_millis()
    return sum(now <= m.visible_at for m in queue._messages)  # noqa: SLF001


def _delayed(queue: Any) -> int:
    now = unix_time_millis()
    return sum(now < m.delayed_until for m in queue._messages)  # noqa: SLF001


def _delete_message(queue: Any, receipt_handle: str) -> None:
    if receipt_handle in queue.deleted_messages:
        return
    held = (m for m in queue._messages if m.receipt_handle == receipt_handle or m.had_receipt_handle(receipt_handle))  # noqa: SLF001
    message = next(held, None)
    if message is None:
        raise ReceiptHandleIsInvalid
    queue.pending_messages.discard(message)
    queue.deleted_messages.update(message.all_receipt_handles)
    queue._messages.remove(message)  # noqa: SLF001


def _make_item(item: Any, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]) -> None:
    item.hash_key, item.range_key, item.attrs = hash_key, range_key, LimitedSizeDict()
    dict.update(item.attrs, {name: DynamoType(value) for name, value in attrs.items()})
    if item.size() > _LARGEST_ITEM:
        raise ItemSizeTooLarge


def _query(
    table: Any,
    hash_key: DynamoType,
    comparison: str | None,
    values: Sequence[DynamoType],
    limit: int | None,
    start: dict[str, Any] | None,
    forward: bool | None,
    projection: Any,
    index_name: str | None = None,
    *how: Any,
    hash_key_conditions: Sequence[tuple[str, DynamoType]] = (),
    range_key_conditions: Any = None,
    **filters: Any,
) -> Any:
    """Answer by moto's own query over fewer items; requests to DynamoDB are answered one at a time."""
    keys = dict(hash_key_conditions)
    index = index_of(table, index_name) if index_name else None
    if index and comparison in INTERVALS and not filters:
        place = index.place({name: DynamoType(value) for name, value in start.items()}) if start else None
        asked = PageQuery(comparison, tuple(v.cast_value for v in values), place, limit, forward is not False)
        page = index.page(hash_key, asked)
        table.all_items = lambda: page
    else:
        table.all_items = lambda: list(_with(table, keys))
    try:
        return _QUERY(
            table,
            hash_key,
            comparison,
            values,
            limit,
            start,
            forward,
            projection,
            index_name,
            *how,
            hash_key_conditions=hash_key_conditions,
            range_key_conditions=range_key_conditions,
            **filters,
        )
    finally:
        del table.all_items


def _with(table: Any, keys: dict[str, DynamoType]) -> Iterator[Item]:
    """Return the items that may have these values; moto checks each of them again."""
    shelves = table.items.values()
    if table.hash_key_attr in keys:
        partition = keys[table.hash_key_attr]
        shelves = [table.items[partition]] if partition in table.items else []
    for item in (each for shelf in shelves for each in shelf.values()) if table.range_key_attr else shelves:
        pairs = ((item.attrs.get(name), value) for name, value in keys.items())
        # The same number can be written in many ways.
        if all(own is not None and (value.type == "N" or own.value == value.value) for own, value in pairs):
            yield item


def _list(backend: S3Backend, bucket: FakeBucket, prefix: str | None, *how: Any, **more: Any) -> Any:
    """Answer by moto's own list over fewer keys; lists of buckets and writes are answered in turn."""
    shown: Any = copy.copy(bucket)
    if prefix:
        shown.keys = {name: bucket.keys[name] for name in sorted_names.beginning(bucket.keys, prefix)}
    return _LIST(backend, shown, prefix, *how, **more)


def _parse(parser: Any, shape: Any, value: Any) -> Any:
    return value if shape.name == "AttributeValue" and _is_plain(value) else _PARSE(parser, shape, value)


def _serialize(serializer: Any, serialized: dict[str, Any], value: Any, shape: Any, key: str) -> None:
    if shape.name == "AttributeValue" and _is_plain(value):
        serialized[key] = value
    else:
        _SERIALIZE(serializer, serialized, value, shape, key)


def _is_plain(value: Any) -> bool:
    """Return True if an attribute is the same in JSON and in moto's memory, with all that it holds."""
    if not isinstance(value, dict):
        return False
    for kind, content in value.items():
        if content is None or kind not in _PLAIN:
            nested = content.values() if kind == "M" and isinstance(content, dict) else content
            if kind not in ("L", "M") or content is None or not all(map(_is_plain, nested)):
                return False
    return True
