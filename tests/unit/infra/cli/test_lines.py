"""Output of commands when names, keys and values are hostile: none of them begins a line, or commands its reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from click.testing import CliRunner, Result

from contracts.decision import Decision, File, Rows
from contracts.problem import Problem
from contracts.verdict import document
from infra.cli import screen
from infra.cli.main import main, run
from infra.cli.output import render
from tests.unit.contracts.authoring.documents import a_document, a_property

HOSTILE = (
    "x\n::error::y",
    "x\r::error::y",
    "x\r\n  ::stop-commands::y",
    "x\n##[error]y",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[buildProblem description='x']",
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m",
    "a\x85::warning::b\u2028::error::c\u2029d",
    "\x0b\x0c\x00\x08\x7f",
    "\u202egnp.exe\u2066",
    "%0A::error::x",
)
PLACES = {
    "id": lambda text: a_document().replace("id: orders", f"id: {_quoted(text)}"),
    "version": lambda text: a_document().replace('version: "1.0.0"', f"version: {_quoted(text)}"),
    "status": lambda text: a_document().replace("status: active", f"status: {_quoted(text)}"),
    "key": lambda text: a_document().replace("status: active", f"status: active\n{_quoted(text)}: 1"),
    "property": lambda text: a_document(f"- name: {_quoted(text)}\n  logicalType: integer\n"),
    "type": lambda text: a_document(f"- name: x\n  logicalType: {_quoted(text)}\n"),
    "option": lambda text: a_property(f"logicalTypeOptions: {{pattern: {_quoted(text)}}}\n"),
    "unknown option": lambda text: a_property(f"logicalTypeOptions: {{{_quoted(text)}: 1}}\n"),
    "enum": lambda text: a_document(f"- name: x\n  logicalType: integer\n  enum: [{{value: {_quoted(text)}}}]\n"),
    "rule": lambda text: a_document(quality=f"- {{metric: {_quoted(text)}, mustBe: 0}}\n"),
    "query": lambda text: a_document(quality=f"- {{type: sql, query: {_quoted(text)}, mustBe: 0}}\n"),
    "pattern": lambda text: a_document().replace("shop/orders/*.csv", _quoted(text)),
    "producer": lambda text: a_document().replace("producer: shop", f"producer: {_quoted(text)}"),
    "format": lambda text: a_document().replace("format: csv", f"format: {_quoted(text)}"),
    "check": lambda text: a_document(more_drop=f"checks: {{{_quoted(text)}: {{severity: warning}}}}\n"),
    "broken": lambda text: f"a: [{text}\n",
}  # fmt: skip
OWN = re.compile(r"contracts/[^:]*:\d+:\d+: |  fix: |\d+ files?, |$")


def _quoted(text: str) -> str:
    return json.dumps(text)


def command(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a folder of contracts, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contracts").mkdir()
    return tmp_path


def harmless(output: str) -> list[str]:
    """The lines of an output, none of which a stranger has begun."""
    lines = output.split("\n")
    assert [line for line in lines if not line.isprintable()] == []
    assert [line for line in lines if re.match(r"\s*::(?!(?:error|warning|notice) file=)", line)] == []
    assert re.search(r"##(?:\[|vso\[|teamcity\[)", output) is None
    return lines


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", PLACES)
def test_lint_has_lines_of_its_own_alone(place: str, text: str) -> None:
    Path("contracts/orders.v1.yaml").write_text(PLACES[place](text), encoding="utf-8")
    for form in ("text", "json", "github", "junit", "sarif"):
        result = command("lint", "contracts", "--format", form)
        assert result.exit_code in (0, 1), result.output
        lines = harmless(result.output)
        if form == "text":
            assert [line for line in lines if not OWN.match(line)] == []
        if form == "github":
            assert [line for line in lines if line and not line.startswith("::")] == []
        if form in ("json", "sarif"):
            json.loads(result.output)
        if form == "junit":
            ET.fromstring(result.output)  # noqa: S314


@pytest.mark.parametrize("text", HOSTILE)
def test_other_commands_have_lines_of_their_own_alone(text: str) -> None:
    Path("contracts/orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    Path("contracts/broken.yaml").write_text(PLACES["property"](text), encoding="utf-8")
    Path("old").mkdir()
    described = (
        "- {name: id, logicalType: integer, enum: [{value: 1}]}\n- {name: x, logicalType: string, description: %s}\n"
    )
    Path("old/orders.v1.yaml").write_text(a_document(described % _quoted("a")), encoding="utf-8")
    Path("new").mkdir()
    Path("new/orders.v1.yaml").write_text(a_document(described % _quoted(text)), encoding="utf-8")
    for words in (
        ("match", text),
        ("match", f"shop/{text}", "--format", "json"),
        ("breaking", "old", "new"),
        ("breaking", "old", "new", "--format", "github"),
        ("breaking", "contracts", "new"),
        ("export", "--to", "avro", "contracts"),
        (f"--{text}",),
        (text,),
        ("lint", f"contracts/{text}"),
        ("lint", "contracts", "--format", text),
        ("test", "contracts/orders.v1.yaml", "--contract", text),
    ):
        result = command(*words)
        assert result.exit_code in (0, 1, 2), result.output
        harmless(result.output)


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\0" not in text])
def test_name_of_a_file_begins_no_line(text: str) -> None:
    Path("contracts", f"{text}.yaml").write_text("a: [", encoding="utf-8")
    for form in ("text", "github", "junit", "sarif", "json"):
        harmless(command("lint", "--format", form).output)


def test_trace_of_a_fault_has_lines_of_ours_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("contracts/orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["dropgate", "lint"])
    monkeypatch.setattr("sys.stdout", _Broken())
    with pytest.raises(SystemExit, match="3"):
        run()
    lines = harmless(capsys.readouterr().err)
    assert [line for line in lines if line and not line.startswith(("| ", "dropgate: "))] == []


class _Broken:
    encoding = "utf-8"

    def write(self, _: str) -> int:
        raise ValueError("x\n::error::y\x1b[2J")

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("text", HOSTILE)
def test_json_of_commands_reads_back_as_it_was(text: str) -> None:
    made = screen.as_json({text: [text]})
    harmless(made)
    assert json.loads(made) == {text: [text]}
    assert yaml.safe_load(made) == {text: [text]}


@pytest.mark.parametrize("before", range(40, 100, 3))
def test_text_that_is_wrapped_begins_no_command(before: int) -> None:
    text = f"{'x' * before} ::error::y ##[error]z"
    decision = Decision("rejected", Rows(), problems=(Problem("code", text, text),))
    body = document(decision, None, File(text, 1, None))
    harmless(screen.inert(render.verdict_text(body, width=80)))


def test_table_of_drops_begins_no_command() -> None:
    row: dict[str, object] = {"id": "::error::x", "state": "::error::y", "contract": "##[error]", "key": "\n::error::z"}
    row |= dict.fromkeys(("size", "read", "rejected"))
    row |= dict.fromkeys(("received_at", "changed_at"), "2026-01-31T12:00:00Z")
    harmless(screen.inert(render.drops_table([row], 200)))
