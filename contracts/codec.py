"""Frozen dataclasses to JSON and back: a value in, plain JSON types out, and the reverse, strictly.

Decimals travel as text so that no figure changes on the way; an unknown or missing key is an error that names its
place.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import types
import typing
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Literal, TypeVar, Union

from contracts.errors import DocumentInvalid

T = TypeVar("T")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|-?\.[0-9]+([eE][-+]?[0-9]+)?")
"""Finite decimals, as str(Decimal) and documents write them."""


def encode(value: Any) -> Any:
    """A value of dataclasses, tuples, mappings and scalars as JSON types."""
    if value is None or type(value) in (str, int, bool):
        return value
    if names := _names(value.__class__):
        return {name: encode(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [encode(v) for v in value]
    return str(value) if isinstance(value, Decimal) else value


def canonical(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no blanks, so that equal values have equal hashes."""
    return json.dumps(encode(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha256(value: Any) -> str:
    """Hexadecimal SHA-256 of the canonical text."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def loads(cls: type[T], text: str | bytes, where: str) -> T:
    """Read one JSON document as a value of `cls`; `where` names the document in errors."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise DocumentInvalid(f"{where} is not JSON ({error})") from error
    return decode(cls, data, where)


def decode(cls: type[T], data: Any, where: str = "document") -> T:
    """JSON types as a value of `cls`, or DocumentInvalid naming the place that does not fit."""
    return typing.cast("T", _decode(cls, data, where))


def _decode(hint: Any, data: Any, where: str) -> Any:
    if hint is Any:
        return data
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        return _union(hint, data, where)
    if origin is Literal:
        known = [a for a in typing.get_args(hint) if type(a) is type(data)]
        return _expect(data in known, data, data, f"one of {typing.get_args(hint)}", where)
    if origin is tuple:
        return _tuple(typing.get_args(hint), data, where)
    if origin in (dict, Mapping):
        _expect(isinstance(data, dict), data, data, "an object", where)
        return {k: _decode(typing.get_args(hint)[1], v, f"{where}.{k}") for k, v in data.items()}
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint, data, where)
    if hint is Decimal:
        number = isinstance(data, str) and NUMBER.fullmatch(data) is not None
        return Decimal(_expect(number, data, data, "a number as text", where))
    fits = isinstance(data, hint) and (hint is bool or not isinstance(data, bool))
    return _expect(fits, data, data, hint.__name__, where)


def _union(hint: Any, data: Any, where: str) -> Any:
    options = [a for a in typing.get_args(hint) if a is not types.NoneType]
    return None if data is None else _decode(options[0], data, where)


def _tuple(args: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    _expect(isinstance(data, list), data, data, "a list", where)
    kinds = [args[0]] * len(data) if args[-1] is Ellipsis else list(args)
    _expect(len(kinds) == len(data), data, data, f"a list of {len(kinds)}", where)
    return tuple(_decode(kind, item, f"{where}[{n}]") for n, (kind, item) in enumerate(zip(kinds, data, strict=True)))


def _dataclass(cls: Any, data: Any, where: str) -> Any:
    _expect(isinstance(data, dict), data, data, "an object", where)
    hints, required = _fields(cls)
    if unknown := sorted(set(data) - set(hints)):
        raise DocumentInvalid(
            f"{where} has the unknown key {unknown[0]!r}; a newer version of dropgate may have written it"
        )
    if missing := sorted(required - set(data)):
        raise DocumentInvalid(f"{where} lacks {missing[0]!r}")
    return cls(**{k: _decode(hints[k], v, f"{where}.{k}") for k, v in data.items()})


@cache
def _names(cls: Any) -> tuple[str, ...]:
    """The names of a dataclass's fields; none of anything else."""
    return tuple(f.name for f in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else ()


@cache
def _fields(cls: Any) -> tuple[dict[str, Any], frozenset[str]]:
    fields = [f for f in dataclasses.fields(cls) if f.init]
    bare = (f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
    return typing.get_type_hints(cls), frozenset(bare)


def _expect(ok: bool, result: Any, found: Any, wanted: str, where: str) -> Any:
    if not ok:
        raise DocumentInvalid(f"{where} is {found!r:.80}, expected {wanted}")
    return result
