"""The reports for CI: SARIF, JUnit XML and GitHub annotations of findings and of a verdict, with hostile text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from jsonschema.validators import Draft7Validator

from contracts.authoring.document.finding import Finding
from contracts.decision import Decision, File
from contracts.job import Count, DropResult, Sample
from contracts.place import Place
from contracts.problem import Problem
from contracts.verdict import decide, document, refuse
from infra.cli.main import main
from infra.cli.output import ci_reports
from tests.builders import a_plan
from tests.unit.contracts.authoring.documents import DROP, a_document

HOSTILE = 'a, b: 100 % <x a="1"> & ]]>\r\n\x07\ud83d'
FINDINGS = [
    Finding("contracts/a b.v1.yaml", 3, 7, "error", "unknown-key", HOSTILE, "Write `x`."),
    Finding("contracts/c.v1.yaml", 1, 1, "warning", "overlap", "Two match.", ""),
    Finding("contracts/c.v1.yaml", 9, 1, "note", "unknown-key", "Known.", "Fine."),
]

# The parts of sarif-schema-2.1.0.json (OASIS) that speak of what is written here, with nothing else allowed.
TEXT: dict[str, Any] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
REGION = {"startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1}}


def closed(properties: dict[str, Any], *optional: str) -> dict[str, Any]:
    required = [p for p in properties if p not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


PLACE = closed(
    {"artifactLocation": closed({"uri": {"type": "string", "format": "uri-reference"}}), "region": closed(REGION)},
    "region",
)
RESULT = closed(
    {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": closed({"physicalLocation": PLACE})},
    }
)
RULES = {"type": "array", "uniqueItems": True, "items": closed({"id": {"type": "string"}, "shortDescription": TEXT})}
DRIVER = closed({"name": {"type": "string"}, "version": {"type": "string"}, "rules": RULES})
RUN = closed(
    {
        "tool": closed({"driver": DRIVER}),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": RESULT},
    }
)
SARIF = closed(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": RUN},
    }
)


def sarif_of(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    assert [e.message for e in Draft7Validator(SARIF).iter_errors(log)] == []
    run: dict[str, Any] = log["runs"][0]
    return run


def test_sarif_has_every_finding_with_its_place_and_rule() -> None:
    run = sarif_of(ci_reports.sarif(FINDINGS))
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["unknown-key", "overlap"]
    assert [(r["ruleIndex"], r["level"]) for r in run["results"]] == [(0, "error"), (1, "warning"), (0, "note")]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "contracts/a%20b.v1.yaml"},
        "region": {"startLine": 3, "startColumn": 7},
    }
    assert run["results"][1]["message"]["text"] == "Two match."


def test_sarif_of_nothing_is_a_run_without_results() -> None:
    assert sarif_of(ci_reports.sarif([]))["results"] == []


def test_place_without_a_line_has_no_region() -> None:
    (result,) = sarif_of(ci_reports.sarif([Finding("a.csv", 0, 0, "error", "x", "Wrong.", "")]))["results"]
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_github_gets_one_line_for_each_finding() -> None:
    lines = ci_reports.github(FINDINGS).split("\n")
    assert lines[1:] == [
        "::warning file=contracts/c.v1.yaml,line=1,col=1,title=overlap::Two match.",
        "::notice file=contracts/c.v1.yaml,line=9,col=1,title=unknown-key::Known. Fine.",
    ]
    assert lines[0].startswith("::error file=contracts/a b.v1.yaml,line=3,col=7,title=unknown-key::a, b: 100 %25 <x")


def test_names_of_files_cannot_end_a_property() -> None:
    command = ci_reports.github([Finding("a,line=1::x%\n.yaml", 1, 2, "error", "c", "m", "f")])
    assert command == "::error file=a%2Cline=1%3A%3Ax%25%0A.yaml,line=1,col=2,title=c::m f"


def test_junit_is_read_back_whatever_stands_in_it() -> None:
    cases = [
        ci_reports.Case("k", HOSTILE, "failed", HOSTILE, HOSTILE, HOSTILE),
        ci_reports.Case("k", "crashed", "error", "ours"),
        ci_reports.Case("k", "left", "skipped", "no-rows"),
        ci_reports.Case("k", "fine", text="as it should be"),
    ]
    root = ET.fromstring(ci_reports.junit("suite", cases))  # noqa: S314
    (suite,) = root
    assert [suite.get(k) for k in ("tests", "failures", "errors", "skipped")] == ["4", "1", "1", "1"]
    assert [[inner.tag for inner in case] for case in suite] == [["failure"], ["error"], ["skipped"], ["system-out"]]
    assert "]]>" in str(suite[0][0].text)


def test_lint_is_a_case_for_each_file() -> None:
    cases = ci_reports.of_files(["contracts/a b.v1.yaml", "contracts/c.v1.yaml"], FINDINGS, "lint")
    assert [(c.name, c.outcome) for c in cases] == [
        ("contracts/a b.v1.yaml", "failed"),
        ("contracts/c.v1.yaml", "passed"),
    ]
    assert "warning[overlap]: Two match." in cases[1].text


# ---- a verdict

PLAN = a_plan()
"""Four checks: three of records, `id.required`."""
COUNTS = (Count(3), Count(3), Count(3))


def outcomes(decision: Decision) -> tuple[list[Finding], dict[str, str]]:
    findings, cases = ci_reports.of_verdict(document(decision, PLAN, File("a.csv", 1)), "here/a.csv")
    assert {c.file for c in cases} == {"here/a.csv"}
    assert len(cases) == len({c.name for c in cases})
    return findings, {c.name: c.outcome for c in cases}


def judged(last: Count, **facts: Any) -> Decision:
    defaults: dict[str, Any] = {"read": 3, "valid": 3, "rejected": 0, "counts": (*COUNTS, last)}
    return decide(PLAN, DropResult("d", 1, **(defaults | facts)), tuple(c.id for c in PLAN.checks))


def test_accepted_file_passes_every_check() -> None:
    findings, cases = outcomes(judged(Count(3)))
    assert (findings, set(cases.values())) == ([], {"passed"})
    assert list(cases) == [*(c.id for c in PLAN.checks), "verdict"]


def test_failed_check_is_a_failure_and_a_finding() -> None:
    findings, cases = outcomes(
        judged(Count(3, 1, samples=(Sample(Place(1), None),)), valid=2, rejected=1, masks=(("8", 1),))
    )
    assert (cases["id.required"], cases["verdict"], cases["record.text"]) == ("failed", "failed", "passed")
    assert [(f.file, f.level, f.code) for f in findings] == [("here/a.csv", "error", "check-required")]


def test_check_that_was_not_made_is_skipped_unless_it_rejects() -> None:
    _, cases = outcomes(judged(Count(state="not_evaluated", reason="allowed-missing")))
    assert (cases["id.required"], cases["verdict"]) == ("skipped", "passed")
    _, cases = outcomes(judged(Count(state="not_evaluated", reason="no-values")))
    assert (cases["id.required"], cases["verdict"]) == ("failed", "failed")


def test_crashed_check_is_an_error() -> None:
    _, cases = outcomes(judged(Count(state="error", reason="boom")))
    assert (cases["id.required"], cases["verdict"]) == ("error", "error")


def test_file_refused_at_the_door_has_its_problems_as_cases() -> None:
    decision = refuse((Problem("empty-file", "Empty.", "Send it again."),))
    findings, cases = outcomes(decision)
    assert (cases, [f.code for f in findings]) == ({"empty-file": "failed", "verdict": "failed"}, ["empty-file"])


# ---- the commands


def run(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, [*words], prog_name="dropgate")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contract with an error, one without, and a file that lacks its header."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.v1.yaml").write_text(a_document(), encoding="utf-8")
    (tmp_path / "wrong.v1.yaml").write_text(a_document(drop=DROP + "emtpy: warn"), encoding="utf-8")
    (tmp_path / "a.csv").write_text("ID\n1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("lint", "orders.v1.yaml"), 0),
        (("lint", "wrong.v1.yaml"), 1),
        (("breaking", "orders.v1.yaml", "orders.v1.yaml"), 0),
        (("breaking", "orders.v1.yaml", "wrong.v1.yaml"), 1),
        (("test", "a.csv", "--contract", "orders.v1.yaml"), 1),
    ],
)
def test_commands_speak_every_format_and_end_the_same(words: tuple[str, ...], code: int) -> None:
    outputs = {form: run(*words, "--format", form) for form in ci_reports.FORMATS}
    assert {r.exit_code for r in outputs.values()} == {code}, outputs
    levels = [r["level"] for r in sarif_of(outputs["sarif"].stdout)["results"]]
    root = ET.fromstring(outputs["junit"].stdout)  # noqa: S314
    assert bool(levels.count("error")) == bool(root.findall(".//failure")) == bool(code)
    assert len(outputs["github"].stdout.splitlines()) == len(levels)
