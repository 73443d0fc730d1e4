"""`dropgate slo`: how the promises of contracts over time stand, and how they stood in their last periods."""

from __future__ import annotations

import json
import sys

import click

from infra.cli.options.choosing import instead
from infra.cli.options.target import of_a_stack


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
    from functions.operations.promises import promises_of
    from infra.cli.options.target import reading

    target = reading()
    contracts = target.contracts()
    if contract and contract not in contracts:
        raise click.UsageError(f"There is no contract {contract}. {instead(contract, contracts)}")
    promising, names = target.promising(), (contract,) if contract else contracts
    rows = [row for name in names if (row := promises_of(target.ledger, name, promising.get(name), target.now()))]
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
