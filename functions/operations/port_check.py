"""Contract checks of ports: a plan and the columns that consumers have in, a result for each agreed column out.

The tests are those of "Mesh Implementation - API - Data Contracts - Part 1" (P. Cavacas, 2023): the number of columns
of output ports (ColumnCount), and for each column if it is there (ColumnExists) and of its type (DataType).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.catalog import Entry
from contracts.plan import Plan, Property

Kind = Literal["input", "output"]
TestType = Literal["ColumnCount", "ColumnExists", "DataType"]


@dataclass(frozen=True, slots=True)
class PromotedColumn:
    """A column that consumers have; `fits` is True if it can hold values as agreed, `type` is empty in texts."""

    name: str
    type: str = ""
    fits: bool = True


@dataclass(frozen=True, slots=True)
class PortTest:
    """A test of a port and its result; `column` is None of the table, `message` is empty if there is nothing to say."""

    kind: TestType
    column: str | None
    passed: bool
    message: str = ""


def is_port(entry: Entry, plan: Plan, product: str, port: str, kind: Kind) -> bool:
    """Return True if a contract is a port of a product.

    A contract that was imported from a mesh's descriptor has both in its id, of one table each. Of others the product
    is their id, and the port their table or their name with its major version.
    """
    imported = f"{product}{'-input' if kind == 'input' else ''}-{port}"
    own = plan.id.removesuffix(f".{plan.object}")
    return own.startswith(f"{imported}-") or (own == product and port in (plan.object, entry.contract))


def port_tests(plan: Plan, columns: Sequence[PromotedColumn], kind: Kind) -> Iterator[PortTest]:
    """Yield the tests of a port, those that passed as well."""
    if kind == "output":
        agreed, there = len(plan.roots), len(columns)
        text = "" if agreed == there else f"Expected: {agreed} Actual: {there}"
        yield PortTest("ColumnCount", None, agreed == there, text)
    by_name = {column.name: column for column in columns}
    for prop in plan.roots:
        column = by_name.get(prop.name)
        yield PortTest("ColumnExists", prop.name, column is not None)
        if column:
            yield PortTest("DataType", prop.name, column.fits, _message(prop, column))


def _message(prop: Property, column: PromotedColumn) -> str:
    """Return both types if they have other names; cells of text have none, and the job judged their values."""
    agreed = "decimal({},{})".format(*prop.exact) if prop.exact else prop.type
    return "" if column.type in ("", agreed) else f"Expected: {agreed} Actual: {column.type}"
