"""docs/explanation/benchmarks.md: measurements in, the page out; a run keeps the text around the tables.

A part of it is written anew by a run of all its rows; the others stay, each with the day of its own run.
"""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyspark

from bench import beside, load, measuring
from bench.beside import Duel
from bench.language import Figure
from bench.load import Haul
from bench.measuring import Row
from bench.own import Bench
from bench.running import MEMORY
from infra.setup.spark.jars import ROOT

PAGE = ROOT / "docs" / "explanation" / "benchmarks.md"
HEADINGS = ("# Benchmarks", "## dropgate", "## Rivals", "## Contracts", "## Many drops at once")


def page(
    bench: Bench,
    rows: Sequence[Row],
    duels: Sequence[Duel],
    figures: Sequence[Figure] = (),
    hauls: Sequence[Haul] = (),
) -> str:
    """The page; a table without lines is left out."""
    tables = (
        _ours(rows) if rows else "",
        _theirs(duels) if duels else "",
        _alone(figures) if figures else "",
        _at_once(hauls) if hauls else "",
    )
    return "\n".join([_head(bench), *filter(None, tables)])


def renewed(old: str, new: str) -> str:
    """A page with the parts of another in place of its own, or added."""
    parts = _parts(old) | _parts(new)
    return "\n".join(parts[heading] for heading in sorted(parts, key=_place))


def _parts(text: str) -> dict[str, str]:
    """The head of a page, and its parts, by their headings."""
    return {
        part.partition("\n")[0]: part.rstrip("\n") + "\n"
        for part in re.split(r"^(?=##? )", text, flags=re.MULTILINE)
        if part
    }


def _place(heading: str) -> int:
    return HEADINGS.index(heading)


def _head(bench: Bench) -> str:
    return f"""\
{HEADINGS[0]}

Written by `make bench`: pyspark {pyspark.__version__}, Python
{platform.python_version()}, {_processor()}, {os.cpu_count()} cores; Spark has two of them and {MEMORY.rstrip("g")} GiB.
The file is weather in the shape of INMET's, {bench.files.rows:,} rows of 27 columns, under
`contracts/weather/inmet-weather.v1.yaml`: {len(bench.plain.checks)} checks, among them the 45 of the thesis'
nine rules; uniqueness of `index` has lines of its own, as it is a shuffle where values do not ascend. What is compared
runs in turn within one run of the bench, so that a machine whose speed drifts slows both: the ratio of the medians is
what counts.
"""


def _titled(which: int) -> str:
    """The heading of a part, and the day on which it was measured."""
    return f"{HEADINGS[which]}\n\nMeasured on {datetime.now(UTC):%Y-%m-%d}.\n"


def _ours(rows: Sequence[Row]) -> str:
    return f"""\
{_titled(1)}
The whole job: read, check, count, write evidence, rejected rows and result. Medians of {measuring.ROUNDS} rounds after
{measuring.WARM} of warm-up, of what takes long {measuring.LONG[1]} after {measuring.LONG[0]}; fresh JVMs have none.
`first`: the ratio of the first round that counts, alone.

| what | job | beside | ratio | first | at most | met |
|---|---|---|---|---|---|---|
{_lines(rows)}

- The scan is Spark's own CSV reader with a typed schema, to `noop`: it checks and writes nothing.
- 4 times the rows are those of the file four times over. The heap in use is what a full collection leaves, looked at a
  dozen times during a run; in one JVM it is the driver's and the executors'. A tenth more is taken for noise.
- The contracts of 46 and 500 checks are made by code: types of all columns, the rest bounds of numbers.
- The start of Spark is not among the seconds of a first job or scan.
"""


