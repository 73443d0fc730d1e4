"""Samples of lines that surely fail, made in Arrow by the driver: rows in, what `samples` gives out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import pyarrow as pa
import pyarrow.compute as pc

from contracts.files import csv_cells
from contracts.files.columns import positions
from contracts.job import Sample
from contracts.place import Place
from contracts.plan import Check, LogicalType, Plan
from spark_jobs.counting.drop_result import DropEvidence
from spark_jobs.counting.masking import MASK
from spark_jobs.outputs.samples import LENGTH, LOWER, MOST, UPPER
from spark_jobs.outputs.sure_evidence import SureRows
from spark_jobs.prefilter import cell_tests
from spark_jobs.prefilter.arrow_tests import Reading


def of_rows(every: Sequence[SureRows], plan: Plan) -> dict[str, DropEvidence]:
    """Count the rows of each drop, and return the worst value and the first records of each check that any row fails.

    `every` has all rows of the drops in it.
    """
    return {drop: found for rows in every for drop, found in _of_group(rows, plan)}


def _of_group(rows: SureRows, plan: Plan) -> Iterator[tuple[str, DropEvidence]]:
    worst: dict[int, dict[str, str]] = defaultdict(dict)
    first: dict[int, dict[str, tuple[Sample, ...]]] = defaultdict(dict)
    checks = {check.id: check for kind in rows.kinds for check in kind}
    texts = _texts(rows, checks.values())
    cells = cache(partial(_cells, rows, plan))
    for check in checks.values():
        for drop, places in _failing(rows, check):
            first[drop][check.id] = tuple(
                _sample(rows, plan, check, drop, at, cells(at)) for at in places[:MOST].to_pylist()
            )
            if check.id in texts:
                worst[drop][check.id] = _worst(texts[check.id].take(places), rows, plan, check)
    drops = rows.table.column("drop")
    rejected = pa.array(rows.are_rejected, pa.bool_()).take(rows.table.column("kind").combine_chunks())
    left_out = Counter(drops.filter(rejected).to_pylist())
    for drop, n in Counter(drops.to_pylist()).items():
        yield rows.drops[drop].id, DropEvidence(left_out[drop], n - left_out[drop], worst[drop], first[drop])


def _failing(rows: SureRows, check: Check) -> Iterator[tuple[int, pa.UInt64Array]]:
    """Yield each drop that has rows that fail a check, with the places of these."""
    kinds = pa.array([n for n, kind in enumerate(rows.kinds) if check in kind], pa.int32())
    places = pc.indices_nonzero(pc.is_in(rows.table.column("kind"), kinds))
    ends, start = pc.run_end_encode(rows.table.column("drop").combine_chunks().take(places)), 0
    for drop, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist(), strict=True):
        yield drop, places[start:end]
        start = end


def _cells(rows: SureRows, plan: Plan, place: int) -> dict[str, str]:
    """Return the cells of a row by column."""
    own = csv_cells.split(rows.table.column("raw")[place].as_py(), plan.csv) or ()
    return {name: own[at] for name, at in positions(rows.header).items()}


def _sample(rows: SureRows, plan: Plan, check: Check, drop: int, place: int, cells: Mapping[str, str]) -> Sample:
    note = None
    if check.reference:
        shown = {n: MASK if plan.hides(plan.property_named(n)) else cells.get(n, "null") for n in check.reference}
        note = ", ".join(f"{name}={text}" for name, text in shown.items())[:LENGTH]
    value, record = cells.get(check.property or ""), rows.table.column("record")[place].as_py()
    line = record + rows.group.above[rows.drops[drop].id]
    return Sample(Place(record, line), None if value is None else value[:LENGTH], note)


def _texts(rows: SureRows, checks: Iterable[Check]) -> dict[str, pa.ChunkedArray]:
    """Return the cells of all rows that the checks with a worst value are about, by check."""
    at = positions(rows.header)
    compared = {c.id: at[c.property] for c in checks if isinstance(c.rule, LOWER | UPPER) and c.property}
    raw, places = rows.table.column("raw").combine_chunks(), sorted({*compared.values()})
    table = cell_tests.texts(raw, places, rows.group.sure.condition, ended=False)
    return {check: table.column(str(place)) for check, place in compared.items()}


def _worst(texts: pa.ChunkedArray, rows: SureRows, plan: Plan, check: Check) -> str:
    """Return the worst of some texts, of equals the first."""
    prop, condition = plan.property_named(check.property or ""), rows.group.sure.condition
    place = positions(rows.header)[prop.name]
    reading = next(column.reading for column in condition.tested if column.at == place)
    sizes = _sizes(texts, prop.type, reading or Reading(decimal=condition.decimal))
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
