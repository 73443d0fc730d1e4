"""The entry point: the list of commands, each imported only when it is called, so that the others start fast.

Exit codes of every command: 0 accepted or fine, 1 rejected or findings, 2 usage, 3 failed.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from io import StringIO
from typing import Any

import click

from contracts.errors import DropgateError
from contracts.problem import nearest
from infra.cli.ends import end_in_order, named
from infra.cli.screen import inert, line, say
from infra.files import NotWritten

COMMANDS = {
    "demo": "Send real files through the whole flow on this machine.",
    "up": "Run the stack on this machine, for any S3 client.",
    "init": "Write a first contract from sample files.",
    "import": "Import contracts of other formats.",
    "export": "Write contracts in other formats.",
    "lint": "Check contracts: findings with file, line and fix.",
    "breaking": "Report whom a changed contract breaks, and its new version.",
    "changelog": "Write the changes of contracts in Markdown.",
    "match": "Report which contract matches a key, or why none does.",
    "publish": "Compile contracts and put them in force.",
    "contract": "Print a published contract, the latest or another version.",
    "access": "Write the policies of a producer or a consumer.",
    "test": "Judge files on this machine as the pipeline would.",
    "try": "Try a contract on past drops before it is published.",
    "drops": "List drops and their states.",
    "results": "Print the results of all checks, as a table to ask.",
    "slo": "Show how the promises of contracts over time stand.",
    "show": "Show one drop: its history, its verdict and its files.",
    "notices": "List what people were told of a drop, and what came back.",
    "notify": "Send a sample to each channel of a contract.",
    "replay": "Judge settled drops again, under today's contract.",
    "accept": "Promote a rejected drop by a person's decision.",
    "reject": "Withdraw a promoted drop by a person's decision.",
    "forget": "Erase a drop's data and keep its record.",
    "pause": "Pause the jobs of a contract or of a producer.",
    "resume": "Resume the jobs of a contract or of a producer.",
    "doctor": "Compare buckets, ledger and catalog; run safe repairs.",
    "maintain": "Compact tables, and remove files that nothing needs.",
    "events": "List the events of a drop, and send them again.",
    "redrive": "List dead letters, and send them back.",
    "cost": "Compute the AWS cost of a load, and what changes it.",
}

FAULT = (
    "dropgate: This is a fault of dropgate, not of your files. Run the command again: finished steps are not repeated. "
    "If it fails again, report the lines above with the command and the version, {}."
)
MODULES = {"import": "import_", "try": "try_"}
"""The modules of commands whose names Python keeps for itself."""


class Lazy(click.Group):
    """A group whose commands are modules of this package, loaded by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name; its module is imported only here."""
        if cmd_name not in COMMANDS:
            close = nearest(cmd_name, COMMANDS)
            ctx.fail(f"No such command '{cmd_name}'." + (f" Did you mean '{close}'?" if close else ""))
        command = importlib.import_module(f"infra.cli.{MODULES.get(cmd_name, cmd_name)}").command
        assert isinstance(command, click.Command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of a call; a message about its arguments has one line."""
        with _of_one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a message about its arguments has one line, even if they contain line ends."""
        with _of_one_line():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@contextmanager
def _of_one_line() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        error.message = inert(line(error.message))
        raise
    except NotWritten as error:
        raise click.UsageError(inert(line(error))) from None


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dropgate")
def main() -> None:
    """Check every dropped file against its data contract.

    \b
    Exit codes: 0 accepted or fine, 1 rejected or findings, 2 usage, 3 failed.
    """


def run() -> None:
    """Run the command line; an expected error prints one sentence and exits 3, an unexpected one prints its trace."""
    end_in_order()
    try:
        main()
    except DropgateError as error:
        say(f"dropgate: {line(error)}", err=True)
        raise SystemExit(3) from None
    except Exception as error:  # noqa: BLE001 (Python would exit 1, which means rejected)
        sys.stdout = StringIO()  # the real one is flushed at the end, which ends the command with 120 if it fails again
        if sentence := named(error):
            say(f"dropgate: {sentence}", err=True)
            raise SystemExit(3) from None
        for each in traceback.format_exc().splitlines():
            say(f"| {line(each)}", err=True)  # no line of it is one that a stranger's text has begun
        click.echo(FAULT.format(version("dropgate")), err=True)
        raise SystemExit(3) from None
