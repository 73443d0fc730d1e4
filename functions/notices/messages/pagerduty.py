"""A letter as events of PagerDuty: an incident for each key, or for a burst of a contract; resolved in the end. Pure.

After "Send an alert event" (developer.pagerduty.com, Events API v2): a summary of 1,024 characters and a `dedup_key` of
255 at most, `trigger` and `resolve`. An event with a `dedup_key` that was sent before changes nothing, so a repeat does
no harm.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from contracts.problem import visible
from functions import keys
from functions.notices.messages import wording
from functions.ports.notices import Post

if TYPE_CHECKING:
    from functions.notices.messages.wording import Entry, Letter

MOST_SUMMARY = 1_024
SEVERITY = {"failed": "error", "rejected": "error", "missing": "error", "recovered": "info", "accepted": "info"}
"""The severity of an occasion; of others it is a warning."""
MOST_OPEN = 500
"""Incidents that a line remembers as open; there are six new ones an hour at most."""
RESOLVING = frozenset({"recovered", "accepted"})


def incident(scope: str, topic: str = "") -> str:
    """Return the key of an incident: of one file or day of a contract, or of a burst of the contract."""
    return keys.digest("incident", scope, topic)


def events(letter: Letter, url: str, routing_key: str) -> tuple[list[Post], tuple[str, ...]]:
    """Return the requests of a letter, and the incidents that are open after them.

    An incident is resolved if it is open; that of a burst is, when no key of the contract is in trouble any more.
    """
    scope, open_now = letter.line.scope, dict.fromkeys(letter.line.incidents)
    last = {entry.notice.topic: entry for entry in letter.entries}
    begun = [entry for entry in last.values() if entry.notice.occasion not in RESOLVING]
    over = [incident(scope, topic) for topic, entry in last.items() if entry.notice.occasion in RESOLVING]
    if not letter.line.troubles and not begun:
        over.append(incident(scope))
    resolved = [key for key in over if key in open_now]
    bodies = [{"routing_key": routing_key, "event_action": "resolve", "dedup_key": key} for key in resolved]
    if begun:
        key = incident(scope, begun[0].notice.topic if len(begun) == 1 else "")
        bodies.append({"routing_key": routing_key, **_trigger(letter, key, begun)})
        open_now[key] = None
    left = tuple(key for key in open_now if key not in resolved)[-MOST_OPEN:]
    return [Post(url, json.dumps(body).encode(), {"Content-Type": "application/json"}) for body in bodies], left


def _trigger(letter: Letter, key: str, begun: list[Entry]) -> dict[str, Any]:
    entry, summary = begun[0], wording.subject(letter)
    details = {
        "what": wording.lead(letter),
        **wording.facts(letter),
        "problems": [visible(problem.message, wording.MOST_TEXT) for problem in letter.problems[:5]],
        "files": [each.name for each in begun[: wording.MOST_KEYS]],
        "rest": wording.rest(letter),
        "contact": wording.contact_line(letter),
    }
    return {
        "event_action": "trigger",
        "dedup_key": key,
        "payload": {
            "summary": visible(summary, MOST_SUMMARY),
            "source": visible(letter.stack),
            "severity": SEVERITY.get(letter.occasion, "warning"),
            "timestamp": entry.event.time,
            "component": visible(letter.line.scope),
            "class": entry.notice.occasion,
            "custom_details": {name: value for name, value in details.items() if value},
        },
    }
