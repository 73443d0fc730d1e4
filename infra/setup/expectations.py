"""Great Expectations on this machine: a running Spark in; it and this Python find the library of the job's archive."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from infra.setup import wheels
from infra.setup.progress import Tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def bring(spark: SparkSession, tell: Tell) -> None:
    """Let this process and the workers of its Spark import it: as installed, else what EMR's archive is made of.

    That is fetched on first use, a hundred megabytes. Raises SetupMissing.
    """
    if importlib.util.find_spec("great_expectations"):
        return
    folder = str(wheels.installed(wheels.this_cpu(), tell, wheels.EMR))
    sys.path.append(folder)  # behind what is installed: the job is to run as it does on EMR, the rest as it did
    spark.sparkContext.environment["PYTHONPATH"] = folder
