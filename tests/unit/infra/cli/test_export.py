"""`dropgate export`: what it writes and where, what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from contracts.authoring.exports.formats import FORMATS
from infra.cli import export
from infra.cli.main import main
from infra.packaging.bundles import ROOT
from tests.unit.contracts.authoring.documents import DROP, a_document

FLIGHTS = str(ROOT / "contracts" / "flights" / "nyc-flights.v1.yaml")


def bring_out(*arguments: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["export", "--to", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a contract, to work in."""
    monkeypatch.chdir(tmp_path)
    Path("orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    return tmp_path


def test_help_knows_the_formats_that_there_are() -> None:
    assert tuple(FORMATS) == export.FORMATS


@pytest.mark.parametrize("form", FORMATS)
def test_nested_contract_is_written_in_every_format(form: str) -> None:
    nested = "- {name: x, logicalType: array, items: {logicalType: string}}"
    Path("orders.v1.yaml").write_text(a_document(nested, drop=DROP.replace("csv", "jsonl")), encoding="utf-8")
    result = bring_out(form, "orders.v1.yaml")
    assert (result.exit_code, "x" in result.stdout) == (0, True), result.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_text_goes_to_standard_output_and_losses_do_not(form: str) -> None:
    result = bring_out(form, FLIGHTS)
    assert result.exit_code == 0
    assert "time_hour" in result.stdout
    losses = result.stderr.splitlines()
    if form == "html":
        assert losses == []
        return
    assert losses[0] == f"nyc-flights.v1: not expressed by {form}:"
    assert all(line.startswith("  ") for line in losses[1:])


def test_schema_of_json_is_json() -> None:
    assert json.loads(bring_out("json-schema", "orders.v1.yaml").stdout)["title"] == "orders"


def test_many_contracts_go_into_a_folder() -> None:
    result = bring_out("spark", str(ROOT / "contracts" / "flights"), "orders.v1.yaml", "--out", "a/b")
    assert result.exit_code == 0
    names = ["nyc-flights.v1.spark.json", "nyc-weather.v1.spark.json", "orders.v1.spark.json"]
    assert result.stdout.splitlines() == [f"a/b/{name}" for name in names]
    assert sorted(path.name for path in Path("a/b").iterdir()) == names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["avro", "orders.v1.yaml", str(ROOT / "contracts" / "weather")], "name a folder for their files with --out"),
        (["avro", "orders.v1.yaml", "--out", "there"], "orders.v1.avsc exists already"),
        (["avro", "orders.v1.yaml", "b/orders.v1.yaml", "--out", "new"], "orders.v1.avsc exists already"),
        (["avro", "there"], "No contract files"),
    ],
)
def test_wrong_use_ends_with_two_and_writes_nothing(arguments: list[str], message: str) -> None:
    for path in (Path("there/orders.v1.avsc"), Path("b/orders.v1.yaml")):
        path.parent.mkdir()
        path.write_text(a_document() if path.suffix == ".yaml" else "mine", encoding="utf-8")
    result = bring_out(*arguments)
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert Path("there/orders.v1.avsc").read_text(encoding="utf-8") == "mine"
    assert not Path("new").exists()


def test_one_contract_that_lint_refuses_stops_all() -> None:
    Path("bad.yaml").write_text(a_document("- {name: a, logicalType: text}\n"), encoding="utf-8")
    result = bring_out("avro", "orders.v1.yaml", "bad.yaml", "--out", "new")
    assert result.exit_code == 1
    assert "bad.yaml:9:32: error[unknown-value]" in result.stderr
    assert "\n  fix: " in result.stderr
    assert not Path("new").exists()
