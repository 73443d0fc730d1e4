"""A function that dies, or somebody who is faster, at any of its calls to the world: between use cases and ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

NEVER = 10**6


class Crash(BaseException):
    """The process is gone."""


def crash() -> None:
    raise Crash


@dataclass
class Fuse:
    """Counts calls to the world; at one of them, before it is made or after, something happens."""

    at: int = NEVER
    after: bool = False
    act: Callable[[], None] = crash
    calls: int = 0

    def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Make one call."""
        self.calls += 1
        mine = self.calls == self.at
        if mine and not self.after:
            self.act()
        answer = method(*args, **kwargs)
        if mine and self.after:
            self.act()
        return answer


def every_call(after: bool) -> Iterator[Fuse]:
    """Fuses to walk a way under: the first counts its calls, then one for each of them."""
    whole = Fuse()
    yield whole
    assert whole.calls
    for at in range(1, whole.calls + 1):
        yield Fuse(at, after)


class Watched:
    """A port that counts its calls."""

    def __init__(self, port: Any, fuse: Fuse) -> None:
        self._port = port
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        return lambda *args, **kwargs: self._fuse.call(method, *args, **kwargs)


class Stalled:
    """A store whose next copy into a zone comes only after others have done something."""

    def __init__(self, store: Any, zone: str, meanwhile: Callable[[], object]) -> None:
        self._store = store
        self._zone = zone
        self._meanwhile: Callable[[], object] | None = meanwhile

    def copy(self, source: Any, target: str, *args: Any) -> Any:
        """Let the others go first, once."""
        meanwhile = self._meanwhile
        if meanwhile and target.startswith(self._zone):
            self._meanwhile = None
            meanwhile()
        return self._store.copy(source, target, *args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
