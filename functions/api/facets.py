"""Facets of contracts: a contract in force in; its tags, domain, teams and consumers out, by its plan and its text.

No plan has what only describes a contract, so its published text is read, and only where a search asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from contracts.catalog import Entry
from functions.api.asked import Asked
from functions.api.contract_texts import document_of
from functions.api.problems import RequestRefused

MOST_TEXTS = 200
"""Contracts whose texts one search reads: each is a request to S3."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The values that a contract is searched by; None asks for nothing."""

    tag: str | None = None
    domain: str | None = None
    team: str | None = None
    consumer: str | None = None

    def among(self, here: Asked, entries: list[Entry]) -> list[Entry]:
        """Return the contracts that have all the values; RequestRefused with 422 if too many texts would be read."""
        if self == Facets():
            return entries
        if len(entries) > MOST_TEXTS:
            text = f"{len(entries):,} contracts would be read: narrow them to {MOST_TEXTS} by producer, id or search."
            raise RequestRefused(422, text, [{"place": "query", "kind": "too_wide"}])
        return [entry for entry in entries if self._fits(here, entry)]

    def _fits(self, here: Asked, entry: Entry) -> bool:
        plan = here.ports.catalog.plan(entry.plan)
        if self.consumer is not None and self.consumer not in plan.consumers:
            return False
        if (self.tag, self.domain, self.team) == (None, None, None):
            return True
        data = _data(document_of(here, plan) or b"")
        objects = [each for each in _list(data.get("schema")) if isinstance(each, dict)]
        own = [each for each in objects if each.get("name") == plan.object]
        tags = {tag for each in (data, *own) for tag in _list(each.get("tags")) if isinstance(tag, str)}
        return (
            (self.tag is None or self.tag in tags)
            and self.domain in (None, data.get("domain"))
            and (self.team is None or self.team in set(_teams(data.get("team"))))
        )


def _data(text: bytes) -> dict[str, Any]:
    """Return the keys of a contract's text; none of a text that cannot be read."""
    import yaml

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (both are safe)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _teams(team: Any) -> Iterator[str]:
    """Yield the name of a team and of its members (ODCS 3.2: an object with members; before, a list of them)."""
    for each in [team, *_list(team.get("members"))] if isinstance(team, dict) else _list(team):
        if isinstance(each, dict):
            yield from (value for key in ("name", "username") if isinstance(value := each.get(key), str))


def _list(value: Any) -> list[Any]:
    return [each for each in value if isinstance(each, str | dict)] if isinstance(value, list) else []
