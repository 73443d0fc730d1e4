"""The checks that need no Spark: a plan, a file's name, size and first bytes in, its faults out. Pure.

They are the same in the pipeline and in `dropgate test`. A file is refused for faults without whose repair its rows
could not be judged, or would surely be rejected: so the verdict is the one that the job would give.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.files import header as files_header
from contracts.plan import Archive, Plan
from contracts.problem import Problem, visible
from functions import keys
from functions.admission.header_again import deprecated
from functions.admission.heads import (
    csv_around,
    csv_head,
    document_head,
    fixed_head,
    job_limits,
    json_head,
    packed_head,
    sheet_head,
    utf16_head,
    xml_head,
    zip_head,
)
from functions.admission.heads.parquet import parquet_head
from functions.admission.heads.problems import (
    MARKS,
    Head,
    empty,
    encoding_key,
    form_of,
    not_packed,
    other_encoding,
    other_format,
    readable,
    seeming,
    wrong_encoding,
    wrong_format,
)

LARGEST_FILE = 5 * 1024**4
"""Bytes: 5 TiB, in parts of 1 GiB half of what one upload in parts may have (Amazon S3 user guide, "Quotas")."""

SAMPLE = files_header.LONGEST_HEADER
"""Bytes of the head that are read; a header line must end within them."""

Read = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Admission:
    """The result of admission.

    Problems of level error refuse the drop, warnings stay with it. `header` are the columns or keys that the job will
    read, by the contract's names; `header_line` has them as one text: the first line of a CSV file, or all agreed rows
    above its records with their line ends, else a JSON array. `unpacked` is the number of bytes in a compressed file,
    `content` their SHA-256 if the contract compares contents.
    """

    problems: tuple[Problem, ...] = ()
    header: tuple[str, ...] = ()
    header_line: str = ""
    unpacked: int | None = None
    content: str | None = None

    @property
    def refused(self) -> bool:
        """Return True if the drop goes no further."""
        return any(p.level == "error" for p in self.problems)

    @property
    def notes(self) -> tuple[Problem, ...]:
        """The warnings."""
        return tuple(p for p in self.problems if p.level == "warning")


def header_line(plan: Plan, size: int, read: Read) -> str:
    """Return the header line of an admitted drop again; a compressed file is unpacked only as far as needed."""
    if plan.file_format == "parquet":
        return parquet_head.again(plan, size, read)
    if plan.sheet:
        return sheet_head.look(plan, size, read, SAMPLE).header_line
    if plan.packing == "none":
        return _text(plan, size, read(0, SAMPLE)).header_line
    if plan.archive:
        begin = zip_head.begin(plan.archive, read, size, SAMPLE + 1)
    else:
        begin = packed_head.begin(packed_head.PACKINGS[plan.compression], read, size, SAMPLE + 1)
    # It has one byte more, which tells whether that is all.
    return _text(plan, len(begin), begin[:SAMPLE]).header_line


def admit(plan: Plan, name: str, size: int, read: Read, room: int = keys.LONGEST) -> Admission:
    """Check a drop's name below landing, its size and its first bytes.

    `read` returns the bytes from a position on, up to a number; it is called once even for an empty file. `room` is the
    number of bytes that the promoted zone leaves for a key.
    """
    sample = read(0, SAMPLE)
    named = admit_name(plan, name, size, room).problems
    if size == 0:
        return Admission(named)
    content = _content(plan, size, sample, read)
    of_format = fixed_head.leader_problems if plan.fixed else csv_around.leader_problems
    differing = of_format(plan, name, content.header_line) if plan.csv.leader else []
    problems = (*named, *content.problems, *differing)
    return Admission(problems, content.header, content.header_line, content.unpacked, content.content)


def admit_name(plan: Plan, name: str, size: int, room: int = keys.LONGEST) -> Admission:
    """Check a drop's name below landing and its size, without its bytes."""
    named = (*deprecated(plan), *_name_problems(plan, name, room), *_size_problems(plan, size))
    return Admission(named if size else (*named, empty("The file is empty (0 bytes).")))


def _content(plan: Plan, size: int, sample: bytes, read: Read) -> Head:
    if plan.file_format == "parquet":
        return parquet_head.look(plan, size, read)
    if plan.sheet:
        return sheet_head.look(plan, size, read, SAMPLE)
    if plan.packing == "none":
        return _text(plan, size, sample)
    signs = zip_head.SIGNS if plan.archive else packed_head.PACKINGS[plan.compression].signs
    if not sample.startswith(signs):
        return Head((not_packed(plan, sample),))
    if plan.archive:
        return _archived(plan, plan.archive, size, read)
    packing, hashed = packed_head.PACKINGS[plan.compression], plan.same_content != "allow"
    unpacked = packed_head.unpack(packing, read, size, SAMPLE, hashed=hashed, in_lines=not plan.is_transcribed)
    if isinstance(unpacked, Problem):
        return Head((unpacked,))
    if not unpacked.size:
        return Head((empty("The file holds nothing."),))
    return replace(_text(plan, unpacked.size, unpacked.sample), unpacked=unpacked.size, content=unpacked.sha256)


