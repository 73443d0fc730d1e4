"""Exported DDL and SQL, read by Spark itself."""

from __future__ import annotations

import re
from random import Random

import yaml
from pyspark.sql import SparkSession

from contracts.authoring.exports import dbt
from contracts.authoring.exports import spark as to_spark
from tests.oracle.cases import FORMS
from tests.oracle.contracts import a_contract
from tests.oracle.test_exported import read_back
from tests.unit.contracts.authoring.documents import a_document
from tests.unit.contracts.authoring.exports.test_formats import contract, export


def test_spark_reads_the_ddl_of_any_contract(spark: SparkSession) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()
    for seed in range(40):
        made = read_back(a_contract(Random(seed), FORMS["jsonl"]).document)
        read = parser.parsePlan(to_spark.write_ddl(made).text.rstrip().removesuffix(";")).toString()
        assert [name for p in made.plan.properties if (name := p.name) not in read] == []


def test_texts_of_ddl_come_back_as_they_were(spark: SparkSession) -> None:
    description = 'it\'s \\ "two"\nlines; -- é'
    text = a_document(
        f"- name: 'a `b'\n  logicalType: string\n  description: {yaml.dump(description, default_style=chr(34))}"
    )
    ddl = export("spark-ddl", text).text
    columns = re.sub(r"(?s).*?\(\n(.*)\n\).*", r"\1", ddl)
    (field,) = spark.createDataFrame([], columns).schema.fields
    assert (field.name, field.metadata) == ("a `b", {"comment": description})


def test_conditions_of_dbt_mean_what_the_checks_say(spark: SparkSession) -> None:
    body = """\
- name: x
  logicalType: string
  logicalTypeOptions: {pattern: "^[a-z]'?\\\\d$", minLength: 2}
- name: n
  logicalType: integer
  logicalTypeOptions: {exclusiveMinimum: 1, multipleOf: 3}
- name: d
  logicalType: date
  logicalTypeOptions: {format: dd.MM.yyyy, maximum: "31.12.2025"}
"""
    columns = yaml.safe_load(dbt.write(contract(a_document(body))).text)["models"][0]["columns"]
    conditions = [c["expression"] for column in columns for c in column["constraints"]]
    values = "VALUES ('a7', 3L, DATE '2025-12-31'), ('a0', NULL, NULL), ('7', 1L, DATE '2026-01-01')"
    (good, nulls, bad) = spark.sql(values).toDF("x", "n", "d").selectExpr(*conditions).collect()
    assert tuple(good) == (True,) * 5
    assert set(nulls) == {True, None}
    assert tuple(bad) == (False,) * 5
