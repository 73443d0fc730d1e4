"""Publishing by the API: a text in force next to the others, with the checks of `dropgate publish`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from click.testing import CliRunner

from contracts import codec
from contracts.authoring.publication import in_force_in, publish
from contracts.authoring.store import documents
from contracts.catalog import Pointer
from contracts.errors import ContractInvalid
from contracts.terms.notices import Channel, ContractRoutes, Route, Routes
from infra.cli.main import main
from tests.builders import ZONES, World, a_world
from tests.unit.contracts.authoring.documents import HEAD, a_document, compiled
from tests.unit.functions.api.asking import Asking, StoredCatalog
from tests.unit.functions.api.texts import put_in_force

ORDERS = a_document()
LOANS = a_document(
    head=HEAD.replace("id: orders", "id: loans"), drop="files: bank/*.csv\nproducer: bank\nformat: csv\n"
)
BOOKS = a_document(
    head=HEAD.replace("id: orders", "id: books"), drop="files: press/*.csv\nproducer: press\nformat: csv\n"
)
LOOKING = """\
- name: id
  logicalType: integer
  relationships:
    - {to: "loans.v1.yaml#/schema/orders/properties/id"}
"""
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)

SPECIFICATION = """\
dataContractSpecification: 1.1.0
id: novels
info: {title: Novels, version: 1.0.0}
models:
  novels:
    type: table
    fields:
      id: {type: integer, required: true}
      note: {type: text}
"""
TWO = f"{SPECIFICATION}  shelves:\n    fields:\n      id: {{type: integer}}\n"
WRONG = SPECIFICATION.replace("fields:", "fields: 1\n    columns:")
"""Texts of the Data Contract Specification: of one contract, of two, and of none."""


@pytest.fixture
def world() -> World:
    made = a_world()
    put_in_force(made, ORDERS, LOANS)
    return made


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def sent(asking: Asking, text: str, **more: Any) -> Any:
    return asking.ask("/contracts", asking.token("steward"), "POST", {"text": text, **more})


def in_force(asking: Asking) -> list[str]:
    return [each["contract"] for each in asking.ask("/contracts", asking.token("steward")).body["contracts"]]


def codes(answer: Any) -> list[str]:
    return [error["kind"] for error in answer.body["errors"]]


def test_text_is_put_in_force_next_to_the_others(asking: Asking, world: World) -> None:
    answer = sent(asking, BOOKS)

    assert (answer.status, answer.body["new"], answer.body["changed"], answer.body["withdrawn"]) == (
        200,
        ["books.v1"],
        [],
        [],
    )
    assert in_force(asking) == ["books.v1", "loans.v1", "orders.v1"]
    assert asking.ask("/contracts/books.v1", asking.token("steward")).body["document"] == BOOKS
    assert world.ports.catalog.match("press/1.csv").entry.plan == compiled(BOOKS).plan.sha  # type: ignore[union-attr]
    pointer = codec.loads(Pointer, world.store.get(f"{ZONES.catalog}current.json"), "pointer")
    assert (pointer.authority, pointer.index) == ("api", answer.body["index"])


def test_dry_run_writes_nothing(asking: Asking, world: World) -> None:
    before = world.store.listing(ZONES.catalog)
    answer = sent(asking, BOOKS, dry_run=True)

    assert (answer.status, answer.body["new"], answer.body["dry_run"]) == (200, ["books.v1"], True)
    assert world.store.listing(ZONES.catalog) == before


def test_newer_version_takes_the_place_of_the_older(asking: Asking) -> None:
    newer = a_document(head=HEAD.replace("1.0.0", "1.0.1") + "description: {purpose: sales}\n")

    assert sent(asking, newer).body["changed"] == ["orders.v1"]
    versions = asking.ask("/contracts/orders.v1/versions", asking.token("steward")).body["versions"]
    assert [each["version"] for each in versions] == ["1.0.1", "1.0.0"]


TIGHTER = """\
- name: id
  logicalType: integer
  required: true
