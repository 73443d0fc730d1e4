"""Key patterns: a pattern and a key in, the values of the pattern's named parts out (None if it does not match).

Literal text, `?` one character, `*` any within one path part, `**` any across parts, `{name}` one or more characters
within a part, `{name:%Y-%m-%d}` a date or time (strptime parts of fixed width). A pattern matches the whole key; where
a named part could be shorter or longer, the parts to its left are the shortest possible.
Matching walks the set of reachable positions token by token; the sets are bits of an integer, so that a key of 1,024
bytes takes milliseconds, whatever it contains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal

from contracts.errors import PatternInvalid

WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "y": 2, "j": 3}
"""The strptime parts that a pattern may use, and the number of digits of each."""

PIECE = re.compile(r"\*\*|\*|\?|\{[^{}]*\}|[^*?{}]+|[{}]")
TokenKind = Literal["literal", "one", "part", "many", "across", "date"]
WILDCARDS: dict[str, TokenKind] = {"*": "many", "**": "across", "?": "one"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a pattern; `text` is the literal or the strptime format, `name` the name of its match."""

    kind: TokenKind
    text: str = ""
    name: str | None = None

    @property
    def width(self) -> int:
        """The number of characters of a date."""
        return width_of(self.text)

    @classmethod
    def of(cls, piece: str, pattern: str) -> Token:
        """Return the token of a piece of a pattern; raise PatternInvalid if it is none."""
        if piece in WILDCARDS:
            return cls(WILDCARDS[piece])
        if piece in ("{", "}"):
            raise PatternInvalid(f"`{pattern}` has a `{piece}` without its other half")
        if not piece.startswith("{"):
            return cls("literal", piece)
        name, colon, form = piece[1:-1].partition(":")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise PatternInvalid(
                f"`{piece}` in `{pattern}`: a name is letters, digits and _, as {{state}} or {{date:%Y-%m-%d}}"
            )
        if not colon:
            return cls("part", name=name)
        parts = re.findall(r"%(.?)", form)
        if not parts or "/" in form or any(p not in WIDTHS for p in parts):
            allowed = ", ".join(f"%{w}" for w in WIDTHS)
            raise PatternInvalid(f"`{piece}` in `{pattern}`: a date is written with {allowed} and within one part")
        if len(set(parts)) < len(parts) or {"Y", "y"} <= set(parts) or ("j" in parts and {"m", "d"} & set(parts)):
            raise PatternInvalid(f"`{piece}` in `{pattern}` says a part of the date twice; keep one of them")
        return cls("date", form, name)


@cache
def tokens(pattern: str) -> tuple[Token, ...]:
    """Return the tokens of a pattern; raise PatternInvalid if it cannot be read."""
    parsed: list[Token] = []
    names: set[str] = set()
    for piece in PIECE.findall(pattern):
        token = Token.of(piece, pattern)
        if token.name in names:
            raise PatternInvalid(f"`{pattern}` names {{{token.name}}} twice; give each part its own name")
        if token.name:
            names.add(token.name)
        parsed.append(token)
    if not parsed:
        raise PatternInvalid("the pattern is empty; write the keys that the contract is for, as `orders/*.csv`")
    return tuple(parsed)


@cache
def beginning(pattern: str) -> str:
    """Return the text that every key of a pattern begins with; empty if the pattern begins with a wildcard."""
    first = tokens(pattern)[0]
    return first.text if first.kind == "literal" else ""


def literal_folder(pattern: str) -> str:
    """Return the folder of all keys of a pattern, ending in `/`; empty if the pattern begins with a wildcard."""
    text = beginning(pattern)
    return text[: text.rfind("/") + 1]


def is_date(text: str, form: str) -> bool:
    """Return True if a text is a date of a strptime format, digit by digit; without a year it is one of 1900."""
    if "%y" not in form.lower():  # a later Python refuses a day of no year
        return is_date(f"1900 {text}", f"%Y {form}")
    try:
        return text.isascii() and datetime.strptime(text, form).strftime(form) == text  # noqa: DTZ007
    except ValueError:
        return False


def _upto(at: int) -> int:
    return (1 << (at + 1)) - 1


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


@dataclass(frozen=True, slots=True)
class Walk:
    """A key for the matcher, with the start and end of each of its path parts."""

    key: str
    parts: tuple[tuple[int, int], ...]

    @classmethod
    def along(cls, key: str) -> Walk:
        ends = [*(m.start() for m in re.finditer("/", key)), len(key)]
        return cls(key, tuple(zip((0, *(e + 1 for e in ends)), ends, strict=False)))

    def after(self, token: Token, reached: int) -> int:
        """Return the positions that a token leads to from `reached`; bit n is position n."""
        if not reached:
            return 0
        if token.kind == "literal":
            positions, at = 0, self.key.find(token.text)
            while at >= 0:
                positions |= (reached >> at & 1) << (at + len(token.text))
                at = self.key.find(token.text, at + 1)
            return positions
        if token.kind == "date":
            dates = re.finditer(rf"(?=({_shape(token.text)}))", self.key)
            starts = (m.start() for m in dates if is_date(m[1], token.text))
            return sum((reached >> at & 1) << (at + token.width) for at in starts)
        if token.kind == "across":
            return _upto(len(self.key)) & ~(_upto(_lowest(reached)) >> 1)
        positions = 0
        for begin, end in self.parts:
            here = reached & _upto(end) & ~(_upto(begin) >> 1)
            if here and token.kind == "one":
                positions |= (here << 1) & _upto(end)
            elif here:
                first = _lowest(here) + (token.kind == "part")
                positions |= _upto(end) & ~(_upto(first) >> 1)
        return positions

    def all_after(self, toks: tuple[Token, ...]) -> list[int]:
        """Return the positions reached before the first token and after each token."""
        reached = [1]
        for token in toks:
            reached.append(self.after(token, reached[-1]))
        return reached

    def begin(self, token: Token, reached: int, end: int) -> int:
        """Return the leftmost position where a token that ends at `end` can begin."""
        if token.kind in ("literal", "date", "one"):
            return (
                end
                - {"literal": len(token.text), "date": token.width if token.kind == "date" else 0, "one": 1}[token.kind]
            )
        if token.kind == "across":
            return _lowest(reached)
        folder = self.key.rfind("/", 0, end) + 1
        return _lowest(reached & ~(_upto(folder) >> 1))


@cache
def width_of(form: str) -> int:
    """Return the number of characters that a date of a form such as `%Y-%m-%d` takes in a key."""
    return sum(WIDTHS[p[1]] if p.startswith("%") else 1 for p in re.findall(r"%.|.", form))


@cache
def _shape(form: str) -> str:
    parts = re.findall(r"%.|.", form)
    return "".join(f"[0-9]{{{WIDTHS[p[1]]}}}" if p.startswith("%") else re.escape(p) for p in parts)


def captures(pattern: str, key: str) -> dict[str, str] | None:
    """Return the values of a pattern's named parts in a key; None if it does not match."""
    toks = tokens(pattern)
    walk = Walk.along(key)
    reached = walk.all_after(toks)
    if not reached[-1] >> len(key) & 1:
        return None
    parts: dict[str, str] = {}
    end = len(key)
    for n in range(len(toks) - 1, -1, -1):
        begin = walk.begin(toks[n], reached[n], end)
        if (name := toks[n].name) is not None:
            parts[name] = key[begin:end]
        end = begin
    return dict(reversed(parts.items()))
