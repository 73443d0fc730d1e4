"""The cost of a stack as the API shows it: a load, and what it costs in a month at list prices."""

from __future__ import annotations

from functions.api.models.base import Model


class StackCosts(Model):
    """An estimate in US dollars by the model of `dropgate cost`, at list prices without free tiers; no bill of AWS.

    The load is that of this month so far: `drops_read` are the newest drops of each contract that it was taken from.
    Without any drop only `dollars_without_drops` are left.
    """

    at: str
    region: str
    prices_checked: str
    drops_read: int
    contracts: int
    drops_a_day: float
    mean_bytes: int
    drops_a_batch: float
    dollars_a_month: float
    dollars_without_drops: float
    dollars_per_thousand_drops: float
    services: dict[str, float]
