"""The lines of large files sifted in vectors before anything else looks at them; all other lines as they came.

It takes half the time of judging them one by one, and what it says of them is the same: it counts only what passes
beyond doubt. Where Python has no Arrow, or a contract asks for what vectors cannot tell, nothing is sifted.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from contracts.job import JobDrop
from contracts.plan import Plan
from spark_jobs import storage

if TYPE_CHECKING:
    from spark_jobs.vectors import Proof


SAMPLE = 2**16
"""Bytes of a file's start that are looked at."""


def is_for(drops: Sequence[JobDrop], least: int) -> bool:
    """Whether the lines of files are to be sifted, where their contract allows it."""
    return sum(drop.size for drop in drops) >= least and _is_here()


def _is_here() -> bool:
    """Whether Arrow loads: one that was made for another machine is there, and does not."""
    try:
        import_module("pyarrow.csv")
    except ImportError:
        return False
    return True


def proof(plan: Plan, header: tuple[str, ...], header_texts: Sequence[str]) -> Proof | None:
    """When the lines of files with one header pass; None where vectors cannot tell."""
    from spark_jobs import proving  # noqa: PLC0415 (needs Arrow)

    return proving.proof(plan, header, header_texts)


def pays(spark: SparkSession, plan: Plan, proof: Proof, drop: JobDrop) -> bool:
    """Whether most of the first lines of a file pass: else all would be looked at twice."""
    from spark_jobs import vectors  # noqa: PLC0415 (needs Arrow)

    try:
        start = storage.read_start(spark, drop.uri, SAMPLE)
    except Py4JJavaError:  # of which the scan will say more
        return False
    if plan.compression == "gzip":
        try:
            start = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(start, SAMPLE)
        except zlib.error:
            return False
    lines = start.decode(errors="replace").replace("\r", "\n").split("\n")[:-1]
    lines = [line for line in lines if line and line not in proof.aside]
    return 2 * vectors.passing(lines, proof) >= len(lines)


def sifted(lines: DataFrame, proof: Proof) -> DataFrame:
    """Lines (file, block, id, line) as `vectors.SCHEMA`.

    `mapInArrow` does this, but it asks for pandas, which nothing here needs.
    """
    from spark_jobs import vectors  # noqa: PLC0415 (needs Arrow)

    sift = cast("Any", UserDefinedFunction)(
        partial(vectors.sift, proof=proof),
        from_arrow_schema(vectors.SCHEMA),
        evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF,
    )
    of_columns = sift(*(lines[name] for name in lines.columns))
    return DataFrame(lines._jdf.mapInArrow(of_columns._jc, False, None), lines.sparkSession)
