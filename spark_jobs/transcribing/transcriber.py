"""The reader of documents, a program: the path of a document in, its lines at another path out; see `apart`.

    python -m spark_jobs.transcribing.transcriber MEMORY SECONDS

It never starts Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from contracts.files import apart, json_document
from contracts.files.sheets import reading as sheets
from contracts.files.xml_documents import xml_records
from contracts.plan import SHEETS, FileFormat, Plan
from contracts.problem import Problem

Transcriber = Callable[[Plan, BinaryIO, BinaryIO], Problem | None]
"""Write the records of a document as lines of `Plan.transcribed`; return the problem of one that is damaged."""
TRANSCRIBERS: dict[FileFormat, Transcriber] = {
    "json": json_document.transcribe,
    "xml": xml_records.transcribe,
    **dict.fromkeys(SHEETS, sheets.transcribe),
}


def read(plan: Plan, arguments: list[str]) -> Problem | None:
    """Transcribe one document."""
    document, lines = map(Path, arguments)
    with document.open("rb") as source, lines.open("wb") as target:
        return TRANSCRIBERS[plan.file_format](plan, source, target)


if __name__ == "__main__":
    apart.main(read)
