"""`dropgate test`: judge a file at home as the pipeline would."""

from __future__ import annotations

import json
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli.gates import FORMATS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from contracts.job import JobReference
    from contracts.plan import Plan
    from contracts.watermarks import HighMark
    from infra.judge import Judged
    from infra.setup.progress import Tell

SMALL = 64 * 1024**2
"""Bytes below which Spark's start and compilation outweigh the work."""

EXIT = {"accepted": 0, "accepted_with_warnings": 0, "rejected": 1, None: 3}


@click.command(
    epilog="""\b
Examples:
  dropgate test weather.csv --contract contracts/flights/nyc-weather.v1.yaml
  dropgate test weather.csv --contract nyc-weather.v1 --format json
  dropgate test orders.csv --contract shop-orders.v1 --reference shop-customers.v1=customers.csv
  dropgate test weather.csv --key nyc/weather/2013.csv --receipt out/
  dropgate test orders.csv --contract orders.v1 --mark day=2026-01-31
"""
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--contract", "-c", metavar="C", help="A contract file, or a name such as `inmet-weather.v1` among --contracts."
)
@click.option(
    "--contracts",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("contracts"),
    show_default=True,
    help="Folder of the contracts.",
)
@click.option("--key", metavar="KEY", help="The key you would upload to; without --contract it finds the contract.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--receipt",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the receipt and rejected.csv into this folder.",
)
@click.option(
    "--mark",
    "marks",
    metavar="P=VALUE",
    multiple=True,
    help="How far accepted files reach, for checks with a `watermark`; without it they look at all records.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME=FILE",
    help="What relationships look in: a promoted file of another contract, or a reference file. Repeatable.",
)
@click.option("--memory", metavar="SIZE", default="2g", show_default=True, help="Memory of the local Spark.")
def command(
    file: Path,
    contract: str | None,
    contracts: Path,
    key: str | None,
    form: str,
    receipt: Path | None,
    marks: tuple[str, ...],
    references: tuple[str, ...],
    memory: str,
) -> None:
    """Judge FILE as the pipeline would: same admission, same Spark job, same verdict.

    Nothing is uploaded. Exits 0 if it is accepted (with warnings, too), 1 if rejected, 3 if it could not be judged.
    """
    from infra import judge

    plan, name, folder = _plan(contract, contracts, key, file)
    pinned = _pinned(plan, folder, contracts, references)
    brief = file.stat().st_size < SMALL
    quiet = form != "text"
    spark = partial(_spark, memory, brief=brief, quiet=quiet)
    judged = judge.judge(file, plan, name, spark, _telling(quiet=quiet), _marks(plan, marks), pinned)
    if receipt:
        judge.write_receipt(judged, receipt)
    _show(judged, form, file)
    if receipt and form == "text":
        click.echo(f"Receipt: {receipt / 'receipt.html'}")
    sys.exit(EXIT[judged.decision.verdict])


def _pinned(plan: Plan, folder: Path, contracts: Path, written: tuple[str, ...]) -> tuple[JobReference, ...]:
    """The plan's references: files of the contract's folder, and those that were named."""
    from contracts.problem import nearest
    from infra.references import AtHome

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
    pinned = AtHome(folder, given, partial(_in_force, contracts, folder)).pinned(plan)
    for one in pinned:
        if one.problem:
            raise click.UsageError(f"{plan.contract} looks for values in {one.name}, which {one.problem}.")
    return pinned


def _in_force(contracts: Path, folder: Path, name: str) -> Plan | None:
    """The plan of another contract, which lies beside this one or among --contracts."""
    from contracts.authoring.linting import lint

    plans = lint(tuple(path for path in (folder, contracts) if path.is_dir())).plans
    return next((plan for plan in plans if plan.contract == name), None)


def _show(judged: Judged, form: str, path: Path) -> None:
    from contracts.verdict import document
    from functions.report import masked
    from infra.cli.render import verdict_text

    body = document(masked(judged.decision, judged.plan), judged.plan, judged.file)
    if form == "json":
        click.echo(json.dumps(body, indent=2, ensure_ascii=False))
        return
    if form != "text":
        from infra.cli import gates

        findings, cases = gates.of_verdict(body, str(path))
        click.echo(gates.shown(form, findings, "dropgate test", cases))
        return
    width = shutil.get_terminal_size((100, 24)).columns
    click.echo(verdict_text(body, width=width, colour=sys.stdout.isatty()))


