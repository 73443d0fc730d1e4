"""An unpublished contract, tried on past drops: their former verdicts next to the new ones.

Nothing is written anywhere: the bytes are read from where they are kept, and judged at home.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from contracts.decision import Decision
from contracts.errors import ObjectGone, ObjectReplaced, ObjectUnreadable
from contracts.plan import Plan
from contracts.problem import visible
from contracts.terms.file_sets import Totals
from functions import keys
from functions.admission.arrival_window import uploaded
from functions.drop import Drop, Location
from functions.ports import Ports
from functions.ports.ledger import Ledger
from infra.offline.judge import Upload, judge_all
from infra.offline.reference_files import AtHome, of_a_stack

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MONTHS = 13
"""The number of months of arrival that are searched, newest first."""
CHUNK = 64 * 1024**2
"""Bytes that are read at a time."""
JUDGED = ("accepted", "accepted_with_warnings", "rejected")
Change = Literal["same", "better", "worse", "failed", "gone"]


@dataclass(frozen=True, slots=True)
class Tried:
    """A drop and its new decision; None if its bytes are no longer kept."""

    drop: Drop
    decision: Decision | None

    @property
    def change(self) -> Change:
        """Return how the new verdict compares with the old one."""
        if self.decision is None:
            return "gone"
        if self.decision.verdict is None:
            return "failed"
        then, now = JUDGED.index(self.drop.verdict or "rejected"), JUDGED.index(self.decision.verdict)
        return "same" if now == then else "better" if now < then else "worse"


def last_drops(ledger: Ledger, contract: str, most: int, now: datetime) -> tuple[Drop, ...]:
    """Return the newest accepted or rejected drops of a contract, newest first."""
    newest: list[Drop] = []
    for back in range(MONTHS):
        if len(newest) >= most:
            break
        year, month = divmod(now.year * 12 + now.month - 1 - back, 12)
        when = f"{year:04}-{month + 1:02}"
        drops = [d for state in JUDGED for d in ledger.of_month(contract, when, most, {"state": state})]
        newest += sorted(drops, key=lambda d: d.received_at, reverse=True)
    return tuple(newest[:most])


def try_on(
    ports: Ports,
    plan: Plan,
    drops: Sequence[Drop],
    session: Callable[[], SparkSession],
    tell: Callable[[str], None],
    home: AtHome | None = None,
) -> list[Tried]:
    """Judge the drops under a plan, in one job; `tell` receives the progress of the reading.

    `home` has the places of the plan's reference files.
    """
    with tempfile.TemporaryDirectory(prefix="dropgate-") as folder:
        files: dict[str, Path] = {}
        for number, drop in enumerate(drops):
            tell(f"Reading {number + 1} of {len(drops)}: {visible(drop.name, 200)} ({drop.size:,} bytes) ...")
            path = Path(folder) / str(number)  # a producer's name could be any
            if _fetch(ports, drop, path):
                files[drop.id] = path
        there = [d for d in drops if d.id in files]
        references = of_a_stack(ports, plan, home or AtHome(), Path(folder) / "references", tell)
        uploads = [Upload(files[d.id], d.name, uploaded(d), totals=totals(plan, d)) for d in there]
        judged = judge_all(uploads, plan, session, tell, references=references)
        decisions = {d.id: one.decision for d, one in zip(there, judged, strict=True)}
    return [Tried(drop, decisions.get(drop.id)) for drop in drops]


def totals(plan: Plan, drop: Drop) -> Totals | None:
    """Return the totals of a drop's manifest, if the plan has manifests and sums what they state."""
    if drop.totals is None or plan.set is None or plan.set.manifest is None:
        return None
    return replace(drop.totals, sums={name: one for name, one in drop.totals.sums.items() if name in plan.summed})


def _fetch(ports: Ports, drop: Drop, path: Path) -> bool:
    """Copy a drop's bytes from the first place that still has them."""
    for place in _places(ports, drop):
        try:
            with path.open("wb") as opened:
                while opened.tell() < drop.size and (part := ports.store.read(place, opened.tell(), CHUNK)):
                    opened.write(part)
        except (ObjectGone, ObjectReplaced, ObjectUnreadable):
            continue
        if path.stat().st_size >= drop.size:  # else it is shorter than the ledger says
            return True
    return False


def _places(ports: Ports, drop: Drop) -> Iterator[Location]:
    if not drop.source.uri.startswith(ports.zones.landing):  # what could not be taken out of it cannot be read, either
        yield drop.source
    if drop.promoted and not drop.promoted.rows:  # rows are not the whole file
        promoted = Location(f"{ports.zones.promoted}{drop.promoted.key}")
        head = ports.store.head(promoted)
        if head and head.drop == drop.id:  # no later upload lies there
            yield Location(promoted.uri, etag=head.etag)
    yield Location(keys.held_uri(ports.zones, drop.id))
