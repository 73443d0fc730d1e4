"""Orders, nested and flat: a folder in, two files of JSON Lines with the same values and their plans out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.authoring.compiler.compile import compile_text
from contracts.plan import Plan

ORDERS, LINES = 400_000, 2
COUNTRIES = ("BR", "CH", "US")
LINE: dict[str, dict[str, Any]] = {
    "sku": {"logicalType": "string", "required": True, "logicalTypeOptions": {"pattern": "^[A-Z]{2}-[0-9]+$"}},
    "count": {"logicalType": "integer", "required": True, "logicalTypeOptions": {"minimum": 1, "maximum": 99}},
    "price": {"logicalType": "number", "required": True, "logicalTypeOptions": {"minimum": 0}},
}
ADDRESS: dict[str, dict[str, Any]] = {
    "city": {"logicalType": "string", "required": True, "logicalTypeOptions": {"maxLength": 40}},
    "zip": {"logicalType": "string", "logicalTypeOptions": {"pattern": "^[0-9]{5}$"}},
    "country": {"logicalType": "string", "enum": [{"value": c} for c in COUNTRIES]},
}
ID = {"name": "id", "logicalType": "integer", "required": True}


def plans() -> tuple[Plan, Plan]:
    """The nested contract, and one of the same rules on flat columns."""
    to = {"name": "to", "logicalType": "object", "required": True, "properties": _named(ADDRESS)}
    items = {"logicalType": "object", "properties": _named(LINE)}
    lines = {"name": "lines", "logicalType": "array", "required": True, "items": items}
    flat = [*_named(ADDRESS, "to_"), *(p for n in range(LINES) for p in _named(LINE, f"line{n}_"))]
    return _plan("nested", [ID, to, lines]), _plan("flat", [ID, *flat])


def write(folder: Path) -> tuple[Path, Path]:
    """The nested file and the flat one."""
    nested, flat = folder / "nested.jsonl", folder / "flat.jsonl"
    with nested.open("w", encoding="utf-8") as deep, flat.open("w", encoding="utf-8") as wide:
        for order in _orders():
            deep.write(json.dumps(order) + "\n")
            to = {f"to_{k}": v for k, v in order["to"].items()}
            lines = {f"line{n}_{k}": v for n, line in enumerate(order["lines"]) for k, v in line.items()}
            wide.write(json.dumps({"id": order["id"], **to, **lines}) + "\n")
    return nested, flat


def _orders() -> Iterator[dict[str, Any]]:
    for n in range(ORDERS):
        to = {"city": f"City {n % 997}", "zip": f"{n % 100_000:05}", "country": COUNTRIES[n % 3]}
        lines = [
            {"sku": f"AB-{n + line}", "count": 1 + (n + line) % 99, "price": round(n % 1000 * 0.37 + line, 2)}
            for line in range(LINES)
        ]
        yield {"id": n, "to": to, "lines": lines}


def _named(properties: dict[str, dict[str, Any]], before: str = "") -> list[dict[str, Any]]:
    return [{"name": before + name, **rest} for name, rest in properties.items()]


def _plan(name: str, properties: list[dict[str, Any]]) -> Plan:
    block = {"files": f"{name}/*.jsonl", "producer": "bench", "format": "jsonl"}
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": name,
        "version": "1.0.0",
        "status": "active",
        "schema": [{"name": "orders", "logicalType": "object", "properties": properties}],
        "customProperties": [{"property": "drop", "vendor": "dropgate", "value": block}],
    }
    plan = compile_text(json.dumps(document).encode(), f"{name}.v1.yaml").plan
    assert plan is not None
    return plan
