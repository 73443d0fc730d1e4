"""The ledger's items: values to items of the table and back. Pure.

- D#<id>                 STATE            a drop; D#<id> H#<attempt>#<n> its history, which is the outbox of events
- ID#<first characters>  <id>             the way from the beginning of an id to drops
- PENDING#<plan>         <staged>#<id>    a drop that waits for a batch, while it waits
- WINDOW#<plan>          STATE            the open window of a plan
- BATCH#<id>             STATE            a batch; RUN#<run> STATE the way from a job run to it
- SLOTS                  <number>         the batch that holds this slot
- KEY#<hash>             STATE            the lineage of the uploads of one key under one contract
- UPLOAD#<drop>          <attempt>#<hash> the copy in parts that moves a large drop to the URI of that hash
- SWEEP                  STATE            the position of the next page of landing
- POINTER                STATE            the time at which the newest pointer was published
- MARKS#<contract>       STATE            the high marks of the accepted drops of a contract
- SET#<id>               STATE            a set of files; M#<drop> a file that waits for the rest, while it waits
- ROLL                   STATE            how far ended windows were checked, and the absences that may still end
- ABSENT#<contract>#<month> <day>         files that were missing on a day; H#<day>#<n> the history of these
- ENROLMENT              STATE            the pattern index whose promises are held
- PROMISES#<contract>    STATE            how the promises of a contract stand; H#<promise>#<n> the history of these
- PROMISES#<contract>    P#<promise>#<begin>#<end>  the result of a period

PENDING and WINDOW of trials are those of `<plan>#trial`, and the index by_month has them under
`<contract>#trial#<month>`: a query for drops of a contract has none of them. Items of trials expire.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from contracts import codec
from contracts.errors import DocumentInvalid
from functions.drop import Drop, Transition
from functions.ports.batches import Batch, Pause, Window
from functions.ports.clock import moment
from functions.ports.drops import Step, StepFacts
from functions.ports.drops import facts_of as facts_of_drop
from functions.ports.drops import step_of as step_of_drop
from functions.ports.expected_files import Absence, AbsenceStep, FileSet, RollCall
from functions.ports.ledger import InFlight, Promised
from functions.ports.lineages import Lineage, Watermarks
from functions.ports.promises import Enrolment, PromisePeriod, PromiseStep, Standing
from functions.ports.store import ListingCursor

Item = dict[str, Any]
T = TypeVar("T")

FORMAT = 1
STATE = "STATE"
HISTORY = "H#"
FLIGHTS = 8
"""Partitions of the index of open items: for drops that continue by themselves, and as many for those that wait.

There may be any number of waiting drops, and they must not hide other items: a batch continues them, and a window
starts that batch.
"""
BATCHES, WINDOWS, PROMISES = "inflight#batches", "inflight#windows", "inflight#promises"
"""The partitions of batches, of windows and sets of files by when they are due, and of promises; there are few."""
SHELF = 4
"""Characters of an id that name the partition in which its beginning is looked up."""
PAUSES = "PAUSES"
"""The partition of all pauses; there are few."""
SLOTS = "SLOTS"
"""The partition of all slots that are taken; there are as many as batches under way."""
FACTS = "told"
"""The attribute of a history item with what its event tells besides the step; once the code of the first problem."""
NO_CONTRACT = "-"
OF_TRIALS = "#trial"
TRIAL_LIFE = timedelta(days=7)
"""The time from the arrival of a trial to the end of its items: its bytes and its receipt are gone days before."""
EXPIRES = "expires"
"""The attribute by which DynamoDB deletes an item (the template's TimeToLiveSpecification), in seconds of Unix."""
OURS = {"pk", "sk", "inflight", "dataset_month", EXPIRES}
"""Attributes that serve the table and are no part of a value."""
FORMER = {"first", "newest"}
"""Attributes that earlier versions wrote, and that mean nothing any more."""

MOST_NUMBER = 10**38
"""The bound of numbers, which have 38 digits at most (Amazon DynamoDB developer guide, "Supported data types")."""

_to_item, _from_item = TypeSerializer(), TypeDeserializer()


def dumps(values: Mapping[str, Any]) -> Any:
    """Plain values as DynamoDB writes them; what is None is left out."""
    return {k: _attribute(v) for k, v in values.items() if v is not None}


def loads(item: Mapping[str, Any]) -> Item:
    """A DynamoDB item as plain values."""
    return {k: _plain(v) for k, v in item.items()}


def _attribute(value: Any) -> Mapping[str, Any]:
    """Return a value as boto3 writes it, which tries ten types and rounds each number."""
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, dict):
        return {"M": {k: _attribute(v) for k, v in value.items()}}
    if isinstance(value, list | tuple):
        return {"L": [_attribute(v) for v in value]}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST_NUMBER:
        return {"N": str(value)}
    written: Mapping[str, Any] = _to_item.serialize(value)
    return written


