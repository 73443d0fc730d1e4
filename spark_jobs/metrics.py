"""One scan of the lines, grouped: passing rows collapse into a few groups, failing rows stay single with id and line.

Lines in; out comes a small scratch table from which counts, record numbers and evidence are made without a second look
at the source. Which row checks a row fails stands in words of bits, in the order of `Plan.row_checks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from contracts.columns import positions
from contracts.plan import Check, Plan
from spark_jobs import reader, rules
from spark_jobs.schema import typed

WORD = 62
"""Bits in one word: a Spark long without its sign."""
HISTOGRAM = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """A split of a file: whose it is, and what turns an id within it into a record number (the header is record 0)."""

    file: str
    block: int
    drop: str
    shift: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What the checks counted in one drop; `failed` by bit, `nulls` and `voids` and `bad` by property or check."""

    total: int = 0
    sound: int = 0
    valid: int = 0
    flagged: int = 0
    failed: tuple[int, ...] = ()
    sums: dict[str, int] = field(default_factory=dict)


def words(plan: Plan) -> list[str]:
    """The names of the columns that hold the bits of failing checks."""
    return [f"m{n}" for n in range(-(-len(plan.row_checks()) // WORD))]


def bits(checks: Iterable[tuple[int, Check]]) -> dict[str, int]:
    """The word and the bits of checks, given with their numbers."""
    mask = sum(1 << n for n, _ in checks)
    return {f"m{n}": (mask >> n * WORD) & ((1 << WORD) - 1) for n in range(-(-mask.bit_length() // WORD))}


def scan(text: DataFrame, plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> DataFrame:
    """Evaluate every line of files with one header and group: file, block, words, id and raw of single rows, n, first, sums."""
    at = positions(header)
    here = [(n, p) for n, p in enumerate(plan.properties) if p.name in at]
    csv = plan.csv
    lines = reader.lines(text, csv).select(
        "*", reader.parsed(F.col("line"), csv, len(header)).alias("parsed"), reader.split(F.col("line"), csv).alias("split")
    )
    cells = lines.select(
        *("file", "block", "id", "line"),
        reader.as_wide_as(len(header)).alias("fits"),
        *(reader.null_or(reader.cell(at[p.name]), csv).alias(f"c{n}") for n, p in here),
    )
    values = cells.select("*", *(typed(F.col(f"c{n}"), p).alias(f"v{n}") for n, p in here))
    failing = dict(enumerate(_failing(plan, header)))
    masks = [_word(failing, n).alias(name) for n, name in enumerate(words(plan))]
    judged = values.select("*", *masks)
    single = reduce(Column.__or__, (F.col(w) != 0 for w in words(plan)), F.col("line").isin(*header_texts))
    return judged.groupBy(
        *("file", "block", *words(plan)),
        F.when(single, F.col("id")).alias("at"),
        F.when(single, F.col("line")).alias("raw"),
    ).agg(F.count(F.lit(1)).alias("n"), F.min("id").alias("first"), *_sums(plan, header))


def sums(plan: Plan) -> list[str]:
    """The names of the sums beside the words: null cells, void values, cells outside a set metric's values."""
    return [name for name, _, _ in _measures(plan)]


def heads(scratch: DataFrame, header_texts: Sequence[str]) -> DataFrame:
    """For each split: its rows, its first id, and its first line that reads like a header (id and text)."""
    head = F.when(F.col("raw").isin(*header_texts), F.struct("at", "raw"))
    return scratch.groupBy("file", "block").agg(F.sum("n").alias("n"), F.min("first").alias("first"), F.min(head).alias("head"))


def rows(spark: SparkSession, scratch: DataFrame, places: Sequence[Place], plan: Plan) -> DataFrame:
    """The data records of scratch with drop and record number; a malformed record keeps the bits of its record checks alone."""
    schema = "file string, block long, drop string, shift long"
    known = spark.createDataFrame([(p.file, p.block, p.drop, p.shift) for p in places], schema)
    record = (F.col("at") + F.col("shift")).alias("record")
    numbered = scratch.join(F.broadcast(known), ["file", "block"]).select("*", record)
    data = numbered.where(F.col("record").isNull() | (F.col("record") > 0))
    malformed = _any(_of_scope(plan, "record"))
    strict = bits(_of_scope(plan, "record"))
    kept = [F.when(malformed, F.col(w).bitwiseAND(strict.get(w, 0))).otherwise(F.col(w)).alias(w) for w in words(plan)]
    zeroed = [F.when(malformed, 0).otherwise(F.col(s)).alias(s) for s in sums(plan)]
    return data.select("drop", "record", "raw", "n", *kept, *zeroed)


def tally(records: DataFrame, plan: Plan) -> dict[str, Tally]:
    """Count every row check and every sum, by drop."""
    errors = [(n, c) for n, c in enumerate(plan.row_checks()) if c.severity == "error"]
    bad, n = _any(errors), F.col("n")
    counted = records.groupBy("drop").agg(
        F.sum(n).alias("total"),
        F.sum(F.when(_any(_of_scope(plan, "record")), 0).otherwise(n)).alias("sound"),
        F.sum(F.when(bad, 0).otherwise(n)).alias("valid"),
        F.sum(F.when(F.col("record").isNotNull() & ~bad, n).otherwise(0)).alias("flagged"),
        *(F.sum(F.when(_any([(k, c)]), n).otherwise(0)).alias(f"f{k}") for k, c in enumerate(plan.row_checks())),
        *(F.sum(s).alias(s) for s in sums(plan)),
    )
    return {row["drop"]: _tally(row.asDict(), plan) for row in counted.collect()}


def histogram(records: DataFrame, plan: Plan) -> dict[str, tuple[tuple[tuple[str, int], ...], bool]]:
    """The most frequent masks of failing checks by drop, and whether rarer ones are left out."""
    names = words(plan)
    grouped = records.where(F.col("record").isNotNull()).groupBy("drop", *names).agg(F.sum("n").alias("n"))
    grouped = grouped.where(reduce(Column.__or__, (F.col(w) != 0 for w in names)))
    place = F.expr(f"row_number() over (partition by drop order by n desc, {', '.join(names)})")
    top = grouped.select("*", place.alias("place")).where(F.col("place") <= HISTOGRAM + 1).orderBy("drop", "place")
    found: dict[str, list[tuple[str, int]]] = {}
    for row in top.collect():
        mask = sum(row[w] << n * WORD for n, w in enumerate(names))
        found.setdefault(row["drop"], []).append((f"{mask:x}", row["n"]))
    return {drop: (tuple(masks[:HISTOGRAM]), len(masks) > HISTOGRAM) for drop, masks in found.items()}


def failed_ids(plan: Plan) -> Column:
    """The ids of the failing checks of a row, in the plan's order, from its words."""
    named = [F.when(_any([(n, c)]), F.lit(c.id)) for n, c in enumerate(plan.row_checks())]
    return F.array_compact(F.array(*named))


def is_rejected(plan: Plan) -> Column:
    """Whether a row fails a check of severity error."""
    return _any([(n, c) for n, c in enumerate(plan.row_checks()) if c.severity == "error"])


def is_malformed(plan: Plan) -> Column:
    """Whether a row fails a record check."""
    return _any(_of_scope(plan, "record"))


def _of_scope(plan: Plan, scope: str) -> list[tuple[int, Check]]:
    return [(n, c) for n, c in enumerate(plan.row_checks()) if c.scope == scope]


def _any(checks: Sequence[tuple[int, Check]]) -> Column:
    tests = [F.col(word).bitwiseAND(mask) != 0 for word, mask in bits(checks).items() if mask]
    return reduce(Column.__or__, tests) if tests else F.lit(False)


def _failing(plan: Plan, header: tuple[str, ...]) -> list[Column | None]:
    """One column for each row check; None where its property is missing from the file."""
    index = {p.name: n for n, p in enumerate(plan.properties)}
    record = rules.record_rules(F.col("line"), F.col("fits"), plan.csv)
    failing: list[Column | None] = []
    for check in plan.row_checks():
        if check.scope == "record":
            failing.append(record[check.kind])
        elif check.property is None or check.property not in positions(header):
            failing.append(None)
        else:
            n, prop = index[check.property], plan.property_named(check.property)
            failing.append(rules.failing(check, prop, F.col(f"c{n}"), F.col(f"v{n}")))
    return failing


def _word(failing: dict[int, Column | None], word: int) -> Column:
    tests = [(n % WORD, test) for n, test in failing.items() if test is not None and n // WORD == word]
    flags = [F.when(test, F.lit(1 << bit).cast("long")).otherwise(F.lit(0).cast("long")) for bit, test in tests]
    return reduce(Column.bitwiseOR, flags, F.lit(0).cast("long"))


def _measures(plan: Plan) -> list[tuple[str, str, Check | None]]:
    """Every sum: its name, its property, and for a metric of invalid values its check.

    `null<n>` counts the null cells of property n, `void<n>` the values that are null for other checks; where a check of
    the logical type singles the misfits out, their number need not be summed.
    """
    kinds = {(c.property, c.kind) for c in plan.checks}
    found: list[tuple[str, str, Check | None]] = []
    for n, p in enumerate(plan.properties):
        if any(c.property == p.name for c in plan.checks):
            found.append((f"null{n}", p.name, None))
            if p.type != "string" and (p.name, "logicalType") not in kinds:
                found.append((f"void{n}", p.name, None))
    for k, c in enumerate(plan.checks):
        if c.scope == "set" and c.kind == "invalidValues" and c.property:
            found.append((f"bad{k}", c.property, c))
    return found


def _sums(plan: Plan, header: tuple[str, ...]) -> list[Column]:
    index = {p.name: n for n, p in enumerate(plan.properties)}
    at, columns = positions(header), []
    for name, prop, check in _measures(plan):
        n = index[prop]
        if prop not in at:
            test = F.lit(False)
        elif check is not None:
            test = rules.failing(check, plan.property_named(prop), F.col(f"c{n}"), F.col(f"v{n}"))
        else:
            test = F.col(f"v{n}" if name.startswith("void") else f"c{n}").isNull()
        columns.append(F.count_if(test).alias(name))
    return columns


def _tally(row: dict[str, int], plan: Plan) -> Tally:
    failed = tuple(row[f"f{k}"] for k in range(len(plan.row_checks())))
    totals = (row["total"], row["sound"], row["valid"], row["flagged"])
    return Tally(*totals, failed, {s: row[s] for s in sums(plan)})
