"""Java's classes, for the few things that PySpark has no call for."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def java_class(spark: SparkSession, name: str) -> Any:
    """A class by its full name. `jvm.java.util.List` would look through all jars for classes `java` and `java.util`."""
    return getattr(spark._jvm, name)
