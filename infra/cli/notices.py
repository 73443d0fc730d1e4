"""`dropgate notices`: whom a drop was told to, when, and what they answered."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from infra.cli.options.drop_argument import month_option, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, line, say

if TYPE_CHECKING:
    from functions.ports.notices import Trace


@click.command(
    epilog="""\b
Examples:
  dropgate notices 3f7k2m
  dropgate notices orders/2026-01-31.csv
  dropgate notices 3f7k2m --format json
"""
)
@click.argument("drop")
@month_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(drop: str, month: datetime | None, form: str) -> None:
    """List what people were told of DROP: on which channel, when, and what the channel answered.

    DROP is an id, the first characters of an id, a key below landing or a URI, as for `dropgate show`. A notice waits
    while its channel had another one of the contract less than ten minutes ago, or does not answer. Notices are kept
    for 90 days.
    """
    from functions.notices import trail
    from infra.cli.options.target import notice_ports, reading

    target = reading()
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
