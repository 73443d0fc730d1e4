"""A table that is sent whole each day, through the whole flow: its checks look at what is new alone."""

from __future__ import annotations

from decimal import Decimal

from contracts.job import JobResult
from contracts.watermarks import HighMark
from functions import keys
from functions.drop import Drop
from tests.e2e.conftest import World

FIRST = b"day,amount\n2026-01-01,1\n2026-01-02,2\n"
SECOND_DAY, THIRD_DAY = (HighMark("day", "date", Decimal(20_455 + n)) for n in (0, 1))


def sent(world: World, name: str, body: bytes) -> Drop:
    return world.settled(world.upload(f"growing/{name}.csv", body))


def evaluated(world: World, drop: Drop) -> int:
    """Return the number of records that the check with the watermark evaluated."""
    folder = keys.job_folder(world.ports.zones, drop.batch or "", drop.try_ or 0)
    result = JobResult.loads(world.ports.store.get(f"{folder}result.jsonl"))
    return result.drops[0].counts[result.header.checks.index("amount.nullValues")].evaluated


def test_only_new_records_are_looked_at(world: World) -> None:
    first = sent(world, "first", FIRST)
    assert (first.state, evaluated(world, first)) == ("accepted", 2)
    assert world.ports.ledger.watermarks("growing.v1").marks == (SECOND_DAY,)

    bad = sent(world, "bad", FIRST + b"2026-01-03,\n")
    assert (bad.state, evaluated(world, bad)) == ("rejected", 1)
    assert world.ports.ledger.watermarks("growing.v1").marks == (SECOND_DAY,)

    past = sent(world, "past", b"day,amount\n2026-01-01,\n2026-01-02,2\n2026-01-03,3\n")
    assert (past.state, evaluated(world, past)) == ("accepted", 1)
    assert world.ports.ledger.watermarks("growing.v1").marks == (THIRD_DAY,)

    nothing_new = sent(world, "again", FIRST)
    assert (nothing_new.state, evaluated(world, nothing_new)) == ("accepted", 0)
    assert world.ports.ledger.watermarks("growing.v1").marks == (THIRD_DAY,)
