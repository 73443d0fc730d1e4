"""Kill -9: AWS with its data, the functions and the job, killed at random while files come in, and started again.

At the end every drop is where it belongs, by the promises of tests/invariants.py, and `dropgate doctor` finds nothing.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from contracts.errors import ObjectGone
from functions import keys
from functions.aws import items
from functions.doctor.compare import differences
from functions.drop import UNVERSIONED, Drop, Location
from functions.operations.replay import replay
from functions.ports import Ports
from functions.ports.clock import months, stamp
from functions.schedule.reconcile import reconcile
from tests.e2e.killable import Killable
from tests.invariants import INVARIANTS, Seen, judged, observing

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
SEED = os.environ.get("ORACLE_SEED") or str(random.randrange(10**6))
Record = Callable[[str, object], None]


def end_of(name: str) -> str:
    """Return the expected end of a file with that name."""
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


def strike(stack: Killable, victim: str) -> bool:
    """Kill one process, and bring back what went with it; whether it was alive. Where no job is, it is the pump."""
    if victim == "job" and stack.kill_job():
        return True
    struck = victim != "stack" or stack.kill("stack")
    struck = stack.kill("pump") and struck
    if victim == "stack":
        stack.start("stack")
    stack.start("pump")
    return struck


Item = dict[str, Any]


def ledger(stack: Killable) -> list[Item]:
    """All items, as they stand."""
    pages = stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.stack.names["LedgerTable"])
    return [items.loads(item) for page in pages for item in page["Items"]]


def drops(entries: Iterable[Item]) -> dict[str, Drop]:
    """All drops, by their ids."""
    each = (items.drop_of(i) for i in entries if items.kind(i) == "D" and i["sk"] == items.STATE)
    return {drop.id: drop for drop in each}


def come_to_rest(stack: Killable, names: Iterable[str]) -> dict[str, Drop]:
    """Wait until every file has a drop, and nothing more happens to any, nor to a batch; the drops."""
    before, since = list[Item](), time.monotonic()
    while True:
        asked = time.monotonic()
        entries = ledger(stack)
        took = time.monotonic() - asked
        by_id = drops(entries)
        missing = set(names) - {d.name for d in by_id.values()}
        undone = [d for d in by_id.values() if d.in_flight]
        batches = [i for i in entries if items.kind(i) == "BATCH" and i["state"] != "ended"]
        if not missing and not undone and not batches:
            return by_id
        if entries != before:
            before, since = entries, time.monotonic()
        assert time.monotonic() - since < PATIENCE, (missing, undone, batches)
        time.sleep(max(0.5, 5 * took))  # who answers has other work to do


def stored(ports: Ports) -> dict[str, list[tuple[str | None, int | None]]]:
    """The marks of every version of every object in the zones that hold files, the oldest first."""
    copies = defaultdict[str, list[tuple[str | None, int | None]]](list)
    zones = ports.zones
    for zone in (zones.landing, zones.stage, zones.held, zones.promoted):
        bucket, _ = keys.split(zone)
        page = ports.store.versions(zone, None, 1000)
        assert page.after is None
        for file in reversed(page.versions):
            uri = f"s3://{bucket}/{file.key}"
            stat = ports.store.head(Location(uri, None if file.version in UNVERSIONED else file.version))
            assert stat
            copies[uri].append((stat.drop, stat.attempt))
    return copies


def _whole(ports: Ports, uri: str) -> bytes | None:
    try:
        return ports.store.get(uri)
    except ObjectGone:
        return None


def seen_of(stack: Killable, by_id: dict[str, Drop]) -> Seen:
    """A look at all that there is; landing is empty, so that what is kept bears its drop's mark."""
    ports = stack.ports()
    store = stored(ports)
    assert not [uri for uri in store if uri.startswith(ports.zones.landing)]
    promoted = {uri: marks for uri, marks in store.items() if uri.startswith(ports.zones.promoted)}
    assert all(n == 1 for n in Counter(mark for marks in promoted.values() for mark in marks).values())
    histories = {drop_id: ports.ledger.history(drop_id) for drop_id in by_id}
    newest: dict[str, tuple[str | None, int | None]] = {uri: marks[-1] for uri, marks in promoted.items()}
    kept = frozenset(drop for marks in store.values() for drop, _ in marks if drop)
    told_of = judged(by_id, partial(_whole, ports), ports.zones)
    return Seen(by_id, histories, newest, {}, [], kept, observing(by_id, ports), told_of, ports.zones.promoted)


def look(stack: Killable, by_id: dict[str, Drop], before: Seen | None = None) -> Seen:
    """Hold every promise, also that nobody ever started two runs of a batch and try: both would bear its token."""
    seen = seen_of(stack, by_id)
    for invariant in INVARIANTS:
        invariant(seen, before)
    assert stack.ports().ledger.taken_slots() == {}
    tokens = Counter(run["name"] for run in stack.runs())
    assert tokens
    assert [token for token, n in tokens.items() if n > 1] == []
    steps = {f"{s.drop}-{s.attempt:04}-{s.step:04}" for each in seen.histories.values() for s in each}
    stack.until(lambda: {event["id"] for event in events(stack)} == steps, PATIENCE)
    sent = list(events(stack))
    assert {event["id"] for event in sent} == steps
    assert len({json.dumps(event, sort_keys=True) for event in sent}) == len(steps), "an event that came again differs"
    return seen


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


def events(stack: Killable) -> Iterator[Any]:
    """All events, of which some were sent more than once."""
    for line in (stack.folder / "events").read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # its writer was killed half-way; it is told again


def attack(folder: Path, files: int, kills: int, seed: int, record_property: Record) -> None:
    """Send files, kill as often, and let all of it come to its end."""
    chance = random.Random(seed)
    names = [f"{chance.choice(list(ENDS))}-{n}.csv" for n in range(files)]
    let = Semaphore(0)
    record_property("seed of kills", str(seed))
    with Killable(folder) as stack:
        stack.start("pump")
        sender = Thread(target=send, args=(stack, names, let), daemon=True)
        sender.start()
        struck = 0
        for _ in range(kills):
            let.release(files // kills)  # so that each of them meets something
            time.sleep(chance.uniform(0, PAUSE))
            struck += strike(stack, chance.choice(VICTIMS))
        assert struck == kills
        record_property("kills", struck)
        let.release(files)
        sender.join(PATIENCE)
        assert not sender.is_alive()
        by_id = come_to_rest(stack, names)
        for drop in by_id.values():
            if drop.state == "failed":  # as its job was killed every time
                assert drop.problems[0].code in ("job-failed", "job-killed"), drop
                replay(stack.ports(), drop.id)
        seen = look(stack, come_to_rest(stack, names))
        assert reconcile(replace(stack.ports(), clock=Later())) == ()
        by_id = come_to_rest(stack, names)
        look(stack, by_id, seen)
        examine(stack.ports())
        # A file whose answer was lost is sent again: of two uploads one may be superseded.
        states = defaultdict[str, set[str]](set)
        for drop in by_id.values():
            states[drop.name].add(drop.state)
        assert {name: each - {"superseded"} for name, each in states.items()} == {n: {end_of(n)} for n in names}


def test_nothing_is_lost_to_two_kills(tmp_path: Path, record_property: Record) -> None:
    attack(tmp_path / "data", 6, 2, 8, record_property)


@pytest.mark.torture
def test_nothing_is_lost_to_fifty_kills(tmp_path: Path, record_property: Record) -> None:
    attack(tmp_path / "data", 200, 50, int(SEED), record_property)
