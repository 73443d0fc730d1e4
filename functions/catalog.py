"""The catalog as published: a key in, its contract and plan out. Its index is read again only when it moves.

In the catalog zone: `current.json` (Pointer), `index/<sha>.json` (Index), `routes/<sha>.json` (Routes),
`plans/<sha>.json` (Plan); all but the first never change.
"""

from __future__ import annotations

import hashlib
import re
from time import monotonic
from typing import Protocol, TypeVar

from contracts import catalog, codec
from contracts.errors import DocumentInvalid, ObjectGone
from contracts.plan import Plan
from contracts.terms.notices import Routes

T = TypeVar("T")

PUBLISH = "Put the contracts in force with `dropgate publish`"


FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""The names that lint allows for contracts and producers. Both name folders, from which policies of runs are made."""


class Documents(Protocol):
    """The part of the object store that the catalog needs."""

    def get(self, uri: str) -> bytes:
        """A whole document; ObjectGone."""
        ...

    def get_if_changed(self, uri: str, etag: str | None) -> tuple[bytes, str] | None:
        """A document and its ETag, None while it still has `etag`; ObjectGone."""
        ...


class Published:
    """The contracts that are in force, kept in memory until another publish; `pointer` names those read last."""

    def __init__(self, documents: Documents, zone: str) -> None:
        self._documents = documents
        self._zone = zone
        self._etag: str | None = None
        self._asked = 0.0
        self.pointer: catalog.Pointer | None = None
        self._index: tuple[str | None, catalog.Index] = (None, catalog.Index())
        self._routes: tuple[str | None, Routes] = (None, Routes())
        self._plans: dict[str, Plan] = {}

    def index(self) -> catalog.Index:
        """Return the pattern index in force; DocumentInvalid if there is none, so that no key is called unmatched."""
        index = self.index_if_any()
        if index is None:
            raise DocumentInvalid(f"No contract is in force: there is no {self._zone}current.json. {PUBLISH}.")
        return index

    def index_if_any(self) -> catalog.Index | None:
        """Return the pattern index in force; None if nothing was ever published."""
        pointer = self._newest()
        if pointer is None:
            return None
        if pointer.index != self._index[0]:
            self._index = (pointer.index, self._named(catalog.Index, "index", pointer.index))
        return self._index[1]

    def routes(self, most_age: float = 0.0) -> Routes:
        """Return who hears of what, by the pointer of so many seconds ago at most; none if no publish said so."""
        pointer = self._newest(most_age)
        if pointer is None or pointer.routes is None:
            return Routes()
        if pointer.routes != self._routes[0]:
            self._routes = (pointer.routes, self._named(Routes, "routes", pointer.routes))
        return self._routes[1]

    def match(self, name: str) -> catalog.Match:
        """Return the contract that claims a key below landing, or why none does; DocumentInvalid as with plans."""
        match = catalog.match(self.index(), name)
        if not isinstance(match, catalog.Matched) and match.producer:
            self._folder(match.producer, f"index/{self._index[0]}.json")
        return match

    def plan(self, sha: str) -> Plan:
        """Return the plan of a hash; DocumentInvalid also if its contract or producer has a name that lint refuses."""
        if sha not in self._plans:
            plan = self._named(Plan, "plans", sha)
            for name in (plan.contract, plan.producer):
                self._folder(name, f"plans/{sha}.json")
            self._plans[sha] = plan
        return self._plans[sha]

    def _folder(self, name: str, document: str) -> None:
        """Raise DocumentInvalid if a contract or producer has a name that lint refuses."""
        if not FOLDER.fullmatch(name):
            at = f"{self._zone}{document}"
            raise DocumentInvalid(f"{at} was written by hand: {name!r} is no name of a folder. {PUBLISH}.")

    def _newest(self, most_age: float = 0.0) -> catalog.Pointer | None:
        """Return the pointer as it was at most so many seconds ago; None if there was none."""
        at, now = f"{self._zone}current.json", monotonic()
        if self.pointer and now - self._asked < most_age:
            return self.pointer
        self._asked = now
        try:
            changed = self._documents.get_if_changed(at, self._etag)
        except ObjectGone:
            return None
        if changed:
            self.pointer, self._etag = _read(catalog.Pointer, changed[0], at), changed[1]
        return self.pointer

    def _named(self, cls: type[T], folder: str, sha: str) -> T:
        """Return a document that another one names by its hash; DocumentInvalid also if its bytes have another hash."""
        at = f"{self._zone}{folder}/{sha}.json"
        try:
            text = self._documents.get(at)
        except ObjectGone as error:
            why = "if they have changed since, also publish the contracts that it was made from"
            raise DocumentInvalid(f"{at} is named and not there. {PUBLISH}; {why}.") from error
        document = _read(cls, text, at)
        if hashlib.sha256(text).hexdigest() != sha:
            raise DocumentInvalid(f"{at} is not what its name says. Delete it, then {PUBLISH[0].lower()}{PUBLISH[1:]}.")
        return document


def _read(cls: type[T], text: bytes, at: str) -> T:
    try:
        return codec.loads(cls, text, at)
    except DocumentInvalid as error:
        raise DocumentInvalid(f"{error}. Delete it, then {PUBLISH[0].lower()}{PUBLISH[1:]}.") from error
