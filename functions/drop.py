"""The record of a drop, and the one table of states and events: a drop and an event in, the next drop out. Pure.

`TRANSITIONS` has the answer to every repeated, late or reordered event: an event that is not listed changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, get_args

from contracts import codec
from contracts.decision import VerdictName
from contracts.problem import Problem
from contracts.terms.file_sets import Totals
from contracts.terms.history import Figure, Past
from contracts.watermarks import HighMark

State = Literal[
    "received",
    "gathering",
    "staged",
    "validating",
    "promoting",
    "rejecting",
    "accepted",
    "accepted_with_warnings",
    "observed",
    "rejected",
    "failed",
    "unmatched",
    "vanished",
    "superseded",
    "noted",
    "tried",
]
"""The state of a drop."""

Event = Literal[
    "matched_nothing",  # no contract claims the key, or two do
    "refused",  # admission found errors
    "gone",  # the bytes lie in neither landing nor stage
    "announced",  # the event of an upload that was found without one
    "noted",  # a marker or a manifest, which tells of a set
    "joined",  # the bytes lie in the stage zone, and wait for the rest of their set
    "set_complete",  # the set is complete
    "set_refused",  # the set is not complete in time, or its manifest says otherwise of the file
    "staged",  # the bytes lie in the stage zone
    "claimed",  # a batch has taken the drop
    "retried",  # the batch's job runs again
    "superseded",  # a newer upload of the key has been accepted
    "found_good",  # the verdict lets the file through
    "found_bad",  # the verdict does not
    "held",  # refused, and its bytes are kept; the schedule does what follows
    "let_through",  # the verdict does not, and its contract only observes
    "promoted",  # the file lies in the promoted zone, its receipt is written
    "promoted_with_warnings",
    "promoted_all_the_same",
    "rejected",  # the receipt of a rejected drop is written
    "failed",  # we could not judge it
    "receipt_written",  # the receipt of a failed drop is written
    "replayed",  # a person asks for another attempt
    "replayed_to_retract",  # the same of a promoted file, which is withdrawn unless it is found good again
    "accepted_by_person",
    "rejected_by_person",
    "tried",  # the verdict of a trial, with its receipt
    "forgetting",  # a person has what it left erased
    "forgotten",  # and that is done
]
"""The events of a drop."""

Table = Mapping[State, Mapping[Event, State]]

TRANSITIONS: Table = {
    "received": {
        "matched_nothing": "unmatched",
        "refused": "rejecting",
        "announced": "received",
        "noted": "noted",
        "joined": "gathering",
        "staged": "staged",
        "gone": "vanished",
        "failed": "failed",
    },
    "gathering": {
        "announced": "gathering",
        "set_complete": "staged",
        "set_refused": "rejecting",
        "failed": "failed",
    },
    "staged": {"announced": "staged", "claimed": "validating", "failed": "failed"},
    "validating": {
        "announced": "validating",
        "found_good": "promoting",
        "found_bad": "rejecting",
        "let_through": "promoting",
        "retried": "validating",
        "superseded": "superseded",
        "failed": "failed",
    },
    "promoting": {
        "promoted": "accepted",
        "promoted_with_warnings": "accepted_with_warnings",
        "promoted_all_the_same": "observed",
        "failed": "failed",
    },
    "rejecting": {
        "held": "rejecting",
        "let_through": "promoting",
        "found_bad": "rejecting",
        "superseded": "superseded",
        "rejected": "rejected",
        "failed": "failed",
    },
    "unmatched": {"replayed": "received", "forgetting": "unmatched", "forgotten": "unmatched"},
    "rejected": {
        "replayed": "received",
        "accepted_by_person": "promoting",
        "forgetting": "rejected",
        "forgotten": "rejected",
    },
    "failed": {
        "receipt_written": "failed",
        "replayed": "received",
        "rejected_by_person": "rejecting",
        "forgetting": "failed",
        "forgotten": "failed",
    },
    "accepted": {
        "replayed_to_retract": "received",
        "rejected_by_person": "rejecting",
        "forgetting": "accepted",
        "forgotten": "accepted",
    },
    "accepted_with_warnings": {
        "replayed_to_retract": "received",
        "rejected_by_person": "rejecting",
        "forgetting": "accepted_with_warnings",
        "forgotten": "accepted_with_warnings",
    },
    "observed": {
        "replayed_to_retract": "received",
        "rejected_by_person": "rejecting",
        "forgetting": "observed",
        "forgotten": "observed",
    },
    "vanished": {},
    "superseded": {"forgetting": "superseded", "forgotten": "superseded"},
    "noted": {"forgetting": "noted", "forgotten": "noted"},
    "tried": {},  # no drop but a trial
}
"""From a state, by an event, to the next state."""

TRIAL_TRANSITIONS: Table = {
    "received": {
        "announced": "received",
        "staged": "staged",
        "tried": "tried",
        "gone": "vanished",
        "failed": "failed",
    },
    "staged": {"announced": "staged", "claimed": "validating", "failed": "failed"},
    "validating": {"announced": "validating", "retried": "validating", "tried": "tried", "failed": "failed"},
    "tried": {"forgetting": "tried", "forgotten": "tried"},
    "failed": {"receipt_written": "failed", "forgetting": "failed", "forgotten": "failed"},
    "vanished": {},
}
"""The same of a trial: no event leads to a state of promotion, and none reopens it."""


def transitions(*, trial: bool) -> Table:
    """Return the table of a drop or of a trial."""
    return TRIAL_TRANSITIONS if trial else TRANSITIONS


STATES: tuple[State, ...] = get_args(State)
EVENTS: tuple[Event, ...] = get_args(Event)
OPEN: frozenset[State] = frozenset({"received", "gathering", "staged", "validating", "promoting", "rejecting"})
"""The states in which a drop is not settled."""
PROMOTED: frozenset[State] = frozenset({"accepted", "accepted_with_warnings", "observed"})
"""The settled states whose files consumers have."""
RETRACTING: frozenset[State] = OPEN | {"failed"}
"""The states from which the data that a drop retracts can be withdrawn."""

BY_PERSON: frozenset[Event] = frozenset({"replayed", "replayed_to_retract", "accepted_by_person", "rejected_by_person"})
"""The events by which people reopen a settled drop: each begins an attempt with a history of its own."""

KEY_USED, CONTENT_USED, CONTENT_UNKNOWN = "key-used", "content-used", "content-unknown"
ABOUT_OTHERS = frozenset({KEY_USED, CONTENT_USED, CONTENT_UNKNOWN})
"""Codes of problems in other uploads and not in the file: the result of its job does not know them."""

ACCEPTED_BY_PERSON, REJECTED_BY_PERSON = "accepted-by-person", "rejected-by-person"
OF_PEOPLE = frozenset({ACCEPTED_BY_PERSON, REJECTED_BY_PERSON})
"""Codes of the problems that record a person's decision about a drop."""
UNVERSIONED = ("", "null")
"""Version ids of objects in a bucket without versioning, or while it is suspended (S3 user guide, "Versioning")."""

