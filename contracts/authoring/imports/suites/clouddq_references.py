"""Rules of CloudDQ that look a value up in another table: SQL of BigQuery in, the column of the other entity out."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp

from contracts.authoring.imports.imported import slug
from contracts.authoring.imports.schemas.spark_ddl import REFERENCE

COLUMN = "dropgate_column"
PLAIN = {"this", "expressions", "from", "from_", "distinct", "kind"}
"""The parts of a lookup that says nothing but which column of which table."""
ELSEWHERE = "Give the file of that table's entity as well, or write a relationship to a reference file."


def looked_up(text: str) -> tuple[str, str] | None:
    """Return the table and the column of `$column in (select column from table)`; None for any other text."""
    try:
        condition = sqlglot.parse_one(text.replace("$column", COLUMN), read="bigquery").unnest()
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    query = condition.args.get("query") if isinstance(condition, exp.In) else None
    select = query.unnest() if query is not None else None
    if not isinstance(select, exp.Select) or condition.this.name != COLUMN or len(select.expressions) != 1:
        return None
    column, table = select.expressions[0], select.find(exp.Table)
    is_plain = {key for key, value in select.args.items() if value} <= PLAIN and len(
        list(select.find_all(exp.Table))
    ) == 1
    return (table.name, column.name) if is_plain and table is not None and isinstance(column, exp.Column) else None


def target(entities: dict[str, Any], table: str, column: str) -> str | None:
    """Return the place of an entity's column in the contract that is made of it; None if there is none."""
    for key, entity in entities.items():
        name = entity.get("table_name") or key
        if table.casefold() not in (name.casefold(), key.casefold()):
            continue
        for column_id, own in (entity.get("columns") or {}).items():
            written = own.get("name") or column_id
            place = f"{slug(name)}.v1.yaml#/schema/{name}/properties/{written}"
            if column.casefold() == written.casefold() and REFERENCE.fullmatch(place):
                return place
    return None
