"""Values that adapters compute: items that stay small, and the parameters of a run."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from typing import Any

import pytest
from botocore.exceptions import ClientError

from contracts.errors import ObjectUnreadable, UploadGone
from contracts.job import BROAD, SIFTED_FROM, SMALL, SMALL_PREFILTERED
from contracts.plan import FileFormat
from contracts.problem import Problem
from functions import keys
from functions.aws import emr_serverless, items
from functions.aws.emr_serverless import CLOSED, JobCode, run_policy, spark_parameters, workers_for
from functions.aws.s3 import S3Store
from functions.drop import MOST_HEADER_LINE, Drop, Location, Promotion, RowCounts, brief
from functions.flow.batching import reach
from functions.keys import Zones
from functions.ports.batches import Batch, Pause, Window
from functions.ports.expected_files import Absence, FileSet, RollCall
from functions.ports.jobs import Reach
from functions.ports.lineages import Lineage, Watermarks
from functions.ports.promises import Enrolment, Held, PromisePeriod, PromiseStep, Standing
from functions.ports.store import CopyTag
from infra.local.emr.spark_parameters import FIXED_SETTINGS
from infra.setup.spark.session import local_settings, s3_settings
from tests.builders import ZONES, a_drop, a_plan

GIB = 1024**3
DENIED = "User: arn:aws:sts::123456789012:assumed-role/door/x is not authorized to perform: kms:Decrypt on resource:"
AT = "2026-01-31T12:00:01.000000Z"


def test_largest_drop_is_an_item_under_16_kb() -> None:
    key, problem = "ü" * 512, Problem("c" * 30, "m" * 9999, "f" * 9999, property="p" * 9999)
    drop = a_drop(
        key=key,
        name=key,
        parts={"part": key},
        header_line="h" * MOST_HEADER_LINE,
        problems=brief([problem] * 99),
        source=Location(f"s3://bucket/{key}", "v" * 1024),
        promoted=Promotion(f"orders.v1/{key}", 1, "e" * 40),
        rows=RowCounts(10**12, 10**12, 0),
        receipt="s3://bucket/" + "r" * 200,
    )
    size = sum(len(str(k)) + len(str(v).encode()) for k, v in items.dumps(items.drop_item(drop)).items())

    assert size < 16 * 1024


def test_settled_drop_leaves_the_index() -> None:
    assert "inflight" in items.drop_item(a_drop())
    assert "inflight" not in items.drop_item(a_drop(state="accepted"))


def test_drop_that_was_staged_before_etags_were_kept_is_read() -> None:
    item = items.drop_item(a_drop(source=Location("s3://internal/stage/o.v1/d/1.csv", etag="e" * 32)))
    del item["source"]["etag"]

    assert items.drop_of(item).source == Location("s3://internal/stage/o.v1/d/1.csv")


def test_every_item_carries_format_and_version() -> None:
    made = [items.drop_item(a_drop()), items.step_item(a_drop(), "created"), items.id_item(a_drop())]

    assert all(i["format"] == 1 and i["version"] >= 1 for i in made)


def conf(size: int, packages: Mapping[str, str] | None = None, *, brief: bool = False) -> dict[str, str]:
    words = shlex.split(spark_parameters("s3://code/dropgate.zip", size, packages or {}, brief=brief))
    return dict(word.split("=", 1) for word in words[1::2])


def test_huge_methods_are_compiled_everywhere() -> None:
    for worker in ("driver", "executor"):
        assert conf(1)[f"spark.{worker}.extraJavaOptions"] == "-XX:-DontCompileHugeMethods"


def test_brief_run_tells_each_jvm_by_one_variable_to_compile_quickly() -> None:
    more = {name: value for name, value in conf(1, brief=True).items() if name not in conf(1)}

    assert more == {
        "spark.emr-serverless.driverEnv.JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",
        "spark.executorEnv.JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",
    }
    assert " " not in "".join(conf(1, brief=True).values())


def test_hadoop_looks_for_no_folder_above_its_own() -> None:
    name = "spark.hadoop.fs.s3a.performance.flags"

    assert conf(1)[name] == FIXED_SETTINGS[name] == s3_settings("http://127.0.0.1:9", "k", "s")[name]


@pytest.mark.parametrize("name", CLOSED)
def test_no_session_lets_sql_out(name: str) -> None:
    assert conf(1)[name] == FIXED_SETTINGS[name] == local_settings("any", "1g", 1)[name]


def test_archives_of_packages_are_asked_for_only_where_a_run_needs_them() -> None:
    packages = {"environment": "s3://code/gx.tar.gz", "arrow": "s3://code/arrow.tar.gz"}
    more = {name: value for name, value in conf(1, packages).items() if name not in conf(1)}

    assert more == {
        "spark.archives": "s3://code/gx.tar.gz#environment,s3://code/arrow.tar.gz#arrow",
        "spark.emr-serverless.driverEnv.PYTHONPATH": "./environment:./arrow",
        "spark.executorEnv.PYTHONPATH": "./environment:./arrow",
    }


@pytest.mark.parametrize("expectations", [True, False])
@pytest.mark.parametrize("arrow", [True, False])
def test_run_may_read_the_archives_that_it_needs(expectations: bool, arrow: bool) -> None:
    bare = JobCode("app", "arn:aws:iam::123456789012:role/job", "s3://b/e.py", "s3://b/d.zip")
    code = replace(bare, environment="s3://b/gx.tar.gz", arrow="s3://b/arrow.tar.gz")
    needing = Reach(("s3://b/stage/o.v1/",), (), expectations, arrow=arrow)
    needed = {"environment": expectations, "arrow": arrow}
    wanted = {"environment": "s3://b/gx.tar.gz", "arrow": "s3://b/arrow.tar.gz"}

    assert code.wanted(needing) == {folder: uri for folder, uri in wanted.items() if needed[folder]}
    assert ("arn:aws:s3:::b/gx.tar.gz" in run_policy(code, needing)) == expectations
    assert ("arn:aws:s3:::b/arrow.tar.gz" in run_policy(code, needing)) == arrow
    assert bare.wanted(needing) == {}


@pytest.mark.parametrize(
    ("file_format", "size", "columns", "needed"),
    [
        ("csv", SIFTED_FROM, 1, True),
        ("csv", SIFTED_FROM - 1, 1, False),
        ("jsonl", SIFTED_FROM, 1, True),
        ("json", SIFTED_FROM, 1, False),
        ("csv", 1, BROAD + 1, True),
        ("csv", 1, BROAD, False),
        ("parquet", 1, BROAD + 1, False),
    ],
)
def test_arrow_comes_to_large_files_of_lines_and_to_broad_ones(
    file_format: FileFormat, size: int, columns: int, needed: bool
) -> None:
    batch = Batch("b", "p", "orders.v1", (), size, AT, AT, AT)
    plan = a_plan(file_format=file_format, names=[f"p{n}" for n in range(columns)])

    assert reach(ZONES, batch, plan, [a_drop()]).arrow == needed


@pytest.mark.parametrize("size", [SMALL - 1, SMALL, SMALL_PREFILTERED - 1, SMALL_PREFILTERED])
@pytest.mark.parametrize("file_format", ["csv", "fixed", "jsonl", "parquet"])
def test_runs_are_brief_where_little_reaches_the_jvm(file_format: FileFormat, size: int) -> None:
    batch = Batch("b", "p", "orders.v1", (), size, AT, AT, AT)
    by_python = file_format in ("csv", "fixed") and size < SMALL_PREFILTERED

    assert reach(ZONES, batch, a_plan(file_format=file_format), [a_drop()]).brief == (size < SMALL or by_python)


@pytest.mark.parametrize(("arrow", "size", "brief"), [(True, SMALL, True), (False, SMALL, False), (False, 1, True)])
def test_larger_runs_are_brief_with_arrow_alone(arrow: bool, size: int, brief: bool) -> None:
    bare = JobCode("app", "arn:aws:iam::123456789012:role/job", "s3://b/e.py", "s3://b/d.zip")
    code = replace(bare, arrow="s3://b/arrow.tar.gz") if arrow else bare

    assert ("TieredStopAtLevel" in code.parameters(Reach((), (), arrow=True, brief=True), size)) == brief
    assert "TieredStopAtLevel" not in code.parameters(Reach((), (), arrow=True), size)


def test_workers_have_room_for_python_and_are_of_whole_gigabytes() -> None:
    for size in (0, GIB, 100 * GIB):
        asked = conf(size)
        gigabytes = [int(asked[f"spark.executor.{name}"].removesuffix("g")) for name in ("memory", "memoryOverhead")]
        assert gigabytes[1] * 1024 >= 530 * int(asked["spark.executor.cores"])
        assert sum(gigabytes) in (7, 16)


def test_runs_are_bounded_at_every_size() -> None:
    for size in (0, GIB, 100 * GIB):
        workers = workers_for(size)
        assert workers.driver_cores + workers.most * workers.cores <= 16
        assert conf(size)["spark.dynamicAllocation.maxExecutors"] == str(workers.most)


@pytest.mark.parametrize(
    ("size", "gigabytes"), [(0, 20), (10 * GIB, 20), (60 * GIB, 60), (84 * GIB, 84), (5000 * GIB, 200)]
)
def test_executors_have_disk_for_shuffles_of_all_that_they_read(size: int, gigabytes: int) -> None:
    assert conf(size)["spark.emr-serverless.executor.disk"] == f"{gigabytes}G"


def test_small_batches_take_two_small_workers() -> None:
    assert (workers_for(1000).driver_cores, workers_for(1000).cores, workers_for(1000).most) == (2, 2, 1)


def test_run_may_touch_its_own_folders_alone() -> None:
    code = JobCode("app", "arn:aws-cn:iam::123456789012:role/job", "s3://b/code/entry.py", "s3://b/code/dropgate.zip")
    policy = json.loads(run_policy(code, Reach(("s3://b/stage/o.v1/",), ("s3://b/jobs/x/1/", "s3://b/evidence/y/"))))

    *storage, key = policy["Statement"]
    assert (key["Action"], key["Resource"]) == (["kms:Decrypt", "kms:GenerateDataKey"], "*")
    assert {r for each in storage for r in each["Resource"]} == {
        "arn:aws-cn:s3:::b",
        "arn:aws-cn:s3:::b/code/dropgate.zip",
        "arn:aws-cn:s3:::b/code/entry.py",
        "arn:aws-cn:s3:::b/jobs/x/1",
        "arn:aws-cn:s3:::b/jobs/x/1/*",
        "arn:aws-cn:s3:::b/evidence/y",
        "arn:aws-cn:s3:::b/evidence/y/*",
        "arn:aws-cn:s3:::b/stage/o.v1/*",
    }


def test_policy_of_longest_names_fits_its_field() -> None:
    longest = a_plan(id="i" * 80, contract=f"{'i' * 80}.v99999", producer="p" * 63)
    zones = Zones(*(f"s3://{'b' * 63}/{name}/" for name in Zones.__slots__))
    batch = Batch("b" * keys.ID_LENGTH, "p", longest.contract, (), 0, AT, AT, AT, try_=99)
    role = f"arn:aws-us-gov:iam::123456789012:role/{'r' * 64}"
    packages = ("great-expectations-x86_64.tar.gz", "arrow-x86_64.tar.gz")
    code = JobCode("app", role, *(f"s3://{'b' * 63}/code/{name}" for name in ("entry.py", "dropgate.zip", *packages)))
    for drops in ([a_drop(received_at=AT)], many_drops()):
        needing = replace(reach(zones, batch, longest, drops), expectations=True, arrow=True)
        assert 1500 < len(run_policy(code, needing)) <= 2048
        referring = replace(needing, references=tuple(f"{zones.promoted}{longest.contract}{n}/" for n in range(20)))
        assert len(run_policy(code, referring)) <= 2048


def test_references_are_named_one_by_one_while_they_fit() -> None:
    code = JobCode("app", "arn:aws:iam::123456789012:role/job", "s3://b/e.py", "s3://b/d.zip")

    def readable(count: int) -> list[str]:
        references = ("s3://c/references/0a1b.csv", *(f"s3://p/shops{n}.v1/" for n in range(count)))
        policy = json.loads(run_policy(code, Reach(("s3://b/stage/o.v1/",), (), references=references)))
        return [one for one in policy["Statement"][0]["Resource"] if "/stage/" not in one][2:]

    assert readable(1) == ["arn:aws:s3:::c/references/0a1b.csv*", "arn:aws:s3:::p/shops0.v1/*"]
    assert readable(90) == ["arn:aws:s3:::c/references/*", "arn:aws:s3:::p/*"]


def test_run_may_read_the_drops_of_its_batch_alone() -> None:
    few, many = many_drops()[:4], many_drops()
    name, other = r"i/stage/orders\.v1/", a_drop(id="4" * 32, received_at=few[0].received_at)

    assert all(re.fullmatch(rf"{name}20260131T120\d/[0-9a-f]{{32}}/\*", one) for one in readable(few))
    assert len(readable(few)) == 4
    assert not any(fnmatchcase(staged(other), one) for one in readable(few))
    minutes = readable(many)
    assert minutes == [f"i/stage/orders.v1/20260131T120{minute}/*" for minute in range(3)]
    assert all(any(fnmatchcase(staged(drop), one) for one in minutes) for drop in many)


def many_drops() -> list[Drop]:
    """A thousand drops of three minutes."""
    hashes = [hashlib.sha256(str(n).encode()).hexdigest()[:32] for n in range(1000)]
    return [a_drop(id=h, received_at=f"2026-01-31T12:0{n % 3}:01.000000Z") for n, h in enumerate(hashes)]


def staged(drop: Drop) -> str:
    """Bucket and key of what the job reads of a drop."""
    return keys.stage_uri(ZONES, a_plan(), drop.id, 1, drop.received_at).replace("s3://internal", "i")


def readable(drops: list[Drop]) -> list[str]:
    """Return what a run for these drops may read in stage: bucket and key, `*` for the rest."""
    batch = Batch("b", "p", "orders.v1", (), 0, AT, AT, AT)
    code = JobCode("app", "arn:aws:iam::123456789012:role/job", "s3://i/code/entry.py", "s3://i/code/dropgate.zip")
    reads = json.loads(run_policy(code, reach(ZONES, batch, a_plan(), drops)))["Statement"][0]["Resource"]
    return [r.removeprefix("arn:aws:s3:::").replace("internal", "i") for r in reads if "/stage/" in r]


def test_archive_reaches_the_job() -> None:
    assert conf(1)["spark.submit.pyFiles"] == "s3://code/dropgate.zip"
    assert emr_serverless.TIMEOUT_MINUTES < 720


def test_unreadable_item_hides_no_other() -> None:
    later = items.drop_item(a_drop()) | {"format": 2}
    open_items = items.in_flight_of([later, items.drop_item(a_drop())])

    assert (open_items.drops, open_items.unreadable) == ((a_drop(),), (later["pk"],))


def test_received_drop_that_cannot_be_read_is_named_by_its_key() -> None:
    later = items.drop_item(a_drop()) | {"format": 2}

    assert [items.drop_or_key(one) for one in (later, items.drop_item(a_drop()))] == [later["pk"], a_drop()]


def test_copy_in_parts_to_the_longest_key_has_a_sort_key() -> None:
    first, second = (f"s3://promoted/{'ü' * 511}{end}" for end in "ab")
    places = {items.upload_key("d", attempt, target) for attempt in (1, 2) for target in (first, second)}

    assert len(places) == 4
    assert all(len(sk.encode()) <= 1024 for _, sk in places)


def test_window_that_a_hand_has_edited_is_unreadable() -> None:
    window = items.window_item(Window("p", "1", "2026-01-31T12:00:00.000000Z", "shop", "orders.v1"))
    edited = window | {"due_at": 7}
    open_items = items.in_flight_of([edited, window])

    assert (open_items.windows, open_items.unreadable) == ((items.window_of(window),), (edited["pk"],))


def test_reason_of_a_failed_run_quotes_no_values() -> None:
    details = "Job failed. Exception: java.lang.NumberFormatException: For input string: 'secret'"

    assert emr_serverless._why("FAILED", details) == "FAILED: java.lang.NumberFormatException"
    assert emr_serverless._why("CANCELLED", "by somebody") == "CANCELLED"


OURS, THEIRS = (f"arn:aws:kms:us-east-1:{account}:key/0a1b" for account in ("123456789012", "210987654321"))
CIPHERTEXT = "User is not authorized to perform: kms:Decrypt on the resource associated with this ciphertext"


class Headed:
    """A client that returns the encryption key of an object, or refuses that as well."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def head_object(self, **_: str) -> dict[str, str]:
        if self._key is None:
            raise ClientError({"Error": {"Code": "403", "Message": "Forbidden"}}, "HeadObject")
        return {"SSEKMSKeyId": self._key} if self._key else {}


