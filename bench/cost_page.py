"""`python -m bench.cost_page`: write again the tables of docs/explanation/cost.md that need no run.

In: the table of calls and the cost model. Out: the page with these two tables, all else as it was. The table of the
quotas is written by `python -m bench.quotas --page`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from functions.costs.calls import CALLS, LANE_CALLS, Calls, of_batch, of_lane
from functions.costs.cost import GIB, MIB, MONTH_DAYS, Bill, Load, bill, idle, lane_bill
from infra import files
from infra.packaging.bundles import ROOT

PAGE = ROOT / "docs" / "explanation" / "cost.md"

LOADS = (
    Load(100, 100_000),
    Load(10_000, 100_000, 5),
    Load(10_000, 100_000, 5, 900),
    Load(1_000_000, 20_000, 20),
    Load(1_000_000, 20_000, 20, 300),
    Load(1_000, 200 * MIB, 5),
    Load(100, 5 * GIB, 5),
    Load(10_000, 100_000, 5, promote="rows", rejected=0.1),
    Load(10_000, 100_000, 5, promote="table"),
    Load(1_000_000, 20_000, 20, 300, promote="table"),
)
"""The rows of the table of dollars."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def calls_table() -> str:
    """Return the table of AWS calls of the functions, one line per call."""
    head = ("function", "call", "lone", "each further", "for", "only with")
    return table(head, [_call(one) for one in CALLS])


def lane_calls_table() -> str:
    """Return the table of calls of the fast lane's function."""
    head = ("function of the fast lane", "call", "of each drop", "for")
    return table(head, [(*_call(one)[:3], one.why) for one in LANE_CALLS])


def dollars_table(loads: Sequence[Load] = LOADS) -> str:
    """Return the table of costs of some loads."""
    head = (
        "drops a day", "bytes of each", "contracts", "window", "promote", "drops a batch",
        "$ a month", "$ per 1,000", "$ per TiB", "shares",
    )  # fmt: skip
    return table(head, [_dollars(load) for load in loads])


def lane_table() -> str:
    """Return the table of 1,000 small good files, each alone in its window, with Spark and in the fast lane."""
    head = ("1,000 good files of 1 MiB, each by itself", "calls of functions", "runs of Spark", "dollars")
    load = Load(10_000, MIB)
    rows = [
        ("by Spark", f"{1000 * of_batch(1).total():,}", "1,000", f"{_further(bill(load, each=1)):.2f}"),
        ("in the fast lane", f"{1000 * of_lane().total():,}", "0", f"{_further(lane_bill(load)):.2f}"),
    ]
    return table(head, rows)


def _further(cost: Bill) -> float:
    """Return the dollars of 1,000 drops beyond those of a month without any."""
    return (cost.dollars - idle().dollars) / (cost.load.drops * MONTH_DAYS) * 1000


def replaced(page: str, new: str) -> str:
    """Return the page with a table in place of the one with the same first line; raise ValueError if there is none."""
    head, *_ = new.splitlines()
    lines = page.splitlines()
    if head not in lines:
        raise ValueError(f"{PAGE.name} has no table that begins with {head!r}; write that line at its place")
    begin = lines.index(head)
    end = next((n for n in range(begin, len(lines)) if not lines[n].startswith("|")), len(lines))
    return "\n".join([*lines[:begin], *new.splitlines(), *lines[end:]]) + "\n"


def write(*tables: str, to: Path = PAGE) -> None:
    """Put tables into the page."""
    page = to.read_text(encoding="utf-8")
    for new in tables:
        page = replaced(page, new)
    files.write(to.parent, to.name, page)


def _call(one: Calls) -> tuple[str, ...]:
    why = f"{one.why}, once a batch" if one.several else one.why
    only = [f"`promote: {what}`" for what in one.promote if len(one.promote) == 1]
    only += ["rejected rows"] if one.rejected else []
    often = (f"{one.lone or ''}", f"{one.further or ''}")
    return one.function.removesuffix("Function"), f"`{one.operation}`", *often, why, ", ".join(only)


def _dollars(load: Load) -> tuple[str, ...]:
    cost = bill(load)
    shares = ", ".join(f"{name} {part:.0%}" for name, part in list(cost.shares().items())[:4])
    return (
        f"{load.drops:,}", f"{load.size:,}", f"{load.contracts}", f"{load.window} s",
        f"{load.promote}{f', {load.rejected:.0%} with rejected rows' if load.rejected else ''}",
        f"{cost.per_batch:.1f}",
        f"{cost.dollars:,.0f}", f"{cost.per_thousand:.3f}", f"{cost.per_tib:,.0f}", shares,
    )  # fmt: skip


def main() -> int:
    """Write all."""
    write(calls_table(), lane_calls_table(), lane_table(), dollars_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
