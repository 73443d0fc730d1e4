"""A cancelled transaction leaves table and stream as they were, in time that does not grow with the table."""

import gc
import time
import uuid
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.dynamodb.models.table import Table

from infra.local.cloud import Cloud


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[Any]:
    with Cloud() as cloud:
        yield boto3.client(
            "dynamodb",
            endpoint_url=cloud.endpoint,
            region_name="us-east-1",
            aws_access_key_id="ledger",
            aws_secret_access_key="none",
        )


def a_table(dynamodb: Any, *keys: str) -> str:
    name = f"table-{uuid.uuid4().hex}"
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    return name


def item(**attributes: str) -> dict[str, Any]:
    return {name: {"S": value} for name, value in attributes.items()}


def everything(dynamodb: Any, table: str) -> list[dict[str, str]]:
    items = dynamodb.scan(TableName=table, ConsistentRead=True)["Items"]
    return sorted(
        ({name: value["S"] for name, value in each.items()} for each in items), key=lambda each: sorted(each.items())
    )


@pytest.mark.parametrize("keys", [("pk",), ("pk", "sk")], ids=["partition key", "partition and sort key"])
def test_cancelled_transaction_changes_no_item(dynamodb: Any, keys: tuple[str, ...]) -> None:
    table = a_table(dynamodb, *keys)
    sort = {"sk": "STATE"} if "sk" in keys else {}
    for name in ("updated", "deleted", "replaced"):
        dynamodb.put_item(TableName=table, Item=item(pk=name, state="staged", **sort))
    before = everything(dynamodb, table)
    update = {
        "UpdateExpression": "SET #state = :state",
        "ExpressionAttributeNames": {"#state": "state"},
        "ExpressionAttributeValues": {":state": {"S": "changed"}},
    }
    absent = {"Key": item(pk="absent", **sort), "ConditionExpression": "attribute_exists(pk)"}

    with pytest.raises(ClientError, match="TransactionCanceledException"):
        dynamodb.transact_write_items(
            TransactItems=[
                {"Update": {"TableName": table, "Key": item(pk="updated", **sort), **update}},
                {"Update": {"TableName": table, "Key": item(pk="new", **sort), **update}},
                {"Delete": {"TableName": table, "Key": item(pk="deleted", **sort)}},
                {"Put": {"TableName": table, "Item": item(pk="replaced", state="changed", **sort)}},
                {"ConditionCheck": {"TableName": table, **absent}},
            ]
        )

    assert everything(dynamodb, table) == before


def test_iterators_of_the_stream_outlive_a_cancelled_transaction(dynamodb: Any) -> None:
    table = a_table(dynamodb, "pk", "sk")
    streams = boto3.client(
        "dynamodbstreams",
        endpoint_url=dynamodb.meta.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="ledger",
        aws_secret_access_key="none",
    )
    arn = dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    asked = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    begin = streams.get_shard_iterator(**asked)["ShardIterator"]
    kept, undone = (item(pk="one", sk=sk, state="staged") for sk in ("kept", "undone"))
    absent = {"Key": item(pk="absent", sk="STATE"), "ConditionExpression": "attribute_exists(pk)"}
    dynamodb.put_item(TableName=table, Item=kept)

    with pytest.raises(ClientError, match="TransactionCanceledException"):
        dynamodb.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": table, "Item": undone}},
                {"ConditionCheck": {"TableName": table, **absent}},
            ]
        )
    dynamodb.put_item(TableName=table, Item=undone | item(state="later"))

    images = [record["dynamodb"]["NewImage"] for record in streams.get_records(ShardIterator=begin)["Records"]]
    assert [(image["sk"]["S"], image["state"]["S"]) for image in images] == [("kept", "staged"), ("undone", "later")]


def test_transactions_stay_quick_as_the_table_grows(dynamodb: Any) -> None:
    table = a_table(dynamodb, "pk", "sk")

    def write(first: int, count: int) -> float:
        start = time.process_time()
        for number in range(first, first + count):
            puts = [item(pk=f"D#{number}", sk=sk, state="staged") for sk in ("STATE", "H#1#1")]
            dynamodb.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": put}} for put in puts])
        return (time.process_time() - start) / count

    write(0, 300)
    assert write(300, 20) < 0.05


def test_copies_for_rollbacks_are_not_kept(dynamodb: Any) -> None:
    table = a_table(dynamodb, "pk", "sk")
    for number in range(20):
        put = {"TableName": table, "Item": item(pk="one", sk="STATE", state=str(number))}
        dynamodb.transact_write_items(TransactItems=[{"Put": put}])

    gc.collect()
    assert sum(isinstance(each, Table) and each.name == table for each in gc.get_objects()) == 1
