"""`dropgate redrive`: the dead letters, and their way back."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from contracts.problem import nearest
from infra.cli.options.target import is_embedded, of_a_stack

if TYPE_CHECKING:
    from infra.stack_admin.redrive import Waiting


@click.command(
    epilog="""\b
Examples:
  dropgate redrive
  dropgate redrive object-created --dry-run
  dropgate redrive object-created --stack dropgate
"""
)
@click.argument("queue", required=False)
@click.option("--dry-run", is_flag=True, help="Report how many would go back, and leave them.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(queue: str | None, dry_run: bool, form: str) -> None:
    """Send the dead letters of QUEUE back to the function that failed on them.

    Without QUEUE, the command lists the dead letters of all queues and what to do with them. An interrupted run loses
    nothing, and a repeated event changes nothing.
    """
    from infra.cli.options.target import queues
    from infra.stack_admin.redrive import KINDS, redrive, waiting

    names = [kind.name for kind in KINDS]
    if queue and queue not in names:
        close = nearest(queue, names)
        instead = f"Did you mean {close}?" if close else f"Known: {', '.join(names)}."
        raise click.UsageError(f"There is no dead-letter queue {queue}. {instead}")
    kind = KINDS[names.index(queue)] if queue else None
    sqs, urls = queues(one.queue for one in KINDS)
    if kind is None:
        _show([waiting(sqs, urls, one) for one in KINDS], form)
        return
    if kind.back is None:
        to_do = kind.what_to_do(urls[kind.queue], embedded=is_embedded())
        raise click.UsageError(f"{kind.name} has no queue to go back to: {to_do}.")
    if dry_run:
        letters = left = waiting(sqs, urls, kind).letters
        moved = 0
    else:
        done = redrive(sqs, urls[kind.queue], urls[kind.back], _progress)
        moved, letters, left = done.moved, done.moved, done.left
    if form == "json":
        body = {"queue": kind.name, "dry_run": dry_run, "letters": letters, "moved": moved, "left": left}
        click.echo(json.dumps(body))
    else:
        click.echo(outcome(kind.name, letters, left, dry_run=dry_run))


def _progress(moved: int) -> None:
    if moved % 1000 == 0 and sys.stderr.isatty():
        click.echo(f"{moved:,} went back", err=True)


def _show(waiting: Sequence[Waiting], form: str) -> None:
    rows = []
    for one in waiting:
        if form == "text":
            click.echo(listed(one, datetime.now(UTC), embedded=is_embedded()))
            continue
        oldest = one.oldest_seen and one.oldest_seen.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        rows.append(
            {
                "queue": one.kind.name,
                "letters": one.letters,
                "hidden": one.hidden,
                "oldest_seen": oldest,
                "holds": one.kind.holds,
                "do": one.kind.what_to_do(one.url, embedded=is_embedded()),
                "url": one.url,
            }
        )
    if form == "json":
        click.echo(json.dumps(rows, indent=2))


def listed(one: Waiting, now: datetime, *, embedded: bool = False) -> str:
    """Return a queue for people: the number of its letters, their age, their meaning and the fix."""
    hidden = f", {one.hidden:,} just received by somebody" if one.hidden else ""
    if not one.letters:
        return f"{one.kind.name:<18} no dead letters{hidden}"
    age = ""
    if one.oldest_seen:  # in the largest unit that it fills; a letter is kept for 14 days after it was first sent
        seconds, old = max(0, int((now - one.oldest_seen).total_seconds())), "less than a minute old"
        for unit, size in (("minute", 60), ("hour", 3600), ("day", 86400)):
            if seconds >= size:
                old = f"{seconds // size} {unit}{'s' if seconds >= 2 * size else ''} old"
        age = f", the oldest {'' if one.letters <= 10 else 'seen '}{old}"
    return "\n".join(
        (
            f"{one.kind.name:<18} {_number(one.letters)}{age}{hidden}",
            f"  what they are      {one.kind.holds}",
            f"  what to do         {one.kind.what_to_do(one.url, embedded=embedded)}",
        )
    )


def outcome(name: str, letters: int, left: int, *, dry_run: bool) -> str:
    """Return the number of letters that went back (or would), that failed again, and that remain."""
    done = "would go back" if dry_run else "went back"
    summary = f"{name}: {_number(letters)} {done}{'' if letters else '; the queue is empty'}."
    why = "because they failed again or wait behind one that did: fix the cause, then run the command again."
    rest = f" {_number(left)} remain, {why}"
    return summary + (rest if left and not dry_run else "")


def _number(letters: int) -> str:
    return "1 dead letter" if letters == 1 else f"{letters:,} dead letters"
