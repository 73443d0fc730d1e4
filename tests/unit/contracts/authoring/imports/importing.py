"""Sources for tests of the import: a text in; its documents and what is said of it out."""

from __future__ import annotations

import textwrap
from typing import Any

import yaml

from contracts.authoring.imports.importing import Files, ImportResult, import_source


def imported(form: str, text: str, file: str = "orders.src", files: Files | None = None) -> ImportResult:
    """What becomes of a source."""
    return import_source(form, textwrap.dedent(text).encode("utf-8", "surrogatepass"), file, files)


def documents(form: str, text: str, file: str = "orders.src") -> list[dict[str, Any]]:
    """The documents of a source that has some."""
    found = imported(form, text, file)
    assert found.contracts, found.findings
    return [yaml.safe_load(contract.text) for contract in found.contracts]


def properties(form: str, text: str) -> list[dict[str, Any]]:
    """The properties of a source with one document."""
    (document,) = documents(form, text)
    properties: list[dict[str, Any]] = document["schema"][0]["properties"]
    return properties


def codes(form: str, text: str) -> list[tuple[str, int]]:
    """The errors of a source, with their lines."""
    return [(f.code, f.line) for f in imported(form, text).findings if f.level == "error"]


def notes(form: str, text: str) -> list[str]:
    """What a source has and nothing was made of."""
    return [f.message for f in imported(form, text).findings if f.level == "note"]


def refused(form: str, text: str) -> list[str]:
    """What lint would refuse of what comes out."""
    return [f.message for f in imported(form, text).findings if f.level == "warning" and f.file != "orders.src"]
