"""`dropgate accept` and `dropgate reject`: a person decides a drop, with name and reason on record."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from contracts.problem import visible
from infra.cli.options.drop_argument import month_option, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from functions.drop import Answer, Drop
    from functions.ports import Ports


@dataclass(frozen=True, slots=True)
class Words:
    """The options of a person's decision, as typed."""

    drop: str
    because: str
    month: datetime | None
    dry_run: bool
    wait: int
    form: str


def _reason(_: click.Context, __: click.Parameter, value: str) -> str:
    from functions.drop import MOST_REASON
    from functions.operations.override import clean_reason

    reason = clean_reason(value)
    if reason is None:
        raise click.UsageError(f"--because has more than {MOST_REASON} bytes: shorten it.")
    if not reason:
        raise click.UsageError("--because is empty: give the reason, for the record.")
    return reason


because_option = click.option(
    "--because", metavar="TEXT", required=True, callback=_reason, help="The reason, for record, history and receipt."
)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options that both commands have."""
    for decorate in (
        of_a_stack,
        click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True),
        click.option("--wait", default=0, metavar="SECONDS", help="Wait at most this long until it is done."),
        click.option("--dry-run", is_flag=True, help="Report what would be done, and do nothing."),
        month_option,
        because_option,
        click.argument("drop"),
    ):
        command = decorate(command)
    return command


@click.command(
    epilog="""\b
Examples:
  dropgate accept 3f7k2m --because "the gap of 3 May is known, ticket 512"
  dropgate accept orders/2026-01-31.csv --because "checked by hand" --dry-run
"""
)
@_options
def accept(drop: str, because: str, month: datetime | None, dry_run: bool, wait: int, form: str) -> None:
    """Accept a rejected DROP: promote its file unchanged, under the rules for its key.

    DROP is an id, the first characters of an id, a key or a URI; for a key or URI it is the newest drop of that key.
    The acceptance is a new attempt without a job, and its verdict is accepted with warnings. Record, history and
    receipt give the person and the reason. Consumers get the whole file, even if its contract promotes only valid rows.

    Exits 0 if it is done or under way (the schedule completes steps that you have no rights for), 2 if the drop cannot
    be accepted.
    """
    from functions.operations.override import accept as accepted
    from functions.operations.override import beyond, would_accept

    _decide(Words(drop, because, month, dry_run, wait, form), "accepted", would_accept, accepted, beyond)


@click.command(
    epilog="""\b
Examples:
  dropgate reject 3f7k2m --because "recalled by the producer, ticket 513"
  dropgate reject s3://acme-drops-landing/orders/2026-01-31.csv --because "a test file" --wait 120
"""
)
@_options
def reject(drop: str, because: str, month: datetime | None, dry_run: bool, wait: int, form: str) -> None:
    """Reject a promoted or failed DROP: withdraw its data from consumers.

    DROP is an id, the first characters of an id, a key or a URI; for a key or URI it is the newest drop of that key.
    The rejection is a new attempt without a job. Record, history and receipt give the person and the reason. An earlier
    file of the key is not restored: only `dropgate replay FORMER --retract` promotes it again.

    Exits 0 if it is done or under way (the schedule completes steps that you have no rights for), 2 if the drop cannot
    be rejected.
    """
    from functions.operations.override import reject as rejected
    from functions.operations.override import rejectable

    _decide(Words(drop, because, month, dry_run, wait, form), "rejected", lambda _, one: rejectable(one), rejected)


def _decide(
    words: Words,
    verdict: str,
    could: Callable[[Ports, Drop], Answer],
    act: Callable[[Ports, Drop, str, str], Any],
    note: Callable[[Ports, Drop], str | None] = lambda *_: None,
) -> None:
    from functions.drop import NoChange
    from functions.operations.override import NotOverruled
    from infra.cli.options.target import caller, of_ports, ports
    from infra.cli.replay import settled_by

    world = ports()
    named = the_drop(of_ports(world), words.drop, words.month)
    if uploads_note := named.uploads_note():
        click.echo(uploads_note, err=True)
    drop = named.drop
    if words.dry_run:
        answer = could(world, drop)
        why = answer.reason if isinstance(answer, NoChange) else None
    else:
        done = act(world, drop, caller(), words.because)
        why = done.reason if isinstance(done, NotOverruled) else None
        drop = drop if why else settled_by(world, done.drop, words.wait)
    if why:
        raise click.UsageError(f"{drop.id[:10]} cannot be {verdict}: {why}.")
    _say(words, drop, verdict, None if drop.state == "failed" else note(world, drop))
    sys.exit(3 if drop.state == "failed" and not words.dry_run else 0)


def _say(words: Words, drop: Drop, verdict: str, note: str | None) -> None:
    name = drop.id[:10]
    if words.form == "json":
        from contracts import codec

        row = {"drop": drop.id, "attempt": drop.attempt, "state": drop.state, "override": codec.encode(drop.override)}
        row |= ({"would_be": verdict} if words.dry_run else {}) | ({"note": note} if note else {})
        click.echo(as_json(row, indent=None))
        return
    if words.dry_run:
        say(f"{name} would be {verdict}: {drop.state}, {visible(drop.name, 200)}")
    else:
        click.echo(f"{name}, attempt {drop.attempt}: {drop.state}. `dropgate show {name}` shows details.")
    if note:
        click.echo(note)
