"""Queues, clock and stream in, invocations and events out: Lambda, the schedule and the pipe, in threads."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from threading import Condition, Event, Thread
from types import TracebackType
from typing import Protocol, Self

from infra.local.events.clock import Clock
from infra.local.events.invocation import Handler, Invoker
from infra.local.events.pipe import Listener, Services, StreamPipe
from infra.local.events.polling import QueuePoller
from infra.local.s3.lifecycle import Lifecycle
from infra.local.template.stack import ClientFor, Stack

# Spark needs the same two cores: poll often while there is work, seldom while there is none.
_SHORTEST_WAIT = 0.02
_LONGEST_WAIT = 1.0

_log = logging.getLogger(__name__)


class EventSource(Protocol):
    """A source of work."""

    def poll(self) -> bool:
        """Do the due work; return True if there was any."""
        ...


class Pump:
    """Runs the stack's event sources, each in a thread, while the context is open.

    `retry_seconds` retries failed messages sooner than the template's visibility timeout; `schedule_seconds` replaces
    the template's rate; `listener` gets each event on the bus, `carried` the id of each record of the stream
    that is done.
    """

    def __init__(
        self,
        stack: Stack,
        client_for: ClientFor,
        handlers: Mapping[str, Handler],
        *,
        schedule_seconds: float = 60,
        retry_seconds: int | None = None,
        listener: Listener | None = None,
        carried: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._invoke = invoke = Invoker(stack.functions, handlers, stack.region)
        sqs = client_for("sqs")
        self._queues = [QueuePoller(queue, stack.region, sqs, invoke, retry_seconds) for queue in stack.queues]
        clients = Services(client_for("dynamodbstreams"), client_for("events"), sqs)
        self._pipe = StreamPipe(stack.pipe, stack.region, clients, invoke, listener, carried)
        clocks = [Clock(rule, name, stack.region, invoke, schedule_seconds) for rule, name in stack.schedules.items()]
        self._bell = Bell()
        self._stopped = Event()
        sources: list[EventSource] = [*self._queues, self._pipe, *clocks, Lifecycle(stack.lifecycles, client_for("s3"))]
        self._threads = [Thread(target=self._run, args=(source,), name="pump", daemon=True) for source in sources]

    def start(self) -> Self:
        """Start to poll."""
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Let active invocations end, and stop polling."""
        self._stopped.set()
        self._bell.ring()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def wake(self) -> None:
        """Poll at once, because something has changed outside."""
        self._bell.ring()

    @property
    def invoke(self) -> Invoker:
        """The functions, for a gateway that calls them."""
        return self._invoke

    def turn(self) -> AbstractContextManager[None]:
        """Let no handler run meanwhile, for a caller that needs the process's environment."""
        return self._invoke.turn()

    def idle(self) -> bool:
        """Return True if all queues are empty, the stream is read to its end, and no handler is active."""
        before = self._bell.rung
        if self._bell.working:
            return False
        # Twice: a delay that ends while moto counts is in neither of its figures.
        quiet = self._empty() and not self._pipe.poll() and self._empty()
        return quiet and self._bell.working == 0 and self._bell.rung == before

    def drain(self, timeout_seconds: float, others_idle: Callable[[], bool] = lambda: True) -> bool:
        """Wait until no work is left here and by `others_idle` (the EMR double's); return False on a timeout."""
        end = time.monotonic() + timeout_seconds
        self.wake()
        while not (others_idle() and self.idle() and others_idle()):
            if time.monotonic() > end:
                return False
            self._bell.wait(self._bell.rung, _SHORTEST_WAIT * 2)
        return True

    def _empty(self) -> bool:
        return all(queue.empty() for queue in self._queues)

    def _run(self, source: EventSource) -> None:
        wait = _SHORTEST_WAIT
        while not self._stopped.is_set():
            rung, busy = self._bell.rung, False
            with self._bell.at_work():
                try:
                    busy = source.poll()
                except Exception:  # noqa: BLE001 - whatever a source raises, its thread must go on: nobody else reads it
                    _log.exception("%s failed; trying again", type(source).__name__)
                if busy:
                    self._bell.ring()
            woken = busy or self._bell.wait(rung, wait)
            wait = _SHORTEST_WAIT if woken else min(wait * 1.5, _LONGEST_WAIT)


class Bell:
    """Wakes all waiting threads when one has found work, and counts the active ones."""

    def __init__(self) -> None:
        self.rung = 0
        self.working = 0
        self._condition = Condition()

    def ring(self) -> None:
        """Wake all."""
        with self._condition:
            self.rung += 1
            self._condition.notify_all()

    def wait(self, since: int, seconds: float) -> bool:
        """Wait for a ring after the one numbered `since`; return True if it came."""
        with self._condition:
            return self._condition.wait_for(lambda: self.rung != since, seconds)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Count the caller among the active ones."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._condition:
            self.working += change
