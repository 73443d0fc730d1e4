"""The format that a source resembles: its bytes or values in, the name of a format out, for a fix."""

from __future__ import annotations

import re
from typing import Any

MAGIC = b"PAR1"
DDL = re.compile(r"\s*(--.*\n\s*|/\*.*?\*/\s*)*(create\b|struct\s*<)", re.IGNORECASE | re.DOTALL)
KEYS = (
    ("odcs", ("apiVersion", "kind")),
    ("data-contract-0.1.3", ("specVersion",)),
    ("mesh", ("interfaceComponents",)),
    ("mesh", ("inputPorts",)),
    ("mesh", ("outputPorts",)),
    ("paypal-2.1", ("quantumName",)),
    ("paypal-2.1", ("datasetDomain",)),
    ("paypal-2.1", ("dataset",)),
    ("clouddq", ("rule_bindings",)),
    ("clouddq", ("entities",)),
    ("clouddq", ("rules",)),
    ("data-contract-specification", ("dataContractSpecification",)),
    ("json-schema", ("$schema",)),
    ("json-schema", ("properties",)),
    ("json-schema", ("$ref",)),
    ("json-schema", ("allOf",)),
    ("avro", ("type", "fields", "name")),
    ("spark-json", ("type", "fields")),
    ("astrafy", ("fields",)),
)
"""Keys of the outermost mapping that identify a format; the first format with all its keys counts."""
INSTEAD = {
    "odcs": "It is ODCS already: `dropgate lint` reads it as it is.",
    "spark-json": "Write the schema as DDL, which Spark's `toDDL` makes of it, and `--from spark-ddl`.",
    "data-contract-specification": "`datacontract export --format odcs` of datacontract-cli makes ODCS of it.",
}
"""The fix for a format that `--from` does not support."""


def format_of(data: Any) -> str | None:
    """Return the format that values, or the text of a source, resemble; None if there is none."""
    if isinstance(data, bytes):
        return "parquet" if data.startswith(MAGIC) else None
    if isinstance(data, str):
        return "spark-ddl" if DDL.match(data) else None
    if isinstance(data, list):
        return "avro" if any(format_of(inner) == "avro" for inner in data) else None
    if not isinstance(data, dict):
        return None
    return next((name for name, keys in KEYS if all(key in data for key in keys)), None)


def fix(resembled: str | None, importable: tuple[str, ...]) -> str:
    """Return the fix for a source that is not of the requested format."""
    if resembled in importable:
        return f"Write `--from {resembled}`."
    return INSTEAD.get(str(resembled), f"Name its format with `--from`: {', '.join(importable)}.")
