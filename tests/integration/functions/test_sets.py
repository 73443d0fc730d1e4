"""Windows and sets of files through the deployed functions: what waits, what is missing, which alarms ring."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contracts.terms.file_sets import SetRule
from functions.aws import items
from functions.handlers.history_written import event_of
from functions.ports import EventSources
from functions.ports.clock import stamp
from infra.local.cloud import Cloud
from tests.builders import a_plan, a_window, publish
from tests.integration.functions.by_hand import GOOD, PLANS, Site, running

LISTED = a_plan("listed.v1", ("listed/{day}/*.csv",), set=SetRule(("day",), 3600, manifest="listed/{day}/all.json"))


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    with running(environment, cloud) as made:
        windows = (a_window(name, -30) for name in ("came", "absent"))
        publish(made.ports.store, made.ports.zones.catalog, (*PLANS, LISTED, *windows))
        yield made


def test_files_that_a_manifest_names_go_on_together(site: Site) -> None:
    files = [site.upload(f"listed/1/{name}.csv") for name in ("a", "b", "other")]
    site.deliver(2)
    before = site.states(*files)
    entries = [{"name": "a.csv", "bytes": len(GOOD)}, {"name": "b.csv", "bytes": 99}]
    manifest = site.upload("listed/1/all.json", json.dumps({"files": entries}).encode())
    site.finish(*files, manifest)

    assert before == ["gathering"] * 3
    assert site.states(*files, manifest) == ["accepted", "rejected", "rejected", "noted"]
    assert [p["code"] for f in files[1:] for p in site.receipt(f)["problems"]] == ["bytes-differ", "not-in-manifest"]


def test_manifest_that_comes_first_waits_for_its_files(site: Site) -> None:
    manifest = site.upload("listed/2/all.json", b'{"files": [{"name": "a.csv"}, {"name": "b.csv"}]}')
    site.deliver(2)
    first = site.upload("listed/2/a.csv")
    site.deliver(2)
    before = site.states(manifest, first)
    second = site.upload("listed/2/b.csv")
    site.finish(first, second)

    assert before == ["noted", "gathering"]
    assert site.states(first, second) == ["accepted", "accepted"]


def test_file_that_is_missing_rings_once_and_until_it_comes(site: Site) -> None:
    site.clock()
    ledger = site.ports.ledger
    came = site.upload("came/a.csv")
    site.finish(came)
    site.clock()
    ledger.write((), replace(ledger.roll_call(), until=stamp(datetime.now(UTC) - timedelta(hours=2))))
    rings, _ = site.rings(site.clock)
    again, _ = site.rings(site.clock)
    months = {f"{datetime.now(UTC) + timedelta(days=n):%Y-%m}" for n in (-1, 0, 1)}
    missing = [a for month in months for a in ledger.absences("absent.v1", month)]
    late = site.upload("absent/a.csv")
    site.finish(late)
    site.clock()
    ended = [a for month in months for a in ledger.absences("absent.v1", month)]

    assert (rings, again) == ({"FilesMissing"}, set())
    assert [(a.state, a.came) for a in missing] == [("missing", 0)]
    assert [(a.state, a.came) for a in ended] == [("arrived", 1)]
    assert [a for month in months for a in ledger.absences("came.v1", month)] == []
    drop = site.drop(late)
    assert drop
    assert [p.code for p in drop.problems] == ["arrived-late"]
    assert {p["code"] for p in site.receipt(late)["problems"]} == {"arrived-late"}


def test_every_history_item_becomes_an_event(site: Site) -> None:
    client = site.ports.ledger._db  # type: ignore[attr-defined]
    table = site.stack.names["LedgerTable"]
    steps = [items.loads(i) for i in client.scan(TableName=table)["Items"] if i["sk"]["S"].startswith("H#")]

    assert {"missing", "arrived", "noted", "gathering"} <= {i["state"] for i in steps}
    sources = EventSources(site.ports.zones, site.ports.ledger, site.ports.catalog)
    made = [event_of(sources, item) for item in steps]
    assert [event.data.state for event in made] == [item["state"] for item in steps]
    assert len({event.id for event in made}) == len(made)
    assert "arrived-late" in {problem.code for event in made for problem in event.data.problems}
    missing = [event.data.missing for event in made if event.data.state in ("missing", "arrived")]
    assert {(each.files, each.came) for each in missing if each} == {(1, 0), (1, 1)}
