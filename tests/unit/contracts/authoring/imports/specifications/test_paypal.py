"""PayPal's template 2.1 imported: each row of its tables, the rules that have a metric, parts without equivalent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.authoring.imports.specifications.odcs_2 import COLUMNS, KEPT, LEVEL, MEMBER, ROLE, SUPPORT, TABLES, TOP
from contracts.authoring.imports.specifications.odcs_2_rules import CHECKS
from tests.unit.contracts.authoring.imports.importing import codes, documents, imported, notes, refused

FORM = "paypal-2.1"
LINK = {"url": "https://example.org", "type": "businessDefinition"}
VALUES: dict[str, Any] = {
    "tags": ["a"], "isPrimary": True, "isPrimaryKey": True, "primary": True, "isUnique": True,
    "partitionKeyPosition": 2, "partitionStatus": True, "criticalDataElementStatus": True,
    "transformSourceTables": ["t"], "sampleValues": [1], "authoritativeDefinitions": [LINK],
}  # fmt: skip


def of(column: Any = None, table: Any = None, **top: Any) -> str:
    one = {"column": "x", "logicalType": "string", **(column or {})}
    return json.dumps(
        {"quantumName": "my quantum", "dataset": [{"table": "t", "columns": [one], **(table or {})}], **top}
    )


def document(text: str) -> dict[str, Any]:
    (the_document,) = documents(FORM, text)
    return the_document


def the_property(text: str) -> dict[str, Any]:
    (prop,) = document(text)["schema"][0]["properties"]
    assert isinstance(prop, dict)
    return prop


@pytest.mark.parametrize("key", [key for key in COLUMNS if key not in ("column", "primaryKeyPosition")])
def test_key_of_a_column_is_kept(key: str) -> None:
    value = VALUES.get(key, "a")
    text = of({key: value})
    assert the_property(text)[COLUMNS[key]] == value
    assert notes(FORM, text) == refused(FORM, text) == []


@pytest.mark.parametrize("key", [key for key in TABLES if key != "table"])
def test_key_of_a_table_is_kept(key: str) -> None:
    value = VALUES.get(key, "a")
    assert document(of(table={key: value}))["schema"][0][TABLES[key]] == value


@pytest.mark.parametrize("key", TOP)
def test_key_of_the_head_is_kept(key: str) -> None:
    assert document(of(**{key: VALUES.get(key, "a")}))[TOP[key]] == VALUES.get(key, "a")


@pytest.mark.parametrize("key", KEPT)
def test_key_without_successor_is_a_custom_property(key: str) -> None:
    entry = {"property": key, "vendor": "dropgate-import", "value": "a"}
    assert document(of(**{key: "a"}))["customProperties"] == [entry]


@pytest.mark.parametrize("key", SUPPORT)
def test_support_is_kept(key: str) -> None:
    (channel,) = document(of(**{key: "https://example.org"}))["support"]
    assert channel["tool"] == SUPPORT[key]
    assert "https://example.org" in {channel["channel"], channel.get("url")}


PARTS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    "stakeholders": ("username", MEMBER, ("team", "members")),
    "roles": ("role", ROLE, ("roles",)),
    "slaProperties": ("property", LEVEL, ("slaProperties",)),
}


@pytest.mark.parametrize(("part", "key"), [(part, key) for part, (_, keys, _) in PARTS.items() for key in keys])
def test_key_of_a_part_is_kept(part: str, key: str) -> None:
    first, keys, place = PARTS[part]
    part_of_document: Any = document(of(**{part: [{first: "a", key: "b"}]}))
    for name in place:
        part_of_document = part_of_document[name]
    assert part_of_document[0][keys[key]] == "b"


def test_rest_of_the_head_is_kept() -> None:
    contract = document(
        of(
            version="2.0.1",
            description={"purpose": "p", "limitations": None, "usage": "u"},
            price={"priceAmount": 0, "priceCurrency": "USD", "priceUnit": "megabyte"},
            slaDefaultColumn="t.x",
            slaProperties=[{"property": "latency", "value": 4, "unit": "d"}],
            customProperties=[{"property": "a", "value": [1]}],
        )
    )
    assert (contract["id"], contract["version"]) == ("my-quantum-t", "2.0.1")
    assert contract["description"] == {"purpose": "p", "usage": "u"}
    assert contract["price"] == {"priceAmount": 0, "priceCurrency": "USD", "priceUnit": "megabyte"}
    assert contract["slaProperties"] == [{"element": "t.x", "property": "latency", "value": 4, "unit": "d"}]
    assert contract["customProperties"] == [{"property": "a", "value": [1]}]


def test_column_that_may_not_be_null_is_required() -> None:
    assert the_property(of({"isNullable": False}))["required"] is True
    assert "required" not in the_property(of({"isNullable": True}))


def test_classification_is_text() -> None:
    assert the_property(of({"classification": 3}))["classification"] == "3"


@pytest.mark.parametrize("template", CHECKS)
def test_rule_of_a_column_makes_a_metric(template: str) -> None:
    rule = {"code": "c", "templateName": template.upper(), "description": "d", "dimension": "completeness",
            "severity": "error", "businessImpact": "operational", "scheduleCronExpression": "0 20 * * *"}  # fmt: skip
    assert the_property(of({"quality": [rule]}))["quality"] == [
        {"description": "d", "businessImpact": "operational", "schedule": "0 20 * * *", "dimension": "completeness",
         "severity": "error", "scheduler": "cron", "metric": CHECKS[template], "mustBe": 0}
    ]  # fmt: skip
    assert refused(FORM, of({"quality": [rule]})) == []


def test_distinct_columns_of_a_table_make_a_metric() -> None:
    text = of(table={"quality": [{"templateName": "DistinctCheck", "columns": ["x"]}]})
    expected = {"metric": "duplicateValues", "arguments": {"properties": ["x"]}, "mustBe": 0}
    assert document(text)["schema"][0]["quality"] == [expected]
    assert refused(FORM, text) == []


LOST: dict[str, tuple[str, list[str]]] = {
    "a rule without metric": (
        of(table={"quality": [{"templateName": "CountCheck"}]}), ["The rule `CountCheck` has no equivalent."]
    ),
    "a rule with a filter": (
        of({"quality": [{"templateName": "NullCheck",
                         "customProperties": [{"property": "FILTER_CONDITIONS", "value": "a > 3"}]}]}),
        ["The rule `NullCheck` has no equivalent."],
    ),
    "a rule of other columns": (
        of({"quality": [{"templateName": "NullCheck", "column": "y"}]}), ["The rule `NullCheck` has no equivalent."]
    ),
    "a rule of a tool": (
        of({"quality": [{"templateName": "CountCheck", "toolName": "T"}]}),
        ["The rule `CountCheck` stays one of `T`: no file is held against it."],
    ),
    "a key of a rule": (
        of({"quality": [{"code": "c", "templateName": "NullCheck", "colour": "red"}]}),
        ["`colour` of the rule `c` has no equivalent."],
    ),
    "a severity": (
        of({"quality": [{"templateName": "NullCheck", "severity": "low"}]}),
        ["`severity: low` has no equivalent; it is left out."],
    ),
    "a position outside the key": (
        of({"primaryKeyPosition": 1}), ["`x` has a position in a key that it is no part of."]
    ),
    "a type": (of({"logicalType": "blob"}), ["The type `blob` of `x` has no equivalent."]),
    "a version": (of(version="next"), ["`next` is not a version; the contract has 1.0.0."]),
    "a password": (of(password="secret-of-ann"), ["`password` may be a secret, and does not belong into a contract."]),
    "a key": (of(colour="red"), ["`colour` of the contract has no equivalent."]),
}  # fmt: skip


@pytest.mark.parametrize("case", LOST)
def test_what_has_no_equivalent_is_named(case: str) -> None:
    text, expected = LOST[case]
    assert notes(FORM, text) == expected
    assert all("secret-of-ann" not in contract.text for contract in imported(FORM, text).contracts)


BAD = {
    "a column without name": ('{"dataset": [{"table": "t", "columns": [\n{"logicalType": "a"}]}]}', ("missing-key", 2)),
    "a table without columns": ('{"dataset": [\n{"table": "t"}]}', ("missing-key", 2)),
    "tags of a text": ('{"dataset": [], "tags":\n"a"}', ("wrong-type", 2)),
    "no tables": ('{"dataset": []}', ("nothing-there", 1)),
}


@pytest.mark.parametrize("case", BAD)
def test_contract_that_cannot_be_read_is_a_finding(case: str) -> None:
    text, expected = BAD[case]
    assert codes(FORM, text) == [expected]
