"""The JVM memory that a run needs: the run in, MiB out.

The size of the process shows little, as a JVM grows to its limit before it collects garbage. So the heap is collected
some times during the run, and measured right after: the rest is in use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pyspark.sql import SparkSession

from spark_jobs.spark.jvm import java_class

LOOKS = 12
"""The approximate number of measurements of a run, long or short."""


def in_use(spark: SparkSession, run: Callable[[], object], seconds: float) -> float:
    """Return the highest MiB in use during a run, which takes so many seconds."""
    seen, done = [_look(spark)], threading.Event()
    watch = threading.Thread(target=_watch, args=(spark, seen, done, seconds / LOOKS))
    watch.start()
    run()
    done.set()
    watch.join()
    return max(seen)


def _watch(spark: SparkSession, seen: list[float], done: threading.Event, pause: float) -> None:
    while not done.wait(pause):
        seen.append(_look(spark))


def _look(spark: SparkSession) -> float:
    java_class(spark, "java.lang.System").gc()
    runtime = java_class(spark, "java.lang.Runtime").getRuntime()
    return float(runtime.totalMemory() - runtime.freeMemory()) / 2**20
