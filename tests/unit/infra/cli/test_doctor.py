"""`dropgate doctor`: machines get one array, also of nothing and of what was found before it broke off."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from contracts.errors import ServiceUnavailable
from functions.doctor.compare import differences
from functions.doctor.difference import Difference
from infra.cli.doctor import _contracts, _show
from tests.builders import ZONES, a_world

UNKNOWN = Difference("unknown-upload", "s3://landing/1.csv", "has no record", "Take it in.", lambda: None)
TAKEN = Difference("promoted-taken", "s3://promoted/1.csv", "is another's", "Look at it.")


@pytest.mark.parametrize("findings", [(), (UNKNOWN,), (UNKNOWN, TAKEN)])
def test_machines_get_one_array(findings: tuple[Difference, ...], capsys: pytest.CaptureFixture[str]) -> None:
    left = _show(findings, "json", repair=True)
    rows = json.loads(capsys.readouterr().out)

    assert [row["kind"] for row in rows] == [one.kind for one in findings]
    assert [row.get("done") for row in rows] == ["repaired", None][: len(findings)]
    assert left == (TAKEN in findings)


def broken_off() -> Iterator[Difference]:
    yield UNKNOWN
    raise ServiceUnavailable("no answer")


def test_what_was_repaired_before_it_broke_off_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ServiceUnavailable):
        _show(broken_off(), "json", repair=True)

    assert [row["done"] for row in json.loads(capsys.readouterr().out)] == ["repaired"]


def test_index_that_cannot_be_read_is_a_difference() -> None:
    world = a_world()
    world.store.clear(f"{ZONES.catalog}index/")
    contracts = _contracts(world.ports, ("retired.v1",))

    assert contracts == ("retired.v1", None)
    assert [one.kind for one in differences(world.ports, contracts, ["2026-01"])] == ["catalog"]


def test_contracts_are_those_in_force_and_those_that_were_said() -> None:
    assert _contracts(a_world().ports, ("retired.v1", "orders.v1")) == ("orders.v1", "retired.v1", None)
