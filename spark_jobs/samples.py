"""What lies in the evidence: rows of each outcome, the worst value and the first failing records of each check.

The written rows in, plain figures out, by drop. Texts are cut to what a receipt can show; nothing is masked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.job import Sample
from contracts.plan import Check, Plan
from spark_jobs.schema import typed

MOST = 5
LENGTH = 200
WORST = {"minimum": sf.min_by, "minLength": sf.min_by, "maximum": sf.max_by, "maxLength": sf.max_by}
"""The kinds of checks that have a worst value, and which one it is."""


@dataclass(frozen=True, slots=True)
class Written:
    """The evidence of one drop: rows by outcome, and by check id the text of its worst failing cell."""

    rejected: int = 0
    flagged: int = 0
    worst: dict[str, str] = field(default_factory=dict)


def written(evidence: DataFrame, plan: Plan, failing: Sequence[Check]) -> dict[str, Written]:
    """Count what was written; `failing` are the checks that any row fails."""
    ranked = [(n, c) for n, c in enumerate(failing) if c.kind in WORST]
    counted = evidence.groupBy("drop").agg(
        sf.count_if(sf.col("outcome") == "rejected").alias("rejected"),
        sf.count_if(sf.col("outcome") == "flagged").alias("flagged"),
        *(_worst(check, plan).alias(f"w{n}") for n, check in ranked),
    )
    return {
        row["drop"]: Written(
            row["rejected"], row["flagged"], {c.id: row[f"w{n}"] for n, c in ranked if row[f"w{n}"] is not None}
        )
        for row in counted.collect()
    }


def first(evidence: DataFrame, plan: Plan) -> dict[tuple[str, str], tuple[Sample, ...]]:
    """The first failing records of each drop and check.

    They are among the first of each combination of failing checks, which are few: only those are taken apart.
    """
    of_its_kind = sf.expr("row_number() over (partition by drop, checks order by record)")
    candidates = evidence.select("drop", "checks", "record", of_its_kind.alias("nth")).where(sf.col("nth") <= MOST)
    each = candidates.select("drop", "record", sf.explode("checks").alias("check"))
    order = sf.expr("row_number() over (partition by drop, check order by record)")
    chosen = each.select("*", order.alias("place")).where(sf.col("place") <= MOST)
    top = evidence.join(sf.broadcast(chosen), ["drop", "record"]).orderBy("drop", "check", "record")
    found: dict[tuple[str, str], list[Sample]] = {}
    for row in top.select("drop", "check", "record", _value(plan).alias("value")).collect():
        found.setdefault((row["drop"], row["check"]), []).append(Sample(row["record"], row["value"]))
    return {place: tuple(samples) for place, samples in found.items()}


def _worst(check: Check, plan: Plan) -> Column:
    prop = plan.property_named(check.property or "")
    text = sf.element_at("cells", sf.lit(prop.name))
    rank = sf.char_length(text) if prop.type == "string" else typed(text, prop)
    failed = sf.array_contains("checks", check.id)
    return sf.substring(WORST[check.kind](sf.when(failed, text), sf.when(failed, rank)), 1, LENGTH)


def _value(plan: Plan) -> Column:
    """The text of the cell that the row's `check` is about."""
    pairs = [sf.lit(part) for c in plan.row_checks() if c.property for part in (c.id, c.property)]
    if not pairs:
        return sf.lit(None).cast("string")
    name = sf.element_at(sf.create_map(*pairs), sf.col("check"))
    return sf.substring(sf.element_at("cells", name), 1, LENGTH)
