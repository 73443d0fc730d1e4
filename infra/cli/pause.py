"""`dropgate pause` and `dropgate resume`: stop and continue the jobs of a contract or a producer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, line, say

if TYPE_CHECKING:
    from functions.ports.batches import Pause


@click.command(
    epilog="""\b
Examples:
  dropgate pause
  dropgate pause inmet-weather.v1 --reason "rule 7 is being corrected"
  dropgate pause --producer inmet
"""
)
@click.argument("contract", required=False)
@click.option("--producer", metavar="P", help="Pause all contracts of this producer.")
@click.option("--reason", metavar="TEXT", default="", help="The reason, shown in the list of pauses.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(contract: str | None, producer: str | None, reason: str, form: str) -> None:
    """Pause CONTRACT: its files are admitted and wait in stage, and no new batch is made.

    Without CONTRACT, the command lists the pauses with time, person and reason. Files that fail admission are still
    refused. A batch that is under way continues, with its retries. Resume within WorkDays (default 30) of a file's
    arrival: after that the staged file is deleted, and its producer must upload it again.
    """
    from functions.operations.pause import NotPaused, pause
    from infra.cli.options.target import caller, ports

    world = ports()
    if contract and producer:
        raise click.UsageError("Name either a contract or --producer P.")
    if name := producer or contract:
        paused = pause(world, "producer" if producer else "contract", name, caller(), reason)
        if isinstance(paused, NotPaused):
            raise click.UsageError(paused.reason)
    _show(world.ledger.pauses(), form)


@click.command(
    epilog="""\b
Examples:
  dropgate resume inmet-weather.v1
  dropgate resume --producer inmet
"""
)
@click.argument("contract", required=False)
@click.option("--producer", metavar="P", help="Resume all contracts of this producer.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def resume(contract: str | None, producer: str | None, form: str) -> None:
    """Resume CONTRACT: its waiting files are judged, beginning within two minutes."""
    from functions.operations.pause import NotPaused
    from functions.operations.pause import resume as lift
    from infra.cli.options.target import ports

    name = producer or contract
    if not name:
        raise click.UsageError("Name a contract, or --producer P. `dropgate pause` lists the pauses.")
    world = ports()
    lifted = lift(world, "producer" if producer else "contract", name)
    if isinstance(lifted, NotPaused):
        raise click.UsageError(lifted.reason)
    _show(world.ledger.pauses(), form)


def _show(pauses: tuple[Pause, ...], form: str) -> None:
    from contracts import codec

    if form == "json":
        click.echo(as_json(codec.encode(pauses)))
        return
    for one in pauses:
        who = f" by {one.by}" if one.by else ""
        say(line(f"{one.kind} {one.name}  paused since {one.at}{who}: {one.reason or 'no reason given'}"))
    if not pauses:
        click.echo("Nothing is paused.")
