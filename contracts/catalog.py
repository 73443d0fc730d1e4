"""Which contract a key belongs to: a key and the published patterns in, the contract or the reason why none out.

Patterns: literal text, `?` one character, `*` any within one path part, `**` any across parts, `{name}` one or more
characters within a part, `{name:%Y-%m-%d}` a date or time (strptime parts of fixed width). A pattern matches the whole key;
where a named part could be shorter or longer, the parts to its left are the short ones.
Matching walks the set of reachable positions token by token; the sets are bits of an integer, so that a key of 1,024 bytes
takes milliseconds at most, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from contracts.errors import PatternInvalid
from contracts.problem import nearest, quoted

WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "y": 2, "j": 3}
"""The strptime parts that a pattern may use, and how many digits each takes."""

PIECE = re.compile(r"\*\*|\*|\?|\{[^{}]*\}|[^*?{}]+|[{}]")
EXAMPLE = datetime(2026, 1, 31, 13, 45, 7, tzinfo=UTC)
Kind = Literal["literal", "one", "part", "many", "across", "date"]
WILDCARDS: dict[str, Kind] = {"*": "many", "**": "across", "?": "one"}


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
    for piece in PIECE.findall(pattern):
        token = _token(piece, pattern)
        if token.name in names:
            raise PatternInvalid(f"`{pattern}` names {{{token.name}}} twice; give each part its own name")
        if token.name:
            names.add(token.name)
        found.append(token)
    if not found:
        raise PatternInvalid("the pattern is empty; write the keys that the contract is for, as `orders/*.csv`")
    return tuple(found)


def _token(piece: str, pattern: str) -> Token:
    if piece in WILDCARDS:
        return Token(WILDCARDS[piece])
    if piece in ("{", "}"):
        raise PatternInvalid(f"`{pattern}` has a `{piece}` without its other half")
    if not piece.startswith("{"):
        return Token("literal", piece)
    name, colon, form = piece[1:-1].partition(":")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise PatternInvalid(
            f"`{piece}` in `{pattern}`: a name is letters, digits and _, as {{state}} or {{date:%Y-%m-%d}}"
        )
    if not colon:
        return Token("part", name=name)
    parts = re.findall(r"%(.?)", form)
    if not parts or "/" in form or any(p not in WIDTHS for p in parts):
        allowed = ", ".join(f"%{w}" for w in WIDTHS)
        raise PatternInvalid(f"`{piece}` in `{pattern}`: a date is written with {allowed} and within one part")
    if len(set(parts)) < len(parts) or {"Y", "y"} <= set(parts) or ("j" in parts and {"m", "d"} & set(parts)):
        raise PatternInvalid(f"`{piece}` in `{pattern}` says a part of the date twice; keep one of them")
    return Token("date", form, name)


def literal_folder(pattern: str) -> str:
    """The folder that every key of a pattern lies in, ending in `/`; empty when the pattern begins with a wildcard."""
    first = tokens(pattern)[0]
    return first.text[: first.text.rfind("/") + 1] if first.kind == "literal" else ""


def is_date(text: str, form: str) -> bool:
    """Whether a text is a date of a strptime format, digit by digit."""
    try:
        return text.isascii() and datetime.strptime(text, form).strftime(form) == text  # noqa: DTZ007
    except ValueError:
        return False


def _upto(at: int) -> int:
    return (1 << (at + 1)) - 1


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


@dataclass(frozen=True, slots=True)
class _Walk:
    """A key as the matcher sees it: its length, and where its path parts begin and end."""

    key: str
    parts: tuple[tuple[int, int], ...]

    @classmethod
    def along(cls, key: str) -> _Walk:
        ends = [*(m.start() for m in re.finditer("/", key)), len(key)]
        return cls(key, tuple(zip((0, *(e + 1 for e in ends)), ends, strict=False)))

    def after(self, token: Token, reached: int) -> int:
        """The positions that a token leads to from `reached`; bit n stands for position n."""
        if not reached:
            return 0
        if token.kind == "literal":
            return self._moved(reached, re.finditer(f"(?={re.escape(token.text)})", self.key), len(token.text))
        if token.kind == "date":
            hits = (m for m in re.finditer(rf"(?=({_shape(token.text)}))", self.key) if is_date(m[1], token.text))
            return self._moved(reached, hits, token.width)
        if token.kind == "across":
            return _upto(len(self.key)) & ~(_upto(_lowest(reached)) >> 1)
        return self._within(token, reached)

    def _moved(self, reached: int, hits: Iterator[re.Match[str]], width: int) -> int:
        found = 0
        for hit in hits:
            if reached >> hit.start() & 1:
                found |= 1 << (hit.start() + width)
        return found

    def _within(self, token: Token, reached: int) -> int:
        found = 0
        for begin, end in self.parts:
            here = reached & _upto(end) & ~(_upto(begin) >> 1)
            if here and token.kind == "one":
                found |= (here << 1) & _upto(end)
            elif here:
                first = _lowest(here) + (token.kind == "part")
                found |= _upto(end) & ~(_upto(first) >> 1)
        return found

    def all_after(self, toks: tuple[Token, ...]) -> list[int]:
        """The positions reached before the first token and after each."""
        reached = [1]
        for token in toks:
            reached.append(self.after(token, reached[-1]))
        return reached

    def begin(self, token: Token, reached: int, end: int) -> int:
        """Where a token that ends at `end` began: of several places the leftmost."""
        if token.kind in ("literal", "date", "one"):
            return end - {"literal": len(token.text), "date": token.width if token.kind == "date" else 0, "one": 1}[token.kind]
        if token.kind == "across":
            return _lowest(reached)
        folder = self.key.rfind("/", 0, end) + 1
        return _lowest(reached & ~(_upto(folder) >> 1))


@cache
def _shape(form: str) -> str:
    parts = re.findall(r"%.|.", form)
    return "".join(f"[0-9]{{{WIDTHS[p[1]]}}}" if p.startswith("%") else re.escape(p) for p in parts)


def captures(pattern: str, key: str) -> dict[str, str] | None:
    """What the named parts of a pattern stand for in a key; None when it does not match."""
    toks = tokens(pattern)
    walk = _Walk.along(key)
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


@dataclass(frozen=True, slots=True)
class _Miss:
    """How far a pattern goes along a key: the last position reached, the first token that leads nowhere, and where it is tried."""

    entry: Entry
    pattern: str
    far: int
    token: int
    tried: int


def _nearest(index: Index, key: str) -> Unmatched:
    """The pattern that goes furthest along the key; where it stops is what the producer wants to know."""
    misses = [_miss(entry, pattern, key) for entry in index.entries for pattern in entry.files]
    if not misses:
        return Unmatched(key, "no contract is published yet")
    alike = next((m for m in misses if _differs_by_case(m.pattern, key)), None)
    miss = alike or max(misses, key=lambda m: m.far)
    about = f"`{miss.pattern}` ({miss.entry.contract})"
    if alike:
        return Unmatched(key, f"it differs from {about} by upper and lower case only", miss.entry, miss.pattern)
    if not miss.far:
        return Unmatched(key, f"no contract has keys that begin like it; they begin with {_beginnings(index, key)}")
    return Unmatched(key, f"nearest is {about}: {_reason(miss, key)}", miss.entry, miss.pattern)


def _beginnings(index: Index, key: str) -> str:
    """The folders of the contracts, the one that was most likely meant first."""
    folders = list(dict.fromkeys(literal_folder(p) or p for e in index.entries for p in e.files))
    meant = nearest(key[: key.rfind("/") + 1] or key, folders)
    return quoted(sorted(folders, key=lambda f: f != meant), most=4)


def _differs_by_case(pattern: str, key: str) -> bool:
    toks = tuple(replace(t, text=t.text.casefold()) if t.kind == "literal" else t for t in tokens(pattern))
    folded = key.casefold()
    return bool(_Walk.along(folded).all_after(toks)[-1] >> len(folded) & 1)


def _miss(entry: Entry, pattern: str, key: str) -> _Miss:
    toks = tokens(pattern)
    reached = _Walk.along(key).all_after(toks)
    stop = max(n for n, at in enumerate(reached) if at)
    ends = [n for n in range(reached[stop].bit_length()) if reached[stop] >> n & 1]
    if stop == len(toks) or toks[stop].kind != "literal":
        return _Miss(entry, pattern, ends[-1], stop, ends[-1])
    tried = max(ends, key=lambda at: (_common(toks[stop].text, key[at:]), at))
    return _Miss(entry, pattern, tried + _common(toks[stop].text, key[tried:]), stop, tried)


def _common(wanted: str, found: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), min(len(wanted), len(found)))


def _reason(miss: _Miss, key: str) -> str:
    """Where a pattern and a key part, in a sentence that goes on from the pattern's name."""
    toks = tokens(miss.pattern)
    if miss.token == len(toks):
        rest = key[miss.far :]
        return f"the key goes on with `{rest:.40}`" + (", in a deeper folder" if "/" in rest else "")
    token = toks[miss.token]
    if token.kind == "date":
        found = key[miss.far : miss.far + token.width].partition("/")[0]
        wanted = f"a date like {EXAMPLE.strftime(token.text)} ({token.text})"
        return f"`{found}` is not {wanted}" if found else f"after `{key[: miss.far]}` it wants {wanted}"
    if token.kind != "literal":
        return f"after `{key[: miss.far]}` it wants at least one character more"
    before = toks[miss.token - 1].kind if miss.token else "literal"
    if miss.token == len(toks) - 1 and before in ("many", "across", "part"):
        return _wrong_end(token.text, key, miss)
    return _wrong_part(token.text, key, miss)


def _wrong_end(wanted: str, key: str, miss: _Miss) -> str:
    begin = next(begin for begin, end in reversed(_Walk.along(key).parts) if begin <= miss.tried)
    name = key[begin:].partition("/")[0]
    if "/" not in wanted and begin + len(name) < len(key):
        return f"the folder `{name}/` is one too many"
    dot = name.rfind(".")
    ending = name[dot:] if dot > 0 else name
    return f"the key must end in `{wanted}`, it ends in `{ending[-40:]}`"


def _wrong_part(wanted: str, key: str, miss: _Miss) -> str:
    """Name the two path parts that differ, whole where the pattern spells the whole part out."""
    done = miss.far - miss.tried
    since = wanted.rfind("/", 0, done) + 1
    begin = miss.tried + since
    whole = begin == 0 or key[begin - 1 : begin] == "/"
    expected = wanted[since if whole else done :]
    expected = expected[: expected.find("/") + 1] or expected
    found = key[begin if whole else miss.far :]
    found = found[: found.find("/") + 1] or found
    after = key[: begin if whole else miss.far]
    has = f"has `{found:.40}`" if found else "ends"
    return f"{f'after `{after}` ' if after else ''}it wants `{expected}`, the key {has}"
