"""The `drop` block of a contract: what stands in it under its JSON Schema, and the block once it is read."""

from __future__ import annotations

import importlib.resources
import json
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from contracts.plan import Columns, Compression, Csv, FileFormat, Limit, Severity

ENCODINGS = {"utf8": "utf-8", "iso8859-1": "iso-8859-1", "latin-1": "iso-8859-1", "latin1": "iso-8859-1"}


@dataclass(frozen=True, slots=True)
class Override:
    """What is said of one check, for which ODCS has no place on schema constraints.

    `quiet` is how many rows may fail without a warning, `said` what entries of all kinds have (`conditions.OF_ANY`).
    """

    severity: Severity | None = None
    tolerance: Limit | None = None
    quiet: Limit | None = None
    said: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DropBlock:
    """Everything that ODCS has no room for: which files, how they are written, what becomes of them."""

    files: tuple[str, ...]
    producer: str
    format: FileFormat
    compression: Compression
    csv: Csv
    columns: Columns
    empty: Literal["reject", "warn", "accept"]
    tolerance: Limit | None
    checks: dict[str, Override]
    promote: Literal["object"]
    same_key: Literal["supersede", "reject", "version"]
    same_content: Literal["allow", "warn", "reject"]


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of the block, `drop.schema.json`: its keys, their values, the defaults."""
    text = importlib.resources.files("contracts.authoring").joinpath("drop.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """The block as the schema knows it: a list of patterns, an encoding by its standard name."""
    found = dict(value)
    if isinstance(found.get("files"), str):
        found["files"] = [found["files"]]
    csv = found.get("csv")
    if isinstance(csv, dict) and isinstance(csv.get("encoding"), str):
        name = csv["encoding"].casefold()
        found["csv"] = {**csv, "encoding": ENCODINGS.get(name, name)}
    return found


def made(value: dict[str, Any]) -> DropBlock:
    """The block of a value that fits the schema."""
    whole = _with_defaults(schema(), value)
    tolerance = whole.get("tolerance")
    return DropBlock(
        files=tuple(whole["files"]),
        producer=whole["producer"],
        format=whole["format"],
        compression=whole["compression"],
        csv=_csv(whole["csv"]),
        columns=Columns(**whole["columns"]),
        empty=whole["empty"],
        tolerance=_limit(tolerance["rows"]) if tolerance else None,
        checks={name: _override(wanted) for name, wanted in whole["checks"].items()},
        promote=whole["promote"],
        same_key=whole["sameKey"],
        same_content=whole["sameContent"],
    )


def _override(wanted: dict[str, Any]) -> Override:
    rest = {key: value for key, value in wanted.items() if key not in ("severity", "tolerance")}
    tolerance = wanted.get("tolerance")
    both = tolerance if isinstance(tolerance, dict) else {"error": tolerance}
    return Override(wanted.get("severity"), _limit(both.get("error")), _limit(both.get("warning")), rest)


def _csv(written: dict[str, Any]) -> Csv:
    return Csv(
        delimiter=written["delimiter"],
        encoding=written["encoding"],
        quote=written["quote"],
        escape=written["escape"],
        null_values=tuple(written["nullValues"]),
        header=written["header"],
        multi_line=written["multiLine"],
    )


def _with_defaults(known: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    found = dict(value)
    for key, its in known["properties"].items():
        if "default" in its:
            found.setdefault(key, its["default"])
        elif "properties" in its and key not in its.get("required", ()):
            found[key] = _with_defaults(its, value.get(key, {}))
    return found


def _limit(value: int | str | None) -> Limit | None:
    if value is None:
        return None
    if isinstance(value, int):
        return Limit(Decimal(value), "rows")
    return Limit(Decimal(value.removesuffix("%").strip()), "percent")
