"""The members of a zip archive that a contract wants: a way to read it in, their places, or its fault, out. Pure.

Only the directory at the archive's end counts (PKWARE, APPNOTE 6.3.10). What it says is compared with the archive's
size, with the head of each member, and with itself: no member lies over another one, and none outside of the archive.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from contracts.plan import Archive
from contracts.problem import Problem, quoted, visible
from contracts.terms.key_pattern import captures

END, LOCATOR, CENTRAL, LOCAL = b"PK\x05\x06", b"PK\x06\x07", b"PK\x01\x02", b"PK\x03\x04"
OF_END, OF_CENTRAL, OF_LOCAL = struct.Struct("<4s4H2LH"), struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s5H3L2H")
OF_LOCATOR = 20
LONGEST_COMMENT = 0xFFFF
LARGEST_DIRECTORY, MOST_ENTRIES, MOST_MEMBERS = 4 << 20, 10_000, 1_000
"""Bytes and entries of a directory, and members that a contract may want of it."""
ELSEWHERE = 0xFFFFFFFF
"""The size that stands for one in a field of zip64."""
SPARE = 8 << 20
"""Bytes that a member may have beyond twice its content: blocks of nothing take time and give none."""
STORED, DEFLATED = 0, 8
METHODS = {6: "Implode", 9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd"}
SEALED = 0x0001 | 0x0040 | 0x2000
"""The flags of members, and of a directory, that need a password."""
DESCRIBED, UTF_8 = 0x0008, 0x0800
LINK, KINDS = 0xA000, 0xF000
"""The kind of a symbolic link in the rights of a file on Unix."""
UNSAFE = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|\Z)|.*[\x00-\x1f\x7f\\]", re.DOTALL)
"""A name that a program could unpack outside of its folder, or that is no name on every system."""
OFFICE = {"xl/": "a workbook of a spreadsheet", "word/": "a document of a word processor", "ppt/": "a presentation"}
"""The kinds of documents of Office, by the folder of their parts."""
AGAIN = "Make the archive again, and send it whole."

Read = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an archive: its bytes there begin at `start` and are `packed` many, its content has `size`."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the directory; the head of its member is at `head`."""

    raw: bytes
    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    head: int
    link: bool

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")

    @property
    def unreadable(self) -> Problem | None:
        """Return why the member cannot be read, by its entry alone; None if it may be."""
        name = visible(self.name)
        if self.flags & SEALED or self.method == 99:
            fix = "Pack the files without a password."
            return Problem("zip-password", f"The member `{name}` needs a password.", fix)
        if self.method not in (STORED, DEFLATED):
            method = METHODS.get(self.method, f"method {self.method}")
            text = f"The member `{name}` is compressed in a way that is not read here: {method}."
            return Problem("zip-method", text, "Make the archive with Deflate, which programs take by default.")
        if self.method == STORED and self.packed != self.size:
            return lies(self.name)
        if self.packed > 2 * self.size + SPARE:
            return _broken(f"`{name}` holds next to nothing for its size")
        return None


def members(archive: Archive, read: Read, size: int) -> tuple[Member, ...] | Problem:
    """Return the members of an archive of `size` bytes that a contract wants, in their order; or why it is refused.

    `read` returns the bytes from a position on, up to a number.
    """
    listed = _directory(read, size)
    if isinstance(listed, Problem):
        return listed
    directory, entries = listed
    wanted = _chosen(archive, entries)
    if isinstance(wanted, Problem):
        return wanted
    placed: list[Member] = []
    for entry in wanted:
        member = _placed(read, entry, directory)
        if isinstance(member, Problem):
            return member
        placed.append(member)
    ends = {member.name: member.start + member.packed for member in placed}
    for before, after in pairwise(sorted(entries, key=attrgetter("head"))):
        least = before.head + OF_LOCAL.size + len(before.raw) + before.packed
        if after.head < max(least, ends.get(before.name, 0)):  # so a small archive could hold a very large one
            text = f"The members `{visible(before.name)}` and `{visible(after.name)}` lie over one another."
            return Problem("zip-overlap", text, AGAIN)
    return tuple(placed)


def _directory(read: Read, size: int) -> tuple[int, list[_Entry]] | Problem:
    """Return the place of the directory and its entries."""
    begin = max(0, size - OF_END.size - LONGEST_COMMENT)
    tail = read(begin, size - begin)
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < OF_END.size:
        return _broken("it has no directory at its end; it was cut short")
    _, *disks, total, length, start, comment = OF_END.unpack_from(tail, at)
    end = begin + at
    if at + OF_END.size + comment != len(tail):
        return _broken("other bytes follow its end" if at + OF_END.size + comment < len(tail) else "it was cut short")
    if total == 0xFFFF or ELSEWHERE in (length, start) or tail[max(0, at - OF_LOCATOR) : at].startswith(LOCATOR):
        return _zip64()
    if disks != [0, 0, total]:
        return Problem(
            "zip-parts", "The file is one part of a zip archive in several parts.", "Send one whole archive."
        )
    if start + length != end:
        return _broken("its directory is not where it says; bytes were added or lost")
    if length > LARGEST_DIRECTORY or total > MOST_ENTRIES:
        text = f"The zip archive has more than {MOST_ENTRIES:,} members, or very long names of them."
        return Problem("zip-too-many", text, "Send the records in fewer files.")
    entries = list(_entries(read(start, length), total))
    if len(entries) != total:
        return _broken("its directory is damaged")
    if any(ELSEWHERE in (entry.packed, entry.size, entry.head) for entry in entries):
        return _zip64()
    return start, entries


