"""Drops in the ledger: an id, a month or a contract in, the records and their histories out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from contracts import codec
from contracts.plan import Promoted
from functions import keys
from functions.drop import BY_PERSON, PROMOTED, Drop, RowCounts, Transition


@dataclass(frozen=True, slots=True)
class Step:
    """One item of a drop's history."""

    drop: str
    attempt: int
    step: int
    state: str
    event: str
    at: str
    contract: str | None = None
    verdict: str | None = None
    problem: str | None = None
    by: str | None = field(default=None, metadata=codec.SPARSE)
    because: str | None = field(default=None, metadata=codec.SPARSE)
    batch: str | None = field(default=None, metadata=codec.SPARSE)
    format: Literal[1] = 1


def step_of(drop: Drop, event: str) -> Step:
    """Return the step of the event that led to this state of a drop; with who and why, if a person did it."""
    person = drop.forgotten if event == "forgetting" else drop.override if event in BY_PERSON else None
    return Step(
        drop=drop.id,
        attempt=drop.attempt,
        step=drop.step,
        state=drop.state,
        event=event,
        at=drop.changed_at,
        contract=drop.contract,
        verdict=drop.verdict,
        problem=drop.problems[0].code if drop.problems else None,
        by=person.by if person else None,
        because=person.because if person else None,
        batch=drop.batch if event in ("claimed", "retried") else None,  # the halves of a batch try again
    )


@dataclass(frozen=True, slots=True)
class ToldPromotion:
    """What consumers can read: what it is, its key in the promoted zone, and the version of a table with its rows."""

    kind: Promoted
    key: str
    version: int | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What the event of a step tells besides the step, as it was then.

    Texts that may quote the file are not among it, as history outlives `dropgate forget`: of problems only the codes.
    `withdrawn` is True if consumers lose by this step what an earlier attempt had promoted.
    """

    key: str | None = field(default=None, metadata=codec.SPARSE)
    plan: str | None = field(default=None, metadata=codec.SPARSE)
    producer: str | None = field(default=None, metadata=codec.SPARSE)
    engine: str | None = field(default=None, metadata=codec.SPARSE)
    rows: RowCounts | None = field(default=None, metadata=codec.SPARSE)
    codes: tuple[str, ...] = field(default=(), metadata=codec.SPARSE)
    receipt: str | None = field(default=None, metadata=codec.SPARSE)
    promoted: ToldPromotion | None = field(default=None, metadata=codec.SPARSE)
    withdrawn: bool = field(default=False, metadata=codec.SPARSE)
    uploaded_at: str | None = field(default=None, metadata=codec.SPARSE)
    received_at: str | None = field(default=None, metadata=codec.SPARSE)
    decided_at: str | None = field(default=None, metadata=codec.SPARSE)
    trial: bool = field(default=False, metadata=codec.SPARSE)


def facts_of(drop: Drop, move: Transition | None = None) -> StepFacts:
    """Return what the event of a step tells of a drop; `move` is the step, None for a new drop."""
    retracted = move.before.retracts if move else None
    return StepFacts(
        key=drop.key,
        plan=drop.plan,
        producer=drop.producer,
        engine=None if drop.decided_at is None else "spark" if drop.batch else "admission",
        rows=drop.rows,
        codes=tuple(problem.code for problem in drop.problems),
        receipt=drop.receipt,
        promoted=_promotion(drop, move.version if move else None),
        withdrawn=retracted is not None and drop.retracts is None and drop.state not in PROMOTED,
        uploaded_at=drop.uploaded_at or None,
        received_at=drop.received_at,
        decided_at=drop.decided_at,
        trial=drop.trial,
    )


def _promotion(drop: Drop, version: int | None) -> ToldPromotion | None:
    if drop.promoted is None or drop.state not in PROMOTED:
        return None
    to = drop.promoted
    kind: Promoted = "table" if keys.is_table(to.key) else "rows" if to.rows else "object"
    return ToldPromotion(kind, to.key, version)


class Drops(Protocol):
    """Records by their ids, read by every use case."""

    def drop(self, drop_id: str) -> Drop | None:
        """Return a drop as it is now."""
        ...

    def drops(self, drop_ids: Sequence[str]) -> tuple[Drop, ...]:
        """Return many drops as they are now, in no order, without unknown ids and items that cannot be read.

        `drop` raises DocumentInvalid for such an item, and `in_flight` names it: it must not hold up the others.
        """
        ...

    def history(self, drop_id: str) -> tuple[Step, ...]:
        """Return all steps of a drop, the oldest first."""
        ...

    def facts(self, drop_id: str) -> tuple[tuple[Step, StepFacts], ...]:
        """Return all steps of a drop with what their events tell besides, the oldest first."""
        ...


class DropSearch(Protocol):
    """Records by other things than their ids, read by the command line, the doctor and the search for missing files.

    Trials have partitions of their own: who does not ask for them reads none.
    """

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Return the ids with a prefix of 4 characters or more, at most 20."""
        ...

    def of_month(
        self,
        contract: str | None,
        month: str,
        most: int = 1000,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> tuple[Drop, ...]:
        """Return the drops, or the trials, that a contract (None: no contract) got in a month, the newest first.

        `only` keeps those whose attributes have these values, as {"state": "failed"}; as much of the month is read as
        it takes to find `most` of them. Items that cannot be read are left out.
        """
        ...

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
        """Yield the drops, or the trials, that a contract (None: no contract) got until a moment, the newest first.

        They are read in pages of `most`, as far as the caller goes on; of equal times in no order. `only` is as in
        `of_month`; items that cannot be read are left out.
        """
        ...

    def each(self, contract: str | None, month: str) -> Iterator[Drop | str]:
        """Yield all drops of a month, read page by page; for an item that cannot be read its key."""
        ...

    def received(self, contract: str, since: str, until: str, most: int) -> tuple[Drop | str, ...]:
        """Return the drops that a contract received from one moment to another, the newest first.

        An item that cannot be read is returned as its key.
        """
        ...
