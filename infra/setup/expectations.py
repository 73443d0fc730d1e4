"""Great Expectations on this machine: a running Spark in; it and this Python import the job's archive afterwards.

`python -m infra.setup.expectations` fetches it before anything asks for it, as before tests, which ask no network.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from infra.errors import SetupMissing
from infra.setup import wheels
from infra.setup.progress import Tell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def bring(spark: SparkSession, tell: Tell) -> None:
    """Make it importable for this process and its Spark workers: the installed one, else the content of EMR's archive.

    That is fetched on first use, a hundred megabytes. Raises SetupMissing.
    """
    if importlib.util.find_spec("great_expectations"):
        return
    folder = str(_fetched(tell))
    sys.path.append(folder)  # behind what is installed: the job is to run as it does on EMR, the rest as it did
    spark.sparkContext.environment["PYTHONPATH"] = folder


def main() -> int:
    """Fetch it; return the exit code."""
    try:
        _fetched(lambda text: print(f"Great Expectations: {text}", file=sys.stderr))  # noqa: T201 (a program for the terminal)
    except SetupMissing as missing:
        sys.stderr.write(f"dropgate: {missing}\n")
        return 3
    return 0


def _fetched(tell: Tell) -> Path:
    return wheels.installed(wheels.this_cpu(), tell, wheels.here(wheels.EMR))


if __name__ == "__main__":
    sys.exit(main())
