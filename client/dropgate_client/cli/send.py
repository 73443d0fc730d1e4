"""`dropgate-client send`: a file in; its drop, and with --wait its verdict and receipt, out."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from dropgate_client.cli.keys import key_of, key_option
from dropgate_client.cli.output import colour, form_option, progress_bars, say, say_json, width
from dropgate_client.client import Client
from dropgate_client.rendering.drops import drop_text, refusal_text
from dropgate_client.rendering.screen import look_of, visible
from dropgate_client.values import Drop, Refusal


@click.command(
    name="send",
    epilog="""\b
Examples:
  dropgate-client send weather.csv --key inmet/SP/2026-01-31.csv --wait
  dropgate-client send inmet/SP/2026-01-31.csv --format json
  dropgate-client send weather.csv --key inmet/SP/2026-01-31.csv --trial
""",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@click.option("--trial", is_flag=True, help="Try FILE: wait for its verdict; consumers get nothing of it.")
@click.option("--wait", is_flag=True, help="Wait for the verdict, print it, and write the receipt next to FILE.")
@click.option(
    "--patience",
    type=click.IntRange(min=1),
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="With --wait or --trial: the time to wait.",
)
@form_option
def command(file: Path, key: str | None, trial: bool, wait: bool, patience: int, form: str) -> None:
    """Send FILE, unless its name or its first bytes show that it would be rejected.

    A file is never sent twice: if the connection breaks, the command looks for it, and says if it cannot know. With
    --wait it writes FILE.receipt.json and, if rows were rejected, FILE.rejected.csv. With --trial the file is judged as
    any other, and then thrown away: it replaces no file and holds none up. Exits 0 if the file was sent or
    accepted, 1 if it was refused or rejected, 3 if it could not be sent or judged.
    """
    client, name = Client.from_environment(), key_of(file, key)
    with progress_bars() as progress:
        sent = client.send(file, name, progress, trial=trial)
    if isinstance(sent, Refusal):
        if form == "json":
            say_json({"sent": False, **asdict(sent)})
        else:
            say(refusal_text(sent, file.name, width(), colour=colour()) + "\nNothing was sent.")
        sys.exit(1)
    wait = wait or trial
    if form == "text":
        say(
            f"{'Tried' if trial else 'Sent'} {visible(name, 1100)}: drop {sent.drop}, contract {sent.claim.contract}",
            err=wait,
        )
    if not wait:
        if form == "json":
            say_json({"sent": True, **asdict(sent)})
        return
    states: list[str] = []
    drop = client.wait(sent.drop, patience, lambda now: _tell(now, states))
    receipt = client.receipt(drop.id) if drop.has_receipt else None
    written = client.save_receipt(drop, file)
    if form == "json":
        paths = [str(path) for path in written]
        say_json({"sent": True, **asdict(sent), "state": drop.state, "receipt": receipt, "written": paths})
    else:
        say(drop_text(drop, receipt, width(), colour=colour()))
        for path in written:
            say(f"Written: {path}")
    sys.exit(drop.exit_code)


def _tell(drop: Drop, states: list[str]) -> None:
    """Print each new state of a drop in flight, for a person who waits."""
    if drop.state not in states and not drop.is_settled and sys.stderr.isatty():
        states.append(drop.state)
        say(f"{look_of(drop.state).sign} {drop.state}", err=True)
