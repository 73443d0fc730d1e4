"""`dropgate-client lint`: contract files in, findings as a compiler writes them out."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from dropgate_client.cli.output import form_option, say, say_json
from dropgate_client.client import Client
from dropgate_client.rendering.drops import findings_text


@click.command(
    name="lint",
    epilog="""\b
Examples:
  dropgate-client lint inmet-weather.v1.yaml
  dropgate-client lint contracts/*.yaml --format json
""",
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILES...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@form_option
def command(files: tuple[Path, ...], form: str) -> None:
    """Check contracts, each for itself, and print each finding with file, line and fix.

    The texts are sent to the API; files that they name are not read. Exits 1 if there is an error, 0 if there are only
    warnings and notes.
    """
    client = Client.from_environment()
    answers = [client.lint(file) for file in files]
    findings = [finding for _, own in answers for finding in own]
    if form == "json":
        say_json({"findings": [asdict(finding) for finding in findings]})
    else:
        say(findings_text(findings, len(files)))
    sys.exit(int(any(failed for failed, _ in answers)))
