"""`dropgate lint`: contract files in, findings as a compiler writes them out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contracts.errors import DropgateError
from infra.cli.options.target import names_a_stack, of_a_stack, stored_secrets
from infra.cli.output.ci_reports import FORMATS
from infra.cli.screen import as_json, inert, line, say

if TYPE_CHECKING:
    from contracts.authoring.compiler.lint import Linted
    from contracts.authoring.document.finding import Finding


@click.command(
    epilog="""\b
Examples:
  dropgate lint
  dropgate lint contracts/weather/inmet-weather.v1.yaml
  dropgate lint contracts --format json
  dropgate lint contracts --format sarif
  dropgate lint --stack dropgate
"""
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--variables",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file with a value for each variable of the contracts, as `${BUCKET:-landing}`.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@of_a_stack
def command(paths: tuple[Path, ...], variables: Path | None, form: str) -> None:
    """Check contracts, and print each finding with file, line and fix.

    PATHS are contract files or folders of them (default: contracts). Exits 1 if there is an error, 0 if there are only
    warnings and notes. The formats sarif, junit and github are for CI (docs/how-to/contracts.md). With --stack, secrets
    of channels that the stack's Parameter Store lacks are warnings.
    """
    from contracts.authoring.compiler.lint import lint
    from infra.cli.output import ci_reports

    linted = lint(paths or (default_folder(),), variables)
    if not linted.contracts:
        raise click.UsageError("No contract files (*.yaml) there; name a file or a folder.")
    if names_a_stack():
        linted = replace(linted, findings=tuple(sorted((*linted.findings, *lacking_secrets(linted)))))
    if form == "json":
        contracts = [
            {
                "file": c.file,
                "contract": c.plan.contract if c.plan else None,
                "plan": f"sha256:{c.plan.sha}" if c.plan else None,
                "checks": [check.id for check in c.plan.checks] if c.plan else [],
            }
            for c in linted.contracts
        ]
        text = as_json({"findings": [asdict(f) for f in linted.findings], "contracts": contracts})
    elif form == "text":
        text = as_text(linted)
    else:
        files = list(dict.fromkeys(c.file for c in linted.contracts))
        cases = ci_reports.of_files(files, linted.findings, "dropgate.lint")
        text = ci_reports.shown(form, linted.findings, "dropgate lint", cases)
    if text:
        click.echo(text)
    raise SystemExit(1 if linted.failed else 0)


def lacking_secrets(linted: Linted) -> tuple[Finding, ...]:
    """Return warnings of secrets that the stack lacks; none, and a line for people, if that cannot be seen."""
    from infra.stack_admin.secrets import lacking, wanted

    try:
        there = stored_secrets() if wanted(linted) else None
    except DropgateError as error:
        why = line(str(error)).removesuffix(".")
        say(f"Whether the secrets of channels are there cannot be seen: {why}.", err=True)
        return ()
    return lacking(linted, *there) if there else ()


def default_folder() -> Path:
    """Return the folder of contracts that commands use by default."""
    folder = Path("contracts")
    if not folder.is_dir():
        raise click.UsageError("There is no folder `contracts` here; name a file or a folder.")
    return folder


def as_text(linted: Linted) -> str:
    """Return findings by file, each with its fix, and a summary line."""
    lines: list[str] = []
    last = None
    for finding in linted.findings:
        if last not in (None, finding.file):
            lines.append("")
        last = finding.file
        lines += lines_of(finding)
    levels = Counter(f.level for f in linted.findings)
    counts = ", ".join(
        f"{levels[level]} {level}{'' if levels[level] == 1 else 's'}" for level in ("error", "warning", "note")
    )
    files = len({c.file for c in linted.contracts})
    summary = f"{files} file{'' if files == 1 else 's'}, {len(linted.plans)} in force once published: {counts}"
    return "\n".join([*lines, *([""] if lines else []), summary])


def lines_of(finding: Finding) -> list[str]:
    """Return a finding in the form of a compiler's, and its fix."""
    place = f"{line(finding.file)}:{finding.line}:{finding.column}"
    text = f"{place}: {finding.level}[{finding.code}]: {line(finding.message)}"
    return [inert(text), inert(f"  fix: {line(finding.fix)}")]
