"""The names of a bucket's objects in their order, so that a list of a folder looks at that folder's names only.

A name is put in its place when its first version comes. Lists pass over one that has gone; from time to time all are
put in order again.
"""

from __future__ import annotations

from bisect import bisect_left
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
    if names is None:
        names = store.names = sorted(store)
    begins = takewhile(lambda name: name.startswith(prefix), islice(names, bisect_left(names, prefix), None))
    yield from filter(store.__contains__, begins)


def _with_name(method: Callable[..., Any]) -> Callable[..., Any]:
    def put(store: Any, name: str, value: Any) -> Any:
        names = vars(store).get("names")
        if names is not None and name not in store:
            if len(names) > 2 * len(store) + _SPARE:
                names[:] = sorted(store)
            place = bisect_left(names, name)
            if names[place : place + 1] != [name]:
                names.insert(place, name)
        return method(store, name, value)

    return put
