"""Samples from the evidence: rows of each outcome, the worst value and the first failing records of each check.

Written rows in, plain values out, by drop. Texts are cut to the length that a receipt shows; nothing is masked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.internal import InternalFunction

from contracts import rules
from contracts.files.columns import OURS
from contracts.job import Sample
from contracts.messages import LAST_EMPTY
from contracts.place import Place
from contracts.plan import Plan, Property
from contracts.values import json_flaws, long_lines
from spark_jobs.counting.bitmask import Numbered
from spark_jobs.counting.drop_result import DropEvidence
from spark_jobs.counting.masking import MASK
from spark_jobs.formats import fixed_lines
from spark_jobs.outputs import nested_paths
from spark_jobs.rules import csv_quotes, row_checks
from spark_jobs.rules.casting import typed
from spark_jobs.rules.value_forms import trimmed

MOST = 5
LENGTH = 200
LONGEST_FLAWED = 1 << 20
"""Bytes of a line that are searched for flaws."""
LOWER = rules.Minimum | rules.ExclusiveMinimum | rules.MinLength
"""The rules whose worst value is the least."""
UPPER = rules.Maximum | rules.ExclusiveMaximum | rules.MaxLength
"""The rules whose worst value is the greatest."""
SIZES: dict[str, Callable[[Column], Column]] = {
    "string": sf.char_length,
    "date": sf.unix_date,
    "timestamp": sf.unix_micros,
    "time": sf.unix_micros,
}
"""The order of values, by their type; numbers are their own."""


def of_evidence(spark: SparkSession, evidence: DataFrame, plan: Plan, failing: Numbered) -> dict[str, DropEvidence]:
    """Count the written rows, and find the worst value and the first records of each check that any row fails.

    This is one query: a query takes longer to plan than to run. For each check a heap of `MOST` records is kept.
    """
    each = evidence.select(
        "drop", "outcome", "record", "line", "cells", "raw", sf.posexplode("checks").alias("nth", "check")
    )
    each = each.select("*", _bare(failing).alias("bare"))
    texts = each.select(
        *("drop", "check", "outcome", "record", "line", "nth"),
        _value(failing).alias("value"),
        _unknown_keys(plan, failing).alias("keys"),
        sf.coalesce(_cells(plan, failing), _flaw(plan, failing), _reference(plan, failing)).alias("note"),
    )
    shown = sf.substring(sf.coalesce("value", "keys"), 1, LENGTH)
    once, record = sf.col("nth") == 0, sf.col("record")
    rank = _rank(plan, failing)
    worse = sf.when(rank.isNotNull(), sf.struct(rank.alias("rank"), -record))  # of equals the first
    counted = texts.groupBy("drop", "check").agg(
        sf.count_if(once & (sf.col("outcome") == "rejected")).alias("rejected"),
        sf.count_if(once & (sf.col("outcome") == "flagged")).alias("flagged"),
        sf.max_by(sf.substring("value", 1, LENGTH), worse).alias("worst"),
        InternalFunction.collect_top_k(
            sf.struct("record", shown.alias("value"), "note", "line"), MOST, reverse=True
        ).alias("first"),
    )
    rows = counted.collect()
    records = {(row["drop"], row["check"]): [shown["record"] for shown in row["first"]] for row in rows}
    inner = nested_paths.first(spark, evidence, plan, failing, records)
    by_drop: dict[str, DropEvidence] = {}
    for row in rows:
        drop, check = row["drop"], row["check"]
        so_far = by_drop.get(drop, DropEvidence())
        worst = {} if row["worst"] is None else {check: row["worst"]}
        first = tuple(
            _sample(shown, *inner.get((drop, check, shown["record"]), (None, None))) for shown in row["first"]
        )
        by_drop[drop] = DropEvidence(
            so_far.rejected + row["rejected"],
            so_far.flagged + row["flagged"],
            so_far.worst | worst,
            so_far.first | {check: first},
        )
    return by_drop


def _sample(shown: Row, at: str | None, within: str | None) -> Sample:
    """Return the sample of a record; `at` and `within` are of a value within a column of it."""
    texts = [text for text in (shown["value"], within) if text is not None]
    place = Place(shown["record"], shown["line"])
    return Sample(place, ", ".join(texts) if texts else None, at or shown["note"])


def _rank(plan: Plan, failing: Numbered) -> Column:
    """Return a rank of the text `value` for the check `check`: greater is worse; null if there is no worst value."""
    alike: dict[tuple[Property, int], list[str]] = {}
    for _, check in failing:
        sign = -1 if isinstance(check.rule, LOWER) else 1
        prop = plan.property_named(check.property or "") if isinstance(check.rule, LOWER | UPPER) else None
        if prop and not prop.path:  # cells are those of the whole record
            bare = replace(prop, name="value", required=False, classification=None)
            alike.setdefault((bare, sign), []).append(check.id)
    rank = sf.lit(None).cast("double")
    for (bare, sign), ids in alike.items():
        value = typed(trimmed(sf.col("value"), bare), bare)
        size = SIZES[bare.type](value) if bare.type in SIZES else value
        rank = sf.when(sf.col("check").isin(ids), sign * size.cast("double")).otherwise(rank)
    return rank


def _cells(plan: Plan, failing: Numbered) -> Column:
    """Return the number of cells of a line with too many or too few, if no quote could hide a delimiter.

    Of a line of fixed width it is the length.
    """
    csv, raw, is_read = plan.csv, sf.col("raw"), row_checks.is_read(sf.col("raw"))
    if plan.fixed and any(isinstance(c.rule, rules.LineLength) for _, c in failing):
        size = fixed_lines.length(raw, plan)
        words = sf.concat(sf.format_number(size, 0), sf.lit(f" {plan.fixed.unit}"))
        return sf.when(sf.col("check") == "record.length", sf.when(is_read, words).otherwise(long_lines.WORDS))
    if plan.file_format != "csv" or not any(isinstance(c.rule, rules.Fields) for _, c in failing):
        return sf.lit(None).cast("string")
    many = sf.size(sf.split(raw, re.escape(csv.delimiter)))
    last = sf.when(sf.endswith(raw, sf.lit(csv.delimiter)), LAST_EMPTY).otherwise("")
    if len(csv.delimiter) > 1:
        last = sf.when(sf.get(sf.split(raw, re.escape(csv.delimiter)), many - 1) == "", LAST_EMPTY).otherwise("")
    words = sf.concat(sf.format_number(many, 0), sf.when(many == 1, " cell").otherwise(" cells"), last)
    plain = ~csv_quotes.has_quote(raw, csv)
    return sf.when(sf.col("check") == "record.fields", sf.when(~is_read, long_lines.WORDS).when(plain, words))


def _bare(failing: Numbered) -> Column:
    """Return the line of a record that is not a JSON object, without its strings."""
    if not any(isinstance(c.rule, rules.Object) for _, c in failing):
        return sf.lit(None).cast("string")
    is_short = (sf.col("check") == "record.object") & (sf.octet_length("raw") <= LONGEST_FLAWED)
    return sf.when(is_short, sf.regexp_replace("raw", json_flaws.STRING, json_flaws.HOLDER))


def _flaw(plan: Plan, failing: Numbered) -> Column:
    """Return the flaw of a line that is not a JSON object, as `json_flaws` or the reader of XML describes it."""
    if not any(isinstance(c.rule, rules.Object) for _, c in failing):
        return sf.lit(None).cast("string")
    if plan.xml:
        flawed = sf.get(sf.from_json("raw", "array<string>"), sf.lit(0))
        return sf.when(sf.col("check") == "record.object", flawed)
    long = (sf.col("check") == "record.object") & ~row_checks.is_read(sf.col("raw"))
    flaw = sf.when(long, json_flaws.too_long())
    for part, pattern, words in json_flaws.FLAWS:
        text = sf.col("bare") if part == "bare" else sf.when(sf.col("bare").isNotNull(), sf.col("raw"))
        flaw = flaw.when(text.rlike(pattern), words)
    return flaw


def _unknown_keys(plan: Plan, failing: Numbered) -> Column:
    """Return the keys of an object that the contract does not know, if the row's `check` is about them."""
    if not any(isinstance(c.rule, rules.KnownKeys) for _, c in failing):
        return sf.lit(None).cast("string")
    keys = sf.array(*(sf.lit(name) for name in (*(p.key for p in plan.roots), *OURS)))
    unknown = sf.array_except(sf.json_object_keys("raw"), keys)
    return sf.when((sf.col("check") == "record.knownKeys") & (sf.size(unknown) > 0), sf.array_join(unknown, ", "))


