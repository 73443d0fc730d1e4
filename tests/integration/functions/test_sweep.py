"""Every call to AWS of every scenario goes wrong in every way, one at a time: the end is the same, no promise breaks.

The proofs take each call that a function makes for a port once, and those of promises and history from each of their
places, in one way; `make torture` takes all of them, each in all ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import chain, cycle
from typing import Any

import botocore.retries.quota
import botocore.retries.standard
import pytest

from contracts.job import Count, DropResult, JobDrop
from contracts.plan import Limit, Plan
from contracts.terms.file_sets import SetRule
from contracts.terms.promises import Promise
from contracts.terms.spans import Span
from functions import keys
from functions.doctor.compare import differences
from functions.operations import override
from functions.operations.replay import replay as replayed
from functions.ports import Ports
from infra.local.cloud import Cloud
from infra.local.loopback import LoopbackServer
from tests.builders import a_marked_plan, a_plan, a_relative_plan, a_window, all_good, noon_zone, one_bad, reaching
from tests.integration.functions.by_hand import BAD_HEADER, CLOCK, CREATED, DUE, ENDED, LANE, PLANS, running
from tests.integration.functions.sites import Site, sites
from tests.integration.functions.sweep import Attack, Later, NotMet, Scenario, Sweep
from tests.integration.functions.wire import SIDES, Call, Point, Side, Wire

GATHERED = a_plan(
    "sets.v1", ("sets/{day}/*.csv",), set=SetRule(("day",), 3600, marker="sets/{day}/_SUCCESS"), same_key="version"
)
LISTED = a_plan("listed.v1", ("listed/{day}/*.csv",), set=SetRule(("day",), 3600, manifest="listed/{day}/all.json"))
MARKED = a_marked_plan(contract="marks.v1", files=("marks/*.csv",))
WITH_ROWS = a_plan("rows.v1", ("rows/*.csv",), promote="rows", tolerance=Limit(Decimal(1), "rows"))
WITH_TABLE = a_plan("table_commit.v1", ("table/*.csv",), promote="table", tolerance=Limit(Decimal(1), "rows"))
LARGER = a_plan("large.v1", ("large/*.csv",))
WIDE = f"id,{'n' * 3000}"
"""A header that is too long for the ledger."""
VERSIONS = a_plan("versions.v1", ("versions/*.csv",), same_key="version")
ONCE = a_plan("once.v1", ("once/*.csv",), WIDE.split(","), same_content="reject")
RELATIVE = a_relative_plan(2, contract="volumes.v1", files=("volumes/*.csv",))
OTHERS = (MARKED, GATHERED, LISTED, WITH_ROWS, WITH_TABLE, VERSIONS, ONCE, LARGER, RELATIVE)
QUICK = a_plan("quick.v1", ("quick/*.csv",))
"""The contract whose files the fast lane may judge; in this stack it is on."""
EVER = (*(replace(plan, lane="spark") for plan in (*PLANS, *OTHERS)), QUICK)
THREE = b"id,note\n1,a\n2,b\n3,c\n"
"""As many records as the job's double counts in any file."""
MIB = 1024**2
LARGEST = 5 * MIB
"""Bytes that one copy moves here, and that a part has: S3 takes no fewer in any part but the last."""
LARGE = b"id,note\n" + b"1,a\n" * (LARGEST // 4)


def judge(plan: Plan, drop: JobDrop) -> DropResult:
    """By the file's name: a bad drop is good when it is judged again, a later one is bad then; a cut one is short."""
    if plan.watermarks:
        return reaching(plan, drop)
    if "cut" in drop.name:
        return replace(all_good(plan, drop), read=1, valid=1, counts=tuple(Count(1) for _ in plan.checks))
    bad = "bad" in drop.name if drop.attempt == 1 else "later" in drop.name
    return (one_bad if bad else all_good)(plan, drop)


def kills(drop: JobDrop) -> bool:
    """Return True if a drop kills its job, by its name."""
    return "poison" in drop.name


@pytest.fixture(scope="module")
def sweep(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Sweep]:
    # boto3 sleeps for seconds between its tries, and tries less often where much fails; it tries as ever here.
    environment.setattr(botocore.retries.standard.ExponentialBackoff, "delay_amount", lambda *_: 0)
    environment.setattr(botocore.retries.quota.RetryQuota, "acquire", lambda *_: True)
    environment.setenv("DROPGATE_LARGEST_COPY", str(LARGEST))
    environment.setenv("DROPGATE_COPY_PART", str(LARGEST))
    cloud.largest_copy, wire = LARGEST, Wire(cloud)
    with LoopbackServer(wire.meet) as way:
        environment.setenv("AWS_ENDPOINT_URL_S3", way.endpoint)
        with running(environment, cloud, fast_lane=True) as site:
            site.judge, site.kills = judge, kills
            yield Sweep(site, wire, EVER)


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
    attack.settle()
    attack.ask(lambda ports: replayed(ports, drop))
    attack.deliver()


def retract(attack: Attack) -> None:
    """A promoted file that is bad when it is judged again."""
    drop = attack.upload("orders/later.csv")
    attack.settle()
    attack.ask(lambda ports: replayed(ports, drop, retract=True))
    attack.deliver()


def judge_a_version_again(attack: Attack) -> None:
    """A promoted file that is good again, and takes its own place."""
    drop = attack.upload("versions/a.csv")
    attack.settle()
    attack.ask(lambda ports: replayed(ports, drop, retract=True))
    attack.deliver()


def accept_all_the_same(attack: Attack) -> None:
    drop = attack.upload("orders/bad.csv")
    attack.settle()
    attack.ask(lambda ports: override.accept(ports, attack.drop(drop), "ann", "checked by hand"))


def reject_after_all(attack: Attack) -> None:
    drop = attack.upload("orders/a.csv")
    attack.settle()
    attack.ask(lambda ports: override.reject(ports, attack.drop(drop), "ann", "recalled"))


def compare(attack: Attack) -> None:
    """A person runs the doctor with repairs: an upload has no record."""
    attack.upload("orders/a.csv")
    attack.settle()
    attack.upload("orders/b.csv")
    attack.lose(CREATED)
    attack.ask(repair)
    attack.deliver()


def repair(ports: Ports) -> None:
    later = replace(ports, clock=Later(timedelta(hours=1)))
    now = datetime.now(UTC)
    for one in differences(later, ["orders.v1"], [f"{now:%Y-%m}"]):
        if one.repair:
            one.repair()


def promote_rows(attack: Attack) -> None:
    attack.upload("rows/bad.csv")
    attack.deliver()


def fill_a_table(attack: Attack) -> None:
    attack.upload("table/bad.csv")
    attack.deliver()


def exchange_in_a_table(attack: Attack) -> None:
    """Rows that take the place of others, and are taken back."""
    attack.upload("table/a.csv")
    attack.settle()
    drop = attack.upload("table/a.csv", b"id,note\n2,b\n")
    attack.settle()
    attack.ask(lambda ports: override.reject(ports, attack.drop(drop), "ann", "recalled"))


def move_in_parts(attack: Attack) -> None:
    attack.upload("large/a.csv", LARGE)
    attack.deliver()


def exchange_what_is_staged(attack: Attack) -> None:
    """A large file whose staged object is replaced before it is promoted."""
    drop = attack.upload("large/a.csv", LARGE)
    while attack.deliver(CREATED) or attack.drop(drop).state == "received":
        attack.strike()
    attack.put(attack.drop(drop).source.uri, LARGE[::-1])
    attack.deliver()


def begin_again(attack: Attack) -> None:
    """Somebody breaks off what is copied in parts; of the rows few are left for consumers."""
    attack.upload("rows/bad.csv", LARGE)
    attack.befall(CREATED, "S3Store.copy_parts", "before")
    attack.deliver(CREATED)
    bucket = keys.split(attack.site.ports.zones.stage)[0]
    for one in attack.site.s3.list_multipart_uploads(Bucket=bucket).get("Uploads", []):
        attack.site.s3.abort_multipart_upload(Bucket=bucket, Key=one["Key"], UploadId=one["UploadId"])
    attack.settle()


def find_it_taken(attack: Attack) -> None:
    """A large file whose target in stage is taken by another object."""
    drop_id = attack.upload("large/a.csv", LARGE)
    attack.befall(CREATED, "S3Store.begin_copy", "before")
    while not attack.site.drop(drop_id) and attack.deliver(CREATED):
        pass
    drop = attack.drop(drop_id)
    attack.put(keys.stage_uri(attack.site.ports.zones, LARGER, drop.id, drop.attempt, drop.received_at), b"id,note\n")
    attack.deliver()


def send_twice(attack: Attack) -> None:
    for name in "ab":
        attack.upload(f"once/{name}.csv", f"{WIDE}\n1,a\n".encode())
        attack.settle()


def kill_jobs(attack: Attack) -> None:
    """Two drops share a job, which one of them kills whenever it is in."""
    attack.upload("orders/poison.csv")
    attack.upload("orders/a.csv")
    while attack.deliver(CREATED):
        pass
    attack.settle()


def supersede(attack: Attack) -> None:
    attack.upload("orders/a.csv")
    attack.deliver()
    attack.upload("orders/a.csv", b"id,note\n2,b\n")
    attack.deliver()


def overtake(attack: Attack) -> None:
    attack.upload("orders/a.csv")
    attack.upload("orders/a.csv", b"id,note\n2,b\n")
    attack.deliver()


def free_a_key(attack: Attack) -> None:
    """A newer upload waits for a key that a repair held for a settled drop when it died."""
    drop_id = attack.upload("orders/a.csv")
    attack.settle()
    ledger, drop = attack.site.ports.ledger, attack.drop(drop_id)
    key = ledger.lineage(keys.lineage_hash(drop.bucket, drop.key, "orders.v1"))
    ledger.write((), replace(key, promoting=drop_id))
    attack.upload("orders/a.csv", b"id,note\n2,b\n")
    attack.deliver()
    for _ in range(5):  # for more than an hour
        attack.strike()


def crash(attack: Attack) -> None:
    attack.upload("crash/a.csv")
    attack.deliver()


def reach(attack: Attack) -> None:
    attack.upload("marks/5.csv", b"id,n\n1,5\n")
    attack.deliver()


def miss_a_file(attack: Attack) -> None:
    """A window ends without its file, which comes late."""
    attack.put_in_force((*EVER, replace(a_window("window", 30), lane="spark")))
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
    """No message arrives: the schedule finds the object, sends its window again, and asks for the run."""
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


def hear_late(attack: Attack) -> None:
    """The schedule finds an object; its event comes when consumers have it."""
    attack.upload("orders/a.csv")
    attack.strike()
    attack.deliver(DUE, ENDED)
    attack.deliver(CREATED)


def die_now_and_then(attack: Attack) -> None:
    """Each function dies half-way; then its message comes again, or the schedule goes on without."""
    attack.upload("orders/a.csv")
    attack.befall(CREATED, "S3Store.delete", "before")
    attack.deliver(CREATED)
    attack.deliver(CREATED)
    attack.befall(DUE, "DynamoLedger.pending", "before")
    attack.deliver(DUE)
    attack.lose(DUE)
    attack.strike()
    attack.befall(DUE, "EmrJobs.start", "after")
    attack.deliver(DUE)
    attack.deliver(DUE)
    attack.befall(ENDED, "S3Store.copy", "before")
    attack.deliver(ENDED)
    attack.lose(ENDED)
    attack.strike()
    attack.strike()


def start_again(attack: Attack) -> None:
    """A function dies once the job is started, and its message is lost: the schedule finds the run."""
    attack.upload("orders/a.csv")
    attack.deliver(CREATED)
    attack.befall(DUE, "EmrJobs.start", "after")
    attack.deliver(DUE)
    attack.lose(DUE, ENDED)
    attack.strike()


def claim_again(attack: Attack) -> None:
    """The batch is written, and boto3, which had no answer, finds its own write refused."""
    attack.upload("orders/a.csv")
    attack.deliver(CREATED)
    attack.befall(DUE, "DynamoLedger.write", "lost")
    attack.deliver()


def try_a_file(attack: Attack) -> None:
    """A trial beside a delivery of the same key: consumers see nothing of it."""
    attack.upload(f"{keys.TRIAL}orders/bad.csv")
    attack.upload("orders/a.csv")
    attack.deliver()


def take_the_fast_lane(attack: Attack) -> None:
    attack.upload("quick/a.csv", THREE)
    attack.deliver()


def leave_the_fast_lane(attack: Attack) -> None:
    """A line may be wrong: Spark judges it."""
    attack.upload("quick/bad.csv", b"id,note\n1,a\n,b\n3,c\n")
    attack.deliver()


def die_in_the_fast_lane(attack: Attack) -> None:
    """A function dies over a drop, whose message comes again; that of another one is lost."""
    attack.upload("quick/a.csv", THREE)
    attack.deliver(CREATED)
    attack.befall(LANE, "S3Store.read", "after")
    attack.deliver(LANE)
    attack.deliver(LANE)
    attack.upload("quick/b.csv", THREE)
    attack.deliver(CREATED)
    attack.lose(LANE)
    attack.strike()


def hold_against_history(attack: Attack) -> None:
    """Files with too few before them, unlike those before, and that one again after more have come."""
    for name in ("1", "2"):
        attack.upload(f"volumes/{name}.csv")
        attack.settle()
    drop = attack.upload("volumes/cut.csv")
    attack.settle()
    attack.upload("volumes/3.csv")
    attack.settle()
    attack.ask(lambda ports: replayed(ports, drop))
    attack.deliver()


def keep_promises(attack: Attack) -> None:
    """A contract gets promises, which a file then meets."""
    attack.put_in_force((*EVER, a_promising_plan()))
    attack.strike()
    attack.upload("promised/a.csv")
    attack.settle()
    attack.strike_for_promises()


def miss_a_promise(attack: Attack) -> None:
    """A file is judged again, which changes no promise; it is recalled, and one is missed."""
    attack.put_in_force((*EVER, a_promising_plan()))
    drop = attack.upload("promised/a.csv")
    attack.settle()
    attack.ask(lambda ports: replayed(ports, drop, retract=True))
    attack.settle()
    attack.befall(CLOCK, "DynamoLedger.received", "throttled")
    attack.strike_for_promises()
    attack.ask(lambda ports: override.reject(ports, attack.drop(drop), "ann", "recalled"))
    attack.settle()
    attack.strike_for_promises()


def a_promising_plan() -> Plan:
    """A plan with promises that no hour more or less changes: their day is about at its noon."""
    zone = noon_zone(datetime.now(UTC))
    fresh = Promise("loadDate", "loadDate", Span(Decimal(9), "d"), zone=zone)
    kept = Promise("retention", "retention", Span(Decimal(1), "d"), zone=zone)
    return a_plan("promised.v1", ("promised/*.csv",), promises=(fresh, kept), lane="spark")


SCENARIOS: tuple[Scenario, ...] = (
    accept,
    refuse,
    reject,
    match_nothing,
    batch_of_five,
    replay,
    retract,
    judge_a_version_again,
    accept_all_the_same,
    reject_after_all,
    compare,
    supersede,
    overtake,
    free_a_key,
    crash,
    begin_again,
    find_it_taken,
    send_twice,
    kill_jobs,
    reach,
    promote_rows,
    fill_a_table,
    exchange_in_a_table,
    move_in_parts,
    exchange_what_is_staged,
    miss_a_file,
    wait_for_a_marker,
    follow_a_manifest,
    hear_nothing,
    hear_late,
    die_now_and_then,
    start_again,
    claim_again,
    try_a_file,
    take_the_fast_lane,
    leave_the_fast_lane,
    die_in_the_fast_lane,
    hold_against_history,
    keep_promises,
    miss_a_promise,
)

FASTER = "where somebody else was faster: tests/unit/functions/flow/test_crashes.py lets somebody be at every call"
HANDED = "handed on to admission, which reads"
UNSWEPT: dict[Site, str] = {
    ("batching._claim", "drops"): FASTER,
    ("batching._enlist", "batch"): FASTER,
    ("batching._enlist", "drops"): FASTER,
    ("batching.start", "batch"): FASTER,
    ("batches.write_batch", "batch"): FASTER,
    ("batching._write_singly", "write"): FASTER,
    ("file_sets._send_on", "drops"): FASTER,
    ("file_sets._send_on", "file_set"): FASTER,
    ("copies._begun", "abort_copy"): FASTER,
    ("copies._begun", "upload"): FASTER,
    ("override.accept", "drop"): FASTER,
    ("job_request._line", "read"): HANDED,
    ("ingest._look", "read"): HANDED,
    ("receipts._withdrawn", "history"): "settled, `doctor` alone asks: tests/unit/functions/doctor/test_compare.py",
    ("outcome.unless_erased", "remaining"): "forgotten meanwhile: tests/unit/functions/operations/test_erase.py",
    ("outcome.unless_erased", "delete"): "forgotten meanwhile: tests/unit/functions/operations/test_erase.py",
    ("outcome.contracts_of", "history"): "forgotten meanwhile: tests/unit/functions/operations/test_erase.py",
    ("promises.promises_of", "periods"): "`slo` and the API ask: tests/unit/infra/cli/test_slo.py",
    ("promises.promises_of", "standing"): "`slo` and the API ask: tests/unit/infra/cli/test_slo.py",
    (
        "batches._there",
        "drop",
    ): "an item that no version reads, or was deleted: tests/unit/functions/flow/test_not_ours.py",
    (
        "batching._line_up",
        "open_window",
    ): "no place is free, or it is held up: tests/unit/functions/flow/test_batching.py",
    ("batching._go_on", "drops"): "a batch that took none: tests/unit/functions/flow/test_batching.py",
}
"""Calls that no scenario makes, each with its reason."""
OVER_TIME = ("promises.", "history.")
"""The modules of promises and of checks against history."""
BY_HAND = (
    *("again", "difference", "compare", "compare_tables", "listing", "restore", "erase", "stuck"),
    *("check_history", "observed", "pause", "port_check", "promoted_columns", "workload"),
)
"""Modules of what people alone ask for: of these `compare` sweeps what it meets."""

GOES = 5
"""The tries of a point that may not be met."""

Faults = list[tuple[Scenario, Point]]
Record = Callable[[str, object], None]


@pytest.fixture(scope="module")
def made(sweep: Sweep) -> list[tuple[Scenario, Call]]:
    """Each call of each scenario."""
    return [(scenario, call) for scenario in SCENARIOS for call in sweep.run(scenario)[1]]


@pytest.fixture(scope="module")
def few(made: list[tuple[Scenario, Call]]) -> Faults:
    """Return the first of each kind of call that a function makes for a port, with the ways to fail in turn."""
    first_points: dict[tuple[str, str, str], tuple[Scenario, Point]] = {}
    sides = cycle(SIDES)
    for scenario, call in made:
        if (kind := (call.function, call.method, call.operation)) not in first_points:
            first_points[kind] = scenario, Point(call, next(sides))
    return list(first_points.values())


def gone_wrong(sweep: Sweep, scenario: Scenario, points: list[Point]) -> list[str]:
    """Return the failures after points were met, one by one."""
    end, _ = sweep.run(scenario)
    failures: list[str] = []
    for point in points:
        try:
            assert met(sweep, scenario, point) == end
        except (AssertionError, LookupError) as error:
            failures.append(f"{point}: {error!r}")
    return failures


def met(sweep: Sweep, scenario: Scenario, point: Point) -> Any:
    """Return the end of a scenario in which a point is met, in one of a few runs."""
    for _ in range(GOES - 1):
        with suppress(NotMet):
            return sweep.run(scenario, point)[0]
    return sweep.run(scenario, point)[0]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_each_call_gone_wrong_once_changes_nothing(
    scenario: Scenario, sweep: Sweep, few: Faults, record_property: Record
) -> None:
    points = [point for of, point in few if of is scenario]
    record_property("points of the sweep", len(points))

    assert gone_wrong(sweep, scenario, points) == []


def test_no_call_is_left_out(made: list[tuple[Scenario, Call]]) -> None:
    swept = {(call.site, call.method.rpartition(".")[2]) for _, call in made}
    every = {site for site in sites() if site[0].partition(".")[0] not in BY_HAND}

    assert sorted(every - swept) == sorted(UNSWEPT)


@pytest.mark.parametrize("side", ["lost", *(pytest.param(s, marks=pytest.mark.torture) for s in SIDES if s != "lost")])
def test_promises_and_history_gone_wrong_in_every_way_change_nothing(
    side: Side, sweep: Sweep, made: list[tuple[Scenario, Call]]
) -> None:
    over_time = [(scenario, call) for scenario, call in reversed(made) if call.site.startswith(OVER_TIME)]
    first_calls = {(call.site, call.method): (scenario, call) for scenario, call in over_time}
    failures = [gone_wrong(sweep, scenario, [Point(call, side)]) for scenario, call in first_calls.values()]

    assert len(failures) == 11
    assert list(chain(*failures)) == []


@pytest.mark.torture
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_every_call_gone_wrong_changes_nothing(
    scenario: Scenario, side: str, sweep: Sweep, record_property: Record
) -> None:
    points = [point for point in sweep.points(scenario) if point.side == side]
    record_property("points of the sweep", len(points))

    assert gone_wrong(sweep, scenario, points) == []
