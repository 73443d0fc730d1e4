"""Documents and items that others wrote, or that are cut short: each has an answer by name and changes nothing else."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from contracts.errors import DocumentInvalid, ServiceUnavailable
from contracts.job import DropResult, JobDrop, JobRequest, JobResult
from contracts.plan import Plan
from contracts.terms.file_sets import SetRule
from functions.aws.items import drop_item, dumps
from functions.doctor.compare import differences
from functions.drop import Created, Drop, Location
from functions.flow.finalize import job_ended
from functions.flow.ingest import ingest
from functions.handlers.object_created import created
from functions.operations.replay import Replayed, replay
from functions.ports.jobs import RunStatus
from functions.ports.store import CopyTag, Stat
from functions.schedule.reconcile import reconcile
from functions.schedule.stuck import age, stuck
from tests.builders import ZONES, World, a_plan, a_world, all_good, answer, publish

BESIDE = "beside.csv"
GOOD = b"id,note\n1,a\n"
CUT, OTHER_BATCH, OLDER_TRY, NO_TEXT = "cut short", "another batch", "an older try", "no text"
NO_BEGIN, NO_END = "begun at no time", "ended at no time"
UNREAD: dict[str, Callable[[JobResult], bytes]] = {
    CUT: lambda result: result.dumps().encode()[:-9],
    OTHER_BATCH: lambda result: _dumps(replace(result, header=replace(result.header, batch="b" * 32))),
    OLDER_TRY: lambda result: _dumps(replace(result, header=replace(result.header, try_=0))),
    NO_TEXT: lambda result: b"\xff" + result.dumps().encode(),
    NO_BEGIN: lambda result: _dumps(replace(result, header=replace(result.header, started_at="today"))),
    NO_END: lambda result: _dumps(replace(result, header=replace(result.header, ended_at="today"))),
}
"""Results that are not this run's: as if there were none, the batch is tried again."""

FAILED: dict[str, tuple[str, Callable[[JobResult], JobResult]]] = {
    "without the drop": ("result-missing", lambda result: replace(result, drops=result.drops[1:])),
    "of another drop": ("result-missing", lambda result: _of_drop(result, drop="e" * 32)),
    "of an older attempt": ("result-missing", lambda result: _of_drop(result, attempt=0)),
    "more rows than fit": ("rows-do-not-add-up", lambda result: _of_drop(result, read=7, valid=7)),
    "more valid rows than read": ("rows-do-not-add-up", lambda result: _of_drop(result, valid=4)),
    "other checks": ("checks-do-not-match", lambda result: _of_drop(result, counts=())),
}
"""Results that are this run's and say what cannot be: the drop is failed, never rejected, with a receipt."""


def _dumps(result: JobResult) -> bytes:
    return result.dumps().encode()


def _of_drop(result: JobResult, **changes: object) -> JobResult:
    first, *others = result.drops
    return replace(result, drops=(replace(first, **changes), *others))  # type: ignore[arg-type]


def at_work() -> tuple[World, str, str, JobRequest]:
    """A drop whose job is at work, and beside it a good one that nothing may happen to."""
    world = a_world()
    drop, _ = world.upload("orders/1.csv", GOOD), world.upload(f"orders/{BESIDE}", GOOD)
    world.deliver_events()
    world.deliver_windows()
    (run,) = world.jobs.working()
    return world, drop, run, world.request()


def only_the_other_is_promoted(world: World) -> bool:
    """Return True if the good drop is accepted with its receipt, and consumers see only that."""
    (other,) = (drop for drop in world.drops().values() if drop.name.endswith(BESIDE))
    receipt = json.loads(world.store.get(other.receipt or ""))
    seen = world.store.listing(ZONES.promoted)
    return (other.state, receipt["verdict"], seen) == ("accepted", "accepted", {f"orders.v1/orders/{BESIDE}": GOOD})


def end(world: World, run: str, request: JobRequest, body: bytes) -> None:
    world.store.put(request.result, body, "application/json")
    world.jobs.ended[run] = RunStatus("success")
    job_ended(world.ports, run)


