"""Nested values as in docs/reference/semantics.md, one line of JSON for each, by the oracle and by the job."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.exports import dbt, json_schema, reading
from contracts.plan import Plan
from spark_jobs.counting import sums
from tests.oracle import running
from tests.oracle.judging import judge
from tests.oracle.records import content

CONTRACT = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
version: "1.0.0"
status: active
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer, required: true, unique: true}
      - name: to
        logicalType: object
        logicalTypeOptions: {required: [city], minProperties: 1, maxProperties: 3}
        quality: [{metric: nullValues, mustBeLessThan: 3}]
        properties:
          - name: city
            logicalType: string
            unique: true
            logicalTypeOptions: {maxLength: 5}
            quality: [{metric: nullValues, mustBeLessThan: 2}]
          - {name: zip.code, logicalType: integer, enum: [{value: 1}, {value: 2}]}
          - {name: since, logicalType: date, logicalTypeOptions: {format: dd.MM.yyyy, minimum: 01.01.2000}}
          - name: geo
            logicalType: object
            required: true
            properties:
              - name: lat
                logicalType: number
                required: true
                logicalTypeOptions: {minimum: -90, maximum: 90}
                quality:
                  - {type: custom, engine: dropgate, implementation: {metric: mean, mustBeLessThan: 50}}
      - name: lines
        logicalType: array
        logicalTypeOptions: {minItems: 1, maxItems: 3, uniqueItems: true}
        items:
          logicalType: object
          required: true
          properties:
            - {name: sku, logicalType: string, required: true, logicalTypeOptions: {pattern: "^[a-z]+$"}}
            - name: price
              logicalType: number
              physicalType: decimal(5,2)
              logicalTypeOptions: {minimum: 0}
              quality:
                - {metric: nullValues, mustBeLessThan: 2}
                - {metric: missingValues, arguments: {missingValues: ["0.01"]}, mustBe: 0}
                - {type: custom, engine: dropgate, implementation: {metric: sum, mustBeLessThan: 100}}
                - {type: custom, engine: dropgate, implementation: {metric: stdev, mustBeLessThan: 2}}
                - {type: custom, engine: dropgate, implementation: {metric: min, mustBe: 0, filter: id > 10}}
            - {name: tags, logicalType: array, items: {logicalType: string, enum: [{value: a}, {value: b}]}}
      - name: words
        logicalType: map
        map:
          key: {logicalType: string, logicalTypeOptions: {maxLength: 2}}
          value: {logicalType: string, required: true, logicalTypeOptions: {minLength: 2}}
      - {name: any, logicalType: object}
      - name: old
        logicalType: object
        deprecated: true
        properties: [{name: a, logicalType: date, deprecated: true, logicalTypeOptions: {format: dd.MM.yyyy}}]
      - {name: point, logicalType: vector, logicalTypeOptions: {dimensions: 2, elementType: int8}}
      - name: days
        logicalType: array
        logicalTypeOptions: {uniqueItems: true}
        items:
          logicalType: array
          items:
            logicalType: timestamp
            quality:
              - {type: custom, engine: dropgate, implementation: {metric: max, mustBeLessThan: "2021-01-01T00:00:00Z"}}
      - name: sizes
        logicalType: map
        map:
          key: {logicalType: string}
          value:
            logicalType: number
            quality:
              - {type: custom, engine: dropgate, implementation: {metric: mean, mustBeLessThan: 50}}
              - {type: custom, engine: dropgate, implementation: {metric: stdev, mustBeLessThan: 50}}
              - {type: custom, engine: dropgate, implementation: {metric: max, mustBeLessThan: 50}}
      - name: counts
        logicalType: array
        items:
          logicalType: integer
          quality:
            - {type: custom, engine: dropgate, implementation: {metric: sum, mustBe: 5}}
            - {type: custom, engine: dropgate, implementation: {metric: stdev, mustBe: 5, filter: id > 5}}
customProperties:
  - property: drop
    vendor: dropgate
    value: {files: "shop/*.jsonl", producer: shop, format: jsonl}
"""
LINES = {
    "all of it": (
        '{"id": 1, "to": {"city": "a", "geo": {"lat": 1}}, "lines": [{"sku": "a", "price": 1}], "words": {"de": "ja"}}',
        "",
    ),
    "nothing within what is not there": ('{"id": 1}', ""),
    "nothing is within null": ('{"id": 1, "to": null, "lines": null, "words": null}', ""),
    "required within what is there": ('{"id": 1, "to": {"city": "x"}}', "to.geo.required"),
    "a missing required part of an object fails": (
        '{"id": 1, "to": {"geo": {}}}',
        "to.city.required to.geo.lat.required",
    ),
    "an object is not an array": ('{"id": 1, "to": [], "lines": {}}', "to.logicalType lines.logicalType"),
    "nor text, and nothing is within": ('{"id": 1, "to": "{}", "words": 5}', "to.logicalType words.logicalType"),
    "keys with a value are counted": (
        '{"id": 1, "to": {"city": null}}',
        "to.minProperties to.city.required to.geo.required",
    ),
    "four of them": (
        '{"id": 1, "to": {"city": "a", "zip.code": 1, "since": "01.01.2000", "geo": {"lat": 1}}}',
        "to.maxProperties",
    ),
    "rules within objects": (
        '{"id": 1, "to": {"city": "Berlin", "zip.code": 3, "geo": {"lat": 91}}}',
        "to.city.maxLength to['zip.code'].enum to.geo.lat.maximum",
    ),
    "types within objects": (
        '{"id": 1, "to": {"city": 1, "since": "2020-01-01", "geo": {"lat": "1"}}}',
        "to.city.logicalType to.since.logicalType to.geo.lat.logicalType",
    ),
    "an empty array has no element": ('{"id": 1, "lines": []}', "lines.minItems"),
    "too many elements": (
        '{"id": 1, "lines": [{"sku": "a"}, {"sku": "b"}, {"sku": "c"}, {"sku": "d"}]}',
        "lines.maxItems",
    ),
    "one element that fails is enough": (
        '{"id": 1, "lines": [{"sku": "a", "price": 1}, {"sku": "b", "price": -1}]}',
        "lines[].price.minimum",
    ),
    "a null element has nothing within": ('{"id": 1, "lines": [null]}', "lines[].required"),
    "an element of another type neither": ('{"id": 1, "lines": [5]}', "lines[].logicalType"),
    "what an element lacks": ('{"id": 1, "lines": [{"sku": "a"}, {}]}', "lines[].sku.required"),
    "equal numbers with other zeros": (
        '{"id": 1, "lines": [{"sku": "a", "price": 1.0}, {"price": 1, "sku": "a"}]}',
        "lines.uniqueItems",
    ),
    "two nulls are the same": ('{"id": 1, "days": [null, null]}', "days.uniqueItems"),
    "text is no number": ('{"id": 1, "days": [1, "1"]}', "days[].logicalType"),
    "arrays within arrays": ('{"id": 1, "days": [["2020-01-01T00:00:00Z"], ["x", null]]}', "days[][].logicalType"),
    "arrays within objects within arrays": (
        '{"id": 1, "lines": [{"sku": "a", "tags": ["a", null]}, {"sku": "b", "tags": ["a", "c"]}]}',
        "lines[].tags[].enum",
    ),
    "digits of an exact number": ('{"id": 1, "lines": [{"sku": "a", "price": 1.125}]}', "lines[].price.logicalType"),
    "a missing value": ('{"id": 1, "lines": [{"sku": "a", "price": 0.01}]}', "lines[].price.missingValues"),
    "keys and values of a map": ('{"id": 1, "words": {"deu": "j"}}', "words.~.maxLength words.*.minLength"),
    "a null in a map": ('{"id": 1, "words": {"de": null}}', "words.*.required"),
    "an object without properties may hold anything": ('{"id": 1, "any": {"a": {"b": [1]}}}', ""),
    "deprecated and still there": (
        '{"id": 1, "old": {"a": "01.01.2020"}}',
        "old.deprecated.warning old.a.deprecated.warning",
    ),
    "deprecated and null": ('{"id": 1, "old": null}', ""),
    "a vector": ('{"id": 1, "point": [1, 127]}', ""),
    "a vector that is too short": ('{"id": 1, "point": [1]}', "point.minItems"),
    "a vector with a hole": ('{"id": 1, "point": [null, 128]}', "point[].required point[].format"),
    "an unknown key within": ('{"id": 1, "lines": [{"sku": "a", "foo": 1}]}', "record.knownKeys"),
    "a dot in a key is no path": ('{"id": 1, "to.city": "x"}', "record.knownKeys"),
    "a key twice within": ('{"id": 1, "to": {"city": "a", "city": "b"}}', "record.object"),
    "half a character within": ('{"id": 1, "lines": [{"sku": "\\ud83d"}]}', "record.text"),
    "text behind the object": ('{"id": 1, "any": {}}} x', "record.object"),
    "a number that no double holds": (
        '{"id": 1, "to": {"city": "x", "geo": {"lat": 1e400}}}',
        "to.geo.lat.logicalType",
    ),
    "brackets without end": ('{"id": 1, "any": ' + "[" * 5_000, "record.object"),
    "brackets with an end": ('{"id": 1, "any": ' + "[" * 200 + "]" * 200 + "}", "any.logicalType"),
}
"""What is meant, a record, and the row checks that it fails."""


