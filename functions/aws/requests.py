"""Requests in a DynamoDB table of their own: the ports AnsweredRequests and RequestCounts on a boto3 client.

- <name>: a request, or the number of requests of a caller in a minute.

DynamoDB erases items within days after `expires` (Amazon DynamoDB developer guide, "Time to Live").
"""

from __future__ import annotations

from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.aws import items
from functions.aws.answers import asking, code
from functions.ports.web.requests import AnsweredRequest

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NAME, EXPIRES = "name", "expires"
FREE = "attribute_not_exists(#n) OR #e <= :now"


class DynamoRequests:
    """The answered requests of a stack."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._db = client
        self._table = table

    def begin(self, name: str, mark: str, now: datetime, until: datetime) -> AnsweredRequest | None:
        with asking("dynamodb"):
            try:
                self._db.put_item(
                    TableName=self._table,
                    Item=items.dumps({NAME: name, EXPIRES: ceil(until.timestamp()), "mark": mark}),
                    ConditionExpression=FREE,
                    ExpressionAttributeNames={"#n": NAME, "#e": EXPIRES},
                    ExpressionAttributeValues=items.dumps({":now": int(now.timestamp())}),
                )
            except ClientError as error:
                if code(error) != "ConditionalCheckFailedException":
                    raise
            else:
                return None
            answer = self._db.get_item(TableName=self._table, Key=items.dumps({NAME: name}), ConsistentRead=True)
        item = items.loads(answer.get("Item", {}))
        # One that was erased meanwhile is under way for the caller, who tries again.
        return AnsweredRequest(item.get("mark", mark), item.get("answer"))

    def find(self, name: str, now: datetime) -> AnsweredRequest | None:
        with asking("dynamodb"):
            answer = self._db.get_item(TableName=self._table, Key=items.dumps({NAME: name}), ConsistentRead=True)
        item = items.loads(answer.get("Item", {}))
        if not item or item[EXPIRES] <= now.timestamp():
            return None
        return AnsweredRequest(item["mark"], item.get("answer"))

    def answer(self, name: str, mark: str, answer: str, until: datetime) -> None:
        item = {NAME: name, EXPIRES: ceil(until.timestamp()), "mark": mark, "answer": answer}
        with asking("dynamodb"):
            self._db.put_item(TableName=self._table, Item=items.dumps(item))

    def erase(self, name: str) -> None:
        with asking("dynamodb"):
            self._db.delete_item(TableName=self._table, Key=items.dumps({NAME: name}))

    def count(self, name: str, until: datetime) -> int:
        with asking("dynamodb"):
            answer = self._db.update_item(
                TableName=self._table,
                Key=items.dumps({NAME: name}),
                UpdateExpression="SET #e = :e ADD #c :one",
                ExpressionAttributeNames={"#e": EXPIRES, "#c": "requests"},
                ExpressionAttributeValues=items.dumps({":e": ceil(until.timestamp()), ":one": 1}),
                ReturnValues="UPDATED_NEW",
            )
        return int(items.loads(answer["Attributes"])["requests"])
