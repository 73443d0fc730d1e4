"""Kill -9: AWS with its data, the functions and the job, killed at random while files come in, and started again.

At the end every drop is where it belongs, by the promises of tests/invariants.py.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from functions import keys
from functions.aws import items
from functions.ports import Ports
from functions.replay import replay
from functions.submission import Drop
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
PATIENCE = 400.0


def send(stack: Killable, names: list[str]) -> None:
    """Upload each file until somebody has answered for it."""
    s3 = stack.client("s3")
    for n, name in enumerate(names):
        body = ENDS[name.rpartition("-")[0]][1] % n
        while True:
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


def ledger(stack: Killable) -> list[dict[str, Any]]:
    """All items, as they stand."""
    pages = stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.stack.names["LedgerTable"])
    return [items.loads(item) for page in pages for item in page["Items"]]


def drops(stack: Killable) -> dict[str, Drop]:
    """All drops, by their ids."""
    found = (items.drop_of(i) for i in ledger(stack) if items.kind(i) == "D" and i["sk"] == items.STATE)
    return {drop.id: drop for drop in found}


def settled(stack: Killable, names: list[str]) -> bool:
    """Whether every file has a drop, and nothing more happens to any, nor to a batch."""
    found = drops(stack).values()
    open_batches = [i for i in ledger(stack) if items.kind(i) == "BATCH" and i["state"] != "ended"]
    return {d.key for d in found} == set(names) and not any(d.in_flight for d in found) and not open_batches


def stored(stack: Killable, ports: Ports) -> dict[str, list[tuple[str | None, int]]]:
    """The marks of every version of every object, oldest first."""
    s3, found = stack.client("s3"), defaultdict[str, list[tuple[str | None, int]]](list)
    for zone in (ports.zones.landing, ports.zones.stage, ports.zones.promoted):
        bucket, _ = keys.split(zone)
        listed = s3.list_object_versions(Bucket=bucket)
        assert not listed["IsTruncated"]
        for one in reversed(listed.get("Versions", [])):
            at = {"Bucket": bucket, "Key": one["Key"], "VersionId": one["VersionId"]}
            if one["VersionId"] == "null":
                del at["VersionId"]
            marks = s3.head_object(**at)["Metadata"]
            mark = marks.get("dropgate-drop"), int(marks.get("dropgate-attempt", 0))
            found[f"s3://{bucket}/{one['Key']}"].append(mark)
    return found


def look(stack: Killable) -> None:
    """Hold every promise; landing is empty, so that what is kept bears its drop's mark."""
    ports, found = stack.ports(), drops(stack)
    store = stored(stack, ports)
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
    told = {(n["drop"], n["history"]) for n in notices(stack)}
    assert told == {(f"D#{s.drop}", f"H#{s.attempt:04}#{s.step:04}") for each in histories.values() for s in each}


def notices(stack: Killable) -> Iterator[Any]:
    for line in (stack.folder / "notices").read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # its writer was killed half-way; it is told again


def attack(folder: Path, files: int, kills: int, seed: int) -> Counter[str]:
    """Send files, kill as often, and let all of it come to its end; how the drops ended before any was replayed."""
    chance = random.Random(seed)
    names = [f"{chance.choice(list(ENDS))}-{n}.csv" for n in range(files)]
    with pytest.MonkeyPatch.context() as patch, Killable(folder) as stack:
        for name, value in stack.environment.items():
            patch.setenv(name, value)
        stack.start("pump")
        sender = Thread(target=send, args=(stack, names))
        sender.start()
        for _ in range(kills):
            time.sleep(chance.uniform(0, PAUSE))
            strike(stack, chance.choice(VICTIMS))
        sender.join(PATIENCE)
        assert not sender.is_alive()
        assert stack.until(lambda: settled(stack, names), PATIENCE), drops(stack)
        ended: Counter[str] = Counter(drop.state for drop in drops(stack).values())
        for drop in drops(stack).values():
            if drop.state == "failed":  # as its job was killed every time
                assert drop.problems[0].code in ("job-failed", "job-killed"), drop
                replay(stack.ports(), drop.id)
        assert stack.until(lambda: settled(stack, names), PATIENCE), drops(stack)
        stack.until(lambda: False, 3)  # the last notices
        look(stack)
        assert {d.name: d.state for d in drops(stack).values()} == {n: ENDS[n.rpartition("-")[0]][0] for n in names}
    return ended


@pytest.mark.torture
def test_nothing_is_lost_to_a_few_kills(tmp_path: Path) -> None:
    attack(tmp_path / "data", files=20, kills=4, seed=1)


@pytest.mark.torture
def test_nothing_is_lost_to_fifty_kills(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 (to repeat it)
    print(attack(tmp_path / "data", files=200, kills=50, seed=seed))  # noqa: T201
