"""Nested values in a whole run: where the first value that fails stands, and what nobody may see."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from contracts.authoring.compiler.compile import compile_text
from contracts.plan import Plan
from tests.integration.spark_jobs.world import judge
from tests.unit.contracts.authoring.documents import a_document

PROPERTIES = """\
- {name: id, logicalType: integer}
- name: lines
  logicalType: array
  logicalTypeOptions: {maxItems: 3}
  items:
    logicalType: object
    properties:
      - {name: price, logicalType: number, logicalTypeOptions: {minimum: 0}}
      - name: tags
        logicalType: array
        items: {logicalType: string, required: true, logicalTypeOptions: {maxLength: 2}}
- name: words
  logicalType: map
  map:
    key: {logicalType: string}
    value: {logicalType: string, logicalTypeOptions: {minLength: 2}}
- name: patient
  logicalType: object
  logicalTypeOptions: {maxProperties: 1}
  properties:
    - {name: name, logicalType: string, classification: restricted, logicalTypeOptions: {maxLength: 3}}
    - name: notes
      logicalType: map
      classification: restricted
      map: {key: {logicalType: string}, value: {logicalType: integer}}
"""
DROP = "files: shop/*.jsonl\nproducer: shop\nformat: jsonl\n"
LINES = """\
{"id": 1, "lines": [{"price": 1}, {"price": 2, "tags": ["a", "long"]}, {"price": -0.5, "tags": [null]}]}
{"id": 2, "lines": [{}, {}, {}, {"foo": 1, "price": "1"}], "words": {"de": "ja", "en": "y"}}
{"id": 3, "patient": {"name": "Anna", "notes": {"Anna": "x"}}}
"""
SEEN = {
    "record.knownKeys": [(2, "lines[3].foo", None)],
    "lines.maxItems": [(2, '[{},{},{},{"foo":1,"price":"1"}]', None)],
    "lines[].price.logicalType": [(2, "1", "lines[3].price")],
    "lines[].price.minimum": [(1, "-0.5", "lines[2].price")],
    "lines[].tags[].required": [(1, None, "lines[2].tags[0]")],
    "lines[].tags[].maxLength": [(1, "long", "lines[1].tags[1]")],
    "words.*.minLength": [(2, "y", "words['en']")],
    "patient.maxProperties": [(3, "***", None)],
    "patient.name.maxLength": [(3, "***", None)],
    "patient.notes.*.logicalType": [(3, "***", "patient.notes.*")],
}


def a_plan() -> Plan:
    compiled = compile_text(a_document(PROPERTIES, drop=DROP).encode(), "orders.v1.yaml")
    assert compiled.plan, compiled.findings
    return compiled.plan


def test_samples_say_where_a_value_stands(spark: SparkSession, tmp_path: Path) -> None:
    judged = judge(spark, tmp_path, a_plan(), {"a": LINES})
    counts = dict(zip(judged.result.header.checks, judged.drop("a").counts, strict=True))
    seen = {i: [(s.place.record, s.value, s.note) for s in c.samples] for i, c in counts.items() if c.samples}
    assert seen == SEEN
    notes = {o.id: [s.note for s in o.samples] for o in judged.decision("a").checks}
    assert notes["lines[].price.logicalType"] == ["lines[3].price, in quotes"]
    problems = {p.check: p.message for p in judged.decision("a").problems}
    assert (
        problems["lines[].price.minimum"] == "`lines[].price` is below the minimum of `0` in 1 of 3 records (33.3 %)."
    )


def test_whole_number_with_a_fraction_is_shown_with_it(spark: SparkSession, tmp_path: Path) -> None:
    items = "- {name: n, logicalType: array, items: {logicalType: integer}}\n"
    plan = compile_text(a_document(items, drop=DROP).encode(), "orders.v1.yaml").plan
    assert plan
    judged = judge(spark, tmp_path, plan, {f: f'{{"n": [7, {f}]}}\n' for f in ("1.0", '"1"', "1e0", "1.5")})
    samples = {
        f: [(s.value, s.note) for o in judged.decision(f).checks for s in o.samples]
        for f in ("1.0", '"1"', "1e0", "1.5")
    }
    assert samples == {
        "1.0": [("1.0", "n[1]")],
        '"1"': [("1", "n[1], in quotes")],
        "1e0": [("1.0", "n[1]")],
        "1.5": [("1.5", "n[1]")],
    }


def test_key_with_quotes_is_held_against_what_json_writes(spark: SparkSession, tmp_path: Path) -> None:
    odd = "- {name: id, logicalType: integer}\n- name: o\n  logicalType: object\n  properties:\n"
    odd += """    - {name: 'a"b', logicalType: string}\n"""
    plan = compile_text(a_document(odd, drop=DROP).encode(), "orders.v1.yaml").plan
    assert plan
    lines = """{"id": 1, "o": {"a\\"b": "v"}}\n{"id": 2, "o": {"a"b": "v"}}\n"""
    judged = judge(spark, tmp_path, plan, {"a.jsonl": lines})

    assert [(r["record"], list(r["checks"])) for r in judged.evidence(spark)] == [(2, ["record.object"])]
