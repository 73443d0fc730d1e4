"""`dropgate show`: one drop, its history, and the places of its bytes."""

from __future__ import annotations

import json
import shutil
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from infra.cli.options.drop_argument import month_option, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from functions.drop import Drop
    from functions.ports.batches import Batch
    from infra.cli.options.target import Target


@click.command(
    epilog="""\b
Examples:
  dropgate show 3f7k2m
  dropgate show 3f7k2m --format json
  dropgate show orders/2026-01-31.csv
  dropgate show s3://acme-drops-landing/orders/2026-01-31.csv --month 2026-01
"""
)
@click.argument("drop")
@month_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(drop: str, month: datetime | None, form: str) -> None:
    """Show one DROP: its history, its verdict and where its files are.

    DROP is an id, the first characters of an id, a key below landing or a URI; for a key or URI it is the newest drop
    of that key. `dropgate drops` lists ids and keys. A key with only letters and digits is read as an id: give its URI
    instead.
    """
    from contracts import codec
    from infra.cli.options.target import reading
    from infra.cli.output.render import drop_detail

    target = reading()
    named = the_drop(target, drop, month)
    shown = named.drop
    history = target.ledger.history(shown.id)
    batch = target.ledger.batch(shown.batch) if shown.batch else None
    if form == "json":
        body = {"drop": codec.encode(shown), "history": codec.encode(history), "batch": codec.encode(batch)}
        body["uploads"] = [one.id for one in named.uploads] or None
        body["more_problems"] = _more(shown)
        click.echo(as_json(body))
        return
    click.echo(f"From {target.where}", err=True)
    width = shutil.get_terminal_size((100, 24)).columns
    file_set = None
    if files := target.ledger.file_set(shown.file_set) if shown.file_set else None:
        parts = ", ".join(f"{name}={value}" for name, value in files.parts.items())
        is_open = files.state == "open"
        state = f"must be complete by {files.due_at}" if is_open else f"{files.state} since {files.decided_at}"
        file_set = f"{parts}: {state}"
    facts = _facts(shown, batch) | {"set": file_set, "uploads": named.uploads_note()}
    steps = []
    for one in history:
        note = f"{one.event} by {one.by}: {one.because}" if one.by else one.problem or one.event
        steps.append({"at": one.at, "state": one.state, "attempt": one.attempt, "note": note})
    text = drop_detail(facts, steps, _links(shown, target), width, sys.stdout.isatty())
    say(text, nl=False)


def _facts(drop: Drop, batch: Batch | None) -> dict[str, Any]:
    rows, by = drop.rows, drop.override
    problems = {}
    for n, p in enumerate(drop.problems, 1):
        first = f" First in {p.place}." if p.place and p.place.record else ""
        problems[f"problem {n}"] = f"{p.message}{first} → {p.fix}"
    return {
        "state": drop.state,
        "key": drop.name,
        "drop": drop.id,
        "attempt": drop.attempt,
        "contract": drop.contract,
        "plan": drop.plan,
        "parts": ", ".join(f"{k}={v}" for k, v in drop.parts.items()) or None,
        "version": drop.version_id,
        "size": f"{drop.size:,} bytes",
        "received": drop.received_at,
        "decided": drop.decided_at,
        "decided by": f"{by.by}, {by.at}: {by.because} (before: {by.was or 'failed'})" if by else None,
        "forgotten": drop.forgotten and f"by {drop.forgotten.by}: {drop.forgotten.because}",
        "records": f"{rows.read:,} read, {rows.valid:,} valid, {rows.rejected:,} rejected" if rows else None,
        "batch": f"{drop.batch}, try {drop.try_}" if drop.batch else None,
        "run": batch and batch.run,
        "run ended": batch and batch.reason,
        **problems,
        "more problems": _more(drop),
    }


def _more(drop: Drop) -> str | None:
    """Return where to find the problems that the record has no room for; it may have none."""
    from functions.drop import MOST_PROBLEMS

    if len(drop.problems) < MOST_PROBLEMS:
        return None
    return f"The record holds only the first {MOST_PROBLEMS}; the receipt names all of them."


def _links(drop: Drop, target: Target) -> dict[str, str]:
    links = {} if drop.forgotten else {"bytes": target.located(drop.source.uri)}
    if drop.promoted:
        links["promoted"] = target.located(f"{target.promoted}{drop.promoted.key}")
    if drop.receipt:
        links["receipt"] = target.located(drop.receipt.replace("receipt.json", "receipt.html"))
    if drop.receipt and drop.rows and drop.rows.rejected:
        try:
            receipt = json.loads(target.read(drop.receipt) or b"{}")
        except ValueError:  # cut short, or no receipt of ours
            receipt = None
        name = receipt.get("rejected_rows") if isinstance(receipt, dict) else None
        if name:
            links["rejected rows"] = target.located(drop.receipt.replace("receipt.json", str(name)))
    if drop.retracts:
        links["promoted before"] = target.located(f"{target.promoted}{drop.retracts.key}")
    if drop.state in ("rejected", "failed", "unmatched") and not drop.forgotten:
        links["judge again"] = f"dropgate replay {drop.id[:10]}"
    return links