@pytest.mark.parametrize("how", UNREAD)
def test_result_that_is_not_this_runs_is_as_good_as_none(how: str) -> None:
    world, drop, run, request = at_work()
    end(world, run, request, UNREAD[how](answer(request)))

    assert (world.drop(drop).state, world.drop(drop).try_) == ("validating", 2)
    assert world.store.listing(ZONES.promoted) == {}
    world.finish()
    assert {one.state for one in world.drops().values()} == {"accepted"}


@pytest.mark.parametrize("how", FAILED)
def test_result_that_says_what_cannot_be_fails_the_drop(how: str) -> None:
    code, changed = FAILED[how]
    world, drop, run, request = at_work()
    end(world, run, request, _dumps(changed(answer(request))))
    failed = world.drop(drop)

    assert (failed.state, failed.verdict, [p.code for p in failed.problems]) == ("failed", None, [code])
    assert json.loads(world.store.get(failed.receipt or ""))["verdict"] is None
    assert only_the_other_is_promoted(world)


@pytest.mark.parametrize(
    ("body", "most"), [(b"id,note\n1,a\n", 6), (b"id,note\n1,ab", 6), (b"id,note\n1,ab\n", 7), (b"id\n1\n2", 3)]
)
def test_file_may_have_as_many_rows_as_fit_and_no_more(body: bytes, most: int) -> None:
    for read, state in ((most, "accepted"), (most + 1, "failed")):
        world = a_world([a_plan(names=("id",)) if b"note" not in body else a_plan()])
        drop = world.upload("orders/1.csv", body)
        world.finish(lambda plan, one, read=read: replace(all_good(plan, one), read=read, valid=read))  # type: ignore[misc]

        assert (len(body) + 1) // 2 == most
        assert world.drop(drop).state == state


def test_more_rows_than_any_file_has_hold_up_no_other_drop() -> None:
    world = a_world([a_plan(files=("orders/*.csv.gz",), compression="gzip")])
    drop = world.upload("orders/1.csv.gz", gzip.compress(GOOD))
    other = world.upload("orders/2.csv.gz", gzip.compress(GOOD))

    def judge(plan: Plan, one: JobDrop) -> DropResult:
        good = all_good(plan, one)
        return replace(good, read=10**40, valid=10**40) if one.id == drop else good

    world.finish(judge)

    assert [dumps(drop_item(world.drop(one)))["state"]["S"] for one in (drop, other)] == ["failed", "accepted"]
    assert [p.code for p in world.drop(drop).problems] == ["rows-do-not-add-up"]


def test_receipt_of_somebody_else_is_written_over() -> None:
    world, drop, run, request = at_work()
    place = f"{ZONES.reports}shop/{drop}/1/receipt.json"
    world.store.put(place, b'{"drop": "e', "application/json")
    end(world, run, request, _dumps(answer(request)))

    assert world.drop(drop).receipt == place
    assert {one.state for one in world.drops().values()} == {"accepted"}
    assert json.loads(world.store.get(place))["verdict"] == "accepted"


def test_former_item_of_a_drop_rewrites_no_history() -> None:
    world, drop, run, request = at_work()
    former = world.drop(drop)
    end(world, run, request, _dumps(answer(request)))
    steps = world.ledger.history(drop)
    world.ledger._drops[drop] = former
    world.ledger._batches[request.batch] = replace(world.ledger._batches[request.batch], state="running")
    world.finish()

    assert world.ledger.history(drop) == steps
    assert world.drop(drop) == former
    ages: list[timedelta] = []
    reconcile(world.ports, standing=ages.append)
    assert ages[0] > timedelta(minutes=15)  # what DropsStuck watches
    assert set(world.store.listing(ZONES.promoted)) == {"orders.v1/orders/1.csv", f"orders.v1/orders/{BESIDE}"}


