"""The real batching code under the quotas of a new account, on a virtual clock: nothing is refused or waits on."""

from __future__ import annotations

import pytest

from bench.cost_page import PAGE, table
from bench.quotas import HEAD, MOST_RUNS, ROWS, SHORT, VCPU, SimulatedDay, Simulation, cells_of, main
from functions.costs.cost import Load
from functions.ports import MOST_DROPS

DROPS = 4000


@pytest.fixture(scope="module", params=[(1, "even"), (1, "daily"), (20, "daily"), (40, "hourly")], ids=str)
def outcome(request: pytest.FixtureRequest) -> SimulatedDay:
    contracts, pattern = request.param
    return Simulation(Load(DROPS, 20_000, contracts), pattern).run()


def test_every_drop_is_judged_once(outcome: SimulatedDay) -> None:
    assert (len(outcome.waits), outcome.left) == (DROPS, 0)


def test_quotas_hold(outcome: SimulatedDay) -> None:
    assert outcome.seen["most at once"] <= min(MOST_RUNS, VCPU // 4)
    assert outcome.seen["most queued"] <= 16
    assert (outcome.seen["refused"], outcome.seen["timed out in the queue"]) == (0, 0)
    assert outcome.batches >= DROPS / MOST_DROPS


def test_more_jobs_than_can_run_make_larger_batches() -> None:
    day = Simulation(Load(6000, 20_000, 30, window=0), "even").run()

    assert (len(day.waits), day.left, day.seen["timed out in the queue"]) == (6000, 0, 0)
    assert day.batches < 6000
    assert max(day.waits) < 3 * 3600


def test_who_waits_longest_is_served_first() -> None:
    day = Simulation(Load(6000, 20_000, 60, window=0), "even").run()

    assert max(day.waits) < 3 * day.waits[len(day.waits) // 2]
    assert day.seen["in vain"] < 2 * day.batches


def test_page_has_the_short_row_as_it_is_simulated() -> None:
    rows = PAGE.read_text(encoding="utf-8").splitlines()

    assert table(cells_of(SHORT), []).splitlines()[0] in rows, "write it anew: python -m bench.quotas --page"
    assert table(HEAD, []).splitlines()[0] in rows


def test_page_has_a_row_for_each_day() -> None:
    rows = PAGE.read_text(encoding="utf-8").splitlines()
    begin = rows.index(table(HEAD, []).splitlines()[0]) + 2
    cells = [row.strip("| ").split(" | ")[:4] for row in rows[begin : begin + len(ROWS)]]

    assert cells == [[f"{r.load.drops:,}", f"{r.load.contracts}", r.pattern, f"{r.wait:.0f}"] for r in ROWS], (
        "write it anew: python -m bench.quotas --page"
    )
    assert rows[begin + len(ROWS)] == ""


def test_program_prints_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--drops", "50", "--contracts", "1", "2", "--arrive", "even"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]

    assert [row.split(" | ")[1] for row in rows] == ["1", "2"]
