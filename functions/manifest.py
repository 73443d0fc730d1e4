"""A manifest: the bytes of a document in, the files of a set that it names, or what is wrong with it, out. Pure.

JSON: `{"files": [{"name": "a.csv", "bytes": 12, "sha256": "..."}]}`; a name is that of a file beside the manifest, or a
key below landing. Unknown keys are refused, so that no total is taken for compared that nobody looks at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contracts.problem import Problem, nearest, quoted, visible

LARGEST = 8 * 1024**2
"""Bytes of a manifest: 10,000 files with all their totals."""
MOST_FILES = 10_000
FIX = 'Write `{"files": [{"name": "a.csv", "bytes": 12, "sha256": "..."}]}`, and upload the manifest again.'


@dataclass(frozen=True, slots=True)
class Listed:
    """What a manifest says of one file; None where it says nothing."""

    size: int | None = None
    sha256: str | None = None


Manifest = Mapping[str, Listed]
"""What is said of each file, by its key below landing."""


class _Wrong(Exception):
    """What is wrong with a manifest, in a sentence."""


def read(text: bytes, name: str) -> Manifest | Problem:
    """The files that a manifest of that key below landing names."""
    try:
        return _files(text, name[: name.rfind("/") + 1])
    except _Wrong as wrong:
        return Problem("bad-manifest", f"The manifest cannot be used: {wrong}.", FIX)


def _files(text: bytes, folder: str) -> Manifest:
    if len(text) > LARGEST:
        raise _Wrong(f"it is larger than {LARGEST:,} bytes")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Wrong("it is no JSON document") from error
    listed = document.get("files") if isinstance(document, dict) else None
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_FILES:
        raise _Wrong(f"it has no list `files` of 1 to {MOST_FILES:,} files")
    _known(document, ("files",))
    found: dict[str, Listed] = {}
    for entry in listed:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            raise _Wrong("one of its `files` has no `name`")
        key = name if folder and name.startswith(folder) else folder + name
        if key in found:
            raise _Wrong(f"it names `{visible(name)}` twice")
        found[key] = _listed(entry, visible(name))
    return found


def _listed(entry: dict[str, Any], name: str) -> Listed:
    _known(entry, ("name", "bytes", "sha256"))
    size, sha256 = entry.get("bytes"), entry.get("sha256")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 0):
        raise _Wrong(f"`bytes` of `{name}` is no number of bytes")
    if sha256 is not None and not (isinstance(sha256, str) and re.fullmatch("[0-9A-Fa-f]{64}", sha256)):
        raise _Wrong(f"`sha256` of `{name}` is no SHA-256 in hexadecimal")
    return Listed(size, sha256.lower() if sha256 else None)


def _known(found: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in found:
        if key not in keys:
            close = nearest(key, keys)
            instead = f"; did you mean `{close}`?" if close else f"; the keys are {quoted(keys)}"
            raise _Wrong(f"it has the key `{visible(str(key), 40)}`, which means nothing here{instead}")