@cache
def a_plan(text: str = CONTRACT) -> Plan:
    compiled = compile_text(text.encode(), "orders.v1.yaml")
    assert compiled.plan, compiled.findings
    return compiled.plan


@pytest.mark.parametrize("name", LINES)
def test_record_fails_what_is_said_of_it(name: str) -> None:
    line, wanted = LINES[name]
    plan = a_plan()
    opinion = judge(plan, content(plan, tuple(p.name for p in plan.properties), f"{line}\n".encode()))
    failing = {i for _, ids in opinion.rows.values() for i in ids}
    assert failing == set(wanted.split())


def test_job_and_oracle_say_the_same(spark: SparkSession, tmp_path: Path) -> None:
    chance = Random(1)
    first = "".join(f"{line}\n" for line, _ in LINES.values())
    files = {
        "lines": first,
        **{f"f{n}": "".join(_line(chance) for _ in range(chance.choice((1, 3, 40)))) for n in range(5)},
    }
    compared = running.compare(spark, tmp_path, a_plan(), {name: text.encode() for name, text in files.items()})
    assert not compared.differences, compared.differences[:5]
    assert not [name for name, one in compared.admitted.items() if one.refused]


def test_schema_refuses_what_the_contract_rejects() -> None:
    read = reading.read(CONTRACT.encode(), "orders.v1.yaml").contract
    assert read
    exported = json_schema.write(read)
    validator, plan, chance = Draft202012Validator(json.loads(exported.text)), a_plan(), Random(3)
    lines = [line for line, _ in LINES.values()] + [_line(chance).strip() for _ in range(1000)]
    lines += [json.dumps(_record(chance)) for _ in range(2000)]
    seen: Counter[bool] = Counter()
    for line in lines:
        opinion = judge(plan, content(plan, (), f"{line}\n".encode()))
        failing = {i for _, ids in opinion.rows.values() for i in ids}
        if not any(i.startswith("record.") and i != "record.knownKeys" for i in failing) and "1e" not in line:
            refused = next((e.message for e in validator.iter_errors(json.loads(line))), None)
            assert (refused is not None) == bool(failing & exported.carried), (line, refused, failing)
            seen[refused is None] += 1
    assert seen[True] > 50
    lost = {c.id for c in plan.checks if c.scope == "row" and c.severity == "error"} - exported.carried
    kinds = {plan.checks[[c.id for c in plan.checks].index(i)].kind for i in lost}
    assert kinds == {"uniqueItems", "minProperties", "maxProperties", "missingValues", "minimum"}


