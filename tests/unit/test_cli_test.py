"""`dropgate test` as far as it needs no Spark: which contract, and files that are refused at admission."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from tests.unit.authoring.documents import DROP, HEAD, a_document


def judged(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["test", *words], prog_name="dropgate")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two contracts and a file whose header is neither's, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    shops = a_document(head=HEAD.replace("orders", "shops"), drop=DROP.replace("shop/orders", "shop/shops"))
    (tmp_path / "contracts" / "shops.v1.yaml").write_text(shops, encoding="utf-8")
    (tmp_path / "bad.csv").write_text("ID\n1\n\n", encoding="utf-8")
    return tmp_path


def test_missing_file_is_a_usage_error() -> None:
    result = judged("nix.csv")
    assert (result.exit_code, "File 'nix.csv' does not exist" in result.stderr) == (2, True)


def test_without_a_contract_those_there_are_listed() -> None:
    result = judged("bad.csv")
    assert result.exit_code == 2
    assert "Name it with --contract (orders.v1, shops.v1); no pattern claims bad.csv." in result.stderr


def test_key_of_no_contract_says_its_nearest() -> None:
    result = judged("bad.csv", "--key", "shop/oders/1.csv")
    assert result.exit_code == 2
    assert "after `shop/` it wants `orders/`, the key has `oders/`" in result.stderr


def test_own_path_finds_the_contract(folder: Path) -> None:
    place = folder / "shop" / "shops"
    place.mkdir(parents=True)
    (folder / "bad.csv").rename(place / "1.csv")
    result = judged("shop/shops/1.csv")
    assert (result.exit_code, "shops 1.0.0" in result.stdout) == (1, True)


@pytest.mark.parametrize("contract", ["orders.v1", "contracts/orders.v1.yaml"])
def test_refused_file_ends_with_one_without_spark(contract: str) -> None:
    result = judged("bad.csv", "--contract", contract)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert "REJECTED  bad.csv" in result.stdout
    assert "Rename `ID` to `id`." in result.stdout


def test_json_has_the_agreed_keys_and_no_more() -> None:
    result = judged("bad.csv", "--contract", "orders.v1", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    document = json.loads(result.stdout)
    assert set(document) - {"failure"} == {"verdict", "contract", "file", "rows", "checks", "problems"}
    assert document["verdict"] == "rejected"
    assert set(document["contract"]) == {"id", "version", "plan"}
    assert document["file"]["name"] == "bad.csv"
    assert document["file"]["size"] == 6
    assert document["rows"] == {"read": None, "valid": None, "rejected": None}
    (problem,) = document["problems"]
    assert (problem["code"], problem["fix"]) == ("missing-column", "Rename `ID` to `id`.")


def test_receipt_of_a_refused_file_is_written(folder: Path) -> None:
    result = judged("bad.csv", "--contract", "orders.v1", "--receipt", "out")
    assert result.exit_code == 1
    assert result.stdout.endswith("Receipt: out/receipt.html\n")
    assert sorted(p.name for p in (folder / "out").iterdir()) == ["receipt.html", "receipt.json"]


MARKS = {
    "dya=2026-01-31": "dya=2026-01-31 is no high mark of orders.v1, as `day=2026-01-31` is one. "
    "Did you mean day=2026-01-31?",
    "day": "day is no high mark of orders.v1, as `day=2026-01-31` is one. Its watermarks are `n`, `day`.",
    "day=31.01.2026": "31.01.2026 is no date as `day` is written (ISO 8601).",
    "n=1e5": "1e5 is no integer.",
}


@pytest.mark.parametrize("text", MARKS)
def test_mark_that_is_none_is_a_usage_error(folder: Path, text: str) -> None:
    properties = "- {name: n, logicalType: integer, required: true}\n- {name: day, logicalType: date, required: true}\n"
    checks = "checks: {n.required: {watermark: n}, day.required: {watermark: day}}\n"
    (folder / "contracts" / "orders.v1.yaml").write_text(a_document(properties, drop=DROP + checks), encoding="utf-8")
    result = judged("bad.csv", "--contract", "orders.v1", "--mark", text)

    assert (result.exit_code, MARKS[text] in result.stderr) == (2, True), result.stderr


def test_mark_of_a_contract_without_watermarks_is_a_usage_error() -> None:
    result = judged("bad.csv", "--contract", "orders.v1", "--mark", "id=5")

    assert (result.exit_code, "It has no watermark." in result.stderr) == (2, True)


def test_wrong_contract_is_one_sentence(folder: Path) -> None:
    (folder / "contracts" / "wrong.v1.yaml").write_text("a: [", encoding="utf-8")
    result = judged("bad.csv", "--contract", "wrong.v1")
    assert str(result.exception).startswith("contracts/wrong.v1.yaml:")
