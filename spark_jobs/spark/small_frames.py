"""A few rows of the driver's in, a DataFrame of them out, made inside the JVM.

`createDataFrame` from a list passes the rows to Python workers, which a job without Python functions would start for
nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from spark_jobs.spark.jvm import java_class


def small(spark: SparkSession, rows: Iterable[tuple[object, ...]], schema: str) -> DataFrame:
    """Make rows of a schema in DDL, as `name string, size long`; values are JSON values, None is null.

    They reach the JVM as one text: single rows would be a call each, and a literal would be part of the plan. Columns
    are numbers in this text, as there may be a row for each check of each drop.
    """
    named = cast("StructType", StructType.fromDDL(schema))
    short = [str(n) for n in range(len(named))]
    numbered = StructType([StructField(n, field.dataType) for n, field in zip(short, named, strict=True)])
    text = json.dumps([dict(zip(short, row, strict=True)) for row in rows])
    texts, encoders = java_class(spark, "java.util.List"), java_class(spark, "org.apache.spark.sql.Encoders")
    lines = spark._jsparkSession.createDataset(texts.of(text), encoders.STRING())
    reader = cast("Any", spark.read.schema(numbered).option("mode", "FAILFAST"))
    return DataFrame(reader._jreader.json(lines), spark).toDF(*named.names)
