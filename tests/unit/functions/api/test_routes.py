"""The routes: pages without gaps, ETags, problems with places, and a lint that reads nothing but its text."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from functions.api import runtime
from functions.api.answers.html import policy_of
from functions.drop import Location
from functions.keys import report_folder
from tests.builders import ZONES, World, a_drop, a_plan, a_world, one_bad
from tests.unit.functions.api.asking import Asking

LARGE = 25
UNFIT = ("[]", "7", '{"text": 1}', '{"text": "a", "more": 1}', '{"name": "a/../b", "text": "a"}')


def ids(answer_body: dict[str, list[dict[str, str]]]) -> list[str]:
    return [drop["id"] for drop in answer_body["drops"]]


@pytest.fixture
def world() -> World:
    return a_world(contracts=[a_plan(), a_plan("loans.v1", ("loans/*.csv",), producer="bank")])


@pytest.fixture
def asking(world: World) -> Asking:
    return Asking(world)


def fill(world: World) -> list[str]:
    """Open drops of three contracts, some at the same moment; their ids, newest first."""
    made = []
    for n in range(LARGE):
        contract = ("orders.v1", "loans.v1", None)[n % 3]
        at = f"2026-01-{31 - n // 4:02}T12:00:00.000000Z"
        producer = {"orders.v1": "shop", "loans.v1": "bank", None: "shop"}[contract]
        drop = a_drop(id=f"{n:032d}", contract=contract, producer=producer, received_at=at, state="rejected")
        world.ledger.open(drop)
        made.append((at, drop.id))
    return [name for _, name in sorted(made, reverse=True)]


@pytest.mark.parametrize("limit", [1, 3, 7, LARGE, LARGE + 1])
def test_pages_hold_every_drop_once_in_order(asking: Asking, world: World, limit: int) -> None:
    wanted, token, cursor, seen = fill(world), asking.token("operator"), "", []
    while True:
        more = {"cursor": cursor} if cursor else {}
        body = asking.ask("/drops", token, query={"month": "2026-01", "limit": str(limit), **more}).body
        assert len(body["drops"]) <= limit
        seen += ids(body)
        cursor = body["next"]
        if not cursor:
            break

    assert seen == wanted


def test_filters_narrow_a_list(asking: Asking, world: World) -> None:
    fill(world)
    world.ledger.open(a_drop(id="f" * 32, state="failed"))
    token = asking.token("operator")

    of = {
        name: ids(asking.ask("/drops", token, query={"month": "2026-01", "limit": "200", **query}).body)
        for name, query in (
            ("contract", {"contract": "loans.v1"}),
            ("state", {"state": "failed"}),
            ("producer", {"producer": "bank"}),
            ("unknown", {"contract": "none.v1"}),
        )
    }

    assert of["contract"] == of["producer"] != []
    assert of["state"] == ["f" * 32]
    assert of["unknown"] == []
    assert asking.ask("/drops", token, query={"month": "2025-12"}).body == {"drops": [], "next": None}


@pytest.mark.parametrize(
    ("query", "status", "place"),
    [
        ({"limit": "0"}, 422, "query.limit"),
        ({"limit": "201"}, 422, "query.limit"),
        ({"limit": "many"}, 422, "query.limit"),
        ({"month": "2026-13"}, 422, "query.month"),
        ({"state": "lost"}, 422, "query.state"),
        ({"cursor": "bm9uZQ"}, 400, None),
        ({"cursor": "!!!"}, 400, None),
    ],
    ids=str,
)
def test_faults_of_a_query_have_places(asking: Asking, query: dict[str, str], status: int, place: str | None) -> None:
    answer = asking.ask("/drops", asking.token("operator"), query=query)

    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert [error["place"] for error in answer.body.get("errors", [])] == ([place] if place else [])


def test_drop_has_its_history_and_an_etag(asking: Asking, world: World) -> None:
    drop = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    token = asking.token("shops")
    first = asking.ask(f"/drops/{drop}", token)

    assert first.body["state"] == "staged"
    assert [step["state"] for step in first.body["history"]] == ["received", "staged"]
    assert first.body["history"][0]["seconds"] is not None
    assert first.body["history"][-1]["seconds"] is None
    etag = first.headers["ETag"]
    assert asking.ask(f"/drops/{drop}", token, headers={"if-none-match": f'"x", W/{etag}'}).status == 304
    world.finish()
    later = asking.ask(f"/drops/{drop}", asking.token("shops"), headers={"if-none-match": etag})
    assert (later.status, later.body["state"], later.body["has_receipt"]) == (200, "accepted", True)


def test_receipt_is_the_producers_own_document(asking: Asking, world: World) -> None:
    drop = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.finish()
    answer = asking.ask(f"/drops/{drop}/receipt", asking.token("shops"))

    assert answer.body["drop"] == drop
    assert answer.body["verdict"] == "accepted"
    assert answer.headers["Cache-Control"] == "private, no-store"
    world.store.clear(report_folder(ZONES, "shop", drop, 1))
    assert asking.ask(f"/drops/{drop}/receipt", asking.token("shops")).status == 404


def test_receipt_is_a_page_without_script(asking: Asking, world: World) -> None:
    drop = world.upload("orders/<script>alert(1).csv", b"id,note\n,a\n")
    world.finish(one_bad)
    answer = asking.ask(f"/drops/{drop}/receipt.html", asking.token("shops"))
    policy = answer.headers["Content-Security-Policy"]

    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert policy == policy_of(answer.text)
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "<script" not in answer.text
    world.store.clear(report_folder(ZONES, "shop", drop, 1))
    assert asking.ask(f"/drops/{drop}/receipt.html", asking.token("shops")).status == 404


def test_rejected_rows_come_by_a_link_of_minutes(asking: Asking, world: World) -> None:
    drop = world.upload("orders/1.csv", b"id,note\n,a\n")
    world.finish(one_bad)
    token = asking.token("shops")
    answer = asking.ask(f"/drops/{drop}/rejected-rows", token)

    folder = report_folder(ZONES, "shop", drop, 1)
    assert answer.body == {
        "url": f"https://s3.example.com/{folder.removeprefix('s3://')}rejected.csv?name=rejected.csv&seconds=300",
        "name": "rejected.csv",
        "seconds": 300,
    }
    world.store.delete(Location(f"{folder}rejected.csv"))
    assert asking.ask(f"/drops/{drop}/rejected-rows", asking.token("shops")).status == 404


@pytest.mark.parametrize("name", ["../../other/receipt.json", "receipt.html", "", 7, None])
def test_receipt_leads_to_no_other_file(asking: Asking, world: World, name: object) -> None:
    drop = world.upload("orders/1.csv", b"id,note\n,a\n")
    world.finish(one_bad)
    receipt = {"format": 1, "rejected_rows": name}
    world.store.put(f"{report_folder(ZONES, 'shop', drop, 1)}receipt.json", json.dumps(receipt).encode(), "text/plain")

    assert asking.ask(f"/drops/{drop}/rejected-rows", asking.token("shops")).status == 404


class Records(logging.Handler):
    """Keeps the records of a log."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(vars(record))


