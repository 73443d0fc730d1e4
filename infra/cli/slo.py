"""`dropgate slo`: how the promises of contracts over time stand, and how they stood in their last periods."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from infra.cli.options.choosing import instead
from infra.cli.options.target import of_a_stack

if TYPE_CHECKING:
    from functions.ports.promises import Standing
    from infra.cli.options.target import Target

PERIODS = 30
PUT_OFF = timedelta(minutes=1)
"""New promises are due at once; those that are due later than that from now were put off."""
LATE = timedelta(hours=1)
"""The time after which promises that nobody has judged are unknown; the schedule looks each half hour at least."""


@click.command(
    epilog="""\b
Examples:
  dropgate slo
  dropgate slo orders.v1
  dropgate slo --format json
"""
)
@click.argument("contract", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(contract: str | None, form: str) -> None:
    """Show how the promises of contracts over time stand, with their last 30 periods.

    Promises are the `slaProperties` of contracts with `slo: enforce`. The marks are of periods, oldest first: ✓ met, ✕
    missed, . nothing to judge by. Without CONTRACT, the command shows all contracts. Exits 1 if any promise is missed,
    or was not judged in the last hour: then it is unknown, whatever it was.
    """
    from infra.cli.options.target import reading

    target = reading()
    contracts = target.contracts()
    if contract and contract not in contracts:
        raise click.UsageError(f"There is no contract {contract}. {instead(contract, contracts)}")
    promising, names = target.promising(), (contract,) if contract else contracts
    rows = [row for name in names if (row := promises_of(target, name, promising.get(name)))]
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
    elif rows:
        from infra.cli.output.render import promises_text

        click.echo(f"Promises in {target.where}", err=True)
        click.echo(promises_text(rows, sys.stdout.isatty()), nl=False)
    else:
        click.echo("No promise is held: write `slo: enforce` in a contract with `slaProperties`.")
    missed = any(one["state"] == "missed" for row in rows for one in row["promises"])
    sys.exit(1 if missed or any(row["is_late"] for row in rows) else 0)


def promises_of(target: Target, contract: str, published_at: str | None) -> dict[str, Any] | None:
    """Return the promises of a contract; None if it has none, or they are too new to have been looked at.

    They are at most as old as `published_at`, the time of the last publish; None if none were published.
    """
    from contracts import codec
    from functions.ports.promises import Standing

    standing = target.ledger.standing(contract)
    if standing is None or standing.look_at is None:
        if published_at is None:
            return None
        standing = Standing(contract, published_at)
    is_late = _is_late(standing, target.now())
    if not standing.promises and not is_late:
        return None
    return {
        "contract": contract,
        "judged_at": standing.judged_at,
        "is_late": is_late,
        "promises": [
            {
                "name": held.name,
                "state": "unknown" if is_late else held.state,
                "changed_at": held.changed_at,
                "since": held.since,
                "promised": held.promised,
                "figure": held.figure,
                "periods": [
                    {name: value for name, value in codec.encode(one).items() if name in SHOWN}
                    for one in target.ledger.periods(contract, held.name, PERIODS)
                ],
            }
            for held in standing.promises
        ],
    }


def _is_late(standing: Standing, now: datetime) -> bool:
    """Return True if promises are not judged for too long, or never were, and the first look at them failed."""
    from functions.ports.clock import moment

    if standing.judged_at:
        return moment(standing.judged_at) < now - LATE
    since_due = now - moment(standing.look_at or "")
    return since_due > LATE or since_due < -PUT_OFF


SHOWN = ("begin", "end", "state", "figure")
