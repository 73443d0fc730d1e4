"""`dropgate-client match`: a file and its key in; the contract that claims it, or why it would be refused, out."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from dropgate_client.cli.keys import key_of, key_option
from dropgate_client.cli.output import colour, form_option, progress_bars, say, say_json, width
from dropgate_client.client import Client
from dropgate_client.rendering.drops import claim_text, refusal_text
from dropgate_client.values import Refusal


@click.command(
    name="match",
    epilog="""\b
Examples:
  dropgate-client match inmet/SP/2026-01-31.csv
  dropgate-client match weather.csv --key inmet/SP/2026-01-31.csv --format json
""",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@key_option
@form_option
def command(file: Path, key: str | None, form: str) -> None:
    """Name the contract that claims FILE under its key, and check its first bytes; nothing is sent.

    Exits 0 if a contract takes it, 1 if the file would be refused.
    """
    client = Client.from_environment()
    with progress_bars() as progress:
        outcome = client.match(file, key_of(file, key), progress)
    refused = isinstance(outcome, Refusal)
    if form == "json":
        say_json({"refused": refused, **asdict(outcome)})
    elif isinstance(outcome, Refusal):
        say(refusal_text(outcome, file.name, width(), colour=colour()))
    else:
        say(claim_text(outcome, width(), colour=colour()))
    sys.exit(int(refused))
