"""Changes of runs in, EMR Serverless events out: each once and at once, unless faults are switched on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Timer

from infra.local.emr.run import ENDED, Application, Run
from infra.local.events.events import Event, event


@dataclass(frozen=True, slots=True)
class EventFaults:
    """The faults of event delivery: events are best effort, unordered, and can come twice.

    docs.aws.amazon.com/eventbridge/latest/ref/event-delivery-level.html. `lose` names states; `repeat` is how often
    each event arrives, with the same id; `delay` is in seconds; `reorder` sends a run's events last first, once it
    has ended.
    """

    lose: frozenset[str] = frozenset()
    repeat: int = 1
    delay: float = 0.0
    reorder: bool = False


class JobEvents:
    """Sends an event for each change of a run, with the faults of `faults`."""

    def __init__(self, application: Application, emit: Callable[[Event], None]) -> None:
        self.faults = EventFaults()
        self._application = application
        self._emit = emit
        self._held: dict[str, list[Event]] = {}
        self._delayed: list[Timer] = []

    def changed(self, run: Run, previous: str | None) -> None:
        """Send the event of a run's new state."""
        held = self._held.pop(run.id, [])
        if run.state not in self.faults.lose:
            held = [state_change(self._application, run, previous), *held]
        if self.faults.reorder and run.state not in ENDED:
            self._held[run.id] = held
            return
        for occurred in (one for one in held for _ in range(self.faults.repeat)):
            if not self.faults.delay:
                self._emit(occurred)
                continue
            timer = Timer(self.faults.delay, self._emit, [occurred])
            timer.daemon = True
            self._delayed.append(timer)
            timer.start()

    def stop(self) -> None:
        """Drop the events that are not sent yet."""
        for timer in self._delayed:
            timer.cancel()


def state_change(application: Application, run: Run, previous: str | None) -> Event:
    """Build the event of a run's new state; it holds no name, tags or token.

    docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/using-eventbridge.html
    """
    detail = {
        "jobRunId": run.id,
        "applicationId": application.id,
        "arn": run.arn,
        "releaseLabel": application.release_label,
        "state": run.state,
        **({"previousState": previous} if previous else {}),
        "createdBy": run.created_by,
        "updatedAt": _precise(run.updated_at),
        "createdAt": _precise(run.created_at),
    }
    kind = "EMR Serverless Job Run State Change"
    return event("aws.emr-serverless", kind, application.region, [], detail, run.updated_at)


def _precise(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
