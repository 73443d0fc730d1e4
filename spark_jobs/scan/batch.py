"""The drops of a request in, grouped and scanned into scratch; one that is not readable or has changed fails alone."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.job import SIFTED_FROM, DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem, visible
from contracts.terms.trailer import Trailer, TrailerReading, reading_of
from contracts.verdict import OURS
from spark_jobs.formats import registry, text_lines
from spark_jobs.prefilter import prefilter
from spark_jobs.rules import bitmask, row_checks
from spark_jobs.rules.lines import Place, Split
from spark_jobs.scan import first_pass, references, second_pass, tally
from spark_jobs.spark import storage

if TYPE_CHECKING:
    from spark_jobs.prefilter.arrow_tests import Proof
    from spark_jobs.prefilter.parquet_columns import Columns

Proofs = Mapping[tuple[tuple[str, ...], tuple[str, ...]], "Proof | Columns"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file: their number, how many are empty, and how many are a header or a trailer."""

    all: int = 0
    blank: int = 0
    aside: int = 0
    ending: TrailerReading | None = None

    @property
    def records(self) -> int:
        """Return the number of records."""
        return self.all - self.blank - self.aside


@dataclass(slots=True)
class Group:
    """Drops with one header, read together.

    Places, ids of headers and trailers, number of open lines and what a sieve has told come later.
    """

    header: tuple[str, ...]
    drops: list[JobDrop]
    source: DataFrame
    places: list[Place] = field(default_factory=list)
    aside: list[int] = field(default_factory=list)
    open: int = 0
    sifted: prefilter.Sifted | None = None


@dataclass(slots=True)
class Read:
    """Drops as they were read: in groups, the lines of each by its id, and results of those that could not be.

    `single` is how many lines are known one by one, as they fail or need a closer look; `judged` is what came of the
    latter, `told` are the counts of all others by file. `kept` is what executors keep until `forget`.
    """

    groups: list[Group]
    lines: dict[str, Lines]
    failed: dict[str, DropResult]
    scratch: DataFrame | None = None
    judged: DataFrame | None = None
    single: int = 0
    told: dict[str, tally.Teller] = field(default_factory=dict)
    kept: list[DataFrame] = field(default_factory=list)
    known: references.Known = field(default_factory=references.Known)


def read(spark: SparkSession, request: JobRequest, sift_from: int = SIFTED_FROM) -> Read:
    """Scan all lines into scratch; where that fails, find the files it fails for, and scan the others.

    Files of so many bytes or more with one header are sifted first, where that pays; of 0 wherever it can be.

    If it fails for each of several files, or for one whose lines can be counted, the cause is hardly in the files: the
    run fails, and may be tried again. Sifting may not be the cause of anything: what fails with it is scanned without.
    """
    known = references.read(spark, request)
    if proofs := _proofs(spark, request, sift_from):
        try:
            return _scan(spark, request, request.drops, known, proofs)
        except (PySparkException, Py4JError) as error:
            why = visible(_why(request.plan, error), 400)
            log.warning("Records are judged one by one, as they could not be sifted: %s", why)
    try:
        return _scan(spark, request, request.drops, known)
    except (PySparkException, Py4JJavaError) as error:
        failed = _unreadable(spark, request, request.drops, error, known)
        ours = [d for d in request.drops if d.id in failed and not failed[d.id].refusal]
        if len(ours) == len(request.drops) and (len(ours) > 1 or _is_readable(spark, request)):
            raise
        others = _scan(spark, request, [d for d in request.drops if d.id not in failed], known)
        return replace(others, failed=others.failed | failed)


def _proofs(spark: SparkSession, request: JobRequest, least: int) -> Proofs:
    """Return the pass conditions by the drops' header and types, for drops whose prefilter is possible and pays."""
    if not prefilter.is_for(request.drops, least):
        return {}
    plan, form = request.plan, registry.of(request.plan)
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], Proof | Columns] = {}
    for header, own in text_lines.by_header(request.drops):
        if not prefilter.is_for(own, least):
            continue
        types = own[0].types
        if plan.file_format == "parquet":
            pays = not least or prefilter.are_large(own)
            proven: Proof | Columns | None = prefilter.of_columns(plan, header, types) if pays else None
        elif (proof := prefilter.proof(plan, header, _header_texts(form, own))) and least:
            largest = max(own, key=attrgetter("size"))
            proven = proof if prefilter.pays(spark, plan, proof, largest) else None
        else:
            proven = proof
        if proven:
            found[header, types] = proven
    return found


