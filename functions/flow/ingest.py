"""A new object in landing: the event in, the drop as far as it comes without Spark out.

    received -> match -> admit -> move to stage -> staged, and its plan's window opened, or the fast lane takes it
                |        |                          waiting for the rest of its set: file_sets.join
                |        `-> rejecting -> move to held -> receipt -> rejected
                |                                      `-> where the contract only observes: conclude.finish
                |-> a check fails by a fault of ours -> failed
                |-> move to held -> unmatched
                `-> a marker or manifest: move to held -> noted, and its set looked at: file_sets.note

A trial goes the same way to stage, and ends here as trials.end_trial has it if it is refused or no data file.

Every step finds what an earlier, interrupted delivery of the event has done and goes on from there.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from contracts.catalog import Match, Matched
from contracts.decision import Decision
from contracts.errors import (
    DocumentInvalid,
    ObjectArchived,
    ObjectGone,
    ObjectReplaced,
    ObjectUnreadable,
    ServiceUnavailable,
    StaleWrite,
)
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.file_sets import SetRule
from contracts.verdict import refuse, unclaimed
from functions import keys
from functions.admission import arrival_window
from functions.admission.admit import Admission
from functions.admission.door import admit_upload, why_unclaimed
from functions.admission.guarded import Fault, guarded
from functions.drop import (
    MOST_HEADER_LINE,
    OF_SETS,
    PROMOTED,
    UNVERSIONED,
    Created,
    Drop,
    Location,
    Transition,
    advance,
    brief,
    transitions,
)
from functions.flow import fast_lane, file_sets
from functions.flow.trials import AS_IT_IS, end_trial
from functions.flow.windows import next_window, open_window, quiet
from functions.keys import Zones
from functions.ports import Ports
from functions.ports.store import MARKER_KEPT
from functions.promotion.copies import Gone, InPlace, Replaced, Taken, Unfinished, move, owns_source
from functions.promotion.lineage import TRIES, announced_late
from functions.promotion.observe_mode import promotable_when_observing
from functions.records.failures import EDITED, KEPT, NOT_YOURS, mark_failed, staged_gone, staged_replaced
from functions.records.outcome import unless_erased, write_outcome, write_results
from functions.records.record import record, reread

GONE = Problem(
    "object-gone",
    "The object was removed from landing before it was read.",
    "Upload the file again, and leave it in place: it is moved away once it is taken.",
)
UNREADABLE = Problem(
    "unreadable-object",
    "The object cannot be read: it is archived, or encrypted with a key of your own.",
    "Upload the file again in the storage class STANDARD, without a key of your own.",
)
ARCHIVED = Problem(
    "archived-object",
    "The object is in an archive of S3 (storage class GLACIER or DEEP_ARCHIVE) and cannot be read.",
    "Upload the file again in the storage class STANDARD; it is archived, if at all, where its consumers find it.",
)
MARKER = Problem(
    "folder-marker",
    "The key ends in `/` and the object is empty: it is the marker of a folder, not a file.",
    "Nothing to do: a folder needs no object of its own in S3. A file's key does not end in `/`.",
)
FRESH = timedelta(seconds=30)
"""The age of an event that is taken for the first of its upload."""
OF_A_SET = Problem(
    "tells-of-a-set",
    "By today's contract the file is the marker or manifest of a set, so it cannot be judged again.",
    KEPT,
)
TAKEN = Problem("stage-taken", "Another object is where the file was to be staged.", NOT_YOURS)


def ingest(ports: Ports, created: Created) -> Drop | None:
    """Take a new object as far as the stage zone, or refuse it with reasons; None for an object outside landing.

    DocumentInvalid where the bucket keeps no versions: every upload of the key would be the same drop.
    """
    ports = ports.of(trial=is_trial(ports.zones, created))
    name = keys.name_in(ports.zones.landing, created.bucket, created.key)
    if not name or (keys.is_marker(name, created.size) and not _is_older(created, ports.clock.now() - MARKER_KEPT)):
        return None
    if created.version_id in UNVERSIONED:
        raise DocumentInvalid(f"the bucket {created.bucket} keeps no versions of {created.key}; turn versioning on")
    # Of an older upload a record is most likely there, and a read costs less than a refused write.
    is_old = _is_older(created, ports.clock.now() - FRESH, unknown=True)
    recorded = ports.ledger.drop(_id(created)) if is_old else None
    drop = recorded or ports.ledger.open(_received(ports, created, name))
    if created.sequencer and not drop.sequencer:  # it was found before its event came
        drop = _announced(ports, drop, created)
    return resume(ports, drop)


def resume(ports: Ports, drop: Drop) -> Drop:
    """Finish what is unfinished of a drop before its batch; a drop that is further on stays as it is."""
    ports = ports.of(trial=drop.trial)
    if drop.state == "received":
        return _receive(ports, drop)
    if drop.state == "gathering":
        drop = file_sets.gathered(ports, drop)
    if drop.state == "rejecting" and drop.batch is None:
        return _finish_refusal(ports, drop)
    if drop.state == "staged" and drop.plan:
        open_window(ports, drop.plan, ports.window_seconds)
    return drop


def is_trial(zones: Zones, created: Created) -> bool:
    """Return True if an object is in the trials' folder of landing: nothing else makes it a trial."""
    return keys.name_in(zones.of(trial=True).landing, created.bucket, created.key) is not None


