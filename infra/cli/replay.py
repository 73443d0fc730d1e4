"""`dropgate replay`: judge a settled drop again under the contract of today."""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING

import click

from infra.cli.named import month_option, the_drop
from infra.cli.target import of_a_stack

if TYPE_CHECKING:
    from functions.ports import Ports
    from functions.submission import Drop


@click.command(
    epilog="""\b
Examples:
  dropgate replay 3f7k2m
  dropgate replay 3f7k2m --wait 120
  dropgate replay orders/2026-01-31.csv
"""
)
@click.argument("drop")
@month_option
@click.option("--wait", default=0, metavar="SECONDS", help="Wait so long for the new verdict.")
@click.option("--retract", is_flag=True, help="Take promoted data back first (not built yet).")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(drop: str, month: datetime | None, wait: int, retract: bool, form: str) -> None:
    """Judge DROP again: one that was rejected, unmatched or failed, from where its bytes lie.

    DROP is its id or the beginning of it, or a key or its URI, then the newest drop of it (`dropgate drops` lists
    them). Without --wait it exits 0 as soon as the drop is on its way; with it 0 accepted, 1 rejected, 3 failed.
    """
    from functions.replay import Replayed, replay
    from infra.cli.target import of_ports, ports

    if retract:
        raise click.UsageError("--retract is not built yet: data that was promoted cannot be judged again.")
    world = ports()
    named = the_drop(of_ports(world), drop, month)
    found = named.drop
    if told := named.told():
        click.echo(told, err=True)
    done = replay(world, found.id)
    if not isinstance(done, Replayed):
        raise click.UsageError(f"{found.id[:10]} is not judged again: {done.reason}.")
    after = _settled(world, done.drop, wait) if wait else done.drop
    if form == "json":
        click.echo(json.dumps({"drop": after.id, "attempt": after.attempt, "state": after.state}))
    else:
        click.echo(
            f"{after.id[:10]}, attempt {after.attempt}: {after.state}. `dropgate show {after.id[:10]}` says more."
        )
    sys.exit({"rejected": 1, "failed": 3}.get(after.state, 0) if wait else 0)


def _settled(world: Ports, drop: Drop, seconds: int) -> Drop:
    """The drop as soon as it has come to rest, or as it stands when the time is over."""
    end = time.monotonic() + seconds
    while drop.in_flight and time.monotonic() < end:
        time.sleep(0.5)
        drop = world.ledger.drop(drop.id) or drop
    return drop
