"""Missing files as the API shows them: the ledger's absences in, models out."""

from __future__ import annotations

from typing import Self

from functions.api.models.base import Model
from functions.ports.expected_files import Absence


class MissingFiles(Model):
    """Files of a contract that had not come by the end of their window on a day: `came` of `files` had."""

    contract: str
    day: str
    files: int
    came: int
    due_at: str
    state: str

    @classmethod
    def of(cls, absence: Absence) -> Self:
        """Return an absence."""
        return cls(**{name: getattr(absence, name) for name in cls.model_fields})


class MissingList(Model):
    """The missing files of a month, newest first."""

    missing: list[MissingFiles]
