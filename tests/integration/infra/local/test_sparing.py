"""The work that moto is spared changes no answer: queries find their items, attributes come back whole."""

import uuid
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.sqs.models import sqs_backends

from infra.local.cloud import Cloud
from infra.local.loopback import ACCOUNT

MANY = 300
NAMES = {"#s": "state", "#at": "at"}


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as running:
        yield running


def client(cloud: Cloud, service: str) -> Any:
    make: Any = boto3.client
    return make(
        service,
        endpoint_url=cloud.endpoint,
        region_name="us-east-1",
        aws_access_key_id="ledger",
        aws_secret_access_key="none",
    )


def a_table(dynamodb: Any, kind: str = "S") -> str:
    """A table with an index by state and number."""
    name = f"table-{uuid.uuid4().hex}"
    keys = [("pk", "HASH"), ("sk", "RANGE")], [("state", "HASH"), ("at", "RANGE")]
    schema, of_index = ([{"AttributeName": key, "KeyType": how} for key, how in part] for part in keys)
    dynamodb.create_table(
        TableName=name,
        KeySchema=schema,
        AttributeDefinitions=[
            *({"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")),
            {"AttributeName": "state", "AttributeType": kind},
            {"AttributeName": "at", "AttributeType": "N"},
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        GlobalSecondaryIndexes=[
            {"IndexName": "by_state", "KeySchema": of_index, "Projection": {"ProjectionType": "ALL"}}
        ],
    )
    return name


def queried(dynamodb: Any, table: str, condition: str, values: dict[str, Any], **how: Any) -> list[str]:
    """The sort keys of all pages."""
    pages = dynamodb.get_paginator("query").paginate(
        TableName=table, KeyConditionExpression=condition, ExpressionAttributeValues=values, **how
    )
    return [item["sk"]["S"] for page in pages for item in page["Items"]]


def test_queries_find_by_key_and_by_index_in_order_and_in_pages(cloud: Cloud) -> None:
    dynamodb = client(cloud, "dynamodb")
    table = a_table(dynamodb)
    for n in reversed(range(30)):
        item = {"pk": {"S": f"drop-{n % 3}"}, "sk": {"S": f"{n:02}"}, "at": {"N": str(n)}}
        dynamodb.put_item(TableName=table, Item=item | ({"state": {"S": "staged"}} if n % 2 else {}))

    of_one = queried(dynamodb, table, "pk = :pk AND sk > :sk", {":pk": {"S": "drop-1"}, ":sk": {"S": "07"}})
    assert of_one == [f"{n:02}" for n in range(10, 30, 3)]
    staged = {":s": {"S": "staged"}, ":at": {"N": "20"}}
    how = {"IndexName": "by_state", "ScanIndexForward": False, "PaginationConfig": {"PageSize": 3}}
    assert queried(dynamodb, table, "#s = :s AND #at < :at", staged, ExpressionAttributeNames=NAMES, **how) == [
        f"{n:02}" for n in range(19, 0, -2)
    ]
    assert queried(dynamodb, table, "pk = :pk", {":pk": {"S": "drop-9"}}) == []


def test_numbers_of_an_index_are_equal_however_they_are_written(cloud: Cloud) -> None:
    dynamodb = client(cloud, "dynamodb")
    table = a_table(dynamodb, "N")
    for sk, state in (("a", "1"), ("b", "1.0"), ("c", "2")):
        values = {"state": {"N": state}, "at": {"N": "0"}}
        dynamodb.put_item(TableName=table, Item={"pk": {"S": "drop"}, "sk": {"S": sk}, **values})
    names = {"#s": "state"}
    same = queried(
        dynamodb, table, "#s = :s", {":s": {"N": "1.00"}}, IndexName="by_state", ExpressionAttributeNames=names
    )
    assert same == ["a", "b"]


def test_attributes_of_every_type_come_back_from_table_and_stream(cloud: Cloud) -> None:
    dynamodb, streams = client(cloud, "dynamodb"), client(cloud, "dynamodbstreams")
    table = a_table(dynamodb)
    item: dict[str, Any] = {
        "pk": {"S": "drop"},
        "sk": {"S": "é"},
        "number": {"N": "1.50"},
        "bytes": {"B": b"\x00\xff"},
        "nothing": {"NULL": True},
        "no": {"BOOL": False},
        "texts": {"SS": ["a", "b"]},
        "numbers": {"NS": ["1", "2"]},
        "blobs": {"BS": [b"a"]},
        "list": {"L": [{"S": ""}, {"M": {"in": {"B": b"b"}, "empty": {"M": {}}}}, {"L": []}]},
    }
    dynamodb.put_item(TableName=table, Item=item)
    arn = dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    begin = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
    (record,) = streams.get_records(ShardIterator=begin["ShardIterator"])["Records"]

    read = dynamodb.get_item(TableName=table, Key={name: item[name] for name in ("pk", "sk")})["Item"]
    assert read == record["dynamodb"]["NewImage"] == item


def test_lists_of_a_folder_name_what_is_there_in_order_and_in_pages(cloud: Cloud) -> None:
    s3 = client(cloud, "s3")
    s3.create_bucket(Bucket="long")
    s3.put_bucket_versioning(Bucket="long", VersioningConfiguration={"Status": "Enabled"})
    for name in ("b/2", "b/1", "a/1", "b/gone", "b/in/1", "b/in/2", "bb/1", "b/2"):
        s3.put_object(Bucket="long", Key=name, Body=b"")
    s3.delete_object(Bucket="long", Key="b/gone")

    def listed(**how: Any) -> list[str]:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket="long", PaginationConfig={"PageSize": 2}, **how)
        parts = [(p.get("Contents", []), p.get("CommonPrefixes", [])) for p in pages]
        return [e["Key"] for keys, _ in parts for e in keys] + [e["Prefix"] for _, more in parts for e in more]

    assert listed(Prefix="b/") == ["b/1", "b/2", "b/in/1", "b/in/2"]
    assert listed(Prefix="b/", Delimiter="/") == ["b/1", "b/2", "b/in/"]
    assert listed(Prefix="c") == []
    assert listed() == ["a/1", "b/1", "b/2", "b/in/1", "b/in/2", "bb/1"]