def _plain(attribute: Any) -> Any:
    """Return the value of an attribute, numbers as int."""
    ((kind, value),) = attribute.items()
    if kind in ("S", "BOOL"):
        return value
    if kind == "N" and value.lstrip("-").isdecimal():
        return int(value)
    if kind == "M":
        return {k: _plain(v) for k, v in value.items()}
    if kind == "L":
        return [_plain(v) for v in value]
    read = _from_item.deserialize(attribute)
    return int(read) if isinstance(read, Decimal) else read


def key(pk: str, sk: str) -> Any:
    """The key of an item as DynamoDB writes it."""
    return dumps({"pk": pk, "sk": sk})


def kind(item: Item) -> str:
    """Return the kind of an item, by the beginning of its key."""
    return str(item["pk"]).partition("#")[0]


def flight(shard: int, *, waits: bool = False) -> str:
    """A partition of the index of what is in flight."""
    return f"{'waiting' if waits else 'inflight'}#{shard}"


def drop_key(drop_id: str) -> tuple[str, str]:
    """Return the key of a drop."""
    return f"D#{drop_id}", STATE


def drop_item(drop: Drop) -> Item:
    """A drop, and where the indexes list it."""
    pk, sk = drop_key(drop.id)
    shard = zlib.crc32(drop.id.encode()) % FLIGHTS
    listed = {"inflight": flight(shard, waits=drop.waits)} if drop.listed else {}
    month = dataset_month(drop.contract, drop.received_at[:7], trial=drop.trial)
    return {"pk": pk, "sk": sk, "dataset_month": month, **listed, **_life(drop), **_fields(drop)}


def _life(drop: Drop) -> Item:
    """Return the end of the items of a trial; a drop's stay."""
    return {EXPIRES: int((moment(drop.received_at) + TRIAL_LIFE).timestamp())} if drop.trial else {}


def drop_of(item: Item) -> Drop:
    """The drop of an item."""
    return _value(Drop, item)


def drops_of(drop_items: Iterable[Item]) -> tuple[Drop, ...]:
    """The drops of items, without those that cannot be read: the schedule names these."""
    return tuple(read_of(drop_items))


def read_of(drop_items: Iterable[Item]) -> Iterator[Drop]:
    """The same, one by one."""
    return (drop for item in drop_items if (drop := _readable(item)))


def _readable(item: Item) -> Drop | None:
    try:
        return drop_of(item)
    except DocumentInvalid:
        return None


def drop_or_key(item: Item) -> Drop | str:
    """Return the drop of an item, or the item's key if it cannot be read."""
    return _readable(item) or str(item["pk"])


def step_item(drop: Drop, event: str, move: Transition | None = None) -> Item:
    """The history item of what a drop has become, by a move unless it is new."""
    step, facts = step_of_drop(drop, event), codec.encode(facts_of_drop(drop, move))
    sk = f"{HISTORY}{drop.attempt:04}#{drop.step:04}"
    place = {"pk": drop_key(drop.id)[0], "sk": sk, "version": drop.version, FACTS: facts}
    return {**place, **_life(drop), **_fields(step)}


def step_of(item: Item) -> Step:
    """Return the step of a history item."""
    return _value(Step, {k: v for k, v in item.items() if k not in ("version", FACTS, EXPIRES)})


def facts_of(item: Item) -> StepFacts:
    """Return what the event of a history item tells besides its step."""
    facts = item.get(FACTS, "")
    if isinstance(facts, str):
        return StepFacts(codes=(facts,) if facts else ())
    return codec.decode(StepFacts, facts, f"ledger item {item['pk']} {item['sk']}")


def id_shelf(prefix: str) -> str:
    """The partition in which ids with that beginning are."""
    return f"ID#{prefix[:SHELF]}"


def id_item(drop: Drop) -> Item:
    """The way from the beginning of an id to it."""
    return {"pk": id_shelf(drop.id), "sk": drop.id, "format": FORMAT, "version": 1, **_life(drop)}


def dataset_month(contract: str | None, month: str, *, trial: bool = False) -> str:
    """The partition of a dataset's month, or of its trials'."""
    return f"{contract or NO_CONTRACT}{OF_TRIALS if trial else ''}#{month}"


