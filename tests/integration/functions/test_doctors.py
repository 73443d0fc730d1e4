"""People who compare, repair and erase, by the policies of infra/aws/access.yaml: their commands, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from click.testing import Result
from moto.s3.models import s3_backends

from contracts.errors import ServiceUnavailable
from contracts.files.header import valid_file
from contracts.plan import Plan
from contracts.table import TableColumn
from functions import keys
from functions.flow import ingest
from functions.handlers.object_created import created
from functions.operations.override import accept, reject
from functions.ports.store import CopyTag
from infra.local.iam.policy_evaluator import Statement, grants, read
from infra.local.loopback import ACCOUNT
from tests.builders import valid_rows
from tests.integration.functions.test_people import Office
from tests.integration.functions.test_rights import CLOCK, LONG_AGO, ORDERS, ROWS, Site, site

__all__ = ["site"]
PEOPLE = {
    "doctor": ("WatchPolicy", "DoctorPolicy"),
    "surgeon": ("WatchPolicy", "DoctorPolicy", "RepairPolicy"),
    "eraser": ("WatchPolicy", "ForgetPolicy"),
    "maintainer": ("WatchPolicy", "MaintainPolicy"),
}
STARTING = {"emr-serverless:StartJobRun", "iam:PassRole"}
"""The rights by which somebody runs a program of theirs as the job."""
UNUSED = {
    ("eraser", "EraseVersions", "s3:DeleteObjectVersion", "landing"),
    ("eraser", "WriteRequestsResultsAndEvidenceAnew", "s3:GetObject", "evidence/rows/*"),
    ("eraser", "WriteRequestsResultsAndEvidenceAnew", "s3:PutObject", "evidence/rows/*"),
}
UNUSED |= {
    ("surgeon", "MoveInParts", f"s3:{action}", place)
    for action in ("AbortMultipartUpload", "ListMultipartUploadParts")
    for place in ("stage/*", "promoted")
} | {
    ("surgeon", "LayRejectedRowsBesideReceipts", "s3:GetObject", "jobs/*/rejected/*"),
    ("surgeon", "EraseReceiptsAndResultsOfForgotten", "s3:DeleteObjectVersion", "reports/*"),
    ("surgeon", "EraseReceiptsAndResultsOfForgotten", "s3:DeleteObjectVersion", "results/*"),
    ("surgeon", "FindVersionsOfReceiptsAndResults", "s3:ListBucketVersions", "internal"),
    ("surgeon", "WriteLedger", "dynamodb:DeleteItem", "table"),
}
"""Calls that no command makes here: no file stays in landing, Spark writes no evidence anew; no file is large or of a
set, none has rejected rows beside a missing receipt, none is forgotten while a receipt is written again."""


def judged(site: Site, name: str, plan: Plan = ORDERS) -> str:
    """A drop that a job has found good, or good but for some rows, with the evidence of its batch."""
    event = site.land(name)
    site.close(plan)
    drop = site.drop(event)
    if plan.promote == "rows":
        rows = keys.valid_folder(site.ports.zones, drop.batch or "", 1, drop.id)
        site.ports.store.put(f"{rows}{valid_file(plan)}", valid_rows(drop.id), "text/csv")
    site.end(event)
    drop = site.drop(event)
    batch = site.ports.ledger.batch(drop.batch or "")
    assert batch
    folder = keys.evidence_folder(site.ports.zones, batch.contract, batch.claimed_at, batch.id)
    site.ports.store.put(f"{folder}part-0.parquet", b"PAR1", "application/octet-stream")
    return drop.id


def unwell(site: Site) -> dict[str, str]:
    """Drops and what is wrong with them: of all kinds that a repair mends."""
    refused = site.drop(site.land("orders/refused.csv", b"ID,note\n1,a\n"))
    site.ports.store.copy(refused.source, f"{site.ports.zones.promoted}orders.v1/stray.csv", CopyTag(refused.id, 1))
    hidden = judged(site, "orders/hidden.csv")
    site.unpromote("orders/hidden.csv")
    drop = site.ports.ledger.drop(hidden)
    assert drop
    bucket, key = keys.split(drop.receipt or "")
    site.clients.s3.delete_object(Bucket=bucket, Key=key)
    site.job = "bad"
    judged(site, "rows/hidden.csv", ROWS)
    site.job = "good"
    site.unpromote("rows/hidden.csv", ROWS.contract)
    held = site.drop(site.land("orders/held.csv", b"ID,note\n1,a\n"))
    accept(site.ports, held, "anna", "the header is known")
    site.unpromote("orders/held.csv")
    site.put("orders/unknown.csv")
    site.put("nowhere/unknown.csv")
    forgotten = site.put("orders/opened.csv")
    site.ports.ledger.open(
        replace(ingest._received(site.ports, created(json.dumps(forgotten)), "orders/opened.csv"), changed_at=LONG_AGO)
    )
    site.gone(forgotten)
    ended = site.land("orders/ended.csv")
    site.close(ORDERS)
    claimed = site.land("orders/claimed.csv")
    site.claimed_long_ago(ORDERS)
    for event in (ended, claimed):
        batch = site.ports.ledger.batch(site.drop(event).batch or "")
        assert batch
        site.ports.ledger.write_batch(batch, replace(batch, changed_at=LONG_AGO))
    site.idle()
    withdrawn = site.ports.ledger.drop(judged(site, "orders/withdrawn.csv"))
    assert withdrawn
    rows = keys.rejected_folder(site.ports.zones, withdrawn.batch or "", 1, withdrawn.id)
    site.ports.store.put(f"{rows}rejected.csv", b"id\n", "text/csv")
    return {"refused": refused.id, "hidden": hidden, "withdrawn": withdrawn.id}


def grow_old() -> None:
    """Let all objects be an hour older."""
    for bucket in s3_backends[ACCOUNT]["aws"].buckets.values():
        for _, versions in bucket.keys.lists():
            for version in versions:
                version.last_modified -= timedelta(hours=1)


def rows(done: Result) -> list[dict[str, Any]]:
    """Return the rows of a command's JSON."""
    assert isinstance(done.exception, SystemExit | None), done.exception
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def office(site: Site) -> Office:
    """Everybody at their work."""
    office = Office(site, unwell(site), people=PEOPLE)
    grow_old()
    office.answers["looked"] = rows(office.dropgate("doctor", "doctor", "--format", "json"))
    office.answers["repaired"] = rows(office.dropgate("surgeon", "doctor", "--repair", "--format", "json"))
    office.answers["left"] = rows(office.dropgate("doctor", "doctor", "--format", "json"))
    withdrawn = site.ports.ledger.drop(office.drops["withdrawn"])
    assert withdrawn
    reject(site.ports, withdrawn, "anna", "recalled")
    table = keys.table_folder(site.ports.zones, "orders.v1")
    site.ports.tables.ready(table, (TableColumn("_drop", "string"),), CopyTag("d" * 32, 1))
    former = f"{table}{keys.data_file(withdrawn.id, 1, '0.parquet')}"
    site.ports.store.copy(withdrawn.source, former, CopyTag(withdrawn.id, 1))
    for name in ("refused", "withdrawn"):
        words = ("forget", office.drops[name], "--because", "request 77", "--promoted")
        office.answers[name] = office.ask("eraser", *words)
    return office


