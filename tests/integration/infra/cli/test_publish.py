"""`dropgate publish` against the embedded S3: what it prints, what lies there, how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from click.testing import CliRunner, Result

from contracts.errors import ServiceUnavailable
from infra.cli.main import main
from infra.local.cloud import Cloud
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document

ZONE = "s3://internal/catalog/"
NEXT = a_document(drop=DROP + "consumers: [risk]").replace("1.0.0", "1.1.0")
LOOSER = a_document(drop=DROP + "empty: warn").replace("1.0.0", "1.1.0")


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    """An S3 of its own."""
    with Cloud() as running:
        yield running


@pytest.fixture
def contract(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One contract in a folder, and surroundings that point at the embedded S3."""
    for name, value in {
        "AWS_ENDPOINT_URL": cloud.endpoint,
        "AWS_ACCESS_KEY_ID": tmp_path.name,
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    boto3.Session().client("s3").create_bucket(Bucket="internal")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "contracts" / "orders.v1.yaml"
    path.parent.mkdir()
    path.write_text(a_document(), encoding="utf-8")
    return path


def publish(*arguments: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["publish", "--catalog", ZONE, *arguments])


def listing() -> list[str]:
    objects = boto3.Session().client("s3").list_objects_v2(Bucket="internal").get("Contents", [])
    return sorted(o["Key"].partition("/")[2].partition("/")[0] for o in objects)


def empty() -> None:
    client = boto3.Session().client("s3")
    for item in client.list_objects_v2(Bucket="internal").get("Contents", []):
        client.delete_object(Bucket="internal", Key=item["Key"])


def test_publish_says_what_is_new_changed_and_unchanged(contract: Path) -> None:
    empty()
    first = publish()
    assert (first.exit_code, first.stdout.split("\n")[0]) == (0, "new        orders.v1")
    assert listing() == ["contracts", "current.json", "index", "plans"]
    assert publish().stdout.startswith("unchanged  orders.v1\nIn force as before: index ")
    contract.write_text(NEXT, encoding="utf-8")
    assert json.loads(publish("--format", "json").stdout)["changed"] == ["orders.v1"]
    assert listing() == ["contracts", "contracts", "current.json", "index", "index", "plans", "plans"]


def test_reference_files_are_published_and_renewed(contract: Path) -> None:
    empty()
    properties = "- {name: id, logicalType: integer, relationships: [{to: lands.id}]}\n"
    contract.write_text(a_document(properties, drop=f"{DROP}references:\n  lands: {{file: lands.csv}}\n"))
    missing = publish()
    (contract.parent / "lands.csv").write_text("id\n1\n")
    first = publish()
    (contract.parent / "lands.csv").write_text("id\n1\n2\n")
    renewed = publish()

    assert (missing.exit_code, "error[no-file]" in missing.stderr) == (1, True)
    assert [r.stdout.split("\n")[0] for r in (first, renewed)] == ["new        orders.v1", "changed    orders.v1"]
    objects = boto3.Session().client("s3").list_objects_v2(Bucket="internal", Prefix="catalog/references/")["Contents"]
    assert [o["Key"].rpartition(".")[2] for o in objects] == ["csv", "csv"]


def test_contract_is_not_published_without_what_it_refers_to(contract: Path) -> None:
    empty()
    properties = (
        "- {name: id, logicalType: integer, relationships: [{to: shops.v1.yaml#/schema/orders/properties/id}]}\n"
    )
    contract.write_text(a_document(properties))
    shops = a_document(head=HEAD.replace("orders", "shops"), drop=DROP.replace("shop/orders", "shop/shops"))
    (contract.parent / "shops.v1.yaml").write_text(shops)
    alone = publish(str(contract))

    assert str(alone.exception) == (
        "orders.v1 looks for values in shops.v1, which would not be in force: publish both together."
    )
    assert publish().exit_code == 0


def test_one_error_refuses_everything(contract: Path) -> None:
    empty()
    (contract.parent / "wrong.v1.yaml").write_text(a_document(drop="files: x"), encoding="utf-8")
    result = publish()
    assert (result.exit_code, result.stdout, listing()) == (1, "", [])
    assert "error[missing-key]" in result.stderr
    assert result.stderr.endswith("Nothing was published.\n")


def test_nothing_in_force_is_not_published(contract: Path) -> None:
    empty()
    contract.write_text(a_document().replace("active", "draft"), encoding="utf-8")
    result = publish()
    assert (result.exit_code, listing()) == (1, [])


@pytest.mark.usefixtures("contract")
def test_bucket_that_is_not_there_is_one_sentence() -> None:
    result = CliRunner(mix_stderr=False).invoke(main, ["publish", "--catalog", "s3://nowhere-at-all"])
    assert isinstance(result.exception, ServiceUnavailable)
    assert "NoSuchBucket" in str(result.exception)


@pytest.mark.usefixtures("contract")
def test_catalog_that_is_no_uri_is_a_usage_error() -> None:
    assert CliRunner().invoke(main, ["publish", "--catalog", "catalog/"]).exit_code == 2


def test_published_version_is_not_written_again(contract: Path) -> None:
    empty()
    publish()
    before = listing()
    contract.write_text(LOOSER.replace("1.1.0", "1.0.0"), encoding="utf-8")
    result = publish()
    assert (result.exit_code, result.stdout, listing()) == (1, "", before)
    assert (
        "contracts/orders.v1.yaml:4:10: error[published]: orders 1.0.0 was published with another text" in result.stderr
    )
    assert result.stderr.endswith("orders.v2.yaml; `dropgate breaking` lists what breaks.\nNothing was published.\n")


def test_break_is_published_with_a_waiver(contract: Path, tmp_path: Path) -> None:
    empty()
    publish()
    old = tmp_path / "before.yaml"
    old.write_text(contract.read_text(encoding="utf-8"), encoding="utf-8")
    contract.write_text(LOOSER, encoding="utf-8")
    refused = publish()
    words = ["breaking", str(old), str(contract), "--accept", "empty:empty", "--because", "Nights without orders."]
    assert CliRunner().invoke(main, words).exit_code == 0

    assert refused.exit_code == 1
    assert "error[breaks]: orders.v1 1.1.0 breaks consumers of 1.0.0" in refused.stderr
    assert publish().stdout.startswith("changed    orders.v1\n")


def test_table_is_not_left_under_one_name(contract: Path) -> None:
    empty()
    contract.write_text(a_document(drop=DROP + "promote: table\n"), encoding="utf-8")
    publish()
    before = listing()
    contract.write_text(a_document(drop=DROP + "promote: rows\n").replace("1.0.0", "1.1.0"), encoding="utf-8")
    result = publish("--format", "json")
    assert (result.exit_code, result.stdout, listing()) == (1, "", before)
    assert result.stderr == (
        "contracts/orders.v1.yaml:18:7: error[leaves-table]: orders.v1 is promoted into a table: its rows and files of "
        "`promote: rows` would not take each other's place.\n"
        '  fix: Write version: "2.0.0" into a file of its own, orders.v2.yaml; `dropgate breaking` lists what breaks. '
        "Or write `promote: table`.\nNothing was published.\n"
    )


def test_published_contract_is_read_back_as_it_was(contract: Path) -> None:
    empty()
    first = contract.read_text(encoding="utf-8")
    publish()
    contract.write_text(NEXT, encoding="utf-8")
    publish()
    read = ("contract", "orders", "--catalog", ZONE)
    assert CliRunner().invoke(main, [*read, "--version", "1.0.0"]).output == first
    assert CliRunner().invoke(main, read).output == NEXT
    assert CliRunner().invoke(main, ["contract", "--catalog", ZONE]).output == "orders.v1  1.0.0, 1.1.0\n"
