"""Delta tables in S3: the Tables port on deltalake, which commits by conditional put, so that writers need no lock.

Each change carries an application transaction (Delta protocol, "Transaction Identifiers"): the drop and its attempt. A
change that is in the log already is not made again, and the log accepts only the first of two writers of the same
change. deltalake takes a fifth of a second to load, so it is loaded only if a table is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import uniform
from tempfile import TemporaryDirectory
from time import sleep, time
from typing import TYPE_CHECKING, Any

from contracts.errors import ServiceUnavailable
from contracts.job import DataFile
from contracts.table import DROP, TableColumn, lacking
from functions import keys
from functions.ports.store import CopyTag
from functions.ports.tables import REMEMBERED

if TYPE_CHECKING:
    from deltalake import DeltaTable, Schema
    from deltalake.transaction import AddAction, RemoveAction

    Act = Callable[[DeltaTable, dict[str, Any]], object]

ROUNDS = 8
"""The tries of a change that meets others."""
CHECKPOINT = 20
"""Commits from one checkpoint of a table to the next."""
CONFIGURATION = {
    # The snapshot is read from the last checkpoint on, so that a function that starts has few commits to fetch.
    "delta.checkpointInterval": str(CHECKPOINT),
    # Else a table would remember every drop that ever was.
    "delta.setTransactionRetentionDuration": f"interval {REMEMBERED.days} days",
}


class DeltaTables:
    """Tables by URI; `options` returns those of the object store, called each time as credentials expire."""

    def __init__(self, options: Callable[[], Mapping[str, str]]) -> None:
        self._options = options
        self._cached: dict[str, tuple[Mapping[str, str], DeltaTable]] = {}

    def ready(self, table: str, columns: Sequence[TableColumn], tag: CopyTag) -> int | None:
        for nth in range(ROUNDS):
            with self._conflicts(table, nth):
                delta = self._find(table)
                if delta is None:
                    from deltalake import DeltaTable

                    DeltaTable.create(
                        table,
                        _schema(columns),
                        configuration=CONFIGURATION,
                        storage_options=dict(self._options()),
                        raise_if_key_not_exists=False,
                    )
                    return None
                if _has(delta, _app(tag), tag.attempt):
                    return delta.version()
                if more := lacking(columns_of(delta.schema()), columns):
                    delta.alter.add_columns(_schema(more).fields)
                return None
        raise _busy(table)

    def schema(self, table: str) -> tuple[TableColumn, ...]:
        with _reading(table):
            delta = self._find(table)
            return columns_of(delta.schema()) if delta else ()

    def append(self, table: str, files: Sequence[DataFile], tag: CopyTag) -> int:
        added: list[AddAction | RemoveAction] = [
            _added(keys.data_file(tag.drop, tag.attempt, file.name), file, tag) for file in files
        ]

        def act(delta: DeltaTable, how: dict[str, Any]) -> None:
            delta.create_write_transaction(added, "append", delta.schema(), **how)
            delta.update_incremental()  # else it has the version before

        return self._change(table, _app(tag), tag.attempt, act)

    def replace(self, table: str, folder: str, files: Sequence[DataFile], tag: CopyTag, instead: Sequence[str]) -> int:
        from deltalake import DeltaTable, QueryBuilder, write_deltalake
        from deltalake.transaction import create_table_with_add_actions

        added, where = [_added(file.name, file, tag) for file in files], _where((*instead, tag.drop))

        def act(delta: DeltaTable, how: dict[str, Any]) -> None:
            # The files where they lie, read as the table reads them: what they lack is null.
            options = dict(self._options())
            create_table_with_add_actions(folder, delta.schema(), added, mode="overwrite", storage_options=options)
            laid = QueryBuilder().register("laid", DeltaTable(folder, storage_options=options))
            rows = laid.execute("select * from laid")
            write_deltalake(delta, rows, mode="overwrite", predicate=where, **how)

        return self._change(table, _app(tag), tag.attempt, act)

    def withdraw(self, table: str, tag: CopyTag, later: int | None = None) -> None:
        def act(delta: DeltaTable, how: dict[str, Any]) -> None:
            if later and _has(delta, _app(tag), later):
                return
            before = delta.version()
            delta.delete(_where((tag.drop,)), **how)
            # Without rows nothing was committed. Where they have been and are gone, none come late: that it was asked
            # for is noted all the same, so that a worker that asks again leaves a later attempt's rows alone.
            if delta.version() == before and _has(delta, _app(tag), tag.attempt):
                delta.create_write_transaction([], "append", delta.schema(), **how)

        if self._is_there(table):
            self._change(table, f"{_app(tag)}:withdrawn", tag.attempt, act)

    def take_out(self, table: str, drop: str) -> None:
        from deltalake import PostCommitHookProperties

        for nth in range(ROUNDS):
            with self._conflicts(table, nth):
                if delta := self._find(table):
                    kept = PostCommitHookProperties(cleanup_expired_logs=False)
                    delta.delete(_where((drop,)), post_commithook_properties=kept)
                return
        raise _busy(table)

    def count(self, table: str) -> Mapping[str, int]:
        from deltalake import DeltaTable, QueryBuilder, write_deltalake

        with _reading(table), TemporaryDirectory() as here:
            delta = self._find(table)
            if delta is None:
                return {}
            asked = f"select coalesce({DROP}, '') {DROP}, count(*) many from t group by 1"  # noqa: S608 (a name of ours)
            counts = QueryBuilder().register("t", delta).execute(asked)
            # By way of a file: a query that is collected keeps Python's one lock while it waits for the store.
            write_deltalake(here, counts)
            each = QueryBuilder().register("t", DeltaTable(here)).execute("select * from t").read_all()
            return dict(zip(each.column(DROP).to_pylist(), each.column("many").to_pylist(), strict=True))

    def files(self, table: str) -> Collection[str]:
        with _reading(table):
            delta = self._find(table)
            return frozenset(delta.get_add_actions().column("path").to_pylist()) if delta else frozenset()

    def made(self, table: str, tag: CopyTag) -> bool:
        with _reading(table):
            delta = self._find(table)
            return delta is not None and _has(delta, _app(tag), tag.attempt)

    def _change(self, table: str, app: str, version: int, act: Act) -> int:
        """Commit once, on the table as it is then; return the version of the table."""
        from deltalake import CommitProperties, PostCommitHookProperties
        from deltalake.transaction import Transaction

        for nth in range(ROUNDS):
            with self._conflicts(table, nth):
                delta = self._find(table)
                if delta is None:
                    raise _busy(table)
                if not _has(delta, app, version):
                    done = CommitProperties(app_transactions=[Transaction(app, version, int(time() * 1000))])
                    kept = PostCommitHookProperties(cleanup_expired_logs=False)
                    act(delta, {"commit_properties": done, "post_commithook_properties": kept})
                return delta.version()
        raise _busy(table)

    def _is_there(self, table: str) -> bool:
        with self._conflicts(table, 0):
            return self._find(table) is not None
        raise _busy(table)

    def _find(self, table: str) -> DeltaTable | None:
        """Return the table as it is now; None if there is none."""
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError

        options = self._options()
        cached = self._cached.get(table)
        if cached and cached[0] == options:
            cached[1].update_incremental()
            return cached[1]
        try:
            delta = DeltaTable(table, storage_options=dict(options))
        except TableNotFoundError:
            return None
        self._cached[table] = options, delta
        return delta

    @contextmanager
    def _conflicts(self, table: str, nth: int) -> Iterator[None]:
        """Wait a little if another writer was faster; ServiceUnavailable if the store did not answer."""
        try:
            from deltalake.exceptions import CommitFailedError, DeltaError
        except ImportError as error:  # built for another CPU; once those for this one are there, they go on
            raise ServiceUnavailable(
                "these functions cannot load deltalake, which writes tables: deploy them again by `make deploy`"
            ) from error

        try:
            yield
        except (CommitFailedError, DeltaError) as error:
            self._cached.pop(table, None)
            if not isinstance(error, CommitFailedError) and "already exists" not in str(error):
                raise ServiceUnavailable(f"the table {table} could not be written: {error}") from error
            sleep(uniform(0, 0.05 * 2**nth))
        except OSError as error:
            self._cached.pop(table, None)
            raise ServiceUnavailable(f"the table {table} could not be read or written: {error}") from error


@contextmanager
def _reading(table: str) -> Iterator[None]:
    """ServiceUnavailable where the store did not answer, or a file that the table names is gone."""
    from deltalake.exceptions import DeltaError

    try:
        yield
    except (DeltaError, OSError) as error:
        raise ServiceUnavailable(f"the table {table} could not be read: {error}") from error


def columns_of(schema: Schema) -> tuple[TableColumn, ...]:
    """Return the columns of a table."""
    each = json.loads(schema.to_json())["fields"]
    return tuple(
        TableColumn(field["name"], field["type"] if isinstance(field["type"], str) else "nested") for field in each
    )


def _schema(columns: Sequence[TableColumn]) -> Schema:
    from deltalake import Schema

    fields = [{"name": c.name, "type": c.type, "nullable": True, "metadata": {}} for c in columns]
    return Schema.from_json(json.dumps({"type": "struct", "fields": fields}))


def _added(path: str, file: DataFile, tag: CopyTag) -> AddAction:
    """Return a file for a commit; by the bounds of its drop readers, and writers of other drops' rows, skip it."""
    from deltalake.transaction import AddAction

    bounds = {"minValues": {DROP: tag.drop}, "maxValues": {DROP: tag.drop}, "nullCount": {DROP: 0}}
    return AddAction(path, file.size, {}, int(time() * 1000), True, json.dumps({"numRecords": file.rows, **bounds}))


def _where(drops: Sequence[str]) -> str:
    """Return the predicate for the rows of some drops; their ids are letters and digits."""
    return f"{DROP} in ({', '.join(repr(drop) for drop in dict.fromkeys(drops))})"


def _app(tag: CopyTag) -> str:
    return f"dropgate:{tag.drop}"


def _has(table: DeltaTable, app: str, version: int) -> bool:
    return (table.transaction_version(app) or 0) >= version


def _busy(table: str) -> ServiceUnavailable:
    return ServiceUnavailable(f"others write to the table {table} all the time, or it is gone; it is tried again")
