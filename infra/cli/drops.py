"""`dropgate drops`: the drops of a month and how they ended."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from contracts.problem import nearest
from infra.cli.target import of_a_stack

if TYPE_CHECKING:
    from functions.submission import Drop


@click.command(
    epilog="""\b
Examples:
  dropgate drops
  dropgate drops --state rejected --contract inmet-weather.v1
  dropgate drops --month 2026-01 --format json
"""
)
@click.option("--contract", metavar="C", help="Only drops of this contract, as `inmet-weather.v1`.")
@click.option("--state", metavar="S", help="Only drops in this state, as `rejected`.")
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="The month of arrival (default: this month, UTC).",
)
@click.option("--most", type=click.IntRange(min=1), default=100, show_default=True, help="How many at most.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(contract: str | None, state: str | None, month: datetime | None, most: int, form: str) -> None:
    """List drops, the newest first: those of every contract, and those that none claims."""
    from functions.submission import STATES
    from infra.cli.render import drops_table
    from infra.cli.target import reading

    if state and state not in STATES:
        raise click.UsageError(f"There is no state {state}. {_instead(state, STATES)}")
    target = reading()
    of = (contract,) if contract else (*target.contracts(), None)
    when, only = f"{month or datetime.now(UTC):%Y-%m}", {"state": state} if state else None
    found = [d for c in of for d in target.ledger.of_month(c, when, most + 1, only)]
    if contract and not found and not target.ledger.of_month(contract, when, 1):
        known = target.contracts()  # a withdrawn one may have drops
        if contract not in known:
            raise click.UsageError(f"There is no contract {contract}. {_instead(contract, known)}")
    rows = [_row(d) for d in sorted(found, key=lambda d: d.received_at, reverse=True)[:most]]
    if len(found) > most:
        what = f"{state} drops" if state else "drops"
        click.echo(f"There are more than these {most:,} {what} in {when}: --most shows more of them.", err=True)
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    click.echo(f"Drops in {target.where}", err=True)
    click.echo(drops_table(rows, shutil.get_terminal_size((100, 24)).columns, sys.stdout.isatty()), nl=False)


def _instead(name: str, known: Sequence[str]) -> str:
    close = nearest(name, known)
    return f"Did you mean {close}?" if close else f"Known: {', '.join(known) or 'none'}."


def _row(drop: Drop) -> dict[str, Any]:
    return {
        "id": drop.id,
        "state": drop.state,
        "contract": drop.contract,
        "key": drop.name,
        "size": drop.size,
        "received_at": drop.received_at,
        "changed_at": drop.changed_at,
        "read": drop.rows.read if drop.rows else None,
        "rejected": drop.rows.rejected if drop.rows else None,
    }
