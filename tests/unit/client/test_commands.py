"""The command line: output, files and exit codes of each command, over HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dropgate_client.cli.main import main
from dropgate_client.errors import ClientError
from infra.packaging.bundles import ROOT
from tests.unit.client.conftest import DROP, KEY, a_drop
from tests.unit.client.servers import Reply, Server
from tests.unit.infra.cli.output.test_render import MAXIMUM, TOO_FAST, a_document

Run = Callable[..., Result]
RECEIPT = a_document(checks=[MAXIMUM], problems=[TOO_FAST]) | {"format": 1, "rejected_rows": None}


@pytest.fixture
def run(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:  # noqa: ARG001
    """A command of somebody who is logged in by the environment."""
    monkeypatch.setenv("DROPGATE_API", server.url)
    monkeypatch.setenv("DROPGATE_TOKEN", "t")
    return lambda *words: CliRunner(mix_stderr=False).invoke(main, [str(word) for word in words])


def called(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program, as a shell calls it."""
    command = [sys.executable, "-m", "dropgate_client", *words]
    around = {"PYTHONPATH": str(ROOT / "client"), "PYTHONUTF8": "1", **environment}
    return subprocess.run(command, env=around, capture_output=True, text=True, check=False, timeout=60)


def test_login_is_kept_and_used(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPGATE_CLIENT_ID", "inmet")
    monkeypatch.setenv("DROPGATE_CLIENT_SECRET", "very-secret")
    server.on("GET /contracts", Reply(200, {"contracts": [{"contract": "inmet-weather.v1"}], "next": None}))
    done = CliRunner().invoke(main, ["login", "--api", server.url, "--issuer", server.url, "--scope", "producer"])

    assert done.exit_code == 0, done.output
    assert re.search(
        rf"Logged in to {server.url} as inmet until \d{{4}}-.* UTC\.\nContracts: inmet-weather\.v1", done.output
    )
    (path,) = (home / "config").rglob("*.json")
    assert path.stat().st_mode & 0o777 == 0o600
    assert "very-secret" not in path.read_text()
    for name in ("CLIENT_ID", "CLIENT_SECRET"):
        monkeypatch.delenv(f"DROPGATE_{name}")
    server.on("GET /drops", Reply(200, {"drops": [a_drop()], "next": None}))
    assert CliRunner().invoke(main, ["drops"]).exit_code == 0
    assert server.asked[-1].headers["authorization"] == "Bearer first"


def test_login_that_the_api_refuses_is_not_kept(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPGATE_CLIENT_ID", "inmet")
    monkeypatch.setenv("DROPGATE_CLIENT_SECRET", "s")
    server.on("GET /contracts", Reply(403, {"detail": "Not for this caller."}))
    done = CliRunner().invoke(main, ["login", "--api", server.url, "--issuer", server.url])

    assert isinstance(done.exception, ClientError)
    assert list(home.rglob("*.json")) == []


@pytest.mark.usefixtures("home")
def test_secret_is_no_argument() -> None:
    done = CliRunner().invoke(main, ["login", "--api", "https://a.example", "--issuer", "https://i.example"])

    assert done.exit_code == 2
    assert "Set DROPGATE_CLIENT_ID and DROPGATE_CLIENT_SECRET: nobody is here" in done.output
    assert not re.search(r"--[a-z-]*(secret|token|password)", CliRunner().invoke(main, ["login", "--help"]).output)


def test_drops_are_listed(run: Run, server: Server) -> None:
    server.on("GET /drops", Reply(200, {"drops": [a_drop("rejected"), a_drop()], "next": None}))

    assert run("drops").stdout.splitlines()[1].startswith("abcdefghab  ✕ rejected  ")
    assert [row["state"] for row in json.loads(run("drops", "--format", "json").stdout)] == ["rejected", "accepted"]
    cut = run("drops", "--most", 1, "--state", "x", "--contract", "c", "--key", "k", "--month", "2026-01")
    assert "There are more than these 1 drops: raise --most" in cut.stderr
    assert server.asked[-1].query == {"state": "x", "contract": "c", "key": "k", "month": "2026-01", "limit": "100"}


def test_link_to_a_receipt_is_made_when_it_is_asked_for(run: Run, server: Server) -> None:
    server.on(f"GET /drops/{DROP}", Reply(200, a_drop("rejected")))
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, RECEIPT))
    assert "link" not in run("show", DROP, "--format", "json").stdout
    server.on(f"POST /drops/{DROP}/links", Reply(200, {"path": "/receipts/k1.abc", "days": 7}))

    done = run("show", DROP, "--link")
    assert done.stdout.endswith(f"reads the receipt until it ends: {server.url}/receipts/k1.abc\n")
    assert json.loads(run("show", DROP, "--link", "--format", "json").stdout)["link"] == f"{server.url}/receipts/k1.abc"
    server.on(f"POST /drops/{DROP}/links", Reply(409, {"detail": "This stack has no key for links."}))
    assert "has no key for links" in str(run("show", DROP, "--link").exception)


