"""Step 3, scan: prefiltered groups in; their lines in scratch, record numbers and counts by file out.

The scan judges each record that is plain. A line that needs a closer look is open: the second pass judges it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from operator import attrgetter

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from contracts.job import DropResult, JobDrop, JobRequest
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.verdict import OURS
from spark_jobs.counting import bitmask, sums, top_lines
from spark_jobs.counting.lines import FileSplit, MaskCount, SplitCounts, owner
from spark_jobs.counting.narrowing import Narrowing
from spark_jobs.counting.placement import LineCounts, Placement, Spot, first_lines, line_counts, place
from spark_jobs.counting.tally import Tally
from spark_jobs.formats import registry
from spark_jobs.prefilter.prefilter import Prefiltered
from spark_jobs.scan import first_pass, footers, tally
from spark_jobs.scan.prefiltering import PrefilteredBatch, PrefilteredGroup
from spark_jobs.scan.references import References
from spark_jobs.spark import small_frames, storage

HEADER_CHANGED = Problem(
    "header-changed",
    "The first line of the file is not the header that was admitted: the file changed, or was not read whole.",
    OURS,
)


@dataclass(frozen=True, slots=True)
class ScannedGroup:
    """Drops with one header and their records: by `splits`, without the lines with the ids `aside`.

    `unjudged` is the number of open lines; `prefiltered` is the prefilter's result, if there is one.
    """

    header: tuple[str, ...]
    drops: tuple[JobDrop, ...]
    source: DataFrame
    splits: tuple[FileSplit, ...]
    aside: tuple[int, ...]
    unjudged: int
    prefiltered: Prefiltered | None

    @property
    def placed_drops(self) -> list[str]:
        """List the ids of the drops whose records have numbers."""
        return list(dict.fromkeys(split.drop.id for split in self.splits))

    @classmethod
    def of(
        cls, plan: Plan, group: PrefilteredGroup, placed: Mapping[str, Placement | None], unjudged: Mapping[str, int]
    ) -> ScannedGroup:
        """Return a group with the places of its records, and the number of lines that are open."""
        placements = [placement for drop in group.read.drops if (placement := placed[drop.id]) is not None]
        splits = tuple(split for placement in placements for split in placement.splits)
        aside = tuple(at for placement in placements for at in placement.aside)
        without_mask = sum(unjudged.get(file, 0) for file in {owner(plan, split.file) for split in splits})
        return cls(
            header=group.read.header,
            drops=group.read.drops,
            source=group.read.source,
            splits=splits,
            aside=aside,
            unjudged=without_mask - (len(aside) if group.result is None else 0),  # a prefilter leaves these lines out
            prefiltered=group.result,
        )


@dataclass(frozen=True, slots=True)
class ScannedBatch:
    """The scanned groups; lines by drop; results of drops that failed; judged and open lines in scratch.

    `counts` are those of all judged records, by file. In scratch are the masks and sums of the narrowed plan.
    """

    groups: tuple[ScannedGroup, ...]
    lines: dict[str, LineCounts]
    failed: dict[str, DropResult]
    scratch: DataFrame | None
    counts: dict[str, Tally]
    references: References
    narrowing: Narrowing

    @property
    def single(self) -> int:
        """Return the number of records with a row of their own in scratch or in the prefilter's result.

        These are the records that fail or are open.
        """
        return sum(group.unjudged for group in self.groups) + sum(count.failing for count in self.counts.values())

    def mask_counts(self) -> list[MaskCount]:
        """List the prefilter's counts."""
        results = (group.prefiltered for group in self.groups)
        return [count for result in results if result for count in counted(result, self.narrowing)]


def counted(result: Prefiltered, narrowing: Narrowing) -> Iterator[MaskCount]:
    """Return a prefilter's counts of all that Spark does not count."""
    return result.mask_counts(None if narrowing.is_whole else narrowing.places)


