"""Differences between tables and the ledger: the rows of each drop in a table in, differences out.

A table is counted once, at one version: drops that changed since, or shortly before, are ignored. The numbers are held
in memory, one for each drop with rows in the table, whenever it arrived; records are read page by page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from contracts.errors import DocumentInvalid, ServiceUnavailable, StaleWrite, TableUnlike
from functions import keys
from functions.doctor.difference import GRACE, PAGE, Difference, looked_up, stale, unless_changed
from functions.doctor.restore import put_back
from functions.drop import PROMOTED, RETRACTING, Drop
from functions.ports import Ports
from functions.ports.clock import moment, stamp
from functions.ports.progress import Report, ignore
from functions.ports.store import CopyTag, Stat
from functions.ports.tables import REMEMBERED
from functions.promotion.lineage import claims_of
from functions.promotion.table_commit import Unlike, into_table
from functions.records.record import reread

SURE = REMEMBERED - timedelta(days=10)
"""The time after a verdict in which a table's log shows if rows never came into it, or were taken out."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of rows of each drop in a table at some time; rows without a drop's id are under the empty id."""

    uri: str
    at: str
    rows: Mapping[str, int] = field(default_factory=dict)


def counted(ports: Ports, contract: str) -> Counted | Difference:
    """Return the table of a contract, empty if there is none; the difference if it cannot be read.

    ServiceUnavailable if the store does not answer, so that an outage is not mistaken for a broken table.
    """
    uri, at = keys.table_folder(ports.zones, contract), ports.at()
    try:
        return Counted(uri, at, ports.tables.count(uri))
    except ServiceUnavailable as error:
        ports.store.listed(f"{uri}_delta_log/", 1)
        do = (
            "Inspect what the error names: if a file is missing, restore its earlier version, or RESTORE the table to "
            f"a version that can be read; then run doctor again. The table of {contract} was not compared."
        )
        finding = str(error).partition("\n")[0].removeprefix(f"the table {uri} ")
        return Difference("table-unreadable", uri, finding, do)


def of_table(ports: Ports, table: Counted, seen: Report = ignore) -> Iterator[Difference]:
    """Yield rows that must not be read, or that have no record; call `seen` with each drop that has rows."""
    ids = list(table.rows)
    for begin in range(0, len(ids), PAGE):
        page = ids[begin : begin + PAGE]
        by_id = {drop.id: drop for drop in ports.ledger.drops([drop_id for drop_id in page if drop_id])}
        for drop_id in page:
            seen(drop_id)
            many = f"{table.rows[drop_id]:,} rows"
            drop = by_id.get(drop_id) or (looked_up(ports, drop_id) if drop_id else None)
            if isinstance(drop, Difference):
                yield drop
            elif drop is None:
                whose = f"of drop {drop_id[:10]}, which has no record" if drop_id else "of no drop"
                do = "Find out who wrote them, and delete them by hand: consumers read them as checked rows."
                yield Difference("rows-without-record", table.uri, f"has {many} {whose}", do)
            elif _at_rest(drop, table) and (why := _not_its_place(ports, drop, table)):
                finding = f"has {many} of drop {drop.id[:10]}, {why}"
                if former := stale(ports, drop):
                    yield Difference("rows-left", table.uri, finding, former.do)
                    continue
                take = partial(_take_out, ports, drop, table)
                yield Difference("rows-left", table.uri, finding, "Delete them; the rows of other drops stay.", take)


def of_rows(ports: Ports, drop: Drop, table: Counted) -> Iterator[Difference]:
    """Yield the difference if a table has fewer or more rows of a promoted drop than are valid."""
    to = drop.promoted
    if to is None or to.rows is None or drop.rows is None or drop.plan is None or not _at_rest(drop, table):
        return
    if not keys.is_table(to.key):
        return  # a file of rows
    there, valid = table.rows.get(drop.id, 0), drop.rows.valid
    key = claims_of(ports, drop, ports.catalog.plan(drop.plan)).key
    if there == valid or (key and (key.promoted != drop.id or key.promoting)):
        return  # or another upload of the key has taken its place, or was withdrawn since, or is about to
    where, again = f"drop {drop.id}", f"`dropgate replay {drop.id[:10]} --retract` writes them again."
    finding = f"is {drop.state}, but {there:,} of its {valid:,} rows are in the table {table.uri}"
    lies, sure = ports.store.head(to.rows), (drop.decided_at or "") > stamp(moment(table.at) - SURE)
    came = not sure or ports.tables.made(table.uri, CopyTag(drop.id, to.attempt))
    if there or lies is None or lies.etag != to.rows.etag or came:
        yield Difference("rows-missing", where, finding, f"Find out who changed the table; {again}")
        return
    put = partial(_put_back, ports, drop)
    yield Difference("rows-missing", where, finding, f"Commit them again from {to.rows.uri}.", put)


def _at_rest(drop: Drop, table: Counted) -> bool:
    return not drop.in_flight and drop.changed_at < stamp(moment(table.at) - GRACE)


def _not_its_place(ports: Ports, drop: Drop, table: Counted) -> str | None:
    """Return why a table must not hold rows of a drop."""
    promoted = drop.promoted if drop.state in PROMOTED else None
    retracts = drop.retracts if drop.state in RETRACTING else None
    named = [f"{ports.zones.promoted}{promotion.key}" for promotion in (promoted, retracts) if promotion]
    if table.uri not in named:
        return f"which is {drop.state} and does not name the table"
    if promoted is None or drop.plan is None:
        return None
    try:
        key = claims_of(ports, drop, ports.catalog.plan(drop.plan)).key
    except DocumentInvalid:
        return None  # which is a difference of the drop itself
    if key is None or not key.version or key.promoting or key.promoted == drop.id:
        return None
    return f"which drop {key.promoted[:10]} replaced" if key.promoted else "whose key was freed"


def _take_out(ports: Ports, drop: Drop, table: Counted) -> None:
    """Remove a drop's rows, also from a table that was restored; StaleWrite if the rows may be there.

    If the drop was judged again at the same moment, its new rows are removed as well, which is reported: the two cannot
    be distinguished.
    """
    unless_changed(ports, drop)
    if _not_its_place(ports, drop, table) is None:
        raise StaleWrite(f"drop {drop.id[:10]} belongs in the table now")
    ports.tables.take_out(table.uri, drop.id)
    now = reread(ports, drop)
    to = now.promoted if now.version != drop.version else None
    if to and f"{ports.zones.promoted}{to.key}" == table.uri:
        again = f"`dropgate replay {drop.id[:10]} --retract` writes them again"
        raise StaleWrite(f"drop {drop.id[:10]} is {now.state} now, and its current rows may also be gone: {again}")


def _put_back(ports: Ports, drop: Drop) -> None:
    """Commit a drop's rows again.

    TableUnlike if the table cannot take them, ServiceUnavailable if they are gone.
    """
    to, plan = drop.promoted, ports.catalog.plan(drop.plan or "")
    assert to
    assert to.rows
    done = put_back(ports, plan, drop, to, partial(into_table, ports, plan, drop, to.rows, to.instead))
    if isinstance(done, Unlike):
        raise TableUnlike(done.why)
    if not isinstance(done, Stat):
        raise ServiceUnavailable("its rows are gone, or other rows replaced them")
