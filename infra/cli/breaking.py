"""`dropgate breaking`: contracts before and after in; each change and the side that it breaks out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli.output.ci_reports import FORMATS
from infra.cli.screen import as_json, inert, line, say

if TYPE_CHECKING:
    from contracts.authoring.diff.change import Change
    from contracts.authoring.diff.compare import Comparison
    from contracts.authoring.diff.pairing import Compared
    from contracts.authoring.document.finding import Finding
    from infra.cli.output.ci_reports import Case


@click.command(
    epilog="""\b
Examples:
  dropgate breaking before/inmet-weather.v1.yaml contracts/weather/inmet-weather.v1.yaml
  dropgate breaking published contracts
  dropgate breaking published contracts --format github
  dropgate breaking before.yaml orders.v1.yaml --accept rule:amount.minimum --because "Agreed with shop on 3 March."
"""
)
@click.argument("old", type=click.Path(exists=True, path_type=Path))
@click.argument("new", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--accept",
    "accepted",
    metavar="CHANGE",
    multiple=True,
    help="Let a breaking change through, by its name in brackets (may be repeated): NEW gets a waiver for it.",
)
@click.option("--because", metavar="TEXT", help="The reason, which the waiver keeps.")
def command(old: Path, new: Path, form: str, accepted: tuple[str, ...], because: str | None) -> None:
    """Report what a changed contract breaks, for producers and consumers, and which version it needs.

    OLD and NEW are contract files, or folders whose contracts are paired by id and major version. Exits 1 if a breaking
    change has neither a new major version nor a waiver, or if the version is raised too little. --accept writes a
    waiver into the contract NEW, with which `dropgate publish` takes the change under a new minor version.
    """
    from infra.cli.output import ci_reports

    compared = comparison(old, new)
    if (accepted or because is not None) and not compared.unread:
        _waive(compared, new, accepted, because)
        compared = comparison(old, new)
    if form == "json":
        text = as_json(document(compared))
    elif form == "text":
        text = _text(compared)
    else:
        findings, cases = _report(compared)
        text = ci_reports.shown(form, findings, "dropgate breaking", cases)
    if text:
        click.echo(text)
    raise SystemExit(1 if compared.failed else 0)


def _waive(compared: Compared, new: Path, names: tuple[str, ...], because: str | None) -> None:
    """Write waivers of changes into a contract file; raise a usage error if they cannot be waived."""
    from contracts.authoring.diff.pairing import waived_text

    if not names or not (because or "").strip():
        raise click.UsageError("Write both: --accept CHANGE, as the brackets name it, and --because TEXT.")
    if new.is_dir() or len(compared.contracts) != 1:
        raise click.UsageError("--accept is for one contract: write its two files as OLD and NEW.")
    text = waived_text(compared.contracts[0], new, names, (because or "").strip())
    if isinstance(text, str):
        raise click.UsageError(text)
    new.write_bytes(text)
    say(f"{line(str(new))}: wrote the waiver of {', '.join(names)}.", err=True)


def comparison(old: Path, new: Path) -> Compared:
    """Compare the contracts of two paths; raise a usage error if there is nothing to compare."""
    from contracts.authoring.diff.pairing import compare_paths

    compared = compare_paths(old, new)
    if not compared.contracts and not compared.unread:
        aside = f" {', '.join(compared.aside)}: no `drop` block, so it has no rules for files." * bool(compared.aside)
        raise click.UsageError(f"No contracts to compare in {old} and {new}.{aside}")
    if compared.aside:
        say(f"Not compared, as it has no `drop` block: {', '.join(map(line, compared.aside))}.", err=True)
    return compared


def document(compared: Compared) -> dict[str, Any]:
    """Return the comparison as a document for machines."""
    return {
        "contracts": [
            {
                "contract": c.contract,
                "old": c.old,
                "new": c.new,
                "announced": c.announced,
                "raises": c.step,
                "direction": c.direction,
                "changes": [
                    asdict(one) | {"name": one.name, "touches": {s: list(n) for s, n in c.touched(one).items()}}
                    for one in c.changes
                ],
            }
            for c in compared.contracts
        ],
        "findings": [asdict(f) for f in compared.findings],
    }


def whom(change: Change, one: Comparison) -> str:
    """Return the sides that a change breaks, in words, with those whom the contract names."""
    sides = (f"{side}s" + (f" ({', '.join(names)})" if names else "") for side, names in one.touched(change).items())
    if change.breaks:
        return f"breaks {' and '.join(sides)}"
    return "words" if change.step == "patch" else "compatible"


def _text(compared: Compared) -> str:
    from infra.cli.lint import lines_of

    parts = ["\n".join(text for f in compared.unread for text in lines_of(f))] if compared.unread else []
    for one in compared.contracts:
        lines = [title(one)]
        for c in one.changes:
            way = f", {c.direction}" if c.direction != "none" else ""
            place = f"{line(c.file)}:{c.line}:{c.column}"
            waiver = f" Waived: {line(c.waived)}" if c.waived is not None else ""
            lines.append(inert(f"{place}: {whom(c, one)}{way} [{line(c.name)}]: {line(c.message)}{waiver}"))
        parts.append("\n".join([*lines, *(text for f in one.findings for text in lines_of(f))]))
    if compared.unread:
        return "\n\n".join([*parts, "Nothing was compared: correct the contracts first."])
    changes = [(c, one) for one in compared.contracts for c in one.changes]
    silent = sum(len(one.unwaived) for one in compared.contracts)
    announced = sum(c.breaks and one.announced and c.waived is None for c, one in changes)
    counts = f"{_count(len(compared.contracts), 'contract')}, {_count(len(changes), 'change')}: {silent} break"
    counts += "s" if silent == 1 else ""
    counts += f", {announced} announced by a new major version" if announced else ""
    waived = sum(c.waived is not None for c, _ in changes)
    counts += f", {waived} waived" if waived else ""
    return "\n\n".join([*parts, counts])


def title(one: Comparison) -> str:
    """Return a contract and its versions as the heading of its changes."""
    if one.old is None or one.new is None:
        return f"{one.contract} {one.new or one.old}{', new' if one.new else ', gone'}"
    same = ": nothing has changed" if not one.changes else ": the same files pass" if one.direction == "none" else ""
    return f"{one.contract} {one.old} -> {one.new}{same}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _report(compared: Compared) -> tuple[list[Finding], list[Case]]:
    """Return a finding and a case for each change, and a case for each version."""
    from contracts.authoring.document.finding import Finding, Level
    from infra.cli.output.ci_reports import Case, of_files

    findings, cases = [], []
    for one in compared.contracts:
        for c in one.changes:
            is_silent = c in one.unwaived
            level: Level = "error" if is_silent else "warning" if c.breaks else "note"
            fix = "Leave it as it was, or write the contract under the next major version." if is_silent else ""
            fix += f" Or let it through: `--accept {c.name} --because REASON`." if is_silent else ""
            words = whom(c, one)
            message = f"{words[:1].upper()}{words[1:]}: {c.message}"
            findings.append(Finding(c.file, c.line, c.column, level, c.kind, message, fix))
            text = f"{c.file}:{c.line}:{c.column}: {words}: {c.message}"
            name = f"{c.path or one.contract} ({c.kind})"
            cases.append(Case(one.contract, name, "failed" if is_silent else "passed", c.message, text, c.file))
        wrong = one.findings[0] if one.findings else None
        message, text = (wrong.message, f"{wrong.message} {wrong.fix}") if wrong else ("", "")
        cases.append(Case(one.contract, "version", "failed" if wrong else "passed", message, text))
    cases += of_files(dict.fromkeys(f.file for f in compared.unread), compared.unread, "dropgate.breaking")
    return [*findings, *compared.findings], cases
