"""Names and texts as Spark's SQL has them."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A column's name in SQL."""
    return f"`{name.replace('`', '``')}`"


def literal(text: str) -> str:
    """A text as SQL has it, in which nothing is substituted, whatever the session's settings are."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"
