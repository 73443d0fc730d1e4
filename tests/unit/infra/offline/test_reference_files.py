"""References on this machine: which files they are, what is said where there is none, and how they are named."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from contracts.plan import Reference
from functions.flow.references import pinned
from infra.cli.main import main
from infra.offline.reference_files import AtHome, of_a_stack
from tests.builders import a_plan, a_world
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document

CUSTOMERS = a_plan("customers.v1", ["customers/*.csv"])
ORDERS = a_plan(references=(Reference("lands", path="lands.csv"), Reference("customers.v1", contract="customers.v1")))


def test_reference_file_lies_beside_the_contract(tmp_path: Path) -> None:
    (tmp_path / "lands.csv").write_bytes(b"code\nAT\n")
    lands, customers = AtHome(tmp_path).pinned(ORDERS)

    assert lands.files == ((tmp_path / "lands.csv").as_uri(),)
    assert lands.version == "sha256:" + sha256(b"code\nAT\n").hexdigest()
    assert customers.problem == "is missing: name a file for it with `--reference customers.v1=FILE`"


def test_named_files_come_before_those_of_the_folder(tmp_path: Path) -> None:
    for name in ("lands.csv", "more.csv", "1.csv", "2.csv"):
        (tmp_path / name).write_bytes(name.encode())
    given = {"lands": [tmp_path / "more.csv"], "customers.v1": [tmp_path / "1.csv", tmp_path / "2.csv"]}
    lands, customers = AtHome(tmp_path, given, lambda _: CUSTOMERS).pinned(ORDERS)

    assert lands.files == ((tmp_path / "more.csv").as_uri(),)
    assert (customers.plan, len(customers.files), customers.problem) == (CUSTOMERS, 2, None)


def test_what_is_not_at_hand_is_said(tmp_path: Path) -> None:
    given = {"customers.v1": [tmp_path]}
    lands, customers = AtHome(tmp_path, given).pinned(ORDERS)

    assert lands.problem == f"is missing: there is no file {tmp_path / 'lands.csv'}"
    assert customers.problem == f"is missing: there is no file {tmp_path}"
    (tmp_path / "1.csv").touch()
    withdrawn = AtHome(tmp_path, {"customers.v1": [tmp_path / "1.csv"]}).pinned(ORDERS)[1]
    assert withdrawn.problem == "is a contract that is not in force"


def test_trial_takes_promoted_data_from_the_stack(tmp_path: Path) -> None:
    world = a_world([ORDERS, CUSTOMERS])
    (tmp_path / "lands.csv").write_bytes(b"code\nAT\n")
    world.store.put("s3://promoted/customers.v1/customers/_a #.csv", b"id\n1\n", "text/csv")
    progress: list[str] = []
    lands, customers = of_a_stack(world.ports, ORDERS, AtHome(tmp_path), tmp_path / "copies", progress.append)

    copy = tmp_path / "copies" / "customers.v1" / "0.csv"
    assert (lands.files, customers.files) == (((tmp_path / "lands.csv").as_uri(),), (copy.as_uri(),))
    assert copy.read_bytes() == b"id\n1\n"
    assert customers == replace(pinned(world.ports, ORDERS)[1], files=customers.files)
    assert progress == ["Reading 1 of 1 files of customers.v1 ..."]


# ---- the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contract with a reference file and another contract, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    properties = (
        "- {name: id, logicalType: integer, relationships: "
        "[{to: lands.id, id: a}, {to: shops.v1.yaml#/schema/orders/properties/id, id: b}]}\n"
    )
    text = a_document(properties, drop=f"{DROP}references:\n  lands: {{file: lands.csv}}\n")
    shops = a_document(head=HEAD.replace("orders", "shops"), drop=DROP.replace("shop/orders", "shop/shops"))
    (tmp_path / "contracts" / "orders.v1.yaml").write_text(text)
    (tmp_path / "contracts" / "shops.v1.yaml").write_text(shops)
    (tmp_path / "orders.csv").write_text("ID\n1\n")
    return tmp_path


def judged(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["test", "orders.csv", "-c", "orders.v1", *words])


@pytest.mark.usefixtures("folder")
def test_unknown_reference_names_the_nearest() -> None:
    result = judged("--reference", "land=orders.csv")
    assert result.exit_code == 2
    assert "orders.v1 has no reference land, as in --reference NAME=FILE. Did you mean lands?" in result.stderr


@pytest.mark.usefixtures("folder")
def test_reference_without_a_file_is_a_usage_error() -> None:
    result = judged("--reference", "lands=nowhere.csv")
    assert (result.exit_code, "there is no file nowhere.csv" in result.stderr) == (2, True)


@pytest.mark.usefixtures("folder")
def test_reference_that_is_not_at_hand_is_asked_for_before_anything_runs() -> None:
    result = judged()
    assert result.exit_code == 2
    assert "orders.v1 looks for values in lands, which is missing: there is no file" in result.stderr