def _value(failing: Numbered) -> Column:
    """Return the text of the cell, or cells, that the row's `check` is about."""
    pairs = [sf.lit(part) for _, c in failing if c.property for part in (c.id, c.property)]
    value = sf.element_at("cells", sf.element_at(sf.create_map(*pairs), sf.col("check"))) if pairs else sf.lit(None)
    for check in (c for _, c in failing if isinstance(c.rule, rules.OfSeveral) and c.rule.properties):
        texts = {name: sf.element_at("cells", sf.lit(name)) for name in check.properties()}
        value = sf.when(sf.col("check") == check.id, _named(texts)).otherwise(value)
    return value.cast("string")


def _named(texts: Mapping[str, Column]) -> Column:
    shown = ((name, sf.coalesce(text, sf.lit("null"))) for name, text in texts.items())
    return sf.concat_ws(", ", *(sf.concat(sf.lit(f"{name}="), text) for name, text in shown))


def _reference(plan: Plan, failing: Numbered) -> Column:
    """Return the further cells to show for the row's `check`; classified cells are masked."""
    cells = sf.lit(None).cast("string")
    for check in (c for _, c in failing if c.reference):
        names = check.reference
        hidden = {name for name in names if plan.hides(plan.property_named(name))}
        texts = {n: sf.lit(MASK) if n in hidden else sf.element_at("cells", sf.lit(n)) for n in names}
        cells = sf.when(sf.col("check") == check.id, sf.substring(_named(texts), 1, LENGTH)).otherwise(cells)
    return cells
