"""Names and texts in Spark's SQL: a name or a text in, its SQL out. Pure."""

from __future__ import annotations


def quoted_name(name: str) -> str:
    """Return a name in backquotes."""
    return f"`{name.replace('`', '``')}`"


def literal(text: str) -> str:
    """Return a text as a Spark literal in which nothing is substituted, with any settings of the session."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"
