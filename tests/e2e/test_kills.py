"""Kill -9: AWS with its data, the functions and the job, killed at random while files come in, and started again.

At the end every drop is where it belongs, by the promises of tests/invariants.py, and `dropgate doctor` finds nothing.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from functions import keys
from functions.aws import items
from functions.differences import differences
from functions.ports import Ports, months, stamp
from functions.replay import replay
from functions.submission import UNVERSIONED, Drop, Location
from tests.e2e.killable import Killable
from tests.invariants import INVARIANTS, Seen, observing

ENDS = {
    "orders/good": ("accepted", b"id,note\n1,%d\n"),
    "orders/bad": ("rejected", b"id,note\n,%d\n"),
    "orders/header": ("rejected", b"ID,note\n1,%d\n"),
    "stray/any": ("unmatched", b"id,note\n1,%d\n"),
}
"""How files end, by what their names begin with, and what is in them."""
VICTIMS = ("stack", "pump", "job")
PAUSE = 2.0
"""Seconds between two kills at most, beside what starting takes."""
PATIENCE = 120.0
"""Seconds in which something must happen, as long as anything is open."""
CONTRACTS = ("orders.v1", None)


def end_of(name: str) -> str:
    """How a file of that name must end."""
    return ENDS[name.rpartition("-")[0]][0]


def send(stack: Killable, names: Iterable[str], let: Semaphore) -> None:
    """Upload each file, as soon as it is let, until somebody has answered for it."""
    s3 = stack.client("s3")
    for n, name in enumerate(names):
        let.acquire()
        body = ENDS[name.rpartition("-")[0]][1] % n
        while not stack.over.is_set():
            try:
                s3.put_object(Bucket="dropgate-landing", Key=name, Body=body)
                break
            except (BotoCoreError, ClientError):
                time.sleep(0.2)


def strike(stack: Killable, victim: str) -> None:
    """Kill one process, and bring back what went with it."""
    if victim == "job":
        stack.kill_job()
        return
    if victim == "stack":
        stack.kill("stack")
    stack.kill("pump")
    if victim == "stack":
        stack.start("stack")
    stack.start("pump")


Item = dict[str, Any]


def ledger(stack: Killable) -> list[Item]:
    """All items, as they stand."""
    pages = stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.stack.names["LedgerTable"])
    return [items.loads(item) for page in pages for item in page["Items"]]


def drops(found: Iterable[Item]) -> dict[str, Drop]:
    """All drops, by their ids."""
    each = (items.drop_of(i) for i in found if items.kind(i) == "D" and i["sk"] == items.STATE)
    return {drop.id: drop for drop in each}


def come_to_rest(stack: Killable, names: Iterable[str]) -> dict[str, Drop]:
    """Wait until every file has a drop, and nothing more happens to any, nor to a batch; the drops."""
    before, since = list[Item](), time.monotonic()
    while True:
        asked = time.monotonic()
        found = ledger(stack)
        took = time.monotonic() - asked
        known = drops(found)
        missing = set(names) - {d.name for d in known.values()}
        undone = [d for d in known.values() if d.in_flight]
        batches = [i for i in found if items.kind(i) == "BATCH" and i["state"] != "ended"]
        if not missing and not undone and not batches:
            return known
        if found != before:
            before, since = found, time.monotonic()
        assert time.monotonic() - since < PATIENCE, (missing, undone, batches)
        time.sleep(max(0.5, 5 * took))  # who answers has other work to do


def stored(ports: Ports) -> dict[str, list[tuple[str | None, int | None]]]:
    """The marks of every version of every object in the zones that hold files, the oldest first."""
    found = defaultdict[str, list[tuple[str | None, int | None]]](list)
    zones = ports.zones
    for zone in (zones.landing, zones.stage, zones.held, zones.promoted):
        bucket, _ = keys.split(zone)
        page = ports.store.lying(zone, None, 1000)
        assert page.after is None
        for one in reversed(page.found):
            uri = f"s3://{bucket}/{one.key}"
            stat = ports.store.head(Location(uri, None if one.version in UNVERSIONED else one.version))
            assert stat
            found[uri].append((stat.drop, stat.attempt))
    return found


def look(stack: Killable, found: dict[str, Drop]) -> None:
    """Hold every promise; landing is empty, so that what is kept bears its drop's mark."""
    ports = stack.ports()
    store = stored(ports)
    assert not [uri for uri in store if uri.startswith(ports.zones.landing)]
    promoted = {uri: marks for uri, marks in store.items() if uri.startswith(ports.zones.promoted)}
    histories = {drop_id: ports.ledger.history(drop_id) for drop_id in found}
    newest: dict[str, tuple[str | None, int | None]] = {uri: marks[-1] for uri, marks in promoted.items()}
    kept = frozenset(drop for marks in store.values() for drop, _ in marks if drop)
    seen = Seen(found, histories, newest, {}, [], kept, observing(found, ports), ports.zones.promoted)
    for invariant in INVARIANTS:
        invariant(seen, None)
    assert all(n == 1 for n in Counter(mark for marks in promoted.values() for mark in marks).values())
    assert ports.ledger.taken() == {}
    steps = {(f"D#{s.drop}", f"H#{s.attempt:04}#{s.step:04}") for each in histories.values() for s in each}
    stack.until(lambda: told(stack) == steps, PATIENCE)
    assert told(stack) == steps