def _unreadable(
    spark: SparkSession, request: JobRequest, drops: Sequence[JobDrop], error: Exception, known: references.Known
) -> dict[str, DropResult]:
    """The drops among some whose scan failed that cannot be scanned; found by halving, each fails alone."""
    if len(drops) == 1:
        return {drops[0].id: _result_of_error(spark, request, drops[0], error)}
    found: dict[str, DropResult] = {}
    half = len(drops) // 2
    for part in (drops[:half], drops[half:]):
        try:
            _scan(spark, request, part, known)
        except (PySparkException, Py4JJavaError) as cause:
            found |= _unreadable(spark, request, part, cause, known)
    return found


def _result_of_error(spark: SparkSession, request: JobRequest, drop: JobDrop, error: Exception) -> DropResult:
    """A drop that cannot be scanned: refused if its bytes are there and no file of its format, else failed."""
    fault = registry.of(request.plan).fault(spark, request.plan, drop)
    if fault is None:
        problem = Problem("unreadable", f"The file could not be read: {_why(request.plan, error)}", OURS)
        return DropResult(drop.id, drop.attempt, failure=problem)
    return _refused(drop, fault)


def _why(plan: Plan, error: Exception) -> str:
    """Return the first line of an error; for plans with classified values only its type: the text may quote them."""
    if not plan.classified:
        return text_lines.first_line(error)
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    return f"{condition or type(error).__name__}; no more is told, as it may quote a classified value"


def _refused(drop: JobDrop, why: Problem) -> DropResult:
    return DropResult(drop.id, drop.attempt, notes=drop.notes, refusal=why)


def _is_readable(spark: SparkSession, request: JobRequest) -> bool:
    """Return True if the records of its drops can be counted."""
    try:
        registry.of(request.plan).load(spark, request.plan, request.drops).count()
    except (PySparkException, Py4JJavaError):
        return False
    return True


def _grouped(spark: SparkSession, plan: Plan, drops: Sequence[JobDrop]) -> list[Group]:
    form = registry.of(plan)
    return [Group(header, own, form.load(spark, plan, own)) for header, own in text_lines.by_header(drops)]


def _scan(
    spark: SparkSession,
    request: JobRequest,
    drops: Sequence[JobDrop],
    known: references.Known,
    proofs: Proofs = MappingProxyType({}),
) -> Read:
    """Scan all lines into scratch and find each file's records; a first line that is no header fails the drop."""
    form = registry.of(request.plan)
    refused = form.refused(spark, request.plan, drops)
    groups = _grouped(spark, request.plan, [d for d in drops if d.id not in refused])
    found = Read(groups, {}, {d.id: _refused(d, refused[d.id]) for d in drops if d.id in refused}, known=known)
    if not groups:
        return found
    try:
        _sift(spark, found, request.plan, proofs)
        found.scratch = _scratched(spark, request, found)
        with ThreadPoolExecutor(1) as pool:  # each leaves a part of the executors idle
            counts = pool.submit(_counted, found, request.plan)
            splits = _splits(found, request.plan)
        found.told, opened = counts.result()
    except BaseException:
        forget(found)
        raise
    found.single = sum(opened.values()) + sum(teller.failing for teller in found.told.values())
    for group in found.groups:
        for drop in group.drops:
            its = splits.get(storage.plain(drop.uri), [])
            own = [split for split in its if split.n > split.blank]
            found.lines[drop.id] = _lines(request.plan, form, its, own)
            if not _placed(group, drop, own, form if form.is_headed(request.plan) else None, found.lines[drop.id]):
                found.failed[drop.id] = _header_changed(drop)
        group.open = sum(opened.get(file, 0) for file in {place.file for place in group.places})
        group.open -= len(group.aside) if group.sifted is None else 0  # a sieve knows what is aside
    return found


