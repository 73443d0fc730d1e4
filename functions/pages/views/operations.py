"""Operations: what is on its way, what failed and what is paused, in one page."""

from __future__ import annotations

from functions.api.models.drops import summary
from functions.api.routes.drops import list_drops
from functions.api.routes.missing import list_missing
from functions.api.routes.pauses import list_pauses
from functions.pages.answers import Answer
from functions.pages.site import Visit
from functions.ports.clock import stamp

MOST = 50


def operations(visit: Visit) -> Answer:
    """Return the page of those who run the stack."""
    here = visit.here
    pauses = list_pauses(here).pauses
    open_now = here.ports.ledger.in_flight(stamp(here.ports.clock.now()), MOST)
    ways = sorted((*open_now.drops, *open_now.waiting), key=lambda drop: drop.changed_at)[:MOST]
    failed = list_drops(here, state="failed", limit=MOST).drops
    missing = [each for each in list_missing(here).missing if each.state == "missing"]
    return visit.page(
        "operations",
        pauses=pauses,
        drops=[summary(drop) for drop in ways],
        batches=open_now.batches,
        unreadable=open_now.unreadable,
        failed=failed,
        missing=missing,
    )
