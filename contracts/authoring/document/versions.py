"""Semantic versions of contracts: a version and the changes in, the version that it must have out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from contracts.authoring.document.metadata import VERSION

Step = Literal["major", "minor", "patch"]
"""The number of a semantic version that a change has to raise."""

STEPS: tuple[Step, ...] = ("major", "minor", "patch")


def numbers(version: str) -> tuple[int, int, int]:
    """Return the three numbers of a valid version; missing numbers are 0."""
    match = VERSION.fullmatch(version)
    assert match, version
    parts = [int(n) for n in version.removeprefix("v").partition("-")[0].partition("+")[0].split(".")]
    major, minor, patch = [*parts, 0, 0][:3]
    return major, minor, patch


def order(version: str) -> tuple[Any, ...]:
    """Return the sort key of a version (semver.org, section 11): a pre-release sorts before its release."""
    early = version.partition("+")[0].partition("-")[2]
    parts = (
        tuple((0, int(p), "") if p.isascii() and p.isdigit() else (1, 0, p) for p in early.split(".")) if early else ()
    )
    return (*numbers(version), not early, parts)


def plain(version: str) -> str:
    """Return the normal form of a version: three numbers and its pre-release; `v1` and `1.0+x` are 1.0.0."""
    early = version.partition("+")[0].partition("-")[2]
    return ".".join(map(str, numbers(version))) + (f"-{early}" if early else "")


def wanted(steps: Iterable[Step]) -> Step | None:
    """Return the number that several changes must raise together; None if there are no changes."""
    raised = set(steps)
    return next((step for step in STEPS if step in raised), None)


def after(version: str, step: Step) -> str:
    """Return the first version after `version` that raises the number `step`."""
    major, minor, patch = numbers(version)
    if step == "major":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if step == "minor" else f"{major}.{minor}.{patch + 1}"


def is_raised_by(before: str, now: str, step: Step) -> bool:
    """Return True if version `now` is above `before` and raises at least the number `step`."""
    depth = STEPS.index(step) + 1
    return order(now) > order(before) and (step == "patch" or numbers(now)[:depth] > numbers(before)[:depth])
