"""Structs in Thrift's compact protocol: fields by number in, bytes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TYPES: dict[type, int] = {int: 6, str: 8, bytes: 8, list: 9, dict: 12}


def written(fields: Mapping[int, Any]) -> bytes:
    """A struct with these fields."""
    raw, last = b"", 0
    for number, value in sorted(fields.items()):
        kind = (1 if value else 2) if isinstance(value, bool) else TYPES[type(value)]
        short = 0 < number - last < 16
        raw += bytes([(number - last) << 4 | kind]) if short else bytes([kind]) + _zigzag(number)
        raw += b"" if isinstance(value, bool) else _value(value)
        last = number
    return raw + b"\0"


def _value(value: Any) -> bytes:
    if isinstance(value, int):
        return _zigzag(value)
    if isinstance(value, str | bytes):
        raw = value.encode() if isinstance(value, str) else value
        return _varint(len(raw)) + raw
    return _list(value) if isinstance(value, list) else written(value)


def _list(values: Sequence[Any]) -> bytes:
    kind = TYPES[type(values[0])] if values else 12
    head = bytes([len(values) << 4 | kind]) if len(values) < 15 else bytes([15 << 4 | kind]) + _varint(len(values))
    return head + b"".join(map(_value, values))


def _zigzag(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + _varint(number >> 7)
