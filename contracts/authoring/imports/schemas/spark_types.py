"""Types of Spark SQL: tokens of a text in, an ODCS property without its name out.

A small parser of its own, because Spark's needs a JVM. Names and parameters are those of Spark 4.1, "Data Types".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DEEPEST = 40
OPTIONS = "logicalTypeOptions"
TYPES: dict[str, dict[str, Any]] = {
    "string": {"logicalType": "string"},
    "boolean": {"logicalType": "boolean"},
    "tinyint": {"logicalType": "integer", OPTIONS: {"format": "i8"}},
    "byte": {"logicalType": "integer", OPTIONS: {"format": "i8"}},
    "smallint": {"logicalType": "integer", OPTIONS: {"format": "i16"}},
    "short": {"logicalType": "integer", OPTIONS: {"format": "i16"}},
    "int": {"logicalType": "integer", OPTIONS: {"format": "i32"}},
    "integer": {"logicalType": "integer", OPTIONS: {"format": "i32"}},
    "bigint": {"logicalType": "integer"},
    "long": {"logicalType": "integer"},
    "float": {"logicalType": "number", OPTIONS: {"format": "f32"}},
    "real": {"logicalType": "number", OPTIONS: {"format": "f32"}},
    "double": {"logicalType": "number"},
    "date": {"logicalType": "date"},
    "timestamp": {"logicalType": "timestamp"},
    "timestamp_ltz": {"logicalType": "timestamp"},
    "timestamp_ntz": {"logicalType": "timestamp", OPTIONS: {"timezone": False}},
    "binary": {"logicalType": "string", "physicalType": "binary"},
}
SIZED = ("varchar", "char", "character")
"""Text types with a length: `varchar(n)`."""
DECIMALS = ("decimal", "dec", "numeric")
PLAIN_DECIMAL = (10, 0)
"""Precision and scale of a decimal that gives none."""
WITHOUT = ("void", "null", "interval", "variant", "time", "geography", "geometry", "object")
"""Types of Spark that have no equivalent in a contract."""
TOKEN = re.compile(
    r"""(?P<blank>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<text>'(?:[^'\\]|\\.|'')*(?:'|\Z)|"(?:[^"\\]|\\.|"")*(?:"|\Z))
    | (?P<word>[^\W\d]\w*)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name in backquotes, a text in quotes, a number or a sign, with its position."""

    kind: str
    text: str
    line: int
    column: int

    @property
    def name(self) -> str | None:
        """The name in a word or in backquotes; None for other tokens."""
        if self.kind == "quoted":
            return self.text[1:-1].replace("``", "`")
        return self.text if self.kind == "word" else None

    @property
    def value(self) -> str:
        """Return the content of a quoted text."""
        inner = self.text[1:-1].replace(self.text[0] * 2, self.text[0])
        return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), inner, flags=re.DOTALL)

    def __str__(self) -> str:
        return f"`{self.text:.40}`" if self.kind != "end" else "the end"


class DdlInvalid(Exception):
    """The text is not valid DDL; has the token and the fix."""

    def __init__(self, token: Token, message: str, fix: str) -> None:
        super().__init__(message)
        self.token, self.fix = token, fix


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text, and one for its end."""
    words, line, start = [], 1, 0
    for match in TOKEN.finditer(text):
        if match.lastgroup != "blank":
            words.append(Token(str(match.lastgroup), match[0], line, match.start() - start + 1))
        if breaks := match[0].count("\n"):
            line += breaks
            start = match.start() + match[0].rindex("\n") + 1
    return [*words, Token("end", "", line, len(text) - start + 1)]


class Tokens:
    """Tokens that are read one by one; `lost` collects what has no equivalent, each with its token."""

    def __init__(self, text: str) -> None:
        self.all = tokens(text)
        self.at = 0
        self.lost: list[tuple[Token, str]] = []

    @property
    def next(self) -> Token:
        """The token to be read next."""
        return self.all[self.at]

    def take(self) -> Token:
        """Read a token."""
        token = self.next
        self.at += token.kind != "end"
        return token

    def has(self, *words: str) -> bool:
        """Read these words or signs, in any case, and return True; return False if others follow."""
        following = self.all[self.at : self.at + len(words)]
        if [t.text.casefold() for t in following if t.kind in {"word", "sign"}] != list(words):
            return False
        self.at += len(words)
        return True

    def want(self, sign: str) -> None:
        """Read a required sign."""
        if not self.has(sign):
            raise DdlInvalid(self.next, f"{self.next} is where `{sign}` is expected.", f"Write `{sign}` before it.")

    def name(self) -> str:
        """Read a required name."""
        name = self.next.name
        if not name:
            raise DdlInvalid(self.next, f"{self.next} is where a name is expected.", "Write a name, or `name` so.")
        self.take()
        return name

    def skipped(self, *stops: str) -> str:
        """Read up to one of some words or signs outside of brackets; return the text that was read."""
        parts, depth = [], 0
        while self.next.kind != "end":
            if not depth and self.next.kind in {"word", "sign"} and self.next.text.casefold() in stops:
                break
            depth += (self.next.text == "(") - (self.next.text == ")")
            parts.append(self.take().text)
        return " ".join(parts)


def property_of(text: Tokens, depth: int = 0) -> dict[str, Any]:
    """Read a type; return its property without a name."""
    token = text.next
    if depth > DEEPEST:
        raise DdlInvalid(token, f"Types are nested more than {DEEPEST} deep.", "Check that it is the right file.")
    kind = text.name().casefold()
    if kind in TYPES:
        prop = dict(TYPES[kind])
        if text.has("collate"):
            text.lost.append((token, f"The collation `{text.name()}` has no equivalent."))
        return prop
    if kind in SIZED:
        (length,) = _figures(text, 1, 1)
        return {"logicalType": "string", OPTIONS: {"maxLength": length}}
    if kind in DECIMALS:
        precision, scale = (*_figures(text, 0, 2), 0, 0)[:2] if text.next.text == "(" else PLAIN_DECIMAL
        return {"logicalType": "number", "physicalType": f"decimal({precision},{scale})"}
    if kind == "array":
        text.want("<")
        element = property_of(text, depth + 1)
        text.want(">")
        return {"logicalType": "array", "items": element}
    if kind == "map":
        text.want("<")
        key = property_of(text, depth + 1)
        text.want(",")
        value = property_of(text, depth + 1)
        text.want(">")
        return {"logicalType": "map", "map": {"key": key, "value": value}}
    if kind == "struct":
        return {"logicalType": "object", "properties": list(_fields(text, depth))}
    if kind in WITHOUT:
        more = text.skipped(",", ")", ">", "not", "comment", "default") if kind == "interval" else ""
        text.lost.append((token, f"The type `{f'{kind} {more}'.strip()}` has no equivalent."))
        return {"physicalType": kind}
    raise DdlInvalid(
        token, f"{token} is no type of Spark.", f"Write one of {', '.join(TYPES)}, decimal, array, map, struct."
    )


def _fields(text: Tokens, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the fields of a struct, with or without colons."""
    text.want("<")
    while not text.has(">"):
        name = text.name()
        text.has(":")
        prop: dict[str, Any] = {"name": name, **property_of(text, depth + 1)}
        if text.has("not", "null"):
            prop["required"] = True
        if text.has("comment"):
            prop["description"] = comment(text)
        yield prop
        if not text.has(","):
            text.want(">")
            return


def comment(text: Tokens) -> str:
    """Read the text of a comment."""
    if text.next.kind != "text":
        raise DdlInvalid(text.next, f"{text.next} is where a text is expected.", "Write the comment in quotes.")
    return text.take().value


def _figures(text: Tokens, least: int, most: int) -> list[int]:
    """Read the integers in brackets after a type."""
    text.want("(")
    figures: list[int] = []
    while not text.has(")"):
        token = text.take()
        if token.kind != "number" or "." in token.text or len(figures) == most or len(token.text) > 9:
            raise DdlInvalid(token, f"{token} is where a number or `)` is expected.", "Write it as `decimal(10,2)`.")
        figures.append(int(token.text))
        text.has(",")
    if len(figures) < least:
        raise DdlInvalid(text.next, "The type says no length.", "Write it as `varchar(10)`.")
    return figures
