"""Items that do not progress: the ledger's open items in; each with its cause and a person's options out.

Nothing is changed, and only ledger and catalog are read: the state of a job itself is in EMR Serverless.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from contracts.errors import DocumentInvalid
from contracts.terms.file_sets import describe_set
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.batches import Batch, Pause, Window
from functions.ports.clock import moment_if_any, stamp
from functions.ports.expected_files import FileSet
from functions.promotion.lineage import claims_of


@dataclass(frozen=True, slots=True)
class Advice:
    """Sentences that name where a stack runs: where its logs are, how to ask for a run, what a full stack needs."""

    logs: str
    run: str
    not_started: str
    full: str
    newer: str


ON_AWS = Advice(
    logs="If nothing changes, search the logs of ScheduleFunction for `not continued now`: they give the obstacle.",
    run="`aws emr-serverless get-job-run --application-id <EmrApplication> --job-run-id {run}`",
    not_started="Check the account's quota and the application. After six hours its drops fail and can be replayed.",
    full="Nothing, if those batches progress; otherwise raise MaximumConcurrentRuns and the application's limits.",
    newer="A newer version of dropgate or a person wrote it: deploy that version, or repair the item.",
)
EMBEDDED = Advice(
    logs="If nothing changes, search the output of `dropgate up` for `not continued now`: it gives the obstacle.",
    run="Spark's log is `.dropgate/spark.log`",
    not_started="Check that `dropgate up` still runs. After six hours its drops fail and can be replayed.",
    full="Nothing, if those batches progress; otherwise stop `dropgate up` and start it again.",
    newer="A newer version of dropgate or a person wrote it: start that version, or repair the item.",
)


@dataclass(frozen=True, slots=True)
class Stuck:
    """A drop, batch, window or set of files (`what`) with its id, state, time, cause and a person's next step."""

    what: str
    id: str
    state: str
    since: str
    waits_for: str
    do: str
    key: str = ""


HELD = "The schedule frees the key within an hour; `dropgate doctor --repair` frees it at once."


