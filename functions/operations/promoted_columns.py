"""The columns that consumers of a contract have: a plan, and the newest promoted file or the table in, columns out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from contracts.plan import Plan
from contracts.table import DROP, RECORD
from contracts.table import columns as table_columns
from functions.admission.admit import admit
from functions.admission.header_again import header
from functions.admission.heads.parquet import parquet_fit, parquet_footer, parquet_nested
from functions.admission.heads.parquet.parquet_footer import TAIL, FooterInvalid
from functions.admission.heads.parquet.parquet_head import LARGEST_FOOTER
from functions.drop import PROMOTED, Drop, Location
from functions.operations.listing import END_OF_TIME
from functions.operations.port_check import PromotedColumn
from functions.ports.drops import DropSearch
from functions.ports.store import ObjectStore
from functions.ports.tables import Tables

MONTHS, NEWEST = 13, 200
"""Limits of the search for promoted files: months, and drops of each month."""


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
