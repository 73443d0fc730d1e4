"""`dropgate lint`: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from tests.unit.contracts.authoring.documents import DROP, HEAD, a_document


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lint", *arguments])


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a folder of contracts, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    return tmp_path


def write(name: str, text: str) -> None:
    Path("contracts", name).write_text(text, encoding="utf-8")


def test_clean_contracts_end_with_zero() -> None:
    write("orders.v1.yaml", a_document())
    result = lint()
    assert (result.exit_code, result.output) == (
        0,
        "1 file, 1 in force once published: 0 errors, 0 warnings, 0 notes\n",
    )


def test_findings_are_grouped_by_file_with_their_fix() -> None:
    write("orders.v1.yaml", a_document(drop=DROP + "emtpy: warn\npromote: tables"))
    write(
        "shops.v1.yaml",
        a_document(head=HEAD.replace("orders", "shops") + "tags: [a]\n", drop=DROP.replace("orders", "x")),
    )
    result = lint("contracts")
    assert result.exit_code == 1
    assert result.output == (
        "contracts/orders.v1.yaml:18:7: error[unknown-key]: The drop block has no key `emtpy`.\n"
        "  fix: Write `empty`.\n"
        "contracts/orders.v1.yaml:19:16: error[unknown-value]: `tables` is not a value of `promote`.\n"
        "  fix: Write `table`.\n"
        "\n"
        "contracts/shops.v1.yaml:6:1: note[not-used]: `tags` is not used.\n"
        "  fix: It may stay, for people and tools.\n"
        "\n"
        "2 files, 1 in force once published: 2 errors, 0 warnings, 1 note\n"
    )


def test_warnings_alone_end_with_zero() -> None:
    write("orders.v1.yaml", a_document(drop=DROP + "tolerance: {rows: 5}"))
    assert lint().exit_code == 0


def test_json_has_findings_and_check_ids() -> None:
    write("orders.v1.yaml", a_document(head=HEAD + "tags: [a]\n"))
    document = json.loads(lint("--format", "json").output)
    assert document["findings"] == [
        {
            "file": "contracts/orders.v1.yaml",
            "line": 6,
            "column": 1,
            "level": "note",
            "code": "not-used",
            "message": "`tags` is not used.",
            "fix": "It may stay, for people and tools.",
        }
    ]
    (contract,) = document["contracts"]
    assert contract["contract"] == "orders.v1"
    assert contract["plan"].startswith("sha256:")
    assert contract["checks"] == ["record.fields", "record.quotes", "record.text", "id.logicalType"]


def test_unreadable_file_is_a_finding() -> None:
    Path("contracts", "shops.v1.yaml").write_bytes(b"\xff\xfe")
    result = lint("contracts")
    assert result.exit_code == 1
    assert "error[not-utf-8]" in result.output


def test_no_folder_of_contracts_is_a_usage_error(checkout: Path) -> None:
    (checkout / "contracts").rmdir()
    result = lint()
    assert (result.exit_code, "no folder `contracts`" in result.output) == (2, True)


def test_folder_without_contracts_is_a_usage_error() -> None:
    assert lint("contracts").exit_code == 2


def test_path_that_is_not_there_is_a_usage_error() -> None:
    assert lint("nowhere.yaml").exit_code == 2


def test_variables_have_their_values_from_the_named_file(tmp_path: Path) -> None:
    folder, values = tmp_path / "varied", tmp_path / "values.yaml"
    folder.mkdir()
    text = a_document(drop=DROP.replace("shop/orders", '"${FOLDER}/orders').replace("*.csv", '*.csv"'))
    (folder / "orders.v1.yaml").write_text(text, encoding="utf-8")
    values.write_text("FOLDER: shop-eu\n", encoding="utf-8")

    without, given = (
        CliRunner(mix_stderr=False).invoke(main, ["lint", str(folder), *more])
        for more in ([], ["--variables", str(values)])
    )

    assert (without.exit_code, given.exit_code) == (1, 0)
    assert "unset-variable" in without.stdout
