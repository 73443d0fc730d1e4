"""`dropgate slo`: how promises stand, and a mark for each of their last periods."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from contracts.terms.promises import DAY, Promise, State
from functions.operations.promises import promises_of
from functions.ports.promises import Held, PromisePeriod, Standing
from infra.cli.main import main
from infra.cli.options.target import DEMO, of_ports
from infra.local.state.export_folder import save
from tests.builders import ZONES, a_drop, a_plan, a_world
from tests.fakes import MemoryLedger

AT = "2026-01-31T12:00:00.000000Z"


def day(n: int) -> str:
    return f"2026-01-{n:02}T00:00:00.000000Z"


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    monkeypatch.chdir(tmp_path)
    ledger = MemoryLedger()
    ledger.open(a_drop(contract="orders.v1", state="accepted"))
    ledger.open(a_drop(id="b" * 32, contract="plain.v1", state="accepted"))
    return ledger


def slo(ledger: MemoryLedger, *words: str) -> Result:
    ids = [a_drop().id, "b" * 32]
    save(DEMO, ledger, ids, {}, {"promoted": ZONES.promoted}, "2026-01-31T12:00:00Z")
    return CliRunner(mix_stderr=False).invoke(main, ["slo", *words])


RESULTS: tuple[State | None, ...] = (None, "met", "missed")


def hold(ledger: MemoryLedger, state: State, judged_at: str = AT) -> None:
    held = Held("loadDate", "s", AT, AT, day(31), state, promised="so old at most", figure="of today")
    results = [
        PromisePeriod("orders.v1", "loadDate", day(n), day(n + 1), result, "x")
        for n, result in zip(range(28, 31), RESULTS, strict=True)
    ]
    ledger.write((), Standing("orders.v1", AT, judged_at, (held,)), *results)


def test_state_and_last_periods_are_shown(ledger: MemoryLedger) -> None:
    hold(ledger, "met")
    shown = slo(ledger)

    assert (shown.exit_code, shown.stdout.splitlines()) == (
        0,
        [
            "orders.v1  judged at 2026-01-31 12:00:00",
            "  ✓ met      loadDate  so old at most",
            "                       of today; so since 2026-01-31 12:00:00",
            "                       .✓✕  periods up to 2026-01-31 00:00:00",
        ],
    )


def test_missed_promise_is_an_exit_of_one(ledger: MemoryLedger) -> None:
    hold(ledger, "missed")
    (row,) = json.loads(slo(ledger, "orders.v1", "--format", "json").stdout)

    assert slo(ledger).exit_code == 1
    assert [(one["name"], one["state"]) for one in row["promises"]] == [("loadDate", "missed")]
    assert [one["state"] for one in row["promises"][0]["periods"]] == ["missed", "met", None]


@pytest.mark.parametrize("state", ["met", "at_risk", "unknown", "missed"])
def test_promise_that_nobody_has_judged_for_an_hour_is_unknown(ledger: MemoryLedger, state: State) -> None:
    hold(ledger, state, judged_at="2026-01-31T10:59:59.000000Z")
    shown = slo(ledger)
    (row,) = json.loads(slo(ledger, "--format", "json").stdout)

    assert shown.exit_code == 1
    assert "? unknown" in shown.stdout
    assert "judged at 2026-01-31 10:59:59, and not since" in shown.stdout
    assert (row["is_late"], row["promises"][0]["state"]) == (True, "unknown")


def test_promise_that_was_judged_within_the_hour_is_as_it_was(ledger: MemoryLedger) -> None:
    hold(ledger, "met", judged_at="2026-01-31T11:00:00.000000Z")

    assert slo(ledger).exit_code == 0


def test_promises_that_nobody_ever_judged_are_an_exit_of_one(ledger: MemoryLedger) -> None:
    ledger.write((), Standing("orders.v1", "2026-01-31T10:00:00.000000Z"))
    shown = slo(ledger)

    assert shown.exit_code == 1
    assert "never judged" in shown.stdout


def test_promises_whose_first_look_failed_are_an_exit_of_one(ledger: MemoryLedger) -> None:
    ledger.write((), Standing("orders.v1", "2026-01-31T12:05:00.000000Z"))

    assert slo(ledger).exit_code == 1


def test_promises_of_a_stack_whose_schedule_never_ran_are_late_after_an_hour() -> None:
    promise = Promise("frequency", "frequency", DAY, period=DAY)
    world = a_world([a_plan(promises=(promise,)), a_plan("plain.v1", ("plain/*.csv",))])

    def late(hours: int) -> list[object]:
        now = world.clock.now() + timedelta(hours=hours)
        target = replace(of_ports(world.ports), now=lambda: now)
        promising = target.promising()
        rows = [
            promises_of(target.ledger, contract, promising.get(contract), target.now())
            for contract in target.contracts()
        ]
        return [row["is_late"] if row else None for row in rows]

    assert late(0) == [None, None]
    assert late(2) == [True, None]
    world.reconcile()
    assert late(0) == [False, None]


def test_promises_that_were_just_published_are_not_late(ledger: MemoryLedger) -> None:
    ledger.write((), Standing("orders.v1", AT))

    assert slo(ledger).exit_code == 0


def test_contract_without_promises_says_how_to_have_some(ledger: MemoryLedger) -> None:
    assert "write `slo: enforce`" in slo(ledger).stdout
    assert slo(ledger, "plain.v1").exit_code == 0
    assert "Did you mean plain.v1?" in slo(ledger, "plan.v1").stderr
