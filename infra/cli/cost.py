"""`dropgate cost`: a load in; its cost at list prices, and the effect of another window or size, out."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any, get_args

import click

if TYPE_CHECKING:
    from contracts.plan import Promoted
    from functions.costs.cost import Bill, Load

WINDOWS = (0, 60, 300, 900)
BATCHES = (10, 50, 250, 500, 1000)
FILES = (10_000, 1024**2, 100 * 1024**2)


class Size(click.ParamType):
    """A size in bytes, written like 100KB or 200MiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the bytes of a written size."""
        from functions.costs.cost import size_of

        try:
            size = size_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if not size:
            self.fail("a drop has a byte at least", param, ctx)
        return size


def _finite(_: click.Context, __: click.Parameter, value: float) -> float:
    if not isfinite(value):
        raise click.BadParameter("it is not a number")
    return value


@click.command(
    epilog="""\b
Examples:
  dropgate cost --drops 10000 --size 100KB
  dropgate cost --drops 1000000 --size 20KB --contracts 20 --window 300
  dropgate cost --drops 300 --size 200MiB --month --format json
"""
)
@click.option("--drops", type=click.IntRange(min=1), required=True, help="Number of files per day.")
@click.option("--size", type=Size(), required=True, help="Size of each file, such as 100KB or 200MiB.")
@click.option(
    "--contracts",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of contracts that share the files.",
)
@click.option(
    "--window",
    type=click.IntRange(0, 900),
    default=60,
    show_default=True,
    help="Seconds that a contract's first file waits for others, so that they share a job.",
)
@click.option(
    "--batch",
    "most",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Maximum number of files in one job.",
)
@click.option("--month", is_flag=True, help="--drops is the number of files per month.")
@click.option("--burst", is_flag=True, help="All files of a contract's day arrive at once, not evenly spread.")
@click.option(
    "--promote",
    type=click.Choice(["object", "rows", "table"]),
    default="object",
    show_default=True,
    help="Data for consumers: the unchanged file, its valid rows as a file, or its valid rows in a Delta table.",
)
@click.option(
    "--rejected",
    type=click.FloatRange(0, 100),
    default=0,
    show_default=True,
    metavar="PERCENT",
    callback=_finite,
    help="Share of files with rejected rows that are tolerated.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    drops: int,
    size: int,
    contracts: int,
    window: int,
    most: int,
    month: bool,
    burst: bool,
    promote: Promoted,
    rejected: float,
    form: str,
) -> None:
    """Compute the cost of a load on AWS, at the list prices of functions/costs/prices.json, without free tiers.

    The command also computes the same load with another window, batch, file size, arrival or promotion, one change at a
    time. A batch is one Spark job, which costs at least one minute of its workers. A longer window puts more files into
    a batch: it costs less, and each file waits longer.

    docs/explanation/cost.md lists the counted and the assumed figures.
    """
    from functions.costs.cost import MONTH_DAYS, Load, bill, idle

    daily = drops / MONTH_DAYS if month else drops
    load = Load(daily, size, min(contracts, ceil(daily)), window, burst, most, promote, rejected / 100)
    cost = bill(load)
    if form == "text":
        click.echo(_text(cost))
        return
    document = {
        "load": asdict(cost.load),
        "drops_per_batch": cost.per_batch,
        "batches_per_day": cost.batches,
        "dollars_per_month": cost.dollars,
        "dollars_per_month_without_drops": idle().dollars,
        "dollars_per_thousand_drops": cost.per_thousand,
        "dollars_per_tib": cost.per_tib,
        "shares": cost.shares(),
        "lines": [asdict(line) for line in cost.lines],
        "sensitivity": _sensitivity(cost.load),
    }
    click.echo(json.dumps(document, indent=2))


def _text(cost: Bill) -> str:
    from functions.costs.cost import MONTH_DAYS, idle

    load, daily = cost.load, cost.load.drops
    rate = f"{daily:,} drops a day" if daily == int(daily) else f"{daily * MONTH_DAYS:,.0f} drops a month"
    come = "each contract's at once" if load.burst else "evenly spread"
    lines = [
        f"{rate} of {load.size:,} bytes, contracts: {load.contracts:,}, {come};",
        f"window {load.window} s, at most {load.most:,} drops a batch, promote: {load.promote}:",
        f"  {cost.per_batch:,.1f} drops a batch, {_count(cost.batches)} batches a day",
        "",
        f"  ${cost.dollars:,.2f} a month   ${cost.per_thousand:,.4f} per 1,000 drops   ${cost.per_tib:,.2f} per TiB",
        f"  (${idle().dollars:,.2f} of a month are paid without any drop)",
        "",
        f"{'SERVICE':<16}{'$ A MONTH':>10}{'QUANTITY':>16}  UNIT",
    ]
    lines += [
        f"{line.service:<16}{line.dollars:>10,.2f}{_count(line.quantity):>16}  {line.unit}"
        for line in sorted(cost.lines, key=lambda one: -one.dollars)
    ]
    lines += ["", "SHARES", "  " + "  ".join(f"{name} {part:.0%}" for name, part in cost.shares().items())]
    lines += ["", f"{'IF ONLY THIS CHANGES':<32}{'A BATCH':>8}{'$ A MONTH':>12}{'$ PER 1,000':>13}"]
    lines += [
        f"{row['what']:<32}{row['per_batch']:>8,.1f}{row['per_month']:>12,.2f}{row['per_thousand']:>13,.4f}"
        + ("  as asked" if row["as_asked"] else "")
        for row in _sensitivity(load)
    ]
    return "\n".join(lines)


def _count(quantity: float) -> str:
    return f"{quantity:,.0f}" if quantity >= 100 else f"{quantity:,.1f}"


def _sensitivity(load: Load) -> list[dict[str, Any]]:
    from contracts.plan import Promoted
    from functions.costs.cost import bill

    changed = [(f"window {w} s", replace(load, window=w)) for w in sorted({*WINDOWS, load.window})]
    changed += [(f"at most {n:,} drops a batch", replace(load, most=n)) for n in sorted({*BATCHES, load.most})]
    changed += [(f"files of {s:,} bytes", replace(load, size=s)) for s in sorted({*FILES, load.size})]
    changed += [(what, replace(load, burst=burst)) for what, burst in (("evenly spread", False), ("all at once", True))]
    changed += [(f"promote: {what}", replace(load, promote=what)) for what in get_args(Promoted)]
    bills = [(what, other, bill(other)) for what, other in changed]
    return [
        {
            "what": what,
            "per_batch": b.per_batch,
            "per_month": b.dollars,
            "per_thousand": b.per_thousand,
            "as_asked": other == load,
        }
        for what, other, b in bills
    ]
