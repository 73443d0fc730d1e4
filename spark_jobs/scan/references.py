"""Reference values: a plan's references in, the distinct keys of each check out, in scratch.

Each is read once for a batch. If a reference is missing, cannot be read or has no key, the checks that need it are
`error`. Spark sends a small set of keys to every executor, and shuffles a large one with the records. Few keys of one
column come to the driver's Python as well, as a list for the prefilter.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import reduce

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts import rules
from contracts.files import columns as files_columns
from contracts.files import csv_cells, csv_top, encodings
from contracts.job import JobDrop, JobReference, JobRequest
from contracts.plan import OF_JSON, ROW_END, Check, Plan, Reference, record_checks
from contracts.problem import Problem
from contracts.terms.value_form import PLAIN
from spark_jobs.counting import top_lines
from spark_jobs.counting.lines import SplitCounts
from spark_jobs.counting.placement import first_lines
from spark_jobs.counting.results import ReferenceNotes
from spark_jobs.formats import registry, text_lines
from spark_jobs.rules import row_checks
from spark_jobs.scan import footers
from spark_jobs.spark import storage
from spark_jobs.transcribing import in_lines

MOST_BROADCAST = 500_000
"""Keys up to which every executor gets all of them, if they have 100 bytes or less on average."""
MOST_BYTES = 100 * MOST_BROADCAST
MOST_LISTED = 200_000
"""Keys up to which the prefilter gets a list of them, if they have 100 bytes or less on average."""
OF_A_KEY = 16
"""Bytes of a value in addition to its text."""
HEADER = 1 << 16
"""Bytes in which a header must end, as in admission."""
HIDDEN_ERROR = "the error is hidden, as it may quote a classified value"
HIDDEN = ("_", ".")
"""Prefixes of the names of files that Spark leaves out without a warning."""
PACKED = (".gz", ".bz2", ".deflate", ".lz4", ".snappy", ".zst")
"""Suffixes of the names of files that Spark unpacks (Hadoop's codecs)."""
SALTS = 64
"""Parts over which records without a key are spread; otherwise one task would get them all."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The distinct keys of a reference for a check: key0, key1 ...; `small` ones are broadcast, `few` ones listed."""

    rows: DataFrame
    small: bool
    few: bool = False

    def listed(self) -> tuple[str, ...]:
        """Return the keys of one column as texts."""
        every = self.rows.select(sf.collect_list(sf.col("key0").cast("string"))).first()
        return tuple(every[0]) if every else ()

    def joined(self, rows: DataFrame, name: str, values: Sequence[str]) -> DataFrame:
        """Add a column to rows that is true if their values are a whole key, and none of these."""
        own = [f"{name}_{n}" for n in range(len(values))]
        lacks = " or ".join(f"{value} is null" for value in values)
        there = self.rows.toDF(*own).withColumn(name, sf.lit(True))
        on = [sf.col(value) == sf.col(key) for value, key in zip(values, own, strict=True)]
        before: list[Column] = [sf.col(f"`{column}`") for column in rows.columns]
        if self.small:
            both = rows.join(sf.broadcast(there), on, "left")
        else:
            salt = (
                sf.when(sf.expr(lacks), sf.monotonically_increasing_id() % SALTS + 1).otherwise(0).alias(f"{name}_salt")
            )
            salted = there.withColumn(f"{name}_none", sf.lit(0).cast("long")).hint("shuffle_merge")
            both = rows.select("*", salt).join(salted, [*on, sf.col(f"{name}_salt") == sf.col(f"{name}_none")], "left")
        return both.select(*before, sf.expr(f"not ({lacks}) and {name} is null").alias(name))


@dataclass(frozen=True, slots=True)
class References:
    """The references of a plan: keys by check id, and notes of all."""

    keys: Mapping[str, Keys] = field(default_factory=dict)
    notes: ReferenceNotes = field(default_factory=ReferenceNotes)


class Unusable(Exception):
    """A reference that cannot be used, with a reason that completes a sentence about it."""


def read(spark: SparkSession, request: JobRequest) -> References:
    """Read the keys of all references of a request's plan into scratch."""
    plan, pinned = request.plan, {reference.name: reference for reference in request.references}
    keys: dict[str, Keys] = {}
    problems: dict[str, str] = {}
    versions: dict[str, str] = {}
    before: dict[tuple[object, ...], Keys] = {}
    for number, check in enumerate(plan.checks):
        if not isinstance(check.rule, rules.ForeignKey):
            continue
        columns, reference = check.rule.columns, plan.reference(check.rule)
        name = reference.name
        pin = pinned.get(name, JobReference(name, problem="is not in the request"))
        theirs = _plan_of(plan, check, columns, reference, pin)
        same = (name, *columns, theirs.properties)
        if pin.version:
            versions[check.id] = pin.version
        try:
            if same not in before:
                before[same] = _keys(spark, request, number, columns, theirs, pin)
            keys[check.id] = before[same]
        except Unusable as unusable:
            problems[check.id] = f"the reference `{name}` {unusable}"
        except (PySparkException, Py4JJavaError, OSError, UnicodeError, zlib.error) as error:
            why = HIDDEN_ERROR if plan.masks(check) else text_lines.first_line(error)
            problems[check.id] = f"the reference `{name}` could not be read: {why}"
    return References(keys, ReferenceNotes(problems, versions))


def _plan_of(plan: Plan, check: Check, theirs: Sequence[str], reference: Reference, pinned: JobReference) -> Plan:
    """Return the plan to read a reference: promoted files by their own contract, a file by the needed properties."""
    if pinned.plan:
        return pinned.plan
    columns = []  # of the types of the properties, and in the file's own forms
    for name, own in zip(theirs, check.properties(), strict=True):
        prop = plan.property_named(own)
        form = (reference.forms or {}).get(name, PLAIN).of_type(prop.type)
        is_usual = form == PLAIN and (reference.file_format not in OF_JSON or name not in (reference.forms or {}))
        columns.append(replace(prop, name=name, path=(), header_names=(), form=None if is_usual else form))
    return Plan(
        contract=reference.name,
        id=reference.name,
        version="",
        object=reference.name,
        producer="",
        files=(),
        properties=tuple(columns),
        checks=record_checks(reference.file_format, "ignore"),
        csv=reference.csv,
        file_format=reference.file_format,
        json=reference.json,
    )


def _keys(
    spark: SparkSession, request: JobRequest, number: int, columns: Sequence[str], agreed: Plan, pinned: JobReference
) -> Keys:
    """Read the keys of one check and write them once; raise Unusable if there are none."""
    if pinned.problem:
        raise Unusable(pinned.problem)
    place, plan = f"{request.scratch}reference{number}-in-lines/", agreed.transcribed

    def described(n: int) -> JobDrop:
        if not agreed.unpacked_first:
            _check_name(agreed, pinned.files[n])
        members = in_lines.lines_of(spark, agreed, pinned.files[n], f"{place}{n}/")
        if isinstance(members, Problem):
            raise Unusable(f"cannot be read: {members.message}")
        drop = _file(spark, plan, columns, members[0].uri)
        return replace(drop, members=members) if plan.archive else drop

    with ThreadPoolExecutor(8) as pool:
        drops = list(pool.map(described, range(len(pinned.files))))
    groups = [(own[0].header, own) for own in _alike(plan, drops) if set(columns) <= set(own[0].header)]
    if not groups:
        raise Unusable(f"has no column {_quoted(columns)}")
    form, parts = registry.of(plan), []
    for header, own in groups:
        for problem in form.refusals(spark, plan, own).values():
            raise Unusable(f"cannot be read: {problem.message}")
        source = form.without_header(form.load(spark, plan, own), plan, own)
        aside = _above(plan, source, own) if plan.csv.has_top else []
        aside += [row["id"] for row in footers.lines(source, plan, top_lines.header_texts(plan, own))]
        records = form.records(source, plan, header, columns, aside, True)
        parts.append(records.selectExpr(*(f"v{n} as key{n}" for n in range(len(columns)))))
    folder = f"{storage.plain(request.scratch)}reference{number}"
    distinct = reduce(DataFrame.unionByName, parts).dropna().distinct()
    distinct.write.mode("overwrite").parquet(folder)
    rows = spark.read.schema(distinct.schema).parquet(folder)
    texts = " + ".join(f"octet_length(cast({name} as string)) + {OF_A_KEY}" for name in rows.columns)
    count, size = rows.selectExpr("count(1)", f"coalesce(sum({texts}), 0)").first() or (0, 0)
    if not count:
        raise Unusable(f"is empty: nothing in it has {_quoted(columns)}")
    few = len(columns) == 1 and count <= MOST_LISTED and size <= MOST_LISTED * MOST_BYTES // MOST_BROADCAST
    return Keys(rows, small=count <= MOST_BROADCAST and size <= MOST_BYTES, few=few)


def _alike(plan: Plan, drops: Iterable[JobDrop]) -> Iterator[list[JobDrop]]:
    """Yield the files that can be read together: with the same columns, and as many lines above the records.

    Ids of records over several lines begin anew in each file, so that a file with a footer is read alone.
    """
    alone = plan.csv.multi_line and plan.csv.footer is not None
    for _, own in text_lines.by_header(drops):
        by_count: dict[object, list[JobDrop]] = {}
        for drop in own:
            key = drop.id if alone else len(top_lines.above(plan, drop))
            by_count.setdefault(key, []).append(drop)
        yield from by_count.values()


def _above(plan: Plan, source: DataFrame, drops: Sequence[JobDrop]) -> list[int]:
    """Return the ids of the lines above the records of files that have as many of them."""
    lines = text_lines.as_lines(source, plan.csv)
    counts = lines.groupBy("file", "block").agg(sf.count("id").alias("n"), sf.min("id").alias("first"))
    by_file: dict[str, list[SplitCounts]] = {}
    for file, block, n, first in sorted(tuple(row) for row in counts.where("n > 0").collect()):
        by_file.setdefault(file, []).append(SplitCounts(file, block, n, 0, first, None))
    count = len(top_lines.above(plan, drops[0]))
    return sorted({at for splits in by_file.values() for _, _, at in first_lines(splits, count)})


def _quoted(columns: Iterable[str]) -> str:
    return ", ".join(f"`{column}`" for column in columns)


def _check_name(plan: Plan, uri: str) -> None:
    """Raise Unusable for a file whose name makes Spark leave it out, or read it otherwise than its contract says."""
    name = _name(uri)
    if name.startswith(HIDDEN):
        raise Unusable(f"has a file `{name}`, which Spark takes for a hidden one and leaves out")
    packed = name.endswith(".gz") if plan.compression == "gzip" else name.endswith(PACKED)
    if packed != (plan.compression == "gzip") and plan.file_format != "parquet":
        raise Unusable(f"has a file `{name}`, which Spark would read by its name, and not as its contract says")


def _name(uri: str) -> str:
    return storage.plain(uri).rpartition("/")[2]


def _file(spark: SparkSession, plan: Plan, columns: Sequence[str], uri: str) -> JobDrop:
    """Describe a file of a reference as a drop, with its columns; of Parquet only with those that are needed."""
    line, types = "", {}
    if plan.file_format == "parquet":
        in_file = {f.name: f.dataType.simpleString() for f in spark.read.parquet(text_lines.path(uri)).schema}
        types = {name: in_file[name] for name in columns if name in in_file}
        header = tuple(types)
    elif plan.has_cells:
        line = _top(spark, plan, uri) if plan.csv.header or plan.csv.has_top else ""
        header = files_columns.of_file(plan, line)
    else:
        header = tuple(p.name for p in plan.roots)
    return JobDrop(uri, 1, uri, uri, 0, header, line, types=tuple(types.values()))


def _top(spark: SparkSession, plan: Plan, uri: str) -> str:
    """Return the lines above the records of a file: its header line, or all agreed rows."""
    start = storage.read_start(spark, uri, HEADER)
    if plan.compression == "gzip" and not plan.is_recoded:
        start = zlib.decompressobj(wbits=31).decompress(start, HEADER)
    text = start.decode(encodings.read_as(plan.csv.encoding), "replace")
    text = text.lstrip(ROW_END) if plan.sheet else text
    if not plan.csv.has_top:
        return csv_cells.first_line(text, plan.csv) or ""
    top = csv_top.read(plan.csv, text, whole=len(start) < HEADER)
    if not isinstance(top, csv_top.Top):
        raise Unusable(f"has a file `{_name(uri)}` without the rows above its records that are agreed")
    return top.text


def joined(rows: DataFrame, plan: Plan, present: Container[str], references: References) -> DataFrame:
    """Add to rows with v<n>, for each foreign key that can be checked, whether a complete key is in no reference.

    A key with a null in any part is no key (MATCH SIMPLE of SQL).
    """
    numbers = {p.name: n for n, p in enumerate(plan.properties)}
    for check in plan.checks:
        if isinstance(check.rule, rules.ForeignKey) and all(name in present for name in check.needs()):
            name, values = row_checks.partnerless(plan, check), [f"v{numbers[name]}" for name in check.properties()]
            if keys := references.keys.get(check.id):
                rows = keys.joined(rows, name, values)
            else:
                rows = rows.withColumn(name, sf.lit(False))
    return rows
