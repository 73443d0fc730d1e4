"""The prefilter: large files in; counts of the lines that surely pass or fail in Arrow, and all other lines, out.

It takes half the time of judging lines one by one, and the results are the same. It is left out if Python has no Arrow,
or if a contract has a check that Arrow cannot test.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from contracts.files import encodings
from contracts.files.header import MOST_COLUMNS
from contracts.job import JobDrop, is_broad
from contracts.plan import Csv, Plan
from contracts.values import long_lines
from spark_jobs.counting import bitmask
from spark_jobs.counting.lines import MaskCount
from spark_jobs.formats import parquet_pages, text_lines
from spark_jobs.prefilter import sure_lines
from spark_jobs.prefilter.ranges import Source
from spark_jobs.prefilter.stretch_counts import StretchCounts, key_parsers
from spark_jobs.prefilter.sure_lines import SureLines
from spark_jobs.spark import presigning, storage
from spark_jobs.spark.jvm import java_class

if TYPE_CHECKING:
    import pyarrow as pa

    from spark_jobs.prefilter.arrow_tests import PassCondition
    from spark_jobs.prefilter.local_lines import Piece
    from spark_jobs.prefilter.parquet_columns import ColumnConditions


MOST_CHUNKS = 10_000
"""Columns of row groups that are tested; Java is asked about each, which takes some tenths of a millisecond."""
MEAN = 4 * 2**20
"""Mean bytes of Parquet files from which on reading their footers and page headers here pays."""
SAMPLE = 2**16
"""Bytes of a file's start that are tested to see whether prefiltering pays."""


def is_for(plan: Plan, drops: Sequence[JobDrop], least: int) -> bool:
    """Return True if the lines of files with one header are to be prefiltered, if their contract allows it."""
    return (is_broad(plan, len(drops[0].header)) or sum(drop.size for drop in drops) >= least) and has_arrow()


def has_arrow() -> bool:
    """Return True if this Python can prefilter lines."""
    return _is_here("pyarrow.csv")


