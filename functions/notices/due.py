"""The lines that are due, each minute: the clock in, what came of each message out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from functions.notices.send import Sent, send
from functions.ports import NoticePorts
from functions.ports.clock import stamp

MOST = 200
"""Lines that one minute begins with; what is due for the longest comes first."""


def send_due(ports: NoticePorts, is_time: Callable[[], bool] = lambda: True) -> Iterator[Sent]:
    """Yield what came of each message that was due, while there is time for another one."""
    for line in ports.book.due(stamp(ports.clock.now()), MOST):
        if not is_time():
            return
        if (sent := send(ports, line)) is not None:
            yield sent
