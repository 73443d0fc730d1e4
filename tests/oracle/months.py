"""Contracts drafted from one month, held against the next month and against faults planted in it.

    python -m tests.oracle.months [SERIES ...]

Judges by the job, prints the outcomes and, of all series, writes them into docs/explanation/reproductions.md.

A fault counts as caught if the file is rejected, or if a check that the sound month passes warns. Columns in which
faults are planted are those that `MonthlyTable` names, or are drawn by a seed.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from random import Random

from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import draft
from contracts.decision import Decision
from contracts.job import JobResult
from contracts.plan import Plan
from contracts.verdict import decide, refuse
from functions.admission.admit import Admission, admit
from infra.sampling import profile
from infra.sampling.self_check import checked
from tests.oracle.judging import judge
from tests.oracle.monthly_files import SERIES, MonthlyTable, Row, month_of
from tests.oracle.records import content

PAGE = Path(__file__).parents[2] / "docs/explanation/reproductions.md"
MARKS = ("<!-- by tests.oracle.months -->", "<!-- to here -->")
"""The lines around the outcomes in the page."""
Judge = Callable[[Plan, Mapping[str, bytes]], dict[str, Decision]]
"""A plan and the bytes of files in, the decision on each out."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that is planted in a month: its kind, its place, and the bytes of the file."""

    kind: str
    place: str
    body: bytes


@dataclass(frozen=True, slots=True)
class MonthPair:
    """The outcome of a month that is judged by a draft of the month before; `caught` has a level for each fault."""

    series: str
    verdict: str
    warnings: tuple[str, ...]
    caught: tuple[tuple[str, str, str], ...]

    def count(self, *levels: str) -> int:
        """Return the number of faults that ended so."""
        return sum(level in levels for _, _, level in self.caught)


