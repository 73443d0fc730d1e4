"""`dropgate lint`: contract files in, findings as a compiler writes them out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from contracts.authoring.finding import Finding
    from contracts.authoring.linting import Linted


@click.command(
    epilog="""\b
Examples:
  dropgate lint
  dropgate lint contracts/weather/inmet-weather.v1.yaml
  dropgate lint contracts --format json
"""
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(paths: tuple[Path, ...], form: str) -> None:
    """Check contracts: every finding with file, line and what to write instead.

    PATHS are contract files or folders of them (default: contracts).
    Errors exit 1; warnings and notes exit 0.
    """
    from contracts.authoring.linting import lint

    linted = lint(paths or (default_folder(),))
    if not linted.contracts:
        raise click.UsageError("No contract files (*.yaml) there; name a file or a folder.")
    click.echo(json.dumps(_document(linted), indent=2) if form == "json" else as_text(linted))
    raise SystemExit(1 if linted.failed else 0)


def default_folder() -> Path:
    """The folder of contracts where commands look without being told."""
    folder = Path("contracts")
    if not folder.is_dir():
        raise click.UsageError("There is no folder `contracts` here; name a file or a folder.")
    return folder


def as_text(linted: Linted) -> str:
    """Findings by file, each with its fix, and a line that sums them up."""
    lines: list[str] = []
    last = None
    for finding in linted.findings:
        if last not in (None, finding.file):
            lines.append("")
        last = finding.file
        lines += [_line(finding), f"  fix: {finding.fix}"]
    return "\n".join([*lines, *([""] if lines else []), _sum(linted)])


def _line(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}:{finding.column}: {finding.level}[{finding.code}]: {finding.message}"


def _sum(linted: Linted) -> str:
    levels = Counter(f.level for f in linted.findings)
    said = ", ".join(
        f"{levels[level]} {level}{'' if levels[level] == 1 else 's'}" for level in ("error", "warning", "note")
    )
    files = len(linted.contracts)
    return f"{files} file{'' if files == 1 else 's'}, {len(linted.plans)} in force once published: {said}"


def _document(linted: Linted) -> dict[str, Any]:
    return {
        "findings": [asdict(f) for f in linted.findings],
        "contracts": [
            {
                "file": c.file,
                "contract": c.plan.contract if c.plan else None,
                "plan": f"sha256:{c.plan.sha}" if c.plan else None,
                "checks": [check.id for check in c.plan.checks] if c.plan else [],
            }
            for c in linted.contracts
        ],
    }
