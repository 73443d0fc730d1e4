"""The items of moto's tables in the order of each index: a query in, the few items that a page of it reads out.

moto keeps no index: for each page it walks, sorts and compares all items of a table. Here each partition of an index is
a sorted list, made by the first query and changed by every write. moto's own query then reads one page of it, so that
conditions, filters, projection, limits and the last key stay moto's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import RESULT_SIZE_LIMIT, Table

Place = tuple[Any, ...]
"""The range key of an item in an index, and its keys in the table: they put a partition in order."""
Partition = Sequence[tuple[Place, Item]]
_PUT, _DELETE, _UPDATE = Table.put_item, Table.delete_item, DynamoDBBackend.update_item
_PLACE = itemgetter(0)


def _below(items: Partition, value: Any) -> int:
    return bisect_left(items, value, key=lambda entry: entry[0][0])


def _not_above(items: Partition, value: Any) -> int:
    return bisect_right(items, value, key=lambda entry: entry[0][0])


INTERVALS: Mapping[str | None, Callable[..., tuple[int, int]]] = {
    None: lambda items: (0, len(items)),
    "=": lambda items, value: (_below(items, value), _not_above(items, value)),
    "<": lambda items, value: (0, _below(items, value)),
    "<=": lambda items, value: (0, _not_above(items, value)),
    ">": lambda items, value: (_not_above(items, value), len(items)),
    ">=": lambda items, value: (_below(items, value), len(items)),
    "BETWEEN": lambda items, low, high: (_below(items, low), _not_above(items, high)),
    "BEGINS_WITH": lambda items, text: (
        _below(items, text),
        bisect_right(items, text, key=lambda entry: entry[0][0][: len(text)]),
    ),
}
"""The places of a partition that each condition on the range key takes; each takes one run of them."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """A condition on the range key (None: none), the place before the page, its limit and its direction."""

    comparison: str | None
    values: tuple[Any, ...]
    start: Place | None
    limit: int | None
    forward: bool


class Index:
    """The items of one index: those that have all of its keys, by partition and in order."""

    def __init__(self, hash_key: str, range_keys: Sequence[str], items: Iterable[Item]) -> None:
        self._hash_key, self._range_keys = hash_key, range_keys
        self._partitions: dict[Any, list[tuple[Place, Item]]] = defaultdict(list)
        for item in filter(self._has, items):
            self._partition(item).append((self.place(item.attrs), item))
        for partition in self._partitions.values():
            partition.sort(key=_PLACE)

    def replace(self, before: Item | None, after: Item | None) -> None:
        """Put an item in the place of another; None if there was or is none."""
        if before and self._has(before):
            partition = self._partition(before)
            del partition[bisect_left(partition, self.place(before.attrs), key=_PLACE)]
        if after and self._has(after):
            insort(self._partition(after), (self.place(after.attrs), after), key=_PLACE)

    def page(self, partition: DynamoType, query: PageQuery) -> list[Item]:
        """Return the items that a page reads, and the one after them if there is one, in their order."""
        items = self._partitions.get(partition.cast_value, [])
        first, end = INTERVALS[query.comparison](items, *query.values)
        if query.start and query.forward:
            first = max(first, bisect_right(items, query.start, key=_PLACE))
        elif query.start:
            end = min(end, bisect_left(items, query.start, key=_PLACE))
        # moto names a last key if any item comes after the page, also one that the condition does not take.
        places = range(first, min(end + 1, len(items))) if query.forward else range(end - 1, max(first - 2, -1), -1)
        return list(_read((items[place][1] for place in places), query.limit))

    def place(self, attributes: Mapping[str, DynamoType]) -> Place:
        """Return the place of an item, or of the last key of a page, in its partition."""
        return tuple(attributes[name].cast_value for name in self._range_keys)

    def _partition(self, item: Item) -> list[tuple[Place, Item]]:
        return self._partitions[item.attrs[self._hash_key].cast_value]

    def _has(self, item: Item) -> bool:
        return self._hash_key in item.attrs and self._range_keys[0] in item.attrs


def _read(items: Iterator[Item], limit: int | None) -> Iterator[Item]:
    size = 0
    for number, item in enumerate(items):
        yield item
        size += item.size()
        if number == limit or size > RESULT_SIZE_LIMIT:
            return


_INDEXES: WeakKeyDictionary[Table, dict[str, Index]] = WeakKeyDictionary()
"""The indexes of each table that was queried; the copy that a cancelled transaction leaves has none yet."""


def index_of(table: Table, name: str) -> Index | None:
    """Return an index of a table by its name; None if it has not one key of each type, as ours have."""
    made = _INDEXES.setdefault(table, {})
    if name not in made:
        schema = [key for each in table.all_indexes() if each.name == name for key in each.schema]
        if [key["KeyType"] for key in schema] != ["HASH", "RANGE"] or not table.range_key_attr:
            return None
        hash_key, range_key = (key["AttributeName"] for key in schema)
        items = (item for partition in table.items.values() for item in partition.values())
        made[name] = Index(hash_key, (range_key, table.hash_key_attr, table.range_key_attr), items)
    return made[name]


def forget(table: Table) -> None:
    """Let the indexes of a table be made again, after a write that went past them."""
    _INDEXES.pop(table, None)


def put_item(table: Table, item_attrs: dict[str, Any], *how: Any, **more: Any) -> Item:
    """Put an item, into the indexes as well."""
    before = _stored(table, item_attrs)
    after = _PUT(table, item_attrs, *how, **more)
    for index in _INDEXES.get(table, {}).values():
        index.replace(before, after)
    return after


def delete_item(table: Table, *keys: Any, **named: Any) -> Item | None:
    """Delete an item, from the indexes as well."""
    before = _DELETE(table, *keys, **named)
    for index in _INDEXES.get(table, {}).values():
        index.replace(before, None)
    return before


def update_item(backend: DynamoDBBackend, table_name: str, *how: Any, **more: Any) -> Item:
    """Update an item; moto changes it where it is, so that the indexes are made again."""
    try:
        return _UPDATE(backend, table_name, *how, **more)
    finally:
        if table := backend.tables.get(table_name):
            forget(table)


def restore(table: Table, keys: Sequence[DynamoType], item: Item | None) -> None:
    """Put an item back as it was; None if there was none. The stream has no record of it."""
    shelf: Any = table.items[keys[0]] if table.range_key_attr else table.items
    after = shelf.pop(keys[-1], None)
    if item:
        shelf[keys[-1]] = item
    for index in _INDEXES.get(table, {}).values():
        index.replace(after, item)


def _stored(table: Table, attributes: Mapping[str, Any]) -> Item | None:
    names = [name for name in (table.hash_key_attr, table.range_key_attr) if name]
    if table not in _INDEXES or not all(name in attributes for name in names):
        return None
    hash_key, *range_key = (DynamoType(attributes[name]) for name in names)
    return table.get_item(hash_key, *range_key[:1] or (None,))
