"""Whatever comes in whatever order: in the end every drop is settled, and consumers see what they may see, no more.

The machine and its model are in `tests/histories.py`. A history that was found to fail is kept here under a name.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.histories import Histories

FIRST = int(os.environ.get("ORACLE_SEED", "1"))
STEPS, AT_LEAST = 50, 10_000
"""Steps of one history; of all that one seed brings."""
SHORT = settings(max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(SHORT, max_examples=AT_LEAST // STEPS + 120, stateful_step_count=STEPS, database=None)


def test_any_history_ends_well() -> None:
    run_state_machine_as_test(Histories, settings=SHORT)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(FIRST, FIRST + 20))
def test_ten_thousand_steps_end_well(number: int, record_property: Callable[[str, object], None]) -> None:
    class Machine(Histories):
        """Of this seed alone."""

    run_state_machine_as_test(seed(number)(Machine), settings=LONG)
    record_property("steps of histories", Machine.steps)

    assert Machine.steps >= AT_LEAST
