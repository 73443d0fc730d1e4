"""Many drops at once through the whole stack on this machine; and the calls of a drop with a long ledger.

Functions, adapters, job and policies are real, AWS is emulated in the same process. So the speed is that of two cores
for both, and the calls of a drop are those on AWS.
"""

from __future__ import annotations

import statistics
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from bench import plans
from bench.apart import answer, answers, mib
from bench.files import HOURS, Files
from bench.measuring import say, timed
from contracts.plan import Plan
from functions import keys
from functions.aws import items
from functions.aws.clients import Clients, ports_from
from functions.drop import Drop
from functions.ports import Ports
from functions.ports.clock import months
from infra.demo import inmet
from infra.local.embedded import REGION, Embedded, session
from infra.local.loopback import ACCOUNT
from infra.local.moto_patches.indexes import forget

SMALL, LARGE, FEW, ALONE = 10_000, 100, 100, 5
"""Drops that come at once; and one after the other."""
FEW_SMALL = f"{FEW} drops of 100 rows"
STATIONS_OF_SMALL, STATIONS_OF_LARGE = 12, 16
"""What makes a thousand files of 100 rows, and one of 20 MiB."""
LONG_LEDGER = 100_000
OUTSIDE = 5
"""Seconds that one small drop may take outside the window."""
GOOD = ("accepted", "accepted_with_warnings")
WINDOW_SECONDS = 10
PRODUCERS = 4
MINUTE, MOST_MINUTES = 60, 90
SCHEDULE = "ScheduleFunction"
"""The function whose calls do not depend on drops (`functions.costs.calls`); they are not counted."""
LONG_AGO = "2020-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Haul:
    """A line of the table: drops that came at once, until all were accepted.

    `ledger` is the number of drops before, `waits` the seconds of each from its event to its end, `calls` the calls of
    functions to AWS for all of them, without the schedule, `mib` the peak memory of this process, with the emulated AWS
    and its objects.
    """

    what: str
    ledger: int
    seconds: float
    waits: Sequence[float]
    calls: int
    mib: int

    def __str__(self) -> str:
        drops = len(self.waits)
        waited = f"{statistics.median(self.waits):,.1f} s | {max(self.waits):,.1f} s"
        return (
            f"| {self.what} | {self.ledger:,} | {self.seconds:,.0f} s | {drops / self.seconds:,.1f} | {waited} "
            f"| {self.calls / drops:.1f} | {self.mib:,} MiB |"
        )


