"""A run that has ended: each drop is decided by its facts, promoted, rejected or failed, and has a receipt."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import ObjectUnreadable, ServiceUnavailable
from contracts.job import DropResult, JobDrop
from contracts.plan import Csv, Limit, Plan
from contracts.problem import Problem
from contracts.table import TableColumn
from contracts.terms.trailer import Trailer, TrailerReading
from functions import keys
from functions.drop import Drop, Location, Promotion, RowCounts, Transition, advance
from functions.flow.conclude import finish
from functions.flow.finalize import job_ended
from functions.operations.override import reject
from functions.operations.replay import replay
from functions.ports.jobs import RunStatus
from functions.ports.lineages import Lineage
from functions.ports.store import CopyTag
from tests.builders import REJECTED, ZONES, Judge, World, a_plan, a_world, all_good, one_bad, valid_rows
from tests.faults import Passing, Stalled, into

GOOD = b"id,note\n1,a\n"


def running(*names: str, world: World | None = None) -> tuple[World, list[str]]:
    """Drops whose job is at work."""
    world = world or a_world()
    ids = [world.upload(name, GOOD) for name in names]
    world.deliver_events()
    world.deliver_windows()
    return world, ids


def settled(judge: Judge, *names: str, world: World | None = None) -> tuple[World, list[str]]:
    """Drops whose job has ended."""
    world, ids = running(*names, world=world)
    world.deliver_jobs(world.end_jobs(judge))
    return world, ids


def receipt(world: World, drop_id: str) -> dict[str, Any]:
    return dict(json.loads(world.store.get(world.drop(drop_id).receipt or "")))


def test_good_drop_is_promoted_as_it_came() -> None:
    world, (drop_id,) = settled(all_good, "orders/1.csv")
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.rows and drop.rows.read) == ("accepted", "accepted", 3)
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}
    assert receipt(world, drop_id)["promoted"] == "s3://promoted/orders.v1/orders/1.csv"


def test_bad_drop_is_rejected_and_not_promoted() -> None:
    world, (drop_id,) = settled(one_bad, "orders/1.csv")
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.problems[0].code) == ("rejected", "rejected", "check-required")
    assert world.store.listing(ZONES.promoted) == {}
    assert (receipt(world, drop_id)["rejected_rows"], receipt(world, drop_id)["promoted"]) == ("rejected.csv", None)
    assert world.store.get(f"s3://internal/reports/shop/{drop_id}/1/rejected.csv") == REJECTED


@dataclass
class Heavy:
    """A store in which the rows that a job has left are more than one copy moves."""

    inner: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def copy(self, source: Location, *more: Any) -> Any:
        if "/rejected/" in source.uri:
            raise ObjectUnreadable(source.uri)
        return self.inner.copy(source, *more)


def test_receipt_names_no_rejected_rows_that_cannot_be_brought() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.with_ports(lambda port: Heavy(port) if port is world.store else port)
    world.finish(one_bad)

    assert (world.drop(drop_id).state, receipt(world, drop_id)["rejected_rows"]) == ("rejected", None)


def test_receipt_names_no_rejected_rows_where_none_are_left() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.deliver_windows()
    runs = world.end_jobs(one_bad)
    world.store.delete(Location(f"{world.request().drops[0].rejected}rejected.csv"))
    world.deliver_jobs(runs)

    assert (world.drop(drop_id).state, receipt(world, drop_id)["rejected_rows"]) == ("rejected", None)


def test_tolerated_rows_are_a_warning() -> None:
    tolerant = a_plan(tolerance=Limit(Decimal(50), "percent"))
    world, (drop_id,) = settled(one_bad, "orders/1.csv", world=a_world(contracts=[tolerant]))

    assert world.drop(drop_id).state == "accepted_with_warnings"
    assert list(world.store.listing(ZONES.promoted)) == ["orders.v1/orders/1.csv"]


def test_drops_of_one_batch_are_judged_one_by_one() -> None:
    def judge(plan: Plan, drop: JobDrop) -> DropResult | None:
        return {"orders/1.csv": all_good(plan, drop), "orders/2.csv": one_bad(plan, drop)}.get(drop.name)

    world, ids = settled(judge, "orders/1.csv", "orders/2.csv", "orders/3.csv")

    assert [world.drop(i).state for i in ids] == ["accepted", "rejected", "failed"]
    assert world.drop(ids[2]).problems[0].code == "result-missing"


def test_drop_the_job_could_not_read_fails_alone() -> None:
    def unreadable(_: Plan, drop: JobDrop) -> DropResult:
        return DropResult(drop.id, drop.attempt, failure=Problem("unreadable", "It could not be read.", "We look."))

    world, (drop_id,) = settled(unreadable, "orders/1.csv")
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.rows, drop.problems[0].code) == ("failed", None, None, "unreadable")
    assert receipt(world, drop_id)["verdict"] is None


def test_event_before_its_run_is_known_comes_again() -> None:
    with pytest.raises(ServiceUnavailable):
        job_ended(a_world().ports, "run-9")


def test_event_of_a_run_that_still_works_changes_nothing() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.deliver_jobs(["run-1"])

    assert world.drop(drop_id).state == "validating"


def test_repeated_event_changes_nothing() -> None:
    world, _ = settled(all_good, "orders/1.csv")
    drops, objects = world.drops(), world.store.listing("s3://")
    world.deliver_jobs()

    assert (world.drops(), world.store.listing("s3://")) == (drops, objects)


def test_crashed_job_is_tried_again() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.deliver_jobs(world.crash_jobs())
    assert (world.drop(drop_id).state, world.drop(drop_id).try_) == ("validating", 2)
    world.deliver_jobs(world.end_jobs())

    assert world.drop(drop_id).state == "accepted"
    assert [token[-2:] for token in world.jobs.runs] == ["-1", "-2"]


def test_late_event_of_a_former_try_changes_nothing() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.deliver_jobs(first := world.crash_jobs())
    world.deliver_jobs(first)

    assert (world.drop(drop_id).try_, len(world.jobs.runs)) == (2, 2)


def test_last_crash_fails_the_drop() -> None:
    world, (drop_id,) = running("orders/1.csv")
    for _ in range(3):
        world.deliver_jobs(world.crash_jobs())

    assert (world.drop(drop_id).state, world.drop(drop_id).problems[0].code) == ("failed", "job-failed")
    assert len(world.jobs.runs) == 3
    batch = world.ledger.batch(world.drop(drop_id).batch or "")
    assert batch
    assert (batch.state, batch.reason) == ("ended", "out of memory")
    assert "out of memory" not in str(receipt(world, drop_id))


def test_result_that_cannot_be_read_is_a_failed_try() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.jobs.ended["run-1"] = RunStatus("success")
    world.deliver_jobs()
    assert world.drop(drop_id).try_ == 2
    world.store.put(world.request().result, b"{", "application/json")
    world.jobs.ended["run-2"] = RunStatus("success")
    world.deliver_jobs()

    assert world.drop(drop_id).try_ == 3


def test_success_that_somebody_else_tells_is_not_believed() -> None:
    world, (drop_id,) = running("orders/1.csv")
    job_ended(world.ports, "run-1", "SUCCESS")

    assert (world.drop(drop_id).state, world.drop(drop_id).try_, len(world.jobs.runs)) == ("validating", 1, 1)


def test_result_of_another_try_is_not_believed() -> None:
    world, (drop_id,) = running("orders/1.csv")
    (run,) = world.end_jobs()
    uri = world.request().result
    world.store.put(uri, world.store.get(uri).replace(b'"try_":1', b'"try_":2'), "application/json")
    world.deliver_jobs([run])

    assert (world.drop(drop_id).state, world.drop(drop_id).try_) == ("validating", 2)


def test_corrected_file_replaces_the_promoted_one() -> None:
    world, _ = settled(all_good, "orders/1.csv")
    world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()

    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": b"id,note\n2,b\n"}


NEWER = b"id,note\n22,b\n"


def two_uploads(first_judged: str, judge: Judge = all_good, **changes: Any) -> tuple[World, str, str]:
    """Two uploads of a key in batches of their own; the job of the `old` or of the `new` one ends first."""
    world, (old,) = running("orders/1.csv", world=a_world([a_plan(**changes)]))
    new = world.upload("orders/1.csv", NEWER)
    world.deliver_events()
    world.clock.pass_seconds(120)
    world.deliver_windows()
    runs = world.end_jobs(judge)
    for run in runs if first_judged == "old" else reversed(runs):
        world.deliver_jobs([run])
    return world, old, new


def test_newer_upload_replaces_the_older() -> None:
    world, old, new = two_uploads("old")

    assert [world.drop(d).state for d in (old, new)] == ["accepted", "accepted"]
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": NEWER}


def test_older_upload_never_lands_on_a_newer() -> None:
    world, old, new = two_uploads("new")

    assert [world.drop(d).state for d in (old, new)] == ["superseded", "accepted"]
    assert world.states(old) == ["received", "staged", "validating", "superseded"]
    assert f"(drop {new})" in world.drop(old).problems[0].message
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": NEWER}


def test_rejected_newer_upload_supersedes_nothing() -> None:
    world, old, new = two_uploads("new", lambda p, d: (one_bad if d.size == len(NEWER) else all_good)(p, d))

    assert [world.drop(d).state for d in (old, new)] == ["accepted", "rejected"]
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}


@pytest.mark.parametrize("first", ["old", "new"])
def test_second_upload_of_a_key_is_rejected_where_the_contract_says_so(first: str) -> None:
    world, old, new = two_uploads(first, same_key="reject")
    good, bad = (old, new) if first == "old" else (new, old)
    page = receipt(world, bad)

    assert [world.drop(d).state for d in (good, bad)] == ["accepted", "rejected"]
    assert f"(drop {good})" in world.drop(bad).problems[0].message
    assert (page["verdict"], page["problems"][0]["code"], len(page["checks"])) == ("rejected", "key-used", 4)
    assert list(world.store.listing(ZONES.promoted).values()) == [GOOD if good == old else NEWER]


def test_what_others_did_is_told_once_where_the_result_is_lost() -> None:
    world, (first,) = settled(all_good, "orders/1.csv", world=a_world([a_plan(same_key="reject")]))
    again = world.upload("orders/1.csv", NEWER)
    world.deliver_events()
    world.clock.pass_seconds(120)
    world.deliver_windows()
    runs = world.end_jobs()
    world.ports = replace(world.ports, store=Unwritable(world.store))
    with pytest.raises(ServiceUnavailable):
        world.deliver_jobs(runs)
    world.ports = replace(world.ports, store=world.store)
    world.store.put(world.request().result, b"{", "application/json")
    world.finish()

    assert [world.drop(d).state for d in (first, again)] == ["accepted", "rejected"]
    assert [p["code"] for p in receipt(world, again)["problems"]] == ["key-used"]


class Unwritable(Passing):
    """A store in which nothing can be put."""

    def put(self, *_: object) -> None:
        raise ServiceUnavailable("no answer")


def twins(**changes: Any) -> tuple[World, list[str]]:
    """Two files with the same bytes under two keys, which share a batch, once everything has settled."""
    world, ids = settled(all_good, "orders/1.csv", "orders/2.csv", world=a_world([a_plan(**changes)]))
    world.finish()
    return world, ids


@pytest.mark.parametrize(
    ("rule", "state", "promoted"),
    [("allow", "accepted", 2), ("warn", "accepted_with_warnings", 2), ("reject", "rejected", 1)],
)
def test_same_bytes_under_another_key_are_told_of(rule: str, state: str, promoted: int) -> None:
    world, (first, second) = twins(same_content=rule)
    codes = [p["code"] for p in receipt(world, second)["problems"]]

    assert [world.drop(d).state for d in (first, second)] == ["accepted", state]
    assert codes == ([] if rule == "allow" else ["content-used"])
    assert len(world.store.listing(ZONES.promoted)) == promoted
    assert rule == "allow" or "under the key orders/1.csv" in world.drop(second).problems[0].message


def test_same_bytes_under_the_same_key_are_a_matter_of_the_key() -> None:
    world, _ = settled(all_good, "orders/1.csv", world=a_world([a_plan(same_content="reject")]))
    again = world.upload("orders/1.csv", GOOD)
    world.finish()

    assert world.drop(again).state == "accepted"


def test_content_without_a_checksum_is_not_called_new() -> None:
    world, (drop_id,) = running("orders/1.csv", world=a_world([a_plan(same_content="reject")]))
    world.ledger._drops[drop_id] = replace(world.drop(drop_id), sha256=None)
    world.deliver_jobs(world.end_jobs())

    assert (world.drop(drop_id).state, world.drop(drop_id).problems[0].code) == (
        "accepted_with_warnings",
        "content-unknown",
    )


def test_somebody_elses_promoted_object_is_not_overwritten() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.store.put("s3://promoted/orders.v1/orders/1.csv", b"theirs", "text/csv")
    world.deliver_jobs(world.end_jobs())

    assert (world.drop(drop_id).state, world.drop(drop_id).problems[0].code) == ("failed", "destination-taken")
    assert world.store.get("s3://promoted/orders.v1/orders/1.csv") == b"theirs"


def test_promoted_object_that_was_changed_is_not_overwritten() -> None:
    world, _ = settled(all_good, "orders/1.csv")
    world.store.put("s3://promoted/orders.v1/orders/1.csv", b"edited", "text/csv")
    second = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()

    assert (world.drop(second).state, world.drop(second).problems[0].code) == ("failed", "destination-taken")


def test_promoted_object_that_was_removed_is_written_anew() -> None:
    world, _ = settled(all_good, "orders/1.csv")
    world.store.delete(Location("s3://promoted/orders.v1/orders/1.csv"))
    second = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()

    assert world.drop(second).state == "accepted"


def test_staged_file_removed_before_promotion_fails() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.store.delete(world.drop(drop_id).source)
    world.deliver_jobs(world.end_jobs())

    assert (world.drop(drop_id).state, world.drop(drop_id).problems[0].code) == ("failed", "staged-gone")


def test_staged_file_replaced_before_promotion_fails() -> None:
    world, (drop_id,) = running("orders/1.csv")
    world.store.put(world.drop(drop_id).source.uri, b"id,note\n,\n", "text/csv")
    world.deliver_jobs(world.end_jobs())
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.problems[0].code) == ("failed", None, "staged-replaced")
    assert f"orders.v1/20260131T1200/{drop_id}/1.csv" in drop.problems[0].message
    assert "send it again" in drop.problems[0].fix
    assert world.store.listing(ZONES.promoted) == {}
    assert receipt(world, drop_id)["verdict"] is None


def test_promoted_before_the_staged_file_was_replaced_counts() -> None:
    world, (drop_id,) = decided("orders/1.csv")
    drop = world.drop(drop_id)
    world.store.copy(drop.source, "s3://promoted/orders.v1/orders/1.csv", CopyTag(drop_id, 1))
    world.store.put(drop.source.uri, b"id,note\n,\n", "text/csv")
    finish(world.ports, drop)

    assert world.drop(drop_id).state == "accepted"
    assert world.store.get("s3://promoted/orders.v1/orders/1.csv") == GOOD


def test_failed_promotion_frees_the_key() -> None:
    world, (first,) = running("orders/1.csv")
    world.store.delete(world.drop(first).source)
    world.deliver_jobs(world.end_jobs())
    second = world.upload("orders/1.csv", GOOD)
    world.finish()

    assert (world.drop(first).state, world.drop(second).state) == ("failed", "accepted")


def test_upload_waits_while_an_older_one_is_promoted() -> None:
    world, (drop_id,) = running("orders/1.csv")
    drop = world.drop(drop_id)
    name = keys.lineage_hash(drop.bucket, drop.key, "orders.v1")
    world.ledger._lineages[name] = Lineage(name, promoting="another", version=1)
    world.deliver_jobs(world.end_jobs())
    assert world.drop(drop_id).state == "validating"
    world.ledger._lineages[name] = Lineage(name, version=2)
    world.reconcile()

    assert world.drop(drop_id).state == "accepted"


def test_promoted_copy_carries_the_drops_mark() -> None:
    world, (drop_id,) = settled(all_good, "orders/1.csv")
    stat = world.store.head(Location("s3://promoted/orders.v1/orders/1.csv"))

    assert stat
    assert CopyTag(stat.drop or "", stat.attempt or 0) == CopyTag(drop_id, 1)


class Silent(Passing):
    """A store that does not answer when it is asked to copy one name."""

    def __init__(self, store: object, name: str = "") -> None:
        super().__init__(store)
        self._name = name

    def copy(self, source: Location, *more: object) -> object:
        if self._name in source.uri:
            raise ServiceUnavailable("no answer")
        return self._port.copy(source, *more)


def decided(*names: str) -> tuple[World, list[str]]:
    """Drops found good, whose copy to consumers is still to be made."""
    world, ids = running(*names)
    (run,) = world.end_jobs()
    world.ports = replace(world.ports, store=Silent(world.store))  # type: ignore[arg-type]
    with pytest.raises(ServiceUnavailable):
        job_ended(world.ports, run)
    world.ports = replace(world.ports, store=world.store)
    assert world.drop(ids[0]).state == "promoting"
    return world, ids


def test_decided_drop_needs_no_second_result() -> None:
    world, (drop_id,) = decided("orders/1.csv")
    world.store.put(world.request().result, b"{", "application/json")
    world.finish()

    assert (world.drop(drop_id).state, receipt(world, drop_id)["verdict"]) == ("accepted", "accepted")
    assert all(lineage.promoting is None for lineage in world.ledger._lineages.values())


def test_decided_drop_outlives_its_batch() -> None:
    world, (drop_id,) = decided("orders/1.csv")
    (name, batch), *_ = world.ledger._batches.items()
    world.ledger._batches[name] = replace(batch, state="ended")
    world.reconcile()

    assert world.drop(drop_id).state == "accepted"


@pytest.mark.parametrize("later", [one_bad, lambda _plan, _drop: None], ids=["bad", "silent"])
def test_recorded_verdict_holds_against_a_later_one(later: Judge) -> None:
    world, (drop_id,) = decided("orders/1.csv")
    del world.jobs.ended["run-1"]
    world.deliver_jobs(world.end_jobs(later))

    assert (world.drop(drop_id).state, receipt(world, drop_id)["verdict"]) == ("accepted", "accepted")


def test_one_stuck_drop_holds_up_no_other() -> None:
    world, (stuck, other) = running("orders/1.csv", "orders/2.csv")
    (run,) = world.end_jobs()
    world.ports = replace(world.ports, store=Silent(world.store, f"/{stuck}/"))  # type: ignore[arg-type]
    with pytest.raises(ServiceUnavailable):
        job_ended(world.ports, run)

    assert (world.drop(stuck).state, world.drop(other).state) == ("promoting", "accepted")


def test_somebody_faster_leaves_no_copy_behind() -> None:
    world, (drop_id,) = decided("orders/1.csv")
    seen = world.drop(drop_id)
    world.finish()
    world.store.delete(Location("s3://promoted/orders.v1/orders/1.csv"))
    finish(world.ports, seen)

    assert world.store.listing(ZONES.promoted) == {}


ROWS = a_plan(promote="rows", tolerance=Limit(Decimal(1), "rows"))


def test_rejected_rows_are_left_out_of_what_is_promoted() -> None:
    world, (drop_id,) = settled(one_bad, "orders/1.csv", world=a_world([ROWS]))

    assert world.drop(drop_id).state == "accepted_with_warnings"
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": valid_rows(drop_id)}


def test_file_without_rejected_rows_is_promoted_as_it_came() -> None:
    world, _ = settled(all_good, "orders/1.csv", world=a_world([ROWS]))

    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": GOOD}


def test_file_with_a_trailer_is_promoted_without_it() -> None:
    plan = replace(ROWS, csv=Csv(trailer=Trailer("T")))
    world, (drop_id,) = settled(
        lambda plan, drop: replace(all_good(plan, drop), ending=TrailerReading(("T",))),
        "orders/1.csv",
        world=a_world([plan]),
    )

    assert world.drop(drop_id).state == "accepted"
    assert world.store.listing(ZONES.promoted) == {"orders.v1/orders/1.csv": valid_rows(drop_id)}


def test_valid_rows_of_a_rejected_drop_are_never_promoted() -> None:
    world, (drop_id,) = settled(one_bad, "orders/1.csv", world=a_world([replace(ROWS, tolerance=None)]))

    assert world.drop(drop_id).state == "rejected"
    assert world.store.listing(ZONES.promoted) == {}


def test_valid_rows_that_are_gone_fail_the_drop() -> None:
    world, (drop_id,) = running("orders/1.csv", world=a_world([ROWS]))
    runs = world.end_jobs(one_bad)
    world.store.delete(Location(f"{world.request().drops[0].valid}valid.csv"))
    world.deliver_jobs(runs)

    assert (world.drop(drop_id).state, [p.code for p in world.drop(drop_id).problems]) == ("failed", ["rows-gone"])


def test_valid_rows_that_were_replaced_are_not_promoted() -> None:
    world, (drop_id,) = running("orders/1.csv", world=a_world([ROWS]))
    world.end_jobs(one_bad)
    at = Location(f"{world.request().drops[0].valid}valid.csv")
    held = world.store.head(at)
    assert held
    world.store.put(at.uri, b"id\n9\n", "text/csv")
    drop = world.drop(drop_id)
    world.ledger.write((promoting(drop, Location(at.uri, etag=held.etag)),))
    world.reconcile()

    assert [p.code for p in world.drop(drop_id).problems] == ["rows-replaced"]
    assert world.store.listing(ZONES.promoted) == {}


def promoting(drop: Drop, rows: Location) -> Transition:
    """A drop on its way to consumers, with the rows that it is promoted by."""
    to = Promotion("orders.v1/orders/1.csv", 1, None, rows)
    answer = advance(
        drop, "found_good", drop.changed_at, promoted=to, verdict="accepted_with_warnings", rows=RowCounts(3, 2, 1)
    )
    assert isinstance(answer, Transition)
    return answer


TABLE = a_plan(promote="table", tolerance=Limit(Decimal(1), "rows"))
AT = "s3://promoted/orders.v1/"


def test_valid_rows_go_into_the_table() -> None:
    world, (good, bad) = settled(all_good, "orders/1.csv", "orders/2.csv", world=a_world([TABLE]))

    assert world.tables.rows == {AT: {good: (1, 3), bad: (1, 3)}}
    assert [one.name for one in world.tables.columns[AT]] == ["id", "note", "_drop", "_record"]
    assert sorted(world.store.listing(AT)) == sorted(f"data/{i}/1-{n}.parquet" for i in (good, bad) for n in (0, 1))
    assert receipt(world, good)["promoted"] == AT


def test_no_row_of_a_rejected_drop_comes_near_the_table() -> None:
    world, (drop_id,) = settled(one_bad, "orders/1.csv", world=a_world([replace(TABLE, tolerance=None)]))

    assert world.drop(drop_id).state == "rejected"
    assert (world.tables.rows, world.store.listing(ZONES.promoted)) == ({}, {})


def test_newer_upload_takes_the_place_of_the_older_ones_rows() -> None:
    world, (older, other) = settled(all_good, "orders/1.csv", "orders/2.csv", world=a_world([TABLE]))
    newer = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish(one_bad)

    assert world.tables.rows[AT] == {other: (1, 3), newer: (1, 2)}
    assert world.drop(older).state == "accepted"


def test_versions_of_a_key_stand_beside_each_other_in_a_table() -> None:
    world, (older,) = settled(all_good, "orders/1.csv", world=a_world([replace(TABLE, same_key="version")]))
    newer = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.finish()

    assert world.tables.rows[AT] == {older: (1, 3), newer: (1, 3)}


def test_table_of_other_types_fails_the_drop() -> None:
    world = a_world([TABLE])
    world.tables.columns[AT] = (TableColumn("id", "long"),)
    settled(all_good, "orders/1.csv", world=world)
    (drop,) = world.drops().values()

    assert (drop.state, drop.problems[0].code) == ("failed", "table-unlike")
    assert "the table has `id` long where the contract has `id` string" in drop.problems[0].message
    assert world.store.listing(ZONES.promoted) == {}


def test_withdrawn_rows_leave_the_table_and_others_stay() -> None:
    world, (one, other) = settled(all_good, "orders/1.csv", "orders/2.csv", world=a_world([TABLE]))
    reject(world.ports, world.drop(one), "anna", "sent by mistake")

    assert world.drop(one).state == "rejected"
    assert world.tables.rows[AT] == {other: (1, 3)}


def test_file_that_was_taken_before_there_was_a_table_takes_no_rows_place() -> None:
    world, (older,) = settled(one_bad, "orders/1.csv")
    newer = world.upload("orders/1.csv", b"id,note\n2,b\n")
    world.deliver_events()
    world.deliver_windows()
    runs = world.end_jobs()
    world.publish([TABLE])
    replay(world.ports, older)
    world.deliver_windows()
    world.deliver_jobs([run for run in world.end_jobs() if run not in runs])
    world.deliver_jobs(runs)

    assert world.tables.rows[AT] == {older: (2, 3)}
    assert (world.drop(newer).state, world.drop(newer).problems[0].code) == ("failed", "place-in-table")
    assert [uri for uri in world.store.listing(AT) if not uri.startswith("data/")] == []

    replay(world.ports, newer)
    world.finish()
    assert (world.drop(newer).state, world.tables.rows[AT]) == ("accepted", {newer: (2, 3)})


@pytest.mark.parametrize("name", ["files.json", "1.parquet"])
def test_laid_down_rows_that_are_gone_fail_the_drop(name: str) -> None:
    world, (drop_id,) = running("orders/1.csv", world=a_world([TABLE]))
    runs = world.end_jobs(all_good)
    world.store.delete(Location(f"{world.request().drops[0].valid}{name}"))
    world.deliver_jobs(runs)

    assert (world.drop(drop_id).state, [p.code for p in world.drop(drop_id).problems]) == ("failed", ["rows-gone"])
    assert world.tables.rows.get(AT, {}) == {}


@pytest.mark.parametrize("judge", [all_good, one_bad], ids=["good", "bad"])
@pytest.mark.parametrize("newest", [a_plan(version="1.1.0", checks=a_plan().checks[:-1]), a_plan("orders.v2")])
def test_late_result_does_not_end_a_later_attempt(newest: Plan, judge: Judge) -> None:
    world, (drop_id,) = running("orders/1.csv")
    runs, plain = world.end_jobs(judge), world.ports

    def others() -> None:
        world.ports = plain
        world.deliver_jobs(runs)
        world.publish([newest])
        replay(plain, drop_id, retract=True)
        down = ServiceUnavailable("503 Slow Down")
        world.ports = replace(plain, store=Stalled(plain.store, "copy", lambda: None, into(ZONES.promoted), down))
        world.deliver_events()
        world.deliver_windows()
        with pytest.raises(ServiceUnavailable):
            world.deliver_jobs(world.end_jobs(all_good))
        world.ports = plain
        assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("promoting", 2)

    slow = Stalled(plain.ledger, "write", others, lambda moves, *_: bool(moves))
    world.ports = replace(plain, ledger=slow)
    world.deliver_jobs(runs)
    assert (world.drop(drop_id).state, world.drop(drop_id).attempt) == ("promoting", 2)

    world.finish()
    check_ids = [check["id"] for check in receipt(world, drop_id)["checks"]]
    assert world.drop(drop_id).state == "accepted"
    assert check_ids == [check.id for check in newest.checks]
