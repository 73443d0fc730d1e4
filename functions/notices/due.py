"""The lines that are due, each minute: the clock in, what came of each message out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from contracts.errors import DropgateError
from functions.notices.send import Late, Sent, send
from functions.ports import NoticePorts
from functions.ports.clock import stamp

MOST = 200
"""Lines that one minute begins with; what is due for the longest comes first."""


@dataclass(frozen=True, slots=True)
class Unsent:
    """A line whose message could not be sent or recorded now; it is due again when its claim has run out."""

    line: str
    error: Exception


def send_due(
    ports: NoticePorts, is_time: Callable[[], bool] = lambda: True, caught: type[Exception] = DropgateError
) -> Iterator[Sent | Unsent]:
    """Yield what came of each message that was due, while there is time for another one.

    A channel that puts one off is asked no more in this call, so that a slow one leaves time for the others.
    """
    late: Late = {}
    for line in ports.book.due(stamp(ports.clock.now()), MOST):
        if not is_time():
            return
        try:
            sent = send(ports, line, late)
        except caught as error:
            yield Unsent(line, error)
        else:
            if sent is not None:
                yield sent