def waiting(plan: str, *, trial: bool = False) -> str:
    """The partition of the drops, or of the trials, that wait for a plan's batch.

    It takes 1,000 write units a second: 125 drops that come and go, ten times a million a day
    (docs/explanation/cost.md, "Partitions of the ledger").
    """
    return f"PENDING#{plan}{OF_TRIALS if trial else ''}"


def pending_key(drop: Drop) -> tuple[str, str]:
    """Return the key of a staged drop that waits for a batch."""
    return waiting(drop.plan or "", trial=drop.trial), f"{drop.staged_at}#{drop.id}"


def pending_item(drop: Drop) -> Item:
    """Return the item of a whole staged drop in its place in line: its batch needs no other read."""
    pk, sk = pending_key(drop)
    return {"pk": pk, "sk": sk, **_life(drop), **_fields(drop)}


def pending_of(item: Item) -> Drop | str:
    """The drop that waits, or its id if the item cannot be read."""
    return _readable(item) or str(item["sk"]).partition("#")[2]


def window_key(plan: str, *, trial: bool = False) -> tuple[str, str]:
    """Return the key of a plan's window, or of that of its trials."""
    return f"WINDOW#{plan}{OF_TRIALS if trial else ''}", STATE


def window_item(window: Window) -> Item:
    """A window; in flight from the moment at which its message is due."""
    pk, sk = window_key(window.plan, trial=window.trial)
    listed = {"inflight": WINDOWS, "changed_at": window.due_at}
    return {"pk": pk, "sk": sk, "format": FORMAT, "version": 1, **listed, **_fields(window)}


_OF_WINDOW = {field.name for field in fields(Window)}


def window_of(item: Item) -> Window:
    """The window of an item."""
    values = {"producer": "", **{name: value for name, value in item.items() if name in _OF_WINDOW}}
    return codec.decode(Window, values, f"ledger item {item['pk']}")


def pause_key(kind: str, name: str) -> tuple[str, str]:
    """Return the key of a pause."""
    return PAUSES, f"{kind}#{name}"


def pause_item(pause: Pause) -> Item:
    """A pause."""
    pk, sk = pause_key(pause.kind, pause.name)
    return {"pk": pk, "sk": sk, "version": 1, **_fields(pause)}


def pause_of(item: Item) -> Pause:
    """The pause of an item."""
    return _value(Pause, {name: value for name, value in item.items() if name != "version"})


def upload_key(drop: str, attempt: int, target: str) -> tuple[str, str]:
    """Return the key of a multipart copy: it uses a hash, as a URI may exceed the 1,024 bytes of a sort key.

    (Amazon DynamoDB developer guide, "Quotas".)
    """
    return f"UPLOAD#{drop}", f"{attempt}#{codec.sha256(target)}"


def upload_item(drop: str, attempt: int, target: str, upload: str) -> Item:
    """A copy in parts that is under way, or was."""
    pk, sk = upload_key(drop, attempt, target)
    return {"pk": pk, "sk": sk, "upload": upload, "format": FORMAT, "version": 1}


SWEEP = ("SWEEP", STATE)
"""The position of the next page of landing."""


def sweep_item(after: ListingCursor | None) -> Item:
    """Return the item with the position of the next page of landing."""
    pk, sk = SWEEP
    begin = {"key": after[0], "after": after[1]} if after else {}
    return {"pk": pk, "sk": sk, "format": FORMAT, "version": 1, **begin}


POINTER = ("POINTER", STATE)
"""When the newest pointer of the catalog was published."""


def pointer_item(published_at: str) -> Item:
    """Return the item with the publication time of the catalog's newest pointer."""
    pk, sk = POINTER
    return {"pk": pk, "sk": sk, "published_at": published_at, "format": FORMAT, "version": 1}


def batch_key(batch_id: str) -> tuple[str, str]:
    """Return the key of a batch."""
    return f"BATCH#{batch_id}", STATE


def batch_item(batch: Batch) -> Item:
    """A batch, in flight until it has ended."""
    pk, sk = batch_key(batch.id)
    listed = {"inflight": BATCHES} if batch.state != "ended" else {}
    return {"pk": pk, "sk": sk, **listed, **_fields(batch)}


def batch_of(item: Item) -> Batch:
    """The batch of an item."""
    return _value(Batch, item)


