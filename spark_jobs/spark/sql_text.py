"""Names and texts in Spark's SQL."""

from __future__ import annotations


def quoted(name: str) -> str:
    """Write a column's name in SQL."""
    return f"`{name.replace('`', '``')}`"


def literal(text: str) -> str:
    """Write a text in SQL so that nothing in it is substituted, whatever the session's settings are."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"
