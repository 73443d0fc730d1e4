"""The catalog as published: a plan that lint never saw reaches no other folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts import codec
from contracts.catalog import Pointer
from contracts.errors import DocumentInvalid
from contracts.terms.notices import Channel, ContractRoutes, Route, Routes
from functions.catalog import Published
from tests.builders import ZONES, a_plan, publish
from tests.fakes import MemoryStore

NAMES = (
    "*",
    "a/b",
    "../x.v1",
    "",
    ".",
    "orders.v1/",
    "-a",
    "a b",
    "a\nb",
    "orders.v1\n",
    "ö.v1",
    "a" * 101,
    "${aws:x}",
)


@pytest.mark.parametrize("part", ["contract", "producer"])
@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_plan_written_by_hand_names_no_other_folder(part: str, name: str) -> None:
    store = MemoryStore()
    plan = replace(a_plan(), **{part: name})  # type: ignore[arg-type]
    publish(store, ZONES.catalog, [plan])

    with pytest.raises(DocumentInvalid, match="is no name of a folder"):
        Published(store, ZONES.catalog).plan(plan.sha)


def test_plan_of_lint_is_read() -> None:
    store, plan = MemoryStore(), a_plan()
    publish(store, ZONES.catalog, [plan])

    assert codec.canonical(Published(store, ZONES.catalog).plan(plan.sha)) == codec.canonical(plan)


SHOP = Route("producer", Channel("email", "data@example.org"), ("rejected",))
ROUTES = Routes((ContractRoutes("orders.v1", "shop", (SHOP,)),))


def _published(store: MemoryStore, routes: str | None) -> None:
    pointer = Pointer("gone", "2026-01-31T12:00:00Z", routes=routes)
    store.put(f"{ZONES.catalog}current.json", codec.canonical(pointer).encode(), "application/json")


def test_nobody_hears_before_a_publish_says_so() -> None:
    store = MemoryStore()
    assert Published(store, ZONES.catalog).routes() == Routes()

    publish(store, ZONES.catalog, [a_plan()])
    assert Published(store, ZONES.catalog).routes() == Routes()


def test_routes_are_read_without_the_index_and_once() -> None:
    store, text = MemoryStore(), codec.canonical(ROUTES).encode()
    at = f"{ZONES.catalog}routes/{codec.sha256(ROUTES)}.json"
    store.put(at, text, "application/json")
    _published(store, codec.sha256(ROUTES))
    catalog = Published(store, ZONES.catalog)
    assert catalog.routes() == ROUTES

    store.put(at, b"changed by hand", "application/json")
    assert catalog.routes() == ROUTES
    with pytest.raises(DocumentInvalid):
        Published(store, ZONES.catalog).routes()


def test_routes_follow_the_pointer() -> None:
    store = MemoryStore()
    for routes in (ROUTES, Routes()):
        store.put(f"{ZONES.catalog}routes/{codec.sha256(routes)}.json", codec.canonical(routes).encode(), "")
    _published(store, codec.sha256(ROUTES))
    catalog = Published(store, ZONES.catalog)
    assert catalog.routes() == ROUTES

    _published(store, codec.sha256(Routes()))
    assert catalog.routes() == Routes()
    _published(store, None)
    assert catalog.routes() == Routes()
