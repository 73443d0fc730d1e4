"""The folder that a demo leaves on disk after its stack: objects as files, the ledger as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contracts import codec
from functions.drop import Drop
from functions.ports.batches import Batch
from functions.ports.drops import Step
from functions.ports.expected_files import Absence, FileSet
from functions.ports.ledger import Ledger
from functions.ports.promises import PromisePeriod, Standing
from infra import files

LEDGER = "ledger.json"


class Archive:
    """The drops of a saved ledger; the part of the Ledger port that reads."""

    def __init__(self, folder: Path) -> None:
        saved = json.loads((folder / LEDGER).read_text(encoding="utf-8"))
        self.saved_at = str(saved["saved_at"])
        self._folder = folder
        self._zones: dict[str, str] = saved["zones"]
        drops = [codec.decode(Drop, one["drop"], LEDGER) for one in saved["drops"]]
        self._drops = {drop.id: drop for drop in drops}
        self._history = {
            one["drop"]["id"]: tuple(codec.decode(Step, step, LEDGER) for step in one["history"])
            for one in saved["drops"]
        }
        batches = [codec.decode(Batch, one, LEDGER) for one in saved.get("batches", ())]
        self._batches = {batch.id: batch for batch in batches}
        sets = [codec.decode(FileSet, one, LEDGER) for one in saved.get("sets", ())]
        self._sets = {one.id: one for one in sets}
        self._absences = [codec.decode(Absence, one, LEDGER) for one in saved.get("absences", ())]
        standings = [codec.decode(Standing, one, LEDGER) for one in saved.get("promises", ())]
        self._standings = {one.contract: one for one in standings}
        self._periods = [codec.decode(PromisePeriod, one, LEDGER) for one in saved.get("periods", ())]

    @property
    def landing(self) -> str:
        """Return the URI of landing; empty if there never was a drop."""
        drop = next(iter(self._drops.values()), None)
        return f"s3://{drop.bucket}/{drop.key.removesuffix(drop.name)}" if drop else ""

    @property
    def promoted(self) -> str:
        """Return the URI of the promoted zone."""
        return self._zones["promoted"]

    @property
    def results(self) -> str:
        """Return the URI of the table of results; empty in a folder of a version without it."""
        return self._zones.get("results", "")

    def located(self, uri: str) -> str:
        """Return where an object of the stack is now: a kept file, or a note that it is gone."""
        return str(self._kept(uri) or "(gone with the demo's stack)")

    def read(self, uri: str) -> bytes | None:
        """The bytes of an object that was kept."""
        path = self._kept(uri)
        return path.read_bytes() if path else None

    def _kept(self, uri: str) -> Path | None:
        for zone, home in self._zones.items():
            path = self._folder / zone / uri.removeprefix(home)
            if uri.startswith(home) and path.is_file():
                return path
        return None

    def drop(self, drop_id: str) -> Drop | None:
        """Return a drop in its last state."""
        return self._drops.get(drop_id)

    def history(self, drop_id: str) -> tuple[Step, ...]:
        """Return all steps of a drop, oldest first."""
        return self._history.get(drop_id, ())

    def batch(self, batch_id: str) -> Batch | None:
        """Return a batch in its last state."""
        return self._batches.get(batch_id)

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Return the ids that start so."""
        return tuple(i for i in self._drops if i.startswith(prefix))

    def of_month(
        self,
        contract: str | None,
        month: str,
        most: int = 1000,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> tuple[Drop, ...]:
        """The drops that a contract received in a month, the newest first; only those with these values, if given."""
        every = [d for d in self._drops.values() if d.trial is trial]
        drops = [d for d in every if d.contract == contract and d.received_at.startswith(month)]
        drops = [d for d in drops if all(getattr(d, name) == value for name, value in (only or {}).items())]
        return tuple(sorted(drops, key=lambda d: d.received_at, reverse=True)[:most])

    def file_set(self, set_id: str) -> FileSet | None:
        """Return a set of files in its last state."""
        return self._sets.get(set_id)

    def absences(self, contract: str, month: str) -> tuple[Absence, ...]:
        """Return the absences of a contract in a month."""
        return tuple(a for a in self._absences if a.contract == contract and a.day.startswith(month))

    def standing(self, contract: str) -> Standing | None:
        """Return how the promises of a contract stood."""
        return self._standings.get(contract)

    def periods(self, contract: str, promise: str, most: int) -> tuple[PromisePeriod, ...]:
        """Return the results of the last periods of a promise, the newest first."""
        return tuple(p for p in self._periods if (p.contract, p.promise) == (contract, promise))[:most]

    def contracts(self) -> tuple[str, ...]:
        """The contracts that have drops here."""
        having = [d.contract for d in self._drops.values() if d.contract]
        return tuple(sorted({*having, *(a.contract for a in self._absences), *self._standings}))


def save(
    folder: Path,
    ledger: Ledger,
    drops: Sequence[str],
    objects: Mapping[str, bytes],
    zones: Mapping[str, str],
    at: str,
) -> None:
    """Write drops with history and batches, and objects by zone and key; `zones` are the URIs that they had."""
    for name, body in objects.items():
        files.write(folder, name, body)
    records = ledger.drops(drops)
    saved: list[dict[str, Any]] = [
        {"drop": codec.encode(drop), "history": codec.encode(ledger.history(drop.id))} for drop in records
    ]
    batches = [codec.encode(ledger.batch(batch)) for batch in sorted({drop.batch for drop in records if drop.batch})]
    contracts = sorted({drop.contract for drop in records if drop.contract})
    absences = [codec.encode(a) for c in contracts for a in ledger.absences(c, at[:7])]
    sets = [codec.encode(ledger.file_set(one)) for one in sorted({drop.file_set for drop in records if drop.file_set})]
    standings = [standing for contract in contracts if (standing := ledger.standing(contract))]
    periods = [p for one in standings for held in one.promises for p in ledger.periods(one.contract, held.name, 30)]
    whole = {"format": 1, "saved_at": at, "zones": zones, "drops": saved, "batches": batches, "absences": absences} | {
        "sets": sets,
        "promises": codec.encode(standings),
        "periods": codec.encode(periods),
    }
    files.write(folder, LEDGER, json.dumps(whole, indent=1))
