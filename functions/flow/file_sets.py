"""Sets of files: a drop or a marker in; once its set is complete, the waiting files as staged drops out.

    a file      gathering, written first; then its set is read: if a file and a marker come at once, one sees the other
    a marker    noted, in one transaction with its set, which is then complete; a manifest: once all files are there
    complete    staged, group by group;     not in time: rejecting, with the list of missing files

The set has one item, on which every writer relies. The schedule checks it now and then, and for a quarter of an hour
after the decision: no file that was under way meanwhile is left behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from contracts.errors import DocumentInvalid, ObjectGone, StaleWrite
from contracts.plan import Plan
from contracts.problem import Problem
from contracts.terms.file_sets import SetRule, describe_set
from functions import keys
from functions.admission.manifest import Listed, Manifest, read, unlike
from functions.drop import MOST_TEXT, SET_INCOMPLETE, Drop, Event, Location, Transition, advance, brief, is_later
from functions.flow.windows import open_window
from functions.ports import Ports
from functions.ports.clock import moment, stamp
from functions.ports.expected_files import FileSet
from functions.promotion.lineage import TRIES
from functions.records.failures import NOT_YOURS
from functions.records.record import reread

GROUP = 24
"""Drops written in one transaction, which has room for 100 items: of a drop four, and what waits in a window."""
MOST_SETTLED = 1200
"""Drops of a set that are sent on at once; the next minute takes more."""
LAST = timedelta(minutes=15)
"""The longest run of a function (AWS Lambda developer guide, "Quotas"): what began before a decision has ended then."""
LOOKS = 16
"""The number of times that the schedule looks at a set before it is due."""
GONE = Problem(
    "manifest-gone",
    "The manifest of its set is no longer kept unchanged, so the file cannot be compared with it.",
    "Upload the manifest again, then the file.",
)
UNKNOWN = Problem(
    "checksum-unknown",
    "The manifest has a checksum of the file and S3 has none: they were not compared.",
    NOT_YOURS,
)


def set_of(drop: Drop, plan: Plan, rule: SetRule) -> str:
    """Return the id of the set that a drop belongs to."""
    return keys.set_id(plan.contract, rule.named(drop.parts))


def join(ports: Ports, drop: Drop, plan: Plan, rule: SetRule, **laid: Any) -> Drop | None:
    """Let a drop whose bytes are `laid` in stage wait for its set; None if the set is complete: the drop continues.

    A drop that comes after all files of its manifest waits for its set as well, to be compared with the manifest: the
    set is checked again, because the function that writes this may die before it sends the drop on.
    """
    for _ in range(TRIES):
        file_set = _of(ports, drop, plan, rule)
        if file_set.state == "complete" and not file_set.manifest:
            return None
        answer = advance(drop, "joined", ports.at(), **laid)
        if not isinstance(answer, Transition):
            return drop
        late = file_set.state == "complete"
        of_set = replace(file_set, look_at=ports.at()) if late else _opened(ports, file_set, plan, rule)
        try:
            ports.ledger.write((answer,), *((of_set,) if of_set else ()))
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return now
        else:
            return gathered(ports, answer.drop)
    return drop


def note(ports: Ports, drop: Drop, plan: Plan, rule: SetRule, at: Location) -> Drop:
    """Record a marker or manifest whose bytes are kept, and check its set."""
    for _ in range(TRIES):
        file_set = _of(ports, drop, plan, rule)
        answer = advance(drop, "noted", ports.at(), source=at, file_set=file_set.id)
        if not isinstance(answer, Transition):
            return drop
        signalled = _signalled(ports, file_set, drop, plan, rule, at)
        try:
            ports.ledger.write((answer,), *((signalled,) if signalled else ()))
        except StaleWrite:
            if (now := reread(ports, drop)).version != drop.version:
                return now
        else:
            look(ports, file_set.id)
            return answer.drop
    return drop


def gathered(ports: Ports, drop: Drop) -> Drop:
    """Try to decide the set that a drop waits for; if it is decided already, move only this drop on."""
    file_set = ports.ledger.file_set(drop.file_set or "")
    if file_set and file_set.state == "open":
        _decide(ports, file_set)
    elif file_set:
        _send_on(ports, file_set, _manifest(ports, file_set), (drop,))
    return reread(ports, drop)


def look(ports: Ports, set_id: str) -> None:
    """Decide on a set if that can be done, and send those on that wait for it."""
    if file_set := ports.ledger.file_set(set_id):
        _decide(ports, file_set)


def _decide(ports: Ports, file_set: FileSet) -> None:
    if file_set.state == "open":
        after = _decided(ports, file_set)
        if after is None:
            return
        try:
            ports.ledger.write((), after)
        except StaleWrite:
            look(ports, file_set.id)
            return
        file_set = replace(after, version=after.version + 1)
    if file_set.state != "open":
        _settle(ports, file_set)


def _of(ports: Ports, drop: Drop, plan: Plan, rule: SetRule) -> FileSet:
    """Return the set of a drop; a set that was never opened has version 0."""
    set_id, at = set_of(drop, plan, rule), ports.at()
    parts = rule.named(drop.parts)
    return ports.ledger.file_set(set_id) or FileSet(set_id, plan.contract, plan.sha, parts, at, at, None)


def _opened(ports: Ports, file_set: FileSet, plan: Plan, rule: SetRule) -> FileSet | None:
    """Return a new set, or one that begins again by today's rule after it was incomplete; None if it is open."""
    if file_set.version and file_set.state == "open":
        return None
    now = ports.clock.now()
    return replace(
        file_set,
        plan=plan.sha,
        state="open",
        opened_at=stamp(now),
        due_at=stamp(now + timedelta(seconds=rule.within)),
        look_at=stamp(now + timedelta(seconds=rule.within / LOOKS)),
        decided_at=None,
        lacks=None,
    )


