"""The access matrix: every principal, action and zone, by the template's policies and by `dropgate access`.

The expected table is written by hand; what a cell does not list is forbidden.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import boto3
import pytest

from functions.aws.emr_serverless import JobCode, run_policy
from functions.ports.jobs import Reach
from infra.local.cloud import Cloud
from infra.local.iam.policy_evaluator import Request, Statement, decide, read
from infra.local.template.stack import Stack, deploy
from infra.packaging.bundles import ROOT
from infra.stack_admin.access import Access, Buckets, for_consumer, for_producer

OURS, THEIRS = "123456789012", "210987654321"
KEY = f"arn:aws:kms:us-east-1:{OURS}:key/0a1b"
EVERYTHING = read([{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}])

ENCRYPTION = "s3:x-amz-server-side-encryption"
KEY_ID = f"{ENCRYPTION}-aws-kms-key-id"
NEW = {"s3:ObjectCreationOperation": "true", "s3:if-none-match": "*"}
KMS = {ENCRYPTION: "aws:kms"}
ACTIONS: dict[str, tuple[str, Mapping[str, str]]] = {
    "put": ("s3:PutObject", NEW),
    "put-with-key": ("s3:PutObject", NEW | KMS | {KEY_ID: KEY}),
    "overwrite": ("s3:PutObject", {"s3:ObjectCreationOperation": "true"}),
    "put-foreign-key": ("s3:PutObject", NEW | KMS | {KEY_ID: KEY.replace(OURS, THEIRS)}),
    "put-aws-key": ("s3:PutObject", NEW | KMS),
    "put-without-key": ("s3:PutObject", NEW | {ENCRYPTION: "AES256"}),
    "put-sse-c": ("s3:PutObject", NEW | {f"{ENCRYPTION}-customer-algorithm": "AES256"}),
    "put-glacier": ("s3:PutObject", NEW | {"s3:x-amz-storage-class": "GLACIER"}),
    "put-part": ("s3:PutObject", {"s3:ObjectCreationOperation": "false"}),
    "abort": ("s3:AbortMultipartUpload", {}),
    "get": ("s3:GetObject", {}),
    "list": ("s3:ListBucket", {}),
    "list-versions": ("s3:ListBucketVersions", {}),
    "delete": ("s3:DeleteObject", {}),
    "withdraw": ("s3:DeleteObject", {"s3:if-match": "0a1b"}),
    "get-version": ("s3:GetObjectVersion", {}),
    "delete-version": ("s3:DeleteObjectVersion", {}),
}
ZONES = {
    "landing/shop": "LandingBucket/shop/a.csv",
    "landing/inmet": "LandingBucket/inmet/a.csv",
    "landing/": "LandingBucket/a.csv",
    "stage": "InternalBucket/stage/orders.v1/20260131T1200/d/1.csv",
    "stage, other": "InternalBucket/stage/orders.v1/20260131T1200/e/1.csv",
    "held": "InternalBucket/held/d",
    "evidence": "InternalBucket/evidence/rows/contract=orders.v1/month=2026-01/batch=b/part-0",
    "results": "InternalBucket/results/month=2026-01/contract=orders.v1/d.1.jsonl.gz",
    "reports/shop": "InternalBucket/reports/shop/d/1/receipt.json",
    "rejected/shop": "InternalBucket/reports/shop/d/1/rejected.csv",
    "reports/inmet": "InternalBucket/reports/inmet/d/1/receipt.json",
    "catalog": "InternalBucket/catalog/current.json",
    "plan": "InternalBucket/catalog/plans/0a1b.json",
    "index": "InternalBucket/catalog/index/0a1b.json",
    "document": "InternalBucket/catalog/contracts/1.0.0/orders/orders.yaml",
    "reference": "InternalBucket/catalog/references/0a1b.csv",
    "routes": "InternalBucket/catalog/routes/0a1b.json",
    "jobs": "InternalBucket/jobs/b/1/request.json",
    "jobs, other": "InternalBucket/jobs/c/1/request.json",
    "jobs, rows": "InternalBucket/jobs/b/1/valid/d/valid.csv",
    "jobs, rejected": "InternalBucket/jobs/b/1/rejected/d/rejected.csv",
    "code": "InternalBucket/code/entry.py",
    "logs": "LogsBucket/dropgate/landing/2026-01-31-12-00-00-0A1B",
    "promoted": "PromotedBucket/orders.v1/shop/a.csv",
    "promoted, other": "PromotedBucket/weather.v1/inmet/a.csv",
    "table's log": "PromotedBucket/orders.v1/_delta_log/00000000000000000000.json",
    "table's rows": "PromotedBucket/orders.v1/part-00000-0a1b-c000.zstd.parquet",
    "table's rows of a drop": "PromotedBucket/orders.v1/data/d/1-0.parquet",
}
INTERNAL = [zone for zone, place in ZONES.items() if place.startswith("InternalBucket")]

PUT = "put put-with-key overwrite put-part put-glacier"
SEND = "put put-with-key put-part abort"
TAKE = "get-version delete-version list"
WORK = f"{PUT} get list delete withdraw abort"
READ = "get list"
ERASE = "list-versions delete-version"
ALL = f"{SEND} overwrite get list delete withdraw get-version delete-version list-versions"
LISTED = dict.fromkeys(INTERNAL, "list")

PUBLISHED = ("plan", "index", "document", "reference", "routes")
JOBS = ("jobs", "jobs, other", "jobs, rows", "jobs, rejected")
REPORTS = ("reports/shop", "rejected/shop", "reports/inmet", "results")
WATCH = dict.fromkeys(("catalog", *PUBLISHED, "results", "reports/shop", "reports/inmet"), READ) | {
    "rejected/shop": "list"
}

TABLE = ("table's log", "table's rows", "table's rows of a drop")
PROMOTED = ("promoted", "promoted, other", *TABLE)
LANDING = ("landing/shop", "landing/inmet", "landing/")
DOCTOR = (
    WATCH
    | dict.fromkeys(LANDING, "get-version list list-versions")
    | dict.fromkeys(PROMOTED, "get list list-versions")
    | dict.fromkeys(("stage", "stage, other"), "get list list-versions")
    | dict.fromkeys(("held", "jobs, rows"), READ)
    | dict.fromkeys(("evidence", "jobs", "jobs, other", "jobs, rejected"), "list")
)

TELLING = LISTED | dict.fromkeys(("catalog", "routes", "reports/shop", "reports/inmet"), READ)

EXPECTED: dict[str, dict[str, str]] = {
    "ObjectCreatedFunction": LISTED
    | dict.fromkeys(LANDING, TAKE)
    | dict.fromkeys(("stage", "stage, other"), f"{PUT} get list abort")
    | {"held": f"{PUT} get list"}
    | dict.fromkeys(REPORTS, f"{PUT} list {ERASE}")
    | dict.fromkeys(("catalog", *PUBLISHED), READ),
    "BatchDueFunction": LISTED
    | dict.fromkeys(("stage", "stage, other", "catalog", *PUBLISHED), READ)
    | dict.fromkeys(PROMOTED, "list")
    | dict.fromkeys(JOBS, f"{PUT} list"),
    "SmallStagedFunction": LISTED
    | dict.fromkeys(("stage", "stage, other", "catalog", *PUBLISHED), READ)
    | dict.fromkeys(JOBS, f"{PUT} list"),
    "JobStateChangedFunction": LISTED
    | dict.fromkeys(("stage", "stage, other", "catalog", *PUBLISHED), READ)
    | dict.fromkeys(JOBS, f"{PUT} get list")
    | dict.fromkeys(PROMOTED, f"{PUT} get list abort withdraw")
    | {"evidence": "list delete withdraw"}
    | dict.fromkeys(REPORTS, f"{PUT} list {ERASE}"),
    "ScheduleFunction": LISTED
    | dict.fromkeys(LANDING, f"{TAKE} list-versions")
    | dict.fromkeys(("held", *JOBS), f"{PUT} get list")
    | dict.fromkeys(("stage", "stage, other"), f"{PUT} get list abort")
    | dict.fromkeys(PROMOTED, f"{PUT} get list abort withdraw")
    | {"evidence": "list delete withdraw"}
    | dict.fromkeys(REPORTS, f"{PUT} list {ERASE}")
    | dict.fromkeys(("catalog", *PUBLISHED), READ),
    "JobRole": dict.fromkeys(("stage", "stage, other", "code", "reference", *PROMOTED), READ)
    | dict.fromkeys(("evidence", *JOBS), WORK),
    "JobRole in a run of shop": {"stage": READ, "code": READ, "stage, other": "list", "reference": "list"}
    | dict.fromkeys(("evidence", "jobs", "jobs, rows", "jobs, rejected"), WORK)
    | {"jobs, other": "list"},
    "JobRole in a run with references": {"stage": READ, "code": READ, "stage, other": "list", "reference": READ}
    | dict.fromkeys(("evidence", "jobs", "jobs, rows", "jobs, rejected"), WORK)
    | dict.fromkeys(("jobs, other", *PROMOTED), "list")
    | {"promoted, other": READ},
    "HistoryWrittenFunction": LISTED | dict.fromkeys(("catalog", "plan", "index"), READ),
    "NoticeEventFunction": TELLING | {"index": READ},
    "NoticesDueFunction": TELLING,
    "NoticesPipeRole": {},
    "WatchPolicy": WATCH,
    "WatchPolicy and OperatePolicy": WATCH,
    "WatchPolicy and TryPolicy": WATCH
    | dict.fromkeys(("stage", "stage, other", "held"), READ)
    | dict.fromkeys(PROMOTED, READ),
    "WatchPolicy and NotifyPolicy": WATCH,
    "WatchPolicy and MaintainPolicy": WATCH
    | dict.fromkeys(PROMOTED, READ)
    | dict.fromkeys(("table's log", "table's rows"), f"{PUT} get list delete withdraw")
    | {"table's rows of a drop": "get list delete withdraw"},
    "WatchPolicy and DoctorPolicy": DOCTOR,
    "WatchPolicy, DoctorPolicy and RepairPolicy": DOCTOR
    | dict.fromkeys(LANDING, f"{TAKE} list-versions")
    | {"held": f"{PUT} get list", "jobs, rejected": READ}
    | dict.fromkeys(("stage", "stage, other"), f"{PUT} get list list-versions abort")
    | dict.fromkeys(PROMOTED, f"{PUT} get list list-versions abort withdraw")
    | dict.fromkeys(("results", "reports/shop", "reports/inmet"), f"{PUT} get list {ERASE}")
    | {"rejected/shop": f"{PUT} list {ERASE}"},
    "WatchPolicy and ForgetPolicy": WATCH
    | dict.fromkeys(LANDING, ERASE)
    | dict.fromkeys(PROMOTED, f"get get-version list {ERASE}")
    | dict.fromkeys(("stage", "stage, other", "held"), ERASE)
    | dict.fromkeys(("jobs, rows", "jobs, rejected", "rejected/shop"), f"list {ERASE}")
    | dict.fromkeys(("results", "reports/shop", "reports/inmet"), f"{READ} {ERASE}")
    | dict.fromkeys(("evidence", "jobs", "jobs, other"), f"{PUT} get list {ERASE}"),
    "PublishPolicy": {"catalog": f"{PUT} get list"}
    | dict.fromkeys(PUBLISHED, f"{PUT} get list".replace("overwrite ", "")),
    "producer shop": {"landing/shop": f"{SEND} overwrite", "reports/shop": READ, "rejected/shop": READ},
    "producer inmet, another account, no overwrite": {"landing/inmet": SEND, "reports/inmet": READ},
    "producer inmet, the bucket's policy not set": {},
    "producer inmet, its own policy not set": {},
    "consumer": dict.fromkeys(PROMOTED, READ),
    "consumer of orders.v1, another account": dict.fromkeys(("promoted", *TABLE), READ),
    "outsider who may do everything at home": {},
    "nobody known": {},
    "operator who may do everything": dict.fromkeys(ZONES, f"{ALL} put-glacier")
    | dict.fromkeys(("landing/shop", "landing/"), ALL)
    | {
        "landing/inmet": f"{SEND} get list delete withdraw get-version delete-version list-versions",
    }
    | dict.fromkeys(PUBLISHED, f"{ALL} put-glacier".replace("overwrite ", ""))
    | {"logs": " ".join(ACTIONS)},
}


@dataclass(frozen=True)
class Who:
    """A principal: its ARN, its own policy, and for a run of the job the run's."""

    arn: str | None
    identity: tuple[Statement, ...] = ()
    session: tuple[Statement, ...] | None = None


