"""Values as JSON that people read: plain values in, text out, numbers with the digits that they have."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from contracts.problem import printable

SHORT = 90
"""Characters up to which a list or mapping of plain values is on one line."""
FULL = 25
"""Characters up to which a number is written without exponent."""


def text(value: Any, indent: str = "") -> str:
    """Return a value as JSON; short lists and mappings are on one line."""
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{_plain(key)}: {text(part, inner)}" for key, part in value.items()]
        return _around("{", parts, "}", indent, flat=not any(isinstance(v, (dict, list)) for v in value.values()))
    if isinstance(value, (list, tuple)):
        parts = [text(part, inner) for part in value]
        return _around("[", parts, "]", indent, flat=not any(isinstance(v, (dict, list)) for v in value))
    if isinstance(value, Decimal):
        plain = f"{value:f}"
        return plain if len(plain) < FULL else str(value)
    return _plain(value)


def _plain(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False))


def _around(start: str, parts: list[str], end: str, indent: str, *, flat: bool) -> str:
    if not parts or (flat and sum(len(part) + 2 for part in parts) < SHORT):
        return f"{start}{', '.join(parts)}{end}"
    lines = f",\n{indent}  ".join(parts)
    return f"{start}\n{indent}  {lines}\n{indent}{end}"
