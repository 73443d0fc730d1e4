"""Who may do what: every role, every operation and every owner of a drop, against a table that is written out here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from contracts.terms.arrival import Arrival
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions.api.identity.access import OPERATIONS
from functions.api.identity.callers import ROLES
from functions.keys import report_folder
from functions.ports.expected_files import Absence
from functions.ports.promises import Standing
from tests.builders import ZONES, a_drop, a_plan, a_world
from tests.unit.contracts.authoring.documents import HEAD, a_document
from tests.unit.functions.api.asking import Answer, Asking
from tests.unit.functions.api.texts import keep_texts

FRESH = Promise("loadDate", "loadDate", Span(Decimal(1), "d"))
"""A promise that nobody judges here: after an hour it is late."""
OWN, OTHERS, NOBODYS, PROMOTED = "own", "another's", "nobody's", "another's, promoted"
OWNERS = (OWN, OTHERS, NOBODYS, PROMOTED)
DROPS = {
    OWN: a_drop(id="a" * 32, state="rejected", producer="shop", contract="orders.v1"),
    OTHERS: a_drop(id="b" * 32, state="rejected", producer="bank", contract="loans.v1"),
    NOBODYS: a_drop(id="c" * 32, state="unmatched", producer=None, contract=None, plan=None),
    PROMOTED: a_drop(id="d" * 32, state="accepted", producer="bank", contract="loans.v1"),
}
TITLES = {OWN: "orders-1.0.0", OTHERS: "loans-1.0.0", NOBODYS: "none-1.0.0", PROMOTED: "loans-1.0.0"}
CONTRACTS = {OWN: "orders.v1", OTHERS: "loans.v1", NOBODYS: "none.v1", PROMOTED: "loans.v1"}

ALL = dict.fromkeys(OWNERS, 200)
NONE = dict.fromkeys(OWNERS, 403)
OWN_ALONE = {OWN: 200, OTHERS: 404, NOBODYS: 404, PROMOTED: 404}
PROMOTED_ALONE = {OWN: 404, OTHERS: 404, NOBODYS: 404, PROMOTED: 200}
EVERY_CONTRACT = {OWN: 200, OTHERS: 200, NOBODYS: 404, PROMOTED: 200}
WITH_RECEIPT = {OWN: 200, OTHERS: 200, NOBODYS: 404, PROMOTED: 200}

OPERATORS = dict.fromkeys(("producer", "consumer", "steward", ""), NONE)
"""Of acts, which only operators have: 409 is a drop that its state does not allow, 404 what is not paused."""

CONTRACT_READERS = {
    "producer": OWN_ALONE,
    "consumer": EVERY_CONTRACT,
    "steward": EVERY_CONTRACT,
    "operator": EVERY_CONTRACT,
    "": NONE,
}
"""Of reads of contracts in force."""
RECEIPT_READERS = {"producer": OWN_ALONE, "consumer": NONE, "steward": WITH_RECEIPT, "operator": WITH_RECEIPT, "": NONE}

PORT_READERS = {
    "producer": NONE,
    **dict.fromkeys(("consumer", "steward", "operator"), dict.fromkeys(OWNERS, 409) | {NOBODYS: 404}),
    "": NONE,
}
"""Of checks of what consumers have: 409 is that they have nothing."""
OWNERS_ALONE = {"producer": OWN_ALONE, "consumer": NONE, "steward": NONE, "operator": NONE, "": NONE}
"""Of acts that only the producer of a contract has."""
EXPECTED: Mapping[str, Mapping[str, Mapping[str, int]]] = {
    "list_contracts": CONTRACT_READERS,
    "read_contract": CONTRACT_READERS,
    "list_versions": CONTRACT_READERS,
    "read_version": CONTRACT_READERS,
    "compare_versions": CONTRACT_READERS,
    "export_contract": CONTRACT_READERS,
    "read_contract_page": CONTRACT_READERS,
    "register_data_contract": {"producer": NONE, "consumer": NONE, "steward": ALL, "operator": NONE, "": NONE},
    "publish_contract": {"producer": NONE, "consumer": NONE, "steward": ALL, "operator": NONE, "": NONE},
    "list_drops": {"producer": OWN_ALONE, "consumer": PROMOTED_ALONE, "steward": ALL, "operator": ALL, "": NONE},
    "read_drop": {"producer": OWN_ALONE, "consumer": PROMOTED_ALONE, "steward": ALL, "operator": ALL, "": NONE},
    "read_receipt": RECEIPT_READERS,
    "read_receipt_page": RECEIPT_READERS,
    "read_rejected_rows": RECEIPT_READERS,
    "list_missing": CONTRACT_READERS,
    "list_slos": CONTRACT_READERS,
    "create_link": RECEIPT_READERS,
    "revoke_links": OPERATORS | {"producer": OWN_ALONE, "operator": ALL},
    "lint": {"producer": ALL, "consumer": NONE, "steward": ALL, "operator": ALL, "": NONE},
    "list_pauses": {"producer": NONE, "consumer": NONE, "steward": ALL, "operator": ALL, "": NONE},
    "list_drop_notices": {"producer": NONE, "consumer": NONE, "steward": ALL, "operator": ALL, "": NONE},
    "list_contract_notices": {
        "producer": NONE,
        "consumer": NONE,
        "steward": EVERY_CONTRACT,
        "operator": EVERY_CONTRACT,
        "": NONE,
    },
    "read_health": {"producer": NONE, "consumer": NONE, "steward": ALL, "operator": ALL, "": NONE},
    "read_costs": {"producer": NONE, "consumer": NONE, "steward": NONE, "operator": ALL, "": NONE},
    "create_upload": {"producer": OWN_ALONE, "consumer": NONE, "steward": NONE, "operator": NONE, "": NONE},
    "read_data_contract": CONTRACT_READERS,
    "create_workload": OWNERS_ALONE,
    "notify_workload": OWNERS_ALONE,
    "read_workload": OWNERS_ALONE | {"steward": EVERY_CONTRACT, "operator": EVERY_CONTRACT},
    "start_validation": OWNERS_ALONE,
    "read_validation": OWNERS_ALONE | {"steward": EVERY_CONTRACT, "operator": EVERY_CONTRACT},
    "check_input_port": PORT_READERS,
    "check_output_port": PORT_READERS,
    "replay_drop": OPERATORS | {"operator": dict.fromkeys(OWNERS, 409)},
    "accept_drop": OPERATORS | {"operator": dict.fromkeys(OWNERS, 409)},
    "reject_drop": OPERATORS | {"operator": dict.fromkeys(OWNERS, 409) | {PROMOTED: 200}},
    "create_pause": OPERATORS | {"operator": EVERY_CONTRACT},
    "delete_pause": OPERATORS | {"operator": dict.fromkeys(OWNERS, 404)},
}
"""The status by operation, role and owner; in a list, 404 is what the list lacks."""


@pytest.fixture(scope="module")
def asking() -> Asking:
    """A world with a drop of each owner, each but nobody's with a receipt."""
    loans = a_plan("loans.v1", ("loans/*.csv",), producer="bank", arrival=Arrival("06:00"), promises=(FRESH,))
    orders = a_plan(arrival=Arrival("06:00"), promises=(FRESH,))
    world = a_world(contracts=[orders, loans])
    world.clock.pass_seconds(7200)
    for contract in ("orders.v1", "loans.v1"):
        due = "2026-01-30T06:00:00.000000Z"
        world.ledger.write((), Absence(contract, "2026-01-30", 1, 0, due, "2026-01-31T00:00:00.000000Z", due))
        world.ledger.write((), Standing(contract, due))  # nobody has looked since, whenever contracts were published
    for name, producer in (("orders", "shop"), ("loans", "bank")):
        block = f"files: {name}/*.csv\nproducer: {producer}\nformat: csv\n"
        text = a_document(head=HEAD.replace("id: orders", f"id: {name}"), drop=block)
        keep_texts(world, text, text.replace('"1.0.0"', '"0.9.0"'))
    for drop in DROPS.values():
        receipt = None
        if drop.producer:
            receipt = f"{report_folder(ZONES, drop.producer, drop.id, 1)}receipt.json"
            world.store.put(receipt, b'{"format": 1, "rejected_rows": "rejected.csv"}', "application/json")
            world.store.put(receipt.replace("receipt.json", "rejected.csv"), b"id\n1\n", "text/csv")
            world.store.put(receipt.replace("receipt.json", "receipt.html"), b"<style></style>", "text/html")
        world.ledger.open(a_drop(**{name: getattr(drop, name) for name in drop.__slots__} | {"receipt": receipt}))
    asking = Asking(world)
    asking.link_keys["keys"] = f"first {'a' * 43} 7"
    for owner, folder in ((OWN, "shop"), (OTHERS, "bank"), (PROMOTED, "bank")):
        token = asking.token("producer", folders=[folder])
        WORKLOADS[owner] = asking.ask("/api/v1/workload", token, "POST", json.dumps(TITLES[owner])).body["workloadId"]
    return asking


