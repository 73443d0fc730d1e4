"""Objects and items of the embedded AWS, read from its memory without a call, as tests read them after every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import FakeKey, s3_backends

from contracts.job import JobRequest
from contracts.terms.promises import State
from functions import keys
from functions.aws import items
from functions.aws.s3 import ATTEMPT, DROP
from functions.ports import Ports
from functions.ports.drops import Step
from infra.local.loopback import ACCOUNT
from tests.builders import ZONES
from tests.integration.functions.rows import held_by
from tests.invariants import Seen, SeenPromises, judged, observing

LOG, META = "_delta_log/", "x-amz-meta-"


def seen_by(ports: Ports, ids: Sequence[str], live: Sequence[str]) -> Seen:
    """Return what there is of drops; `live` are the URIs of the requests of the runs at work."""
    zones, every = ports.zones, records(ports.ledger)
    every_drop = [items.drop_of(one) for one in every if items.kind(one) == "D" and one["sk"] == items.STATE]
    drops = {drop.id: drop for drop in every_drop if drop.id in ids}
    steps = [one for one in every if items.kind(one) == "D" and one["sk"].startswith(items.HISTORY)]
    histories = {i: tuple(items.step_of(one) for one in steps if one["pk"] == items.drop_key(i)[0]) for i in drops}
    jobs = objects(zones.jobs)
    promoted, options = objects(zones.promoted), getattr(ports.tables, "_options", dict)
    tables = {table: held_by(table, options()) for table in {uri.partition(LOG)[0] for uri in promoted if LOG in uri}}
    marks = {
        uri: _mark(one, histories if any(map(uri.startswith, tables)) else {})
        for uri, one in promoted.items()
        if LOG not in uri
    }
    bucket, _ = keys.split(zones.landing)
    kept = {keys.drop_id(bucket, key, version) for key, version in versions(bucket)}
    kept |= {part for zone in (zones.stage, zones.held) for uri in objects(zone) for part in uri.split("/")}
    kept |= {drop for drop, _ in marks.values() if drop}

    def named(uri: str) -> str:
        return f"{ZONES.promoted}{uri.removeprefix(zones.promoted)}"

    return Seen(
        drops,
        histories,
        {named(uri): mark for uri, mark in marks.items()},
        {named(table): rows for table, rows in tables.items()},
        [JobRequest.loads(objects(uri)[uri].value) for uri in live],
        frozenset(kept & drops.keys()),
        observing(drops, ports),
        judged(drops, lambda uri: jobs[uri].value if uri in jobs else None, zones),
        promises=promises_in(every),
    )


def _mark(stored: FakeKey, writers: Mapping[str, Sequence[Step]]) -> tuple[str | None, int | None]:
    """The drop and the attempt that an object is of.

    What deltalake has written into a table bears no mark, but the id of its drop among its figures; it was written by
    the last attempt that was to be promoted.
    """
    if drop := stored.metadata.get(f"{META}{DROP}"):
        return drop, int(stored.metadata[f"{META}{ATTEMPT}"])
    owner = next((drop for drop in writers if drop.encode() in stored.value), None)
    attempts = [step.attempt for step in writers.get(owner or "", ()) if step.state == "promoting"]
    return owner, max(attempts, default=0)


def under_way(ledger: Any) -> Iterator[object]:
    """Items that are there only while something is under way."""
    for item in records(ledger):
        open_batch = items.kind(item) == "BATCH" and item["state"] != "ended"
        held = items.kind(item) == "KEY" and item.get("promoting")
        if items.kind(item) in ("PENDING", "WINDOW", "SLOTS") or open_batch or held:
            yield item


def promised(ledger: Any) -> dict[str, list[State]]:
    """Return the states that each promise has gone through, by contract and name."""
    states: dict[str, list[State]] = {}
    for step in sorted(promises_in(records(ledger)).steps, key=lambda step: step.step):
        states.setdefault(f"{step.contract} {step.promise}", []).append(step.state)
    return states


def promises_in(every: Sequence[items.Item]) -> SeenPromises:
    """Return the promises of the items of a ledger."""
    own = [one for one in every if items.kind(one) == "PROMISES"]
    standings = [items.standing_of(one) for one in own if one["sk"] == items.STATE]
    return SeenPromises(
        {standing.contract: standing for standing in standings},
        frozenset(items.promise_step_of(one) for one in own if one["sk"].startswith(items.HISTORY)),
        frozenset(items.period_of(one) for one in own if one["sk"].startswith(items.PERIOD)),
    )


def records(ledger: Any) -> list[items.Item]:
    """Every item of a ledger, history in its order."""
    table = dynamodb_backends[ACCOUNT]["us-east-1"].get_table(ledger._table)
    return [items.loads(one.to_json()["Attributes"]) for one in table.all_items()]


def objects(folder: str) -> dict[str, FakeKey]:
    """Return the objects below a folder, by URI."""
    bucket, prefix = keys.split(folder)
    every = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    last = {f"s3://{bucket}/{key}": every[key] for key in sorted(every) if key.startswith(prefix)}
    return {uri: stored for uri, stored in last.items() if isinstance(stored, FakeKey)}


def versions(bucket: str) -> Iterator[tuple[str, str]]:
    """Each version of each object of a bucket: key and version."""
    every = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    yield from ((key, one.version_id) for key in every for one in every.getlist(key) if isinstance(one, FakeKey))


def clear(bucket: str, but: str | None = None) -> None:
    """Empty a bucket, but for a folder; moto itself stumbles over delete markers."""
    there = s3_backends[ACCOUNT]["aws"].buckets[bucket]
    there.multiparts.clear()
    for key in [key for key in there.keys if but is None or not key.startswith(but)]:
        for version in dict.pop(there.keys, key):
            if isinstance(version, FakeKey):
                version.dispose()