OTHER = Location(f"{ZONES.held}other")
EDITS: dict[str, Callable[[Drop], Drop]] = {
    "other bytes": lambda drop: replace(drop, source=replace(OTHER, etag=drop.source.etag)),
    "another key": lambda drop: _sent(drop, key="orders.v1/orders/other.csv"),
    "other rows": lambda drop: _sent(drop, rows=OTHER),
    "another upload": lambda drop: replace(drop, key="orders/other.csv", name="orders/other.csv"),
    "a verdict that bars it": lambda drop: replace(drop, verdict="rejected"),
    "no verdict": lambda drop: replace(drop, verdict=None),
}
"""Edits by hand of the item of a drop that is about to be promoted."""


def _sent(drop: Drop, **changes: object) -> Drop:
    assert drop.promoted
    return replace(drop, promoted=replace(drop.promoted, **changes))  # type: ignore[arg-type]


def nearly_promoted(world: World, drop: str, run: str, request: JobRequest) -> None:
    """Let the copy of one drop be refused, once."""
    plain = world.store.copy

    def copy(source: Location, target: str, tag: CopyTag, replaces: str | None = None) -> Stat:
        if tag.drop == drop:
            raise ServiceUnavailable("S3 says SlowDown")
        return plain(source, target, tag, replaces)

    world.store.copy = copy  # type: ignore[method-assign]
    with pytest.raises(ServiceUnavailable):
        end(world, run, request, _dumps(answer(request)))
    world.store.copy = plain  # type: ignore[method-assign]


def test_edited_item_of_an_unmatched_upload_fails_with_a_receipt() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.txt", GOOD)
    world.deliver_events()
    edited = replace(world.drop(drop_id), state="received", receipt=None, source=Location(f"{ZONES.promoted}x"))
    world.ledger._drops[drop_id] = edited
    world.finish()
    failed = world.drop(drop_id)

    assert (failed.state, failed.in_flight, [p.code for p in failed.problems]) == ("failed", False, ["record-edited"])
    assert json.loads(world.store.get(failed.receipt or ""))["failure"]["code"] == "record-edited"


@pytest.mark.parametrize("how", EDITS)
def test_edited_item_fails_and_holds_up_nobody(how: str) -> None:
    world, drop, run, request = at_work()
    world.store.upload(OTHER, GOOD)
    nearly_promoted(world, drop, run, request)
    world.ledger._drops[drop] = EDITS[how](world.drop(drop))
    job_ended(world.ports, run)
    failed = world.drop(drop)

    assert (failed.state, failed.verdict, [p.code for p in failed.problems]) == ("failed", None, ["record-edited"])
    assert json.loads(world.store.get(failed.receipt or ""))["verdict"] is None
    assert only_the_other_is_promoted(world)
    assert world.ledger.taken_slots() == {}
    assert reconcile(world.ports) == ()


@pytest.mark.parametrize("how", sorted(EDITS.keys() - {"another upload"}))
def test_key_of_an_edited_item_is_free_for_the_next_upload(how: str) -> None:
    world, drop, run, request = at_work()
    nearly_promoted(world, drop, run, request)
    world.ledger._drops[drop] = EDITS[how](world.drop(drop))
    job_ended(world.ports, run)
    newer = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()

    assert world.drop(newer).state == "accepted"


def repair(world: World) -> None:
    for one in differences(world.ports, ["orders.v1"], ["2026-01"]):
        if one.repair:
            one.repair()


@pytest.mark.parametrize("mend", ["replay", "repair"])
def test_key_that_an_edited_item_held_is_free_once_it_is_mended(mend: str) -> None:
    world, drop, run, request = at_work()
    nearly_promoted(world, drop, run, request)
    own = world.drop(drop)
    world.ledger._drops[drop] = EDITS["another upload"](own)
    job_ended(world.ports, run)
    newer = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()
    repair(world)
    world.finish()
    assert world.drop(newer).state == "validating"
    world.ledger._drops[drop] = replace(world.drop(drop), key=own.key, name=own.name)
    if mend == "replay":
        assert isinstance(replay(world.ports, drop), Replayed)
    else:
        repair(world)
    world.finish()

    assert world.drop(newer).state == "accepted"