@pytest.mark.parametrize(
    ("code", "message", "key", "locked"),
    [
        ("InvalidObjectState", "The operation is not valid for the object's storage class", OURS, True),
        ("InvalidRequest", "The object was stored using a form of Server Side Encryption.", None, True),
        ("AccessDenied", CIPHERTEXT, THEIRS, True),
        ("AccessDenied", CIPHERTEXT, OURS, False),
        ("AccessDenied", CIPHERTEXT, None, False),
        ("AccessDenied", CIPHERTEXT, "", False),
        ("AccessDenied", f"{DENIED} {THEIRS}", None, True),
        ("AccessDenied", f"{DENIED} {OURS}", None, False),
        ("AccessDenied", "Access Denied", THEIRS, False),
        ("KMS.NotFoundException", f"Key '{THEIRS}' does not exist", None, True),
        ("KMS.DisabledException", f"{OURS} is disabled.", None, False),
        ("KMS.DisabledException", "The key is disabled.", THEIRS, True),
        ("KMS.DisabledException", "The key is disabled.", OURS, False),
        ("KMS.KMSInvalidStateException", f"{OURS} is pending deletion.", None, False),
        ("KMS.ThrottlingException", "You have exceeded the rate at which you may call KMS.", THEIRS, False),
        ("SlowDown", "Please reduce your request rate.", THEIRS, False),
    ],
)
def test_only_the_objects_own_lock_refuses_it(code: str, message: str, key: str | None, locked: bool) -> None:
    error = ClientError({"Error": {"Code": code, "Message": message}}, "GetObject")
    client: Any = Headed(key)

    assert S3Store(client, {"123456789012"})._is_locked(Location("s3://landing/a.csv", "v1"), error) is locked


