"""Records held against promoted data and a published file, through the whole flow: what is found, told and refused."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from contracts.authoring.compiler.lint import lint
from contracts.authoring.compiler.reference_checks import files
from contracts.job import JobRequest
from functions.drop import Drop
from tests.e2e.conftest import HERE, Related, World

CARRIERS = (HERE / "contracts" / "sales" / "carriers.csv").read_bytes()
VERSION = f"sha256:{sha256(CARRIERS).hexdigest()}"


def receipt(world: World, drop: Drop) -> dict[str, Any]:
    assert drop.receipt
    document: dict[str, Any] = json.loads(world.ports.store.get(drop.receipt))
    return document


def against(world: World, drop: Drop) -> dict[str, tuple[int, str]]:
    """Return for each relationship the number of failed records, and the version that they were compared with."""
    checks = receipt(world, drop)["checks"]
    return {c["id"]: (c["failed"], c["against"]) for c in checks if c["kind"] == "foreignKey"}


def test_drop_waits_for_what_it_refers_to(world: World, related: Related) -> None:
    assert (related.early.state, related.early.verdict) == ("failed", None)
    why = "the reference `orders.v1` is empty: none of its files was promoted yet"
    failure = receipt(world, related.early)["failure"]
    assert failure["message"] == f"The check `order.foreignKey` could not run: {why}."


def test_records_are_held_against_both_references(world: World, related: Related) -> None:
    assert (related.good.state, related.bad.state) == ("accepted", "rejected")
    (orders, digest), (carriers, version) = against(world, related.bad).values()
    assert (orders, carriers, version) == (1, 1, VERSION)
    assert digest.startswith("sha256:")
    assert against(world, related.good) == {"order.foreignKey": (0, digest), "carrier.foreignKey": (0, VERSION)}


def test_request_pins_files_and_versions(world: World, related: Related) -> None:
    documents = [body for name, body in world.objects("jobs").items() if name.endswith("request.json")]
    requests = [JobRequest.loads(body) for body in documents]
    (request,) = (r for r in requests if related.bad.id in {d.id for d in r.drops})
    orders, carriers = request.references

    assert f"{world.ports.zones.promoted}orders.v1/orders/related.csv" in orders.files
    assert carriers.files == (f"{world.ports.zones.catalog}references/{VERSION.removeprefix('sha256:')}.csv",)
    assert world.ports.store.get(carriers.files[0]) == CARRIERS


def test_renewed_file_counts_for_the_next_drop(world: World, related: Related, tmp_path: Path) -> None:
    for path in (HERE / "contracts" / "sales").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "carriers.csv").write_bytes(CARRIERS + b"GLS;General Logistics\n")
    linted = lint((tmp_path,))
    world.embedded.publish(linted.plans, files(linted.contracts))
    try:
        drop = world.settled(world.upload("parcels/renewed.csv", b"parcel,order,carrier\n1,1,GLS\n"))
    finally:
        world.embedded.publish(world.plans)

    assert drop.state == "accepted"
    assert against(world, drop)["carrier.foreignKey"][1] != VERSION
    assert related.bad.plan != drop.plan


@pytest.mark.usefixtures("related")
def test_nothing_was_denied_to_the_run(world: World) -> None:
    assert world.embedded.guard.denied == []
