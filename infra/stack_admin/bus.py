"""Events onto a stack's bus by a person's hand: events in, how many were sent out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from contracts import codec
from contracts.errors import DropgateError
from functions.aws.answers import asking
from functions.events.drop_event import DropEvent
from functions.events.shape import detail_type

MOST = 10
"""Events of one call, which have 16 KB at most each (EventBridge API, PutEvents: ten entries, 1 MB)."""


class NotSent(DropgateError):
    """The bus refused events; the text gives how many were sent before, and the reason."""


def send(client: Any, bus: str, events: Sequence[DropEvent]) -> int:
    """Put events on a bus in their order, ten at once; return their number. Raises NotSent."""
    for begin in range(0, len(events), MOST):
        entries = [
            {
                "EventBusName": bus,
                "Source": "dropgate",
                "DetailType": detail_type(event),
                "Detail": json.dumps(codec.encode(event)),
            }
            for event in events[begin : begin + MOST]
        ]
        with asking("EventBridge"):
            answer = client.put_events(Entries=entries)
        if answer["FailedEntryCount"]:
            refused = next(one for one in answer["Entries"] if "ErrorCode" in one)
            why = f"{refused['ErrorCode']}: {refused.get('ErrorMessage', '')}"
            raise NotSent(f"{begin} of {len(events)} events were sent, then the bus refused some ({why}).")
    return len(events)