@dataclass(frozen=True)
class Later:
    """A clock by which all that there is is old enough to be looked at."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(hours=1)


def examine(ports: Ports) -> None:
    """Ask what `dropgate doctor` asks."""
    late = replace(ports, clock=Later())
    now = datetime.now(UTC)
    recent = months(stamp(now - timedelta(days=1)), stamp(now))
    assert list(differences(late, CONTRACTS, recent)) == []


def told(stack: Killable) -> set[tuple[str, str]]:
    """The items of history that there was a notice of."""
    return {(n["drop"], n["history"]) for n in notices(stack)}


def notices(stack: Killable) -> Iterator[Any]:
    """All notices, of which some were given more than once."""
    for line in (stack.folder / "notices").read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # its writer was killed half-way; it is told again


def attack(folder: Path, files: int, kills: int, seed: int) -> Counter[str]:
    """Send files, kill as often, and let all of it come to its end; how the drops ended before any was replayed."""
    chance = random.Random(seed)
    names = [f"{chance.choice(list(ENDS))}-{n}.csv" for n in range(files)]
    let = Semaphore(0)
    with pytest.MonkeyPatch.context() as patch, Killable(folder) as stack:
        for name, value in stack.environment.items():
            patch.setenv(name, value)
        stack.start("pump")
        sender = Thread(target=send, args=(stack, names, let), daemon=True)
        sender.start()
        for _ in range(kills):
            let.release(files // kills)  # so that each of them meets something
            time.sleep(chance.uniform(0, PAUSE))
            strike(stack, chance.choice(VICTIMS))
        let.release(files)
        sender.join(PATIENCE)
        assert not sender.is_alive()
        found = come_to_rest(stack, names)
        ended: Counter[str] = Counter(drop.state for drop in found.values())
        for drop in found.values():
            if drop.state == "failed":  # as its job was killed every time
                assert drop.problems[0].code in ("job-failed", "job-killed"), drop
                replay(stack.ports(), drop.id)
        found = come_to_rest(stack, names)
        look(stack, found)
        examine(stack.ports())
        # A file whose answer was lost is sent again: of two uploads one may be superseded.
        states = defaultdict[str, set[str]](set)
        for drop in found.values():
            states[drop.name].add(drop.state)
        assert {name: each - {"superseded"} for name, each in states.items()} == {n: {end_of(n)} for n in names}
    return ended


@pytest.mark.torture
def test_nothing_is_lost_to_a_few_kills(tmp_path: Path) -> None:
    attack(tmp_path / "data", files=20, kills=4, seed=1)


@pytest.mark.torture
def test_nothing_is_lost_to_fifty_kills(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 (to repeat it)
    print(attack(tmp_path / "data", files=200, kills=50, seed=seed))  # noqa: T201
