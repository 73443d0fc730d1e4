"""Sources for tests of the import: a text in, its documents and findings out."""

from __future__ import annotations

import textwrap
from typing import Any

import yaml

from contracts.authoring.imports.importing import Files, ImportResult, import_source


def imported(form: str, text: str, file: str = "orders.src", files: Files | None = None) -> ImportResult:
    """Return the result of importing a source."""
    return import_source(form, textwrap.dedent(text).encode("utf-8", "surrogatepass"), file, files)


def documents(form: str, text: str, file: str = "orders.src") -> list[dict[str, Any]]:
    """Return the documents of a valid source."""
    result = imported(form, text, file)
    assert result.contracts, result.findings
    return [yaml.safe_load(contract.text) for contract in result.contracts]


def properties(form: str, text: str) -> list[dict[str, Any]]:
    """Return the properties of a source with one document."""
    (document,) = documents(form, text)
    properties: list[dict[str, Any]] = document["schema"][0]["properties"]
    return properties


def codes(form: str, text: str) -> list[tuple[str, int]]:
    """Return the errors of a source, with their lines."""
    return [(f.code, f.line) for f in imported(form, text).findings if f.level == "error"]


def notes(form: str, text: str) -> list[str]:
    """Return the notes about parts of a source without equivalent."""
    return [f.message for f in imported(form, text).findings if f.level == "note"]


def refused(form: str, text: str) -> list[str]:
    """Return the warnings about lines that lint would refuse."""
    return [f.message for f in imported(form, text).findings if f.level == "warning" and f.file != "orders.src"]
