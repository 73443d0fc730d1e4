"""`dropgate doctor`: what buckets, ledger and catalog say otherwise than each other, and the repair of what is safe."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
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
"""After so many objects and records progress is told."""


@click.command(
    epilog="""\b
Examples:
  dropgate doctor
  dropgate doctor --months 12 --contract retired-orders.v1
  dropgate doctor --repair --format json
"""
)
@click.option("--repair", is_flag=True, help="Do what is safe; without it nothing is changed.")
@click.option(
    "--months",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Records of so many months of arrival; of tables all rows, whenever they came.",
)
@click.option(
    "--contract", "more", metavar="C", multiple=True, help="A withdrawn contract, whose records and table to read, too."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(repair: bool, months: int, more: tuple[str, ...], form: str) -> None:
    """Compare landing, stage, promoted files, tables, receipts, evidence, records, keys, batches and the catalog.

    Print each difference with its repair; --repair does those that are safe: each can be broken off and run again, and
    looks first whether all is as it was seen. What is under way is left alone for a quarter of an hour. Exits 0 where
    nothing differs or all is repaired, 1 where a difference is left.
    """
    from functions.doctor.compare import differences
    from infra.cli.options.target import ports

    world, told = ports(), _Progress()
    found = differences(world, _contracts(world, more), list(islice(_months(), months)), told.seen)
    left = _told(found, form, repair=repair)
    if form == "text":
        click.echo(f"{told.count:,} objects and records looked at; {left or 'no'} difference{'s' * (left != 1)} left.")
    sys.exit(1 if left else 0)


def _contracts(world: Ports, more: tuple[str, ...]) -> tuple[str | None, ...]:
    """Whose records and tables are read; where the index cannot be, which is a difference, none of those in force."""
    from infra.cli.options.target import of_ports

    try:
        published = of_ports(world).contracts()
    except DocumentInvalid:
        published = ()
    return (*dict.fromkeys((*published, *more)), None)


def _told(found: Iterable[Difference], form: str, *, repair: bool) -> int:
    """Tell differences, in text as they are found, and repair them if that is asked for; how many are left."""
    rows: list[dict[str, Any]] = []
    left, whole = 0, False
    try:
        for one in found:
            done = _repaired(one) if repair and one.repair else None
            left += done != "repaired"
            rows.append(_row(one, done))
            if form == "text":
                _say(one, done)
        whole = True
    finally:  # also where it is broken off, as something may have been repaired
        if form == "json" and (rows or whole):
            click.echo(as_json(rows))
    return left


def _months() -> Any:
    now = datetime.now(UTC)
    while True:
        yield f"{now:%Y-%m}"
        now = now.replace(day=1) - timedelta(days=1)


@dataclass
class _Progress:
    """How much has been looked at, told on a terminal."""

    count: int = 0

    def seen(self, _: str) -> None:
        """One more."""
        self.count += 1
        if self.count % EVERY == 0 and sys.stderr.isatty():
            click.echo(f"{self.count:,} looked at", err=True)


def _repaired(one: Difference) -> str:
    """What became of a repair."""
    assert one.repair
    try:
        one.repair()
    except DropgateError as error:
        return f"not repaired: {str(error) or type(error).__name__}; look again"
    return "repaired"


def _row(one: Difference, done: str | None) -> dict[str, Any]:
    """A difference for machines."""
    said = {"kind": one.kind, "where": one.where, "found": one.found, "do": one.do, "safe": one.repair is not None}
    return said | ({"done": done} if done else {})


def _say(one: Difference, done: str | None) -> None:
    """A difference for people, in two lines."""
    say(f"{one.kind}: {visible(one.where, 1100)} {visible(one.found, 2000)}")
    by_itself = "--repair does it: " if one.repair and done is None else ""
    say(f"  {done or by_itself + one.do}")