def test_edited_item_is_judged_again_once_it_is_mended() -> None:
    world, drop, run, request = at_work()
    own = world.drop(drop).source
    world.ledger._drops[drop] = EDITS["other bytes"](world.drop(drop))
    world.store.upload(OTHER, GOOD)
    end(world, run, request, _dumps(answer(request)))
    assert isinstance(replay(world.ports, drop), Replayed)
    assert [p.code for p in world.drop(drop).problems] == ["record-edited"]
    world.ledger._drops[drop] = replace(world.drop(drop), source=own)
    replay(world.ports, drop)
    world.finish()

    assert (world.drop(drop).state, world.drop(drop).attempt) == ("accepted", 3)


@pytest.mark.parametrize("body", [GOOD, b"ID,note\n1,a\n"], ids=["judged", "refused"])
def test_drop_that_names_another_upload_takes_none_of_it(body: bytes) -> None:
    world = a_world()
    drop = world.upload("orders/1.csv", b"ID,note\n1,a\n")
    world.finish()
    world.upload("orders/2.csv", body)
    theirs = Location(f"{ZONES.landing}orders/2.csv", "v2")
    world.ledger._drops[drop] = replace(world.drop(drop), source=theirs)
    replay(world.ports, drop)

    assert (world.drop(drop).state, [p.code for p in world.drop(drop).problems]) == ("failed", ["record-edited"])
    assert world.store.read(theirs, 0, 99) == body
    assert world.store.listing(ZONES.promoted) == {}


def test_drop_that_cannot_be_read_holds_up_none_of_its_batch() -> None:
    world, drop, run, request = at_work()
    world.ledger.unreadable.add(drop)
    end(world, run, request, _dumps(answer(request)))
    assert only_the_other_is_promoted(world)
    world.clock.pass_seconds(120)
    assert [trouble.what for trouble in reconcile(world.ports)] == [f"item D#{drop}"]
    world.ledger.unreadable.clear()
    world.reconcile()

    assert (world.drop(drop).state, world.ledger.taken_slots()) == ("accepted", {})


def test_next_try_goes_without_a_drop_that_cannot_be_read() -> None:
    world, drop, run, _ = at_work()
    world.ledger.unreadable.add(drop)
    world.crash_jobs()
    job_ended(world.ports, run)
    assert [one.name for one in world.request().drops] == [f"orders/{BESIDE}"]
    world.finish()
    assert only_the_other_is_promoted(world)
    world.ledger.unreadable.clear()
    world.finish()

    assert [p.code for p in world.drop(drop).problems] == ["result-missing"]  # no run of its batch is left to judge it
    assert world.ledger.taken_slots() == {}


def test_drop_that_cannot_be_read_keeps_its_batch_when_others_fail() -> None:
    world, drop, _, request = at_work()
    world.ledger.unreadable.add(drop)
    for _ in range(4):
        world.crash_jobs()
        world.reconcile()
    batch = world.ledger.batch(request.batch)
    assert batch
    assert ([d.state for d in world.drops().values() if d.id != drop], batch.state) == (["failed"], "running")
    world.ledger.unreadable.clear()
    world.reconcile()

    assert (world.drop(drop).state, world.ledger.taken_slots()) == ("failed", {})


def test_batch_waits_where_none_of_its_drops_can_be_read() -> None:
    world, _, run, _ = at_work()
    world.ledger.unreadable.update(world.drops())
    world.crash_jobs()
    with pytest.raises(DocumentInvalid, match="cannot be read: repair the items, or deploy the version that reads"):
        job_ended(world.ports, run)
    world.ledger.unreadable.clear()
    world.finish()

    assert {one.state for one in world.drops().values()} == {"accepted"}


def delete_item(world: World, drop: str) -> None:
    del world.ledger._drops[drop]
    world.ledger.unreadable.discard(drop)


def test_batch_ends_once_an_unreadable_item_is_deleted() -> None:
    world, drop, run, request = at_work()
    world.ledger.unreadable.add(drop)
    end(world, run, request, _dumps(answer(request)))
    assert world.ledger.taken_slots() != {}
    delete_item(world, drop)
    world.reconcile()

    assert world.ledger.taken_slots() == {}
    assert only_the_other_is_promoted(world)


