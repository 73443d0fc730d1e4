"""The first bytes of a JSON Lines file: a plan and the bytes in, the keys and all that is wrong with them out. Pure."""

from __future__ import annotations

import json
from typing import Any

from contracts.columns import OURS
from contracts.plan import Plan
from contracts.problem import Problem, nearest, quoted
from functions.texts import Head, may_be_lost, undecodable

FIX = 'Write one whole JSON object on each line, as `{"a": 1}`, and nothing around or between them.'


def look(plan: Plan, size: int, sample: bytes) -> Head:
    """The contract's keys and those of the first object: in its order, unless its keys stand in the contract's."""
    whole = len(sample) == size
    if not may_be_lost(plan, "text") and (problem := undecodable(plan, sample, 1, whole=whole)):
        return Head((problem,))
    text = sample.decode("utf-8-sig", "replace")
    lines = [line for line in text.replace("\r", "\n").split("\n") if line]
    if not whole:
        lines = lines[:-1]  # it may be cut
    if not lines:
        return Head(tuple(_no_lines(plan, whole=whole)), *_header(plan, ()))
    first = [_keys(line) for line in lines]
    keys = next((k for k in first if k is not None), None)
    if keys is None or (first[0] is None and not may_be_lost(plan, "object")):
        return Head((_no_object(lines[0]),))
    problems = _unknown(plan, keys) if first[0] is not None and not may_be_lost(plan, "knownKeys") else []
    return Head(tuple(problems), *_header(plan, keys))


def _header(plan: Plan, keys: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Files with the same names are one read: what nests is found by name, and of plain lines any may lack a key."""
    agreed = [p.name for p in plan.properties]
    same = plan.nested or keys == tuple(name for name in agreed if name in keys)
    names = tuple(dict.fromkeys(agreed if same else (*keys, *agreed)))
    return names, json.dumps(names, ensure_ascii=False)


def _keys(line: str) -> tuple[str, ...] | None:
    """The keys of the object in a line; None if there is none."""
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or any("\ud800" <= c <= "\udfff" for key in found for c in key):
        return None  # half a character is none, and no text that could be handed on
    return tuple(found)


def _no_lines(plan: Plan, *, whole: bool) -> list[Problem]:
    if not whole:
        return [Problem("not-json-lines", "The first line does not end within 65,536 bytes.", FIX, record=1)]
    if plan.empty != "reject":
        return []
    return [Problem("no-records", "The file holds no records.", "Send the file with its records.")]


def _no_object(line: str) -> Problem:
    start = line.lstrip()[:1]
    text = {
        "[": "The file is a JSON array; agreed is JSON Lines.",
        "{": "The first line is no whole JSON object; agreed is JSON Lines.",
    }.get(start, "The first line is no JSON object; agreed is JSON Lines.")
    return Problem("not-json-lines", text, FIX, record=1)


def _unknown(plan: Plan, keys: tuple[str, ...]) -> list[Problem]:
    """Keys that the contract does not know, where records may not have them."""
    known = [p.name for p in plan.roots]
    unknown = [key for key in keys if key not in known and key not in OURS]
    if plan.columns.extra != "reject" or not unknown:
        return []
    close = {key: name for key in unknown[:20] if (name := nearest(key, [n for n in known if n not in keys]))}
    renamed = ", ".join(f"`{key}` to `{name}`" for key, name in close.items())
    fix = f"Rename {renamed}." if renamed else f"Leave them out, or ask for them to be added to {plan.contract}."
    text = f"The first object has keys that the contract does not know: {quoted(unknown)}."
    return [Problem("unknown-key", text, fix, record=1)]
