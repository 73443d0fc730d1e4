"""`dropgate match`: a key and contract files in; the matching contract, or the reason why none matches, out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from contracts.catalog import Ambiguous, Match, Matched, example, match
from infra.cli.screen import as_json, line, say

if TYPE_CHECKING:
    from contracts.authoring.compiler.lint import Linted


@click.command(
    epilog="""\b
Examples:
  dropgate match inmet/SP/2026-01-31.csv
  dropgate match nyc/weather/2013.txt --contracts contracts/flights
"""
)
@click.argument("key")
@click.option(
    "--contracts",
    "folder",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder of contracts (default: contracts).",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(key: str, folder: Path | None, form: str) -> None:
    """Report which contract matches a KEY (below landing), or why none does.

    Exits 0 if one contract matches, 1 if none or several do.
    """
    from contracts.authoring.compiler.lint import index_of, lint
    from infra.cli.lint import default_folder

    linted = lint((folder or default_folder(),))
    matched = match(index_of(linted.plans), key)
    say(_shown(matched, form))
    warn_of_broken(linted)
    raise SystemExit(0 if isinstance(matched, Matched) else 1)


def warn_of_broken(linted: Linted) -> None:
    """Print the contracts that are left out because they do not compile."""
    broken = dict.fromkeys(c.file for c in linted.contracts if c.failed)
    if broken:
        names = ", ".join(map(line, broken))
        say(f"Not searched, because it does not compile: {names} (see `dropgate lint`).", err=True)


def _shown(matched: Match, form: str) -> str:
    is_json = form == "json"
    if isinstance(matched, Matched):
        entry, pattern = matched.entry, matched.pattern
        if is_json:
            claim = {"match": entry.contract, "pattern": pattern, "producer": entry.producer, "parts": matched.parts}
            return as_json({**claim, "plan": f"sha256:{entry.plan}"})
        lines = [line(entry.contract), f"  pattern   {line(pattern)}", f"  producer  {line(entry.producer)}"]
        lines += ["  signal    of a set of files; it is not one of its files"] if pattern == entry.signal else []
        lines += [f"  {name:<9} {line(value)}" for name, value in matched.parts.items()]
        lines += ["  deprecated: it still matches, and will be retired"] if entry.deprecated else []
        return "\n".join(lines)
    if isinstance(matched, Ambiguous):
        if is_json:
            reason = "several contracts claim the key"
            return as_json({"match": None, "contracts": list(matched.contracts), "reason": reason})
        several = f"Several contracts match it: {', '.join(matched.contracts)}."
        return f"{several} Such a file stays unmatched; `dropgate lint` shows the overlap."
    if is_json:
        nearest = matched.nearest.contract if matched.nearest else None
        miss = {"match": None, "reason": matched.reason, "nearest": nearest, "pattern": matched.pattern}
        return as_json({**miss, "producer": matched.producer})
    like = f"\nA key like {line(example(matched.pattern))} would match." if matched.pattern else ""
    heard = f"\n{line(matched.producer)}, in whose folder it is, would get a receipt." if matched.producer else ""
    return f"No contract matches it: {line(matched.reason)}.{like}{heard}"
