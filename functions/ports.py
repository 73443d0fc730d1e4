"""Ports of the use cases: objects, the ledger, jobs, delayed messages, the time; no implementation.

Each port has a real implementation under `aws/` and one in memory in `tests/fakes.py`, and one test that holds both.
A call that may succeed later raises ServiceUnavailable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeVar

from contracts import codec
from contracts.job import DataFile
from contracts.table import TableColumn
from contracts.watermarks import HighMark
from functions import keys
from functions.catalog import Published
from functions.drop import BY_PERSON, Drop, Location, Moved
from functions.keys import Zones

LARGEST_COPY = 5 * 1024**3
"""Bytes that one CopyObject moves (Amazon S3 user guide, "Copying objects")."""
MOST_DROPS, MOST_BATCHES = 500, 15
"""The template's defaults of how many drops go into one batch, and how many batches are under way."""

GOLDEN = (5**0.5 - 1) / 2
"""The part of a line by which one goes on, round and round, to come close to each of its places soonest."""

T = TypeVar("T")

MARKER_KEPT = timedelta(days=1)
"""How long a folder marker, an empty object whose key ends in `/`, stays in landing: SFTP clients look for it."""

REMEMBERED = timedelta(days=90)
"""For how long a table's log says that a change was made: longer than a drop may stand in `promoting`."""


def tell_nobody(_: object) -> None:
    """Take note of nothing."""


@dataclass(frozen=True, slots=True)
class Stat:
    """The HEAD of an object; `drop` and `attempt` are the tags of the move that wrote it."""

    etag: str
    size: int
    sha256: str | None = None
    drop: str | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """Whose bytes an object holds: written with every copy, so that a repeated copy knows its own.

    `kind` is the media type that goes with them, by our own names and the contract's format, never by a producer's key.
    """

    drop: str
    attempt: int
    kind: str = field(default=keys.BYTES, compare=False)


Place = tuple[str, str]
"""A key and a version, after which a page of a listing begins."""


@dataclass(frozen=True, slots=True)
class Lying:
    """An object version that lies in a bucket, since when by the store's clock; `current`: readers get it."""

    key: str
    version: str
    etag: str
    size: int
    written_at: str
    current: bool = True


