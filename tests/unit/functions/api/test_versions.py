"""Versions of contracts by the API: their texts, the changes between them, exports and the page."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from contracts.authoring.compiler.compile import compile_each
from contracts.authoring.diff.compare import compare
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read_each
from functions.api.answers.html import policy_of
from functions.api.models.versions import ExportName
from tests.builders import ZONES, World, a_plan, a_world, publish
from tests.unit.contracts.authoring.documents import HEAD, a_document
from tests.unit.functions.api.asking import Asking
from tests.unit.functions.api.texts import keep_texts, put_in_force

TIGHTER = """\
- name: id
  logicalType: integer
  required: true
"""
FIRST = a_document()
SECOND = a_document(TIGHTER, head=HEAD.replace("1.0.0", "1.1.0"))
OTHERS = a_document(
    head=HEAD.replace("id: orders", "id: loans"), drop="files: bank/*.csv\nproducer: bank\nformat: csv\n"
)


@pytest.fixture
def world() -> World:
    made = a_world()
    keep_texts(made, FIRST)
    put_in_force(made, SECOND, OTHERS)
    return made


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def test_versions_come_newest_first(asking: Asking, world: World) -> None:
    keep_texts(world, a_document(head=HEAD.replace("1.0.0", "2.0.0")))
    answer = asking.ask("/contracts/orders.v1/versions", asking.token("shops"))

    assert answer.body == {
        "contract": "orders.v1",
        "versions": [{"version": "1.1.0", "in_force": True}, {"version": "1.0.0", "in_force": False}],
    }
    again = asking.ask(
        "/contracts/orders.v1/versions", asking.token("shops"), headers={"if-none-match": answer.headers["ETag"]}
    )
    assert again.status == 304


@pytest.mark.parametrize(("version", "text"), [("1.0.0", FIRST), ("1.1.0", SECOND), ("v1", FIRST)])
def test_version_is_the_published_text(asking: Asking, version: str, text: str) -> None:
    answer = asking.ask(f"/contracts/orders.v1/versions/{version}", asking.token("shops"))

    assert answer.body["document"] == text
    assert answer.body["in_force"] == (text == SECOND)


ABOUT = "domain: sales\ntags: [gold]\nteam: {name: data-desk, members: [{username: ana}]}\n"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"tag": "gold"}, ["books.v1"]),
        ({"domain": "sales"}, ["books.v1"]),
        ({"team": "data-desk"}, ["books.v1"]),
        ({"team": "ana"}, ["books.v1"]),
        ({"consumer": "finance"}, ["books.v1"]),
        ({"tag": "gold", "consumer": "nobody"}, []),
        ({"tag": "silver"}, []),
        ({"id": "orders"}, ["orders.v1"]),
        ({"id": "order"}, []),
        ({"status": "deprecated"}, ["loans.v1"]),
        ({"status": "active"}, ["books.v1", "orders.v1"]),
    ],
    ids=str,
)
def test_contracts_are_found_by_what_describes_them(world: World, query: dict[str, str], names: list[str]) -> None:
    block = "files: press/*.csv\nproducer: press\nformat: csv\nconsumers: [finance]\n"
    books = a_document(head=HEAD.replace("id: orders", "id: books") + ABOUT, drop=block)
    put_in_force(world, SECOND, books, OTHERS.replace("status: active", "status: deprecated"))
    asking = Asking(world)

    having = asking.ask("/contracts", asking.token("steward"), query=query).body["contracts"]
    assert [each["contract"] for each in having] == names


def test_search_in_texts_has_a_bound(world: World) -> None:
    plans = [a_plan(f"c{n}.v1", (f"c{n}/*.csv",)) for n in range(201)]
    publish(world.store, ZONES.catalog, plans)
    asking = Asking(world)
    token = asking.token("steward")

    assert asking.ask("/contracts", token, query={"tag": "gold"}).status == 422
    assert asking.ask("/contracts", token, query={"tag": "gold", "search": "c12"}).body["contracts"] == []


def test_unknown_versions_are_not_there(asking: Asking) -> None:
    token = asking.token("steward")

    for path in ("versions/9.0.0", "versions/..", "versions/x", "page?version=9.0.0"):
        name, _, query = path.partition("?")
        more = dict([query.split("=")]) if query else None
        assert asking.ask(f"/contracts/orders.v1/{name}", token, query=more).status == 404, path
    assert asking.ask("/contracts/none.v1/versions", token).status == 404
    assert asking.ask("/contracts/orders.v1/changes", token, query={"new": "1.0.0"}).status == 404


def test_changes_have_the_verdict_of_breaking(asking: Asking) -> None:
    body = asking.ask("/contracts/orders.v1/changes", asking.token("steward")).body
    old, new = (compile_each(text.encode(), "orders.v1.yaml")[0] for text in (FIRST, SECOND))
    wanted = compare(old, new)

    assert (body["old"], body["new"]) == ("1.0.0", "1.1.0")
    assert [(c["kind"], c["message"], c["producer"], c["consumer"], c["line"]) for c in body["changes"]] == [
        (c.kind, c.message, c.producer, c.consumer, c.line) for c in wanted.changes
    ]
    assert (body["breaks"], body["raises"], body["needed_version"]) == (["producer"], "major", "2.0.0")
    assert body["failed"]
    assert [f["code"] for f in body["findings"]] == ["version"]


def test_nothing_changes_between_a_version_and_itself(asking: Asking) -> None:
    query = {"old": "1.1.0", "new": "1.1.0"}
    body = asking.ask("/contracts/orders.v1/changes", asking.token("steward"), query=query).body

    assert (body["changes"], body["raises"], body["needed_version"], body["failed"]) == ([], None, None, False)


def test_former_version_of_another_producer_is_not_there(asking: Asking, world: World) -> None:
    former = a_document(head=HEAD.replace("1.0.0", "0.9.0"), drop="files: bank/*.csv\nproducer: bank\nformat: csv\n")
    keep_texts(world, former.replace("0.9.0", "1.0.5"))
    own, all_ = asking.token("shops"), asking.token("steward")
    changes: dict[str, Any] = {"query": {"old": "1.0.5"}}
    page: dict[str, Any] = {"query": {"version": "1.0.5"}}

    for path, more in (("versions/1.0.5", {}), ("changes", changes), ("page", page), ("exports/avro", page)):
        assert asking.ask(f"/contracts/orders.v1/{path}", own, **more).status == 404, path
        assert asking.ask(f"/contracts/orders.v1/{path}", all_, **more).status == 200, path


@pytest.mark.parametrize("name", FORMATS)
def test_export_is_that_of_the_command_line(asking: Asking, name: str) -> None:
    answer = asking.ask(f"/contracts/orders.v1/exports/{name}", asking.token("shops"))
    contract = read_each(SECOND.encode(), "orders.v1.yaml")[0].contract
    assert contract
    wanted = FORMATS[name].write(contract)

    assert answer.body["text"] == wanted.text
    assert answer.body["losses"] == list(wanted.losses)
    assert answer.body["name"] == f"orders.v1{FORMATS[name].suffix}"


def test_api_has_every_export_format(asking: Asking) -> None:
    assert set(get_args(ExportName)) == set(FORMATS)
    assert asking.ask("/contracts/orders.v1/exports/word", asking.token("shops")).status == 422


def test_page_lets_in_its_style_alone(asking: Asking) -> None:
    answer = asking.ask("/contracts/orders.v1/page", asking.token("shops"))

    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Content-Security-Policy"] == policy_of(answer.text)
    assert "sha256-" in answer.headers["Content-Security-Policy"]
    assert "script" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "<h1>orders</h1>" in answer.text
    headers = {"if-none-match": answer.headers["ETag"]}
    assert asking.ask("/contracts/orders.v1/page", asking.token("shops"), headers=headers).status == 304