def _theirs(duels: Sequence[Duel]) -> str:
    return f"""\
{_titled(2)}
The same checks on the same file by tools that are in use: the clean one, or where they are asked which rows fail that
with 6 % bad rows. Each runs in an environment of its own with pinned versions (`locks/bench-*.txt`), on two cores.
datacontract-cli is a whole process from start to end, `datacontract test` beside `dropgate test`; the others are warm,
as the job beside them is, and their start does not count. Medians of {beside.ROUNDS} rounds. Counts of failing rows
were held against ours, check by check, on both files; what differs is named.

| rival | its time | ours | times faster | at least | met | counts | it writes |
|---|---|---|---|---|---|---|---|
{_lines(duels)}

dropgate writes in that time every rejected row with its record number, its line as it came and the ids of all checks it
fails, a file of them for the producer, and the results of all checks. No rival sets rows apart. Great Expectations is
asked three times: as it comes, which is what `validate` does if nothing is set; how many rows fail, the least work that
it can be given; and which, as dropgate says it of each. On Spark it keeps the file in Spark's cache, which has to be
large enough. The bound of 10 was set by its first look at such a file in a new process with the cache off, 32.5 s;
warm it is faster. Two bounds of a property are one expectation. The bare scan checks nothing. DuckDB with SQL by hand,
one query and one for uniqueness, is the floor. `index` ascends, so that dropgate needs no shuffle for it; what that
costs where it does not, stands above. What rivals leave out, as they cannot count it row by row or not beside another
rule:

{_left_out(duels)}
"""


def _alone(figures: Sequence[Figure]) -> str:
    return f"""\
{_titled(3)}
Before any file comes in; medians of {measuring.LONG[1]} rounds after {measuring.LONG[0]} of warm-up, in one process
whose start does not count unless it says so.

| what | time | at most | met |
|---|---|---|---|
{_lines(figures)}
"""


def _at_once(hauls: Sequence[Haul]) -> str:
    return f"""\
{_titled(4)}
The whole stack on this machine, from the first upload by {load.PRODUCERS} producers until the last drop is accepted;
windows of {load.WINDOW_SECONDS} s. Functions, adapters, policies and job are those that are deployed; AWS is emulated,
in the same process as the functions, so that calls for a drop are what they are on AWS, and seconds are not. Waiting
counts from a drop's event to its end, and its window is part of it: of a drop alone what is above
{load.WINDOW_SECONDS} s is the stack's. Of calls those of the schedule are left out, which asks as much each minute
whatever comes in. The memory is the most that this process has taken so far, with all that AWS
holds, without Spark's JVM.

| what | drops in the ledger before | time | drops a second | wait, median | longest | calls a drop | memory |
|---|---|---|---|---|---|---|---|
{_lines(hauls)}

{_held(hauls)}
"""


def _held(hauls: Sequence[Haul]) -> str:
    """Return the bounds of these figures."""
    alone, few, *_, late = hauls
    own = statistics.median(alone.waits) - load.WINDOW_SECONDS
    before, after = (round(each.calls / len(each.waits), 1) for each in (few, late))
    return f"""\
- Outside its window a drop alone takes {own:.1f} s, of at most {load.OUTSIDE}: {_met(own <= load.OUTSIDE)}.
- Drops beside {late.ledger:,} others ask for {after} calls each, beside {few.ledger:,} for {before}; of at most a tenth
  more, as they may fall into more batches: {_met(after <= before * 1.1)}."""


def _met(is_met: bool) -> str:
    return "met" if is_met else "**not met**"


def _lines(of: Sequence[Row] | Sequence[Duel] | Sequence[Figure] | Sequence[Haul]) -> str:
    return "\n".join(map(str, of))


def _left_out(duels: Sequence[Duel]) -> str:
    """For each rival, the checks that it does not express, by reason."""
    lines = []
    for rival in (duel.rival for duel in duels):
        reasons = dict.fromkeys(rival.cannot.values())
        words = [f"{sum(why == reason for why in rival.cannot.values())} checks {reason}" for reason in reasons]
        lines.append(f"- {rival.name}: {'; '.join(words)}.")
    return "\n".join(lines)


def _processor() -> str:
    """Return Linux's description of the processor; on other systems, its kind."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
