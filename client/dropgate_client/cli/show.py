"""`dropgate-client show`: one drop, its history, its verdict and its receipt."""

from __future__ import annotations

import sys
from datetime import datetime
from itertools import islice
from pathlib import Path

import click

from dropgate_client.cli.output import colour, form_option, say, say_json, width
from dropgate_client.client import Client
from dropgate_client.rendering.drops import drop_text, history_text

ID_LENGTH = 32
SEARCHED = 2_000
"""The number of drops of a month among which one is searched."""


@click.command(
    name="show",
    epilog="""\b
Examples:
  dropgate-client show 3f7k2m
  dropgate-client show inmet/SP/2026-01-31.csv --receipt out/2026-01-31.csv
  dropgate-client show 3f7k2m --month 2026-01 --format json
""",
)
@click.argument("drop")
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="The month of arrival (default: this month, UTC).",
)
@click.option(
    "--receipt",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the receipt and the rejected rows next to FILE.",
)
@click.option("--link", is_flag=True, help="Make a link that opens the receipt for some days, to pass on.")
@form_option
def command(drop: str, month: datetime | None, receipt: Path | None, link: bool, form: str) -> None:
    """Show a DROP: its verdict as `dropgate test` prints it, and its history.

    DROP is an id, the first characters of an id, or a key; for a key it is the newest drop of the month. Exits 0 if the
    file is accepted or still in flight, 1 if it is rejected, 3 if it could not be judged.
    """
    client = Client.from_environment()
    shown = client.drop(_id_of(client, drop, f"{month:%Y-%m}" if month else None))
    document = client.receipt(shown.id) if shown.has_receipt else None
    written = client.save_receipt(shown, receipt) if receipt else ()
    address = client.link(shown.id) if link else None
    if form == "json":
        paths = [str(path) for path in written]
        answer = {"drop": dict(shown.document), "receipt": document, "written": paths}
        say_json(answer | ({"link": address} if address else {}))
    else:
        say(drop_text(shown, document, width(), colour=colour()) + "\n" + history_text(shown, width(), colour=colour()))
        if receipt and not written:
            say(f"The drop has no receipt: it is {shown.state}.", err=True)
        for path in written:
            say(f"Written: {path}")
        if address:
            say(f"Whoever has this link reads the receipt until it ends: {address}")
    sys.exit(shown.exit_code if shown.is_settled else 0)


def _id_of(client: Client, name: str, month: str | None) -> str:
    """Return the id of a drop; a usage error if a month has none or several of that name."""
    if len(name) == ID_LENGTH and name.isalnum():
        return name
    drops = list(islice(client.drops(month=month), SEARCHED))
    if of_key := [drop.id for drop in drops if drop.key == name]:
        return of_key[0]
    starting = [drop.id for drop in drops if drop.id.startswith(name)]
    if len(starting) == 1:
        return starting[0]
    if starting:
        raise click.UsageError(f"{len(starting)} drops have ids that begin with {name}: type more of it.")
    raise click.UsageError(
        f"No drop of {month or 'this month'} has the id or the key {name}: name another --month, or look at "
        "`dropgate-client drops`."
    )
