"""The time to read contracts before a file arrives: a name of a row in, its lines of the table out. Without Spark."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench import plans, running
from bench.files import ROWS_OF_WORKBOOK, Files
from bench.measuring import LONG, timed
from contracts import catalog
from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.compiler.lint import index_of, lint
from contracts.files import apart
from contracts.plan import ROW_END, Csv, Plan, Sheet

CONTRACTS, KEYS, COLUMNS, CHECKS = 1_000, 10_000, 200, 500
HEAD = """\
apiVersion: v3.2.0
kind: DataContract
id: c{number}
version: 1.0.0
status: active
schema:
  - name: readings
    logicalType: object
    properties:
"""
PROPERTY = """\
      - name: column_{number}
        logicalType: number
        required: {required}
        logicalTypeOptions: {{minimum: 0}}
"""
TAIL = """\
customProperties:
  - property: drop
    vendor: dropgate
    value:
      files: "c{number}/{{day:%Y-%m-%d}}/*.csv"
      producer: p{number}
      format: csv
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table: the work, the seconds of each round, the bound of their median."""

    what: str
    seconds: tuple[float, ...]
    bound: float

    @property
    def median(self) -> float:
        """Seconds."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        met = "yes" if self.median <= self.bound else "**no**"
        return f"| {self.what} | {self.median:,.2f} s | {self.bound:g} s | {met} |"


def plan(_: Files) -> Figure:
    """Plan a wide contract."""
    text = a_contract(0, COLUMNS, CHECKS)
    compiled = compile_text(text, "c0.v1.yaml").plan
    assert compiled
    what = f"compile {len(compiled.checks)} checks over {COLUMNS} columns from the contract's text"
    return Figure(what, _rounds(lambda: compile_text(text, "c0.v1.yaml")), 3)


def lint_all(_: Files) -> Figure:
    """Lint many contracts."""
    with _many() as folder:
        return Figure(f"lint {CONTRACTS:,} contracts of 12 columns", _rounds(lambda: lint((folder,))), 5)


def match(_: Files) -> Figure:
    """Match many keys."""
    with _many() as folder:
        plans = lint((folder,)).plans
    keys = [f"c{n % CONTRACTS}/2026-01-{n % 28 + 1:02}/{n}.csv" for n in range(KEYS)]
    assert len(plans) == CONTRACTS

    def every() -> None:
        index = index_of(plans)  # made anew: what is worked out once for an index belongs to it
        assert all(isinstance(catalog.match(index, key), catalog.Matched) for key in keys)

    return Figure(f"match {KEYS:,} keys against {CONTRACTS:,} contracts", _rounds(every), 1)


def init(files: Files) -> Figure:
    """Draft a contract from a large file, as a whole process."""
    file = files.clean
    what = f"`dropgate init` on {file.stat().st_size / 2**20:.0f} MiB, a whole process"
    return Figure(what, _rounds(partial(running.init, file)), 20)


def workbook(files: Files) -> Figure:
    """Read a large workbook to lines, as the job does, in a process of its own."""
    file = files.workbook
    plan = replace(plans.whole(), file_format="xlsx", csv=Csv(record_delimiter=ROW_END), sheet=Sheet())
    limits = apart.Bounds(memory=2 << 30, seconds=600)
    arguments = [str(file), str(file.with_suffix(".lines"))]
    what = f"lines of an XLSX of {ROWS_OF_WORKBOOK:,} rows, {file.stat().st_size / 2**20:.0f} MiB, within 2 GiB"
    return Figure(what, _rounds(partial(_read, plan, arguments, limits)), 60)


def _read(plan: Plan, arguments: list[str], limits: apart.Bounds) -> None:
    if problem := apart.run("contracts.files.sheets", arguments, plan, limits):
        raise OSError(problem.message)


FIGURES: dict[str, Callable[[Files], Figure]] = {
    "plan": plan,
    "lint": lint_all,
    "match": match,
    "init": init,
    "workbook": workbook,
}


def a_contract(number: int, columns: int, checks: int) -> bytes:
    """The text of a contract with about so many checks: a type and a bound of each column, others required."""
    required = checks - 2 * columns
    properties = (PROPERTY.format(number=n, required=str(n < required).lower()) for n in range(columns))
    return "".join([HEAD.format(number=number), *properties, TAIL.format(number=number)]).encode()


@contextmanager
def _many() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dropgate-bench-") as folder:
        for n in range(CONTRACTS):
            (Path(folder) / f"c{n}.v1.yaml").write_bytes(a_contract(n, 12, 30))
        yield Path(folder)


def _rounds(run: Callable[[], object]) -> tuple[float, ...]:
    warm, rounds = LONG
    return tuple(timed(run) for _ in range(warm + rounds))[warm:]
