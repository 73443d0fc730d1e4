"""`dropgate changelog`: contracts before and after in, their changes in Markdown out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli.breaking import comparison, document, title
from infra.cli.screen import as_json

if TYPE_CHECKING:
    from contracts.authoring.diff.change import Change
    from contracts.authoring.diff.compare import Comparison
    from contracts.authoring.diff.pairing import Compared


@click.command(
    epilog="""\b
Examples:
  dropgate changelog before/inmet-weather.v1.yaml contracts/weather/inmet-weather.v1.yaml
  dropgate changelog published contracts
  dropgate changelog published contracts --format json
"""
)
@click.argument("old", type=click.Path(exists=True, path_type=Path))
@click.argument("new", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
def command(old: Path, new: Path, form: str) -> None:
    """Write the changes of contracts, grouped by the side that they concern.

    OLD and NEW are contract files, or folders whose contracts are paired by id and major version. Exits 0 with or
    without changes, 1 if a contract cannot be read.
    """
    compared = comparison(old, new)
    if compared.unread:
        from infra.cli.lint import lines_of

        click.echo("\n".join(line for f in compared.unread for line in lines_of(f)), err=True)
        raise SystemExit(1)
    click.echo(as_json(document(compared)) if form == "json" else as_markdown(compared))


GROUPS = {
    ("breaking", "breaking"): "Breaks producers and consumers",
    ("breaking", ""): "Breaks producers",
    ("", "breaking"): "Breaks consumers",
    ("minor", ""): "Changes that break nothing",
    ("patch", ""): "Words",
}
"""Headings by the sides that a change breaks or else by the number of the version that it raises."""


def as_markdown(compared: Compared) -> str:
    """Return the changes of each contract that has any."""
    changed = [_contract(one) for one in compared.contracts if one.changes]
    return "\n\n".join(["# Changelog", *(changed or ["Nothing has changed."])])


def _contract(one: Comparison) -> str:
    parts = [f"## {title(one)}"]
    for group, heading in GROUPS.items():
        changes = [c for c in one.changes if _group(c) == group]
        if changes:
            parts.append(f"### {heading}\n\n" + "\n".join(f"- {_escaped(c.message)}{_way(c)}" for c in changes))
    return "\n\n".join(parts)


def _group(change: Change) -> tuple[str, str]:
    if not change.breaks:
        return change.step, ""
    return ("breaking" if change.producer == "breaking" else "", "breaking" if change.consumer == "breaking" else "")


def _way(change: Change) -> str:
    return {"tightens": " (tightens)", "loosens": " (loosens)", "both": " (tightens and loosens)"}.get(
        change.direction, ""
    )


def _escaped(text: str) -> str:
    """Escape contract text in one of our sentences, on one line; text in backticks stays unchanged."""
    parts = " ".join(text.split()).split("`")
    plain = [
        p.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") if n % 2 == 0 else p for n, p in enumerate(parts)
    ]
    return "`".join(plain)
