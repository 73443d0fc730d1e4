"""A DynamoDB transaction in; a copy of only those parts of its tables that a rollback needs out.

moto copies a table with its whole stream once for each item of a transaction: half a second each after a few hundred.
"""

import copy
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table


@contextmanager
def sparing_copies(target: str, body: bytes) -> Iterator[None]:
    """Let moto copy only the keys of this transaction while it answers; one request at a time."""
    if not target.endswith(".TransactWriteItems"):
        yield
        return
    asked = [operation for item in json.loads(body)["TransactItems"] for operation in item.values()]

    @cache  # moto takes all copies before it changes anything: one of each table serves for all items
    def twin(table: Table) -> Table:
        # Lists, and the items with one of the keys: a partition may hold thousands. A table may have no range key.
        touched: dict[DynamoType, set[DynamoType]] = defaultdict(set)
        for key in [each.get("Key") or each["Item"] for each in asked if each["TableName"] == table.name]:
            if (partition := DynamoType(key[table.hash_key_attr])) in table.items:
                touched[partition] |= {DynamoType(key[table.range_key_attr])} if table.range_key_attr else set()
        copied = copy.copy(table)
        copied.items = defaultdict(dict, table.items)
        for partition, places in touched.items():
            own: dict[DynamoType, Any] = table.items[partition]
            mine = {place: copy.deepcopy(own[place]) for place in places if place in own}
            copied.items[partition] = {**own, **mine} if table.range_key_attr else copy.deepcopy(own)
        if table.stream_shard:
            copied.stream_shard = copy.copy(table.stream_shard)
            copied.stream_shard.table = copied
            copied.stream_shard.items = list(table.stream_shard.items)
        return copied

    Table.__deepcopy__ = lambda table, _memo: twin(table)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del Table.__deepcopy__  # type: ignore[attr-defined]
