"""The table of results: which lines an attempt has, what is in them, and that they hold their schema."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from functions import keys
from functions.drop import Drop
from functions.operations.override import Overruled, accept
from infra.packaging.bundles import ROOT
from tests.builders import ZONES, World, a_plan, a_relative_plan, a_world, all_good, one_bad

SCHEMA = json.loads((ROOT / "functions" / "records" / "result_line.v1.schema.json").read_text(encoding="utf-8"))
BODY = b"id,note\n1,2\n3,4\n5,6\n"


def judged(world: World, name: str = "orders/1.csv", body: bytes = BODY, judge: Any = all_good) -> Drop:
    drop_id = world.upload(name, body)
    return world.finish(judge)[drop_id]


def stored(world: World, drop: Drop, attempt: int | None = None) -> list[dict[str, Any]]:
    """Return the stored lines of an attempt, which hold the schema."""
    nth = attempt or drop.attempt
    uri = keys.attempt_results_uri(ZONES.results, drop.contract, drop.received_at, drop.id, nth)
    lines = [json.loads(line) for line in gzip.decompress(world.store.get(uri)).splitlines()]
    for line in lines:
        Draft202012Validator(SCHEMA).validate(line)
    return lines


def test_each_check_is_a_line() -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop = judged(world)
    table = stored(world, drop)

    assert [row["check_id"] for row in table] == [check.id for check in a_relative_plan().checks]
    last = table[-1]
    assert {(row["state"], row["verdict"], row["rows_read"]) for row in table} == {("accepted", "accepted", 3)}
    assert (last["contract"], last["version"], last["attempt"], last["evaluated"]) == ("orders.v1", "1.0.0", 1, 3)
    assert (last["result"], last["lacks"]) == ("not_evaluated", "0 of 3 accepted files so far")
    assert (last["expected"], last["trial"], last["key"]) == ("as many as before", False, "orders/1.csv")
    assert (last["batch"], last["run"], last["begun_at"] is None) == (drop.batch, 1, False)


def test_problem_of_a_check_is_in_its_line() -> None:
    world = a_world(contracts=[a_plan()])
    table = stored(world, judged(world, judge=one_bad))

    (failed,) = [row for row in table if row["problem"]]
    assert (failed["check_id"], failed["result"], failed["failed"]) == ("id.required", "failed", 1)
    assert failed["message"] == "`id` has no value in 1 of 3 records (33.3 %)."
    assert (failed["nulls"], failed["errors"]) == (None, None)


def test_refusal_at_the_door_is_a_line() -> None:
    world = a_world(contracts=[a_relative_plan()])
    drop = judged(world, body=b"other,note\n1,2\n")
    table = stored(world, drop)

    assert {(row["state"], row["check_id"], row["result"]) for row in table} == {("rejected", None, "failed")}
    assert [row["problem"] for row in table] == [problem.code for problem in drop.problems]
    assert all(row["message"] and row["fix"] and row["version"] == "1.0.0" for row in table)


@pytest.mark.parametrize(("name", "producer"), [("orders/x.txt", "shop"), ("elsewhere/x", None)])
def test_unmatched_file_is_a_line_without_contract(name: str, producer: str | None) -> None:
    world = a_world(contracts=[a_plan()])
    drop = judged(world, name=name)
    (row,) = stored(world, drop)

    assert (row["state"], row["result"], row["problem"]) == ("unmatched", "not_evaluated", "unmatched")
    assert (row["contract"], row["producer"]) == (None, producer)
    assert any("contract=__HIVE_DEFAULT_PARTITION__/" in uri for uri in world.store.listed(ZONES.results, 9))


def test_acceptance_by_a_person_has_lines_of_its_own() -> None:
    world = a_world(contracts=[a_plan()])
    drop = judged(world, judge=one_bad)
    done = accept(world.ports, drop, "ada", "known at the source")
    assert isinstance(done, Overruled)
    table = stored(world, done.drop)

    assert {row["state"] for row in stored(world, drop, 1)} == {"rejected"}
    assert {(row["state"], row["decided_by"]) for row in table} == {("accepted_with_warnings", "ada")}
    assert "accepted-by-person" in [row["problem"] for row in table]


def test_repeat_writes_the_same_bytes() -> None:
    world = a_world(contracts=[a_plan()])
    drop = judged(world, judge=one_bad)
    (uri,) = world.store.listed(ZONES.results, 9)
    before = world.store.get(uri)
    world.deliver_events(again=True)
    world.finish(one_bad)

    assert world.store.get(uri) == before
    assert drop.id in uri