class TooLarge:
    """A client whose copy S3 refuses as larger than 5 GiB."""

    def copy_object(self, **_: Any) -> None:
        text = "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120"
        raise ClientError({"Error": {"Code": "InvalidRequest", "Message": text}}, "CopyObject")


def test_object_that_no_copy_moves_is_told_at_once() -> None:
    client: Any = TooLarge()

    with pytest.raises(ObjectUnreadable, match="rejected"):
        S3Store(client).copy(
            Location("s3://internal/jobs/b/1/rejected/d/rejected.csv"), "s3://internal/r", CopyTag("d", 1)
        )


class Racing:
    """A client whose completion S3 refuses because of another write of the key."""

    def __init__(self) -> None:
        self.broken_off: list[str] = []

    def complete_multipart_upload(self, **_: Any) -> None:
        raise ClientError({"Error": {"Code": "ConditionalRequestConflict", "Message": ""}}, "CompleteMultipartUpload")

    def abort_multipart_upload(self, **upload: Any) -> None:
        self.broken_off.append(upload["UploadId"])


def test_upload_whose_completion_raced_is_begun_anew() -> None:
    client: Any = Racing()

    with pytest.raises(UploadGone):
        S3Store(client)._complete("u", "s3://promoted/a.csv", {}, None)
    assert client.broken_off == ["u"]


