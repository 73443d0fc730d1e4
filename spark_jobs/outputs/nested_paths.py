"""Places of nested values that fail a check: rows of the evidence in, places and texts out.

Only a few rows are read. In each format with nested values, the raw text of a sound record is a JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts import rules
from contracts.plan import CONTAINERS, Check, Plan, Property
from spark_jobs.counting.bitmask import Numbered
from spark_jobs.counting.masking import MASK
from spark_jobs.formats import json_lines
from spark_jobs.rules import nesting, row_checks
from spark_jobs.spark import small_frames

LENGTH = 200
"""Characters of a text that are shown."""
Records = Mapping[tuple[str, str], Sequence[int]]
"""Numbers of records, by drop and check."""
FirstFailing = dict[tuple[str, str, int], tuple[str | None, str | None]]
"""Place and text of the first failing value, by drop, check and record; no place if a record has only one value."""


def first(spark: SparkSession, evidence: DataFrame, plan: Plan, failing: Numbered, records: Records) -> FirstFailing:
    """Return the failing values of nested properties in some of the records that fail each check."""
    checks = [(c, plan.property_named(c.property) if c.property else None) for _, c in failing]
    inner = [c for c, p in checks if (p.path if p else isinstance(c.rule, rules.KnownKeys) and plan.nested)]
    if not inner:
        return {}
    hidden = {}  # the places without their keys: of a masked check, or of a map with classified keys, these are data
    for check, prop in checks:
        if prop and (plan.hides_keys(prop) or (plan.masks(check) and not {"*", "~"}.isdisjoint(prop.path))):
            hidden[check.id] = prop.name
    iso = ("date", "timestamp") if plan.file_format == "parquet" else ()  # as raw text has them
    properties = (replace(p, format=None, zone=None, offset=None) if p.type in iso else p for p in plan.properties)
    bare = replace(plan, properties=tuple(properties))
    raw = sf.concat(sf.lit('{"":'), "raw", sf.lit("}"))
    whole = sf.element_at(sf.from_json(raw, json_lines.KINDS, json_lines.STRICT), sf.lit("")).alias("kinds")
    ids = {c.id for c in inner}
    wanted = [(drop, check, n) for (drop, check), numbers in records.items() if check in ids for n in numbers]
    wanted_rows = small_frames.small(spark, wanted, "drop string, check string, record long")
    asked = evidence.join(sf.broadcast(wanted_rows), ["drop", "record"]).select("drop", "check", "record", whole)
    roots = {p.name: sf.element_at("kinds", sf.lit(p.key)) for p in plan.roots if p.type in CONTAINERS}
    names = {p.name for p in plan.properties}
    opened = nesting.opened(asked, bare, names, roots, json_lines.Variants(row_checks.compared(plan)), at=True)
    value = sf.lit(None).cast("struct<at: string, text: string>")
    for check in inner:
        value = sf.when(sf.col("check") == check.id, _first_failing(bare, check)).otherwise(value)
    failing_values = opened.select("drop", "check", "record", value.alias("value")).where("value is not null")
    text = sf.substring("value.text", 1, LENGTH).alias("text")
    each = failing_values.select("drop", "check", "record", "value.at", text)
    return {
        (r["drop"], r["check"], r["record"]): (r["at"] and hidden.get(r["check"], r["at"]), r["text"])
        for r in each.collect()
    }


def _first_failing(plan: Plan, check: Check) -> Column:
    """Return the place and the text of the first value that fails a check."""
    if check.property is None:  # the unexpected keys of nested objects, with their places
        keys = [_others(plan, plan.properties[n], n, expected) for n, expected in json_lines.objects(plan).items()]
        empty = sf.array().cast("array<string>")
        texts = sf.array_join(sf.concat(empty, *(sf.coalesce(of_object, empty) for of_object in keys)), ", ")
        return sf.struct(sf.lit(None).cast("string").alias("at"), sf.when(texts != "", texts).alias("text"))
    prop = plan.property_named(check.property)
    n = plan.properties.index(prop)
    parts = json_lines.Variants(row_checks.compared(plan))
    if not (prop.repeats and isinstance(rule := check.rule, rules.ValueRule)):
        return sf.struct(sf.lit(None).cast("string").alias("at"), _text(parts, sf.col(f"raw{n}"), prop).alias("text"))
    fails = sf.filter(f"e{n}", lambda s: sf.coalesce(row_checks.failing(rule, prop, s["c"], s["v"]), sf.lit(False)))
    first_value = sf.get(fails, sf.lit(0))
    return sf.struct(first_value["at"].alias("at"), _text(parts, first_value["x"], prop).alias("text"))


def _text(parts: json_lines.Variants, raw: Column, prop: Property) -> Column:
    """Return a value as text; a variant stores `1.0` as 1 with a decimal type, which is written as `1.0` again."""
    text = parts.cell(raw, prop)
    if prop.type != "integer":
        return text
    fraction = sf.schema_of_variant(raw).startswith("DECIMAL") & text.rlike("^-?[0-9]+$")
    return sf.when(fraction, sf.concat(text, sf.lit(".0"))).otherwise(text)


def _others(plan: Plan, prop: Property, n: int, expected: list[str]) -> Column:
    """Return the unexpected keys of one nested object, or of several; in a classified object they are data."""

    def of(value: Column, at: Column) -> Column:
        keys = json_lines.unknown(sf.map_keys(value), expected)
        place = sf.lit(prop.name) if plan.hides_keys(prop) else at
        return sf.transform(keys, lambda key: sf.concat(place, sf.lit("."), sf.lit(MASK) if prop.masked else key))

    if not prop.repeats:
        return of(sf.col(f"v{n}"), sf.lit(prop.name))
    whole = sf.filter(f"e{n}", lambda s: s["v"].isNotNull())
    return sf.flatten(sf.transform(whole, lambda s: of(s["v"], s["at"])))
