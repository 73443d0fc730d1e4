"""The two contests: in the job, warm, and as whole processes. The bench's files in, a line for each rival out."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from bench.beside import Duel, Rival, contest
from bench.deployed.process import MEMORY
from bench.measuring import timed
from bench.own import Bench
from bench.rivals import datacontract_cli
from bench.rivals.answering import Counts, Wanted
from bench.running import CONTRACT
from contracts import codec
from contracts.plan import Check, Plan
from infra.errors import SetupMissing
from infra.setup.environments import PLACE, python_of
from infra.setup.spark.jars import ROOT
from infra.setup.spark.java import java_home
from infra.setup.spark.session import local_settings

DATACONTRACT, GX = "bench-datacontract", "bench-gx"
COUNTS, RESULTS = "nothing; prints counts", "nothing; returns a result for each check"
ROWS = "nothing; returns the key and value of each failing row, a list for each check"
SUMMARY = "nothing; returns a result for each check with some values that fail it"
NUMBERS = (
    (None, COUNTS, DATACONTRACT, "duckdb_sql"),
    (3, SUMMARY, GX, "gx", "pandas", "plainly"),
    (10, SUMMARY, GX, "gx", "spark", "plainly"),
    (10, SUMMARY, GX, "gx", "uncached", "plainly"),
    (3, RESULTS, GX, "gx", "pandas", "numbers"),
    (10, RESULTS, GX, "gx", "spark", "numbers"),
)
"""Rivals that return counts, on the clean file: our bound, their output, their module and arguments."""
WHICH = ((3, ROWS, GX, "gx", "pandas", "rows"), (10, ROWS, GX, "gx", "spark", "rows"))
"""Rivals that return the failing rows, on the file with bad rows, as dropgate does."""
UNLOOKED = "not evaluated: the scan shows the cost of reading"


def rivals(bench: Bench) -> list[Duel]:
    """In the job: the whole contract, reading and judging, in processes that are warm."""
    checks = bench.files.folder / "checks.json"
    checks.write_text(json.dumps([asdict(one) for one in wanted(bench.whole)]), encoding="utf-8")
    about = (str(checks), json.dumps({p.name: p.type for p in bench.whole.properties}))
    clean, dirty = bench.files.clean, bench.files.dirty

    def ours(file: Path) -> tuple[float, Counts]:
        job = bench.job(bench.whole, file)
        took = timed(job.run)
        result = job.result()
        return took, dict(zip(result.header.checks, (c.failed for c in result.drops[0].counts), strict=True))

    def scan(file: Path) -> tuple[float, Counts]:
        return timed(bench.scan(file)), {}

    bare = Rival("A bare typed scan by Spark", scan, {c.id: UNLOOKED for c in bench.whole.checks}, None, "nothing")
    duels = []
    for asked_for, file, others in ((NUMBERS, clean, [bare]), (WHICH, dirty, [])):
        with ExitStack() as stack:
            started = [
                stack.enter_context(asked(bound, writes, environment, *arguments, *about))
                for bound, writes, environment, *arguments in asked_for
            ]
            duels += contest(ours, [*started, *others], (dirty, clean) if file == clean else (dirty,), file)
    return duels


def test(bench: Bench) -> list[Duel]:
    """As whole processes, as a producer calls them at home: `dropgate test` and `datacontract test`."""
    program = str(python_of(DATACONTRACT).with_name("datacontract"))
    contract = yaml.safe_load(CONTRACT.read_text(encoding="utf-8"))
    place, answer = bench.files.folder / "contract.yaml", bench.files.folder / "answer.json"

    def theirs(file: Path) -> tuple[float, Counts]:
        place.write_text(yaml.safe_dump(datacontract_cli.document(contract, file)), encoding="utf-8")
        took, _ = _whole([program, "test", str(place), "--output", str(answer), "--output-format", "json"])
        return took, datacontract_cli.counts(answer)

    name = f"datacontract-cli {_whole([program, '--version'])[1].decode().strip()}, whole process"
    rival = Rival(name, theirs, datacontract_cli.cannot(wanted(bench.whole)), 1, "its results as JSON")
    return contest(_dropgate, [rival], (bench.files.dirty,), bench.files.clean)


def wanted(plan: Plan) -> list[Wanted]:
    """Return the plan's checks for rivals; patterns as the contract has them."""
    return [Wanted(c.id, c.kind, c.property, _arguments(c), _percent(c)) for c in plan.checks]


@contextmanager
def asked(bound: float | None, writes: str, environment: str, module: str, *arguments: str) -> Iterator[Rival]:
    """Run a rival in a process of its own that judges one file after another."""
    log = PLACE / f"{module}.log"
    command = [str(python_of(environment)), "-m", f"bench.rivals.{module}", *arguments]
    pipe = subprocess.PIPE
    with (
        log.open("ab") as errors,
        subprocess.Popen(command, cwd=ROOT, env=_environment(), stdin=pipe, stdout=pipe, stderr=errors) as process,
    ):

        def answer() -> dict[str, Any]:
            assert process.stdout
            line = process.stdout.readline()
            if not line:
                raise SetupMissing(f"bench.rivals.{module} ended without an answer: {log} has the reason.")
            answer: dict[str, Any] = json.loads(line)
            return answer

        def judge(file: Path) -> tuple[float, Counts]:
            assert process.stdin
            process.stdin.write(f"{file}\n".encode())
            process.stdin.flush()
            reply = answer()
            return reply["seconds"], reply["found"]

        hello = answer()
        yield Rival(hello["name"], judge, hello["cannot"], bound, writes)


def _dropgate(file: Path) -> tuple[float, Counts]:
    """`dropgate test` as this checkout has it."""
    start = [sys.executable, "-c", "from infra.cli.main import run; run()", "test", str(file)]
    took, output = _whole([*start, "--contract", str(CONTRACT), "--format", "json", "--memory", MEMORY])
    return took, {check["id"]: check["failed"] for check in json.loads(output)["checks"]}


def _whole(command: list[str]) -> tuple[float, bytes]:
    """Return seconds and output of a whole process; exit code 1 means on both sides that a file is not accepted."""
    began = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    took = time.perf_counter() - began
    assert done.returncode in (0, 1), done.stderr.decode()
    return took, done.stdout


def _environment() -> dict[str, str]:
    """Ours, with Java, and with the settings of our own session for a Spark of the rival's own."""
    settings = local_settings("rival", MEMORY, 2)
    submit = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    return own | {"JAVA_HOME": str(java_home()), "PYSPARK_SUBMIT_ARGS": shlex.join([*submit, "pyspark-shell"])}


def _arguments(check: Check) -> dict[str, Any]:
    arguments: dict[str, Any] = codec.encode(check.rule)
    pattern = arguments.get("pattern")
    return arguments | ({"pattern": pattern.replace(r"\z", "$")} if pattern else {})


def _percent(check: Check) -> str | None:
    return str(check.threshold.values[0]) if check.threshold and check.threshold.unit == "percent" else None
