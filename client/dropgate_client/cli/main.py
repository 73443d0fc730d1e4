"""The entry point: the commands, and the ends of those that fail."""

from __future__ import annotations

import sys
import traceback

import click

from dropgate_client.cli import drops, lint, login, match, send, show
from dropgate_client.cli.output import say, width
from dropgate_client.errors import FAILED, ClientError
from dropgate_client.rendering.drops import error_text
from dropgate_client.rendering.screen import visible

FAULT = "dropgate-client: This is a fault of dropgate, not of your files: report the lines above with the command."


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dropgate-client")
def main() -> None:
    """Send files to a dropgate stack, and bring verdicts and receipts back.

    Begin with `dropgate-client login`. Programs set DROPGATE_API, DROPGATE_ISSUER, DROPGATE_CLIENT_ID and
    DROPGATE_CLIENT_SECRET (or DROPGATE_API and DROPGATE_TOKEN) and need no login.

    \b
    Exit codes: 0 accepted or fine, 1 rejected or findings, 2 usage, 3 failed.
    """


for module in (login, match, send, drops, show, lint):
    main.add_command(module.command)


def run() -> None:
    """Run the command line; an expected error prints one sentence."""
    try:
        main()
    except ClientError as error:
        say(error_text(str(error), width()), err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        say(error_text(f"{error.strerror or error}: {error.filename or 'this machine'}", width()), err=True)
        sys.exit(FAILED)
    except Exception:  # noqa: BLE001 (Python would exit 1, which means rejected)
        for line in traceback.format_exc().splitlines():
            say(f"| {visible(line, 2000)}", err=True)
        say(FAULT, err=True)
        sys.exit(FAILED)