def _is_here(module: str) -> bool:
    """Return True if a module loads: one built for another machine exists but does not load."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def pass_condition(
    plan: Plan, header: tuple[str, ...], header_texts: Sequence[str], *, narrows: bool = False
) -> PassCondition | None:
    """Return the condition for lines of files with one header to pass; None if Arrow cannot test it.

    If it `narrows`, or if there are very many columns, odd lines are tested cell by cell.
    """
    from spark_jobs.prefilter import plan_tests  # noqa: PLC0415 (needs Arrow)

    broad = is_broad(plan, len(header))
    widest = MOST_COLUMNS if broad else plan_tests.WIDE
    condition = plan_tests.pass_condition(plan, header, header_texts, widest, narrows=narrows or broad)
    return condition and plan_tests.with_looser(condition, plan, header, header_texts)


def are_large(drops: Sequence[JobDrop]) -> bool:
    """Return True if Parquet files are large enough to prefilter: each is opened in turn before."""
    return sum(drop.size for drop in drops) >= MEAN * len(drops)


def column_conditions(plan: Plan, header: tuple[str, ...], types: tuple[str, ...]) -> ColumnConditions | None:
    """Return the condition for records of Parquet files with the same columns to pass; None if Arrow cannot test it."""
    from spark_jobs.prefilter import plan_tests  # noqa: PLC0415 (needs Arrow)

    if not _is_here("pyarrow.parquet"):
        return None
    return plan_tests.column_conditions(plan, header, types)


def pays(spark: SparkSession, plan: Plan, condition: PassCondition, drop: JobDrop) -> bool:
    """Return True if the result of most first lines of a file is certain; otherwise all would be read twice."""
    try:
        start = storage.read_start(spark, drop.uri, SAMPLE)
    except Py4JJavaError:  # the scan will report it
        return False
    if plan.compression == "gzip" and not plan.is_recoded:
        try:
            start = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(start, SAMPLE)
        except zlib.error:
            return False
    passing, failing, lines = _sure(start, condition)
    return 2 * (passing + failing) >= lines


def most_pass(start: bytes, condition: PassCondition) -> bool:
    """Return True if most of the first lines of a file pass; the last may be cut."""
    passing, _, lines = _sure(start, condition)
    return 2 * passing >= lines


def _sure(start: bytes, condition: PassCondition) -> tuple[int, int, int]:
    """Return how many of the first lines of a file surely pass, how many surely fail, and their number."""
    from spark_jobs.prefilter import arrow_tests  # noqa: PLC0415 (needs Arrow)

    aside = {text.encode(condition.encoding, "replace") for text in condition.header_texts}
    lines = [line for line in start.replace(b"\r", b"\n").split(b"\n")[:-1] if line and line not in aside]
    if comment := condition.comment.encode(condition.encoding):
        lines = [line for line in lines if not line.startswith(comment)]
    return *arrow_tests.sure(lines, condition), len(lines)


@dataclass(frozen=True, slots=True)
class Prefiltered(StretchCounts):
    """The prefilter's result for files with one header: counts by stretches of lines, and the lines that do not pass.

    `rows` has both, as `arrow_tests.SCHEMA`; None if no line is left. Lines are in the encoding of the dialect `csv`.
    It `has_streams` if lines that surely fail have come with the counts. `sure` are these, if they are all such lines
    and few enough for the driver; else None.
    """

    rows: DataFrame | None
    csv: Csv
    has_streams: bool = False
    sure: SureLines | None = None

    @property
    def leaves(self) -> bool:
        """Return True if any lines are left."""
        return any(row["odd"] for row in self.counts)

    @property
    def odd(self) -> DataFrame:
        """Return the lines that are left: file, block, id, line."""
        return self._lines.where("mask is null").select("file", "block", "id", self._line.alias("line"))

    def failing(self, mask_columns: Mapping[str, int]) -> DataFrame:
        """Return the lines that fail: file, block, `at`, `raw`, mask columns, given with their numbers."""
        lines = self._lines.where("mask is not null").select(*sure_lines.COLUMNS)
        if self.has_streams:
            from spark_jobs.prefilter import arrow_tests  # noqa: PLC0415 (needs Arrow)

            streams = cast("DataFrame", self.rows).where("sure is not null").select("sure")
            lines = lines.unionByName(_mapped(streams, sure_lines.from_streams, arrow_tests.STREAMED))
        masks = (sf.expr(f"mask[{n}]").alias(name) for name, n in mask_columns.items())
        at, raw = sf.col("id").alias("at"), self._line.alias("raw")
        return lines.select("file", "block", at, raw, *masks)

    @property
    def _line(self) -> Column:
        return text_lines.beginning(text_lines.decoded(sf.col("line"), self.csv), long_lines.KEPT)

    @property
    def _lines(self) -> DataFrame:
        assert self.rows is not None, "no line is left"
        return self.rows.where("n is null and sure is null")


def prefiltered_lines(source: DataFrame, condition: PassCondition, room: int = 0, *, ranges: bool = False) -> DataFrame:
    """Test the lines of files with one header, as Spark reads them; return rows of `arrow_tests.SCHEMA`.

    Lines that surely fail come with the counts up to `room` bytes. With `ranges` workers read objects of S3 themselves.
    """
    from spark_jobs.prefilter import arrow_tests  # noqa: PLC0415 (needs Arrow)

    count = len(source._jdf.queryExecution().toRdd().partitions())
    each = min(room, sure_lines.SHARES * room // max(1, count))
    if partitions := _partitions(source, ranges=ranges):
        from spark_jobs.prefilter import local_lines  # noqa: PLC0415 (needs Arrow)

        numbers = source.sparkSession.range(0, len(partitions), 1, len(partitions))
        return _mapped(
            numbers,
            partial(local_lines.evaluate_partitions, partitions=partitions, condition=condition, room=each),
            arrow_tests.SCHEMA,
        )
    return _mapped(
        _undecoded(source, condition.encoding),
        partial(arrow_tests.evaluate_batches, condition=condition, room=each),
        arrow_tests.SCHEMA,
    )


def _undecoded(source: DataFrame, encoding: str) -> DataFrame:
    """Return all lines in their own encoding: workers decode them."""
    line = text_lines.beginning(sf.col("line"), encodings.enough(encoding, long_lines.KEPT))
    return text_lines.whole_lines(source, Csv()).withColumn("line", line)


def counted(rows: DataFrame, plan: Plan, condition: PassCondition, room: int = 0) -> Prefiltered:
    """Collect the counts of such rows, and all lines that surely fail, if there is `room` for their bytes."""
    counts: list[dict[str, Any]] = []
    fails: list[MaskCount] = []
    streams: list[bytes] = []
    for row in rows.where("n is not null or sure is not null").collect():
        if row["sure"] is not None:
            streams.append(bytes(row["sure"]))
        elif row["mask"] is None:
            counts.append(row.asDict())
        else:
            fails.append(MaskCount(row["file"], bitmask.joined(row["mask"]), row["n"], row["sums"]))
    batches = list(sure_lines.opened(streams))
    are_all = sum(map(len, batches)) == sum(count.n for count in fails) > 0
    are_few = sum(batch.nbytes for batch in batches) <= room
    sure = SureLines(batches, condition) if are_all and are_few else None
    return Prefiltered(counts, fails, key_parsers(plan, condition), rows, plan.csv, bool(streams), sure)


Passing = dict[tuple[str, int, str], tuple[int, list[str] | None]]
"""Nulls, and first and last value, of Parquet files whose records all pass; by path, row group and column."""


def passing_row_groups(source: DataFrame, condition: ColumnConditions, *, ranges: bool = False) -> Passing:
    """Return the counts of those Parquet files with the same columns, as Spark reads them, that pass.

    With `ranges` workers read objects of S3 themselves.
    """
    from spark_jobs.prefilter import parquet_columns  # noqa: PLC0415 (needs Arrow)

    groups = _row_groups(source.sparkSession, _partitions(source, ranges=ranges))
    if not groups or len(groups) * len(condition.tested) > MOST_CHUNKS:
        return {}
    cores = source.sparkSession.sparkContext.defaultParallelism
    shares = max(1, min(cores // len(groups), len(condition.tested)))
    column_names = [tuple(condition.tested)[n::shares] for n in range(shares)]
    parts = [parquet_columns.Part(g.path, g.number, g.rows, names, g.source) for g in groups for names in column_names]
    lists = [parts[n::cores] for n in range(min(cores, len(parts)))]
    numbers = source.sparkSession.range(0, len(lists), 1, len(lists))
    with ThreadPoolExecutor(1) as pool:  # the JVM has nothing else to do meanwhile
        # Parquet for Hadoop must read the headers of all pages: it is stricter than Arrow there.
        spark, paths = source.sparkSession, {group.path for group in groups}
        broken = pool.submit(lambda: {path for path in paths if not _has_pages(spark, path, condition)})
        rows = _mapped(
            numbers, partial(parquet_columns.evaluate_parts, parts=lists, conditions=condition), parquet_columns.SCHEMA
        ).collect()
    by_part = list(zip(chain.from_iterable(lists), sorted(rows, key=itemgetter("part")), strict=True))
    failing = {part.path for part, row in by_part if not row["passes"]} | broken.result()
    return {
        (part.path, part.group, name): (nulls, ends)
        for part, row in by_part
        if part.path not in failing
        for name, nulls, ends in zip(part.names, row["nulls"], row["keys"], strict=True)
    }


def _has_pages(spark: SparkSession, path: str, condition: ColumnConditions) -> bool:
    try:
        with closing(parquet_pages.opened(spark, place(path))) as file:
            for name in condition.tested:  # one by one: a row group may be larger than the memory
                parquet_pages.requested(spark, file, name)
                for group in range(file.getRowGroups().size()):
                    file.readRowGroup(group)
    except parquet_pages.UNREADABLE:
        return False
    return True


def place(path: str) -> str:
    """Return the URI of a file by its path, or the URI that the path of an object is."""
    return path if "://" in path else f"file://{path}"


def of_whole_files(source: DataFrame, plan: Plan, condition: ColumnConditions, passing: Passing) -> Prefiltered:
    """Return the counts of files that pass as a whole."""
    counts = [
        {
            **dict.fromkeys(("head", "line")),
            **dict.fromkeys(("blank", "odd", "failing"), 0),
            "file": group.file,
            "block": group.block,
            "n": group.rows,
            "first": group.first,
            "sums": [0 if name is None else passing[group.path, group.number, name][0] for name in condition.counted],
            "keys": [passing[group.path, group.number, name][1] for _, name in condition.keys],
        }
        for group in _row_groups(source.sparkSession, _partitions(source, ranges=True, signed=False))
    ]
    return Prefiltered(counts, (), key_parsers(plan, condition), None, plan.csv)


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of a file: its number and rows, its split's start, its first record's id, its source."""

    path: str
    file: str
    block: int
    number: int
    rows: int
    first: int
    source: Source | None


