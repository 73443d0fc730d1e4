"""docs/explanation/benchmarks.md: measurements in, the page out; a run keeps the text around the tables.

A run of all rows of a part writes that part; the others stay, each with the day of its own run.
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

from bench import beside, large, load, measuring
from bench.beside import Duel
from bench.deployed.process import MEMORY
from bench.deployed.rows import DeployedRow
from bench.deployed.storage import CONNECTIONS
from bench.language import Figure
from bench.large import LargeFile
from bench.load import Haul
from bench.measuring import Row
from bench.own import Bench
from infra.setup.spark.jars import ROOT

PAGE = ROOT / "docs" / "explanation" / "benchmarks.md"
HEADINGS = (
    "# Benchmarks",
    "## As deployed, over S3A",
    "## On local files",
    "## At the limits",
    "## Small good files",
    "## Rivals",
    "## Contracts",
    "## Many drops at once",
    "## One large file",
)


def page(
    bench: Bench,
    rows: Sequence[Row],
    duels: Sequence[Duel],
    figures: Sequence[Figure] = (),
    hauls: Sequence[Haul] = (),
    deployed: Sequence[DeployedRow] = (),
    limits: Sequence[Row] = (),
    lanes: Sequence[Figure] = (),
    large_files: Sequence[LargeFile] = (),
) -> str:
    """The page; a table without lines is left out."""
    tables = (
        _deployed(bench, deployed) if deployed else "",
        _ours(rows) if rows else "",
        _at_limits(limits) if limits else "",
        _small(lanes) if lanes else "",
        _theirs(duels) if duels else "",
        _alone(figures) if figures else "",
        _at_once(hauls) if hauls else "",
        _large_files(large_files) if large_files else "",
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

`make bench` writes this page. It ran with pyspark {pyspark.__version__}, Python {platform.python_version()} and
{_processor()}, {os.cpu_count()} cores; Spark has two of them and {MEMORY.rstrip("g")} GiB.
The file is invented weather with INMET's columns, {bench.files.rows:,} rows of 27 columns. Its contract is
`contracts/weather/inmet-weather.v1.yaml` with {len(bench.plain.checks)} checks, including the 45 of the thesis' nine
rules. Uniqueness of `index` has rows of its own, because it needs a shuffle if the values are in no order.
The two sides of a comparison run in turn within one run of the bench. A machine whose speed drifts slows both sides, so
the ratio of the medians is the result.
"""


def _titled(which: int) -> str:
    """The heading of a part, and the day on which it was measured."""
    return f"{HEADINGS[which]}\n\nMeasured on {datetime.now(UTC):%Y-%m-%d}.\n"


def _deployed(bench: Bench, rows: Sequence[DeployedRow]) -> str:
    local, served = bench.storage.rates(bench.files.clean)
    return f"""\
{_titled(1)}
The files come over S3A, by the `s3://` URIs of requests, from a server on loopback (`bench/deployed/server.py`), which
sends ranges from the cache of the file system. {CONNECTIONS} plain readers got {served:,.0f} MiB a second from it, and
{local:,.0f} MiB a second of the same file without it. The job has the code, the packages and the settings of a run on
EMR: the deployed archives of the job and of Arrow, and no other package. It writes to local files. The baseline is
Spark's bare typed scan of the same URI, in the same JVM and in turn. Times are medians of {measuring.ROUNDS} rounds
after {measuring.WARM} rounds of warm-up ({measuring.LONG[1]} after {measuring.LONG[0]} for long work). For a fresh JVM,
scan and job are each the first work of a process of their own, whose start does not count, 3 times in turn. The job's
JVM has the options of its run on EMR there, by which it compiles quickly for this file, and the scan's has Spark's own;
the other rows are those of a JVM that compiles well, as for larger files. `first` is the ratio of the first measured
round. `CPU` is the ratio of the processors' seconds, of Spark and Python together;
other work on the machine changes it less. The dollars are those of EMR Serverless for 1 TiB of such a file,
packed if it is: the processors' seconds of the job at the list price of a vCPU and its share of the workers' memory, if
a vCPU does as much in a second as a processor here. Start and idle time of workers are not in them.

| work | job | scan | ratio | first | CPU | $ for 1 TiB | at most | met |
|---|---|---|---|---|---|---|---|---|
{_lines(rows)}
"""


def _ours(rows: Sequence[Row]) -> str:
    return f"""\
{_titled(2)}
This is the job of `dropgate test`: it reads local files and has the packages of the checkout. A job reads and checks
the file, counts, and writes evidence, rejected rows and the result. Times are medians of
{measuring.ROUNDS} rounds after {measuring.WARM} rounds of warm-up ({measuring.LONG[1]} after {measuring.LONG[0]} for
long work; no warm-up for fresh JVMs). `first` is the ratio of the first measured round.

| work | job | baseline | ratio | first | at most | met |
|---|---|---|---|---|---|---|
{_lines(rows)}

- The scan is Spark's own CSV reader with a typed schema, written to `noop`: it checks and writes nothing.
- "4 times the rows" is the content of the file four times. The heap in use is the heap after a full garbage collection,
  measured a dozen times during a run; driver and executors share one JVM. A tenth more counts as noise.
- The contracts of 46 and 500 checks are generated: types of all columns, and bounds of numbers.
- The times of a first job and a first scan do not include the start of Spark.
- Arrays of JSON and XML are measured beside JSON Lines, and nested orders beside flat ones. These baselines take a
  fifth of the time that they took when the bounds were set, as flat JSON Lines are prefiltered and cut; nested JSON
  has no prefilter.
"""


