"""Events in any order: in the end every drop is settled, and consumers see what they may see, no more.

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
A = "orders/a.csv"


def test_any_history_ends_well() -> None:
    run_state_machine_as_test(Histories, settings=SHORT)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(FIRST, FIRST + 20))
def test_ten_thousand_steps_end_well(number: int, record_property: Callable[[str, object], None]) -> None:
    class Machine(Histories):
        """The machine of this seed."""

    run_state_machine_as_test(seed(number)(Machine), settings=LONG)
    record_property("steps of histories", Machine.steps)

    assert Machine.steps >= AT_LEAST


class FoundHistory(Histories):
    """A history as it was found, step by step."""

    def uploaded(self, *kinds: str) -> list[str]:
        """Upload versions of one key within a second; return the ids of their drops, which have no record yet."""
        self.upload([(A, kind) for kind in kinds])
        return list(self.model.uploads)

    def start(self) -> str:
        """Let the next event and the window after it come; the run of the job that they begin."""
        self.deliver(0)
        return self.run()

    def run(self) -> str:
        """Let a window come; the run of the job that it begins."""
        self.window(0, again=False)
        return self.world.jobs.working()[-1]

    def settle(self, run: str) -> None:
        """Let a run end well, and deliver its event."""
        self.job_ends(run)
        self.job_reports([*self.world.jobs.requests].index(run), named=True)
        self.look()

    def end(self, *states: str) -> None:
        """Let all that is due come; how the drops have ended, in the order of their uploads."""
        self.teardown()
        drops = self.world.drops()
        assert tuple(drops[drop].state for drop in self.model.uploads) == states


def test_drop_that_a_clock_ahead_staged_joins() -> None:
    """Functions run on many machines: who closes the window may be behind who has staged the drop."""
    history = FoundHistory()
    (drop,) = history.uploaded("good")
    history.deliver(0)
    history.clock_jumps(-30)
    history.window(0, again=False)

    assert history.world.drops()[drop].state == "validating"
    history.end("accepted")


def test_upload_does_not_come_back_after_one_without_event() -> None:
    """The third one's event is lost, so that it is as old as the first, which the second has overtaken."""
    history = FoundHistory()
    history.uploaded("good", "good", "good")
    first, second = history.start(), history.start()
    history.lose(0)
    history.settle(second)
    history.clock_jumps(1000)
    history.schedule()
    history.settle(history.run())
    history.settle(first)

    history.end("superseded", "accepted", "accepted")


def test_late_event_still_tells_of_the_newer() -> None:
    """The schedule finds the second, its event comes when consumers have it, and only then the first is judged."""
    history = FoundHistory()
    history.uploaded("good", "good")
    first = history.start()
    history.clock_jumps(1000)
    history.schedule()
    history.settle(history.run())
    history.deliver(0)
    history.settle(first)

    history.end("superseded", "accepted")
