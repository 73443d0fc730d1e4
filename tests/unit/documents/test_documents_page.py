"""docs/reference/documents.md: the schemas beside it are those of the code, and hold what earlier versions wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from contracts import codec
from contracts.catalog import Index, Pointer
from contracts.decision import Decision, File
from contracts.job import DataFiles, DropResult, JobHeader, JobRequest
from contracts.plan import Plan
from contracts.terms.notices import Routes
from functions.drop import Override
from functions.events.drop_event import DATA_SCHEMA, DropEvent
from functions.records.result_line import ResultLine
from infra.packaging.bundles import ROOT
from tests.golden.test_golden import events_of
from tests.unit.documents.schemas import document, of_fields, schema

FOLDER = ROOT / "docs" / "reference" / "schemas"
BESIDE_CODE = {
    "drop-event.v1": ROOT / "functions" / "events" / "drop_event.v1.schema.json",
    "result-line.v1": ROOT / "functions" / "records" / "result_line.v1.schema.json",
}
CORPUS = ROOT / "tests" / "data" / "golden"
TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def _null_or(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "null"}]}


def _verdict(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a verdict, as `contracts.verdict.document` writes them."""
    decision = of_fields(Decision, parts)["properties"]
    about = {"type": "object", "description": "What the contract says of the check."}
    parts["CheckResult"]["properties"]["about"] = about
    contract = dict.fromkeys(("id", "version", "plan"), TEXT)
    return {
        "verdict": decision["verdict"],
        "contract": _null_or(
            {"type": "object", "properties": {**contract, "mode": {"enum": ["observe"]}}, "required": [*contract]}
        ),
        "file": schema(File, parts),
        **{name: decision[name] for name in ("rows", "checks", "problems", "failure")},
    }


def _receipt() -> dict[str, Any]:
    parts: dict[str, Any] = {}
    keys = {
        "format": {"enum": [1]},
        **dict.fromkeys(("drop", "key", "received_at", "decided_at"), TEXT),
        "attempt": NUMBER,
        **_verdict(parts),
        "rejected_rows": _null_or(TEXT),
        "promoted": _null_or(TEXT),
        "override": _null_or(schema(Override, parts)),
        "withdrawn": FLAG,
    }
    contact = _null_or(
        {"type": "object", "properties": {"name": TEXT, "url": _null_or(TEXT)}, "required": ["name", "url"]}
    )
    return document(
        "Receipt", {"type": "object", "properties": {**keys, "contact": contact}, "required": [*keys]}, parts
    )


def _test_result() -> dict[str, Any]:
    parts: dict[str, Any] = {}
    keys = _verdict(parts)
    return document("Verdict of dropgate test", {"type": "object", "properties": keys, "required": [*keys]}, parts)


def _drop_event() -> dict[str, Any]:
    parts: dict[str, Any] = {}
    event = of_fields(DropEvent, parts)
    event["properties"]["type"] = {**TEXT, "pattern": r"^dropgate\.(drop|files|promise)\.[a-z-]+\.v1$"}
    return document("Drop event", {"$id": DATA_SCHEMA.partition("#")[0], **event}, parts)


def _of(cls: Any) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    return document(cls.__name__, of_fields(cls, parts), parts)


SCHEMAS = {
    "receipt": _receipt(),
    "verdict": _test_result(),
    "drop-event.v1": _drop_event(),
    "result-line.v1": _of(ResultLine),
    "plan": _of(Plan),
    "pointer": _of(Pointer),
    "index": _of(Index),
    "routes": _of(Routes),
    "job-request": _of(JobRequest),
    "job-result-header": _of(JobHeader),
    "job-result-drop": _of(DropResult),
    "data-files": _of(DataFiles),
}


def written() -> Iterator[tuple[str, Any]]:
    """Yield the documents of the golden corpora, each with the name of its schema."""
    for version in CORPUS.iterdir():
        for name in ("receipts", "plans", "requests"):
            for line in (version / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
                document = json.loads(line)
                yield (
                    {"requests": "job-request"}.get(name, name[:-1]),
                    json.loads(document) if isinstance(document, str) else document,
                )
        for line in (version / "results.jsonl").read_text(encoding="utf-8").splitlines():
            head, *drops = json.loads(line).splitlines()
            yield "job-result-header", json.loads(head)
            yield from (("job-result-drop", json.loads(drop)) for drop in drops)
        yield from (("drop-event.v1", codec.encode(event)) for event in events_of(version.name))
        if (sent := version / "events.jsonl").exists():
            yield from (("drop-event.v1", json.loads(line)) for line in sent.read_text(encoding="utf-8").splitlines())
        yield "pointer", json.loads((version / "current.json").read_text(encoding="utf-8"))
        yield "index", json.loads((version / "index.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_that_of_the_code(name: str) -> None:
    paths = [FOLDER / f"{name}.schema.json"] + [BESIDE_CODE[n] for n in (name,) if n in BESIDE_CODE]
    text = json.dumps(SCHEMAS[name], indent=2, ensure_ascii=False) + "\n"
    Draft202012Validator.check_schema(SCHEMAS[name])
    for path in paths if os.environ.get("DROPGATE_WRITE_DOCS") else ():
        path.write_text(text, encoding="utf-8")

    for path in paths:
        assert path.read_text(encoding="utf-8") == text, "DROPGATE_WRITE_DOCS=1 writes the schema again"


def test_documents_of_earlier_versions_fit() -> None:
    validators = {name: Draft202012Validator(each) for name, each in SCHEMAS.items()}
    held = [(name, [*validators[name].iter_errors(document)]) for name, document in written()]

    assert [(name, errors[0].message) for name, errors in held if errors] == []
    assert {name for name, _ in held} == SCHEMAS.keys() - {"verdict", "data-files", "routes", "result-line.v1"}


def test_page_names_every_schema() -> None:
    page = (FOLDER.parent / "documents.md").read_text(encoding="utf-8")

    assert [name for name in SCHEMAS if f"(schemas/{name}.schema.json)" not in page] == []
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.schema.json" for name in SCHEMAS}
