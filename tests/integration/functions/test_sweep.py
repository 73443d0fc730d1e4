"""Every call to AWS of every scenario goes wrong in every way, one at a time: the end is the same, no promise breaks.

The test command takes each call that a function makes for a port once; `make torture` all of them, each in all ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle

import botocore.retries.quota
import botocore.retries.standard
import pytest

from contracts.job import DropResult, JobDrop
from contracts.plan import Plan
from contracts.sets import SetRule
from functions import ports
from infra.local.cloud import Cloud
from tests.builders import a_marked_plan, a_plan, a_window, all_good, one_bad, publish, reaching
from tests.integration.functions.by_hand import BAD_HEADER, CREATED, DUE, ENDED, PLANS, running
from tests.integration.functions.sweep import SIDES, Attack, Point, Scenario, Sweep

GATHERED = a_plan(
    "sets.v1", ("sets/{day}/*.csv",), set=SetRule(("day",), 3600, marker="sets/{day}/_SUCCESS"), same_key="version"
)
LISTED = a_plan("listed.v1", ("listed/{day}/*.csv",), set=SetRule(("day",), 3600, manifest="listed/{day}/all.json"))
MARKED = a_marked_plan(contract="marks.v1", files=("marks/*.csv",))


def judge(plan: Plan, drop: JobDrop) -> DropResult:
    """By the file's name; a drop that is judged again is good."""
    if plan.watermarks:
        return reaching(plan, drop)
    return (one_bad if "bad" in drop.name and drop.attempt == 1 else all_good)(plan, drop)


@pytest.fixture(scope="module")
def sweep(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Sweep]:
    # boto3 sleeps for seconds between its tries, and tries less often where much fails; it tries as ever here.
    environment.setattr(botocore.retries.standard.ExponentialBackoff, "delay_amount", lambda *_: 0)
    environment.setattr(botocore.retries.quota.RetryQuota, "acquire", lambda *_: True)
    with running(environment, cloud) as site:
        publish(site.ports.store, site.ports.zones.catalog, (*PLANS, MARKED, GATHERED, LISTED, a_window("window", 30)))
        site.judge = judge
        yield Sweep(site)


def accept(attack: Attack) -> None:
    attack.upload("orders/a.csv")
    attack.deliver()


def refuse(attack: Attack) -> None:
    attack.upload("orders/a.csv", BAD_HEADER)
    attack.deliver()


def reject(attack: Attack) -> None:
    attack.upload("orders/bad.csv")
    attack.deliver()


def match_nothing(attack: Attack) -> None:
    attack.upload("oders/a.csv")
    attack.deliver()


def batch_of_five(attack: Attack) -> None:
    for n in range(4):
        attack.upload(f"orders/{n}.csv")
    attack.upload("orders/bad.csv")
    attack.deliver()


def replay(attack: Attack) -> None:
    drop = attack.upload("orders/bad.csv")
    attack.deliver()
    attack.replay(drop)
    attack.deliver()


def supersede(attack: Attack) -> None:
    attack.upload("orders/a.csv")
    attack.deliver()
    attack.upload("orders/a.csv", b"id,note\n2,b\n")
    attack.deliver()


def overtake(attack: Attack) -> None:
    attack.upload("orders/a.csv")
    attack.upload("orders/a.csv", b"id,note\n2,b\n")
    attack.deliver()


def crash(attack: Attack) -> None:
    attack.upload("crash/a.csv")
    attack.deliver()


def reach(attack: Attack) -> None:
    attack.upload("marks/5.csv", b"id,n\n1,5\n")
    attack.deliver()


def miss_a_file(attack: Attack) -> None:
    """A window ends without its file, which comes late."""
    for _ in range(3):
        attack.strike()
    attack.upload("window/a.csv")
    attack.deliver()
    attack.strike()


def wait_for_a_marker(attack: Attack) -> None:
    attack.upload("sets/1/a.csv")
    attack.deliver()
    attack.upload("sets/1/_SUCCESS", b"1")
    attack.deliver()


