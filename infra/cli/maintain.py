"""`dropgate maintain`: the tables of contracts, compacted into fewer files and cleaned of unused ones."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from contracts.problem import nearest
from functions.keys import table_folder
from infra.cli.options.target import of_a_stack

if TYPE_CHECKING:
    from infra.stack_admin.maintain import Maintained


@click.command(
    epilog="""\b
Examples:
  dropgate maintain --dry-run
  dropgate maintain orders.v1 --keep-days 30
"""
)
@click.argument("contract", required=False)
@click.option("--dry-run", is_flag=True, help="Report what would be done, and change nothing.")
@click.option(
    "--keep-days",
    type=click.IntRange(min=7),
    default=7,
    show_default=True,
    help="Keep every file that was written, or named by a commit, within this many days.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(contract: str | None, dry_run: bool, keep_days: int, form: str) -> None:
    """Compact the small files of CONTRACT's table, and remove files and logs that nothing needs.

    Without CONTRACT, the command maintains the tables of all contracts in force with `promote: table`. CONTRACT can
    also be one that is no longer in force. Drops can be promoted at the same time. Earlier versions of a table can be
    read for as many days as files are kept.
    """
    from functions.drop import Location
    from infra.cli.options.target import for_tables, ports
    from infra.stack_admin.maintain import maintain

    world = ports()
    options, done = for_tables(), []

    def remove(uri: str) -> None:
        world.store.delete(Location(uri))

    entries = world.catalog.index().entries
    tables = [one.contract for one in entries if world.catalog.plan(one.plan).promote == "table"]
    if contract is not None and contract not in tables:
        log = f"{table_folder(world.zones, contract)}_delta_log/"
        if "/" in contract or not world.store.listed(log, 1):  # else no longer in force, or promoted into it
            if contract in {one.contract for one in entries}:
                raise click.UsageError(f"{contract} is not promoted into a table.")
            close = nearest(contract, tables)
            named = f"Did you mean {close}?" if close else f"Tables: {', '.join(sorted(tables)) or 'none'}."
            raise click.UsageError(f"There is no contract {contract}. {named}")
    for name in tables if contract is None else [contract]:
        maintained = maintain(table_folder(world.zones, name), options(), remove, keep_days, dry_run=dry_run)
        done += [maintained] if maintained else []
        if form == "text":
            click.echo(f"{name}  {as_text(maintained)}")
    if form == "json":
        click.echo(json.dumps([asdict(one) for one in done], indent=2))


def as_text(done: Maintained | None) -> str:
    """Return the changes of a table, in one line."""
    if done is None:
        return "has no table yet"
    stay = f"; {done.others:,} that do not belong to the table stay" if done.others else ""
    if done.compacted_into is None:
        fewer = f"{done.files:,} files, of which {done.compacted:,} would be compacted"
        return f"{fewer}; {done.removed:,} would be removed{stay}"
    fewer = f"{done.compacted:,} compacted into {done.compacted_into:,}" if done.compacted else "none compacted"
    return f"{done.files:,} files, {fewer}; {done.removed:,} unused ones removed{stay}"
