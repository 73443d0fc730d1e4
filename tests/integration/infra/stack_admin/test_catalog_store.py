"""The catalog zone in S3 and in memory: one test for both, conditions and all."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest

from contracts.authoring.publication import CatalogStore
from contracts.errors import StaleWrite
from functions.aws.catalog.s3_catalog import S3Catalog
from infra.gx.store import opened
from infra.local.cloud import Cloud
from tests.unit.contracts.authoring.documents import a_document
from tests.unit.infra.cli.test_publish import MemoryCatalog


@pytest.fixture(scope="module")
def zone() -> Iterator[S3Catalog]:
    """A catalog zone in the embedded S3."""
    session = boto3.Session(aws_access_key_id="catalog-test", aws_secret_access_key="none", region_name="us-east-1")
    with Cloud() as cloud:
        client = session.client("s3", endpoint_url=cloud.endpoint)
        client.create_bucket(Bucket="catalog-alone")  # other stacks of one process have an `internal` one
        yield S3Catalog(client, "s3://catalog-alone/catalog/")


@pytest.fixture(params=["s3", "memory"])
def store(request: pytest.FixtureRequest) -> CatalogStore:
    """The one implementation, then the other."""
    if request.param == "memory":
        return MemoryCatalog()
    catalog: S3Catalog = request.getfixturevalue("zone")
    return catalog


def test_what_is_absent_is_none(store: CatalogStore) -> None:
    assert store.get("plans/none.json") is None


def test_document_is_created_once(store: CatalogStore) -> None:
    assert store.create("plans/a.json", b"1")
    assert not store.create("plans/a.json", b"2")
    stored = store.get("plans/a.json")
    assert stored
    assert stored[0] == b"1"


def test_pointer_moves_from_what_was_seen(store: CatalogStore) -> None:
    store.swap("b.json", b"1", None)
    seen = store.get("b.json")
    assert seen
    store.swap("b.json", b"2", seen[1])
    with pytest.raises(StaleWrite):
        store.swap("b.json", b"3", seen[1])
    with pytest.raises(StaleWrite):
        store.swap("b.json", b"3", None)
    stored = store.get("b.json")
    assert stored
    assert stored[0] == b"2"


def test_pointer_that_was_removed_is_not_made_anew(store: CatalogStore) -> None:
    with pytest.raises(StaleWrite):
        store.swap("never.json", b"1", '"0123"')


def test_names_are_those_that_begin_so(store: CatalogStore) -> None:
    for name in ("contracts/1.0.0/b/b%20c.yaml", "contracts/1.0.0/a/a.yaml", "contractsx.yaml"):
        store.create(name, b"1")
    assert store.names("contracts/") == ("contracts/1.0.0/a/a.yaml", "contracts/1.0.0/b/b%20c.yaml")
    assert store.names("nothing/") == ()


def test_suites_find_contracts_in_the_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    with Cloud() as cloud:
        for name, value in {
            "AWS_ENDPOINT_URL": cloud.endpoint,
            "AWS_ACCESS_KEY_ID": "suite",
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="internal")
        S3Catalog(client, "s3://internal/catalog/").create("contracts/1.0.0/orders/orders.yaml", a_document().encode())
        store = opened("s3://internal/catalog")

        assert store.properties(store.title("orders", "orders")) == [{"name": "id", "logicalType": "integer"}]
