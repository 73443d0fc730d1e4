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
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import repeat
from typing import Any, Literal, TypeVar, Union

from contracts.errors import DocumentInvalid

T = TypeVar("T")
SPARSE = {"sparse": True}
"""The metadata of a field that is left out of the JSON where it has its default: other documents stay as they were."""
FLAT = {"flat": True}
"""The metadata of a field with a dataclass, the fields of which the JSON has among those of the field's owner."""
TAGGED = {"tagged": True}
"""The metadata of a field with one of several dataclasses: the JSON has its `kind` (see `tag`), and its `arguments`."""
ARGUMENT = {"argument": True}
"""The metadata of a field that the JSON has among the `arguments` of the tagged one, but where it has its default."""
NEVER = object()
"""No field's value: a field with it is always in the JSON."""
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|-?\.[0-9]+([eE][-+]?[0-9]+)?")
"""Finite decimals, as str(Decimal) and documents write them."""


def encode(value: Any) -> Any:
    """A value of dataclasses, tuples, mappings and scalars as JSON types."""
    if value is None or value.__class__ in (str, int, bool):
        return value
    if (left_out := _left_out(value.__class__)) is not None:
        document = {name: encode(own) for name, out in left_out.items() if (own := getattr(value, name)) != out}
        for part in _flat(value.__class__):
            document |= document.pop(part.name) or dict.fromkeys(part.required)
        if tagged := _tagged(value.__class__):
            document["kind"] = tag(getattr(value, tagged.name).__class__)
            others = {name: document.pop(name) for name in tagged.others if name in document}
            document["arguments"] = document.pop(tagged.name) | others
        return document
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        encoded = {at: encode(v) for at, v in {id(v): v for v in value}.items()}  # a drop's checks share counts
        return [encoded[id(v)] for v in value]
    return str(value) if isinstance(value, Decimal) else value


def tag(cls: type) -> str:
    """The word for a class of a tagged field: its name, the first letter small."""
    return cls.__name__[0].lower() + cls.__name__[1:]


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
    try:
        return typing.cast("T", _decoder(typing.cast("Any", cls))(data))
    except _Misfit as misfit:
        raise DocumentInvalid(f"{where}{misfit.place} {misfit.what}") from None


Decoder = Callable[[Any], Any]


class _Misfit(Exception):
    """A value that does not fit, with its path, which is built only on the way out: valid documents pay nothing."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what, self.place = what, ""

    def within(self, place: str) -> _Misfit:
        """The same misfit, with the place of its surrounding value in front."""
        self.place = place + self.place
        return self


@cache
def _decoder(hint: Any) -> Decoder:
    """Return the decoder of a type from JSON types; it is cached, as a result has a million values."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return lambda data: data
    if origin in (Union, types.UnionType):
        kinds = [a for a in args if a is not types.NoneType]
        if all(typing.get_origin(kind) is Literal for kind in kinds):  # two lists of words are one
            words = _word(tuple(word for kind in kinds for word in typing.get_args(kind)))
            return _optional(words) if types.NoneType in args else words
        return _optional(_decoder(kinds[0]))
    if origin is Literal:
        return _word(args)
    if origin is tuple:
        return _several([_decoder(a) for a in args if a is not Ellipsis], endless=args[-1] is Ellipsis)
    if origin in (dict, Mapping):
        an_object, kind = _held(lambda data: isinstance(data, dict), "an object"), _decoder(args[1])
        return lambda data: _each(an_object(data), lambda _: kind)
    if dataclasses.is_dataclass(hint):
        return _fields_of(hint)
    if hint is Decimal:
        number = _held(lambda data: isinstance(data, str) and NUMBER.fullmatch(data) is not None, "a number as text")
        return lambda data: Decimal(number(data))
    return _held(lambda data: isinstance(data, hint) and (hint is bool or not isinstance(data, bool)), hint.__name__)


def _held(fits: Callable[[Any], bool], wanted: str) -> Decoder:
    """Return a decoder that passes fitting values. An error names only the type: the value may be a cell of a file."""

    def decoder(data: Any) -> Any:
        if not fits(data):
            raise _Misfit(f"is of type {type(data).__name__}, expected {wanted}")
        return data

    return decoder


def _word(words: tuple[Any, ...]) -> Decoder:
    """Return a decoder that passes known words. An error names the word, which may come from another version."""

    def decoder(data: Any) -> Any:
        if not any(a == data and type(a) is type(data) for a in words):
            raise _Misfit(f"is {data!r:.80}, expected one of {words}")
        return data

    return decoder


def _optional(decoder: Decoder) -> Decoder:
    return lambda data: None if data is None else decoder(data)


def _several(kinds: Sequence[Decoder], *, endless: bool) -> Decoder:
    a_list = _held(lambda data: isinstance(data, list), "a list")
    long_enough = _held(lambda data: endless or len(data) == len(kinds), f"a list of {len(kinds)}")

    def decoder(data: Any) -> tuple[Any, ...]:
        values = []
        of_each = repeat(kinds[0]) if endless else kinds
        for n, (kind, item) in enumerate(zip(of_each, long_enough(a_list(data)), strict=False)):
            try:
                values.append(kind(item))
            except _Misfit as misfit:
                raise misfit.within(f"[{n}]") from None
        return tuple(values)

    return decoder


