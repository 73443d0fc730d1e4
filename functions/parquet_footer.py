"""The footer of a Parquet file: its bytes in, rows and columns out. Pure.

Own code because the libraries that read Parquet are larger than a function may be. Format: Apache Parquet's
`parquet.thrift` (FileMetaData) in Thrift's compact protocol (thrift-compact-protocol.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MAGIC, ENCRYPTED = b"PAR1", b"PARE"
TAIL = 8
"""Bytes at the end: the length of the footer, and the magic."""
MOST_DEPTH = 20
REPEATED = "repeated"
"""The shape of what stands several times in its group, until it is known what that group is."""
MOST_VALUES = 500_000
"""Values that a footer may hold: those of 1,000 columns in 30 row groups, and 150 MB as Python has them."""
MOST_OF_SCHEMA = 100_000
"""Of these as many as its schema may take, which is read again for each drop of a batch."""
PHYSICAL = {
    0: "boolean", 1: "int", 2: "bigint", 3: "timestamp", 4: "float", 5: "double", 6: "binary", 7: "binary",
}  # fmt: skip
"""Spark's type of a column without annotation, by its physical type; INT96 is a timestamp, as Spark writes it."""
UNSIGNED = {8: "int", 16: "int", 32: "bigint", 64: "decimal(20,0)"}
CONVERTED = {
    0: "string", 4: "string", 6: "date", 9: "timestamp", 10: "timestamp", 11: "int", 12: "int", 13: "bigint",
    14: "decimal(20,0)", 15: "int", 16: "int", 17: "int", 18: "bigint", 19: "string",
}  # fmt: skip
"""The same of the older annotation, by its number: UTF8, ENUM, DATE, TIMESTAMP_*, UINT_*, INT_*, JSON."""


SCHEMA = 2
"""The number of the field that holds the schema."""
DAMAGED = (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError, ValueError)


class FooterInvalid(Exception):
    """The bytes are no footer; says why."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `type` is Spark's name of it, `nested` or `unknown`.

    `shape` says how a nested one is put together: a `struct` of its `inner` columns, an `array` of the one, a `map` of
    keys and values; it is empty of single values, and of what is not read here.
    """

    name: str
    type: str
    shape: str = ""
    inner: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Footer:
    """What a footer says: the columns, the rows, the bytes that the pages have and take, where the last page ends."""

    columns: tuple[Column, ...]
    rows: int
    unpacked: int
    packed: int
    end: int
    codecs: frozenset[int]


def length(tail: bytes) -> int:
    """How long the footer is that the last bytes of a file speak of."""
    return int.from_bytes(tail[-TAIL:-4], "little")


def columns(raw: bytes) -> tuple[Column, ...]:
    """The columns of a footer; what follows its schema is not read. FooterInvalid."""
    try:
        return _columns(_Reader(raw, MOST_OF_SCHEMA).struct(0, SCHEMA)[SCHEMA])
    except DAMAGED as error:
        raise FooterInvalid("it is damaged") from error


def parse(raw: bytes) -> Footer:
    """The footer in its bytes; FooterInvalid."""
    read = columns(raw)
    try:
        found = _Reader(raw, MOST_VALUES).struct(0)
        rows, groups = _whole(found[3]), found.get(4, [])
        chunks = [chunk[3] for group in groups for chunk in group[1]]
        if rows != sum(_whole(group[3]) for group in groups):
            raise FooterInvalid("it counts other rows than its row groups")
        return Footer(
            read,
            rows,
            sum(_whole(chunk[6]) for chunk in chunks),
            sum(_whole(chunk[7]) for chunk in chunks),
            max((_whole(chunk.get(11) or chunk[9]) + _whole(chunk[7]) for chunk in chunks), default=0),
            frozenset(_whole(chunk[4]) for chunk in chunks),
        )
    except DAMAGED as error:
        raise FooterInvalid("it is damaged") from error


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FooterInvalid("a count is no number")
    return value


def _columns(elements: Sequence[dict[int, Any]]) -> tuple[Column, ...]:
    """The children of the root; the schema is a tree, written depth first."""
    at = iter(elements)
    root = next(at, None)
    if root is None:
        raise FooterInvalid("it has no schema")
    return tuple(_alone(_column(at, 1)) for _ in range(_whole(root.get(5, 0))))