def kinds(differences: list[dict[str, Any]], **wanted: Any) -> list[str]:
    return sorted(one["kind"] for one in differences if all(one.get(name) == value for name, value in wanted.items()))


def test_doctor_finds_and_surgeon_mends(office: Office) -> None:
    mended = [
        "promoted-missing",
        "promoted-missing",
        "promoted-missing",
        "promoted-without-record",
        "receipt-missing",
        "unknown-upload",
        "unknown-upload",
    ]
    assert kinds(office.answers["looked"], safe=True) == mended
    assert kinds(office.answers["repaired"], done="repaired") == mended
    assert kinds(office.answers["left"], safe=True) == []
    assert (
        kinds(office.answers["looked"], safe=False).count("batch-without-run") == 2
    )  # whose jobs the schedule alone starts
    # Whether there is the bucket, HeadBucket answers by this refusal, too.
    assert {(call.action, call.context.get("s3:prefix")) for call in office.denied} <= {("s3:ListBucket", None)}


def test_eraser_leaves_nothing(office: Office) -> None:
    for name in ("refused", "withdrawn"):
        assert office.answers[name]["forgotten"]["because"] == "request 77"
        drop = office.site.ports.ledger.drop(office.drops[name])
        assert drop
        assert drop.forgotten
        assert drop.forgotten.done
        there = [uri for uri in office.answers[name]["objects"] if office.site.ports.store.listed(uri, 1)]
        anew = ("/request.json", "/result.jsonl")
        assert all(uri.endswith(anew) for uri in there), there  # written anew, without the drop
    assert any("/held/" in uri for uri in office.answers["refused"]["objects"])
    erased = office.answers["withdrawn"]["objects"]
    zones = office.site.ports.zones
    assert any("/data/" in uri for uri in erased)
    assert office.answers["withdrawn"]["tables"] == [keys.table_folder(zones, "orders.v1")]
    words = ("forget", office.drops["withdrawn"], "--because", "request 77", "--promoted", "--dry-run")
    assert "Run `dropgate maintain orders.v1` in 7 days" in office.dropgate("eraser", *words).stdout
    of_old = office.dropgate("maintainer", "maintain", "orders.v1", "--dry-run")  # it has a table still
    assert of_old.stdout.startswith("orders.v1  "), of_old
    for zone in (zones.promoted, zones.stage, zones.reports, zones.results, zones.evidence, zones.jobs):
        assert any(uri.startswith(zone) for uri in erased), zone


