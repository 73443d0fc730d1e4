"""The history of a contract's checks: decided drops in, the results of each check in their last attempts out.

They come from the table of results, of which each decided attempt has one object.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from contracts.errors import ObjectGone
from functions import keys
from functions.drop import Drop


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A check in one attempt of a drop: `evaluated` and `failed` are None for a check that counts no records."""

    check: str
    severity: str
    drop: str
    key: str
    received_at: str
    result: str
    evaluated: int | None
    failed: int | None

    @property
    def failing_share(self) -> float | None:
        """The share of the evaluated records that failed it."""
        return self.failed / self.evaluated if self.evaluated and self.failed is not None else None


class ResultStore(Protocol):
    """The part of the store that has results."""

    def get(self, uri: str) -> bytes:
        """Return an object; ObjectGone if there is none."""
        ...


def check_history(store: ResultStore, results: str, drops: Iterable[Drop]) -> dict[str, list[CheckRun]]:
    """Return the runs of each check in the last attempts of drops, in the order of the drops; erased ones have none."""
    runs: dict[str, list[CheckRun]] = {}
    for drop in drops:
        for line in _lines(
            store, keys.attempt_results_uri(results, drop.contract, drop.received_at, drop.id, drop.attempt)
        ):
            if line["check_id"] and line["result"]:
                runs.setdefault(line["check_id"], []).append(_run(line, drop))
    return runs


def _lines(store: ResultStore, uri: str) -> Iterator[dict[str, Any]]:
    try:
        text = gzip.decompress(store.get(uri)).decode("utf-8")
    except ObjectGone:
        return
    yield from map(json.loads, text.splitlines())


def _run(line: dict[str, Any], drop: Drop) -> CheckRun:
    return CheckRun(
        check=line["check_id"],
        severity=line["severity"],
        drop=drop.id,
        key=drop.name,
        received_at=drop.received_at,
        result=line["result"],
        evaluated=line["evaluated"],
        failed=line["failed"],
    )