def test_drop_is_shown_with_its_verdict_and_receipt(run: Run, server: Server, tmp_path: Path) -> None:
    server.on("GET /drops", Reply(200, {"drops": [a_drop(), a_drop(id="b" * 32)], "next": None}))
    server.on(f"GET /drops/{DROP}", Reply(200, a_drop("rejected")))
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, RECEIPT))

    for name in (DROP, DROP[:6], KEY):
        done = run("show", name, "--receipt", tmp_path / "w.csv")
        assert done.exit_code == 1
        assert done.stdout.startswith("✕ REJECTED  weather.csv: 12 of 1,000 records (1.2 %) are rejected.\n")
        assert "\nHistory\n" in done.stdout
        assert done.stdout.endswith(f"Written: {tmp_path / 'w.csv.receipt.json'}\n")
    assert json.loads((tmp_path / "w.csv.receipt.json").read_text()) == RECEIPT
    assert json.loads(run("show", DROP, "--format", "json").stdout)["receipt"] == RECEIPT


@pytest.mark.parametrize(
    ("name", "message"), [("zz", "has the id or the key zz"), ("a", "2 drops have ids that begin")]
)
def test_drop_that_is_not_clear_is_a_usage_error(run: Run, server: Server, name: str, message: str) -> None:
    server.on("GET /drops", Reply(200, {"drops": [a_drop(), a_drop(id="ab" * 16)], "next": None}))

    done = run("show", name)
    assert (done.exit_code, message in " ".join(done.stderr.split())) == (2, True)


def test_findings_end_with_one_if_there_is_an_error(run: Run, server: Server, tmp_path: Path) -> None:
    finding = {"file": "x", "line": 3, "column": 5, "level": "error", "code": "c", "message": "m\x1b", "fix": "f"}
    server.on("POST /lint", Reply(200, {"failed": True, "findings": [finding], "contracts": []}))
    (tmp_path / "a.yaml").write_text("id: x")

    done = run("lint", "a.yaml")
    assert (done.exit_code, done.stdout) == (
        1,
        "a.yaml:3:5: error[c]: m\\u001b\n  fix: f\n\n1 file: 1 error, 0 warnings, 0 notes\n",
    )
    server.on("POST /lint", Reply(200, {"failed": False, "findings": [], "contracts": []}))
    assert (run("lint", "a.yaml", "--format", "json").exit_code, run("lint").exit_code) == (0, 2)


def test_errors_of_the_program_have_one_sentence_and_a_code(server: Server, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    nobody = called("drops", **home)
    assert (nobody.returncode, nobody.stderr) == (
        2,
        "dropgate-client: Nobody is logged in. Run `dropgate-client login --api ADDRESS --issuer ADDRESS`.\n",
    )
    server.on("GET /drops", Reply(200, {"drops": [{"strange": 1}], "next": None}))
    strange = called("drops", DROPGATE_API=server.url, DROPGATE_TOKEN="t", **home)
    assert strange.returncode == 3
    assert strange.stderr.startswith("| Traceback")
    assert strange.stderr.endswith("report the lines above with the command.\n")
    server.on("GET /drops", Reply(401, {"detail": "A token\x1b."}))
    refused = called("drops", DROPGATE_API=server.url, DROPGATE_TOKEN="t", **home)
    assert refused.returncode == 3
    assert "\x1b" not in refused.stderr


@pytest.mark.parametrize("name", sorted(main.commands))
def test_help_has_examples(name: str) -> None:
    text = CliRunner().invoke(main, [name, "--help"]).output

    assert re.search(rf"\n +Examples:\n +dropgate-client {name}\s", text)