@dataclass(frozen=True, slots=True)
class Remains:
    """One version of an object, or a delete marker; `current`: the newest of its key, which is what readers meet."""

    at: Location
    current: bool
    marker: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a listing, and where the next begins; None where nothing follows."""

    found: tuple[Lying, ...]
    after: Place | None = None


class ObjectStore(Protocol):
    """Objects by URI."""

    def head(self, at: Location) -> Stat | None:
        """Return the HEAD of an object; None if there is none."""
        ...

    def read(self, at: Location, start: int, length: int) -> bytes:
        """So many bytes from a place on, or all there are; ObjectGone, ObjectReplaced, ObjectUnreadable."""
        ...

    def get(self, uri: str) -> bytes:
        """A whole document; ObjectGone."""
        ...

    def get_if_changed(self, uri: str, etag: str | None) -> tuple[bytes, str] | None:
        """A document and its ETag, None while it still has `etag`; ObjectGone."""
        ...

    def listed(self, folder: str, most: int) -> Mapping[str, str]:
        """The ETags of the objects below a folder by their URIs, at most so many."""
        ...

    def lying(self, folder: str, after: Place | None, most: int) -> Page:
        """A page of the object versions below a folder, from a place on, whoever wrote them."""
        ...

    def remaining(self, place: str) -> Sequence[Remains]:
        """Every version, delete markers among them, below a folder or of one key; of each key the current one last."""
        ...

    def put(self, uri: str, body: bytes, content_type: str, replaces: str | None = None) -> None:
        """Write a document, over what was there; ObjectReplaced where that has not the ETag `replaces`, if given."""
        ...

    def copy(self, source: Location, target: str, mark: Mark, replaces: str | None = None) -> Stat:
        """Copy within the store, without the producer's metadata and tags.

        The target must be free, or hold the ETag `replaces`: else DestinationTaken.
        ObjectGone where the source is none, ObjectReplaced where it has another ETag than it names, ObjectUnreadable
        where it is archived or locked.
        """
        ...

    def begin(self, target: str, mark: Mark) -> str:
        """Begin a copy in parts, for what one copy cannot move; its name."""
        ...

    def go_on(self, upload: str, source: Location, target: str, size: int, replaces: str | None = None) -> Stat | None:
        """Copy some of the parts that are missing; None as long as others are, at the end what lies there.

        UploadGone if it was ended or broken off; else as `copy`, whose conditions hold for each part, and at the end.
        """
        ...

    def break_off(self, upload: str, target: str) -> None:
        """Forget a copy in parts; no error where it is gone already."""
        ...

    def delete(self, at: Location) -> None:
        """Remove one version; no error where it is gone already."""
        ...

    def clear(self, folder: str) -> None:
        """Hide all that lies below a folder; its bytes stay as versions until lifecycle removes them."""

    def withdraw(self, at: Location) -> None:
        """Hide an object from readers if it has the ETag of `at` still; what lay under its key before stays hidden."""
        ...


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which drops of a plan gather; `opened_at` names it, `due_at` is when its message arrives.

    One whose batch found no slot, or was held up, stays, overdue since its oldest drop was staged, and says whose drops
    they are.
    """

    plan: str
    opened_at: str
    due_at: str
    producer: str = ""
    contract: str = field(default="", metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause: no new batch is made of drops of that contract, or of any contract of that producer.

    A batch that is under way goes on, its next tries included. `by` is who holds it up.
    """

    kind: Literal["contract", "producer"]
    name: str
    at: str
    reason: str = ""
    format: Literal[1] = 1
    by: str = field(default="", metadata=codec.SPARSE)

    def holds(self, one: Window | Drop) -> bool:
        """Return True if a window or a drop waits for something that is paused."""
        return self.name == (one.contract if self.kind == "contract" else one.producer)


@dataclass(frozen=True, slots=True)
class Batch:
    """Drops of one plan that share a job. `members` is what was asked for; a drop whose `batch` says so is in it.

    claimed: a try is to be started; running: `run` is its id; ended: every member is settled.
    `try_at` is when the try was set up: the age of its token. `slot` is the place among the batches under way that it
    holds until it has ended. `marks` are the high marks that all its tries are judged by.
    A half of a batch whose job died names that one (`former`) and the one that was split first (`origin`), which counts
    the splits.
    """

    id: str
    plan: str
    contract: str
    members: tuple[str, ...]
    size: int
    claimed_at: str
    try_at: str
    changed_at: str
    state: Literal["claimed", "running", "ended"] = "claimed"
    try_: int = 1
    run: str | None = None
    reason: str | None = None
    slot: int | None = None
    producer: str = ""
    marks: tuple[HighMark, ...] = field(default=(), metadata=codec.SPARSE)
    former: str | None = None
    origin: str | None = None
    splits: int = 0
    version: int = 1
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Lineage:
    """The shared state of all uploads of one key (or of one content) under one contract.

    The drop that is being promoted, if one is; the drop that consumers see, with its sequencer, time and ETag (of rows
    in a table an empty one); and the latest sequencer that any drop had which consumers have seen.
    """

    id: str
    promoting: str | None = None
    promoted: str | None = None
    sequencer: str = ""
    furthest: str = ""
    uploaded_at: str = ""
    etag: str | None = None
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Watermarks:
    """The high marks of a contract's accepted drops; a mark only goes forward."""

    contract: str
    marks: tuple[HighMark, ...] = ()
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files of one contract that go on together, as they have the same values of the parts that name it.

    `plan` is whose rule holds. It must be complete at `due_at`; `lacks` says what it lacked then. `signal` is the drop
    of its marker or manifest, with its place among uploads, `manifest` where the bytes of that lie, `beside` its key
    below landing, `files` how many it names. At `look_at` the schedule looks at it; None: there is nothing left to do.
    """

    id: str
    contract: str
    plan: str
    parts: dict[str, str]
    opened_at: str
    due_at: str
    look_at: str | None
    state: Literal["open", "complete", "incomplete"] = "open"
    decided_at: str | None = None
    lacks: str | None = None
    signal: str | None = None
    sequencer: str = ""
    uploaded_at: str = ""
    manifest: str | None = None
    beside: str = ""
    files: int = 0
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Absence:
    """The files of a contract that had not come by the end of their window on a local day, of so many that should have.

    `due_at` is when the window ended; from `over_at` on, with the next day, nothing ends it any more. `arrived`: all of
    them came on that day after all.
    """

    contract: str
    day: str
    files: int
    came: int
    due_at: str
    over_at: str
    changed_at: str
    state: Literal["missing", "arrived"] = "missing"
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class RollCall:
    """The progress of the search for missing files (moment and contract), and the absences that may still end."""

    until: str = ""
    missing: tuple[Absence, ...] = ()
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One item of a drop's history, which is a notice too."""

    drop: str
    attempt: int
    step: int
    state: str
    event: str
    at: str
    contract: str | None = None
    verdict: str | None = None
    problem: str | None = None
    by: str | None = field(default=None, metadata=codec.SPARSE)
    because: str | None = field(default=None, metadata=codec.SPARSE)
    batch: str | None = field(default=None, metadata=codec.SPARSE)
    format: Literal[1] = 1


def step_of(drop: Drop, event: str) -> Step:
    """The step that has made a drop what it is; who did it and why, where that was a person."""
    said = drop.forgotten if event == "forgetting" else drop.override if event in BY_PERSON else None
    return Step(
        drop=drop.id,
        attempt=drop.attempt,
        step=drop.step,
        state=drop.state,
        event=event,
        at=drop.changed_at,
        contract=drop.contract,
        verdict=drop.verdict,
        problem=drop.problems[0].code if drop.problems else None,
        by=said.by if said else None,
        because=said.because if said else None,
        batch=drop.batch if event in ("claimed", "retried") else None,  # the halves of a batch try again
    )


@dataclass(frozen=True, slots=True)
class InFlight:
    """The items open since before a moment, the oldest first; from an index, so read each again before you act.

    Of very much the oldest and the newest, and some of what is between: other ones with each look.
    """

    drops: tuple[Drop, ...] = ()
    """Those that go on by themselves."""
    batches: tuple[Batch, ...] = ()
    windows: tuple[Window, ...] = ()
    waiting: tuple[Drop, ...] = ()
    """Those that wait for a batch: enough to know whose windows are missing."""
    unreadable: tuple[str, ...] = ()
    """Keys of items that are no drop, batch, window or set that this version reads."""
    sets: tuple[FileSet, ...] = ()
    """Sets of files that are to be looked at."""


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A batch that must stand as it was read; it is not written."""

    batch: Batch


Beside = Lineage | Batch | Unmoved | Window | Watermarks | RollCall | Absence | FileSet
"""What goes into the ledger in one transaction with drops."""


class Ledger(Protocol):
    """The record of every drop. Every write is fenced: StaleWrite if somebody else wrote since the value was read."""

    def open(self, drop: Drop) -> Drop:
        """Record a new drop with its first history item, in one transaction; the drop as it stands if it is known."""
        ...

    def drop(self, drop_id: str) -> Drop | None:
        """A drop as it stands now."""
        ...

    def drops(self, drop_ids: Sequence[str]) -> tuple[Drop, ...]:
        """Many drops as they stand now, in no order; left out are ids that are unknown, and items that cannot be read.

        One of these alone is DocumentInvalid (`drop`), and `in_flight` names it: it is to hold up no other.
        """
        ...

    def write(self, moves: Sequence[Moved], *beside: Beside) -> None:
        """Write drops, their history items and what waits for a batch in one transaction (25 drops).

        What is written `beside` them has the version that was read (0 for a new one); a window is one that opens.
        HeldUp if a batch is new, no half of another, and somebody has paused its contract or its producer.
        """
        ...

    def lineage(self, lineage_id: str) -> Lineage:
        """The lineage of that id; a new one has version 0."""
        ...

    def watermarks(self, contract: str) -> Watermarks:
        """The high marks of a contract; new ones have version 0."""
        ...

    def history(self, drop_id: str) -> tuple[Step, ...]:
        """All that happened to a drop, the oldest first."""
        ...

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """The ids that begin so, at most 20; the prefix has 4 characters or more."""
        ...

    def of_month(
        self, contract: str | None, month: str, most: int = 1000, only: Mapping[str, str] | None = None
    ) -> tuple[Drop, ...]:
        """The drops that a contract (None: no contract) received in a month YYYY-MM, the newest first.

        Where `only` is given, those whose attributes of these names have these values, as {"state": "failed"}; as much
        of the month is read as it takes to find `most` of them. One whose item cannot be read is left out.
        """
        ...

    def each(self, contract: str | None, month: str) -> Iterator[Drop | str]:
        """The same, all of them, read page by page; for one whose item cannot be read its key."""
        ...

    def received(self, contract: str, since: str, until: str, most: int) -> tuple[Drop | str, ...]:
        """The drops that a contract received from one moment to another, the newest first.

        For one whose item cannot be read its key.
        """
        ...

    def file_set(self, set_id: str) -> FileSet | None:
        """A set of files as it stands now."""
        ...

    def gathering(self, set_id: str) -> Mapping[str, str]:
        """The keys below landing of the drops that wait for a set, by their ids; read consistently."""
        ...

    def roll_call(self) -> RollCall:
        """The roll call; a new one has version 0."""
        ...

    def absences(self, contract: str, month: str) -> tuple[Absence, ...]:
        """Return the absences of a contract in a month YYYY-MM, the first day first."""
        ...

    def in_flight(self, before: str, most: int = 1000) -> InFlight:
        """Return the items that are open and unchanged since `before`: of each kind some `most` oldest and newest.

        Of what is between as many, with each look of the same process further back, and round again: a look costs no
        more however much is open, and nothing can hide another for ever.
        """
        ...

    def open_window(self, window: Window) -> bool:
        """Open a plan's window; False if one is open."""
        ...

    def window(self, plan: str) -> Window | None:
        """A plan's open window."""
        ...

    def put_off(self, window: Window, due_at: str) -> bool:
        """Let that very window be due later; False if it is not as it was."""
        ...

    def close_window(self, window: Window) -> None:
        """Close the window that was opened then; nothing happens if it is closed already."""
        ...

    def pending(self, plan: str, most: int = 1000) -> tuple[Drop, ...]:
        """The staged drops of a plan, the first that was staged first; read consistently."""
        ...

    def upload(self, mark: Mark, target: str) -> str | None:
        """The copy in parts that brings a drop's bytes to a target."""
        ...

    def note_upload(self, mark: Mark, target: str, upload: str, instead: str | None) -> bool:
        """Note it; False if another one than `instead` was noted."""
        ...

    def sweep(self) -> Place | None:
        """Return where the next search of landing for unannounced objects begins; None: at the beginning."""
        ...

    def put_sweep(self, after: Place | None) -> None:
        """Let the next look begin there."""
        ...

    def newest_pointer(self) -> str:
        """Return when the newest pointer of the catalog ever seen was published; empty if there was none."""
        ...

    def note_pointer(self, published_at: str) -> None:
        """Remember that one of that time was seen, unless a newer one was."""
        ...

    def pause(self, pause: Pause) -> bool:
        """Hold something up; False if it is held up already."""
        ...

    def resume(self, pause: Pause) -> bool:
        """Let it go on; False if it is not held up."""
        ...

    def pauses(self) -> tuple[Pause, ...]:
        """All that is held up; read consistently."""
        ...

    def open_batch(self, batch: Batch) -> bool:
        """Record a batch and take its slot; False if there is one of that id, or the slot is another's.

        HeldUp if somebody has paused its contract or its producer.
        """
        ...

    def taken(self) -> Mapping[int, str]:
        """The slots that are some batch's, each with the producer of its drops; read consistently."""
        ...

    def batch(self, batch_id: str) -> Batch | None:
        """A batch as it stands now."""
        ...

    def batch_of(self, run: str) -> tuple[Batch, tuple[Drop, ...]] | None:
        """The batch that a job run was started for, and the drops that it lists, as they stand now."""
        ...

    def write_batch(self, before: Batch, after: Batch) -> None:
        """Write a batch, and with a new `run` the way from the run to it; one that has ended frees its slot."""
        ...


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The state of a job run: `working`, or how it ended; `details` is for operators.

    `began` is false of a run that ended while it waited for workers: it has looked at no drop.
    """

    outcome: Literal["working", "success", "failed"]
    details: str = ""
    began: bool = True


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders that a run may read, and those that it may read and write; nothing else but its own code.

    URIs that end in `/`; `*` stands for any characters. `expectations` says that Great Expectations is to come with it,
    `arrow` that Arrow is; `references` are folders and files that its plan names.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    expectations: bool = False
    references: tuple[str, ...] = ()
    arrow: bool = False


class Tables(Protocol):
    """Delta tables, by the URIs of their folders. Every change is one commit, which a reader sees whole or not at all.

    A change bears the mark of its drop and attempt, and is made once, however often it is asked for; but `take_out`.
    """

    def ready(self, table: str, columns: Sequence[TableColumn], mark: Mark) -> bool:
        """Make a table, or give it the columns that it lacks; whether the change of that mark is made already.

        TableUnlike where it cannot take rows with these columns.
        """
        ...

    def append(self, table: str, files: Sequence[DataFile], mark: Mark) -> None:
        """Add files that lie in the table's folder, under their names of `keys.data_file`."""
        ...

    def replace(self, table: str, folder: str, files: Sequence[DataFile], mark: Mark, instead: Sequence[str]) -> None:
        """Put the rows of files in another folder in the place of all rows of some drops, and of none other."""
        ...

    def withdraw(self, table: str, mark: Mark, later: int | None = None) -> None:
        """Take all rows of a drop out; the mark is that of the attempt whose rows they are.

        None where rows of the attempt `later`, or of one after it, were put in: they took the place of all others.
        """
        ...

    def take_out(self, table: str, drop: str) -> None:
        """Take out all rows of a drop that a table has now, of whatever attempt, also after it was withdrawn."""
        ...

    def count(self, table: str) -> Mapping[str, int]:
        """Return the number of rows of each drop in a table, rows of no drop under the empty id."""
        ...

    def files(self, table: str) -> Collection[str]:
        """The files that a table names as it stands, by their keys below its folder; none where there is no table."""
        ...

    def made(self, table: str, mark: Mark) -> bool:
        """Return True if rows with that tag, or a later one, were put into a table within `REMEMBERED`."""
        ...


class Jobs(Protocol):
    """Job runs on the Spark application."""

    def start(self, token: str, request: str, size: int, reach: Reach) -> str:
        """Start the job for a request document of `size` bytes of files; the same token gives the same run."""
        ...

    def find(self, token: str, since: datetime) -> str | None:
        """The run of that token started at `since` or later, for tokens too old to be sent again."""
        ...

    def status(self, run: str) -> RunStatus:
        """Return the state of a run."""
        ...


class Delays(Protocol):
    """Messages that arrive later."""

    def send(self, window: Window, seconds: int) -> None:
        """Tell `batch_due` of a window after so many seconds (0 to 900)."""
        ...


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Now, in UTC."""
        ...


def months(since: str, until: str) -> tuple[str, ...]:
    """The months YYYY-MM from one moment to another, the newest first."""
    found, month = [until[:7]], until[:7]
    while month > since[:7]:
        year, number = divmod(int(month[:4]) * 12 + int(month[5:]) - 2, 12)
        month = f"{year:04}-{number + 1:02}"
        found.append(month)
    return tuple(found)


def stamp(moment: datetime) -> str:
    """A moment as the ledger writes it: text that sorts by time."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime:
    """The moment that a stamp names."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


def moment_if_any(text: str) -> datetime | None:
    """The same; None where a hand has written what is no stamp of ours."""
    try:
        return moment(text)
    except ValueError:
        return None


def turned(line: Sequence[T], now: datetime) -> list[T]:
    """A line begun each minute far from where it was before, so that nothing in it keeps others from their turn."""
    begin = int(int(now.timestamp()) // 60 * GOLDEN % 1 * len(line))
    return [*line[begin:], *line[:begin]]


@dataclass(frozen=True, slots=True)
class Ports:
    """The world, handed to every use case.

    `window_seconds` is how long drops gather; `patience_seconds` how long the reconciler leaves a thing to its event;
    `most_drops` is how many go into one batch, `most_batches` how many of those may be under way; `seen` is when this
    process last staged a drop of a plan: a guess at what is cheapest, no more. What has more bytes than `largest_copy`
    is copied in parts. `masks_evidence` keeps values of classified properties out of the evidence.
    """

    zones: Zones
    store: ObjectStore
    ledger: Ledger
    jobs: Jobs
    delays: Delays
    clock: Clock
    catalog: Published
    tables: Tables
    window_seconds: int = 60
    patience_seconds: int = 60
    most_drops: int = MOST_DROPS
    most_batches: int = MOST_BATCHES
    largest_copy: int = LARGEST_COPY
    masks_evidence: bool = False
    seen: dict[str, datetime] = field(default_factory=dict)

    def at(self) -> str:
        """The time as a stamp."""
        return stamp(self.clock.now())
