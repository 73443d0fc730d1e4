"""Files of a public survey, each with a contract drafted of it: a checkout in, what became of each file out.

    python -m tests.oracle.survey CHECKOUT OUTCOMES [--oracle]
    python -m tests.oracle.survey CHECKOUT --draft
    python -m tests.oracle.survey --page OUTCOMES

The first judges each file that the file OUTCOMES lacks, and adds what became of it; `--oracle` asks the second opinion
in place of the job. `--draft` only drafts and lints, `--page` writes OUTCOMES into docs/explanation/reproductions.md.

The checkout is that of HPI-Information-Systems/Pollock; its folder `survey_sample` has the files as they were
published (`csv`) and as its authors cleaned them by hand (`clean`). A contract is drafted of each file, must lint, and
must accept its own file; then all cells of its properties must be those of the clean file. The files are not among
ours; docs/explanation/reproductions.md has the outcome.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, zip_longest
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.authoring.draft.profile import SampleRefused
from contracts.plan import Plan
from infra.sampling import profile
from infra.sampling.self_check import checked
from tests.integration.spark_jobs.formats.test_parquet_forms import ALL
from tests.integration.spark_jobs.world import judge
from tests.oracle.judging import judge as decide
from tests.oracle.records import Cell, content
from tests.oracle.running import look

FOLDER = "survey_sample"
PAGE = Path(__file__).parents[2] / "docs/explanation/reproductions.md"
MARKS = ("<!-- by tests.oracle.survey -->", "<!-- to here -->")
"""What stands around the outcomes in the page."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of a file: why no contract was drafted, else the verdict, and how its cells compare."""

    name: str
    refused: str = ""
    verdict: str = ""
    cells: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.refused or f'drafted, {self.verdict}, cells {self.cells}'}"


def drafted(path: Path) -> Plan | str:
    """Return the plan of a contract that is drafted of a file, or why there is none."""
    try:
        made = checked(draft(profile([path], _no_spark), "survey", None), [path])
    except SampleRefused as error:
        return str(error).removeprefix(path.name).lstrip(": ")
    compiled = compile_text(made.text.encode(), f"{made.name}.yaml")
    assert compiled.draft is not None, "a checked draft compiles"
    return compiled.draft


def _no_spark() -> SparkSession:
    raise AssertionError("only Parquet is read by Spark here")


Reading = tuple[str, list[list[str | None]]]
"""The verdict on a file, and the cells of its records; a malformed record has none."""
Reader = Callable[[Plan, bytes], Reading]


def by_job(spark: SparkSession) -> Reader:
    """Return the job as a reader."""

    def read(plan: Plan, body: bytes) -> Reading:
        with tempfile.TemporaryDirectory() as folder:
            outcome = judge(spark, Path(folder), plan, {"a": body})
            drop = outcome.drop("a")
            if drop.failure or drop.refusal:
                return f"refused: {drop.failure or drop.refusal}", []
            verdict = outcome.decision("a").verdict or "failed"
        every = replace(plan, checks=(*plan.checks, ALL), tolerance=None)
        with tempfile.TemporaryDirectory() as folder:
            rows = judge(spark, Path(folder), every, {"a": body}).evidence(spark, "a")
            return verdict, [[(row.cells or {}).get(p.name) for p in plan.properties] for row in rows]

    return read


def by_oracle(plan: Plan, body: bytes) -> Reading:
    """Judge and read a file in plain Python."""
    admission = look(plan, body)
    held = content(plan, admission.header, body)
    if admission.refused or held.refused:
        return f"refused: {admission.problems}", []
    verdict = decide(plan, held, admission.notes).decision.verdict or "failed"
    return verdict, [[_text(record.cells.get(p.name)) for p in plan.properties] for record in held.records]


def _text(cell: Cell | None) -> str | None:
    return cell.text if cell else None


