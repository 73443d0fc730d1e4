"""The reader of documents, a program: a plan on its input and the path of a document in, the path of its lines out.

    python -m spark_jobs.scan.transcriber DOCUMENT LINES

It prints the problem of a damaged document, else nothing. It never starts Spark, and has limits of its own.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from contracts import codec
from contracts.files import json_document, xml_records
from contracts.plan import FileFormat, Plan
from contracts.problem import Problem

Transcriber = Callable[[Plan, BinaryIO, BinaryIO], Problem | None]
"""Write the records of a document as lines of `Plan.transcribed`; return the problem of one that is damaged."""
TRANSCRIBERS: dict[FileFormat, Transcriber] = {"json": json_document.transcribe, "xml": xml_records.transcribe}
MEMORY = 3 << 30
"""Bytes that the reader of one document may take."""
SECONDS = 1_800
"""Seconds of a core that it may take."""


def main() -> None:
    """Transcribe one document."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    document, lines = map(Path, sys.argv[1:])
    plan = codec.loads(Plan, sys.stdin.buffer.read(), "plan")
    with document.open("rb") as source, lines.open("wb") as target:
        problem = TRANSCRIBERS[plan.file_format](plan, source, target)
    if problem:
        sys.stdout.write(codec.canonical(problem))


if __name__ == "__main__":
    main()