def in_flight_of(open_items: Iterable[Item]) -> InFlight:
    """Return the values of listed items; an item that cannot be read does not hide the others."""
    drops: list[Drop] = []
    waiting: list[Drop] = []
    batches: list[Batch] = []
    windows: list[Window] = []
    sets: list[FileSet] = []
    unreadable: list[str] = []
    for item in open_items:
        try:
            if kind(item) == "D":
                drop = drop_of(item)
                (waiting if drop.waits else drops).append(drop)
            elif kind(item) == "BATCH":
                batches.append(batch_of(item))
            elif kind(item) == "WINDOW":
                windows.append(window_of(item))
            elif kind(item) == "SET":
                sets.append(set_of(item))
        except (DocumentInvalid, KeyError):
            unreadable.append(item["pk"])
    return InFlight(
        drops=tuple(drops),
        batches=tuple(batches),
        windows=tuple(windows),
        sets=tuple(sets),
        waiting=tuple(waiting),
        unreadable=tuple(unreadable),
    )


def run_key(run: str) -> tuple[str, str]:
    """Return the key of the item that leads from a run to its batch."""
    return f"RUN#{run}", STATE


def run_item(run: str, batch: Batch) -> Item:
    """Return the item that leads from a run to its batch and to its drops, so that one call reads all of them."""
    pk, sk = run_key(run)
    return {"pk": pk, "sk": sk, "batch": batch.id, "members": list(batch.members), "format": FORMAT, "version": 1}


def slot_key(slot: int) -> tuple[str, str]:
    """Return the key of a slot's holder."""
    return SLOTS, f"{slot:04}"


def slot_item(slot: int, batch: Batch) -> Item:
    """The holder of a slot."""
    pk, sk = slot_key(slot)
    return {"pk": pk, "sk": sk, "batch": batch.id, "producer": batch.producer, "format": FORMAT, "version": 1}


def slot_of(item: Item) -> tuple[int, str]:
    """A slot that is taken, and whose drops its batch holds."""
    return int(item["sk"]), str(item.get("producer", ""))


def lineage_key(lineage_id: str) -> tuple[str, str]:
    """Return the key of a lineage."""
    return f"KEY#{lineage_id}", STATE


def lineage_item(lineage: Lineage) -> Item:
    """A lineage."""
    pk, sk = lineage_key(lineage.id)
    return {"pk": pk, "sk": sk, **_fields(lineage)}


def lineage_of(item: Item) -> Lineage:
    """The lineage of an item."""
    return _value(Lineage, item)


def watermarks_key(contract: str) -> tuple[str, str]:
    """Return the key of the high marks of a contract."""
    return f"MARKS#{contract}", STATE


def watermarks_item(watermarks: Watermarks) -> Item:
    """The high marks of a contract."""
    pk, sk = watermarks_key(watermarks.contract)
    return {"pk": pk, "sk": sk, **_fields(watermarks)}


def watermarks_of(item: Item) -> Watermarks:
    """The high marks of an item."""
    return _value(Watermarks, item)


MEMBER = "M#"


def set_key(set_id: str) -> tuple[str, str]:
    """Return the key of a set of files."""
    return f"SET#{set_id}", STATE


def set_item(files: FileSet) -> Item:
    """Return the item of a set of files; it is in flight from the moment of its next check."""
    pk, sk = set_key(files.id)
    listed = {"inflight": WINDOWS, "changed_at": files.look_at} if files.look_at else {}
    return {"pk": pk, "sk": sk, **listed, **_fields(files)}


def set_of(item: Item) -> FileSet:
    """The set of an item."""
    return _value(FileSet, {"look_at": None, **{k: v for k, v in item.items() if k != "changed_at"}})


def member_key(drop: Drop) -> tuple[str, str]:
    """Return the key of the item of a drop that waits for its set."""
    return set_key(drop.file_set or "")[0], f"{MEMBER}{drop.id}"


def member_item(drop: Drop) -> Item:
    """A drop that waits for its set."""
    pk, sk = member_key(drop)
    return {"pk": pk, "sk": sk, "drop": drop.id, "name": drop.name, "format": FORMAT, "version": 1}


ROLL = ("ROLL", STATE)
"""The key of the roll call."""


def roll_item(roll: RollCall) -> Item:
    """The roll call."""
    pk, sk = ROLL
    return {"pk": pk, "sk": sk, **_fields(roll)}


def roll_of(item: Item) -> RollCall:
    """The roll call of an item."""
    return _value(RollCall, item)


def absence_shelf(contract: str, month: str) -> str:
    """The partition of what was missing of a contract in a month."""
    return f"ABSENT#{contract}#{month}"


def absence_item(absence: Absence) -> Item:
    """An absence."""
    return {"pk": absence_shelf(absence.contract, absence.day[:7]), "sk": absence.day, **_fields(absence)}


