"""`dropgate results`: the results of all checks of a month's drops, as a table to ask."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

import click

from infra.cli.options.choosing import chosen, contract_option, month_option, most_option, need_state, state_option
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json

if TYPE_CHECKING:
    from functions.drop import Drop
    from infra.cli.options.target import Target


@click.command(
    epilog="""\b
Examples:
  dropgate results --contract orders.v1
  dropgate results --state rejected --month 2026-01
"""
)
@contract_option
@state_option
@month_option
@most_option
@of_a_stack
def command(contract: str | None, state: str | None, month: datetime | None, most: int) -> None:
    """Print the results of drops as JSON Lines: one for each check of each attempt, newest drop first.

    A refusal at the door has no checks: each of its problems is a line. A drop that is not decided is a line without a
    result. Values of classified properties are masked, as in the receipts that the lines are made of.
    """
    from infra.cli.options.target import reading
    from infra.cli.output.result_rows import rows

    need_state(state)
    target = reading()
    selected = chosen(target, contract, state, month, most)
    if selected.more:
        click.echo(f"There are more than these {most:,} drops in {selected.month}: raise --most.", err=True)
    for drop in selected.drops:
        for row in rows(drop, _receipts(target, drop)):
            click.echo(as_json(row, indent=None))


def _receipts(target: Target, drop: Drop) -> dict[int, bytes | None]:
    """Return the receipts of a drop's attempts; none while an attempt is not decided, as its record names none."""
    if drop.receipt is None:
        return {}
    folder = re.sub(r"[0-9]+/receipt\.json$", "", drop.receipt)
    return {n: target.read(f"{folder}{n}/receipt.json") for n in range(1, drop.attempt + 1)}