def _entries(directory: bytes, total: int) -> Iterator[_Entry]:
    """Yield the entries of a directory, fewer than there are if it is damaged."""
    at = 0
    for _ in range(total):
        if directory[at : at + 4] != CENTRAL or len(directory) - at < OF_CENTRAL.size:
            return
        fields = OF_CENTRAL.unpack_from(directory, at)
        _, made, _, flags, method, _, _, crc, packed, size, name, extra, comment, _, _, rights, head = fields
        raw = directory[at + OF_CENTRAL.size : at + OF_CENTRAL.size + name]
        text = raw.decode("utf-8" if flags & UTF_8 else "cp437", "surrogateescape")
        link = made >> 8 == 3 and (rights >> 16) & KINDS == LINK
        yield _Entry(raw, text, flags, method, crc, packed, size, head, link)
        at += OF_CENTRAL.size + name + extra + comment


def _chosen(archive: Archive, entries: Sequence[_Entry]) -> list[_Entry] | Problem:
    """Return the entries that a contract wants; no name in the archive may be unsafe, or stand twice."""
    if unsafe := next((e for e in entries if UNSAFE.match(e.name) or e.link or not e.name.isprintable()), None):
        kind = "is a link" if unsafe.link else "is no plain path within a folder"
        text = f"The zip archive has a member `{visible(unsafe.name)}`, which {kind}."
        return Problem("zip-unsafe-name", text, "Pack files under plain names, as `orders/1.csv`.")
    files = [entry for entry in entries if not entry.is_folder]
    if document := _document([entry.name for entry in files]):
        text = f"The file is {document}; the contract requires a zip archive with members like `{archive.members}`."
        fix = f"Save its records as a file like `{archive.members}`, and pack that."
        return Problem("wrong-format", text, fix)
    twice = [name for name, n in Counter(entry.name for entry in files).items() if n > 1]
    if twice:
        text = f"The zip archive has several members of one name: {quoted(map(visible, twice))}."
        return Problem("zip-twice", text, "Keep one member of each name.")
    wanted = [entry for entry in files if captures(archive.members, entry.name) is not None]
    others = [entry.name for entry in files if entry not in wanted]
    if not wanted:
        if others and all(name.lower().endswith(".zip") for name in others):
            return nested(others[0])
        there = f"it has {quoted(map(visible, others))}" if others else "it is empty"
        text = f"The zip archive has no member like `{archive.members}`; {there}."
        return Problem("zip-no-member", text, f"Pack the records as members like `{archive.members}`.")
    if others and archive.others == "reject":
        text = f"The zip archive has members that the contract does not know: {quoted(map(visible, others))}."
        fix = f"Pack only members like `{archive.members}`; or ask for `others: ignore` in the contract."
        return Problem("zip-other-members", text, fix)
    if len(wanted) > MOST_MEMBERS:
        text = f"The zip archive has {len(wanted):,} members like `{archive.members}`; {MOST_MEMBERS:,} are taken."
        return Problem("zip-too-many", text, "Send the records in fewer files.")
    return next((problem for entry in wanted if (problem := entry.unreadable)), wanted)


def _document(names: Sequence[str]) -> str | None:
    """Return the kind of a document that is a zip archive of parts (ECMA-376, OpenDocument); None if it is none."""
    if "[Content_Types].xml" in names:
        return next((kind for folder, kind in OFFICE.items() if any(name.startswith(folder) for name in names)), None)
    return "a document of OpenDocument, such as a workbook" if {"mimetype", "content.xml"} <= set(names) else None


def nested(name: str) -> Problem:
    """Return the problem of a zip archive within a zip archive."""
    text = f"The zip archive has another zip archive in it: `{visible(name)}`."
    return Problem("zip-in-zip", text, "Pack the files themselves, once.")


def lies(name: str) -> Problem:
    """Return the problem of a member that has another size or checksum than the directory says."""
    return _broken(f"`{visible(name)}` has another size or checksum than its directory says")


def _placed(read: Read, entry: _Entry, directory: int) -> Member | Problem:
    """Return a member with the place of its bytes, which its own head tells; the head must agree with the directory."""
    head = read(entry.head, OF_LOCAL.size + len(entry.raw)) if entry.head < directory else b""
    if len(head) < OF_LOCAL.size + len(entry.raw) or not head.startswith(LOCAL):
        return _broken(f"`{visible(entry.name)}` is not where its directory says")
    _, _, flags, method, _, _, crc, packed, size, name, extra = OF_LOCAL.unpack_from(head)
    if (method, name, head[OF_LOCAL.size :]) != (entry.method, len(entry.raw), entry.raw):
        return _broken(f"the member `{visible(entry.name)}` has another name or form than its directory says")
    if flags & SEALED:
        return Problem("zip-password", f"The member `{visible(entry.name)}` needs a password.", "Pack it without one.")
    here = (entry.crc, entry.packed, entry.size)
    if not flags & DESCRIBED and (crc, packed, size) != here and ELSEWHERE not in (packed, size):
        return lies(entry.name)
    start = entry.head + OF_LOCAL.size + name + extra
    if start + entry.packed > directory:
        return _broken(f"`{visible(entry.name)}` does not end before the directory")
    return Member(entry.name, entry.method, entry.crc, entry.packed, entry.size, start)


def _broken(why: str) -> Problem:
    return Problem("broken-zip", f"The zip archive cannot be unpacked: {why}.", AGAIN)


def _zip64() -> Problem:
    text = "The zip archive is written as zip64, which is for archives of more than 4 GiB or 65,535 members."
    return Problem("zip64", text, "Make a plain zip archive, or several, each of less than 4 GiB.")
