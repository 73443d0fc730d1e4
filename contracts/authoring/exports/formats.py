"""The formats of exported contracts: a name in; its title, file ending and exporter out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from contracts.authoring.exports import avro, dbt, great_expectations, json_schema, odcs, page, spark
from contracts.authoring.exports.exported import Contract, Exported


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its title for help, the ending of its files, its exporter."""

    name: str
    what: str
    suffix: str
    write: Callable[[Contract], Exported]


TABLE = (
    ExportFormat("json-schema", "JSON Schema, 2020-12", ".schema.json", json_schema.write),
    ExportFormat("avro", "Avro schema", ".avsc", avro.write),
    ExportFormat("spark", "the JSON of Spark's StructType", ".spark.json", spark.write_json),
    ExportFormat("spark-ddl", "Spark DDL", ".sql", spark.write_ddl),
    ExportFormat("dbt", "properties of a dbt model", ".yml", dbt.write),
    ExportFormat("odcs", "ODCS 3.2, normalised", ".yaml", odcs.write),
    ExportFormat("html", "a page for people", ".html", page.write),
    ExportFormat("great-expectations", "a suite of Great Expectations 1.24", ".gx.json", great_expectations.write),
)
FORMATS = {form.name: form for form in TABLE}