def test_sums_of_properties_and_of_filtered_checks_have_names_of_their_own() -> None:
    row = {c.id: {"filter": "id > 1"} for c in a_plan().row_checks() if c.scope == "row" and c.kind != "knownKeys"}
    filtered = {i: one for i, one in row.items() if not i.endswith("logicalType")}
    plan = a_plan(f"{CONTRACT.rstrip()[:-1]}, checks: {json.dumps(filtered)}}}\n")
    names = sums.names(plan)
    assert sorted(names) == sorted(set(names))
    assert {f"void{n}" for n, p in enumerate(plan.properties) if p.name == "lines[]"} <= {*names}


SCHEMA = (
    "id long, to struct<city: string, `zip.code`: int, since: date, geo: struct<lat: double>>, "
    "lines array<struct<sku: string, price: decimal(5,2), tags: array<string>>>, words map<string, string>, "
    "any struct<a: int>, old struct<a: date>, point array<int>, days array<array<timestamp>>, "
    "sizes map<string, double>, counts array<bigint>"
)
LESS = (
    "id long, to struct<city: string, geo: struct<lat: double>, more: int>, lines array<struct<sku: string>>, "
    "days array<array<timestamp>>"
)
"""Of another file, which lacks some of it and has one more."""


def test_parquet_means_what_json_lines_mean(spark: SparkSession, tmp_path: Path) -> None:
    chance = Random(2)
    block = "files: shop/x.parquet, producer: shop, format: parquet, columns: {extra: warn, missing: ignore}"
    plan = a_plan(CONTRACT.replace('files: "shop/*.jsonl", producer: shop, format: jsonl', block))
    files, contents = {}, {}
    for name, schema in {"all": SCHEMA, "less": LESS}.items():
        records = [_record(chance) for _ in range(60)]
        lines = [json.dumps(_cut(record) if name == "less" else record) for record in records]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        typed = spark.read.schema(schema).option("dateFormat", "dd.MM.yyyy").json(f"{tmp_path}/{name}.jsonl")
        typed.coalesce(1).write.parquet(f"{tmp_path}/{name}")
        files[name] = next((tmp_path / name).glob("part-*.parquet")).read_bytes()
        read = content(a_plan(), tuple(p.name for p in plan.properties), "\n".join(lines).encode())
        contents[name] = replace(read, names=frozenset(running.look(plan, files[name]).header))
    compared = running.compare(spark, tmp_path / "job", plan, files, contents)
    assert not compared.differences, compared.differences[:5]
    assert [p.property for p in compared.admitted["less"].problems] == ["to.more"]
    counts = dict(zip((c.id for c in plan.checks), compared.opinions["less"].facts.counts, strict=True))
    assert {i for i, c in counts.items() if c.reason == "allowed-missing"} >= {
        "to.since.minimum",
        "lines[].tags[].enum",
    }


