"""Names in XML: those of a contract, with its prefixes, and those of a document, with URIs. Pure.

A document's name is `URI}name`, as the parser writes it, or `name` if it is in no namespace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from contracts.plan import Xml

XML = "http://www.w3.org/XML/1998/namespace"
"""The namespace of `xml:lang`, `xml:space` and `xml:id`, whose prefix needs no declaration."""
XSI = "http://www.w3.org/2001/XMLSchema-instance"
"""The namespace of `xsi:nil`, and of attributes that are about the schema of a document."""
NIL = f"{XSI}}}nil"


def split(name: str) -> tuple[str, str]:
    """Return the URI, or an empty text, and the local part of a document's name."""
    uri, _, local = name.rpartition("}")
    return uri, local


def in_words(name: str) -> str:
    """Return a document's name for people."""
    uri, local = split(name)
    return f"`{local}` in the namespace `{uri}`" if uri else f"`{local}` without a namespace"


@dataclass(frozen=True)
class Names:
    """The names of a contract's XML: of its path, and of the keys that elements and attributes become."""

    xml: Xml

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """Return the names of the elements from the root to a record, as a document has them."""
        names = []
        for step in self.xml.record.split("/"):
            prefix, _, local = step.rpartition(":")
            uri = self.xml.namespaces.get(prefix, "")
            names.append(f"{uri}}}{local}" if uri else local)
        return tuple(names)

    @cached_property
    def _prefixes(self) -> Mapping[str, str]:
        return {uri: prefix for prefix, uri in self.xml.namespaces.items()}

    @cached_property
    def _keys(self) -> dict[str, str]:
        return {}

    def key(self, name: str) -> str:
        """Return the key of an element: its name with the contract's prefix, or with its URI in braces."""
        if (key := self._keys.get(name)) is not None:
            return key
        uri, local = split(name)
        if not uri:
            key = f"{{}}{local}" if self.xml.namespaces.get("") else local
        elif (prefix := self._prefixes.get(uri)) is None:
            key = f"{{{uri}}}{local}"
        else:
            key = f"{prefix}:{local}" if prefix else local
        self._keys[name] = key
        return key

    def of_attribute(self, name: str) -> str | None:
        """Return the key of an attribute; None if it is about the schema, and the contract does not name it."""
        uri, local = split(name)
        if not uri:
            return f"@{local}"
        prefix = self._prefixes.get(uri)
        if prefix:
            return f"@{prefix}:{local}"
        if uri == XML:
            return f"@xml:{local}"
        return None if uri == XSI else f"@{{{uri}}}{local}"
