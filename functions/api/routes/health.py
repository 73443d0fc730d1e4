"""Health: what is open in a stack, what makes no progress, and what waits in its queues; nothing is scanned."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api.asked import Here
from functions.api.models.health import OpenCounts, QueueState, StackHealth, StuckItem
from functions.ports.clock import stamp
from functions.ports.ledger import InFlight
from functions.schedule.stuck import stuck

MOST_OPEN, MOST_STUCK = 1000, 40
"""Open items of a kind that are counted, and that are asked for their causes: each of these is read by itself."""
Minutes = Annotated[int, Query(description="Minutes without progress", ge=0, le=43_200)]


def add(app: APIGatewayHttpResolver) -> None:
    """Add this route to an application."""
    app.get("/health", summary="Read the state of the stack", operation_id="read_health")(read_health)


def read_health(here: Here, minutes: Minutes = 15) -> StackHealth:
    """Return what is open, and what is stuck as `dropgate drops --stuck` finds it, with the depths of the queues."""
    here.reach("read_health")
    world, now = here.acts(), stamp(here.ports.clock.now())
    return StackHealth(
        at=now,
        open=_counts(here.ports.ledger.in_flight(now, MOST_OPEN)),
        stuck=[StuckItem(**asdict(each)) for each in stuck(world, timedelta(minutes=minutes), most=MOST_STUCK)],
        batches_at_most=world.most_batches,
        pauses=len(here.ports.ledger.pauses()),
        queues=[QueueState(**asdict(depth)) for depth in here.ports.queues.depths()],
    )


def _counts(open_now: InFlight) -> OpenCounts:
    drops = (*open_now.drops, *open_now.waiting)
    several = (drops, open_now.batches, open_now.windows, open_now.sets)
    return OpenCounts(
        drops=dict(sorted(Counter(drop.state for drop in drops).items())),
        batches=len(open_now.batches),
        windows=len(open_now.windows),
        sets=len(open_now.sets),
        unreadable=len(open_now.unreadable),
        are_least=any(len(each) >= MOST_OPEN for each in several),
    )
