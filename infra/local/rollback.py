"""A DynamoDB transaction in, as much of a copy of its tables out as a rollback needs.

moto copies a table with its whole stream once for each item of a transaction: half a second each after a few hundred.
"""

import copy
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table


@contextmanager
def sparing_copies(target: str, body: bytes) -> Iterator[None]:
    """While moto answers this request, let it copy only what the transaction may change; one request at a time."""
    if not target.endswith(".TransactWriteItems"):
        yield
        return
    asked = [operation for item in json.loads(body)["TransactItems"] for operation in item.values()]

    def sparing_copy(table: Table, _memo: dict[int, Any]) -> Table:
        return _copy(table, [each.get("Key") or each["Item"] for each in asked if each["TableName"] == table.name])

    Table.__deepcopy__ = sparing_copy  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del Table.__deepcopy__  # type: ignore[attr-defined]


def _copy(table: Table, keys: list[Mapping[str, Any]]) -> Table:
    """Copy a table's lists, and of its content what has one of the keys."""
    twin = copy.copy(table)
    twin.items = defaultdict(dict, table.items)
    for partition in {DynamoType(key[table.hash_key_attr]) for key in keys} & table.items.keys():
        twin.items[partition] = copy.deepcopy(table.items[partition])
    if table.stream_shard:
        twin.stream_shard = copy.copy(table.stream_shard)
        twin.stream_shard.table = twin
        twin.stream_shard.items = list(table.stream_shard.items)
    return twin