def contract_of(tables: Sequence[MonthlyTable]) -> Plan:
    """Return the plan of a draft of some months."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"month-2025-{n:02d}.{table.form}") for n, table in enumerate(tables, 1)]
        for path, table in zip(paths, tables, strict=True):
            path.write_bytes(table.written())
        made = checked(draft(profile(paths, _no_spark), None, "maker"), paths)
    plan = compile_text(made.text.encode(), f"{made.name}.yaml").draft
    assert plan is not None, "a checked draft compiles"
    return plan


def _no_spark() -> SparkSession:
    raise AssertionError("only Parquet is read by Spark")


def faults(table: MonthlyTable, full: Sequence[str], chance: Random) -> Iterator[Fault]:
    """Yield faults in a month, but for changes that change nothing; `full` are the columns without a null in it."""
    sound = table.written()
    every = (*_of_file(table, sound, chance), *_of_columns(table), *_of_drawn(table, full, chance))
    yield from (fault for fault in every if fault.body != sound)


def _of_file(table: MonthlyTable, sound: bytes, chance: Random) -> Iterator[Fault]:
    """Yield faults of a whole file."""
    yield Fault("file cut off", "after 60 % of its bytes", sound[: len(sound) * 6 // 10])
    yield Fault(
        "rows missing", "all after 40 %", replace(table, rows=table.rows[: len(table.rows) * 4 // 10]).written()
    )
    yield Fault("rows sent twice", "one in 20", replace(table, rows=(*table.rows, *table.rows[::20])).written())
    dropped = chance.randrange(len(table.names))
    fewer = (tuple(c for n, c in enumerate(row) if n != dropped) for row in table.rows)
    names = tuple(name for name in table.names if name != table.names[dropped])
    if table.form == "csv":
        yield Fault("column missing", table.names[dropped], replace(table, names=names, rows=(*fewer,)).written())
    if not sound.isascii():
        yield Fault("other encoding", "windows-1252", sound.decode().encode("cp1252", "replace"))


def _of_columns(table: MonthlyTable) -> Iterator[Fault]:
    """Yield the faults of each column that the table names for them."""
    for name in table.measures:
        yield Fault("unit times 100", name, _each(table, name, lambda cell: _scaled(cell, comma=table.comma)))
        yield Fault("text among numbers", name, _some(table, name, "unknown"))
        if table.form == "csv":
            yield Fault("other decimal mark", name, _each(table, name, _other_mark))
    for name in table.lists:
        yield Fault("unknown code", name, _some(table, name, "Qx"))
    for name in table.dates:
        yield Fault("other date format", name, _each(table, name, _american))
    for name in table.texts:
        yield Fault("mojibake", name, _each(table, name, lambda cell: cell.encode().decode("latin-1")))


def _of_drawn(table: MonthlyTable, full: Sequence[str], chance: Random) -> Iterator[Fault]:
    """Yield faults of three columns by chance, and of three pairs of neighbours, half of whose values differ."""
    for name in chance.sample(sorted(full), min(3, len(full))):
        yield Fault("nulls in a full column", name, _some(table, name, ""))
    for n in chance.sample(range(len(table.names) - 1), min(3, len(table.names) - 1)):
        swapped = (*((*row[:n], row[n + 1], row[n], *row[n + 2 :]) for row in table.rows),)
        if sum(a != b for a, b in zip(swapped, table.rows, strict=True)) * 2 > len(table.rows):
            place = f"{table.names[n]}, {table.names[n + 1]}"
            yield Fault("values of columns exchanged", place, replace(table, rows=swapped).written())


def _each(table: MonthlyTable, name: str, change: Callable[[str], str]) -> bytes:
    """Return the file with all cells of a column changed."""
    at = table.place(name)
    return replace(table, rows=(*((*row[:at], change(row[at]), *row[at + 1 :]) for row in table.rows),)).written()


def _some(table: MonthlyTable, name: str, text: str) -> bytes:
    """Return the file with another text in one cell of a column in 20."""
    at = table.place(name)
    rows: Iterable[Row] = (
        (*row[:at], text if n % 20 == 7 else row[at], *row[at + 1 :]) for n, row in enumerate(table.rows)
    )
    return replace(table, rows=(*rows,)).written()


def _scaled(cell: str, *, comma: bool) -> str:
    if not any(c.isdigit() for c in cell):
        return cell
    number = f"{Decimal(cell.replace(',', '.')) * 100:f}"
    return number.replace(".", ",") if comma else number


def _other_mark(cell: str) -> str:
    return cell.translate({44: ".", 46: ","}) if any(c in cell for c in ".,") else cell


def _american(cell: str) -> str:
    return f"{datetime.fromisoformat(cell[:10]):%m/%d/%Y}{cell[10:]}"


def _admitted(plan: Plan, body: bytes) -> Admission:
    return admit(plan, "maker/a", len(body), lambda start, length: body[start : start + length])


def by_oracle(plan: Plan, bodies: Mapping[str, bytes]) -> dict[str, Decision]:
    """Judge files by admission and in plain Python."""
    decisions = {}
    for name, body in bodies.items():
        admission = _admitted(plan, body)
        refused = [problem for problem in admission.problems if problem.level == "error"]
        decisions[name] = (
            refuse(tuple(refused))
            if refused
            else judge(plan, content(plan, admission.header, body), admission.notes).decision
        )
    return decisions


def by_job(spark: SparkSession) -> Judge:
    """Return a judge that runs admission, and one job over all files that it admits."""
    from spark_jobs.validate import run  # noqa: PLC0415 (not for the tests without Spark)
    from tests.integration.spark_jobs.world import a_request  # noqa: PLC0415

    def judged(plan: Plan, bodies: Mapping[str, bytes]) -> dict[str, Decision]:
        decisions, admitted = {}, {}
        for name, body in bodies.items():
            admission = _admitted(plan, body)
            if errors := tuple(problem for problem in admission.problems if problem.level == "error"):
                decisions[name] = refuse(errors)
            else:
                admitted[name] = body
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "request.json").write_text(a_request(folder, plan, admitted).dumps())
            run(spark, (folder / "request.json").as_uri())
            result = JobResult.loads((folder / "result.jsonl").read_bytes())
        for facts in result.drops:
            decisions[facts.drop] = decide(plan, facts, result.header.checks)
        return decisions

    return judged


def pair(series: str, month: int, judged: Judge, first: MonthlyTable, second: MonthlyTable) -> MonthPair:
    """Return the outcome of a month under the draft of the month before."""
    plan = contract_of([first])
    columns = list(zip(*first.rows, strict=True))
    full = [name for name, cells in zip(first.names, columns, strict=True) if not {"", "NA"} & {*cells}]
    planted = {f"{n}": fault for n, fault in enumerate(faults(second, full, Random(f"{series} {month}")))}
    decisions = judged(plan, {"sound": second.written(), **{n: fault.body for n, fault in planted.items()}})
    sound = decisions.pop("sound")
    quiet = {check.id for check in sound.checks if check.result != "warning"}
    caught = []
    for n, fault in planted.items():
        warned = [c.id for c in decisions[n].checks if c.result == "warning" and c.id in quiet]
        level = "rejected" if decisions[n].verdict == "rejected" else "warned" if warned else "missed"
        caught.append((fault.kind, fault.place, level))
    warnings = tuple(check.id for check in sound.checks if check.result in ("warning", "failed"))
    return MonthPair(f"{series}, {month} to {month + 1}", sound.verdict or "failed", warnings, tuple(caught))


def pairs(judged: Judge, wanted: Sequence[str] = ()) -> Iterator[MonthPair]:
    """Yield the outcomes of series, or of all."""
    for series in wanted or SERIES:
        for month in SERIES[series][1]:
            yield pair(series, month, judged, month_of(series, month), month_of(series, month + 1))


def page(every: Sequence[MonthPair]) -> str:
    """Return the outcomes as tables."""
    lines = [
        "| draft of a month, and the next | verdict | checks that warn of it | faults | rejected | warned of | missed |"
    ]
    lines += ["|---|---|---|---|---|---|---|"]
    for one in every:
        counts = " | ".join(f"{one.count(level)}" for level in ("rejected", "warned", "missed"))
        warnings = ", ".join(f"`{check}`" for check in one.warnings)
        lines.append(f"| {one.series} | {one.verdict.replace('_', ' ')} | {warnings} | {len(one.caught)} | {counts} |")
    kinds: dict[str, Counter[str]] = {}
    for one in every:
        for kind, _, level in one.caught:
            kinds.setdefault(kind, Counter())[level] += 1
    lines += ["", "| fault | planted | rejected | warned of | missed |", "|---|---|---|---|---|"]
    for kind, counted in kinds.items():
        counts = " | ".join(f"{counted[level]}" for level in ("rejected", "warned", "missed"))
        lines.append(f"| {kind} | {counted.total()} | {counts} |")
    return "\n".join([*lines, "", summary(every)])


def summary(every: Sequence[MonthPair]) -> str:
    """Return the figures of all pairs in a sentence."""
    accepted = [one for one in every if one.verdict.startswith("accepted")]
    quiet = sum(one.verdict == "accepted" for one in accepted)
    planted = sum(len(one.caught) for one in every)
    rejected, warned = (sum(one.count(level) for one in every) for level in ("rejected", "warned"))
    share = f"{100 * (rejected + warned) / planted:.1f} %"
    return (
        f"Of {len(every)} months {len(accepted)} are accepted, {quiet} of them without a warning. "
        f"Of {planted:,} faults {rejected + warned:,} are caught ({share}): {rejected:,} files are rejected, "
        f"{warned:,} accepted with a warning that the sound month does not have."
    )


def main(wanted: Sequence[str]) -> int:
    """Judge series by the job; write the outcomes of all into the documentation."""
    from infra.setup.spark.session import local_session  # noqa: PLC0415 (Spark starts for the command alone)

    every = []
    for one in pairs(by_job(local_session("months", memory="1500m", brief=True)), wanted):
        every.append(one)
        sys.stdout.write(f"{one.series}: {one.verdict} {', '.join(one.warnings)}; missed: ")
        sys.stdout.write(
            ", ".join(f"{kind} ({where})" for kind, where, level in one.caught if level == "missed") + "\n"
        )
        sys.stdout.flush()
    text = page(every)
    sys.stdout.write(f"{text}\n")
    if not wanted:
        begin, _, rest = PAGE.read_text("utf-8").partition(f"{MARKS[0]}\n")
        PAGE.write_text(f"{begin}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