def scan(spark: SparkSession, request: JobRequest, batch: PrefilteredBatch, cached: ExitStack) -> ScannedBatch:
    """Scan all lines that no prefilter has counted; a drop fails if its first lines are not as admitted."""
    plan, narrowing = request.plan, batch.narrowing(request.plan)
    scratch = _scratch(spark, request, batch, narrowing.plan, cached)
    mask_counts = (count for group in batch.groups if group.result for count in counted(group.result, narrowing))
    records = None if scratch is None else judged_and_open(scratch, narrowing.plan)
    with ThreadPoolExecutor(1) as pool:  # each leaves a part of the executors idle
        pending = pool.submit(tally.count_by_file, records, narrowing, mask_counts)
        splits = _splits_by_file(scratch, batch.groups, plan)
    counts, unjudged = pending.result()
    drops = [drop for group in batch.groups for drop in group.read.drops]
    by_drop = {drop.id: [s for uri in drop.uris for s in splits.get(storage.plain(uri), ())] for drop in drops}
    lines = {drop.id: line_counts(plan, drop, by_drop[drop.id]) for drop in drops}
    tops = _tops(spark, plan, drops, by_drop, scratch)
    placed = {drop.id: place(plan, drop, by_drop[drop.id], lines[drop.id], tops) for drop in drops}
    changed = {d.id: DropResult(d.id, d.attempt, failure=HEADER_CHANGED) for d in drops if placed[d.id] is None}
    return ScannedBatch(
        groups=tuple(ScannedGroup.of(plan, group, placed, unjudged) for group in batch.groups),
        lines=lines,
        failed=batch.failed | changed,
        scratch=scratch,
        counts=counts,
        references=batch.references,
        narrowing=narrowing,
    )


def _scratch(
    spark: SparkSession, request: JobRequest, batch: PrefilteredBatch, plan: Plan, cached: ExitStack
) -> DataFrame | None:
    """Scan the lines that no prefilter has counted into scratch, by a narrowed plan; None if there are none."""
    parts = []
    for group in batch.groups:
        header, texts = group.read.header, top_lines.header_texts(plan, group.read.drops)
        if group.result is None:
            texts += footers.texts(group.read.source, plan, texts)
            parts.append(first_pass.scan(group.read.source, plan, header, texts, batch.references))
        elif group.result.leaves:
            parts.append(first_pass.scan_odd(group.result.odd, plan, header, texts, batch.references))
    if not parts:
        return None
    scanned = reduce(DataFrame.unionByName, parts)
    if all(group.result for group in batch.groups):  # so few that executors may keep them
        cached.callback(scanned.persist(StorageLevel.DISK_ONLY).unpersist)
        return scanned
    return written(spark, scanned, request, "lines")


def written(spark: SparkSession, rows: DataFrame, request: JobRequest, name: str) -> DataFrame:
    """Write rows to a folder of scratch and return them as they are there; Spark need not read their schema."""
    folder = storage.plain(request.scratch) + name
    rows.write.mode("overwrite").parquet(folder)
    return spark.read.schema(rows.schema).parquet(folder)


def judged_and_open(scratch: DataFrame, plan: Plan) -> DataFrame:
    """Return the groups of scratch without those of empty lines, in the columns that are counted."""
    return scratch.where(~tally.is_blank()).select(*counted_columns(plan))


def counted_columns(plan: Plan) -> list[str]:
    """List the columns of judged records that are counted."""
    return ["file", "n", *bitmask.mask_columns(plan), *sums.names(plan)]


def _splits_by_file(
    scratch: DataFrame | None, groups: Sequence[PrefilteredGroup], plan: Plan
) -> dict[str, list[SplitCounts]]:
    """Count the lines of each split of each file, in order; a prefilter's counts are complete."""
    splits: dict[tuple[str, int], SplitCounts] = {}
    if scratch is not None and any(group.result is None for group in groups):
        is_trailer = registry.of(plan).is_trailer(sf.col("raw"), plan) if plan.csv.ending else None
        texts = top_lines.header_texts(plan, [drop for group in groups for drop in group.read.drops])
        splits = {(split.file, split.block): split for split in tally.split_counts(scratch, texts, is_trailer)}
    for group in groups:
        splits |= group.result.splits() if group.result else {}
    by_file: dict[str, list[SplitCounts]] = {}
    for split in sorted(splits.values(), key=attrgetter("block")):
        by_file.setdefault(storage.plain(split.file), []).append(split)
    return by_file


def _tops(
    spark: SparkSession,
    plan: Plan,
    drops: Sequence[JobDrop],
    by_drop: Mapping[str, Sequence[SplitCounts]],
    scratch: DataFrame | None,
) -> dict[Spot, str | bytes]:
    """Return the texts of the first lines of files, by their places: the header, or all agreed rows."""
    splits = (split for own in by_drop.values() for split in own)
    tops = {(split.file, split.block, split.head.at): split.head.raw for split in splits if split.head}
    if scratch is None or not plan.csv.has_rows_above:
        return tops
    spots = [spot for drop in drops for spot in first_lines(by_drop[drop.id], len(top_lines.above(plan, drop)))]
    wanted = small_frames.small(spark, spots, "file string, block long, at long")
    rows = scratch.join(sf.broadcast(wanted), ["file", "block", "at"]).select("file", "block", "at", "raw").collect()
    return tops | {(row["file"], row["block"], row["at"]): row["raw"] for row in rows}
