"""docs/tutorial.md: its commands run one after the other in a new folder, and print what the page shows.

Commands that need Spark or a stack are only parsed; the verdicts on the page are those of the oracle.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from contracts.authoring.compiler.compile import compile_text
from contracts.job import Count, Sample
from contracts.place import Place
from contracts.plan import Plan
from contracts.verdict import decide, document
from infra.cli.main import main
from infra.cli.output.render import verdict_text
from infra.offline.judge import file_of
from infra.packaging.bundles import ROOT
from tests.oracle.judging import Opinion, judge
from tests.oracle.records import Content, content
from tests.unit.infra.cli.command_lines import parse

PAGE = ROOT / "docs" / "tutorial.md"
TEXT = PAGE.read_text(encoding="utf-8")
CONSOLES = [
    part.partition("\n")[::2]
    for block in re.findall(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
]
"""Each command at a prompt, with the output below it; empty where the page shows none."""
WITH_SPARK = ("dropgate test wrong.csv ", "dropgate test orders.csv ")
FOLDER = "mkdir -p ~/shop && cd ~/shop"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every command that needs no Spark has run, and printed what the page shows."""
    place = tmp_path_factory.mktemp("shop")
    here = Path.cwd()
    os.chdir(place)
    try:
        for line, shown in CONSOLES:
            if line != FOLDER and not line.startswith(WITH_SPARK):
                output = printed(line)
                if shown and os.environ.get("DROPGATE_WRITE_DOCS"):
                    write(f"$ {line}\n{shown}", f"$ {line}\n{output}")
                else:
                    assert shown in {output, ""}, f"{line}\nDROPGATE_WRITE_DOCS=1 writes the page's output again"
    finally:
        os.chdir(here)
    return place


def printed(line: str) -> str:
    """Run a command of the page in this process or, where it is none of ours, in a shell."""
    if line.startswith("dropgate "):
        return CliRunner(mix_stderr=False).invoke(main, shlex.split(line)[1:], prog_name="dropgate").output
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True).stdout


def write(shown: str, instead: str) -> None:
    """Write an output into the page, in place of the one that it shows."""
    PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(shown, instead, 1), encoding="utf-8")


def test_commands_print_what_the_page_shows(folder: Path) -> None:
    assert CONSOLES[0][0] == FOLDER
    assert (folder / "out" / "receipt.html").is_file()
    assert (folder / "wrong.csv").is_file()


def test_commands_that_are_not_run_are_right() -> None:
    lines = re.findall(r"^(?:\$ )?(dropgate .*)$", TEXT, re.MULTILINE)

    assert len(lines) > len(CONSOLES) / 2
    for line in lines:
        parse(line.replace("<drop>", "3f7k2m"))


@pytest.mark.parametrize(("name", "n"), [("wrong.csv", 0), ("orders.csv", 1)])
def test_verdicts_of_the_page_are_those_of_the_oracle(folder: Path, name: str, n: int) -> None:
    plan = compile_text((folder / "contracts" / "orders.v1.yaml").read_bytes(), "orders.v1.yaml").plan
    assert plan is not None
    data = (folder / name).read_bytes()
    records = content(plan, tuple(p.name for p in plan.properties), data)
    counts = with_samples(plan, judge(plan, records), records)
    facts = replace(judge(plan, records).facts, counts=counts)
    decision = decide(plan, facts, tuple(check.id for check in plan.checks))
    shown = re.findall(r"^```text\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[n]

    text = verdict_text(document(decision, plan, file_of(folder / name)), width=100)

    if os.environ.get("DROPGATE_WRITE_DOCS"):
        write(f"```text\n{shown}", f"```text\n{text}")
    else:
        assert shown == text, "DROPGATE_WRITE_DOCS=1 writes the page's output again"


def with_samples(plan: Plan, opinion: Opinion, records: Content) -> tuple[Count, ...]:
    """Return the oracle's counts with the first failing records, which it does not keep."""
    counts = []
    for check, count in zip(plan.checks, opinion.facts.counts, strict=True):
        failing = [number for number, (_, ids) in opinion.rows.items() if check.id in ids]
        texts = [records.records[number - 1].cell(str(check.property)).text for number in failing]
        samples = tuple(Sample(Place(number, number + 1), text) for number, text in zip(failing, texts, strict=True))
        worst = texts[0] if texts and check.kind == "minimum" else count.observed
        counts.append(replace(count, samples=samples, observed=worst))
    return tuple(counts)
