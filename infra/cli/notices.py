"""`dropgate notices`: whom a drop, a missing file or a missed promise was told to, when, and what they answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from contracts.problem import visible
from infra.cli.options.choosing import instead
from infra.cli.options.drop_argument import MONTHS, last_months, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, line, say

if TYPE_CHECKING:
    from functions.ports.notices import Trace
    from infra.cli.options.target import Target


@click.command(
    epilog="""\b
Examples:
  dropgate notices 3f7k2m
  dropgate notices orders/2026-01-31.csv
  dropgate notices 3f7k2m --format json
  dropgate notices --contract orders.v1
  dropgate notices --contract orders.v1 --month 2026-01
"""
)
@click.argument("drop", required=False)
@click.option("--contract", help="List the notices of files that never came, and of promises, of this contract.")
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    metavar="YYYY-MM",
    help="Search in this month (default: the last three; for a key, the newest of them that has it).",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(drop: str | None, contract: str | None, month: datetime | None, form: str) -> None:
    """List what people were told of DROP: on which channel, when, and what the channel answered.

    DROP is an id, the first characters of an id, a key below landing or a URI, as for `dropgate show`. A file that
    never came is no drop, and a promise is of none: name their --contract instead. A notice waits while its channel had
    another one of the contract less than ten minutes ago, or does not answer. Notices are kept for 90 days.
    """
    from functions.notices import trail
    from infra.cli.options.target import notice_ports, reading

    if bool(drop) == bool(contract):
        raise click.UsageError("Name a DROP, or a --contract for its missing files and its promises.")
    target = reading()
    if contract:
        _show_contract(target, contract, [f"{month:%Y-%m}"] if month else last_months(MONTHS), form)
        return
    assert drop
    shown = the_drop(target, drop, month).drop
    traces = trail.of_subject(notice_ports().book, shown.id)
    if form == "json":
        click.echo(
            as_json({"drop": shown.id, "key": shown.name, "state": shown.state, "notices": [*map(_row, traces)]})
        )
        return
    click.echo(f"From {target.where}", err=True)
    say(line(f"{shown.name}: {shown.state.replace('_', ' ')}, drop {shown.id[:10]}"))
    for trace in traces:
        say(line(f"  {in_words(trace)}"))
    if not traces:
        click.echo("  Nobody was told of it. `dropgate notify --test CONTRACT` shows the channels of a contract.")


def _show_contract(target: Target, contract: str, months: Sequence[str], form: str) -> None:
    from functions.notices import trail
    from infra.cli.options.target import notice_ports

    if contract not in (contracts := target.contracts()):
        raise click.UsageError(f"There is no contract {visible(contract)}. {instead(contract, contracts)}")
    standing = target.ledger.standing(contract)
    days = [each.day for month in months for each in target.ledger.absences(contract, month)]
    promises = [held.name for held in standing.promises] if standing else []
    traces = trail.of_contract(notice_ports().book, contract, days, promises, months)
    if form == "json":
        click.echo(as_json({"contract": contract, "notices": [{"of": of, **_row(trace)} for of, trace in traces]}))
        return
    click.echo(f"From {target.where}", err=True)
    say(line(f"{contract}, missing files and promises, {months[-1]} to {months[0]}"))
    for of, trace in traces:
        say(line(f"  {of}  {in_words(trace)}"))
    if not traces:
        click.echo("  Nobody was told of any. `dropgate drops --missing` lists such days, `dropgate slo` the promises.")


def in_words(trace: Trace) -> str:
    """Return a notice as a line: the occasion, the channel, and what came of it."""
    message, channel = trace.message, trace.line.channel
    begin = f"{trace.occasion:<10} {channel.service} {channel.to}  "
    if message is None:
        return f"{begin}waits since {trace.at}"
    tries = f" after {message.tries} tries" if message.tries > 1 else ""
    repeated = ", may have arrived twice" if message.may_repeat else ""
    returned = f"; {trace.returned}" if trace.returned else ""
    return f"{begin}{message.result} {message.at}{tries}{repeated}: {message.answer}{returned}"


def _row(trace: Trace) -> dict[str, Any]:
    message, channel = trace.message, trace.line.channel
    return {
        "occasion": trace.occasion,
        "service": channel.service,
        "to": channel.to,
        "at": trace.at,
        "result": message.result if message else "waiting",
        "sent_at": message.at if message else None,
        "answer": message.answer if message else None,
        "tries": message.tries if message else None,
        "returned": trace.returned,
        "may_repeat": bool(message and message.may_repeat),
    }
