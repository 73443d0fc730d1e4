"""The embedded cloud's record of each request: caller, action and resource in the words of an IAM policy."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.cloud import Cloud
from infra.local.iam.calls import Call
from infra.local.iam.guard import Rights
from infra.local.iam.policy_evaluator import read

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/ledger"


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as running:
        yield running


def client(cloud: Cloud, service: str) -> Any:
    """Make a client and forget earlier calls."""
    cloud.calls.clear()
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=cloud.endpoint,
        region_name="us-east-1",
        aws_access_key_id="object-created",
        aws_secret_access_key="none",
    )


# docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
def test_copy_reads_version_and_writes(cloud: Cloud) -> None:
    s3 = client(cloud, "s3")
    s3.create_bucket(Bucket="calls")
    s3.put_bucket_versioning(Bucket="calls", VersioningConfiguration={"Status": "Enabled"})
    version = s3.put_object(Bucket="calls", Key="a b.csv", Body=b"")["VersionId"]
    cloud.calls.clear()
    s3.copy_object(Bucket="calls", Key="b", CopySource={"Bucket": "calls", "Key": "a b.csv", "VersionId": version})
    s3.delete_object(Bucket="calls", Key="a b.csv", VersionId=version)
    s3.head_object(Bucket="calls", Key="b")
    s3.list_objects_v2(Bucket="calls")

    assert list(cloud.calls) == [
        Call("object-created", "s3:GetObjectVersion", "arn:aws:s3:::calls/a b.csv"),
        Call("object-created", "s3:PutObject", "arn:aws:s3:::calls/b"),
        Call("object-created", "s3:DeleteObjectVersion", "arn:aws:s3:::calls/a b.csv"),
        Call("object-created", "s3:GetObject", "arn:aws:s3:::calls/b"),
        Call("object-created", "s3:ListBucket", "arn:aws:s3:::calls"),
    ]


# docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
def test_transaction_counts_as_its_parts(cloud: Cloud) -> None:
    dynamodb = client(cloud, "dynamodb")
    dynamodb.create_table(
        TableName="ledger",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    cloud.calls.clear()
    absent = {"Key": {"pk": {"S": "b"}}, "ConditionExpression": "attribute_not_exists(pk)"}
    dynamodb.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": "ledger", "Item": {"pk": {"S": "a"}}}},
            {"ConditionCheck": {"TableName": "ledger", **absent}},
        ]
    )
    dynamodb.get_item(TableName="ledger", Key={"pk": {"S": "a"}})

    actions = ["dynamodb:PutItem", "dynamodb:ConditionCheckItem", "dynamodb:GetItem"]
    assert list(cloud.calls) == [Call("object-created", action, TABLE) for action in actions]


def test_query_of_index_names_the_index(cloud: Cloud) -> None:
    dynamodb = client(cloud, "dynamodb")
    with pytest.raises(dynamodb.exceptions.ClientError):
        dynamodb.query(TableName="ledger", IndexName="inflight", KeyConditionExpression="inflight = :i")

    assert list(cloud.calls) == [Call("object-created", "dynamodb:Query", f"{TABLE}/index/inflight")]


def test_batch_of_messages_counts_as_sending(cloud: Cloud) -> None:
    sqs = client(cloud, "sqs")
    url = sqs.create_queue(QueueName="batch-due")["QueueUrl"]
    cloud.calls.clear()
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "1", "MessageBody": "a"}, {"Id": "2", "MessageBody": "b"}])

    queue = "arn:aws:sqs:us-east-1:123456789012:batch-due"
    assert list(cloud.calls) == [Call("object-created", "sqs:SendMessage", queue)]


# docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
@pytest.mark.parametrize(("actions", "status"), [("s3:GetObject", 403), (["s3:GetObject", "s3:ListBucket"], 404)])
def test_missing_object_is_forbidden_to_who_may_not_list(cloud: Cloud, actions: Any, status: int) -> None:
    reader = read([{"Effect": "Allow", "Action": actions, "Resource": ["arn:aws:s3:::read", "arn:aws:s3:::read/*"]}])
    client(cloud, "s3").create_bucket(Bucket="read")
    cloud.guard._rights["object-created"] = Rights("arn:aws:iam::123456789012:role/reader", reader)
    with pytest.raises(ClientError) as refused:
        client(cloud, "s3").head_object(Bucket="read", Key="none")
    del cloud.guard._rights["object-created"]

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_deleting_many_counts_each(cloud: Cloud) -> None:
    s3 = client(cloud, "s3")
    s3.create_bucket(Bucket="many")
    cloud.calls.clear()
    s3.delete_objects(Bucket="many", Delete={"Objects": [{"Key": "a"}, {"Key": "b", "VersionId": "v"}]})

    assert list(cloud.calls) == [
        Call("object-created", "s3:DeleteObject", "arn:aws:s3:::many/a"),
        Call("object-created", "s3:DeleteObjectVersion", "arn:aws:s3:::many/b"),
    ]


def test_condition_keys_come_with_the_call(cloud: Cloud) -> None:
    s3 = client(cloud, "s3")
    s3.create_bucket(Bucket="told")
    s3.list_objects_v2(Bucket="told", Prefix="a/")
    s3.put_object(Bucket="told", Key="k", Body=b"", IfNoneMatch="*", ServerSideEncryption="aws:kms", SSEKMSKeyId="id")
    listed, put = list(cloud.calls)[-2:]

    assert listed.context == {"aws:SecureTransport": "true", "s3:prefix": "a/"}
    assert put.context == {
        "aws:SecureTransport": "true",
        "s3:ObjectCreationOperation": "true",
        "s3:if-none-match": "*",
        "s3:x-amz-server-side-encryption": "aws:kms",
        "s3:x-amz-server-side-encryption-aws-kms-key-id": "id",
    }
