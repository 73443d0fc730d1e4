"""Out and in again: of a contract by chance, export and import keep what both formats can say."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contracts import rules
from contracts.authoring.document import source
from contracts.authoring.exports.exported import Contract, ExportedColumn
from contracts.authoring.exports.formats import FORMATS
from contracts.authoring.exports.reading import read
from contracts.authoring.imports.importing import import_source
from contracts.plan import Property
from tests.oracle.cases import FORMS
from tests.oracle.contracts import a_contract
from tests.oracle.test_exported import VALIDATOR, loaded, read_back

MOST_WHOLE = {"number": 20, "integer": 18}
"""Digits before the point of bounds that a contract may have, where `physicalType` does not come back."""
SEED = st.integers(0, 10**9)
Said = dict[str, Any]


def drawn(seed: int) -> Contract:
    return read_back(a_contract(Random(seed), FORMS["jsonl"]).document)


def there_and_back(contract: Contract, form: str) -> Contract:
    """A contract written in a format and brought in again."""
    brought = import_source(form, FORMATS[form].write(contract).text.encode(), "things.txt")
    assert not brought.failed, brought.findings
    reading = read(brought.contracts[0].text.encode(), f"{brought.contracts[0].name}.yaml")
    assume({f.code for f in reading.findings} != {"bounds-crossed"})  # a format of integers that no bound fits
    assert reading.contract, reading.findings
    return reading.contract


def _kept(prop: Property, source: Said, *, lengths: bool) -> Said:
    """Return the facts of a property that a type of Avro or Spark keeps."""
    options = source.get("logicalTypeOptions") or {}
    narrow = options.get("format") if prop.type in ("integer", "number") and not prop.exact else None
    local = prop.type == "timestamp" and prop.offset is False and prop.zone is None
    return {
        "type": "number" if prop.exact else prop.type,  # an integer of so many digits is a decimal there
        "exact": prop.exact,
        "format": narrow if narrow not in ("i64", "f64") else None,
        "local": local,
        "longest": options.get("maxLength") if lengths else None,
    }


AVRO_INTS = dict.fromkeys(("i8", "i16", "i32", "u8", "u16"), "i32") | {"u32": None}
SPARK_INTS = {"u8": "i16", "u16": "i32", "u32": None}


def _expected(contract: Contract, wider: Said, *, lengths: bool) -> dict[str, Said]:
    by_column = {}
    for column in contract.columns():
        facets = _kept(column.prop, column.source, lengths=lengths)
        check = column.rule(rules.Format)
        facets["format"] = wider.get(facets["format"], facets["format"]) if check else None
        if column.rule(rules.MaxLength) is None:
            facets["longest"] = None
        by_column[column.name] = facets | {"required": column.never_null}
    return by_column


def _kept_of(contract: Contract, *, lengths: bool) -> dict[str, Said]:
    return {
        c.name: _kept(c.prop, c.source, lengths=lengths) | {"required": c.prop.required} for c in contract.columns()
    }


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEED)
def test_avro_comes_back_with_types_and_nulls(seed: int) -> None:
    contract = drawn(seed)
    back = there_and_back(contract, "avro")
    wanted, actual = _expected(contract, AVRO_INTS, lengths=False), _kept_of(back, lengths=False)
    assert list(actual.values()) == list(wanted.values())  # names that are none of Avro's come back as others
    carried = FORMATS["avro"].write(contract).carried
    enums = [hard for c in contract.columns() if (hard := c.check(rules.Enum)) and hard[0].id in carried]
    assert [rule.values for c in back.columns() if (rule := c.rule(rules.Enum))] == [
        tuple(dict.fromkeys(rule.values)) for _, rule in enums
    ]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEED)
def test_spark_ddl_comes_back_with_types_nulls_and_lengths(seed: int) -> None:
    contract = drawn(seed)
    back = there_and_back(contract, "spark-ddl")
    wanted = _expected(contract, SPARK_INTS, lengths=True)
    for column in contract.columns():
        if column.prop.type == "time":
            wanted[column.name]["type"] = "string"
    assert _kept_of(back, lengths=True) == wanted


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEED)
def test_json_schema_comes_back_with_the_same_meaning(seed: int) -> None:
    """A contract that comes back judges values as before, for each property whose rules fit into one schema."""
    contract = drawn(seed)
    assume(all(column.typed for column in contract.columns()))  # else a property comes back without a type
    assume(not any(_is_wide(column) for column in contract.columns()))
    first = FORMATS["json-schema"].write(contract)
    back = there_and_back(contract, "json-schema")
    second = FORMATS["json-schema"].write(back)
    before, after = loaded(first.text, contract.plan), loaded(second.text, back.plan)
    assert after.get("required") == before.get("required")
    chance = Random(seed)
    for column in contract.columns():
        if _is_one(before["properties"][column.name]) and not column.prop.exact:
            old, new = (_alone(column.name, schema) for schema in (before, after))
            for value in _values(chance, before["properties"][column.name]):
                assert VALIDATOR(old).is_valid(value) == VALIDATOR(new).is_valid(value), (column.source, value)


def _is_wide(column: ExportedColumn) -> bool:
    """Return whether the bounds of a decimal are too far apart for a contract without `physicalType`."""
    prop = column.prop
    return prop.exact is not None and (
        prop.exact[0] - prop.exact[1] > MOST_WHOLE[prop.type] or "format" in column.options()
    )


def _is_one(schema: Said) -> bool:
    return not schema.keys() & {"allOf", "if", "not"}


def _alone(name: str, schema: Said) -> Said:
    return {**schema["properties"][name], "$defs": schema.get("$defs", {})}


VALUES = (None, True, False, "", "a", "SP", "A-1", "b" * 3, "2024-02-29", "2024-02-30", "12:00", "a@b.org", "x" * 601)
NUMBERS = (0, 1, -1, 3, 126, 128, 360, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 0.07, 10.5, 1e300)


def _values(chance: Random, schema: Said) -> list[Any]:
    """Values that a schema of a property may judge either way."""
    bounds = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
    near = [b + d for b in bounds for d in (-1, 0, 1)]
    return [*VALUES, *NUMBERS, *near, *schema.get("enum", ()), *chance.choices(("é", "7", "07", "a b"), k=2)]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEED)
def test_normalised_document_means_the_same(seed: int) -> None:
    contract = drawn(seed)
    text = FORMATS["odcs"].write(contract).text
    again = read(text.encode(), "things.v1.yaml").contract
    assert again
    assert [c.id for c in again.plan.checks] == [c.id for c in contract.plan.checks]
    assert source.read(text.encode(), "x").data == contract.data
    assert FORMATS["odcs"].write(again).text == text


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=10, deadline=None, derandomize=True)
@given(SEED)
def test_nothing_is_dropped_in_silence(form: str, seed: int) -> None:
    """Each check is carried or named, and so is each tolerance; where the format has comments, they say it, too."""
    contract = drawn(seed)
    exported = FORMATS[form].write(contract)
    named = "\n".join(exported.losses)
    rows = [c for c in contract.plan.checks if c.scope != "record"]
    assert [c.id for c in rows if c.id not in exported.carried and f"`{c.id}`" not in named] == []
    assert exported.carried <= {c.id for c in contract.plan.checks}
    if form in ("json-schema", "avro"):
        data = json.loads(exported.text)
        comments = data["$comment" if form == "json-schema" else "doc"].split("\n")
        assert [line for line in exported.losses if line not in comments] == []
