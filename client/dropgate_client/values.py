"""The values that the client returns: JSON of the API in, frozen dataclasses out. Pure.

Fields that a newer API adds are kept in `document` and ignored elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

IN_FLIGHT = ("received", "gathering", "staged", "validating", "promoting", "rejecting")
"""The states of a drop that is not settled."""
EXIT = {"accepted": 0, "accepted_with_warnings": 0, "rejected": 1}
"""The exit code of each verdict, as of `dropgate test`."""
OF_STATE = {"unmatched": 1, "superseded": 0, "noted": 0, "tried": 1}
"""The exit code of the settled states that have no verdict; others are failures."""


@dataclass(frozen=True)
class Problem:
    """A fault of a file, with its fix; `place` is where it is in the file, None for the file as a whole."""

    code: str
    message: str
    fix: str
    level: str = "error"
    place: str | None = None
    property: str | None = None
    check: str | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Problem:
        """Return a problem of a drop or of an announced upload."""
        optional = {name: document.get(name) for name in ("place", "property", "check")}
        level = document.get("level", "error")
        return cls(document["code"], document["message"], document["fix"], level, **optional)


@dataclass(frozen=True)
class Rows:
    """Records read, valid and rejected."""

    read: int
    valid: int
    rejected: int


@dataclass(frozen=True)
class Drop:
    """A file that was sent, and where it stands; `document` is the whole answer of the API."""

    id: str
    state: str
    verdict: str | None
    key: str
    contract: str | None
    size: int
    received_at: str
    rows: Rows | None
    problems: tuple[Problem, ...] = ()
    has_receipt: bool = False
    document: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_settled(self) -> bool:
        """Return True if nothing more happens to the drop unless a person decides; a failed one gets a receipt yet."""
        document = self.document
        owed = self.state == "failed" and not (
            self.has_receipt or document.get("forgotten") or document.get("producer") is None
        )
        return self.state not in IN_FLIGHT and not owed

    @property
    def exit_code(self) -> int:
        """Return 0 if consumers have a good file, 1 if the file is rejected, 3 if dropgate failed."""
        return EXIT.get(self.verdict or "", OF_STATE.get(self.state, 3))

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Drop:
        """Return a drop of a list, or one with its history."""
        rows = document.get("rows")
        return cls(
            **{name: document[name] for name in ("id", "state", "verdict", "key", "contract", "size", "received_at")},
            rows=Rows(rows["read"], rows["valid"], rows["rejected"]) if rows else None,
            problems=tuple(map(Problem.of, document.get("problems", ()))),
            has_receipt=bool(document.get("has_receipt")),
            document=document,
        )


@dataclass(frozen=True)
class Claim:
    """The contract that claims a key, how far the file was checked (`name`, `head`, `file`), and its warnings."""

    key: str
    contract: str
    version: str
    checked: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A file that would be rejected, or that no contract claims; nothing was sent."""

    key: str
    size: int
    problems: tuple[Problem, ...]

    @property
    def is_unmatched(self) -> bool:
        """Return True if no contract, or more than one, claims the key."""
        return any(problem.code in ("unmatched", "ambiguous") for problem in self.problems)


@dataclass(frozen=True)
class Sent:
    """A file that S3 has; `drop` is the id of its drop."""

    key: str
    size: int
    sha256: str
    drop: str
    claim: Claim


@dataclass(frozen=True)
class Finding:
    """A finding of lint, its place in the text, and its fix."""

    file: str
    line: int
    column: int
    level: str
    code: str
    message: str
    fix: str

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Finding:
        """Return a finding of the API's answer."""
        return cls(**{name: document[name] for name in cls.__dataclass_fields__})