def _cut(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what the other file lacks."""
    members = {key: record[key] for key in ("id", "to", "lines", "days")}
    if record.get("to"):
        members["to"] = {key: record["to"].get(key) for key in ("city", "geo")}
    if record.get("lines"):
        members["lines"] = [{k: v for k, v in one.items() if k == "sku"} if one else None for one in record["lines"]]
    return members


def _record(chance: Random) -> dict[str, Any]:
    """A record of the right types; keys of elements have no nulls, which Parquet cannot tell from missing ones."""
    some = chance.choice
    to = {
        "city": some((None, "a", "Wien", "Berlin")),
        "zip.code": some((None, 1, 3)),
        "since": some((None, "01.02.2003")),
    }
    lat = some((None, {}, {"lat": 1.5}, {"lat": 91.0}))
    line = {"sku": some(("a", "B")), "price": some((1.5, -1, 0.01)), "tags": some(([], ["a"], ["c", None]))}
    lines = [some((None, {}, line, {"sku": "b"})) for _ in range(chance.randrange(5))]
    return {
        "id": chance.randrange(50),
        "to": some((None, {}, {**to, "geo": lat})),
        "lines": some((None, [], lines, lines)),
        "words": some((None, {}, {"de": "ja"}, {"deu": "y", "en": None})),
        "any": some((None, {"a": 1})),
        "old": some((None, {}, {"a": "01.02.2003"})),
        "point": some((None, [1, 2], [1, None, 300])),
        "days": some((None, [None, None], [["2020-01-01T00:00:00Z", None], []])),
        "sizes": some((None, {}, {"a": 0.1, "b": None}, {"a": 0.2, "b": 1e20, "c": 0.3}, {"a": -0.5, "b": 0.25})),
        "counts": some((None, [], [None], [9007199254740993, -5, None], [1, 2, 3])),
    }


def _line(chance: Random) -> str:
    record = {
        "id": chance.randrange(50),
        **{
            key: _value(chance, 0)
            for key in ("to", "lines", "words", "any", "days", "old", "point", "counts", "sizes")
            if chance.random() < 0.6
        },
    }
    if chance.random() < 0.8:
        record["to"] = _object(chance, 1, ("city", "zip.code", "since", "geo"))
    if chance.random() < 0.8:
        record["lines"] = [_object(chance, 1, ("sku", "price", "tags")) for _ in range(chance.randrange(4))]
    return json.dumps(record) + "\n"


def _object(chance: Random, depth: int, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: _value(chance, depth) for key in keys if chance.random() < 0.8}


def _value(chance: Random, depth: int) -> Any:
    """Any value, and mostly one that may stand somewhere."""
    kind = chance.randrange(8 if depth < 3 else 6)
    if kind < 6:
        texts = (None, "a", "b", "Wien", "", "01.02.2003", "2020-01-01T10:00:00Z", True)
        numbers = (0, 1, 2, -1, 1.5, 0.01, 91, 1e20, 123.456)
        return (
            chance.choice(texts)
            if kind < 3
            else chance.choice(numbers)
            if kind < 5
            else {"lat": chance.choice(numbers)}
        )
    if kind == 6:
        return [_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return _object(chance, depth + 1, ("lat", "city", "de", "sku", "price", "tags"))


def test_conditions_in_sql_mean_what_the_checks_say(spark: SparkSession) -> None:
    """The conditions of a dbt model and of a suite are the same: false for the records that fail, and for no other."""
    contract = reading.read(CONTRACT.encode(), "orders.v1.yaml").contract
    assert contract
    checks = [(one, check) for one in contract.every for check in one.checks if check.scope == "row"]
    asked = {check.id: sql for one, check in checks if (sql := dbt.condition(one, check))}
    model = yaml.safe_load(dbt.write(contract).text)["models"][0]["columns"]
    assert {c["expression"] for column in model for c in column.get("constraints", ())} <= set(asked.values())
    columns = ", ".join(f"`{column['name']}` {column['data_type']}" for column in model)
    plan, chance = a_plan(), Random(5)
    lines = [json.dumps(_record(chance)) for _ in range(300)]
    rows = spark.createDataFrame([(line,) for line in lines], "line string")
    parsed = rows.select(sf.from_json("line", columns, {"dateFormat": "dd.MM.yyyy"}).alias("r")).select("r.*")
    held = parsed.select(*(sf.expr(sql).alias(f"a{n}") for n, sql in enumerate(asked.values()))).collect()
    broken: Counter[str] = Counter()
    for line, answers in zip(lines, held, strict=True):
        opinion = judge(plan, content(plan, (), f"{line}\n".encode()))
        failing = {i for _, ids in opinion.rows.values() for i in ids}
        if not any(i.endswith(("logicalType", "point[].format")) for i in failing):  # else the type has no such value
            false = {i for i, holds in zip(asked, answers, strict=True) if holds is False}
            assert false == failing & set(asked), line
            broken.update(false)
    assert {"lines[].price.minimum", "lines[].sku.required", "words.~.maxLength"} <= set(broken), broken
