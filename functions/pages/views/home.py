"""The first page: files that are missing or to come, the last files, and the contracts that the caller reaches."""

from __future__ import annotations

from datetime import datetime
from itertools import chain

from contracts.catalog import Entry
from contracts.terms.arrival import Arrival
from contracts.terms.key_pattern import captures
from functions.api.asked import Asked
from functions.api.identity.access import reach
from functions.api.routes.contracts import list_contracts
from functions.api.routes.drops import list_drops
from functions.api.routes.missing import list_missing
from functions.operations.arrivals import Awaited, awaited, due_today
from functions.pages.answers import Answer
from functions.pages.site import Visit
from functions.ports.clock import months, stamp

LAST = 20
MOST_WINDOWS = 20
"""Contracts with windows that are asked for the files of today; who has more sees the calendars alone."""


def home(visit: Visit) -> Answer:
    """Return the first page of the caller."""
    here = visit.here
    caller = here.caller
    drops = list_drops(here, limit=LAST).drops if reach(caller, "list_drops") else []
    missing = list_missing(here).missing if reach(caller, "list_missing") else []
    contracts = list_contracts(here).contracts if reach(caller, "list_contracts") else []
    to_come = _to_come(visit) if reach(caller, "read_receipt") else []
    open_now = [absence for absence in missing if absence.state == "missing"]
    routes = here.ports.catalog.routes()
    of_missing = {name: routes.of_contract(name) for name in {absence.contract for absence in open_now}}
    contacts = {name: own.contact.name for name, own in of_missing.items() if own and own.contact}
    return visit.page("home", drops=drops, missing=open_now, to_come=to_come, contacts=contacts, contracts=contracts)


def _to_come(visit: Visit) -> list[Awaited]:
    """Return the files that are to come today, the one that is due first before the others."""
    here, now = visit.here, visit.here.ports.clock.now()
    allowed = here.reach("read_receipt")
    entries = [(entry, entry.arrival) for entry in here.entries() if entry.arrival and allowed.covers(entry.producer)]
    if len(entries) > MOST_WINDOWS:
        return []
    due = [(entry, own) for entry, own in entries if due_today(own, now)]
    each = [awaited(entry.contract, own, _uploads(here, entry, own, now), now) for entry, own in due]
    return sorted(filter(None, each), key=lambda files: (files.due_at, files.contract))


def _uploads(here: Asked, entry: Entry, arrival: Arrival, now: datetime) -> list[tuple[str, str]]:
    """Return the newest uploads of a contract, without markers and manifests, each with its time.

    The local day may have begun in the month before.
    """
    asked = months(stamp(arrival.begins(arrival.day(now))), stamp(now))
    listed = (list_drops(here, contract=entry.contract, month=month, limit=200).drops for month in asked)
    return [
        (drop.key, drop.received_at)
        for drop in chain.from_iterable(listed)
        if entry.signal is None or captures(entry.signal, drop.key) is None
    ]