def forget(read: Read) -> None:
    """Give back what executors keep."""
    for rows in read.kept:
        rows.unpersist()


def _sift(spark: SparkSession, read: Read, plan: Plan, proofs: Proofs) -> None:
    for group in list(read.groups):
        proof = proofs.get((group.header, group.drops[0].types))
        if proof and plan.file_format == "parquet":
            _sift_columns(spark, read, group, plan, cast("Columns", proof))
        elif proof:
            of_lines = cast("Proof", proof)
            rows = prefilter.sifted(group.source, plan, of_lines)
            read.kept.append(rows.persist(StorageLevel.DISK_ONLY))
            group.sifted = prefilter.told(rows, plan, of_lines)


def _sift_columns(spark: SparkSession, read: Read, group: Group, plan: Plan, proof: Columns) -> None:
    """Sift Parquet files; those that do not pass as a whole become a group of their own."""
    told = prefilter.columns_told(group.source, proof)
    paths = {f"file://{path}" for path, _, _ in told}
    passing = [drop for drop in group.drops if storage.plain(drop.uri) in paths]
    others = [drop for drop in group.drops if storage.plain(drop.uri) not in paths]
    if not passing:
        return
    if others:
        form = registry.of(plan)
        read.groups.append(Group(group.header, others, form.load(spark, plan, others)))
        group.drops, group.source = passing, form.load(spark, plan, passing)
    group.sifted = prefilter.whole(group.source, plan, proof, told)


def _scratched(spark: SparkSession, request: JobRequest, read: Read) -> DataFrame | None:
    """Scan the lines that no prefilter has counted into scratch; None if there are none."""
    plan, form, parts = request.plan, registry.of(request.plan), []
    for group in read.groups:
        texts = _header_texts(form, group.drops)
        if group.sifted is None:
            parts.append(first_pass.scan(group.source, plan, group.header, texts, read.known))
        elif group.sifted.leaves:
            parts.append(first_pass.scan_odd(group.sifted.odd, plan, group.header, texts, read.known))
    if not parts:
        return None
    scanned = reduce(DataFrame.unionByName, parts)
    if all(group.sifted for group in read.groups):  # so few that executors may keep them
        read.kept.append(scanned.persist(StorageLevel.DISK_ONLY))
        return scanned
    return _written(spark, scanned, request, "lines")


def _splits(read: Read, plan: Plan) -> dict[str, list[Split]]:
    """Return the facts of each part of each file, in order; a prefilter's facts are complete."""
    found: dict[tuple[str, int], Split] = {}
    if read.scratch is not None and any(group.sifted is None for group in read.groups):
        form = registry.of(plan)
        ends = form.ends(sf.col("raw"), plan) if plan.csv.trailer else None
        texts = _header_texts(form, [drop for group in read.groups for drop in group.drops])
        found = {(split.file, split.block): split for split in tally.splits(read.scratch, texts, ends)}
    for group in read.groups:
        found |= group.sifted.splits() if group.sifted else {}
    by_file: dict[str, list[Split]] = {}
    for split in sorted(found.values(), key=attrgetter("block")):
        by_file.setdefault(storage.plain(split.file), []).append(split)
    return by_file


def judge_open(spark: SparkSession, request: JobRequest, read: Read) -> None:
    """Judge the lines that are still open, once, into scratch: as placed, n, words, sums."""
    plan = request.plan
    shape = [*tally.PLACED, "n", *bitmask.words(plan), *row_checks.summed_names(plan)]
    parts = [
        second_pass.judge(
            tally.placed(spark, _scratch(read).where(tally.is_open()), g.places), plan, g.header, read.known
        )
        for g in read.groups
        if g.open > 0
    ]
    if parts:
        each = (part.select(*shape) for part in parts)
        read.judged = _written(spark, reduce(DataFrame.unionByName, each), request, "judged")


def told(read: Read, plan: Plan) -> dict[str, tally.Teller]:
    """The counts of all records, by file."""
    return read.told if read.judged is None else _counted(read, plan)[0]


