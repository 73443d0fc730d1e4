"""A new object: matched, admitted, moved; every repeat of its event finds what is done."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from contracts import codec
from contracts.catalog import Entry, Index, Pointer
from contracts.errors import DocumentInvalid, ServiceUnavailable
from contracts.terms.notices import Contact, ContractRoutes, Routes
from functions.admission.admit import LARGEST_FILE
from functions.drop import MOST_HEADER_LINE, Created, Location
from functions.flow.batching import batch_due
from functions.flow.ingest import ingest
from functions.ports.store import CopyTag
from tests.builders import ZONES, World, a_plan, a_world
from tests.faults import Locked, Stalled

GOOD = b"id,note\n1,a\n2,\n"


def test_good_file_is_staged_and_gone_from_landing() -> None:
    world = a_world()
    one = world.upload("orders/1 {x}.csv", GOOD)
    drop = world.deliver_events()[one]

    assert (drop.state, drop.contract, drop.producer) == ("staged", "orders.v1", "shop")
    assert world.store.get(f"s3://internal/stage/orders.v1/20260131T1200/{one}/1.csv") == GOOD
    assert world.store.listing(ZONES.landing) == {}


def test_second_event_for_one_version_changes_nothing() -> None:
    world = a_world()
    world.upload("orders/1.csv", GOOD)
    world.upload("orders/2.csv", b"ID\n")
    world.upload("other.csv", GOOD)
    before, objects, sent = world.deliver_events(), world.store.listing("s3://"), list(world.delays.sent)

    assert world.deliver_events(again=True) == before
    assert (world.store.listing("s3://"), world.delays.sent) == (objects, sent)


def test_only_the_first_of_a_window_sends_a_message() -> None:
    world = a_world()
    world.upload("orders/1.csv", GOOD)
    world.upload("orders/2.csv", GOOD)
    world.deliver_events()

    assert [seconds for _, seconds in world.delays.sent] == [60]


def test_refused_file_is_held_with_a_receipt() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", b"id;note\n1;a\n")
    world.deliver_events()
    drop = world.drop(drop_id)
    receipt = json.loads(world.store.get(drop.receipt or ""))

    assert (drop.state, drop.verdict, drop.batch) == ("rejected", "rejected", None)
    assert world.store.get(f"s3://internal/held/{drop_id}") == b"id;note\n1;a\n"
    assert drop.receipt == f"s3://internal/reports/shop/{drop_id}/1/receipt.json"
    assert (receipt["verdict"], receipt["problems"][0]["code"]) == ("rejected", "wrong-delimiter")
    assert world.jobs.runs == {}


def test_key_of_no_contract_is_unmatched_and_held() -> None:
    world = a_world()
    drop_id = world.upload("order/1.csv", GOOD)
    world.deliver_events()
    drop = world.drop(drop_id)

    assert (drop.state, drop.problems[0].code, drop.receipt) == ("unmatched", "unmatched", None)
    assert "orders/*.csv" in drop.problems[0].message
    assert world.store.listing(ZONES.held) == {drop_id: GOOD}


def test_key_in_a_producer_s_folder_gets_a_receipt_with_the_nearest_miss() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.txt", GOOD)
    world.deliver_events()
    drop = world.drop(drop_id)
    receipt = json.loads(world.store.get(drop.receipt or ""))
    page = world.store.get((drop.receipt or "").replace(".json", ".html")).decode()

    assert (drop.state, drop.contract, drop.plan, drop.producer) == ("unmatched", None, None, "shop")
    assert drop.receipt == f"s3://internal/reports/shop/{drop_id}/1/receipt.json"
    assert (receipt["verdict"], receipt["failure"], receipt["contract"]) == (None, None, None)
    assert [p["code"] for p in receipt["problems"]] == ["unmatched"]
    assert "`orders/*.csv` (orders.v1): the key must end in `.csv`" in receipt["problems"][0]["message"]
    assert receipt["problems"][0]["fix"] == "Upload it under a key like `orders/file.csv`."
    assert "No contract covers a file of this name" in page
    assert "<code>orders/file.csv</code>" in page
    assert world.store.listing(ZONES.held) == {drop_id: GOOD}


def test_marker_of_a_folder_is_no_upload_of_its_producer() -> None:
    world = a_world()
    drop_id = world.upload("orders/x/", b"")
    world.clock.pass_seconds(2 * 86400)
    world.deliver_events()
    drop = world.drop(drop_id)
    assert (drop.state, drop.producer, drop.receipt) == ("unmatched", None, None)


def test_producer_of_a_catalog_written_by_hand_names_no_other_folder() -> None:
    world = a_world()
    index = Index((Entry("orders.v1", "0" * 64, "../finance", ("orders/*.csv",)),))
    pointer = Pointer(codec.sha256(index), "2026-01-31T12:00:00Z")
    for name, document in ((f"index/{codec.sha256(index)}.json", index), ("current.json", pointer)):
        world.store.put(f"{ZONES.catalog}{name}", codec.canonical(document).encode(), "application/json")
    world.upload("orders/1.txt", GOOD)
    with pytest.raises(DocumentInvalid, match="is no name of a folder"):
        world.deliver_events()


HELP = Contact("orders-help", "mailto:help@example.org")


def with_routes(world: World, routes: Routes, text: bytes | None = None) -> None:
    at = f"{ZONES.catalog}current.json"
    pointer = codec.loads(Pointer, world.store.get(at), at)
    named = codec.canonical(replace(pointer, routes=codec.sha256(routes))).encode()
    world.store.put(f"{ZONES.catalog}routes/{codec.sha256(routes)}.json", text or codec.canonical(routes).encode(), "")
    world.store.put(at, named, "application/json")


@pytest.mark.parametrize("key", ["orders/1.csv", "orders/1.txt"])
def test_receipt_names_the_contact_of_today(key: str) -> None:
    world = a_world()
    with_routes(world, Routes((ContractRoutes("orders.v1", "shop", (), HELP),)))
    drop_id = world.upload(key, b"id;note\n1;a\n")
    world.deliver_events()
    receipt = world.drop(drop_id).receipt or ""

    assert json.loads(world.store.get(receipt))["contact"] == {"name": "orders-help", "url": "mailto:help@example.org"}
    page = world.store.get(receipt.replace(".json", ".html")).decode()
    assert '<a href="mailto:help@example.org">orders-help</a>' in page


def test_routes_that_cannot_be_read_keep_no_receipt_back() -> None:
    world = a_world()
    with_routes(world, Routes((ContractRoutes("orders.v1", "shop", (), HELP),)), b"damaged")
    drop_id = world.upload("orders/1.csv", b"id;note\n1;a\n")
    world.deliver_events()
    drop = world.drop(drop_id)
    assert (drop.state, json.loads(world.store.get(drop.receipt or ""))["contact"]) == ("rejected", None)


def test_key_of_two_contracts_is_nobodys() -> None:
    world = a_world(contracts=[a_plan("a.v1"), a_plan("b.v1")])
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    (problem,) = world.drop(drop_id).problems

    assert (world.drop(drop_id).state, problem.code) == ("unmatched", "ambiguous")
    assert "`a.v1`, `b.v1`" in problem.message
    assert world.drop(drop_id).receipt == f"s3://internal/reports/shop/{drop_id}/1/receipt.json"


def test_without_a_catalog_nobody_is_called_unmatched() -> None:
    world = a_world()
    catalog = {uri: o for uri, o in world.store.objects.items() if uri.startswith(ZONES.catalog)}
    world.store.objects.clear()
    drop_id = world.upload("orders/1.csv", GOOD)
    with pytest.raises(DocumentInvalid, match=r"No contract is in force: .*current.json. Put .* `dropgate publish`."):
        world.deliver_events()

    assert world.drops() == {}
    world.store.objects |= catalog
    assert world.deliver_events()[drop_id].state == "staged"


def test_object_deleted_before_we_look_has_vanished() -> None:
    world = a_world()
    ids = [world.upload(name, GOOD) for name in ("orders/1.csv", "other.csv")]
    world.store.objects = {u: o for u, o in world.store.objects.items() if not u.startswith(ZONES.landing)}
    world.deliver_events()

    assert [(world.drop(i).state, world.drop(i).problems[0].code) for i in ids] == [("vanished", "object-gone")] * 2


@pytest.mark.parametrize("late", [False, True])
def test_replaced_file_is_judged_version_by_version(late: bool) -> None:
    world = a_world()
    ids = world.upload("orders/1.csv", GOOD), world.upload("orders/1.csv", b"id,note\n3,c\n")
    if late:
        world.events.reverse()
    world.deliver_events()

    assert [world.drop(i).state for i in ids] == ["staged", "staged"]
    assert [world.store.get(world.drop(i).source.uri) for i in ids] == [GOOD, b"id,note\n3,c\n"]


def test_refused_upload_leaves_the_older_in_the_race() -> None:
    world = a_world()
    first, second = world.upload("orders/1.csv", GOOD), world.upload("orders/1.csv", b"")
    world.deliver_events()

    assert (world.drop(first).state, world.drop(second).state) == ("staged", "rejected")


def test_versions_do_not_replace_each_other() -> None:
    world = a_world(contracts=[a_plan(same_key="version")])
    ids = [world.upload("orders/1.csv", GOOD), world.upload("orders/1.csv", GOOD)]
    world.finish()

    assert [world.drop(i).state for i in ids] == ["accepted", "accepted"]
    assert sorted(world.store.listing(ZONES.promoted)) == sorted(f"orders.v1/{i}/1.csv" for i in ids)


@pytest.mark.parametrize("name", ["orders/a b.csv", "orders/a+b%20c.csv", "orders/ü/漢字.csv", "orders/a&<b>.csv"])
def test_odd_keys_go_the_whole_way(name: str) -> None:
    world = a_world(contracts=[a_plan(files=["orders/**.csv"])])
    drop_id = world.upload(name, GOOD)
    world.finish()

    assert world.drop(drop_id).state == "accepted"
    assert world.store.listing(ZONES.promoted) == {f"orders.v1/{name}": GOOD}


def test_longest_key_is_refused_with_room_to_name() -> None:
    world = a_world()
    drop_id = world.upload("orders/" + "x" * 1013 + ".csv", GOOD)
    world.deliver_events()

    assert [p.code for p in world.drop(drop_id).problems] == ["name-too-long"]
    assert world.store.listing(ZONES.held) == {drop_id: GOOD}


def test_file_too_large_to_move_stays_in_landing() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.events = [replace(world.events[0], size=LARGEST_FILE + 1)]
    world.deliver_events()
    drop = world.drop(drop_id)

    assert (drop.state, drop.problems[0].code) == ("rejected", "file-too-large")
    assert drop.source == Location("s3://landing/orders/1.csv", "v1")
    assert world.store.read(drop.source, 0, 99) == GOOD


@pytest.mark.parametrize("broke_off", ["not at all", "after the copy", "after the delete"])
def test_staged_drop_records_what_was_laid_there(broke_off: str) -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    landed, staged = (
        Location("s3://landing/orders/1.csv", "v1"),
        f"s3://internal/stage/orders.v1/20260131T1200/{drop_id}/1.csv",
    )
    if broke_off != "not at all":
        world.store.copy(landed, staged, CopyTag(drop_id, 1))
    if broke_off == "after the delete":
        world.store.delete(landed)
    drop = world.deliver_events()[drop_id]
    stat = world.store.head(Location(staged))

    assert stat
    assert (drop.state, drop.source, drop.sha256) == ("staged", Location(staged, etag=stat.etag), stat.sha256)


def test_somebody_elses_staged_object_fails_the_drop() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.store.put(f"s3://internal/stage/orders.v1/20260131T1200/{drop_id}/1.csv", b"theirs", "text/csv")
    world.deliver_events()
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, drop.problems[0].code) == ("failed", None, "stage-taken")
    assert json.loads(world.store.get(drop.receipt or ""))["verdict"] is None


def test_objects_outside_landing_are_left_alone() -> None:
    world = a_world()
    event = Created("elsewhere", "orders/1.csv", "v1", "e", 3, "01")
    folder = Created("landing", "orders/", "v1", "e", 0, "01")

    assert (ingest(world.ports, event), ingest(world.ports, folder), world.drops()) == (None, None, {})


WIDE = [f"column_{n:05}" for n in range(MOST_HEADER_LINE // 8)]
"""Columns whose names are too long for the ledger."""


def a_wide_file(first: int) -> bytes:
    return ",".join(WIDE).encode() + b"\n%d" % first + b"," * (len(WIDE) - 1) + b"\n"


def test_header_too_long_for_the_ledger_is_read_again() -> None:
    world = a_world(contracts=[a_plan(names=WIDE)])
    drop_id = world.upload("orders/1.csv", a_wide_file(1))
    world.deliver_events()
    assert world.drop(drop_id).header_line is None
    world.deliver_windows()

    assert world.request().drops[0].header == tuple(WIDE)


@pytest.mark.parametrize(("replaced", "code"), [(False, "staged-gone"), (True, "staged-replaced")])
def test_file_whose_header_can_no_longer_be_read_fails_alone(replaced: bool, code: str) -> None:
    world = a_world(contracts=[a_plan(names=WIDE)])
    lost, other = (world.upload(f"orders/{n}.csv", a_wide_file(n)) for n in (1, 2))
    world.deliver_events()
    world.store.delete(world.drop(lost).source)
    if replaced:
        world.store.put(world.drop(lost).source.uri, a_wide_file(3), "text/csv")
    world.deliver_windows()

    assert [one.id for one in world.request().drops] == [other]
    world.finish()
    assert (world.drop(lost).state, world.drop(lost).problems[0].code) == ("failed", code)
    assert world.drop(lost).receipt
    assert world.drop(other).state == "accepted"


def test_batch_of_files_whose_headers_can_no_longer_be_read_has_no_job() -> None:
    world = a_world(contracts=[a_plan(names=WIDE)])
    lost = world.upload("orders/1.csv", a_wide_file(1))
    world.deliver_events()
    world.store.delete(world.drop(lost).source)
    world.finish()

    assert (world.drop(lost).state, world.jobs.runs) == ("failed", {})


def test_file_that_is_gone_while_its_event_comes_late_fails_all_the_same() -> None:
    world = a_world(contracts=[a_plan(names=WIDE)])
    lost = world.upload("orders/1.csv", a_wide_file(1))
    late = world.events.pop()
    world.clock.pass_seconds(16 * 60)
    world.reconcile()
    world.store.delete(world.drop(lost).source)
    plain, ((window, _),) = world.ports, world.delays.sent
    slow = Stalled(plain.ledger, "write", lambda: ingest(plain, late), lambda moves, *_: moves[0].event == "failed")
    with pytest.raises(ServiceUnavailable):
        batch_due(replace(plain, ledger=slow), window)
    world.finish()

    assert (world.drop(lost).state, world.drop(lost).problems[0].code) == ("failed", "staged-gone")


def test_plan_stays_what_it_was_at_the_match() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    world.publish([a_plan(names=["other"])])
    world.finish()

    assert (world.drop(drop_id).plan, world.drop(drop_id).state) == (a_plan().sha, "accepted")


def test_named_parts_of_the_key_go_into_the_record() -> None:
    world = a_world(contracts=[a_plan(files=["orders/{state}/{day:%Y-%m-%d}*.csv"])])
    drop_id = world.upload("orders/SP/2026-01-31-a.csv", GOOD)
    world.deliver_events()

    assert world.drop(drop_id).parts == {"state": "SP", "day": "2026-01-31"}


def test_drop_that_admission_fails_on_by_a_fault_of_ours_is_failed_with_a_receipt() -> None:
    plan = a_plan()
    world = a_world([replace(plan, csv=replace(plan.csv, encoding="of-tomorrow"))])
    drop_id = world.upload("orders/1.csv", GOOD)
    world.deliver_events()
    drop = world.drop(drop_id)

    assert (drop.state, drop.verdict, [p.code for p in drop.problems]) == ("failed", None, ["admission-failed"])
    assert "LookupError in contracts.files.encodings, line" in drop.problems[0].message
    assert drop.problems[0].message in world.store.get(drop.receipt or "").decode()
    assert not drop.in_flight
    assert world.store.listing(ZONES.landing) == {"orders/1.csv": GOOD}


def test_read_that_fails_is_tried_again() -> None:
    world = a_world()
    drop_id = world.upload("orders/1.csv", GOOD)
    plain = world.ports
    world.ports = replace(plain, store=Stalled(plain.store, "read", lambda: None, after=TimeoutError()))
    with pytest.raises(TimeoutError):
        world.deliver_events()
    assert world.drop(drop_id).state == "received"
    world.ports = plain

    assert world.deliver_events(again=True)[drop_id].state == "staged"


@pytest.mark.parametrize(("name", "state"), [("orders/1.csv", "rejected"), ("order/1.csv", "unmatched")])
def test_object_nobody_can_read_is_settled(name: str, state: str) -> None:
    world = a_world()
    drop = world.upload(name, b"id,note\n1,a\n")
    world.ports = replace(world.ports, store=Locked(world.store))
    world.deliver_events()

    assert (world.drop(drop).state, world.drop(drop).source.uri) == (state, f"s3://landing/{name}")
    code = "unreadable-object" if state == "rejected" else "unmatched"
    assert [p.code for p in world.drop(drop).problems] == [code]
