"""`dropgate results`: the results of all checks of a month's drops, from the table of results."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
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

    These are the lines of the table of results (docs/how-to/results.md). A refusal at the door has no checks: each of
    its problems is a line. A drop that is not decided is a line without a result. Values of classified properties are
    masked, as in the receipts.
    """
    from infra.cli.options.target import reading

    need_state(state)
    target = reading()
    selected = chosen(target, contract, state, month, most)
    if selected.more:
        click.echo(f"There are more than these {most:,} drops in {selected.month}: raise --most.", err=True)
    for drop in selected.drops:
        for line in _lines(target, drop):
            click.echo(line)


def _lines(target: Target, drop: Drop) -> Iterator[str]:
    """Yield the stored lines of each attempt of a drop; its record where the last attempt has none."""
    import json

    from contracts import codec
    from functions import keys
    from functions.records.result_line import of_record

    steps = target.ledger.history(drop.id) if drop.attempt > 1 else ()
    contracts = {step.attempt: step.contract for step in steps} | {drop.attempt: drop.contract}
    for attempt, contract in sorted(contracts.items()):
        stored = target.read(keys.attempt_results_uri(target.results, contract, drop.received_at, drop.id, attempt))
        if stored:
            yield from (as_json(json.loads(line), None) for line in gzip.decompress(stored).splitlines())
        elif attempt == drop.attempt:
            yield as_json(codec.encode(of_record(drop)), None)
