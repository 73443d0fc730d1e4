"""The count of public documents, on a few of our own: valid ones are held against lint, each text once."""

from __future__ import annotations

import importlib.resources
import json
from pathlib import Path

from bench.public_documents import Outcome, outcomes, table, validators

HEAD = "apiVersion: v3.2.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\n"
DAY = "schema: [{name: t, properties: [{name: d, logicalType: date, logicalTypeOptions: {minimum: 2026-01-31}}]}]\n"


def test_valid_documents_are_accepted_or_refused_once(tmp_path: Path) -> None:
    schemas, documents = tmp_path / "schema", tmp_path / "documents"
    schemas.mkdir()
    documents.mkdir()
    latest = importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text("utf-8")
    (schemas / "odcs-json-schema-v3.2.0.json").write_text(latest)
    (schemas / "odcs-json-schema-v3.2.0-strict.json").write_text("{}")
    texts = {
        "a.yaml": HEAD + DAY,
        "b.yaml": HEAD + DAY,
        "c.yaml": HEAD + "status: draft\n",
        "d.yaml": HEAD.replace("version: 1.0.0\n", ""),
        "e.yaml": HEAD.replace("3.2.0", "9.0.0"),
        "f.yaml": "a: [",
        "g.json": json.dumps(
            {"apiVersion": "v3.2.0", "kind": "DataContract", "id": "b", "version": "1", "status": "x"}
        ),
        "h.txt": HEAD,
    }
    for name, text in texts.items():
        (documents / name).write_text(text)
    made = list(outcomes(documents, validators(schemas)))
    assert {each.name: (each.version, each.is_valid, [code for code, _ in each.errors]) for each in made} == {
        "a.yaml": ("3.2.0", True, []),
        "c.yaml": ("3.2.0", True, ["duplicate-key"]),
        "d.yaml": ("3.2.0", False, []),
        "e.yaml": ("", False, []),
        "f.yaml": ("", False, []),
        "g.json": ("3.2.0", True, []),
    }


def test_table_counts_by_version_and_reason() -> None:
    made = [
        Outcome("a", "3.0.2", is_valid=True),
        Outcome("b", "3.1.0", is_valid=True, errors=(("duplicate-key", "x"),)),
        Outcome("c", "3.1.0", is_valid=False),
    ]
    assert table(made).splitlines()[2:] == [
        "| 3.0.2 | 1 | 1 | 1 | 0 |",
        "| 3.1.0 | 2 | 1 | 0 | 1 |",
        "| all | 3 | 2 | 1 | 1 |",
        "",
        "Refused for a key twice in one mapping: 1.",
    ]
