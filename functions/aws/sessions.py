"""Sessions in a DynamoDB table of their own: the Sessions port on a boto3 client.

- <name>: a session. DynamoDB erases it within days after `expires` (Amazon DynamoDB developer guide, "Time to Live").
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from contracts import codec
from contracts.errors import DocumentInvalid
from functions.aws import items
from functions.aws.answers import asking
from functions.ports.clock import moment
from functions.ports.web.sessions import Session

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NAME, EXPIRES = "name", "expires"


class DynamoSessions:
    """The sessions of a stack."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._db = client
        self._table = table

    def session(self, name: str) -> Session | None:
        with asking("dynamodb"):
            answer = self._db.get_item(TableName=self._table, Key=items.dumps({NAME: name}), ConsistentRead=True)
        if "Item" not in answer:
            return None
        item = {key: value for key, value in items.loads(answer["Item"]).items() if key not in (NAME, EXPIRES)}
        try:
            return codec.decode(Session, item)
        except DocumentInvalid:  # of another version: its person signs in again
            return None

    def begin(self, name: str, session: Session) -> None:
        expires = ceil(moment(session.ends_at).timestamp())
        with asking("dynamodb"):
            self._db.put_item(
                TableName=self._table, Item=items.dumps({NAME: name, EXPIRES: expires, **codec.encode(session)})
            )

    def end(self, name: str) -> None:
        with asking("dynamodb"):
            self._db.delete_item(TableName=self._table, Key=items.dumps({NAME: name}))