def _archived(plan: Plan, archive: Archive, size: int, read: Read) -> Head:
    """Return the head of an archive: that of its first member, and the faults of all members, which are one drop."""
    hashed, in_lines = plan.same_content != "allow", not plan.is_transcribed
    unpacked = zip_head.unpack(archive, read, size, SAMPLE, hashed=hashed, in_lines=in_lines)
    if isinstance(unpacked, Problem):
        return Head((unpacked,))
    headed = plan.file_format == "csv" and plan.csv.header
    if len(unpacked.members) > 1 and plan.csv.is_alone:
        return Head((zip_head.not_alone(len(unpacked.members)),))
    heads = [
        (member.name, _text(plan, member.size, sample) if member.size else Head((empty("The file holds nothing."),)))
        for member, sample in unpacked.members
        if member.size or headed
    ]
    if not heads:
        return Head((empty("No file in the archive holds anything."),))
    (name, first), *others = heads
    problems = [*_of_members(heads)]
    if headed and others and len(first.header_line.splitlines()) > 1:
        text = "A column name in the header has a line break, which is not read in an archive of several files."
        problems.append(Problem("header-line-break", text, "Write each column name in one line."))
    for other, head in others:
        whole = all(p.level == "warning" or p.code == "no-records" for p in (*head.problems, *first.problems))
        if headed and whole and head.header != first.header:
            text = f"The header of `{visible(other)}` is not that of `{visible(name)}`, the first file in the archive."
            problems.append(Problem("zip-header-differs", text, "Write all files with the same columns, in one order."))
            break
    return replace(first, problems=tuple(problems), unpacked=unpacked.size, content=unpacked.sha256)


def _of_members(heads: Sequence[tuple[str, Head]]) -> Iterator[Problem]:
    """Yield the problems of members, each kind once, by name; that of no records only if no member has any."""
    seen = set()
    bare = all(any(p.code == "no-records" for p in head.problems) for _, head in heads)
    for name, head in heads:
        for problem in head.problems:
            kind = (problem.code, problem.property)
            if kind in seen or (problem.code == "no-records" and not bare):
                continue
            seen.add(kind)
            named = len(heads) > 1 and problem.level == "error"
            yield replace(problem, message=f"`{visible(name)}`: {problem.message}") if named else problem


def _text(plan: Plan, size: int, sample: bytes) -> Head:
    if sample in (codecs.BOM_UTF8, *(mark for mark, _ in MARKS)) and len(sample) == size:
        return Head((empty("The file holds a byte order mark and nothing else."),))
    if problem := other_format(plan, sample):
        return Head((problem,))
    if plan.file_format == "xml":
        return xml_head.look(plan, size, sample)
    if plan.is_recoded:
        begin = utf16_head.in_utf8(plan, size, sample)
        return Head((_named(plan, sample) or begin,)) if isinstance(begin, Problem) else _lines(plan, *begin)
    if other := other_encoding(plan, sample):
        text = f"The file is written in {other}; the contract requires {plan.csv.encoding.upper()}."
        return Head((_named(plan, sample) or wrong_encoding(plan, text, seems=encoding_key(sample, other)),))
    if plan.file_format == "json":
        return document_head.look(plan, size, sample)
    if plan.file_format == "jsonl":
        return json_head.look(plan, size, sample)
    return _lines(plan, size, sample)


def _named(plan: Plan, sample: bytes) -> Problem | None:
    """Return the problem of a file in another encoding that is of another form as well."""
    form = form_of(sample) or seeming(plan, readable(sample) or "", whole=False)
    return wrong_format(plan, form) if form else None


def _lines(plan: Plan, size: int, sample: bytes) -> Head:
    if plan.fixed:
        return fixed_head.look(plan, size, sample)
    return csv_around.look(plan, size, sample) if plan.csv.has_top else csv_head.look(plan, size, sample)


def _name_problems(plan: Plan, name: str, room: int) -> list[Problem]:
    problems = []
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cn") for c in name):
        text = "The key holds control characters, or invalid characters."
        problems.append(Problem("name-characters", text, "Name the file with letters, digits, blanks and `._-+%=@`."))
    if any(part in (".", "..") for part in name.split("/")):
        text = "The key has a part `.` or `..`, which tools on the way would resolve into another folder."
        problems.append(Problem("name-dot-parts", text, "Upload the file under the folder's own name."))
    target = keys.promoted_key(plan, "x" * keys.ID_LENGTH, name)
    if hidden := keys.hidden_part(plan, target):
        text = f"The key has a part `{visible(hidden)}`; Spark and Hive skip names that begin with `_` or `.`."
        fix = "Rename it, so that consumers see the file: begin each part of the key with another character."
        problems.append(Problem("name-hidden", text, fix))
    if (length := len(target.encode("utf-8", "surrogatepass"))) > room:
        text = f"The key would be {length:,} bytes long where consumers find it; there is room for {room:,}."
        problems.append(Problem("name-too-long", text, f"Shorten the file's name by {length - room:,} bytes or more."))
    return problems


def _size_problems(plan: Plan, size: int) -> list[Problem]:
    if size <= min(LARGEST_FILE, job_limits.largest(plan)):
        return []
    if size <= LARGEST_FILE:
        side_by_side = job_limits.cores(plan)
        several = f"{side_by_side} cores" if side_by_side > 1 else "one core, as it cannot be divided"
        text = f"The file has {size:,} bytes; a job reads {job_limits.largest(plan):,} in its time, with {several}."
        fix = "Send it in parts that each fit, as files of their own"
        lines = "; or ask for JSON Lines (`format: jsonl`), which a job reads in parts" if plan.json else ""
        return [Problem("file-too-large-for-job", text, f"{fix}{lines}.")]
    text = f"The file has {size:,} bytes; files of more than 5 TiB are not taken."
    return [Problem("file-too-large", text, "Send it in parts that each fit, as files of their own.")]
