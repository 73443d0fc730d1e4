"""Two and eight workers at one drop, one batch, one key, one table, on DynamoDB Local, whose conditions are AWS's own.

The use cases and the ledger are real; objects, tables and jobs are in memory, each call to them whole. Nobody wins
twice, and nothing that was written is lost.
"""

from __future__ import annotations

import socket
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Barrier, RLock
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from contracts.errors import DropgateError, StaleWrite
from functions.aws import items
from functions.aws.dynamodb import DynamoLedger
from functions.drop import Drop, Transition, advance
from functions.flow.batching import batch_due
from functions.flow.finalize import job_ended
from functions.flow.ingest import ingest
from functions.records.record import record
from functions.schedule.reconcile import reconcile
from infra.local.template.template import expand
from infra.setup import dynamodb
from tests.builders import World, a_drop, a_marked_plan, a_plan, reaching
from tests.histories import FRESH, PROMISES
from tests.integration.functions.conftest import TEMPLATE
from tests.integration.functions.memory import promises_in
from tests.invariants import Seen, Watch, seen_in

WORKERS = pytest.mark.parametrize("workers", [2, 8])
ROUNDS = pytest.mark.parametrize("rounds", [1, pytest.param(50, marks=pytest.mark.torture)])
STARTS = 60


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a DynamoDB Local of our own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with dynamodb.running(port) as endpoint:
        session = boto3.Session("races", "none", region_name="us-east-1")
        made = session.client("dynamodb", endpoint_url=endpoint, config=Config(max_pool_connections=16))
        end = time.monotonic() + STARTS
        while True:
            try:
                made.list_tables()
                break
            except BotoCoreError:
                assert time.monotonic() < end, "DynamoDB Local does not answer"
                time.sleep(0.2)
        yield made


@pytest.fixture
def ledger(client: Any) -> DynamoLedger:
    """An empty table, as the template makes it."""
    made = expand(TEMPLATE, "us-east-1")["Resources"]["LedgerTable"]
    about = made["Properties"]
    table = uuid.uuid4().hex
    asked = {name: about[name] for name in ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")}
    client.create_table(TableName=table, BillingMode="PAY_PER_REQUEST", **asked)
    return DynamoLedger(client, table)


class Whole:
    """A port in memory, one call at a time."""

    def __init__(self, port: Any) -> None:
        self._port = port
        self._turn = RLock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            with self._turn:
                return method(*args, **kwargs)

        return call if callable(method) else method


@dataclass
class Racing(World):
    """A world whose ledger is a real one."""

    ids: list[str] = field(default_factory=list)

    def upload(self, name: str, body: bytes) -> str:
        self.ids.append(super().upload(name, body))
        return self.ids[-1]

    def drops(self) -> dict[str, Drop]:
        return {d.id: d for d in self.ledger.drops(self.ids)}


def a_race(ledger: Any, *plans: Any) -> Racing:
    world = Racing(plans or (a_plan(),), ledger=ledger)
    world.ports = replace(
        world.ports,
        store=Whole(world.store),
        jobs=Whole(world.jobs),
        delays=Whole(world.delays),
        tables=Whole(world.tables),
        patience_seconds=0,
    )
    return world


def at_once(workers: int, act: Callable[[], Any]) -> list[Any]:
    """Run an act in so many threads at one moment; return answers, and the errors that a caller can decide on."""
    start = Barrier(workers)

    def one(_: int) -> Any:
        start.wait()
        try:
            return act()
        except DropgateError as error:
            return error

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, range(workers)))


