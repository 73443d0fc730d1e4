"""Each port's promises, held by the memory that use cases are tested with and by AWS alike."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from queue import Queue
from typing import Literal

import boto3
import pytest

from contracts.errors import DestinationTaken, DocumentInvalid, HeldUp, ObjectGone, ObjectReplaced, StaleWrite
from contracts.terms.promises import State
from contracts.watermarks import HighMark
from functions.aws import items
from functions.aws.clients import Clients
from functions.aws.dynamodb import DynamoLedger
from functions.aws.emr_serverless import EmrJobs, JobCode
from functions.aws.s3 import S3Store
from functions.aws.sqs import SqsDelays, window_in
from functions.drop import Drop, Location, Promotion, RowCounts, Transition, advance
from functions.ports.batches import Batch, Pause, VersionCheck, Window
from functions.ports.expected_files import Absence, FileSet
from functions.ports.jobs import Jobs, Reach, RunStatus
from functions.ports.ledger import InFlight, Ledger
from functions.ports.lineages import Watermarks
from functions.ports.promises import Enrolment, Held, PromisePeriod, PromiseStep, Standing
from functions.ports.store import CopyTag, ObjectStore
from infra.local.emr.run import JobSpec
from infra.local.emr.server import EmrServerless
from infra.local.template.stack import Stack
from tests.builders import a_drop
from tests.fakes import MemoryJobs, MemoryLedger, MemoryStore

AT = "2026-01-31T12:00:01.000000Z"
SOON = "2026-01-31T12:30:00.000000Z"
LATER = "2026-01-31T13:00:00.000000Z"
REACH = Reach(("s3://internal/stage/orders.v1/",), ("s3://internal/jobs/b/1/",))


class Shelf:
    """A store, a folder of it that is the test's own, and how a producer uploads there."""

    def __init__(self, store: ObjectStore, folder: str, upload: Callable[[str, bytes], Location]) -> None:
        self.store = store
        self.folder = folder
        self.upload = upload

    def uri(self, name: str) -> str:
        """The URI of a name in the test's folder."""
        return f"{self.folder}{name}"


@pytest.fixture(params=["memory", "aws"])
def shelf(request: pytest.FixtureRequest) -> Shelf:
    if request.param == "memory":
        memory = MemoryStore()

        def put(name: str, body: bytes) -> Location:
            at = Location(f"s3://landing/{name}", f"v{uuid.uuid4()}")
            memory.upload(at, body)
            return at

        return Shelf(memory, "s3://internal/", put)
    clients: Clients = request.getfixturevalue("clients")
    names = request.getfixturevalue("stack").names
    landing, own = names["LandingBucket"], uuid.uuid4().hex

    def upload(name: str, body: bytes) -> Location:
        key = f"{own}/{name}"
        answer = clients.s3.put_object(Bucket=landing, Key=key, Body=body, Metadata={"theirs": "x"}, Tagging="a=b")
        return Location(f"s3://{landing}/{key}", answer["VersionId"])

    return Shelf(S3Store(clients.s3), f"s3://{names['InternalBucket']}/{own}/", upload)