@dataclass(frozen=True)
class Site:
    """All principals, the policies of the buckets, and their names."""

    principals: Mapping[str, Who]
    policies: Mapping[str, tuple[Statement, ...]]
    names: Mapping[str, str]

    def may(self, who: str, action: str, zone: str, **context: str) -> str:
        """Return AWS's decision."""
        bucket, _, key = ZONES[zone].partition("/")
        name, (verb, headers) = self.names[bucket], ACTIONS[action]
        brought = {"aws:SecureTransport": "true", **headers, **context}
        arn = f"arn:aws:s3:::{name}/{key}"
        if verb.startswith("s3:ListBucket"):
            arn, brought = f"arn:aws:s3:::{name}", {**brought, "s3:prefix": key.rpartition("/")[0] + "/"}
        one = self.principals[who]
        policy = self.policies[name]
        return decide(Request(one.arn, verb, arn, brought), one.identity, policy, session=one.session, owner=OURS)


def role(name: str, account: str = OURS) -> str:
    return f"arn:aws:iam::{account}:role/{name}"


def granted(access: Access, arn: str | None = None) -> Who:
    """A principal with the policy that was made for it, without what is about keys."""
    s3 = [each for each in access.identity if "kms:Decrypt" not in each["Action"]]
    return Who(arn or access.principal, read(s3))


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    session: Any = boto3.Session("matrix", "none", region_name="us-east-1")
    with Cloud() as cloud:
        client_for = cache(lambda service: session.client(service, endpoint_url=cloud.endpoint))
        yield deploy(ROOT / "template.yaml", client_for, "00dropgate01", parameters={"DataKeyArn": KEY}, name="matrix")


