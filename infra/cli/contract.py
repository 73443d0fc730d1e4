"""`dropgate contract`: a name and a version in, the published document of the contract out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json

if TYPE_CHECKING:
    from contracts.authoring.store import Title

    DocumentReader = Callable[[Title], bytes]


@click.command(
    epilog="""\b
Examples:
  dropgate contract
  dropgate contract inmet-weather.v1
  dropgate contract inmet-weather --version 1.0.0 --catalog s3://my-internal-bucket/catalog/
  dropgate contract inmet-weather --from contracts
"""
)
@click.argument("name", required=False)
@click.option("--version", metavar="X", default="latest", show_default=True, help="A published version, or latest.")
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read a folder of contracts instead of a stack's catalog.",
)
@click.option(
    "--catalog",
    "zone",
    metavar="URI",
    help="Catalog zone to read, such as s3://bucket/catalog/ (default: that of the running or deployed stack).",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(name: str | None, version: str, folder: Path | None, zone: str | None, form: str) -> None:
    """Print a contract as it was published; without NAME, list all published contracts.

    NAME is a contract's id, the id with its major version (orders.v1), or the id with its table (orders/lines).
    """
    from contracts.authoring.document.versions import order

    if folder and zone:
        raise click.UsageError("Name one of --from and --catalog.")
    titles, read = _published(folder, zone)
    if name is None:
        titles.sort(key=lambda t: (t.id, order(t.version), t.table))
        if form == "json":
            click.echo(as_json([_document(title) for title in titles]))
            return
        versions: dict[str, list[str]] = {}
        for one in titles:
            versions.setdefault(one.contract, []).append(one.version)
        width = max(map(len, versions), default=0)
        lines = [f"{contract:<{width}}  {', '.join(several)}" for contract, several in versions.items()]
        click.echo("\n".join(lines) or "None was published.")
        return
    title = _title_of(titles, name, version)
    text = read(title).decode("utf-8-sig")
    if form == "text":
        click.echo(text, nl=False)
        return
    click.echo(as_json({**_document(title), "document": text}))


def _published(folder: Path | None, zone: str | None) -> tuple[list[Title], DocumentReader]:
    """Return the titles of a folder or of a catalog, and a reader of their documents."""
    if folder:
        from contracts.authoring.store import of_folder

        documents = of_folder(folder)
        return list(documents), documents.__getitem__
    from contracts.authoring.publication import kept, text_of
    from functions.aws.catalog.s3_catalog import S3Catalog
    from infra.cli.options.target import catalog_client

    if zone and not zone.startswith("s3://"):
        raise click.UsageError("--catalog needs a URI, such as s3://my-internal-bucket/catalog/.")
    client, uri = catalog_client(zone if zone is None or zone.endswith("/") else f"{zone}/")
    store = S3Catalog(client, uri)
    return list(kept(store)), lambda title: text_of(store, title)


def _title_of(titles: list[Title], name: str, version: str) -> Title:
    """Return the requested version; raise a usage error that lists the published ones if there is no such version."""
    from contracts.authoring.store import of_version, published_versions
    from contracts.problem import nearest, quoted

    several = published_versions(titles, name)
    if not several:
        contracts = sorted({t.contract for t in titles})
        close = nearest(name, contracts)
        hint = f"Did you mean `{close}`?" if close else f"Published are {quoted(contracts) or 'none'}."
        raise click.UsageError(f"No contract `{name}` was ever published. {hint}")
    title = of_version(several, version)
    if title is None:
        versions = [t.version for t in several]
        raise click.UsageError(f"`{name}` has no version `{version}`. Published are {quoted(versions)}.")
    return title


def _document(title: Title) -> dict[str, str]:
    return {"contract": title.contract, "version": title.version, "table": title.table, "key": title.key}