def _spark(memory: str, *, brief: bool, quiet: bool) -> SparkSession:
    from infra.setup.session import local_session

    if not quiet:
        click.echo("Starting Spark ...", err=True)
    return local_session("dropgate test", memory=memory, brief=brief)


def _telling(*, quiet: bool) -> Tell:
    """Say on standard error what is fetched, every ten seconds."""
    from infra.setup.progress import Progress

    return (lambda _: None) if quiet else Progress(1, 1, "Great Expectations", sys.stderr).tell


def _marks(plan: Plan, texts: tuple[str, ...]) -> tuple[HighMark, ...]:
    """The high marks that were given."""
    from contracts.authoring import watermarks

    try:
        return tuple(watermarks.mark(plan, text) for text in texts)
    except watermarks.Refused as refused:
        raise click.UsageError(str(refused)) from refused


def _plan(contract: str | None, folder: Path, key: str | None, file: Path) -> tuple[Plan, str, Path]:
    """The plan that judges the file, the key it is judged under, and the folder of the contract's file."""
    from contracts.pattern import literal_folder

    plan, matched, home = _by_contract(contract, folder, key, file) if contract else _by_key(key, folder, file)
    return plan, key or matched or literal_folder(plan.files[0]) + file.name, home


def _by_contract(contract: str, folder: Path, key: str | None, file: Path) -> tuple[Plan, str | None, Path]:
    from contracts.authoring.compiling import load_plan, load_plans
    from contracts.problem import nearest

    if Path(contract).is_file():
        plans, home = load_plans(Path(contract)), Path(contract).parent
        return (plans[0], None, home) if len(plans) == 1 else _by_key(key, Path(contract), file)
    known = {path.stem: path for path in sorted(folder.rglob("*.yaml"))}
    if contract in known:
        return load_plan(known[contract]), None, known[contract].parent
    if found := _of_several(contract, known):
        return found[0], None, found[1]
    close = nearest(contract, known)
    hint = f" Did you mean {close}?" if close else f" Known: {', '.join(known) or 'none'}."
    raise click.UsageError(f"There is no contract {contract}, neither as a file nor in {folder}/.{hint}")


def _of_several(contract: str, known: dict[str, Path]) -> tuple[Plan, Path] | None:
    """The contract of one object of a document with several, `shop.lines.v1` of `shop.v1`, and its folder."""
    from contracts.authoring.compiling import load_plans

    product, _, version = contract.rpartition(".")
    while product := product.rpartition(".")[0]:
        if path := known.get(f"{product}.{version}"):
            return next(((plan, path.parent) for plan in load_plans(path) if plan.contract == contract), None)
    return None


def _by_key(key: str | None, folder: Path, file: Path) -> tuple[Plan, str | None, Path]:
    """The contract that claims the key or, without one, an ending of the file's own path."""
    from contracts import catalog
    from contracts.authoring.linting import index_of, lint
    from infra.cli.match import warn_of_broken

    linted = lint((folder,))
    warn_of_broken(linted)
    index = index_of(linted.plans)
    parts = file.resolve().parts
    tried = [key] if key else ["/".join(parts[n:]) for n in range(len(parts) - 1, 0, -1)]
    why = f"no pattern claims {file}"
    for name in tried:
        match catalog.match(index, name):
            case catalog.Matched(entry=entry):
                one = next(c for c in linted.contracts if c.plan and c.plan.sha == entry.plan)
                assert one.plan is not None
                return one.plan, name, Path(one.file).parent
            case catalog.Ambiguous(contracts=several):
                why = f"{', '.join(several)} claim {name}"
                break
            case catalog.Unmatched(reason=reason) if key:
                why = reason
    known = ", ".join(p.contract for p in linted.plans) or f"none in {folder}/"
    raise click.UsageError(f"Which contract? Name it with --contract ({known}); {why}.")