@pytest.fixture(scope="module")
def site(stack: Stack) -> Site:
    names = {zone: stack.names[f"{zone.title()}Bucket"] for zone in ("landing", "internal", "promoted")}
    buckets = Buckets(**names, key=KEY)
    shop = for_producer(buckets, "shop", ["shop/"], role("shop"))
    inmet = for_producer(buckets, "inmet", ["inmet/"], role("inmet", THEIRS), overwrite=False)
    consumer = for_consumer(buckets, role("analyst"))
    foreign = for_consumer(buckets, role("analyst", THEIRS), "orders.v1")
    policies = {name: list(statements) for name, statements in stack.bucket_policies.items()}
    for access in (shop, inmet, consumer, foreign):
        for name, added in access.buckets.items():
            policies[name] += json.loads(json.dumps(added))
    internal = f"s3://{names['internal']}/"
    code = JobCode("app", role("JobRole"), f"{internal}code/entry.py", f"{internal}code/dropgate.zip")
    evidence = f"{internal}evidence/*/contract=orders.v1/month=2026-01/batch=b/"
    reach = Reach((f"{internal}stage/orders.v1/20260131T1200/d/",), (f"{internal}jobs/b/1/", evidence))
    promoted = f"s3://{names['promoted']}/weather.v1/"
    wider = replace(reach, references=(promoted, f"{internal}catalog/references/0a1b.csv"))
    job = read(stack.roles["JobRole"])
    principals = {name: Who(role(name), read(each.statements)) for name, each in stack.functions.items()} | {
        "JobRole": Who(role("JobRole"), job),
        "JobRole in a run of shop": Who(role("JobRole"), job, read(json.loads(run_policy(code, reach)))),
        "JobRole in a run with references": Who(role("JobRole"), job, read(json.loads(run_policy(code, wider)))),
        "NoticesPipeRole": Who(role("NoticesPipeRole"), read(stack.roles["NoticesPipeRole"])),
        "WatchPolicy": Who(role("watcher"), watch := read(stack.people["WatchPolicy"])),
        "WatchPolicy and OperatePolicy": Who(role("operator"), watch + read(stack.people["OperatePolicy"])),
        "WatchPolicy and TryPolicy": Who(role("steward"), watch + read(stack.people["TryPolicy"])),
        "WatchPolicy and NotifyPolicy": Who(role("teller"), watch + read(stack.people["NotifyPolicy"])),
        "WatchPolicy and MaintainPolicy": Who(role("keeper"), watch + read(stack.people["MaintainPolicy"])),
        "WatchPolicy and DoctorPolicy": Who(role("doctor"), doctor := watch + read(stack.people["DoctorPolicy"])),
        "WatchPolicy, DoctorPolicy and RepairPolicy": Who(role("surgeon"), doctor + read(stack.people["RepairPolicy"])),
        "WatchPolicy and ForgetPolicy": Who(role("eraser"), watch + read(stack.people["ForgetPolicy"])),
        "PublishPolicy": Who(role("publisher"), read(stack.people["PublishPolicy"])),
        "producer shop": granted(shop),
        "producer inmet, another account, no overwrite": granted(inmet),
        "producer inmet, the bucket's policy not set": granted(inmet, role("second", THEIRS)),
        "producer inmet, its own policy not set": Who(inmet.principal),
        "consumer": granted(consumer),
        "consumer of orders.v1, another account": granted(foreign),
        "outsider who may do everything at home": Who(role("admin", THEIRS), EVERYTHING),
        "nobody known": Who(None),
        "operator who may do everything": Who(role("admin"), EVERYTHING),
    }
    return Site(principals, {name: read(statements) for name, statements in policies.items()}, stack.names)


