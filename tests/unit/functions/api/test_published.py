"""Interfaces of a data contract manager and its validator: their published examples, by their own paths and bodies."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from functions.drop import STATES, Drop, State
from functions.keys import report_folder
from functions.operations.workload import STATES as BY_STATE
from tests.builders import ZONES, World, a_drop, a_plan, a_world
from tests.unit.functions.api.asking import Answer, Asking

FINANCE = "data-contract-finance-dataproduct1-1.0.0"
"""The id of the published examples."""
TEXT = """\
id: data-contract-finance-dataproduct1
version: 1.0.0
customProperties:
  - {property: producer, value: {name: finance, group: finance_othercorp.com}}
  - {property: consumer, value: {name: dataproduct1, group: dataproduct1_corp.com}}
"""
FILE = b"id,note\n1,a\n"
FARE = {
    "id": "minimum_fare_amount_rule-fare_amount",
    "kind": "min",
    "property": "fare_amount",
    "severity": "error",
    "result": "failed",
    "observed": "-52",
}
CHECKS = [
    FARE,
    FARE | {"id": f"{FARE['id']}-warning", "severity": "warning"},
    FARE | {"id": "num_rows_rule-least", "property": None, "result": "passed", "observed": "10000"},
    FARE | {"id": "num_rows_rule-most", "property": None, "result": "passed", "observed": "10000"},
    FARE | {"id": "num_rows_rule-most-warning", "severity": "warning", "property": None, "result": "passed"},
    FARE | {"id": "allowed_values_id-payment_type", "property": "payment_type", "result": "not_evaluated"},
]


@pytest.fixture
def world() -> World:
    trips = a_plan("data-contract-finance-dataproduct1.v1", ("trips_data/*.csv",), producer="shop")
    world = a_world(contracts=[trips, a_plan("loans.v1", ("loans/*.csv",), producer="bank")])
    world.store.put(f"{ZONES.catalog}contracts/1.0.0/{trips.id}/{trips.object}.yaml", TEXT.encode(), "text/yaml")
    return world


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def created(asking: Asking, body: Any = FINANCE, **headers: str) -> Answer:
    return asking.ask("/api/v1/workload", asking.token("shops"), "POST", json.dumps(body), headers)


def polled(asking: Asking, workload: str, *groups: str) -> Answer:
    return asking.ask(f"/api/v1/workload/{workload}", asking.token(*groups or ("shops",)))


def sent(world: World, state: State, key: str = "trips_data/1.csv", **changes: Any) -> Drop:
    """Let a file of the contract come, which is in a state by now."""
    world.clock.pass_seconds(5)
    base = a_drop(id=hashlib.sha256(f"{key}{state}".encode()).hexdigest()[:32], state=state, producer="shop")
    contract, at = "data-contract-finance-dataproduct1.v1", world.ports.at()
    drop = replace(base, contract=contract, key=f"landing/{key}", received_at=at, **changes)
    world.ledger.open(drop)
    return drop


def with_receipt(world: World) -> str:
    """Write a receipt with the published rule, which fails."""
    uri = f"{report_folder(ZONES, 'shop', 'r' * 32, 1)}receipt.json"
    file = {"name": "trips_data/1.csv", "size": 9, "sha256": "0" * 64}
    world.store.put(uri, json.dumps({"file": file, "checks": CHECKS, "problems": []}).encode(), "application/json")
    return uri


def test_data_contract_has_the_published_body(asking: Asking) -> None:
    answer = asking.ask(f"/api/v1/data-contract/{FINANCE}", asking.token("shops"))

    assert answer.body == {
        "id": FINANCE,
        "version": "1.0.0",
        "producer": {"name": "finance", "group": "finance_othercorp.com"},
        "consumer": {"name": "dataproduct1", "group": "dataproduct1_corp.com"},
        "content": TEXT,
    }


@pytest.mark.parametrize("name", ["loans-1.0.0", "data-contract-finance-dataproduct1-9.0.0", "data-contract", "%00"])
def test_other_data_contract_is_not_there(asking: Asking, name: str) -> None:
    assert asking.ask(f"/api/v1/data-contract/{name}", asking.token("shops")).status == 404
    assert created(asking, name).status == 404


def test_workload_is_created_by_the_id_alone(asking: Asking) -> None:
    answer = created(asking)

    assert answer.status == 200
    assert {name: answer.body[name] for name in ("dataContractId", "status")} == {
        "dataContractId": FINANCE,
        "status": "Created",
    }
    assert answer.body["result"]["result"] == "OK"
    assert answer.body["result"]["info"]["files"] == ["trips_data/*.csv"]
    assert polled(asking, answer.body["workloadId"]).body["status"] == "Created"


def test_workload_with_a_summary_is_an_announced_upload(asking: Asking) -> None:
    summary = {"key": "trips_data/1.csv", "size": len(FILE), "sha256": hashlib.sha256(FILE).hexdigest()}

    answer = created(asking, {"dataContractId": FINANCE, "dataSummary": summary})

    assert answer.status == 200
    assert answer.body["result"]["info"]["upload"]["method"] == "PUT"
    assert "/trips_data/1.csv?size=12" in answer.body["result"]["info"]["upload"]["url"]


@pytest.mark.parametrize(
    "body",
    [
        7,
        "",
        {"dataContractId": FINANCE},
        {"dataContractId": FINANCE, "dataSummary": {"key": "trips_data/1.txt", "size": 1, "sha256": "0" * 64}},
        {"dataContractId": FINANCE, "dataSummary": {"key": "trips_data/1.csv", "size": 1}},
        {"dataContractId": FINANCE, "dataSummary": {"key": "trips_data/1.csv", "size": -1, "sha256": "0" * 64}},
    ],
    ids=str,
)
def test_workload_that_does_not_fit_answers_400(asking: Asking, body: Any) -> None:
    answer = created(asking, body)

    assert (answer.status, answer.body["status"], answer.headers["Content-Type"]) == (
        400,
        400,
        "application/problem+json",
    )


def test_repeated_creation_gives_the_same_workload(asking: Asking) -> None:
    first, second = created(asking, **{"idempotency-key": "1"}), created(asking, **{"idempotency-key": "1"})

    assert first.body == second.body


def test_notified_workload_is_under_way(asking: Asking, world: World) -> None:
    workload = created(asking).body["workloadId"]
    drop = sent(world, "validating")

    answer = asking.ask(f"/api/v1/workload/notify/{workload}", asking.token("shops"), "POST")

    assert answer.body == {
        "workloadId": workload,
        "dataContractId": FINANCE,
        "status": "RuntimeValidationInProgress",
        "result": {"result": "Running", "info": None},
        "drop": drop.id,
    }


def test_workload_keeps_the_first_file_that_came_for_it(asking: Asking, world: World) -> None:
    sent(world, "accepted", "trips_data/0.csv")
    workload = created(asking).body["workloadId"]
    first = sent(world, "validating")
    sent(world, "accepted", "trips_data/2.csv")

    assert polled(asking, workload).body["drop"] == first.id
    asking.ask(f"/api/v1/workload/notify/{workload}", asking.token("shops"), "POST")
    assert polled(asking, workload).body["drop"] == first.id


def test_rejected_workload_has_the_published_result(asking: Asking, world: World) -> None:
    workload = created(asking).body["workloadId"]
    sent(world, "rejected", receipt=with_receipt(world))

    body = polled(asking, workload).body

    failing = {"success": False, "exceptionInfoModel": None}
    assert (body["status"], body["result"]["result"], body["result"]["info"]["success"]) == ("Rejected", "NOK", "fail")
    assert body["result"]["info"]["errors"] == []
    assert body["result"]["info"]["results"][0] == {
        "id": "minimum_fare_amount_rule",
        "column": "fare_amount",
        "metric": -52,
        "severity": {"fail": failing, "warn": failing},
    }


def test_every_state_of_a_drop_has_one_of_a_workload() -> None:
    assert BY_STATE.keys() == set(STATES)


@pytest.mark.parametrize("state", STATES)
def test_workload_is_in_the_state_of_its_drop(asking: Asking, world: World, state: State) -> None:
    workload = created(asking).body["workloadId"]
    sent(world, state)

    body = polled(asking, workload).body

    assert (body["status"], body["result"]["result"]) == BY_STATE[state]


def test_workload_is_kept_for_a_month(asking: Asking, world: World) -> None:
    workload = created(asking).body["workloadId"]
    world.clock.pass_seconds(29 * 86_400)
    assert polled(asking, workload).status == 200
    world.clock.pass_seconds(2 * 86_400)

    assert polled(asking, workload).status == 404


def started(asking: Asking, workload: str, *rules: Any, path: str = "trips_data/") -> Answer:
    body = {"workloadId": workload, "validations": list(rules), "access": {"path": path}}
    return asking.ask("/v1/validation/start", asking.token("shops"), "POST", body)


RULE = {"dimension": "completeness", "ruleType": "size", "parameter": 10000, "severity": {"warn": {"tolerance": 0.1}}}


def test_validation_starts_with_the_published_body(asking: Asking, world: World) -> None:
    workload = created(asking).body["workloadId"]
    index = world.ports.catalog.index_if_any()
    assert index
    plan = world.ports.catalog.plan(index.entries[0].plan)
    rule = {"id": plan.checks[0].id, **RULE}

    answer = started(asking, workload, rule)

    assert answer.body == {"workloadId": workload, "status": "OK", "result": []}
    sent(world, "validating")
    assert asking.ask(f"/v1/validation/{workload}", asking.token("shops")).body["status"] == "Running"


def test_validation_of_a_rule_that_nobody_agreed_on_is_refused(asking: Asking) -> None:
    workload = created(asking).body["workloadId"]

    assert started(asking, workload, {"id": "row_size_rule_id", **RULE}).status == 400
    assert started(asking, workload, path="loans/1.csv").status == 400


def test_validation_has_the_published_result(asking: Asking, world: World) -> None:
    workload = created(asking).body["workloadId"]
    sent(world, "rejected", receipt=with_receipt(world))

    body = asking.ask(f"/v1/validation/{workload}", asking.token("shops")).body

    good = {"success": True, "exception_info": {"raised_exception": False}}
    assert (body["workloadId"], body["status"]) == (workload, "OK")
    assert body["result"][1:] == [
        {"id": "num_rows_rule", "column": None, "metric": 10000, "severity": {"fail": good, "warn": good}},
        {
            "id": "allowed_values_id",
            "column": "payment_type",
            "metric": -52,
            "severity": {"fail": good | {"success": None}, "warn": None},
        },
    ]
