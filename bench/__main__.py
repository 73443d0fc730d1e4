"""`python -m bench [ROW ...]`: measure the job and its rivals; write docs/explanation/benchmarks.md.

A run of all rows of a part of the page, on the whole file, writes that part; other runs are only printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from bench import contests, lane, large, load
from bench.beside import Duel
from bench.deployed.rows import DEPLOYED
from bench.files import Files
from bench.language import FIGURES
from bench.limits import LIMITS
from bench.measuring import say
from bench.own import ROWS, Bench
from bench.page import PAGE, page, renewed
from infra.errors import SetupMissing
from infra.files import write
from infra.setup import environments

STATIONS = 157
CONTESTS: dict[str, Callable[[Bench], list[Duel]]] = {"rivals": contests.rivals, "test": contests.test}
RUNS: tuple[Mapping[str, Callable[[Bench], Sequence[Any]]], ...] = (
    DEPLOYED,
    ROWS,
    LIMITS,
    {"lane": lambda bench: lane.lane(bench.files)},
    CONTESTS,
    {name: partial(lambda figure, bench: [figure(bench.files)], figure) for name, figure in FIGURES.items()},
    {"load": lambda bench: load.load(bench.files)},
    {"flow": lambda bench: large.large(bench.files)},
)
"""The functions that measure the rows of each part of the page, by the names of the rows."""
PARTS: tuple[set[str], ...] = tuple(map(set, RUNS))
ALL = [name for runs in RUNS for name in runs]
EXAMPLES = """\
rows:
  s3a-clean s3a-bad s3a-parquet s3a-jsonl s3a-gzip s3a-fresh
                        the job as on EMR, its files read over S3A from loopback
  clean parquet jsonl json xml
                        the job on the clean file, in each format
  bad unique foreign    on one with 6 % bad rows; with uniqueness; with a foreign key
  encodings             the same rows in windows-1252 and UTF-16
  packed                the same rows by zip, bzip2 and Zstandard, beside gzip
  values                the same rows in windows-1252, with decimal commas and days as 31.1.2019
  fixed                 the same rows in lines of fixed width
  drafts                `dropgate init` on the same rows in each form, beside CSV
  nested                orders with objects and arrays, against flat ones
  drops four checks     1,000 small drops; 4 times the rows; 500 checks
  fresh                 the first job of a JVM
  gigabytes rejected wide long
                        10 GiB of CSV; a million rejected rows; 1,999 columns; a line of 90 MiB
  lane                  a good file of 1 MiB through the whole stack, without Spark
  rivals                DuckDB and Great Expectations on the same checks
  test                  `dropgate test` beside `datacontract test`
  plan lint match init  contracts alone: 500 checks; 1,000 contracts; 10,000 keys; a draft from the file
  load                  10,000 small drops and 100 large ones through the whole stack
  flow                  10 GiB of CSV through the whole stack (60 GB of disk)

examples:
  python -m bench                          everything, into docs/explanation/benchmarks.md (two hours)
  python -m bench clean bad                two rows, printed
  python -m bench load                     all rows of a part, into its place there
  python -m bench rivals test --stations 5 the rivals on a file of 43,800 rows
"""


def main(arguments: list[str]) -> int:
    """Run the rows that are named, or all; return the exit code."""
    names, stations = asked(arguments)
    try:
        text = _measured(names, stations)
    except SetupMissing as missing:
        say(f"dropgate: {missing}")
        return 3
    if stations == STATIONS and is_whole(names):
        write(PAGE.parent, PAGE.name, renewed(PAGE.read_text(encoding="utf-8"), text))
    print(text)  # noqa: T201 (a program for the terminal)
    return 0


def asked(arguments: list[str]) -> tuple[list[str], int]:
    """The rows that are asked for, and how many stations; exits with code 2 where there is no such row."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.rows if name not in ALL]:
        parser.error(f"no row is called {' or '.join(unknown)}; there are {', '.join(ALL)}")
    return options.rows or ALL, options.stations


def is_whole(names: list[str]) -> bool:
    """Return True if, for each part of the page, all rows are run or none."""
    return all(not part & set(names) or part <= set(names) for part in PARTS)


def _measured(names: list[str], stations: int) -> str:
    """The page of some rows."""
    for name in (contests.DATACONTRACT, contests.GX) if set(CONTESTS) & set(names) else ():
        say(f"environment {name}")
        environments.python_of(name)
    deployed, rows, limits, lanes, duels, figures, hauls, large_files = lines = [list[Any]() for _ in RUNS]
    with tempfile.TemporaryDirectory(prefix="dropgate-bench-") as folder, ExitStack() as started:
        bench = Bench(Files(Path(folder), stations), started=started)
        for number, name in enumerate(names, 1):
            say(f"[{number}/{len(names)}] {name}")
            own, runs = next((own, runs) for own, runs in zip(lines, RUNS, strict=True) if name in runs)
            own += (new := runs[name](bench))
            for line in new:
                say(f"  {line}")
        return page(bench, rows, duels, figures, hauls, deployed, limits, lanes, large_files)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure the job against a bare Spark scan and against rivals.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to run; all by default")
    parser.add_argument(
        "--stations", type=int, default=STATIONS, metavar="N", help=f"size of the file: {STATIONS} stations are 201 MiB"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