def _signalled(ports: Ports, file_set: FileSet, drop: Drop, plan: Plan, rule: SetRule, at: Location) -> FileSet | None:
    """Return a set with its marker or manifest, by whose rule it goes on; None if that changes nothing."""
    older = file_set.signal not in (None, drop.id) and not is_later(drop, file_set)
    lost = file_set.state == "complete" and isinstance(_manifest(ports, file_set), Problem)
    if (file_set.state == "complete" and not lost) or older:
        return None
    signalled = file_set if lost else _opened(ports, file_set, plan, rule) or file_set
    signalled = replace(
        signalled, plan=plan.sha, signal=drop.id, sequencer=drop.sequencer, uploaded_at=drop.uploaded_at
    )
    if not rule.manifest:
        return _complete(ports, replace(signalled, manifest=None, beside="", files=0))  # of a former rule
    signalled = replace(signalled, manifest=at.uri, beside=drop.name)
    listed = _manifest(ports, signalled)
    if isinstance(listed, Problem):
        raise DocumentInvalid(f"the manifest of the set {file_set.id} has changed")
    return replace(signalled, files=len(listed))


def _complete(ports: Ports, file_set: FileSet) -> FileSet:
    at = ports.at()  # to be checked at once: the function that writes this may die before it sends anything on
    return replace(file_set, state="complete", decided_at=at, look_at=at)


def _decided(ports: Ports, file_set: FileSet) -> FileSet | None:
    """Return the decided state of an open set; None if it stays open."""
    rule = ports.catalog.plan(file_set.plan).set
    if rule is None:
        raise DocumentInvalid(f"the plan {file_set.plan} of the set {file_set.id} has no rule for sets")
    lacks, at = _lacking(ports, file_set, rule), ports.at()
    if lacks is None:
        return _complete(ports, file_set)
    if at >= file_set.due_at:
        return replace(file_set, state="incomplete", decided_at=at, look_at=at, lacks=lacks[:MOST_TEXT])
    if file_set.look_at and file_set.look_at > at:
        return None
    later = stamp(ports.clock.now() + timedelta(seconds=rule.within / LOOKS))
    return replace(file_set, look_at=min(later, file_set.due_at))


def _lacking(ports: Ports, file_set: FileSet, rule: SetRule) -> str | None:
    """Return what a set lacks, in words; None if it is complete."""
    if rule.signal and file_set.signal is None:
        return rule.lacking(file_set.parts, (), None)
    came = set(ports.ledger.gathering(file_set.id).values())
    if len(came) < file_set.files and ports.at() < file_set.due_at:
        return f"{len(came):,} of {file_set.files:,} files have come"
    listed = {} if rule.parts else _manifest(ports, file_set)
    return (
        "its manifest is not kept any more"
        if isinstance(listed, Problem)
        else rule.lacking(file_set.parts, came, listed)
    )


def _manifest(ports: Ports, file_set: FileSet) -> Manifest | Problem:
    """The files that the manifest of a set names; it was read before it was noted, and may be gone by now."""
    if file_set.manifest is None:
        return {}
    rule = ports.catalog.plan(file_set.plan).set
    try:
        manifest = read(ports.store.get(file_set.manifest), file_set.beside, rule.sums if rule else ())
    except ObjectGone:
        return GONE
    return GONE if isinstance(manifest, Problem) else manifest


