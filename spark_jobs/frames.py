"""A few rows of the driver's in, a DataFrame of them out, made inside the JVM.

`createDataFrame` from a list hands the rows to Python workers, which a job without Python functions would start for
nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType


def small(spark: SparkSession, rows: Iterable[tuple[object, ...]], schema: str) -> DataFrame:
    """Rows of a schema in DDL, as `name string, size long`; values are what JSON knows, None is null."""
    table = cast("StructType", StructType.fromDDL(schema))
    text = json.dumps([dict(zip(table.names, row, strict=True)) for row in rows])
    parsed = sf.from_json(sf.lit(text), f"array<{table.simpleString()}>", {"mode": "FAILFAST"})
    return spark.range(1).select(sf.inline(parsed))
