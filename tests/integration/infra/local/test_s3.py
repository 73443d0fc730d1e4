"""Differences between S3 and moto: each probe runs on our cloud and on bare moto, and bare moto must fail it."""

import hashlib
import http.client
import json
import re
import uuid
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from infra.local.cloud import Cloud
from infra.local.loopback import LoopbackServer

Probe = Callable[["Bucket"], Any]

HELLO = b"id,name\n1,\n"
HELLO_SHA256 = b64encode(hashlib.sha256(HELLO).digest()).decode()
WRONG_SHA256 = b64encode(hashlib.sha256(b"other").digest()).decode()
WRONG_CRC32 = b64encode(zlib.crc32(b"other").to_bytes(4, "big")).decode()


class Bucket:
    """A new versioned bucket whose Object Created events land in a queue of its own."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.name = f"landing-{uuid.uuid4().hex}"
        self.s3: Any = _client("s3", endpoint)
        self.sqs: Any = _client("sqs", endpoint)
        self.s3.create_bucket(Bucket=self.name)
        self.s3.put_bucket_versioning(Bucket=self.name, VersioningConfiguration={"Status": "Enabled"})
        self.queue = self.sqs.create_queue(QueueName=self.name)["QueueUrl"]

    def announce(self) -> None:
        """Let a rule send the bucket's Object Created events to the queue."""
        self.s3.put_bucket_notification_configuration(
            Bucket=self.name, NotificationConfiguration={"EventBridgeConfiguration": {}}
        )
        pattern = {"source": ["aws.s3"], "detail-type": ["Object Created"], "detail": {"bucket": {"name": [self.name]}}}
        events = _client("events", self.endpoint)
        events.put_rule(Name=self.name, EventPattern=json.dumps(pattern))
        queue_arn = f"arn:aws:sqs:us-east-1:123456789012:{self.name}"
        events.put_targets(Rule=self.name, Targets=[{"Id": "queue", "Arn": queue_arn}])

    def events(self) -> list[dict[str, Any]]:
        """Take what has arrived in the queue."""
        answer = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in answer.get("Messages", [])]

    def put(self, key: str, body: bytes = HELLO, **more: Any) -> dict[str, Any]:
        """Write an object."""
        return dict(self.s3.put_object(Bucket=self.name, Key=key, Body=body, **more))

    def copy(self, source: str, to: str, version: str | None = None, **more: Any) -> dict[str, Any]:
        """Copy an object, or one version of it."""
        place = {"Bucket": self.name, "Key": source} | ({"VersionId": version} if version else {})
        return dict(self.s3.copy_object(Bucket=self.name, Key=to, CopySource=place, **more))

    def text(self, key: str) -> bytes:
        """Read an object."""
        return bytes(self.s3.get_object(Bucket=self.name, Key=key)["Body"].read())


@cache
def _client(service: str, endpoint: str) -> Any:
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="producer",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as running:
        yield running


@pytest.fixture(scope="module")
def bare() -> Iterator[str]:
    with LoopbackServer(DomainDispatcherApplication(create_backend_app)) as running:
        yield running.endpoint


@pytest.fixture
def bucket(cloud: Cloud) -> Bucket:
    return Bucket(cloud.endpoint)


def answer_to(request: Callable[[], object]) -> str:
    """Give the error code of a request, or `done`."""
    try:
        request()
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return "done"


def assert_only_ours(probe: Probe, expected: object, cloud: Cloud, bare: str) -> None:
    """Hold a probe against both; when the second line fails, moto has caught up and our rule can go."""
    assert probe(Bucket(cloud.endpoint)) == expected
    assert probe(Bucket(bare)) != expected


# docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html: If-None-Match and If-Match on the destination.
def test_copy_never_overwrites_when_told(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> tuple[str, bytes]:
        bucket.put("a", b"new")
        bucket.put("b", b"old")
        return answer_to(lambda: bucket.copy("a", "b", IfNoneMatch="*")), bucket.text("b")

    assert_only_ours(probe, ("PreconditionFailed", b"old"), cloud, bare)


def test_copy_replaces_only_the_named_etag(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> list[str]:
        bucket.put("a", b"new")
        etag = bucket.put("b", b"old")["ETag"]
        return [
            answer_to(lambda: bucket.copy("a", "absent", IfMatch=etag)),
            answer_to(lambda: bucket.copy("a", "b", IfMatch='"0"')),
            answer_to(lambda: bucket.copy("a", "b", IfMatch=etag)),
        ]

    assert_only_ours(probe, ["NoSuchKey", "PreconditionFailed", "done"], cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html: x-amz-copy-source-if-match, also for one version.
def test_copy_holds_source_to_its_etag(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> list[str]:
        first, second = bucket.put("a", b"first"), bucket.put("a", b"second")
        return [
            answer_to(lambda: bucket.copy("a", "b", CopySourceIfMatch=first["ETag"])),
            answer_to(lambda: bucket.copy("a", "b", first["VersionId"], CopySourceIfMatch=second["ETag"])),
            answer_to(lambda: bucket.copy("a", "b", first["VersionId"], CopySourceIfMatch=first["ETag"])),
            answer_to(lambda: bucket.copy("a", "b", first["VersionId"], CopySourceIfNoneMatch=first["ETag"])),
        ]

    assert_only_ours(probe, ["PreconditionFailed", "PreconditionFailed", "done", "PreconditionFailed"], cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html: If-Match for CompleteMultipartUpload.
def test_multipart_replaces_only_the_named_etag(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> str:
        bucket.put("a", b"old")
        return answer_to(lambda: upload_in_parts(bucket, "a", IfMatch='"0"'))

    assert_only_ours(probe, "PreconditionFailed", cloud, bare)


# The same page: two conditional writes at once, one of them may get 409 and is to be tried again.
def test_conditional_write_can_meet_a_conflict(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> list[str]:
        cloud.conflict_next(bucket.name, "b")
        bucket.put("a")
        return [answer_to(lambda: bucket.copy("a", "b", IfNoneMatch="*")) for _ in range(3)]

    assert_only_ours(probe, ["ConditionalRequestConflict", "done", "PreconditionFailed"], cloud, bare)


# The same page: of several conditional writes of one key at once, one succeeds.
def test_concurrent_conditional_writes_have_one_winner(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> list[str]:
        bucket.put("a")
        with ThreadPoolExecutor(6) as pool:
            return sorted(pool.map(lambda _: answer_to(lambda: bucket.copy("a", "b", IfNoneMatch="*")), range(30)))

    assert_only_ours(probe, ["PreconditionFailed"] * 29 + ["done"], cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html: S3 compares, and answers BadDigest.
@pytest.mark.parametrize(
    "wrong", [{"ChecksumSHA256": WRONG_SHA256}, {"ChecksumCRC32": WRONG_CRC32}, {"ContentMD5": "AAAA"}]
)
def test_wrong_checksum_is_refused(wrong: dict[str, Any], cloud: Cloud, bare: str) -> None:
    assert_only_ours(lambda bucket: answer_to(lambda: bucket.put("a", **wrong)), "BadDigest", cloud, bare)


def test_wrong_checksum_of_part_is_refused(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> str:
        return answer_to(lambda: upload_in_parts(bucket, "a", ChecksumSHA256=WRONG_SHA256))

    assert_only_ours(probe, "BadDigest", cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html: how SDKs send a checksum after the body.
def test_wrong_checksum_in_trailer_is_refused(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> tuple[int, int, bytes]:
        return put_with_trailer(bucket, WRONG_SHA256), put_with_trailer(bucket, HELLO_SHA256), bucket.text("a")

    assert_only_ours(probe, (400, 200, HELLO), cloud, bare)


def test_checksum_sent_without_algorithm_is_kept(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> object:
        bucket.put("a", ChecksumSHA256=HELLO_SHA256)
        return bucket.s3.head_object(Bucket=bucket.name, Key="a", ChecksumMode="ENABLED").get("ChecksumSHA256")

    assert_only_ours(probe, HELLO_SHA256, cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html, ChecksumAlgorithm. moto does this; our moves rely on it.
def test_copy_leaves_sha256_to_head(bucket: Bucket) -> None:
    bucket.put("a")
    bucket.copy("a", "b", ChecksumAlgorithm="SHA256", MetadataDirective="REPLACE", Metadata={"drop-id": "d1"})
    head = bucket.s3.head_object(Bucket=bucket.name, Key="b", ChecksumMode="ENABLED")

    assert (head["ChecksumSHA256"], head["Metadata"]) == (HELLO_SHA256, {"drop-id": "d1"})


# docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html: at most 1,024 bytes of UTF-8.
def test_key_beyond_1024_bytes_is_refused(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> list[str]:
        return [answer_to(partial(bucket.put, key)) for key in ("é" * 512, "é" * 512 + "a")]

    assert_only_ours(probe, ["done", "KeyTooLongError"], cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html: the fields of Object Created.
def test_event_names_etag_version_and_reason(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> bool:
        bucket.announce()
        written = bucket.put("a b+c%20/é.csv")
        (event,) = bucket.events()
        expected = {
            "key": "a b+c%20/é.csv",
            "size": 11,
            "etag": written["ETag"].strip('"'),
            "version-id": written["VersionId"],
        }
        detail = {name: value for name, value in event["detail"]["object"].items() if name != "sequencer"}
        return bool(detail == expected and event["detail"]["reason"] == "PutObject")

    assert_only_ours(probe, True, cloud, bare)


def test_event_says_how_the_object_was_made(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> list[str]:
        bucket.announce()
        bucket.put("a")
        bucket.copy("a", "b")
        upload_in_parts(bucket, "c")
        return [event["detail"]["reason"] for event in bucket.events()]

    assert_only_ours(probe, ["PutObject", "CopyObject", "CompleteMultipartUpload"], cloud, bare)


# docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html: the sequencer grows per key.
def test_later_write_has_greater_sequencer(cloud: Cloud, bare: str) -> None:
    def probe(bucket: Bucket) -> bool:
        bucket.announce()
        bucket.put("a")
        bucket.put("a")
        first, second = bucket.events()
        numbers = [str(event["detail"]["object"]["sequencer"]).ljust(16, "0") for event in (first, second)]
        return numbers[0] < numbers[1] and first["id"] != second["id"]

    assert_only_ours(probe, True, cloud, bare)


def test_event_carries_aws_envelope(bucket: Bucket) -> None:
    bucket.announce()
    bucket.put("a")
    (event,) = bucket.events()

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", event["time"])
    assert (event["account"], event["region"]) == ("123456789012", "us-east-1")
    assert event["resources"] == [f"arn:aws:s3:::{bucket.name}"]


def test_refused_write_sends_no_event(bucket: Bucket) -> None:
    bucket.announce()
    bucket.put("a")
    bucket.events()
    answer_to(lambda: bucket.put("a", IfNoneMatch="*"))

    assert bucket.events() == []


def test_bucket_without_notifications_sends_none(bucket: Bucket) -> None:
    bucket.announce()
    bucket.s3.put_bucket_notification_configuration(Bucket=bucket.name, NotificationConfiguration={})
    bucket.put("a")

    assert bucket.events() == []


ODD_KEYS = ("a+b%20c", "a\x01b", "a\x0bb", "a\x7f\x85b", "a\ufffeb", "a&<b", "é/ü")


@pytest.mark.parametrize("most", [1, 2, 1000])
def test_versions_of_any_key_are_listed(bucket: Bucket, most: int) -> None:
    """XML cannot hold most control characters: S3 encodes keys where the client asks for it, as boto3 does."""
    for key in ODD_KEYS:
        bucket.s3.put_object(Bucket=bucket.name, Key=key, Body=b"x")
    bucket.s3.delete_object(Bucket=bucket.name, Key=ODD_KEYS[1])

    pages = bucket.s3.get_paginator("list_object_versions").paginate(
        Bucket=bucket.name, PaginationConfig={"PageSize": most}
    )
    versions = [
        (kind, each["Key"]) for page in pages for kind in ("Versions", "DeleteMarkers") for each in page.get(kind, [])
    ]
    assert sorted(versions) == sorted([("DeleteMarkers", ODD_KEYS[1]), *(("Versions", key) for key in ODD_KEYS)])


def test_versions_of_a_bucket_that_is_gone_are_an_error_by_name(bucket: Bucket) -> None:
    with pytest.raises(ClientError) as refused:
        bucket.s3.list_object_versions(Bucket=f"{bucket.name}-gone")
    assert refused.value.response["Error"]["Code"] == "NoSuchBucket"


@pytest.mark.parametrize(
    "key", ["a b.csv", "a+b.csv", "a%2Fb.csv", "é/ü.csv", "../a.csv", "a//b.csv", "a?b#c;d.csv", "[x]{y}:z"]
)
def test_unusual_keys_stay_as_written(key: str, bucket: Bucket) -> None:
    bucket.announce()
    bucket.put(key)
    bucket.copy(key, f"moved/{key}", IfNoneMatch="*")

    assert [event["detail"]["object"]["key"] for event in bucket.events()] == [key, f"moved/{key}"]
    assert bucket.text(f"moved/{key}") == HELLO


def upload_in_parts(bucket: Bucket, key: str, ChecksumSHA256: str | None = None, **condition: str) -> None:  # noqa: N803 (boto3's name)
    """Upload one part and complete."""
    place = {"Bucket": bucket.name, "Key": key}
    upload = bucket.s3.create_multipart_upload(**place)["UploadId"]
    checksum = {"ChecksumSHA256": ChecksumSHA256} if ChecksumSHA256 else {}
    part = bucket.s3.upload_part(**place, UploadId=upload, PartNumber=1, Body=HELLO, **checksum)
    parts = [{"PartNumber": 1, "ETag": part["ETag"]}]
    bucket.s3.complete_multipart_upload(**place, UploadId=upload, MultipartUpload={"Parts": parts}, **condition)


def put_with_trailer(bucket: Bucket, checksum: str) -> int:
    """Send HELLO in two chunks with its checksum behind, as SDKs do over TLS."""
    framed = (
        b"4\r\n"
        + HELLO[:4]
        + b"\r\n7\r\n"
        + HELLO[4:]
        + b"\r\n0\r\nx-amz-checksum-sha256:"
        + checksum.encode()
        + b"\r\n\r\n"
    )
    headers = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=producer/20261121/us-east-1/s3/aws4_request, SignedHeaders=host",
        "Content-Encoding": "aws-chunked",
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "x-amz-decoded-content-length": str(len(HELLO)),
        "x-amz-sdk-checksum-algorithm": "SHA256",
        "x-amz-trailer": "x-amz-checksum-sha256",
    }
    connection = http.client.HTTPConnection(urlsplit(bucket.endpoint).netloc)
    connection.request("PUT", f"/{bucket.name}/a", framed, headers)
    status = connection.getresponse().status
    connection.close()
    return status


CUSTOMERS = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "k" * 32}
FOREIGN = {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "arn:aws:kms:us-east-1:210987654321:key/0a1b"}


def in_one(bucket: Bucket, how: dict[str, str]) -> None:
    bucket.s3.put_object(Bucket=bucket.name, Key="locked", Body=HELLO, **how)


def in_parts(bucket: Bucket, how: dict[str, str]) -> None:
    place = {"Bucket": bucket.name, "Key": "locked"}
    upload = bucket.s3.create_multipart_upload(**place, **how)["UploadId"]
    each = how if "SSECustomerKey" in how else {}
    part = bucket.s3.upload_part(**place, UploadId=upload, PartNumber=1, Body=HELLO, **each)
    parts = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    bucket.s3.complete_multipart_upload(**place, UploadId=upload, MultipartUpload=parts, **each)


# docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html
# HEAD without a checksum needs no KMS key: docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
@pytest.mark.parametrize("send", [in_one, in_parts])
@pytest.mark.parametrize(
    ("how", "code", "status"), [(CUSTOMERS, "InvalidRequest", "400"), (FOREIGN, "AccessDenied", "done")]
)
def test_object_under_a_key_of_others_is_not_read(
    send: Callable[[Bucket, dict[str, str]], None],
    how: dict[str, str],
    code: str,
    status: str,
    cloud: Cloud,
    bare: str,
) -> None:
    def probe(bucket: Bucket) -> Any:
        send(bucket, how)
        place = {"Bucket": bucket.name, "Key": "locked"}
        return [
            answer_to(lambda: bucket.s3.get_object(**place)),
            answer_to(lambda: bucket.s3.head_object(**place)),
            answer_to(lambda: bucket.s3.copy_object(Bucket=bucket.name, Key="copy", CopySource=place)),
        ]

    assert_only_ours(probe, [code, status, code], cloud, bare)
