"""A drop's data is erased, whatever breaks off; its record remains."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import ServiceUnavailable
from contracts.job import JobRequest, JobResult
from contracts.plan import Limit, Promoted
from functions import keys
from functions.drop import Location
from functions.operations.erase import Erased, NotForgotten, forget, left
from functions.operations.override import NotOverruled, Overruled, accept, reject
from functions.operations.replay import NotReplayed, replay
from functions.ports.store import CopyTag
from functions.schedule.reconcile import reconcile
from tests.builders import ZONES, World, a_plan, a_world, all_good, one_bad
from tests.fakes import OURS, MemoryStore
from tests.faults import Crash, Fuse, Passing, Stalled, Watched, every_call
from tests.invariants import Watch
from tests.unit.functions.flow.test_crashes import SIDES

TABLE = keys.table_folder(ZONES, "orders.v1")
GOOD, REFUSED = b"id,note\n1,a\n", b"ID,note\n1,a\n"


def without(rows: bytes, drop: str) -> bytes | None:
    """Evidence whose rows are lines that begin with an id."""
    lines = rows.splitlines(keepends=True)
    rest = b"".join(line for line in lines if not line.startswith(drop.encode()))
    return None if rest == rows else rest


def ended(judge: Any, *names: str, body: bytes = GOOD, promote: Promoted = "object") -> tuple[World, list[str]]:
    """Drops of one batch at their end, with a row of evidence each."""
    world = a_world([a_plan(promote=promote)])
    ids = [world.upload(name, body) for name in names or ("orders/1.csv",)]
    world.finish(judge)
    with_evidence(world)
    return world, ids


def forgotten(world: World, drop_id: str, *, promoted: bool = False) -> Erased:
    done = forget(world.ports, world.drop(drop_id), "ann", "request 77", without, promoted=promoted)
    assert isinstance(done, Erased), done
    return done


def traces(world: World, drop_id: str, zones: str = "s3://") -> list[str]:
    """Return the objects with a drop's data, former versions in our own bucket included: by name, tag or text."""
    catalog = world.store.listing(ZONES.catalog)
    now = [(uri, held) for uri, versions in world.store.objects.items() for held in versions.values()]
    former = [(uri, held) for uri, versions in world.store.former.items() for held in versions.values()]
    return sorted(
        uri
        for uri, held in (*now, *former)
        if uri.startswith(zones) and uri.removeprefix(ZONES.catalog) not in catalog
        if (drop_id in uri) or (held and ((held.tag and held.tag.drop == drop_id) or drop_id.encode() in held.body))
    )


@pytest.mark.parametrize("body", [GOOD, REFUSED], ids=["by the job", "at the door"])
def test_nothing_is_left_of_a_rejected_drop(body: bytes) -> None:
    world, (drop_id,) = ended(one_bad, body=body)
    assert traces(world, drop_id)
    forgotten(world, drop_id)

    assert traces(world, drop_id) == []


def test_receipt_of_an_unmatched_upload_is_erased_too() -> None:
    world, (drop_id,) = ended(all_good, "orders/1.txt")
    assert world.drop(drop_id).receipt
    forgotten(world, drop_id)
    assert traces(world, drop_id) == []
    assert (world.drop(drop_id).state, world.drop(drop_id).receipt) == ("unmatched", None)


def test_valid_rows_that_nobody_got_are_erased_too() -> None:
    world, (drop_id,) = ended(one_bad, promote="rows")
    assert [uri for uri in traces(world, drop_id) if "/valid/" in uri]
    forgotten(world, drop_id)

    assert traces(world, drop_id) == []


def test_others_of_its_batch_keep_what_they_have() -> None:
    world, (first, second) = ended(one_bad, "orders/1.csv", "orders/2.csv")
    before = traces(world, second)
    forgotten(world, first)

    assert (traces(world, first), traces(world, second)) == ([], before)
    result = next(held for uri, v in world.store.objects.items() if uri.endswith("result.jsonl") for held in v.values())
    assert [one.drop for one in JobResult.loads(result.body).drops] == [second]


def with_evidence(world: World) -> None:
    """Let every batch have a row of evidence of each of its drops."""
    for batch in world.ledger._batches.values():
        folder = keys.evidence_folder(ZONES, batch.contract, batch.claimed_at, batch.id)
        world.store.put(f"{folder}part-0.parquet", b"".join(f"{i} secret\n".encode() for i in batch.members), "")


