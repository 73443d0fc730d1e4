"""Notices in a DynamoDB table of their own: the NoticeBook port on a boto3 client.

- L#<line>     STATE                  a line; listed in `by_due` while something waits
- L#<line>     W#<number>             a notice on it
- L#<line>     K#<hash of the topic>  a trouble that is not over
- L#<line>     G#<hash of the topic>  the newest upload that was accepted
- L#<line>     M#<number>             a message, by the last notice that it covers
- S#<subject>  <line>#<sequence>      which notices there are of a drop, or of a day of missing files;
                                      without a number a state that passed the line by
- R#<message>  STATE                  why the mail of a message came back
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from contracts import codec
from contracts.errors import DocumentInvalid, ServiceUnavailable, StaleWrite
from functions import keys
from functions.aws import items
from functions.aws.answers import asking, code
from functions.aws.items import Item
from functions.ports.notices import Line, Message, Notice, Trace, Trouble, Unread

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DUE, EXPIRES = "due", "expires"
OURS = {"pk", "sk", DUE, EXPIRES}
KEPT = 90 * 24 * 3600
"""Seconds for which notices are kept."""

T = TypeVar("T")


class DynamoNotices:
    """Lines, their notices and their messages."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._db = client
        self._table = table

    def line(self, line_id: str) -> Line | None:
        item = self._get(f"L#{line_id}", items.STATE)
        return _value(Line, item) if item else None

    def newest(self, line_id: str, subject: str) -> str | None:
        steps = self._query(f"S#{subject}", begins=f"{line_id}#", newest_first=True, Limit=1)
        return next((str(step["sequence"]) for step in steps), None)

    def in_trouble(self, line_id: str, topic: str) -> str | None:
        item = self._get(f"L#{line_id}", _of_topic("K", topic))
        return None if item is None else str(item.get("upload", ""))

    def newest_good(self, line_id: str, topic: str) -> str:
        return str((self._get(f"L#{line_id}", _of_topic("G", topic)) or {}).get("upload", ""))

    def note_good(self, line_id: str, topic: str, upload: str) -> None:
        good: Any = self._put({"pk": f"L#{line_id}", "sk": _of_topic("G", topic), "upload": upload})["Put"]
        with asking("dynamodb"):
            try:
                self._db.put_item(
                    **good,
                    ConditionExpression="attribute_not_exists(pk) OR upload < :u",
                    ExpressionAttributeValues=items.dumps({":u": upload}),
                )
            except ClientError as error:
                if code(error) != "ConditionalCheckFailedException":
                    raise

    def put(self, line: Line, notice: Notice, trouble: Trouble | None, upload: str = "") -> None:
        pk = f"L#{line.id}"
        step = {"number": notice.number, "sequence": notice.sequence, "occasion": notice.occasion, "at": notice.at}
        actions = [
            self._fenced(line),
            self._put({"pk": pk, "sk": _number("W", notice.number), **codec.encode(notice)}),
            self._put({"pk": f"S#{notice.subject}", "sk": f"{line.id}#{notice.sequence}", "line": line.id, **step}),
        ]
        if trouble == "begins":
            begun = {"pk": pk, "sk": _of_topic("K", notice.topic), "at": notice.at, "upload": upload}
            actions.append(self._put(begun))
            if upload:
                actions.append(self._unless_good(pk, notice.topic, upload))
        elif trouble == "ends":
            gone = items.key(pk, _of_topic("K", notice.topic))
            actions.append({"Delete": {"TableName": self._table, "Key": gone}})
        self._transact(actions)

    def pass_by(self, line: Line, subject: str, sequence: str) -> None:
        passed = {"pk": f"S#{subject}", "sk": f"{line.id}#{sequence}", "line": line.id, "sequence": sequence}
        self._transact([self._fenced(line), self._put(passed)])

    def waiting(self, line_id: str, after: int, through: int) -> Sequence[Notice | Unread]:
        between = _number("W", after + 1), _number("W", through)
        return tuple(map(_notice, self._query(f"L#{line_id}", between=between)))

    def write(self, line: Line, message: Message | None = None) -> None:
        actions = [self._fenced(line)]
        if message:
            item = {"pk": f"L#{line.id}", "sk": _number("M", message.through), **codec.encode(message)}
            actions.append(self._put(item))
        self._transact(actions)

    def note_returned(self, message: str, reason: str) -> None:
        returned: Any = self._put({"pk": f"R#{message}", "sk": items.STATE, "reason": reason})["Put"]
        with asking("dynamodb"):
            self._db.put_item(**returned)

    def due(self, now: str, most: int) -> Sequence[str]:
        with asking("dynamodb"):
            page = self._db.query(
                TableName=self._table,
                IndexName="by_due",
                KeyConditionExpression="due = :due AND due_at <= :now",
                ExpressionAttributeValues=items.dumps({":due": DUE, ":now": now}),
                Limit=most,
            )
        return tuple(str(items.loads(item)["pk"]).removeprefix("L#") for item in page["Items"])

    def of_subject(self, subject: str) -> Sequence[Trace]:
        return tuple(trace for step in self._query(f"S#{subject}") if (trace := self._trace(step)))

    def _trace(self, step: Item) -> Trace | None:
        line = self.line(step["line"]) if "number" in step else None
        if line is None:
            return None
        number = int(step["number"])
        between = _number("M", number), "M#~"
        covering = self._query(f"L#{line.id}", between=between, Limit=1) if number <= line.settled else iter(())
        message = next((_value(Message, item) for item in islice(covering, 1)), None)
        returned = self._get(f"R#{message.id}", items.STATE) if message and line.channel.service == "email" else None
        reason = str(returned["reason"]) if returned else None
        return Trace(line, number, step["sequence"], step["occasion"], step["at"], message, reason)

    def _fenced(self, line: Line) -> Any:
        listed = {DUE: DUE} if line.due_at else {}
        now = replace(line, version=line.version + 1)
        put = self._put({"pk": f"L#{line.id}", "sk": items.STATE, **codec.encode(now), **listed})
        if not line.version:
            put["Put"]["ConditionExpression"] = "attribute_not_exists(pk)"
            return put
        put["Put"]["ConditionExpression"] = "version = :v"
        put["Put"]["ExpressionAttributeValues"] = items.dumps({":v": line.version})
        return put

    def _unless_good(self, pk: str, topic: str, upload: str) -> Any:
        return {
            "ConditionCheck": {
                "TableName": self._table,
                "Key": items.key(pk, _of_topic("G", topic)),
                "ConditionExpression": "attribute_not_exists(pk) OR upload <= :u",
                "ExpressionAttributeValues": items.dumps({":u": upload}),
            }
        }

    def _put(self, item: Mapping[str, Any]) -> Any:
        kept = {**item, EXPIRES: int(time.time()) + KEPT}
        return {"Put": {"TableName": self._table, "Item": items.dumps(kept)}}

    def _transact(self, actions: Sequence[Any]) -> None:
        """Write all or nothing; StaleWrite if the line has changed, or changes just now."""
        with asking("dynamodb"):
            try:
                self._db.transact_write_items(TransactItems=list(actions))
            except ClientError as error:
                if code(error) != "TransactionCanceledException":
                    raise
                response: Any = error.response
                reasons = {reason.get("Code", "None") for reason in response.get("CancellationReasons", [])}
                if reasons & {"ConditionalCheckFailed", "TransactionConflict"}:
                    raise StaleWrite("somebody else wrote the line first") from error
                raise ServiceUnavailable(f"the transaction was cancelled: {', '.join(sorted(reasons))}") from error

    def _get(self, pk: str, sk: str) -> Item | None:
        with asking("dynamodb"):
            item = self._db.get_item(TableName=self._table, Key=items.key(pk, sk), ConsistentRead=True).get("Item")
        return items.loads(item) if item else None

    def _query(
        self,
        pk: str,
        begins: str | None = None,
        between: tuple[str, str] | None = None,
        *,
        newest_first: bool = False,
        **more: Any,
    ) -> Iterator[Item]:
        """Yield the items of a partition, page by page, only as far as the caller reads."""
        condition, values = "pk = :pk", {":pk": pk}
        if begins:
            condition, values = f"{condition} AND begins_with(sk, :b)", {**values, ":b": begins}
        elif between:
            condition = f"{condition} AND sk BETWEEN :from AND :to"
            values |= {":from": between[0], ":to": between[1]}
        while True:
            with asking("dynamodb"):
                page = self._db.query(
                    TableName=self._table,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues=items.dumps(values),
                    ConsistentRead=True,
                    ScanIndexForward=not newest_first,
                    **more,
                )
            yield from (items.loads(item) for item in page["Items"])
            if not page.get("LastEvaluatedKey"):
                return
            more["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _number(kind: str, number: int) -> str:
    """Return the sort key of a number: text that sorts by it."""
    return f"{kind}#{number:012}"


def _of_topic(kind: str, topic: str) -> str:
    return f"{kind}#{keys.digest(topic)}"


def _notice(item: Item) -> Notice | Unread:
    try:
        return _value(Notice, item)
    except DocumentInvalid as error:
        return Unread(int(str(item["sk"]).removeprefix("W#")), str(error))


def _value(cls: type[T], item: Item) -> T:
    values = {name: value for name, value in item.items() if name not in OURS}
    return codec.decode(cls, values, f"item {item['pk']} {item['sk']} of notices")
