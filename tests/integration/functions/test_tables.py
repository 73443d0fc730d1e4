"""The promises of the Tables port, held by the memory that use cases are tested with and by Delta tables alike."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake

from contracts.errors import ServiceUnavailable, TableUnlike
from contracts.job import DataFile
from contracts.table import TableColumn
from functions import keys
from functions.aws.clients import Clients
from functions.aws.delta import DeltaTables
from functions.ports.store import CopyTag
from functions.ports.tables import Tables
from infra.cli.maintain import as_text
from infra.local.template.stack import Stack
from infra.stack_admin.maintain import Maintained, maintain
from tests.fakes import MemoryTables
from tests.integration.functions.rows import of, parquet

COLUMNS = (TableColumn("n", "long"), TableColumn("_drop", "string"), TableColumn("_record", "long"))
A, B, C = ("a" * 32, "b" * 32, "c" * 32)


def no_file(uri: str) -> None:
    """Remove nothing: there is no file so old."""
    raise AssertionError(uri)


@dataclass
class Room:
    """A port, a table of the test's own, how files are laid down in a folder, and what a reader sees of each drop."""

    tables: Tables
    table: str
    lay: Callable[[str, str, int], int]
    seen: Callable[[], Mapping[str, int]]

    def append(self, drop: str, rows: int, attempt: int = 1, tables: Tables | None = None) -> None:
        """Promote a drop of so many rows."""
        mark, port = CopyTag(drop, attempt), tables or self.tables
        if not port.ready(self.table, COLUMNS, mark):
            size = self.lay(f"{self.table}{keys.data_file(drop, attempt, '0.parquet')}", drop, rows)
            port.append(self.table, (DataFile("0.parquet", size, rows),), mark)

    def replace(self, drop: str, rows: int, *instead: str, attempt: int = 1, tables: Tables | None = None) -> None:
        """Promote a drop in the place of others."""
        mark, port, folder = CopyTag(drop, attempt), tables or self.tables, f"{self.table[:-1]}-laid/{drop}/{attempt}/"
        if not port.ready(self.table, COLUMNS, mark):
            files = (DataFile("0.parquet", self.lay(f"{folder}0.parquet", drop, rows), rows),) if rows else ()
            port.replace(self.table, folder, files, mark, instead)


