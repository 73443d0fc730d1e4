"""Races, silence and refusals of AWS, and the metadata that a copy leaves behind."""

from __future__ import annotations

import uuid
from typing import Any

import boto3
import pytest
from botocore.config import Config

from contracts.errors import ObjectUnreadable, ServiceUnavailable
from functions.aws.clients import Clients
from functions.aws.dynamodb import DynamoLedger
from functions.aws.s3 import S3Store
from functions.drop import Location
from functions.ports.store import CopyTag
from infra.local.cloud import Cloud
from infra.local.iam.guard import Rights
from infra.local.template.stack import Stack
from tests.builders import a_drop


def uploaded(clients: Clients, stack: Stack) -> Location:
    bucket, key = stack.names["LandingBucket"], f"{uuid.uuid4().hex}.csv"
    answer = clients.s3.put_object(
        Bucket=bucket, Key=key, Body=b"id\n", Metadata={"owner": "theirs"}, Tagging="secret=theirs"
    )
    return Location(f"s3://{bucket}/{key}", answer["VersionId"])


def test_lost_race_is_run_again(cloud: Cloud, clients: Clients, stack: Stack) -> None:
    bucket, key = stack.names["InternalBucket"], uuid.uuid4().hex
    cloud.conflict_next(bucket, key)
    S3Store(clients.s3).copy(uploaded(clients, stack), f"s3://{bucket}/{key}", CopyTag("d", 1))

    assert S3Store(clients.s3).get(f"s3://{bucket}/{key}") == b"id\n"


def test_producers_metadata_and_tags_stay_behind(clients: Clients, stack: Stack) -> None:
    bucket, key = stack.names["InternalBucket"], uuid.uuid4().hex
    S3Store(clients.s3).copy(uploaded(clients, stack), f"s3://{bucket}/{key}", CopyTag("d", 1))

    assert clients.s3.head_object(Bucket=bucket, Key=key)["Metadata"] == {
        "dropgate-drop": "d",
        "dropgate-attempt": "1",
    }
    assert clients.s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"] == []


def test_service_that_is_silent_is_unavailable() -> None:
    session = boto3.Session("k", "s", region_name="us-east-1")
    once = Config(retries={"total_max_attempts": 1}, connect_timeout=1)
    nowhere = "http://127.0.0.1:9"
    with pytest.raises(ServiceUnavailable, match="s3"):
        S3Store(session.client("s3", endpoint_url=nowhere, config=once)).get("s3://b/k")
    with pytest.raises(ServiceUnavailable, match="dynamodb"):
        DynamoLedger(session.client("dynamodb", endpoint_url=nowhere, config=once), "t").drop("d")


def test_refusal_names_operation_and_code(clients: Clients) -> None:
    with pytest.raises(ServiceUnavailable, match="s3 PutObject: NoSuchBucket"):
        S3Store(clients.s3).put("s3://no-such-bucket/k", b"", "text/plain")
    with pytest.raises(ServiceUnavailable, match="dynamodb TransactWriteItems: ResourceNotFoundException"):
        DynamoLedger(clients.dynamodb, "no-such-table").open(a_drop())


LOCKED = {
    "a key that the producer keeps": {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "k" * 32},
    "a key of another account": {
        "ServerSideEncryption": "aws:kms",
        "SSEKMSKeyId": "arn:aws:kms:us-east-1:210987654321:key/0a1b",
    },
}


@pytest.mark.parametrize("how", LOCKED.values(), ids=LOCKED)
def test_object_under_a_key_of_others_is_unreadable(how: dict[str, Any], clients: Clients, stack: Stack) -> None:
    bucket, key = stack.names["LandingBucket"], f"{uuid.uuid4().hex}.csv"
    version = clients.s3.put_object(Bucket=bucket, Key=key, Body=b"id\n", **how)["VersionId"]
    at, store = Location(f"s3://{bucket}/{key}", version), S3Store(clients.s3, "123456789012")

    with pytest.raises(ObjectUnreadable):
        store.read(at, 0, 10)
    with pytest.raises(ObjectUnreadable):
        store.copy(at, f"s3://{stack.names['InternalBucket']}/{key}", CopyTag("d", 1))


def test_right_that_we_lack_ourselves_is_no_lock(cloud: Cloud, clients: Clients, stack: Stack) -> None:
    at = uploaded(clients, stack)
    cloud.guard._rights["nobody"] = Rights("arn:aws:iam::123456789012:role/nobody", ())
    store = S3Store(Clients(boto3.Session("nobody", "none", region_name="us-east-1")).s3)
    for ask in (lambda: store.read(at, 0, 10), lambda: store.copy(at, f"{at.uri}.copy", CopyTag("d", 1))):
        with pytest.raises(ServiceUnavailable, match="AccessDenied"):
            ask()