def test_item_of_more_than_dynamodb_holds_is_refused(cloud: Cloud) -> None:
    dynamodb = client(cloud, "dynamodb")
    table = a_table(dynamodb)
    for size in (400_000, 410_000):
        item = {"pk": {"S": "drop"}, "sk": {"S": str(size)}, "note": {"S": "n" * size}}
        if size < 405_000:
            dynamodb.put_item(TableName=table, Item=item)
        else:
            with pytest.raises(ClientError, match="Item size"):
                dynamodb.put_item(TableName=table, Item=item)


def test_a_message_is_deleted_by_any_of_its_receipts_and_by_no_other(cloud: Cloud) -> None:
    sqs = client(cloud, "sqs")
    url = sqs.create_queue(QueueName="receipts", Attributes={"VisibilityTimeout": "0"})["QueueUrl"]
    for body in ("first", "second"):
        sqs.send_message(QueueUrl=url, MessageBody=body)
    (early,) = sqs.receive_message(QueueUrl=url)["Messages"]
    sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)

    sqs.delete_message(QueueUrl=url, ReceiptHandle=early["ReceiptHandle"])
    sqs.delete_message(QueueUrl=url, ReceiptHandle=early["ReceiptHandle"])  # again changes nothing
    with pytest.raises(ClientError, match="ReceiptHandleIsInvalid"):
        sqs.delete_message(QueueUrl=url, ReceiptHandle="of nobody")
    assert [m["Body"] for m in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)["Messages"]] == ["second"]


def test_messages_are_kept_as_long_as_the_queue_says(cloud: Cloud) -> None:
    sqs = client(cloud, "sqs")
    short, long = (
        sqs.create_queue(QueueName=f"kept-{seconds}", Attributes={"MessageRetentionPeriod": seconds})["QueueUrl"]
        for seconds in ("60", "600")
    )
    for url in (short, long):
        sqs.send_message(QueueUrl=url, MessageBody="early")
        queue: Any = sqs_backends[ACCOUNT]["us-east-1"].get_queue(url.rpartition("/")[2])
        for message in queue._messages:
            message.sent_timestamp -= 61_000  # a minute ago: moto's memory is the cloud's
    answers = [sqs.receive_message(QueueUrl=url).get("Messages", []) for url in (short, long)]
    assert [[message["Body"] for message in each] for each in answers] == [[], ["early"]]


def test_a_long_queue_hands_out_each_message_once(cloud: Cloud) -> None:
    sqs = client(cloud, "sqs")
    url = sqs.create_queue(QueueName="long")["QueueUrl"]
    for first in range(0, MANY, 10):
        entries = [{"Id": str(n), "MessageBody": str(n)} for n in range(first, first + 10)]
        sqs.send_message_batch(QueueUrl=url, Entries=entries)
    got: set[str] = set()
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        got |= {message["Body"] for message in messages}
    assert got == {str(n) for n in range(MANY)}
    sqs.send_message(QueueUrl=url, MessageBody="waits")
    sqs.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=600)
    state = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    counts = [state[f"ApproximateNumberOfMessages{which}"] for which in ("", "NotVisible", "Delayed")]
    assert counts == ["1", str(MANY), "1"]
