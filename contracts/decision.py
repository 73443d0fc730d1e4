"""Decisions: a verdict and its reasons, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from contracts import codec
from contracts.job import Sample
from contracts.problem import Problem
from contracts.terms.history import Figure
from contracts.watermarks import HighMark

EXCUSED = ("allowed-missing", "no-rows", "for-people", "other-engine", "too-little-history")
"""Reasons for which a check that was not made does not count against the file.

The column may be missing, there was no row, people or another engine must check it, or there are too few earlier files.
"""

VerdictName = Literal["accepted", "accepted_with_warnings", "rejected"]
Result = Literal["passed", "warning", "failed", "error", "not_evaluated"]


@dataclass(frozen=True, slots=True)
class Rows:
    """The numbers of records that were read, valid and rejected; None if they could not be counted."""

    read: int | None = None
    valid: int | None = None
    rejected: int | None = None


@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """The earlier files of a check in words, what their figures come to, and the limits of its own figure by that."""

    of: str
    middle: str
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of the decision: the rule, its counts and its result; figures are None if none were taken.

    `lacks` says how many earlier files there are of those that it needs; `history` is what it was held against.
    """

    id: str
    kind: str
    property: str | None
    dimension: str
    severity: str
    result: Result
    evaluated: int | None
    success: int | None
    failed: int | None
    null: int | None
    observed: str | None
    expected: str
    reason: str | None = None
    samples: tuple[Sample, ...] = ()
    against: str | None = field(default=None, metadata=codec.SPARSE)
    history: HeldAgainst | None = field(default=None, metadata=codec.SPARSE)
    lacks: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a drop, with its reasons. `verdict` None means failed, and `failure` gives the cause.

    `figures` are those that later files are held against, by check. `errors` are those of its set checks: 0 of one that
    holds, else the rows that it finds, or 1. `evidence` is the folder of the failing rows of its run, which began at
    `begun_at`; all are empty if it comes from the ledger, which does not keep them.
    """

    verdict: VerdictName | None
    rows: Rows
    checks: tuple[CheckResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    failure: Problem | None = None
    marks: tuple[HighMark, ...] = ()
    figures: Mapping[str, Figure] = field(default_factory=dict, metadata=codec.SPARSE)
    errors: Mapping[str, int] = field(default_factory=dict, metadata=codec.SPARSE)
    evidence: str | None = field(default=None, metadata=codec.SPARSE)
    begun_at: str | None = field(default=None, metadata=codec.SPARSE)


@dataclass(frozen=True, slots=True)
class File:
    """The file of a verdict; `sha256` is hexadecimal, None if unknown."""

    name: str
    size: int
    sha256: str | None = None
