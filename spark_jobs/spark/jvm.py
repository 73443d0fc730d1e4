"""Java's classes: for calls that PySpark lacks, and remembered for calls that it has."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember
from pyspark.sql import SparkSession

OF_COLUMNS = ("functions", "org.apache.spark.sql.functions", "PythonUtils", "PythonSQLUtils")
"""The classes that PySpark makes columns with, as it calls them."""


class _Remembered(JavaClass):  # type: ignore[misc]  # py4j has no types
    """A class whose methods Java is asked for once: PySpark looks a method up at each call."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        if isinstance(member, JavaMember):
            setattr(self, name, member)
        return member


def java_class(spark: SparkSession, name: str) -> Any:
    """Return a class by its full name: `jvm.java.util.List` would search all jars for `java` and `java.util`."""
    return getattr(spark._jvm, name)


def remember(spark: SparkSession) -> None:
    """Remember the classes with which PySpark makes columns: a quarter of all calls into the JVM look them up."""
    view: Any = spark._jvm
    for name in OF_COLUMNS:
        if name not in vars(view):
            java = getattr(view, name)
            if isinstance(java, JavaClass):  # py4j takes an unknown name for a package
                setattr(view, name, _Remembered(java._fqn, java._gateway_client))
