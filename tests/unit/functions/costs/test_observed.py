"""The load of a stack by its newest drops: rates of contracts add up, sizes are weighed by them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from functions.costs.observed import MOST, observed
from tests.builders import a_drop, a_world

NOW = datetime(2026, 1, 11, tzinfo=UTC)


def test_few_drops_are_counted_since_the_month_began() -> None:
    ledger = a_world().ledger
    for n, size in enumerate((100, 300)):
        ledger.open(a_drop(id=f"{n:032}", size=size, received_at="2026-01-09T12:00:00.000000Z"))
    ledger.open(a_drop(id="9" * 32, size=10_000, received_at="2025-12-31T12:00:00.000000Z"))
    seen = observed(ledger, ["orders.v1", "empty.v1"], NOW)
    assert seen

    assert (seen.load.drops, seen.load.size, seen.load.contracts, seen.drops_read) == (0.2, 200, 1, 2)


def test_many_drops_are_counted_since_the_oldest_that_is_read() -> None:
    ledger = a_world().ledger
    for n in range(MOST + 50):
        day = "09" if n < 50 else "10"
        ledger.open(a_drop(id=f"{n:032}", size=100, received_at=f"2026-01-{day}T00:00:00.{n:06}Z"))
    ledger.open(a_drop(id="9" * 32, contract="rare.v1", size=2_100, received_at="2026-01-10T00:00:00.000000Z"))
    seen = observed(ledger, ["orders.v1", "rare.v1"], NOW)
    assert seen

    assert seen.drops_read == MOST + 1
    assert seen.load.drops == pytest.approx(MOST + 0.1)
    assert seen.load.size == pytest.approx(102, abs=1)


def test_month_without_drops_has_no_load() -> None:
    assert observed(a_world().ledger, ["orders.v1"], NOW) is None
