"""Queries of an index read one page of it, and answer as moto does without an index and as DynamoDB does."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from botocore.exceptions import BotoCoreError, ClientError
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table

from infra.local.cloud import Cloud
from infra.local.loopback import ACCOUNT
from infra.local.moto_patches import faster_moto
from infra.local.moto_patches.indexes import PageQuery, index_of
from infra.setup import dynamodb
from tests.integration.infra.local.test_sparing import NAMES, a_table, client

STATES = ("staged", "accepted")
WRITES, QUERIES, MANY, STARTS = 60, 40, 300, 60
CONDITIONS = ("", " AND #at = :a", " AND #at < :a", " AND #at <= :a", " AND #at > :a", " AND #at >= :a")
BETWEEN = " AND #at BETWEEN :a AND :b"


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with Cloud() as running:
        yield running


@contextmanager
def dynamodb_local() -> Iterator[Any]:
    """A client of a DynamoDB Local of our own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with dynamodb.running(port) as endpoint:
        made = boto3.Session("indexes", "none", region_name="us-east-1").client("dynamodb", endpoint_url=endpoint)
        end = time.monotonic() + STARTS
        while True:
            try:
                made.list_tables()
                break
            except BotoCoreError:
                assert time.monotonic() < end, "DynamoDB Local does not answer"
                time.sleep(0.2)
        yield made


def write(draw: random.Random, dynamodb: Any, table: str, *, ties: bool) -> None:
    """Put, change or delete an item, or fail to; its range key is another one's as well if there are `ties`."""
    drop, part = draw.randrange(8), draw.randrange(3)
    key = {"pk": {"S": f"drop-{drop}"}, "sk": {"S": str(part)}}
    at = draw.choice(("1", "1.0", "2", "10", "-3")) if ties else f"{draw.choice((1, 2, 10, -3))}.{drop}{part + 1}"
    item = {**key, "at": {"N": at}, "note": {"S": draw.choice("xyz")}}
    if draw.random() < 0.8:
        item["state"] = {"S": draw.choice(STATES)}
    kind = draw.randrange(6)
    if kind == 0:
        dynamodb.delete_item(TableName=table, Key=key)
    elif kind == 1:
        changed = {":s": {"S": draw.choice(STATES)}}
        dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression="SET #s = :s",
            ExpressionAttributeNames={"#s": "state"},
            ExpressionAttributeValues=changed,
        )
    elif kind == 2:
        absent = {"pk": {"S": "absent"}, "sk": {"S": "0"}}
        check = {"TableName": table, "Key": absent, "ConditionExpression": "attribute_exists(pk)"}
        with pytest.raises(ClientError):
            dynamodb.transact_write_items(
                TransactItems=[{"Put": {"TableName": table, "Item": item}}, {"ConditionCheck": check}]
            )
    else:
        dynamodb.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": item}}])


def a_query(draw: random.Random, table: str) -> dict[str, Any]:
    """A query of the index, with a condition, a filter, a projection, a direction and a limit, or without."""
    condition = draw.choice((*CONDITIONS, BETWEEN))
    values = {":s": {"S": draw.choice(STATES)}}
    if condition:
        values[":a"] = {"N": draw.choice(("-5", "1", "2", "1.41"))}
    if condition == BETWEEN:
        values[":b"] = {"N": "2.0"}
    query: dict[str, Any] = {
        "TableName": table,
        "IndexName": "by_state",
        "KeyConditionExpression": f"#s = :s{condition}",
        "ExpressionAttributeNames": NAMES if condition else {"#s": "state"},
        "ScanIndexForward": draw.random() < 0.5,
    }
    if draw.random() < 0.5:
        query["FilterExpression"], values[":n"] = "note = :n", {"S": "x"}
    if draw.random() < 0.3:
        query["ProjectionExpression"] = "pk, sk"
    if draw.random() < 0.8:
        query["Limit"] = draw.randrange(1, 5)
    return {**query, "ExpressionAttributeValues": values}


def pages(dynamodb: Any, query: dict[str, Any]) -> list[tuple[Any, ...]]:
    """All pages of a query that have read an item: items, their number, and the number of those that were read."""
    answers: list[tuple[Any, ...]] = []
    start: dict[str, Any] | None = {}
    while start is not None:
        page = dynamodb.query(**query, **({"ExclusiveStartKey": start} if start else {}))
        if page["ScannedCount"]:
            answers.append((page["Items"], page["Count"], page["ScannedCount"]))
        start = page.get("LastEvaluatedKey")
    return answers


def test_queries_answer_as_moto_does_without_an_index(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, dynamodb = random.Random(38), client(cloud, "dynamodb")
    table = a_table(dynamodb)
    seen = 0
    for _ in range(QUERIES):
        for _ in range(3):
            write(draw, dynamodb, table, ties=True)
        query = a_query(draw, table)
        ours = dynamodb.query(**query)
        with monkeypatch.context() as bare:
            bare.setattr(Table, "query", faster_moto._QUERY)  # moto's own method, put back for one query
            theirs = dynamodb.query(**query)
        assert all(
            ours.get(name) == theirs.get(name) for name in ("Items", "Count", "ScannedCount", "LastEvaluatedKey")
        )
        seen += len(ours["Items"])
    assert seen > QUERIES


def test_page_of_an_index_reads_one_item_more_than_its_limit(cloud: Cloud) -> None:
    name = a_table(client(cloud, "dynamodb"))
    table = dynamodb_backends[ACCOUNT]["us-east-1"].get_table(name)
    for n in range(MANY):
        item = {"pk": {"S": f"drop-{n}"}, "sk": {"S": "0"}, "state": {"S": STATES[0]}, "at": {"N": str(n)}}
        table.put_item(item)  # by HTTP they would take long
    index = index_of(table, "by_state")
    assert index

    page = index.page(DynamoType({"S": STATES[0]}), PageQuery("<=", (250,), None, 50, forward=False))
    assert [item.attrs["at"].value for item in page] == [str(n) for n in range(250, 199, -1)]


def test_queries_answer_as_dynamodb_local_does(cloud: Cloud) -> None:
    with dynamodb_local() as real:
        doubles = [client(cloud, "dynamodb"), real]
        tables = [a_table(double) for double in doubles]
        answers = []
        for double, table in zip(doubles, tables, strict=True):
            draw = random.Random(99)
            for _ in range(WRITES):
                write(draw, double, table, ties=False)
            answers.append([pages(double, a_query(draw, table)) for _ in range(QUERIES)])
    assert answers[0] == answers[1]
    assert sum(map(len, answers[0])) > QUERIES
