"""The time in, calls of a function with EventBridge's scheduled event out: a rule with a rate."""

import logging
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from infra.local.events.polling import Invoke
from infra.local.loopback import ACCOUNT

_log = logging.getLogger(__name__)


class Clock:
    """Calls a function at a fixed rate; a failed call is not repeated, the next one follows."""

    def __init__(self, rule: str, function: str, region: str, invoke: Invoke, seconds: float) -> None:
        self._rule = rule
        self._function = function
        self._region = region
        self._invoke = invoke
        self._seconds = seconds
        self._due = time.monotonic() + seconds

    def poll(self) -> bool:
        """Call the function if it is due."""
        if time.monotonic() < self._due:
            return False
        self._due = time.monotonic() + self._seconds
        try:
            self._invoke(self._function, scheduled_event(self._rule, self._region, datetime.now(UTC)))
        except Exception:  # noqa: BLE001 - whatever a handler raises, Lambda reports it; the template asks for no retry
            _log.exception("%s failed; it is called again in %s s", self._function, self._seconds)
        return True


def scheduled_event(rule: str, region: str, at: datetime) -> dict[str, Any]:
    """Build the event that a rule with a schedule sends (powertools: EventBridgeEvent, "Scheduled Event")."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": region,
        "resources": [f"arn:aws:events:{region}:{ACCOUNT}:rule/{rule}"],
        "detail": {},
    }
