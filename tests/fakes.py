"""The ports in memory: what a use case asks of the world, answered by dictionaries; held to the ports by their test."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TypeVar

import jsonschema_rs

from contracts import codec
from contracts.errors import (
    DestinationTaken,
    DocumentInvalid,
    HeldUp,
    ObjectGone,
    ObjectReplaced,
    ObjectUnreadable,
    ServiceUnavailable,
    StaleWrite,
    UploadGone,
)
from contracts.job import DataFile
from contracts.table import TableColumn, lacking
from functions import keys
from functions.aws import items
from functions.drop import Drop, Location, Transition
from functions.events.drop_event import DropEvent
from functions.events.shape import MOST_BYTES, Origin, event_of_promise, event_of_step
from functions.ports.batches import Batch, Pause, VersionCheck, Window
from functions.ports.clock import stamp
from functions.ports.drops import Step, StepFacts, facts_of, step_of
from functions.ports.expected_files import Absence, FileSet, RollCall
from functions.ports.jobs import FUNCTION, Reach, RunStatus
from functions.ports.ledger import InFlight, Promised, TransactionItem
from functions.ports.lineages import Lineage, Watermarks
from functions.ports.promises import Enrolment, PromisePeriod, PromiseStep, Standing
from functions.ports.store import LARGEST_COPY, CopyTag, ListedVersion, ListingCursor, ListingPage, Stat, StoredVersion
from functions.ports.web.requests import AnsweredRequest
from functions.ports.web.sessions import Session
from infra.packaging.bundles import ROOT

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Held:
    """One version of an object in memory."""

    body: bytes
    tag: CopyTag | None = None
    content_type: str = "application/octet-stream"
    written_at: str = ""

    @property
    def stat(self) -> Stat:
        """Return the HEAD of the object."""
        etag, sha = hashlib.md5(self.body, usedforsecurity=False).hexdigest(), hashlib.sha256(self.body).hexdigest()
        return Stat(etag, len(self.body), sha, *((self.tag.drop, self.tag.attempt) if self.tag else ()))


@dataclass
class Upload:
    """A copy in parts."""

    target: str
    tag: CopyTag
    parts: list[bytes] = field(default_factory=list)
    live: bool = True


PART, AT_A_TIME = 4, 2
"""Bytes of a part in memory, and how many of them one call copies."""


OURS = "s3://internal/"
"""The bucket whose former versions are kept here, too."""


class MemoryStore:
    """Objects by URI and version; what is written without a version replaces what was there.

    `former` are the versions of our own bucket that were written over or hidden; None is a delete marker.
    """

    def __init__(self) -> None:
        self.objects: dict[str, dict[str | None, Held]] = {}
        self.former: dict[str, dict[str, Held | None]] = {}
        self.uploads: dict[str, Upload] = {}
        self.largest_copy = LARGEST_COPY

    def _lay(self, uri: str, held: Held) -> None:
        """Put an object at a key, over any other."""
        self._hide(uri, marker=False)
        self.objects[uri] = {None: held}

    def _hide(self, uri: str, *, marker: bool = True) -> None:
        """Take an object from its readers."""
        there = self.objects.pop(uri, {})
        if there and uri.startswith(OURS):
            former = self.former.setdefault(uri, {})
            former |= {f"former-{len(former)}": there[None]}
            former |= {f"former-{len(former)}": None} if marker else {}

    def remaining(self, place: str) -> tuple[StoredVersion, ...]:
        def mine(uri: str) -> bool:
            return uri.startswith(place) if place.endswith("/") else uri == place

        before = [
            StoredVersion(
                Location(uri, version), uri not in self.objects and version == next(reversed(each)), held is None
            )
            for uri, each in self.former.items()
            for version, held in each.items()
            if mine(uri)
        ]
        now = [
            StoredVersion(Location(uri, version or "null"), version == next(reversed(each)))
            for uri, each in self.objects.items()
            for version in each
            if mine(uri)
        ]
        return tuple(sorted([*before, *now], key=lambda one: one.current))

    def upload(self, at: Location, body: bytes, written_at: str = "") -> None:
        """Do what a producer does: write a version."""
        self.objects.setdefault(at.uri, {})[at.version] = Held(body, written_at=written_at)

    def _find(self, at: Location) -> Held | None:
        versions = self.objects.get(at.uri, {})
        return versions.get(_held(at)) if at.version else next(reversed(versions.values()), None)

    def _need(self, at: Location) -> Held:
        held = self._find(at)
        if held is None:
            raise ObjectGone(at.uri)
        return held

    def head(self, at: Location) -> Stat | None:
        held = self._find(at)
        return held.stat if held else None

    def read(self, at: Location, start: int, length: int) -> bytes:
        held = self._need(at)
        if at.etag and held.stat.etag != at.etag:
            raise ObjectReplaced(at.uri)
        return held.body[start : start + length]

    def get(self, uri: str) -> bytes:
        return self._need(Location(uri)).body

    def get_if_changed(self, uri: str, etag: str | None) -> tuple[bytes, str] | None:
        held = self._need(Location(uri))
        return None if held.stat.etag == etag else (held.body, held.stat.etag)

    def listed(self, folder: str, most: int) -> dict[str, str]:
        etags = {uri: next(reversed(held.values())).stat.etag for uri, held in sorted(self.objects.items())}
        return dict([(uri, etag) for uri, etag in etags.items() if uri.startswith(folder)][:most])

    def versions(self, folder: str, after: ListingCursor | None, most: int) -> ListingPage:
        bucket = f"s3://{keys.split(folder)[0]}/"
        below = [
            ListedVersion(
                uri.removeprefix(bucket), version or "null", held.stat.etag, held.stat.size, held.written_at, last
            )
            for uri, versions in sorted(self.objects.items())
            for version, held in reversed(versions.items())
            for last in [version == next(reversed(versions))]
            if uri.startswith(folder)
        ]
        places = [(one.key, one.version) for one in below]
        begin = places.index(after) + 1 if after in places else 0
        page = tuple(below[begin : begin + most])
        more = len(below) > begin + most
        return ListingPage(page, (page[-1].key, page[-1].version) if more else None)

    def put(self, uri: str, body: bytes, content_type: str, replaces: str | None = None) -> None:
        there = self.head(Location(uri))
        if replaces and (there and there.etag) != replaces:
            raise ObjectReplaced(uri)
        self._lay(uri, Held(body, content_type=content_type))

    def copy(self, source: Location, target: str, tag: CopyTag, replaces: str | None = None) -> Stat:
        held, there = self._need(source), self.head(Location(target))
        if source.etag and held.stat.etag != source.etag:
            raise ObjectReplaced(source.uri)
        if (there and there.etag) != replaces:
            raise DestinationTaken(target)
        if len(held.body) > self.largest_copy:
            raise ObjectUnreadable(source.uri)
        self._lay(target, Held(held.body, tag))
        return self.objects[target][None].stat

    def begin_copy(self, target: str, tag: CopyTag) -> str:
        self.uploads[name := f"upload-{len(self.uploads) + 1}"] = Upload(target, tag)
        return name

    def copy_parts(
        self, upload: str, source: Location, target: str, size: int, replaces: str | None = None
    ) -> Stat | None:
        held, begun = self._need(source), self.uploads.get(upload)
        if begun is None or not begun.live:
            raise UploadGone(target)
        if source.etag and held.stat.etag != source.etag:
            raise ObjectReplaced(source.uri)
        for number in range(len(begun.parts), min(len(begun.parts) + AT_A_TIME, -(-size // PART))):
            begun.parts.append(held.body[number * PART : (number + 1) * PART])
        if len(begun.parts) < -(-size // PART):
            return None
        there = self.head(Location(target))
        if (there and there.etag) != replaces:
            raise DestinationTaken(target)
        begun.live = False
        self._lay(target, Held(b"".join(begun.parts), begun.tag))
        return self.objects[target][None].stat

    def abort_copy(self, upload: str, target: str) -> None:
        if (begun := self.uploads.get(upload)) and begun.target == target:
            begun.live = False

    def delete(self, at: Location) -> None:
        if at.version is None:
            return self._hide(at.uri)
        former = self.former.get(at.uri, {})
        former.pop(at.version, None)
        if not former:
            self.former.pop(at.uri, None)
        versions = self.objects.get(at.uri, {})
        versions.pop(_held(at), None)
        if not versions:
            self.objects.pop(at.uri, None)
        return None

    def clear(self, folder: str) -> None:
        for uri in [uri for uri in self.objects if uri.startswith(folder)]:
            self._hide(uri)

    def withdraw(self, at: Location) -> None:
        there = self.head(at)
        if there and there.etag == at.etag:
            self.objects.pop(at.uri)

    def listing(self, folder: str) -> dict[str, bytes]:
        """Return the objects below a folder: the rest of each URI, and the bytes."""
        return {
            uri.removeprefix(folder): next(reversed(versions.values())).body
            for uri, versions in sorted(self.objects.items())
            if uri.startswith(folder)
        }


def _held(at: Location) -> str | None:
    """The version that is meant, as memory holds it; `null` is what was written without one."""
    return None if at.version == "null" else at.version


ORIGIN = Origin("/dropgate/memory", "s3://promoted/")


@cache
def _schema() -> jsonschema_rs.Validator:
    text = (ROOT / "functions" / "events" / "drop_event.v1.schema.json").read_text(encoding="utf-8")
    return jsonschema_rs.validator_for(json.loads(text))


def hold_event(event: DropEvent) -> DropEvent:
    """Return an event that fits its schema and its bound, and is read as it was written."""
    document = codec.encode(event)
    assert codec.decode(DropEvent, document) == event
    _schema().validate(document)
    assert len(json.dumps(document)) <= MOST_BYTES
    return event


@dataclass
class MemoryPromises:
    """How promises stand, and the results of their periods."""

    enrolment: Enrolment = field(default_factory=Enrolment)
    standings: dict[str, Standing] = field(default_factory=dict)
    periods: dict[tuple[str, str, str, str], PromisePeriod] = field(default_factory=dict)
    steps: list[PromiseStep] = field(default_factory=list)

    def fits(self, one: Promised) -> bool:
        """Return True if an item has the version that is there; steps and periods are fenced by those beside them."""
        if isinstance(one, PromiseStep | PromisePeriod):
            return True
        there = self.enrolment if isinstance(one, Enrolment) else self.standings.get(one.contract)
        return (there.version if there else 0) == one.version

    def put(self, one: Promised, events: list[DropEvent]) -> None:
        """Write an item, and add the event of a step."""
        if isinstance(one, PromiseStep):
            self.steps.append(one)
            events.append(hold_event(event_of_promise(ORIGIN, one, None)))
        elif isinstance(one, Enrolment):
            self.enrolment = replace(one, version=one.version + 1)
        elif isinstance(one, Standing):
            self.standings[one.contract] = replace(one, version=one.version + 1)
        elif isinstance(one, PromisePeriod):
            self.periods[one.contract, one.promise, one.begin, one.end] = one

    def due(self, before: str) -> tuple[Standing, ...]:
        """Return the promises that are due, the oldest first."""
        due = [one for one in self.standings.values() if one.look_at and one.look_at < before]
        return tuple(sorted(due, key=lambda one: one.look_at or ""))

    def of(self, contract: str, promise: str) -> tuple[PromisePeriod, ...]:
        """Return the results of a promise, the newest first."""
        own = (one for one in self.periods.values() if (one.contract, one.promise) == (contract, promise))
        return tuple(sorted(own, key=lambda one: (one.begin, one.end), reverse=True))


class MemoryLedger:
    """The record of drops, with the same fences as the real one; the items of those that are `unreadable` cannot be."""

    def __init__(self) -> None:
        self.unreadable: set[str] = set()
        self.events: list[DropEvent] = []
        self._drops: dict[str, Drop] = {}
        self._steps: dict[str, list[Step]] = {}
        self._facts: dict[str, list[StepFacts]] = {}
        self._lineages: dict[str, Lineage] = {}
        self._watermarks: dict[str, Watermarks] = {}
        self._windows: dict[tuple[str, bool], Window] = {}
        self._batches: dict[str, Batch] = {}
        self._pauses: dict[tuple[str, str], Pause] = {}
        self._runs: dict[str, str] = {}
        self._sweep: ListingCursor | None = None
        self._pointer = ""
        self._uploads: dict[tuple[CopyTag, str], str] = {}
        self._roll = RollCall()
        self._sets: dict[str, FileSet] = {}
        self._absences: dict[tuple[str, str], Absence] = {}
        self._promises = MemoryPromises()
        self._reached: dict[str, int] = {}

    def open(self, drop: Drop) -> Drop:
        if drop.id not in self._drops:
            self._drops[drop.id] = drop
            self._note(drop, "created", None)
        return self._drops[drop.id]

    def drop(self, drop_id: str) -> Drop | None:
        if drop_id in self.unreadable:
            raise DocumentInvalid(f"the item of drop {drop_id} cannot be read")
        return self._drops.get(drop_id)

    def drops(self, drop_ids: Sequence[str]) -> tuple[Drop, ...]:
        return tuple(self._drops[i] for i in drop_ids if i in self._drops and i not in self.unreadable)

    def write(self, moves: Sequence[Transition], *beside: TransactionItem) -> None:
        places = [*(("drop", m.drop.id) for m in moves), *(place for one in beside for place in _places(one))]
        if len(set(places)) < len(places):  # Amazon DynamoDB API, TransactWriteItems
            raise ServiceUnavailable("a transaction cannot have two operations on one item")
        for one in beside:
            if isinstance(one, Batch) and one.version == 0 and not one.former:
                self._unless_held(one)
        stale = [m for m in moves if self._drops[m.before.id].version != m.before.version or self._has_step(m.drop)]
        if stale or not all(map(self._fits, beside)):
            raise StaleWrite("somebody else wrote first")
        for move in moves:
            self._drops[move.drop.id] = move.drop
            self._note(move.drop, move.event, move)
        for one in beside:
            self._put(one)

    def _has_step(self, drop: Drop) -> bool:
        """Return True if the history has that step already."""
        return any((s.attempt, s.step) == (drop.attempt, drop.step) for s in self._steps.get(drop.id, ()))

    def _fits(self, one: TransactionItem) -> bool:
        match one:
            case Window():
                return (one.plan, one.trial) not in self._windows
            case VersionCheck():
                there = self._batches.get(one.batch.id)
                return there is not None and there.version == one.batch.version
            case Batch():
                batch = self._batches.get(one.id)
                free = one.version > 0 or self._holder(one) is None
                return free and (batch.version if batch else 0) == one.version
            case Lineage():
                return self.lineage(one.id).version == one.version
            case Watermarks():
                return self.watermarks(one.contract).version == one.version
            case FileSet():
                known_set = self._sets.get(one.id)
                return (known_set.version if known_set else 0) == one.version
            case RollCall():
                return self._roll.version == one.version
            case Absence():
                known_absence = self._absences.get((one.contract, one.day))
                return (known_absence.version if known_absence else 0) == one.version
            case Enrolment() | Standing() | PromiseStep() | PromisePeriod():
                return self._promises.fits(one)

    def _put(self, one: TransactionItem) -> None:
        match one:
            case Window():
                self._windows[one.plan, one.trial] = one
            case VersionCheck():
                pass
            case Batch():
                self._batches[one.id] = replace(one, version=one.version + 1)
                self._runs |= {one.run: one.id} if one.run else {}
            case Lineage():
                self._lineages[one.id] = replace(one, version=one.version + 1)
            case Watermarks():
                self._watermarks[one.contract] = replace(one, version=one.version + 1)
            case FileSet():
                self._sets[one.id] = replace(one, version=one.version + 1)
            case RollCall():
                self._roll = replace(one, version=one.version + 1)
            case Absence():
                self._absences[one.contract, one.day] = replace(one, version=one.version + 1)
            case Enrolment() | Standing() | PromiseStep() | PromisePeriod():
                self._promises.put(one, self.events)

    def _note(self, drop: Drop, event: str, move: Transition | None) -> None:
        """Add a step to the history, whose event has to fit its schema."""
        step, facts = step_of(drop, event), facts_of(drop, move)
        self._steps.setdefault(drop.id, []).append(step)
        self._facts.setdefault(drop.id, []).append(facts)
        self.events.append(hold_event(event_of_step(ORIGIN, step, facts, None, drop)))

    def lineage(self, lineage_id: str) -> Lineage:
        return self._lineages.get(lineage_id, Lineage(lineage_id))

    def watermarks(self, contract: str) -> Watermarks:
        return self._watermarks.get(contract, Watermarks(contract))

    def history(self, drop_id: str) -> tuple[Step, ...]:
        return tuple(self._steps.get(drop_id, ()))

    def facts(self, drop_id: str) -> tuple[tuple[Step, StepFacts], ...]:
        return tuple(zip(self.history(drop_id), self._facts.get(drop_id, ()), strict=True))

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        return tuple(sorted(i for i in self._drops if i.startswith(prefix))[:20])

    def of_month(
        self,
        contract: str | None,
        month: str,
        most: int = 1000,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> tuple[Drop, ...]:
        mine = [d for d in self._of(contract, month, trial=trial) if isinstance(d, Drop)]
        return tuple([d for d in mine if all(getattr(d, k) == v for k, v in (only or {}).items())][:most])

    def newest(
        self,
        contract: str | None,
        month: str,
        until: str,
        most: int,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> Iterator[Drop]:
        assert most > 0, "a page of DynamoDB holds one item or more"
        every = self.of_month(contract, month, len(self._drops) + 1, only, trial=trial)
        return (d for d in every if d.received_at <= until)

    def each(self, contract: str | None, month: str) -> Iterator[Drop | str]:
        return self._of(contract, month, trial=False)

    def _of(self, contract: str | None, month: str, *, trial: bool) -> Iterator[Drop | str]:
        every = (d for d in self._drops.values() if d.trial is trial)
        mine = [d for d in every if d.contract == contract and d.received_at.startswith(month)]
        return map(self._readable, sorted(mine, key=lambda d: d.received_at, reverse=True))

    def _readable(self, drop: Drop) -> Drop | str:
        return f"D#{drop.id}" if drop.id in self.unreadable else drop

    def received(self, contract: str, since: str, until: str, most: int) -> tuple[Drop | str, ...]:
        every = (d for d in self._drops.values() if not d.trial)
        mine = [d for d in every if d.contract == contract and since <= d.received_at <= until]
        newest_first = sorted(mine, key=lambda d: d.received_at, reverse=True)[:most]
        return tuple(map(self._readable, newest_first))

    def file_set(self, set_id: str) -> FileSet | None:
        return self._sets.get(set_id)

    def gathering(self, set_id: str) -> Mapping[str, str]:
        return {d.id: d.name for d in self._drops.values() if d.state == "gathering" and d.file_set == set_id}

    def roll_call(self) -> RollCall:
        return self._roll

    def absences(self, contract: str, month: str) -> tuple[Absence, ...]:
        absences = (a for a in self._absences.values() if a.contract == contract and a.day.startswith(month))
        return tuple(sorted(absences, key=lambda a: a.day))

    def enrolment(self) -> Enrolment:
        return self._promises.enrolment

    def standing(self, contract: str) -> Standing | None:
        return self._promises.standings.get(contract)

    def promises_due(self, before: str, most: int) -> tuple[Standing | str, ...]:
        return self._promises.due(before)[:most]

    def periods(self, contract: str, promise: str, most: int) -> tuple[PromisePeriod, ...]:
        return self._promises.of(contract, promise)[:most]

    def in_flight(self, before: str, most: int = 1000) -> InFlight:
        old = [d for d in self._drops.values() if d.listed and d.changed_at < before]
        readable = [d for d in old if d.id not in self.unreadable]
        drops, waiting = ([d for d in readable if d.waits is kind] for kind in (False, True))
        batches = [b for b in self._batches.values() if b.state != "ended" and b.changed_at < before]
        windows = [w for w in self._windows.values() if w.due_at < before]
        sets = [s for s in self._sets.values() if s.look_at and s.look_at < before]
        return InFlight(
            drops=self._open("drops", drops, lambda d: d.changed_at, most),
            batches=self._open("batches", batches, lambda b: b.changed_at, most),
            windows=self._open("windows", windows, lambda w: w.due_at, most),
            sets=self._open("sets", sets, lambda s: s.look_at or "", most),
            waiting=self._open("waiting", waiting, lambda d: d.changed_at, most),
            unreadable=tuple(f"D#{d.id}" for d in old if d.id in self.unreadable),
        )

    def _open(self, kind: str, entries: Sequence[T], at: Callable[[T], str], most: int) -> tuple[T, ...]:
        """Return the oldest and newest `most`, and as many between, further back with each call."""
        each, many = sorted(entries, key=at), len(entries)
        upto = min(self._reached.get(kind) or many, many - most)
        begin = max(0, upto - most)
        self._reached[kind] = begin
        return tuple(one for n, one in enumerate(each) if n < most or begin <= n < upto or n >= many - most)

    def open_window(self, window: Window) -> bool:
        return self._windows.setdefault((window.plan, window.trial), window) is window

    def window(self, plan: str, *, trial: bool = False) -> Window | None:
        return self._windows.get((plan, trial))

    def close_window(self, window: Window) -> None:
        there = self._windows.get((window.plan, window.trial))
        if there and there.opened_at == window.opened_at:
            del self._windows[window.plan, window.trial]

    def postpone(self, window: Window, due_at: str) -> bool:
        same = self._windows.get((window.plan, window.trial)) == window
        if same:
            self._windows[window.plan, window.trial] = replace(window, due_at=due_at)
        return same

    def pending(self, plan: str, most: int = 1000, *, trial: bool = False) -> tuple[Drop, ...]:
        there = (d for d in self._drops.values() if d.id not in self.unreadable and d.trial is trial)
        waiting = (d for d in there if d.state == "staged" and d.plan == plan)
        return tuple(sorted(waiting, key=lambda d: (d.staged_at or "", d.id))[:most])

    def upload(self, tag: CopyTag, target: str) -> str | None:
        return self._uploads.get((tag, target))

    def note_upload(self, tag: CopyTag, target: str, upload: str, instead: str | None) -> bool:
        if self._uploads.get((tag, target)) != instead:
            return False
        self._uploads[tag, target] = upload
        return True

    def sweep(self) -> ListingCursor | None:
        return self._sweep

    def put_sweep(self, after: ListingCursor | None) -> None:
        self._sweep = after

    def newest_pointer(self) -> str:
        return self._pointer

    def note_pointer(self, published_at: str) -> None:
        self._pointer = max(self._pointer, published_at)

    def pause(self, pause: Pause) -> bool:
        return self._pauses.setdefault((pause.kind, pause.name), pause) is pause

    def resume(self, pause: Pause) -> bool:
        return self._pauses.pop((pause.kind, pause.name), None) is not None

    def pauses(self) -> tuple[Pause, ...]:
        return tuple(self._pauses[place] for place in sorted(self._pauses))

    def open_batch(self, batch: Batch) -> bool:
        self._unless_held(batch)
        if batch.id in self._batches or self._holder(batch) is not None:
            return False
        self._batches[batch.id] = batch
        return True

    def taken_slots(self) -> Mapping[int, str]:
        under_way = (b for b in self._batches.values() if b.state != "ended")
        return {b.slot: b.producer for b in under_way if b.slot is not None}

    def _unless_held(self, batch: Batch) -> None:
        if {("contract", batch.contract), ("producer", batch.producer)} & self._pauses.keys():
            raise HeldUp("its contract or its producer is paused")

    def _holder(self, batch: Batch) -> Batch | None:
        """Return the batch that holds the slot which a new batch asks for."""
        under_way = (b for b in self._batches.values() if b.state != "ended" and b.slot is not None)
        return next((b for b in under_way if b.slot == batch.slot), None)

    def batch(self, batch_id: str) -> Batch | None:
        return self._batches.get(batch_id)

    def batch_of(self, run: str) -> tuple[Batch, tuple[Drop, ...]] | None:
        batch = self._batches.get(self._runs.get(run, ""))
        return (batch, self.drops(batch.members)) if batch else None

    def write_batch(self, before: Batch, after: Batch) -> None:
        if self._batches[before.id].version != before.version:
            raise StaleWrite("somebody else wrote first")
        self._batches[before.id] = replace(after, version=before.version + 1)
        if after.run:
            self._runs[after.run] = after.id


def _places(one: TransactionItem) -> Iterator[tuple[object, ...]]:
    """The items that are written for what goes into the ledger beside drops."""
    match one:
        case Window():
            yield Window, one.plan
        case Watermarks():
            yield Watermarks, one.contract
        case Absence():
            yield Absence, one.contract, one.day
        case RollCall():
            yield (RollCall,)
        case Enrolment() | Standing() | PromiseStep() | PromisePeriod():
            item = items.promised_item(one)
            yield item["pk"], item["sk"]
        case VersionCheck():
            yield Batch, one.batch.id
        case _:
            yield type(one), one.id
    if isinstance(one, Batch) and one.slot is not None and (one.version == 0 or one.state == "ended"):
        yield "slot", one.slot


class MemoryTables:
    """Tables by URI: columns, the attempt of each drop whose rows are in it and how many, changes that were made.

    `written` are files, each of one drop, which a table names while rows of that attempt are in it. Those that are
    `broken` cannot be read.
    """

    def __init__(self) -> None:
        self.columns: dict[str, tuple[TableColumn, ...]] = {}
        self.rows: dict[str, dict[str, tuple[int, int]]] = {}
        self.commits: list[tuple[str, str, int]] = []
        self.written: dict[str, dict[str, CopyTag]] = {}
        self.broken: set[str] = set()

    def ready(self, table: str, columns: Sequence[TableColumn], tag: CopyTag) -> int | None:
        there = self.columns.get(table, tuple(columns))
        self.columns[table] = (*there, *lacking(there, columns))
        self.rows.setdefault(table, {})
        return len(self.commits) if ("rows", tag.drop, tag.attempt) in self.commits else None

    def schema(self, table: str) -> tuple[TableColumn, ...]:
        return self.columns.get(table, ())

    def append(self, table: str, files: Sequence[DataFile], tag: CopyTag) -> int:
        if self._once("rows", tag):
            assert tag.drop not in self.rows[table], "its rows are there already"
            self.rows[table][tag.drop] = tag.attempt, sum(one.rows for one in files)
            self._wrote(table, tag, *(keys.data_file(tag.drop, tag.attempt, one.name) for one in files))
        return len(self.commits)

    def replace(self, table: str, folder: str, files: Sequence[DataFile], tag: CopyTag, instead: Sequence[str]) -> int:  # noqa: ARG002
        if self._once("rows", tag):
            for drop in (*instead, tag.drop):
                self.rows[table].pop(drop, None)
            self.rows[table][tag.drop] = tag.attempt, sum(one.rows for one in files)
            self._wrote(table, tag, f"part-{len(self.commits)}.parquet")
        return len(self.commits)

    def withdraw(self, table: str, tag: CopyTag, later: int | None = None) -> None:
        if table not in self.rows or self._noted("withdrawn", tag):
            return
        if later and self._noted("rows", CopyTag(tag.drop, later)):
            return
        if self.rows[table].pop(tag.drop, None) or self.made(table, tag):
            self.commits.append(("withdrawn", tag.drop, tag.attempt))

    def take_out(self, table: str, drop: str) -> None:
        self.rows.get(table, {}).pop(drop, None)

    def count(self, table: str) -> Mapping[str, int]:
        if table in self.broken:
            raise ServiceUnavailable(f"the table {table} could not be read: a file is gone\n   0: <unknown>")
        return {drop: many for drop, (_, many) in self.rows.get(table, {}).items() if many}

    def files(self, table: str) -> Collection[str]:
        there = self.rows.get(table, {})
        return {name for name, of in self.written.get(table, {}).items() if there.get(of.drop, (0, 0))[0] == of.attempt}

    def made(self, table: str, tag: CopyTag) -> bool:
        return table in self.columns and self._noted("rows", tag)

    def _wrote(self, table: str, tag: CopyTag, *names: str) -> None:
        self.written.setdefault(table, {}).update(dict.fromkeys(names, tag))

    def _noted(self, what: str, tag: CopyTag) -> bool:
        return any(kind == what and drop == tag.drop and attempt >= tag.attempt for kind, drop, attempt in self.commits)

    def _once(self, what: str, tag: CopyTag) -> bool:
        """Note a change; False if it was made before."""
        if self._noted(what, tag):
            return False
        self.commits.append((what, tag.drop, tag.attempt))
        return True


@dataclass
class MemoryJobs:
    """Runs that a test starts and ends."""

    runs: dict[str, str] = field(default_factory=dict)
    requests: dict[str, str] = field(default_factory=dict)
    ended: dict[str, RunStatus] = field(default_factory=dict)

    def start(self, token: str, request: str, size: int, reach: Reach) -> str:  # noqa: ARG002
        run = self.runs.setdefault(token, f"run-{len(self.runs) + 1}")
        self.requests[run] = request
        return run

    def find(self, token: str, since: datetime) -> str | None:  # noqa: ARG002
        return self.runs.get(token)

    def status(self, run: str) -> RunStatus:
        return RunStatus("success") if run.startswith(FUNCTION) else self.ended.get(run, RunStatus("working"))

    def working(self) -> list[str]:
        """Runs that have not ended."""
        return [run for run in self.requests if run not in self.ended]


@dataclass
class MemoryDelays:
    """Messages that were sent, and how long each waits."""

    sent: list[tuple[Window, int]] = field(default_factory=list)

    def send(self, window: Window, seconds: int) -> None:
        self.sent.append((window, seconds))


@dataclass
class MemoryLane:
    """Small drops that were sent to the fast lane, and its runs that have ended."""

    drops: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)

    def judge(self, drop: str) -> None:
        self.drops.append(drop)

    def ended(self, run: str) -> None:
        self.runs.append(run)


class TestClock:
    """A clock that moves on a little with every call, and further when a test moves it."""

    __test__ = False

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 31, 12, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)

    def stamp(self) -> str:
        """The time as the ledger writes it."""
        return stamp(self.now())


class MemoryRequests:
    """Answered requests in memory."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[AnsweredRequest, datetime]] = {}
        self.counts: Counter[str] = Counter()

    def begin(self, name: str, mark: str, now: datetime, until: datetime) -> AnsweredRequest | None:
        held, ends = self.held.get(name, (None, now))
        if held and ends > now:
            return held
        self.held[name] = AnsweredRequest(mark), until
        return None

    def find(self, name: str, now: datetime) -> AnsweredRequest | None:
        held, ends = self.held.get(name, (None, now))
        return held if ends > now else None

    def answer(self, name: str, mark: str, answer: str, until: datetime) -> None:
        self.held[name] = AnsweredRequest(mark, answer), until

    def erase(self, name: str) -> None:
        self.held.pop(name, None)

    def count(self, name: str, until: datetime) -> int:  # noqa: ARG002
        self.counts[name] += 1
        return self.counts[name]


class MemorySessions:
    """Sessions in memory."""

    def __init__(self) -> None:
        self.held: dict[str, Session] = {}

    def session(self, name: str) -> Session | None:
        return self.held.get(name)

    def begin(self, name: str, session: Session) -> None:
        self.held[name] = session

    def end(self, name: str) -> None:
        self.held.pop(name, None)
