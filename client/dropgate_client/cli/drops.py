"""`dropgate-client drops`: the drops of a month and their states."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

import click

from dropgate_client.cli.output import colour, form_option, say, say_json, width
from dropgate_client.client import Client
from dropgate_client.rendering.drops import drops_table


@click.command(
    name="drops",
    epilog="""\b
Examples:
  dropgate-client drops
  dropgate-client drops --state rejected --month 2026-01
  dropgate-client drops --contract inmet-weather.v1 --format json
""",
)
@click.option("--contract", metavar="C", help="Only drops of this contract, such as `inmet-weather.v1`.")
@click.option("--state", metavar="S", help="Only drops in this state, such as `rejected`.")
@click.option("--trial", is_flag=True, help="Only trials, which are in no other list.")
@click.option("--key", metavar="KEY", help="Only drops of this key.")
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="The month of arrival (default: this month, UTC).",
)
@click.option("--most", type=click.IntRange(min=1), default=100, show_default=True, help="Maximum number of drops.")
@form_option
def command(
    contract: str | None,
    state: str | None,
    trial: bool,
    key: str | None,
    month: datetime | None,
    most: int,
    form: str,
) -> None:
    """List your drops, newest first, with those that match no contract."""
    client = Client.from_environment()
    when = f"{month:%Y-%m}" if month else None
    asked = client.drops(contract=contract, state=state, key=key, month=when, trial=trial)
    listed = list(islice(asked, most + 1))
    if len(listed) > most:
        say(f"There are more than these {most:,} drops: raise --most to list more.", err=True)
    if form == "json":
        say_json([dict(drop.document) for drop in listed[:most]])
    else:
        say(drops_table(listed[:most], width(), colour=colour()))
