"""Files of rejected rows of lines that surely fail, made in Arrow by the driver: rows of evidence in, text out.

The lines are those that `rejected_rows` makes by queries. Nearly all lines stay as they came: one pattern finds those
that need a closer look, cell by cell.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from contracts.files import encodings
from contracts.files.columns import positions
from contracts.job import JobDrop, JobRequest
from contracts.messages import reason
from contracts.plan import Csv, Plan
from spark_jobs.counting import bitmask
from spark_jobs.outputs import rejected_rows
from spark_jobs.outputs.evidence import MOST_REJECTED
from spark_jobs.outputs.sure_evidence import SureRows
from spark_jobs.spark import storage

FIRST = r"0-9A-Za-z.:\x{c0}-\x{24f}"
"""Characters with which no formula begins, in a class of RE2; lines with a sign among them are not prefiltered."""


def is_for(plan: Plan) -> bool:
    """Return True if files of rejected rows of a plan can be made here: those in UTF-8."""
    return encodings.read_as(plan.csv.encoding) == encodings.UTF_8


def write(
    spark: SparkSession,
    every: Sequence[SureRows],
    request: JobRequest,
    failing: bitmask.Numbered,
    targets: Mapping[str, str],
) -> None:
    """Write the rejected ones among rows of evidence, each drop's to its target."""
    pieces = [rows.select(["drop", "record", "outcome", "raw", "checks"]) for some in every for rows in some.pieces]
    rows = pa.concat_tables(pieces)
    rejected = rows.filter(pc.equal(rows.column("outcome"), "rejected")).combine_chunks()
    reasons = {check.id: reason(check) for _, check in failing}

    def deliver(drop: JobDrop) -> None:
        own = rejected.filter(pc.equal(rejected.column("drop"), drop.id)).sort_by("record").slice(0, MOST_REJECTED)
        part = f"{request.scratch}rejected-{drop.id}"
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            file.writelines(f"{line}\n".encode() for line in _lines(own, drop, request.plan, reasons))
            file.flush()
            storage.put(spark, Path(file.name), part)
        storage.move(spark, part, targets[drop.id])

    with ThreadPoolExecutor(8) as pool:  # for object stores, where each step is a request
        list(pool.map(deliver, (drop for drop in request.drops if drop.id in targets)))


def _lines(rows: pa.Table, drop: JobDrop, plan: Plan, reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a file: those above the records, then one for each row, in their order."""
    csv, raw, width = plan.csv, rows.column("raw").combine_chunks(), len(drop.header)
    if (title := rejected_rows.title(drop, plan)) is not None:
        yield title
    checks = pc.binary_join(rows.column("checks").combine_chunks(), "\n").dictionary_encode()
    words = ("; ".join(reasons[check] for check in ids.split("\n")) for ids in checks.dictionary.to_pylist())
    ends = pa.array([rejected_rows.as_cell(text, csv) for text in words], pa.string()).take(checks.indices)
    places = [*positions(drop.header).values()]
    may_change = pc.invert(pc.match_substring_regex(raw, _plain(csv))) if len(places) == width else raw.is_valid()
    changed = [rejected_rows.again(line, csv, places, width) for line in raw.filter(may_change).to_pylist()]
    texts = pc.replace_with_mask(raw, may_change, pa.array(changed, pa.string()))
    numbers = rows.column("record").combine_chunks().cast(pa.string())
    yield from pc.binary_join_element_wise(texts, numbers, ends, csv.delimiter).to_pylist()


def _plain(csv: Csv) -> str:
    """Return a pattern of lines that stay as they came: without quotes, and no cell could begin like a formula."""
    delimiter = re.escape(csv.delimiter)
    others = f"[^{''.join(map(re.escape, {csv.delimiter, csv.quote, *rejected_rows.DELIMITERS}))}\r\n]*"
    cell = rf"(?:[{FIRST}]{others}|-[0-9]+(?:\.[0-9]*)?|)"
    return rf"\A{cell}(?:{delimiter}{cell})*\z"