def absence_of(item: Item) -> Absence:
    """The absence of an item."""
    return _value(Absence, item)


def absence_step_item(absence: Absence) -> Item:
    """The history item of what an absence has become."""
    pk, sk = absence_shelf(absence.contract, absence.day[:7]), f"{HISTORY}{absence.day}#{absence.version:04}"
    step = {"contract": absence.contract, "state": absence.state, "at": absence.changed_at}
    facts = {"files": absence.files, "came": absence.came, "due_at": absence.due_at}
    return {"pk": pk, "sk": sk, "format": FORMAT, "version": absence.version, FACTS: facts, **step}


def absence_step_of(item: Item) -> AbsenceStep:
    """Return the step of a history item of an absence."""
    day, facts = item["sk"].removeprefix(HISTORY).partition("#")[0], item.get(FACTS) or {}
    step = {name: item[name] for name in ("contract", "state", "at", "version")}
    return codec.decode(AbsenceStep, {"day": day, **step, **facts}, f"ledger item {item['pk']} {item['sk']}")


ENROLMENT = ("ENROLMENT", STATE)
"""The key of the enrolment."""
PERIOD = "P#"


def standing_key(contract: str) -> tuple[str, str]:
    """Return the key of the promises of a contract."""
    return f"PROMISES#{contract}", STATE


def standing_item(standing: Standing) -> Item:
    """Return the item of the promises of a contract; it is in flight from the moment of its next judgement."""
    pk, sk = standing_key(standing.contract)
    listed = {"inflight": PROMISES, "changed_at": standing.look_at} if standing.look_at else {}
    return {"pk": pk, "sk": sk, **listed, **_fields(standing)}


def standing_of(item: Item) -> Standing:
    """The promises of an item."""
    return _value(Standing, {"look_at": None, **{k: v for k, v in item.items() if k != "changed_at"}})


def standing_or_key(item: Item) -> Standing | str:
    """Return the promises of an item, or the item's key if it cannot be read."""
    try:
        return standing_of(item)
    except DocumentInvalid:
        return str(item["pk"])


def enrolment_item(enrolment: Enrolment) -> Item:
    """The enrolment."""
    pk, sk = ENROLMENT
    return {"pk": pk, "sk": sk, **_fields(enrolment)}


def enrolment_of(item: Item) -> Enrolment:
    """The enrolment of an item."""
    return _value(Enrolment, item)


def promise_step_item(step: PromiseStep) -> Item:
    """The history item of a promise."""
    pk = standing_key(step.contract)[0]
    return {"pk": pk, "sk": f"{HISTORY}{step.promise}#{step.step:08}", **_fields(step)}


def promise_step_of(item: Item) -> PromiseStep:
    """The step of a history item of a promise."""
    return _value(PromiseStep, item)


def period_shelf(promise: str) -> str:
    """The beginning of the sort keys of all periods of a promise."""
    return f"{PERIOD}{promise}#"


def period_item(period: PromisePeriod) -> Item:
    """The result of a period."""
    pk = standing_key(period.contract)[0]
    sk = f"{period_shelf(period.promise)}{period.begin}#{period.end}"  # of a promise with longer periods now, too
    return {"pk": pk, "sk": sk, **_fields(period)}


def period_of(item: Item) -> PromisePeriod:
    """The result of an item."""
    return _value(PromisePeriod, {"state": None, **item})


def promised_item(value: Promised) -> Item:
    """The item of a record about promises."""
    match value:
        case Standing():
            return standing_item(value)
        case Enrolment():
            return enrolment_item(value)
        case PromiseStep():
            return promise_step_item(value)
        case PromisePeriod():
            return period_item(value)


def item(value: Lineage | Batch | Watermarks | RollCall | Absence | FileSet | Promised) -> Item:
    """The item of a record that is written with drops."""
    match value:
        case Standing() | Enrolment() | PromiseStep() | PromisePeriod():
            return promised_item(value)
        case FileSet():
            return set_item(value)
        case RollCall():
            return roll_item(value)
        case Absence():
            return absence_item(value)
        case Lineage():
            return lineage_item(value)
        case Batch():
            return batch_item(value)
        case Watermarks():
            return watermarks_item(value)


def _fields(value: Any) -> Item:
    return {k: v for k, v in codec.encode(value).items() if v is not None}


def _value(cls: type[T], item: Item) -> T:
    return codec.decode(cls, {k: v for k, v in item.items() if k not in OURS | FORMER}, f"ledger item {item['pk']}")
