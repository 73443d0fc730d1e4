"""The formats of exported contracts: a name in; its title, file ending and exporter out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from contracts.authoring.exports import avro, dbt, great_expectations, json_schema, odcs, page, spark
from contracts.authoring.exports.exported import Contract, Exported


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its title for help, the ending of its files, its exporter."""

    name: str
    what: str
    suffix: str
    write: Callable[[Contract], Exported]


TABLE = (
    Format("json-schema", "JSON Schema, 2020-12", ".schema.json", json_schema.write),
    Format("avro", "Avro schema", ".avsc", avro.write),
    Format("spark", "the JSON of Spark's StructType", ".spark.json", spark.write_json),
    Format("spark-ddl", "Spark DDL", ".sql", spark.write_ddl),
    Format("dbt", "properties of a dbt model", ".yml", dbt.write),
    Format("odcs", "ODCS 3.2, normalised", ".yaml", odcs.write),
    Format("html", "a page for people", ".html", page.write),
    Format("great-expectations", "a suite of Great Expectations 1.24", ".gx.json", great_expectations.write),
)
FORMATS = {form.name: form for form in TABLE}