def test_batch_ends_where_all_its_items_are_deleted() -> None:
    world, _, run, request = at_work()
    for drop in world.drops():
        delete_item(world, drop)
    world.crash_jobs()
    job_ended(world.ports, run)

    assert (world.ledger.taken_slots(), len(world.jobs.runs)) == ({}, 1)
    assert (ended := world.ledger.batch(request.batch))
    assert (ended.state, ended.reason) == ("ended", "no member was left")


@pytest.mark.parametrize("mended_after", [0, 7], ids=["mended at once", "mended after hours"])
def test_evidence_of_what_was_judged_outlives_the_result(mended_after: int) -> None:
    world, drop, run, request = at_work()
    world.ledger.unreadable.add(drop)
    world.store.put(f"{request.evidence_rows}part-0", b"rows", "application/octet-stream")
    end(world, run, request, _dumps(answer(request)))
    world.store.delete(Location(request.result))
    for _ in range(mended_after):
        world.clock.pass_seconds(3600)
        world.reconcile()
    world.ledger.unreadable.clear()
    world.finish()

    assert world.store.get(f"{request.evidence_rows}part-0") == b"rows"
    assert len(world.jobs.runs) == 1
    assert (world.drop(drop).state, [p.code for p in world.drop(drop).problems]) == ("failed", ["result-missing"])
    assert only_the_other_is_promoted(world)
    assert world.ledger.taken_slots() == {}


def test_waiting_drop_that_cannot_be_read_holds_up_no_other() -> None:
    world = a_world()
    drop, _ = world.upload("orders/1.csv", GOOD), world.upload(f"orders/{BESIDE}", GOOD)
    world.deliver_events()
    world.ledger.unreadable.add(drop)
    world.finish()
    assert only_the_other_is_promoted(world)
    world.ledger.unreadable.clear()
    world.finish()

    assert world.drop(drop).state == "accepted"


@pytest.mark.parametrize("when", ["2026-01-01T00:00:00Z", "1", ""])
def test_drop_of_no_time_of_ours_is_told_and_holds_up_no_other(when: str) -> None:
    world, edited, _, _ = at_work()
    late = world.upload("orders/late.csv", GOOD)
    world.deliver_events()
    world.ledger._drops[late] = replace(world.drop(late), state="received", staged_at=None)
    world.ledger._drops[edited] = replace(world.drop(edited), changed_at=when)
    world.clock.pass_seconds(7200)
    stood: list[timedelta] = []
    shown = {one.id: age(world.ports, one) for one in stuck(world.ports, timedelta(hours=1))}
    troubles = reconcile(world.ports, standing=stood.append)

    assert [t.what for t in troubles] == [f"drop {edited}"]
    assert (world.drop(late).state, len(stood), stood[0] >= timedelta(hours=2)) == ("staged", 1, True)
    assert (shown[edited], (shown[late] or timedelta()) >= timedelta(hours=2)) == (None, True)
    world.finish()
    assert {d.state for d in world.drops().values()} == {"accepted"}


@pytest.mark.parametrize("what", ["batch", "window", "set"])
def test_what_is_open_since_no_time_of_ours_is_told(what: str) -> None:
    rule = SetRule(("day",), 3600, marker="sets/{day}/_SUCCESS")
    world = a_world([a_plan(), a_plan("sets.v1", files=("sets/{day}/*.csv",), set=rule)])
    world.upload("sets/31/1.csv", GOOD)
    world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    world.upload("orders/2.csv", GOOD)
    world.deliver_events()
    ledger: Any = world.ledger
    held, name = {
        "batch": (ledger._batches, "changed_at"),
        "window": (ledger._windows, "due_at"),
        "set": (ledger._sets, "look_at"),
    }[what]
    for key, value in held.items():
        held[key] = replace(value, **{name: "2026-01-01T00:00:00Z"})
    world.clock.pass_seconds(120)

    assert [t.what.partition(" ")[0] for t in reconcile(world.ports)] == [what]


ELSEWHERE = [
    ("elsewhere", "orders/1.csv"),
    ("internal", "stage/orders.v1/20260131T1200/d/1.csv"),
    ("promoted", "orders.v1/orders/1.csv"),
]