@dataclass(frozen=True, slots=True)
class _World:
    """The values that several answers need, read once."""

    ports: Ports
    pauses: tuple[Pause, ...]
    taken: Collection[int]
    advice: Advice

    def full(self, *, trial: bool) -> str | None:
        """Return the batches of which one must end before another begins; None if a slot is free."""
        if trial and not set(self.ports.of(trial=True).slots) - set(self.taken):
            return f"one of the batches in the {len(self.ports.of(trial=True).slots)} slots of trials"
        return f"one of {self.ports.most_batches} batches" if len(self.taken) >= self.ports.most_batches else None

    def drop(self, drop: Drop) -> Stuck | None:
        if not drop.in_flight:
            return None
        try:
            waits_for, do = self.why(drop)
        except DocumentInvalid as error:  # its plan, mostly
            waits_for, do = "a document that cannot be read", str(error)
        return Stuck("drop", drop.id, drop.state, drop.changed_at, waits_for, do, drop.name)

    def why(self, drop: Drop) -> tuple[str, str]:
        if drop.state == "staged":
            if held := self.held(drop):
                return held
            if batches := self.full(trial=drop.trial):
                return f"{batches} to end", self.advice.full
            if drop.plan:
                self.ports.catalog.plan(drop.plan)  # DocumentInvalid: no batch can be made
            return "a batch", f"The schedule makes one within two minutes. {self.advice.logs}"
        if drop.state == "validating" and (batch := self.ports.ledger.batch(drop.batch or "")):
            if batch.state != "ended" and batch.run is None:
                return f"the job of batch {batch.id[:10]}, which could not be started", self.not_started()
            if batch.state != "ended" and not self.other(drop):
                return f"the job run {batch.run}", f"Check that it runs: {self.run(batch)}. {self.advice.logs}"
        if other := self.other(drop):
            holder = self.ports.ledger.drop(other)
            if holder is None or not holder.in_flight:
                return f"its key, which is held for drop {other[:10]}, but that drop is not under way", HELD
            return (
                f"another upload of its key, drop {other[:10]}",
                f"`dropgate show {other[:10]}`: that drop goes first.",
            )
        waits_for, doing = {
            "gathering": ("the rest of its set of files", "examines the set from time to time"),
            "received": ("its ingestion", "retries it every minute"),
            "validating": ("its verdict", "retries it every minute"),
            "promoting": ("its promotion and its receipt", "retries them every minute"),
            "rejecting": ("its receipt, and a withdrawal if one is due", "retries them every minute"),
            "failed": ("its receipt", "retries it every minute"),
        }[drop.state]
        return waits_for, f"The schedule {doing}. {self.advice.logs}"

    def held(self, item: Drop | Window) -> tuple[str, str] | None:
        held = next((pause for pause in self.pauses if pause.holds(item)), None)
        if held is None:
            return None
        option = held.name if held.kind == "contract" else f"--producer {held.name}"
        why = f" ({held.reason})" if held.reason else ""
        return f"the end of a pause of {held.kind} {held.name}{why}", f"`dropgate resume {option}`."

    def other(self, drop: Drop) -> str | None:
        """Return the id of another drop that holds a claim that this drop needs; a trial needs none."""
        if drop.trial:
            return None
        plans = {drop.plan, drop.retracts.plan if drop.retracts else None} - {None}
        claims = (claims_of(self.ports, drop, self.ports.catalog.plan(str(plan))) for plan in plans)
        return next((c.promoting for each in claims for c in each.each if c.promoting not in (None, drop.id)), None)

    def batch(self, batch: Batch) -> Stuck:
        if batch.run is None or batch.state == "claimed":
            waits_for = f"the start of try {batch.try_}"
            return Stuck("batch", batch.id, batch.state, batch.changed_at, waits_for, self.not_started())
        do = f"{self.run(batch)}. {self.advice.logs}"
        return Stuck("batch", batch.id, batch.state, batch.changed_at, f"the job run {batch.run}", do)

    def run(self, batch: Batch) -> str:
        return self.advice.run.format(run=batch.run)

    def not_started(self) -> str:
        return f"{self.advice.not_started} {self.advice.logs}"

    def window(self, window: Window) -> Stuck:
        full = self.full(trial=window.trial)
        waits_for = f"{full} to end" if full else "its message"
        do = self.advice.full if full else f"The schedule sends it again every minute. {self.advice.logs}"
        waits_for, do = self.held(window) or (waits_for, do)
        return Stuck("window", window.plan, "due", window.due_at, waits_for, do)

    def set(self, files: FileSet) -> Stuck | None:
        if files.look_at is None:
            return None
        many = len(self.ports.ledger.gathering(files.id))
        waits_for = f"its decision; {many:,} {'file waits' if many == 1 else 'files wait'} for it"
        do, key = (
            f"The schedule examines it every minute. {self.advice.logs}",
            f"{files.contract}, {describe_set(files.parts)}",
        )
        return Stuck("set", files.id, files.state, files.look_at, waits_for, do, key)


def stuck(ports: Ports, bound: timedelta, advice: Advice = ON_AWS, most: int = 1000) -> tuple[Stuck, ...]:
    """Return everything that is open and unchanged for longer than a bound, oldest first.

    If there are more than `most` of a kind: the oldest, the newest and some in between, which is enough to see the
    cause.
    """
    open_items = ports.ledger.in_flight(stamp(ports.clock.now() - bound), most)
    pauses: tuple[Pause, ...] = ()
    unread: tuple[str, ...] = ()
    try:
        pauses = ports.ledger.pauses()
    except DocumentInvalid:
        unread = ("PAUSES",)
    world = _World(ports, pauses, ports.ledger.taken_slots().keys(), advice)
    each = [
        *(world.drop(ports.ledger.drop(d.id) or d) for d in (*open_items.drops, *open_items.waiting)),
        *(world.batch(b) for b in open_items.batches),
        *(world.window(w) for w in open_items.windows),
        *(world.set(ports.ledger.file_set(s.id) or s) for s in open_items.sets),
    ]
    items = (*open_items.unreadable, *unread)
    unreadable = [Stuck("item", name, "unreadable", "", "a version that can read it", advice.newer) for name in items]
    return (*sorted((item for item in each if item), key=lambda item: item.since), *unreadable)


def age(ports: Ports, item: Stuck) -> timedelta | None:
    """Return how long it made no progress; None if its time is unknown."""
    since = moment_if_any(item.since)
    return ports.clock.now() - since if since else None
