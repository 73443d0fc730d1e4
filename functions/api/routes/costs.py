"""Costs: the load of this month so far in, what it costs in a month at list prices out."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api.asked import Here
from functions.api.models.costs import StackCosts
from functions.ports.clock import stamp


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.get("/costs", summary="Estimate the cost of a month", operation_id="read_costs")(read_costs)


def read_costs(here: Here) -> StackCosts:
    """Return what this month's load costs in a month; at most 100 drops of each contract are read."""
    from functions.costs.cost import bill, idle, price_list
    from functions.costs.observed import observed

    here.reach("read_costs")
    now, without = here.ports.clock.now(), idle()
    seen = observed(here.ports.ledger, [entry.contract for entry in here.entries()], now)
    priced, prices = bill(seen.load) if seen else without, price_list()
    return StackCosts(
        at=stamp(now),
        region=prices["region"],
        prices_checked=prices["checked"],
        drops_read=seen.drops_read if seen else 0,
        contracts=seen.load.contracts if seen else 0,
        drops_a_day=round(priced.load.drops, 2) if seen else 0,
        mean_bytes=priced.load.size if seen else 0,
        drops_a_batch=round(priced.per_batch, 1) if seen else 0,
        dollars_a_month=round(priced.dollars, 2),
        dollars_without_drops=round(without.dollars, 2),
        dollars_per_thousand_drops=round(priced.per_thousand, 4) if seen else 0,
        services={name: round(part, 2) for name, part in priced.services().items() if round(part, 2)},
    )
