"""`dropgate test`: judge local files as the pipeline would."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli.options.memory import Memory
from infra.cli.options.spark import are_brief, starting
from infra.cli.output.ci_reports import FORMATS
from infra.cli.samples import SampleFile
from infra.cli.screen import as_json, say

if TYPE_CHECKING:
    from contracts.job import JobReference
    from contracts.plan import Plan
    from infra.offline.file_sets import Gathered
    from infra.offline.history_file import EarlierFiles
    from infra.offline.judge import Judged

EXIT = {"accepted": 0, "accepted_with_warnings": 0, "rejected": 1, None: 3}


@click.command(
    epilog="""\b
Examples:
  dropgate test weather.csv --contract contracts/flights/nyc-weather.v1.yaml
  dropgate test weather.csv --contract nyc-weather.v1 --format json
  dropgate test orders.csv --contract shop-orders.v1 --reference shop-customers.v1=customers.csv
  dropgate test weather.csv --key nyc/weather/2013.csv --receipt out/
  dropgate test orders.csv --contract orders.v1 --mark day=2026-01-31
  dropgate test orders.csv --contract orders.v1 --history earlier.jsonl
  dropgate test a.csv b.csv manifest.json --contract orders.v1 --key shop/2026-01-31/ --at 2026-01-31T05:30
