"""`dropgate init`: sample files in, a first contract with marked proposals out."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra import files as written
from infra.cli.ends import named
from infra.cli.samples import SampleFile
from infra.cli.screen import line, say

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from contracts.authoring.draft.drafting import Draft, Status
    from infra.sampling import Bounds


@click.command(
    epilog="""\b
Examples:
  dropgate init inmet-2019.csv
  dropgate init orders-2026-01-30.csv orders-2026-01-31.csv --producer shop
  dropgate init events.jsonl.gz --id shop-events --producer shop --to contracts
  dropgate init weather.csv --update contracts/flights/nyc-weather.v1.yaml
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=SampleFile())
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the contract, named `<id>.v1.yaml`, into this folder (default: standard output).",
)
@click.option("--id", "called", metavar="ID", help="The contract's id (default: from the name of the first file).")
@click.option("--producer", metavar="P", help="The producer of the files (default: the id).")
@click.option(
    "--status",
    type=click.Choice(["draft", "active"]),
    default="draft",
    show_default=True,
    help="Write `active` into the contract, so that it matches files once it is published.",
)
@click.option(
    "--update",
    "own",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CONTRACT",
    help="Print the changes with which this contract would let FILES through, with reasons; write nothing.",
)
@click.option("--whole", is_flag=True, help="Read all records of large JSON and XML documents and workbooks.")
def command(
    files: tuple[Path, ...],
    folder: Path | None,
    called: str | None,
    producer: str | None,
    status: Status,
    own: Path | None,
    whole: bool,
) -> None:
    """Write a first contract from sample files.

    FILES are samples of one dataset: CSV, lines of fixed width, JSON Lines, JSON, XML (all also compressed, or in zip
    archives), workbooks or Parquet. The samples pass the new contract. Of a large document or workbook only the first
    records are read; then no rule is proposed that later records may break, such as a list of values. Comments mark
    each proposed rule and its reason, and the first lines list what to review before you publish. No file is
    overwritten. Exits 1 if no contract can be made of the files.
    """
    from contracts.authoring.draft.profile import SampleRefused
    from infra.sampling import BOUNDS, WHOLE

    _refuse(own, folder, called, producer)
    if folder is not None:
        written.refuse_links(folder)
    bounds = WHOLE if whole else BOUNDS
    try:
        if own:
            say(_updated(own, files, bounds))
            return
        made = _drafted(files, bounds, called, producer, status)
    except SampleRefused as error:
        say(f"dropgate: {line(error)}.", err=True)
        raise SystemExit(1) from None
    except OSError as error:
        if named(error):
            raise
        raise click.UsageError(f"{error.filename or files[0]} cannot be read: {error.strerror}.") from None
    if folder is None:
        click.echo(made.text, nl=False)
        return
    path = folder / f"{made.name}.yaml"
    if os.path.lexists(path):
        raise click.UsageError(f"{path} exists already; name another folder with --to, or move it away.")
    try:
        click.echo(str(written.write(folder, path.name, made.text)))
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}.") from None


def _refuse(own: Path | None, folder: Path | None, called: str | None, producer: str | None) -> None:
    """Raise a usage error for names that no contract can have, and for options that say nothing together."""
    for name, option, most in ((called, "--id", 80), (producer, "--producer", 63)):
        if name is not None and not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{most - 1}}}", name):
            raise click.UsageError(
                f"{option} {name}: write up to {most} letters, digits, `.`, `_` and `-`, a letter or digit first."
            )
    if own and (folder or called or producer):
        raise click.UsageError("--update writes nothing: leave out --to, --id and --producer.")


def _drafted(
    files: tuple[Path, ...], bounds: Bounds, called: str | None, producer: str | None, status: Status
) -> Draft:
    from contracts.authoring.draft.drafting import draft
    from infra.sampling import profile
    from infra.sampling.self_check import checked

    return checked(draft(profile(files, _spark, bounds), called, producer, status), files)


def _updated(path: Path, files: tuple[Path, ...], bounds: Bounds) -> str:
    """Return the changes of a contract that samples ask for, as comments with reasons above a unified diff."""
    from contracts.authoring.draft.updating import update
    from infra.sampling import profile

    samples = profile(files, _spark, bounds)
    changes = update(path.read_bytes(), str(path), samples)
    few = "1 proposal" if len(changes.reasons) == 1 else f"{len(changes.reasons)} proposals"
    lines = [f"# {path}, held against {samples.records:,} records: {few}."]
    return "\n".join([*lines, *(f"#   - {reason}" for reason in changes.reasons), changes.difference]).rstrip("\n")


def _spark() -> SparkSession:
    from infra.setup.spark.session import local_session

    click.echo("Starting Spark ...", err=True)
    return local_session("dropgate init", brief=True)
