"""Recovery from lost events and crashes: the ledger's open items in, each continued by the code of its event.

received, refused: ingest.resume; in landing, and no event said so: ingest.ingest; decided in a batch that has ended,
or refused by a contract that only observes: conclude.finish; staged without a window: a window; a window overdue, and
not held up: its message again, as many as slots are free, shared among producers; a claimed batch: batching.start; a
running batch: finalize.job_ended; a failed drop without a receipt: its receipt. Windows of files that have ended:
missing_files.call_roll; sets of files: file_sets.look; promises: promises.looks, last. The catalog's pointer:
pointer_check.watch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from contracts.errors import DocumentInvalid, DropgateError
from functions.drop import Drop
from functions.flow.batching import start, started
from functions.flow.conclude import finish
from functions.flow.dead_runs import abandon
from functions.flow.file_sets import look
from functions.flow.finalize import job_ended
from functions.flow.ingest import ingest, resume
from functions.flow.windows import open_window
from functions.ports import Ports
from functions.ports.batches import Batch, Window
from functions.ports.clock import GOLDEN, moment, moment_if_any, rotated, stamp
from functions.ports.ledger import InFlight
from functions.ports.progress import Report, ignore
from functions.records.batches import write_batch
from functions.records.failures import write_failure_receipt
from functions.schedule.missing_files import call_roll
from functions.schedule.pointer_check import watch
from functions.schedule.promises import looks
from functions.schedule.unannounced import unannounced

MOST_STEPS = 200
"""Items continued in one run; the next run takes the rest."""

MOST_TIME = timedelta(minutes=4)
"""For how long a run begins things; the function has a minute more (its Timeout in the template)."""

TIME_TO_LOOK = timedelta(seconds=10)
"""For how long a run that had no time left begins to judge promises: these wait for all recovery, and not for ever.

