"""Which contract a key belongs to: a key and the published patterns in, the contract or the reason why none out.

Patterns: literal text, `?` one character, `*` any within one path part, `**` any across parts, `{name}` one or more
characters within a part, `{name:%Y-%m-%d}` a date or time (strptime parts of fixed width). A pattern matches the whole key.
Matching walks the set of reachable positions token by token, so its time is linear in key x pattern whatever the key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Literal

from contracts.errors import PatternInvalid

WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "y": 2, "j": 3}
"""The strptime parts that a pattern may use, and how many digits each takes."""

Kind = Literal["literal", "one", "part", "many", "across", "date"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a pattern; `text` is the literal or the strptime format, `name` the record's name for what it matched."""

    kind: Kind
    text: str = ""
    name: str | None = None

    @property
    def width(self) -> int:
        """How many characters a date takes."""
        return sum(WIDTHS[p[1]] if p.startswith("%") else 1 for p in re.findall(r"%.|.", self.text))


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the pattern index: a contract, its plan, and the keys that are its own."""

    contract: str
    plan: str
    producer: str
    files: tuple[str, ...]
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """The pattern index of one publish; immutable, named by its hash."""

    entries: tuple[Entry, ...] = ()
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Pointer:
    """`catalog/current.json`: the one object of the catalog that changes."""

    index: str
    published_at: str
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Matched:
    """The one contract that claims a key, and what the pattern's named parts stand for in it."""

    entry: Entry
    pattern: str
    parts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A key that no contract claims; `nearest` is the pattern that went furthest, `reason` where it stopped."""

    key: str
    reason: str
    nearest: Entry | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A key that more than one contract claims; nobody may guess which was meant."""

    key: str
    contracts: tuple[str, ...]


Match = Matched | Unmatched | Ambiguous


@cache
def tokens(pattern: str) -> tuple[Token, ...]:
    """A pattern read into tokens; PatternInvalid says what cannot be read."""
    found: list[Token] = []
    names: set[str] = set()
    for piece in re.findall(r"\*\*|\*|\?|\{[^{}]*\}|[^*?{}]+|[{}]", pattern):
        token = _token(piece, pattern)
        if token.name in names and token.name is not None:
            raise PatternInvalid(f"`{pattern}` names {{{token.name}}} twice; give each part its own name")
        names |= {token.name} if token.name else set()
        found.append(token)
    if not found:
        raise PatternInvalid("the pattern is empty; write the keys that the contract is for, as `orders/*.csv`")
    return tuple(found)


def _token(piece: str, pattern: str) -> Token:
    if piece in ("*", "**", "?"):
        return Token({"*": "many", "**": "across", "?": "one"}[piece])  # type: ignore[arg-type]
    if piece in ("{", "}"):
        raise PatternInvalid(f"`{pattern}` has a `{piece}` without its other half")
    if not piece.startswith("{"):
        return Token("literal", piece)
    name, colon, form = piece[1:-1].partition(":")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise PatternInvalid(f"`{piece}` in `{pattern}`: a name is letters, digits and _, as {{state}} or {{date:%Y-%m-%d}}")
    if not colon:
        return Token("part", name=name)
    unknown = [p for p in re.findall(r"%(.?)", form) if p not in WIDTHS]
    if unknown or "%" not in form or "/" in form:
        raise PatternInvalid(f"`{piece}` in `{pattern}`: a date is written with {', '.join('%' + w for w in WIDTHS)} and within one part")
    return Token("date", form, name)


def literal_folder(pattern: str) -> str:
    """The folder that every key of a pattern lies in, ending in `/`; empty when the pattern begins with a wildcard."""
    first = tokens(pattern)[0]
    return first.text[: first.text.rfind("/") + 1] if first.kind == "literal" else ""


