"""`dropgate doctor`: the differences between buckets, ledger and catalog, and the repair of the safe ones."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from contracts.errors import DocumentInvalid, DropgateError
from contracts.problem import visible
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.doctor.difference import Difference
    from functions.ports import Ports

EVERY = 1000
"""The number of objects and records between two lines of progress."""


@click.command(
    epilog="""\b
Examples:
  dropgate doctor
  dropgate doctor --months 12 --contract retired-orders.v1
  dropgate doctor --repair --format json
"""
)
@click.option("--repair", is_flag=True, help="Run the safe repairs; without it nothing is changed.")
@click.option(
    "--months",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Compare the records of this many months of arrival; tables are compared with all their rows.",
)
@click.option(
    "--contract",
    "more",
    metavar="C",
    multiple=True,
    help="Also compare the records and the table of this withdrawn contract.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(repair: bool, months: int, more: tuple[str, ...], form: str) -> None:
    """Compare landing, stage, promoted files, tables, receipts, evidence, records, keys, batches and the catalog.

    Each difference is printed with its repair. --repair runs the safe repairs: each can be interrupted and run again,
    and first tests that the difference still exists. Work under way is ignored for 15 minutes. Exits 0 if there is no
    difference or all are repaired, 1 if a difference remains.
    """
    from functions.doctor.compare import differences
    from infra.cli.options.drop_argument import last_months
    from infra.cli.options.target import ports

    world, progress = ports(), _Progress()
    all_differences = differences(world, _contracts(world, more), last_months(months), progress.seen)
    left = _show(all_differences, form, repair=repair)
    if form == "text":
        click.echo(
            f"{progress.count:,} objects and records compared; {left or 'no'} difference{'s' * (left != 1)} left."
        )
    sys.exit(1 if left else 0)


def _contracts(world: Ports, more: tuple[str, ...]) -> tuple[str | None, ...]:
    """Return the contracts whose records and tables are read: those in force, if the index can be read, and `more`."""
    from infra.cli.options.target import of_ports

    try:
        published = of_ports(world).contracts()
    except DocumentInvalid:
        published = ()
    return (*dict.fromkeys((*published, *more)), None)


def _show(differences: Iterable[Difference], form: str, *, repair: bool) -> int:
    """Print differences (in text at once), repair them if requested, and return the number that is left."""
    rows: list[dict[str, Any]] = []
    left, whole = 0, False
    try:
        for one in differences:
            done = None
            if repair and one.repair:
                try:
                    one.repair()
                    done = "repaired"
                except DropgateError as error:
                    done = f"not repaired: {str(error) or type(error).__name__}; run doctor again"
            left += done != "repaired"
            row: dict[str, Any] = {"kind": one.kind, "where": one.where, "found": one.finding, "do": one.do}
            row["safe"] = one.repair is not None
            rows.append(row | ({"done": done} if done else {}))
            if form == "text":
                say(f"{one.kind}: {visible(one.where, 1100)} {visible(one.finding, 2000)}")
                by_itself = "--repair does it: " if one.repair and done is None else ""
                say(f"  {done or by_itself + one.do}")
        whole = True
    finally:  # also where it is broken off, as something may have been repaired
        if form == "json" and (rows or whole):
            click.echo(as_json(rows))
    return left


@dataclass
class _Progress:
    """A counter of the objects and records compared, shown on a terminal."""

    count: int = 0

    def seen(self, _: str) -> None:
        """Count one more."""
        self.count += 1
        if self.count % EVERY == 0 and sys.stderr.isatty():
            click.echo(f"{self.count:,} compared", err=True)