def entry(path: Path, clean: Path, reader: Reader | None) -> Entry:
    """Return what becomes of a file; without a reader it is not judged."""
    plan = drafted(path)
    if isinstance(plan, str):
        return Entry(path.name, plan)
    if reader is None:
        return Entry(path.name, verdict="not judged", cells="not compared")
    verdict, read = reader(plan, path.read_bytes())
    return Entry(path.name, verdict=verdict, cells=difference(read, clean_rows(clean), {"", *plan.csv.null_values}))


def clean_rows(path: Path) -> list[list[str]]:
    """Return the records of a cleaned file, with its header."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.reader(file) if row]


Rows = list[list[str]]
MOST_CELLS = 1
"""Cells that a cleaned file may have otherwise."""
MOST_ROWS = 5
"""Rows above the records or below them that a cleaned file may have besides one header."""
KINDS: dict[str, Callable[[Rows], Rows]] = {
    "rows without values": lambda rows: [row for row in rows if any(cell.strip() for cell in row)],
    "outer blanks": lambda rows: [[cell.strip() for cell in row] for row in rows],
    "quotes": lambda rows: [[re.sub("[\"']", "", cell) for cell in row] for row in rows],
    "letters beyond ASCII": lambda rows: [[re.sub("[^\\x00-\\x7f]+", "?", cell) for cell in row] for row in rows],
    "line ends in cells": lambda rows: [[re.sub("\r\n?", "\n", cell) for cell in row] for row in rows],
}
"""Kinds of differences between two readings, each with what is left of rows without them."""


def difference(read: Sequence[Sequence[str | None]], clean: Sequence[Sequence[str]], words: Collection[str]) -> str:
    """Return `equal` if some columns of a cleaned file, in their order, hold the cells that were read; else why not.

    A cell that was read is None if it is one of the `words` for null. A cleaned file has one header line, or none, and
    all columns, also those that no property is for. Kinds of differences that its authors made are named; any other is
    one of cells.
    """
    every: tuple[Sequence[Sequence[str | None]], ...] = (read, clean)
    own, theirs = ([["" if cell is None or cell in words else cell for cell in row] for row in rows] for rows in every)
    is_like = _changed(own, theirs, tuple(KINDS)) is not None
    for count in range(len(KINDS) + 1) if is_like else ():
        for names in combinations(KINDS, count):
            rows = _changed(own, theirs, names)
            if rows is not None:
                kinds = ", ".join((*names, *rows))
                return f"equal but for {kinds}" if kinds else "equal"
    strip = KINDS["outer blanks"]  # the job shows cells with the blanks around them
    if (cells := _differing(strip(own), strip(theirs[1:]))) is not None and cells <= MOST_CELLS:
        return "equal but for one cell" if own == strip(own) else "equal but for outer blanks, one cell"
    return f"differ ({len(read):,} records; the cleaned file has {len(clean):,} lines)"


def _differing(own: Rows, theirs: Rows) -> int | None:
    """Return how many cells differ from those in their place; None if there are more or fewer."""
    if [len(row) for row in own] != [len(row) for row in theirs]:
        return None
    return sum(a != b for row, other in zip(own, theirs, strict=True) for a, b in zip(row, other, strict=True))


def _changed(own: Rows, theirs: Rows, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return how the rows are aligned without some kinds of differences; None if they differ nevertheless."""
    for name in names:
        own, theirs = KINDS[name](own), KINDS[name](theirs)
    return _aligned(own, theirs)


def _aligned(own: Rows, theirs: Rows) -> tuple[str, ...] | None:
    """Return which rows of a cleaned file are no records besides one header; None if the records are others."""
    for above in (1, 0, *range(2, MOST_ROWS + 1)):
        below = len(theirs) - above - len(own)
        if 0 <= below <= MOST_ROWS and _alike(own, theirs[above : above + len(own)]):
            return (*(["rows above"] if above > 1 else []), *(["rows below"] if below else []))
    return None


