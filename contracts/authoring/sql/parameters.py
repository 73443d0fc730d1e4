"""Names in SQL texts, as `${most}`: texts and the values of names in, the texts without names out.

A value is written as an SQL literal of its type, so that it is one value in any place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import sqlglot

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.problem import nearest, quoted
from contracts.values import sql_text

STANDARD = ("object", "table", "model", "property", "column")
"""Placeholders of the standard, by their names over its versions; older documents write them without `$`."""
NAME = re.compile(rf"\$\{{(?P<name>[^{{}}]*)\}}|\{{(?P<bare>{'|'.join(STANDARD)})\}}")
PIECE = re.compile(
    r"""(?P<comment>--(?:\\\n|[^\r\n])*|/\*.*?\*/)"""
    r"""|(?P<quoted>(?<!\w)[rR]'[^']*'|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`)"""
    rf"|{NAME.pattern}",
    re.DOTALL,
)
"""A comment, a text in quotes or a name in backquotes; or a name to be filled in."""
OURS = ("object", "table", "property", "column")
"""Names that already have a meaning."""
DATED = ("date", "timestamp")


class Names:
    """Fills names in; `used` collects the names in the texts."""

    def __init__(self, document: Document, values: Mapping[str, str]) -> None:
        self._document, self._values = document, values
        self.used: set[str] = set()

    def fill(self, path: Path, text: Any) -> Any:
        """Return a text with SQL in place of names; report names that are unknown or within quotes."""
        if not isinstance(text, str):
            return text

        def filled(piece: re.Match[str]) -> str:
            if piece["comment"] is not None:
                return NAME.sub(value_of, piece[0])
            if piece["quoted"] is not None:
                for inner in NAME.finditer(piece[0]):
                    if (name := (inner["name"] or "").strip()) in self._values:
                        message = f"`{inner[0]}` is within quotes."
                        fix = "Leave the quotes out: a value brings its own."
                        self._document.error(path, "bad-parameter", message, fix)
                        self.used.add(name)
                return piece[0]
            return value_of(piece)

        def value_of(named: re.Match[str]) -> str:
            name = (named["bare"] or named["name"]).strip()
            self.used.add(name)
            if name not in self._values:
                close = nearest(name, self._values)
                advice = (
                    f"There are {quoted(f'${{{n}}}' for n in self._values)}."
                    if self._values
                    else "Name it in `parameters`."
                )
                fix = f"Write `${{{close}}}`." if close else advice
                self._document.error(path, "bad-parameter", f"`${{{name:.40}}}` has no value here.", fix)
            return self._values.get(name, "null")

        return PIECE.sub(filled, text)


def values(document: Document, path: Path, written: Any) -> dict[str, str]:
    """Return the SQL of each parameter; report parameters whose value is not valid in SQL."""
    if not isinstance(written, dict):
        document.wrong_type(path, "a mapping of names and values")
        return {}
    literals: dict[str, str] = {}
    for name, value in written.items():
        at: Path = (*path, name)
        if name in OURS:
            message = f"`${{{name}}}` has a meaning of its own already."
            document.error(at, "bad-parameter", message, "Give the parameter another name.", on_key=True)
        elif (sql := literal(value)) is None:
            what = "a number, text, true or false, a list of them, or `{logicalType: date, value: 2026-01-31}`"
            document.wrong_type(at, what)
        else:
            literals[name] = sql
    return literals


def literal(value: Any) -> str | None:
    """Return a value as a literal of Spark's SQL; None if it has none."""
    match value:
        case bool():
            return str(value).lower()
        case int() | Decimal():
            text = f"{value:f}" if isinstance(value, Decimal) else str(value)
            return f"({text})" if value < 0 else text
        case str():
            return sql_text.literal(value)
        case list() if value:
            parts = [literal(part) for part in value]
            return (
                None if None in parts or any(isinstance(p, list) for p in value) else f"({', '.join(map(str, parts))})"
            )
        case {"logicalType": str(kind), "value": str(text)} if kind in DATED and len(value) == len(DATED):
            return f"{kind} {literal(text)}"
    return None


def quoted_name(name: str) -> str:
    """Return a name in SQL: in backquotes, unless it is a plain word."""
    tokens = sqlglot.tokenize(name, read="spark") if name.isidentifier() and name.isascii() else []
    if [token.token_type for token in tokens] == [sqlglot.TokenType.VAR]:
        return name
    return sql_text.quoted_name(name)


def plain(value: Any) -> Any:
    """Return values of a document as JSON values."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
