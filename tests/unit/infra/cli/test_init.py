"""`dropgate init`: what it writes and where, what it says, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main


def init(*arguments: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["init", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sample, to work in."""
    monkeypatch.chdir(tmp_path)
    Path("orders-2026-01-31.csv").write_text("id,state\n" + "".join(f"{n},SE\n" for n in range(30)), encoding="utf-8")
    return tmp_path


def test_contract_goes_to_standard_output() -> None:
    result = init("orders-2026-01-31.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        "# A first contract, by dropgate init, out of `orders-2026-01-31.csv`: 30 records.\n"
    )
    assert "no --producer was given" in result.stdout
    assert result.stdout.endswith("\n")


def test_contract_is_written_under_its_name_and_lints() -> None:
    result = init("orders-2026-01-31.csv", "--id", "shop-orders", "--producer", "shop", "--to", "contracts/shop")
    assert (result.exit_code, result.stdout) == (0, "contracts/shop/shop-orders.v1.yaml\n")
    assert CliRunner().invoke(main, ["lint", "contracts"]).exit_code == 0
    match = CliRunner().invoke(main, ["match", "shop/orders-2026-02-01.csv"])
    assert match.exit_code == 1  # a draft matches no files


def test_active_contract_matches_files() -> None:
    result = init("orders-2026-01-31.csv", "--producer", "shop", "--to", "contracts", "--status", "active")
    assert result.exit_code == 0
    assert "then write `status: active`" not in Path("contracts/orders.v1.yaml").read_text(encoding="utf-8")
    match = CliRunner().invoke(main, ["match", "shop/orders-2026-02-01.csv"])
    assert match.output.startswith("orders.v1\n")


def test_draft_can_be_tested_before_it_is_in_force() -> None:
    init("orders-2026-01-31.csv", "--producer", "shop", "--to", "contracts")
    Path("wrong.csv").write_text("id,country\n1,SE\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["test", "wrong.csv", "--contract", "orders.v1"])
    assert (result.exit_code, "The column `state` is missing from the header." in result.output) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["orders-2026-01-31.csv", "--to", "there"], "orders.v1.yaml exists already"),
        (["orders-2026-01-31.csv", "--id", "a/b"], "--id a/b: write up to 80 letters"),
        (["orders-2026-01-31.csv", "--producer", "x" * 64], "write up to 63 letters"),
        (["none.csv"], "does not exist"),
        ([], "Missing argument 'FILE...'"),
    ],
)
def test_wrong_use_ends_with_two_and_writes_nothing(arguments: list[str], message: str) -> None:
    Path("there").mkdir()
    Path("there/orders.v1.yaml").write_text("mine", encoding="utf-8")
    result = init(*arguments)
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert Path("there/orders.v1.yaml").read_text(encoding="utf-8") == "mine"


def test_sample_that_makes_no_contract_ends_with_one() -> None:
    Path("a.csv").write_bytes(b"id,v\n")
    result = init("a.csv", "--to", "new")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "dropgate: a.csv has a header and no records; give a file with records.\n"
    assert not Path("new").exists()
