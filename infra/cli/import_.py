"""`dropgate import`: contracts of another format in, ODCS contracts and a list of the losses out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra import files as written
from infra.files import read_at

if TYPE_CHECKING:
    from contracts.authoring.imports.importing import Files, ImportResult

FORMATS = (
    "json-schema", "avro", "spark-ddl", "parquet", "data-contract-0.1.3", "mesh", "astrafy", "paypal-2.1",
    "odcs-2.2", "data-contract-specification", "postgres-ddl", "sqlserver-ddl", "snowflake-ddl", "bigquery-ddl",
    "spark-json", "glue", "table-schema", "data-package", "csvw", "dbt", "dbt-manifest",
    "great-expectations", "clouddq",
)  # fmt: skip
"""The formats by name, as contracts.authoring.imports.formats has them; here so that help starts at once."""

KINDS = ("csv", "json", "jsonl", "parquet", "xlsx", "xls", "ods")
"""The formats of files that need no layout, as contracts.authoring.imports.importing has them."""
PARQUET = "parquet"
"""The format whose sources and files are one."""
HEAD = 4096


@click.command(
    "import",
    epilog="""\b
Examples:
  dropgate import orders.sql
  dropgate import models/schema.yml --table orders
  dropgate import --from json-schema orders.schema.json --to contracts
  dropgate import --from parquet 2026-01.parquet --producer shop --files "shop/*.parquet"
  dropgate import --from json-schema a.json --producer shop --files "shop/*.csv" --format csv
