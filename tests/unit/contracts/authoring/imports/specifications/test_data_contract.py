"""The data contract format 0.1.3 imported: its published contract, each row of its tables, all its refusals."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.imports.importing import Files, import_source
from contracts.authoring.imports.specifications.data_contract import CONSTRAINTS, TYPES
from contracts.authoring.imports.specifications.data_contract_shape import DATA_TYPES, RULE
from contracts.plan import Check, Plan
from tests.unit.contracts.authoring.imports.importing import documents, imported, notes, refused

FORM = "data-contract-0.1.3"
INMET = Path(__file__).with_name("inmet-0.1.3.yaml").read_text(encoding="utf-8")
BASE: dict[str, Any] = {
    "specVersion": "0.1.3",
    "id": "shop-orders-ann-1.0.0",
    "name": "Shop Orders",
    "kind": "DataContract",
    "version": "1.0.0",
    "description": "Orders of a shop.",
    "producer": {"name": "Ann", "group": "ann.com"},
    "access": {"eventType": "push", "protocol": "FTP", "location": "ftp://ann"},
    "dataset": {"name": "orders", "schema": [{"name": "x", "dataType": "number"}]},
}


def of(changes: dict[str, Any], **column: Any) -> str:
    """Return a valid contract with some values changed by dotted path; `None` leaves a value out."""
    data = copy.deepcopy(BASE)
    data["dataset"]["schema"][0] |= column
    for path, value in changes.items():
        owner: Any = data
        *parts, last = path.split(".")
        for part in parts:
            owner = owner.setdefault(part, {})
        owner[last] = value
        if value is None:
            del owner[last]
    return json.dumps(data)


def rule(**values: Any) -> str:
    columns = {} if "columns" in values else {"columns": ["x"]}
    return of({"quality": [{"id": "r", "name": "R", **columns, **values}]})


def the_property(text: str) -> dict[str, Any]:
    (document,) = documents(FORM, text)
    (prop,) = document["schema"][0]["properties"]
    assert isinstance(prop, dict)
    return prop


def inmet() -> Plan:
    files = Files(("inmet/*.csv",), "inmet", "csv")
    (contract,) = import_source(FORM, INMET.encode(), "inmet.yaml", files, "active").contracts
    plan = compile_text(contract.text.encode(), f"{contract.name}.yaml").plan
    assert plan
    return plan


def test_published_contract_has_a_plan() -> None:
    plan = inmet()
    assert plan.contract == "brazil-se-weather-contract-inmet-weather-domain.v1"
    assert len(plan.properties) == 27
    assert (plan.properties[1].format, plan.properties[2].format) == ("yyyy-MM-dd", "HH:mm")


def test_published_rules_are_a_check_for_each_column_and_severity() -> None:
    ids = [c.id for c in inmet().checks if "_rule-" in c.id]
    counts = {name: sum(i.startswith(f"{name}-") for i in ids) for name in dict.fromkeys(i.split("-")[0] for i in ids)}
    assert counts == {
        "unique_index_rule": 1,
        "not_null_indexing_fields_rule": 10,
        "gt_zero_measurements_rule": 11,
        "not_null_measurements_rule": 32,
        "not_null_radiation_rule": 1,
        "max_percent_measurements_rule": 3,
        "max_degrees_measurements_rule": 1,
        "allowed_states_rule": 1,
    }


def test_tolerance_widens_what_is_allowed() -> None:
    checks: dict[str, Check] = {c.id: c for c in inmet().checks}
    warning = checks["not_null_measurements_rule-temp_c-warning"]
    error = checks["not_null_measurements_rule-temp_c"]
    assert (warning.severity, warning.expected) == ("warning", "nulls <= 10 %")
    assert (error.severity, error.expected) == ("error", "nulls <= 15 %")


def test_head_of_the_published_contract_is_kept() -> None:
    (document,) = documents(FORM, INMET)
    assert document["tags"] == ["weather", "america"]
    assert document["price"] == {"priceAmount": 0, "priceCurrency": "USD", "priceUnit": "fullScan"}
    assert document["slaProperties"] == [
        {"property": "frequency", "value": 1, "unit": "h"},
        {"property": "latency", "value": 1, "unit": "min"},
        {"property": "availability", "value": 0.999},
    ]
    kept = {entry["property"]: entry["value"] for entry in document["customProperties"]}
    assert kept["access"]["accessConfiguration"] == {"pattern": r"(.*)southeast_\d{4}.csv"}
    assert kept["id"] == "brazil-se-weather-contract-inmet-weather-domain-1.0.0"


def test_names_that_the_printed_script_refuses_are_told() -> None:
    warnings = [f for f in imported(FORM, INMET).findings if f.code == "as-printed"]
    assert [(f.level, f.line) for f in warnings] == [("warning", 9), ("warning", 9), ("warning", 10)]


@pytest.mark.parametrize("kind", DATA_TYPES)
@pytest.mark.parametrize("write", [str.lower, str.upper])
def test_type_makes_a_property(kind: str, write: Any) -> None:
    more: dict[str, Any] = {"dataLength": 5} if kind in {"CHAR", "VARCHAR", "BINARY", "VARBINARY"} else {}
    more |= {"jsonSchema": "{}"} if kind == "JSON" else {}
    prop = the_property(of({}, dataType=write(kind), **more))
    expected = {"name": "x", **TYPES.get(kind, {"logicalType": "string", "physicalType": kind})}
    if kind in {"CHAR", "VARCHAR"}:
        expected["logicalTypeOptions"] = {"maxLength": 5}
    assert prop == expected
    assert (kind in TYPES) == (not [n for n in notes(FORM, of({}, dataType=kind, **more)) if "no equivalent" in n])


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_constraint_is_kept(constraint: str) -> None:
    assert the_property(of({}, constraint=constraint.lower()))[CONSTRAINTS[constraint]] is True


def own(metric: str, **limit: Any) -> dict[str, Any]:
    return {"type": "custom", "engine": "dropgate", "implementation": {"metric": metric, **limit}}


FAIL, WARN = {"fail": {"tolerance": 0.1}}, {"warn": {"tolerance": 0.1}}
WIDE = {"warn": {"tolerance": 0.1}, "fail": {"tolerance": 0.2}}
RULES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "complete": ({"dimension": "completeness", "type": "complete", "parameter": 1},
                 [{"id": "r-x", "metric": "nullValues", "mustBe": 0}]),
    "complete, tolerant": ({"dimension": "completeness", "type": "complete", "parameter": 0.95, "severity": WIDE},
        [{"id": "r-x-warning", "metric": "nullValues", "mustBeLessOrEqualTo": 15, "unit": "percent",
          "severity": "warning"},
         {"id": "r-x", "metric": "nullValues", "mustBeLessOrEqualTo": 25, "unit": "percent"}]),
    "unique": ({"dimension": "uniqueness", "type": "unique"},
               [{"id": "r-x", "metric": "duplicateValues", "mustBe": 0}]),
    "min": ({"dimension": "validity", "type": "min", "parameter": 5},
            [{"id": "r-x", **own("min", mustBeGreaterOrEqualTo=5)}]),
    "min, tolerant": ({"dimension": "validity", "type": "min", "parameter": 5, "severity": FAIL},
                      [{"id": "r-x", **own("min", mustBeGreaterOrEqualTo=4.5)}]),
    "max, tolerant": ({"dimension": "validity", "type": "max", "parameter": 5, "severity": WARN},
                      [{"id": "r-x-warning", **own("max", mustBeLessOrEqualTo=5.5), "severity": "warning"}]),
    "mean": ({"dimension": "validity", "type": "mean", "parameter": 5}, [{"id": "r-x", **own("mean", mustBe=5)}]),
    "stdev, tolerant": (
        {"dimension": "validity", "type": "stdev", "parameter": 5, "severity": {"fail": {"tolerance": 0.2}}},
        [{"id": "r-x-least", **own("stdev", mustBeGreaterOrEqualTo=4)},
         {"id": "r-x-most", **own("stdev", mustBeLessOrEqualTo=6)}]),
    "allowedValues": ({"dimension": "validity", "type": "allowedValues", "parameter": [1, 2]},
        [{"id": "r-x", "metric": "invalidValues", "arguments": {"validValues": [1, 2]}, "mustBe": 0}]),
    "custom": ({"dimension": "validity", "type": "custom", "technology": "GreatExpectations", "call": "expect_a",
                "args": {"b": 1}},
        [{"id": "r-x", "type": "custom", "engine": "greatExpectations",
          "implementation": {"type": "expect_a", "kwargs": {"column": "x", "b": 1}}}]),
}  # fmt: skip
MEANT = {"completeness": "completeness", "validity": "conformity", "uniqueness": "uniqueness"}


@pytest.mark.parametrize("case", RULES)
def test_rule_makes_entries(case: str) -> None:
    values, expected = RULES[case]
    same = {"name": "R", "dimension": MEANT[values["dimension"]]}
    assert the_property(rule(**values))["quality"] == [{**same, **entry} for entry in expected]


def test_every_type_of_rule_is_tried() -> None:
    types = {kind for dimension in RULE["allOf"] for kind in dimension["then"]["properties"]["type"]["enum"]}

    assert {values["type"] for values, _ in RULES.values()} | {"size"} == types


def test_size_is_the_count_of_the_file() -> None:
    size = {"dimension": "completeness", "type": "size", "columns": None}
    (document,) = documents(FORM, rule(**size, parameter=100, severity={"fail": {"tolerance": 0.1}}))
    quality = [
        {k: v for k, v in entry.items() if k not in {"name", "dimension"}} for entry in document["schema"][0]["quality"]
    ]
    assert quality == [
        {"id": "r-least", "metric": "rowCount", "mustBeGreaterOrEqualTo": 90},
        {"id": "r-most", "metric": "rowCount", "mustBeLessOrEqualTo": 110},
    ]


def test_schedule_is_kept() -> None:
    prop = the_property(rule(dimension="uniqueness", type="unique", scheduleCronExpression="0 0 20 * * ?"))
    assert prop["quality"][0]["schedule"] == "0 0 20 * * ?"


UNIQUE: dict[str, Any] = {"dimension": "uniqueness", "type": "unique"}
SCHEDULES = {
    "0 0 20 * * ?": {"property": "timeOfAvailability", "value": "20:00"},
    "30 5 7 ? * *": {"property": "timeOfAvailability", "value": "07:05"},
    "0 0/15 * * * ?": {"property": "frequency", "value": 15, "unit": "min"},
    "0 10 * * * ?": {"property": "frequency", "value": 1, "unit": "h"},
    "0 0 */6 * * ?": {"property": "frequency", "value": 6, "unit": "h"},
    "0 */2 * * * ?": None,
    "0 0/7 * * * ?": None,
    "0 30/15 * * * ?": None,
    "0 0 0/0 * * ?": None,
    "0 0 20 ? * 2,6": None,
    "0 0 20 1 * ?": None,
    "0 0 20 L * ?": None,
    "0 0 8,20 * * ?": None,
    "* 0 20 * * ?": None,
    "0 99 20 * * ?": None,
}


@pytest.mark.parametrize("cron", SCHEDULES)
def test_schedule_is_a_promise_as_far_as_one_says_it(cron: str) -> None:
    text = rule(**UNIQUE, scheduleCronExpression=cron)
    (document,) = documents(FORM, text)
    (contract,) = imported(FORM, text).contracts
    (note,) = [note for note in notes(FORM, text) if "schedule" in note]

    assert document.get("slaProperties", []) == [level for level in [SCHEDULES[cron]] if level]
    assert ("slo: enforce" in contract.text) == (SCHEDULES[cron] is not None) == ("which is held" in note)
    assert ("no service level says the same" in note) == (SCHEDULES[cron] is None)


def test_schedule_of_several_rules_is_one_promise_that_can_be_held() -> None:
    rules = [{"id": f"r{n}", "name": "R", "columns": ["x"], **UNIQUE} for n in range(2)]
    agreed = {"intervalOfChange": "1d", "timeliness": "5m", "upTime": 0.9}
    scheduled = [{**one, "scheduleCronExpression": "0 0 20 * * ?"} for one in rules]
    text = of({"quality": scheduled, "serviceLevelAgreements": agreed})
    (document,) = documents(FORM, text)
    block = {"files": "shop/*.csv", "producer": "shop", "format": "csv", "slo": "enforce"}
    document["customProperties"] = [{"property": "drop", "vendor": "dropgate", "value": block}]
    plan = compile_text(json.dumps(document | {"status": "active"}).encode(), f"{document['id']}.v1.yaml").draft

    assert plan
    assert [(p.kind, p.words) for p in plan.promises] == [
        ("frequency", "a file is accepted every 1 d"),
        ("latency", "an accepted file can be read within 5 min"),
        ("timeOfAvailability", "new data can be read by 20:00 (UTC)"),
    ]


@pytest.mark.parametrize("case", [name for name in RULES if name != "custom"])
def test_rule_passes_lint(case: str) -> None:
    assert refused(FORM, rule(**RULES[case][0])) == []


def quality(**values: Any) -> dict[str, Any]:
    return {"quality": [{"id": "r", "name": "R", "columns": ["x"], **values}]}


COMPLETE = {"dimension": "completeness", "type": "complete", "parameter": 1}
VALID = {"dimension": "validity", "type": "min", "parameter": 1}
REFUSED: dict[str, dict[str, Any]] = {
    **{f"no {key}": {key: None} for key in BASE if key != "specVersion"},
    "another edition": {"specVersion": "0.1.2"},
    "another kind": {"kind": "Contract"},
    "a version of one part": {"version": "1", "id": "shop-orders-ann-1"},
    "a name with digits": {"name": "Shop 1", "id": "shop-1-ann-1.0.0"},
    "an id of other parts": {"id": "shop-orders-bob-1.0.0"},
    "an id without its consumer": {"consumer": {"name": "Cy", "group": "cy.com"}},
    "a producer without group": {"producer": {"name": "Ann"}},
    "a producer with more": {"producer.mail": "a"},
    "a producer with a sign": {"producer.name": "Ann!"},
    "data that is pulled": {"access.eventType": "pull"},
    "a protocol unknown": {"access.protocol": "SFTP"},
    "access to more": {"access.port": 21},
    "security without token": {"access.security": {"user": "a"}},
    "agreements of more": {"dataSharingAgreements": {"colour": "red"}},
    "an agreement of a number": {"dataSharingAgreements": {"purpose": 3}},
    "a tag without source": {"tags": [{"tagFQN": "a", "labelType": "Manual", "state": "Confirmed"}]},
    "a tag from elsewhere": {"tags": [{"tagFQN": "a", "source": "X", "labelType": "Manual", "state": "Confirmed"}]},
    "a dataset without schema": {"dataset": {"name": "a"}},
    "a type unknown": {"dataset.schema": [{"name": "x", "dataType": "ARRAY"}]},
    "a type with a line end": {"dataset.schema": [{"name": "x", "dataType": "INT\n"}]},
    "a text without its length": {"dataset.schema": [{"name": "x", "dataType": "VARCHAR"}]},
    "a number with a length": {"dataset.schema": [{"name": "x", "dataType": "INT", "dataLength": 3}]},
    "JSON without its schema": {"dataset.schema": [{"name": "x", "dataType": "json"}]},
    "a foreign key": {"dataset.schema": [{"name": "x", "dataType": "INT", "constraint": "FOREIGN_KEY"}]},
    "a column with more": {"dataset.schema": [{"name": "x", "dataType": "INT", "unit": "m"}]},
    "a rule without id": {"quality": [{"name": "R", **COMPLETE}]},
    "a rule with more": quality(**COMPLETE, colour="red"),
    "a rule of another dimension": quality(dimension="accuracy", type="min", parameter=1),
    "a rule of a type of another dimension": quality(dimension="validity", type="complete", parameter=1),
    "a rule on no column": quality(**COMPLETE) | {"quality": [{"id": "r", "name": "R", "columns": ["y"], **COMPLETE}]},
    "completeness by a tool": quality(**COMPLETE, technology="GreatExpectations"),
    "completeness without parameter": quality(dimension="completeness", type="complete"),
    "completeness of a text": quality(dimension="completeness", type="complete", parameter="1"),
    "a size that is not whole": quality(dimension="completeness", type="size", parameter=1.5),
    "a minimum of a text": quality(dimension="validity", type="min", parameter="1"),
    "values that are no list": quality(dimension="validity", type="allowedValues", parameter="a"),
    "values of two kinds": quality(dimension="validity", type="allowedValues", parameter=["a", 1]),
    "a custom rule without technology": quality(dimension="validity", type="custom", call="a"),
    "a custom rule of a mapping": quality(dimension="validity", type="custom", technology="a", args={"b": {}}),
    "a custom rule of null": quality(dimension="validity", type="custom", technology="a", args=None),
    "a custom rule of a flag": quality(dimension="validity", type="custom", technology="a", args={"b": True}),
    "uniqueness with a parameter": quality(dimension="uniqueness", type="unique", parameter=1),
    "uniqueness by a call": quality(dimension="uniqueness", type="unique", call="a"),
    "a severity unknown": quality(**VALID, severity={"info": {"tolerance": 1}}),
    "a severity without tolerance": quality(**VALID, severity={"warn": {}}),
    "a schedule of five fields": quality(**VALID, scheduleCronExpression="0 20 * * *"),
    "a price below nothing": {"pricing": {"priceAmount": -1, "priceCurrency": "USD", "priceUnit": "GB"}},
    "a price of another unit": {"pricing": {"priceAmount": 1, "priceCurrency": "USD", "priceUnit": "row"}},
    "a price without currency": {"pricing": {"priceAmount": 1, "priceUnit": "GB"}},
    "a time span of words": {"serviceLevelAgreements": {"intervalOfChange": "daily", "timeliness": "1m", "upTime": 1}},
    "a time span with a line end": {
        "serviceLevelAgreements": {"intervalOfChange": "1h\n", "timeliness": "1m", "upTime": 1}
    },
    "a group with a line end": {"producer.group": "ann.com\n"},
    "up more than always": {"serviceLevelAgreements": {"intervalOfChange": "1h", "timeliness": "1m", "upTime": 1.1}},
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_script_refuses_is_a_finding(case: str) -> None:
    result = imported(FORM, of(REFUSED[case]))
    assert result.failed
    assert not result.contracts
    assert all(f.line and f.fix for f in result.findings)


def test_what_the_script_takes_is_taken() -> None:
    assert not imported(FORM, of({})).failed
    free = {
        "pricing": None,
        "extra": {"a": 1},
        "consumer": {"name": "Cy", "group": "c.d"},
        "id": "shop-orders-ann-cy-1.0.0",
    }
    assert not imported(FORM, of(free)).failed


def test_argument_of_a_custom_rule_may_be_null() -> None:
    text = rule(dimension="validity", type="custom", technology="soda", args={"b": None})
    (entry,) = the_property(text)["quality"]
    assert entry["implementation"] == {"type": "r", "kwargs": {"column": "x", "b": None}}


def test_line_of_a_fault_is_told() -> None:
    text = yaml.safe_dump(yaml.safe_load(INMET), sort_keys=False).replace("eventType: push", "eventType: pull")
    line = text.split("\n").index("  eventType: pull") + 1
    (error,) = [f for f in imported(FORM, text).findings if f.level == "error"]
    assert (error.line, error.code, error.fix) == (line, "unknown-value", "Write `push`.")


def test_token_stays_out() -> None:
    result = imported(FORM, of({"access.security": {"token": "secret-of-ann"}}))
    assert "secret-of-ann" not in result.contracts[0].text
