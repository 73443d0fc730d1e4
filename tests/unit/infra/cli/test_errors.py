"""Errors before a command does anything: the nearest correct spelling, one sentence, and the exit code."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import main
from infra.cli.options.target import DEMO, NOWHERE, NoStack
from infra.local.state.export_folder import save
from infra.packaging.bundles import ROOT
from tests.builders import ZONES, a_drop
from tests.fakes import MemoryLedger
from tests.unit.infra.cli.command_lines import run

SUFFIXES = [
    "APPLICATION",
    "BATCH_QUEUE",
    "CATALOG",
    "DATA_KEY",
    "EVIDENCE",
    "HELD",
    "JOBS",
    "JOB_ARCHIVE",
    "JOB_ENTRY",
    "JOB_ROLE",
    "LANDING",
    "MOST_BATCHES",
    "MOST_DROPS",
    "PROMOTED",
    "REPORTS",
    "RESULTS",
    "STAGE",
    "TABLE",
    "WINDOW_SECONDS",
]
WHOLE = {f"DROPGATE_{suffix}": "1" for suffix in SUFFIXES}


def dropgate(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, words, prog_name="dropgate")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with contracts and a small file, to work in."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "contracts" / "flights", tmp_path / "contracts")
    (tmp_path / "weather.csv").write_text("origin,year\nEWR,\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("drosp", "No such command 'drosp'. Did you mean 'drops'?"),
        ("Lint", "No such command 'Lint'. Did you mean 'lint'?"),
        ("lint --formt json", "No such option: --formt Did you mean --format?"),
        ("test weather.csv --contrct x", "No such option: --contrct"),
        ("test weather.csv --contract nyc-wether.v1", "Did you mean nyc-weather.v1?"),
        ("test weather.csv --contract zzz", "Known: nyc-flights.v1, nyc-weather.v1."),
        ("test weather.csv --memory 1x", "'1x' is not a size, such as 512m or 4g"),
        ("test weather.csv --contracts nowhere", "There is no folder nowhere; name it with --contracts"),
        ("test weather.csv --contract nyc-weather.v1 --key x/1.csv", "would be x/1.csv, which nyc-weather.v1 does not"),
        ("cost --drops 1 --size 1KB --rejected nan", "it is not a number"),
        ("drops --state rejcted", "There is no state rejcted. Did you mean rejected?"),
        ("drops --state zzz", "There is no state zzz. Known: received, "),
        ("drops --month 2026-13", "'2026-13' does not match the format '%Y-%m'"),
        ("drops --most 0", "0 is not in the range x>=1"),
        ("lint --format xml", "'xml' is not one of 'text', 'json'"),
        ("lint nowhere.yaml", "Path 'nowhere.yaml' does not exist"),
        ("match", "Missing argument 'KEY'"),
        ("publish --catalog /tmp", "--catalog needs a URI, such as s3://my-internal-bucket/catalog/."),
        ("up --port 99999", "99999 is not in the range 0<=x<=65535"),
        ("replay --state acepted --retract", "Did you mean accepted?"),
        ("replay abcd --contract orders.v1", "--contract chooses among the drops of a --state"),
        ("drops --stuck --state failed", "--stuck lists everything without progress"),
        ("accept abcd", "Missing option '--because'"),
        ("reject abcd --because=", "--because is empty"),
        (f"accept abcd --because {'x' * 301}", "more than 300 bytes"),
        ("replay", "Name either a DROP or --state S for all drops in that state."),
        ("replay abcd --state failed", "Name either a DROP or --state S for all drops in that state."),
        ("replay --state rejekted", "Did you mean rejected?"),
        ("replay --state accepted", "Drops that are accepted are not judged again. Add --retract"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_word_is_told_and_ends_with_two(words: str, message: str) -> None:
    result = dropgate(*words.split())
    assert result.exit_code == 2
    assert message in result.stderr


def test_full_disk_ends_with_three(folder: Path) -> None:
    """Python would end with 1, which says that a file is rejected; here there is no room for what is printed."""
    with Path("/dev/full").open("wb") as full:
        words = [sys.executable, "-c", "from infra.cli.main import run; run()", "lint"]
        done = subprocess.run(words, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 3
    assert done.stderr.startswith("dropgate: The disk is full: free some space")


def test_unforeseen_fault_ends_with_three(folder: Path) -> None:
    """A stream that is closed is nothing that a command foresees."""
    words = [sys.executable, "-c", "import sys; sys.stdout.close(); from infra.cli.main import run; run()", "lint"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "| ValueError" in done.stderr
    assert "not of your files. Run the command again" in done.stderr


@pytest.mark.usefixtures("folder")
def test_unknown_contract_of_drops_is_told_its_nearest() -> None:
    drop = a_drop(id="d" * 32, contract="orders.v1")
    ledger = MemoryLedger()
    ledger.open(drop)
    zones = {"promoted": ZONES.promoted}
    save(DEMO, ledger, [drop.id], {}, zones, "2026-01-31T12:00:00Z")
    result = dropgate("drops", "--contract", "oders.v1")
    assert (result.exit_code, "Did you mean orders.v1?" in result.stderr) == (2, True)
    assert dropgate("drops", "--contract", "orders.v1").exit_code == 0
    result = dropgate("show", "eeee")
    assert (result.exit_code, "No drop begins with eeee" in result.stderr) == (2, True)


@pytest.mark.parametrize("words", ["drops", "show abcdef", "replay abcdef", "publish"])
def test_without_a_stack_one_sentence_and_three(words: str, folder: Path) -> None:
    done = run(*words.split(), folder=folder)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("dropgate: No ")
    assert "`dropgate up`" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", ["drops", "publish"])
def test_half_an_environment_is_told_the_rest(words: str, folder: Path) -> None:
    name = "DROPGATE_CATALOG" if words == "drops" else "DROPGATE_TABLE"
    done = run(words, folder=folder, AWS_DEFAULT_REGION="us-east-1", **{name: "s3://internal/catalog/"})
    assert done.returncode == 3
    assert done.stderr.endswith("is not set: set all DROPGATE_* of the deployed stack, or none.\n")
    assert done.stderr.count("\n") == 1


def test_lack_of_a_region_is_one_sentence(folder: Path) -> None:
    nowhere = {"AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}
    done = run("drops", folder=folder, **nowhere, **WHOLE)
    assert (done.returncode, done.stderr) == (3, f"dropgate: {NOWHERE}\n")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", ["drops", "show abcd", "publish", "pause", "redrive", "access consumer --principal"])
@pytest.mark.parametrize("by", ["option", "variable"])
def test_stack_without_a_region_is_one_sentence(words: str, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_REGION", *WHOLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    options = ["--stack", "drops"] if by == "option" else []
    if by == "variable":
        monkeypatch.setenv("DROPGATE_STACK", "drops")
    who = ["arn:aws:iam::123456789012:role/analyst"] if words.endswith("--principal") else []

    error = dropgate(*words.split(), *who, *options).exception
    assert isinstance(error, NoStack)
    assert str(error) == NOWHERE


@pytest.mark.parametrize("words", ["publish", "publish --catalog s3://internal/catalog/"])
def test_wrong_contract_is_never_published(words: str, folder: Path) -> None:
    (folder / "contracts" / "wrong.v1.yaml").write_text("a: [", encoding="utf-8")
    done = run(*words.split(), folder=folder)
    assert done.returncode == 1
    assert "contracts/wrong.v1.yaml:2:1: error[yaml-syntax]" in done.stderr
    assert done.stderr.endswith("Nothing was published.\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [("lint", 0), ("lint wrong.yaml", 1), ("lint none", 2), ("match nyc/weather/1.csv", 0), ("match nyc/x", 1)],
)
def test_exit_codes_of_the_real_program(words: str, code: int, folder: Path) -> None:
    (folder / "wrong.yaml").write_text("a: [", encoding="utf-8")
    assert run(*words.split(), folder=folder).returncode == code
