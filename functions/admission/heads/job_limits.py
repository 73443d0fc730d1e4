"""Limits of a job's time: a plan in, the largest file that a job can read out. Pure.

A larger file is refused at admission: its job would reach its time limit, and be tried again for nothing.
"""

from __future__ import annotations

from contracts.plan import Plan, RecordFormat

SECONDS = 7_000
"""Seconds of a job's 120 minutes (TIMEOUT_MINUTES) that are left for reading, once its workers have started."""
CORES = 12
"""Cores of the executors of the largest job (LARGEST)."""
A_SECOND: dict[RecordFormat, int] = {"csv": 100 << 20, "jsonl": 25 << 20, "parquet": 200 << 20, "fixed": 100 << 20}
"""Bytes that a core reads and checks in a second at best; docs/explanation/benchmarks.md has 85, 22 and 200 MiB."""
DOCUMENT = 2 << 30
"""Bytes of the largest document: one process reads it from its begin to its end, and the job keeps two copies."""
RECORDS_A_SECOND = 10_000_000
"""Records of Parquet that a core checks in a second at best, even if they have few bytes.

docs/explanation/benchmarks.md has 1.4 million of 27 columns.
"""
RECORD = A_SECOND["parquet"] // RECORDS_A_SECOND
"""Bytes that a record of Parquet weighs at least: its job gets workers for the time that its records take."""


def cores(plan: Plan) -> int:
    """Return how many cores read a file side by side: one if it is packed, recoded, or has records of several lines."""
    in_order = plan.is_recoded or (plan.file_format == "csv" and plan.csv.multi_line)
    return 1 if plan.packing != "none" or in_order else CORES


def largest(plan: Plan) -> int:
    """The bytes of the largest file that a job reads in time."""
    return DOCUMENT if plan.is_transcribed else A_SECOND[plan.read_as] * cores(plan) * SECONDS


def most_records(side_by_side: int = CORES) -> int:
    """Return how many records of Parquet so many cores read in time."""
    return RECORDS_A_SECOND * side_by_side * SECONDS
