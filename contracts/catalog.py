"""The contract of a key: a key and the published patterns in, the contract or the reason for none out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from contracts import codec
from contracts.errors import DocumentInvalid
from contracts.plan import Reference
from contracts.problem import nearest, quoted
from contracts.terms.arrival import Arrival
from contracts.terms.key_pattern import Walk, beginning, captures, literal_folder, tokens
from contracts.terms.promises import Promise

EXAMPLE = datetime(2026, 1, 31, 13, 45, 7, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the pattern index: a contract, its plan, its key patterns, and its arrival window.

    `signal` is the pattern of markers or manifests, which are not data files; `promises` are those that are held.
    """

    contract: str
    plan: str
    producer: str
    files: tuple[str, ...]
    deprecated: bool = False
    arrival: Arrival | None = field(default=None, metadata=codec.SPARSE)
    signal: str | None = field(default=None, metadata=codec.SPARSE)
    promises: tuple[Promise, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def claims(self) -> tuple[str, ...]:
        """The patterns of all uploads that belong to the contract."""
        return (*self.files, self.signal) if self.signal else self.files


@dataclass(slots=True)
class PatternLookup:
    """Entries with their patterns, by the text that the keys of a pattern begin with."""

    by_beginning: dict[str, list[tuple[int, Entry, str]]] = field(default_factory=lambda: defaultdict(list))
    lengths: tuple[int, ...] = ()

    @classmethod
    def of(cls, entries: tuple[Entry, ...], normalize: Callable[[str], str]) -> PatternLookup:
        """Return the lookup of an index; `normalize` is applied to beginnings before they are compared."""
        lookup = cls()
        for number, (entry, pattern) in enumerate((e, p) for e in entries for p in e.claims):
            lookup.by_beginning[normalize(beginning(pattern))].append((number, entry, pattern))
        lookup.lengths = tuple(sorted({len(text) for text in lookup.by_beginning}))
        return lookup

    def claiming(self, key: str) -> list[tuple[int, Entry, str]]:
        """Return the entries whose beginning is also the key's, in the order of the index."""
        return sorted(claim for n in self.lengths for claim in self.by_beginning.get(key[:n], ()) if n <= len(key))


@dataclass(frozen=True)
class Index:
    """The pattern index of one publish; immutable, named by its hash."""

    entries: tuple[Entry, ...] = ()
    format: Literal[1] = 1

    @cached_property
    def exact(self) -> PatternLookup:
        """The patterns by their beginnings, so that a key is compared with few of them."""
        return PatternLookup.of(self.entries, str)

    @cached_property
    def folded(self) -> PatternLookup:
        """The same lookup, ignoring upper and lower case."""
        return PatternLookup.of(self.entries, str.casefold)


AHEAD = timedelta(days=1)
"""The time ahead of the clock up to which a pointer's date is accepted; a later date comes from a wrong clock."""


Authority = Literal["repository", "api"]
"""The publisher of a catalog: `dropgate publish` from a repository, or the API."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """`catalog/current.json`: the one object of the catalog that changes.

    `routes` names the document of who hears of what (contracts/terms/notices.py); None if nobody does. `authority` is
    the last publisher.
    """

    index: str
    published_at: str
    format: Literal[1] = 1
    routes: str | None = field(default=None, metadata=codec.SPARSE)
    authority: Authority = field(default="repository", metadata=codec.SPARSE)

    def moment(self) -> datetime:
        """Return the time of publication, in UTC; raise DocumentInvalid if it is not a time."""
        try:
            at = datetime.fromisoformat(self.published_at)
            return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        except (ValueError, OverflowError) as error:
            raise DocumentInvalid(
                f"current.json was published at `{self.published_at:.40}`, which is not a time"
            ) from error


@dataclass(frozen=True, slots=True)
class Matched:
    """The one contract that claims a key, and the values of the pattern's named parts."""

    entry: Entry
    pattern: str
    parts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A key that no contract claims; `nearest` is the entry that matched furthest, `reason` is for the producer.

    In the folder of a `producer` the nearest is one of its own contracts: it hears of no other's.
    """

    key: str
    reason: str
    nearest: Entry | None = None
    pattern: str | None = None
    producer: str | None = None


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A key that more than one contract claims; dropgate does not guess. It may be in the folder of a `producer`."""

    key: str
    contracts: tuple[str, ...]
    producer: str | None = None


Match = Matched | Unmatched | Ambiguous


def reference_name(reference: Reference) -> str:
    """Return the key of a published reference file in the catalog zone; its hash is its name, so it never changes."""
    return f"references/{reference.sha256}.{reference.file_format}"


def owner(index: Index, key: str) -> str | None:
    """Return the producer in whose folder a key is; None in nobody's, and in that of several.

    A folder is what a pattern begins with; or else its first part, if no other producer's patterns begin with that.
    """
    folders = {(literal_folder(pattern), entry.producer) for entry in index.entries for pattern in entry.claims}
    within = {producer for folder, producer in folders if folder and key.startswith(folder)}
    if not within and "/" in key:
        first = key.partition("/")[0]
        within = {producer for folder, producer in folders if folder.partition("/")[0] == first}
    return within.pop() if len(within) == 1 else None


def match(index: Index, key: str) -> Match:
    """Return the contract that claims a key; else the pattern that matches furthest along it, and where it stops."""
    claims = [(e, p, c) for _, e, p in index.exact.claiming(key) if (c := captures(p, key)) is not None]
    contracts = tuple(dict.fromkeys(e.contract for e, _, _ in claims))
    if len(contracts) > 1:
        return Ambiguous(key, contracts, owner(index, key))
    if claims:
        entry, pattern, parts = claims[0]
        return Matched(entry, pattern, parts)
    if not index.entries:
        return Unmatched(key, "no contract is published yet")
    producer, folded = owner(index, key), key.casefold()
    own = [entry for entry in index.entries if producer in (None, entry.producer)]
    for entry, pattern in ((e, p) for _, e, p in index.folded.claiming(folded) if producer in (None, e.producer)):
        toks = tuple(replace(t, text=t.text.casefold()) if t.kind == "literal" else t for t in tokens(pattern))
        if Walk.along(folded).all_after(toks)[-1] >> len(folded) & 1:
            reason = f"it differs from `{pattern}` ({entry.contract}) by upper and lower case only"
            return Unmatched(key, reason, entry, pattern, producer)
    misses = [_Miss.of(entry, pattern, key) for entry in own for pattern in entry.files]
    furthest = max(m.far for m in misses)
    if not furthest:
        folders = list(dict.fromkeys(literal_folder(p) or p for e in index.entries for p in e.files))
        meant = nearest(key[: key.rfind("/") + 1] or key, folders)
        beginnings = quoted(sorted(folders, key=lambda folder: folder != meant), most=4)
        return Unmatched(key, f"agreed keys begin with {beginnings}")
    miss = max((m for m in misses if m.far == furthest), key=lambda m: m.likeness(key))
    about = f"`{miss.pattern}` ({miss.entry.contract})"
    return Unmatched(key, f"nearest is {about}: {miss.reason(key)}", miss.entry, miss.pattern, producer)


@dataclass(frozen=True, slots=True)
class _Miss:
    """The failed match of a pattern with a key: the last position reached, the token that failed, and its position."""

    entry: Entry
    pattern: str
    far: int
    token: int
    tried: int

    @classmethod
    def of(cls, entry: Entry, pattern: str, key: str) -> _Miss:
        """Return where a key departs from a pattern."""
        if not key.startswith(begin := beginning(pattern)):
            return cls(entry, pattern, _common(begin, key), 0, 0)
        toks = tokens(pattern)
        reached = Walk.along(key).all_after(toks)
        stop = max(n for n, at in enumerate(reached) if at)
        ends = [n for n in range(reached[stop].bit_length()) if reached[stop] >> n & 1]
        if stop == len(toks) or toks[stop].kind != "literal":
            return cls(entry, pattern, ends[-1], stop, ends[-1])
        tried = max(ends, key=lambda at: (_common(toks[stop].text, key[at:]), at))
        return cls(entry, pattern, tried + _common(toks[stop].text, key[tried:]), stop, tried)

    def reason(self, key: str) -> str:
        """Return why a pattern does not match a key, as a clause after the pattern's name."""
        toks = tokens(self.pattern)
        if self.token == len(toks):
            rest = key[self.far :]
            return f"the key goes on with `{rest:.40}`" + (", in a deeper folder" if "/" in rest else "")
        token = toks[self.token]
        if token.kind == "date":
            text = key[self.far : self.far + token.width].partition("/")[0]
            wanted = f"a date like {EXAMPLE.strftime(token.text)} ({token.text})"
            return f"`{text}` is not {wanted}" if text else f"after `{key[: self.far]}` it wants {wanted}"
        if token.kind != "literal":
            return f"after `{key[: self.far]}` it wants at least one character more"
        before = toks[self.token - 1].kind if self.token else "literal"
        if self.token == len(toks) - 1 and before in ("many", "across", "part"):
            begin = next(begin for begin, end in reversed(Walk.along(key).parts) if begin <= self.tried)
            name = key[begin:].partition("/")[0]
            if "/" not in token.text and begin + len(name) < len(key):
                return f"the folder `{name}/` is one too many"
            dot = name.rfind(".")
            ending = name[dot:] if dot > 0 else name
            return f"the key must end in `{token.text}`, it ends in `{ending[-40:]}`"
        # the two path parts that differ, whole if the pattern gives the whole part
        done = self.far - self.tried
        since = token.text.rfind("/", 0, done) + 1
        begin = self.tried + since
        whole = begin == 0 or key[begin - 1 : begin] == "/"
        expected, text = token.text[since if whole else done :], key[begin if whole else self.far :]
        expected, text = (part[: part.find("/") + 1] or part for part in (expected, text))
        after = key[: begin if whole else self.far]
        has = f"has `{text:.40}`" if text else "ends"
        return f"{f'after `{after}` ' if after else ''}it wants `{expected}`, the key {has}"

    def likeness(self, key: str) -> tuple[float, float]:
        """Return the similarity of the pattern's folder (to the same depth) and of its whole text to a key."""
        folder = literal_folder(self.pattern)
        begin = "".join(key.split("/", folder.count("/"))[:-1])
        text = "".join(t.text for t in tokens(self.pattern) if t.kind == "literal")
        return _ratio(folder.replace("/", ""), begin), _ratio(text, key)


def example(pattern: str) -> str:
    """Return a key that a pattern matches, as a producer might write it."""
    key = ""
    for token in tokens(pattern):
        match token.kind:
            case "literal":
                key += token.text
            case "date":
                key += EXAMPLE.strftime(token.text)
            case "part":
                key += token.name or "name"
            case "one":
                key += "1"
            case "many" | "across":
                key += "" if key and not key.endswith("/") else "file"
    return key


def _ratio(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _common(wanted: str, text: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(wanted, text, strict=False)) if a != b), min(len(wanted), len(text)))