WORKLOADS = {NOBODYS: "none"}
"""The workload of each owner's contract."""
PATHS = {
    "list_contracts": "/contracts",
    "read_contract": "/contracts/{contract}",
    "list_versions": "/contracts/{contract}/versions",
    "read_version": "/contracts/{contract}/versions/1.0.0",
    "compare_versions": "/contracts/{contract}/changes",
    "export_contract": "/contracts/{contract}/exports/avro",
    "read_contract_page": "/contracts/{contract}/page",
    "register_data_contract": "/api/v1/data-contract",
    "publish_contract": "/contracts",
    "list_drops": "/drops",
    "read_drop": "/drops/{drop}",
    "read_receipt": "/drops/{drop}/receipt",
    "read_receipt_page": "/drops/{drop}/receipt.html",
    "read_rejected_rows": "/drops/{drop}/rejected-rows",
    "create_link": "/drops/{drop}/links",
    "revoke_links": "/drops/{drop}/links",
    "list_missing": "/missing",
    "list_slos": "/slos",
    "lint": "/lint",
    "list_pauses": "/pauses",
    "list_drop_notices": "/drops/{drop}/notices",
    "list_contract_notices": "/contracts/{contract}/notices",
    "read_health": "/health",
    "read_costs": "/costs",
    "create_upload": "/uploads",
    "read_data_contract": "/api/v1/data-contract/{title}",
    "create_workload": "/api/v1/workload",
    "notify_workload": "/api/v1/workload/notify/{workload}",
    "read_workload": "/api/v1/workload/{workload}",
    "start_validation": "/v1/validation/start",
    "read_validation": "/v1/validation/{workload}",
    "check_input_port": "/{product}/input-ports/{contract}/contract_check",
    "check_output_port": "/{product}/output-ports/{contract}/contract_check",
    "replay_drop": "/drops/{drop}/replay",
    "accept_drop": "/drops/{drop}/accept",
    "reject_drop": "/drops/{drop}/reject",
    "create_pause": "/pauses",
    "delete_pause": "/pauses/contract/{contract}",
}
GONE = "files: gone/*.csv\nproducer: gone\nformat: csv\n"
METHODS = {
    **dict.fromkeys(("create_link", "notify_workload", "check_input_port", "check_output_port"), "POST"),
    **dict.fromkeys(("revoke_links", "delete_pause"), "DELETE"),
}
LISTS = {
    "list_contracts": ("contracts", "contract"),
    "list_drops": ("drops", "id"),
    "list_missing": ("missing", "contract"),
    "list_slos": ("contracts", "contract"),
}
"""Of operations that list things with owners: the list, and the name of its items."""
BODIES: dict[str, dict[str, Any]] = {
    "lint": {"text": "a: b"},
    "publish_contract": {"text": a_document(head=HEAD.replace("id: orders", "id: gone")), "dry_run": True},
    "replay_drop": {"dry_run": True},
    "accept_drop": {"reason": "a test", "dry_run": True},
    "reject_drop": {"reason": "a test", "dry_run": True},
}
FOLDERS = {OWN: "orders", OTHERS: "loans", NOBODYS: "none", PROMOTED: "loans/sent"}