def test_table_names_every_principal(site: Site, stack: Stack) -> None:
    assert set(EXPECTED) == set(site.principals)
    functions = {f"{name.removesuffix('Function')}Role": name for name in stack.functions}
    roles = {functions.get(name, name) for name in stack.roles} | set(stack.people)
    # Each stands beside WatchPolicy.
    beside = ("Operate", "Try", "Notify", "Maintain", "Doctor", "Repair", "Forget")
    roles -= {f"{task}Policy" for task in beside}
    assert roles <= set(EXPECTED), "a role of the template that the table does not know"
    assert not [zone for zones in EXPECTED.values() for zone in zones if zone not in ZONES]


def test_policies_of_people_fit_into_iam(stack: Stack) -> None:
    # 6,144 characters: docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html; names may be longer yet.
    sizes = {
        name: len(json.dumps(list(statements), separators=(",", ":"))) for name, statements in stack.people.items()
    }
    assert {name for name, size in sizes.items() if size > 5000} == set(), sizes


@pytest.mark.parametrize("who", EXPECTED)
def test_principal_may_what_the_table_says(who: str, site: Site) -> None:
    allowed = {zone: [a for a in ACTIONS if site.may(who, a, zone) == "allowed"] for zone in ZONES}

    assert allowed == {zone: [a for a in ACTIONS if a in EXPECTED[who].get(zone, "").split()] for zone in ZONES}


