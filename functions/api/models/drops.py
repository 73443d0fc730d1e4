"""Drops as the API shows them: the ledger's records and steps in, models out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

from contracts.problem import Problem
from functions.api.models.base import Model
from functions.drop import PROMOTED, Drop
from functions.ports.clock import moment_if_any
from functions.ports.drops import Step


class Rows(Model):
    """Records read, valid and rejected."""

    read: int
    valid: int
    rejected: int


class DropSummary(Model):
    """A drop in a list."""

    id: str
    state: str
    verdict: str | None
    contract: str | None
    producer: str | None
    key: str
    size: int
    attempt: int
    received_at: str
    changed_at: str
    decided_at: str | None
    rows: Rows | None
    trial: bool


class DropProblem(Model):
    """A fault of a drop, as its receipt has it: at most five, with short texts."""

    code: str
    message: str
    fix: str
    level: str
    place: str | None
    property: str | None
    check: str | None

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return a problem."""
        place = str(problem.place) if problem.place else None
        names = ("code", "message", "fix", "level", "property", "check")
        return cls(place=place, **{name: getattr(problem, name) for name in names})


class HistoryStep(Model):
    """One step of a drop's history; `seconds` until the next step, None for the last."""

    at: str
    attempt: int
    state: str
    event: str
    problem: str | None
    by: str | None
    because: str | None
    seconds: float | None


class DropDetail(DropSummary):
    """A drop with its history."""

    version_id: str
    uploaded_at: str
    parts: dict[str, str]
    problems: list[DropProblem]
    history: list[HistoryStep]
    promoted: str | None
    has_receipt: bool
    decided_by: str | None
    forgotten: bool


class DownloadLink(Model):
    """An address of a file, for so many seconds; it needs no token, so keep it to yourself."""

    url: str
    name: str
    seconds: int


class DropList(Model):
    """A page of drops, newest first; `next` is the cursor of the next page."""

    drops: list[DropSummary]
    next: str | None


def summary(drop: Drop) -> DropSummary:
    """Return a drop for a list."""
    return DropSummary(**_fields(drop))


def detail(drop: Drop, history: Sequence[Step]) -> DropDetail:
    """Return a drop with its history."""
    return DropDetail(
        **_fields(drop),
        version_id=drop.version_id,
        uploaded_at=drop.uploaded_at,
        parts=drop.parts,
        problems=[DropProblem.of(problem) for problem in drop.problems],
        history=steps(history),
        promoted=drop.promoted.key if drop.promoted and drop.state in PROMOTED else None,
        has_receipt=drop.receipt is not None,
        decided_by=drop.override.by if drop.override else None,
        forgotten=drop.forgotten is not None,
    )


def _fields(drop: Drop) -> dict[str, Any]:
    rows = drop.rows
    return {
        **{name: getattr(drop, name) for name in ("id", "state", "verdict", "contract", "producer", "size", "attempt")},
        **{name: getattr(drop, name) for name in ("received_at", "changed_at", "decided_at", "trial")},
        "key": drop.name,
        "rows": Rows(read=rows.read, valid=rows.valid, rejected=rows.rejected) if rows else None,
    }


def steps(history: Sequence[Step]) -> list[HistoryStep]:
    """Return the steps of a history, each with its duration."""
    ends = [after.at for _, after in pairwise(history)] + [None] * bool(history)
    return [
        HistoryStep(
            at=step.at,
            attempt=step.attempt,
            state=step.state,
            event=step.event,
            problem=step.problem,
            by=step.by,
            because=step.because,
            seconds=_seconds(step.at, end),
        )
        for step, end in zip(history, ends, strict=True)
    ]


def _seconds(begin: str, end: str | None) -> float | None:
    first, last = moment_if_any(begin), moment_if_any(end) if end else None
    return round((last - first).total_seconds(), 3) if first and last else None
