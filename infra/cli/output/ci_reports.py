"""Reports for any CI: findings or test cases in; SARIF 2.1.0, JUnit XML or GitHub annotations out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal
from urllib.parse import quote

from contracts.authoring.document.finding import Finding
from infra.cli.screen import as_json, inert, line

FORMATS = ("text", "json", "sarif", "junit", "github")
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
GITHUB = {"error": "error", "warning": "warning", "note": "notice"}
CaseOutcome = Literal["passed", "failed", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: its name in a class, its outcome, the reason in one line, and the whole text."""

    classname: str
    name: str
    outcome: CaseOutcome = "passed"
    message: str = ""
    text: str = ""
    file: str | None = None


# ---- SARIF


def sarif(findings: Sequence[Finding]) -> str:
    """Return findings as one run of SARIF 2.1.0 (OASIS), as GitHub code scanning reads it."""
    import importlib.metadata

    codes = list(dict.fromkeys(f.code for f in findings))
    driver = {
        "name": "dropgate",
        "version": importlib.metadata.version("dropgate"),
        "rules": [{"id": code, "shortDescription": {"text": code.replace("-", " ")}} for code in codes],
    }
    results = []
    for finding in findings:
        path = PurePath(finding.file)
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())  # a reference, relative paths unchanged
        place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
        if finding.line:
            place["region"] = {"startLine": finding.line, "startColumn": finding.column}
        result = {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": finding.level,
            "message": {"text": _text(finding)},
            "locations": [{"physicalLocation": place}],
        }
        results.append(result)
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _text(finding: Finding) -> str:
    return _plain(f"{finding.message} {finding.fix}".strip())


# ---- GitHub


def github(findings: Iterable[Finding]) -> str:
    """Return findings as workflow commands, which GitHub shows next to the lines of a pull request."""
    commands = []
    for finding in findings:
        place = {"file": PurePath(finding.file).as_posix()}
        if finding.line:
            place |= {"line": str(finding.line), "col": str(finding.column)}
        place["title"] = finding.code
        escaped = {name: _plain(_data(one).replace(":", "%3A").replace(",", "%2C")) for name, one in place.items()}
        properties = ",".join(f"{name}={one}" for name, one in escaped.items())
        commands.append(f"::{GITHUB[finding.level]} {properties}::{_data(_text(finding))}")
    return "\n".join(commands)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


# ---- JUnit


TAGS = {"failed": "failure", "error": "error", "skipped": "skipped"}


def junit(suite: str, cases: Sequence[Case]) -> str:
    """Return test cases as JUnit XML, as Jenkins and GitLab read it."""
    from xml.etree import ElementTree as ET

    totals = {
        "tests": str(len(cases)),
        "failures": str(sum(c.outcome == "failed" for c in cases)),
        "errors": str(sum(c.outcome == "error" for c in cases)),
        "skipped": str(sum(c.outcome == "skipped" for c in cases)),
        "time": "0",
    }
    root = ET.Element("testsuites", {"name": suite, **totals})
    inner = ET.SubElement(root, "testsuite", {"name": suite, **totals})
    for case in cases:
        named = {"classname": _plain(case.classname), "name": _plain(case.name), "time": "0"}
        one = ET.SubElement(inner, "testcase", named | ({"file": _plain(case.file)} if case.file else {}))
        if case.outcome in TAGS:
            reason = ET.SubElement(one, TAGS[case.outcome], {"message": _plain(case.message)})
            reason.text = _xml(case.text) or None
        elif case.text:
            ET.SubElement(one, "system-out").text = _xml(case.text)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _plain(text: str) -> str:
    """Return a text on one line; characters that do not print, or that XML 1.0 cannot hold, become escapes."""
    return inert(line(text))


def _xml(text: str) -> str:
    """Return our lines for XML; readers of the file print them unchanged."""
    return "\n".join(map(_plain, text.split("\n")))


def of_files(files: Iterable[str], findings: Sequence[Finding], classname: str) -> list[Case]:
    """Return a test case for each file: errors fail it, warnings and notes go to its output."""
    cases = []
    for file in files:
        own = [f for f in findings if f.file == file]
        errors = [f for f in own if f.level == "error"]
        text = "\n".join(_plain(f"{f.file}:{f.line}:{f.column}: {f.level}[{f.code}]: {f.message} {f.fix}") for f in own)
        first = errors[0].message if errors else ""
        outcome: CaseOutcome = "failed" if errors else "passed"
        cases.append(Case(classname, file, outcome, first, text, file))
    return cases


def of_verdict(body: Mapping[str, Any], file: str) -> tuple[list[Finding], list[Case]]:
    """Return the findings of a verdict on a file, and a case for each check and for the verdict.

    A check that was not evaluated is skipped, unless the file is rejected for it; a warning passes with its message.
    """
    problems = [*body["problems"], *([body["failure"]] if body["failure"] else [])]
    findings = [Finding(file, 0, 0, p["level"], p["code"], p["message"], p["fix"]) for p in problems]
    contract = str(body["contract"]["id"])
    by_check = {p["check"]: p for p in problems if p["check"]}
    cases = []
    for check in body["checks"]:
        problem, outcome = by_check.get(check["id"]), RESULTS[check["result"]]
        if outcome == "skipped" and problem and problem["level"] == "error":
            outcome = "failed"
        message = problem["message"] if problem else check["reason"] or ""
        detail = f"{problem['message']} {problem['fix']}" if problem else message
        figures = ", ".join(f"{k} {check[k]}" for k in ("evaluated", "failed", "null") if check[k] is not None)
        text = "\n".join(_plain(t) for t in (detail, f"expected: {check['expected']}", figures) if t)
        cases.append(Case(contract, check["id"], outcome, message, text, file))
    checked = {case.name for case in cases}
    for p in body["problems"]:
        if p["check"] not in checked:
            name = ".".join(filter(None, (p["property"], p["code"])))
            outcome = "failed" if p["level"] == "error" else "passed"
            cases.append(Case(contract, name, outcome, p["message"], f"{p['message']} {p['fix']}", file))
    outcome = VERDICTS[body["verdict"]]
    verdict = body["failure"]["message"] if body["failure"] else f"{body['verdict']}"
    return findings, [*cases, Case(contract, "verdict", outcome, verdict, "" if outcome != "passed" else verdict, file)]


def of_set(name: str, lacks: str | None, file: str) -> tuple[list[Finding], Case]:
    """Return the findings and the case of a set of files: complete, or the list of missing files."""
    if lacks is None:
        return [], Case("sets", name, text="The set is complete.", file=file)
    message, fix = f"The set of files ({name}) is not complete: {lacks}.", "Its files would wait for the missing ones."
    finding = Finding(file, 0, 0, "error", "set-incomplete", message, fix)
    return [finding], Case("sets", name, "failed", message, f"{message} {fix}", file)


VERDICTS: dict[str | None, CaseOutcome] = {
    "accepted": "passed",
    "accepted_with_warnings": "passed",
    "rejected": "failed",
    None: "error",
}
RESULTS: dict[str, CaseOutcome] = {
    "passed": "passed",
    "warning": "passed",
    "failed": "failed",
    "error": "error",
    "not_evaluated": "skipped",
}


def shown(form: str, findings: Sequence[Finding], suite: str, cases: Sequence[Case]) -> str:
    """Return the report in one of the three formats."""
    if form == "sarif":
        return sarif(findings)
    return github(findings) if form == "github" else junit(suite, cases)
