"""`dropgate changelog`: contracts before and after in, their changes in Markdown out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli.breaking import comparison, document, title
from infra.cli.screen import as_json

if TYPE_CHECKING:
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

WAYS = {"tightens": " (tightens)", "loosens": " (loosens)", "both": " (tightens and loosens)"}


def as_markdown(compared: Compared) -> str:
    """Return the changes of each contract that has any."""
    parts = []
    for one in compared.contracts:
        grouped: dict[tuple[str, str], list[str]] = {}
        for c in one.changes:
            sides = ("breaking" if c.producer == "breaking" else "", "breaking" if c.consumer == "breaking" else "")
            group = sides if c.breaks else (c.step, "")
            # Contract text in one of our sentences, on one line; text in backticks stays unchanged.
            message = c.message if c.waived is None else f"{c.message} Waived: {c.waived}"
            words = " ".join(message.split()).split("`")
            words[::2] = [w.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") for w in words[::2]]
            grouped.setdefault(group, []).append(f"- {'`'.join(words)}{WAYS.get(c.direction, '')}")
        parts += [f"## {title(one)}"] if one.changes else []
        parts += [f"### {GROUPS[group]}\n\n" + "\n".join(grouped[group]) for group in GROUPS if group in grouped]
    return "\n\n".join(["# Changelog", *(parts or ["Nothing has changed."])])
