"""Java's classes: for the few things that PySpark has no call for, and remembered for all that it has one for."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember
from pyspark.sql import SparkSession

OF_COLUMNS = ("functions", "org.apache.spark.sql.functions", "PythonUtils", "PythonSQLUtils")
"""The classes that PySpark makes columns with, as it calls them."""


class _Remembered(JavaClass):  # type: ignore[misc]  # py4j has no types
    """A class whose methods Java is asked for once: PySpark asks anew whenever it calls one."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaMember):
            setattr(self, name, found)
        return found


def java_class(spark: SparkSession, name: str) -> Any:
    """A class by its full name. `jvm.java.util.List` would look through all jars for classes `java` and `java.util`."""
    return getattr(spark._jvm, name)


def remember(spark: SparkSession) -> None:
    """Remember what PySpark makes columns with: a quarter of all calls into the JVM ask where that is."""
    view: Any = spark._jvm
    for name in OF_COLUMNS:
        if name not in vars(view):
            found = getattr(view, name)
            if isinstance(found, JavaClass):  # what Java does not know is a package to py4j
                setattr(view, name, _Remembered(found._fqn, found._gateway_client))
