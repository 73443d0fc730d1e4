"""A letter as events of PagerDuty: an incident for each key, or for a burst of a contract; resolved in the end. Pure.

After "Send an alert event" (developer.pagerduty.com, Events API v2): a summary of 1,024 characters and a `dedup_key` of
255 at most, `trigger` and `resolve`. An event with a `dedup_key` that was sent before changes nothing, so a repeat does
no harm.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Change:
    """A request that opens an incident, or resolves it."""

    post: Post
    incident: str
    opens: bool


def changes(letter: Letter, url: str, routing_key: str) -> tuple[Change, ...]:
    """Return the changes of a letter, the incident that it opens first.

    An incident is resolved if it is open; that of a burst is, when no key of the contract is in trouble any more.
    """
    scope = letter.line.scope
    last = {entry.notice.topic: entry for entry in letter.entries}
    begun = [entry for entry in last.values() if entry.notice.occasion not in RESOLVING]
    over = [incident(scope, topic) for topic, entry in last.items() if entry.notice.occasion in RESOLVING]
    if not letter.line.troubles and not begun:
        over.append(incident(scope))
    bodies: list[dict[str, Any]] = [
        {"event_action": "resolve", "dedup_key": key} for key in over if key in letter.line.incidents
    ]
    if begun:
        key = incident(scope, begun[0].notice.topic if len(begun) == 1 else "")
        bodies.insert(0, _trigger(letter, key, begun))
    return tuple(_change({"routing_key": routing_key, **body}, url) for body in bodies)


def after(incidents: tuple[str, ...], taken: Sequence[Change]) -> tuple[str, ...]:
    """Return the incidents that are open after changes."""
    now = dict.fromkeys(incidents)
    for change in taken:
        if change.opens:
            now[change.incident] = None
        else:
            now.pop(change.incident, None)
    return tuple(now)[-MOST_OPEN:]


def _change(body: dict[str, Any], url: str) -> Change:
    post = Post(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return Change(post, body["dedup_key"], body["event_action"] == "trigger")


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