"""
WAIVER = "waivers: [{change: required:id.required, version: 1.1.0, because: Shop agreed.}]\n"


def test_break_needs_a_waiver_or_a_major_version(asking: Asking) -> None:
    head = HEAD.replace("1.0.0", "1.1.0")
    answer = sent(asking, a_document(TIGHTER, head=head))
    assert (answer.status, codes(answer)) == (422, ["breaks"])
    message = "orders.v1 1.1.0 breaks producers (shop) of 1.0.0: `required:id.required`."
    assert answer.body["errors"][0]["message"] == message
    assert "--accept CHANGE --because TEXT" in answer.body["errors"][0]["fix"]

    assert sent(asking, a_document(TIGHTER, head=head, more_drop=WAIVER)).body["changed"] == ["orders.v1"]
    compared = asking.ask("/contracts/orders.v1/changes", asking.token("steward")).body
    assert [(c["name"], c["waived"]) for c in compared["changes"]] == [("required:id.required", "Shop agreed.")]
    assert (compared["failed"], compared["direction"], compared["producer"]) == (False, "tightens", "shop")


def test_next_waiver_is_of_the_next_version(asking: Asking) -> None:
    first = a_document(TIGHTER, head=HEAD.replace("1.0.0", "1.1.0"), more_drop=WAIVER)
    assert sent(asking, first).status == 200
    looser = a_document(head=HEAD.replace("1.0.0", "1.2.0"), more_drop=WAIVER)
    assert codes(sent(asking, looser)) == ["breaks"]
    assert sent(asking, ORDERS).body["changed"] == ["orders.v1"], "a former version comes back as it was"


def test_published_version_keeps_its_text(asking: Asking) -> None:
    answer = sent(asking, ORDERS.replace("integer", "string"))

    assert (answer.status, codes(answer)) == (422, ["published"])
    assert answer.body["type"] == "urn:dropgate:problem:contract-refused"
    assert answer.body["errors"][0]["at"].startswith("line 4,")


def test_retired_text_withdraws_its_contract(asking: Asking) -> None:
    retired = LOANS.replace("status: active", "status: retired").replace("1.0.0", "1.0.1")

    assert sent(asking, retired).body["withdrawn"] == ["loans.v1"]
    assert in_force(asking) == ["orders.v1"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LOANS.replace("status: active", "status: draft"), "not-in-force"),
        (BOOKS.replace("press/*.csv", "shop/orders/*.csv").replace("producer: press", "producer: shop"), "overlap"),
        (BOOKS.replace("press/*.csv", "shop/*.csv"), "nested-folders"),
        (a_document(LOOKING, head=HEAD.replace("id: orders", "id: books")), "refers-elsewhere"),
        ("apiVersion: v3.2.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n", "no-contract"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_text_that_does_not_fit_is_refused(asking: Asking, world: World, text: str, code: str) -> None:
    before = world.store.listing(ZONES.catalog)
    answer = sent(asking, text)

    assert (answer.status, code in codes(answer)) == (422, True), answer.text
    assert world.store.listing(ZONES.catalog) == before


def test_contract_that_others_look_into_is_not_withdrawn(world: World) -> None:
    asking = Asking(world)
    looking = compiled(
        a_document(
            LOOKING, head=HEAD.replace("id: orders", "id: looking"), drop="files: l/*.csv\nproducer: l\nformat: csv\n"
        )
    )
    every = [each.plan for each in (looking, compiled(LOANS)) if each.plan]
    publish(every, StoredCatalog(world.store), NOW)
    retired = LOANS.replace("status: active", "status: retired").replace("1.0.0", "1.0.1")

    assert "needed-elsewhere" in codes(sent(asking, retired))


def test_routes_of_the_others_stay(asking: Asking, world: World) -> None:
    route = Route("consumer", Channel("email", "reader@example.org"), ("missing",))
    routes = Routes((ContractRoutes("loans.v1", "bank", (route,)),), (route,))
    store, contracts = StoredCatalog(world.store), [compiled(ORDERS), compiled(LOANS)]
    publish([each.plan for each in contracts if each.plan], store, NOW, documents(contracts), routes)
    assert sent(asking, BOOKS).status == 200

    assert world.ports.catalog.routes() == routes


def test_stack_of_a_repository_takes_no_texts(world: World) -> None:
    asking = Asking(world, authority="repository")
    for dry_run in (False, True):
        answer = sent(asking, BOOKS, dry_run=dry_run)
        assert (answer.status, "ContractsFrom" in answer.body["detail"]) == (409, True)


def test_repository_withdraws_nothing_that_the_api_published(asking: Asking, world: World) -> None:
    sent(asking, BOOKS)
    store, own = StoredCatalog(world.store), [compiled(text) for text in (ORDERS, LOANS)]
    plans = [each.plan for each in own if each.plan]
    with pytest.raises(ContractInvalid, match=r"books\.v1"):
        publish(plans, store, NOW, documents(own))
    books = compiled(BOOKS)
    assert books.plan
    publish([*plans, books.plan], store, NOW, documents([*own, books]))

    assert [entry.contract for entry in in_force_in(store).index.entries] == ["books.v1", "loans.v1", "orders.v1"]
    assert publish(plans, store, NOW, documents(own)).withdrawn == ("books.v1",)


def test_command_line_leaves_a_stack_of_the_api_alone(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "orders.v1.yaml").write_text(ORDERS)
    monkeypatch.setenv("DROPGATE_CATALOG", "s3://nowhere/catalog/")
    monkeypatch.setenv("DROPGATE_CONTRACTS_FROM", "api")
    result = CliRunner().invoke(main, ["publish", str(tmp_path)])

    assert result.exit_code == 1
    assert "ContractsFrom" in result.output


def test_repeat_with_its_key_publishes_once(asking: Asking) -> None:
    token, key = asking.token("steward"), {"idempotency-key": "k1"}
    first, again = (asking.ask("/contracts", token, "POST", {"text": BOOKS}, key) for _ in range(2))

    assert (first.status, first.body["new"]) == (200, ["books.v1"])
    assert again.body == first.body


def test_registered_contract_answers_its_id(asking: Asking) -> None:
    """As the thesis' Data Contract Manager: a JSON text in, a JSON text out; 400 for what cannot be published."""
    path, token = "/api/v1/data-contract", asking.token("steward")

    answer = asking.ask(path, token, "POST", json.dumps(BOOKS))

    assert (answer.status, answer.body) == (200, "books-1.0.0")
    assert asking.ask(f"{path}/books-1.0.0", token).body["content"] == BOOKS
    assert asking.ask(path, token, "POST", json.dumps("no: contract")).status == 400
    assert asking.ask(path, token, "POST", json.dumps({"text": BOOKS})).status == 400


