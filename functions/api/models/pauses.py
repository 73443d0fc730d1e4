"""Pauses as the API shows them: the ledger's values in, models out."""

from __future__ import annotations

from typing import Self

from functions.api.models.base import Model
from functions.ports.batches import Pause


class PauseItem(Model):
    """A pause of a contract or a producer: by whom, since when and why."""

    kind: str
    name: str
    at: str
    reason: str
    by: str

    @classmethod
    def of(cls, pause: Pause) -> Self:
        """Return a pause."""
        return cls(kind=pause.kind, name=pause.name, at=pause.at, reason=pause.reason, by=pause.by)


class PauseList(Model):
    """All pauses."""

    pauses: list[PauseItem]
