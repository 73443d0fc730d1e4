"""The formats that contracts are imported from: a name in; its title, its recognizer and its importer out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.imports.imported import Imported
from contracts.authoring.imports.schemas import avro, json_schema, parquet, spark_ddl
from contracts.authoring.imports.specifications import astrafy, data_contract, mesh, odcs_2, specification
from contracts.authoring.imports.suites import clouddq, dbt, dbt_manifest, great_expectations
from contracts.authoring.imports.tables import catalogs, csvw, frictionless, sql_ddl
from contracts.authoring.imports.tables.fitting import fitting


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format: its title for help, the test of whether values are of it, and its importer.

    `suffixes` are the endings of its files in a folder. `text` formats are read as text, others as YAML or JSON;
    `files` is the format of the files that a source describes; `together` merges sources that refer to each other.
    """

    name: str
    title: str
    recognizes: Callable[[Any], bool]
    read: Callable[[Document], list[Imported]]
    suffixes: tuple[str, ...] = (".json", ".yaml", ".yml")
    text: bool = False
    files: str | None = None
    together: Callable[[Sequence[Document]], Document] | None = None


DDL = (".sql", ".ddl")
TABLE = (
    ImportFormat("json-schema", "JSON Schema, draft 4 to 2020-12", json_schema.recognizes, json_schema.read),
    ImportFormat("avro", "Avro schema (.avsc)", avro.recognizes, avro.read, suffixes=(".avsc", ".json")),
    ImportFormat("spark-ddl", "Spark DDL", spark_ddl.recognizes, spark_ddl.read, suffixes=(".sql", ".ddl"), text=True),
    ImportFormat("parquet", "Parquet file", parquet.recognizes, parquet.read, suffixes=(".parquet",), files="parquet"),
    ImportFormat(
        "data-contract-0.1.3", "data contract of specVersion 0.1.3", data_contract.recognizes, data_contract.read
    ),
    ImportFormat("mesh", "descriptor of a data product with ports", mesh.recognizes, mesh.read),
    ImportFormat("astrafy", "schema of Astrafy's data contracts", astrafy.recognizes, astrafy.read),
    ImportFormat("paypal-2.1", "data contract of PayPal's template", odcs_2.recognizes, fitting(odcs_2.read)),
    ImportFormat("odcs-2.2", "document of ODCS 2.2", odcs_2.recognizes_standard, fitting(odcs_2.read)),
    ImportFormat(
        "data-contract-specification",
        "contract of the Data Contract Specification",
        specification.recognizes,
        fitting(specification.read),
    ),
    ImportFormat("postgres-ddl", "DDL of Postgres", sql_ddl.recognizes, sql_ddl.reader("postgres"), DDL, text=True),
    ImportFormat("sqlserver-ddl", "DDL of SQL Server", sql_ddl.recognizes, sql_ddl.reader("tsql"), DDL, text=True),
    ImportFormat("snowflake-ddl", "DDL of Snowflake", sql_ddl.recognizes, sql_ddl.reader("snowflake"), DDL, text=True),
    ImportFormat("bigquery-ddl", "DDL of BigQuery", sql_ddl.recognizes, sql_ddl.reader("bigquery"), DDL, text=True),
    ImportFormat("spark-json", "schema of Spark as JSON", catalogs.recognizes_spark, fitting(catalogs.read_spark)),
    ImportFormat("glue", "table of AWS Glue", catalogs.recognizes_glue, fitting(catalogs.read_glue)),
    ImportFormat(
        "table-schema",
        "Table Schema of Frictionless",
        frictionless.recognizes_schema,
        fitting(frictionless.read_schema),
    ),
    ImportFormat(
        "data-package",
        "Data Package of Frictionless",
        frictionless.recognizes_package,
        fitting(frictionless.read_package),
    ),
    ImportFormat("csvw", "metadata of CSV on the Web", csvw.recognizes, fitting(csvw.read)),
    ImportFormat(
        "dbt", "properties of dbt (schema.yml)", dbt.recognizes, fitting(dbt.read), suffixes=(".yml", ".yaml")
    ),
    ImportFormat("dbt-manifest", "manifest of dbt", dbt_manifest.recognizes, fitting(dbt_manifest.read), (".json",)),
    ImportFormat(
        "great-expectations",
        "suite of Great Expectations",
        great_expectations.recognizes,
        fitting(great_expectations.read),
    ),
    ImportFormat("clouddq", "configuration of CloudDQ", clouddq.recognizes, clouddq.read, together=clouddq.together),
)
FORMATS = {form.name: form for form in TABLE}
