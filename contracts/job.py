"""The job's request and its result: two documents, each an object in the jobs zone.

The request is one JSON document. The result is JSON Lines: a header, then one line for each drop, so that a thousand
drops stay a few megabytes. Record numbers count data records from 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from contracts import codec, rules
from contracts.errors import DocumentInvalid
from contracts.files.mojibake import Letters
from contracts.place import Place
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.file_sets import Totals
from contracts.terms.trailer import TrailerReading
from contracts.watermarks import HighMark

SIFTED_FROM = 16 * 2**20
"""Bytes of CSV files from which the job prefilters their lines: Spark judges fewer bytes faster than workers start."""
SMALL = 64 * 2**20
"""Bytes below which the JVM takes longer to compile code well than that saves."""
SMALL_PREFILTERED = 256 * 2**20
"""The same where most lines never reach the JVM: 202 MiB take two thirds to four fifths of the time."""
BROAD = 400
"""Columns beyond which lines of files of any size are prefiltered: Spark takes longer to plan so many columns than
workers take to start, and Arrow to find the columns that Spark has to judge."""


def is_broad(plan: Plan, columns: int) -> bool:
    """Return True if files of so many columns are prefiltered whatever their size is."""
    return plan.file_format in ("csv", "jsonl") and columns > BROAD


def is_brief(plan: Plan, size: int) -> bool:
    """Return True if a JVM would take longer to compile its code well than that saves with so many bytes of files.

    Larger files are judged that fast if Python reads them and nothing reads all their lines again.
    """
    if not SMALL <= size < SMALL_PREFILTERED:
        return size < SMALL
    of_plain_lines = plan.file_format in ("csv", "fixed") and plan.packing == "none" and not plan.csv.multi_line
    reads_again = any(isinstance(check.rule, rules.Query | rules.Expectation) for check in plan.checks)
    return of_plain_lines and plan.promote == "object" and not reads_again


@dataclass(frozen=True, slots=True)
class JobMember:
    """A file within an archive: its name there, and the URI of its text.

    If it is `headless`, an empty line stands for its header.
    """

    name: str
    uri: str
    headless: bool = False


@dataclass(frozen=True, slots=True)
class JobDrop:
    """A drop for the job: the location of its bytes, its header line, and the folders for its rows.

    `header_line` is the file's first line without its line end, as decoded text, a byte order mark included; `notes`
    are the warnings of admission, copied to the verdict; `rejected` is a folder URI, or None if the rows are not
    needed. `types` are Spark's types of the columns of a Parquet file, in the order of `header`. `modified` is the
    time when its file came, in UTC. `totals` is copied from its manifest to the verdict. `valid` is the folder of its
    valid rows, if the plan promotes them. `unpacked` is the number of bytes in a file that the job unpacks first;
    `members` are the files that it has unpacked an archive to.
    """

    id: str
    attempt: int
    uri: str
    name: str
    size: int
    header: tuple[str, ...]
    header_line: str
    rejected: str | None = None
    notes: tuple[Problem, ...] = ()
    types: tuple[str, ...] = ()
    modified: str | None = None
    valid: str | None = field(default=None, metadata=codec.SPARSE)
    totals: Totals | None = field(default=None, metadata=codec.SPARSE)
    unpacked: int | None = field(default=None, metadata=codec.SPARSE)
    members: tuple[JobMember, ...] = field(default=(), metadata=codec.SPARSE)

    @property
    def uris(self) -> tuple[str, ...]:
        """Return the URIs of its text, in order: of several files if it is an archive."""
        return tuple(member.uri for member in self.members) or (self.uri,)


@dataclass(frozen=True, slots=True)
class JobReference:
    """A reference of the plan for this run: its files, and a version that names their exact content.

    Promoted files are read by the `plan` of their contract. `problem` is the reason if there is nothing to read.
    """

    name: str
    version: str | None = None
    files: tuple[str, ...] = ()
    plan: Plan | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class JobRequest:
    """One run of the job: drops of one plan, and the folders to write to. All URIs of folders end in `/`.

    `evidence_rows` is a folder of this batch only; a later try overwrites it. `marks` are the high marks that the
    plan's watermarks must exceed. With `mask`, evidence has no values of classified properties. `evidence_checks` is
    read in requests of older versions, whose jobs wrote results of checks there.
    """

    batch: str
    try_: int
    plan: Plan
    drops: tuple[JobDrop, ...]
    scratch: str
    evidence_rows: str
    result: str
    requested_at: str
    marks: tuple[HighMark, ...] = field(default=(), metadata=codec.SPARSE)
    references: tuple[JobReference, ...] = field(default=(), metadata=codec.SPARSE)
    mask: bool = field(default=False, metadata=codec.SPARSE)
    evidence_checks: str = field(default="", metadata=codec.SPARSE)
    format: Literal[1] = 1

    @classmethod
    def loads(cls, text: str | bytes) -> JobRequest:
        """Read a request; raise DocumentInvalid if it is not one."""
        return codec.loads(cls, text, "job request")

    def dumps(self) -> str:
        """Return the request's JSON text."""
        return codec.canonical(self)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file of rows of one drop: its name below the drop's folder, bytes, rows."""

    name: str
    size: int
    rows: int


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The files of a drop's valid rows for a table: the document `files.json` in their folder."""

    drop: str
    attempt: int
    files: tuple[DataFile, ...]
    format: Literal[1] = 1

    @classmethod
    def loads(cls, text: str | bytes) -> DataFiles:
        """Read the document; raise DocumentInvalid if it is not one."""
        return codec.loads(cls, text, "list of data files")

    def dumps(self) -> str:
        """Return the document's JSON text."""
        return codec.canonical(self)