def pin(drop: Drop, match: Match) -> Drop:
    """Return the drop with the contract and plan of this attempt, or the reason why there is none."""
    drop = replace(drop, file_set=None, totals=None)
    if isinstance(match, Matched):
        entry = match.entry
        return replace(
            drop, contract=entry.contract, plan=entry.plan, producer=entry.producer, parts=match.parts, problems=()
        )
    why = why_unclaimed(match)
    return replace(drop, contract=None, plan=None, producer=match.producer, parts={}, problems=brief((why,)))


def _announced(ports: Ports, drop: Drop, created: Created) -> Drop:
    """Record the sequencer and time of a drop's event; ServiceUnavailable to get the event again."""
    upload = {"sequencer": created.sequencer, "uploaded_at": created.uploaded_at}
    for _ in range(TRIES):
        drop = record(ports, drop, "announced", **upload)
        if drop.sequencer or "announced" not in transitions(trial=drop.trial).get(drop.state, {}):
            break
    else:
        raise ServiceUnavailable(f"others bring drop {drop.id} further again and again")
    if drop.plan and drop.state in ("promoting", *PROMOTED):
        announced_late(ports, drop, ports.catalog.plan(drop.plan), created.sequencer)
    return drop


def _is_older(created: Created, moment: datetime, *, unknown: bool = False) -> bool:
    """Return True if an object was uploaded at a moment or before; `unknown` if its event has no time."""
    try:
        return datetime.fromisoformat(created.uploaded_at) <= moment
    except (ValueError, TypeError):
        return unknown


def _id(created: Created) -> str:
    return keys.drop_id(created.bucket, created.key, created.version_id)


def _received(ports: Ports, created: Created, name: str) -> Drop:
    at = ports.at()
    drop = Drop(
        id=_id(created),
        bucket=created.bucket,
        key=created.key,
        name=name,
        version_id=created.version_id,
        etag=created.etag,
        size=created.size,
        sequencer=created.sequencer,
        uploaded_at=created.uploaded_at,
        received_at=at,
        changed_at=at,
        source=Location(f"s3://{created.bucket}/{created.key}", created.version_id),
        trial=ports.zones.trial,
    )
    if keys.is_marker(name, created.size):
        return replace(drop, problems=brief((MARKER,)))
    return pin(drop, ports.catalog.match(name))


def _receive(ports: Ports, drop: Drop) -> Drop:
    if not owns_source(ports.zones, drop):
        return mark_failed(ports, drop, EDITED)
    if drop.plan is None:
        return _unmatched(ports, drop)
    plan = ports.catalog.plan(drop.plan)
    try:
        seen = _look(ports, drop, plan)
    except ObjectReplaced:
        return mark_failed(ports, drop, staged_replaced(drop))
    if seen is None:
        return _gone(ports, drop)
    here, admission = seen
    if isinstance(admission, Fault):
        return mark_failed(ports, here, admission.problem)
    signal = plan.set is not None and plan.set.is_signal(drop.name)
    if drop.trial and (admission.refused or signal):
        return _try(ports, here, plan, refuse(admission.problems) if admission.refused else AS_IT_IS)
    if admission.refused:
        wrong = {"verdict": "rejected", "problems": brief(admission.problems), "decided_at": ports.at()}
        return _finish_refusal(ports, record(ports, here, "refused", **wrong))
    if plan.set and signal:
        return _note(ports, here, plan, plan.set)
    return _stage(ports, here, plan, admission)


def _unmatched(ports: Ports, drop: Drop) -> Drop:
    """Keep an upload that no contract claims; the producer in whose folder it is gets a receipt with the nearest miss.

    In nobody's folder there is nobody who may read one; the table of results has it all the same.
    """
    decision = unclaimed(drop.problems)
    if drop.trial:
        return _try(ports, drop, None, decision)
    at = _hold(ports, drop)
    if at is None:
        return _gone(ports, drop)
    if drop.producer is None:
        write_results(ports, drop, None, decision)
        return unless_erased(ports, None, record(ports, drop, "matched_nothing", source=at))
    receipt = write_outcome(ports, drop, None, decision)
    return unless_erased(ports, receipt, record(ports, drop, "matched_nothing", source=at, receipt=receipt))


def _try(ports: Ports, drop: Drop, plan: Plan | None, decision: Decision) -> Drop:
    """End a trial at the door."""
    at = _hold(ports, drop)
    return _gone(ports, drop) if at is None else end_trial(ports, plan, drop, decision, at)


def _note(ports: Ports, drop: Drop, plan: Plan, rule: SetRule) -> Drop:
    """Keep a marker or a manifest, and let its set go on."""
    if drop.retracts:
        return mark_failed(ports, drop, OF_A_SET)  # what is noted nobody can withdraw
    at = _hold(ports, drop)
    if at is None:
        return _gone(ports, drop)
    return file_sets.note(ports, drop, plan, rule, at)


