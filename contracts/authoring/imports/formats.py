"""The formats that contracts come in from: a name in; what it is, how it is told and what reads it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.authoring.document.document import Document
from contracts.authoring.imports import (
    astrafy,
    avro,
    clouddq,
    data_contract,
    json_schema,
    mesh,
    parquet,
    paypal,
    spark_ddl,
)
from contracts.authoring.imports.imported import Imported


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it is, for help; whether values are of it; what makes documents of them.

    `suffixes` are those of its files in a folder. `text` formats are read as they stand, others as YAML or JSON;
    `files` is the format of the files that they are of; `together` makes one document of many sources, where they
    refer to each other.
    """

    name: str
    what: str
    known: Callable[[Any], bool]
    read: Callable[[Document], list[Imported]]
    suffixes: tuple[str, ...] = (".json", ".yaml", ".yml")
    text: bool = False
    files: str | None = None
    together: Callable[[Sequence[Document]], Document] | None = None


TABLE = (
    Format("json-schema", "JSON Schema, draft 4 to 2020-12", json_schema.known, json_schema.read),
    Format("avro", "Avro schema (.avsc)", avro.known, avro.read, suffixes=(".avsc", ".json")),
    Format("spark-ddl", "Spark DDL", spark_ddl.known, spark_ddl.read, suffixes=(".sql", ".ddl"), text=True),
    Format("parquet", "Parquet file", parquet.known, parquet.read, suffixes=(".parquet",), files="parquet"),
    Format("data-contract-0.1.3", "data contract of specVersion 0.1.3", data_contract.known, data_contract.read),
    Format("mesh", "descriptor of a data product with ports", mesh.known, mesh.read),
    Format("astrafy", "schema of Astrafy's data contracts", astrafy.known, astrafy.read),
    Format("paypal-2.1", "data contract of PayPal's template", paypal.known, paypal.read),
    Format("clouddq", "configuration of CloudDQ", clouddq.known, clouddq.read, together=clouddq.together),
)
FORMATS = {form.name: form for form in TABLE}