@dataclass
class Load:
    """A stack with one contract in force; `events` are its events so far."""

    embedded: Embedded
    plan: Plan
    ports: Ports
    events: Sequence[Mapping[str, Any]]
    settled: int = 0

    def haul(self, what: str, files: Sequence[Path], drops: int) -> Haul:
        """Upload files again and again until there are so many drops, and wait for their ends."""
        ledger, since = self.settled, self.ports.at()
        folder = f"load/{ledger}-{drops}/"
        bodies = islice(cycle(file.read_bytes() for file in files), drops)
        self.embedded.cloud.requests.clear()
        took = timed(lambda: self._send(folder, bodies))
        drops_of = (d for month in months(since, self.ports.at()) for d in self._ledger_drops(month))
        ended = [d for d in drops_of if d.name.startswith(folder)]
        assert len(ended) == drops
        assert all(d.state in GOOD for d in ended), next(d.problems for d in ended if d.state not in GOOD)
        self.settled += drops
        functions = self.embedded.stack.functions.keys() - {SCHEDULE}
        asked = sum(r.caller in functions for r in list(self.embedded.cloud.requests))
        return Haul(what, ledger, took, tuple(map(_waited, ended)), asked + len({d.batch for d in ended}), mib("VmHWM"))

    def alone(self, what: str, file: Path) -> Haul:
        """Upload one file after another, each after the former has ended."""
        each = [self.haul(what, [file], 1) for _ in range(ALONE)]
        waits = tuple(wait for one in each for wait in one.waits)
        return Haul(what, each[0].ledger, sum(o.seconds for o in each), waits, sum(o.calls for o in each), mib("VmHWM"))

    def fill(self, drops: int) -> None:
        """Write so many settled old drops into the ledger, through its emulator, as calls would take hours."""
        table = dynamodb_backends[ACCOUNT][REGION].get_table(self.embedded.stack.names["LedgerTable"])
        like = next(self._ledger_drops(self.ports.at()[:7]))
        for n in range(self.settled, drops):
            name = f"filled/{n}.csv"
            one = replace(like, id=keys.digest(str(n)), key=name, name=name, received_at=LONG_AGO, changed_at=LONG_AGO)
            attributes = items.dumps(items.drop_item(one))
            at = DynamoType(attributes["pk"]), DynamoType(attributes["sk"])
            table.items[at[0]][at[1]] = Item(*at, attributes)
        forget(table)
        self.settled = drops

    def _ledger_drops(self, month: str) -> Iterator[Drop]:
        return (d for d in self.ports.ledger.each(self.plan.contract, month) if isinstance(d, Drop))

    def _send(self, folder: str, bodies: Iterable[bytes]) -> None:
        with ThreadPoolExecutor(PRODUCERS) as pool:
            sent = [pool.submit(self.embedded.upload, f"{folder}{n}.csv", body) for n, body in enumerate(bodies)]
            while left := wait(sent, timeout=MINUTE).not_done:
                say(f"    {len(left):,} files left to upload, {self._ended():,} drops so far came to their end")
        for one in sent:
            one.result()
        for _ in range(MOST_MINUTES):
            if self.embedded.settle(MINUTE):
                return
            say(f"    {self._ended():,} drops so far came to their end")
        raise TimeoutError

    def _ended(self) -> int:
        return sum(event["detail"]["data"]["state"] in GOOD for event in list(self.events))


def load(files: Files) -> list[Haul]:
    """Return all lines, from a process of its own: its Spark reads S3."""
    return [Haul(**line) for line in answers("bench.load", files.folder)]


def hauls(folder: Path) -> Iterator[Haul]:
    """Measure few drops, very many, large ones, and few with a longer and longer ledger."""
    small, large = Files(folder, STATIONS_OF_SMALL).small, folder / "large.csv"
    inmet.write(large, STATIONS_OF_LARGE, HOURS)
    plan = replace(plans.without_shares(plans.plain(plans.whole())), files=("load/*/*.csv",))
    events: list[Mapping[str, Any]] = []
    with Embedded(
        window_seconds=WINDOW_SECONDS, schedule_seconds=60, retry_seconds=60, listener=events.append
    ) as embedded:
        embedded.cloud.requests = deque()  # all of them: more than it remembers of itself
        embedded.publish([plan])
        made = Load(embedded, plan, ports_from(embedded.environment(), Clients(session())), events)
        made.haul("", small, FEW)  # functions and Spark are warm from now on
        yield made.alone(f"{ALONE} drops of 100 rows, one after the other", small[0])
        yield made.haul(FEW_SMALL, small, FEW)
        yield made.haul(f"{SMALL:,} drops of 100 rows", small, SMALL)
        yield made.haul(f"{LARGE} drops of {large.stat().st_size / 2**20:.0f} MiB", [large], LARGE)
        yield made.haul(FEW_SMALL, small, FEW)
        with embedded.pump.turn():  # no function runs within
            made.fill(LONG_LEDGER)
        yield made.haul(FEW_SMALL, small, FEW)
        assert embedded.guard.denied == []


def _waited(drop: Drop) -> float:
    """Seconds from the event of an upload to the drop's end."""
    return (datetime.fromisoformat(drop.changed_at) - datetime.fromisoformat(drop.uploaded_at)).total_seconds()


if __name__ == "__main__":
    for one in hauls(Path(sys.argv[1])):
        say(f"  {one}")
        answer(asdict(one))
