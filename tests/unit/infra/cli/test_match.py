"""`dropgate match`: which contract a key belongs to, or why none, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document


def match(*arguments: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["match", *arguments])


@pytest.fixture(autouse=True)
def contracts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two contracts, one of them wrong, in a folder to work in."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "contracts"
    folder.mkdir()
    drop = DROP.replace("shop/orders/*.csv", '"shop/orders/{day:%Y-%m-%d}_{till}.csv"')
    (folder / "orders.v1.yaml").write_text(a_document(drop=drop), encoding="utf-8")
    (folder / "wrong.v1.yaml").write_text("a: [", encoding="utf-8")
    return folder


def test_match_shows_pattern_producer_and_parts() -> None:
    result = match("shop/orders/2026-01-31_7.csv")
    assert result.exit_code == 0
    assert result.stdout == (
        "orders.v1\n"
        "  pattern   shop/orders/{day:%Y-%m-%d}_{till}.csv\n"
        "  producer  shop\n"
        "  day       2026-01-31\n"
        "  till      7\n"
    )


def test_miss_says_why_and_ends_with_one() -> None:
    result = match("shop/orders/2026-01-31_7.txt")
    assert result.exit_code == 1
    why, like, heard = result.stdout.splitlines()
    assert why.startswith("No contract matches it: nearest is `shop/orders/{day:%Y-%m-%d}_{till}.csv` (orders.v1): ")
    assert like == "A key like shop/orders/2026-01-31_till.csv would match."
    assert heard == "shop, in whose folder it is, would get a receipt."
    assert match(like.split()[3]).exit_code == 0
    assert "would get a receipt" not in match("other/2026-01-31_7.txt").stdout


def test_contract_that_does_not_compile_is_named() -> None:
    assert "contracts/wrong.v1.yaml" in match("x").stderr


def test_two_contracts_are_named_and_end_with_one(contracts: Path) -> None:
    head = HEAD.replace("orders", "all")
    drop = DROP.replace("shop/orders/*.csv", "shop/**")
    (contracts / "all.v1.yaml").write_text(a_document(head=head, drop=drop), encoding="utf-8")
    result = match("shop/orders/2026-01-31_7.csv")
    assert result.exit_code == 1
    assert result.stdout.startswith("Several contracts match it: all.v1, orders.v1.")


def test_deprecated_contract_is_told() -> None:
    path = Path("contracts/orders.v1.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("active", "deprecated"), encoding="utf-8")
    assert "deprecated" in match("shop/orders/2026-01-31_7.csv").stdout


def test_json_says_the_same() -> None:
    document = json.loads(match("shop/orders/2026-01-31_7.csv", "--format", "json").stdout)
    assert (document["match"], document["parts"]) == ("orders.v1", {"day": "2026-01-31", "till": "7"})
    document = json.loads(match("shop/x", "--format", "json").stdout)
    assert (document["match"], document["nearest"]) == (None, "orders.v1")


def test_other_folder_of_contracts_can_be_named(contracts: Path) -> None:
    contracts.rename(contracts.parent / "elsewhere")
    assert match("shop/orders/2026-01-31_7.csv", "--contracts", "elsewhere").exit_code == 0
    assert match("shop/orders/2026-01-31_7.csv").exit_code == 2


def test_marker_of_a_set_is_told(contracts: Path) -> None:
    drop = DROP.replace("shop/orders/*.csv", "shop/sets/{day}/*.csv")
    text = a_document(
        head=HEAD.replace("orders", "sets"), drop=drop + "set: {of: [day], marker: 'shop/sets/{day}/_OK'}"
    )
    (contracts / "sets.v1.yaml").write_text(text, encoding="utf-8")
    shown = match("shop/sets/1/_OK").stdout.splitlines()

    assert shown[:2] == ["sets.v1", "  pattern   shop/sets/{day}/_OK"]
    assert "  signal    of a set of files; it is not one of its files" in shown
    assert "tells of" not in match("shop/sets/1/a.csv").stdout
