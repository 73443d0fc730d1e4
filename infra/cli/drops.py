"""`dropgate drops`: the drops of a month and their states."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from contracts.problem import quoted
from infra.cli.options.choosing import (
    absent,
    chosen,
    contract_option,
    month_option,
    most_option,
    need_state,
    state_option,
)
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.drop import Drop
    from functions.ports.expected_files import Absence
    from infra.cli.options.target import Target

BESIDE_STUCK = ("contract", "state", "month", "most", "missing", "trial", "minutes")
"""The options that have no effect with --stuck, and --minutes, which needs it."""


@click.command(
    epilog="""\b
Examples:
  dropgate drops
  dropgate drops --state rejected --contract inmet-weather.v1
  dropgate drops --month 2026-01 --format json
  dropgate drops --stuck
  dropgate drops --stuck --minutes 60 --format json
  dropgate drops --missing
  dropgate drops --trial
"""
)
@contract_option
@state_option
@month_option
@most_option
@click.option("--stuck", is_flag=True, help="List open items that do not progress, with their cause and what to do.")
@click.option(
    "--minutes",
    type=click.IntRange(min=0),
    default=15,
    show_default=True,
    help="With --stuck: minutes without progress.",
)
@click.option("--missing", is_flag=True, help="List the files that did not arrive by the end of their window.")
@click.option("--trial", is_flag=True, help="List trials, which are in no other list.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(
    contract: str | None,
    state: str | None,
    month: datetime | None,
    most: int,
    stuck: bool,
    minutes: int,
    missing: bool,
    trial: bool,
    form: str,
) -> None:
    """List drops, newest first, with those that match no contract.

    With --stuck, list the open drops, batches, windows and sets of files that made no progress for --minutes, oldest
    first. Exits 1 if there are any.
    """
    context = click.get_current_context()
    typed = [o for o in BESIDE_STUCK if context.get_parameter_source(o) == click.core.ParameterSource.COMMANDLINE]
    if stuck and (useless := [f"--{option}" for option in typed if option != "minutes"]):
        raise click.UsageError(f"--stuck lists everything without progress: leave {quoted(useless)} out.")
    if not stuck and "minutes" in typed:
        raise click.UsageError("--minutes is the time without progress: add --stuck.")
    if stuck:
        _stuck(minutes, form)
        return
    from infra.cli.options.target import reading
    from infra.cli.output.render import drops_table

    need_state(state)
    target = reading()
    if missing:
        if state or trial:
            raise click.UsageError("--missing lists files that did not arrive: they have no --state and no --trial.")
        _show_missing(target, absent(target, contract, month, most), form)
        return
    selected = chosen(target, contract, state, month, most, trial=trial)
    rows = [_row(d) for d in selected.drops]
    if selected.more:
        what = f"{state} drops" if state else "trials" if trial else "drops"
        click.echo(
            f"There are more than these {most:,} {what} in {selected.month}: raise --most to list more.", err=True
        )
    if form == "json":
        click.echo(as_json(rows))
        return
    click.echo(f"{'Trials' if trial else 'Drops'} in {target.where}", err=True)
    say(drops_table(rows, shutil.get_terminal_size((100, 24)).columns, sys.stdout.isatty()), nl=False)


def _stuck(minutes: int, form: str) -> None:
    from contracts import codec
    from functions.schedule.stuck import EMBEDDED, ON_AWS, age, stuck
    from infra.cli.options.target import is_embedded, ports
    from infra.cli.output.render import stuck_text

    world = ports()
    waiting = stuck(world, timedelta(minutes=minutes), EMBEDDED if is_embedded() else ON_AWS)
    if form == "json":
        click.echo(as_json(codec.encode(waiting)))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        rows = [
            codec.encode(one) | {"minutes": waited and int(waited.total_seconds()) // 60}
            for one in waiting
            for waited in [age(world, one)]
        ]
        say(stuck_text(rows, minutes, width, sys.stdout.isatty()), nl=False)
    sys.exit(1 if waiting else 0)


def _show_missing(target: Target, absences: Sequence[Absence], form: str) -> None:
    if form == "json":
        from contracts import codec

        click.echo(json.dumps(codec.encode(tuple(absences)), indent=2))
        return
    from infra.cli.output.render import missing_table

    click.echo(f"Files that did not arrive, in {target.where}", err=True)
    rows = [{**asdict(one)} for one in absences]
    click.echo(missing_table(rows, sys.stdout.isatty()), nl=False)


def _row(drop: Drop) -> dict[str, Any]:
    return {
        "id": drop.id,
        "state": drop.state,
        "verdict": drop.verdict,
        "decided_by": drop.override.by if drop.override else None,
        "contract": drop.contract,
        "key": drop.name,
        "size": drop.size,
        "received_at": drop.received_at,
        "changed_at": drop.changed_at,
        "read": drop.rows.read if drop.rows else None,
        "rejected": drop.rows.rejected if drop.rows else None,
    }
