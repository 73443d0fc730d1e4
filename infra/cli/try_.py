"""`dropgate try`: an unpublished contract on the newest drops."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli.options.memory import Memory
from infra.cli.options.spark import starting
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.plan import Plan
    from infra.offline.trial import Tried


@click.command(
    epilog="""\b
Examples:
  dropgate try contracts/weather/inmet-weather.v1.yaml
  dropgate try contracts/weather/inmet-weather.v1.yaml --of nyc-weather.v1 --last 50
  dropgate try contracts/weather/inmet-weather.v1.yaml --format json
"""
)
@click.argument("contract", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--last", default=10, show_default=True, type=click.IntRange(1, 1000), help="Number of drops.")
@click.option("--of", metavar="C", help="Drops of this contract (default: those of the same id and major version).")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--memory", type=Memory(), metavar="SIZE", default="2g", show_default=True, help="Memory of the local Spark."
)
@of_a_stack
def command(contract: Path, last: int, of: str | None, form: str, memory: str) -> None:
    """Judge past drops again under an unpublished CONTRACT file, and compare the verdicts.

    The last accepted and rejected drops are read from their zones and judged on this machine. Nothing is written. Exits
    1 if any drop gets a worse verdict than before, 3 if any could not be judged.
    """
    from contracts.authoring.compiler.compile import load_plan
    from contracts.job import SMALL
    from contracts.problem import nearest
    from infra.cli.options.target import ports
    from infra.offline.reference_files import AtHome
    from infra.offline.trial import MONTHS, last_drops, try_on

    plan, world = load_plan(contract), ports()
    name = of or plan.contract
    drops = last_drops(world.ledger, name, last, datetime.now(UTC))
    if not drops:
        contracts = sorted({entry.contract for entry in world.catalog.index().entries})
        close = nearest(name, [other for other in contracts if other != name])
        hint = (
            f" Did you mean --of {close}?"
            if close
            else ""
            if of is not None
            else " Name the contract of the drops with --of."
        )
        raise click.UsageError(f"{name} has no drop of the last {MONTHS} months that was judged.{hint}")
    spark = starting("dropgate try", memory, lambda: sum(d.size for d in drops) < SMALL)

    def tell(text: str) -> None:
        click.echo(text, err=True)

    tried = try_on(world, plan, drops, spark, tell, AtHome(contract.parent))
    if form == "json":
        click.echo(as_json(document(plan, tried)))
    else:
        say(text_of(plan, tried, shutil.get_terminal_size((100, 24)).columns, sys.stdout.isatty()), nl=False)
    changes = {one.change for one in tried}
    sys.exit(3 if "failed" in changes else 1 if "worse" in changes else 0)


def document(plan: Plan, tried: Sequence[Tried]) -> dict[str, Any]:
    """Return the trial as a document for machines; problems hold no value of a classified property."""
    from contracts import codec

    return {
        "contract": {"id": plan.id, "version": plan.version, "plan": f"sha256:{plan.sha}"},
        "drops": [
            {
                "drop": one.drop.id,
                "key": one.drop.name,
                "received_at": one.drop.received_at,
                "change": one.change,
                "then": {"verdict": one.drop.verdict, "plan": one.drop.plan, "rows": codec.encode(one.drop.rows)},
                "now": None
                if one.decision is None
                else {
                    "verdict": one.decision.verdict,
                    "rows": codec.encode(one.decision.rows),
                    "problems": codec.encode(one.decision.problems),
                    "failure": codec.encode(one.decision.failure),
                },
            }
            for one in tried
        ],
        "changes": {name: sum(one.change == name for one in tried) for name in CHANGES},
    }


CHANGES = {"same": "as before", "better": "better", "worse": "worse", "failed": "not judged", "gone": "no longer kept"}
MOST_PROBLEMS = 3


def text_of(plan: Plan, tried: Sequence[Tried], width: int, colour: bool) -> str:
    """Return the trial for people: a table of verdicts, with the reason under each changed drop."""
    from infra.cli.output.render import trial_table

    table = trial_table(document(plan, tried)["drops"], width, colour)
    counts = [f"{n} {CHANGES[name]}" for name in CHANGES if (n := sum(one.change == name for one in tried))]
    return f"{plan.contract} {plan.version} on {len(tried)} drops: {', '.join(counts)}\n\n{table}"
