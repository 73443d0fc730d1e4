"""The record of a batch: a batch and the drops that were read in, its own drops or its next record out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from contracts.errors import DocumentInvalid, StaleWrite
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.batches import Batch


def whole(ports: Ports, batch: Batch, drops: Sequence[Drop]) -> bool:
    """Return True if `drops` are all existing drops of a batch.

    An item that cannot be read may be repaired, and its drop then continues; a deleted item is not waited for.
    """
    return not any(_there(ports, drop_id) for drop_id in {*batch.members} - {d.id for d in drops})


def _there(ports: Ports, drop_id: str) -> bool:
    try:
        return ports.ledger.drop(drop_id) is not None
    except DocumentInvalid:
        return True


def among(batch: Batch, drops: Iterable[Drop]) -> tuple[Drop, ...]:
    """Return the drops of a batch in its own order; a half of a batch includes drops that never joined it.

    The items of these drops could not be read when the job was started, and no other function continues them.
    """
    own = {d.id: d for d in drops if d.batch in (batch.id, batch.former or batch.id)}
    return tuple(own[m] for m in batch.members if m in own)


def write_batch(ports: Ports, before: Batch, after: Batch) -> Batch:
    """Write a batch; if somebody else was faster, return the batch as it is now."""
    try:
        ports.ledger.write_batch(before, after)
    except StaleWrite:
        return ports.ledger.batch(before.id) or before
    return replace(after, version=before.version + 1)
