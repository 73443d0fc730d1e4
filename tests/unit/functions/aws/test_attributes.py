"""Attributes of items are those that boto3 writes and reads; only DynamoDB's client leaves checks to its service."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ParamValidationError
from hypothesis import given
from hypothesis import strategies as st

from functions.aws import items
from functions.aws.clients import Clients

VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.text() | st.integers(-(10**38) + 1, 10**38 - 1),
    lambda nested: st.lists(nested) | st.tuples(nested) | st.dictionaries(st.text(), nested),
    max_leaves=20,
)


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Clients:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "nobody")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return Clients()


def plain(value: Any) -> Any:
    """Numbers as int, in what boto3 has read."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return int(value) if isinstance(value, Decimal) else value


@given(st.dictionaries(st.text(), VALUES))
def test_values_are_written_and_read_as_boto3_does(values: dict[str, Any]) -> None:
    write, read = TypeSerializer().serialize, TypeDeserializer().deserialize
    written = {k: write(v) for k, v in values.items() if v is not None}

    assert items.dumps(values) == written
    assert items.loads(written) == {k: plain(read(v)) for k, v in written.items()}


@pytest.mark.parametrize("number", ["1.0", "-1E+2", "007"])
def test_numbers_are_equal_however_they_are_written(number: str) -> None:
    assert items.loads({"n": {"N": number}}) == {"n": int(Decimal(number))}


@pytest.mark.parametrize("value", [10**38, -(10**38), 0.5])
def test_numbers_that_dynamodb_has_not_are_refused(value: float) -> None:
    with pytest.raises((ArithmeticError, TypeError)):
        items.dumps({"n": value})


class Sent(Exception):
    """A request that would have left."""


def leave(**_: Any) -> None:
    """Let no request leave."""
    raise Sent


def test_items_are_not_walked_again_before_they_leave(clients: Clients) -> None:
    clients.dynamodb.meta.events.register("before-send", leave)

    with pytest.raises(Sent):  # boto3 would refuse a text that is none
        clients.dynamodb.put_item(TableName="ledger", Item={"pk": {"S": 5}})


def test_calls_to_s3_without_a_key_never_leave(clients: Clients) -> None:
    with pytest.raises(ParamValidationError):  # it would be a request about the bucket
        clients.s3.delete_object(Bucket="promoted", Key="")
