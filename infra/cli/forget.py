"""`dropgate forget`: erase the data of a drop, and keep its record."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contracts.problem import visible
from infra.cli.options.drop_argument import month_option, the_drop
from infra.cli.options.target import of_a_stack
from infra.cli.override import because_option
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.drop import Drop


@click.command(
    epilog="""\b
Examples:
  dropgate forget 3f7k2m --because "erasure request 77" --dry-run
  dropgate forget 3f7k2m --because "erasure request 77"
  dropgate forget 3f7k2m --because "erasure request 77" --promoted
"""
)
@click.argument("drop")
@because_option
@month_option
@click.option(
    "--promoted",
    is_flag=True,
    help="Also erase its versions in the promoted zone and its files in tables; reject the drop first.",
)
@click.option("--dry-run", is_flag=True, help="Report what would be erased, and do nothing.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(drop: str, because: str, month: datetime | None, promoted: bool, dry_run: bool, form: str) -> None:
    """Erase the data of DROP: its bytes in landing, stage and held, its receipts, its rows in evidence and results.

    Every version is erased, and no copy is kept for `RecoveryDays`.

    DROP is an id, the first characters of an id, a key or a URI; for a key or URI it is the newest drop of that key.
    The drop must be settled, and its batch ended. Its record stays, with the person and the reason, and the drop cannot
    be judged again. Promoted data also stays: `dropgate reject` withdraws it, and then --promoted erases every version
    of it. If the command is interrupted, run it again. Exits 0 if all is erased, 2 if not.

    In a table, --promoted erases the files that hold only rows of DROP. Rows of DROP in other files (for example, after
    they replaced rows of another upload) are in no current version: `dropgate maintain` removes them from storage.
    """
    from functions.operations.erase import NotForgotten, forget, forgettable, left, tables
    from infra.cli.options.target import caller, of_ports, ports

    world = ports()
    named = the_drop(of_ports(world), drop, month)
    if note := named.uploads_note():
        click.echo(note, err=True)
    record = named.drop
    objects: Sequence[str] = ()
    former: Sequence[str] = ()
    if dry_run:
        why = forgettable(world, record, promoted=promoted)
        objects = () if why else tuple(dict.fromkeys(one.uri for one in left(world, record, promoted=promoted)))
        former = tables(world, record) if promoted else ()
    else:
        done = forget(world, record, caller(), because, without_rows_of, promoted=promoted)
        why = done if isinstance(done, NotForgotten) else None
        if not isinstance(done, NotForgotten):
            record, objects, former = done.drop, done.objects, done.tables
    if why:
        raise click.UsageError(f"{record.id[:10]} cannot be erased: {why.reason}.")
    _say(record, objects, former, form, dry_run=dry_run)


def _say(drop: Drop, objects: Sequence[str], tables: Sequence[str], form: str, *, dry_run: bool) -> None:
    if form == "json":
        from contracts import codec

        row = {"drop": drop.id, "state": drop.state, "forgotten": codec.encode(drop.forgotten), "dry_run": dry_run}
        click.echo(as_json(row | {"objects": list(objects), "tables": list(tables)}, indent=None))
        return
    for uri in objects:
        say(visible(uri, 1100))
    would = "would be erased, and its rows in evidence and results" if dry_run else "erased or rewritten without it"
    click.echo(f"{drop.id[:10]}: {len(objects):,} object{'s' * (len(objects) != 1)} {would}.")
    for table in tables:
        contract = table.rstrip("/").rpartition("/")[2]
        click.echo(
            f"Former files of the table {table} may still hold rows of it; no current reader gets them. "
            f"Run `dropgate maintain {contract}` in 7 days: it removes them, and their bytes are "
            "deleted `NoncurrentDays` later."
        )


def without_rows_of(parquet: bytes, drop: str) -> bytes | None:
    """Remove the rows of a drop from an evidence file, with Spark; return None if the file has no such rows."""
    from pyspark.sql import functions as sf

    from infra.setup.spark.session import local_session

    spark = local_session("dropgate forget")
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before.parquet")
        before.write_bytes(parquet)
        rows = spark.read.parquet(str(before))
        if rows.where(sf.col("drop") == drop).isEmpty():
            return None
        after = Path(folder, "after")
        rows.where(sf.col("drop") != drop).coalesce(1).write.parquet(str(after))
        return next(after.glob("*.parquet")).read_bytes()
