"""The names of a bucket's objects in their order, so that a list of a folder looks at that folder's names only.

A name is put in its place when its first version comes. One that has gone stays until the next list of its folder
passes it over; from time to time all are put in order again.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Any

from moto.s3.utils import _VersionedKeyStore

_SETITEM: Any = _VersionedKeyStore.__setitem__
_SETLIST: Any = _VersionedKeyStore.setlist
_SPARE = 1000
"""Names that may be left of objects that have gone, beside as many as there are objects."""


def keep() -> None:
    """Let stores of versions keep their names in order, as soon as somebody has asked for them."""
    store: Any = _VersionedKeyStore
    store.__setitem__ = _with_name(_SETITEM)
    store.setlist = _with_name(_SETLIST)


def beginning(store: Any, prefix: str) -> Iterator[str]:
    """Yield the names of a store that begin with a prefix."""
    names = vars(store).get("names")
    if names is None or len(names) > 2 * len(store) + _SPARE:
        names = store.names = sorted(store)
    before = None
    for name in takewhile(lambda name: name.startswith(prefix), islice(names, bisect_left(names, prefix), None)):
        if name != before and name in store:
            yield name
        before = name


def _with_name(method: Callable[..., Any]) -> Callable[..., Any]:
    def put(store: Any, name: str, value: Any) -> Any:
        if (names := vars(store).get("names")) is not None and name not in store:
            insort(names, name)
        return method(store, name, value)

    return put