def _counted(read: Read, plan: Plan) -> tuple[dict[str, tally.Teller], dict[str, int]]:
    """By file the counts of all records that were judged so far, and how many are open."""
    shape = ["file", "n", *bitmask.words(plan), *row_checks.summed_names(plan)]
    records = None
    if read.scratch is not None:
        records = read.scratch.where(sf.col("m0").isNotNull() | sf.col("at").isNotNull()).select(*shape)
    if records is not None and read.judged is not None:  # which may fail the same checks as others
        records = records.unionByName(read.judged.select(*shape))
    return tally.told(records, plan, [one for g in read.groups if g.sifted for one in g.sifted.told()])


def singles(spark: SparkSession, read: Read, plan: Plan) -> DataFrame:
    """The records that are known one by one, those that fail among them: as placed, words."""
    words = bitmask.words(plan)
    shape = [*tally.PLACED, *words]
    places = [place for group in read.groups for place in group.places]
    parts = [group.sifted.failing(words) for group in read.groups if group.sifted and group.sifted.fails]
    if read.scratch is not None:
        judged = sf.col("m0").isNotNull() & sf.col("at").isNotNull()
        parts.append(read.scratch.where(judged).select("file", "block", "at", "raw", *words))
    known = tally.placed(spark, reduce(DataFrame.unionByName, parts), places).select(*shape)
    return known if read.judged is None else known.unionByName(read.judged.select(*shape))


def _scratch(read: Read) -> DataFrame:
    assert read.scratch is not None, "nothing was scanned"
    return read.scratch


def _written(spark: SparkSession, rows: DataFrame, request: JobRequest, name: str) -> DataFrame:
    """Rows as they lie in scratch, once they are written; Spark need not look there for their schema."""
    folder = storage.plain(request.scratch) + name
    rows.write.mode("overwrite").parquet(folder)
    return spark.read.schema(rows.schema).parquet(folder)


def _lines(plan: Plan, form: registry.Format, splits: Sequence[Split], own: Sequence[Split]) -> Lines:
    """Return the line counts of a file; `own` are its splits that have more than empty lines."""
    lines, blank = (sum(getattr(split, name) for split in splits) for name in ("n", "blank"))
    ending = _ending(plan, plan.csv.trailer, form, own) if plan.csv.trailer else None
    return Lines(lines, blank, form.is_headed(plan) + bool(ending and ending.cells is not None), ending)


def _ending(plan: Plan, rule: Trailer, form: registry.Format, splits: Sequence[Split]) -> TrailerReading:
    """Return the trailers of a file: the last line, with its cells, and the first of all other such lines."""
    end: Any = splits[-1].last if splits else None
    is_last = end is not None and end.at == _end(splits[-1])
    last = form.last_cells(bytes(end.raw), plan) if is_last else None
    before, early = 0 if form.is_headed(plan) else 1, None
    for split in splits:
        if early is None and split.early is not None and not (is_last and split.early == end.at):
            early = split.early - split.first + before
        before += split.n - split.blank
    return reading_of(rule, last, early)


def _end(split: Split) -> int:
    """The id of the last line of a split."""
    return split.first + split.n - split.blank - 1


def _placed(group: Group, drop: JobDrop, splits: Sequence[Split], headed: registry.Format | None, lines: Lines) -> bool:
    """Note where the records of a drop lie; false if its first line should be its header, and is not."""
    if headed:
        if not splits or splits[0].block != 0:
            return False
        start: Any = splits[0].head
        if start is None or start.at != splits[0].first or start.raw not in headed.header_texts(drop):
            return False
        group.aside.append(start.at)
    if lines.ending and lines.ending.cells is not None:
        group.aside.append(_end(splits[-1]))
    offset, last = 0 if headed else 1, lines.records
    for split in splits:
        group.places.append(Place(split.file, split.block, drop, offset - split.first, last))
        offset += split.n - split.blank
    return True


def _header_texts(form: registry.Format, drops: Iterable[JobDrop]) -> list[str]:
    return sorted({text for d in drops for text in form.header_texts(d)})


def _header_changed(drop: JobDrop) -> DropResult:
    text = "The first line of the file is not the header that was admitted: the file changed, or was not read whole."
    return DropResult(drop.id, drop.attempt, failure=Problem("header-changed", text, OURS))
