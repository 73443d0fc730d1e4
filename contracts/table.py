"""The table that a contract's valid rows are promoted into: a plan in, its columns and missing columns out.

Names of types are Delta's (protocol, "Primitive Types"), which Spark's DDL reads as well. Every column may be null, so
that rows of an earlier minor version stay valid; checks enforce what the contract requires.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import TableUnlike
from contracts.plan import CONTAINERS, Plan

DROP, RECORD = "_drop", "_record"
"""The last columns of each table: the drop of a row, and the record number in its file."""
TYPES = {"integer": "long", "number": "double", "time": "string"}
"""The types of columns that have another name than in the contract."""
FORBIDDEN = " ,;{}()\n\t="
"""Characters that column names must not have, as in Parquet (Delta protocol, "Column Mapping")."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column by its name and type."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"`{self.name}` {self.type}"


def columns(plan: Plan) -> tuple[TableColumn, ...]:
    """Return the columns of a contract's table, in the contract's order; raise TableUnlike if one holds others."""
    made = []
    for prop in plan.roots:
        if prop.type in CONTAINERS:
            raise TableUnlike(f"`{prop.name}` holds others, which no column of a table is built for yet")
        kind = "decimal({},{})".format(*prop.exact) if prop.exact else TYPES.get(prop.type, prop.type)
        made.append(TableColumn(prop.name, kind))
    return (*made, TableColumn(DROP, "string"), TableColumn(RECORD, "long"))


def lacking(have: Sequence[TableColumn], wanted: Sequence[TableColumn]) -> tuple[TableColumn, ...]:
    """Return the columns to add to a table for rows of another version; raise TableUnlike at any other difference.

    A column that the rows lack is null in them.
    """
    by_name = {column.name.casefold(): column for column in have}
    for column in wanted:
        existing = by_name.get(column.name.casefold(), column)
        if existing != column:
            raise TableUnlike(f"the table has {existing} where the contract has {column}")
    return tuple(column for column in wanted if column.name.casefold() not in by_name)
