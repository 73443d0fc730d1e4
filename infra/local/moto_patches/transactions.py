"""A transaction of DynamoDB that fails is undone item by item: work for what it wrote, none for what the table holds.

moto copies a table with its whole stream once for each item of a transaction, and puts a copy in place if it fails.
Here the items and the end of the stream are remembered and put back into the same table, so that its indexes and the
iterators of its stream stay valid.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from infra.local.moto_patches.indexes import restore

_TRANSACT: Any = DynamoDBBackend.transact_write_items


@dataclass(frozen=True, slots=True)
class Before:
    """An item before a transaction; None if there was none."""

    table: Table
    keys: tuple[DynamoType, ...]
    item: Item | None


def transact_write_items(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    """Write all items or none; requests to DynamoDB are answered one at a time."""
    before = list(_touched(backend.tables, transact_items))
    ends = {each.table.name: len(_stream(each.table)) for each in before}
    Table.__deepcopy__ = lambda table, _memo: table  # type: ignore[attr-defined]
    try:
        _TRANSACT(backend, transact_items)
    except Exception:
        for each in before:
            restore(each.table, each.keys, each.item)
            del _stream(each.table)[ends[each.table.name] :]
        raise
    finally:
        del Table.__deepcopy__  # type: ignore[attr-defined]


def _touched(tables: Mapping[str, Table], operations: Sequence[Mapping[str, Any]]) -> Iterator[Before]:
    """Return the items that operations write; those that name no table or no whole key write none."""
    for kind, operation in (pair for each in operations for pair in each.items()):
        table, attributes = tables.get(operation.get("TableName")), operation.get("Key") or operation.get("Item") or {}
        names = [table.hash_key_attr, *([table.range_key_attr] if table.range_key_attr else [])] if table else []
        if table and all(name in attributes for name in names):
            keys = tuple(DynamoType(attributes[name]) for name in names)
            item = table.get_item(keys[0], keys[1] if table.range_key_attr else None)
            yield Before(table, keys, copy.deepcopy(item) if kind == "Update" else item)  # moto changes it in place


def _stream(table: Table) -> list[Any]:
    return table.stream_shard.items if table.stream_shard else []
