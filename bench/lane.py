"""Small good files through the whole stack on this machine, judged by the fast lane: their seconds out.

Functions, adapters and policies are real, AWS is emulated in the same process, and Spark does not start.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from bench import plans
from bench.apart import answer, answers
from bench.files import Files
from bench.language import Figure
from bench.load import GOOD
from bench.measuring import timed
from infra.demo import inmet
from infra.local.embedded import Embedded

HOURS = 7_000
"""Rows of a file of 1 MiB."""
LATER = 5
"""Files after the first."""
BOUND = 2
"""Seconds from the upload to `accepted`."""
PATIENCE = 60


def lane(files: Files) -> list[Figure]:
    """Return the lines, from a process of its own: its functions start cold."""
    ((size, first, *later),) = answers("bench.lane", files.folder)
    what = f"a good CSV of {size / 2**20:.1f} MiB, from its upload to `accepted`"
    return [
        Figure(f"{what}: the first after the stack's start", (first,), BOUND),
        Figure(f"the same: each of {LATER} more", tuple(later), BOUND),
    ]


def seconds(folder: Path) -> list[float]:
    """Return the bytes of the file, and the seconds of each upload; raise AssertionError if one is not accepted."""
    inmet.write(folder / "lane.csv", 1, HOURS)
    body, ended = (folder / "lane.csv").read_bytes(), Event()
    plan = replace(plans.plain(plans.whole()), files=("lane/*.csv",))

    def listener(event: Mapping[str, Any]) -> None:
        if event["detail"]["data"]["state"] in GOOD:
            ended.set()

    with Embedded(window_seconds=10, schedule_seconds=60, retry_seconds=60, listener=listener, fast_lane=True) as stack:
        stack.publish([plan])

        def judged(number: int) -> None:
            ended.clear()
            stack.upload(f"lane/{number}.csv", body)
            assert ended.wait(PATIENCE), f"no verdict within {PATIENCE} s"

        took = [timed(partial(judged, number)) for number in range(1 + LATER)]
        assert stack.guard.denied == []
    return [len(body), *took]


if __name__ == "__main__":
    answer(seconds(Path(sys.argv[1])))
