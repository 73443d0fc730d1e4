"""A file of results as history: what the pipeline held a drop against, from the lines that people have of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from contracts import rules
from contracts.plan import Check, Plan, Unit
from contracts.terms.history import Figure
from functions.admission.arrival_window import uploaded
from functions.drop import Drop, Location
from functions.operations.override import Overruled, reject
from functions.operations.replay import Replayed, replay
from functions.records.outcome import results_of
from infra.offline.history_file import NotHistory, read
from tests.builders import World, a_relative_plan, a_world
from tests.unit.functions.promotion.test_history import judged, sent

AT = datetime(2026, 2, 6, 12, tzinfo=UTC)
PLAN = a_relative_plan()


def lines_of(world: World, *drops: Drop) -> list[str]:
    """The lines that `dropgate results` prints of some drops, newest first."""
    lines = []
    for drop in sorted(drops, key=lambda drop: drop.received_at, reverse=True):
        uris = [uri for uri in results_of(world.ports, drop) if world.store.head(Location(uri))]
        lines += [line.decode() for uri in uris for line in gzip.decompress(world.store.get(uri)).splitlines()]
    return lines


def figures(plan: Plan, *lines: Mapping[str, Any], name: str = "orders/x.csv", check: str = "volume") -> list[Figure]:
    history = read(plan, map(json.dumps, lines)).history(plan, name, AT)
    return [*history[check].figures]


@pytest.mark.parametrize("weekday", [False, True])
def test_lines_of_results_hold_what_the_pipeline_holds(weekday: bool) -> None:
    """Some drops are rejected, withdrawn, judged again, or of one key on one day."""
    world = a_world(contracts=[a_relative_plan(last=2, weekday=weekday)])
    drops = [sent(world, f"orders/{n}.csv", count) for n, count in enumerate((10, 11, 12, 90, 13, 14, 15, 16, 17) * 2)]
    assert isinstance(reject(world.ports, drops[-2], "ana", "a copy"), Overruled)
    again = next(drop for drop in drops if drop.state == "rejected")
    assert isinstance(replay(world.ports, again.id), Replayed)
    world.clock.pass_seconds(120)
    judged(world, 13)
    world.upload("orders/17.csv", b"id,note\n" + b"1,2\n" * 18)
    judged(world, 18)
    lines = lines_of(world, *world.drops().values())
    drop = sent(world, "orders/17.csv", 17)
    history = read(world.plans[0], lines).history(world.plans[0], drop.name, uploaded(drop))

    assert history == dict(drop.history)
    assert len(history["volume"].figures) == 2


SHARE = Check(
    "nulls", rules.NullValues(), "set", "error", "completeness", "as before", "note", PLAN.checks[-1].threshold
)
OF: dict[str, tuple[rules.Rule, Unit, dict[str, Any], Figure | None]] = {
    "records": (rules.RowCount(), "rows", {"evaluated": 12, "observed": "12"}, Figure(Decimal(12))),
    "a value": (rules.Mean(("-50", "50")), "rows", {"evaluated": 9, "observed": "2.5"}, Figure(Decimal("2.5"))),
    "a number": (rules.NullValues(), "rows", {"evaluated": 9, "failed": 3, "observed": "3"}, Figure(Decimal(3))),
    "a share": (rules.NullValues(), "percent", {"evaluated": 9, "failed": 3}, Figure(Decimal(3), 9)),
    "nothing": (rules.Mean(("-50", "50")), "rows", {"evaluated": None, "observed": None}, None),
}


@pytest.mark.parametrize("name", OF)
def test_line_has_the_figure_of_its_kind(name: str) -> None:
    rule, unit, line, figure = OF[name]
    assert SHARE.threshold
    check = replace(SHARE, rule=rule, threshold=replace(SHARE.threshold, unit=unit))
    plan = replace(PLAN, checks=(*PLAN.checks, check))

    assert figures(plan, {"check_id": "nulls", **line}, check="nulls") == ([] if figure is None else [figure])


def test_lines_by_hand_count_in_their_order() -> None:
    lines = [{"check_id": "volume", "evaluated": n} for n in (1, 2, 3, 4)]
    others = [{"check_id": "id.required", "evaluated": 9}, {"check_id": "volume", "evaluated": 9, "contract": "b.v1"}]

    assert [int(figure.value) for figure in figures(PLAN, *others, *lines)] == [1, 2, 3]


def test_file_is_held_against_what_came_before_it() -> None:
    hour = timedelta(hours=1)
    times = {1: AT + hour, 2: AT, 3: AT - hour}
    lines = [{"check_id": "volume", "evaluated": n, "received_at": f"{at.isoformat()}"} for n, at in times.items()]

    assert [int(figure.value) for figure in figures(PLAN, *lines)] == [2, 3]


BAD = {
    "no JSON": ("x", PLAN, "line 2 is no JSON object; write one for each result"),
    "no object": ("[]", PLAN, "line 2 is no JSON object"),
    "no number": ('{"check_id": "volume", "evaluated": "many"}', PLAN, "line 2: `evaluated` of `volume` is `many`"),
    "no finite number": (
        '{"check_id": "volume", "evaluated": "NaN"}',
        PLAN,
        "line 2: `evaluated` of `volume` is `NaN`",
    ),
    "no attempt": (
        '{"check_id": "volume", "evaluated": 1, "attempt": "2"}',
        PLAN,
        "line 2: `attempt` is no whole number.",
    ),
    "no time": (
        '{"check_id": "volume", "evaluated": 1}',
        a_relative_plan(weekday=True),
        "line 2: `received_at` is no time; `volume` needs one, as 2026-01-31T05:30:00Z.",
    ),
    "no such time": ('{"check_id": "volume", "evaluated": 1, "received_at": "soon"}', PLAN, "`received_at` is no time"),
}


@pytest.mark.parametrize("name", BAD)
def test_line_that_is_none_is_named(name: str) -> None:
    line, plan, message = BAD[name]
    with pytest.raises(NotHistory) as raised:
        read(plan, ["\n", line])
    assert message in str(raised.value)
