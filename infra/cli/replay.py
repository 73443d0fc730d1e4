"""`dropgate replay`: judge a settled drop again under the current contract."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from contracts.problem import nearest, quoted, visible
from infra.cli.options.choosing import contract_option, most_option, state_option, undecided
from infra.cli.options.drop_argument import month_option, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.screen import line, say

if TYPE_CHECKING:
    from functions.drop import Drop
    from functions.ports import Ports
    from infra.cli.options.target import Target

AGAIN = ("failed", "rejected", "unmatched")
"""The states that a drop leaves by being judged again."""
WITH_RETRACT = ("accepted", "accepted_with_warnings", "observed")
"""Those whose files are promoted."""
ENDS = {"rejected": 1, "unmatched": 1, "failed": 3, "vanished": 3}
"""The exit code for a drop that was waited for; for all others it is 0."""


@click.command(
    epilog="""\b
Examples:
  dropgate replay 3f7k2m
  dropgate replay 3f7k2m --wait 120
  dropgate replay orders/2026-01-31.csv
  dropgate replay 3f7k2m --retract --dry-run
  dropgate replay --state failed --dry-run
  dropgate replay --state rejected --contract orders.v1 --month 2026-01
"""
)
@click.argument("drop", required=False)
@state_option
@contract_option
@month_option
@most_option
@click.option("--dry-run", is_flag=True, help="Report which drops would be judged again, and do nothing.")
@click.option("--wait", default=0, metavar="SECONDS", help="Wait at most this long for the new verdict.")
@click.option(
    "--retract",
    is_flag=True,
    help="Also judge promoted drops again, and withdraw their files if they are rejected.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(
    drop: str | None,
    state: str | None,
    contract: str | None,
    month: datetime | None,
    most: int,
    dry_run: bool,
    wait: int,
    retract: bool,
    form: str,
) -> None:
    """Judge DROP again, or all drops in a --state: rejected, unmatched or failed.

    With --retract, accepted and observed drops can be judged again. Consumers keep such a file until the new verdict.
    If the file is rejected, it is withdrawn and nothing replaces it; otherwise it is promoted again.

    DROP is an id, the first characters of an id, a key or a URI; for a key or URI it is the newest drop of that key.
    `dropgate drops` lists ids and keys. With --state, the newest drops of the month are selected and judged oldest
    first. Drops that a person accepted or rejected are skipped: replay them by id. Forgotten drops are skipped because
    their bytes are erased.

    Without --wait, exits 0 as soon as all drops are under way. With --wait, exits 0 if all are accepted, 1 if any is
    rejected or unmatched, 3 if any failed, was not judged again, or is still under way when the wait ends.
    """
    from infra.cli.options.target import of_ports, ports

    _refuse(drop, state, retract=retract)
    world = ports()
    meant = _meant(of_ports(world), drop, _Search(state, contract, month, most))
    waits = wait > 0 and not dry_run
    judged: list[Done] = []

    def tell(one: Done) -> None:
        if drop and one.why:
            raise click.UsageError(f"{one.drop.id[:10]} is not judged again: {one.why}.")
        judged.append(one)
        if form == "text":
            say(line(one.line(dry_run=dry_run)))

    try:
        judge_again(world, meant, tell, dry_run=dry_run, retract=retract, wait=wait if waits else 0)
    finally:
        if form == "json" and (judged or not drop):
            rows = [one.row() for one in judged]
            click.echo(json.dumps(rows[0] if drop else rows))
    sys.exit(max((one.code(waited=waits) for one in judged), default=0))


@dataclass(frozen=True, slots=True)
class _Search:
    """The drops to select if none is named."""

    state: str | None
    contract: str | None
    month: datetime | None
    most: int


@dataclass(frozen=True, slots=True)
class Done:
    """A drop that is judged again, or the reason why not; `over` means that the wait for its verdict ran out."""

    drop: Drop
    why: str = ""
    over: bool = False

    def row(self) -> dict[str, Any]:
        """Return the result for machines."""
        from contracts import codec

        row: dict[str, Any] = {"drop": self.drop.id, "attempt": self.drop.attempt, "state": self.drop.state}
        if self.drop.override:
            row["override"] = codec.encode(self.drop.override)
        if self.over:
            row["wait_over"] = True
        return row | ({"not_judged_again": self.why} if self.why else {})

    def line(self, *, dry_run: bool) -> str:
        """Return the result for people."""
        name, state = self.drop.id[:10], self.drop.state
        if self.why:
            return f"{name} is not judged again: {self.why}."
        if dry_run:
            by = self.drop.override
            what = {"rejected": "rejected", None: "decided"}.get(self.drop.verdict, "accepted")
            decided = f"; {by.by} has {what} it: {by.because}" if by else ""
            return f"{name} would be judged again: {state}, {visible(self.drop.name, 200)}{decided}"
        late = ", and the wait for its verdict is over" if self.over else ""
        return f"{name}, attempt {self.drop.attempt}: {state}{late}. `dropgate show {name}` shows details."

    def code(self, *, waited: bool) -> int:
        """Return the exit code for the drop."""
        if self.why or self.over:
            return 3
        return ENDS.get(self.drop.state, 0) if waited else 0


def _refuse(drop: str | None, state: str | None, *, retract: bool) -> None:
    """Raise a usage error for a state that cannot be left, or options that select among drops, if one is named."""
    if bool(drop) == bool(state):
        raise click.UsageError("Name either a DROP or --state S for all drops in that state.")
    again = (*AGAIN, *WITH_RETRACT) if retract else AGAIN
    if state in WITH_RETRACT and not retract:
        fix = "Add --retract: their files are withdrawn unless they are accepted again."
        raise click.UsageError(f"Drops that are {state} are not judged again. {fix}")
    if state and state not in again:
        close = nearest(state, again)
        fix = f"Did you mean {close}?" if close else f"{quoted(again)} ones are."
        raise click.UsageError(f"Drops that are {state} are not judged again. {fix}")
    context = click.get_current_context()
    for option in ("contract", "most"):
        if drop and context.get_parameter_source(option) == click.core.ParameterSource.COMMANDLINE:
            fix = "the contract of a DROP is the one that claims its key."
            raise click.UsageError(f"--{option} chooses among the drops of a --state; {fix}")


def _meant(target: Target, drop: str | None, search: _Search) -> tuple[Drop, ...]:
    """Return the named drop, or the selected ones, oldest first."""
    if drop:
        named = the_drop(target, drop, search.month)
        if note := named.uploads_note():
            click.echo(note, err=True)
        return (named.drop,)
    selected = undecided(target, search.contract, search.state, search.month, search.most)
    if decided := selected.decided:
        many = f"{len(decided):,} drops that people decided are"
        if len(decided) == 1:
            many = "1 drop that a person has decided is"
        ids = ", ".join(d.id[:10] for d in decided[:20])
        more = f" and {len(decided) - 20:,} more" if len(decided) > 20 else ""
        left_out = f"{many} skipped, to be judged again only by id (`dropgate replay DROP`): {ids}{more}"
        click.echo(left_out, err=True)
    if selected.more:
        text = f"There are more than these {search.most:,} {search.state} drops in {selected.month}"
        click.echo(f"{text}: run the command again.", err=True)
    if not selected.drops:
        other = "other " if selected.decided else ""
        click.echo(f"No {other}{search.state} drop of {selected.month} can be judged again.", err=True)
    return selected.drops[::-1]


def judge_again(
    world: Ports,
    meant: Iterable[Drop],
    tell: Callable[[Done], None],
    *,
    dry_run: bool = False,
    retract: bool = False,
    wait: int = 0,
) -> None:
    """Judge drops again, one after the other, and report each at once, even if a later one fails.

    `wait` is the time in seconds to wait for all verdicts together, once all drops are under way.
    """
    from functions.drop import NoChange
    from functions.operations.replay import Replayed, again, replay

    begun: list[Done] = []
    try:
        for drop in meant:
            if dry_run:
                would = again(world, drop, retract=retract)
                begun.append(Done(drop, would.reason) if isinstance(would, NoChange) else Done(drop))
            else:
                answer = replay(world, drop.id, retract=retract)
                begun.append(Done(answer.drop) if isinstance(answer, Replayed) else Done(drop, answer.reason))
            if not wait:
                tell(begun.pop())
        end = time.monotonic() + wait
        while begun:
            if not begun[0].why:
                drop = _settled(world, begun[0].drop, end)
                begun[0] = replace(begun[0], drop=drop, over=drop.in_flight)
            tell(begun.pop(0))
    finally:  # also where somebody has stopped it, who would not know what he has begun
        for one in begun:
            tell(one)


def settled_by(world: Ports, drop: Drop, seconds: int) -> Drop:
    """Return the drop once it is settled, or as it is after so many seconds."""
    return _settled(world, drop, time.monotonic() + seconds)


def _settled(world: Ports, drop: Drop, end: float) -> Drop:
    """Return the drop once it is settled, or as it is when the time is over."""
    drop = world.ledger.drop(drop.id) or drop  # also of whom the others have left no time
    while drop.in_flight and time.monotonic() < end:
        time.sleep(0.5)
        drop = world.ledger.drop(drop.id) or drop
    return drop
