"""The catalog as published: a key in, its contract and plan out. Its index is read again only when it moves.

In the catalog zone: `current.json` (Pointer), `index/<sha>.json` (Index), `plans/<sha>.json` (Plan); all but the first
never change.
"""

from __future__ import annotations

from typing import Protocol

from contracts import catalog, codec
from contracts.errors import ObjectGone
from contracts.plan import Plan


class Documents(Protocol):
    """What the catalog needs of the object store."""

    def get(self, uri: str) -> bytes:
        """A whole document; ObjectGone."""
        ...

    def get_if_changed(self, uri: str, etag: str | None) -> tuple[bytes, str] | None:
        """A document and its ETag, None while it still has `etag`; ObjectGone."""
        ...


class Published:
    """The contracts that are in force, kept in memory until another publish."""

    def __init__(self, documents: Documents, zone: str) -> None:
        self._documents = documents
        self._zone = zone
        self._etag: str | None = None
        self._index = catalog.Index()
        self._plans: dict[str, Plan] = {}

    def index(self) -> catalog.Index:
        """The pattern index now in force; empty before the first publish."""
        try:
            changed = self._documents.get_if_changed(f"{self._zone}current.json", self._etag)
        except ObjectGone:
            return catalog.Index()
        if changed:
            text, etag = changed
            pointer = codec.loads(catalog.Pointer, text, "catalog pointer")
            index = self._documents.get(f"{self._zone}index/{pointer.index}.json")
            self._index, self._etag = codec.loads(catalog.Index, index, "pattern index"), etag
        return self._index

    def match(self, name: str) -> catalog.Match:
        """The contract that claims a key below landing, or why none does."""
        return catalog.match(self.index(), name)

    def plan(self, sha: str) -> Plan:
        """The plan of that hash."""
        if sha not in self._plans:
            text = self._documents.get(f"{self._zone}plans/{sha}.json")
            self._plans[sha] = codec.loads(Plan, text, f"plan {sha}")
        return self._plans[sha]