def _gone(ports: Ports, drop: Drop) -> Drop:
    """End a drop whose bytes are gone; one that is still promoted fails, so that people can withdraw it."""
    if drop.retracts:
        return mark_failed(ports, drop, staged_gone(drop))
    return record(ports, drop, "gone", problems=(GONE,))


def _hold(ports: Ports, drop: Drop) -> Location | None:
    """Move the bytes out of landing; an object that cannot be copied stays there. None if they are gone."""
    if drop.size > ports.largest_copy:
        return drop.source
    try:
        moved = move(ports, drop, keys.held_uri(ports.zones, drop.id))
    except ObjectUnreadable:
        return drop.source
    if isinstance(moved, Gone):
        return None
    return moved.to if isinstance(moved, InPlace) else drop.source


def _look(ports: Ports, drop: Drop, plan: Plan) -> tuple[Drop, Admission | Fault] | None:
    """Return the drop with the location of its bytes, and its admission; None if the bytes are gone.

    ObjectReplaced if other bytes are in the place that the ledger names.
    """
    stage = keys.stage_uri(ports.zones, plan, drop.id, drop.attempt, drop.received_at)
    check = partial(admit_upload, ports.zones, plan, drop.name, drop.size, arrival_window.uploaded(drop))
    for place in (drop.source, Location(stage), Location(keys.held_uri(ports.zones, drop.id))):
        try:
            admission = guarded(check, partial(ports.store.read, place))
        except ObjectGone:
            continue
        except ObjectArchived:
            return replace(drop, source=place), Admission((ARCHIVED,))
        except ObjectUnreadable:
            return replace(drop, source=place), Admission((UNREADABLE,))
        return replace(drop, source=place), admission
    return None


def _finish_refusal(ports: Ports, drop: Drop) -> Drop:
    if drop.state != "rejecting" or drop.plan is None or drop.override:
        return drop
    if not owns_source(ports.zones, drop):
        return mark_failed(ports, drop, EDITED)
    plan = ports.catalog.plan(drop.plan)
    try:
        seen = _look(ports, drop, plan)
    except ObjectReplaced:
        seen = None
    others = tuple(p for p in drop.problems if p.code in OF_SETS)
    here, admission = seen or (drop, None)
    problems = (*others, *admission.problems) if isinstance(admission, Admission) else drop.problems
    at = _hold(ports, here) or drop.source
    held = replace(drop, source=at)
    if drop.retracts or promotable_when_observing(ports.zones, plan, held):
        # The schedule goes on: the door may not touch what is promoted.
        return drop if at == drop.source else record(ports, drop, "held", source=at)
    receipt = write_outcome(ports, drop, plan, refuse(problems))
    return unless_erased(ports, receipt, record(ports, drop, "rejected", source=at, receipt=receipt))


def _stage(ports: Ports, drop: Drop, plan: Plan, admission: Admission) -> Drop:
    moved = move(ports, drop, keys.stage_uri(ports.zones, plan, drop.id, drop.attempt, drop.received_at))
    if not isinstance(moved, InPlace):
        return _not_staged(ports, drop, moved)
    line = admission.header_line
    laid: dict[str, Any] = {
        "source": moved.to,
        "sha256": moved.sha256,
        "problems": brief(arrival_window.problems(plan, arrival_window.uploaded(drop))),
        "header_line": line if len(line.encode()) <= MOST_HEADER_LINE else None,
        "unpacked": admission.unpacked,
        "content": admission.content,
        "file_set": file_sets.set_of(drop, plan, plan.set) if plan.set and not drop.trial else None,
    }
    if plan.set and not drop.trial and (waits := file_sets.join(ports, drop, plan, plan.set, **laid)):
        return resume(ports, waits) if waits.state in ("staged", "rejecting") else waits
    at = ports.at()
    answer = advance(drop, "staged", at, staged_at=at, **laid)
    if not isinstance(answer, Transition):
        return drop
    if fast_lane.takes(ports, plan, answer.drop):
        return fast_lane.send(ports, answer)
    if quiet(ports, plan.sha):
        window = next_window(ports, plan.sha, ports.window_seconds)
        try:
            ports.ledger.write((answer,), window)
        except StaleWrite:
            pass  # its window is open after all, or somebody else took the drop on: the next write tells
        else:
            ports.delays.send(window, ports.window_seconds)
            return answer.drop
    try:
        ports.ledger.write((answer,))
    except StaleWrite:
        return reread(ports, drop)
    return resume(ports, answer.drop)


def _not_staged(ports: Ports, drop: Drop, why: Unfinished | Gone | Taken | Replaced) -> Drop:
    match why:
        case Unfinished():
            return drop  # the schedule goes on with it, minute after minute
        case Gone():
            return _gone(ports, drop)
        case Replaced():
            return mark_failed(ports, drop, staged_replaced(drop))
        case Taken():
            return mark_failed(ports, drop, TAKEN)