def test_reading_a_receipt_is_audited(asking: Asking, world: World) -> None:
    drop = world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.finish()
    runtime.logger.addHandler(records := Records())
    asking.ask(f"/drops/{drop}/receipt", asking.token("shops", sub="sender@shop"))

    (line,) = [record for record in records.kept if record.get("audit") == "read_receipt"]
    assert (line["subject"], line["drop"], line["roles"]) == ("sender@shop", drop, ["producer"])


def test_contract_is_read_with_its_checks(asking: Asking) -> None:
    answer = asking.ask("/contracts/orders.v1", asking.token("consumer"))

    assert answer.body["example_key"] == "orders/file.csv"
    assert [each["name"] for each in answer.body["properties"]] == ["id", "note"]
    assert "id.required" in [check["id"] for check in answer.body["checks"]]
    assert answer.body["document"] is None
    assert asking.ask("/contracts/orders.v1", asking.token("consumer"), headers={"if-none-match": "*"}).status == 304


def test_contracts_are_searched_and_paged(asking: Asking) -> None:
    token = asking.token("steward")
    first = asking.ask("/contracts", token, query={"limit": "1"}).body

    assert [each["contract"] for each in first["contracts"]] == ["loans.v1"]
    rest = asking.ask("/contracts", token, query={"cursor": first["next"]}).body
    assert [each["contract"] for each in rest["contracts"]] == ["orders.v1"]
    found = asking.ask("/contracts", token, query={"search": "LOAN"}).body["contracts"]
    assert [each["contract"] for each in found] == ["loans.v1"]


def test_lint_has_findings_with_places(asking: Asking) -> None:
    text = "apiVersion: v3.2.0\nkind: DataContract\nid: x\nversion: 7\nstatus: active\n"
    body = asking.ask("/lint", asking.token("steward"), "POST", {"text": text, "name": "x.v1.yaml"}).body

    assert body["failed"]
    assert [f["line"] for f in body["findings"] if f["level"] == "error"] == [4]


def test_lint_reads_no_file_that_a_text_names(asking: Asking, tmp_path: Path) -> None:
    template = """\
apiVersion: v3.2.0
kind: DataContract
id: x
version: 1.0.0
status: active
schema:
  - name: x
    logicalType: object
    properties:
      - name: id
        logicalType: integer
        relationships:
          - {{to: "{file}#/schema/things/properties/id"}}
customProperties:
  - {{property: drop, vendor: dropgate, value: {{files: "x/*.csv", producer: x}}}}
"""
    secret = tmp_path / "things.v1.yaml"
    secret.write_text("id: hidden-name\nversion: 7.0.0\nschema: [{name: things}]\n")
    token = asking.token("steward")
    there, nowhere = (
        asking.ask("/lint", token, "POST", {"text": template.format(file=path)})
        for path in (secret, tmp_path / "gone.v1.yaml")
    )

    assert there.status == nowhere.status == 200
    assert "hidden-name" not in there.text
    assert there.text.replace("things.v1", "gone.v1") == nowhere.text


@pytest.mark.parametrize("body", UNFIT)
def test_body_that_does_not_fit_is_a_problem(asking: Asking, body: str) -> None:
    answer = asking.ask("/lint", asking.token("steward"), "POST", body)

    assert answer.status == 422
    assert answer.body["errors"]


def test_unknown_addresses_are_problems(asking: Asking) -> None:
    for path, method in (("/nothing", "GET"), ("/drops", "DELETE"), ("/drops/../contracts", "GET")):
        answer = asking.ask(path, asking.token("operator"), method)
        assert (answer.status, answer.headers["Content-Type"]) == (404, "application/problem+json")


def test_failure_of_ours_says_nothing_of_its_reason(asking: Asking, world: World) -> None:
    world.store.put(f"{ZONES.catalog}current.json", b"secret nonsense", "application/json")
    answer = asking.ask("/contracts", asking.token("operator"))

    assert answer.status == 500
    assert "secret" not in answer.text


def test_answers_are_not_sniffed(asking: Asking) -> None:
    for answer in (asking.ask("/contracts", asking.token("operator")), asking.ask("/contracts")):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
