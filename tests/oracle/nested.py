"""Values within values: a record as its JSON has it in, the cells of every nested property out.

Written from docs/reference/semantics.md, "Nested values".
A nested property has a cell for each place that it may be at: for each
object, element, key or value that it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.plan import Check, Plan, Property


class Pairs(list[tuple[str, Any]]):
    """The members of an object, as they stand."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str


def raws(plan: Plan, prop: Property, members: dict[str, Any]) -> list[Any]:
    """Return the raw values at all places of a property in a record."""
    first, *steps = in_files(plan, prop)
    values = [members.get(first)]
    for step in steps:
        values = [inner for raw in values for inner in _inner(raw, step)]
    return values


def in_files(plan: Plan, prop: Property) -> tuple[str, ...]:
    """Return the route to a property with the names that files have."""
    above = {p.route: p for p in plan.properties}
    return tuple(_step(above.get(prop.route[:n]), prop.route[n - 1]) for n in range(1, len(prop.route) + 1))


def _step(prop: Property | None, step: str) -> str:
    if prop is None or not prop.header_names:
        return step
    return f".{prop.header_names[0]}" if prop.path else prop.header_names[0]


def _inner(raw: Any, step: str) -> Sequence[Any]:
    if step == "[]":
        return raw if _is_array(raw) else []
    if not isinstance(raw, Pairs):
        return []
    members = dict(raw)
    if step == "~":
        return list(members)
    return list(members.values()) if step == "*" else [members.get(step[1:])]


def _is_array(raw: Any) -> bool:
    return isinstance(raw, list) and not isinstance(raw, Pairs)


def container(raw: Any, prop: Property) -> Any:
    """Return a value of the type of a property that holds others; None if it is not of the type."""
    return raw if (_is_array(raw) if prop.type == "array" else isinstance(raw, Pairs)) else None


def has_unknown(plan: Plan, members: dict[str, Any]) -> bool:
    """Return whether an object within a record has a key that the contract lacks."""
    keys_by_route: dict[tuple[str, ...], set[str]] = {}
    for prop in plan.properties:
        if prop.path and prop.path[-1].startswith("."):
            keys_by_route.setdefault(prop.route[:-1], set()).add(in_files(plan, prop)[-1][1:])
    every = ((p, keys) for p in plan.properties if (keys := keys_by_route.get(p.route)))
    owners = ((keys, raw) for p, keys in every for raw in raws(plan, p, members))
    return any(isinstance(raw, Pairs) and any(key not in keys for key, _ in raw) for keys, raw in owners)


def _text(raw: Any) -> str:
    """A value as JSON, the same for all that are equal."""
    if isinstance(raw, Pairs):
        return "{" + ",".join(f"{key!r}:{_text(value)}" for key, value in sorted(raw)) + "}"
    if isinstance(raw, list):
        return "[" + ",".join(map(_text, raw)) + "]"
    if not isinstance(raw, Number):
        return repr(raw)
    if "e" in raw.text.casefold():
        return f"double {float(raw.text)}"
    text = raw.text.rstrip("0").rstrip(".") if "." in raw.text else raw.text
    return "0" if text == "-0" else text


def fails(check: Check, prop: Property, plan: Plan, value: Any) -> bool:
    """Return whether an array or object breaks a rule; keys that the contract lacks do not count, if it names any."""
    inner = {in_files(plan, p)[-1][1:] for p in plan.properties if p.path and p.route[:-1] == prop.route}
    pairs = Pairs(pair for pair in value if not inner or pair[0] in inner) if prop.type == "object" else value
    return FAILS[check.kind](pairs, getattr(check.rule, "value", 0))


def _given(members: Iterator[Any]) -> int:
    return sum(value is not None for value in members)


FAILS: dict[str, Callable[[Any, int], bool]] = {
    "minItems": lambda value, least: len(value) < least,
    "maxItems": lambda value, most: len(value) > most,
    "uniqueItems": lambda value, _: len(set(map(_text, value))) < len(value),
    "minProperties": lambda value, least: _given(v for _, v in value) < least,
    "maxProperties": lambda value, most: _given(v for _, v in value) > most,
}
"""Rules about what holds others."""
