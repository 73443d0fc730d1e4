"""Expected files in the ledger: sets of files that wait for each other, and files that have not come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files of one contract that continue together, because their keys have the same values of the named parts.

    `plan` is the plan whose rule holds. The set must be complete at `due_at`; `lacks` names the parts that were missing
    then. `signal` is the drop of its marker or manifest, with its place among uploads, `manifest` the URI of the
    manifest's bytes, `beside` its key below landing, `files` the number of files that it names. The schedule checks the
    set at `look_at`; None: there is nothing left to do.
    """

    id: str
    contract: str
    plan: str
    parts: dict[str, str]
    opened_at: str
    due_at: str
    look_at: str | None
    state: Literal["open", "complete", "incomplete"] = "open"
    decided_at: str | None = None
    lacks: str | None = None
    signal: str | None = None
    sequencer: str = ""
    uploaded_at: str = ""
    manifest: str | None = None
    beside: str = ""
    files: int = 0
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Absence:
    """Files of a contract that had not come by the end of their window on a local day: `came` of `files` had.

    `due_at` is the end of the window; from `over_at` on, with the next day, later files no longer end the absence.
    `arrived`: all of them came later on that day.
    """

    contract: str
    day: str
    files: int
    came: int
    due_at: str
    over_at: str
    changed_at: str
    state: Literal["missing", "arrived"] = "missing"
    version: int = 0
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class AbsenceStep:
    """One item of the history of an absence, numbered by `version`; former versions wrote no figures."""

    contract: str
    day: str
    state: Literal["missing", "arrived"]
    at: str
    version: int
    files: int | None = None
    came: int | None = None
    due_at: str | None = None


@dataclass(frozen=True, slots=True)
class RollCall:
    """The progress of the search for missing files (moment and contract), and the absences that may still end."""

    until: str = ""
    missing: tuple[Absence, ...] = ()
    version: int = 0
    format: Literal[1] = 1


class FileSets(Protocol):
    """Sets of files and the drops that wait for them: called by `flow.file_sets`."""

    def file_set(self, set_id: str) -> FileSet | None:
        """Return a set of files as it is now."""
        ...

    def gathering(self, set_id: str) -> Mapping[str, str]:
        """Return the keys below landing of the drops that wait for a set, by their ids; read consistently."""
        ...


class Absences(Protocol):
    """Files that have not come: called by `schedule.missing_files`, read by the command line."""

    def roll_call(self) -> RollCall:
        """Return the roll call; a new one has version 0."""
        ...

    def absences(self, contract: str, month: str) -> tuple[Absence, ...]:
        """Return the absences of a contract in a month YYYY-MM, the first day first."""
        ...
