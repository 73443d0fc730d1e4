"""The data of a contract for consumers, samples and trials for producers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from functions.pages.views.usage import snippets
from tests.builders import ZONES, a_plan, a_world, one_bad
from tests.unit.functions.pages.a_month import a_month
from tests.unit.functions.pages.browsing import Opened, opened
from tests.unit.functions.pages.test_uploads import put

DATA, SAMPLE = "/app/contracts/orders.v1/data", "/app/contracts/orders.v1/sample"


@pytest.fixture(scope="module")
def site() -> Iterator[Opened]:
    with opened(a_month()) as running:
        yield running


def test_consumer_sees_how_fresh_and_with_which_warnings(site: Opened) -> None:
    text = site.browser("ann", "consumer").ask(DATA).text
    assert "1 day ago" in text
    assert "version 1.1.0" in text
    assert "orders/2026-01-27.csv" in text
    assert "the file came after the end of its window" in text.replace("The file", "the file")
    assert "spark.read" in text
    assert "read_csv(&#39;s3://promoted/orders.v1/**/*.csv&#39;" in text


def test_data_of_a_table_is_read_as_one() -> None:
    texts = dict(snippets(ZONES, replace(a_plan(), promote="table")))
    assert texts["DuckDB"].endswith("select * from delta_scan('s3://promoted/orders.v1/');")
    assert 'DeltaTable("s3://promoted/orders.v1/")' in texts["deltalake (Python)"]
    assert "s3a://promoted/orders.v1/" in texts["Spark"]
    assert snippets(ZONES, replace(a_plan(), file_format="xml")) == []


def test_sample_is_an_attachment_of_the_contracts_own_producer(site: Opened) -> None:
    shown = site.browser("shop", "producer").ask(SAMPLE)
    assert shown.headers["content-disposition"] == "attachment; filename*=UTF-8''file.csv"
    assert shown.text.startswith("order_id,country,amount,ordered_on\n1,")
    assert site.browser("bank", "producer").ask(SAMPLE).status == 404
    assert "Download file.csv" in site.browser("shop", "producer").ask("/app/contracts/orders.v1").text


def test_trial_is_followed_to_its_verdict() -> None:
    body = b"id,note\n,a\n"
    with opened(a_world(contracts=[a_plan()])) as site:
        sender = site.browser("shop", "producer")
        announced = {
            "key": "orders/1.csv",
            "size": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
            "trial": True,
        }
        answer = json.loads(sender.ask("/app/uploads", json=json.dumps(announced)).text)
        version = put(answer["upload"]["url"], body)
        site.world.finish(one_bad)
        asked = f"/app/uploads?key=orders/1.csv&version_id={version}"
        drop = json.loads(sender.ask(f"{asked}&trial=true").text)

        assert (drop["words"], drop["tone"], drop["is_done"]) == ("Tried: rejected", "bad", True)
        assert "consumers got nothing" in drop["meaning"]
        assert json.loads(sender.ask(asked).text) == {"id": None}
        assert "orders/1.csv" not in sender.ask("/app/drops").text
        assert sender.ask(f"/app/drops/{drop['id']}").status == 200