def test_trials_are_uploaded_by_the_role_of_the_api_alone(site: Site) -> None:
    landing, brought = site.names["LandingBucket"], {"aws:SecureTransport": "true"}

    def may(who: Who, key: str) -> str:
        asked = Request(who.arn, "s3:PutObject", f"arn:aws:s3:::{landing}/{key}", brought)
        return decide(asked, who.identity, site.policies[landing], session=who.session, owner=OURS)

    uploader = Who(role("matrix/uploads/matrix-Http-ApiUploadRole-1"), EVERYTHING)
    others = {
        "another stack's": Who(role("matrix2/uploads/r"), EVERYTHING),
        "a name like the path": Who(role("uploads-matrix"), EVERYTHING),
        "another account's": Who(role("matrix/uploads/r", THEIRS), EVERYTHING),
        **site.principals,
    }
    assert [may(uploader, key) for key in ("_trial/shop/1.csv", "shop/1.csv")] == ["allowed", "allowed"]
    assert {may(who, "_trial/shop/1.csv") for who in others.values()} == {"denied"}
    assert may(others["another stack's"], "shop/_trial/1.csv") == "allowed"


@pytest.mark.parametrize("context", [{"aws:SecureTransport": "false"}, {"s3:TlsVersion": "1.1"}], ids=str)
def test_nothing_passes_without_modern_tls(context: dict[str, str], site: Site) -> None:
    answers = {site.may(who, action, zone, **context) for who in EXPECTED for action in ACTIONS for zone in ZONES}
    assert answers == {"denied"}


