"""A batch whose job has died with its drops in, the two halves of it as batches of their own out.

    evidence of the dead runs deleted -> one transaction: the batch ended, its halves claimed -> a job for each half

So a drop that kills its job is found in 2 log2(n) runs, and all others get their verdicts. A half also runs once before
it is split; a batch of one drop is tried as often as any batch. The first batch counts the splits that follow from it:
if jobs die with any drops, the cause is not in a drop, and the rest is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import sample

from contracts.errors import ServiceUnavailable, StaleWrite
from functions import keys
from functions.drop import Drop
from functions.flow.batching import enter, start
from functions.ports import Ports
from functions.ports.batches import Batch

MOST_TRIES = 3
MOST_SPLITS = 30
"""The most splits of one batch: enough for three drops that kill their jobs among 1,000, the most it can hold."""
RACES = 3
"""The number of tries of a split that others are in the way of: a place that is taken, a split of the other half."""


def tries(batch: Batch, undecided: int) -> int:
    """Return how often a batch with `undecided` drops is run before it is split or abandoned, if its runs begin."""
    return 1 if batch.former and undecided > 1 else MOST_TRIES


def clear(ports: Ports, batch: Batch) -> None:
    """Delete the evidence of a batch's dead runs: no run will overwrite it."""
    ports.store.clear(keys.evidence_folder(ports.zones, batch.contract, batch.claimed_at, batch.id))


def split(ports: Ports, batch: Batch, undecided: Sequence[Drop], reason: str) -> Batch | None:
    """The batch as it is once its halves are batches and have jobs; None if it was split often enough.

    The drops name their half when its job is started; until then they belong to a batch that has ended.
    """
    for race in range(RACES):
        first = (ports.ledger.batch(batch.origin) if batch.origin else None) or batch
        if first.splits >= MOST_SPLITS:
            return None
        clear(ports, batch)
        enter(ports, batch, undecided)
        halves = _halves(ports, batch, first, undecided, placed=race == 0)
        ended = replace(batch, state="ended", reason=reason, changed_at=halves[0].claimed_at)
        # What has ended has no place to free any more: it may be another's by now.
        counted = replace(ended if first is batch else replace(first, slot=None), splits=first.splits + 1)
        try:
            ports.ledger.write((), *((counted,) if first is batch else (ended, counted)), *halves)
        except StaleWrite:
            if (now := ports.ledger.batch(batch.id)) is None or now.version != batch.version:
                return now or batch
        else:
            for half in halves:
                start(ports, replace(half, version=1))
            return ports.ledger.batch(batch.id) or batch
    raise ServiceUnavailable(
        f"the split of batch {batch.id} met others again and again; it is made when it comes again"
    )


def _halves(ports: Ports, batch: Batch, first: Batch, drops: Sequence[Drop], *, placed: bool) -> tuple[Batch, Batch]:
    """Two new batches; `placed` assigns slots that may be free.

    Without a slot a job waits in EMR Serverless's queue. The slot of the batch itself is not used: the transaction
    frees it, and may write no item twice (DynamoDB API, TransactWriteItems).
    """
    at, middle = ports.at(), len(drops) // 2
    others = [slot for slot in ports.of(trial=batch.trial).slots if slot != batch.slot] if placed else []
    slots = (*sample(others, min(2, len(others))), None, None)

    def half(number: int, own: Sequence[Drop]) -> Batch:
        return Batch(
            id=keys.half_id(batch.id, number),
            plan=batch.plan,
            contract=batch.contract,
            members=tuple(d.id for d in own),
            size=sum(d.weight for d in own),
            claimed_at=at,
            try_at=at,
            changed_at=at,
            slot=slots[number],
            producer=batch.producer,
            marks=batch.marks,
            former=batch.id,
            origin=first.id,
            trial=batch.trial,
            version=0,
        )

    return half(0, drops[:middle]), half(1, drops[middle:])