def _at_limits(rows: Sequence[Row]) -> str:
    return f"""\
{_titled(3)}
The same job on local files, in one JVM of {MEMORY.rstrip("g")} GiB: large files, wide contracts and long lines. Each
figure is of one round, without warm-up, as the work takes minutes. A job that loses a record, or a drop that another
drop of the same job changes, ends the bench.

| work | job | baseline | ratio | first | at most | met |
|---|---|---|---|---|---|---|
{_lines(rows)}
"""


def _small(lanes: Sequence[Figure]) -> str:
    return f"""\
{_titled(4)}
The whole stack runs on this machine with `FastLane` on. Functions, adapters and policies are the deployed ones; AWS is
emulated in the process of the functions, so its times are not those of AWS. No window opens and no Spark starts. The
first file loads the code of the functions.

| work | time | at most | met |
|---|---|---|---|
{_lines(lanes)}
"""


def _theirs(duels: Sequence[Duel]) -> str:
    return f"""\
{_titled(5)}
Other tools run the same checks on the same file: the clean file, or the file with 6 % bad rows if they return the
failing rows. Each tool runs in an environment of its own with pinned versions (`locks/bench-*.txt`), on two cores.
datacontract-cli is measured as a whole process from start to end: `datacontract test` against `dropgate test`.
The other tools and the job are warm, and their start does not count. Times are medians of {beside.ROUNDS} rounds.
The counts of failing rows were compared with ours, check by check, on both files; the table names each difference.

| rival | its time | ours | times faster | at least | met | counts | it writes |
|---|---|---|---|---|---|---|---|
{_lines(duels)}

In its time dropgate also writes every rejected row with its record number, its original line and the ids of all checks
that it fails, a file of these rows for the producer, and the results of all checks. No rival separates rows.

- Great Expectations runs in three modes: with its default result (`validate` without settings); with only counts of
  failing rows, which is the least work; and with the keys of failing rows, which dropgate also reports. On Spark it
  keeps the file in Spark's cache, which must be large enough. The bound of 10 comes from its first run on such a file
  in a new process with the cache off (32.5 s); a warm process is faster. Two bounds of a property are one expectation.
- The bare scan checks nothing.
- DuckDB with SQL by hand is the lower bound: one query, and one more for uniqueness.
- `index` ascends, so dropgate needs no shuffle for it. The table of dropgate has the cost of other orders.

The rivals leave these checks out, because they cannot count them row by row, or not together with another rule:

{_left_out(duels)}
"""


def _alone(figures: Sequence[Figure]) -> str:
    return f"""\
{_titled(6)}
This work happens before a file arrives. Times are medians of {measuring.LONG[1]} rounds after {measuring.LONG[0]} of
warm-up, in one process; its start counts only for a whole process. How well drafts of `dropgate init` hold against the
next month, and how many planted faults they catch, is
[a table of 20 months](reproductions.md#drafts-held-against-the-next-month).

| work | time | at most | met |
|---|---|---|---|
{_lines(figures)}
"""


def _at_once(hauls: Sequence[Haul]) -> str:
    return f"""\
{_titled(7)}
The whole stack runs on this machine, from the first upload by {load.PRODUCERS} producers until the last drop is
accepted, with windows of {load.WINDOW_SECONDS} s. Functions, adapters, policies and job are the deployed ones; AWS is
emulated in the process of the functions. So the calls of a drop are those on AWS, but the times are not. The wait of
a drop counts from its event to its end and includes its window: for a lone drop, the time above
{load.WINDOW_SECONDS} s is the stack's own. The calls leave out the schedule, which makes the same calls each minute
under any load. The memory is the peak of this process so far, with all data of the emulated AWS, without Spark's JVM.

| work | drops in the ledger before | time | drops a second | wait, median | longest | calls a drop | memory |
|---|---|---|---|---|---|---|---|
{_lines(hauls)}

{_held(hauls)}
"""


def _large_files(large_files: Sequence[LargeFile]) -> str:
    return f"""\
{_titled(8)}
The whole stack runs on this machine. The file is uploaded in parts of
{large.PRODUCER.multipart_chunksize >> 20} MiB, copied for the job and for consumers, and read by ranges. Functions,
adapters, policies and job are the deployed ones; AWS is emulated in the process of the functions, with all objects in
files, so its times are not those of AWS. The heap of Spark's JVM is {large.HEAP.rstrip("g")} GiB. The function is the
one that came closest to its timeout. The memory is that of the process with functions and emulated AWS, without Spark's
JVM, before the upload and at the most.

| work | time | longest invocation | memory before | at most |
|---|---|---|---|---|
{_lines(large_files)}
"""


def _held(hauls: Sequence[Haul]) -> str:
    """Return the bounds of these figures."""
    alone, few, *_, late = hauls
    own = statistics.median(alone.waits) - load.WINDOW_SECONDS
    before, after = (round(each.calls / len(each.waits), 1) for each in (few, late))
    return f"""\
- A lone drop takes {own:.1f} s outside its window; the bound is {load.OUTSIDE} s: {_met(own <= load.OUTSIDE)}.
- A drop needs {after} calls with {late.ledger:,} drops in the ledger, and {before} with {few.ledger:,}; the bound is a
  tenth more, because drops may fall into more batches: {_met(after <= before * 1.1)}."""


def _met(is_met: bool) -> str:
    return "met" if is_met else "**not met**"


def _lines(of: Sequence[object]) -> str:
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