WITHOUT_PREFIX = {
    "no prefix": {},
    "an empty prefix": {"s3:prefix": ""},
    "folders at the top": {"s3:prefix": "", "s3:delimiter": "/"},
    "no prefix, one key": {"s3:max-keys": "1"},
    "the beginning of a name": {"s3:prefix": "stag"},
    "all that begins as a folder does": {"s3:prefix": "stage"},
    "a folder of nobody": {"s3:prefix": "elsewhere/"},
}
EVERY_FUNCTION = (
    *("ObjectCreatedFunction", "BatchDueFunction", "SmallStagedFunction", "JobStateChangedFunction"),
    *("ScheduleFunction", "HistoryWrittenFunction", "NoticeEventFunction", "NoticesDueFunction"),
)
ADMIN = "operator who may do everything"
WHOLE: dict[str, dict[str, tuple[str, ...]]] = {
    "s3:ListBucket": {
        "LandingBucket": (
            *("ObjectCreatedFunction", "ScheduleFunction", ADMIN),
            *(
                "WatchPolicy and DoctorPolicy",
                "WatchPolicy, DoctorPolicy and RepairPolicy",
            ),
        ),
        "InternalBucket": (*EVERY_FUNCTION, ADMIN),
        "PromotedBucket": (
            *("BatchDueFunction", "JobStateChangedFunction", "ScheduleFunction", "JobRole"),
            *("JobRole in a run with references", "consumer", ADMIN, "WatchPolicy and TryPolicy"),
            *("WatchPolicy and MaintainPolicy", "WatchPolicy and DoctorPolicy"),
            *("WatchPolicy, DoctorPolicy and RepairPolicy", "WatchPolicy and ForgetPolicy"),
        ),
    },
    "s3:ListBucketVersions": {
        "LandingBucket": (
            *("ScheduleFunction", ADMIN, "WatchPolicy and DoctorPolicy"),
            *("WatchPolicy, DoctorPolicy and RepairPolicy", "WatchPolicy and ForgetPolicy"),
        ),
        "InternalBucket": (ADMIN,),
        "PromotedBucket": (
            *(ADMIN, "WatchPolicy and DoctorPolicy", "WatchPolicy, DoctorPolicy and RepairPolicy"),
            "WatchPolicy and ForgetPolicy",
        ),
    },
}
"""Who may list a bucket beyond prefixes of theirs: all of it, whatever they ask for."""


@pytest.mark.parametrize("asked", WITHOUT_PREFIX.values(), ids=WITHOUT_PREFIX)
@pytest.mark.parametrize("action", WHOLE)
def test_listing_without_a_prefix_passes_no_condition_on_prefixes(
    action: str, asked: Mapping[str, str], site: Site
) -> None:
    allowed = {
        bucket: {
            who
            for who, one in site.principals.items()
            if decide(
                Request(
                    one.arn, action, f"arn:aws:s3:::{site.names[bucket]}", {"aws:SecureTransport": "true", **asked}
                ),
                one.identity,
                site.policies[site.names[bucket]],
                session=one.session,
                owner=OURS,
            )
            == "allowed"
        }
        for bucket in WHOLE[action]
    }

    assert allowed == {bucket: set(who) for bucket, who in WHOLE[action].items()}


@pytest.mark.parametrize(
    ("source", "owner", "place", "expected"),
    [
        ("LandingBucket", OURS, "dropgate/landing/1", "allowed"),
        ("InternalBucket", OURS, "dropgate/internal/1", "allowed"),
        ("PromotedBucket", OURS, "dropgate/promoted/1", "allowed"),
        ("LandingBucket", THEIRS, "dropgate/landing/1", "not allowed"),
        ("LogsBucket", OURS, "dropgate/logs/1", "not allowed"),
        ("LandingBucket", OURS, "elsewhere/1", "not allowed"),
    ],
)
def test_s3_writes_logs_of_our_buckets_and_of_no_others(
    source: str, owner: str, place: str, expected: str, site: Site
) -> None:
    bucket = site.names["LogsBucket"]
    brought = {"aws:SourceArn": f"arn:aws:s3:::{site.names[source]}", "aws:SourceAccount": owner}
    request = Request("logging.s3.amazonaws.com", "s3:PutObject", f"arn:aws:s3:::{bucket}/{place}", brought)

    assert decide(request, (), site.policies[bucket], owner=OURS) == expected


def test_no_condition_on_prefixes_lets_absence_pass(stack: Stack) -> None:
    every = [stack.roles, {name: one.statements for name, one in stack.functions.items()}, stack.people]
    conditions = [
        c for named in every for statements in named.values() for each in read(statements) for c in each.conditions
    ]
    of_prefixes = {condition.operator for condition in conditions if condition.key == "s3:prefix"}

    assert of_prefixes == {"StringLike"}


def test_sids_are_unique_and_plain(site: Site) -> None:
    for policy in site.policies.values():
        sids = [each.sid for each in policy]
        assert len(set(sids)) == len(sids)
        assert all(re.fullmatch(r"[A-Za-z0-9]+", sid) for sid in sids)