def _steps(token: Token, key: str, at: int) -> set[int]:
    """The positions that a token can reach in `key` from position `at`."""
    if token.kind == "literal":
        return {at + len(token.text)} if key.startswith(token.text, at) else set()
    if token.kind == "date":
        return {at + token.width} if _is_date(key[at : at + token.width], token.text) else set()
    if token.kind == "across":
        return set(range(at, len(key) + 1))
    end = key.find("/", at)
    end = len(key) if end < 0 else end
    if token.kind == "one":
        return {at + 1} if at < end else set()
    return set(range(at + (token.kind == "part"), end + 1))


@cache
def _is_date(text: str, form: str) -> bool:
    if not all(c.isascii() for c in text):
        return False
    try:
        return datetime.strptime(text, form).strftime(form) == text
    except ValueError:
        return False


def _reach(pattern: tuple[Token, ...], key: str) -> list[set[int]]:
    reached = [{0}]
    for token in pattern:
        now: set[int] = set()
        for at in sorted(reached[-1]):
            if token.kind == "across":
                now = set(range(at, len(key) + 1))
                break
            if at not in now or token.kind not in ("many",):
                now |= _steps(token, key, at)
        reached.append(now)
    return reached


def captures(pattern: str, key: str) -> dict[str, str] | None:
    """What the named parts of a pattern stand for in a key; None when it does not match."""
    toks = tokens(pattern)
    reached = _reach(toks, key)
    if len(key) not in reached[-1]:
        return None
    parts: dict[str, str] = {}
    at = len(key)
    for n in range(len(toks) - 1, -1, -1):
        begin = next(b for b in sorted(reached[n]) if at in _steps(toks[n], key, b))
        if (name := toks[n].name) is not None:
            parts[name] = key[begin:at]
        at = begin
    return dict(reversed(parts.items()))


def match(index: Index, key: str) -> Match:
    """The contract that claims a key, or why none does."""
    found = [(e, p, c) for e in index.entries for p in e.files if (c := captures(p, key)) is not None]
    contracts = tuple(dict.fromkeys(e.contract for e, _, _ in found))
    if len(contracts) > 1:
        return Ambiguous(key, contracts)
    if found:
        entry, pattern, parts = found[0]
        return Matched(entry, pattern, parts)
    return _nearest(index, key)


def _nearest(index: Index, key: str) -> Unmatched:
    """The pattern that goes furthest along the key; where it stops is what the producer wants to know."""
    best: tuple[int, Entry, str, str] | None = None
    for entry in index.entries:
        for pattern in entry.files:
            far, wanted = _stop(tokens(pattern), key)
            if best is None or far > best[0]:
                best = (far, entry, pattern, wanted)
    if best is None:
        return Unmatched(key, "no contract is published yet")
    far, entry, pattern, wanted = best
    if _matches_but_for_case(tokens(pattern), key):
        return Unmatched(key, f"it differs from `{pattern}` ({entry.contract}) by upper and lower case only", entry, pattern)
    found = f"`{key[far:][:40]}`" if far < len(key) else "the end"
    begins = f"begins as `{key[:far]}`, then" if far else "begins otherwise: it"
    return Unmatched(key, f"nearest is `{pattern}` ({entry.contract}): the key {begins} wants {wanted} and finds {found}", entry, pattern)


def _matches_but_for_case(toks: tuple[Token, ...], key: str) -> bool:
    folded = tuple(replace(t, text=t.text.casefold()) if t.kind == "literal" else t for t in toks)
    return len(key.casefold()) in _reach(folded, key.casefold())[-1]


def _stop(toks: tuple[Token, ...], key: str) -> tuple[int, str]:
    reached = _reach(toks, key)
    last = max(n for n, at in enumerate(reached) if at)
    far = max(reached[last])
    if last == len(toks):
        return far, "the end"
    token = toks[last]
    if token.kind != "literal":
        return far, f"a date like {datetime(2026, 1, 31).strftime(token.text)}" if token.kind == "date" else "at least one character"
    best = max(range(len(token.text)), key=lambda n: max((at + n for at in reached[last] if key.startswith(token.text[:n], at)), default=-1))
    return max(at + best for at in reached[last] if key.startswith(token.text[:best], at)), f"`{token.text[best:]}`"