def test_what_halves_of_a_batch_left_is_erased_too() -> None:
    world = a_world()
    deadly, other = world.upload("orders/deadly.csv", GOOD), world.upload("orders/2.csv", GOOD)
    world.kills = lambda drop: "deadly" in drop.name
    world.finish(one_bad)
    assert [world.drop(one).state for one in (deadly, other)] == ["failed", "rejected"]
    replay(world.ports, other)
    world.finish(one_bad)
    with_evidence(world)
    forgotten(world, other)

    assert len({step.batch for step in world.ledger.history(other)} - {None}) == 3
    assert traces(world, other) == []


class Meanwhile(Passing):
    """A store before whose first rewriting of a document somebody else acts."""

    def __init__(self, store: MemoryStore, act: Callable[[], object]) -> None:
        super().__init__(store)
        self._acts = [act]

    def put(self, *document: Any) -> None:
        if self._acts:
            self._acts.pop()()
        self._port.put(*document)


def test_two_who_forget_at_once_undo_nothing() -> None:
    world, (first, second, third) = ended(one_bad, *(f"orders/{n}.csv" for n in range(3)))
    kept, plain = traces(world, third), world.ports

    def other() -> None:
        world.ports = plain
        forgotten(world, second)

    world.ports = replace(plain, store=Meanwhile(world.store, other))
    forgotten(world, first)

    assert [traces(world, one) for one in (first, second, third)] == [[], [], kept]


def test_what_dead_runs_worked_with_is_erased_too() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    for many in (1, 1001):
        scratch = world.request().scratch
        for part in range(many):
            world.store.put(f"{scratch}lines/part-{part}", f"{drop_id} secret".encode(), "")
        world.deliver_jobs(world.crash_jobs())
    world.finish(one_bad)
    forgotten(world, drop_id)

    assert traces(world, drop_id) == []


def test_evidence_of_any_number_of_files_is_erased() -> None:
    world, (drop_id, _) = ended(one_bad, "orders/1.csv", "orders/2.csv")
    (folder,) = {uri.rpartition("/")[0] for uri in world.store.objects if uri.endswith("part-0.parquet")}
    for part in range(1, 1002):
        world.store.put(f"{folder}/part-{part}.parquet", f"{drop_id} secret\n".encode(), "")
    forgotten(world, drop_id)

    assert traces(world, drop_id) == []


def kept_before(world: World, uri: str, body: bytes) -> None:
    """Let a key have been written before, and hidden in between, as tries and Spark's own renaming leave it."""
    now = world.store.objects[uri][None].body
    world.store.put(uri, body, "")
    world.store.delete(Location(uri))
    world.store.put(uri, now, "")


def test_every_former_version_of_a_drop_is_erased_and_every_marker() -> None:
    world, (first, second) = ended(one_bad, "orders/1.csv", "orders/2.csv")
    for uri in traces(world, first, OURS):
        kept_before(world, uri, f"{first} secret".encode())
    kept = {uri for uri in traces(world, second, OURS) if uri in world.store.objects}
    hidden = f"{world.request().scratch}lines/part-0"
    world.store.put(hidden, f"{first} secret".encode(), "")
    world.store.delete(Location(hidden))
    assert len(world.store.former) > 8
    forgotten(world, first)

    assert (traces(world, first), world.store.former) == ([], {})
    assert set(traces(world, second, OURS)) == kept


def test_what_others_have_is_never_shown_again() -> None:
    world, (first, second) = ended(one_bad, "orders/1.csv", "orders/2.csv")
    receipt = world.drop(second).receipt or ""
    world.store.delete(Location(receipt))
    forgotten(world, first)

    assert world.store.head(Location(receipt)) is None
    assert [one.marker for one in world.store.remaining(receipt)] == [False, True]


def test_header_line_goes_from_the_request_too() -> None:
    world, (first, second) = ended(one_bad, "orders/1.csv", "orders/2.csv")
    request = world.request()
    assert [one.id for one in request.drops] == [first, second]
    forgotten(world, first)

    uri = keys.request_uri(ZONES, request.batch, 1)
    assert [one.id for one in JobRequest.loads(world.store.get(uri)).drops] == [second]


def test_record_says_who_and_why_and_no_more_of_the_file() -> None:
    world, (drop_id,) = ended(one_bad)
    forgotten(world, drop_id)
    drop, steps = world.drop(drop_id), world.ledger.history(drop_id)

    assert drop.forgotten
    assert (drop.forgotten.by, drop.forgotten.because, drop.forgotten.done) == ("ann", "request 77", True)
    assert (drop.state, drop.verdict, drop.problems, drop.header_line, drop.receipt) == ("rejected",) * 2 + (
        (),
        None,
        None,
    )
    assert [(s.event, s.by) for s in steps[-2:]] == [("forgetting", "ann"), ("forgotten", None)]