def test_text_of_another_format_is_imported_before_it_is_registered(asking: Asking) -> None:
    path, token = "/api/v1/data-contract", asking.token("steward")
    files = {"files": "press/*.csv", "producer": "press", "format": "csv"}

    without = asking.ask(path, token, "POST", json.dumps(SPECIFICATION))
    answer = asking.ask(path, token, "POST", json.dumps(SPECIFICATION), query=files)
    assert (without.status, "files, producer and format" in without.body["detail"]) == (400, True)
    assert (answer.status, answer.body) == (200, "novels-1.0.0")
    document = asking.ask(f"{path}/novels-1.0.0", token).body["content"]
    assert "apiVersion: v3" in document
    assert asking.ask("/contracts/novels.v1", token).body["producer"] == "press"


@pytest.mark.parametrize(
    ("text", "query", "why"),
    [
        ("SPECIFICATION", {"files": "press/*.csv"}, "go together"),
        ("SPECIFICATION", {"files": "_trial/*.csv", "producer": "press", "format": "csv"}, "trial"),
        ("BOOKS", {"files": "press/*.csv", "producer": "press", "format": "csv"}, "names its files itself"),
        ("TWO", {"files": "press/*.csv", "producer": "press", "format": "csv"}, "holds 2 contracts"),
        ("WRONG", {"files": "press/*.csv", "producer": "press", "format": "csv"}, ""),
    ],
)
def test_import_that_cannot_be_is_refused_with_its_reason(
    asking: Asking, text: str, query: dict[str, str], why: str
) -> None:
    asked = json.dumps(globals()[text])
    answer = asking.ask("/api/v1/data-contract", asking.token("steward"), "POST", asked, query=query)

    assert (answer.status, why in answer.body["detail"]) == (400, True), answer.body
