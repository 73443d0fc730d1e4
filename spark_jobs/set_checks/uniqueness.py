"""Values that several records of a file share, exactly: one read and one shuffle for all checks of keys of a contract.

Records in; by drop and check the number of records that share their values, and the first such values, out. Values are
compared in their type (7 = 007), never by a hash only. Each record gives a row for each check; rows that do not fit
into memory go to disk. The records themselves are read a second time only if values repeat.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from contracts.plan import Plan
from spark_jobs.counting import bitmask

MOST = 5
LENGTH = 200
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Values that several records have: their texts in the first, the first two record numbers, how many records."""

    texts: tuple[str, ...]
    record: int
    also: int
    count: int


@dataclass(frozen=True, slots=True)
class Lacking:
    """A record without a whole key: the texts of its parts, None for a null."""

    texts: tuple[str | None, ...]
    record: int


def names(keys: bitmask.Numbered) -> list[str]:
    """List the properties whose cells some checks need, each once."""
    return list(dict.fromkeys(name for _, check in keys for name in check.needs()))


def filtered(cells: DataFrame, plan: Plan, keys: bitmask.Numbered) -> DataFrame:
    """Add `within<k>`, which is true if the filter of check k selects the record, for each check with a filter."""
    own = [(k, c.filter.sql) for k, c in keys if c.filter]
    if not own:
        return cells
    wanted, at = names(keys), {p.name: n for n, p in enumerate(plan.properties)}
    texts, values = ([f"{letter}{n}" for n in range(len(wanted))] for letter in "tv")
    kept = ["drop", "record", *texts]
    renamed = cells.select(*kept, *(sf.col(v).alias(f"of_{v}") for v in values))
    by_property = renamed.select(
        "*", *(sf.col(f"of_{v}").alias(f"v{at[name]}") for v, name in zip(values, wanted, strict=True))
    )
    tested = by_property.select("*", *(sf.expr(sql).alias(f"within{k}") for k, sql in own))
    return tested.select(*kept, *(sf.col(f"of_{v}").alias(v) for v in values), *(f"within{k}" for k, _ in own))


def keyed(cells: DataFrame, keys: bitmask.Numbered) -> DataFrame:
    """Make a row for each check for which a record has all values: drop, check, record, texts, k0, ...

    Checks share the columns of values: there are as many columns of a type as one check needs.
    """
    wanted, types = names(keys), dict(cells.dtypes)
    parts = {number: [wanted.index(name) for name in check.properties()] for number, check in keys}
    held: dict[
        int, dict[tuple[str, int], int]
    ] = {}  # the values by their column: a type, and a number among its columns
    for number, own in parts.items():
        kinds = [types[f"v{n}"] for n in own]
        held[number] = {(kind, kinds[:n].count(kind)): own[n] for n, kind in enumerate(kinds)}
    slots = list(dict.fromkeys(slot for own in held.values() for slot in own))
    structs = []  # the row of a record for each check; null if it lacks a value
    for number, own in parts.items():
        there = " and ".join([*(f"v{n} is not null" for n in own), *_within(number, types)])
        values = [
            f"'k{k}', {f'v{held[number][slot]}' if slot in held[number] else f'cast(null as {slot[0]})'}"
            for k, slot in enumerate(slots)
        ]
        struct = f"named_struct('check', {number}, 'texts', {_texts(own)}, {', '.join(values)})"
        structs.append(f"if({there}, {struct}, null)")
    each = cells.select("drop", "record", sf.expr(f"inline(array({', '.join(structs)}))"))
    return each.where(sf.col("check").isNotNull())


def _within(number: int, columns: Container[str]) -> list[str]:
    """Return the column that is true if the filter of a check selects a record, if there is one."""
    return [name] if (name := f"within{number}") in columns else []


def _texts(own: Sequence[int]) -> str:
    return f"array({', '.join(f'left(t{n}, {LENGTH})' for n in own)})"


def repeated(rows: DataFrame) -> DataFrame:
    """Return the values that occur more than once in a file: how often, and the first record that has them.

    They are kept on the executors' disks until `unpersist`, as they are read more than once.
    """
    counts = sf.count(sf.lit(1)).alias("n"), sf.min("record").alias("first")
    repeats = rows.groupBy("drop", "check", *_values(rows)).agg(*counts).where(sf.col("n") > 1)
    return repeats.persist(StorageLevel.DISK_ONLY)


def sharing(repeats: DataFrame) -> dict[tuple[int, int], int]:
    """Return how many records share their values with another, by drop and check."""
    counted = repeats.groupBy("drop", "check").agg(sf.sum("n").alias("n")).collect()
    return {(row["drop"], row["check"]): row["n"] for row in counted}


def first(rows: DataFrame, repeats: DataFrame) -> dict[tuple[int, int], list[Shared]]:
    """Return the first values of each drop and check that more than one record has, by record number."""
    order = sf.expr("row_number() over (partition by drop, check order by first)")
    chosen = repeats.select("*", order.alias("place")).where(sf.col("place") <= MOST)
    same = ["r.drop = c.drop", "r.check = c.check", *(f"r.{k} <=> c.{k}" for k in _values(rows))]
    having = rows.alias("r").join(sf.broadcast(chosen).alias("c"), sf.expr(" and ".join(same)))
    nth = sf.expr("row_number() over (partition by r.drop, r.check, c.first order by r.record)").alias("nth")
    pairs = having.select("r.drop", "r.check", "r.record", "r.texts", "c.first", "c.n", nth).where(sf.col("nth") <= 2)
    firsts = pairs.groupBy("drop", "check", "first", "n").agg(
        sf.max(_of(1, "texts")).alias("texts"), sf.max(_of(2, "record")).alias("also")
    )
    shared: dict[tuple[int, int], list[Shared]] = {}
    for row in sorted(firsts.collect(), key=lambda row: row["first"]):
        values = Shared(tuple(row["texts"]), row["first"], row["also"], row["n"])
        shared.setdefault((row["drop"], row["check"]), []).append(values)
    return shared


def lacking(cells: DataFrame, wanted: Sequence[str], keys: bitmask.Numbered) -> dict[tuple[int, int], list[Lacking]]:
    """Return the first records of each drop and check with a null in a part of the key; `wanted` names the cells."""
    parts = {number: [wanted.index(name) for name in check.properties()] for number, check in keys}
    lacks = {number: " or ".join(f"t{n} is null" for n in own) for number, own in parts.items()}
    tests = {k: " and ".join([f"({test})", *_within(k, cells.columns)]) for k, test in lacks.items()}
    rows = [
        f"if({tests[number]}, named_struct('check', {number}, 'texts', {_texts(own)}), null)"
        for number, own in parts.items()
    ]
    each = cells.select("drop", "record", sf.expr(f"inline(array({', '.join(rows)}))")).where("check is not null")
    nth = sf.expr("row_number() over (partition by drop, check order by record)")
    records: dict[tuple[int, int], list[Lacking]] = {}
    for row in each.select("*", nth.alias("nth")).where(sf.col("nth") <= MOST).collect():
        records.setdefault((row["drop"], row["check"]), []).append(Lacking(tuple(row["texts"]), row["record"]))
    return records


def _values(rows: DataFrame) -> list[str]:
    """List the columns of a row that are compared."""
    return [name for name in rows.columns if name.startswith("k")]


def _of(nth: int, column: str) -> Column:
    return sf.when(sf.col("nth") == nth, sf.col(column))
