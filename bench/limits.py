"""The rows at the limits: a name in, lines of the table out. Large files, wide contracts, long lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bench import memory, plans
from bench.measuring import Row, alternate
from bench.own import Bench
from contracts.files.header import MOST_COLUMNS

ONCE = (0, 1)
"""Rounds of warm-up and measured rounds of work that takes minutes."""
TIMES = 51
"""The clean file so often is 10 GiB."""
COLUMNS = MOST_COLUMNS - 1
"""Columns with three checks each."""
LINE = 90
"""MiB of a line."""


def gigabytes(bench: Bench) -> list[Row]:
    """The job on a large file: the seconds, and the heap in use."""
    file, once = bench.files.times(TIMES), bench.job(bench.plain, bench.files.clean)
    often = bench.job(bench.plain, file)
    once.run()
    what = f"a CSV of {file.stat().st_size / 2**30:.1f} GiB"
    part = f"the job on one of its {TIMES} equal parts"
    seconds = Row(f"{what}; baseline: {part}", bench.beside(once.run, often, *ONCE), TIMES * 1.1)
    heap = memory.in_use(bench.spark, once.run, seconds.yardstick), memory.in_use(bench.spark, often.run, seconds.job)
    return [seconds, Row(f"peak heap in use of {what}", (heap,), 1.2, "MiB")]


def rejected(bench: Bench) -> list[Row]:
    """The job on a file most of whose rows are rejected, all of which are written."""
    good, bad = bench.job(bench.plain, bench.files.clean), bench.job(bench.plain, bench.files.mostly_bad)
    pairs = bench.beside(good.run, bad, *ONCE)
    rows = bad.result().drops[0].rejected
    return [Row(f"{rows:,} rejected rows of {bench.files.rows:,}; baseline: none of as many", pairs)]


def wide(bench: Bench) -> list[Row]:
    """The job on a file of very many columns with a bad value, beside one of as many rows."""
    plan = plans.wide(COLUMNS)
    few, many = bench.job(bench.plain, bench.files.small[0]), bench.job(plan, bench.files.wide(COLUMNS))
    what = f"{COLUMNS:,} columns and {len(plan.checks):,} checks, 100 rows, one of them with two bad values"
    pairs = bench.beside(few.run, many, *ONCE)
    assert many.result().drops[0].rejected == 1
    return [Row(f"{what}; baseline: 100 rows of 27 columns", pairs)]


def long(bench: Bench) -> list[Row]:
    """The job on a file of one long line beside a small file, which must be judged as it is without it."""
    plan, line, small = bench.plain, bench.files.long_line(LINE), bench.files.small[0]
    both, alone = bench.job(plan, line, small), bench.job(plan, small)
    pairs = alternate(alone.run, both.run, *ONCE)
    (of_line, beside), (own,) = both.result().drops, alone.result().drops
    assert of_line.rejected == 1
    assert replace(beside, drop=own.drop, outputs=own.outputs) == own
    return [Row(f"a line of {LINE} MiB beside a file of 100 rows; baseline: that file alone", pairs)]


LIMITS: dict[str, Callable[[Bench], list[Row]]] = {run.__name__: run for run in (gigabytes, rejected, wide, long)}
