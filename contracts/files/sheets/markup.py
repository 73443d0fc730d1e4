"""XML within workbooks: pieces of bytes in, calls for its elements out. Pure.

A document type is refused, and with it every entity of its own: workbooks have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.parsers import expat

from contracts.files.sheets.faults import broken

Elements = list[tuple[str, str, dict[str, str]]]


def parser(part: str, *, namespaces: bool = False) -> Any:
    """Return a parser of one part of a workbook, without handlers of its elements."""

    def refuse(*_: object) -> None:
        raise broken(f"`{part}` has a document type, which no workbook has")

    made = expat.ParserCreate(None, " " if namespaces else None)
    made.buffer_text = True
    made.StartDoctypeDeclHandler = refuse
    return made


def feed(made: Any, part: str, pieces: Iterable[bytes]) -> Iterator[None]:
    """Parse pieces of a part, and stop behind each; raise Faulty where it is not XML."""
    try:
        for piece in pieces:
            made.Parse(piece, False)
            yield
        made.Parse(b"", True)
    except expat.ExpatError as error:
        raise broken(f"`{part}` is not XML ({error})") from None
    yield


def elements(part: str, pieces: Iterable[bytes]) -> Elements:
    """Return all elements of a small part: the local names of parent and element, and its attributes by local name."""
    made, within, seen = parser(part), [""], Elements()

    def start(name: str, attributes: dict[str, str]) -> None:
        own = local(name)
        seen.append((within[-1], own, {local(key): value for key, value in attributes.items()}))
        within.append(own)

    made.StartElementHandler = start
    made.EndElementHandler = lambda _: within.pop()
    for _ in feed(made, part, pieces):
        pass
    return seen


def local(name: str) -> str:
    """Return a name without its prefix."""
    return name.rpartition(":")[2]
