"""`dropgate demo`: real files through the whole flow, shown as they move."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from infra.demo.journey import Journey, Traveller
    from infra.local.mailbox import Received

PATIENCE = 20.0
"""Seconds for the mails of the last verdicts."""
LOOKS = {
    "accepted": "bold green",
    "accepted_with_warnings": "bold yellow",
    "rejected": "bold red",
    "failed": "bold white on magenta",
    "unmatched": "bold cyan",
}


@click.command(
    epilog="""\b
Examples:
  dropgate demo
  dropgate drops
"""
)
def command() -> None:
    """Send real files through the whole flow on this machine: upload, match, check by Spark, promotion or rejection.

    Nothing leaves this machine. The results are kept in .dropgate/demo/.
    """
    import shutil

    from rich.console import Console
    from rich.live import Live

    from contracts.authoring.compiler.lint import lint
    from infra.cli.options.target import DEMO
    from infra.demo.journey import Journey, keep, routes_of
    from infra.local.embedded import Embedded
    from infra.local.mailbox import Mailbox
    from infra.packaging.bundles import ROOT

    console = Console(width=None if sys.stdout.isatty() else 110)
    began = time.monotonic()
    console.print("Starting the embedded stack: S3, SQS, EventBridge, DynamoDB, EMR Serverless on loopback ...")
    plans = lint((ROOT / "contracts",)).plans
    mails: list[Received] = []
    with Mailbox(mails.append) as mailbox, Embedded(mailbox=mailbox) as embedded:
        embedded.publish(plans, routes=routes_of(plans))
        journey = Journey(embedded)
        console.print(f"Published {', '.join(p.contract for p in plans)}. Uploading; Spark starts meanwhile.\n")
        if console.is_terminal:
            with Live(console=console, refresh_per_second=6) as live:
                good = journey.run(lambda now: live.update(_table(now, began)))
        else:
            good = journey.run(_Lines(console, began))
            console.print(_table(journey.travellers, began))
        embedded.settle(PATIENCE)  # people hear of a verdict after it
        shutil.rmtree(DEMO, ignore_errors=True)
        keep(journey, DEMO, mails)
        console.print(_where(journey, DEMO, mails), highlight=False, soft_wrap=True)
        console.print(f"\n{time.monotonic() - began:.0f} s in all.")
    for traveller in (t for t in journey.travellers if not t.as_expected):
        click.echo(_amiss(traveller), err=True)
    sys.exit(0 if good else 3)


class _Lines:
    """Print one line for each change of state, for output that is not a terminal."""

    def __init__(self, console: object, began: float) -> None:
        self._console = console
        self._began = began
        self._seen: dict[int, str] = {}

    def __call__(self, travellers: list[Traveller]) -> None:
        for number, traveller in enumerate(travellers):
            if traveller.state not in ("waits", self._seen.get(number)):
                self._seen[number] = traveller.state
                at = time.monotonic() - self._began
                click.echo(f"{at:5.1f} s  {traveller.upload.key:<28} {traveller.state}")


def _table(travellers: list[Traveller], began: float) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, caption=f"{time.monotonic() - began:.0f} s", caption_justify="right")
    for name in ("file", "key", "state"):
        table.add_column(name, overflow="fold", min_width=22)
    for name in ("rows", "rejected", "seconds"):
        table.add_column(name, justify="right")
    for one in travellers:
        rows = one.drop.rows if one.drop else None
        seconds = f"{one.settled - one.sent:.1f}" if one.settled and one.sent else ""
        state = one.state.replace("_", " ")
        counts = [f"{rows.read:,}", f"{rows.rejected:,}"] if rows else ["", ""]
        looks = LOOKS.get(one.state, "dim") if one.arrived else "dim"
        table.add_row(one.upload.story, one.upload.key, f"[{looks}]{state}[/]", *counts, seconds)
    return table


def _amiss(traveller: Traveller) -> str:
    """Return a sentence for a file that did not end as promised, with what to do."""
    from infra.cli.options.target import typed
    from infra.demo.journey import PATIENCE as STILL

    key, state, expected = traveller.upload.key, traveller.state, traveller.upload.expected
    if traveller.arrived:
        return f"{key} ended as {state}, not as {expected}: `{typed()} show {traveller.drop_id}` tells why."
    return f"{key} has no verdict ({state}): nothing moved for {STILL:.0f} s. Run it again on a less busy machine."


def _where(journey: Journey, folder: Path, mails: Sequence[Received]) -> str:
    """Return the paths and commands to continue with."""
    from rich.markup import escape

    from infra.cli.options.target import typed

    by_state = {t.state: t for t in journey.travellers}
    rejected = next((t for t in journey.travellers if t.state == "rejected" and t.drop and t.drop.rows), None)
    unmatched = by_state.get("unmatched")
    lines = ["\n[bold]Where to look[/]"]
    promoted = (folder / "promoted").rglob("*.csv") if (folder / "promoted").exists() else ()
    lines += [f"  promoted file      {key}" for key in promoted]
    if rejected and rejected.drop:
        reports = next((folder / "reports").rglob(f"{rejected.drop.id}/1"), folder / "reports")
        lines.append(f"  receipt            {reports / 'receipt.html'}")
        lines.append(f"  rejected rows      {reports / 'rejected.csv'}")
        lines.append(f"  quarantine         {folder / 'evidence' / 'rows'}/")
        lines.append(f"  the drop's story   {typed()} show {rejected.drop.id[:10]}")
    for mail in [mail for mail in mails if rejected and rejected.upload.key in mail.subject][:1]:
        lines.append(f"  mail to producer   {escape(mail.subject)}")
        lines.append(f"                     {folder / 'mails' / mail.name}")
    if unmatched and unmatched.drop and unmatched.drop.problems:
        lines.append(f"  nearest miss       {unmatched.drop.problems[0].message}")
    lines.append(f"  all drops          {typed()} drops")
    return "\n".join(lines)
