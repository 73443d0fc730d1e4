"""Quality entries of our own engine: what stands under `implementation` in, what the check means out.

ODCS leaves no room for an operator beside a `custom` entry, so that it stands within, with the metric:
`implementation: {metric: mean, mustBeLessThan: 10}`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from contracts.authoring import figures
from contracts.authoring.document import Document
from contracts.authoring.finding import Path
from contracts.plan import FIGURES, Property, Threshold
from contracts.problem import nearest

ENGINE = "dropgate"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an entry checks; without a threshold it says of each record whether it fails."""

    kind: str
    dimension: str
    expected: str
    threshold: Threshold | None
    arguments: dict[str, Any] = field(default_factory=dict)


Reader = Callable[[Document, Path, dict[str, Any], Property], Meaning | None]
"""An implementation and where it stands, read for a property; None where a finding says why not."""


def _figure(document: Document, path: Path, found: dict[str, Any], prop: Property) -> Meaning | None:
    limited = figures.read(document, path, found, prop)
    if limited is None:
        return None
    kind, (threshold, limits) = found["metric"], limited
    return Meaning(kind, "accuracy", figures.words(kind, threshold, limits), threshold, {"limits": limits})


METRICS: dict[str, Reader] = dict.fromkeys(FIGURES, _figure)
"""The metrics of our own, each with what reads it."""


def read(document: Document, path: Path, entry: dict[str, Any], prop: Property | None) -> Meaning | None:
    """What a custom entry means; None, and a finding, where it cannot be checked."""
    at, found = (*path, "implementation"), entry["implementation"]
    known = f"one of {', '.join(METRICS)}"
    if entry["engine"] != ENGINE:
        message = f"Checks of the engine `{entry['engine']}` are not built yet."
        document.error((*path, "engine"), "not-built-yet", message, f"Write `engine: {ENGINE}`, or use a `metric:`.")
        return None
    if not isinstance(found, dict):
        document.wrong_type(at, "a mapping with a `metric` and an operator")
        return None
    metric = found.get("metric")
    if metric is None:
        document.error(at, "missing-key", "The implementation names no `metric`.", f"Add `metric:` with {known}.")
        return None
    if not isinstance(metric, str) or metric not in METRICS:
        close = nearest(str(metric), METRICS)
        fix = f"Write `{close}`." if close else f"Write {known}."
        document.error((*at, "metric"), "unknown-value", f"`{metric!s:.60}` is no metric of {ENGINE}.", fix)
        return None
    if prop is None:
        fix = "Write it under `quality` of the property."
        document.error((*at, "metric"), "wrong-place", f"`{metric}` is about one property.", fix)
        return None
    return METRICS[metric](document, at, found, prop)