def _short(place: str) -> str:
    zones = ("landing", "internal", "promoted")
    return next((zone for zone in zones if f"{zone}bucket" in place), place.split(":")[5].partition("/")[0])


def test_eraser_leaves_no_version_and_no_marker(office: Office) -> None:
    s3, internal = office.site.clients.s3, office.site.stack.names["InternalBucket"]
    pages = list(s3.get_paginator("list_object_versions").paginate(Bucket=internal))
    versions = [(one["Key"], one["VersionId"]) for page in pages for one in page.get("Versions", [])]
    named = [key for key, _ in versions] + [one["Key"] for page in pages for one in page.get("DeleteMarkers", [])]
    for name in ("refused", "withdrawn"):
        drop_id = office.drops[name]
        mentioning = [
            key
            for key, version in versions
            if drop_id.encode() in s3.get_object(Bucket=internal, Key=key, VersionId=version)["Body"].read()
        ]
        assert ([key for key in named if drop_id in key], mentioning) == ([], [])


def rights(statements: tuple[Statement, ...]) -> set[tuple[str, str, object]]:
    return {(action, place, one.conditions) for one in statements for action in one.actions for place in one.resources}


def test_surgeon_may_no_more_than_the_schedule_and_starts_no_job(office: Office) -> None:
    stack = office.site.stack
    schedule, surgeon = read(stack.functions[CLOCK].statements), read(stack.people["RepairPolicy"])
    jobs = f"arn:aws:s3:::{stack.names['InternalBucket']}/jobs/"
    inside = {("s3:GetObject", f"{jobs}*/rejected/*", ())}  # of jobs/, of which the schedule reads all

    assert rights(surgeon) - rights(schedule) == inside
    assert not {action for who in stack.people.values() for each in read(who) for action in each.actions} & STARTING
    assert not [
        place for each in surgeon if "s3:PutObject" in each.actions for place in each.resources if jobs in place
    ]


def test_nobody_has_a_right_that_no_command_uses(office: Office) -> None:
    used = {(who, *grant) for who, grant in office.site.cloud.guard.used}
    stack = office.site.stack
    own = {who: read(stack.people[PEOPLE[who][-1]]) for who in ("doctor", "surgeon", "eraser")}
    granted = {(who, *grant) for who, policy in own.items() for grant in grants(policy)}
    internal, landing = stack.names["InternalBucket"], f"arn:aws:s3:::{stack.names['LandingBucket']}/*"
    unused = {
        (who, sid, action, "landing" if place == landing else place.partition(f"{internal}/")[2] or _short(place))
        for who, sid, action, place in granted - used
    }

    assert unused == UNUSED


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("doctor", ("doctor", "--repair")),
        ("doctor", ("forget", "{hidden}", "--because", "x")),
        ("eraser", ("doctor",)),
        ("surgeon", ("forget", "{hidden}", "--because", "x")),
    ],
)
def test_other_commands_say_that_the_right_is_missing(office: Office, who: str, words: tuple[str, ...]) -> None:
    office.site.unpromote("orders/hidden.csv")
    done = office.dropgate(who, *(word.format(**office.drops) for word in words))

    assert "is not authorized to perform" in (str(done.exception) + done.stdout)
    assert isinstance(done.exception, ServiceUnavailable | SystemExit)