@pytest.mark.parametrize(("bucket", "key"), ELSEWHERE)
def test_event_of_a_place_that_is_not_landing_does_nothing(bucket: str, key: str) -> None:
    world = a_world()
    before = dict(world.store.objects)

    assert ingest(world.ports, Created(bucket, key, "v1", "e", 12, "01")) is None
    assert (world.drops(), world.store.objects) == ({}, before)


@pytest.mark.parametrize("name", ["orders/../../promoted/orders.v1/1.csv", "orders/./1.csv"])
def test_key_that_reaches_for_another_zone_is_refused(name: str) -> None:
    world = World((replace(a_world().plans[0], files=("orders/**",)),))
    drop = world.upload(name, GOOD)
    world.finish()

    assert world.drop(drop).state == "rejected"
    assert [p.code for p in world.drop(drop).problems] == ["name-dot-parts"]
    assert world.store.listing(ZONES.promoted) == {}


@pytest.mark.parametrize("version", [{}, {"version-id": "null"}], ids=["without", "suspended"])
def test_event_without_a_version_comes_again_until_a_person_looks(version: dict[str, str]) -> None:
    world = a_world()
    thing = {"key": "orders/1.csv", "size": 12, "etag": "e", "sequencer": "01", **version}
    event = created(json.dumps({"detail": {"bucket": {"name": "landing"}, "object": thing}}))

    with pytest.raises(DocumentInvalid, match="the bucket landing keeps no versions of orders"):
        ingest(world.ports, event)
    assert world.drops() == {}


def test_object_without_a_version_is_a_trouble_and_holds_up_no_other() -> None:
    world = a_world()
    for n in range(21):
        world.store.upload(Location(f"{ZONES.landing}orders/{n:02}.csv", "null"), GOOD, world.ports.at())
    world.store.upload(Location(f"{ZONES.landing}orders/99.csv", "v1"), GOOD, world.ports.at())
    world.clock.pass_seconds(3600)
    troubles = reconcile(world.ports)

    assert [drop.name for drop in world.drops().values()] == ["orders/99.csv"]
    assert {trouble.reason.partition(" of ")[0] for trouble in troubles} == {"the bucket landing keeps no versions"}


STRICTER = a_plan(files=("orders/*.txt",))


def put_in_force(world: World, hour: int) -> None:
    publish(world.store, ZONES.catalog, [STRICTER], f"2026-02-01T{hour:02}:00:00+00:00")


def test_pointer_that_is_set_back_is_a_trouble_until_a_publish() -> None:
    world = a_world()
    assert reconcile(world.ports) == ()
    put_in_force(world, 10)
    assert reconcile(world.ports) == ()
    world.publish(world.plans)
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()

    for _ in range(2):
        (trouble,) = reconcile(world.ports)
        assert trouble.what == "catalog"
        assert "somebody has put a former one back" in trouble.reason
    assert (world.drop(drop).state, world.drop(drop).plan) == ("accepted", world.plans[0].sha)
    put_in_force(world, 11)
    assert reconcile(world.ports) == ()


def test_going_back_by_a_publish_is_no_trouble() -> None:
    world = a_world()
    put_in_force(world, 10)
    assert reconcile(world.ports) == ()
    publish(world.store, ZONES.catalog, world.plans, "2026-02-01T11:00:00+00:00")

    assert reconcile(world.ports) == ()


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("yesterday", "not a time"),
        ("0001-01-01T00:00:00+14:00", "not a time"),
        ("9999-12-31T23:59:59", "still to come"),
        ("2026-02-03T00:00:00+00:00", "still to come"),
    ],
)
def test_pointer_of_no_time_is_a_trouble_until_a_publish(when: str, why: str) -> None:
    world = a_world()
    publish(world.store, ZONES.catalog, world.plans, when)

    (trouble,) = reconcile(world.ports)
    assert (trouble.what, why in trouble.reason) == ("catalog", True)
    put_in_force(world, 10)
    assert reconcile(world.ports) == ()
