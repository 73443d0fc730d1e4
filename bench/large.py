"""One large file through the whole stack on this machine: seconds, memory and the functions' time out.

Functions, adapters, job and policies are real, AWS is emulated in the same process, with all objects in files.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

from boto3.s3.transfer import TransferConfig

from bench import plans
from bench.apart import answer, answers, mib
from bench.files import Files
from bench.limits import TIMES
from bench.load import GOOD
from bench.measuring import timed
from infra.local.embedded import Embedded

HEAP = "2g"
PRODUCER = TransferConfig(max_concurrency=2, multipart_chunksize=64 << 20)
"""Parts of an upload, within S3's 10,000."""
ENDS = (*GOOD, "rejected", "failed")
PATIENCE = 3_600
LOOKS = 0.1
"""Seconds between two looks at the memory."""
OWN = "RssAnon"
"""The memory of a process that no file holds (proc(5), `status`)."""


@dataclass(frozen=True, slots=True)
class LargeFile:
    """A line of the table: the seconds of a file, the function that came closest to its timeout, and memory in MiB.

    `mib` is the most that this process had of its own, without files that it maps, and `before` that at the start.
    """

    what: str
    seconds: float
    function: str
    longest: float
    timeout: int
    before: int
    mib: int

    def __str__(self) -> str:
        share = f"{self.function}: {self.longest:,.1f} of {self.timeout} s"
        return f"| {self.what} | {self.seconds:,.0f} s | {share} | {self.before:,} MiB | {self.mib:,} MiB |"


def large(files: Files) -> list[LargeFile]:
    """Return the line, from a process of its own."""
    return [LargeFile(**line) for line in answers("bench.large", files.times(TIMES))]


def flow(file: Path) -> LargeFile:
    """Upload a file in parts and wait for its end; raise AssertionError unless it is accepted."""
    plan = replace(plans.plain(plans.whole()), files=("large/*.csv",))
    states, ended = list[str](), Event()

    def listener(event: Mapping[str, Any]) -> None:
        states.append(event["detail"]["data"]["state"])
        if states[-1] in ENDS:
            ended.set()

    with Embedded(window_seconds=10, schedule_seconds=60, retry_seconds=60, listener=listener, memory=HEAP) as stack:
        stack.publish([plan])
        stack.spark()
        before = mib(OWN)

        def sent() -> None:
            client = stack.client("s3")
            client.upload_file(str(file), stack.stack.names["LandingBucket"], "large/1.csv", Config=PRODUCER)
            stack.pump.wake()
            assert ended.wait(PATIENCE), f"no verdict within {PATIENCE} s"

        with _watched() as seen:
            took = timed(sent)
        assert states[-1] in GOOD, states
        assert stack.guard.denied == []
        functions = stack.stack.functions
        longest = stack.pump.invoke.longest
        name = max(longest, key=lambda one: longest[one] / functions[one].timeout_seconds)
        what = f"a CSV of {file.stat().st_size / 2**30:.1f} GiB, from its upload to `accepted`"
        return LargeFile(what, took, name, longest[name], functions[name].timeout_seconds, before, max(seen))


@contextmanager
def _watched() -> Iterator[list[int]]:
    """Yield the memory of this process, which is looked at meanwhile."""
    seen, over = [mib(OWN)], Event()

    def watch() -> None:
        while not over.is_set():
            seen.append(mib(OWN))
            time.sleep(LOOKS)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


if __name__ == "__main__":
    answer(asdict(flow(Path(sys.argv[1]))))
