"""The history of a contract in pictures: arrivals by days, rows and rejected shares by files, each check over time."""

from __future__ import annotations

from dataclasses import dataclass

from functions.api.contract_texts import entry_of
from functions.api.routes.drops import list_drops
from functions.drop import OPEN, Drop
from functions.operations.arrivals import arrival_days
from functions.operations.check_history import CheckRun, check_history
from functions.pages.answers import Answer
from functions.pages.charts.bars import BarChart, bar_chart
from functions.pages.charts.calendar import SIGNS, weeks
from functions.pages.site import Visit
from functions.pages.views.drops import month_of

MOST, MOST_RESULTS = 200, 40
"""The files of a month that are drawn, and those whose checks are."""


@dataclass(frozen=True, slots=True)
class CheckChart:
    """A check over time: a bar for each file, as high as the share of its records that failed."""

    check: str
    severity: str
    runs: list[CheckRun]
    chart: BarChart
    failing: int


def history(visit: Visit) -> Answer:
    """Return the history of a contract in a month."""
    here, name = visit.here, visit.request.parts["contract"]
    entry = entry_of(here, name, "read_receipt")
    month = month_of(visit)
    listed = list_drops(here, contract=name, month=month, limit=MOST)
    ledger = here.ports.ledger
    drops = [drop for each in reversed(listed.drops) if (drop := ledger.drop(each.id))]
    days = arrival_days(month, entry.arrival, drops, ledger.absences(name, month), here.ports.clock.now())
    counted = [drop for drop in drops if drop.rows and drop.rows.read is not None]
    return visit.page(
        "history",
        contract=name,
        month=month,
        weeks=weeks(days),
        days=[day for day in days if day.state not in ("nothing expected", "to come")],
        signs=SIGNS,
        arrival=entry.arrival,
        counted=counted,
        rows=_rows(counted),
        shares=_shares(counted),
        checks=_checks(visit, [drop for drop in drops if drop.state not in OPEN][-MOST_RESULTS:]),
        more=listed.next is not None,
        most=MOST,
        most_results=MOST_RESULTS,
    )


def _rows(drops: list[Drop]) -> BarChart:
    return bar_chart(
        [
            (drop.rows.read - drop.rows.rejected, drop.rows.rejected, f"{drop.name}: {drop.rows.read:,} rows")
            for drop in drops
            if drop.rows
        ]
    )


def _shares(drops: list[Drop]) -> BarChart:
    parts = [(drop.rows.rejected / (drop.rows.read or 1), drop.name) for drop in drops if drop.rows]
    return bar_chart([(part, 0, f"{name}: {part:.2%} rejected") for part, name in parts])


def _checks(visit: Visit, drops: list[Drop]) -> list[CheckChart]:
    """Return the charts of checks, those that fail most often first."""
    ports = visit.here.ports
    by_check = check_history(ports.store, ports.zones.results, drops)
    charts = [
        CheckChart(
            check=name,
            severity=runs[-1].severity,
            runs=runs,
            chart=bar_chart([_of_run(run) for run in runs]),
            failing=sum(run.result in ("failed", "warning") for run in runs),
        )
        for name, runs in by_check.items()
    ]
    return sorted(charts, key=lambda chart: (-chart.failing, chart.check))


def _of_run(run: CheckRun) -> tuple[float | None, float, str]:
    """Return the share of a run, all or nothing for a check that counts no records."""
    part = run.failing_share
    if part is None:
        part = None if run.result in ("not_evaluated", "error") else float(run.result != "passed")
    return part, 0, f"{run.key}: {run.result}" + (f", {part:.2%} failing" if part is not None else "")