def follow_a_manifest(attack: Attack) -> None:
    attack.upload("listed/1/all.json", b'{"files": [{"name": "a.csv", "bytes": 12, "rows": 3}]}')
    attack.deliver()
    attack.upload("listed/1/a.csv")
    attack.deliver()


def hear_nothing(attack: Attack) -> None:
    """No message arrives: the schedule finds the object, has its window told of again, and asks for the run."""
    attack.site.ports.ledger.put_sweep(("orders/0.csv", "v"))
    attack.upload("orders/a.csv")
    attack.lose(CREATED)
    attack.strike()
    attack.strike()
    attack.lose(DUE)
    attack.strike()
    attack.deliver(DUE)
    attack.lose(ENDED)
    attack.strike()


def start_again(attack: Attack) -> None:
    """A function dies once the job is started, and its message is lost: the schedule looks for the run."""
    attack.upload("orders/a.csv")
    attack.deliver(CREATED)
    attack.befall(DUE, "EmrJobs.start", "after")
    attack.deliver(DUE)
    attack.lose(DUE, ENDED)
    attack.strike()


def claim_again(attack: Attack) -> None:
    """The batch is written, and boto3, which had no answer, is told that somebody else wrote it."""
    attack.upload("orders/a.csv")
    attack.deliver(CREATED)
    attack.befall(DUE, "DynamoLedger.write", "lost")
    attack.deliver()


SCENARIOS: tuple[Scenario, ...] = (
    accept,
    refuse,
    reject,
    match_nothing,
    batch_of_five,
    replay,
    supersede,
    overtake,
    crash,
    reach,
    miss_a_file,
    wait_for_a_marker,
    follow_a_manifest,
    hear_nothing,
    start_again,
    claim_again,
)

PORTS = (ports.ObjectStore, ports.Ledger, ports.Jobs, ports.Delays)
OF_PEOPLE = {"history", "starting_with", "of_month", "pause", "resume", "pauses", "absences"}
"""Methods of ports that no function calls: what people look for and hold up."""
ELSEWHERE = {"begin", "go_on", "break_off", "upload", "note_upload", "clear", "withdraw", "each"}
"""Methods that only large files, jobs that die for good, withdrawals and comparisons lead to: no scenario here yet, but
each call of theirs goes wrong before and after in tests/unit/functions/test_crashes.py and test_differences.py."""


Faults = list[tuple[Scenario, Point]]
Record = Callable[[str, object], None]


@pytest.fixture(scope="module")
def few(sweep: Sweep) -> Faults:
    """Of each call that a function makes for a port the first one, the ways in turn."""
    found: dict[tuple[str, str, str], tuple[Scenario, Point]] = {}
    sides = cycle(SIDES)
    for scenario in SCENARIOS:
        for call in sweep.run(scenario)[1]:
            if (kind := (call.function, call.method, call.operation)) not in found:
                found[kind] = scenario, Point(call, next(sides))
    return list(found.values())


def gone_wrong(sweep: Sweep, scenario: Scenario, points: list[Point]) -> list[str]:
    """What is not as it should be after points were met, one by one."""
    end, _ = sweep.run(scenario)
    found: list[str] = []
    for point in points:
        try:
            assert sweep.run(scenario, point)[0] == end
        except (AssertionError, LookupError) as error:
            found.append(f"{point}: {error}")
    return found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_each_call_gone_wrong_once_changes_nothing(
    scenario: Scenario, sweep: Sweep, few: Faults, record_property: Record
) -> None:
    points = [point for of, point in few if of is scenario]
    record_property("points of the sweep", len(points))

    assert gone_wrong(sweep, scenario, points) == []


def test_no_call_is_left_out(few: Faults) -> None:
    met = {point.call.method.rpartition(".")[2] for _, point in few}
    every = {name for port in PORTS for name in vars(port) if not name.startswith("_")}

    assert met == every - OF_PEOPLE - ELSEWHERE


@pytest.mark.torture
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_every_call_gone_wrong_changes_nothing(
    scenario: Scenario, side: str, sweep: Sweep, record_property: Record
) -> None:
    points = [point for point in sweep.points(scenario) if point.side == side]
    record_property("points of the sweep", len(points))

    assert gone_wrong(sweep, scenario, points) == []