@pytest.mark.parametrize("judge", [all_good, lambda *_: None], ids=["accepted", "failed"])
def test_what_consumers_have_stays_and_nothing_is_written_again(judge: Any) -> None:
    world, (drop_id,) = ended(judge)
    promoted = world.store.listing(ZONES.promoted)
    forgotten(world, drop_id)
    world.clock.pass_seconds(3600)
    reconcile(world.ports)

    assert world.store.listing(ZONES.promoted) == promoted
    assert traces(world, drop_id, "s3://internal/") == []
    assert not world.drop(drop_id).in_flight


def test_forgotten_drop_is_not_judged_again() -> None:
    world, (drop_id,) = ended(one_bad)
    forgotten(world, drop_id)
    answer = replay(world.ports, drop_id)

    assert isinstance(answer, NotReplayed)
    assert "uploaded again" in answer.reason


def receipt_comes_late(world: World, judge: Any, after: Exception | None = None) -> None:
    """A worker comes to its receipt once others have settled the drop, and somebody has forgotten it."""
    plain = world.ports

    def others() -> None:
        world.ports = plain
        world.finish(judge)
        forgotten(world, *world.drops())

    late = Stalled(plain.store, "put", others, lambda uri, *_: uri.startswith(ZONES.reports), after)
    world.ports = replace(plain, store=late)
    world.deliver_events()
    world.deliver_windows()
    world.end_jobs(judge)
    world.deliver_jobs()


@pytest.mark.parametrize(
    ("body", "judge"),
    [(GOOD, one_bad), (GOOD, all_good), (GOOD, lambda *_: None), (REFUSED, all_good)],
    ids=["rejected", "accepted", "failed", "refused"],
)
def test_receipt_that_comes_after_forgetting_is_erased(body: bytes, judge: Any) -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", body)
    receipt_comes_late(world, judge)

    assert world.drop(drop_id).forgotten
    assert traces(world, drop_id, "s3://internal/") == []


def test_receipt_of_a_late_worker_that_dies_is_erased_by_the_next() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    with pytest.raises(ServiceUnavailable):
        receipt_comes_late(world, one_bad, ServiceUnavailable("503 Slow Down"))
    assert traces(world, drop_id, ZONES.reports)
    forgotten(world, drop_id)

    assert traces(world, drop_id) == []


def broken_off(judge: Any) -> tuple[World, str]:
    """A drop that somebody began to forget, and died before the first byte was erased."""
    world, (drop_id,) = ended(judge)
    plain, fuse = world.ports, Fuse(1)
    world.ports = replace(plain, store=Watched(plain.store, fuse))
    with pytest.raises(Crash):
        forgotten(world, drop_id)
    world.ports = plain
    assert world.drop(drop_id).forgotten
    return world, drop_id


@pytest.mark.parametrize("judge", [one_bad, all_good, lambda *_: None], ids=["rejected", "accepted", "failed"])
def test_forgetting_that_is_begun_is_not_undone(judge: Any) -> None:
    world, drop_id = broken_off(judge)
    before = world.drop(drop_id)
    answers = [replay(world.ports, drop_id, retract=True), accept(world.ports, before, "ben", "all the same")]

    assert [type(one) for one in answers] == [NotReplayed, NotOverruled]
    assert world.drop(drop_id) == before
    forgotten(world, drop_id)
    assert traces(world, drop_id, "s3://internal/") == []


def tolerated() -> tuple[World, str]:
    """An accepted drop with a rejected row."""
    world = a_world([a_plan(tolerance=Limit(Decimal(1), "rows"))])
    drop_id = world.upload("orders/1.csv", GOOD)
    world.finish(one_bad)
    assert world.drop(drop_id).state == "accepted_with_warnings"
    return world, drop_id


@pytest.mark.parametrize(
    ("method", "when"),
    [("get_if_changed", "result"), ("remaining", "/rejected/")],
    ids=["before its result is written anew", "before its rejected rows are erased"],
)
def test_decision_while_a_drop_is_forgotten_brings_nothing_of_it_back(method: str, when: str) -> None:
    world, drop_id = tolerated()
    plain = world.ports

    def meanwhile() -> None:
        assert isinstance(reject(plain, world.drop(drop_id), "ben", "recalled"), Overruled)

    slow = replace(plain, store=Stalled(plain.store, method, meanwhile, lambda uri, *_: when in uri))
    answer = forget(slow, world.drop(drop_id), "ann", "77", without)
    assert isinstance(answer, NotForgotten)
    assert "call it again" in answer.reason
    receipt = json.loads(world.store.get(world.drop(drop_id).receipt or ""))
    assert (receipt["problems"][0]["code"], receipt["checks"], receipt["rejected_rows"]) == (
        "rejected-by-person",
        [],
        None,
    )

    forgotten(world, drop_id)
    assert traces(world, drop_id, "s3://internal/") == []


