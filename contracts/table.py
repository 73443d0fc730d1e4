"""The table that a contract's valid rows are promoted into: a plan in, its columns out; what two versions differ in.

Names of types are Delta's (protocol, "Primitive Types"), which Spark's DDL reads as well. Every column may be null, so
that rows of an earlier minor version stay valid; what the contract requires is held by its checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import TableUnlike
from contracts.plan import CONTAINERS, Plan, Property

DROP, RECORD = "_drop", "_record"
"""The last columns of each table: whose row it is, and which record of that file it was."""
FORBIDDEN = " ,;{}()\n\t="
"""What the name of a column must not have, as Parquet's would not (Delta protocol, "Column Mapping")."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name and type."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"`{self.name}` {self.type}"


def columns(plan: Plan) -> tuple[Column, ...]:
    """The columns of a contract's table, in the contract's order."""
    return (*(Column(p.name, _type(p)) for p in plan.roots), Column(DROP, "string"), Column(RECORD, "long"))


def lacking(have: Sequence[Column], wanted: Sequence[Column]) -> tuple[Column, ...]:
    """The columns that a table must be given for rows of another version; TableUnlike if more than that is different.

    A column that the rows lack is null in them.
    """
    there = {one.name.casefold(): one for one in have}
    for one in wanted:
        known = there.get(one.name.casefold(), one)
        if known != one:
            raise TableUnlike(f"the table has {known} where the contract has {one}")
    return tuple(one for one in wanted if one.name.casefold() not in there)


def _type(prop: Property) -> str:
    if prop.type in CONTAINERS:
        raise TableUnlike(f"`{prop.name}` holds others, which no column of a table is built for yet")
    if prop.exact:
        return "decimal({},{})".format(*prop.exact)
    named = {"integer": "long", "number": "double", "time": "string"}
    return named.get(prop.type, prop.type)
