"""Uploads of one key, and of one content: the drop that consumers see, and the drop that is about to replace it.

A drop that is found good takes its claims (its key, and its content if the contract asks for it) in the same
transaction that makes it `promoting`, against one item each. So in any order of events and jobs an older upload never
overwrites a newer one, and a rejected file removes nothing of a good one. S3's sequencers, which come with events,
decide which upload is newer. If two uploads of a key share a second and one event is missing, neither counts as newer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from contracts.errors import ServiceUnavailable
from contracts.plan import Plan
from contracts.problem import Problem
from functions import keys
from functions.drop import CONTENT_UNKNOWN, CONTENT_USED, KEY_USED, Drop, is_later, rank
from functions.ports import Ports
from functions.ports.lineages import Lineage
from functions.ports.store import Stat
from functions.records.failures import NOT_YOURS

TRIES = 5
"""The tries of a write that loses races for a lineage; each try reads the lineage again."""

UNSURE = Problem(
    CONTENT_UNKNOWN,
    "Nobody could tell whether the same file has been accepted before: the store gave no checksum of it.",
    "Nothing to do in the file.",
    level="warning",
)


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims that a drop must hold to be promoted; None for those that its contract does not need."""

    key: Lineage | None = None
    content: Lineage | None = None

    @property
    def each(self) -> tuple[Lineage, ...]:
        """Return all claims."""
        return tuple(claim for claim in (self.key, self.content) if claim)

    def taken(self, drop: Drop) -> Claims:
        """Return the claims as they are while the drop is promoted."""
        return self._all(lambda claim: replace(claim, promoting=drop.id))

    def entered(self) -> Claims:
        """Return the claims as the ledger has them once they are written."""
        return self._all(lambda claim: replace(claim, version=claim.version + 1))

    def left(self, drop: Drop, copied: Stat | None) -> Claims:
        """Return the claims as they are once consumers see the drop, or if they cannot."""
        if copied is None:
            return self._all(lambda claim: replace(claim, promoting=None) if claim.promoting == drop.id else claim)
        when = {"sequencer": drop.sequencer, "uploaded_at": drop.uploaded_at}
        seen = partial(replace, promoting=None, promoted=drop.id, etag=copied.etag, **when)
        return self._all(
            lambda claim: seen(claim, furthest=max(claim.furthest, claim.sequencer, drop.sequencer, key=rank))
        )

    def of(self, drop: Drop) -> tuple[Lineage, ...]:
        """Return the claims by which consumers see this drop."""
        return tuple(claim for claim in self.each if claim.promoted == drop.id)

    def _all(self, change: Callable[[Lineage], Lineage]) -> Claims:
        return Claims(self.key and change(self.key), self.content and change(self.content))


def claims_of(ports: Ports, drop: Drop, plan: Plan, *, unseen: bool = False) -> Claims:
    """Return the claims of a drop from the ledger; `unseen` returns fresh ones without reading.

    Most keys are uploaded once. If a claim that was not read exists after all, the write is refused.
    """
    key = keys.lineage_hash(drop.bucket, drop.key, plan.contract) if plan.same_key != "version" else None
    same = drop.content or drop.sha256
    content = keys.content_hash(same, plan.contract) if plan.same_content != "allow" and same else None
    look = Lineage if unseen else ports.ledger.lineage
    return Claims((key and look(key)) or None, (content and look(content)) or None)


def announced_late(ports: Ports, drop: Drop, plan: Plan, sequencer: str) -> None:
    """Note the sequencer of a drop whose event came when consumers had it already, or are about to."""
    key = claims_of(ports, drop, plan).key
    if key and key.promoting == drop.id:
        raise ServiceUnavailable(f"drop {drop.id} is being promoted")
    if key and key.promoted == drop.id and rank(sequencer) > rank(key.furthest):
        ports.ledger.write((), replace(key, furthest=sequencer))


@dataclass(frozen=True, slots=True)
class Granted:
    """A drop may be promoted; `notes` about other uploads go with its verdict."""

    notes: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer upload of the key has been accepted."""

    why: Problem


@dataclass(frozen=True, slots=True)
class Busy:
    """Another upload is being promoted: its end is open."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The contract allows no second upload of the key or content."""

    why: Problem


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict: the key is promoted into the contract's table, and the drop's older plan makes no rows."""

    why: Problem


def standing(ports: Ports, drop: Drop, plan: Plan, claims: Claims) -> Granted | Superseded | Busy | Refused | Conflict:
    """Return what other uploads of the key and of the content mean for a drop that passed its checks."""
    key = claims.key if claims.key and _other(claims.key.promoted, drop) else None  # consumers see another upload
    if key and key.promoting == key.promoted:
        return Busy()  # what they see is about to be taken back, or put there again
    if key and plan.same_key == "supersede":
        # They have seen a newer upload: the current one, or one before an upload without a sequencer.
        overtook = bool(drop.sequencer) and rank(key.furthest) > rank(drop.sequencer)
        if is_later(key, drop) or overtook:
            text = f"A newer upload of the key was accepted before this one was judged (drop {key.promoted})."
            return Superseded(Problem("superseded", text, "Nothing to do: consumers have the newer upload."))
    if any(_other(claim.promoting, drop) for claim in claims.each):
        return Busy()
    if key and plan.same_key == "reject":
        accepted = f"A file under this key has been accepted already (drop {key.promoted})"
        fix = "Upload the file under a key of its own; what was accepted stays as it is."
        return Refused(Problem(KEY_USED, f"{accepted}, and the contract takes one for each.", fix))
    if key and plan.promote != "table" and key.etag == "":
        older = f"Consumers have an older upload of the key in the contract's table (drop {key.promoted})"
        text = "this one was taken before the contract had one, as a file, which cannot take the place of rows."
        return Conflict(Problem("place-in-table", f"{older}; {text}", NOT_YOURS))
    if plan.same_content == "allow":
        return Granted()
    if not (drop.content or drop.sha256):
        return Granted((UNSURE,))
    content = claims.content
    twin = ports.ledger.drop(content.promoted or "") if content and _other(content.promoted, drop) else None
    if twin is None or twin.key == drop.key:  # no accepted drop with the same content under another key
        return Granted()
    text = f"The same file, byte for byte, has been accepted under the key {twin.name} (drop {twin.id})."
    fix = "If it was sent twice by mistake, do nothing; otherwise send the data that belongs under this key."
    used = Problem(CONTENT_USED, text, fix, "error" if plan.same_content == "reject" else "warning")
    return Refused(used) if plan.same_content == "reject" else Granted((used,))


def _other(holder: str | None, drop: Drop) -> bool:
    return holder not in (None, drop.id)
