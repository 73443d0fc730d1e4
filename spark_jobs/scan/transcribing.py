"""Documents as lines: the URI of a document in, an object of its lines or the problem of the document out.

Documents are read by a process of its own (`spark_jobs.scan.transcriber`), as their bytes are untrusted and a reader
may be native code: one that dies or takes all memory ends a single drop. It reads and writes local files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from contracts import codec
from contracts.plan import Plan
from contracts.problem import Problem
from spark_jobs.spark import storage

READER = "spark_jobs.scan.transcriber"


def transcribe(spark: SparkSession, plan: Plan, uri: str, to: str) -> Problem | None:
    """Write the lines of a document to another object; return its problem if it is damaged.

    Raise OSError if the reader dies.
    """
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        document, lines = Path(folder) / "document", Path(folder) / "lines"
        storage.fetch(spark, uri, document)
        problem = _run(plan, document, lines)
        document.unlink()  # before the lines take as much room elsewhere
        if problem is None:
            storage.put(spark, lines, to)
    return problem


def _run(plan: Plan, document: Path, lines: Path) -> Problem | None:
    """Read a document in a process of its own."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", READER, str(document), str(lines)]
    asked = codec.canonical(plan).encode()
    done = subprocess.run(command, input=asked, capture_output=True, env=environment, check=False)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise OSError(f"the reader of {plan.file_format} ended with the code {done.returncode}: {why}")
    return codec.loads(Problem, done.stdout, "answer of a reader") if done.stdout else None
