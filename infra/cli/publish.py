"""`dropgate publish`: contract files in, the catalog in force and its changes out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli.options.target import of_a_stack

if TYPE_CHECKING:
    from contracts.authoring.publication import Publication


BY_API = (
    "This stack takes its contracts by its API (POST /contracts), as its parameter ContractsFrom is `api`: send them "
    "there, or deploy it with ContractsFrom=repository."
)


@click.command(
    epilog="""\b
Examples:
  dropgate publish
  dropgate publish contracts --catalog s3://my-internal-bucket/catalog/
"""
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--catalog",
    "zone",
    metavar="URI",
    help="Catalog zone to publish to, such as s3://bucket/catalog/ (default: that of the running or deployed stack).",
)
@click.option(
    "--variables",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file with a value for each variable of the contracts, as `${BUCKET:-landing}`.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(paths: tuple[Path, ...], zone: str | None, variables: Path | None, form: str) -> None:
    """Compile contracts and put exactly these in force.

    PATHS are contract files or folders of them (default: contracts). All contracts are checked first: one error stops
    the whole publish. A published version never changes: a contract with a changed text needs a new version. `dropgate
    contract` prints the published documents. A file notify.yaml among them states who hears of what in this stack
    (docs/reference/notify.md).
    """
    from datetime import UTC, datetime

    from contracts.authoring.compiler.lint import lint
    from contracts.authoring.publication import publish, refusals, unfit
    from contracts.authoring.store import documents
    from functions.aws.catalog.s3_catalog import S3Catalog
    from infra.cli.lint import as_text as findings
    from infra.cli.lint import default_folder, lacking_secrets, lines_of
    from infra.cli.options.target import catalog_client, surroundings

    linted = lint(paths or (default_folder(),), variables)
    if linted.failed or not linted.plans:
        click.echo(findings(linted), err=True)
        click.echo(
            "Nothing was published." if linted.failed else "No contract here is in force; nothing was published.",
            err=True,
        )
        raise SystemExit(1)
    if zone and not zone.startswith("s3://"):
        raise click.UsageError("--catalog needs a URI, such as s3://my-internal-bucket/catalog/.")
    if zone is None and (surroundings() or {}).get("DROPGATE_CONTRACTS_FROM") == "api":
        click.echo(f"{BY_API}\nNothing was published.", err=True)
        raise SystemExit(1)
    client, uri = catalog_client(zone if zone is None or zone.endswith("/") else f"{zone}/")
    store = S3Catalog(client, uri)
    if zone is None and (why := unfit(linted.plans, surroundings() or {})):
        click.echo(f"{why}\nNothing was published.", err=True)
        raise SystemExit(1)
    if refused := refusals(linted.contracts, store):
        click.echo("\n".join(line for f in refused for line in lines_of(f)), err=True)
        click.echo("Nothing was published.", err=True)
        raise SystemExit(1)
    for finding in lacking_secrets(linted) if zone is None else ():
        click.echo("\n".join(lines_of(finding)), err=True)
    done = publish(linted.plans, store, datetime.now(UTC), documents(linted.contracts), linted.routes)
    click.echo(json.dumps(asdict(done), indent=2) if form == "json" else as_text(done))


def as_text(done: Publication) -> str:
    """Return the changes of a publish, one line per contract."""
    lines = [
        f"{word:<10} {name}" for word in ("new", "changed", "unchanged", "withdrawn") for name in getattr(done, word)
    ]
    if done.rerouted:
        lines.append("Who hears of what has changed." if done.routes else "Nobody hears of anything any more.")
    if done.mended:
        lines.append(f"The former catalog could not be read, and is replaced: {done.mended}.")
    end = f"In force {'now' if done.moved else 'as before'}: index {done.index[:12]}."
    return "\n".join([*lines, end])
