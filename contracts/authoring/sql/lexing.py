r"""Texts in quotes, names in backquotes and comments of an SQL text, as Spark's own lexer parts them.

The parser that reads the rest has another opinion of each: it makes `OBrien` of `'O''Brien'`, ends a comment where
Spark goes on, and takes `{# ... #}` for one. So this module reads these parts, and shows the parser blanks in place of
comments and a plain literal of the same length in place of texts. The source of the rules is Spark 4.1's
SqlBaseLexer.g4 and SparkParserUtils.unescapeSQLString.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from contracts.authoring.sql.unreadable import Unreadable

PIECE = re.compile(
    r"""(?P<comment>--(?:\\\n|[^\r\n])*)|(?P<bracketed>/\*)|(?P<raw>[rR]'[^']*')|(?P<doubled>[rR]?"(?:[^"\\]|\\.|"")*")"""
    r"""|(?P<text>'(?:[^'\\]|\\.|'')*')|(?P<name>`(?:[^`]|``)*`)|(?P<word>\w+)|(?P<blank>\s+)|(?P<open>['"`])|(?P<brace>[{}]|\|>)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
NESTED = re.compile(r"(?P<opened>/\*(?!\+))|\*/", re.DOTALL)
ESCAPE = re.compile(
    r"\\u(?P<short>[0-9a-fA-F]{4})|\\U(?P<long>[0-9a-fA-F]{8})|\\(?P<octal>[01][0-7]{2})|\\(?P<letter>.)|''", re.DOTALL
)
LETTERS = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
LOST = re.compile(r"(?<!\\)(?:\\\\)*\\[dDwWsS]")
"""A backslash that Spark drops, and that a pattern cannot do without."""
SUBSTITUTED = re.compile(r"\$\{(?!\d+(?:,\d*)?\})[^{}]*\}?")
"""What Spark puts the environment, or a setting of its own, in place of; a dollar sign with a count is none."""
HIGHEST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Lexed:
    """A text for the parser, as long as the one that was written; the values of its literals by where they begin.

    `lost` are those values of which Spark drops a backslash that a pattern needs.
    """

    masked: str
    literals: Mapping[int, str]
    lost: frozenset[str]


@dataclass(slots=True)
class _Literal:
    """Texts in quotes that follow each other, which are one."""

    start: int
    end: int
    value: str
    lost: bool


def lexed(text: str) -> Lexed:
    """The parts of a text that only Spark's lexer reads right; raises Unreadable."""
    if found := SUBSTITUTED.search(text):
        raise Unreadable(
            f"`{found[0][:40]}` stands for nothing here.",
            "Name a parameter of the entry; where the text itself is meant, write `\\u0024{` for `${`.",
        )
    blanked: set[int] = set()
    masked, literals = list(text), list(_literals(text, blanked))
    for at in blanked:
        masked[at] = "\n" if text[at] == "\n" else " "
    for literal in literals:
        inner = text[literal.start + 1 : literal.end - 1]
        masked[literal.start : literal.end] = ["'", *("\n" if c == "\n" else "x" for c in inner), "'"]
    return Lexed(
        "".join(masked),
        {one.start: one.value for one in literals},
        frozenset(one.value for one in literals if one.lost),
    )


def _literals(text: str, blanked: set[int]) -> Iterator[_Literal]:
    """The literals of a text, in their order; where comments stand is noted."""
    last: _Literal | None = None
    at = 0
    while at < len(text):
        found = PIECE.match(text, at)
        assert found  # every character is a piece
        start, at, kind = at, found.end(), str(found.lastgroup)
        if kind == "bracketed":
            at = _end_of_comment(text, start)
        if kind in ("comment", "bracketed"):
            blanked.update(range(start, at))
        elif kind in ("raw", "text"):
            own = found[0][2:-1] if kind == "raw" else unescaped(found[0][1:-1])
            lost = kind == "text" and bool(LOST.search(found[0]))
            if last is None:
                last = _Literal(start, at, own, lost)
            else:
                last = _Literal(last.start, at, _whole(last.value + own), last.lost or lost)
        elif kind != "blank":
            _refuse(kind, found[0])
            if last is not None:
                yield last
            last = None
    if last is not None:
        yield last


def _refuse(kind: str, piece: str) -> None:
    """Refuse what Spark reads otherwise than people do, and what it does not read."""
    if kind == "doubled":
        inner = piece.lstrip("rR")[1:-1]
        raise Unreadable(
            f"`{piece:.60}` in double quotes is text for Spark, never a name.",
            f"Write {named(inner)[:60]} if the property is meant, {quoted(inner)[:60]} if the text is.",
        )
    if kind == "open":
        raise Unreadable(f"A `{piece}` is never closed.", "Write it a second time where the text or the name ends.")
    if kind == "brace":
        raise Unreadable(f"`{piece}` is not known in SQL of a contract.", "Leave it out; if it is text, write quotes.")


def _end_of_comment(text: str, start: int) -> int:
    """Return the end of a comment in `/* */`, including nested comments."""
    if text.startswith("/*+", start):
        raise Unreadable("`/*+` begins a hint for Spark.", "Leave it out: dropgate plans its queries itself.")
    depth, at = 1, start + 2
    while depth:
        found = NESTED.search(text, at)
        if found is None:
            raise Unreadable("A comment `/*` is never closed.", "Write `*/` where it ends, once for each `/*`.")
        depth, at = depth + (1 if found["opened"] else -1), found.end()
    return at


def unescaped(inner: str) -> str:
    """The value of a text between single quotes; raises Unreadable where it has half a character."""

    def one(found: re.Match[str]) -> str:
        if code := found["short"] or found["long"]:
            number = int(code, 16)
            if number > HIGHEST:
                raise Unreadable(f"`{found[0]}` is not a character.", "The last one is `\\U0010FFFF`.")
            return chr(number)
        if found["octal"]:
            return chr(int(found["octal"], 8))
        letter = found["letter"]
        return "'" if letter is None else LETTERS.get(letter, letter)

    return _whole(ESCAPE.sub(one, inner))


def _whole(value: str) -> str:
    """A text whose characters are whole: halves, as Java escapes them, are put together."""
    try:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise Unreadable(
            "A text in quotes has half a character.", "Write both halves, or `\\U` and 8 digits."
        ) from error


def quoted(value: str) -> str:
    """A text as a literal of Spark's, in which nothing is substituted, whatever the session's settings are."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"


def named(name: str) -> str:
    """A name in backquotes."""
    return f"`{name.replace('`', '``')}`"