""",
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--from", "form", type=click.Choice(FORMATS), help="The format of the sources (default: what their text says)."
)
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each contract, named `<id>.v<major>.yaml`, into this folder (default: standard output).",
)
@click.option(
    "--table",
    "tables",
    metavar="NAME",
    multiple=True,
    help="Import only the table or model of this name, of a source with several; repeatable.",
)
@click.option("--producer", metavar="NAME", help="The producer of the files; needs --files and --format.")
@click.option(
    "--files", multiple=True, metavar="PATTERN", help="Pattern of the contract's keys below landing; repeatable."
)
@click.option("--format", "kind", type=click.Choice(KINDS), help="Format of the files.")
@click.option(
    "--status",
    type=click.Choice(["draft", "active"]),
    default="draft",
    show_default=True,
    help="Status of the contract; a draft is not in force.",
)
def command(
    sources: tuple[Path, ...],
    form: str | None,
    folder: Path | None,
    tables: tuple[str, ...],
    producer: str | None,
    files: tuple[str, ...],
    kind: str | None,
    status: str,
) -> None:
    """Import contracts of another format as ODCS, with the losses in comments.

    SOURCES are files, or folders of files with the extensions of the format. Parts without an equivalent are listed on
    standard error and above the contract, with every line that `dropgate lint` would refuse. No file is overwritten. If
    a source cannot be read, nothing is written and the command exits 1.
    """
    from contracts.authoring.imports.importing import import_sources
    from contracts.problem import quoted
    from infra.cli.lint import lines_of

    form = form or _recognized(sources)
    made, paths = _files(producer, files, kind, form), _paths(sources, form)
    try:
        if form == PARQUET:
            brought = [_of_parquet(path, made, status) for path in paths]
        else:
            brought = import_sources(form, [(path.read_bytes(), str(path)) for path in paths], made, status, tables)
    except OSError as error:
        raise click.UsageError(f"{error.filename} cannot be read: {error.strerror}.") from None
    for finding in (finding for one in brought for finding in one.findings):
        click.echo("\n".join(lines_of(finding)), err=True)
    if any(one.failed for one in brought):
        raise SystemExit(1)
    contracts = [contract for one in brought for contract in one.contracts]
    if files and len(contracts) > 1:
        names = quoted([contract.name for contract in contracts], most=12)
        message = f"--files is for one contract, and there are {len(contracts)} ({names}). Choose one with --table."
        raise click.UsageError(message)
    if folder is None:
        click.echo("---\n".join(contract.text for contract in contracts), nl=False)
        return
    targets = [folder / f"{contract.name}.yaml" for contract in contracts]
    for n, path in enumerate(targets):  # all are written, or none if one of them would replace another file
        if os.path.lexists(path) or path in targets[:n]:
            raise click.UsageError(f"{path} exists already; name another folder with --to, or move it away.")
    for path, contract in zip(targets, contracts, strict=True):
        click.echo(str(written.write(folder, path.name, contract.text)))


def _recognized(sources: tuple[Path, ...]) -> str:
    """Return the format that all sources say; raise a usage error if they do not."""
    from contracts.authoring.imports import signs
    from contracts.authoring.imports.importing import format_of

    if folder := next((path for path in sources if path.is_dir()), None):
        raise click.UsageError(f"{folder} is a folder: name the format of its files with --from.")
    names = {path: format_of(path.read_bytes(), str(path)) for path in sources}
    if other := next((path for path, name in names.items() if name not in FORMATS), None):
        raise click.UsageError(f"{other} does not say of which format it is. {signs.fix(names[other], FORMATS)}")
    if len(set(names.values())) > 1:
        raise click.UsageError(
            f"The sources have several formats ({', '.join(sorted({str(n) for n in names.values()}))})."
        )
    return str(names[sources[0]])


def _files(producer: str | None, patterns: tuple[str, ...], kind: str | None, form: str) -> Files | None:
    """Return the drop block of the options, if there are any; refuse a pattern of keys that no contract can have."""
    from contracts.authoring.imports.importing import Files
    from contracts.errors import PatternInvalid
    from contracts.terms.key_pattern import literal_folder

    if not patterns and producer is None and kind is None:
        return None
    kind = kind or (PARQUET if form == PARQUET else None)
    if not patterns or producer is None or kind is None:
        raise click.UsageError("--producer, --files and --format go together: they make the drop block.")
    for pattern in patterns:
        try:
            folder = literal_folder(pattern)
        except PatternInvalid as error:
            raise click.UsageError(f"--files {pattern}: {error}.") from None
        if not folder:
            raise click.UsageError(f"--files {pattern}: write the producer's folder first, as {producer}/{pattern}.")
    return Files(patterns, producer, kind)


def _paths(sources: tuple[Path, ...], form: str) -> list[Path]:
    """Return the named files, and the files of the format in the named folders."""
    from contracts.authoring.imports.formats import FORMATS as KNOWN

    suffixes = KNOWN[form].suffixes
    files: list[Path] = []
    for path in sources:
        below = (f for f in path.rglob("*") if f.suffix.lower() in suffixes and f.is_file())
        shown = sorted(f for f in below if not any(p.startswith(".") for p in f.relative_to(path).parts))
        files += shown if path.is_dir() else [path]
    if not files:
        raise click.UsageError(f"There are no files of {form} there ({', '.join(suffixes)}).")
    return files


def _of_parquet(path: Path, files: Files | None, status: str) -> ImportResult:
    """Return the contract of a Parquet file, of which only the two ends are read."""
    from contracts.authoring.document.document import Document
    from contracts.authoring.document.finding import Position
    from contracts.authoring.imports.importing import import_document
    from contracts.authoring.imports.schemas import parquet
    from functions.admission.heads.parquet import parquet_footer, parquet_nested
    from functions.admission.heads.parquet.parquet_head import LARGEST_FOOTER

    with path.open("rb") as file:
        head = file.read(HEAD)
        size = file.seek(0, os.SEEK_END)
        tail = read_at(file, max(size - parquet_footer.TAIL, 0), parquet_footer.TAIL)
        document = Document(str(path), positions={(): Position(1, 1)})
        if head.startswith(parquet_footer.MAGIC) and tail.endswith(parquet_footer.MAGIC):
            long = min(parquet_footer.length(tail), LARGEST_FOOTER)
            raw = read_at(file, max(size - parquet_footer.TAIL - long, 0), long)
            try:
                columns = parquet_footer.parse(raw).columns
                document = parquet.document(str(path), [(c.name, parquet_nested.declared(c)) for c in columns])
            except parquet_footer.FooterInvalid as error:
                message = f"The footer of the Parquet file cannot be read: {error}."
                document.error((), "broken-parquet", message, "Write the file again.")
        elif head.startswith(parquet_footer.MAGIC):
            message = "The file does not end as a Parquet file does; it was cut short, or is encrypted."
            document.error((), "broken-parquet", message, "Write the file again, whole and without encryption.")
    return import_document(PARQUET, document, head, files, status)
