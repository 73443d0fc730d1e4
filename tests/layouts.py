"""Contracts of files of fixed width for tests: a layout in, a compiled document out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from contracts.authoring.compiler.compile import Compiled, compile_text
from contracts.plan import Plan

FIELDS: list[dict[str, Any]] = [
    {"property": "account", "start": 2, "length": 6},
    {"property": "amount", "length": 8},
    {"property": "holder", "length": 5, "align": "left"},
]
"""In a line of 20 characters, the first of which is not read."""
PROPERTIES: list[dict[str, Any]] = [
    {"name": "account", "logicalType": "string", "required": True},
    {"name": "amount", "logicalType": "number", "physicalType": "decimal(8,2)"},
    {"name": "holder", "logicalType": "string"},
]
IMPLIED = {"columns": {"amount": {"decimals": 2, "negatives": ["trailing"]}}}


NONE: Mapping[str, Any] = MappingProxyType({})


def compiled(
    fixed: Mapping[str, Any] | None = NONE, properties: list[dict[str, Any]] | None = None, **block: Any
) -> Compiled:
    """Compile a contract of fixed width; keys of the block that are None are left out."""
    value = {
        "files": "maker/*.txt",
        "producer": "maker",
        "format": "fixed",
        "fixed": None if fixed is None else {"fields": FIELDS, **fixed},
        "values": IMPLIED,
    } | block
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "things",
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "things", "properties": properties or PROPERTIES}],
        "customProperties": [
            {
                "property": "drop",
                "vendor": "dropgate",
                "value": {key: one for key, one in value.items() if one is not None},
            }
        ],
    }
    return compile_text(json.dumps(document, ensure_ascii=False).encode(), "things.v1.yaml")


def plan_of(
    fixed: Mapping[str, Any] | None = NONE, properties: list[dict[str, Any]] | None = None, **block: Any
) -> Plan:
    """Return the plan of such a contract."""
    made = compiled(fixed, properties, **block)
    assert made.plan, made.findings
    return made.plan
