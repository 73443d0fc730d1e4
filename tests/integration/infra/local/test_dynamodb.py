"""DynamoDB under concurrency: our cloud keeps what it acknowledged, bare moto loses some of it."""

import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from infra.local.cloud import Cloud
from infra.local.loopback import LoopbackServer

WRITERS = 4
ROUNDS_UNTIL_MOTO_FAILS = 40
OFTEN = 1e-5
"""Seconds between changes of threads: by default 0.005, after which a quiet machine rarely shows the fault."""


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as running:
        yield running


@pytest.fixture(scope="module")
def bare() -> Iterator[str]:
    with LoopbackServer(DomainDispatcherApplication(create_backend_app)) as running:
        yield running.endpoint


def a_table(endpoint: str) -> Any:
    """Make a table that already holds a hundred items: the more there are, the longer moto's transactions take."""
    dynamodb = boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="ledger",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}, max_pool_connections=WRITERS * 2),
    )
    table = dynamodb.create_table(
        TableName=f"ledger-{uuid.uuid4().hex}",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    with table.batch_writer() as batch:
        for number in range(100):
            batch.put_item({"pk": f"old-{number}", "state": "accepted"})
    return table


def lost_puts(table: Any, name: str) -> int:
    """Put items from some writers while transactions fail beside them; count acknowledged puts that are gone."""

    def put(writer: int) -> list[str]:
        keys = [f"{name}-{writer}-{number}" for number in range(10)]
        for key in keys:
            table.put_item(Item={"pk": key})
        return keys

    def fail(_: int) -> None:
        for _ in range(10):
            fail_a_transaction(table)

    with ThreadPoolExecutor(WRITERS + 2) as pool:
        failing = [pool.submit(fail, number) for number in range(2)]
        putting = [pool.submit(put, number) for number in range(WRITERS)]
        keys = [key for done in putting for key in done.result()]
        for done in failing:
            done.result()
    return sum("Item" not in table.get_item(Key={"pk": key}, ConsistentRead=True) for key in keys)


def fail_a_transaction(table: Any) -> None:
    """Write one item together with a condition that does not hold."""
    absent = {"TableName": table.name, "Key": {"pk": "absent"}, "ConditionExpression": "attribute_exists(pk)"}
    put = {"TableName": table.name, "Item": {"pk": "never"}}
    try:
        table.meta.client.transact_write_items(TransactItems=[{"Put": put}, {"ConditionCheck": absent}])
    except ClientError as error:
        if error.response["Error"]["Code"] != "TransactionCanceledException":
            raise


# docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html: cancelled, it changes nothing.
def test_failed_transaction_loses_no_other_put(cloud: Cloud) -> None:
    table = a_table(cloud.endpoint)

    assert [lost_puts(table, f"round-{number}") for number in range(2)] == [0, 0]


def test_bare_moto_still_loses_puts(bare: str) -> None:
    table = a_table(bare)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    try:
        went_wrong = any(goes_wrong(table, f"round-{number}") for number in range(ROUNDS_UNTIL_MOTO_FAILS))
    finally:
        sys.setswitchinterval(usual)

    assert went_wrong


def goes_wrong(table: Any, name: str) -> bool:
    """Tell whether puts were lost, or moto fell over (`dictionary changed size during iteration`)."""
    try:
        return lost_puts(table, name) > 0
    except ClientError:
        return True


# docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
def test_conditional_update_has_one_winner(cloud: Cloud) -> None:
    table = a_table(cloud.endpoint)
    table.put_item(Item={"pk": "drop", "version": 1})

    def claim(_: int) -> bool:
        try:
            table.update_item(
                Key={"pk": "drop"},
                UpdateExpression="SET version = :next",
                ConditionExpression="version = :seen",
                ExpressionAttributeValues={":seen": 1, ":next": 2},
            )
        except ClientError:
            return False
        return True

    with ThreadPoolExecutor(WRITERS) as pool:
        assert sum(pool.map(claim, range(40))) == 1