@pytest.fixture(params=["memory", "delta"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Room:
    if request.param == "memory":
        memory = MemoryTables()
        table = "s3://promoted/orders.v1/"
        return Room(
            memory, table, lambda *_: 1, lambda: {drop: rows for drop, (_, rows) in memory.rows[table].items() if rows}
        )
    clients: Clients = request.getfixturevalue("clients")
    stack: Stack = request.getfixturevalue("stack")
    bucket, own = stack.names["PromotedBucket"], uuid.uuid4().hex

    def lay(uri: str, drop: str, rows: int) -> int:
        body = parquet(drop, rows, COLUMNS)
        clients.s3.put_object(Bucket=bucket, Key=keys.split(uri)[1], Body=body)
        return len(body)

    def seen() -> dict[str, int]:
        delta_table = DeltaTable(f"s3://{bucket}/{own}/", storage_options=clients.for_tables())
        counts = QueryBuilder().register("t", delta_table).execute("select _drop, count(*) c from t group by 1")
        # To collect a query deltalake keeps Python's one lock, without which nobody here answers for S3.
        write_deltalake(here := tmp_path / uuid.uuid4().hex, counts)
        every = QueryBuilder().register("t", DeltaTable(here)).execute("select * from t").read_all()
        return dict(zip(every.column("_drop").to_pylist(), every.column("c").to_pylist(), strict=True))

    return Room(DeltaTables(clients.for_tables), f"s3://{bucket}/{own}/", lay, seen)


def test_rows_are_added_once_however_often(room: Room) -> None:
    room.append(A, 3)
    room.append(B, 2)
    room.append(A, 3)
    room.tables.append(room.table, (DataFile("0.parquet", 1, 3),), CopyTag(A, 1))

    assert room.seen() == {A: 3, B: 2}
    assert room.tables.ready(room.table, COLUMNS, CopyTag(A, 1))
    assert not room.tables.ready(room.table, COLUMNS, CopyTag(A, 2))


def test_rows_take_the_place_of_named_drops_alone(room: Room) -> None:
    room.append(A, 3)
    room.append(B, 2)
    room.replace(C, 4, A)
    room.replace(C, 4, A)
    assert room.seen() == {B: 2, C: 4}

    room.replace(B, 1, attempt=2)
    assert room.seen() == {B: 1, C: 4}


def test_drop_without_valid_rows_takes_the_place_of_others(room: Room) -> None:
    room.append(A, 3)
    room.append(B, 2)
    room.replace(C, 0, A)

    assert room.seen() == {B: 2}


def test_rows_of_one_drop_are_withdrawn_and_may_come_again(room: Room) -> None:
    room.append(A, 3)
    room.append(B, 2)
    room.tables.withdraw(room.table, CopyTag(A, 1))
    assert room.seen() == {B: 2}

    room.append(A, 5, attempt=2)
    room.tables.withdraw(room.table, CopyTag(A, 1))  # late, and repeated
    assert room.seen() == {A: 5, B: 2}


def test_withdrawal_that_found_no_rows_takes_none_of_a_later_attempt(room: Room) -> None:
    room.append(A, 3)
    room.tables.take_out(room.table, A)
    room.tables.withdraw(room.table, CopyTag(A, 1))
    room.append(A, 5, attempt=3)
    room.tables.withdraw(room.table, CopyTag(A, 1))  # late, and repeated
    assert room.seen() == {A: 5}

    room.tables.withdraw(room.table, CopyTag(A, 3))
    assert room.seen() == {}


def test_late_withdrawal_of_rows_that_others_have_replaced_takes_none(room: Room) -> None:
    room.append(A, 3)
    room.replace(A, 5, A, attempt=2)
    room.tables.withdraw(room.table, CopyTag(A, 1), later=2)
    assert room.seen() == {A: 5}

    room.tables.withdraw(room.table, CopyTag(A, 1), later=3)
    assert room.seen() == {}


def test_rows_that_come_after_their_withdrawal_are_withdrawn_again(room: Room) -> None:
    room.append(B, 2)
    room.tables.withdraw(room.table, CopyTag(A, 1))
    room.append(A, 3)
    room.tables.withdraw(room.table, CopyTag(A, 1))

    assert room.seen() == {B: 2}


def test_rows_of_one_drop_are_taken_out_as_often_as_they_come(room: Room) -> None:
    room.tables.take_out(room.table, A)  # there is no table yet
    room.append(A, 3)
    room.append(B, 2)
    room.tables.withdraw(room.table, CopyTag(A, 1))
    room.append(A, 5, attempt=2)
    room.tables.take_out(room.table, A)
    room.tables.take_out(room.table, A)

    assert room.seen() == {B: 2}


def test_files_are_those_of_the_table_as_it_stands(room: Room) -> None:
    assert room.tables.files(room.table) == set()
    room.append(A, 3)
    room.append(B, 2)
    own = [keys.data_file(drop, 1, "0.parquet") for drop in (A, B)]
    assert room.tables.files(room.table) == set(own)

    room.tables.withdraw(room.table, CopyTag(A, 1))
    assert room.tables.files(room.table) == {own[1]}
    room.replace(C, 4, B)
    (of_c,) = room.tables.files(room.table)
    assert of_c not in own


def test_rows_are_counted_by_their_drops(room: Room) -> None:
    assert room.tables.count(room.table) == {}
    assert not room.tables.made(room.table, CopyTag(A, 1))
    room.append(A, 3)
    room.append(B, 2)
    room.replace(C, 4, A)

    assert room.tables.count(room.table) == room.seen() == {B: 2, C: 4}
    made = {
        mark: room.tables.made(room.table, mark)
        for mark in (CopyTag(A, 1), CopyTag(A, 2), CopyTag(B, 1), CopyTag("d" * 32, 1))
    }
    assert list(made.values()) == [True, False, True, False]


def test_table_gets_new_columns_and_refuses_others(room: Room) -> None:
    room.append(A, 3)
    wider = (*COLUMNS[:1], TableColumn("note", "string"), *COLUMNS[1:])
    assert not room.tables.ready(room.table, wider, CopyTag(B, 1))
    room.append(B, 2)  # of the version before, whose files lack the column
    room.replace(C, 1, A)
    assert room.seen() == {B: 2, C: 1}

    with pytest.raises(TableUnlike, match="the table has `n` long where the contract has `N` long"):
        room.tables.ready(room.table, (TableColumn("N", "long"), *COLUMNS[1:]), CopyTag(A, 2))
    with pytest.raises(TableUnlike, match="`n` double"):
        room.tables.ready(room.table, (TableColumn("n", "double"), *COLUMNS[1:]), CopyTag(A, 2))


@pytest.fixture
def delta(clients: Clients, stack: Stack, tmp_path: Path, request: pytest.FixtureRequest) -> Room:  # noqa: ARG001
    """A room on S3."""
    request.param = "delta"
    on_s3: Room = room.__wrapped__(request, tmp_path)  # type: ignore[attr-defined]
    return on_s3


def race(writers: int, act: Callable[[int, DeltaTables], None], clients: Clients) -> None:
    """Let writers start at once, each with a client of its own, and again after ServiceUnavailable."""

    def insist(n: int) -> None:
        for _ in range(5):
            try:
                return act(n, DeltaTables(clients.for_tables))
            except ServiceUnavailable:
                continue
        raise AssertionError(n)

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(insist, range(writers)))


@pytest.fixture(params=[1, *(pytest.param(n, marks=pytest.mark.torture) for n in range(2, 11))])
def turn(request: pytest.FixtureRequest) -> int:
    """Return the number of the race; the test command has the first."""
    return int(request.param)


@pytest.mark.usefixtures("turn")
@pytest.mark.parametrize("writers", [2, 8])
def test_writers_of_one_table_lose_nothing(delta: Room, clients: Clients, writers: int) -> None:
    drops = [f"{n}" * 32 for n in range(writers)]
    race(writers, lambda n, own: delta.append(drops[n], n + 1, tables=own), clients)

    assert delta.seen() == {drop: n + 1 for n, drop in enumerate(drops)}


@pytest.mark.usefixtures("turn")
@pytest.mark.parametrize("writers", [2, 8])
def test_writers_of_one_drop_add_it_once(delta: Room, clients: Clients, writers: int) -> None:
    race(writers, lambda _, own: delta.append(A, 3, tables=own), clients)
    race(writers, lambda _, own: delta.replace(B, 2, A, tables=own), clients)

    assert delta.seen() == {B: 2}


def test_rows_are_replaced_while_the_table_is_compacted(delta: Room, clients: Clients) -> None:
    drops = [f"{n}" * 32 for n in range(6)]
    for drop in drops:
        delta.append(drop, 2)

    def act(n: int, own: DeltaTables) -> None:
        if n:
            delta.replace(drops[n], 5, attempt=2, tables=own)
        else:
            maintain(delta.table, clients.for_tables(), no_file)

    race(4, act, clients)

    assert delta.seen() == {drop: 5 if n in (1, 2, 3) else 2 for n, drop in enumerate(drops)}


def test_maintenance_keeps_rows_and_young_files(delta: Room, clients: Clients) -> None:
    for n in range(4):
        delta.append(f"{n}" * 32, 2)
    delta.replace(A, 3, "0" * 32)
    before = maintain(delta.table, clients.for_tables(), no_file, dry_run=True)
    done = maintain(delta.table, clients.for_tables(), no_file)
    bucket, folder = keys.split(delta.table)
    listed = clients.s3.list_objects_v2(Bucket=bucket, Prefix=folder)["Contents"]

    assert before == Maintained(delta.table, 4, 4, None, 0, 0, None)
    assert done == Maintained(delta.table, 4, 4, 1, 0, 0, True)
    assert delta.seen() == {A: 3, **{f"{n}" * 32: 2 for n in range(1, 4)}}
    assert len([one for one in listed if one["Key"].endswith("/1-0.parquet")]) == 4  # those of the last week stay
    assert [one for one in listed if one["Key"].endswith(".checkpoint.parquet")]


@pytest.mark.parametrize("form", ["object", "version"])
def test_maintenance_leaves_what_was_promoted_as_objects(form: str, tmp_path: Path) -> None:
    tables, table = DeltaTables(dict), f"{tmp_path}/"
    tables.ready(table, COLUMNS, CopyTag(A, 1))
    left_by_a_crash = [keys.data_file(A, 1, "0.parquet"), f"part-00000-{uuid.uuid4()}-c000.zstd.parquet"]
    objects = {"object": ["orders/1.csv", "1.parquet", "data/1-0.csv"], "version": [f"{B}/1.csv", f"{A}/1-0.parquet"]}
    for name in (*left_by_a_crash, *objects[form]):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(b"id\n1\n")
        os.utime(tmp_path / name, (0, 0))
    report = maintain(table, {}, no_file, dry_run=True)
    done = maintain(table, {}, os.remove)

    assert report == Maintained(table, 0, 0, None, 2, len(objects[form]), None)
    assert done == Maintained(table, 0, 0, 0, 2, len(objects[form]), True)
    assert as_text(done).endswith(f"2 unused ones removed; {len(objects[form])} that do not belong to the table stay")
    assert all((tmp_path / name).exists() for name in objects[form])
    assert not any((tmp_path / name).exists() for name in left_by_a_crash)


def test_rows_are_counted_in_files_of_several_drops(delta: Room, clients: Clients) -> None:
    delta.append(A, 3)
    delta.append(B, 2)
    write_deltalake(delta.table, of(None, 1, COLUMNS), mode="append", storage_options=clients.for_tables())
    maintain(delta.table, clients.for_tables(), no_file)

    assert delta.tables.count(delta.table) == {A: 3, B: 2, "": 1}


def test_table_whose_files_are_gone_is_not_counted(delta: Room, clients: Clients) -> None:
    delta.append(A, 3)
    bucket, folder = keys.split(delta.table)
    clients.s3.delete_object(Bucket=bucket, Key=f"{folder}{keys.data_file(A, 1, '0.parquet')}")

    with pytest.raises(ServiceUnavailable, match="could not be read"):
        delta.tables.count(delta.table)


def test_rows_of_a_table_that_was_restored_are_taken_out(tmp_path: Path) -> None:
    tables, table = DeltaTables(dict), f"{tmp_path}/"  # on S3 deltalake's `restore` keeps Python's one lock
    for drop in (A, B):
        tables.ready(table, COLUMNS, CopyTag(drop, 1))
        lies = tmp_path / keys.data_file(drop, 1, "0.parquet")
        lies.parent.mkdir(parents=True)
        size = lies.write_bytes(parquet(drop, 2, COLUMNS))
        tables.append(table, (DataFile("0.parquet", size, 2),), CopyTag(drop, 1))
    before = DeltaTable(table).version()
    tables.withdraw(table, CopyTag(A, 1))
    DeltaTable(table).restore(before)
    tables.withdraw(table, CopyTag(A, 1))
    assert tables.count(table) == {A: 2, B: 2}  # what was made once is not made again

    tables.take_out(table, A)
    assert tables.count(table) == {B: 2}


def test_maintenance_of_no_table_is_none(delta: Room, clients: Clients) -> None:
    assert maintain(delta.table, clients.for_tables(), no_file) is None


@pytest.mark.parametrize("name", ["ready", "append", "replace", "withdraw", "take_out"])
def test_table_that_does_not_answer_comes_again(name: str) -> None:
    nobody = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    nobody |= {"AWS_ACCESS_KEY_ID": "functions", "AWS_SECRET_ACCESS_KEY": "none", "max_retries": "0"}
    tables, table, mark = DeltaTables(lambda: nobody), "s3://promoted/orders.v1/", CopyTag(A, 1)
    acts: Mapping[str, Callable[[], object]] = {
        "ready": lambda: tables.ready(table, COLUMNS, mark),
        "append": lambda: tables.append(table, (), mark),
        "replace": lambda: tables.replace(table, f"{table[:-1]}-laid/", (), mark, ()),
        "withdraw": lambda: tables.withdraw(table, mark),
        "take_out": lambda: tables.take_out(table, A),
    }

    with pytest.raises(ServiceUnavailable):
        acts[name]()