One look takes up to its LOOK_TIME; with it the run ends before the function's Timeout.
"""

COMES_BACK = timedelta(minutes=6)
"""The time after which a message that fails comes again by itself (the queue's VisibilityTimeout in the template)."""

MOST_WAIT = timedelta(hours=6)
"""The time for which a job that is refused is asked for again, before its drops are given up."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An item that could not be continued now; it stays open for the next run."""

    what: str
    reason: str
    unforeseen: Exception | None = None


Work = tuple[str, Callable[[], object]]
"""The name of an item, and the call that continues it."""


def reconcile(
    ports: Ports,
    caught: type[Exception] = DropgateError,
    taken: Report = ignore,
    standing: Callable[[timedelta], None] = ignore,
) -> tuple[Trouble, ...]:
    """Continue items that have been open for longer than their event should need; return the failures with reasons.

    `caught` are the exceptions of one item that do not end the run: at a handler's edge, all. `taken` receives the name
    of each item that was continued, `standing` the time for which the oldest of them had made no progress.
    """
    now = ports.clock.now()
    open_items = ports.ledger.in_flight(stamp(now - timedelta(seconds=ports.patience_seconds)))
    since = {what: moment_if_any(text) for what, text in _since(open_items)}
    standing(now - min((at for at in since.values() if at), default=now))
    timeless = (Trouble(what, "since when it is open is no time of ours") for what, at in since.items() if at is None)
    troubles = [*map(_unread, open_items.unreadable), *timeless]
    lost: list[Work] = []
    windows: list[Window] = []

    def find() -> None:
        lost.extend((f"object {c.key}", partial(ingest, ports, c)) for c in unannounced(ports))

    def queue() -> None:
        windows.extend(_next(ports, open_items.windows, troubles))

    def point() -> None:
        if why := watch(ports):
            troubles.append(Trouble("catalog", why))

    def take(what: str, act: Callable[[], object]) -> bool:
        try:
            act()
        except caught as error:
            foreseen = isinstance(error, DropgateError)
            troubles.append(
                Trouble(what, str(error) if foreseen else type(error).__name__, None if foreseen else error)
            )
            return False
        return True

    take("landing", find)
    take("windows of files", partial(_reported, ports, call_roll, troubles))
    take("catalog", point)  # as it was read for the windows
    take("slots", queue)
    for what, act in _turn(_work(ports, open_items, windows), lost, now):
        if ports.clock.now() - now > MOST_TIME:
            break
        if take(what, act):
            taken(what)
    until = max(now + MOST_TIME, ports.clock.now() + TIME_TO_LOOK)
    take("promises", partial(_reported, ports, partial(_hold_promises, take=take, until=until), troubles))
    return tuple(troubles)


def _reported(ports: Ports, act: Callable[[Ports, Report], None], troubles: list[Trouble]) -> None:
    """Act, and add the items that could not be read to the troubles."""
    unread: set[str] = set()
    act(ports, unread.add)
    troubles += [trouble for trouble in map(_unread, sorted(unread)) if trouble not in troubles]


def _hold_promises(
    ports: Ports, unread: Report, take: Callable[[str, Callable[[], object]], bool], until: datetime
) -> None:
    """Judge the promises of one contract after the other, while there is time to begin."""
    for what, act in looks(ports, unread):
        if ports.clock.now() > until:
            break
        take(what, act)


def _unread(key: str) -> Trouble:
    return Trouble(f"item {key}", "it is not what this version reads")


def _since(open_items: InFlight) -> Iterator[tuple[str, str]]:
    """Yield the open items, each with the time since which it is open."""
    yield from ((f"drop {d.id}", d.changed_at) for d in (*open_items.drops, *open_items.waiting))
    yield from ((f"batch {b.id}", b.changed_at) for b in open_items.batches)
    yield from ((f"window of plan {w.plan}", w.due_at) for w in open_items.windows)
    yield from ((f"set {s.id}", s.look_at) for s in open_items.sets if s.look_at)


def _turn(work: list[Work], lost: list[Work], now: datetime) -> list[Work]:
    """Return the work of one run; each minute begins far from the last one, so that nothing slow keeps its place.

    The lost uploads, which are few, come first in half of all minutes. These minutes have no fixed period: the pages of
    landing might have the same period, and then one page would never come first.
    """
    turn = rotated(work, now)[:MOST_STEPS]
    return [*lost, *turn] if int(int(now.timestamp()) // 60 * GOLDEN) % 2 else [*turn, *lost]


def _work(ports: Ports, open_items: InFlight, windows: Sequence[Window]) -> list[Work]:
    plans = dict.fromkeys((d.plan, d.trial) for d in open_items.waiting if d.state == "staged" and d.plan)
    return [
        *((f"batch {b.id}", partial(_finish_batch, ports, b)) for b in open_items.batches),
        *((f"window of plan {w.plan}", partial(_send_again, ports, w)) for w in windows),
        *((f"set {s.id}", partial(look, ports, s.id)) for s in open_items.sets),
        *((f"plan {p}", partial(_gather, ports.of(trial=trial), p)) for p, trial in plans if p),
        *((f"drop {d.id}", partial(_finish_drop, ports, d)) for d in open_items.drops),
    ]


def _next(ports: Ports, line: Sequence[Window], troubles: list[Trouble]) -> Sequence[Window]:
    """Return the overdue windows whose batches get a slot; paused ones and trials without a slot keep their turn."""
    if not line:
        return line
    try:
        held = ports.ledger.pauses()
    except DocumentInvalid as error:  # none: a batch of a paused contract is refused anyway
        troubles.append(Trouble("pauses", str(error)))
        held = ()
    taken = ports.ledger.taken_slots()
    free = [window for window in line if not any(pause.holds(window) for pause in held)]
    own = len(ports.of(trial=True).slots - taken.keys())
    tried = [window for window in free if window.trial][:own]
    may = [window for window in free if not window.trial or window in tried]
    return in_turn(may, taken.values(), ports.most_batches - len(taken))


def in_turn(line: Sequence[Window], holders: Iterable[str], places: int) -> list[Window]:
    """Return the windows that get slots: each slot goes to the producer with the fewest, first in line first.

    `holders` are the producers of the batches that are under way; among equals the first in line is next.
    """
    held, left = Counter(holders), list(line)
    chosen: list[Window] = []
    while left and len(chosen) < places:
        window = min(left, key=lambda w: held[w.producer])
        left.remove(window)
        held[window.producer] += 1
        chosen.append(window)
    return chosen


def _finish_drop(ports: Ports, seen: Drop) -> None:
    drop = ports.ledger.drop(seen.id) or seen
    if drop.state == "failed":
        write_failure_receipt(ports, drop)
    elif drop.batch is None:
        finish(ports, resume(ports, drop))
    elif drop.override or ((batch := ports.ledger.batch(drop.batch)) and batch.state == "ended"):
        finish(ports, drop)


def _finish_batch(ports: Ports, seen: Batch) -> None:
    batch = ports.ledger.batch(seen.id) or seen
    if batch.state == "running" and batch.run:
        job_ended(ports, batch.run)
    if batch.state != "claimed":
        return
    try:
        start(ports, batch)
    except DropgateError:
        if ports.clock.now() - moment(batch.try_at) < MOST_WAIT:
            raise
        if run := started(ports, batch):  # its job works, or has ended, and nobody could write that down
            write_batch(ports, batch, replace(batch, state="running", run=run, changed_at=ports.at()))
        else:
            abandon(ports, batch)


def _send_again(ports: Ports, seen: Window) -> None:
    """Send a window's message again, and let it go to the end of the line: a plan that is broken holds up no other."""
    if ports.ledger.window(seen.plan, trial=seen.trial) == seen:
        ports.delays.send(seen, 0)
        ports.ledger.postpone(seen, stamp(ports.clock.now() + COMES_BACK))


def _gather(ports: Ports, plan: str) -> None:
    trial = ports.zones.trial
    if ports.ledger.window(plan, trial=trial) is None and ports.ledger.pending(plan, 1, trial=trial):
        open_window(ports, plan, 0)