def _column(at: Iterator[dict[int, Any]], depth: int) -> Column:
    element = next(at, None)
    if element is None:
        raise FooterInvalid("its schema ends too early")
    if depth > MOST_DEPTH:
        raise FooterInvalid("its schema is nested too deep")
    name = element[4].decode()
    inner = tuple(_column(at, depth + 1) for _ in range(element.get(5, 0)))
    if element.get(3) == 2:
        return Column(name, "nested" if inner else _type(element), REPEATED, inner)
    return Column(name, "nested", *_put_together(element, name, inner)) if inner else Column(name, _type(element))


def _put_together(element: dict[int, Any], name: str, inner: tuple[Column, ...]) -> tuple[str, tuple[Column, ...]]:
    """The shape of a group and what is in it (LogicalTypes.md, "Nested Types", with its rules for older files)."""
    annotation, converted = element.get(10), element.get(6)
    said = next(iter(annotation), None) if isinstance(annotation, dict) else None
    if not (said in (2, 3) or converted in (1, 2, 3)):
        return "struct", tuple(_alone(one) for one in inner)
    one = inner[0]
    if len(inner) > 1 or one.shape != REPEATED:
        return "", ()
    parts = tuple(_alone(part) for part in one.inner)
    if said == 2 or converted in (1, 2):
        return ("map", parts) if len(parts) == 2 else ("", ())
    if not parts:
        return "array", (Column("element", one.type),)
    if len(parts) == 1 and one.name not in ("array", f"{name}_tuple"):
        return "array", parts
    return "array", (Column("element", "nested", "struct", parts),)


def _alone(column: Column) -> Column:
    """A column; one that repeats without being in a list is not read."""
    return Column(column.name, "nested") if column.shape == REPEATED else column


def _type(element: dict[int, Any]) -> str:
    physical, annotation = element.get(1), element.get(10)
    if isinstance(annotation, dict) and annotation:
        return _annotated(*next(iter(annotation.items())))
    converted = element.get(6)
    if converted == 5:
        return f"decimal({element[8]},{element.get(7, 0)})"
    if converted is not None:
        return CONVERTED.get(converted, "unknown")
    return PHYSICAL.get(physical, "unknown") if isinstance(physical, int) else "unknown"


def _annotated(kind: int, said: Any) -> str:
    match kind:
        case 1 | 4 | 12:
            return "string"
        case 5:
            return f"decimal({said[2]},{said[1]})"
        case 6:
            return "date"
        case 8:
            if 3 in said[2]:
                return "unknown"  # nanoseconds
            return "timestamp" if said[1] else "timestamp_ntz"
        case 10:
            width, signed = said[1], said[2]
            return ("bigint" if width == 64 else "int") if signed else UNSIGNED.get(width, "unknown")
    return "unknown"


class _Reader:
    """Values of the compact protocol, as plain Python: structs by field number, unions as structs of one field."""

    def __init__(self, raw: bytes, most: int) -> None:
        self.raw, self.most, self.at, self.values = raw, most, 0, 0

    def struct(self, depth: int, last: int | None = None) -> dict[int, Any]:
        """The fields of a struct; no more are read once `last` was."""
        found: dict[int, Any] = {}
        field = 0
        while last not in found and (head := self._byte()):
            field = field + (head >> 4) if head >> 4 else self._zigzag()
            if field in found:
                raise FooterInvalid("it says a thing twice")
            found[field] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise FooterInvalid("it is nested too deep")
        self._count(1)
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._zigzag()
            case 7:
                return self._bytes(8)
            case 8:
                return self._bytes(self._varint())
            case 9 | 10:
                return self._list(depth)
            case 12:
                return self.struct(depth + 1)
        raise FooterInvalid("it has a value of an unknown kind")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        if size > len(self.raw) - self.at:
            raise FooterInvalid("a list is longer than the footer")
        if kind in (1, 2):
            self._count(size)
            return [self._byte() == 1 for _ in range(size)]
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _count(self, more: int) -> None:
        self.values += more
        if self.values > self.most:
            raise FooterInvalid(f"it holds more than {self.most:,} values")

    def _byte(self) -> int:
        self.at += 1
        return self.raw[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        if size > len(self.raw) - self.at:
            raise FooterInvalid("a text is longer than the footer")
        self.at += size
        return self.raw[self.at - size : self.at]

    def _varint(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise FooterInvalid("a number is too long")

    def _zigzag(self) -> int:
        found = self._varint()
        return found >> 1 ^ -(found & 1)