SET_INCOMPLETE, NOT_LISTED = "set-incomplete", "not-in-manifest"
BYTES_DIFFER, CHECKSUM_DIFFERS = "bytes-differ", "checksum-differs"
OF_SETS = frozenset({SET_INCOMPLETE, NOT_LISTED, BYTES_DIFFER, CHECKSUM_DIFFERS})
"""Codes of problems in a drop's set: the file itself does not show them."""

SECONDS = 19
"""Characters of a time up to its seconds: events have no more."""
MOST_PROBLEMS = 5
MOST_TEXT = 300
MOST_HEADER_LINE = 2048
"""Bounds (texts in bytes) that keep an item of the ledger small; receipt and file hold the whole."""


@dataclass(frozen=True, slots=True)
class Location:
    """The place of bytes: a URI, the pinned version if the bucket keeps versions, and the ETag if we wrote them.

    Bytes that a version of dropgate without ETags wrote have no ETag here, and are taken without a comparison.
    """

    uri: str
    version: str | None = None
    etag: str | None = None


class Uploaded(Protocol):
    """A value with the time and the place of an upload among uploads."""

    @property
    def sequencer(self) -> str:
        """S3's sequencer, hexadecimal; empty if no event announced the upload."""

    @property
    def uploaded_at(self) -> str:
        """The store's time, in whole seconds: `YYYY-MM-DDTHH:MM:SS...Z`."""


