"""Something of ours is missing, forbidden or locked: no drop is lost or called its producer's fault, nothing is green.

When it is put right all comes to its end, by the messages' return or by the schedule.
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

import boto3
import pytest
from moto.s3.models import s3_backends

from contracts import codec
from contracts.authoring.publication import publish
from contracts.catalog import Pointer
from contracts.job import DropResult, JobDrop
from contracts.plan import Plan
from functions import keys
from functions.aws import items
from functions.aws.catalog.s3_catalog import S3Catalog
from functions.drop import Drop
from infra.deployment.destroy import empty
from infra.local.cloud import Cloud
from infra.local.loopback import ACCOUNT
from infra.local.template.template import expand, of_type, statements_of
from tests.builders import Judge, all_good
from tests.integration.functions.by_hand import BAD_HEADER, CLOCK, CREATED, DUE, ENDED, GOOD, PLANS, Site, running
from tests.integration.functions.conftest import TEMPLATE

OPEN = {"unknown", "received", "staged", "validating", "promoting", "rejecting"}
"""Where a drop may stand while something is wrong with us."""


@pytest.fixture(scope="module")
def site(environment: pytest.MonkeyPatch, cloud: Cloud) -> Iterator[Site]:
    with running(environment, cloud) as made:
        yield made


def publish_again(site: Site) -> None:
    """Type `dropgate publish`."""
    publish(PLANS, S3Catalog(site.s3, site.ports.zones.catalog), site.ports.clock.now())


def lose(site: Site, name: str) -> None:
    bucket, key = keys.split(f"{site.ports.zones.catalog}{name}")
    site.s3.delete_object(Bucket=bucket, Key=key)


def lose_index(site: Site) -> None:
    pointer = codec.loads(Pointer, site.ports.store.get(f"{site.ports.zones.catalog}current.json"), "pointer")
    lose(site, f"index/{pointer.index}.json")


def point_to(site: Site, body: bytes) -> None:
    site.ports.store.put(f"{site.ports.zones.catalog}current.json", body, "application/json")


NOWHERE = codec.canonical(Pointer("0" * 64, "2026-01-31T12:00:00Z")).encode()
PLAN = f"plans/{PLANS[0].sha}.json"
BROKEN: dict[str, tuple[Callable[[Site], None], str]] = {
    "no-catalog": (lambda site: lose(site, "current.json"), "No contract is in force: there is no s3://"),
    "no-json": (lambda site: point_to(site, b"{"), "current.json is not JSON"),
    "another-shape": (lambda site: point_to(site, b'{"index": 1}'), "current.json"),
    "index-of-nothing": (lambda site: point_to(site, NOWHERE), f"index/{'0' * 64}.json is named and not there"),
    "index-deleted": (lose_index, "is named and not there"),
    "plan-deleted": (lambda site: lose(site, PLAN), f"{PLAN} is named and not there"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_catalog_is_waited_for(how: str, site: Site) -> None:
    wreck, message = BROKEN[how]
    wreck(site)
    site.start_cold()
    good, bad = site.upload(f"orders/{how}.csv"), site.upload(f"orders/{how}-bad.csv", BAD_HEADER)
    other = site.upload(f"{how}.txt")
    rings, log = site.rings(lambda: (site.deliver(2), site.clock()))

    # The schedule looks for windows in the catalog; where there is none there are no windows.
    assert rings == ({"MessagesFailing"} if how == "no-catalog" else {"MessagesFailing", "Troubles"})
    assert message in log
    assert "`dropgate publish`" in log
    assert set(site.states(good, bad)) <= {"unknown", "received"}
    assert site.states(other) == ["unmatched" if how == "plan-deleted" else "unknown"]
    publish_again(site)
    site.finish(good, bad, other)
    assert site.states(good, bad, other) == ["accepted", "rejected", "unmatched"]


def test_plan_lost_midway_is_waited_for(site: Site) -> None:
    good = site.upload("orders/midway.csv")
    site.queues[CREATED].poll()
    site.start_cold()
    lose(site, PLAN)
    rings, log = site.rings(lambda: (site.queues[DUE].poll(), site.clock()))

    assert rings == {"MessagesFailing"}

    assert site.states(good) == ["staged"]
    assert f"{PLAN} is named and not there" in log
    publish_again(site)
    site.finish(good)
    assert site.states(good) == ["accepted"]


ENDS = {
    "Landing": ["accepted", "vanished"],  # what lay in a bucket is gone with it
    "Internal": ["failed", "accepted"],
    "Promoted": ["accepted", "accepted"],
}


@pytest.mark.parametrize("zone", ENDS)
def test_missing_bucket_is_waited_for(zone: str, site: Site) -> None:
    judged, fresh = site.upload(f"orders/judged-{zone}.csv"), f"orders/fresh-{zone}.csv"
    site.queues[CREATED].poll()
    site.queues[DUE].poll()
    site.idle()
    uploaded, bucket = site.upload(fresh), site.stack.names[f"{zone}Bucket"]
    site.start_cold()
    empty(site.s3, bucket)
    rings, log = site.rings(lambda: (site.deliver(2), site.clock()))

    assert rings == {"MessagesFailing", "Troubles"}
    assert f"the bucket {bucket}" in log or f"no bucket {bucket}" in log
    assert set(site.states(judged, uploaded)) <= OPEN | set(ENDS[zone]) - {"vanished", "failed"}
    make(site, bucket)
    publish_again(site)
    site.finish(judged, uploaded)
    assert site.states(judged, uploaded) == ENDS[zone]
    last = site.upload(f"orders/last-{zone}.csv")
    site.finish(last)
    assert site.states(last) == ["accepted"]


def test_object_put_in_place_of_the_staged_one_is_never_promoted(site: Site) -> None:
    drop_id = site.upload("orders/swapped.csv")
    site.queues[CREATED].poll()
    site.queues[DUE].poll()
    site.idle()
    staged = site.drop(drop_id)
    assert staged
    site.ports.store.put(staged.source.uri, b"id,note\n9,theirs\n", "text/csv")
    site.finish(drop_id)
    drop = site.drop(drop_id)

    assert drop
    assert (drop.state, [p.code for p in drop.problems]) == ("failed", ["staged-replaced"])
    assert site.promoted("orders/swapped.csv") == []
    assert "send it again" in json.dumps(site.receipt(drop_id))


def make(site: Site, bucket: str) -> None:
    """Make a bucket as a deployment does, for what matters here."""
    site.s3.create_bucket(Bucket=bucket)
    rule: Any = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}}
    rule["ApplyServerSideEncryptionByDefault"]["KMSMasterKeyID"] = site.stack.bucket_keys[bucket]
    site.s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": [rule]})
    site.s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    events: Any = {"EventBridgeConfiguration": {}}
    site.s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=events)


EXPANDED = expand(TEMPLATE, "us-east-1")
RIGHTS = [
    (name, statement["Sid"])
    for name, resource in of_type(EXPANDED, "AWS::Lambda::Function").items()
    # No drop waits for its event, or for people to hear of it: test_events.py, test_notices.py.
    # The fast lane is off here: what fails in it is left to Spark, tests/unit/functions/flow/test_fast_lane.py.
    if name not in ("HistoryWrittenFunction", "NoticeEventFunction", "NoticesDueFunction", "SmallStagedFunction")
    for statement in statements_of(EXPANDED, resource["Properties"])
    if statement["Sid"] not in ("PollQueue", "WriteLogs", "Trace", "TellFailedCall")  # what Lambda does itself
]
UNUSED_HERE = {
    (DUE, "ReopenWindow"),
    (DUE, "TellMissingFromForbidden"),
    (ENDED, "TellMissingFromForbidden"),
    (CLOCK, "TellMissingFromForbidden"),
    *((function, "LedgerByMonth") for function in (ENDED, CLOCK)),
    *((ENDED, sid) for sid in ("DeleteEvidenceOfDeadRuns", "Withdraw", "PromoteInParts")),
    *((CLOCK, sid) for sid in ("DeleteEvidenceOfDeadRuns", "Withdraw", "MoveInParts")),
    (CREATED, "MoveInParts"),
    # A receipt that comes after its drop was forgotten is erased by version.
    *((function, "FindVersionsOfReceiptsAndResults") for function in (CREATED, ENDED, CLOCK)),
}
"""Rights that are asked for on none of these ways."""


@pytest.mark.parametrize(("function", "sid"), [each for each in RIGHTS if each[0] != CLOCK])
def test_missing_right_is_never_the_producers_fault(function: str, sid: str, site: Site) -> None:
    name = f"{function}-{sid}"
    site.start_cold()
    ways: dict[str, Callable[[], str]] = {
        "accepted": lambda: site.upload(f"crash/{name}.csv" if function == ENDED else f"orders/{name}.csv"),
    }
    if function == CREATED:
        ways["rejected"] = lambda: site.upload(f"orders/{name}-bad.csv", BAD_HEADER)
        ways["unmatched"] = lambda: site.upload(f"{name}.txt")
        ways["vanished"] = lambda: gone(site, f"orders/{name}-gone.csv")
    ends = list(ways)
    with site.cloud.guard.without(function, sid):
        ids = [way() for way in ways.values()]
        rings, _ = site.rings(lambda: site.deliver(3 if function == ENDED else 1))
        stand = site.states(*ids)
    assert all(state == end or state in OPEN for state, end in zip(stand, ends, strict=True)), stand
    assert stand != ends or (function, sid) in UNUSED_HERE, "this right is of no use here"
    # The schedule is not let to strike here.
    assert rings == {"Heartbeat"} if stand == ends else {"Heartbeat", "MessagesFailing"}
    site.finish(*ids)
    assert site.states(*ids) == ends


def gone(site: Site, name: str) -> str:
    """An upload that somebody deletes before it is read."""
    drop_id, bucket = site.upload(name), site.stack.names["LandingBucket"]
    (version,) = site.s3.list_object_versions(Bucket=bucket, Prefix=name)["Versions"]
    site.s3.delete_object(Bucket=bucket, Key=name, VersionId=version["VersionId"])
    return drop_id


@pytest.mark.parametrize("sid", [sid for name, sid in RIGHTS if name == CLOCK])
def test_schedule_without_a_right_loses_nothing(sid: str, site: Site) -> None:
    name = f"clock-{sid}"
    ids = [site.opened(f"crash/{name}.csv"), site.opened(f"orders/{name}-bad.csv", BAD_HEADER)]
    ends = ["accepted", "rejected"]

    def strike() -> None:
        """Run only the schedule, and deliver the windows that it has sent again."""
        for _ in range(4):
            site.clock()
            site.queues[DUE].poll()
            site.idle()
            site.forget(ENDED)

    site.start_cold()
    denied = site.cloud.guard.denied
    before = len(denied)
    with site.cloud.guard.without(CLOCK, sid):
        rings, _ = site.rings(strike)
        stand, missed = site.states(*ids), len(denied) > before
    assert missed or (CLOCK, sid) in UNUSED_HERE, "this right is of no use here"
    fails = {"Heartbeat", "ScheduleErrors"} if sid == "LedgerByAge" else {"Troubles"}
    assert rings == (fails if missed else set())
    assert all(state == end or state in OPEN for state, end in zip(stand, ends, strict=True)), stand
    site.finish(*ids)
    assert site.states(*ids) == ends


def test_our_own_key_disabled_is_not_the_producers_fault(site: Site) -> None:
    ids = [site.upload("orders/key.csv"), site.upload("orders/key-bad.csv", BAD_HEADER), site.upload("key.txt")]
    key = site.stack.bucket_keys[site.stack.names["LandingBucket"]]
    site.cloud.disabled_keys.add(key)
    rings, log = site.rings(lambda: (site.deliver(2), site.clock()))
    stand = site.states(*ids)
    site.cloud.disabled_keys.clear()

    assert rings == {"MessagesFailing", "Troubles"}
    assert set(stand) <= {"unknown", "received"}
    assert f"KMS.DisabledException, {key} is disabled." in log
    site.finish(*ids)
    assert site.states(*ids) == ["accepted", "rejected", "unmatched"]


@pytest.mark.parametrize("stop", [1, 2])
def test_our_own_key_disabled_midway_is_waited_for(stop: int, site: Site) -> None:
    good = site.upload(f"orders/key-midway-{stop}.csv")
    for queue in (CREATED, DUE)[:stop]:
        site.queues[queue].poll()
        site.idle()
    site.cloud.disabled_keys.add(site.stack.bucket_keys[site.stack.names["LandingBucket"]])
    site.start_cold()
    rings, _ = site.rings(lambda: (site.deliver(2), site.clock()))
    (state,) = site.states(good)
    site.cloud.disabled_keys.clear()

    assert rings >= {"MessagesFailing"}
    assert state in OPEN
    site.finish(good)
    assert site.states(good) == ["accepted"]


LONG_AGO = "2026-01-31T12:00:00.000000Z"


def put(site: Site, drop: Drop, **changes: str) -> None:
    """Write the item of a drop by hand."""
    item: Any = items.dumps(items.drop_item(drop) | changes)
    boto3.client("dynamodb").put_item(TableName=site.stack.names["LedgerTable"], Item=item)


def judged(site: Site, name: str) -> Drop:
    """A drop whose job has ended without a delivered event."""
    drop_id = site.upload(name)
    site.queues[CREATED].poll()
    site.queues[DUE].poll()
    site.idle()
    drop = site.drop(drop_id)
    assert drop
    return drop


def versioning(site: Site, status: Literal["Enabled", "Suspended"]) -> None:
    bucket = site.stack.names["LandingBucket"]
    site.s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": status})


@contextmanager
def without_versions(site: Site) -> Iterator[None]:
    where = {"Bucket": site.stack.names["LandingBucket"], "Key": "orders/unversioned.csv"}
    versioning(site, "Suspended")
    site.s3.put_object(**where, Body=GOOD)
    for versions in s3_backends[ACCOUNT]["aws"].buckets[where["Bucket"]].keys.lists():
        for version in versions[1]:
            version.last_modified -= timedelta(hours=1)
    yield
    versioning(site, "Enabled")
    site.s3.delete_object(**where, VersionId="null")
    site.forget(CREATED)


@contextmanager
def edited(site: Site) -> Iterator[None]:
    drop = judged(site, "orders/edited.csv")
    put(site, replace(drop, source=replace(drop.source, uri=f"{site.ports.zones.held}other")))
    yield


@contextmanager
def put_back(site: Site) -> Iterator[None]:
    former = judged(site, "orders/former.csv")
    site.finish(former.id)
    newest = site.drop(former.id)
    assert newest
    put(site, former, changed_at=LONG_AGO)
    yield
    put(site, newest)


@contextmanager
def unreadable(site: Site) -> Iterator[None]:
    drop = judged(site, "orders/unreadable.csv")
    put(site, drop, state="no state of ours")
    yield
    put(site, drop)
    site.finish(drop.id)


@contextmanager
def job_answers(site: Site, wrong: Judge) -> Iterator[None]:
    name = f"orders/said-{uuid.uuid4().hex}.csv"
    site.judge = lambda plan, drop: (wrong if drop.name == name else all_good)(plan, drop)
    site.upload(name)
    yield
    site.judge = all_good


@contextmanager
def former_pointer(site: Site) -> Iterator[None]:
    before = site.ports.store.get(f"{site.ports.zones.catalog}current.json")
    publish_again(site)
    site.clock()
    point_to(site, before)
    yield
    publish_again(site)
    site.clock()


def too_many(plan: Plan, drop: JobDrop) -> DropResult:
    return replace(all_good(plan, drop), read=7, valid=7)


NOT_OURS: dict[str, tuple[Callable[[Site], AbstractContextManager[None]], set[str]]] = {
    "a bucket without versions": (without_versions, {"MessagesFailing", "Troubles"}),
    "an edited item": (edited, {"DropsFailed"}),
    "a former item": (put_back, {"DropsStuck"}),
    "an item that cannot be read": (unreadable, {"Troubles"}),
    "a result with too many rows": (lambda site: job_answers(site, too_many), {"DropsFailed"}),
    "a result without the drop": (lambda site: job_answers(site, lambda *_: None), {"DropsFailed"}),
    "a former pointer": (former_pointer, {"Troubles"}),
}
"""Documents and events that dropgate did not write, and their alarms (docs/reference/bad-input.md)."""


@pytest.mark.parametrize("what", NOT_OURS)
def test_what_nobody_of_ours_wrote_rings(what: str, site: Site) -> None:
    wrong, alarms = NOT_OURS[what]
    site.start_cold()
    beside = site.upload(f"orders/beside {what}.csv")
    with wrong(site):
        rings, _ = site.rings(lambda: (site.deliver(2), site.clock()))
        stand = site.states(beside)

    assert (rings, stand) == (alarms, ["accepted"])


def command(site: Site, *words: str) -> tuple[int, str]:
    """Run a command on this stack in a process of its own; return its exit code and its errors."""
    environment = {**site.stack.functions[CLOCK].environment, **site.reach}
    start = [sys.executable, "-c", "from infra.cli.main import run; run()", *words]
    done = subprocess.run(start, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr if done.returncode else done.stdout


def test_commands_say_what_is_missing(site: Site) -> None:
    drop_id = site.upload("orders/asked.csv")
    site.finish(drop_id)
    lose(site, "current.json")
    shown, drops = command(site, "show", drop_id[:10]), command(site, "drops")
    publish_again(site)

    assert shown[0] == 0
    assert drops[0] == 3
    assert drops[1].startswith("dropgate: No contract is in force: there is no s3://")
    assert drops[1].endswith("Put the contracts in force with `dropgate publish`.\n")
    assert drops[1].count("\n") == 1
