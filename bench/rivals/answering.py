"""The protocol with a rival's process: one path per line of standard input, one line of JSON out for each.

The first line out has the rival's name and the checks that it cannot express. Checks come in a file of JSON: `id`,
`kind`, `property`, `arguments` as in the plan, and `percent`, the most that may fail where the contract allows some.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Wanted:
    """One check of the contract."""

    id: str
    kind: str
    property: str | None
    arguments: dict[str, Any]
    percent: str | None


Counts = dict[str, int]
"""Failing rows by check; two checks that the rival holds as one rule have both ids, joined by `+`."""


def wanted(path: str) -> list[Wanted]:
    """The checks of the contract, from their file."""
    return [Wanted(**one) for one in json.loads(Path(path).read_text(encoding="utf-8"))]


def serve(name: str, cannot: dict[str, str], judge: Callable[[str], Counts]) -> None:
    """Judge file after file until the input ends; `cannot` has the reason for each check that is left out."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    _tell(answers, {"name": name, "cannot": cannot})
    for line in sys.stdin:
        began = time.perf_counter()
        counts = judge(line.strip())
        _tell(answers, {"seconds": time.perf_counter() - began, "found": counts})


def _tell(answers: Any, document: dict[str, Any]) -> None:
    print(json.dumps(document), file=answers, flush=True)