def answered(asking: Asking, operation: str, token: str, owner: str) -> int:
    """Send the request of an operation for what an owner has; the status, 404 for what a list lacks."""
    drop, contract = DROPS[owner].id, CONTRACTS[owner]
    title, workload = TITLES[owner], WORKLOADS[owner]
    path = PATHS[operation].format(drop=drop, contract=contract, title=title, workload=workload, product=title[:-6])
    body: Any = BODIES.get(operation)
    if operation == "create_upload":
        body = {"key": f"{FOLDERS[owner]}/1.csv", "size": 9, "sha256": "0" * 64}
    if operation == "create_pause":
        body = {"kind": "contract", "name": contract, "reason": "a test", "dry_run": True}
    if operation == "register_data_contract":
        body = json.dumps(a_document(head=HEAD.replace("id: orders", "id: gone"), drop=GONE))
    if operation == "create_workload":
        body = json.dumps(title)
    if operation == "start_validation":
        body = {"workloadId": workload}
    method = METHODS.get(operation, "POST" if body else "GET")
    of_month = {"month": "2026-01"} if operation in ("list_drops", "list_missing") else None
    answer = asking.ask(path, token, method, body, query=of_month)
    if operation not in LISTS:
        return answer.status
    key, name = LISTS[operation]
    return listed(answer, key, name, drop if name == "id" else contract)


def listed(answer: Answer, key: str, name: str, wanted: str) -> int:
    if answer.status != 200:
        return answer.status
    return 200 if wanted in [item[name] for item in answer.body[key]] else 404


def test_table_has_every_operation_and_role() -> None:
    assert EXPECTED.keys() == set(OPERATIONS)
    assert {frozenset(roles) for roles in EXPECTED.values()} == {frozenset({*ROLES, ""})}


@pytest.mark.parametrize(("operation", "role", "owner"), list(product(OPERATIONS, (*ROLES, ""), OWNERS)))
def test_role_reaches_what_the_table_says(asking: Asking, operation: str, role: str, owner: str) -> None:
    groups = ["shops"] if role == "producer" else [role] if role else []

    assert answered(asking, operation, asking.token(*groups), owner) == EXPECTED[operation][role][owner]


def test_roles_add_up(asking: Asking) -> None:
    token = asking.token("shops", "consumer")

    assert [answered(asking, "read_drop", token, owner) for owner in OWNERS] == [200, 404, 404, 200]
    assert answered(asking, "read_receipt", token, PROMOTED) == 404


def test_producer_without_folder_has_nothing(asking: Asking) -> None:
    token = asking.token("producer")

    assert asking.ask("/drops", token, query={"month": "2026-01"}).body == {"drops": [], "next": None}
    assert answered(asking, "read_drop", token, NOBODYS) == 404


def test_folders_of_the_claim_are_the_producers_own(asking: Asking) -> None:
    token = asking.token("producer", folders=["shop", "../bank"])

    assert [answered(asking, "read_drop", token, owner) for owner in OWNERS] == [200, 404, 404, 404]
    assert answered(asking, "read_drop", asking.token("consumer", folders=["shop"]), OWN) == 404
