"""The ledger in one DynamoDB table: the Ledger port on a boto3 client.

Every write is conditional on the version that was read. Items that belong together (a drop, its history item, its place
in line for a batch, its lineage) are one transaction. Items and their keys are in `items.py`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from contracts.errors import HeldUp, ServiceUnavailable, StaleWrite
from functions.aws import items
from functions.aws.answers import asking, code
from functions.aws.items import Item
from functions.drop import Drop, Transition
from functions.ports.batches import Batch, Pause, VersionCheck, Window
from functions.ports.clock import months
from functions.ports.drops import Step, StepFacts
from functions.ports.expected_files import Absence, FileSet, RollCall
from functions.ports.ledger import InFlight, TransactionItem
from functions.ports.lineages import Lineage, Watermarks
from functions.ports.promises import Enrolment, PromisePeriod, PromiseStep, Standing
from functions.ports.store import CopyTag, ListingCursor

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NEW, AS_READ = "attribute_not_exists(pk)", "version = :v"
REFUSED, CONFLICT = "ConditionalCheckFailed", "TransactionConflict"
CONFLICTS, PAUSE = 4, 0.025
"""The tries of a transaction that others are in the way of, and seconds between: theirs are over in milliseconds."""
MOST_GET = 100
"""Items in one BatchGetItem (Amazon DynamoDB API)."""


class _Refused(StaleWrite):
    """A condition did not hold; `item` is the item that it was tested on, if the call asked for it."""

    def __init__(self, reasons: Iterable[Mapping[str, Any]]) -> None:
        super().__init__("somebody else wrote first")
        self.item: Item = next((items.loads(reason["Item"]) for reason in reasons if "Item" in reason), {})


class DynamoLedger:
    """The record of every drop."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._db = client
        self._table = table
        self._reached: dict[str, Item | None] = {}

    def open(self, drop: Drop) -> Drop:
        first = self._put(items.drop_item(drop), NEW)
        first["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        try:
            self._transact((first, self._put(items.step_item(drop, "created")), self._put(items.id_item(drop))))
        except _Refused as refused:
            return items.drop_of(refused.item)
        return drop

    def drop(self, drop_id: str) -> Drop | None:
        item = self._get(*items.drop_key(drop_id))
        return items.drop_of(item) if item else None

    def drops(self, drop_ids: Sequence[str]) -> tuple[Drop, ...]:
        return items.drops_of(self._get_many([items.drop_key(i) for i in drop_ids]))

    def write(self, moves: Sequence[Transition], *beside: TransactionItem) -> None:
        own = [action for move in moves for action in self._of(move)]
        self._transact([*own, *(action for item in beside for action in self._beside(item))])

    def lineage(self, lineage_id: str) -> Lineage:
        item = self._get(*items.lineage_key(lineage_id))
        return items.lineage_of(item) if item else Lineage(lineage_id)

    def watermarks(self, contract: str) -> Watermarks:
        item = self._get(*items.watermarks_key(contract))
        return items.watermarks_of(item) if item else Watermarks(contract)

    def history(self, drop_id: str) -> tuple[Step, ...]:
        return tuple(step for step, _ in self.facts(drop_id))

    def facts(self, drop_id: str) -> tuple[tuple[Step, StepFacts], ...]:
        begins = {":pk": items.drop_key(drop_id)[0], ":h": items.HISTORY}
        steps = self._query("pk = :pk AND begins_with(sk, :h)", begins, ConsistentRead=True)
        return tuple((items.step_of(i), items.facts_of(i)) for i in steps)

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        begins = {":pk": items.id_shelf(prefix), ":id": prefix}
        ids = self._query("pk = :pk AND begins_with(sk, :id)", begins, ConsistentRead=True)
        return tuple(i["sk"] for i in islice(ids, 20))

    def of_month(
        self,
        contract: str | None,
        month: str,
        most: int = 1000,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> tuple[Drop, ...]:
        values, more = _filtered(only)
        shelf = {":m": items.dataset_month(contract, month, trial=trial), **values}
        drops = self._query("dataset_month = :m", shelf, IndexName="by_month", ScanIndexForward=False, **more)
        return tuple(islice(items.read_of(drops), most))

    def newest(
        self,
        contract: str | None,
        month: str,
        until: str,
        most: int,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> Iterator[Drop]:
        values, more = _filtered(only)
        shelf = {":m": items.dataset_month(contract, month, trial=trial), ":until": until, **values}
        condition = "dataset_month = :m AND received_at <= :until"
        drops = self._query(condition, shelf, IndexName="by_month", ScanIndexForward=False, Limit=most, **more)
        return items.read_of(drops)

    def each(self, contract: str | None, month: str) -> Iterator[Drop | str]:
        shelf = {":m": items.dataset_month(contract, month)}
        drops = self._query("dataset_month = :m", shelf, IndexName="by_month", ScanIndexForward=False)
        return map(items.drop_or_key, drops)

    def received(self, contract: str, since: str, until: str, most: int) -> tuple[Drop | str, ...]:
        between = {":since": since, ":until": until}
        drops = (
            item
            for month in months(since, until)
            for item in self._query(
                "dataset_month = :m AND received_at BETWEEN :since AND :until",
                {":m": items.dataset_month(contract, month), **between},
                IndexName="by_month",
                ScanIndexForward=False,
                Limit=most,
            )
        )
        return tuple(items.drop_or_key(i) for i in islice(drops, most))

    def file_set(self, set_id: str) -> FileSet | None:
        item = self._get(*items.set_key(set_id))
        return items.set_of(item) if item else None

    def gathering(self, set_id: str) -> Mapping[str, str]:
        values = {":pk": items.set_key(set_id)[0], ":m": items.MEMBER}
        members = self._query("pk = :pk AND begins_with(sk, :m)", values, ConsistentRead=True)
        return {i["drop"]: i["name"] for i in members}

    def roll_call(self) -> RollCall:
        item = self._get(*items.ROLL)
        return items.roll_of(item) if item else RollCall()

    def absences(self, contract: str, month: str) -> tuple[Absence, ...]:
        values = {":pk": items.absence_shelf(contract, month), ":month": month}
        absences = self._query("pk = :pk AND begins_with(sk, :month)", values, ConsistentRead=True)
        return tuple(items.absence_of(i) for i in absences)

    def enrolment(self) -> Enrolment:
        item = self._get(*items.ENROLMENT)
        return items.enrolment_of(item) if item else Enrolment()

    def standing(self, contract: str) -> Standing | None:
        item = self._get(*items.standing_key(contract))
        return items.standing_of(item) if item else None

    def promises_due(self, before: str, most: int) -> tuple[Standing | str, ...]:
        return tuple(map(items.standing_or_key, self._page(items.PROMISES, before, most)))

    def periods(self, contract: str, promise: str, most: int) -> tuple[PromisePeriod, ...]:
        values = {":pk": items.standing_key(contract)[0], ":p": items.period_shelf(promise)}
        last = self._query("pk = :pk AND begins_with(sk, :p)", values, ScanIndexForward=False, Limit=most)
        return tuple(items.period_of(i) for i in islice(last, most))

    def in_flight(self, before: str, most: int = 1000) -> InFlight:
        part = -(-most // items.FLIGHTS)
        drops = [items.flight(shard, waits=waits) for waits in (False, True) for shard in range(items.FLIGHTS)]
        shelves = {items.BATCHES: most, items.WINDOWS: most, **dict.fromkeys(drops, part)}
        open_items = [item for shelf, many in shelves.items() for item in self._open(shelf, before, many)]
        return items.in_flight_of(sorted(open_items, key=lambda i: i["changed_at"]))

    def _open(self, shelf: str, before: str, most: int) -> Collection[Item]:
        """Return the open items of one partition that have not changed for that long.

        If there are more than `most`, each call returns the oldest `most`, the newest `most` and `most` in between; the
        window in between moves back with every call.
        """
        oldest = self._page(shelf, before, most)
        if len(oldest) < most:
            return oldest
        newest = self._page(shelf, before, most, ScanIndexForward=False)
        begin = self._reached.get(shelf)
        if begin is None or begin["changed_at"] >= before:
            begin = (newest or oldest)[-1]
        place = {name: begin[name] for name in ("inflight", "changed_at", "pk", "sk")}
        between = self._page(shelf, before, most, ScanIndexForward=False, ExclusiveStartKey=items.dumps(place))
        self._reached[shelf] = between[-1] if len(between) == most else None
        return {i["pk"]: i for i in (*oldest, *between, *newest)}.values()

    def _page(self, shelf: str, before: str, most: int, **how: Any) -> Sequence[Item]:
        since = {":s": shelf, ":before": before}
        listed = self._query("inflight = :s AND changed_at < :before", since, IndexName="inflight", Limit=most, **how)
        return tuple(islice(listed, most))

    def open_window(self, window: Window) -> bool:
        return self._try(self._put(items.window_item(window), NEW))

    def window(self, plan: str, *, trial: bool = False) -> Window | None:
        item = self._get(*items.window_key(plan, trial=trial))
        return items.window_of(item) if item else None

    def postpone(self, window: Window, due_at: str) -> bool:
        later = items.window_item(replace(window, due_at=due_at))
        values = {":o": window.opened_at, ":d": window.due_at}
        return self._try(self._put(later, "opened_at = :o AND due_at = :d", values))

    def close_window(self, window: Window) -> None:
        with asking("dynamodb"):
            try:
                self._db.delete_item(
                    TableName=self._table,
                    Key=items.key(*items.window_key(window.plan, trial=window.trial)),
                    ConditionExpression="opened_at = :o",
                    ExpressionAttributeValues=items.dumps({":o": window.opened_at}),
                )
            except ClientError as error:
                if code(error) != "ConditionalCheckFailedException":
                    raise

    def pending(self, plan: str, most: int = 1000, *, trial: bool = False) -> tuple[Drop, ...]:
        queue = self._query("pk = :pk", {":pk": items.waiting(plan, trial=trial)}, ConsistentRead=True, Limit=most)
        drops: list[Drop] = []
        while waiting := [items.pending_of(i) for i in islice(queue, most - len(drops))]:
            drops += (drop for drop in waiting if isinstance(drop, Drop))
            drops += self.drops([drop_id for drop_id in waiting if isinstance(drop_id, str)])
        return tuple(sorted(drops, key=items.pending_key))

    def upload(self, tag: CopyTag, target: str) -> str | None:
        item = self._get(*items.upload_key(tag.drop, tag.attempt, target))
        return str(item["upload"]) if item else None

    def note_upload(self, tag: CopyTag, target: str, upload: str, instead: str | None) -> bool:
        item = items.upload_item(tag.drop, tag.attempt, target, upload)
        condition, values = ("upload = :u", {":u": instead}) if instead else (NEW, None)
        return self._try(self._put(item, condition, values))

    def sweep(self) -> ListingCursor | None:
        item = self._get(*items.SWEEP)
        return (item["key"], item["after"]) if item and "key" in item else None

    def put_sweep(self, after: ListingCursor | None) -> None:
        with asking("dynamodb"):
            self._db.put_item(TableName=self._table, Item=items.dumps(items.sweep_item(after)))

    def newest_pointer(self) -> str:
        item = self._get(*items.POINTER)
        return str(item["published_at"]) if item else ""

    def note_pointer(self, published_at: str) -> None:
        self._try(self._put(items.pointer_item(published_at), f"{NEW} OR published_at < :p", {":p": published_at}))

    def pause(self, pause: Pause) -> bool:
        return self._try(self._put(items.pause_item(pause), NEW))

    def resume(self, pause: Pause) -> bool:
        with asking("dynamodb"):
            key = items.key(*items.pause_key(pause.kind, pause.name))
            gone = self._db.delete_item(TableName=self._table, Key=key, ReturnValues="ALL_OLD")
        return "Attributes" in gone

    def pauses(self) -> tuple[Pause, ...]:
        pauses = self._query("pk = :pk", {":pk": items.PAUSES}, ConsistentRead=True)
        return tuple(items.pause_of(i) for i in pauses)

    def open_batch(self, batch: Batch) -> bool:
        try:
            self._transact([self._put(items.batch_item(batch), NEW), *self._slot(batch), *self._unless_held(batch)])
        except StaleWrite:
            return False
        return True

    def taken_slots(self) -> Mapping[int, str]:
        slots = self._query("pk = :pk", {":pk": items.SLOTS}, ConsistentRead=True)
        return dict(items.slot_of(i) for i in slots)

    def batch(self, batch_id: str) -> Batch | None:
        item = self._get(*items.batch_key(batch_id))
        return items.batch_of(item) if item else None

    def batch_of(self, run: str) -> tuple[Batch, tuple[Drop, ...]] | None:
        asked = self._get(*items.run_key(run))
        if asked is None:
            return None
        wanted = [items.batch_key(asked["batch"]), *(items.drop_key(i) for i in asked["members"])]
        batch_and_drops = list(self._get_many(wanted))
        drops = items.drops_of(i for i in batch_and_drops if items.kind(i) == "D")
        return next(((items.batch_of(i), drops) for i in batch_and_drops if items.kind(i) == "BATCH"), None)

    def write_batch(self, before: Batch, after: Batch) -> None:
        now = replace(after, version=before.version + 1)
        actions = [self._fenced(items.batch_item(now), before.version), *self._slot(now)]
        if after.run and after.run != before.run:
            actions.append(self._put(items.run_item(after.run, after)))
        self._transact(actions)

    def _of(self, move: Transition) -> Iterator[Any]:
        """A drop, its history, and its place among those that wait for a batch."""
        before, drop = move.before, move.drop
        yield self._fenced(items.drop_item(drop), before.version)
        yield self._put(items.step_item(drop, move.event, move), NEW)  # also where the drop's item is a former one
        if drop.state == "gathering":
            yield self._put(items.member_item(drop))
        elif before.state == "gathering":
            yield {"Delete": {"TableName": self._table, "Key": items.key(*items.member_key(before))}}
        if drop.state == "staged" and drop.plan:
            yield self._put(items.pending_item(drop))
        elif before.state == "staged":
            yield {"Delete": {"TableName": self._table, "Key": items.key(*items.pending_key(before))}}

    def _beside(self, item: TransactionItem) -> Iterator[Any]:
        if isinstance(item, Window):
            yield self._put(items.window_item(item), NEW)
            return
        if isinstance(item, VersionCheck):
            place = items.key(*items.batch_key(item.batch.id))
            as_read = {":v": item.batch.version}
            yield self._check(place, AS_READ, ExpressionAttributeValues=items.dumps(as_read))
            return
        if isinstance(item, PromiseStep | PromisePeriod):  # the contract's promises, beside them, are fenced
            yield self._put(items.item(item))
            return
        now = replace(item, version=item.version + 1)
        yield self._fenced(items.item(now), item.version)
        if isinstance(now, Absence):
            yield self._put(items.absence_step_item(now))
        if isinstance(now, Batch):
            yield from (*self._slot(now), *self._unless_held(now))
            if now.version == 1 and now.run:
                yield self._put(items.run_item(now.run, now))

    def _slot(self, batch: Batch) -> Iterator[Any]:
        """A new batch takes its slot, one that has ended frees it."""
        if batch.slot is not None and batch.version == 1:
            yield self._put(items.slot_item(batch.slot, batch), NEW)
        elif batch.slot is not None and batch.state == "ended":
            yield {"Delete": {"TableName": self._table, "Key": items.key(*items.slot_key(batch.slot))}}

    def _unless_held(self, batch: Batch) -> Iterator[Any]:
        """A new batch is made only while nobody has paused its contract or its producer; a half is under way."""
        for kind, name in (("contract", batch.contract), ("producer", batch.producer)):
            if batch.version == 1 and not batch.former:
                place = items.key(*items.pause_key(kind, name))
                yield self._check(place, NEW)

    def _check(self, place: Any, condition: str, **values: Any) -> Any:
        return {"ConditionCheck": {"TableName": self._table, "Key": place, "ConditionExpression": condition, **values}}

    def _put(self, item: Item, condition: str | None = None, values: Mapping[str, Any] | None = None) -> Any:
        put: dict[str, Any] = {"TableName": self._table, "Item": items.dumps(item)}
        if condition:
            put["ConditionExpression"] = condition
        if values:
            put["ExpressionAttributeValues"] = items.dumps(values)
        return {"Put": put}

    def _fenced(self, item: Item, version: int) -> Any:
        return self._put(item, AS_READ, {":v": version}) if version else self._put(item, NEW)

    def _try(self, action: Any) -> bool:
        """One conditional put; False where the condition does not hold."""
        with asking("dynamodb"):
            try:
                self._db.put_item(**action["Put"])
            except ClientError as error:
                if code(error) == "ConditionalCheckFailedException":
                    return False
                raise
        return True

    def _transact(self, actions: Sequence[Any]) -> None:
        for nth in range(CONFLICTS):
            if nth:
                time.sleep(random.uniform(0.5, 1) * PAUSE * 2**nth)
            if not self._conflicts(actions, last=nth + 1 == CONFLICTS):
                return

    def _conflicts(self, actions: Sequence[Any], *, last: bool) -> bool:
        """Write all or nothing; whether nothing was, as another transaction holds an item and may let go of it."""
        with asking("dynamodb"):
            try:
                self._db.transact_write_items(TransactItems=list(actions))
            except self._db.exceptions.TransactionCanceledException as error:
                codes = [r.get("Code", "None") for r in error.response.get("CancellationReasons", [])]
                reasons = set(codes)
                if not last and reasons <= {"None", CONFLICT}:
                    return True
                refused = [a for a, r in zip(actions, codes, strict=False) if r == REFUSED]
                # What is only checked not to be there is a pause of the contract or the producer
                if any(a.get("ConditionCheck", {}).get("ConditionExpression") == NEW for a in refused):
                    raise HeldUp("its contract or its producer is paused") from error
                if REFUSED in reasons:
                    raise _Refused(error.response["CancellationReasons"]) from error
                raise ServiceUnavailable(f"the transaction was cancelled: {', '.join(sorted(reasons))}") from error
        return False

    def _get(self, pk: str, sk: str) -> Item | None:
        with asking("dynamodb"):
            item = self._db.get_item(TableName=self._table, Key=items.key(pk, sk), ConsistentRead=True).get("Item")
        return items.loads(item) if item else None

    def _get_many(self, wanted: Sequence[tuple[str, str]]) -> Iterator[Item]:
        """Items by their keys, in no order; what is not there is left out."""
        for begin in range(0, len(wanted), MOST_GET):
            left: Any = [items.key(*pair) for pair in wanted[begin : begin + MOST_GET]]
            while left:
                asked: Any = {self._table: {"Keys": left, "ConsistentRead": True}}
                with asking("dynamodb"):
                    answer = self._db.batch_get_item(RequestItems=asked)
                yield from (items.loads(i) for i in answer["Responses"].get(self._table, []))
                unread: Any = answer.get("UnprocessedKeys") or {}
                left = unread.get(self._table, {}).get("Keys")

    def _query(self, condition: str, values: Mapping[str, str], **more: Any) -> Iterator[Item]:
        """Page by page, only as far as the caller reads."""
        while True:
            with asking("dynamodb"):
                page = self._db.query(
                    TableName=self._table,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues=items.dumps(values),
                    **more,
                )
            yield from (items.loads(i) for i in page["Items"])
            if not page.get("LastEvaluatedKey"):
                return
            more["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _filtered(only: Mapping[str, str] | None) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the values and the arguments of a query that keeps items with these attributes."""
    if not only:
        return {}, {}
    values = {f":v{n}": value for n, value in enumerate(only.values())}
    names = {f"#n{n}": name for n, name in enumerate(only)}
    expression = " AND ".join(f"#n{n} = :v{n}" for n in range(len(only)))
    return values, {"FilterExpression": expression, "ExpressionAttributeNames": names}
