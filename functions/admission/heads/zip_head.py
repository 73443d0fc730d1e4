"""A zip archive: a plan and a way to read it in; the first bytes of each wanted member, or its fault, out. Pure.

All wanted members are unpacked, in pieces, and nothing is kept: as `packed_head`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.files import zip_archive
from contracts.files.zip_archive import STORED, Member
from contracts.plan import Archive
from contracts.problem import Problem, visible
from functions.admission.heads import foreign_forms, packed_head
from functions.admission.heads.packed_head import PIECE, SLICE, Read, Seen

SIGNS = (zip_archive.LOCAL, zip_archive.END)
LARGEST = 2 << 30
"""Bytes of content that all members have together."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The wanted members, each with the first bytes of its content, and the SHA-256 of all content if it is wanted."""

    members: tuple[tuple[Member, bytes], ...]
    sha256: str | None = None

    @property
    def size(self) -> int:
        """Return the bytes of content of all members."""
        return sum(member.size for member, _ in self.members)


def unpack(
    archive: Archive, read: Read, size: int, sample: int, *, hashed: bool = False, in_lines: bool = True
) -> Contents | Problem:
    """Return the content of an archive of `size` bytes, with `sample` bytes of each member; or why it is refused."""
    start, piece = 0, b""

    def ahead(at: int, most: int) -> bytes:  # in large pieces: members stand one after another
        nonlocal start, piece
        if not start <= at <= at + most <= start + len(piece):
            start, piece = at, read(at, max(most, PIECE))
        return piece[at - start : at - start + most]

    members = zip_archive.members(archive, ahead, size)
    if isinstance(members, Problem):
        return members
    declared = Seen(sum(member.size for member in members))
    if problem := packed_head.too_much(declared, size, LARGEST):
        return problem
    total, samples = hashlib.sha256() if hashed else None, []
    for member in members:
        content = _content(ahead, member, sample, Seen(hashed=total, in_lines=in_lines))
        if isinstance(content, Problem):
            return content
        samples.append((member, content))
    return Contents(tuple(samples), total.hexdigest() if total else None)


def not_alone(members: int) -> Problem:
    """Return the problem of an archive of several files whose dialect asks for one."""
    text = (
        f"The archive holds {members:,} files like this. Rows that are no records, a record delimiter or UTF-16 are "
        "agreed; so an archive may hold one."
    )
    return Problem("zip-several-files", text, "Send each file in an archive of its own.")


def begin(archive: Archive, read: Read, size: int, most: int) -> bytes:
    """The first `most` bytes, or all, of the first member that has any, in a sound archive of `size` bytes."""
    members = zip_archive.members(archive, read, size)
    first = () if isinstance(members, Problem) else (member for member in members if member.size)
    return next((next(_pieces(read, member, most), b"") for member in first), b"")


def _content(read: Read, member: Member, most: int, seen: Seen) -> bytes | Problem:
    """Return the first bytes of a member that is sound."""
    crc = 0
    try:
        for piece in _pieces(read, member, SLICE):
            crc = zlib.crc32(piece, crc)
            seen.add(piece, most)
            if seen.line > packed_head.LONGEST_LINE:
                text = f"A line of `{visible(member.name)}` has more than {packed_head.LONGEST_LINE >> 20} MiB."
                return Problem("line-too-long", text, "Write one record on each line.")
    except zlib.error:
        return zip_archive.lies(member.name)
    if (seen.size, crc) != (member.size, member.crc):
        return zip_archive.lies(member.name)
    if foreign_forms.of_bytes(seen.sample) is foreign_forms.ZIP:
        return zip_archive.nested(member.name)
    return seen.sample


def _pieces(read: Read, member: Member, most: int) -> Iterator[bytes]:
    """Yield the content of a member, `most` bytes at a time; raise zlib.error where it is not as long as it says."""
    slices = packed_head.slices(read, member.start, member.start + member.packed, SLICE)
    if member.method == STORED:
        yield from (piece[n : n + most] for piece in slices for n in range(0, len(piece), most))
        return
    unpacking, size = zlib.decompressobj(-15), 0
    for piece in slices:
        rest = piece
        while rest:
            content = unpacking.decompress(rest, most)
            size, rest = size + len(content), unpacking.unconsumed_tail
            yield content
            if size > member.size or (unpacking.eof and unpacking.unused_data):
                raise zlib.error
    if not unpacking.eof:
        raise zlib.error
