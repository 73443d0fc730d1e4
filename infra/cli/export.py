"""`dropgate export`: ODCS contracts in, other formats and a list of the losses out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra import files as written
from infra.cli.screen import line, say

if TYPE_CHECKING:
    from contracts.authoring.exports.exported import Contract

FORMATS = ("json-schema", "avro", "spark", "spark-ddl", "dbt", "odcs", "html", "great-expectations")
"""The formats by name, as contracts.authoring.exports.formats has them; here so that help starts at once."""


@click.command(
    epilog="""\b
Examples:
  dropgate export --to json-schema contracts/flights/nyc-flights.v1.yaml
  dropgate export --to html contracts --out pages
"""
)
@click.argument(
    "contracts", nargs=-1, required=True, metavar="CONTRACT...", type=click.Path(exists=True, path_type=Path)
)
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="The format to write.")
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one file per contract, named `<id>.v<major>`, into this folder (default: standard output).",
)
def command(contracts: tuple[Path, ...], form: str, folder: Path | None) -> None:
    """Write contracts in another format, with the losses in comments.

    CONTRACTS are contract files or folders of them. Rules that the format cannot express are listed on standard error,
    and in the text if the format has comments or descriptions. No file is overwritten. If `dropgate lint` finds an
    error in a contract, nothing is written and the command exits 1.
    """
    from contracts.authoring.exports.formats import FORMATS as KNOWN

    read = _read(contracts)
    if len(read) > 1 and folder is None:
        names = ", ".join(one.name for one in read)
        raise click.UsageError(f"There are {len(read)} contracts ({names}); name a folder for their files with --out.")
    made = [(one, KNOWN[form].write(one)) for one in read]
    if folder:  # all files, or none if one of them would replace another file
        paths = [folder / f"{one.name}{KNOWN[form].suffix}" for one in read]
        for n, path in enumerate(paths):
            if os.path.lexists(path) or path in paths[:n]:
                raise click.UsageError(f"{path} exists already; name another folder with --out, or move it away.")
        for path, (_, exported) in zip(paths, made, strict=True):
            click.echo(str(written.write(path.parent, path.name, exported.text)))
    else:
        click.echo(made[0][1].text, nl=False)
    for one, exported in made:
        if exported.losses:
            click.echo(f"{one.name}: not expressed by {form}:", err=True)
        for loss in exported.losses:
            say(f"  {line(loss, 400)}", err=True)


def _read(paths: tuple[Path, ...]) -> list[Contract]:
    """Return the contracts in some files; exit 1 with findings if one has an error."""
    from contracts.authoring.compiler.lint import contract_files
    from contracts.authoring.exports.reading import read_each
    from infra.cli.lint import lines_of

    files = contract_files(paths)
    if not files:
        raise click.UsageError("No contract files (*.yaml) there; name a file or a folder.")
    exported = []
    for path in files:
        try:
            body = path.read_bytes()
        except OSError as error:
            raise click.UsageError(f"{path} cannot be read: {error.strerror}.") from None
        exported += read_each(body, str(path))
    for finding in (f for one in exported for f in one.findings):
        click.echo("\n".join(lines_of(finding)), err=True)
    if any(one.contract is None for one in exported):
        raise SystemExit(1)
    return [one.contract for one in exported if one.contract]
