"""JSON Schema of a contract against the oracle: what the schema refuses, the contract rejects by what it carries."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from contracts.authoring.exports.exported import Contract, Exported
from contracts.authoring.exports.json_schema import write
from contracts.authoring.exports.reading import read
from contracts.authoring.patterns import regex
from contracts.plan import Plan, Property
from tests.oracle import cases
from tests.oracle.contracts import a_contract
from tests.oracle.judging import judge
from tests.oracle.records import content

SEEDS = range(200)
FILES = 6
FORM = cases.FORMS["jsonl"]


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """`pattern` as ECMA-262 has it; Python's engine differs at line ends and beyond ASCII."""
    if isinstance(instance, str):
        java = regex.to_java(pattern)
        assert isinstance(java, str), pattern
        if not re.search(java.replace(r"\z", r"\Z"), instance, re.ASCII):
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


VALIDATOR: Any = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]


def read_back(document: dict[str, Any]) -> Contract:
    """A contract of the generator as an exporter takes it."""
    reading = read(json.dumps(document, ensure_ascii=False).encode(), "things.v1.yaml")
    assert reading.contract, reading.findings
    return reading.contract


def exported(document: dict[str, Any]) -> tuple[Contract, Exported]:
    contract = read_back(document)
    return contract, write(contract)


def loaded(text: str, plan: Plan) -> Any:
    """A schema, its numbers exact but for those of properties that are compared as doubles."""
    exact, double = json.loads(text, parse_float=Fraction), json.loads(text)
    rough = [p.name for p in plan.properties if p.type == "number" and not p.exact]
    return exact | {"properties": exact["properties"] | {name: double["properties"][name] for name in rough}}


@pytest.mark.parametrize("seed", range(12))
def test_schema_is_one(seed: int) -> None:
    _, schema = exported(a_contract(Random(seed), FORM).document)
    Draft202012Validator.check_schema(json.loads(schema.text))


def test_schema_refuses_what_the_contract_rejects() -> None:
    """The schema refuses a record, of thousands, if and only if one of the checks that it carries fails."""
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        made = cases.without_spark(FORM, f"exported {seed}", FILES)
        contract, schema = exported(made.contract.document)
        validator = VALIDATOR(loaded(schema.text, made.contract.plan))
        plan = made.contract.plan
        _carries_what_rejects(plan, schema)
        for body in made.files.values():
            for line, failing in _judged(plan, body):
                record = _record(contract.plan, line)
                if record is None:
                    continue
                refused = next((e.message for e in validator.iter_errors(record)), None)
                rejected = sorted(failing & schema.carried)
                assert (refused is not None) == bool(rejected), (seed, line, refused, rejected, schema.text)
                seen.update(rejected or ["none"])
                seen.update({f"kind {c.kind}" for c in plan.checks if c.id in rejected})
    assert KINDS - set(seen) == set()
    assert seen["none"] > 500


ROWS = (
    *("logicalType", "required", "nullValues", "missingValues", "invalidValues", "enum", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "format", "pattern", "regex"),
    *("notBlank", "knownKeys"),
)
KINDS = {f"kind {kind}" for kind in ROWS}
"""The checks that must have failed in some record."""


def _carries_what_rejects(plan: Plan, schema: Exported) -> None:
    rejecting = {c.id for c in plan.checks if c.scope == "row" and c.severity == "error"}
    assert schema.carried <= rejecting
    for check in plan.checks:
        if check.scope != "record" and check.id not in schema.carried:
            assert any(f"`{check.id}`" in line for line in schema.losses)


def _judged(plan: Plan, body: bytes) -> Iterator[tuple[str, frozenset[str]]]:
    """The lines of a file that are records, with the ids of the checks that each fails."""
    records = content(plan, (), body)
    opinion = judge(plan, records)
    text = body.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    lines = [line for line in re.split("\r\n|\r|\n", text) if line]
    for n, (line, record) in enumerate(zip(lines, records.records, strict=True), 1):
        if not record.broken:
            yield line, opinion.rows.get(n, ("", frozenset()))[1]


class _Number(str):
    """A number as it stands."""

    __slots__ = ()


def _record(plan: Plan, line: str) -> Any:
    """A record for a validator; None where numbers are written as only the contract tells apart."""
    props = {p.name: p for p in plan.properties}
    record = json.loads(line, parse_float=_Number, parse_int=_Number)
    for name, value in record.items():
        if isinstance(value, _Number):
            record[name] = _number(value, props.get(name))
            if record[name] is None:
                return None
    return record


def _number(text: str, prop: Property | None) -> Any:
    if prop is None or prop.type not in ("integer", "number"):
        return Fraction(text)
    plain = re.fullmatch(r"-?[0-9]+", text) is not None
    if prop.type == "integer":
        return int(text) if plain else None
    if prop.exact:
        part = text.partition(".")[2]
        return Fraction(text) if "e" not in text.casefold() and len(part) <= prop.exact[1] else None
    return float(text) if math.isfinite(float(text)) else None
