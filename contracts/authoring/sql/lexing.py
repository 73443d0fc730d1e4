r"""Texts in quotes, names in backquotes and comments of an SQL text, split as Spark's own lexer splits them.

The parser of the rest reads them differently: it reads `'O''Brien'` as `OBrien`, ends a comment where Spark continues,
and takes `{# ... #}` for a comment. So this module reads these parts, and replaces comments by blanks and texts by a
plain literal of the same length before parsing. The source of the rules is Spark 4.1's SqlBaseLexer.g4 and
SparkParserUtils.unescapeSQLString.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from contracts.authoring.sql.refusal import SqlRefused
from contracts.values.sql_text import literal, quoted_name

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
"""A backslash that Spark drops and that a pattern needs."""
SUBSTITUTED = re.compile(r"\$\{(?!\d+(?:,\d*)?\})[^{}]*\}?")
"""Text that Spark replaces by the environment or a setting; a dollar sign before a count is not replaced."""
HIGHEST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Lexed:
    """A text for the parser, of the same length as the original; the values of its literals by their start.

    `lost` are the values from which Spark drops a backslash that a pattern needs.
    """

    masked: str
    literals: Mapping[int, str]
    lost: frozenset[str]


@dataclass(slots=True)
class _Literal:
    """Adjacent texts in quotes, which are one literal."""

    start: int
    end: int
    value: str
    lost: bool


def lexed(text: str) -> Lexed:
    """Read the parts of a text that need Spark's own rules; raises SqlRefused."""
    if substitution := SUBSTITUTED.search(text):
        raise SqlRefused(
            f"`{substitution[0][:40]}` has no value here.",
            "Name a parameter of the entry; where the text itself is meant, write `\\u0024{` for `${`.",
        )
    blanked: set[int] = set()
    masked, literals = list(text), list(_literals(text, blanked))
    for at in blanked:
        masked[at] = "\n" if text[at] == "\n" else " "
    for quoted in literals:
        inner = text[quoted.start + 1 : quoted.end - 1]
        masked[quoted.start : quoted.end] = ["'", *("\n" if c == "\n" else "x" for c in inner), "'"]
    return Lexed(
        "".join(masked),
        {quoted.start: quoted.value for quoted in literals},
        frozenset(quoted.value for quoted in literals if quoted.lost),
    )


def _literals(text: str, blanked: set[int]) -> Iterator[_Literal]:
    """Yield the literals of a text in order; add the positions of comments to `blanked`."""
    last: _Literal | None = None
    at = 0
    while at < len(text):
        piece = PIECE.match(text, at)
        assert piece  # every character is a piece
        start, at, kind = at, piece.end(), str(piece.lastgroup)
        if kind == "bracketed":
            at = _end_of_comment(text, start)
        if kind in ("comment", "bracketed"):
            blanked.update(range(start, at))
        elif kind in ("raw", "text"):
            own = piece[0][2:-1] if kind == "raw" else unescaped(piece[0][1:-1])
            lost = kind == "text" and bool(LOST.search(piece[0]))
            if last is None:
                last = _Literal(start, at, own, lost)
            else:
                last = _Literal(last.start, at, _joined_surrogates(last.value + own), last.lost or lost)
        elif kind != "blank":
            _refuse(kind, piece[0])
            if last is not None:
                yield last
            last = None
    if last is not None:
        yield last


def _refuse(kind: str, piece: str) -> None:
    """Refuse pieces that Spark reads differently from people, or does not read."""
    if kind == "doubled":
        inner = piece.lstrip("rR")[1:-1]
        raise SqlRefused(
            f"`{piece:.60}` in double quotes is text for Spark, never a name.",
            f"Write {quoted_name(inner)[:60]} if the property is meant, {literal(inner)[:60]} if the text is.",
        )
    if kind == "open":
        raise SqlRefused(f"A `{piece}` is never closed.", "Write it a second time where the text or the name ends.")
    if kind == "brace":
        raise SqlRefused(f"`{piece}` is not known in SQL of a contract.", "Leave it out; if it is text, write quotes.")


def _end_of_comment(text: str, start: int) -> int:
    """Return the end of a comment in `/* */`, including nested comments."""
    if text.startswith("/*+", start):
        raise SqlRefused("`/*+` begins a hint for Spark.", "Leave it out: dropgate plans its queries itself.")
    depth, at = 1, start + 2
    while depth:
        bracket = NESTED.search(text, at)
        if bracket is None:
            raise SqlRefused("A comment `/*` is never closed.", "Write `*/` where it ends, once for each `/*`.")
        depth, at = depth + (1 if bracket["opened"] else -1), bracket.end()
    return at


def unescaped(inner: str) -> str:
    """Return the value of a text between single quotes; raises SqlRefused if it has half a character."""

    def character(escape: re.Match[str]) -> str:
        if code := escape["short"] or escape["long"]:
            number = int(code, 16)
            if number > HIGHEST:
                raise SqlRefused(f"`{escape[0]}` is not a character.", "The last one is `\\U0010FFFF`.")
            return chr(number)
        if escape["octal"]:
            return chr(int(escape["octal"], 8))
        letter = escape["letter"]
        return "'" if letter is None else LETTERS.get(letter, letter)

    return _joined_surrogates(ESCAPE.sub(character, inner))


def _joined_surrogates(value: str) -> str:
    """Return a text with Java's escaped surrogate halves joined to characters."""
    try:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise SqlRefused(
            "A text in quotes has half a character.", "Write both halves, or `\\U` and 8 digits."
        ) from error
