"""Files of rejected rows of lines that surely fail, made in Arrow by the driver: rows in, text out.

The lines are those that `rejected_rows` makes by queries. Nearly all lines stay as they came, or lose quotes that they
do not need: two patterns find these. The others are looked at cell by cell, if they are few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from contracts.files.columns import positions
from contracts.files.encodings import UTF_8
from contracts.job import JobDrop, JobRequest
from contracts.messages import reason
from contracts.plan import Csv, Plan
from spark_jobs.outputs import rejected_rows
from spark_jobs.outputs.evidence import MOST_REJECTED
from spark_jobs.outputs.sure_evidence import SureRows
from spark_jobs.spark import storage

FIRST = (
    r"[0-9A-Za-z.:\x{c0}-\x{24f}\x{370}-\x{52f}\x{5d0}-\x{5ea}\x{620}-\x{64a}"
    r"\x{3041}-\x{3096}\x{30a1}-\x{30fa}\x{4e00}-\x{9fff}\x{ac00}-\x{d7a3}]"
)
"""Characters with which no formula begins, in RE2: digits, and letters of many scripts.

Lines with a sign of the dialect among them are not prefiltered.
"""
MOST_CELLS = 100_000
"""Cells that are looked at one by one, each in about 10 microseconds; a query looks at more of them."""


@dataclass(frozen=True, slots=True)
class RejectedLines:
    """The rejected ones of some rows: without unneeded quotes, but for those that `may_change` otherwise.

    `reasons` are the last cells of lines of each kind.
    """

    rows: SureRows
    lines: pa.Table
    may_change: pa.BooleanArray
    reasons: pa.StringArray

    def texts(self, number: int, plan: Plan) -> Iterator[str]:
        """Yield the lines of the file of a drop, by its number: above the records, then one for each row, in order."""
        if (title := rejected_rows.title(self.rows.drops[number], plan)) is not None:
            yield title
        is_own = pc.equal(self.lines.column("drop"), pa.scalar(number, pa.int32()))
        own = pc.indices_nonzero(is_own)[:MOST_REJECTED]
        table = self.lines.append_column("may_change", self.may_change).take(own)
        for piece in self.rows.pieces(table):
            yield from self._of_piece(piece, plan)

    def _of_piece(self, lines: pa.Table, plan: Plan) -> list[str]:
        csv, width, places = plan.csv, len(self.rows.header), [*positions(self.rows.header).values()]
        raw, may_change = lines.column("raw").combine_chunks(), lines.column("may_change").combine_chunks()
        changed = [rejected_rows.again(line, csv, places, width) for line in raw.filter(may_change).to_pylist()]
        texts = pc.replace_with_mask(raw, may_change, pa.array(changed, pa.string()))
        ends = self.reasons.take(lines.column("kind").combine_chunks())
        numbers = lines.column("record").combine_chunks().cast(pa.string())
        return list(pc.binary_join_element_wise(texts, numbers, ends, csv.delimiter).to_pylist())


def lines_of(every: Sequence[SureRows], plan: Plan) -> list[RejectedLines] | None:
    """Return the rejected rows as lines; None if a query has to make them.

    It makes those in other encodings than UTF-8, and all if too many of them have to be looked at cell by cell.
    """
    if plan.csv.encoding != UTF_8:
        return None
    each = [_lines_of(rows, plan.csv) for rows in every]
    cells = sum(lines.may_change.true_count * len(lines.rows.header) for lines in each)
    return each if cells <= MOST_CELLS else None


def _lines_of(rows: SureRows, csv: Csv) -> RejectedLines:
    kinds = pa.array([n for n, is_rejected in enumerate(rows.are_rejected) if is_rejected], pa.int32())
    lines = rows.table.filter(pc.is_in(rows.table.column("kind"), kinds)).combine_chunks()
    raw = lines.column("raw").combine_chunks()
    words = ("; ".join(map(reason, kind)) for kind in rows.kinds)
    reasons = pa.array([rejected_rows.as_cell(text, csv) for text in words], pa.string())
    if len(positions(rows.header)) < len(rows.header):
        return RejectedLines(rows, lines, raw.is_valid(), reasons)
    may_change = pc.invert(pc.match_substring_regex(raw, _plain(csv)))
    if csv.quote and not csv.comment_char and may_change.true_count:
        unquoted = pc.and_(may_change, pc.match_substring_regex(raw, _plain(csv, quoted=True)))
        may_change = pc.and_not(may_change, unquoted)
        raw = pc.if_else(unquoted, pc.replace_substring(raw, csv.quote, ""), raw)
        lines = lines.set_column(lines.schema.get_field_index("raw"), "raw", raw)
    return RejectedLines(rows, lines, may_change, reasons)


def write(spark: SparkSession, every: Sequence[RejectedLines], request: JobRequest, targets: Mapping[str, str]) -> None:
    """Write the rejected rows of each drop to its target."""

    def deliver(lines: RejectedLines, number: int, drop: JobDrop) -> None:
        part = f"{request.scratch}rejected-{drop.id}"
        texts = lines.texts(number, request.plan)
        storage.put_pieces(spark, (f"{text}\n".encode() for text in texts), part)
        storage.move(spark, part, targets[drop.id])

    every_drop = ((lines, number, drop) for lines in every for number, drop in enumerate(lines.rows.drops))
    with ThreadPoolExecutor(8) as pool:  # for object stores, where each step is a request
        begun = [pool.submit(deliver, *one) for one in every_drop if one[-1].id in targets]
        for one in begun:
            one.result()


def _plain(csv: Csv, *, quoted: bool = False) -> str:
    """Return a pattern of lines no cell of which a spreadsheet could run; with `quoted` cells may have quotes.

    Such quotes are around a text that is the same without them.
    """
    delimiter, quote = re.escape(csv.delimiter), re.escape(csv.quote)
    others = f"[^{''.join(map(re.escape, {csv.delimiter, csv.quote, *rejected_rows.DELIMITERS}))}\r\n]*"
    cell = rf"(?:{FIRST}{others}|-[0-9]+(?:\.[0-9]*)?|)"
    cell = f"(?:{cell}|{quote}{cell}{quote})" if quoted else cell
    return rf"\A{cell}(?:{delimiter}{cell})*\z"
