"""A contract that is tried on drops of then: judged by the time of their uploads, and by what their manifests said."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from contracts.plan import Property
from contracts.terms.arrival import Arrival
from contracts.terms.file_sets import SetRule, Totals
from infra.offline.trial import totals, try_on
from tests.builders import a_drop, a_plan, a_world

PROPERTIES = (Property("id", "string"), Property("n", "integer"))


def no_spark() -> Any:
    raise AssertionError("nothing is let in")


@pytest.mark.parametrize(
    ("uploaded", "code"), [("2026-01-30T05:59:00Z", []), ("2026-01-30T06:01:00Z", ["arrived-late"])]
)
def test_past_drops_come_when_they_came(uploaded: str, code: list[str]) -> None:
    world = a_world([a_plan()])
    drop_id = world.upload("orders/1.csv", b"ID\n1\n")
    world.deliver_events()
    plan = a_plan(arrival=Arrival("06:00", outside="reject"))
    (tried,) = try_on(world.ports, plan, [replace(world.drop(drop_id), uploaded_at=uploaded)], no_spark, lambda _: None)

    assert tried.decision
    assert [p.code for p in tried.decision.problems if p.code.startswith("arrived")] == code


STATED = Totals(2, {"n": Decimal(3), "m": Decimal(4)})


@pytest.mark.parametrize(
    ("rule", "compared"),
    [
        (None, None),
        (SetRule(("day",), 60, marker="in/{day}/ok"), None),
        (SetRule(("day",), 60, manifest="in/{day}.json"), Totals(2)),
        (SetRule(("day",), 60, manifest="in/{day}.json", sums=("n",)), Totals(2, {"n": Decimal(3)})),
    ],
)
def test_manifests_of_then_are_held_as_far_as_the_contract_has_them(
    rule: SetRule | None, compared: Totals | None
) -> None:
    assert totals(a_plan(properties=PROPERTIES, set=rule), a_drop(totals=STATED)) == compared