def _fields_of(cls: Any) -> Decoder:
    an_object = _held(lambda data: isinstance(data, dict), "an object")
    hints, required = _fields(cls)
    parts, tagged = _flat(cls), _tagged(cls)
    decoders: dict[str, Decoder] = {}

    def decoder(data: Any) -> Any:
        an_object(data)
        if not decoders:  # not before, as a type may be part of itself
            decoders.update({name: _decoder(hint) for name, hint in hints.items()})
            for part in parts:
                decoders.update({name: _optional(_decoder(hint)) for name, hint in part.hints.items()})
            if tagged:
                decoders.update({"kind": _word(tuple(tagged.classes)), "arguments": an_object})
        if unknown := sorted(data.keys() - decoders.keys()):
            raise _Misfit(f"has the unknown key {unknown[0]!r}; a newer version of dropgate may have written it")
        if missing := sorted(required - data.keys()):
            raise _Misfit(f"lacks {missing[0]!r}")
        values = _each(data, decoders.__getitem__)
        for part in parts:
            own = {name: value for name in part.hints if (value := values.pop(name, None)) is not None}
            is_absent = part.optional and not own
            if not is_absent and (missing := sorted(part.required - own.keys())):
                raise _Misfit(f"lacks {missing[0]!r}")
            values[part.name] = None if is_absent else part.cls(**own)
        return cls(**(tagged.untagged(values) if tagged else values))

    return decoder


def _each(data: dict[str, Any], kind: Callable[[str], Decoder]) -> dict[str, Any]:
    values = {}
    for name, value in data.items():
        try:
            values[name] = kind(name)(value)
        except _Misfit as misfit:
            raise misfit.within(f".{name}") from None
    return values


@cache
def _left_out(cls: Any) -> dict[str, Any] | None:
    """The value with which each field of a dataclass is left out, `NEVER` if none does that; None for other classes."""
    if not dataclasses.is_dataclass(cls):
        return None
    every = dataclasses.fields(cls)
    left_out = {f.name: f for f in every if {"sparse", "argument"} & f.metadata.keys()}
    made = {name: f.default_factory() for name, f in left_out.items() if f.default_factory is not dataclasses.MISSING}
    return {f.name: made.get(f.name, f.default) if f.name in left_out else NEVER for f in every}


@dataclasses.dataclass(frozen=True)
class _Part:
    """A flat field: its name, its dataclass, the fields of this, those that it needs, and whether it may be absent."""

    name: str
    cls: Any
    hints: dict[str, Any]
    required: frozenset[str]
    optional: bool


@cache
def _flat(cls: Any) -> tuple[_Part, ...]:
    """The flat fields of a dataclass."""
    parts = []
    for field in (f for f in dataclasses.fields(cls) if "flat" in f.metadata):
        hint = typing.get_type_hints(cls)[field.name]
        optional = typing.get_origin(hint) in (Union, types.UnionType)
        inner = next(a for a in typing.get_args(hint) if a is not types.NoneType) if optional else hint
        parts.append(_Part(field.name, inner, *_fields(inner), optional))
    return tuple(parts)


@dataclasses.dataclass(frozen=True)
class _Tagged:
    """A tagged field: its name, its classes by their tags, and the types of the fields among its arguments."""

    name: str
    classes: dict[str, Any]
    others: dict[str, Any]

    def untagged(self, values: dict[str, Any]) -> dict[str, Any]:
        """Make the value of a tagged field of its `kind` and `arguments`, and give the other fields theirs."""
        arguments = values.pop("arguments")
        own = {name: value for name, value in arguments.items() if name not in self.others}
        others = {name: value for name, value in arguments.items() if name in self.others}
        try:
            values[self.name] = _decoder(self.classes[values.pop("kind")])(own)
            return values | _each(others, lambda name: _decoder(self.others[name]))
        except _Misfit as misfit:
            raise misfit.within(".arguments") from None


@cache
def _tagged(cls: Any) -> _Tagged | None:
    """The tagged field of a dataclass; None if it has none."""
    field = next((f for f in dataclasses.fields(cls) if "tagged" in f.metadata), None)
    if field is None:
        return None
    hints = typing.get_type_hints(cls)
    classes = {tag(one): one for one in typing.get_args(hints[field.name])}
    others = {f.name: hints[f.name] for f in dataclasses.fields(cls) if "argument" in f.metadata}
    return _Tagged(field.name, classes, others)


@cache
def _fields(cls: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The fields that the JSON of a dataclass may have by their own names, and the names that it must have."""
    fields = [f for f in dataclasses.fields(cls) if f.init and not {"flat", "tagged", "argument"} & f.metadata.keys()]
    bare = {f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING}
    every = typing.get_type_hints(cls)
    return {f.name: every[f.name] for f in fields}, frozenset(bare | ({"kind", "arguments"} if _tagged(cls) else set()))
