"""`dropgate import`: what it writes and where, what it says, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.formats import FORMATS
from contracts.authoring.imports.importing import KINDS
from functions.api.routes.published.registration import FileKind
from infra.cli import import_
from infra.cli.main import main
from infra.packaging.bundles import ROOT

SCHEMA = '{"title": "orders", "properties": {"id": {"type": "integer", "default": 1}}}'


def bring(*arguments: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["import", "--from", "json-schema", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a schema, to work in."""
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


def test_help_knows_the_formats_that_there_are() -> None:
    assert tuple(FORMATS) == import_.FORMATS
    assert import_.KINDS == KINDS == get_args(FileKind)


@pytest.mark.parametrize("kind", KINDS)
def test_contract_of_each_format_of_files_is_in_force_as_it_is(kind: str) -> None:
    at = (
        "--producer",
        "shop",
        "--files",
        f"shop/*.{kind}",
        "--format",
        kind,
        "--status",
        "active",
        "--to",
        "contracts",
    )
    assert bring("a.json", *at).exit_code == 0
    contract = compile_text(Path("contracts/orders.v1.yaml").read_bytes(), "orders.v1.yaml")
    assert contract.plan
    assert contract.plan.file_format == kind
    assert not [f for f in contract.findings if f.level != "note"]


def test_contract_goes_to_standard_output_and_notes_do_not() -> None:
    result = bring("a.json")
    assert result.exit_code == 0
    assert result.stdout.startswith("# From a.json (json-schema), by dropgate import.\n")
    assert "apiVersion: v3.2.0" in result.stdout
    assert result.stderr == (
        "a.json:1:62: note[no-equivalent]: `default` of `id` has no equivalent.\n"
        "  fix: Write it by hand if it matters; it is in the comment at the top.\n"
    )


def test_contract_is_written_under_its_name() -> None:
    result = bring("a.json", "--to", "contracts/shop")
    assert (result.exit_code, result.stdout) == (0, "contracts/shop/orders.v1.yaml\n")
    lint = CliRunner().invoke(main, ["lint", "contracts"])
    assert lint.exit_code == 0


def test_block_is_made_of_three_options() -> None:
    result = bring("a.json", "--files", "shop/*.csv", "--producer", "shop", "--format", "csv", "--status", "active")
    assert result.stdout.endswith(
        "    value:\n      files: shop/*.csv\n      producer: shop\n      format: csv\n      columns: {extra: ignore}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.json", "--files", "shop/*.csv"], "--producer, --files and --format go together"),
        (["a.json", "--to", "there"], "orders.v1.yaml exists already"),
        (["a.json", "a.json", "--to", "new"], "orders.v1.yaml exists already"),
        (["a.json", "--files", "*.csv", "--producer", "x", "--format", "csv"], "write the producer's folder first"),
        (["a.json", "--files", "x/{", "--producer", "x", "--format", "csv"], "--files x/{: "),
        (["empty"], "There are no files of json-schema there"),
        (["a.json", "b.json", "--files", "x/*", "--producer", "x", "--format", "csv"], "--files is for one contract"),
    ],
)
def test_wrong_use_ends_with_two_and_writes_nothing(arguments: list[str], message: str) -> None:
    Path("there").mkdir()
    Path("there/orders.v1.yaml").write_text("mine", encoding="utf-8")
    Path("empty").mkdir()
    Path("b.json").write_text(SCHEMA.replace("orders", "b"), encoding="utf-8")
    result = bring(*arguments)
    assert (result.exit_code, message in result.stderr) == (2, True)
    assert Path("there/orders.v1.yaml").read_text(encoding="utf-8") == "mine"
    assert not Path("new").exists()


def test_one_source_that_cannot_be_read_stops_all() -> None:
    Path("b.json").write_text("{", encoding="utf-8")
    result = bring("a.json", "b.json", "--to", "new")
    assert result.exit_code == 1
    assert "error[yaml-syntax]" in result.stderr
    assert not Path("new").exists()


THINGS = ROOT / "tests/unit/functions/admission/heads/things.parquet"


def test_parquet_is_read_by_its_footer() -> None:
    given = ["--files", "shop/*.parquet", "--producer", "shop", "--status", "active", "--to", "contracts"]
    result = CliRunner(mix_stderr=False).invoke(main, ["import", "--from", "parquet", str(THINGS), *given])
    assert (result.exit_code, result.stdout) == (0, "contracts/things.v1.yaml\n")
    assert "column `bin` holds bytes" in result.stderr
    text = Path("contracts/things.v1.yaml").read_text(encoding="utf-8")
    assert "      - name: dec\n        logicalType: number\n        physicalType: decimal(10,2)\n" in text
    assert text.endswith("      format: parquet\n")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (THINGS.read_bytes()[:-1], "broken-parquet"),
        (THINGS.read_bytes()[:600] + b"PAR1", "broken-parquet"),
        (b"PAR1PAR1", "broken-parquet"),
        (b"", "wrong-format"),
        (b"CREATE TABLE a (b int)", "wrong-format"),
    ],
)
def test_parquet_that_cannot_be_read_is_a_finding(body: bytes, code: str) -> None:
    Path("x.parquet").write_bytes(body)
    result = CliRunner(mix_stderr=False).invoke(main, ["import", "--from", "parquet", "x.parquet"])
    assert result.exit_code == 1
    assert f"x.parquet:1:1: error[{code}]" in result.stderr


def test_folder_is_all_files_of_the_format() -> None:
    Path("schemas").mkdir()
    for name in ("x", "y"):
        Path("schemas", f"{name}.json").write_text(SCHEMA.replace("orders", name), encoding="utf-8")
    Path("schemas", "README.md").write_text("No schema.", encoding="utf-8")
    result = bring("schemas", "--to", "new")
    assert result.stdout == "new/x.v1.yaml\nnew/y.v1.yaml\n"


def test_one_table_of_a_source_is_chosen() -> None:
    Path("a.sql").write_text("CREATE TABLE a (b int);\nCREATE TABLE c (d int);", encoding="utf-8")
    result = CliRunner(mix_stderr=False).invoke(main, ["import", "a.sql", "--table", "c", "--to", "new"])
    assert (result.exit_code, result.stdout) == (0, "new/c.v1.yaml\n")


def test_source_that_says_its_format_needs_no_from(tmp_path: Path) -> None:
    source = tmp_path / "orders.sql"
    source.write_text("CREATE TABLE orders (id bigserial, at timestamptz);\n", encoding="utf-8")

    result = CliRunner(mix_stderr=False).invoke(main, ["import", str(source)])

    assert result.stdout.startswith("# From orders.sql (postgres-ddl), by dropgate import.\n")


@pytest.mark.parametrize("text", ["hello", "apiVersion: v3.2.0\nkind: DataContract\n"])
def test_source_that_says_no_format_is_a_usage_error(tmp_path: Path, text: str) -> None:
    source = tmp_path / "a.yaml"
    source.write_text(text, encoding="utf-8")

    result = CliRunner(mix_stderr=False).invoke(main, ["import", str(source)])

    assert result.exit_code == 2
    assert "does not say of which format it is" in result.stderr
