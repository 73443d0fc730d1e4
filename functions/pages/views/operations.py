"""Operations: today in one page: what is on its way, stuck, failed, missing and paused, what waits, and costs."""

from __future__ import annotations

from datetime import timedelta

from functions.api.identity.access import reach
from functions.api.models.drops import summary
from functions.api.routes.contracts import list_contracts
from functions.api.routes.costs import read_costs
from functions.api.routes.drops import list_drops
from functions.api.routes.missing import list_missing
from functions.api.routes.pauses import list_pauses
from functions.pages.answers import Answer
from functions.pages.site import Visit
from functions.pages.words import done_words, since
from functions.ports.clock import stamp
from functions.schedule.stuck import stuck

MOST = 50
BOUND = timedelta(minutes=30)
"""The time without progress after which something is shown as stuck, as `dropgate drops --stuck` has it."""


def operations(visit: Visit) -> Answer:
    """Return the page of those who run the stack."""
    here = visit.here
    pauses = list_pauses(here).pauses
    now = here.ports.clock.now()
    open_now = here.ports.ledger.in_flight(stamp(now), MOST)
    ways = sorted((*open_now.drops, *open_now.waiting), key=lambda drop: drop.changed_at)[:MOST]
    entries = list_contracts(here, limit=200).contracts
    return visit.page(
        "operations",
        done=done_words(visit.request.query.get("done", "")),
        pauses=pauses,
        drops=[summary(drop) for drop in ways],
        batches=[(each, since(each.claimed_at, now)) for each in open_now.batches[:MOST]],
        windows=[(each, since(each.opened_at, now)) for each in open_now.windows[:MOST]],
        unreadable=open_now.unreadable,
        stuck=[(each, since(each.since, now)) for each in stuck(here.acts(), BOUND)[:MOST]],
        bound=int(BOUND.total_seconds() // 60),
        failed=list_drops(here, state="failed", limit=MOST).drops,
        queues=here.ports.queues.depths(),
        costs=read_costs(here) if reach(here.caller, "read_costs") else None,
        missing=[each for each in list_missing(here).missing if each.state == "missing"],
        may_act=reach(here.caller, "create_pause") is not None,
        contracts=[each.contract for each in entries],
        producers=sorted({each.producer for each in entries}),
    )
