"""`dropgate drops`: the drops of a month and how they ended."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

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
@click.option("--month", metavar="YYYY-MM", help="The month of arrival (default: this month).")
@click.option("--most", default=100, show_default=True, help="How many at most.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(contract: str | None, state: str | None, month: str | None, most: int, form: str) -> None:
    """List drops, the newest first: those of every contract, and those that none claims."""
    from datetime import UTC, datetime

    from contracts.problem import nearest
    from functions.submission import STATES
    from infra.cli.render import drops_table
    from infra.cli.target import reading

    if state and state not in STATES:
        close = nearest(state, STATES)
        raise click.UsageError(f"There is no state {state}." + (f" Did you mean {close}?" if close else ""))
    target = reading()
    of = (contract,) if contract else (*target.contracts, None)
    found = [d for c in of for d in target.ledger.of_month(c, month or f"{datetime.now(UTC):%Y-%m}", most)]
    chosen = sorted((d for d in found if state in (None, d.state)), key=lambda d: d.received_at, reverse=True)[:most]
    rows = [_row(d) for d in chosen]
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    click.echo(f"Drops in {target.where}", err=True)
    click.echo(drops_table(rows, shutil.get_terminal_size((100, 24)).columns, sys.stdout.isatty()), nl=False)


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
