"""The event of a history item, as CloudEvents 1.0 in the `detail` of EventBridge: its attributes and its data.

Its JSON Schema is `drop_event.v1.schema.json`, beside this module and in docs/reference/schemas. Fields of `data` are
only added within v1; each is there in every event, null where it means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contracts import codec
from contracts.decision import VerdictName
from contracts.place import Place
from contracts.plan import Promoted
from contracts.problem import Level
from contracts.terms.promises import State as PromiseState
from functions.drop import RowCounts, State

DataSchema = Literal["urn:dropgate:drop-event:v1#/$defs/EventData"]
DATA_SCHEMA: DataSchema = "urn:dropgate:drop-event:v1#/$defs/EventData"
"""The schema of `data`: the `$id` of the event's schema, and the definition in it."""

EventState = Literal[State, "missing", "arrived", PromiseState]
"""A state of a drop, of missing files, or of a promise; `tried` is the end of a trial."""
Engine = Literal["admission", "spark"]
"""The part that decided: more words may follow, so listeners take any text."""


@dataclass(frozen=True, slots=True)
class EventContract:
    """The contract of a drop: the name that plans, folders and commands have, and the ODCS document's id and version.

    `id` and `version` are null where the plan is gone.
    """

    name: str
    id: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class EventProblem:
    """A problem of the receipt. Texts and place are null where the drop was erased or judged again since."""

    code: str
    level: Level | None = None
    message: str | None = None
    fix: str | None = None
    property: str | None = None
    check: str | None = None
    place: Place | None = field(default=None, metadata=codec.FLAT)


@dataclass(frozen=True, slots=True)
class EventObject:
    """An object in S3."""

    bucket: str
    key: str


@dataclass(frozen=True, slots=True)
class EventPromoted:
    """The data that consumers can read from now on: an object, or a table that has its rows.

    `key` ends in `/` for a table: it is the folder of a Delta table, and `version` is a version of it with the rows.
    """

    kind: Promoted
    bucket: str
    key: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class EventMissing:
    """Files of a contract that had not come by the end of their window on a local day: `came` of `files` had."""

    day: str
    files: int | None = None
    came: int | None = None
    due_at: str | None = None


@dataclass(frozen=True, slots=True)
class EventPromise:
    """A promise over time that is now met, at risk or missed, and `was` something else.

    `name` is that of the service level, `promised` and `figure` say in words what it promises and what was seen, in the
    period from `begin` up to `end`.
    """

    name: str
    was: PromiseState
    promised: str
    figure: str
    begin: str
    end: str


@dataclass(frozen=True, slots=True)
class EventData:
    """The facts by which a listener filters and acts: of a drop at one step, of missing files, or of a promise.

    `event` led to the state. `promoted` is set in the event by which data becomes readable, and in no other;
    `withdrawn` is true where consumers lose what an earlier attempt of the drop had promoted. `left_out` names the
    lists that are shortened, because an event has 16 KB at most.
    """

    state: EventState
    event: str | None = None
    drop: str | None = None
    attempt: int | None = None
    step: int | None = None
    contract: EventContract | None = None
    producer: str | None = None
    consumers: tuple[str, ...] = ()
    key: str | None = None
    trial: bool = False
    verdict: VerdictName | None = None
    engine: str | None = None
    rows: RowCounts | None = None
    problems: tuple[EventProblem, ...] = ()
    left_out: tuple[Literal["problems", "consumers"], ...] = ()
    receipt: EventObject | None = None
    promoted: EventPromoted | None = None
    withdrawn: bool = False
    uploaded_at: str | None = None
    received_at: str | None = None
    decided_at: str | None = None
    missing: EventMissing | None = None
    promise: EventPromise | None = None


@dataclass(frozen=True, slots=True)
class DropEvent:
    """A CloudEvent. `id` is the same each time that the event is sent; `sequence` orders the events of one `subject`.

    The subject is the drop's id, or the contract and the day of missing files or the name of a promise.
    """

    id: str
    source: str
    type: str
    subject: str
    time: str
    sequence: str
    data: EventData
    specversion: Literal["1.0"] = "1.0"
    datacontenttype: Literal["application/json"] = "application/json"
    dataschema: DataSchema = DATA_SCHEMA
