"""The lines of large files sifted in vectors before anything else looks at them; all other lines as they came.

It takes half the time of judging them one by one, and what it says of them is the same: it tells only of what passes or
fails beyond doubt. Where Python has no Arrow, or a contract asks for what vectors cannot tell, nothing is sifted.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from importlib import import_module
from itertools import chain, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from contracts.job import JobDrop
from contracts.plan import Plan
from spark_jobs.formats import parquet_pages, text_lines
from spark_jobs.rules import bitmask
from spark_jobs.rules.lines import NONE, Line, Split, Told
from spark_jobs.spark import storage
from spark_jobs.spark.jvm import java_class

if TYPE_CHECKING:
    import pyarrow as pa

    from spark_jobs.prefilter.arrow_tests import Proof
    from spark_jobs.prefilter.local_lines import Piece
    from spark_jobs.prefilter.parquet_columns import Columns


MOST_CHUNKS = 10_000
"""Columns of row groups of which Java is asked one by one; each takes some tenths of a millisecond."""
MEAN = 4 * 2**20
"""Bytes that Parquet files have on average, so that reading their footers and pages' headers here is worth it."""
SAMPLE = 2**16
"""Bytes of a file's start that are looked at."""


def is_for(drops: Sequence[JobDrop], least: int) -> bool:
    """Return True if the lines of files are to be prefiltered, if their contract allows it."""
    return sum(drop.size for drop in drops) >= least and has_arrow()


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


