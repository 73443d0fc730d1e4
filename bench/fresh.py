"""`python -m bench.fresh scan|job FILE FOLDER`: the seconds of the first scan or the first job in a new JVM.

The start of Spark is not among them: on both sides it is the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench import plans, running
from bench.measuring import timed


def main(what: str, file: Path, folder: Path) -> None:
    """Start Spark, run it once, print its seconds."""
    plan = plans.plain(plans.whole())
    spark = running.session()
    first = {
        "scan": lambda: running.scan(spark, file, plan),
        "job": running.job(spark, plan, [file], folder).run,
    }[what]
    print(timed(first))  # noqa: T201 (this is its answer)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
