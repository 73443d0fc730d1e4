"""References pinned when a job starts: their files and names, and the problem of a missing one."""

from __future__ import annotations

from dataclasses import replace

from contracts.job import JobReference
from contracts.plan import Reference
from functions.flow.batching import reach
from functions.flow.references import MOST_FILES, pinned
from tests.builders import ZONES, a_plan, a_world

CUSTOMERS = a_plan("customers.v1", ["customers/*.csv"])
FILE = Reference("countries", path="countries.csv", sha256="0a1b")
ORDERS = a_plan(references=(FILE, Reference("customers.v1", contract="customers.v1")))
PROMOTED = "s3://promoted/customers.v1/customers/"


def test_reference_file_is_pinned_by_its_hash() -> None:
    reference, _ = pinned(a_world([ORDERS]).ports, ORDERS)
    assert reference == JobReference("countries", "sha256:0a1b", ("s3://internal/catalog/references/0a1b.csv",))


def test_promoted_files_are_pinned_with_their_plan() -> None:
    world = a_world([ORDERS, CUSTOMERS])
    world.store.put(f"{PROMOTED}1.csv", b"id\n1\n", "text/csv")
    world.store.put(f"{PROMOTED}a #2?.csv", b"id\n2\n", "text/csv")
    world.store.put("s3://promoted/customers.v10/x.csv", b"", "text/csv")
    _, before = pinned(world.ports, ORDERS)
    world.store.put(f"{PROMOTED}1.csv", b"id\n3\n", "text/csv")
    _, after = pinned(world.ports, ORDERS)

    assert before.files == after.files == (f"{PROMOTED}1.csv", f"{PROMOTED}a%20%232%3F.csv")
    assert before.plan == CUSTOMERS
    assert before.version != after.version


def test_what_is_not_there_is_said() -> None:
    world = a_world([ORDERS, CUSTOMERS])
    empty = pinned(world.ports, ORDERS)[1].problem
    world.publish([ORDERS])
    withdrawn = pinned(world.ports, ORDERS)[1].problem
    unpublished = replace(ORDERS, references=(replace(FILE, sha256=None),))

    assert empty == "is empty: none of its files was promoted yet"
    assert withdrawn == "is a contract that is not in force"
    assert [one.problem for one in pinned(world.ports, unpublished)] == ["was never published"]


def test_table_is_no_reference_yet() -> None:
    world = a_world([ORDERS, replace(CUSTOMERS, promote="table")])
    world.store.put(f"{PROMOTED}data/1-0.parquet", b"PAR1", "application/octet-stream")

    assert pinned(world.ports, ORDERS)[1].problem == "is promoted into a table, which is not built yet"


def test_more_files_than_a_request_holds_are_said() -> None:
    world = a_world([ORDERS, CUSTOMERS])
    for number in range(MOST_FILES + 1):
        world.store.put(f"{PROMOTED}{number}.csv", b"", "text/csv")
    assert pinned(world.ports, ORDERS)[1].problem == "has more than 5,000 promoted files, which is not built yet"


def test_request_and_run_know_what_is_held_against() -> None:
    world = a_world([ORDERS, CUSTOMERS])
    world.store.put(f"{PROMOTED}1.csv", b"id\n1\n", "text/csv")
    world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    world.deliver_windows()

    assert world.request().references == pinned(world.ports, ORDERS)
    batch = world.ledger.batch(world.request().batch)
    assert batch
    assert reach(ZONES, batch, ORDERS, ()).references == (
        "s3://internal/catalog/references/0a1b.csv",
        "s3://promoted/customers.v1/",
    )


def test_plans_without_references_ask_for_nothing() -> None:
    world = a_world()
    world.upload("orders/1.csv", b"id,note\n1,a\n")
    world.deliver_events()
    world.deliver_windows()

    assert world.request().references == ()
    assert "references" not in world.store.get(next(iter(world.jobs.requests.values()))).decode()