def _alike(own: Rows, body: Rows) -> bool:
    """Return True if some columns of a body, in their order, are those of the records."""
    columns = zip_longest(*body, fillvalue="")
    return bool(own) and all(any(texts == column for column in columns) for texts in zip(*own, strict=True))


def entries(checkout: Path, reader: Reader | None, known: Collection[str] = ()) -> Iterator[Entry]:
    """Yield what becomes of each file of a checkout, but for those whose outcome is known."""
    for path in sorted((checkout / FOLDER / "csv").iterdir()):
        if path.name not in known:
            yield entry(path, checkout / FOLDER / "clean" / path.name, reader)


def figures(every: Sequence[Entry]) -> dict[str, int]:
    """Return how many files there are, and how far they came."""
    made = [one for one in every if not one.refused]
    return {
        "files": len(every),
        "a contract is drafted, and lints": len(made),
        "the contract accepts its own file": sum(one.verdict.startswith("accepted") for one in made),
        "all cells are those of the cleaned copy": sum(one.cells == "equal" for one in made),
        "all cells are, but for what its authors changed": sum(one.cells.startswith("equal but") for one in made),
        "cells differ": sum(one.cells.startswith("differ") for one in made),
    }


def page(every: Sequence[Entry]) -> str:
    """Return the outcomes as tables: the figures, the changes of the cleaned copies, and the files that are left."""
    lines = ["| of the survey | files |", "|---|---|", *(f"| {what} | {n} |" for what, n in figures(every).items())]
    changes = Counter(
        kind
        for one in every
        for kind in one.cells.removeprefix("equal but for ").split(", ")
        if "equal but" in one.cells
    )
    lines += ["", "| changed in the cleaned copy | files |", "|---|---|"]
    lines += [f"| {kind} | {n} |" for kind, n in sorted(changes.items())]
    lines += ["", "| left | why |", "|---|---|"]
    lines += [
        f"| `{one.name}` | {one.refused or f'{one.verdict}; cells {one.cells}'} |" for one in every if _is_left(one)
    ]
    return "\n".join(lines)


def _is_left(one: Entry) -> bool:
    return bool(one.refused) or not one.verdict.startswith("accepted") or one.cells.startswith("differ")


def write_page(outcomes: Path) -> None:
    """Write the outcomes into the documentation, between its two marks."""
    every = sorted(known(outcomes).values(), key=lambda one: one.name)
    begin, _, rest = PAGE.read_text("utf-8").partition(f"{MARKS[0]}\n")
    end = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{begin}{MARKS[0]}\n{page(every)}\n{MARKS[1]}{end}", "utf-8")


def known(outcomes: Path) -> dict[str, Entry]:
    """Return the outcomes of files that were judged before, by name."""
    lines = outcomes.read_text("utf-8").splitlines() if outcomes.exists() else []
    return {one.name: one for one in (Entry(**json.loads(line)) for line in lines)}


def main(arguments: Sequence[str]) -> int:
    """Judge the files of a checkout, or write what became of them into the documentation."""
    from infra.setup.spark.session import local_session  # noqa: PLC0415 (Spark starts for the command alone)

    if arguments[0] == "--page":
        write_page(Path(arguments[1]))
        return 0
    outcomes = None if arguments[1] == "--draft" else Path(arguments[1])
    seen, reader = known(outcomes) if outcomes else {}, None
    if outcomes:
        by_spark = "--oracle" not in arguments
        reader = by_job(local_session("survey", memory="1500m", brief=True)) if by_spark else by_oracle
    for one in entries(Path(arguments[0]), reader, {*seen}):
        seen[one.name] = one
        sys.stdout.write(f"{one}\n")
        sys.stdout.flush()
        if outcomes:
            with outcomes.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(asdict(one), ensure_ascii=False)}\n")
    sys.stdout.write("".join(f"{n:>4} {what}\n" for what, n in figures([*seen.values()]).items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
