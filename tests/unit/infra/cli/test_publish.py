"""Publishing: what is written, in which order, what is said; and that it never changes what was published."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contracts import codec
from contracts.authoring.publication import Publication, publish
from contracts.catalog import Index, Pointer
from contracts.errors import DocumentInvalid, StaleWrite
from contracts.plan import Plan
from contracts.terms.notices import Channel, ContractRoutes, Route, Routes
from tests.builders import a_plan

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
ORDERS = a_plan("orders.v1", ["orders/*.csv"])
SHOPS = a_plan("shops.v1", ["shops/*.csv"])
POINTER = codec.canonical(Pointer("gone", "2026-01-31T12:00:00+00:00")).encode()


class MemoryCatalog:
    """A catalog zone in memory; keeps the order of what was written."""

    def __init__(self) -> None:
        self.documents: dict[str, bytes] = {}
        self.written: list[str] = []

    def get(self, name: str) -> tuple[bytes, str] | None:
        body = self.documents.get(name)
        return None if body is None else (body, codec.sha256(body.hex()))

    def create(self, name: str, body: bytes) -> bool:
        if name in self.documents:
            return False
        self._put(name, body)
        return True

    def names(self, prefix: str) -> tuple[str, ...]:
        return tuple(sorted(name for name in self.documents if name.startswith(prefix)))

    def swap(self, name: str, body: bytes, etag: str | None) -> None:
        there = self.get(name)
        if (there and there[1]) != etag:
            raise StaleWrite("Somebody else published meanwhile; publish again.")
        self._put(name, body)

    def _put(self, name: str, body: bytes) -> None:
        self.documents[name] = body
        self.written.append(name)


def in_force(store: MemoryCatalog) -> Index:
    pointer = codec.loads(Pointer, store.documents["current.json"], "pointer")
    return codec.loads(Index, store.documents[f"index/{pointer.index}.json"], "index")


def test_first_publish_writes_the_pointer_last() -> None:
    store = MemoryCatalog()
    done = publish([ORDERS, SHOPS], store, NOW)
    assert done == Publication(done.index, new=("orders.v1", "shops.v1"))
    assert store.written == [
        f"plans/{ORDERS.sha}.json",
        f"plans/{SHOPS.sha}.json",
        f"index/{done.index}.json",
        "current.json",
    ]


def test_published_plan_can_be_read_back() -> None:
    store = MemoryCatalog()
    publish([ORDERS], store, NOW)
    assert codec.loads(Plan, store.documents[f"plans/{ORDERS.sha}.json"], "plan") == ORDERS
    assert [e.plan for e in in_force(store).entries] == [ORDERS.sha]


MAIL = Route("producer", Channel("email", "data@example.org"), ("rejected",))
ROUTES = Routes((ContractRoutes("orders.v1", "shop", (MAIL,)),))


def routes_in_force(store: MemoryCatalog) -> str | None:
    return codec.loads(Pointer, store.documents["current.json"], "pointer").routes


def test_routes_are_written_before_the_pointer_that_names_them() -> None:
    store = MemoryCatalog()
    done = publish([ORDERS], store, NOW, routes=ROUTES)
    assert store.written[-2:] == [f"routes/{codec.sha256(ROUTES)}.json", "current.json"]
    assert routes_in_force(store) == done.routes == codec.sha256(ROUTES)
    assert codec.loads(Routes, store.documents[f"routes/{done.routes}.json"], "routes") == ROUTES


def test_nobody_who_hears_leaves_the_pointer_as_it_was_before_notices() -> None:
    store = MemoryCatalog()
    publish([ORDERS], store, NOW, routes=Routes())
    assert b"routes" not in store.documents["current.json"]


def test_other_routes_alone_are_a_change() -> None:
    store = MemoryCatalog()
    assert publish([ORDERS], store, NOW, routes=ROUTES).rerouted
    assert not publish([ORDERS], store, NOW, routes=ROUTES).moved
    away = publish([ORDERS], store, NOW)
    assert (away.moved, away.rerouted, away.unchanged, routes_in_force(store)) == (True, True, ("orders.v1",), None)


def test_former_routes_stay_if_a_publish_stops_before_the_pointer() -> None:
    store = MemoryCatalog()
    publish([ORDERS], store, NOW, routes=ROUTES)
    other = Routes((), (MAIL,))
    store.documents[f"routes/{codec.sha256(other)}.json"] = b"changed by hand"
    with pytest.raises(DocumentInvalid):
        publish([ORDERS], store, NOW, routes=other)
    assert routes_in_force(store) == codec.sha256(ROUTES)


def published_at(store: MemoryCatalog) -> datetime:
    return codec.loads(Pointer, store.documents["current.json"], "pointer").moment()


@pytest.mark.parametrize("wrong", ["9999-12-31T23:59:59", "2027-01-01T00:00:00+00:00", "0001-01-01T00:00:00+14:00"])
def test_date_of_a_wrong_clock_is_not_built_upon(wrong: str) -> None:
    store = MemoryCatalog()
    publish([ORDERS], store, NOW)
    pointer = codec.loads(Pointer, store.documents["current.json"], "pointer")
    store.documents["current.json"] = codec.canonical(replace(pointer, published_at=wrong)).encode()
    publish([ORDERS], store, NOW)
    assert published_at(store) == NOW


def test_same_again_moves_the_pointer_alone() -> None:
    store = MemoryCatalog()
    publish([ORDERS], store, NOW)
    before = list(store.written)
    done = publish([ORDERS], store, NOW.replace(year=2027))
    assert (done.unchanged, done.moved) == (("orders.v1",), False)
    assert store.written == [*before, "current.json"]
    assert published_at(store) == NOW.replace(year=2027)


@pytest.mark.parametrize("behind", [timedelta(0), timedelta(minutes=3)])
def test_pointer_goes_forwards_whatever_the_clock_says(behind: timedelta) -> None:
    store = MemoryCatalog()
    publish([ORDERS], store, NOW)
    publish([SHOPS], store, NOW - behind)
    assert published_at(store) == NOW + timedelta(seconds=1)


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "2026-01-31T12:00:00.000000Z", "2026-01-31T13:00:00+01:00"])
def test_pointers_say_one_time_in_many_ways(text: str) -> None:
    assert Pointer("gone", text).moment() == NOW


def test_changed_contract_leaves_its_old_plan() -> None:
    store = MemoryCatalog()
    publish([ORDERS, SHOPS], store, NOW)
    changed = replace(ORDERS, version="1.1.0")
    done = publish([changed, SHOPS], store, NOW)
    assert (done.changed, done.unchanged) == (("orders.v1",), ("shops.v1",))
    assert f"plans/{ORDERS.sha}.json" in store.documents


def test_contract_left_out_is_withdrawn() -> None:
    store = MemoryCatalog()
    publish([ORDERS, SHOPS], store, NOW)
    assert publish([SHOPS], store, NOW).withdrawn == ("orders.v1",)
    assert [e.contract for e in in_force(store).entries] == ["shops.v1"]


def test_going_back_to_an_earlier_index_moves_the_pointer() -> None:
    store = MemoryCatalog()
    first = publish([ORDERS], store, NOW)
    publish([SHOPS], store, NOW)
    assert publish([ORDERS], store, NOW).index == first.index
    assert [e.contract for e in in_force(store).entries] == ["orders.v1"]


def test_pointer_moved_by_another_is_not_overwritten() -> None:
    class Racing(MemoryCatalog):
        def create(self, name: str, body: bytes) -> bool:
            self.documents["current.json"] = b"theirs"
            return super().create(name, body)

    store = Racing()
    with pytest.raises(StaleWrite):
        publish([ORDERS], store, NOW)
    assert store.documents["current.json"] == b"theirs"


def test_plan_that_is_not_what_its_name_says_stops_everything() -> None:
    store = MemoryCatalog()
    store.documents[f"plans/{ORDERS.sha}.json"] = b"{}"
    with pytest.raises(DocumentInvalid, match="does not match the hash in its name"):
        publish([ORDERS], store, NOW)
    assert "current.json" not in store.documents


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ({"current.json": b"{"}, "current.json is not JSON"),
        ({"current.json": b'{"index": 1}'}, "current.json"),
        ({"current.json": POINTER}, "current.json names an index that is not there: gone"),
        ({"current.json": POINTER, "index/gone.json": b"[]"}, "index/gone.json"),
    ],
    ids=["no JSON", "another shape", "index gone", "index damaged"],
)
def test_publish_mends_a_broken_catalog(broken: dict[str, bytes], problem: str) -> None:
    store = MemoryCatalog()
    store.documents |= broken
    done = publish([ORDERS], store, NOW)

    assert (done.new, (done.mended or "").startswith(problem)) == (("orders.v1",), True), done.mended
    assert [e.contract for e in in_force(store).entries] == ["orders.v1"]
    assert publish([ORDERS], store, NOW).mended is None


def test_publish_writes_missing_documents_anew() -> None:
    store = MemoryCatalog()
    whole = publish([ORDERS], store, NOW)
    del store.documents[f"plans/{ORDERS.sha}.json"], store.documents[f"index/{whole.index}.json"]

    assert publish([ORDERS], store, NOW).mended
    assert {f"plans/{ORDERS.sha}.json", f"index/{whole.index}.json"} < store.documents.keys()
