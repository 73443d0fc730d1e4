"""Samples of lines that surely fail, made in Arrow by the driver: rows of evidence in, what `samples` gives out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files import csv_cells
from contracts.files.columns import positions
from contracts.job import Sample
from contracts.place import Place
from contracts.plan import Check, LogicalType, Plan
from spark_jobs.counting import bitmask
from spark_jobs.counting.drop_result import DropEvidence
from spark_jobs.counting.masking import MASK
from spark_jobs.outputs.samples import LENGTH, LOWER, MOST, UPPER
from spark_jobs.outputs.sure_evidence import SureRows
from spark_jobs.prefilter import cell_tests
from spark_jobs.prefilter.arrow_tests import Reading


def of_rows(every: Sequence[SureRows], plan: Plan, failing: bitmask.Numbered) -> dict[str, DropEvidence]:
    """Count the rows of each drop, and return the worst value and the first records of each check that any row fails.

    `every` has all rows of the drops in it.
    """
    by_drop: dict[str, DropEvidence] = {}
    for rows in every:
        table = pa.concat_tables(rows.pieces).sort_by([("drop", "ascending"), ("record", "ascending")])
        for drop, own in _by_drop(table):
            rejected = pc.equal(own.column("outcome"), "rejected").combine_chunks().true_count
            by_drop[drop] = DropEvidence(rejected, len(own) - rejected)
        texts = pc.binary_join(table.column("checks").combine_chunks(), "\n").dictionary_encode()
        ids = [text.split("\n") for text in texts.dictionary.to_pylist()]
        for check in (check for _, check in failing):
            here = pa.array([n for n, own in enumerate(ids) if check.id in own], pa.int32())
            for drop, own in _by_drop(table.filter(pc.is_in(texts.indices, here))):
                found = by_drop[drop]
                worst = _worst(own, rows, plan, check)
                by_drop[drop] = replace(
                    found,
                    worst=found.worst | ({} if worst is None else {check.id: worst}),
                    first=found.first | {check.id: tuple(_first(own, rows, plan, check))},
                )
    return by_drop


def _by_drop(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each drop, from rows in the order of their drops."""
    ends = pc.run_end_encode(table.column("drop").combine_chunks())
    start = 0
    for drop, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist(), strict=True):
        yield drop, table.slice(start, end - start)
        start = end


def _first(table: pa.Table, rows: SureRows, plan: Plan, check: Check) -> Iterator[Sample]:
    """Yield samples of the first records of a drop that fail a check."""
    for row in table.slice(0, MOST).select(["record", "line", "raw"]).to_pylist():
        own = csv_cells.split(row["raw"], plan.csv) or ()
        cells = {name: own[at] for name, at in positions(rows.group.group.header).items()}
        note = None
        if check.reference:
            shown = {n: MASK if plan.hides(plan.property_named(n)) else cells.get(n, "null") for n in check.reference}
            note = ", ".join(f"{name}={text}" for name, text in shown.items())[:LENGTH]
        value = cells.get(check.property or "")
        yield Sample(Place(row["record"], row["line"]), None if value is None else value[:LENGTH], note)


def _worst(table: pa.Table, rows: SureRows, plan: Plan, check: Check) -> str | None:
    """Return the worst value of the records of a drop that fail a check, of equals the first; None if none is worse."""
    if not isinstance(check.rule, LOWER | UPPER) or check.property is None:
        return None
    at, condition = positions(rows.group.group.header)[check.property], rows.group.sure.condition
    texts = cell_tests.texts(table.column("raw").combine_chunks(), [at], condition, ended=False).column(str(at))
    reading = next(column.reading for column in condition.tested if column.at == at) or Reading(
        decimal=condition.decimal
    )
    sizes = _sizes(texts, plan.property_named(check.property).type, reading)
    worst = pc.min(sizes) if isinstance(check.rule, LOWER) else pc.max(sizes)
    return str(texts[pc.index(sizes, worst).as_py()])[:LENGTH]


def _sizes(texts: pa.ChunkedArray, kind: LogicalType, reading: Reading) -> pa.ChunkedArray:
    """Return by what values are compared, as `samples.SIZES`: numbers, the lengths of texts, days."""
    match kind:
        case "string":
            return pc.utf8_length(reading.values(texts, pa.string()))
        case "date":
            return reading.values(texts, pa.date32()).cast(pa.int32())
        case _:
            return reading.values(texts, pa.float64())