def filled(cls: type[Any], **given: Any) -> Any:
    """A value of which each field of a plain kind has a value that is not its default."""
    plain: dict[str, Any] = {"str": "x", "str | None": "y", "int": 7, "int | None": 8, "tuple[str, ...]": ("m",)}
    values = {one.name: plain[str(one.type)] for one in fields(cls) if str(one.type) in plain}
    return cls(**(values | given))


@pytest.mark.parametrize(
    ("value", "item", "of"),
    [
        (filled(Drop, source=Location("s", "v", "e")), items.drop_item, items.drop_of),
        (filled(Batch, state="running"), items.batch_item, items.batch_of),
        (filled(Window), items.window_item, items.window_of),
        (filled(Lineage), items.lineage_item, items.lineage_of),
        (filled(Watermarks), items.watermarks_item, items.watermarks_of),
        (filled(FileSet, parts={"p": "q"}, state="complete"), items.set_item, items.set_of),
        (filled(RollCall, missing=(filled(Absence),)), items.roll_item, items.roll_of),
        (filled(Absence), items.absence_item, items.absence_of),
        (filled(Enrolment), items.enrolment_item, items.enrolment_of),
        (filled(Standing, promises=(filled(Held, state="met"),)), items.standing_item, items.standing_of),
        (filled(PromiseStep, state="met", was="missed"), items.promise_step_item, items.promise_step_of),
        (filled(PromisePeriod, state=None), items.period_item, items.period_of),
        (filled(Pause, kind="producer"), items.pause_item, items.pause_of),
    ],
    ids=lambda one: type(one).__name__,
)
def test_no_field_is_lost_on_its_way_through_the_table(value: Any, item: Any, of: Any) -> None:
    assert of(items.loads(items.dumps(item(value)))) == value