@ROUNDS
@WORKERS
def test_drop_is_opened_once(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        own = [a_drop(id=f"{n:032}", size=size) for size in range(workers)]
        opened = at_once(workers, partial(next, map(ledger.open, own)))
        assert opened == [opened[0]] * workers, "each is told of the one that was first"
        assert len(ledger.history(opened[0].id)) == 1


@ROUNDS
@WORKERS
def test_drop_goes_one_step_for_one_worker(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    drop = a_drop()
    ledger.open(drop)
    for n in range(rounds):
        answer = advance(drop, "announced", f"2026-01-31T12:00:{n:02}.000000Z", sequencer=str(n))
        assert isinstance(answer, Transition)
        ends = at_once(workers, partial(ledger.write, (answer,)))
        assert (ends.count(None), sum(isinstance(end, StaleWrite) for end in ends)) == (1, workers - 1)
        drop = ledger.drop(drop.id) or drop
        assert (drop.version, len(ledger.history(drop.id))) == (n + 2, n + 2)


@ROUNDS
@WORKERS
def test_workers_at_one_event_make_one_staged_drop(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        world = a_race(ledger)
        drop = world.upload(f"orders/{n}-{uuid.uuid4().hex}.csv", b"id,note\n1,a\n")
        (event,) = world.events
        at_once(workers, partial(ingest, world.ports, replace(event, version_id=event.version_id)))
        Watch(world).look()
        assert world.states(drop) == ["received", "staged"]
        assert ledger.pending(world.drop(drop).plan or "")[-1].id == drop
        record(world.ports, world.drop(drop), "failed")


@ROUNDS
@WORKERS
def test_workers_at_one_window_start_one_job(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        world = a_race(ledger, a_plan(f"orders{n}.v1"))
        ids = [world.upload(f"orders/{n}-{one}.csv", b"id,note\n1,a\n") for one in range(3)]
        world.deliver_events()
        window, _ = world.delays.sent[0]
        at_once(workers, partial(batch_due, world.ports, window))
        Watch(world).look()
        assert len(world.jobs.requests) == 1
        assert {world.drop(i).state for i in ids} == {"validating"}
        assert len({world.drop(i).batch for i in ids}) == 1
        world.finish()


def race_with_a_job_each(world: Racing, files: Sequence[tuple[str, bytes]]) -> list[str]:
    """Upload files, each of which has a job of its own, have all of these settled at once, and the rest; the drops."""
    world.ports = replace(world.ports, most_batches=10_000)  # so that each finds a slot at once
    watch, ids = Watch(world), []
    for name, body in files:
        ids.append(world.upload(name, body))
        world.deliver_events()
        world.deliver_windows()
    runs = world.end_jobs()
    assert len(runs) == len(files)
    at_once(len(runs), partial(next, map(partial(job_ended, world.ports), runs)))
    watch.look()
    for _ in range(4):
        world.clock.pass_seconds(400)
        at_once(2, partial(reconcile, world.ports))
        watch.look()
    watch.look_at_the_end()
    return ids


@ROUNDS
@WORKERS
def test_workers_at_uploads_of_one_key_leave_the_newest(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        world = a_race(ledger, a_plan(f"orders{n}.v1"))
        bodies = [b"id,note\n%d,a\n" % one for one in range(workers)]
        race_with_a_job_each(world, [(f"orders/same-{n}.csv", body) for body in bodies])
        assert world.store.listing(f"s3://promoted/orders{n}.v1/") == {f"orders/same-{n}.csv": bodies[-1]}


@ROUNDS
@WORKERS
def test_workers_at_one_table_leave_the_newest_rows(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        world = a_race(ledger, a_plan(f"table{n}.v1", promote="table"))
        files = [(f"orders/{n}-{one % 2}.csv", b"id,note\n%d,a\n" % one) for one in range(workers)]  # of two keys
        ids = race_with_a_job_each(world, files)
        (rows,) = world.tables.rows.values()
        assert rows == dict.fromkeys(ids[-2:], (1, 3))


@ROUNDS
@WORKERS
def test_no_high_mark_is_lost(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        world = a_race(ledger, a_marked_plan(contract=f"marks{n}.v1"))
        for one in range(workers):
            world.upload(f"orders/{n * workers + one}.csv", b"id,n\n1,1\n")
        world.deliver_events()
        for window, _ in world.delays.sent:
            batch_due(world.ports, window)
        runs = world.end_jobs(reaching)
        for run in runs:
            at_once(workers, partial(job_ended, world.ports, run))
        with suppress(DropgateError):
            world.finish(reaching)
        Watch(world).look_at_the_end()
        assert [int(mark.value) for mark in ledger.watermarks(f"marks{n}.v1").marks] == [n * workers + workers - 1]


def called(act: Callable[[], object]) -> object:
    return act()


def seen_with_promises(world: Racing) -> Seen:
    """Return what is in a world, with the promises in its table."""
    ledger: Any = world.ledger
    pages = ledger._db.get_paginator("scan").paginate(TableName=ledger._table, ConsistentRead=True)
    every = [items.loads(item) for page in pages for item in page["Items"]]
    return replace(seen_in(world), promises=promises_in(every))


@ROUNDS
@WORKERS
def test_schedules_at_one_contract_judge_its_promises_once(ledger: DynamoLedger, workers: int, rounds: int) -> None:
    for n in range(rounds):
        plan = a_plan(f"promised{n}.v1", promises=PROMISES)
        world = a_race(ledger, plan)
        watch = Watch(world, seen_with_promises)
        at_once(workers, partial(reconcile, world.ports))
        for hour in range(3):
            world.upload(f"orders/{n}-{hour}.csv", b"id,note\n%d,a\n" % hour)
            world.deliver_events()
            world.deliver_windows()
            (run,) = world.end_jobs()
            acts: tuple[Callable[[], object], ...] = (
                partial(job_ended, world.ports, run),
                partial(reconcile, world.ports),
            )
            at_once(2, partial(next, map(called, acts)))
            world.clock.pass_seconds(3600)
            answers = at_once(workers, partial(reconcile, world.ports))
            assert [trouble for troubles in answers for trouble in troubles if "promises" in trouble.what] == []
            watch.look()
        results = [len(ledger.periods(plan.contract, promise.name, 99)) for promise in PROMISES]
        standing = ledger.standing(plan.contract)
        assert standing
        assert {held.name: held.state for held in standing.promises}[FRESH.name] == "met"
        assert results[1] == 3