@dataclass(frozen=True, slots=True)
class Sample:
    """One failing record of a check; `value` is the cell's text, masked where its property is classified."""

    place: Place = field(metadata=codec.FLAT)
    value: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """The counts of one check in one drop: evaluated = success + failed + null.

    `state` error: the rule crashed or could not run, the counts are void. not_evaluated: `reason` is a code
    (`allowed-missing`, `no-rows`). `observed` is the worst failing value, or the metric's figure. `figure` is the
    unmasked figure of an aggregate (`contracts.rules.Aggregate`), with 50 digits; dates are days since 1970,
    timestamps microseconds.
    `against` is the version of the reference that records were compared with.
    """

    evaluated: int = 0
    failed: int = 0
    null: int = 0
    state: Literal["counted", "error", "not_evaluated"] = "counted"
    reason: str | None = None
    observed: str | None = None
    samples: tuple[Sample, ...] = ()
    figure: Decimal | None = None
    against: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class DropResult:
    """The facts of one drop; `counts` are in the order of the header's `checks`.

    `read` is counted by a plain scan, `valid` by the checks, `rejected` in the evidence. `masks` is the histogram of
    failing row checks: (hexadecimal bit mask over `Plan.row_checks`, rows), the most frequent first; with `overflow`
    the rarest are left out. A drop that could not be judged has no counts, but a `failure`, or a `refusal` if its file
    cannot be read in the agreed format. `marks` are the greatest values of the plan's watermarks among its valid
    records. `totals` is copied from its manifest. `sums` are the sums, over all records, of the properties that a
    manifest or a trailer may state; `rough` are properties whose sum includes doubles, so that its last digits may
    differ, `endless` those whose sum exceeds a double. `ending` is the reading of the trailer, if the plan has one;
    `letters` counts the records in another encoding, if there are any.
    """

    drop: str
    attempt: int
    read: int = 0
    valid: int = 0
    rejected: int = 0
    flagged: int = 0
    blank: int = 0
    counts: tuple[Count, ...] = ()
    masks: tuple[tuple[str, int], ...] = ()
    overflow: bool = False
    outputs: dict[str, str] = field(default_factory=dict)
    notes: tuple[Problem, ...] = ()
    failure: Problem | None = None
    refusal: Problem | None = None
    marks: tuple[HighMark, ...] = field(default=(), metadata=codec.SPARSE)
    totals: Totals | None = field(default=None, metadata=codec.SPARSE)
    sums: dict[str, Decimal] | None = field(default=None, metadata=codec.SPARSE)
    rough: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    endless: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    ending: TrailerReading | None = field(default=None, metadata=codec.SPARSE)
    letters: Letters | None = field(default=None, metadata=codec.SPARSE)

    @classmethod
    def refused(cls, drop: JobDrop, problem: Problem) -> DropResult:
        """Return the result of a drop whose file is not of its format."""
        return cls(drop.id, drop.attempt, notes=drop.notes, refusal=problem)


@dataclass(frozen=True, slots=True)
class JobHeader:
    """The first line of a result: its run, the ids of the checks in the order of all counts, and the engine."""

    batch: str
    try_: int
    plan: str
    checks: tuple[str, ...]
    started_at: str
    ended_at: str
    engine: Literal["spark", "function"] = field(default="spark", metadata=codec.SPARSE)
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of one run."""

    header: JobHeader
    drops: tuple[DropResult, ...]

    def dumps(self) -> str:
        """Return the result as JSON Lines: the header, then the drops."""
        return "".join(codec.canonical(part) + "\n" for part in (self.header, *self.drops))

    @classmethod
    def loads(cls, text: str | bytes) -> JobResult:
        """Read a result; raise DocumentInvalid if a line of it is not valid."""
        lines = _lines(text)
        header = codec.decode(JobHeader, next(lines, None), "job result, line 1")
        return cls(header, tuple(codec.decode(DropResult, d, f"job result, line {n}") for n, d in enumerate(lines, 2)))


def _lines(text: str | bytes) -> Iterator[object]:
    try:
        whole = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise DocumentInvalid(f"job result is not UTF-8 ({error.reason})") from error
    for number, line in enumerate(whole.removesuffix("\n").split("\n"), 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise DocumentInvalid(f"job result, line {number} is not JSON ({error})") from error