@dataclass(frozen=True, slots=True)
class Created:
    """A new object version as S3 reports it: by its event, or by its listing (`sequencer` empty) if no event came."""

    bucket: str
    key: str
    version_id: str
    etag: str
    size: int
    sequencer: str
    uploaded_at: str = ""


@dataclass(frozen=True, slots=True)
class Promotion:
    """The target of a promotion: the key in the promoted zone, and the ETag that it may replace (None: nothing).

    `rows` are the rows that the job wrote for consumers; None if they get the file as it came. For a table, `instead`
    are the drops whose rows are replaced: the upload of the key before this one, or this drop in an earlier attempt.
    """

    key: str
    attempt: int
    replaces: str | None = None
    rows: Location | None = field(default=None, metadata=codec.SPARSE)
    instead: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Retraction:
    """The promotion of an earlier attempt: its key in the promoted zone, and the plan by which it took that key."""

    key: str
    attempt: int
    plan: str


MOST_REASON = 300
"""Bytes of the reason of a decision: the ledger's items are small."""


@dataclass(frozen=True, slots=True)
class Override:
    """A person's decision over a verdict: who, why, when, and the verdict that was there before."""

    by: str
    because: str
    at: str
    was: VerdictName | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The erasure of a drop's data: by whom, why and when; until it is `done`, somebody has to go on."""

    by: str
    because: str
    at: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Records read, valid and rejected."""

    read: int
    valid: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Drop:
    """One version of one uploaded object, and its progress.

    `name` is the key below landing. `version` counts the writes (fencing), `step` the history of this attempt. `plan`
    is pinned when the attempt begins. `header_line` is None if it is too long to keep: the file has it. `unpacked` is
    the number of bytes in a compressed file; for Parquet at least the weight of its records. `content` is the SHA-256
    of these bytes, if its contract compares contents. `file_set` is the set that it waited for or belongs to as a
    marker or manifest, `totals` are the manifest's totals of its records. `marks` are the high marks of its records,
    from its verdict on; `figures` are those of its checks that later drops are held against, and `history` those that
    it was held against itself, which every attempt keeps. `retracts` is the data that this attempt withdraws or
    replaces, until it has done so; `override` is set if a person has decided this attempt, `forgotten` if a person had
    it erased. `trial` is True if it was uploaded to the trials' folder of landing: it is judged, and never promoted.
    Times are UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    """

    id: str
    bucket: str
    key: str
    name: str
    version_id: str
    etag: str
    size: int
    sequencer: str
    received_at: str
    changed_at: str
    source: Location
    uploaded_at: str = ""
    state: State = "received"
    attempt: int = 1
    version: int = 1
    step: int = 1
    contract: str | None = None
    plan: str | None = None
    producer: str | None = None
    parts: dict[str, str] = field(default_factory=dict)
    sha256: str | None = None
    header_line: str | None = None
    unpacked: int | None = field(default=None, metadata=codec.SPARSE)
    content: str | None = field(default=None, metadata=codec.SPARSE)
    staged_at: str | None = None
    batch: str | None = None
    try_: int | None = None
    verdict: VerdictName | None = None
    rows: RowCounts | None = None
    problems: tuple[Problem, ...] = ()
    decided_at: str | None = None
    promoted: Promotion | None = None
    receipt: str | None = None
    marks: tuple[HighMark, ...] = field(default=(), metadata=codec.SPARSE)
    figures: Mapping[str, Figure] = field(default_factory=dict, metadata=codec.SPARSE)
    history: Mapping[str, Past] = field(default_factory=dict, metadata=codec.SPARSE)
    file_set: str | None = field(default=None, metadata=codec.SPARSE)
    totals: Totals | None = field(default=None, metadata=codec.SPARSE)
    retracts: Retraction | None = field(default=None, metadata=codec.SPARSE)
    override: Override | None = field(default=None, metadata=codec.SPARSE)
    forgotten: Forgotten | None = field(default=None, metadata=codec.SPARSE)
    trial: bool = field(default=False, metadata=codec.SPARSE)
    format: Literal[1] = 1

    @property
    def weight(self) -> int:
        """The bytes that a job reads of it, which its workers are sized by: those that it unpacks to."""
        return max(self.size, self.unpacked or 0)

    @property
    def in_flight(self) -> bool:
        """Return True if work is left: an open state, or a failed drop without a receipt."""
        owed = self.state == "failed" and self.producer is not None and self.receipt is None and not self.forgotten
        return self.state in OPEN or owed

    @property
    def listed(self) -> bool:
        """Return True if the schedule finds the drop by itself; for drops that wait for a set it finds the set."""
        return self.in_flight and self.state != "gathering"

    @property
    def waits(self) -> bool:
        """Return True if a batch moves the drop on, once there is one."""
        return self.state in ("staged", "validating")


@dataclass(frozen=True, slots=True)
class Transition:
    """The drop after an event, to be written on the condition that nobody wrote since `before`.

    `version` is a version of the contract's table that has the drop's rows, for the event of their promotion.
    """

    before: Drop
    event: Event
    drop: Drop
    version: int | None = None


@dataclass(frozen=True, slots=True)
class NoChange:
    """An event that changes nothing, and why."""

    drop: Drop
    reason: str


Answer = Transition | NoChange


def advance(drop: Drop, event: Event, at: str, **changes: Any) -> Answer:
    """Return the drop after an event; `changes` are the fields that the event sets besides the state."""
    to = transitions(trial=drop.trial).get(drop.state, {}).get(event)
    if to is None:
        return NoChange(drop, A_TRIAL if drop.trial and event in BY_PERSON else _why_not(drop.state, event))
    step = 1 if event in BY_PERSON else drop.step + 1
    after = replace(drop, state=to, version=drop.version + 1, step=step, changed_at=at, **changes)
    return Transition(drop, event, after)


ACCEPTED_ALREADY: dict[State, str] = {
    **dict.fromkeys(PROMOTED, "its file is promoted already"),
    "failed": "it was not judged; replay it",
    "unmatched": "no contract claims its key, so its place is unknown; replay it once one does",
}


A_TRIAL = "it is a trial, which nobody decides, replays or promotes; send the file again"


def _why_not(state: State, event: Event) -> str:
    if event not in BY_PERSON:
        return f"a drop that is {state} has nothing to do with `{event}`"
    if state in OPEN:
        return f"it is {state}, so its attempt is not over"
    if event == "accepted_by_person":
        return ACCEPTED_ALREADY.get(state, f"it is {state}; only a rejected drop can be accepted by a person")
    if event == "rejected_by_person":
        return f"it is {state}; only a promoted or failed drop can be rejected by a person"
    if event == "replayed_to_retract":
        return f"it is {state}, so nothing of it is promoted"
    promoted = "its file is promoted; say --retract to judge it again, which withdraws the file unless it is found good"
    return {
        **dict.fromkeys(PROMOTED, promoted),
        "superseded": "a newer upload of its key has taken its place; replay that one",
        "noted": "it tells of a set of files, and is none; upload it again",
        "vanished": "its bytes were gone before anyone looked; upload the file again",
    }.get(state, f"it is {state}, so its attempt is not over")


def brief(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The first problems with their texts cut, as many as an item of the ledger may hold."""
    every = tuple(problems)
    return tuple(
        replace(p, message=cut(p.message), fix=cut(p.fix), property=cut(p.property) if p.property else None)
        for p in every[:MOST_PROBLEMS]
    )


def cut(text: str, most: int = MOST_TEXT) -> str:
    """Return a text of at most so many bytes, which ends in `…` if it was longer."""
    written = text.encode("utf-8", "replace")
    return text if len(written) <= most else written[: most - 3].decode("utf-8", "ignore") + "…"


def is_later(upload: Uploaded, than: Uploaded) -> bool:
    """Return True if an upload of a key came after another: by S3's sequencers, or by the clock if one lacks it."""
    if upload.sequencer and than.sequencer:
        return rank(upload.sequencer) > rank(than.sequencer)
    return upload.uploaded_at[:SECONDS] > than.uploaded_at[:SECONDS]


def rank(sequencer: str) -> str:
    """Return a sequencer in a form in which S3's later one for a key is greater; a missing one is the least.

    Sequencers are compared as text, the shorter padded on the right with zeros; this is the same as leaving out the
    zeros at the end (AWS Knowledge Center, "Why do I see duplicate messages in Amazon SQS for the same Amazon S3
    event?").
    """
    return sequencer.upper().rstrip("0")