def _row_groups(spark: SparkSession, partitions: Sequence[Sequence[Piece]]) -> list[RowGroup]:
    """Read the row groups that have records from the footers of files, by Spark's partitions.

    A row group is of the split that has its middle byte (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`).
    """
    from spark_jobs.prefilter import local_lines  # noqa: PLC0415 (needs Arrow)

    middles: dict[str, list[tuple[int, int]]] = {}
    groups = []
    for partition, pieces in enumerate(partitions):
        first = partition << local_lines.ID_BITS
        for piece in pieces:
            if piece.path not in middles:
                middles[piece.path] = _middles(spark, piece.path)
            for number, (middle, rows) in enumerate(middles[piece.path]):
                if rows and piece.start <= middle < piece.start + piece.length:
                    groups.append(RowGroup(piece.path, piece.file, piece.start, number, rows, first, piece.source))
                    first += rows
    return groups


def _middles(spark: SparkSession, path: str) -> list[tuple[int, int]]:
    """Return the middle byte and the rows of each row group of a file; none if a file has no footer."""
    try:
        with closing(parquet_pages.opened(spark, place(path))) as file:
            groups = file.getRowGroups()
            return [(group.getStartingPos() + group.getCompressedSize() // 2, group.getRowCount()) for group in groups]
    except parquet_pages.UNREADABLE:
        return []


def _mapped(rows: DataFrame, function: Callable[..., Any], schema: pa.Schema) -> DataFrame:
    """Map batches of Arrow by a function, in Python workers.

    `mapInArrow` does this, but it needs pandas, which nothing here needs. Spark finds cached rows by their plan: the
    unique name in it keeps them from being taken for rows that another job cached of the same file.
    """
    rows = rows.where(sf.lit(uuid4().hex).isNotNull())
    made = cast("Any", UserDefinedFunction)(
        function, from_arrow_schema(schema), evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF
    )
    of_columns = made(*(rows[name] for name in rows.columns))
    return DataFrame(rows._jdf.mapInArrow(of_columns._jc, False, None), rows.sparkSession)


def _partitions(source: DataFrame, *, ranges: bool = False, signed: bool = True) -> list[list[Piece]]:
    """Return the pieces of files in each of Spark's partitions; none unless workers can read all as they are.

    With `ranges` they can read objects of S3, whose pieces have addresses if `signed`.
    """
    from spark_jobs.prefilter.local_lines import Piece  # noqa: PLC0415 (needs Arrow)

    spark = source.sparkSession
    packers = java_class(spark, "org.apache.hadoop.io.compress.CompressionCodecFactory")(
        spark._jsc.hadoopConfiguration()
    )
    partitions, sizes = [], dict[str, int]()
    for partition in source._jdf.queryExecution().toRdd().partitions():
        pieces = []
        for file in partition.files():
            name = file.urlEncodedPath()
            parts = urlsplit(name)
            path = unquote(parts.path)
            is_object = ranges and parts.scheme in presigning.SCHEMES
            if not (is_object or parts.scheme == "file") or packers.getCodec(file.toPath()) is not None:
                return []
            if is_object:
                path, sizes[name] = storage.plain(name), file.fileSize()
            elif Path(path).with_name(f".{Path(path).name}.crc").exists():  # Hadoop verifies these sums as it reads
                return []
            pieces.append(Piece(path, name, file.start(), file.length()))
        partitions.append(pieces)
    if not (sizes and signed):
        return partitions
    addresses = presigning.addresses(spark, sizes)
    sources = {name: Source(addresses[name], size) for name, size in sizes.items()}
    return [[replace(piece, source=sources.get(piece.file)) for piece in pieces] for pieces in partitions]
