"""The real batching code under the quotas of a new account, on a virtual clock: nothing is refused or waits on."""

from __future__ import annotations

import pytest

from bench.quotas import MOST_RUNS, VCPU, Outcome, Simulation, main
from functions.ports import MOST_DROPS
from infra.cost import Load

DROPS = 4000


@pytest.fixture(scope="module", params=[(1, "even"), (1, "daily"), (20, "daily"), (40, "hourly")], ids=str)
def outcome(request: pytest.FixtureRequest) -> Outcome:
    contracts, pattern = request.param
    return Simulation(Load(DROPS, 20_000, contracts), pattern).run()


def test_every_drop_is_judged_once(outcome: Outcome) -> None:
    assert (len(outcome.waits), outcome.left) == (DROPS, 0)


def test_quotas_hold(outcome: Outcome) -> None:
    assert outcome.seen["most at once"] <= min(MOST_RUNS, VCPU // 4)
    assert outcome.seen["most queued"] <= 16
    assert (outcome.seen["refused"], outcome.seen["timed out in the queue"]) == (0, 0)
    assert outcome.batches >= DROPS / MOST_DROPS


def test_more_jobs_than_can_run_make_larger_batches() -> None:
    found = Simulation(Load(6000, 20_000, 30, window=0), "even").run()

    assert (len(found.waits), found.left, found.seen["timed out in the queue"]) == (6000, 0, 0)
    assert found.batches < 6000
    assert max(found.waits) < 3 * 3600


def test_program_prints_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--drops", "50", "--contracts", "1", "2", "--arrive", "even"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]

    assert [row.split(" | ")[1] for row in rows] == ["1", "2"]
