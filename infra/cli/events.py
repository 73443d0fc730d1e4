"""`dropgate events`: the events of drops, and the same events once more."""

from __future__ import annotations

from datetime import datetime

import click

from infra.cli.options.drop_argument import month_option, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, line, say


@click.command(
    epilog="""\b
Examples:
  dropgate events 3f7k2m
  dropgate events 3f7k2m --format json
  dropgate events orders/2026-01-31.csv orders/2026-02-01.csv --again
"""
)
@click.argument("drop", metavar="DROP...", nargs=-1, required=True)
@click.option("--again", is_flag=True, help="Send the events once more, for listeners that missed them.")
@month_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(drop: tuple[str, ...], again: bool, month: datetime | None, form: str) -> None:
    """List the events of DROP, made from its history in the ledger.

    DROP is an id, the first characters of an id, a key below landing or a URI, as for `dropgate show`. With --again
    the events go to the bus, with the ids that they had: who has handled one leaves it out, and nobody is told twice.
    """
    from contracts import codec
    from functions.events.again import events_of
    from functions.events.shape import detail_type
    from infra.cli.options.target import bus, event_sources, reading

    target = reading()
    sources, origin = event_sources()
    named = [the_drop(target, word, month).drop for word in drop]
    every = [event for one in named for event in events_of(sources, origin, one.id)]
    if again:
        from infra.stack_admin.bus import send

        send(*bus(), every)
    if form == "json":
        click.echo(as_json([codec.encode(event) for event in every]))
        return
    click.echo(f"From {target.where}", err=True)
    for event in every:
        say(line(f"{event.id}  {event.time[:19]}Z  {detail_type(event):<16} {event.data.event}"))
    if again:
        click.echo(f"{len(every)} events were sent again.")
