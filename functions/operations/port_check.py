"""Contract checks of ports: a plan and the columns that consumers have in, a result for each agreed column out.

The tests are those of "Mesh Implementation - API - Data Contracts - Part 1" (P. Cavacas, 2023): the number of columns
of output ports (ColumnCount), and for each column if it is there (ColumnExists) and of its type (DataType).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Literal

from contracts.catalog import Entry
from contracts.plan import Plan, Property
from contracts.table import DROP, RECORD
from contracts.table import columns as table_columns
from functions.admission.admit import admit, header
from functions.admission.heads.parquet import parquet_fit, parquet_footer, parquet_nested
from functions.admission.heads.parquet.parquet_footer import TAIL, FooterInvalid
from functions.admission.heads.parquet.parquet_head import LARGEST_FOOTER
from functions.drop import PROMOTED, Drop, Location
from functions.operations.listing import END_OF_TIME
from functions.ports.drops import DropSearch
from functions.ports.store import ObjectStore
from functions.ports.tables import Tables

Kind = Literal["input", "output"]
TestType = Literal["ColumnCount", "ColumnExists", "DataType"]
MONTHS, NEWEST = 13, 200
"""How far back promoted files are looked for: months, and drops of each month."""


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


def newest_promoted(ledger: DropSearch, contract: str, now: datetime) -> Drop | None:
    """Return the newest drop of a contract whose data consumers have; None if there is none in a year."""
    at = now
    for _ in range(MONTHS):
        drops = islice(ledger.newest(contract, f"{at:%Y-%m}", END_OF_TIME, 50), NEWEST)
        if drop := next((each for each in drops if each.state in PROMOTED and each.promoted), None):
            return drop
        at = at.replace(day=1) - timedelta(days=1)
    return None


def columns_of_table(tables: Tables, plan: Plan, table: str) -> tuple[PromotedColumn, ...]:
    """Return the columns of a contract's table without those that dropgate adds."""
    agreed = {column.name: column.type for column in table_columns(plan)}
    return tuple(
        PromotedColumn(column.name, column.type, agreed.get(column.name, column.type) == column.type)
        for column in tables.schema(table)
        if column.name not in (DROP, RECORD)
    )


def columns_of_file(store: ObjectStore, plan: Plan, name: str, at: Location) -> tuple[PromotedColumn, ...] | None:
    """Return the columns of a promoted file by its head; None if it is gone or cannot be read as agreed."""
    stat = store.head(at)
    if stat is None:
        return None
    read = partial(store.read, replace(at, etag=stat.etag))
    if plan.file_format == "parquet":
        return _of_parquet(plan, stat.size, read)
    admission = admit(plan, name, stat.size, read)
    if not admission.header_line:
        return None
    return tuple(map(PromotedColumn, header(plan, admission.header_line)[0]))


def _of_parquet(plan: Plan, size: int, read: Callable[[int, int], bytes]) -> tuple[PromotedColumn, ...] | None:
    long = parquet_footer.length(read(max(size - TAIL, 0), TAIL))
    if not 0 < long <= min(size - TAIL - 4, LARGEST_FOOTER):
        return None
    try:
        footer = parquet_footer.parse(read(size - TAIL - long, long))
    except FooterInvalid:
        return None
    wrong = parquet_fit.misread(
        plan, parquet_nested.listed(plan, footer.columns), parquet_fit.Origin(by_spark=footer.by_spark)
    )
    return tuple(PromotedColumn(c.name, c.declared, c.name not in wrong) for c in footer.columns)


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
