"""The elements of sample documents: documents in; the path to their records and their namespaces, proposed, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
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
class Survey:
    """The paths of elements in some documents: how many there are, which repeat, and what is in them."""

    counts: Counter[Path] = field(default_factory=Counter)
    repeated: set[Path] = field(default_factory=set)
    parents: set[Path] = field(default_factory=set)
    """The elements that hold others."""
    attributed: set[Path] = field(default_factory=set)
    prefixes: dict[str, str] = field(default_factory=dict)
    """The prefix of each namespace."""
    _open: list[tuple[Path, Counter[str]]] = field(default_factory=list)

    def add(self, name: str, pieces: Iterable[bytes], *, whole: bool = True) -> None:
        """Add a document, or its begin if it is not `whole`; raise SampleRefused if it is not well-formed."""
        parser = expat.ParserCreate("utf-8", "}")
        parser.ordered_attributes = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.StartNamespaceDeclHandler = self._on_namespace
        parser.StartDoctypeDeclHandler = lambda *_: _refuse(name, "it has a document type (`<!DOCTYPE`)")
        self._open.clear()
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
        path = (*self._open[-1][0], name) if self._open else (name,)
        if self._open:
            above, within = self._open[-1]
            self.parents.add(above)
            within[name] += 1
            if within[name] == 2:
                self.repeated.add(path)
        self.counts[path] += 1
        if len(self.counts) > MOST_PATHS:
            raise SampleRefused(f"The samples have more than {MOST_PATHS:,} kinds of elements")
        if any(split(own)[0] != XSI for own in attributes[::2]):
            self.attributed.add(path)
        self._open.append((path, Counter()))

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
        likely = {path for path in self.repeated if path in self.parents | self.attributed} or self.repeated
        chosen = None
        for path in sorted(likely, key=lambda path: (len(path), path)):
            times = MANY if chosen and path[: len(chosen)] == chosen else 1
            if chosen is None or self.counts[path] > times * self.counts[chosen]:
                chosen = path
        return chosen or min(self.counts, key=len)

    def others(self, record: Path) -> list[Path]:
        """Return the other elements that could be records, the most frequent first."""
        likely = (path for path in self.repeated if path in self.parents and path != record)
        return sorted(likely, key=lambda path: -self.counts[path])

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
