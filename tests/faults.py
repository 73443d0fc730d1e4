"""A function that dies, or somebody who is faster, at any of its calls to the world: between use cases and ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from contracts.errors import ObjectUnreadable
from functions.drop import Location
from tests.builders import ZONES

NEVER = 10**6


class Crash(BaseException):
    """The process is gone."""


def crash() -> None:
    raise Crash


@dataclass
class Fuse:
    """Counts calls to the world; at one of them, before it is made or after, something happens.

    With `for_good` it happens at each that follows, too: what is gone makes none, whatever its `finally` says.
    """

    at: int = NEVER
    after: bool = False
    act: Callable[[], None] = crash
    calls: int = 0
    for_good: bool = False

    def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Make one call."""
        self.calls += 1
        mine = self.calls == self.at
        if self.for_good and self.calls > self.at:
            self.act()
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
        yield Fuse(at, after, for_good=True)


class Passing:
    """A port that passes its calls on; a subclass answers some of them itself."""

    def __init__(self, port: Any) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


class Locked(Passing):
    """A store whose objects in landing cannot be read."""

    def __init__(self, store: Any, error: type[ObjectUnreadable] = ObjectUnreadable) -> None:
        super().__init__(store)
        self._error = error

    def read(self, at: Location, *more: Any) -> Any:
        return self._asked("read", at, *more)

    def copy(self, at: Location, *more: Any) -> Any:
        return self._asked("copy", at, *more)

    def _asked(self, name: str, at: Location, *more: Any) -> Any:
        if at.uri.startswith(ZONES.landing):
            raise self._error(at.uri)
        return getattr(self._port, name)(at, *more)


class Watched:
    """A port that counts its calls."""

    def __init__(self, port: Any, fuse: Fuse) -> None:
        self._port = port
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        return lambda *args, **kwargs: self._fuse.call(method, *args, **kwargs)


class Stalled:
    """A port whose next call of a method, of those meant, is made only after others have done something."""

    def __init__(
        self,
        port: Any,
        method: str,
        meanwhile: Callable[[], object],
        when: Callable[..., bool] = lambda *_: True,
        after: BaseException | None = None,
    ) -> None:
        self._port = port
        self._method = method
        self._meanwhile: Callable[[], object] | None = meanwhile
        self._when = when
        self._after = after

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        return partial(self._call, method) if name == self._method else method

    def _call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        meanwhile = self._meanwhile
        if meanwhile is None or not self._when(*args):
            return method(*args, **kwargs)
        self._meanwhile = None
        meanwhile()
        answer = method(*args, **kwargs)
        if self._after:
            raise self._after
        return answer


def into(zone: str) -> Callable[..., bool]:
    """Return a test for copies into a zone."""
    return lambda _source, target, *_: target.startswith(zone)
