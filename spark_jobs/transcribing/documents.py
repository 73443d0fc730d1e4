"""Documents as lines: the URI of a document in, an object of its lines or the problem of the document out.

Documents are read by processes of their own (`transcriber.py`), as their bytes are untrusted and a reader may be native
code: one that dies or takes all memory ends a single drop. They read and write local files.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from contracts.files import apart
from contracts.plan import Plan
from contracts.problem import Problem
from spark_jobs.spark import storage

READER = "spark_jobs.transcribing.transcriber"
BOUNDS = apart.Bounds(memory=3 << 30, seconds=1_800)
"""What the reader of one document may take."""


def readers(plan: Plan) -> apart.Readers:
    """Return readers of documents, to be closed."""
    return apart.Readers(READER, plan, BOUNDS)


def transcribe(spark: SparkSession, each: apart.Readers, uri: str, to: str) -> Problem | None:
    """Write the lines of a document to another object; return its problem if it is damaged.

    Raise OSError if the reader itself fails.
    """
    if (own := storage.local(uri)) and (target := storage.local(to)):
        target.parent.mkdir(parents=True, exist_ok=True)
        return each.read([str(own), str(target)])
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        document, lines = Path(folder) / "document", Path(folder) / "lines"
        storage.fetch(spark, uri, document)
        problem = each.read([str(document), str(lines)])
        document.unlink()  # before the lines take as much room elsewhere
        if problem is None:
            storage.put(spark, lines, to)
    return problem
