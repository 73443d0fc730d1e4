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
    "demo": "Watch real files go the whole way on this machine.",
    "up": "Keep the embedded stack running, to try with any S3 client.",
    "init": "Write a first contract from sample files.",
    "import": "Bring contracts of other formats in.",
    "export": "Write contracts in other formats.",
    "lint": "Check contracts: findings with file, line and what to write.",
    "breaking": "Say whom a changed contract breaks, and which version it needs.",
    "changelog": "Write what changed in contracts, in Markdown.",
    "match": "Say which contract a key belongs to and why, or why none.",
    "publish": "Compile contracts and put them in force.",
    "contract": "Read a published contract back, the latest or another version.",
    "access": "Write the policies of a producer or a consumer.",
    "test": "Judge a file at home as the pipeline would.",
    "try": "Try a contract on past drops before it is published.",
    "drops": "List drops and how they ended.",
    "show": "Show one drop: its states, its verdict, where its bytes lie.",
    "replay": "Judge a settled drop again under the contract of today.",
    "accept": "Promote a rejected drop by the word of a person.",
    "reject": "Withdraw a promoted drop by the word of a person.",
    "forget": "Erase what a drop left, and keep the record that it was.",
    "pause": "Hold up the jobs of a contract or of a producer.",
    "resume": "Let them go on.",
    "doctor": "Compare buckets, ledger and catalog, and repair what is safe.",
    "maintain": "Make tables of fewer files, and remove what nothing needs.",
    "redrive": "List dead letters and send them back.",
    "cost": "Say what a load costs on AWS, and what window and size change.",
}

FAULT = (
    "dropgate: This is a fault of dropgate, and says nothing of your files. Type the command again: what it has done "
    "already is not done twice. If it ends so again, report the lines above with the command and the version, {}."
)
MODULES = {"import": "import_", "try": "try_"}
"""The modules of commands whose names Python keeps for itself."""


class Lazy(click.Group):
    """A group whose commands are modules of this package, found by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; its module is imported here and nowhere else."""
        if cmd_name not in COMMANDS:
            close = nearest(cmd_name, COMMANDS)
            ctx.fail(f"No such command '{cmd_name}'." + (f" Did you mean '{close}'?" if close else ""))
        command = importlib.import_module(f"infra.cli.{MODULES.get(cmd_name, cmd_name)}").command
        assert isinstance(command, click.Command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of a call; what it says against the arguments is of one line."""
        with _of_one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what it says against its arguments is of one line, whatever they hold."""
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
    """Hold every dropped file against its data contract.

    \b
    Exit codes: 0 accepted or fine, 1 rejected or findings, 2 usage, 3 failed.
    """


def run() -> None:
    """Run the command line; an error is one sentence and exit code 3, and a stack trace where nobody foresaw it."""
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