@pytest.fixture(params=["memory", "aws"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger()
        return
    clients: Clients = request.getfixturevalue("clients")
    stack: Stack = request.getfixturevalue("stack")
    yield DynamoLedger(clients.dynamodb, stack.names["LedgerTable"])
    _empty(clients, stack.names["LedgerTable"])


def _empty(clients: Clients, table: str) -> None:
    for item in clients.dynamodb.scan(TableName=table)["Items"]:
        clients.dynamodb.delete_item(TableName=table, Key={"pk": item["pk"], "sk": item["sk"]})


def moved(drop: Drop, event: str, **changes: object) -> Transition:
    answer = advance(drop, event, AT, **changes)  # type: ignore[arg-type]
    assert isinstance(answer, Transition)
    return answer


def staged(ledger: Ledger, drop: Drop, at: str = AT) -> Drop:
    ledger.open(drop)
    move = moved(drop, "staged", staged_at=at)
    ledger.write((move,))
    return move.drop


# ------------------------------------------------------------------------- objects


def test_head_tells_what_lies_there(shelf: Shelf) -> None:
    at = shelf.upload("a.csv", b"id\n1\n")
    stat = shelf.store.head(at)

    assert stat
    assert (stat.size, stat.drop, stat.attempt) == (5, None, None)


def test_head_of_nothing_is_none(shelf: Shelf) -> None:
    assert shelf.store.head(Location(shelf.uri("nothing.csv"))) is None


def test_read_gives_bytes_from_a_place_on(shelf: Shelf) -> None:
    at = shelf.upload("a.csv", b"id\n1\n")

    assert (shelf.store.read(at, 0, 2), shelf.store.read(at, 0, 99), shelf.store.read(at, 1, 3)) == (
        b"id",
        b"id\n1\n",
        b"d\n1",
    )


def test_read_of_an_empty_object_is_empty(shelf: Shelf) -> None:
    assert shelf.store.read(shelf.upload("a.csv", b""), 0, 10) == b""


def test_read_of_nothing_says_so(shelf: Shelf) -> None:
    with pytest.raises(ObjectGone):
        shelf.store.read(Location(shelf.uri("nothing.csv")), 0, 10)


def test_read_never_takes_what_has_been_replaced(shelf: Shelf) -> None:
    laid = Location(shelf.uri("staged.csv"))
    laid = replace(laid, etag=shelf.store.copy(shelf.upload("a.csv", b"judged"), laid.uri, CopyTag("d1", 1)).etag)
    assert shelf.store.read(laid, 0, 3) == b"jud"
    shelf.store.put(laid.uri, b"other", "text/csv")
    with pytest.raises(ObjectReplaced):
        shelf.store.read(laid, 0, 3)


def test_documents_are_written_over(shelf: Shelf) -> None:
    shelf.store.put(shelf.uri("d.json"), b"1", "application/json")
    shelf.store.put(shelf.uri("d.json"), b"2", "application/json")

    assert shelf.store.get(shelf.uri("d.json")) == b"2"


def test_unchanged_document_is_not_read_again(shelf: Shelf) -> None:
    shelf.store.put(shelf.uri("d.json"), b"1", "application/json")
    first = shelf.store.get_if_changed(shelf.uri("d.json"), None)
    assert first

    assert shelf.store.get_if_changed(shelf.uri("d.json"), first[1]) is None
    shelf.store.put(shelf.uri("d.json"), b"2", "application/json")
    again = shelf.store.get_if_changed(shelf.uri("d.json"), first[1])
    assert again
    assert again[0] == b"2"


def test_objects_below_a_folder_are_listed_with_their_etags(shelf: Shelf) -> None:
    for name in ("b/2.csv", "a/1 #.csv", "b/1.csv", "bb/1.csv"):
        shelf.store.put(shelf.uri(name), name.encode(), "text/csv")
    etags = shelf.store.listed(shelf.uri("b/"), 9)
    head = shelf.store.head(Location(shelf.uri("b/2.csv")))

    assert list(etags) == [shelf.uri("b/1.csv"), shelf.uri("b/2.csv")]
    assert head
    assert etags[shelf.uri("b/2.csv")] == head.etag
    assert list(shelf.store.listed(shelf.uri("a/"), 9)) == [shelf.uri("a/1 #.csv")]
    assert list(shelf.store.listed(shelf.uri("b/"), 1)) == [shelf.uri("b/1.csv")]
    assert shelf.store.listed(shelf.uri("c/"), 9) == {}


def test_folder_is_cleared_and_nothing_else(shelf: Shelf) -> None:
    for name in ("b/2.csv", "b/c/1 #.csv", "bb/1.csv"):
        shelf.store.put(shelf.uri(name), name.encode(), "text/csv")
    shelf.store.clear(shelf.uri("b/"))
    shelf.store.clear(shelf.uri("nothing/"))

    assert list(shelf.store.listed(shelf.uri("b"), 9)) == [shelf.uri("bb/1.csv")]


def test_every_version_and_marker_remains_until_it_is_deleted_by_name(shelf: Shelf) -> None:
    for name in ("b/1.csv", "b/1.csv", "b/1.csv.old", "b/2.csv", "bb/1.csv"):
        shelf.store.put(shelf.uri(name), name.encode(), "text/csv")
    shelf.store.clear(shelf.uri("b/"))
    shelf.store.put(shelf.uri("b/2.csv"), b"again", "text/csv")

    def left(place: str) -> list[tuple[str, bool, bool]]:
        versions = shelf.store.remaining(shelf.uri(place))
        return sorted((one.at.uri.rpartition("/")[2], one.current, one.marker) for one in versions)

    assert left("b/1.csv") == [("1.csv", False, False), ("1.csv", False, False), ("1.csv", True, True)]
    of_second = [("2.csv", False, False), ("2.csv", False, True), ("2.csv", True, False)]
    assert left("b/") == [*left("b/1.csv"), *left("b/1.csv.old"), *of_second]
    assert (left("b"), left("nothing/")) == ([], [])
    for one in shelf.store.remaining(shelf.uri("b/")):
        shown = shelf.store.listed(shelf.uri("b/"), 9)
        assert set(shown) <= {shelf.uri("b/2.csv")}  # nothing that was hidden is shown on the way
        shelf.store.delete(one.at)
    assert left("b/") == []
    assert list(shelf.store.listed(shelf.uri("b"), 9)) == [shelf.uri("bb/1.csv")]


def test_absent_document_is_gone(shelf: Shelf) -> None:
    with pytest.raises(ObjectGone):
        shelf.store.get_if_changed(shelf.uri("none.json"), None)
    with pytest.raises(ObjectGone):
        shelf.store.get(shelf.uri("none.json"))


@pytest.mark.parametrize("there", ["another", "nothing"])
def test_document_replaces_only_what_it_names(shelf: Shelf, there: str) -> None:
    uri = shelf.uri("a.json")
    shelf.store.put(uri, b"1", "application/json")
    before = shelf.store.head(Location(uri))
    assert before
    shelf.store.put(uri, b"2", "application/json", before.etag)
    if there == "nothing":
        shelf.store.delete(Location(uri))

    with pytest.raises(ObjectReplaced):
        shelf.store.put(uri, b"3", "application/json", before.etag)
    assert [shelf.store.get(document) for document in shelf.store.listed(uri, 9)] == (
        [b"2"] if there == "another" else []
    )


def test_copy_carries_bytes_and_mark(shelf: Shelf) -> None:
    source, target = shelf.upload("a b+c%20ü.csv", b"id\n1\n"), shelf.uri("copied.csv")
    copied = shelf.store.copy(source, target, CopyTag("d1", 2))
    stat = shelf.store.head(Location(target))

    assert stat
    assert shelf.store.get(target) == b"id\n1\n"
    assert (stat.drop, stat.attempt, stat.etag) == ("d1", 2, copied.etag)
    assert stat.sha256 == copied.sha256 == hashlib.sha256(b"id\n1\n").hexdigest()


@pytest.mark.parametrize("name", ["a.html", "a.csv", "a.SVG", "a.js", "a.mhtml", "a"])
def test_browser_is_told_what_the_mark_says_and_to_keep_it(stack: Stack, clients: Clients, name: str) -> None:
    bucket, own = stack.names["LandingBucket"], uuid.uuid4().hex
    clients.s3.put_object(
        Bucket=bucket, Key=f"{own}/up-{name}", Body=b"<script>", ContentType="text/html", ContentDisposition="inline"
    )
    store, folder = S3Store(clients.s3), f"s3://{bucket}/{own}/"
    source, bare = Location(f"{folder}up-{name}"), CopyTag("d1", 1)
    store.copy(source, f"{folder}{name}", CopyTag("d1", 1, "text/csv"))
    store.copy(source, f"{folder}bare-{name}", bare)
    upload = store.begin_copy(f"{folder}parts-{name}", CopyTag("d1", 1, "text/csv"))
    store.copy_parts(upload, source, f"{folder}parts-{name}", 8)

    heads = [clients.s3.head_object(Bucket=bucket, Key=f"{own}/{kind}{name}") for kind in ("", "parts-", "bare-")]
    assert [one["ContentType"] for one in heads] == ["text/csv", "text/csv", "application/octet-stream"]
    assert {one["ContentDisposition"] for one in heads} == {"attachment"}
    headers = heads[0]["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-content-type-options"] == "nosniff"


def test_copy_takes_the_pinned_version(shelf: Shelf) -> None:
    first = shelf.upload("a.csv", b"first")
    shelf.upload("a.csv", b"second")
    shelf.store.copy(first, shelf.uri("copied.csv"), CopyTag("d1", 1))

    assert shelf.store.get(shelf.uri("copied.csv")) == b"first"


def test_copy_never_overwrites(shelf: Shelf) -> None:
    shelf.store.put(shelf.uri("there.csv"), b"theirs", "text/csv")
    with pytest.raises(DestinationTaken):
        shelf.store.copy(shelf.upload("a.csv", b"ours"), shelf.uri("there.csv"), CopyTag("d1", 1))

    assert shelf.store.get(shelf.uri("there.csv")) == b"theirs"


def test_copy_replaces_what_it_names(shelf: Shelf) -> None:
    target = shelf.uri("there.csv")
    old = shelf.store.copy(shelf.upload("a.csv", b"old"), target, CopyTag("d1", 1))
    shelf.store.copy(shelf.upload("a.csv", b"new"), target, CopyTag("d2", 1), old.etag)
    with pytest.raises(DestinationTaken):
        shelf.store.copy(shelf.upload("a.csv", b"late"), target, CopyTag("d3", 1), old.etag)

    assert shelf.store.get(target) == b"new"


def test_copy_finds_what_it_replaces_gone(shelf: Shelf) -> None:
    with pytest.raises(DestinationTaken):
        shelf.store.copy(shelf.upload("a.csv", b"new"), shelf.uri("none.csv"), CopyTag("d1", 1), "0" * 32)


def test_copy_of_nothing_says_so(shelf: Shelf) -> None:
    with pytest.raises(ObjectGone):
        shelf.store.copy(Location(shelf.uri("none.csv")), shelf.uri("target.csv"), CopyTag("d1", 1))


@pytest.mark.parametrize("there", ["nothing", "what it replaces"])
def test_copy_never_takes_what_has_been_replaced(shelf: Shelf, there: str) -> None:
    staged, target = Location(shelf.uri("staged.csv")), shelf.uri("target.csv")
    laid = replace(staged, etag=shelf.store.copy(shelf.upload("a.csv", b"judged"), staged.uri, CopyTag("d1", 1)).etag)
    old = None
    if there != "nothing":
        old = shelf.store.copy(shelf.upload("b.csv", b"old"), target, CopyTag("d0", 1)).etag
    shelf.store.put(staged.uri, b"other", "text/csv")
    with pytest.raises(ObjectReplaced):
        shelf.store.copy(laid, target, CopyTag("d1", 1), old)

    stat = shelf.store.head(Location(target))
    assert (stat and stat.etag) == old


def test_copy_of_what_was_laid_and_removed_says_so(shelf: Shelf) -> None:
    with pytest.raises(ObjectGone):
        shelf.store.copy(Location(shelf.uri("none.csv"), etag="0" * 32), shelf.uri("target.csv"), CopyTag("d1", 1))


def test_copy_of_what_was_laid_finds_its_target_taken(shelf: Shelf) -> None:
    staged = shelf.uri("staged.csv")
    laid = Location(staged, etag=shelf.store.copy(shelf.upload("a.csv", b"judged"), staged, CopyTag("d1", 1)).etag)
    shelf.store.put(shelf.uri("target.csv"), b"theirs", "text/csv")
    with pytest.raises(DestinationTaken):
        shelf.store.copy(laid, shelf.uri("target.csv"), CopyTag("d1", 1))
    with pytest.raises(DestinationTaken):
        shelf.store.copy(laid, shelf.uri("none.csv"), CopyTag("d1", 1), "0" * 32)

    shelf.store.copy(laid, shelf.uri("free.csv"), CopyTag("d1", 1))
    assert shelf.store.get(shelf.uri("free.csv")) == b"judged"


def test_delete_removes_one_version(shelf: Shelf) -> None:
    first, second = shelf.upload("a.csv", b"first"), shelf.upload("a.csv", b"second")
    shelf.store.delete(first)
    shelf.store.delete(first)

    assert shelf.store.head(first) is None
    assert shelf.store.read(second, 0, 9) == b"second"


def test_what_is_withdrawn_is_hidden_with_all_before_it(shelf: Shelf) -> None:
    first, second = (shelf.upload("a.csv", body) for body in (b"first", b"second"))
    there = [shelf.store.head(at) for at in (first, second)]
    for stat in there:
        assert stat
        shelf.store.withdraw(Location(first.uri, etag=stat.etag))
        assert (shelf.store.head(Location(first.uri)) is None) is (stat == there[1])
    shelf.store.withdraw(Location(first.uri, etag=there[1].etag if there[1] else None))

    assert shelf.store.head(Location(first.uri)) is None


def test_key_of_what_was_withdrawn_is_free(shelf: Shelf) -> None:
    source = shelf.upload("a.csv", b"x")
    for _ in range(2):
        laid = shelf.store.copy(source, shelf.uri("a"), CopyTag("d1", 1))
        shelf.store.withdraw(Location(shelf.uri("a"), etag=laid.etag))

    assert shelf.store.head(Location(shelf.uri("a"))) is None


# -------------------------------------------------------------------------- ledger


def test_a_drop_is_opened_once(ledger: Ledger) -> None:
    drop = a_drop()

    assert [ledger.open(drop), ledger.open(replace(drop, size=7))] == [drop, drop]
    assert ledger.drop(drop.id) == drop


def test_unknown_drop_is_none(ledger: Ledger) -> None:
    assert ledger.drop("x" * 32) is None
    assert ledger.drops(["x" * 32]) == ()


def test_every_field_of_a_drop_comes_back(ledger: Ledger) -> None:
    drop = staged(ledger, a_drop(parts={"state": "SP", "none": ""}, sha256="ab"))
    move = moved(drop, "claimed", batch="b", try_=1)
    ledger.write((move,))
    promotion, marks = Promotion("orders.v1/1.csv", 1, "etag"), (HighMark("n", "number", Decimal("1.50")),)
    good = moved(move.drop, "found_good", verdict="accepted", rows=RowCounts(3, 3, 0), promoted=promotion, marks=marks)
    ledger.write((good,))

    assert ledger.drop(drop.id) == good.drop
    assert ledger.drops([drop.id]) == (good.drop,)


def test_stale_write_changes_nothing(ledger: Ledger) -> None:
    drop = a_drop()
    ledger.open(drop)
    ledger.write((moved(drop, "staged", staged_at=AT),))
    with pytest.raises(StaleWrite):
        ledger.write((moved(drop, "gone"),))

    assert [s.state for s in ledger.history(drop.id)] == ["received", "staged"]


def test_one_stale_drop_stops_all(ledger: Ledger) -> None:
    first, second = staged(ledger, a_drop(id="a" * 32)), staged(ledger, a_drop(id="b" * 32))
    ledger.write((moved(second, "failed"),))
    with pytest.raises(StaleWrite):
        ledger.write((moved(first, "claimed"), moved(second, "claimed")))

    assert ledger.drop(first.id) == first


def test_history_tells_every_step(ledger: Ledger) -> None:
    drop = staged(ledger, a_drop())
    steps = [(s.attempt, s.step, s.event, s.state, s.contract) for s in ledger.history(drop.id)]

    assert steps == [(1, 1, "created", "received", "orders.v1"), (1, 2, "staged", "staged", "orders.v1")]


def test_landing_is_listed_version_by_version(shelf: Shelf) -> None:
    laid = [shelf.upload(name, body) for name, body in (("a.csv", b"1"), ("a.csv", b"22"), ("b.csv", b"333"))]
    folder = laid[0].uri.removesuffix("a.csv")
    whole = shelf.store.versions(folder, None, 1000)
    first = shelf.store.versions(folder, None, 2)
    rest = shelf.store.versions(folder, first.after, 2)

    assert {(one.key.rsplit("/", 1)[-1], one.version, one.size) for one in whole.versions} == {
        (at.uri.rsplit("/", 1)[-1], at.version, size) for at, size in zip(laid, (1, 2, 3), strict=True)
    }
    assert (len(first.versions), len(rest.versions), whole.after, rest.after) == (2, 1, None, None)
    assert first.versions + rest.versions == whole.versions


def test_place_in_landing_is_kept(ledger: Ledger) -> None:
    kept = [ledger.sweep()]
    for place in (("a.csv", "v1"), None):
        ledger.put_sweep(place)
        kept.append(ledger.sweep())

    assert kept == [None, ("a.csv", "v1"), None]


def test_newest_pointer_goes_forwards_alone(ledger: Ledger) -> None:
    kept = [ledger.newest_pointer()]
    for at in ("2026-01-31T12:00:00.000000Z", "2026-02-01T12:00:00.000000Z", "2026-01-31T13:00:00.000000Z"):
        ledger.note_pointer(at)
        kept.append(ledger.newest_pointer())

    assert [at[:10] for at in kept] == ["", "2026-01-31", "2026-02-01", "2026-02-01"]


def test_lineage_is_fenced_with_its_drop(ledger: Ledger) -> None:
    drop = a_drop()
    ledger.open(drop)
    before = ledger.lineage("k")
    ledger.write((moved(drop, "staged", staged_at=AT),), replace(before, promoted=drop.id, sequencer="01"))
    with pytest.raises(StaleWrite):
        ledger.write((moved(staged(ledger, a_drop(id="b" * 32)), "claimed"),), replace(before, promoted="other"))

    after = ledger.lineage("k")
    assert (after.promoted, after.sequencer, after.version) == (drop.id, "01", 1)
    assert [s.state for s in ledger.history("b" * 32)] == ["received", "staged"]


def test_drop_joins_a_batch_only_as_that_was_read(ledger: Ledger) -> None:
    batch, drop = a_batch(), staged(ledger, a_drop())
    ledger.open_batch(batch)
    ledger.write_batch(batch, replace(batch, state="running", run="r"))
    claimed = moved(drop, "claimed", batch=batch.id, try_=1)
    with pytest.raises(StaleWrite):
        ledger.write((claimed,), VersionCheck(batch))
    assert ledger.drop(drop.id) == drop
    ledger.write((claimed,), VersionCheck(replace(batch, version=2)))

    assert ledger.drop(drop.id) == claimed.drop
    assert (now := ledger.batch(batch.id))
    assert now.version == 2


def test_lineage_is_written_without_a_drop(ledger: Ledger) -> None:
    ledger.write((), replace(ledger.lineage("k"), promoting="d"))
    with pytest.raises(StaleWrite):
        ledger.write((), replace(ledger.lineage("k"), version=0))

    assert (ledger.lineage("k").promoting, ledger.lineage("k").version) == ("d", 1)


def test_marks_are_fenced_with_their_drop(ledger: Ledger) -> None:
    drop = a_drop()
    ledger.open(drop)
    before, marks = ledger.watermarks("orders.v1"), (HighMark("n", "integer", Decimal(5)),)
    ledger.write((moved(drop, "staged", staged_at=AT),), replace(before, marks=marks))
    with pytest.raises(StaleWrite):
        ledger.write((moved(staged(ledger, a_drop(id="b" * 32)), "claimed"),), before)

    assert ledger.watermarks("orders.v1") == Watermarks("orders.v1", marks, 1)
    assert ledger.watermarks("others.v1") == Watermarks("others.v1")
    assert [s.state for s in ledger.history("b" * 32)] == ["received", "staged"]


def test_who_waits_for_a_set_is_listed_until_it_goes_on(ledger: Ledger) -> None:
    files = FileSet("s1", "orders.v1", "p" * 64, {"day": "1"}, AT, LATER, SOON)
    drop = a_drop()
    ledger.open(drop)
    joined = moved(drop, "joined", file_set="s1")
    ledger.write((joined,), files)
    waiting = ledger.gathering("s1")
    looked = [ledger.in_flight(at).sets for at in (SOON, LATER)]
    ledger.write((moved(joined.drop, "set_complete", staged_at=AT),), replace(files, version=1, state="complete"))

    assert (waiting, ledger.gathering("s1"), ledger.gathering("s2")) == ({drop.id: drop.name}, {}, {})
    assert looked == [(), (replace(files, version=1),)]
    assert ledger.file_set("s1") == replace(files, version=2, state="complete")
    assert [d.id for d in ledger.pending(drop.plan or "")] == [drop.id]
    with pytest.raises(StaleWrite):
        ledger.write((), files)


def test_who_waits_for_a_set_is_not_in_flight(ledger: Ledger) -> None:
    drop = a_drop()
    ledger.open(drop)
    ledger.write((moved(drop, "joined", file_set="s1"),), FileSet("s1", "orders.v1", "p", {}, AT, LATER, None))
    open_items = ledger.in_flight(LATER)

    assert (open_items.drops, open_items.waiting, open_items.sets) == ((), (), ())


DAYS: list[tuple[str, State | None]] = [("2026-01-01", "met"), ("2026-01-02", "missed"), ("2026-01-03", None)]


def test_roll_call_and_absences_are_fenced_together(ledger: Ledger) -> None:
    one = Absence("orders.v1", "2026-01-31", 2, 1, AT, LATER, AT)
    roll = replace(ledger.roll_call(), until=AT, missing=(replace(one, version=1),))
    ledger.write((), roll, one)
    for stale in (roll, replace(one, came=2)):
        with pytest.raises(StaleWrite):
            ledger.write((), stale)
    ledger.write((), replace(roll, version=1, missing=()), replace(one, version=1, came=2, state="arrived"))

    assert ledger.roll_call() == replace(roll, version=2, missing=())
    assert ledger.absences("orders.v1", "2026-01") == (replace(one, version=2, came=2, state="arrived"),)
    assert ledger.absences("orders.v1", "2026-02") == ()


def test_promises_are_fenced_with_their_steps_and_results(ledger: Ledger) -> None:
    held = Held("loadDate", "s", AT, AT, AT, "met", promised="so old at most", figure="of today")
    standing = Standing("orders.v1", AT, AT, (held,))
    step = PromiseStep("orders.v1", "loadDate", "met", "unknown", AT, 1, "so old at most", "of today", AT, LATER)
    results = [PromisePeriod("orders.v1", "loadDate", begin, LATER, state, "") for begin, state in DAYS]
    ledger.write((), Enrolment("i"), standing)
    ledger.write((), replace(standing, version=1, look_at=LATER), step, *results)
    for stale in (standing, replace(standing, version=1), Enrolment("j")):
        with pytest.raises(StaleWrite):
            ledger.write((), stale)

    assert ledger.standing("orders.v1") == replace(standing, version=2, look_at=LATER)
    assert ledger.standing("others.v1") is None
    assert ledger.enrolment() == Enrolment("i", version=1)
    assert [one.state for one in ledger.periods("orders.v1", "loadDate", 2)] == [None, "missed"]
    assert ledger.periods("orders.v1", "load", 2) == ()


def test_promises_that_are_due_come_oldest_first(ledger: Ledger) -> None:
    names = ("c.v1", "a.v1", "b.v1", "later.v1", "retired.v1")
    due = ("2026-01-02", "2026-01-01", "2026-01-03", "2026-02-01", None)
    for name, at in zip(names, due, strict=True):
        ledger.write((), Standing(name, at))

    first = ledger.promises_due("2026-01-31", 2)
    assert [one.contract for one in first if isinstance(one, Standing)] == ["a.v1", "c.v1"]
    assert len(ledger.promises_due("2026-01-31", 9)) == 3
    ledger.write((), Standing("a.v1", None, version=1))
    assert [one.contract for one in ledger.promises_due("2026-01-31", 9) if isinstance(one, Standing)] == [
        *("c.v1", "b.v1")
    ]


def test_absence_and_its_end_leave_a_history_each(clients: Clients, stack: Stack) -> None:
    table = stack.names["LedgerTable"]
    real, one = DynamoLedger(clients.dynamodb, table), Absence("orders.v1", "2026-01-31", 2, 1, AT, LATER, AT)
    real.write((), one)
    real.write((), replace(one, version=1, state="arrived"))
    stored = [items.loads(i) for i in clients.dynamodb.scan(TableName=table)["Items"]]
    _empty(clients, table)

    steps = [(i["pk"], i["sk"], i["state"], i["told"]) for i in stored if i["sk"].startswith("H#")]
    told = {"files": 2, "came": 1, "due_at": one.due_at}
    assert sorted(steps, key=str) == [
        ("ABSENT#orders.v1#2026-01", "H#2026-01-31#0001", "missing", told),
        ("ABSENT#orders.v1#2026-01", "H#2026-01-31#0002", "arrived", told),
    ]


def test_drops_of_a_period_are_listed_the_newest_first(ledger: Ledger) -> None:
    for n, at in enumerate(("2025-12-31T23:00:00.000000Z", "2026-01-01T01:00:00.000000Z", AT)):
        ledger.open(a_drop(id=str(n) * 32, received_at=at))
    ledger.open(a_drop(id="x" * 32, contract="other.v1"))

    def listed(since: str, until: str, most: int = 9) -> str:
        drops = ledger.received("orders.v1", since, until, most)
        return "".join(d.id[0] for d in drops if isinstance(d, Drop))

    assert listed("2025-12-31T22:00:00.000000Z", LATER) == "210"
    assert listed("2025-12-31T22:00:00.000000Z", LATER, 2) == "21"
    assert listed("2026-01-01T00:00:00.000000Z", "2026-01-31T11:00:00.000000Z") == "1"


def test_staged_drops_wait_the_oldest_first(ledger: Ledger) -> None:
    staged(ledger, a_drop(id="b" * 32, size=2), "2026-01-31T12:00:02.000000Z")
    staged(ledger, a_drop(id="a" * 32, size=3), "2026-01-31T12:00:03.000000Z")
    staged(ledger, a_drop(id="c" * 32, size=1), "2026-01-31T12:00:01.000000Z")
    staged(ledger, a_drop(id="e" * 32, plan="other"))

    assert [(d.id[0], d.size) for d in ledger.pending("p" * 64)] == [("c", 1), ("b", 2), ("a", 3)]
    assert ledger.pending("p" * 64, 1) == ledger.drops(["c" * 32])


def test_waiting_drop_whose_copy_cannot_be_read_is_looked_up(clients: Clients, stack: Stack) -> None:
    table = stack.names["LedgerTable"]
    real = DynamoLedger(clients.dynamodb, table)
    first, second = (staged(real, a_drop(id=n * 32), f"2026-01-31T12:00:0{n}.000000Z") for n in "12")
    item = {**items.pending_item(first), "state": "no state of ours"}
    clients.dynamodb.put_item(TableName=table, Item=items.dumps(item))
    waiting = real.pending("p" * 64)
    _empty(clients, table)

    assert waiting == (first, second)


def spoil(ledger: Ledger, *keys: tuple[str, str]) -> None:
    """Let a hand, or a newer version, make items of a drop that this version cannot read."""
    if isinstance(ledger, MemoryLedger):
        ledger.unreadable |= {pk.removeprefix("D#") for pk, _ in keys if pk.startswith("D#")}
        return
    assert isinstance(ledger, DynamoLedger)
    for key in keys:
        item = {**(ledger._get(*key) or {}), "state": "no state of ours"}
        ledger._db.put_item(TableName=ledger._table, Item=items.dumps(item))


def test_item_that_cannot_be_read_hides_no_other(ledger: Ledger) -> None:
    bad, good = staged(ledger, a_drop(id="a" * 32)), staged(ledger, a_drop(id="b" * 32))
    batch = a_batch(members=(bad.id, good.id))
    ledger.open_batch(batch)
    ledger.write_batch(batch, replace(batch, state="running", run="r1"))
    spoil(ledger, items.drop_key(bad.id), items.pending_key(bad))
    open_items, of_run = ledger.in_flight(LATER), ledger.batch_of("r1")

    assert of_run
    assert (ledger.drops([bad.id, good.id]), of_run[1]) == ((good,), (good,))
    assert [ledger.pending("p" * 64, most) for most in (1, 2)] == [(good,), (good,)]
    assert (open_items.waiting, open_items.unreadable) == ((good,), (f"D#{bad.id}",))
    assert [ledger.of_month("orders.v1", "2026-01", most) for most in (1, 2)] == [(good,), (good,)]
    assert sorted(map(str, ledger.each("orders.v1", "2026-01"))) == sorted([str(good), f"D#{bad.id}"])
    with pytest.raises(DocumentInvalid):
        ledger.drop(bad.id)


def test_former_item_that_is_put_back_rewrites_no_history(ledger: Ledger) -> None:
    former = a_drop()
    ledger.open(former)
    ledger.write((moved(former, "staged", staged_at=AT),))
    steps = ledger.history(former.id)
    put_back(ledger, former)
    with pytest.raises(StaleWrite):
        ledger.write((moved(former, "gone"),))

    assert (ledger.history(former.id), ledger.drop(former.id)) == (steps, former)


def put_back(ledger: Ledger, former: Drop) -> None:
    """Let a hand put a former item of a drop back."""
    if isinstance(ledger, MemoryLedger):
        ledger._drops[former.id] = former
        return
    assert isinstance(ledger, DynamoLedger)
    ledger._db.put_item(TableName=ledger._table, Item=items.dumps(items.drop_item(former)))


def test_claimed_drops_wait_no_more(ledger: Ledger) -> None:
    drop = staged(ledger, a_drop())
    ledger.write((moved(drop, "claimed", batch="b", try_=1),))

    assert ledger.pending("p" * 64) == ()


def test_one_window_is_open_at_a_time(ledger: Ledger) -> None:
    first, second = Window("p", "1", AT, "shop", "orders.v1"), Window("p", "2", "2026-01-31T12:00:09.000000Z")

    assert [ledger.open_window(first), ledger.open_window(second), ledger.window("p")] == [True, False, first]
    ledger.close_window(second)
    assert ledger.window("p") == first
    ledger.close_window(first)
    assert ledger.window("p") is None


def test_copy_in_parts_is_noted_of_the_longest_key(ledger: Ledger) -> None:
    mark, target = CopyTag("d1", 1), f"s3://promoted/{'a' * 1024}"
    noted = [
        ledger.note_upload(mark, target, name, before) for name, before in (("u1", None), ("u2", None), ("u3", "u1"))
    ]

    assert (noted, ledger.upload(mark, target)) == ([True, False, True], "u3")
    assert ledger.upload(mark, f"{target}b") is None


def test_what_is_held_up_is_listed_until_it_goes_on(ledger: Ledger) -> None:
    one = Pause("contract", f"c{uuid.uuid4().hex}", "2026-01-31T12:00:00.000000Z", "why")
    two = Pause("producer", one.name, "2026-01-31T12:00:01.000000Z")

    def listed() -> list[Pause]:
        return [pause for pause in ledger.pauses() if pause.name == one.name]

    assert [ledger.pause(one), ledger.pause(two), ledger.pause(replace(one, reason="other"))] == [True, True, False]
    assert listed() == [one, two]
    assert [ledger.resume(one), ledger.resume(one), listed()] == [True, False, [two]]


def a_batch(**changes: object) -> Batch:
    at = "2026-01-31T12:00:00.000000Z"
    return replace(Batch("b1", "p", "orders.v1", ("d1", "d2"), 10, at, at, at), **changes)  # type: ignore[arg-type]


def test_a_batch_is_opened_once(ledger: Ledger) -> None:
    assert [ledger.open_batch(a_batch()), ledger.open_batch(a_batch(size=3))] == [True, False]
    assert ledger.batch("b1") == a_batch()
    assert ledger.batch("b2") is None


@pytest.mark.parametrize("kind", ["contract", "producer"])
def test_no_batch_is_new_of_what_is_held_up(ledger: Ledger, kind: Literal["contract", "producer"]) -> None:
    name = uuid.uuid4().hex
    batch = a_batch(contract=name, producer=name)
    ledger.pause(Pause(kind, name, batch.claimed_at))
    with pytest.raises(HeldUp):
        ledger.open_batch(batch)
    with pytest.raises(HeldUp):
        ledger.write((), replace(batch, version=0))
    ledger.resume(Pause(kind, name, batch.claimed_at))

    assert ledger.batch("b1") is None
    assert ledger.open_batch(batch)


def test_batches_are_fenced_and_found_by_run(ledger: Ledger) -> None:
    ledger.open_batch(a_batch())
    ledger.write_batch(a_batch(), a_batch(state="running", run="r1"))
    with pytest.raises(StaleWrite):
        ledger.write_batch(a_batch(), a_batch(state="running", run="r2"))

    assert ledger.batch_of("r1") == (a_batch(state="running", run="r1", version=2), ())
    assert ledger.batch_of("r2") is None


def test_halves_come_with_the_end_of_what_is_split(ledger: Ledger) -> None:
    batch = a_batch(contract=uuid.uuid4().hex)
    assert ledger.open_batch(batch)
    halves = [replace(batch, id=f"{batch.id}{n}", former=batch.id, origin=batch.id, version=0) for n in (0, 1)]
    pause = Pause("contract", batch.contract, batch.claimed_at)
    assert ledger.pause(pause)
    ledger.write((), replace(batch, state="ended", splits=1), *halves)
    assert ledger.resume(pause)

    assert ledger.batch(batch.id) == replace(batch, state="ended", splits=1, version=2)
    assert [ledger.batch(half.id) for half in halves] == [replace(half, version=1) for half in halves]
    with pytest.raises(StaleWrite):
        ledger.write((), replace(batch, state="ended", splits=1), *halves)


def test_a_slot_is_one_batchs_until_it_has_ended(ledger: Ledger) -> None:
    first, second, third = (a_batch(id=name, slot=3, producer="shop") for name in ("b1", "b2", "b3"))
    taken = [ledger.open_batch(first), ledger.open_batch(second)]
    with pytest.raises(StaleWrite):
        ledger.write((), replace(third, version=0))
    held = ledger.taken_slots()
    ledger.write_batch(first, replace(first, state="ended"))
    free = not ledger.taken_slots()
    ledger.write((), replace(third, version=0))

    assert (taken, held, free) == ([True, False], {3: "shop"}, True)
    assert (ledger.batch("b2"), ledger.batch("b3")) == (None, third)


def test_in_flight_is_what_is_open_and_old(ledger: Ledger) -> None:
    old = staged(ledger, a_drop(id="a" * 32))
    done = staged(ledger, a_drop(id="b" * 32))
    ledger.write((moved(done, "failed", producer=None),))
    ledger.open_window(Window("p", "1", AT))
    ledger.open_batch(a_batch())
    ledger.open_batch(a_batch(id="b2", state="ended"))
    open_items = ledger.in_flight(LATER)

    assert (open_items.waiting, open_items.batches, open_items.windows) == (
        (old,),
        (a_batch(),),
        (Window("p", "1", AT),),
    )
    assert ledger.in_flight("2026-01-31T11:00:00.000000Z").waiting == ()


def test_no_number_of_drops_that_wait_hides_what_does_not(ledger: Ledger) -> None:
    for n in range(3):
        staged(ledger, a_drop(id=f"{n:032}"))
    ledger.open(a_drop(id="c" * 32, received_at=SOON, changed_at=SOON))
    ledger.open_batch(a_batch(changed_at=SOON))
    ledger.open_window(Window("p", "9", SOON))
    open_items = ledger.in_flight(LATER, most=1)

    assert [d.id for d in open_items.drops] == ["c" * 32]
    assert ([b.id for b in open_items.batches], [w.plan for w in open_items.windows]) == (["b1"], ["p"])
    assert {d.state for d in open_items.waiting} == {"staged"}


def moment(n: int) -> str:
    """Return the time of the last change of the first, the last or one between: all at once."""
    return f"2026-01-31T12:{({0: 10, 8: 50}).get(n, 30)}:00.000000Z"


def open_drops(ledger: Ledger) -> None:
    """Nine drops, of one partition of the index."""
    shelf = items.drop_item(a_drop())["inflight"]
    every = (a_drop(id=f"{n:032}") for n in range(1000))
    for n, drop in zip(range(9), (d for d in every if items.drop_item(d)["inflight"] == shelf), strict=False):
        ledger.open(replace(drop, name=f"{n}", changed_at=moment(n)))


def staged_drops(ledger: Ledger) -> None:
    open_drops(ledger)
    for drop in ledger.in_flight(LATER).drops:
        move = moved(drop, "staged", staged_at=AT)
        ledger.write((replace(move, drop=replace(move.drop, changed_at=drop.changed_at)),))


def due_windows(ledger: Ledger) -> None:
    for n in range(9):
        ledger.open_window(Window(f"{n}", "1", moment(n)))


def due_sets(ledger: Ledger) -> None:
    for n in range(9):
        ledger.write((), FileSet(f"{n}", "orders.v1", "p", {}, AT, LATER, moment(n)))


@pytest.mark.parametrize(
    ("fill", "names"),
    [
        (open_drops, lambda open_items: {d.name for d in open_items.drops}),
        (staged_drops, lambda open_items: {d.name for d in open_items.waiting}),
        (due_windows, lambda open_items: {w.plan for w in open_items.windows}),
        (due_sets, lambda open_items: {s.id for s in open_items.sets}),
    ],
    ids=["drops", "drops that wait", "windows", "sets"],
)
def test_each_look_finds_both_ends_and_more_of_what_is_between(
    ledger: Ledger, fill: Callable[[Ledger], None], names: Callable[[InFlight], set[str]]
) -> None:
    fill(ledger)
    looks = [names(ledger.in_flight(LATER, most=1)) for _ in range(9)]

    assert all(look >= {"0", "8"} for look in looks)
    assert looks[0] < set.union(*looks) == set("012345678")


def test_no_number_of_sets_hides_a_window(ledger: Ledger) -> None:
    for n in (*range(5), *range(6, 9)):
        ledger.write((), FileSet(f"{n}", "orders.v1", "p", {}, AT, LATER, moment(n)))
    ledger.open_window(Window("p", "1", moment(5)))

    assert Window("p", "1", moment(5)) in {w for _ in range(9) for w in ledger.in_flight(LATER, 2).windows}


def test_window_is_put_off_as_long_as_it_is_as_it_was(ledger: Ledger) -> None:
    window = Window("p", "1", AT)
    ledger.open_window(window)
    done = ledger.postpone(window, SOON), ledger.postpone(window, LATER)
    there = ledger.window("p")
    ledger.close_window(window)

    assert (done, there, ledger.window("p")) == ((True, False), replace(window, due_at=SOON), None)
    assert not ledger.postpone(window, LATER)


def test_failed_drop_is_in_flight_until_told(ledger: Ledger) -> None:
    drop = a_drop()
    ledger.open(drop)
    failed = moved(drop, "failed")
    ledger.write((failed,))
    assert ledger.in_flight(LATER).drops == (failed.drop,)
    ledger.write((moved(failed.drop, "receipt_written", receipt="s3://r"),))
    assert ledger.in_flight(LATER).drops == ()


def test_drops_are_found_by_month(ledger: Ledger) -> None:
    ledger.open(a_drop(id="a" * 32, received_at="2026-01-01T00:00:00.000000Z"))
    ledger.open(a_drop(id="b" * 32, received_at="2026-01-31T00:00:00.000000Z"))
    ledger.open(a_drop(id="c" * 32, received_at="2026-02-01T00:00:00.000000Z"))
    ledger.open(a_drop(id="d" * 32, contract=None))

    assert [d.id[0] for d in ledger.of_month("orders.v1", "2026-01")] == ["b", "a"]
    assert [d.id[0] for d in ledger.of_month(None, "2026-01")] == ["d"]
    assert [d.id[0] for d in ledger.of_month("orders.v1", "2026-01", 1)] == ["b"]


def test_newest_drops_until_a_moment_are_read_in_pages(ledger: Ledger) -> None:
    for n in range(5):
        state = ("rejected", "accepted")[n % 2]
        ledger.open(a_drop(id=f"{n}" * 32, state=state, received_at=f"2026-01-0{n + 1}T00:00:00.000000Z"))
    ledger.open(a_drop(id="d" * 32, contract=None))
    until = "2026-01-04T00:00:00.000000Z"

    for most in (1, 2, 10):
        assert [d.id[0] for d in ledger.newest("orders.v1", "2026-01", "9999", most)] == ["4", "3", "2", "1", "0"]
        assert [d.id[0] for d in ledger.newest("orders.v1", "2026-01", until, most)] == ["3", "2", "1", "0"]
        rejected = ledger.newest("orders.v1", "2026-01", until, most, {"state": "rejected"})
        assert [d.id[0] for d in rejected] == ["2", "0"]
    assert [d.id[0] for d in ledger.newest(None, "2026-01", "9999", 2)] == ["d"]


def test_each_drop_of_a_month_is_found(ledger: Ledger) -> None:
    for n in range(3):
        ledger.open(a_drop(id=f"{n:032}", received_at=f"2026-01-3{n % 2}T12:00:00.000000Z"))
    ledger.open(a_drop(id="o" * 32, contract=None))

    drops = [*ledger.each("orders.v1", "2026-01")]
    assert len(drops) == 3
    assert all(ledger.drop(f"{n:032}") in drops for n in range(3))
    assert [*ledger.each(None, "2026-01")] == [ledger.drop("o" * 32)]


def test_trials_are_in_no_list_that_does_not_ask_for_them(ledger: Ledger) -> None:
    drop, trial = a_drop(id="a" * 32), a_drop(id="b" * 32, trial=True)
    for one in (drop, trial, a_drop(id="c" * 32, contract=None, trial=True)):
        ledger.open(one)

    assert ledger.of_month("orders.v1", "2026-01") == (drop,)
    assert [*ledger.newest("orders.v1", "2026-01", "9999", 5)] == [*ledger.each("orders.v1", "2026-01")] == [drop]
    assert ledger.received("orders.v1", "2026-01-01", "2026-02-01", 5) == (drop,)
    assert ledger.of_month("orders.v1", "2026-01", trial=True) == (trial,)
    assert [*ledger.newest("orders.v1", "2026-01", "9999", 5, trial=True)] == [trial]
    assert ledger.of_month(None, "2026-01") == ()
    assert [one.id[0] for one in ledger.of_month(None, "2026-01", trial=True)] == ["c"]
    assert ledger.drop(trial.id) == trial


def test_trials_wait_in_a_line_and_a_window_of_their_own(ledger: Ledger) -> None:
    staged(ledger, a_drop(id="a" * 32), "2026-01-31T12:00:01.000000Z")
    staged(ledger, a_drop(id="b" * 32, trial=True), "2026-01-31T12:00:02.000000Z")
    window, of_trials = Window("p" * 64, "1", AT), Window("p" * 64, "2", AT, trial=True)

    assert [d.id[0] for d in ledger.pending("p" * 64)] == ["a"]
    assert [d.id[0] for d in ledger.pending("p" * 64, trial=True)] == ["b"]
    later = replace(of_trials, opened_at="3")
    assert [ledger.open_window(one) for one in (window, of_trials, later)] == [True, True, False]
    assert [ledger.window("p" * 64, trial=trial) for trial in (False, True)] == [window, of_trials]
    assert ledger.postpone(of_trials, "2026-01-31T12:09:00.000000Z")
    ledger.close_window(of_trials)
    assert [ledger.window("p" * 64, trial=trial) for trial in (False, True)] == [window, None]


def test_only_items_of_trials_expire(clients: Clients, stack: Stack) -> None:
    table = stack.names["LedgerTable"]
    ledger = DynamoLedger(clients.dynamodb, table)
    for drop in (a_drop(id="y" * 32), a_drop(id="z" * 32, trial=True)):
        staged(ledger, drop)
    ends: dict[tuple[str, str], set[str | None]] = {
        (one, kind): set() for one in "yz" for kind in ("D", "ID", "PENDING")
    }
    for item in clients.dynamodb.scan(TableName=table)["Items"]:
        kind, name = item["pk"]["S"].partition("#")[0], f"{item['pk']['S']}{item['sk']['S']}"
        for one in "yz":
            if one * 32 in name:
                ends[one, kind].add(item.get("expires", {}).get("N"))
                clients.dynamodb.delete_item(TableName=table, Key={"pk": item["pk"], "sk": item["sk"]})

    week = str(int(datetime.fromisoformat(a_drop().received_at).timestamp()) + 7 * 86_400)
    assert ends == {(one, kind): {week if one == "z" else None} for one, kind in ends}


def test_drops_of_a_key_are_found_in_a_month(ledger: Ledger) -> None:
    for n, name in enumerate(("orders/1.csv", "orders/2.csv", "orders/1.csv")):
        ledger.open(a_drop(id=f"{n}" * 32, name=name, received_at=f"2026-01-0{n + 1}T00:00:00.000000Z"))

    key = {"name": "orders/1.csv"}
    assert [d.id[0] for d in ledger.of_month("orders.v1", "2026-01", only=key)] == ["2", "0"]
    assert [d.id[0] for d in ledger.of_month("orders.v1", "2026-01", 1, key)] == ["2"]
    assert ledger.of_month("orders.v1", "2026-01", only={"name": "orders"}) == ()


def test_drops_of_a_state_are_found_behind_newer_ones(ledger: Ledger) -> None:
    for n, state in enumerate(("rejected", "accepted", "rejected", "accepted")):
        drop = a_drop(id=f"{n}" * 32, state=state, name=f"orders/{n}.csv")
        ledger.open(replace(drop, received_at=f"2026-01-0{n + 1}T00:00:00.000000Z"))

    drops = ledger.of_month("orders.v1", "2026-01", 2, {"state": "rejected"})
    assert [d.id[0] for d in drops] == ["2", "0"]
    both = {"state": "rejected", "name": "orders/0.csv"}
    assert [d.id[0] for d in ledger.of_month("orders.v1", "2026-01", only=both)] == ["0"]


def test_ids_are_found_by_their_beginning(ledger: Ledger) -> None:
    ledger.open(a_drop(id="abcd1" + "x" * 27))
    ledger.open(a_drop(id="abcd2" + "x" * 27))

    assert [i[:5] for i in ledger.starting_with("abcd")] == ["abcd1", "abcd2"]
    assert [i[:5] for i in ledger.starting_with("abcd2")] == ["abcd2"]
    assert ledger.starting_with("abce") == ()


# ---------------------------------------------------------------------------- jobs


@dataclass
class Office:
    """Jobs, and how the test ends those that work: well or badly."""

    jobs: Jobs
    end: Callable[[bool], None]


@pytest.fixture(params=["memory", "aws"])
def office(request: pytest.FixtureRequest) -> Iterator[Office]:
    if request.param == "memory":
        memory = MemoryJobs()

        def end(well: bool) -> None:
            status = RunStatus("success") if well else RunStatus("failed", "FAILED")
            memory.ended |= dict.fromkeys(memory.working(), status)

        yield Office(memory, end)
        return
    ends: Queue[bool] = Queue()

    def run_job(_: JobSpec) -> None:
        if not ends.get(timeout=30):
            raise MemoryError("java heap space")

    session = boto3.Session("jobs", "none", region_name="us-east-1")
    with EmrServerless(run_job, lambda _: True, lambda _: None) as emr:
        client = session.client("emr-serverless", endpoint_url=emr.endpoint)
        role = "arn:aws:iam::123456789012:role/job"
        code = JobCode(emr.application.id, role, "s3://code/entry.py", "s3://code/dropgate.zip")
        yield Office(EmrJobs(client, code), ends.put)


def ended(jobs: Jobs, run: str) -> RunStatus:
    end = time.monotonic() + 30
    while (status := jobs.status(run)).outcome == "working":
        assert time.monotonic() < end
        time.sleep(0.02)
    return status


def test_same_token_is_the_same_run(office: Office) -> None:
    first = office.jobs.start("b-1", "s3://jobs/request.json", 10, REACH)

    assert office.jobs.start("b-1", "s3://jobs/request.json", 10, REACH) == first
    office.end(True)
    assert office.jobs.start("b-1", "s3://jobs/request.json", 10, REACH) == first


def test_run_is_found_by_its_token(office: Office) -> None:
    since = datetime.now(UTC)
    run = office.jobs.start("b-1", "s3://jobs/request.json", 10, REACH)

    assert [office.jobs.find("b-1", since), office.jobs.find("b-2", since)] == [run, None]
    office.end(True)


def test_run_works_until_it_has_ended(office: Office) -> None:
    run = office.jobs.start("b-1", "s3://jobs/request.json", 10, REACH)
    assert office.jobs.status(run) == RunStatus("working")
    office.end(True)

    assert ended(office.jobs, run).outcome == "success"


def test_crashed_run_says_why(office: Office) -> None:
    run = office.jobs.start("b-1", "s3://jobs/request.json", 10, REACH)
    office.end(False)
    status = ended(office.jobs, run)

    assert status.outcome == "failed"
    assert status.details.startswith("FAILED")


# -------------------------------------------------------------------------- delays


def test_message_of_a_window_arrives(clients: Clients, stack: Stack) -> None:
    queue = stack.names["BatchDueQueue"]
    window = Window("p", stamp_now(), AT, "shop")
    SqsDelays(clients.sqs, queue).send(window, 0)
    (message,) = clients.sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1)["Messages"]

    assert window_in(message["Body"]) == window


def stamp_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
