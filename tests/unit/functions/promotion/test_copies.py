"""Bytes that one copy cannot move: in parts, from call to call, by whoever comes, and only the right ones."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import Any

import pytest

from contracts.errors import ObjectUnreadable
from contracts.files.header import rejected_file
from functions import keys
from functions.drop import Drop, Location
from functions.operations.override import Overruled, accept
from functions.ports.store import CopyTag, Stat
from functions.promotion.copies import Gone, InPlace, Replaced, Taken, Target, Unfinished, copy_to_consumers, move
from tests.builders import ZONES, World, a_drop, a_plan, a_world, one_bad

BODY = b"0123456789abcdefghij"
TARGET = "s3://internal/stage/x"


def large(body: bytes = BODY) -> tuple[World, Drop]:
    """A drop of five parts, of which one call copies two."""
    world = a_world()
    world.ports = replace(world.ports, largest_copy=8)
    source = Location("s3://landing/x", "v1")
    world.store.upload(source, body)
    return world, a_drop(size=len(body), source=source)


def test_large_drop_is_carried_from_call_to_call() -> None:
    world, drop = large()
    outcomes = [move(world.ports, drop, TARGET) for _ in range(3)]

    assert outcomes[:2] == [Unfinished(), Unfinished()]
    assert isinstance(outcomes[2], InPlace)
    assert world.store.get(TARGET) == BODY
    assert world.store.head(drop.source) is None
    assert len(world.store.uploads) == 1


def test_large_drop_that_was_carried_is_found() -> None:
    world, drop = large()
    first = [move(world.ports, drop, TARGET) for _ in range(3)][-1]

    assert move(world.ports, drop, TARGET) == first


def test_drop_of_one_copy_is_moved_by_one() -> None:
    world, drop = large(BODY[:8])

    assert isinstance(move(world.ports, drop, TARGET), InPlace)
    assert world.store.uploads == {}


def test_upload_that_lifecycle_broke_off_is_begun_anew() -> None:
    world, drop = large()
    move(world.ports, drop, TARGET)
    world.store.abort_copy("upload-1", TARGET)
    outcomes = [move(world.ports, drop, TARGET) for _ in range(4)]

    assert [type(one) for one in outcomes] == [Unfinished, Unfinished, Unfinished, InPlace]
    assert world.store.get(TARGET) == BODY


def test_who_begins_second_goes_on_with_the_first() -> None:
    world, drop = large()
    other = world.store.begin_copy(TARGET, CopyTag(drop.id, 1))
    assert world.ledger.note_upload(CopyTag(drop.id, 1), TARGET, other, None)
    while move(world.ports, drop, TARGET) == Unfinished():
        pass

    assert world.store.get(TARGET) == BODY
    assert list(world.store.uploads) == [other]


NAMES = ("1.html", "1.HTM", "1.svg", "1.xhtml", "1.js", "1.json", "1.csv", "1.csv.html", "html", "1.")
KINDS = {
    ("csv", "none"): "text/csv",
    ("csv", "gzip"): "application/gzip",
    ("jsonl", "none"): "application/jsonl",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("form", "packed"), KINDS)
@pytest.mark.parametrize("promoted", ["object", "rows"])
def test_kind_of_what_is_laid_down_comes_from_the_contract(form: Any, packed: Any, promoted: Any, name: str) -> None:
    world = a_world([a_plan(files=["orders/**"], file_format=form, compression=packed, promote=promoted)])
    body = b'{"id": "1", "note": "a"}\n' if form == "jsonl" else b"id,note\n1,a\n"
    drop_id = world.upload(f"orders/{name}", gzip.compress(body) if packed == "gzip" else body)
    held = world.upload(f"oders/{name}", b"<html>")
    world.finish(one_bad)
    assert isinstance(accept(world.ports, world.drop(drop_id), "ann", "checked"), Overruled)

    laid = {uri: one.tag.kind for uri, all_of in world.store.objects.items() for one in all_of.values() if one.tag}
    kinds = {uri: kind for uri, kind in laid.items() if uri.startswith((ZONES.promoted, ZONES.stage))}
    assert set(kinds.values()) == {KINDS[form, packed]}
    assert len(kinds) == 2
    assert laid[keys.held_uri(ZONES, held)] == "application/octet-stream"
    assert laid[f"{keys.report_folder(ZONES, 'shop', drop_id, 1)}{rejected_file(world.plans[0])}"] in KINDS.values()


def test_file_that_was_held_is_promoted_as_the_contract_has_it() -> None:
    world = a_world([a_plan(files=["orders/*"])])
    drop_id = world.upload("orders/1.html", b"ID,note\n1,a\n")
    world.finish()
    assert world.drop(drop_id).source.uri == keys.held_uri(ZONES, drop_id)
    accept(world.ports, world.drop(drop_id), "ann", "checked")

    (laid,) = world.store.objects[f"{ZONES.promoted}orders.v1/orders/1.html"].values()
    assert laid.tag == CopyTag(drop_id, 2)
    assert laid.tag.kind == "text/csv"


def test_large_drop_whose_source_is_gone_is_gone() -> None:
    world, drop = large()
    move(world.ports, drop, TARGET)
    world.store.delete(drop.source)

    assert move(world.ports, drop, TARGET) == Gone()
    assert not world.store.uploads["upload-1"].live


@pytest.mark.parametrize("when", [0, 1])
def test_large_drop_whose_staged_bytes_are_replaced_is_never_promoted(when: int) -> None:
    world, drop = large()
    staged = replace(drop, source=Location("s3://landing/x", "v1", "other"))
    for _ in range(when):
        copy_to_consumers(world.ports, drop, drop.source, Target(TARGET))

    assert copy_to_consumers(world.ports, staged, staged.source, Target(TARGET)) == Replaced()
    assert world.store.head(Location(TARGET)) is None


def test_large_drop_never_overwrites_what_it_does_not_name() -> None:
    world, drop = large()
    copy_to_consumers(world.ports, drop, drop.source, Target(TARGET))
    world.store.put(TARGET, b"somebody else's", "text/csv")
    outcomes = [copy_to_consumers(world.ports, drop, drop.source, Target(TARGET)) for _ in range(2)]

    assert outcomes == [Unfinished(), Taken()]
    assert not world.store.uploads["upload-1"].live
    assert world.store.get(TARGET) == b"somebody else's"


def test_large_drop_replaces_what_it_names() -> None:
    world, drop = large()
    world.store.put(TARGET, b"before", "text/csv")
    before = world.store.head(Location(TARGET))
    assert before
    outcomes = [
        copy_to_consumers(world.ports, drop, drop.source, Target(TARGET, replaces=before.etag)) for _ in range(3)
    ]

    assert isinstance(outcomes[-1], Stat)
    assert (outcomes[-1].drop, outcomes[-1].attempt) == (drop.id, 1)
    assert world.store.get(TARGET) == BODY


def test_what_a_large_drop_replaces_may_go_meanwhile() -> None:
    world, drop = large()
    outcomes = [
        copy_to_consumers(world.ports, drop, drop.source, Target(TARGET, replaces="etag of what was removed"))
        for _ in range(3)
    ]

    assert isinstance(outcomes[-1], Stat)
    assert len(world.store.uploads) == 1
    assert world.store.get(TARGET) == BODY


def growing() -> tuple[World, Drop, Location]:
    """A small drop whose valid rows are larger than one copy moves."""
    world, drop = large(BODY[:8])
    world.store.largest_copy = 8
    rows = Location("s3://internal/jobs/rows.csv")
    world.store.put(rows.uri, BODY, "text/csv")
    return world, drop, rows


def test_rows_larger_than_their_file_go_in_parts() -> None:
    world, drop, rows = growing()
    outcomes = [copy_to_consumers(world.ports, drop, rows, Target(TARGET)) for _ in range(4)]

    assert outcomes[:2] == [Unfinished(), Unfinished()]
    assert isinstance(outcomes[2], Stat)
    assert outcomes[3] == outcomes[2]
    assert world.store.get(TARGET) == BODY


def test_rows_in_parts_leave_nothing_where_the_place_is_taken() -> None:
    world, drop, rows = growing()
    copy_to_consumers(world.ports, drop, rows, Target(TARGET))
    world.store.put(TARGET, b"somebody else's", "text/csv")
    copy_to_consumers(world.ports, drop, rows, Target(TARGET))

    assert copy_to_consumers(world.ports, drop, rows, Target(TARGET)) == Taken()
    assert not world.store.uploads["upload-1"].live


def test_rows_of_one_copy_that_cannot_be_read_are_no_others() -> None:
    world, drop, rows = growing()
    world.store.put(rows.uri, BODY[:4], "text/csv")
    world.store.largest_copy = 0

    with pytest.raises(ObjectUnreadable):
        copy_to_consumers(world.ports, drop, rows, Target(TARGET))
