"""The JVM memory that a run needs: the run in, MiB out.

What a process takes of the machine says little, as a JVM takes what it may before it collects. So the heap is collected
some times while the run lasts, and looked at right after: what is left then is in use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pyspark.sql import SparkSession

from spark_jobs.spark.jvm import java_class

LOOKS = 12
"""About how often the heap is looked at: as often in a long run as in a short one."""


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
