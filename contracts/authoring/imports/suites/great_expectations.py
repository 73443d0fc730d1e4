"""Suites of Great Expectations, of 0.x and 1.x, in; an ODCS document with the checks that say the same out.

An expectation without an equal check stays one of Great Expectations, whose engine judges it; one that this engine
does not have is kept as a custom property, with a note.
"""

from __future__ import annotations

from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.imports import shapes
from contracts.authoring.imports.imported import Imported, contract, given, kept, lost, rest_lost, stem
from contracts.authoring.imports.suites import expectations
from contracts.authoring.imports.suites.judged import Manner, Table
from contracts.authoring.quality.expectations.core_expectations import expectations as core

TEXT = {"type": "string"}
ENTRY = {
    "type": "object",
    "properties": {
        "type": TEXT,
        "expectation_type": TEXT,
        "kwargs": {"type": "object"},
        "meta": {"type": ["object", "null"]},
        "severity": {"type": ["string", "null"]},
    },
}
SHAPE = {
    "type": "object",
    "required": ["expectations"],
    "properties": {
        "name": TEXT,
        "expectation_suite_name": TEXT,
        "expectations": {"type": "array", "items": ENTRY},
        "meta": {"type": ["object", "null"]},
    },
}
SUITE = {"name", "expectation_suite_name", "expectations", "meta", "id", "ge_cloud_id", "data_asset_type", "notes"}
HANDLED = {"type", "expectation_type", "kwargs", "meta", "severity", "id", "ge_cloud_id", "notes", "description"}
HANDLED |= {"rendered_content", "expectation_context", "success_on_last_run"}
OF_THE_RUN = ("result_format", "include_config", "catch_exceptions", "batch_id", "auto", "profiler_config")
"""Arguments that say how an expectation runs, and nothing about the data."""
STRUCTURE = {
    "expect_column_to_exist": (),
    "expect_table_columns_to_match_ordered_list": ("order", "extra"),
    "expect_table_columns_to_match_set": ("extra",),
}
"""The expectations that name columns, and the settings of the block for them."""


def recognizes(data: Any) -> bool:
    """Return True if values are a suite: a list of expectations with types."""
    listed = data.get("expectations") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        return False
    return bool(data.keys() & {"expectation_suite_name", "meta"}) or any(
        isinstance(e, dict) and e.keys() & {"expectation_type", "kwargs"} for e in listed
    )


def read(document: Document) -> list[Imported]:
    """Return the document of a suite."""
    if not shapes.fits(document, SHAPE):
        return []
    data = document.data
    rest_lost(document, (), data, SUITE, "the suite")
    name = data.get("name") or data.get("expectation_suite_name") or stem(document.file)
    table, block = Table(name), {"extra": "ignore"}
    entries = [(("expectations", n), *_written(entry)) for n, entry in enumerate(data["expectations"])]
    for _, kind, arguments in entries:
        _structure(table, block, kind, arguments)
    left = [(path, kind, own) for path, kind, own in entries if not expectations.of_type(table, kind, own)]
    for path, kind, arguments in left:
        if kind not in STRUCTURE:
            _apply(document, path, table, kind, arguments)
    if not table.properties:
        message = "The suite names no column."
        document.error(("expectations",), "nothing-there", message, "Import a suite about columns.", on_key=True)
        return []
    if table.untyped:
        listed = ", ".join(f"`{column}`" for column in table.untyped[:20])
        message = f"The suite does not say the types of {listed}; they are text, or what an expectation says of them."
        lost(document, ("expectations",), message, "Write the types that their values have.")
    head = {"name": name, "properties": list(table.properties.values()), **given({"quality": table.quality})}
    data = contract(name, {**head, **given({"customProperties": table.custom})})
    return [Imported(data, {"columns": block})]


def _written(entry: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the type of an expectation and its arguments without those of the run and without nulls."""
    kind = entry.get("type") or entry.get("expectation_type") or ""
    own = entry.get("kwargs") or {}
    return kind, {key: value for key, value in own.items() if key not in OF_THE_RUN and value is not None}


def _structure(table: Table, block: dict[str, str], kind: str, arguments: dict[str, Any]) -> None:
    """Add the columns that an expectation names; columns that it excludes are refused by the block."""
    listed = [arguments.get(key) for key in ("column", "column_A", "column_B", "column_list", "column_set")]
    for columns in listed:
        for column in columns if isinstance(columns, list) else [columns]:
            if isinstance(column, str) and column:
                table.column(column)
    if kind in STRUCTURE and arguments.get("exact_match", True) is True and "extra" in STRUCTURE[kind]:
        block.update({"extra": "reject"} | ({"order": "exact"} if "order" in STRUCTURE[kind] else {}))


def _apply(document: Document, path: Path, table: Table, kind: str, arguments: dict[str, Any]) -> None:
    """Add the checks of an expectation, or the expectation itself."""
    entry = document.value(path)
    rest_lost(document, path, entry, HANDLED, "an expectation")
    severity = "error" if entry.get("severity") in (None, "critical") else "warning"
    manner = Manner(severity, about=given({"description": _note(entry)}))
    is_whole = "row_condition" not in arguments and not _has_parameters(arguments)
    if is_whole and expectations.applied(table, kind, arguments, manner):
        return
    own, column = core().get(kind), arguments.get("column")
    if own and own.wants_bound and not {"min_value", "max_value"} & arguments.keys():
        lost(document, path, f"`{kind:.80}` of `{column!s:.60}` has neither bound, and says nothing.", on_key=False)
        return
    if own and any(key not in arguments for key in own.needs):
        lost(document, path, f"`{kind:.80}` lacks an argument that it needs, and says nothing.", on_key=False)
        return
    if own is None or own.elsewhere or _has_parameters(arguments) or kind in expectations.TYPED:
        message = f"`{kind:.80}` is not judged here; it is kept as a custom property."
        lost(document, path, message, on_key=False)
        table.custom.append(kept("expectation", {"type": kind, "kwargs": arguments}))
        return
    if own.types in ("numbers", "ordered") and isinstance(column, str) and not _has_moments(arguments):
        table.is_number(column)
    lost(document, path, f"`{kind:.80}` stays an expectation of Great Expectations, which judges it.", on_key=False)
    inner = {"type": kind, "kwargs": arguments}
    body = {"type": "custom", "engine": "greatExpectations", "implementation": inner}
    table.quality.append(manner.entry(body, arguments="implementation"))


def _note(entry: dict[str, Any]) -> str | None:
    """Return the text about an expectation."""
    meta = entry.get("meta") or {}
    for text in (entry.get("description"), entry.get("notes"), meta.get("notes")):
        content = text.get("content") if isinstance(text, dict) else text
        joined = " ".join(map(str, content)) if isinstance(content, list) else content
        if isinstance(joined, str) and joined.strip():
            return joined
    return None


def _has_moments(arguments: dict[str, Any]) -> bool:
    """Return True if a bound is a text, as dates are in a suite."""
    return any(isinstance(arguments.get(key), str) for key in ("min_value", "max_value"))


def _has_parameters(value: Any) -> bool:
    """Return True if values are looked up when a suite runs."""
    if isinstance(value, dict):
        return any(str(key).startswith("$PARAMETER") or _has_parameters(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(_has_parameters, value))