def test_promoted_file_must_be_withdrawn_before_it_is_erased() -> None:
    world, (drop_id,) = ended(all_good)
    answer = forget(world.ports, world.drop(drop_id), "ann", "77", without, promoted=True)
    assert isinstance(answer, NotForgotten)
    assert "dropgate reject" in answer.reason

    reject(world.ports, world.drop(drop_id), "ann", "77")
    forgotten(world, drop_id, promoted=True)
    assert traces(world, drop_id) == []


def in_a_table() -> tuple[World, str]:
    """A drop whose rows are in a table, in files of its own."""
    world, (drop_id,) = ended(all_good, promote="table")
    world.store.put(f"{TABLE}_delta_log/0.json", b"{}", "")
    assert len(own_files(world, drop_id)) == 2
    return world, drop_id


def own_files(world: World, drop_id: str) -> list[str]:
    return [uri for uri in world.store.objects if uri.startswith(f"{TABLE}{keys.data_folder(drop_id)}")]


def test_files_with_rows_that_were_withdrawn_from_a_table_are_erased() -> None:
    world, drop_id = in_a_table()
    reject(world.ports, world.drop(drop_id), "ann", "77")
    assert len(own_files(world, drop_id)) == 2
    done = forgotten(world, drop_id, promoted=True)

    assert done.tables == (TABLE,)
    assert traces(world, drop_id) == []


def test_files_that_a_table_names_stay() -> None:
    world, drop_id = in_a_table()
    reject(world.ports, world.drop(drop_id), "ann", "77")
    named, other = own_files(world, drop_id)
    world.tables.written[TABLE] = {named.removeprefix(TABLE): CopyTag("o" * 32, 1)}
    world.tables.rows[TABLE]["o" * 32] = 1, 3
    assert other in forgotten(world, drop_id, promoted=True).objects

    assert own_files(world, drop_id) == [named]


def test_rows_that_are_in_a_table_must_be_taken_out_before() -> None:
    world, drop_id = in_a_table()
    reject(world.ports, world.drop(drop_id), "ann", "77")
    world.tables.rows[TABLE][drop_id] = 1, 3  # as where the table was restored
    answer = forget(world.ports, world.drop(drop_id), "ann", "77", without, promoted=True)

    assert isinstance(answer, NotForgotten)
    assert "has 3 rows of it: `dropgate doctor --repair`" in answer.reason
    assert world.drop(drop_id).forgotten is None


def test_files_in_the_table_stay_unless_asked_for() -> None:
    world, drop_id = in_a_table()
    reject(world.ports, world.drop(drop_id), "ann", "77")
    done = forgotten(world, drop_id)

    assert (done.tables, len(own_files(world, drop_id))) == ((), 2)


def test_drop_under_way_is_not_forgotten() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    answer = forget(world.ports, world.drop(drop_id), "ann", "77", without)

    assert isinstance(answer, NotForgotten)
    assert "not over" in answer.reason


def test_what_is_left_is_listed_before() -> None:
    world, (drop_id,) = ended(one_bad)
    listed = {one.uri for one in left(world.ports, world.drop(drop_id), promoted=False)}

    assert listed == {uri for uri in traces(world, drop_id) if drop_id in uri or "/held/" in uri}


@SIDES
def test_forgetting_broken_off_anywhere_is_done_by_the_next(after: bool) -> None:
    for fuse in every_call(after):
        world, (first, second) = ended(one_bad, "orders/1.csv", "orders/2.csv")
        watch, plain = Watch(world), world.ports
        watch.look()
        kept = traces(world, second)
        world.with_ports(lambda port, fuse=fuse: Watched(port, fuse))  # type: ignore[misc]
        try:
            forgotten(world, first)
        except Crash:
            world.ports = plain
            watch.look()
            forgotten(world, first)
        world.ports = plain
        watch.look_at_the_end()
        assert (traces(world, first), traces(world, second)) == ([], kept), fuse.at


@SIDES
def test_erasing_what_a_table_had_is_done_by_the_next(after: bool) -> None:
    for fuse in every_call(after):
        world, drop_id = in_a_table()
        reject(world.ports, world.drop(drop_id), "ann", "77")
        plain = world.ports
        world.with_ports(lambda port, fuse=fuse: Watched(port, fuse))  # type: ignore[misc]
        try:
            forgotten(world, drop_id, promoted=True)
        except Crash:
            world.ports = plain
            forgotten(world, drop_id, promoted=True)
        world.ports = plain
        assert traces(world, drop_id) == [], fuse.at
