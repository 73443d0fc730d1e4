"""Nested properties: a path of steps in, its name for people out. Pure.

A path begins with the name of a property of the record. Steps follow: `.key` to the value of an object's key, `[]` to
every element of an array, `*` to every value and `~` to every key of a map.
"""

from __future__ import annotations

import re

PLAIN = re.compile(r"[^\W\d][\w-]*")
"""Keys that a name shows unchanged; other keys get brackets and quotes, as in JSONPath (RFC 9535, 2.3.1)."""
WORDS = {"*": ".*", "~": ".~"}


def name_of(path: tuple[str, ...]) -> str:
    """Return the name of a path, as `items[].price`; the name of a property of the record is unchanged."""
    first, *steps = path
    if not steps:
        return first
    start = first if PLAIN.fullmatch(first) else _quoted(first)
    return start + "".join(suffix(step) for step in steps)


def suffix(step: str) -> str:
    """Return a step as it is written in a name."""
    if step.startswith("."):
        return step if PLAIN.fullmatch(step[1:]) else _quoted(step[1:])
    return WORDS.get(step, step)


def _quoted(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