"""
)
@click.argument("files", metavar="FILES...", nargs=-1, required=True, type=SampleFile())
@click.option(
    "--contract", "-c", metavar="C", help="A contract file, or a name such as `inmet-weather.v1` in --contracts."
)
@click.option(
    "--contracts",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("contracts"),
    show_default=True,
    help="Folder of contracts.",
)
@click.option(
    "--key",
    "given",
    metavar="KEY",
    multiple=True,
    help="The key that you would upload to; without --contract it selects the contract. For several FILES, one key "
    "for each in their order, or their common folder, which ends in /.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--receipt",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the receipt and rejected.csv into this folder; several FILES get one subfolder each.",
)
@click.option(
    "--at",
    metavar="TIME",
    help="Time of the upload, for a contract with an `arrival` or a check of weekdays, such as 2026-01-31T05:30 in the "
    "zone of the arrival, else in UTC [default: now].",
)
@click.option(
    "--mark",
    "marks",
    metavar="P=VALUE",
    multiple=True,
    help="High mark of accepted files, for checks with a `watermark`; without it they read all records.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME=FILE",
    help="Values for a relationship: a promoted file of another contract, or a reference file. Repeatable.",
)
@click.option(
    "--history",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="RESULTS",
    help="Lines of `dropgate results`: the earlier files, for checks with `relativeTo`.",
)
@click.option(
    "--memory", type=Memory(), metavar="SIZE", default="2g", show_default=True, help="Memory of the local Spark."
)
def command(
    files: tuple[Path, ...],
    contract: str | None,
    contracts: Path,
    given: tuple[str, ...],
    form: str,
    receipt: Path | None,
    at: str | None,
    marks: tuple[str, ...],
    references: tuple[str, ...],
    history: Path | None,
    memory: str,
) -> None:
    """Judge FILES of one contract as the pipeline would: same admission, same Spark job, same verdict.

    If FILES include a marker or a manifest, files are compared with their manifest, and the output says for each set if
    it is complete.

    Spark does not start for small files that surely pass: the result is the same.

    Nothing is uploaded. Exits 0 if all files are accepted (also with warnings), 1 if one is rejected or a set of
    several FILES is not complete, 3 if one could not be judged.
    """
    from contracts.authoring.quality import watermarks
    from contracts.verdict import TOO_LITTLE_HISTORY
    from infra.cli.options.contract_argument import chosen, keys_of
    from infra.files import refuse_links
    from infra.offline import file_sets, judge
    from infra.setup.progress import Progress

    if receipt:
        refuse_links(receipt)
    contracted = chosen(contract, contracts, given, files[0])
    plan = contracted.plan
    names = keys_of(plan, files, given, contracted.key)
    pinned = _pinned(plan, contracted.folder, contracts, references)
    home = file_sets.gathered(plan, tuple(zip(files, names, strict=True)), _moment(plan, at))
    earlier = _earlier(plan, history)
    quiet = form != "text"
    spark = starting("dropgate test", memory, partial(are_brief, plan, files), quiet=quiet)
    tell = (lambda _: None) if quiet else Progress(1, 1, "Great Expectations", sys.stderr).tell  # every ten seconds
    try:
        high_marks = tuple(watermarks.mark(plan, text) for text in marks)
    except watermarks.Refused as refused:
        raise click.UsageError(str(refused)) from refused
    arguments = (tell, high_marks, pinned)
    judged = judge.judge_all(home.uploads, plan, spark, *arguments, with_rows=True, earlier=earlier)
    judged += home.broken.values()
    paths, alone = [*(upload.path for upload in home.uploads), *home.broken], len(files) == 1
    places: list[Path] = []
    if receipt:
        places = [receipt if alone else receipt / f"{n}-{one.file.name}" for n, one in enumerate(judged, 1)]
    for one, place in zip(judged, places, strict=False):
        judge.write_receipt(one, place, contracted.contact)
    _show(judged, paths, home.sets, form, alone=alone)
    if form == "text":
        for place in places:
            click.echo(f"Receipt: {place / 'receipt.html'}")
    short = {check.id for one in judged for check in one.decision.checks if check.reason == TOO_LITTLE_HISTORY}
    if short and history is None:
        checks = f"{', '.join(sorted(short))} {'compares' if len(short) == 1 else 'compare'}"
        click.echo(f"{checks} with earlier files: give them as --history FILE, lines of `dropgate results`.", err=True)
    waits = not alone and any(one.lacks for one in home.sets)
    sys.exit(max([EXIT[one.decision.verdict] for one in judged] + [int(waits)]))


def _moment(plan: Plan, text: str | None) -> datetime:
    """Return the time of the upload; raise a usage error if it is not a time, or the contract does not need one."""
    if text is None:
        return datetime.now(UTC)
    if plan.arrival is None and not any(relative.weekday for relative in plan.relative.values()):
        raise click.UsageError(f"--at: {plan.contract} has no `arrival`: its files may arrive at any time.")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise click.UsageError(f"--at: {text} is not a time; write it as 2026-01-31T05:30.") from error
    if moment.tzinfo:
        return moment
    return plan.arrival.moment(moment) if plan.arrival else moment.replace(tzinfo=UTC)


def _earlier(plan: Plan, path: Path | None) -> EarlierFiles:
    """Return the earlier files of a file of results; raise a usage error if it is none, or no check reads it."""
    from infra.offline.history_file import EarlierFiles, NotHistory, read

    if path is None:
        return EarlierFiles()
    if not plan.relative:
        raise click.UsageError(f"--history: {plan.contract} has no check with `relativeTo`, so that none reads it.")
    try:
        with path.open(encoding="utf-8-sig") as lines:
            return read(plan, lines)
    except NotHistory as error:
        raise click.UsageError(f"--history {path}: {error}") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"--history {path} is no text in UTF-8.") from error


def _pinned(plan: Plan, folder: Path, contracts: Path, written: tuple[str, ...]) -> tuple[JobReference, ...]:
    """Return the plan's references: files of the contract's folder, and the named ones."""
    from contracts.authoring.compiler.lint import lint
    from contracts.problem import nearest
    from infra.offline.reference_files import AtHome

    given: dict[str, list[Path]] = {}
    for text in written:
        name, _, path = text.partition("=")
        names = [one.name for one in plan.references]
        if name not in names or not path:
            close = nearest(name, names)
            hint = f" Did you mean {close}?" if close else f" It has {', '.join(names) or 'none'}."
            raise click.UsageError(f"{plan.contract} has no reference {name}, as in --reference NAME=FILE.{hint}")
        if not Path(path).is_file():
            raise click.UsageError(f"--reference {text}: there is no file {path}.")
        given.setdefault(name, []).append(Path(path))

    def in_force(name: str) -> Plan | None:  # the plan of another contract, of this contract's folder or of --contracts
        plans = lint(tuple(path for path in (folder, contracts) if path.is_dir())).plans
        return next((plan for plan in plans if plan.contract == name), None)

    pinned = AtHome(folder, given, in_force).pinned(plan)
    for one in pinned:
        if one.problem:
            raise click.UsageError(f"{plan.contract} looks for values in {one.name}, which {one.problem}.")
    return pinned


def _show(judged: Sequence[Judged], paths: Sequence[Path], sets: Sequence[Gathered], form: str, *, alone: bool) -> None:
    from contracts.verdict import document
    from functions.records.receipt import masked
    from infra.cli.output import ci_reports, render

    bodies = [document(masked(one.decision, one.plan), one.plan, one.file) for one in judged]
    rows = [{"parts": s.parts, "files": s.files, "signal": s.signal, "lacks": s.lacks} for s in sets]
    if form == "json":
        several = {"files": bodies, "sets": rows}
        body = {**bodies[0], **({"sets": rows} if rows else {})} if alone and bodies else several
        click.echo(as_json(body))
        return
    if form == "text":
        width, colour = shutil.get_terminal_size((100, 24)).columns, sys.stdout.isatty()
        texts = [render.verdict_text(body, width=width, colour=colour) for body in bodies]
        say("\n".join([*texts, *([render.sets_text(rows, width, colour)] if rows else [])]))
        return
    reports = [ci_reports.of_verdict(body, str(path)) for body, path in zip(bodies, paths, strict=True)]
    findings, cases = [f for own, _ in reports for f in own], [c for _, own in reports for c in own]
    for one in () if alone else sets:
        finding, case = ci_reports.of_set(one.name, one.lacks, str(paths[0]) if paths else one.signal or "")
        findings += finding
        cases.append(case)
    click.echo(ci_reports.shown(form, findings, "dropgate test", cases))
