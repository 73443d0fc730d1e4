"""The catalog zone in S3 and in memory: one test for both, conditions and all."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest

from contracts.errors import StaleWrite
from infra.catalog import CatalogStore, S3Catalog
from infra.local.cloud import Cloud
from tests.unit.test_publish import MemoryCatalog


@pytest.fixture(scope="module")
def zone() -> Iterator[S3Catalog]:
    """A catalog zone in the embedded S3."""
    session = boto3.Session(aws_access_key_id="catalog-test", aws_secret_access_key="none", region_name="us-east-1")
    with Cloud() as cloud:
        client = session.client("s3", endpoint_url=cloud.endpoint)
        client.create_bucket(Bucket="internal")
        yield S3Catalog(client, "s3://internal/catalog/")


@pytest.fixture(params=["s3", "memory"])
def store(request: pytest.FixtureRequest) -> CatalogStore:
    """The one implementation, then the other."""
    if request.param == "memory":
        return MemoryCatalog()
    found: S3Catalog = request.getfixturevalue("zone")
    return found


def test_what_is_absent_is_none(store: CatalogStore) -> None:
    assert store.get("plans/none.json") is None


def test_document_is_created_once(store: CatalogStore) -> None:
    assert store.create("plans/a.json", b"1")
    assert not store.create("plans/a.json", b"2")
    found = store.get("plans/a.json")
    assert found
    assert found[0] == b"1"


def test_pointer_moves_from_what_was_seen(store: CatalogStore) -> None:
    store.swap("b.json", b"1", None)
    seen = store.get("b.json")
    assert seen
    store.swap("b.json", b"2", seen[1])
    with pytest.raises(StaleWrite):
        store.swap("b.json", b"3", seen[1])
    with pytest.raises(StaleWrite):
        store.swap("b.json", b"3", None)
    found = store.get("b.json")
    assert found
    assert found[0] == b"2"


def test_pointer_that_was_removed_is_not_made_anew(store: CatalogStore) -> None:
    with pytest.raises(StaleWrite):
        store.swap("never.json", b"1", '"0123"')


def test_names_are_those_that_begin_so(store: CatalogStore) -> None:
    for name in ("contracts/1.0.0/b/b%20c.yaml", "contracts/1.0.0/a/a.yaml", "contractsx.yaml"):
        store.create(name, b"1")
    assert store.names("contracts/") == ("contracts/1.0.0/a/a.yaml", "contracts/1.0.0/b/b%20c.yaml")
    assert store.names("nothing/") == ()
