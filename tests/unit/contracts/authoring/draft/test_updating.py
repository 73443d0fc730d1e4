"""Changes of a contract that more samples ask for: each with a reason, none tightens, and the contract compiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.updating import update
from infra.cli.main import main
from infra.sampling import profile
from tests.oracle.test_drafts import no_spark

ROWS = [(n, ("NO", "SE", "DK")[n % 3], f"{n * 1.25:.2f}", f"a{n % 7}", "x") for n in range(60)]
NAMES = ("id", "state", "price", "ref", "note")


def written(path: str, rows: Sequence[tuple[object, ...]], names: tuple[str, ...] = NAMES) -> None:
    text = "".join(",".join(map(str, row)) + "\n" for row in (names, *rows))
    Path(path).write_text(text, encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["init", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a contract that was drafted from a sample."""
    monkeypatch.chdir(tmp_path)
    written("things.csv", list(ROWS))
    assert run("things.csv", "--producer", "shop", "--to", ".").exit_code == 0


def test_sample_that_fits_changes_nothing() -> None:
    result = run("things.csv", "--update", "things.v1.yaml")
    assert (result.exit_code, result.stdout) == (0, "# things.v1.yaml, held against 60 records: 0 proposals.\n")


@pytest.mark.parametrize(
    ("column", "value", "reason", "line"),
    [
        (1, "FI", "`state`: `enum` lacks `FI`.", "{value: SE}, {value: FI}]"),
        (1, "", "`state`: 3 of 60 records have no value.", "+          - metric: nullValues"),
        (2, "900.00", "`price`: `maximum` is 170, and the samples reach 900.00.", "+        logicalTypeOptions: {mini"),
        (2, "-5.00", "`price`: `minimum` is 0, and the samples reach -5.00.", "-        logicalTypeOptions: {mini"),
        (0, "1.5", "`id`: the samples hold values of the type number, and the contract says integer.", "Type: number"),
    ],
)  # fmt: skip
def test_what_samples_break_is_proposed_with_its_reason(column: int, value: str, reason: str, line: str) -> None:
    own = Path("things.v1.yaml").read_bytes()
    wrong = [(*row[:column], value, *row[column + 1 :]) if n % 20 == 5 else row for n, row in enumerate(ROWS)]
    written("more.csv", wrong)
    result = run("more.csv", "--update", "things.v1.yaml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"# things.v1.yaml, held against 60 records: 1 proposal.\n#   - {reason}\n"), (
        result.stdout
    )
    assert line in result.stdout, result.stdout
    assert Path("things.v1.yaml").read_bytes() == own


def test_proposed_contract_compiles_and_needs_no_more() -> None:
    rows = [(*row[:1], "" if n % 9 else "FI", f"{row[2]}", "long" * 9, "x", n) for n, row in enumerate(ROWS)]
    written("more.csv", rows, (*NAMES, "more"))
    samples = profile([Path("more.csv")], no_spark)
    changes = update(Path("things.v1.yaml").read_bytes(), "things.v1.yaml", samples)
    compiled = compile_text(changes.after.encode(), "things.v1.yaml")
    assert compiled.draft, compiled.findings
    assert update(changes.after.encode(), "things.v1.yaml", samples).reasons == (), changes.difference


def test_columns_that_one_side_lacks_are_named() -> None:
    written("more.csv", [(*row[:4], 7) for row in ROWS], (*NAMES[:4], "other"))
    text = run("more.csv", "--update", "things.v1.yaml").stdout
    assert "#   - `other` is in the samples alone: it is added, without rules." in text
    assert "#   - `note` is not in the samples: may files lack it?" in text
    assert "+      - name: other" in text


@pytest.mark.parametrize("more", [("--to", "x"), ("--id", "x"), ("--producer", "x")])
def test_update_writes_nothing(more: tuple[str, str]) -> None:
    result = run("things.csv", "--update", "things.v1.yaml", *more)
    assert (result.exit_code, "--update writes nothing" in result.stderr) == (2, True)


def test_file_that_is_no_contract_is_refused() -> None:
    Path("none.yaml").write_text("a: 1\n", encoding="utf-8")
    result = run("things.csv", "--update", "none.yaml")
    assert (result.exit_code, "is no contract with one schema object" in result.stderr) == (1, True)
