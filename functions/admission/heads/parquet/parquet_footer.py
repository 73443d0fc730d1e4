"""The footer of a Parquet file: its bytes in, rows and columns out. Pure.

Own code because the libraries that read Parquet are larger than a function may be. Format: Apache Parquet's
`parquet.thrift` (FileMetaData) in Thrift's compact protocol (thrift-compact-protocol.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from functions.admission.heads.parquet import parquet_types

MAGIC, ENCRYPTED = b"PAR1", b"PARE"
TAIL = 8
"""Bytes at the end: the length of the footer, and the magic."""
MOST_DEPTH = 20
REPEATED = "repeated"
"""The shape of a field that is repeated in its group, until the kind of the group is known."""
KEY_VALUE = 2
"""The older annotation of what repeats in a map, and in some files of the map itself."""
WHOLE = "whole"
"""Said of what repeats and is itself a list or a map."""
MOST_VALUES = 500_000
"""Values that a footer may hold: those of 1,000 columns in 30 row groups, and 150 MB as Python has them."""
MOST_OF_SCHEMA = 100_000
"""The most values of the schema among them, which is read again for each drop of a batch."""
SCHEMA = 2
"""The number of the field that holds the schema."""
SPARK = b"org.apache.spark."
"""The beginning of the keys under which Spark notes its version and its schema in a footer."""
WRITER = b"parquet-mr"
"""The beginning of the name of the library that Spark writes with."""
DAMAGED = (KeyError, IndexError, TypeError, AttributeError, UnicodeDecodeError, ValueError)


class FooterInvalid(Exception):
    """The bytes are not a footer; with the reason."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `type` is the name that the job has for it, `nested` or `unknown`.

    `shape` is the form of a nested column: a `struct` of its `inner` columns, an `array` of the one, a `map` of keys
    and values; it is empty for single values, and for columns that are not read here. `annotation` is Parquet's name of
    its type, if that is more precise.
    """

    name: str
    type: str
    shape: str = ""
    inner: tuple[Column, ...] = ()
    annotation: str = ""

    @property
    def declared(self) -> str:
        """Return the type that the file declares: the job may read a decimal as one of more digits."""
        is_decimal = self.type.startswith("decimal") and self.annotation.startswith("DECIMAL")
        return self.annotation.lower() if is_decimal else self.type

    @property
    def is_empty(self) -> bool:
        """Return True if its type holds nothing but null."""
        return self.annotation == parquet_types.ALWAYS_NULL


@dataclass(frozen=True, slots=True)
class Chunk:
    """The pages of one column in one row group: their position, their bytes, their values and their encoding.

    `nulls` is None if the footer does not count them.
    """

    path: tuple[str, ...]
    codec: int
    encodings: frozenset[int]
    values: int
    nulls: int | None
    start: int
    packed: int
    unpacked: int

    @classmethod
    def of(cls, column: dict[int, Any]) -> Chunk:
        """Return a chunk as the footer has it."""
        metadata = column[3]
        nulls = metadata.get(12, {}).get(3)
        return cls(
            tuple(part.decode() for part in metadata[3]),
            _whole(metadata[4]),
            frozenset(_whole(encoding) for encoding in metadata[2]),
            _whole(metadata[5]),
            None if nulls is None else _whole(nulls),
            _whole(metadata.get(11) or metadata[9]),  # the first page; some writers put 0 if there is no dictionary
            _whole(metadata[7]),
            _whole(metadata[6]),
        )


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that are stored together."""

    rows: int
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Footer:
    """The content of a footer: the columns, the row groups, whether it is encrypted, and whether Spark wrote it."""

    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    encrypted: bool = False
    by_spark: bool = False

    @property
    def rows(self) -> int:
        """Return the number of records in the file."""
        return sum(group.rows for group in self.groups)

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The pages of all columns in all row groups."""
        return tuple(chunk for group in self.groups for chunk in group.chunks)


def length(tail: bytes) -> int:
    """Return the length of the footer, which the last bytes of a file give."""
    return int.from_bytes(tail[-TAIL:-4], "little")


def columns(raw: bytes) -> tuple[Column, ...]:
    """The columns of a footer; what follows its schema is not read. FooterInvalid."""
    try:
        elements = iter(_Reader(raw, MOST_OF_SCHEMA).struct(0, SCHEMA)[SCHEMA])
        root = next(elements, None)  # of a tree, which is written depth first
        if root is None:
            raise FooterInvalid("it has no schema")
        return tuple(_alone(_column(elements, 1)) for _ in range(_whole(root.get(5, 0))))
    except DAMAGED as error:
        raise FooterInvalid("it is damaged") from error


def parse(raw: bytes) -> Footer:
    """The footer in its bytes; FooterInvalid."""
    read = columns(raw)
    try:
        fields = _Reader(raw, MOST_VALUES).struct(0)
        groups = fields.get(4, [])
        if 8 in fields or any(8 in chunk or 9 in chunk for group in groups for chunk in group[1]):
            return Footer(read, (), encrypted=True)
        rows = tuple(RowGroup(_whole(group[3]), tuple(Chunk.of(chunk) for chunk in group[1])) for group in groups)
        if _whole(fields[3]) not in (0, sum(group.rows for group in rows)):  # 0: not counted, by old writers in Rust
            raise FooterInvalid("it counts other rows than its row groups")
        noted = any(pair.get(1, b"").startswith(SPARK) for pair in fields.get(5, []))
        # Other writers keep Spark's notes, but name themselves
        return Footer(read, rows, by_spark=noted and bool(fields.get(6, b"").startswith(WRITER)))
    except DAMAGED as error:
        raise FooterInvalid("it is damaged") from error


def struct(raw: bytes, most: int) -> tuple[dict[int, Any], int]:
    """The struct that bytes begin with, as fields by number, and how many bytes it takes. FooterInvalid."""
    reader = _Reader(raw, most)
    try:
        return reader.struct(0), reader.at
    except DAMAGED as error:
        raise FooterInvalid("it is damaged") from error


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FooterInvalid("a count is not a number")
    return value


def _column(at: Iterator[dict[int, Any]], depth: int) -> Column:
    element = next(at, None)
    if element is None:
        raise FooterInvalid("its schema ends too early")
    if depth > MOST_DEPTH:
        raise FooterInvalid("its schema is nested too deep")
    name, repeated = element[4].decode(), element.get(3) == 2
    inner = tuple(_column(at, depth + 1) for _ in range(element.get(5, 0)))
    if not inner:
        kind, annotation = parquet_types.typed(element) if 1 in element else ("unknown", "a group without fields")
        return Column(name, kind, REPEATED if repeated else "", (), annotation)
    if annotation := parquet_types.group_named(element):
        return Column(name, "nested", REPEATED if repeated else "", (), annotation)
    if not repeated:
        return Column(name, "nested", *_put_together(element, name, inner))
    if _annotation(element) and element.get(6) != KEY_VALUE:  # the element of a list of two levels
        own = Column("element", "nested", *_put_together(element, name, inner))
        return Column(name, "nested", REPEATED, (own,), WHOLE)
    return Column(name, "nested", REPEATED, inner)


def _annotation(element: dict[int, Any]) -> str:
    """Return the annotation of a group: `map`, `array` or nothing."""
    logical, converted = element.get(10), element.get(6)
    number = next(iter(logical), None) if isinstance(logical, dict) else None
    if number == 2 or converted in (1, 2):
        return "map"
    return "array" if number == 3 or converted == 3 else ""


def _put_together(element: dict[int, Any], name: str, inner: tuple[Column, ...]) -> tuple[str, tuple[Column, ...]]:
    """The shape of a group and what is in it (LogicalTypes.md, "Nested Types", with its rules for older files)."""
    shape = _annotation(element)
    if not shape:
        return "struct", tuple(_alone(part) for part in inner)
    repeated = inner[0]
    if len(inner) > 1 or repeated.shape != REPEATED:
        return "", ()
    parts = tuple(_alone(part) for part in repeated.inner)
    if shape == "map":
        return ("map", parts) if len(parts) == 2 and repeated.annotation != WHOLE else ("", ())
    if not parts or repeated.annotation == WHOLE:
        return "array", (_element(repeated),)
    if len(parts) == 1 and repeated.inner[0].shape != REPEATED and repeated.name not in ("array", f"{name}_tuple"):
        return "array", parts
    return "array", (Column("element", "nested", "struct", parts),)


def _element(repeated: Column) -> Column:
    """Return a repeated column as one of its elements."""
    if repeated.annotation == WHOLE:
        return repeated.inner[0]
    if not repeated.inner:
        return Column("element", repeated.type, "", (), repeated.annotation)
    return Column("element", "nested", "struct", tuple(_alone(part) for part in repeated.inner))


def _alone(column: Column) -> Column:
    """A column; one that repeats without being in a list is a list of what it is."""
    if column.shape != REPEATED:
        return column
    return Column(column.name, "nested", "array", (_element(column),))


class _Reader:
    """Values of the compact protocol, as plain Python: structs by field number, unions as structs of one field."""

    def __init__(self, raw: bytes, most: int) -> None:
        self.raw, self.most, self.at, self.values = raw, most, 0, 0

    def struct(self, depth: int, last: int | None = None) -> dict[int, Any]:
        """The fields of a struct; no more are read once `last` was."""
        fields: dict[int, Any] = {}
        field = 0
        while last not in fields and (head := self._byte()):
            field = field + (head >> 4) if head >> 4 else self._zigzag()
            if field in fields:
                raise FooterInvalid("it says a thing twice")
            fields[field] = self._value(head & 15, depth)
        return fields

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
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise FooterInvalid("a number is too long")

    def _zigzag(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)
