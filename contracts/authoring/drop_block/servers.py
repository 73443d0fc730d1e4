"""Servers of a document with files (ODCS `servers`): the document and its block in, warnings of what contradicts out.

A server is where consumers read, so that its place may be another one. Its format and its delimiter are those of the
files, unless another server of the document has those of the block.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document import walking
from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.block import DropBlock

OF_FILES = ("s3", "azure", "local", "sftp", "custom")
"""Types of servers that have files in one format (ODCS, infrastructure-servers)."""
FORMATS = {
    "csv": ("csv",),
    "json": ("json", "jsonl"),
    "jsonl": ("jsonl",),
    "ndjson": ("jsonl",),
    "parquet": ("parquet",),
    "xml": ("xml",),
    "xlsx": ("xlsx",),
    "avro": (),
    "orc": (),
}
"""Formats of the block by the `format` of a server; other words, as `delta`, are those of tables."""
LINES = {"new_line": ("jsonl",), "array": ("json",)}
"""The format of JSON by its `delimiter`."""


def read(document: Document, block: DropBlock) -> None:
    """Warn of each server of files whose format or delimiter is another than that of the block."""
    faults = [
        _fault(path, server, block)
        for path, server in walking.entries(document.value(("servers",)), ("servers",))
        if server.get("type") in OF_FILES and isinstance(server.get("format"), str)
    ]
    if None in faults:
        return
    for fault in faults:
        if fault:
            path, message = fault
            fix = "Correct one of them: files are held against the `drop` block, and people read both."
            document.warning(path, "contradicts-server", message, fix)


def _fault(path: Path, server: dict[str, Any], block: DropBlock) -> tuple[Path, str] | None:
    form, delimiter = server["format"].casefold(), server.get("delimiter")
    if form not in FORMATS:
        return None
    if block.format not in FORMATS[form]:
        return (*path, "format"), f"A server has files of the format `{server['format']}`, the block {block.format}."
    if form in ("json", "jsonl", "ndjson") and block.format not in LINES.get(str(delimiter), (block.format,)):
        return (*path, "delimiter"), f"A server has JSON with the delimiter `{delimiter}`, the block {block.format}."
    if form == "csv" and isinstance(delimiter, str) and delimiter not in (*LINES, block.csv.delimiter):
        return (*path, "delimiter"), f"A server has the delimiter `{delimiter}`, the block `{block.csv.delimiter}`."
    return None
