"""The elements of sample documents: documents in; the path to their records and their namespaces, proposed, out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from xml.parsers import expat

from contracts.authoring.draft.profile import SampleRefused
from contracts.files.xml_documents import xml_bytes
from contracts.files.xml_documents.xml_names import XML, XSI, split
from contracts.plan import Xml
from contracts.problem import Problem

MOST_PATHS = 20_000
MANY = 10
"""Elements that an element holds on average if these are the records, and it is only around them."""

Path = tuple[str, ...]
"""The names of elements from the root to an element, as a document has them."""


@dataclass(slots=True)
class _Place:
    """The elements with one path: those within them by name, and what is true of any of them.

    `above` is the number of the element that the last of them is in.
    """

    within: dict[str, _Place] = field(default_factory=dict)
    count: int = 0
    repeats: bool = False
    is_attributed: bool = False
    above: int = -1

    def paths(self, path: Path = ()) -> Iterator[tuple[Path, _Place]]:
        """Yield the places within it, with their paths, in the order in which they were first seen."""
        for name, place in self.within.items():
            yield (*path, name), place
            yield from place.paths((*path, name))


@dataclass(slots=True)
class Survey:
    """The paths of elements in some documents: how many there are, which repeat, and what is in them."""

    prefixes: dict[str, str] = field(default_factory=dict)
    """The prefix of each namespace."""
    _root: _Place = field(default_factory=_Place)
    _open: list[tuple[_Place, int]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)
    _places: int = 0

    @property
    def counts(self) -> dict[Path, int]:
        """How many elements there are, by path."""
        return {path: place.count for path, place in self._root.paths()}

    @property
    def repeated(self) -> set[Path]:
        """The elements of which another one holds several."""
        return {path for path, place in self._root.paths() if place.repeats}

    @property
    def parents(self) -> set[Path]:
        """The elements that hold others."""
        return {path for path, place in self._root.paths() if place.within}

    @property
    def attributed(self) -> set[Path]:
        """The elements that have attributes."""
        return {path for path, place in self._root.paths() if place.is_attributed}

    def add(self, name: str, pieces: Iterable[bytes], *, whole: bool = True) -> None:
        """Add a document, or its begin if it is not `whole`; raise SampleRefused if it is not well-formed."""
        parser = expat.ParserCreate("utf-8", "}")
        parser.ordered_attributes = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.StartNamespaceDeclHandler = self._on_namespace
        parser.StartDoctypeDeclHandler = lambda *_: _refuse(name, "it has a document type (`<!DOCTYPE`)")
        self._open = [(self._root, next(self._numbers))]
        try:
            for piece in xml_bytes.in_utf8(pieces, whole=whole):
                if isinstance(piece, Problem):
                    _refuse(name, piece.message.rstrip("."))
                else:
                    parser.Parse(piece, False)
            if whole:
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            _refuse(name, f"it is not well-formed XML ({error})")

    def _on_start(self, name: str, attributes: list[str]) -> None:
        above, number = self._open[-1]
        place = above.within.get(name)
        if place is None:
            place = above.within[name] = _Place()
            self._places += 1
            if self._places > MOST_PATHS:
                raise SampleRefused(f"The samples have more than {MOST_PATHS:,} kinds of elements")
        place.count += 1
        if place.above == number:
            place.repeats = True
        place.above = number
        if attributes and any(split(own)[0] != XSI for own in attributes[::2]):
            place.is_attributed = True
        self._open.append((place, next(self._numbers)))

    def _on_end(self, _name: str) -> None:
        self._open.pop()

    def _on_namespace(self, prefix: str | None, uri: str | None) -> None:
        if not uri or uri in (XSI, XML) or uri in self.prefixes:
            return
        wanted, taken = prefix or "", set(self.prefixes.values())
        names = (wanted, *(f"{wanted or 'ns'}{n}" for n in range(1, len(taken) + 2)))
        self.prefixes[uri] = next(own for own in names if own not in taken)

    def record(self) -> Path:
        """Return the path of the elements that are most likely the records.

        They repeat, and hold others; those within other ones only if they are many more. Without any it is the root.
        """
        counts, repeated = self.counts, self.repeated
        likely = repeated & (self.parents | self.attributed) or repeated
        chosen = None
        for path in sorted(likely, key=lambda path: (len(path), path)):
            times = MANY if chosen and path[: len(chosen)] == chosen else 1
            if chosen is None or counts[path] > times * counts[chosen]:
                chosen = path
        return chosen or min(counts, key=len)

    def others(self, record: Path) -> list[Path]:
        """Return the other elements that could be records, the most frequent first."""
        counts = self.counts
        return sorted((self.repeated & self.parents) - {record}, key=lambda path: (-counts[path], path))

    def xml(self, record: Path) -> Xml:
        """Return the dialect that leads to some records, with the namespaces of their names."""
        return Xml("/".join(map(self.written, record)), {prefix: uri for uri, prefix in self.prefixes.items()})

    def written(self, name: str) -> str:
        """Return a document's name with the proposed prefix."""
        uri, local = split(name)
        prefix = self.prefixes.get(uri, "")
        return f"{prefix}:{local}" if prefix else local


def _refuse(name: str, why: str) -> None:
    raise SampleRefused(f"{name}: {why}")
