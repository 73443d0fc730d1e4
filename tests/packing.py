"""Files as producers compress them: bytes in, the packed file out, and back; by the libraries of Python."""

from __future__ import annotations

import bz2
import gzip
import io
import re
import zipfile
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import partial

from backports import zstd

from contracts.plan import Compression, Plan

PACK: dict[Compression, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": partial(gzip.compress, mtime=0),
    "bzip2": bz2.compress,
    "zstd": zstd.compress,
}
UNPACK: dict[Compression, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gzip": gzip.decompress,
    "bzip2": bz2.decompress,
    "zstd": zstd.decompress,
}


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> bytes:
    """A zip archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.comment = comment
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 31, 0, 0, 0)), body, method)
    return out.getvalue()


FIRST = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
"""The first line of a file, with its end."""


def _archived(plan: Plan, body: bytes, at: int) -> bytes:
    """An archive of two members, of which both have the header; or of one, if there is no line to cut at."""
    header = FIRST.match(body)[0] if plan.file_format == "csv" and plan.csv.header else b""  # type: ignore[index]
    cut = body.find(b"\n", max(at, len(header))) + 1
    if plan.csv.is_alone or cut in (0, len(body)):
        return zipped({"part_1": body})
    return zipped({"part_1": body[:cut], "part_2": header + body[cut:]})


def _members(plan: Plan, body: bytes) -> bytes:
    """The text of all members that a contract wants, without the headers of all but the first."""
    pattern, text = re.sub(r"\{[^}]*\}", "*", plan.archive.members if plan.archive else ""), b""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        wanted = [info for info in archive.infolist() if not info.is_dir() and fnmatchcase(info.filename, pattern)]
        for n, info in enumerate(wanted):
            own = archive.read(info).removeprefix(b"\xef\xbb\xbf" if n else b"")
            if n and plan.file_format == "csv" and plan.csv.header:
                own = FIRST.sub(b"", own, count=1)
            text += own if len(wanted) == 1 or not own or own.endswith((b"\n", b"\r")) else own + b"\n"
    return text


def packed(plan: Plan, body: bytes, at: int | None = None) -> bytes:
    """A file as its contract wants it; in two streams or members if it is cut."""
    if plan.archive:
        return _archived(plan, body, at or 0)
    pack = PACK[plan.compression]
    return pack(body) if at is None else pack(body[:at]) + pack(body[at:])


def unpacked(plan: Plan, body: bytes) -> bytes:
    """The content of a file."""
    return _members(plan, body) if plan.archive else UNPACK[plan.compression](body)