def proof(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> Proof | None:
    """Return the condition for lines of files with one header to pass; None if Arrow cannot test it."""
    from spark_jobs.prefilter import plan_tests  # noqa: PLC0415 (needs Arrow)

    return plan_tests.proof(plan, header, header_texts)


def are_large(drops: Sequence[JobDrop]) -> bool:
    """Return True if Parquet files are large enough to prefilter: each is opened in turn before."""
    return sum(drop.size for drop in drops) >= MEAN * len(drops)


def of_columns(plan: Plan, header: tuple[str, ...], types: tuple[str, ...]) -> Columns | None:
    """Return the condition for records of Parquet files with the same columns to pass; None if Arrow cannot test it."""
    from spark_jobs.prefilter import plan_tests  # noqa: PLC0415 (needs Arrow)

    return plan_tests.columns(plan, header, types) if _is_here("pyarrow.parquet") and _is_here("numpy") else None


def pays(spark: SparkSession, plan: Plan, proof: Proof, drop: JobDrop) -> bool:
    """Return True if the result of most first lines of a file is certain; otherwise all would be read twice."""
    try:
        start = storage.read_start(spark, drop.uri, SAMPLE)
    except Py4JJavaError:  # of which the scan will say more
        return False
    if plan.compression == "gzip":
        try:
            start = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(start, SAMPLE)
        except zlib.error:
            return False
    passing, failing, lines = _sure(start, proof)
    return 2 * (passing + failing) >= lines


def most_pass(start: bytes, proof: Proof) -> bool:
    """Return True if most of the first lines of a file pass; the last may be cut."""
    passing, _, lines = _sure(start, proof)
    return 2 * passing >= lines


def _sure(start: bytes, proof: Proof) -> tuple[int, int, int]:
    """Return how many of the first lines of a file surely pass, how many surely fail, and their number."""
    from spark_jobs.prefilter import arrow_tests  # noqa: PLC0415 (needs Arrow)

    lines = start.decode(errors="replace").replace("\r", "\n").split("\n")[:-1]
    lines = [line for line in lines if line and line not in proof.aside]
    return *arrow_tests.sure(lines, proof), len(lines)


@dataclass(frozen=True, slots=True)
class Sifted:
    """The prefilter's result for files with one header: counts by stretches of lines, and the lines that do not pass.

    `rows` are both, as `vectors.SCHEMA`; `counts` are those of them, by name, that are counts of stretches, `fails`
    those of lines that fail.
    """

    rows: DataFrame | None
    counts: Sequence[Mapping[str, Any]]
    fails: Sequence[Told]
    keys: Sequence[tuple[int, Callable[[str], Any]]]

    @property
    def leaves(self) -> bool:
        """Return True if any lines are left."""
        return any(row["odd"] for row in self.counts)

    @property
    def odd(self) -> DataFrame:
        """The lines that are left: file, block, id, line."""
        return self._lines.where("words is null").select("file", "block", "id", "line")

    def failing(self, words: Sequence[str]) -> DataFrame:
        """The lines that fail: file, block, `at`, `raw`, words."""
        apart = (f"words[{n}] as {name}" for n, name in enumerate(words))
        return self._lines.where("words is not null").selectExpr("file", "block", "id as at", "line as raw", *apart)

    @property
    def _lines(self) -> DataFrame:
        assert self.rows is not None, "there are counts alone"
        return self.rows.where("n is null")

    def splits(self) -> dict[tuple[str, int], Split]:
        """Return the facts of each part of each file, by file and block."""
        found: dict[tuple[str, int], Split] = {}
        for row in self.counts:
            head = None if row["head"] is None else Line(row["head"], row["line"])
            n = row["n"] + row["blank"] + row["odd"] + row["failing"] + (head is not None)
            first = NONE if row["first"] is None else row["first"]
            split = Split(row["file"], row["block"], n, row["blank"], first, head)
            place = row["file"], row["block"]
            found[place] = found[place] + split if place in found else split
        return found

    def told(self) -> Iterator[Told]:
        """Yield the numbers of lines that pass, of lines that fail by their checks, and of nulls in them."""
        for row in self.counts:
            if row["n"]:
                yield row["file"], 0, row["n"], row["nulls"]
        yield from self.fails

    def ascending(self) -> dict[str, set[int]]:
        """By file the keys, as numbers of checks, whose values ascend from line to line, so that each is there once."""
        by_file: dict[str, list[Mapping[str, Any]]] = {}
        for row in sorted(
            (row for row in self.counts if row["n"] or row["odd"] or row["failing"]), key=itemgetter("block", "first")
        ):
            by_file.setdefault(row["file"], []).append(row)
        return {
            file: {number for k, (number, value) in enumerate(self.keys) if _ascends(rows, k, value)}
            for file, rows in by_file.items()
        }


def _ascends(rows: Iterable[Mapping[str, Any]], key: int, value: Callable[[str], Any]) -> bool:
    """Return True if the spans of a key's values, in order, ascend without overlap."""
    spans = [row["keys"][key] for row in rows]
    if None in spans:
        return False
    return all(value(before[1]) < value(after[0]) for before, after in pairwise(spans))


def sifted(source: DataFrame, plan: Plan, proof: Proof) -> DataFrame:
    """Lines of files with one header, as Spark has read them, as `vectors.SCHEMA`."""
    from spark_jobs.prefilter import arrow_tests  # noqa: PLC0415 (needs Arrow)

    if _is_here("numpy") and (partitions := _partitions(source)):
        from spark_jobs.prefilter import local_lines  # noqa: PLC0415 (needs Arrow and numpy)

        numbers = source.sparkSession.range(0, len(partitions), 1, len(partitions))
        return _mapped(numbers, partial(local_lines.sift, partitions=partitions, proof=proof), arrow_tests.SCHEMA)
    return _mapped(text_lines.lines(source, plan.csv), partial(arrow_tests.sift, proof=proof), arrow_tests.SCHEMA)


def told(rows: DataFrame, plan: Plan, proof: Proof) -> Sifted:
    """Return the counts from such rows."""
    counts: list[dict[str, Any]] = []
    fails: list[Told] = []
    for row in rows.where("n is not null").collect():
        if row["words"] is None:
            counts.append(row.asDict())
        else:
            fails.append((row["file"], bitmask.mask(row["words"]), row["n"], row["nulls"]))
    return Sifted(rows, counts, fails, [(n, _reader(plan, n)) for n, _ in proof.keys])


Passing = dict[tuple[str, int, str], tuple[int, list[str] | None]]
"""By path, number of the row group and column of Parquet files of which all records pass: the nulls, and the span."""


def columns_told(source: DataFrame, proof: Columns) -> Passing:
    """Return the counts of those Parquet files with the same columns, as read by Spark, that pass."""
    from spark_jobs.prefilter import parquet_columns  # noqa: PLC0415 (needs Arrow)

    placed = _row_groups(source.sparkSession, _partitions(source))
    if not placed or len(placed) * len(proof.tested) > MOST_CHUNKS:
        return {}
    cores = source.sparkSession.sparkContext.defaultParallelism
    shares = max(1, min(cores // len(placed), len(proof.tested)))
    apart = [tuple(proof.tested)[n::shares] for n in range(shares)]
    parts = [parquet_columns.Part(one.path, one.group, one.rows, own) for one in placed for own in apart]
    lists = [parts[n::cores] for n in range(min(cores, len(parts)))]
    numbers = source.sparkSession.range(0, len(lists), 1, len(lists))
    with ThreadPoolExecutor(1) as pool:  # the JVM has nothing else to do meanwhile
        broken = pool.submit(_broken, source.sparkSession, {one.path for one in placed}, proof)
        rows = _mapped(
            numbers, partial(parquet_columns.sift, parts=lists, known=proof), parquet_columns.SCHEMA
        ).collect()
    by_part = list(zip(chain.from_iterable(lists), sorted(rows, key=itemgetter("part")), strict=True))
    failing = {part.path for part, row in by_part if not row["passes"]} | broken.result()
    return {
        (part.path, part.group, name): (nulls, ends)
        for part, row in by_part
        if part.path not in failing
        for name, nulls, ends in zip(part.names, row["nulls"], row["keys"], strict=True)
    }


def _broken(spark: SparkSession, paths: Iterable[str], proof: Columns) -> set[str]:
    """The files of which Parquet for Hadoop cannot read the headers of all pages: it is stricter there than Arrow."""
    return {path for path in paths if not _has_pages(spark, path, proof)}


def _has_pages(spark: SparkSession, path: str, proof: Columns) -> bool:
    try:
        with closing(parquet_pages.opened(spark, f"file://{path}")) as file:
            for name in proof.tested:  # one by one: a row group may be larger than the memory
                parquet_pages.requested(spark, file, name)
                for group in range(file.getRowGroups().size()):
                    file.readRowGroup(group)
    except parquet_pages.UNREADABLE:
        return False
    return True


def whole(source: DataFrame, plan: Plan, proof: Columns, told: Passing) -> Sifted:
    """The same as counts, of files all of which pass."""
    counts = [
        {
            **dict.fromkeys(("head", "line")),
            **dict.fromkeys(("blank", "odd", "failing"), 0),
            "file": one.file,
            "block": one.block,
            "n": one.rows,
            "first": one.first,
            "nulls": [0 if name is None else told[one.path, one.group, name][0] for name in proof.counted],
            "keys": [told[one.path, one.group, name][1] for _, name in proof.keys],
        }
        for one in _row_groups(source.sparkSession, _partitions(source))
    ]
    return Sifted(None, counts, (), [(n, _reader(plan, n)) for n, _ in proof.keys])


@dataclass(frozen=True, slots=True)
class Placed:
    """A row group of a file: its number and rows, the start of its split, and the id of its first record."""

    path: str
    file: str
    block: int
    group: int
    rows: int
    first: int


def _row_groups(spark: SparkSession, partitions: Sequence[Sequence[Piece]]) -> list[Placed]:
    """The row groups with records of files that are read by their footers, by Spark's partitions.

    A row group is of the split that has its middle byte (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`).
    """
    from spark_jobs.prefilter import local_lines  # noqa: PLC0415 (needs numpy)

    known: dict[str, list[tuple[int, int]]] = {}
    found = []
    for partition, pieces in enumerate(partitions):
        first = partition << local_lines.ID_BITS
        for piece in pieces:
            if piece.path not in known:
                known[piece.path] = _middles(spark, piece.path)
            for group, (middle, rows) in enumerate(known[piece.path]):
                if rows and piece.start <= middle < piece.start + piece.length:
                    found.append(Placed(piece.path, piece.file, piece.start, group, rows, first))
                    first += rows
    return found


def _middles(spark: SparkSession, path: str) -> list[tuple[int, int]]:
    """The middle byte and the rows of each row group of a file; none of a file that has no footer."""
    try:
        with closing(parquet_pages.opened(spark, f"file://{path}")) as file:
            groups = file.getRowGroups()
            return [(one.getStartingPos() + one.getCompressedSize() // 2, one.getRowCount()) for one in groups]
    except parquet_pages.UNREADABLE:
        return []


def _reader(plan: Plan, number: int) -> Callable[[str], Any]:
    """Return a function that makes comparable values from the texts of a check's key."""
    prop = plan.property_named(plan.checks[number].properties()[0])
    return {"integer": int, "number": Decimal if prop.exact else float}.get(prop.type, str)


def _mapped(rows: DataFrame, function: Callable[..., Any], schema: pa.Schema) -> DataFrame:
    """Rows as a function makes them of batches of Arrow, in Python workers.

    `mapInArrow` does this, but it asks for pandas, which nothing here needs. What is kept of them is kept of a plan:
    its name, which is no other's, keeps it from being taken for what another job has kept of the same file before.
    """
    rows = rows.where(sf.lit(uuid4().hex).isNotNull())
    made = cast("Any", UserDefinedFunction)(
        function, from_arrow_schema(schema), evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF
    )
    of_columns = made(*(rows[name] for name in rows.columns))
    return DataFrame(rows._jdf.mapInArrow(of_columns._jc, False, None), rows.sparkSession)


def _partitions(source: DataFrame) -> list[list[Piece]]:
    """The pieces of files that Spark reads for each of its partitions; none unless workers find all, as they are."""
    from spark_jobs.prefilter.local_lines import Piece  # noqa: PLC0415 (needs Arrow)

    spark = source.sparkSession
    packers = java_class(spark, "org.apache.hadoop.io.compress.CompressionCodecFactory")(
        spark._jsc.hadoopConfiguration()
    )
    found = []
    for partition in source._jdf.queryExecution().toRdd().partitions():
        pieces = []
        for file in partition.files():
            name = file.urlEncodedPath()
            parts = urlsplit(name)
            path = unquote(parts.path)
            if parts.scheme != "file" or packers.getCodec(file.toPath()) is not None or _is_summed(path):
                return []
            pieces.append(Piece(path, name, file.start(), file.length()))
        found.append(pieces)
    return found


def _is_summed(path: str) -> bool:
    """Return True if a local file has checksums next to it, which Hadoop verifies as it reads."""
    file = Path(path)
    return file.with_name(f".{file.name}.crc").exists()