def _settle(ports: Ports, file_set: FileSet) -> None:
    """Continue the files that wait for a decided set; record it once no file can be left behind.

    DocumentInvalid if items of drops cannot be read: at every check, until they can be; the others continue.
    """
    waiting = list(ports.ledger.gathering(file_set.id))
    listed = _manifest(ports, file_set) if waiting else {}
    drops = ports.ledger.drops(waiting[:MOST_SETTLED])
    file_set = _send_on(ports, file_set, listed, drops)
    if unread := set(waiting[:MOST_SETTLED]) - {drop.id for drop in drops}:
        left = (
            f"the set {file_set.id} has {len(unread):,} waiting drops whose items cannot be read, such as {min(unread)}"
        )
        raise DocumentInvalid(f"{left}: repair the items, or deploy the version that reads them")
    now = ports.clock.now()
    over = file_set.decided_at is not None and moment(file_set.decided_at) + LAST <= now
    if len(waiting) > MOST_SETTLED:
        look_at: str | None = stamp(now)
    elif file_set.look_at and file_set.look_at > stamp(now):
        return
    else:
        look_at = stamp(now + LAST) if waiting or not over else None
    if look_at != file_set.look_at:
        try:
            ports.ledger.write((), replace(file_set, look_at=look_at))
        except StaleWrite:
            return  # somebody else looks


def _send_on(ports: Ports, file_set: FileSet, listed: Manifest | Problem, drops: Sequence[Drop]) -> FileSet:
    """Send drops on as their set was decided; return the set as it is then."""
    moves = [move for drop in drops if (move := _sent_on(ports, file_set, listed, drop))]
    for begin in range(0, len(moves), GROUP):
        group = moves[begin : begin + GROUP]
        try:
            file_set = _written(ports, file_set, group)
        except StaleWrite:
            if file_set.state == "incomplete" and ports.ledger.file_set(file_set.id) != file_set:
                break  # opened again, or somebody else continues them: the schedule comes back
            for drop in ports.ledger.drops([move.drop.id for move in group]):
                if move := _sent_on(ports, file_set, listed, drop):
                    with suppress(StaleWrite):  # somebody was faster
                        file_set = _written(ports, file_set, (move,))
    for plan in dict.fromkeys(move.drop.plan for move in moves if move.drop.state == "staged"):
        if plan:
            open_window(ports, plan, ports.window_seconds)
    return file_set


def _written(ports: Ports, file_set: FileSet, moves: Sequence[Transition]) -> FileSet:
    """Write drops; refused ones together with their set, as a new file opens it again for all that wait."""
    if file_set.state == "complete":
        ports.ledger.write(moves)
        return file_set
    ports.ledger.write(moves, file_set)
    return replace(file_set, version=file_set.version + 1)


def _sent_on(ports: Ports, file_set: FileSet, listed: Manifest | Problem, drop: Drop) -> Transition | None:
    """Return the next step of a drop that waits for a decided set."""
    at = ports.at()
    if drop.state != "gathering" or drop.file_set != file_set.id:
        return None
    wrong, entry = _wrong(file_set, listed, drop)
    event: Event = "set_refused" if wrong else "set_complete"
    changes: Mapping[str, Any] = {"staged_at": at, "totals": entry.totals if entry else None}
    if wrong in (GONE, UNKNOWN):
        event, changes = "failed", {"verdict": None, "problems": brief((wrong,)), "decided_at": at}
    elif wrong:
        changes = {"verdict": "rejected", "problems": brief((wrong, *drop.problems)), "decided_at": at}
    answer = advance(drop, event, at, **changes)
    return answer if isinstance(answer, Transition) else None


def _wrong(file_set: FileSet, listed: Manifest | Problem, drop: Drop) -> tuple[Problem | None, Listed | None]:
    """Return the problem of a drop in a decided set, and the manifest's statements about it.

    They are compared as far as S3 has size and checksum of the file.
    """
    if isinstance(listed, Problem):
        return listed, None
    if file_set.state == "incomplete":
        hours = (moment(file_set.due_at) - moment(file_set.opened_at)) / timedelta(hours=1)
        within = f"within {hours:g} hours of its first upload"
        text = f"The set of files ({describe_set(file_set.parts)}) was not complete {within}: {file_set.lacks}."
        fix = "Upload the missing files, and these files again: they continue together."
        return Problem(SET_INCOMPLETE, text, fix), None
    entry = listed.get(drop.name)
    wrong = unlike(entry, drop.size, drop.sha256) if file_set.manifest else None
    if file_set.manifest and wrong is None and entry and entry.sha256 and drop.sha256 is None:
        wrong = UNKNOWN
    return wrong, entry
